//! One displaced piece, which may be an illegal move, and play that goes on around it.

use super::candidates::{find_illegal_move, find_slip, illegal_candidates, is_king_signal, is_out_of_turn, traced_capture};
use crate::boards::Millis;
use crate::infer::Explanation;
use crate::infer::explain::explain;
use crate::infer::line::comparison::Comparison;
use crate::infer::line::presses::UnmatchedPresses;
use crate::infer::model::SCAN_TIME;
use crate::infer::node::Slip;
use shakmaty::{Bitboard, Move, Role};

/// One displaced piece, seen as the only difference.
#[derive(Clone, Debug)]
pub(in crate::infer::line) struct DisplacedPiece {
    /// The move that it would be; `None` if a piece is missing or extra.
    pub(super) mv: Option<Move>,
    /// The part of it that the move does not describe.
    pub(super) slip: Option<Slip>,
    /// The squares in which the board differs from the position.
    pub(super) squares: Bitboard,
    /// Number of nodes of the line then.
    pub(super) nodes: usize,
    /// Whether its player pressed the clock on it.
    pub(super) pressed: bool,
}

/// Play that went on while a piece was displaced.
#[derive(Clone, Debug)]
pub struct PlayElsewhere {
    /// The squares that differ and are unrelated to the play.
    pub squares: Bitboard,
    /// The moves that were played.
    pub moves: Vec<Move>,
}

impl Comparison<'_> {
    /// Returns the difference if the board differs by one piece, or by a castling.
    pub(super) fn single_difference(&self) -> Option<DisplacedPiece> {
        let (position, wrong) = (&self.tip().position, self.mismatch());
        let few = wrong.count() <= 4;
        let traced = || traced_capture(self.tip(), self.hidden(), self.seen()).map(|(mv, _)| mv);
        let mv = if few { find_illegal_move(position, wrong, self.seen()).or_else(traced) } else { None };
        let slipped = if few && mv.is_none() { find_slip(position, wrong, self.hidden(), self.seen()) } else { None };
        let (mv, slip) = slipped.map_or((mv, None), |(mv, slip)| (Some(mv), Some(slip)));
        (mv.is_some() || wrong.count() <= 2).then_some(DisplacedPiece {
            mv,
            slip,
            squares: wrong,
            nodes: self.history().node_count(),
            pressed: false,
        })
    }

    /// Returns the illegal move that is on the board and has a press.
    pub(in crate::infer::line) fn pressed_illegal_move(
        &self,
        now: Millis,
        presses: &UnmatchedPresses,
    ) -> Option<(Move, Option<Slip>)> {
        let DisplacedPiece { mv, slip, .. } = self.single_difference()?;
        mv.filter(|&mv| self.is_pressed(now, mv, presses)).map(|mv| (mv, slip))
    }

    /// Returns whether the player to move pressed the clock on this move, so long ago that everything that belongs to it has been
    /// seen. The press may have been attributed to this player's move before, if that one's was missed.
    pub(super) fn is_pressed(&self, now: Millis, mv: Move, presses: &UnmatchedPresses) -> bool {
        let (position, seen) = (&self.tip().position, self.seen());
        let mover = position.mover(mv);
        let arrived_at = position.changes(mv).iter().map(|(square, _)| seen.changed_at(square)).max().unwrap_or(now);
        let last = seen.presses_since(self.tip().made_at).last().filter(|(at, _)| arrived_at <= *at);
        let pressed = [presses.last(), last].into_iter().flatten();
        let pressed = pressed.into_iter().any(|(at, by)| by == mover && now.saturating_sub(at) >= SCAN_TIME);
        pressed && !is_out_of_turn(position, mv) && !is_king_signal(mv)
    }

    /// Returns what the opponent played on top of a displaced piece.
    pub(super) fn reply(&self, stray: &DisplacedPiece) -> Option<Explanation> {
        let mv = stray.mv?;
        let position = &self.tip().position;
        if is_out_of_turn(position, mv) {
            let nudged = mv.from().is_some_and(|from| from.distance(mv.to()) <= 1) && mv.role() != Role::Pawn;
            if nudged || !position.with_turn_passed().is_legal(mv) {
                return None;
            }
        }
        let after = position.play(mv);
        let view = stray.slip.as_ref().map(|slip| {
            let mut view = self.seen().clone();
            view.excuse(slip.squares, after.board());
            view
        });
        let seen = view.as_ref().unwrap_or(self.seen());
        (1..=2).find_map(|depth| clear_best(explain(&after, seen, self.hidden(), depth, self.tip().made_at)))
    }

    /// Returns the move and the opponent's reply if they played on: the piece was moved there without objection. Out of turn, only
    /// what would be a legal move counts, and no piece that was nudged to the next square.
    pub(super) fn played_on(&self, stray: &DisplacedPiece, presses: &UnmatchedPresses) -> Option<(Move, Vec<Move>)> {
        let (mv, reply) = (stray.mv?, self.reply(stray)?);
        let out_of_turn = is_out_of_turn(&self.tip().position, mv);
        // A press before the piece came there means that a move of the opponent was missed instead.
        let missed = out_of_turn && presses.last().is_some_and(|(at, _)| at < self.seen().changed_at(mv.to()));
        let is_refuted = presses.has_clock() && (presses.count() == 0 || missed || (out_of_turn && presses.count() > 1));
        (!is_refuted).then_some((mv, reply.moves))
    }

    /// Returns legal moves that explain everything except these squares.
    pub(super) fn find_play_elsewhere(&self, squares: Bitboard) -> Option<PlayElsewhere> {
        let position = &self.tip().position;
        let mut view = self.seen().clone();
        view.excuse(squares, position.board());
        let found = (1..=2).find_map(|depth| clear_best(explain(position, &view, self.hidden(), depth, self.tip().made_at)))?;
        Some(PlayElsewhere { squares, moves: found.moves })
    }

    /// Returns legal moves that explain everything except one piece which was never seen as the only difference, if there is
    /// exactly one such explanation.
    pub(super) fn find_only_play_elsewhere(&self) -> Option<PlayElsewhere> {
        let (position, wrong) = (&self.tip().position, self.mismatch());
        let changed = |mv: Move| position.changes(mv).iter().map(|(square, _)| square).collect::<Bitboard>();
        let pairs = illegal_candidates(position, wrong).into_iter().map(changed);
        let mut found =
            pairs.chain(wrong.into_iter().map(Bitboard::from_square)).filter_map(|squares| self.find_play_elsewhere(squares));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// Returns the best explanation if it is clearly better than all others.
fn clear_best(found: Vec<Explanation>) -> Option<Explanation> {
    let clear = match found.as_slice() {
        [best, next, ..] => best.doubts < next.doubts,
        [_] => true,
        [] => false,
    };
    // Two moves of which the second was put down long before the first are another case.
    let was_seen = |best: &Explanation| best.doubts.skipped == 0 && best.doubts.traceless == 0 && best.doubts.disordered == 0;
    let is_certain = |best: &Explanation| !best.cut_off && was_seen(best);
    found.into_iter().next().filter(|best| clear && is_certain(best))
}
