//! What one board says, as it says it: for lines that are followed beside its game.

use crate::boards::{ClockReading, Placement, Reading};
use crate::table::{Input, Settings};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::broadcast;

/// A listener may be this many readings behind before it has to begin with the whole board again.
const BACKLOG: usize = 128;

/// The readings of one board. Its link tells them; listeners get every one from the moment on at which they begin to listen.
///
/// Squares are in the board's own coordinates, with the polarity of its sensors applied.
#[derive(Debug)]
pub struct Readings {
    settings: Settings,
    last: Mutex<Last>,
    feed: broadcast::Sender<(Instant, Input)>,
}

/// What a board said last.
#[derive(Clone, Debug, Default)]
struct Last {
    squares: Option<Placement>,
    clock: Option<ClockReading>,
}

/// What a listener gets.
pub struct Listening {
    /// What the board said last, as readings, to begin with.
    pub first: Vec<Input>,
    /// Every reading after that, with the time at which it came.
    pub feed: broadcast::Receiver<(Instant, Input)>,
}

impl Readings {
    /// A board that has said nothing yet. `settings`: how its own game is followed.
    pub fn new(settings: Settings) -> Readings {
        Readings { settings, last: Mutex::default(), feed: broadcast::Sender::new(BACKLOG) }
    }

    /// How the board's own game is followed.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many listen.
    pub fn listeners(&self) -> usize {
        self.feed.receiver_count()
    }

    /// Everything from now on.
    pub fn listen(&self) -> Listening {
        let last = self.lock();
        let squares = last.squares.map(|squares| Reading::Placement(Box::new(squares)));
        let clock = last.clock.map(|clock| Reading::Clock(Some(clock)));
        let first = clock.into_iter().chain(squares).map(Input::Reading).collect();
        Listening { first, feed: self.feed.subscribe() }
    }

    /// The board's own table has taken this input, and its squares show this now.
    pub(in crate::daemon) fn tell(&self, at: Instant, input: &Input, squares: Option<&Placement>) {
        let mut last = self.lock();
        let before = last.squares;
        match input {
            Input::Link(_) => *last = Last::default(),
            Input::Reading(Reading::Clock(clock)) => last.clock = *clock,
            Input::Reading(Reading::Placement(_) | Reading::Square(..)) => match squares {
                Some(squares) => last.squares = Some(*squares),
                None => return,
            },
            Input::Reading(_) | Input::Order(_) => return,
        }
        // Nobody listens most of the time.
        if self.listeners() == 0 {
            return;
        }
        let told = match (input, &last.squares) {
            (Input::Reading(Reading::Placement(_) | Reading::Square(..)), Some(now)) => {
                change(before.as_ref(), now, input).map(Input::Reading)
            }
            _ => Some(input.clone()),
        };
        if let Some(told) = told {
            let _ = self.feed.send((at, told));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What changed, as a reading of the same sort; `None`: nothing.
fn change(before: Option<&Placement>, now: &Placement, input: &Input) -> Option<Reading> {
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
