//! A greedy walk, the fastest way to a mate in most positions from play: the winner captures what they can with the help of the
//! opponent, until the opponent's king has no defender left. Only success is conclusive.

use super::score;
use shakmaty::{Color, Move, Position as Rules};

/// Maximum number of plies. Capturing sixteen pieces takes a third of this; the rest is for the mate.
const PLIES: usize = 160;

/// Returns whether the walk reached a checkmate by this player.
pub(super) fn finds_mate<P: Rules + Clone>(start: &P, winner: Color) -> bool {
    let (mut position, mut seen) = (start.clone(), Vec::new());
    let Some(mut score) = score::rank(&position, winner, u32::MAX) else { return false };
    for _ in 0..PLIES {
        seen.push(position.board().clone());
        let winner_to_move = position.turn() == winner;
        let moves = position.legal_moves();
        let of_kind = |captures: bool| moves.iter().copied().filter(move |mv: &Move| mv.is_capture() == captures);
        let mut best: Option<(u32, P)> = None;
        // Captures by the winner first, captures by the opponent last.
        for mv in of_kind(winner_to_move).chain(of_kind(!winner_to_move)) {
            let mut next = position.clone();
            next.play_unchecked(mv);
            if winner_to_move && next.is_check() && next.legal_moves().is_empty() {
                return true;
            }
            let cost = if winner_to_move || !mv.is_capture() { 0 } else { 8 };
            let limit = best.as_ref().map_or(u32::MAX, |(known, _)| *known).saturating_sub(cost);
            let Some(rank) = score::rank(&next, winner, limit).map(|rank| rank + cost) else { continue };
            if seen.contains(next.board()) || winner_to_move && next.legal_moves().is_empty() {
                continue; // No stalemate either.
            }
            best = Some((rank, next));
            if rank < score {
                break;
            }
        }
        let Some((rank, next)) = best else { return false };
        (score, position) = (rank, next);
    }
    false
}
