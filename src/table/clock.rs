//! The chess clock of one table: which half belongs to whom, and when the lever was pressed.

use super::clock_filter::{ACCEPT_TIMEOUT, ClockFilter};
use crate::boards::{ClockHalf, ClockReading, Millis};
use crate::game::event::{ClockTimes, Rotation};
use crate::game::{ClockTime, Event};
use shakmaty::{ByColor, Color};

/// Delay before the clock is read again after a reading that was not trusted, in milliseconds. Each later delay is this value
/// times the number of requests already made.
const REQUEST_DELAY: Millis = 400;
/// Maximum number of such requests in a row.
const MAX_REQUESTS: u32 = 8;

/// The last state of the clock, and how it is oriented.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    reading: Option<(Millis, ClockReading)>,
    /// Set by configuration; then play does not change `side`.
    is_side_fixed: bool,
    /// Upright: the left half is White's when the board is upright.
    side: Rotation,
    /// The clock has run since the game began.
    has_run: bool,
    /// Decides which of the clock's messages are trusted.
    filter: ClockFilter,
    /// When the clock must be read again, and the number of such requests since a reading was last trusted.
    request_at: Option<Millis>,
    requests: u32,
    /// The time of the first reading that reported no clock.
    gone_since: Option<Millis>,
    /// The clock was set: what it would show otherwise, until that is published.
    set_from: Option<ClockReading>,
    /// What the clock showed last before a restart: the orientation that fits better is assumed.
    expected: Option<ClockTimes>,
}

/// A press of the lever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Press {
    /// Whose move the press completed.
    pub by: Color,
    /// When it was reported.
    pub at: Millis,
    /// Whether the clock was running before: otherwise it was set, or started.
    pub ran: bool,
    /// Whether the press added time for its player: an increment.
    pub gained: bool,
    /// Both times in the first reading after the press.
    pub clocks: ClockTimes,
}

impl Press {
    /// Returns the same press with the sides of the clock swapped.
    pub(super) fn swapped(self) -> Press {
        let ClockTimes { white, black } = self.clocks;
        Press { by: !self.by, clocks: ClockTimes { white: black, black: white }, ..self }
    }
}

impl Clock {
    /// Creates a clock without a reading.
    pub(super) fn new(side: Option<Rotation>) -> Clock {
        Clock {
            reading: None,
            is_side_fixed: side.is_some(),
            side: side.unwrap_or(Rotation::Upright),
            has_run: false,
            filter: ClockFilter::default(),
            request_at: None,
            requests: 0,
            gone_since: None,
            set_from: None,
            expected: None,
        }
    }

    /// Begins a game.
    pub(super) fn begin_game(&mut self) {
        self.has_run = self.is_running();
    }

    /// Continues a game in which the clock last showed these times.
    pub(super) fn resume_game(&mut self, clocks: ClockTimes) {
        self.has_run = true;
        self.expected = Some(clocks);
    }

    /// Whether there is a clock that was started in this game. Without one, replies complete moves.
    pub(super) fn is_in_use(&self) -> bool {
        self.reading.is_some() && self.has_run
    }

    /// Whether the clock has run in this game.
    pub(super) fn has_run(&self) -> bool {
        self.has_run
    }

    /// Whether a clock is connected.
    pub(super) fn is_connected(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether the clock is running now.
    pub(super) fn is_running(&self) -> bool {
        self.reading.is_some_and(|(_, reading)| reading.running)
    }

    /// Whether the clock was stopped after it had run in this game. A clock with a fallen flag does not count as stopped: play may
    /// go on until the flag is noticed.
    pub(super) fn is_stopped(&self) -> bool {
        let is_halted = |reading: ClockReading| !reading.running && !self.filter.shows_flag();
        self.has_run && self.reading.is_some_and(|(_, reading)| is_halted(reading))
    }

    /// Whether either player has less than `ms` milliseconds.
    pub(super) fn is_low(&self, ms: u32) -> bool {
        self.is_in_use() && self.reading.is_some_and(|(_, reading)| reading.left.ms < ms || reading.right.ms < ms)
    }

    /// Processes a reading. Returns a press if the lever was moved while the clock runs. `in_play`: the game in which the clock ran
    /// is not over.
    pub(super) fn read(&mut self, now: Millis, reading: Option<ClockReading>, in_play: bool, board: Rotation) -> Option<Press> {
        let reading = match reading {
            Some(reading) => {
                let trusted = self.filter.read(now, reading, in_play && self.has_run);
                self.set_from = trusted.set_from;
                self.gone_since = None;
                self.schedule_request(now, 1);
                Some(trusted.reading)
            }
            None if in_play && self.has_run && self.reading.is_some() && self.gone_since.is_none() => {
                self.gone_since = Some(now);
                self.schedule_request(now, 1);
                return None;
            }
            None => {
                self.forget();
                None
            }
        };
        let before = std::mem::replace(&mut self.reading, reading.map(|reading| (now, reading)));
        let reading = reading?;
        if let Some(expected) = self.expected.take() {
            let ClockTimes { white, black } = self.times(now, board);
            if distance(ClockTimes { white: black, black: white }, expected) < distance(ClockTimes { white, black }, expected) {
                self.flip_side();
            }
        }
        self.has_run |= reading.running;
        let (_, before) = before?;
        let time_left = |reading: &ClockReading| match before.turn {
            ClockHalf::Left => reading.left.ms,
            ClockHalf::Right => reading.right.ms,
        };
        (before.turn != reading.turn && (before.running || reading.running)).then(|| Press {
            by: self.color(before.turn, board),
            at: now,
            ran: before.running,
            gained: before.running && time_left(&reading) > time_left(&before),
            clocks: self.times(now, board),
        })
    }

    /// Returns when a flag last fell or rose: the time of the first reading that showed it.
    pub(super) fn flag_at(&self) -> Millis {
        self.filter.flag_at()
    }

    /// Whether the last reading was not trusted.
    fn is_in_doubt(&self) -> bool {
        self.gone_since.is_some() || self.filter.is_in_doubt()
    }

    /// Whether the times continue from earlier readings than the last.
    pub(super) fn holds_times(&self) -> bool {
        self.filter.holds_times()
    }

    /// Returns when the clock must be read again.
    pub(super) fn request_deadline(&self) -> Option<Millis> {
        self.request_at
    }

    /// Records that a reading was requested at this time.
    pub(super) fn note_request(&mut self, now: Millis) {
        self.requests += 1;
        self.schedule_request(now, self.requests.into());
    }

    /// While a reading is in doubt, schedules the next request after `pauses` times the usual delay.
    fn schedule_request(&mut self, now: Millis, pauses: Millis) {
        let in_doubt = self.is_in_doubt();
        if !in_doubt {
            self.requests = 0;
        }
        self.request_at = (in_doubt && self.requests < MAX_REQUESTS).then_some(now + pauses * REQUEST_DELAY);
    }

    /// Records that the link was lost or renewed.
    pub(super) fn begin_gap(&mut self) {
        self.filter.begin_gap();
        (self.gone_since, self.request_at, self.requests) = (None, None, 0);
    }

    /// Returns when a flag shown by only one reading, or the absence of the clock, is accepted.
    pub(super) fn deadline(&self) -> Option<Millis> {
        let unplugged_at = self.gone_since.map(|since| since + ACCEPT_TIMEOUT);
        unplugged_at.into_iter().chain(self.filter.deadline()).min()
    }

    /// Forgets the state of a clock that is no longer there.
    fn forget(&mut self) {
        (self.gone_since, self.request_at, self.requests) = (None, None, 0);
        self.filter.forget();
    }

    /// Accepts what is due at `deadline`.
    pub(super) fn advance(&mut self, now: Millis) {
        if self.gone_since.is_some_and(|since| since + ACCEPT_TIMEOUT <= now) {
            self.forget();
            self.reading = None;
        }
        if let (Some(trusted), Some((_, reading))) = (self.filter.advance(now), &mut self.reading) {
            (reading.left.flag, reading.right.flag) = (trusted.left.flag, trusted.right.flag);
        }
    }

    /// Returns what the clock would show otherwise, if it was set in the last reading.
    pub(super) fn set_from(&mut self, now: Millis, board: Rotation) -> Option<ClockTimes> {
        let previous = self.set_from.take()?;
        Some(self.times_of(now, now, &previous, board))
    }

    /// Turns the assumed orientation of the clock, as play showed. Returns false and does nothing when the configuration sets it.
    pub(super) fn flip_side(&mut self) -> bool {
        if !self.is_side_fixed {
            self.side = self.side.other();
        }
        !self.is_side_fixed
    }

    /// Returns whose half this is, on a board with this orientation.
    pub(super) fn color(&self, half: ClockHalf, board: Rotation) -> Color {
        let white = if self.side == board { ClockHalf::Left } else { ClockHalf::Right };
        Color::from_white(half == white)
    }

    /// Returns both times, with their age.
    pub(super) fn times(&self, now: Millis, board: Rotation) -> ClockTimes {
        let Some((at, reading)) = self.reading else { return ClockTimes::default() };
        self.times_of(now, at, &reading, board)
    }

    fn times_of(&self, now: Millis, at: Millis, reading: &ClockReading, board: Rotation) -> ClockTimes {
        let age_ms = u32::try_from(now.saturating_sub(at)).unwrap_or(u32::MAX);
        let time = |ms| Some(ClockTime { ms, resolution_ms: reading.resolution_ms, age_ms });
        let (left, right) = (time(reading.left.ms), time(reading.right.ms));
        match self.color(ClockHalf::Left, board) {
            Color::White => ClockTimes { white: left, black: right },
            Color::Black => ClockTimes { white: right, black: left },
        }
    }

    /// Returns the event for the clock's state; `None` without a clock.
    pub(super) fn event(&self, now: Millis, board: Rotation) -> Option<Event> {
        let (_, reading) = self.reading?;
        let (left, right) = (reading.left.flag, reading.right.flag);
        let flags = match self.color(ClockHalf::Left, board) {
            Color::White => ByColor { white: left, black: right },
            Color::Black => ByColor { white: right, black: left },
        };
        Some(Event::Clock {
            clocks: self.times(now, board),
            turn: self.color(reading.turn, board),
            running: reading.running,
            flags,
            battery_low: reading.battery_low,
        })
    }

    /// Returns the event for a clock that was unplugged.
    pub(super) fn unplugged_event(&self) -> Event {
        let flags = ByColor { white: false, black: false };
        Event::Clock { clocks: ClockTimes::default(), turn: Color::White, running: false, flags, battery_low: false }
    }
}

/// Returns the difference between two readings, in milliseconds, summed over both halves.
fn distance(one: ClockTimes, other: ClockTimes) -> u64 {
    let difference = |one: Option<ClockTime>, other: Option<ClockTime>| {
        one.zip(other).map_or(0, |(one, other)| u64::from(one.ms.abs_diff(other.ms)))
    };
    difference(one.white, other.white) + difference(one.black, other.black)
}
