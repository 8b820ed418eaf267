//! The obligations that follow from touched pieces (Art. 4.2–4.7), in the article numbers of 2023.
//!
//! A board detects that a piece was lifted and where it was put down, but not the player's intent. The caller decides which touches
//! count: it omits or removes touches that are clearly accidental (4.2.2) or were announced as an adjustment (4.2.1). This module
//! assumes that all other touches were intended.

mod duty;
mod evaluation;
mod geometry;
mod hands;
mod rules;
mod sensed;
mod touches;

pub use crate::laws::edition::RookFirst;
pub use duty::{Duty, Freedom, Obligation};
pub use evaluation::obligation;
pub(crate) use geometry::capture_square;
pub use hands::{HandTracker, TouchThresholds, TouchesBeforeMove};
pub use rules::{PawnLeft, Promotion, TouchBinding, TouchRules};
pub use sensed::{SensedTouch, SensedTouches, TurnTime};
pub use touches::{Release, Touch, Touches};

use crate::laws::{Move, Position};
use shakmaty::Role;

/// Returns the obligation for the move that replaces an illegal one, after the illegal move was completed by pressing the clock and
/// was retracted (7.5.1, 7.5.2).
pub fn obligation_restored(position: &Position, touches: &Touches, rules: TouchRules) -> Obligation {
    let bound = obligation(position, touches, rules);
    let moves = bound.moves(position);
    let queening = touches.released().iter().find_map(|release| {
        let is_queening = |mv: &Move| {
            release.piece.role == Role::Pawn
                && mv.from() == Some(release.from)
                && mv.to() == release.on
                && mv.promotion() == Some(Role::Queen)
        };
        moves.iter().copied().find(is_queening).map(|mv| (mv, release.on))
    });
    match queening {
        Some((mv, square)) if rules.pawn_left == PawnLeft::Queen => {
            Obligation::Only { moves: vec![mv], by: Duty::PawnBecomesQueen { square } }
        }
        _ => bound,
    }
}
