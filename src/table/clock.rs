//! The chess clock of one table: whose half is whose, and when the lever was pressed.

use super::clock_filter::{ClockFilter, UNCONTRADICTED};
use crate::boards::{ClockHalf, ClockReading, Millis};
use crate::game::event::{ClockTimes, Rotation};
use crate::game::{ClockTime, Event};
use shakmaty::{ByColor, Color};

/// The clock is read again this long after a reading that was not believed, and after twice as long and so on if that brings nothing, in
/// milliseconds.
const ASK_AGAIN: Millis = 400;
/// The limit of such requests in a row.
const ASKS: u32 = 8;

/// What the clock last said, and how it stands.
#[derive(Clone, Debug)]
pub struct Clock {
    reading: Option<(Millis, ClockReading)>,
    /// Set by configuration; then play does not change it.
    fixed: bool,
    /// Upright: its left half is White's when the board is upright.
    side: Rotation,
    /// It ran since the game began.
    ran: bool,
    /// What can be believed of its messages.
    filter: ClockFilter,
    /// When it is to be read again, and how many times it was since a reading was last believed.
    ask_at: Option<Millis>,
    asks: u32,
    /// The first reading that said that there is none.
    gone_since: Option<Millis>,
    /// Somebody set it: what it would show otherwise, until that is told.
    set_from: Option<ClockReading>,
    /// What it showed when it was last seen, before a restart: the side that fits better is how it stands.
    expected: Option<ClockTimes>,
}

/// The lever went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// Whose move was completed by it.
    pub by: Color,
    /// When it was told.
    pub at: Millis,
    /// Whether the clock ran until then: otherwise it was set, or started.
    pub ran: bool,
    /// Whether it gave its player time: an increment.
    pub gained: bool,
    /// Both times in the first reading after it.
    pub clocks: ClockTimes,
}

impl Clock {
    /// No reading yet.
    pub fn new(side: Option<Rotation>) -> Clock {
        Clock {
            reading: None,
            fixed: side.is_some(),
            side: side.unwrap_or(Rotation::Upright),
            ran: false,
            filter: ClockFilter::default(),
            ask_at: None,
            asks: 0,
            gone_since: None,
            set_from: None,
            expected: None,
        }
    }

    /// A game begins.
    pub fn begin_game(&mut self) {
        self.ran = self.is_running();
    }

    /// A game goes on in which the clock last showed this.
    pub fn expect(&mut self, clocks: ClockTimes) {
        self.ran = true;
        self.expected = Some(clocks);
    }

    /// Whether there is a clock that was started in this game: without one, replies complete moves.
    pub fn counts(&self) -> bool {
        self.reading.is_some() && self.ran
    }

    /// Whether it ran in this game.
    pub fn has_run(&self) -> bool {
        self.ran
    }

    /// Whether there is one.
    pub fn is_connected(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether it runs now.
    pub fn is_running(&self) -> bool {
        self.reading.is_some_and(|(_, reading)| reading.running)
    }

    /// Whether it was stopped, after it ran in this game. With a flag down it was not: play may go on until somebody sees that.
    pub fn is_stopped(&self) -> bool {
        let still = |reading: ClockReading| !reading.running && !self.filter.shows_flag();
        self.ran && self.reading.is_some_and(|(_, reading)| still(reading))
    }

    /// Whether either player has less than this, in milliseconds.
    pub fn is_low(&self, ms: u32) -> bool {
        self.counts() && self.reading.is_some_and(|(_, reading)| reading.left.ms < ms || reading.right.ms < ms)
    }

    /// Takes a reading; tells of a press if the lever went over while the clock runs. `in_play`: the game that it ran in is not over.
    pub fn read(&mut self, now: Millis, reading: Option<ClockReading>, in_play: bool, board: Rotation) -> Option<Press> {
        let reading = match reading {
            Some(reading) => {
                let believed = self.filter.read(now, reading, in_play && self.ran);
                self.set_from = believed.set_from;
                self.gone_since = None;
                self.ask(now, 1);
                Some(believed.reading)
            }
            None if in_play && self.ran && self.reading.is_some() && self.gone_since.is_none() => {
                self.gone_since = Some(now);
                self.ask(now, 1);
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
                self.turn_round();
            }
        }
        self.ran |= reading.running;
        let (_, before) = before?;
        let left = |reading: &ClockReading| match before.turn {
            ClockHalf::Left => reading.left.ms,
            ClockHalf::Right => reading.right.ms,
        };
        (before.turn != reading.turn && (before.running || reading.running)).then(|| Press {
            by: self.color(before.turn, board),
            at: now,
            ran: before.running,
            gained: before.running && left(&reading) > left(&before),
            clocks: self.times(now, board),
        })
    }

    /// When a flag last fell or rose: the time of the first reading that showed it.
    pub fn flag_at(&self) -> Millis {
        self.filter.flag_at()
    }

    /// Whether the last reading was not believed.
    fn doubts(&self) -> bool {
        self.gone_since.is_some() || self.filter.doubts()
    }

    /// Whether its times go on from earlier readings than the last.
    pub fn holds_times(&self) -> bool {
        self.filter.holds_times()
    }

    /// When it is to be read again.
    pub fn ask_deadline(&self) -> Option<Millis> {
        self.ask_at
    }

    /// It was asked at this time.
    pub fn asked(&mut self, now: Millis) {
        self.asks += 1;
        self.ask(now, self.asks.into());
    }

    /// While there is a doubt, it is read again after so many times the usual pause.
    fn ask(&mut self, now: Millis, pauses: Millis) {
        let doubts = self.doubts();
        if !doubts {
            self.asks = 0;
        }
        self.ask_at = (doubts && self.asks < ASKS).then_some(now + pauses * ASK_AGAIN);
    }

    /// The link is lost, or comes anew.
    pub fn lose_sight(&mut self) {
        self.filter.lose_sight();
        (self.gone_since, self.ask_at, self.asks) = (None, None, 0);
    }

    /// When a flag is believed that only one reading has shown, or that there is no clock.
    pub fn deadline(&self) -> Option<Millis> {
        let gone = self.gone_since.map(|since| since + UNCONTRADICTED);
        gone.into_iter().chain(self.filter.deadline()).min()
    }

    /// There is no clock any more.
    fn forget(&mut self) {
        (self.gone_since, self.ask_at, self.asks) = (None, None, 0);
        self.filter.forget();
    }

    /// That time has come.
    pub fn advance(&mut self, now: Millis) {
        if self.gone_since.is_some_and(|since| since + UNCONTRADICTED <= now) {
            self.forget();
            self.reading = None;
        }
        if let (Some(believed), Some((_, reading))) = (self.filter.advance(now), &mut self.reading) {
            (reading.left.flag, reading.right.flag) = (believed.left.flag, believed.right.flag);
        }
    }

    /// Somebody set it with the last reading: what it would show otherwise.
    pub fn set_from(&mut self, now: Millis, board: Rotation) -> Option<ClockTimes> {
        let was = self.set_from.take()?;
        Some(self.times_of(now, now, &was, board))
    }

    /// Play showed that the clock stands the other way round. Ignored when configuration says how it stands.
    pub fn turn_round(&mut self) -> bool {
        if !self.fixed {
            self.side = self.side.other();
        }
        !self.fixed
    }

    /// Whose half this is, on a board that stands like that.
    pub fn color(&self, half: ClockHalf, board: Rotation) -> Color {
        let white = if self.side == board { ClockHalf::Left } else { ClockHalf::Right };
        Color::from_white(half == white)
    }

    /// Both times, with their age.
    pub fn times(&self, now: Millis, board: Rotation) -> ClockTimes {
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

    /// What to tell of it; nothing without a clock.
    pub fn event(&self, now: Millis, board: Rotation) -> Option<Event> {
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

    /// What to tell when the clock was unplugged.
    pub fn unplugged(&self) -> Event {
        let flags = ByColor { white: false, black: false };
        Event::Clock { clocks: ClockTimes::default(), turn: Color::White, running: false, flags, battery_low: false }
    }
}

/// How far apart two readings are, in milliseconds over both halves.
fn distance(one: ClockTimes, other: ClockTimes) -> u64 {
    let apart = |one: Option<ClockTime>, other: Option<ClockTime>| {
        one.zip(other).map_or(0, |(one, other)| u64::from(one.ms.abs_diff(other.ms)))
    };
    apart(one.white, other.white) + apart(one.black, other.black)
}
