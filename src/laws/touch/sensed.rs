//! Touches of pieces that stay on their squares, from boards that sense hands.
//!
//! Such a board knows that a hand is on a square, but neither whose hand it is nor what it intends. A hand that rests on the board
//! or reaches over it touches several squares, or one for a moment. Only a touch of a single square that lasts counts; all others
//! are contacts, which count in favour of the player.

use super::geometry::capture_square;
use super::hands::TouchThresholds;
use super::touches::Touches;
use crate::laws::{Move, Position};
use shakmaty::{Bitboard, Square};

/// A hand on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensedTouch {
    /// The square.
    pub square: Square,
    /// When the touch began, in milliseconds.
    pub from: u64,
    /// When it ended; `None`: it goes on.
    pub until: Option<u64>,
    /// Whether no other square was touched from its beginning to its end.
    pub is_single: bool,
    /// Whether the piece left the square during the touch.
    pub is_lift: bool,
}

/// The time of a turn, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnTime {
    /// When the player came to have the move.
    pub since: u64,
    /// From when on a touch of an opponent's piece may be the player's: before, the opponent who has just moved may still have a
    /// hand on it, or centre it.
    pub opponent_since: u64,
    /// When the turn ended, or now.
    pub until: u64,
}

/// The touches of one turn.
#[derive(Clone, Debug)]
pub struct SensedTouches {
    /// The touches that count.
    pub touches: Touches,
    /// All touches, also those that were brief, or of several squares at once: any of them may have been intended.
    pub contacts: Touches,
    /// The squares of the touches that count and with which the piece was lifted.
    pub lifted: Bitboard,
}

impl SensedTouches {
    /// Evaluates what was sensed in the turn of the player who has the move. `sensed` is ordered by time.
    pub fn new(position: &Position, sensed: &[SensedTouch], time: TurnTime, thresholds: TouchThresholds) -> SensedTouches {
        let touches = Touches::new(thresholds.unclear_ms);
        let mut result = SensedTouches { contacts: touches.clone(), touches, lifted: Bitboard::EMPTY };
        for touch in sensed.iter().filter(|touch| touch.from <= time.until) {
            let Some(piece) = position.piece_at(touch.square) else { continue };
            let is_own = piece.color == position.turn();
            let is_past = touch.until.is_some_and(|until| until <= time.since);
            let is_early = !is_own && touch.from < time.opponent_since;
            if is_past || (is_early && touch.from <= time.since) {
                continue;
            }
            result.contacts.touch(touch.from.max(time.since), touch.square, piece);
            // What began in the opponent's time may be a resting hand.
            let lasted = touch
                .until
                .filter(|until| *until <= time.until)
                .is_some_and(|until| touch.from > time.since && until.saturating_sub(touch.from) >= thresholds.brushed_ms);
            if touch.is_single && lasted && !is_early {
                result.count(touch.from, touch.square, position, touch.is_lift);
            }
        }
        result
    }

    /// Adds the touches with which this move was made. They are certain, however brief they were. `lifts`: when which square became
    /// empty in this turn, ordered by time.
    #[must_use]
    pub fn with_move(
        mut self,
        position: &Position,
        mv: Move,
        sensed: &[SensedTouch],
        lifts: &[(u64, Square)],
        time: TurnTime,
    ) -> SensedTouches {
        let moved =
            if let Move::Castle { king, rook } = mv { [Some(king), Some(rook)] } else { [mv.from(), capture_square(mv)] };
        for square in moved.into_iter().flatten() {
            let gripped = sensed.iter().rfind(|touch| touch.square == square && touch.from <= time.until);
            let lifted = lifts.iter().rfind(|(_, lifted)| *lifted == square).map(|(at, _)| *at);
            // A piece can be lifted some time after it was touched, but not before.
            let at = match (gripped.map(|touch| touch.from), lifted) {
                (Some(gripped), Some(lifted)) => gripped.min(lifted),
                (gripped, lifted) => gripped.or(lifted).unwrap_or(time.until),
            };
            self.count(at.max(time.since), square, position, true);
            if let Some(piece) = position.piece_at(square) {
                self.contacts.touch(at.max(time.since), square, piece);
            }
        }
        self
    }

    fn count(&mut self, at: u64, square: Square, position: &Position, is_lift: bool) {
        let Some(piece) = position.piece_at(square) else { return };
        let is_first = self.touches.touched(position.turn()).iter().all(|touch| touch.square != square);
        self.touches.touch(at, square, piece);
        if is_first && is_lift {
            self.lifted.add(square);
        }
    }
}
