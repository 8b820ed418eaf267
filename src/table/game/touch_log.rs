//! The touches that a board reported, on boards that sense hands.

use crate::boards::{Millis, SquareState, Touch};
use crate::game::{PlayedMove, Sighting, TouchSighting};
use crate::laws::touch::SensedTouch;
use shakmaty::Square;
use std::collections::VecDeque;

/// Number of ended touches that are kept.
const MAX_TOUCHES: usize = 64;
/// Maximum time by which the squares are reported earlier or later than the touches, in milliseconds.
const REPORT_LAG: Millis = 250;

/// The touches that were reported, in the game's coordinates.
#[derive(Clone, Default)]
pub(super) struct TouchLog {
    /// The touches that have ended, ordered by their end.
    ended: VecDeque<EndedTouch>,
    /// The squares that are touched now, with the times at which that began.
    current: Vec<(Square, Millis)>,
    /// Whether the board has reported a touch in this game.
    senses_hands: bool,
    /// Touches that ended up to this time may have been dropped.
    dropped_until: Millis,
}

#[derive(Clone, Copy)]
struct EndedTouch {
    sighting: TouchSighting,
    is_single: bool,
}

impl TouchLog {
    /// Processes what the board reports. It reports only the end of all touches. Returns how long the touch lasted that has ended, if
    /// it was one of a single square, in milliseconds.
    pub(super) fn update(&mut self, now: Millis, touch: Touch) -> Option<Millis> {
        self.senses_hands = true;
        match touch {
            Touch::Begin { square, .. } => {
                if self.current.iter().all(|(touched, _)| *touched != square) {
                    self.current.push((square, now));
                }
                None
            }
            Touch::End => {
                let is_single = self.current.len() == 1;
                let began = self.current.first().map(|(_, at)| *at);
                for (square, at) in std::mem::take(&mut self.current) {
                    if self.ended.len() == MAX_TOUCHES
                        && let Some(dropped) = self.ended.pop_front()
                    {
                        self.dropped_until = self.dropped_until.max(dropped.sighting.until);
                    }
                    self.ended.push_back(EndedTouch { sighting: TouchSighting { at, until: now, square }, is_single });
                }
                began.filter(|_| is_single).map(|at| now.saturating_sub(at))
            }
        }
    }

    /// Forgets the touches that have not ended: the board is not read.
    pub(super) fn begin_gap(&mut self) {
        self.current.clear();
    }

    /// Returns the touches that had not ended at `since` and began up to `until`, ordered by their beginning. `seen`: the changes of
    /// the squares in that time. `None` if the board does not sense hands, or if some of these touches are no longer known.
    pub(super) fn between(&self, since: Millis, until: Millis, seen: &[Sighting]) -> Option<Vec<SensedTouch>> {
        if !self.senses_hands || self.dropped_until > since {
            return None;
        }
        let is_single = self.current.len() == 1;
        let ended = self
            .ended
            .iter()
            .map(|ended| (ended.sighting.square, ended.sighting.at, Some(ended.sighting.until), ended.is_single));
        let current = self.current.iter().map(|&(square, at)| (square, at, None, is_single));
        let mut touches: Vec<SensedTouch> = ended
            .chain(current)
            .filter(|(_, at, end, _)| *at <= until && end.is_none_or(|end| end > since))
            .map(|(square, at, end, is_single)| sensed_touch(square, at, end, is_single, seen))
            .collect();
        touches.sort_by_key(|touch| touch.from);
        Some(touches)
    }

    /// Returns the last touches that ended after `since` and began up to `until`, as many as an alert contains.
    pub(super) fn seen_between(&self, since: Millis, until: Millis) -> Vec<TouchSighting> {
        let within = |touch: &TouchSighting| touch.until > since && touch.at <= until;
        let mut touches: Vec<TouchSighting> = self.ended.iter().map(|ended| ended.sighting).filter(within).collect();
        touches.sort_by_key(|touch| touch.at);
        touches.split_off(touches.len().saturating_sub(PlayedMove::EVIDENCE))
    }
}

/// Returns a touch with what its square showed meanwhile. If the piece was lifted, the touch lasts until it is back.
fn sensed_touch(square: Square, from: Millis, end: Option<Millis>, is_single: bool, seen: &[Sighting]) -> SensedTouch {
    let mut of_square = seen.iter().filter(|seen| seen.square == square && seen.at + REPORT_LAG >= from);
    let lifted = of_square
        .by_ref()
        .find(|seen| seen.now == SquareState::Empty)
        .filter(|lifted| end.is_none_or(|end| lifted.at <= end + REPORT_LAG));
    let until = match (end, lifted) {
        (Some(end), Some(_)) => of_square.next().map(|returned| returned.at.max(end)),
        (end, _) => end,
    };
    SensedTouch { square, from, until, is_single, is_lift: lifted.is_some() }
}
