//! What a clock's messages can be believed, and what the arbiter is told when somebody sets the clock.

use std::collections::VecDeque;
use touchmove::boards::{Address, ClockHalf, ClockReading, HalfTime, LinkState, Millis, Protocol, Reading, dgt};
use touchmove::game::{Alert, AlertKind, Event, StampedEvent};
use touchmove::laws::Position;
use touchmove::locale::Locale;
use touchmove::simulate::rng::Rng;
use touchmove::table::clock_filter::ClockFilter;
use touchmove::table::{Input, Output, Settings, Table};

/// Both halves in seconds.
pub fn reading(left: u32, right: u32, turn: ClockHalf, running: bool) -> ClockReading {
    let half = |s: u32| HalfTime { ms: s * 1000, flag: false };
    ClockReading { left: half(left), right: half(right), turn, running, battery_low: false, resolution_ms: 1000, age_ms: 1000 }
}

/// Readings a second apart, the first before play, each with what is believed of it: the times of both halves in seconds, and whether
/// it was set.
fn believed(readings: &[(Millis, ClockReading)]) -> Vec<(u32, u32, bool)> {
    let mut filter = ClockFilter::default();
    let mut in_play = false;
    let take = |&(at, reading): &(Millis, ClockReading)| {
        let believed = filter.read(at, reading, std::mem::replace(&mut in_play, true));
        (believed.reading.left.ms / 1000, believed.reading.right.ms / 1000, believed.set_from.is_some())
    };
    readings.iter().map(take).collect()
}

/// Readings one second apart.
fn each_second(readings: &[ClockReading]) -> Vec<(Millis, ClockReading)> {
    (1u64..).map(|second| second * 1_000).zip(readings.iter().copied()).collect()
}

use ClockHalf::{Left, Right};

#[test]
fn a_clock_that_runs_and_gains_is_believed() {
    let readings = each_second(&[
        reading(300, 300, Left, true),
        reading(299, 300, Left, true),
        // A press with an increment of 30 s, one of a minute that comes late, and a clock that was stopped.
        reading(329, 300, Right, true),
        reading(329, 299, Right, true),
        reading(329, 299, Left, true),
        reading(328, 359, Left, true),
        reading(328, 359, Left, false),
    ]);
    let expect: Vec<_> = readings.iter().map(|(_, reading)| (reading.left.ms / 1000, reading.right.ms / 1000, false)).collect();
    assert_eq!(believed(&readings), expect);
}

/// With the fortieth move, or when the time is over: once three readings agree, and nobody has set the clock.
#[test]
fn the_next_period_is_believed_soon() {
    let with_a_move = each_second(&[
        reading(358, 359, Left, true),
        reading(2_188, 359, Right, true),
        reading(2_188, 358, Right, true),
        reading(2_188, 357, Right, true),
    ]);
    let told = believed(&with_a_move);
    assert!(told[1..3].iter().all(|(left, _, set)| *left <= 358 && !set), "{told:?}");
    assert_eq!(told[3], (2_188, 357, false));
    let over = each_second(&[
        reading(1, 300, Left, true),
        reading(0, 300, Left, true),
        reading(900, 300, Left, true),
        reading(899, 300, Left, true),
        reading(898, 300, Left, true),
    ]);
    let left: Vec<_> = believed(&over).into_iter().map(|(left, _, set)| (left, set)).collect();
    assert_eq!(left, [(1, false), (0, false), (0, false), (0, false), (898, false)]);
}

#[test]
fn a_jump_is_held_until_three_readings_agree() {
    let readings = each_second(&[
        reading(5_650, 5_000, Left, true),
        reading(12_093, 5_000, Left, true),
        reading(5_648, 5_000, Left, true),
        reading(5_647, 9, Left, true),
        reading(4_000, 5_000, Left, true),
        reading(5_645, 5_000, Left, true),
    ]);
    let left: Vec<_> = (0..6).map(|second| (5_650 - second, 5_000, false)).collect();
    assert_eq!(believed(&readings), left);
    // A minute that nobody has thought is held back as well.
    let lost: Vec<_> = [300, 250, 298].map(|left| reading(left, 300, Left, true)).to_vec();
    assert_eq!(believed(&each_second(&lost)), [(300, 300, false), (299, 300, false), (298, 300, false)]);
    // Three that agree within less than a second are one.
    let hasty: Vec<_> =
        (0..5).map(|tenth| (1_000 + tenth * 100, reading(if tenth == 0 { 300 } else { 700 }, 300, Left, true))).collect();
    assert!(believed(&hasty).iter().all(|(left, ..)| *left <= 300));
}

/// The arbiter adds two minutes, or puts both times on the right halves.
#[test]
fn a_clock_that_was_set_is_believed_and_told() {
    let cases = [
        [(300, 200), (420, 200), (420, 200), (419, 200)],
        [(300, 200), (200, 300), (199, 300), (198, 300)],
        [(3_600, 200), (1_800, 200), (1_799, 200), (1_798, 200)],
    ];
    for case in cases {
        let stopped = |(left, right)| reading(left, right, Left, false);
        let readings: Vec<_> = case.into_iter().map(stopped).collect();
        let told = believed(&each_second(&readings));
        assert_eq!((told[1], told[2].2), ((case[0].0, case[0].1, false), false), "{case:?}");
        assert_eq!(told[3], (case[3].0, case[3].1, true), "{case:?}");
    }
}

/// Before play anybody sets the clock, and nobody asks.
#[test]
fn a_clock_is_set_before_the_game() {
    let mut filter = ClockFilter::default();
    for (at, left) in [(0, 300), (100, 5_400), (200, 60)] {
        let believed = filter.read(at, reading(left, 300, Left, false), false);
        assert_eq!((believed.reading.left.ms, believed.set_from), (left * 1000, None));
    }
}

#[test]
fn a_flag_needs_two_readings_or_no_contradiction() {
    let flagged = |left| ClockReading { left: HalfTime { ms: 0, flag: left }, ..reading(0, 300, Left, true) };
    let mut filter = ClockFilter::default();
    let mut read = |at, down| filter.read(at, flagged(down), true).reading.left.flag;
    // One of many is damage.
    assert_eq!([read(0, false), read(1_000, true), read(2_000, false), read(3_000, true)], [false; 4]);
    assert!(read(4_000, true));
    // Nor does it rise again with one.
    assert!(filter.read(5_000, flagged(false), true).reading.left.flag);
    assert_eq!(filter.deadline(), Some(6_500));
    assert!(filter.advance(6_500).is_some_and(|reading| !reading.left.flag));
    assert_eq!(filter.deadline(), None);
}

/// A hundredth of the bytes is damaged: no flag falls, and the times stay those of the clock.
#[test]
fn noise_drops_no_flag_and_sets_no_clock() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed, 77);
        let mut filter = ClockFilter::default();
        let mut left = 5_400;
        for second in 0..600u64 {
            left -= 1;
            let mut shown = reading(left, 3_000, Left, true);
            if second > 0 && rng.chance(70) {
                match rng.below(50) {
                    0 => shown.left.flag = true,
                    1..25 => shown.left.ms = rng.below(36_000) as u32 * 1000,
                    _ => shown.right.ms = rng.below(36_000) as u32 * 1000,
                }
            }
            let believed = filter.read(second * 1_000, shown, second > 0);
            if let Some(at) = filter.deadline().filter(|at| *at < second * 1_000 + 1_000) {
                filter.advance(at);
            }
            assert!(!believed.reading.left.flag && believed.set_from.is_none(), "seed {seed}, second {second}");
            assert!(believed.reading.left.ms.abs_diff(left * 1000) <= 4_000, "seed {seed}, second {second}: {believed:?}");
        }
    }
}

/// The arbiter sees both values.
#[test]
fn the_arbiter_is_told_of_both_times() {
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let start = crate::memory::shown(&Position::start());
    table.handle(0, Input::Reading(Reading::Placement(Box::new(start))));
    let mut at = 5_000;
    for (left, right) in [(300, 300), (299, 300), (419, 300), (418, 300), (417, 300)] {
        table.handle(at, Input::Reading(Reading::Clock(Some(reading(left, right, Left, true)))));
        at += 1_000;
    }
    let alerts = &table.record().expect("a game").alerts;
    let alert = alerts.iter().find(|alert| alert.kind == AlertKind::ClockSet).expect("a notice");
    let text = touchmove::locale::sentence(Locale::English, &alert.text);
    assert_eq!(text, "the clock was set: White 0:06:57, Black 0:05:00; it would show 0:04:56 and 0:05:00");
}

/// The flag fell when it was seen for the first time, though that was not believed yet.
#[test]
fn a_flag_fell_when_it_was_first_seen() {
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let start = crate::memory::shown(&Position::start());
    table.handle(0, Input::Reading(Reading::Placement(Box::new(start))));
    let fallen = ClockReading { left: HalfTime { ms: 0, flag: true }, ..reading(0, 300, Left, true) };
    let readings = [reading(2, 300, Left, true), reading(1, 300, Left, true), fallen, fallen];
    let mut told = Vec::new();
    for (at, reading) in (5_000..).step_by(1_000).zip(readings) {
        told.extend(table.handle(at, Input::Reading(Reading::Clock(Some(reading)))).events);
    }
    let is_flag =
        |stamped: &&StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::FlagFall);
    assert_eq!(told.iter().find(is_flag).map(|stamped| stamped.at), Some(7_000));
    assert!(told.is_sorted_by_key(|stamped| stamped.at));
}

/// A DGT board with the start position and a clock, byte by byte.
struct Wire {
    board: Box<dyn Protocol>,
    table: Table,
    now: Millis,
    /// What the clock shows.
    shows: ClockReading,
    /// What the board answers, and when it is there.
    answers: VecDeque<(Millis, Vec<u8>)>,
    told: Vec<StampedEvent>,
    /// How often the clock was asked.
    asked: usize,
    /// Whether answers to that arrive.
    answers_clock: bool,
}

/// Message 8d.
fn message(shows: &ClockReading) -> Vec<u8> {
    let decimal = |number: u32| (number / 10 * 16 + number % 10) as u8;
    let half = |half: HalfTime| {
        let s = half.ms / 1000;
        [(s / 3600) as u8 | if half.flag { 0x10 } else { 0 }, decimal(s / 60 % 60), decimal(s % 60)]
    };
    let turn = if shows.turn == Left { 0x08 } else { 0x12 };
    let status = [turn | u8::from(shows.running)];
    [&[0x8d, 0, 10], &half(shows.right)[..], &half(shows.left), &status].concat()
}

impl Wire {
    fn new(shows: ClockReading) -> Wire {
        let mut board = (dgt::MODEL.protocol)();
        board.link(0, LinkState::Up);
        let (answers, told) = (VecDeque::new(), Vec::new());
        let mut wire =
            Wire { board, table: Table::new(Settings::default()), now: 0, shows, answers, told, asked: 0, answers_clock: true };
        wire.take(|table| table.handle(0, Input::Link(LinkState::Up)));
        wire.run(5_000);
        wire.say(message(&shows));
        wire
    }

    /// The table's turn, and what it asks the board for.
    fn take(&mut self, act: impl FnOnce(&mut Table) -> Output) {
        let output = act(&mut self.table);
        self.told.extend(output.events);
        for cue in output.cues {
            let _ = self.board.execute(self.now, Address::ONLY, cue);
        }
    }

    /// The board sends this.
    fn say(&mut self, bytes: Vec<u8>) {
        self.board.receive(self.now, &bytes);
        while let Some((_, reading)) = self.board.poll_reading() {
            let now = self.now;
            self.take(|table| table.handle(now, Input::Reading(reading)));
        }
    }

    /// The clock shows this from now on, and says so once.
    fn show(&mut self, left: u32, right: u32, running: bool) {
        self.shows = reading(left, right, Left, running);
        self.say(message(&self.shows));
    }

    /// So many milliseconds pass.
    fn run(&mut self, ms: Millis) {
        for now in self.now..self.now + ms {
            self.now = now;
            self.board.timeout(now);
            self.take(|table| table.advance(now));
            while let Some(write) = self.board.poll_write() {
                let at = write.at.max(now) + 20;
                match write.bytes[..] {
                    [0x41] => {
                        self.asked += 1;
                        if self.answers_clock {
                            self.answers.push_back((at, Vec::new()));
                        }
                    }
                    [0x42] => self.answers.push_back((at, crate::boards::bytes(crate::boards::DUMP))),
                    _ => {}
                }
            }
            while let Some((_, bytes)) = self.answers.pop_front_if(|(at, _)| *at <= now) {
                self.say(if bytes.is_empty() { message(&self.shows) } else { bytes });
            }
        }
        self.now += ms.min(1);
    }

    /// The clock runs for so many seconds.
    fn count_down(&mut self, seconds: u32) {
        for _ in 0..seconds {
            self.run(1_000);
            self.show(self.shows.left.ms / 1000 - 1, self.shows.right.ms / 1000, true);
        }
    }

    /// The notices of a clock that was set, and of a flag that fell, with their times.
    fn alerts(&self) -> Vec<(Millis, AlertKind)> {
        let alert = |stamped: &StampedEvent| match &stamped.event {
            Event::AlertRaised(Alert { kind: kind @ (AlertKind::ClockSet | AlertKind::FlagFall), .. }) => {
                Some((stamped.at, *kind))
            }
            _ => None,
        };
        self.told.iter().filter_map(alert).collect()
    }

    /// What the record has the clock at, in seconds.
    fn left(&self) -> Option<u32> {
        self.told.iter().rev().find_map(|stamped| match &stamped.event {
            Event::Clock { clocks, .. } => clocks.white.map(|white| white.ms / 1000),
            _ => None,
        })
    }
}

/// A clock that stands says what it shows once. It is asked again, and believed within two seconds: two minutes more, both times
/// put on the right halves, and a time that is less by half a minute.
#[test]
fn a_clock_that_stands_is_asked_again() {
    for (left, right) in [(418, 300), (300, 298), (268, 300)] {
        let mut wire = Wire::new(reading(300, 300, Left, true));
        wire.count_down(2);
        wire.show(298, 300, false);
        wire.run(3_000);
        assert_eq!(wire.asked, 0);
        let set_at = wire.now;
        wire.show(left, right, false);
        wire.run(300);
        assert_eq!(wire.left(), Some(298), "not yet");
        wire.run(3_000);
        let [(at, AlertKind::ClockSet)] = wire.alerts()[..] else { panic!("{left} {right}: {:?}", wire.alerts()) };
        assert!(at - set_at < 2_000, "{left} {right}: after {} ms", at - set_at);
        assert!(wire.left() == Some(left) && (3..=4).contains(&wire.asked), "{left} {right}: asked {} times", wire.asked);
    }
}

/// The next period begins when the time is over, and nobody has set the clock.
#[test]
fn the_next_period_is_no_surprise() {
    let mut wire = Wire::new(reading(3, 300, Left, true));
    wire.count_down(3);
    wire.run(1_000);
    wire.show(1_799, 300, true);
    wire.run(3_000);
    assert_eq!((wire.left(), wire.alerts()), (Some(1_799), Vec::new()));
}

/// A clock that stops at its flag says so once. It is asked for the second reading.
#[test]
fn a_flag_is_asked_for_again() {
    let mut wire = Wire::new(reading(3, 300, Left, true));
    wire.count_down(2);
    wire.run(1_000);
    let fell_at = wire.now;
    wire.shows = ClockReading { left: HalfTime { ms: 0, flag: true }, ..reading(0, 300, Left, false) };
    wire.say(message(&wire.shows.clone()));
    wire.run(700);
    assert_eq!((wire.alerts(), wire.asked), (vec![(fell_at, AlertKind::FlagFall)], 1));
}

/// One byte in a hundred is damaged, and all other messages are right: nobody hears of a flag or of another time.
#[test]
fn damaged_bytes_set_no_clock() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed, 78);
        let mut wire = Wire::new(reading(1_500, 3_000, Left, true));
        let mut before = String::new();
        for _ in 0..300 {
            wire.run(1_000);
            wire.shows.left.ms -= 1_000;
            let mut bytes = message(&wire.shows);
            for byte in &mut bytes {
                *byte ^= if rng.chance(10) { 1 << rng.below(8) } else { 0 };
            }
            let said = format!("{bytes:02x?}");
            wire.say(bytes);
            let off = wire.left().map_or(0, |left| left.abs_diff(wire.shows.left.ms / 1000));
            assert!(off <= 4, "seed {seed}: {off} s off after {before}, {said}");
            before = said;
        }
        assert_eq!(wire.alerts(), [], "seed {seed}");
    }
}

impl Wire {
    /// The message that there is no clock.
    fn say_gone(&mut self) {
        self.say(vec![0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0x20]);
    }

    /// Whether a clock is there, by what was told last of it.
    fn is_connected(&self) -> bool {
        let clock = |stamped: &StampedEvent| match &stamped.event {
            Event::Clock { clocks, .. } => Some(clocks.white.is_some()),
            _ => None,
        };
        self.told.iter().rev().find_map(clock).unwrap_or(false)
    }
}

/// One message that there is no clock is damage; when a clock is gone, a second one says so, or none comes at all.
#[test]
fn a_clock_is_gone_when_two_messages_say_so() {
    let mut wire = Wire::new(reading(300, 300, Left, true));
    wire.count_down(2);
    wire.say_gone();
    wire.run(1_000);
    assert!(wire.is_connected() && wire.asked == 1, "asked {} times", wire.asked);
    wire.say_gone();
    wire.run(100);
    wire.say_gone();
    assert!(!wire.is_connected());
    // Another one is stopped, taken away without an answer, and replaced by one that runs: it does not stand.
    let mut wire = Wire::new(reading(300, 300, Left, true));
    wire.count_down(2);
    wire.show(298, 300, false);
    wire.run(1_000);
    wire.answers_clock = false;
    wire.say_gone();
    wire.run(3_000);
    assert!(!wire.is_connected());
    wire.answers_clock = true;
    wire.shows = reading(298, 300, Left, true);
    wire.say(message(&wire.shows.clone()));
    wire.count_down(15);
    let stands =
        |stamped: &StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::ClockStopped);
    assert!(!wire.told.iter().any(stands), "{:?}", wire.told);
}

/// The answer is lost: the clock is asked again, and not for ever.
#[test]
fn a_lost_answer_is_asked_for_again() {
    let mut wire = Wire::new(reading(300, 300, Left, true));
    wire.count_down(2);
    wire.show(298, 300, false);
    wire.run(1_000);
    wire.answers_clock = false;
    wire.show(418, 300, false);
    wire.run(3_000);
    wire.answers_clock = true;
    wire.run(6_000);
    assert_eq!(wire.left(), Some(418));
    assert_eq!(wire.alerts().len(), 1, "{:?}", wire.alerts());
    let mut wire = Wire::new(reading(300, 300, Left, true));
    wire.answers_clock = false;
    wire.show(418, 300, false);
    wire.run(60_000);
    assert!(wire.asked <= 8, "asked {} times", wire.asked);
}

/// The first reading after a gap in play drops no flag, and sets no clock.
#[test]
fn the_first_reading_in_play_needs_a_second() {
    let flagged = ClockReading { left: HalfTime { ms: 0, flag: true }, ..reading(0, 300, Left, true) };
    for first in [flagged, reading(20_000, 300, Left, true)] {
        let mut filter = ClockFilter::default();
        let readings = [first, reading(250, 300, Left, true), reading(249, 300, Left, true)];
        let believed: Vec<_> =
            readings.into_iter().zip([1_000, 1_400, 2_400]).map(|(reading, at)| filter.read(at, reading, true)).collect();
        assert!(believed.iter().all(|believed| !believed.reading.left.flag && believed.set_from.is_none()), "{believed:?}");
        assert_eq!((believed[2].reading.left.ms, filter.is_in_doubt()), (249_000, false));
    }
}
