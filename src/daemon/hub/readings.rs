//! One board's readings as they arrive, for lines of play that are followed beside its game.

use crate::boards::{ClockReading, Placement, Reading};
use crate::table::{Input, Settings};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::broadcast;

/// Number of readings that a listener may fall behind before it must start again from a complete placement.
const BACKLOG: usize = 128;

/// The readings of one board. Its link task sends them; a listener receives every reading from the moment it subscribes.
///
/// Squares are in the board's own coordinates, with the polarity of its sensors applied.
#[derive(Debug)]
pub struct Readings {
    settings: Settings,
    last: Mutex<LastReported>,
    feed: broadcast::Sender<(Instant, Input)>,
}

/// The last values that a board reported.
#[derive(Clone, Debug, Default)]
struct LastReported {
    squares: Option<Placement>,
    clock: Option<ClockReading>,
}

/// A listener's subscription.
pub struct Subscription {
    /// Last reported values, as readings, to start from.
    pub initial: Vec<Input>,
    /// All later readings, each with its time of arrival.
    pub feed: broadcast::Receiver<(Instant, Input)>,
}

impl Readings {
    /// Creates the readings of a board that has reported nothing yet. `settings`: those with which its own game is followed.
    pub fn new(settings: Settings) -> Readings {
        Readings { settings, last: Mutex::default(), feed: broadcast::Sender::new(BACKLOG) }
    }

    /// Returns the settings with which the board's own game is followed.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of listeners.
    pub fn listeners(&self) -> usize {
        self.feed.receiver_count()
    }

    /// Subscribes to all readings from now on.
    pub fn subscribe(&self) -> Subscription {
        let last = self.lock();
        let squares = last.squares.map(|squares| Reading::Placement(Box::new(squares)));
        let clock = last.clock.map(|clock| Reading::Clock(Some(clock)));
        let initial = clock.into_iter().chain(squares).map(Input::Reading).collect();
        Subscription { initial, feed: self.feed.subscribe() }
    }

    /// Publishes an input that the board's own table has processed. `squares`: the placement after it.
    pub(in crate::daemon) fn publish(&self, at: Instant, input: &Input, squares: Option<&Placement>) {
        let mut last = self.lock();
        let before = last.squares;
        match input {
            Input::Link(_) => *last = LastReported::default(),
            Input::Reading(Reading::Clock(clock)) => last.clock = *clock,
            Input::Reading(Reading::Placement(_) | Reading::Square(..)) => match squares {
                Some(squares) => last.squares = Some(*squares),
                None => return,
            },
            Input::Reading(_) | Input::Order(_) => return,
        }
        // Usually there is no listener.
        if self.listeners() == 0 {
            return;
        }
        let change = match (input, &last.squares) {
            (Input::Reading(Reading::Placement(_) | Reading::Square(..)), Some(now)) => {
                placement_change(before.as_ref(), now, input).map(Input::Reading)
            }
            _ => Some(input.clone()),
        };
        if let Some(change) = change {
            let _ = self.feed.send((at, change));
        }
    }

    fn lock(&self) -> MutexGuard<'_, LastReported> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the change of the placement as a reading of the same kind as `input`; `None` if nothing changed.
fn placement_change(before: Option<&Placement>, now: &Placement, input: &Input) -> Option<Reading> {
    let Some(before) = before else { return Some(Reading::Placement(Box::new(*now))) };
    if before == now {
        return None;
    }
    if let Input::Reading(Reading::Square(square, _)) = input {
        let mut after = *before;
        after[*square as usize] = now[*square as usize];
        if after == *now {
            return Some(Reading::Square(*square, now[*square as usize]));
        }
    }
    Some(Reading::Placement(Box::new(*now)))
}
