//! When a clock's messages are accepted, and the alerts when the clock is set.

use std::collections::VecDeque;
use touchmove::boards::{Address, ClockHalf, ClockReading, HalfTime, LinkState, Millis, Protocol, Reading, dgt};
use touchmove::game::{AlertKind, Event, StampedEvent};
use touchmove::laws::Position;
use touchmove::locale::Locale;
use touchmove::simulate::rng::Rng;
use touchmove::table::clock_filter::ClockFilter;
use touchmove::table::{Input, Output, Settings, Table};

/// A clock reading with both times in seconds.
pub fn reading(left: u32, right: u32, turn: ClockHalf, running: bool) -> ClockReading {
    let half = |s: u32| HalfTime { ms: s * 1000, flag: false };
    ClockReading { left: half(left), right: half(right), turn, running, battery_low: false, resolution_ms: 1000, age_ms: 1000 }
}

/// The accepted times of readings, the first of which is before play: the times of both halves in seconds, and whether the
/// clock was set.
fn accepted(readings: &[(Millis, ClockReading)]) -> Vec<(u32, u32, bool)> {
    let mut filter = ClockFilter::default();
    let mut in_play = false;
    let filter_one = |&(at, reading): &(Millis, ClockReading)| {
        let accepted = filter.read(at, reading, std::mem::replace(&mut in_play, true));
        (accepted.reading.left.ms / 1000, accepted.reading.right.ms / 1000, accepted.set_from.is_some())
    };
    readings.iter().map(filter_one).collect()
}

/// Timestamps readings, one second apart.
fn each_second(readings: &[ClockReading]) -> Vec<(Millis, ClockReading)> {
    (1u64..).map(|second| second * 1_000).zip(readings.iter().copied()).collect()
}

use ClockHalf::{Left, Right};

#[test]
fn a_running_clock_with_increments_is_accepted() {
    let readings = each_second(&[
        reading(300, 300, Left, true),
        reading(299, 300, Left, true),
        // A press with an increment of 30 s, one with a late increment of a minute, and a stopped clock.
        reading(329, 300, Right, true),
        reading(329, 299, Right, true),
        reading(329, 299, Left, true),
        reading(328, 359, Left, true),
        reading(328, 359, Left, false),
    ]);
    let expect: Vec<_> = readings.iter().map(|(_, reading)| (reading.left.ms / 1000, reading.right.ms / 1000, false)).collect();
    assert_eq!(accepted(&readings), expect);
}

/// With the fortieth move, or when the time is over: the new period is accepted once three readings agree, and is not reported
/// as a clock that was set.
#[test]
fn the_next_period_is_accepted_soon() {
    let with_a_move = each_second(&[
        reading(358, 359, Left, true),
        reading(2_188, 359, Right, true),
        reading(2_188, 358, Right, true),
        reading(2_188, 357, Right, true),
    ]);
    let filtered = accepted(&with_a_move);
    assert!(filtered[1..3].iter().all(|(left, _, set)| *left <= 358 && !set), "{filtered:?}");
    assert_eq!(filtered[3], (2_188, 357, false));
    let time_over = each_second(&[
        reading(1, 300, Left, true),
        reading(0, 300, Left, true),
        reading(900, 300, Left, true),
        reading(899, 300, Left, true),
        reading(898, 300, Left, true),
    ]);
    let left: Vec<_> = accepted(&time_over).into_iter().map(|(left, _, set)| (left, set)).collect();
    assert_eq!(left, [(1, false), (0, false), (0, false), (0, false), (898, false)]);
}

#[test]
fn a_jump_is_held_back_until_three_readings_agree() {
    let readings = each_second(&[
        reading(5_650, 5_000, Left, true),
        reading(12_093, 5_000, Left, true),
        reading(5_648, 5_000, Left, true),
        reading(5_647, 9, Left, true),
        reading(4_000, 5_000, Left, true),
        reading(5_645, 5_000, Left, true),
    ]);
    let expected: Vec<_> = (0..6).map(|second| (5_650 - second, 5_000, false)).collect();
    assert_eq!(accepted(&readings), expected);
    // A loss of time that no player can have used is held back as well.
    let lost: Vec<_> = [300, 250, 298].map(|expected| reading(expected, 300, Left, true)).to_vec();
    assert_eq!(accepted(&each_second(&lost)), [(300, 300, false), (299, 300, false), (298, 300, false)]);
    // Three readings that agree within less than a second count as one.
    let hasty: Vec<_> =
        (0..5).map(|tenth| (1_000 + tenth * 100, reading(if tenth == 0 { 300 } else { 700 }, 300, Left, true))).collect();
    assert!(accepted(&hasty).iter().all(|(expected, ..)| *expected <= 300));
}

/// The arbiter adds two minutes, or exchanges the times of the halves.
#[test]
fn a_clock_that_was_set_is_accepted_and_reported() {
    let cases = [
        [(300, 200), (420, 200), (420, 200), (419, 200)],
        [(300, 200), (200, 300), (199, 300), (198, 300)],
        [(3_600, 200), (1_800, 200), (1_799, 200), (1_798, 200)],
    ];
    for case in cases {
        let stopped = |(left, right)| reading(left, right, Left, false);
        let readings: Vec<_> = case.into_iter().map(stopped).collect();
        let filtered = accepted(&each_second(&readings));
        assert_eq!((filtered[1], filtered[2].2), ((case[0].0, case[0].1, false), false), "{case:?}");
        assert_eq!(filtered[3], (case[3].0, case[3].1, true), "{case:?}");
    }
}

/// Before play setting the clock is accepted without an alert.
#[test]
fn a_clock_set_before_the_game_is_accepted() {
    let mut filter = ClockFilter::default();
    for (at, left) in [(0, 300), (100, 5_400), (200, 60)] {
        let accepted = filter.read(at, reading(left, 300, Left, false), false);
        assert_eq!((accepted.reading.left.ms, accepted.set_from), (left * 1000, None));
    }
}

#[test]
fn a_flag_needs_two_readings_or_no_contradiction() {
    let flagged = |left| ClockReading { left: HalfTime { ms: 0, flag: left }, ..reading(0, 300, Left, true) };
    let mut filter = ClockFilter::default();
    let mut read = |at, has_fallen| filter.read(at, flagged(has_fallen), true).reading.left.flag;
    // A single reading with a flag is damage.
    assert_eq!([read(0, false), read(1_000, true), read(2_000, false), read(3_000, true)], [false; 4]);
    assert!(read(4_000, true));
    // A single reading without a flag does not clear it.
    assert!(filter.read(5_000, flagged(false), true).reading.left.flag);
    assert_eq!(filter.deadline(), Some(6_500));
    assert!(filter.advance(6_500).is_some_and(|reading| !reading.left.flag));
    assert_eq!(filter.deadline(), None);
}

/// With damaged readings no flag falls, and the times stay those of the clock.
#[test]
fn damaged_readings_set_neither_flag_nor_clock() {
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
            let accepted = filter.read(second * 1_000, shown, second > 0);
            if let Some(at) = filter.deadline().filter(|at| *at < second * 1_000 + 1_000) {
                filter.advance(at);
            }
            assert!(!accepted.reading.left.flag && accepted.set_from.is_none(), "seed {seed}, second {second}");
            assert!(accepted.reading.left.ms.abs_diff(left * 1000) <= 4_000, "seed {seed}, second {second}: {accepted:?}");
        }
    }
}

/// The alert names both times.
#[test]
fn the_alert_names_both_times() {
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let start = crate::boards::memory::shown(&Position::start());
    table.handle(0, Input::Reading(Reading::Placement(Box::new(start))));
    let mut at = 5_000;
    for (left, right) in [(300, 300), (299, 300), (419, 300), (418, 300), (417, 300)] {
        table.handle(at, Input::Reading(Reading::Clock(Some(reading(left, right, Left, true)))));
        at += 1_000;
    }
    let alerts = &table.record().expect("a game").alerts;
    let alert = alerts.iter().find(|alert| alert.kind == AlertKind::ClockSet).expect("a notice");
    let text = touchmove::locale::sentence(Locale::English, &alert.text);
    assert_eq!(text, "the clock was set: White 0:06:57, Black 0:05:00; otherwise it would show 0:04:56 and 0:05:00");
}

/// The flag fall has the time of its first reading, though the alert needs a second one.
#[test]
fn a_flag_fall_has_the_time_of_its_first_reading() {
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let start = crate::boards::memory::shown(&Position::start());
    table.handle(0, Input::Reading(Reading::Placement(Box::new(start))));
    let fallen = ClockReading { left: HalfTime { ms: 0, flag: true }, ..reading(0, 300, Left, true) };
    let readings = [reading(2, 300, Left, true), reading(1, 300, Left, true), fallen, fallen];
    let mut events = Vec::new();
    for (at, reading) in (5_000..).step_by(1_000).zip(readings) {
        events.extend(table.handle(at, Input::Reading(Reading::Clock(Some(reading)))).events);
    }
    let is_flag =
        |stamped: &&StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::FlagFall);
    assert_eq!(events.iter().find(is_flag).map(|stamped| stamped.at), Some(7_000));
    assert!(events.is_sorted_by_key(|stamped| stamped.at));
}

/// A DGT board with the start position and a clock, at the level of bytes.
struct ClockBench {
    board: Box<dyn Protocol>,
    table: Table,
    now: Millis,
    /// The current clock display.
    display: ClockReading,
    /// The board's answers, and their arrival times.
    answers: VecDeque<(Millis, Vec<u8>)>,
    events: Vec<StampedEvent>,
    /// The number of requests for the clock.
    requests: usize,
    /// Whether answers to these requests arrive.
    answers_clock: bool,
}

/// The bytes of message 8d.
fn message(display: &ClockReading) -> Vec<u8> {
    let decimal = |number: u32| (number / 10 * 16 + number % 10) as u8;
    let half = |half: HalfTime| {
        let s = half.ms / 1000;
        [(s / 3600) as u8 | if half.flag { 0x10 } else { 0 }, decimal(s / 60 % 60), decimal(s % 60)]
    };
    let turn = if display.turn == Left { 0x08 } else { 0x12 };
    let status = [turn | u8::from(display.running)];
    [&[0x8d, 0, 10], &half(display.right)[..], &half(display.left), &status].concat()
}

impl ClockBench {
    fn new(display: ClockReading) -> ClockBench {
        let mut board = (dgt::MODEL.protocol)();
        board.link(0, LinkState::Up);
        let (answers, events) = (VecDeque::new(), Vec::new());
        let mut bench = ClockBench {
            board,
            table: Table::new(Settings::default()),
            now: 0,
            display,
            answers,
            events,
            requests: 0,
            answers_clock: true,
        };
        bench.drive(|table| table.handle(0, Input::Link(LinkState::Up)));
        bench.run(5_000);
        bench.receive(message(&display));
        bench
    }

    /// Runs `act` on the table session, and executes its commands for the board.
    fn drive(&mut self, act: impl FnOnce(&mut Table) -> Output) {
        let output = act(&mut self.table);
        self.events.extend(output.events);
        for command in output.commands {
            let _ = self.board.execute(self.now, Address::ONLY, command);
        }
    }

    /// Receives bytes from the board.
    fn receive(&mut self, bytes: Vec<u8>) {
        self.board.receive(self.now, &bytes);
        while let Some((_, reading)) = self.board.poll_reading() {
            let now = self.now;
            self.drive(|table| table.handle(now, Input::Reading(reading)));
        }
    }

    /// Changes the clock display, which is sent once.
    fn show(&mut self, left: u32, right: u32, running: bool) {
        self.display = reading(left, right, Left, running);
        self.receive(message(&self.display));
    }

    /// Advances the time, millisecond by millisecond.
    fn run(&mut self, ms: Millis) {
        for now in self.now..self.now + ms {
            self.now = now;
            self.board.timeout(now);
            self.drive(|table| table.advance(now));
            while let Some(write) = self.board.poll_write() {
                let at = write.at.max(now) + 20;
                match write.bytes[..] {
                    [0x41] => {
                        self.requests += 1;
                        if self.answers_clock {
                            self.answers.push_back((at, Vec::new()));
                        }
                    }
                    [0x42] => self.answers.push_back((at, crate::boards::dgt::bytes(crate::boards::dgt::DUMP))),
                    _ => {}
                }
            }
            while let Some((_, bytes)) = self.answers.pop_front_if(|(at, _)| *at <= now) {
                self.receive(if bytes.is_empty() { message(&self.display) } else { bytes });
            }
        }
        self.now += ms.min(1);
    }

    /// Runs the clock for some seconds.
    fn count_down(&mut self, seconds: u32) {
        for _ in 0..seconds {
            self.run(1_000);
            self.show(self.display.left.ms / 1000 - 1, self.display.right.ms / 1000, true);
        }
    }

    /// The `clock_set` and `flag_fall` alerts, with their times.
    fn alerts(&self) -> Vec<(Millis, AlertKind)> {
        let alert = |stamped: &StampedEvent| match &stamped.event {
            Event::AlertRaised(alert) if matches!(alert.kind, AlertKind::ClockSet | AlertKind::FlagFall) => {
                Some((stamped.at, alert.kind))
            }
            _ => None,
        };
        self.events.iter().filter_map(alert).collect()
    }

    /// The recorded time on White's clock, in seconds.
    fn recorded_white(&self) -> Option<u32> {
        self.events.iter().rev().find_map(|stamped| match &stamped.event {
            Event::Clock { clocks, .. } => clocks.white.map(|white| white.ms / 1000),
            _ => None,
        })
    }
}

/// A stopped clock sends its display once. It is requested again, and accepted within two seconds: two minutes more, both times
/// exchanged, and a time that is less by half a minute.
#[test]
fn a_stopped_clock_is_requested_again() {
    for (left, right) in [(418, 300), (300, 298), (268, 300)] {
        let mut bench = ClockBench::new(reading(300, 300, Left, true));
        bench.count_down(2);
        bench.show(298, 300, false);
        bench.run(3_000);
        assert_eq!(bench.requests, 0);
        let set_at = bench.now;
        bench.show(left, right, false);
        bench.run(300);
        assert_eq!(bench.recorded_white(), Some(298), "not yet");
        bench.run(3_000);
        let [(at, AlertKind::ClockSet)] = bench.alerts()[..] else { panic!("{left} {right}: {:?}", bench.alerts()) };
        assert!(at - set_at < 2_000, "{left} {right}: after {} ms", at - set_at);
        assert!(
            bench.recorded_white() == Some(left) && (3..=4).contains(&bench.requests),
            "{left} {right}: {} requests",
            bench.requests
        );
    }
}

/// The next period begins when the time is over, which does not count as setting the clock.
#[test]
fn the_next_period_raises_no_alert() {
    let mut bench = ClockBench::new(reading(3, 300, Left, true));
    bench.count_down(3);
    bench.run(1_000);
    bench.show(1_799, 300, true);
    bench.run(3_000);
    assert_eq!((bench.recorded_white(), bench.alerts()), (Some(1_799), Vec::new()));
}

/// A clock that stops at its flag sends it once. It is requested for the second reading.
#[test]
fn a_flag_fall_is_confirmed_by_a_request() {
    let mut bench = ClockBench::new(reading(3, 300, Left, true));
    bench.count_down(2);
    bench.run(1_000);
    let fell_at = bench.now;
    bench.display = ClockReading { left: HalfTime { ms: 0, flag: true }, ..reading(0, 300, Left, false) };
    bench.receive(message(&bench.display.clone()));
    bench.run(700);
    assert_eq!((bench.alerts(), bench.requests), (vec![(fell_at, AlertKind::FlagFall)], 1));
}

/// One byte in a hundred is damaged, and all other messages are right: no alert about a flag or another time is raised.
#[test]
fn damaged_bytes_set_no_clock() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed, 78);
        let mut bench = ClockBench::new(reading(1_500, 3_000, Left, true));
        let mut before = String::new();
        for _ in 0..300 {
            bench.run(1_000);
            bench.display.left.ms -= 1_000;
            let mut bytes = message(&bench.display);
            for byte in &mut bytes {
                *byte ^= if rng.chance(10) { 1 << rng.below(8) } else { 0 };
            }
            let message_text = format!("{bytes:02x?}");
            bench.receive(bytes);
            let deviation = bench.recorded_white().map_or(0, |left| left.abs_diff(bench.display.left.ms / 1000));
            assert!(deviation <= 4, "seed {seed}: {deviation} s off after {before}, {message_text}");
            before = message_text;
        }
        assert_eq!(bench.alerts(), [], "seed {seed}");
    }
}

impl ClockBench {
    /// Receives the message that there is no clock.
    fn receive_no_clock(&mut self) {
        self.receive(vec![0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0x20]);
    }

    /// Whether a clock is connected, according to the last event about it.
    fn is_connected(&self) -> bool {
        let clock = |stamped: &StampedEvent| match &stamped.event {
            Event::Clock { clocks, .. } => Some(clocks.white.is_some()),
            _ => None,
        };
        self.events.iter().rev().find_map(clock).unwrap_or(false)
    }
}

/// A single message that there is no clock is damage; a clock is disconnected after a second such message, or without any
/// answer.
#[test]
fn a_clock_is_disconnected_after_two_messages() {
    let mut bench = ClockBench::new(reading(300, 300, Left, true));
    bench.count_down(2);
    bench.receive_no_clock();
    bench.run(1_000);
    assert!(bench.is_connected() && bench.requests == 1, "{} requests", bench.requests);
    bench.receive_no_clock();
    bench.run(100);
    bench.receive_no_clock();
    assert!(!bench.is_connected());
    // Another clock is stopped, disconnected without an answer, and replaced by a running one: that is not a stopped clock.
    let mut bench = ClockBench::new(reading(300, 300, Left, true));
    bench.count_down(2);
    bench.show(298, 300, false);
    bench.run(1_000);
    bench.answers_clock = false;
    bench.receive_no_clock();
    bench.run(3_000);
    assert!(!bench.is_connected());
    bench.answers_clock = true;
    bench.display = reading(298, 300, Left, true);
    bench.receive(message(&bench.display.clone()));
    bench.count_down(15);
    let is_clock_stopped =
        |stamped: &StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::ClockStopped);
    assert!(!bench.events.iter().any(is_clock_stopped), "{:?}", bench.events);
}

/// The answer is lost: the request is repeated, but not forever.
#[test]
fn a_lost_answer_is_requested_again() {
    let mut bench = ClockBench::new(reading(300, 300, Left, true));
    bench.count_down(2);
    bench.show(298, 300, false);
    bench.run(1_000);
    bench.answers_clock = false;
    bench.show(418, 300, false);
    bench.run(3_000);
    bench.answers_clock = true;
    bench.run(6_000);
    assert_eq!(bench.recorded_white(), Some(418));
    assert_eq!(bench.alerts().len(), 1, "{:?}", bench.alerts());
    let mut bench = ClockBench::new(reading(300, 300, Left, true));
    bench.answers_clock = false;
    bench.show(418, 300, false);
    bench.run(60_000);
    assert!(bench.requests <= 8, "{} requests", bench.requests);
}

/// The first reading after a gap in play sets neither flag nor clock.
#[test]
fn the_first_reading_in_play_needs_a_second() {
    let flagged = ClockReading { left: HalfTime { ms: 0, flag: true }, ..reading(0, 300, Left, true) };
    for first in [flagged, reading(20_000, 300, Left, true)] {
        let mut filter = ClockFilter::default();
        let readings = [first, reading(250, 300, Left, true), reading(249, 300, Left, true)];
        let accepted: Vec<_> =
            readings.into_iter().zip([1_000, 1_400, 2_400]).map(|(reading, at)| filter.read(at, reading, true)).collect();
        assert!(accepted.iter().all(|accepted| !accepted.reading.left.flag && accepted.set_from.is_none()), "{accepted:?}");
        assert_eq!((accepted[2].reading.left.ms, filter.is_in_doubt()), (249_000, false));
    }
}
