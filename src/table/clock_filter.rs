//! What a clock's messages can be believed. They have no checksum: a damaged one shows any time, or a flag that has not fallen.
//!
//! During play a clock runs or gains an increment. A reading that does something else is held back until three in a row go on from
//! it over at least a second: then its next period has begun, or somebody has set the clock. Until then the times go on from the
//! last that were believed. A flag changes when two readings in a row say so. The first reading after a gap is in doubt until the next
//! confirms it. A clock may say nothing more once it stands: whatever is in doubt is requested again, and if no reading comes for
//! 1.5 s, a flag is believed all the same.

use crate::boards::{ClockHalf, ClockReading, HalfTime, Millis};

/// So many readings in a row have to agree on times that do not go on from those before.
const AGREE: u32 = 3;
/// Over at least so long, in milliseconds.
const AGREE_FOR: Millis = 1_000;
/// A flag that only one reading shows is believed after so long, in milliseconds, and that there is no clock: clocks that run are told
/// every second.
pub const UNCONTRADICTED: Millis = 1_500;
/// Readings come so late, and clocks run so unevenly, in milliseconds.
const SLACK: u64 = 2_000;
/// The largest increment, with what a reading is late, in milliseconds.
const INCREMENT: u64 = 65_000;
/// An increment comes so long after the press at most, in milliseconds.
const INCREMENT_LATE: Millis = 3_000;
/// Periods are multiples of this, in milliseconds.
const PERIOD: u64 = 300_000;

/// What is believed of one clock.
#[derive(Clone, Debug, Default)]
pub struct ClockFilter {
    believed: Option<(Millis, ClockReading)>,
    /// That was the first reading in a while, and no other has confirmed it.
    is_unconfirmed: bool,
    held: Option<Held>,
    /// The half that was pressed last, and when.
    pressed: Option<(Millis, ClockHalf)>,
    flags: [Flag; 2],
}

/// Times that do not go on from those before.
#[derive(Clone, Copy, Debug)]
struct Held {
    since: Millis,
    last: (Millis, ClockReading),
    count: u32,
    /// The next period, which nobody sets.
    is_period: bool,
}

/// What became of a clock from one reading to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Course {
    /// It runs, stands, or has gained an increment.
    Goes,
    /// The next period has begun.
    Period,
    /// Somebody has set it, or the message is damaged.
    Set,
}

/// One half's flag.
#[derive(Clone, Copy, Debug, Default)]
struct Flag {
    down: bool,
    /// The first reading that said so.
    since: Millis,
    /// The first reading that said otherwise.
    doubted_at: Option<Millis>,
}

/// What is believed of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Believed {
    /// The lever and whether it runs are always the reading's own.
    pub reading: ClockReading,
    /// The clock was set: what it would show otherwise.
    pub set_from: Option<ClockReading>,
}

impl ClockFilter {
    /// Takes a reading. `in_play`: the clock has run in a game that is not over; otherwise anybody may set it, and it is believed.
    pub fn read(&mut self, now: Millis, reading: ClockReading, in_play: bool) -> Believed {
        let Some((at, before)) = self.believed.filter(|_| in_play) else {
            self.held = None;
            self.is_unconfirmed = in_play;
            // In play a flag that has fallen needs a second reading.
            self.flags = [reading.left.flag, reading.right.flag].map(|down| match in_play && down {
                true => Flag { down: false, since: now, doubted_at: Some(now) },
                false => Flag { down, since: now, doubted_at: None },
            });
            let mut believed = reading;
            (believed.left.flag, believed.right.flag) = (self.flags[0].down, self.flags[1].down);
            self.believed = Some((now, believed));
            return Believed { reading: believed, set_from: None };
        };
        if before.turn != reading.turn {
            self.pressed = Some((now, before.turn));
        }
        let expected = goes_on(&before, now.saturating_sub(at), &reading);
        let mut course = self.course((at, &before), (now, &reading));
        if self.is_unconfirmed {
            // If the two differ, this one is the first.
            self.is_unconfirmed = course != Course::Goes;
            course = Course::Goes;
        }
        let set = course != Course::Goes && !self.is_agreed(now, &reading, course);
        let mut believed = if set { expected } else { reading };
        let was_set = self.held.is_some_and(|held| held.count >= AGREE && !held.is_period);
        if !set {
            self.held = None;
        }
        for (flag, down) in self.flags.iter_mut().zip([reading.left.flag, reading.right.flag]) {
            flag.read(now, down);
        }
        (believed.left.flag, believed.right.flag) = (self.flags[0].down, self.flags[1].down);
        self.believed = Some((now, believed));
        Believed { reading: believed, set_from: (was_set && !set).then_some(expected) }
    }

    /// Nobody has listened for a while: the next reading need not go on from the last.
    pub fn lose_sight(&mut self) {
        self.is_unconfirmed = self.believed.is_some();
        self.held = None;
    }

    /// There is no clock any more.
    pub fn forget(&mut self) {
        *self = ClockFilter::default();
    }

    /// Whether the last reading was not believed, or its flags not.
    pub fn doubts(&self) -> bool {
        self.is_unconfirmed || self.held.is_some() || self.flags.iter().any(|flag| flag.doubted_at.is_some())
    }

    /// Whether the times go on from earlier ones, because those of the last reading were not believed.
    pub fn holds_times(&self) -> bool {
        self.held.is_some()
    }

    /// Whether a flag has fallen, or may have.
    pub fn shows_flag(&self) -> bool {
        self.flags.iter().any(|flag| flag.down != flag.doubted_at.is_some())
    }

    /// When a flag last fell or rose: the time of the first reading that showed it.
    pub fn flag_at(&self) -> Millis {
        self.flags.iter().map(|flag| flag.since).max().unwrap_or_default()
    }

    /// When a flag is believed that only one reading has shown.
    pub fn deadline(&self) -> Option<Millis> {
        self.flags.iter().filter_map(|flag| flag.doubted_at).min().map(|at| at + UNCONTRADICTED)
    }

    /// That time has come: the last reading, with the flags as they are believed now.
    pub fn advance(&mut self, now: Millis) -> Option<ClockReading> {
        for flag in &mut self.flags {
            if flag.doubted_at.is_some_and(|at| at + UNCONTRADICTED <= now) {
                flag.read(now, !flag.down);
            }
        }
        let (_, believed) = self.believed.as_mut()?;
        (believed.left.flag, believed.right.flag) = (self.flags[0].down, self.flags[1].down);
        Some(*believed)
    }

    /// How a clock that showed the one comes to show the other.
    fn course(&self, (before, old): (Millis, &ClockReading), (now, new): (Millis, &ClockReading)) -> Course {
        let elapsed = now.saturating_sub(before);
        let runs = old.running || new.running;
        let step = u64::from(old.resolution_ms.max(new.resolution_ms));
        let course = |half| {
            let (was, is) = (u64::from(time(old, half).ms), u64::from(time(new, half).ms));
            let lost = was.saturating_sub(is);
            let gained = is.saturating_sub(was);
            let pressed = self.pressed.is_some_and(|(at, pressed)| pressed == half && now <= at + INCREMENT_LATE);
            let ran_out = was <= elapsed + SLACK;
            let goes = match runs {
                true if gained > SLACK => pressed && gained <= INCREMENT,
                true => lost <= elapsed + SLACK,
                false => gained.max(lost) <= step,
            };
            match goes {
                true => Course::Goes,
                false if runs && gained > SLACK && (ran_out || pressed && gained % PERIOD <= INCREMENT) => Course::Period,
                false => Course::Set,
            }
        };
        course(ClockHalf::Left).max(course(ClockHalf::Right))
    }

    /// Whether enough readings have gone on from times that were not believed at once, this one among them.
    fn is_agreed(&mut self, now: Millis, reading: &ClockReading, course: Course) -> bool {
        let goes_on = |held: &Held| self.course((held.last.0, &held.last.1), (now, reading)) == Course::Goes;
        let held = match self.held.filter(goes_on) {
            Some(held) => Held { last: (now, *reading), count: held.count + 1, ..held },
            None => {
                // A damaged reading between two right ones makes no setting of it.
                let is_period = course == Course::Period || self.held.is_some_and(|held| held.is_period);
                Held { since: now, last: (now, *reading), count: 1, is_period }
            }
        };
        self.held = Some(held);
        held.count >= AGREE && now >= held.since + AGREE_FOR
    }
}

impl Flag {
    fn read(&mut self, now: Millis, down: bool) {
        match self.doubted_at {
            _ if down == self.down => self.doubted_at = None,
            None => self.doubted_at = Some(now),
            Some(since) => *self = Flag { down, since, doubted_at: None },
        }
    }
}

/// What the clock would show now, with the lever and the rest as this reading has them.
fn goes_on(old: &ClockReading, elapsed: Millis, reading: &ClockReading) -> ClockReading {
    let half = |half: ClockHalf| {
        let HalfTime { ms, flag } = time(old, half);
        let ran = if old.running && old.turn == half { u32::try_from(elapsed).unwrap_or(u32::MAX) } else { 0 };
        HalfTime { ms: ms.saturating_sub(ran), flag }
    };
    ClockReading { left: half(ClockHalf::Left), right: half(ClockHalf::Right), ..*reading }
}

fn time(reading: &ClockReading, half: ClockHalf) -> HalfTime {
    match half {
        ClockHalf::Left => reading.left,
        ClockHalf::Right => reading.right,
    }
}
