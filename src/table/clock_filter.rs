//! Decides which messages of a clock are trusted. They have no checksum: a damaged one can show any time, or a flag that has not
//! fallen.
//!
//! During play a clock runs or gains an increment. A reading that shows anything else is held back until three readings in a row,
//! over at least a second, continue from it: then the next period has begun, or the clock was set. Until then the times continue
//! from the last trusted ones. A flag changes when two readings in a row say so. The first reading after a gap is in doubt until
//! the next one confirms it. A clock may send nothing more once it stands still: whatever is in doubt is requested again, and if no
//! reading comes for 1.5 s, a flag is accepted.

use crate::boards::{ClockHalf, ClockReading, HalfTime, Millis};

/// Number of consecutive readings that must agree on times that do not continue from earlier ones.
const MIN_AGREEING_READINGS: u32 = 3;
/// Minimum time between the first and the last of them, in milliseconds.
const MIN_AGREEMENT_TIME: Millis = 1_000;
/// Time after which a flag that only one reading shows is accepted, and also that there is no clock, in milliseconds: running
/// clocks report every second.
pub const ACCEPT_TIMEOUT: Millis = 1_500;
/// How late readings may come, together with how unevenly clocks run, in milliseconds.
const SLACK: u64 = 2_000;
/// The largest increment, including the delay of a reading, in milliseconds.
const MAX_INCREMENT: u64 = 65_000;
/// The longest time from a press to its increment, in milliseconds.
const MAX_INCREMENT_DELAY: Millis = 3_000;
/// Periods are multiples of this, in milliseconds.
const PERIOD: u64 = 300_000;

/// The trusted state of one clock.
#[derive(Clone, Debug, Default)]
pub struct ClockFilter {
    trusted: Option<(Millis, ClockReading)>,
    /// That was the first reading in a while, and no other has confirmed it.
    is_unconfirmed: bool,
    held: Option<HeldTimes>,
    /// The half that was pressed last, and when.
    pressed: Option<(Millis, ClockHalf)>,
    flags: [Flag; 2],
}

/// Times that do not continue from earlier ones.
#[derive(Clone, Copy, Debug)]
struct HeldTimes {
    since: Millis,
    last: (Millis, ClockReading),
    count: u32,
    /// The next period has begun; nobody set the clock.
    is_period: bool,
}

/// How a clock got from one reading to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ClockTransition {
    /// It runs, stands still, or has gained an increment.
    Continues,
    /// The next period has begun.
    Period,
    /// It was set, or the message is damaged.
    Set,
}

/// One half's flag.
#[derive(Clone, Copy, Debug, Default)]
struct Flag {
    down: bool,
    /// The first reading that showed this state.
    since: Millis,
    /// The first reading that showed the other state.
    doubted_at: Option<Millis>,
}

/// The trusted part of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedReading {
    /// The lever and the running state are always those of the reading.
    pub reading: ClockReading,
    /// The clock was set: what it would show otherwise.
    pub set_from: Option<ClockReading>,
}

impl ClockFilter {
    /// Processes a reading. `in_play`: the clock has run in a game that is not over; otherwise anyone may set it, and the reading
    /// is trusted.
    pub fn read(&mut self, now: Millis, reading: ClockReading, in_play: bool) -> TrustedReading {
        let Some((at, before)) = self.trusted.filter(|_| in_play) else {
            self.held = None;
            self.is_unconfirmed = in_play;
            // During play a fallen flag needs a second reading.
            self.flags = [reading.left.flag, reading.right.flag].map(|down| match in_play && down {
                true => Flag { down: false, since: now, doubted_at: Some(now) },
                false => Flag { down, since: now, doubted_at: None },
            });
            let mut trusted = reading;
            (trusted.left.flag, trusted.right.flag) = (self.flags[0].down, self.flags[1].down);
            self.trusted = Some((now, trusted));
            return TrustedReading { reading: trusted, set_from: None };
        };
        if before.turn != reading.turn {
            self.pressed = Some((now, before.turn));
        }
        let expected = extrapolate(&before, now.saturating_sub(at), &reading);
        let mut transition = self.transition((at, &before), (now, &reading));
        if self.is_unconfirmed {
            // If the two differ, this reading becomes the first one.
            self.is_unconfirmed = transition != ClockTransition::Continues;
            transition = ClockTransition::Continues;
        }
        let is_set = transition != ClockTransition::Continues && !self.is_agreed(now, &reading, transition);
        let mut trusted = if is_set { expected } else { reading };
        let was_set = self.held.is_some_and(|held| held.count >= MIN_AGREEING_READINGS && !held.is_period);
        if !is_set {
            self.held = None;
        }
        for (flag, down) in self.flags.iter_mut().zip([reading.left.flag, reading.right.flag]) {
            flag.read(now, down);
        }
        (trusted.left.flag, trusted.right.flag) = (self.flags[0].down, self.flags[1].down);
        self.trusted = Some((now, trusted));
        TrustedReading { reading: trusted, set_from: (was_set && !is_set).then_some(expected) }
    }

    /// Records a gap: the next reading need not continue from the last.
    pub fn begin_gap(&mut self) {
        self.is_unconfirmed = self.trusted.is_some();
        self.held = None;
    }

    /// Forgets a clock that is no longer there.
    pub fn forget(&mut self) {
        *self = ClockFilter::default();
    }

    /// Whether the last reading, or one of its flags, was not trusted.
    pub fn is_in_doubt(&self) -> bool {
        self.is_unconfirmed || self.held.is_some() || self.flags.iter().any(|flag| flag.doubted_at.is_some())
    }

    /// Whether the times continue from earlier readings, because those of the last one were not trusted.
    pub fn holds_times(&self) -> bool {
        self.held.is_some()
    }

    /// Whether a flag has fallen, or may have.
    pub fn shows_flag(&self) -> bool {
        self.flags.iter().any(|flag| flag.down != flag.doubted_at.is_some())
    }

    /// Returns when a flag last fell or rose: the time of the first reading that showed it.
    pub fn flag_at(&self) -> Millis {
        self.flags.iter().map(|flag| flag.since).max().unwrap_or_default()
    }

    /// Returns when a flag that only one reading has shown is accepted.
    pub fn deadline(&self) -> Option<Millis> {
        self.flags.iter().filter_map(|flag| flag.doubted_at).min().map(|at| at + ACCEPT_TIMEOUT)
    }

    /// Accepts the flags that are due. Returns the last reading, with the flags that are trusted now.
    pub fn advance(&mut self, now: Millis) -> Option<ClockReading> {
        for flag in &mut self.flags {
            if flag.doubted_at.is_some_and(|at| at + ACCEPT_TIMEOUT <= now) {
                flag.read(now, !flag.down);
            }
        }
        let (_, trusted) = self.trusted.as_mut()?;
        (trusted.left.flag, trusted.right.flag) = (self.flags[0].down, self.flags[1].down);
        Some(*trusted)
    }

    /// Returns how a clock that showed `old` comes to show `new`.
    fn transition(&self, (before, old): (Millis, &ClockReading), (now, new): (Millis, &ClockReading)) -> ClockTransition {
        let elapsed = now.saturating_sub(before);
        let is_running = old.running || new.running;
        let step = u64::from(old.resolution_ms.max(new.resolution_ms));
        let half_transition = |half| {
            let (old_ms, new_ms) = (u64::from(time(old, half).ms), u64::from(time(new, half).ms));
            let lost = old_ms.saturating_sub(new_ms);
            let gained = new_ms.saturating_sub(old_ms);
            let pressed = self.pressed.is_some_and(|(at, pressed)| pressed == half && now <= at + MAX_INCREMENT_DELAY);
            let ran_out = old_ms <= elapsed + SLACK;
            let continues = match is_running {
                true if gained > SLACK => pressed && gained <= MAX_INCREMENT,
                true => lost <= elapsed + SLACK,
                false => gained.max(lost) <= step,
            };
            match continues {
                true => ClockTransition::Continues,
                false if is_running && gained > SLACK && (ran_out || pressed && gained % PERIOD <= MAX_INCREMENT) => {
                    ClockTransition::Period
                }
                false => ClockTransition::Set,
            }
        };
        half_transition(ClockHalf::Left).max(half_transition(ClockHalf::Right))
    }

    /// Whether enough readings, including this one, have continued from times that were not trusted at once.
    fn is_agreed(&mut self, now: Millis, reading: &ClockReading, transition: ClockTransition) -> bool {
        let continues =
            |held: &HeldTimes| self.transition((held.last.0, &held.last.1), (now, reading)) == ClockTransition::Continues;
        let held = match self.held.filter(continues) {
            Some(held) => HeldTimes { last: (now, *reading), count: held.count + 1, ..held },
            None => {
                // A damaged reading in between does not turn a period into a setting.
                let is_period = transition == ClockTransition::Period || self.held.is_some_and(|held| held.is_period);
                HeldTimes { since: now, last: (now, *reading), count: 1, is_period }
            }
        };
        self.held = Some(held);
        held.count >= MIN_AGREEING_READINGS && now >= held.since + MIN_AGREEMENT_TIME
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

/// Returns what the clock would show now, with the lever and the rest from this reading.
fn extrapolate(old: &ClockReading, elapsed: Millis, reading: &ClockReading) -> ClockReading {
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
