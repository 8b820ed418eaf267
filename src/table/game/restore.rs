//! A position restored by the arbiter: which moves its player may now make, and until when the board need not agree.

use super::TableGame;
use super::displaced_squares::DisplacedSquares;
use super::draft::is_about_position;
use super::published::PublishedGame;
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Answer};
use crate::laws::touch::{Obligation, TouchRules, Touches, obligation_restored};
use crate::laws::{Move, Position};
use crate::table::Output;

impl TableGame {
    /// Processes a restored position: clears alerts about the moves that left the record, and applies the touch-move obligations of
    /// the first of them to its player.
    pub(super) fn apply_restored_position(&mut self, now: Millis, output: &mut Output) -> Answer {
        let ply = self.record().restored.as_ref().map_or(0, |restored| restored.ply);
        self.clear(now, |alert| is_settled(alert, ply), output);
        self.displaced = DisplacedSquares::default();
        self.touches.set_allowed_moves(self.published.moves_after_restore());
        let position = self.published.position_after(ply.saturating_sub(1) as usize);
        let moves = self.touches.allowed_moves().into_iter().flatten();
        Answer::AllowedMoves(moves.map(|&mv| position.uci(mv)).collect())
    }

    /// Applies the same to a game that is restored after a restart: the pieces may not be back on their squares yet.
    pub(super) fn resume_restoring(&mut self) {
        self.touches.set_allowed_moves(self.published.moves_after_restore());
        self.fix_settled_plies();
        if self.record().paused {
            self.hold_paused();
        } else if self.record().restored.is_some() {
            self.wait_for_position();
        }
    }

    /// Returns the position that must be restored on the board, until a move is made.
    pub(crate) fn to_restore(&self) -> Option<Position> {
        let restoring = self.record().restored.is_some() || self.hold.is_restoring();
        (restoring && !self.end.is_over()).then(|| self.published.position_after(self.published.len()))
    }
}

impl PublishedGame {
    /// Returns the moves that the player to move may make after the position was restored; `None`: any legal move.
    pub(super) fn moves_after_restore(&self) -> Option<Vec<Move>> {
        let restored = self.record().restored.as_ref()?;
        let position = self.position_after(restored.ply.saturating_sub(1) as usize);
        let moves: Vec<Move> = match restored.allowed.as_slice() {
            [] => {
                // A legal move that was removed from the record creates no obligation. Touches of the other player's pieces bind
                // that player on their own move.
                let played = restored.instead_of.as_ref().filter(|played| played.irregular && !played.is_missing())?;
                let mv = position.any_move_to(&played.uci, &played.fen).filter(|&mv| position.mover(mv) == position.turn())?;
                match obligation_restored(&position, &Touches::of_move(&position, mv), TouchRules::of(self.laws())) {
                    Obligation::Only { moves, .. } => moves,
                    Obligation::Free(_) => return None,
                }
            }
            allowed => allowed.iter().filter_map(|uci| position.parse_uci(uci)).collect(),
        };
        (!moves.is_empty() && moves.len() < position.legal_moves().len()).then_some(moves)
    }
}

/// Whether this alert is settled once the position before this ply is restored.
fn is_settled(alert: &Alert, ply: u32) -> bool {
    use AlertKind::{DeadPosition, FiveFold, IllegalPosition, MovesUncertain, SeventyFive};
    let of_position = [IllegalPosition, FiveFold, SeventyFive, DeadPosition, MovesUncertain];
    let of_moves = alert.is_about_moves() || of_position.contains(&alert.kind);
    is_about_position(alert.kind) || (alert.ply >= ply && of_moves)
}
