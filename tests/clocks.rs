//! What a clock's messages can be believed, and what the arbiter is told when somebody sets the clock.

use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Millis, Reading};
use touchmove::game::{AlertKind, Event, Stamped};
use touchmove::laws::Position;
use touchmove::locale::Locale;
use touchmove::simulate::rng::Rng;
use touchmove::table::clock_filter::ClockFilter;
use touchmove::table::{Input, Settings, Table};

/// Both halves in seconds.
pub fn reading(left: u32, right: u32, turn: ClockHalf, running: bool) -> ClockReading {
    let half = |s: u32| HalfTime { ms: s * 1000, flag: false };
    ClockReading { left: half(left), right: half(right), turn, running, battery_low: false, resolution_ms: 1000, age_ms: 1000 }
}

/// Readings a second apart, each with what is believed of it: the times of both halves in seconds, and whether it was set.
fn believed(readings: &[(Millis, ClockReading)]) -> Vec<(u32, u32, bool)> {
    let mut filter = ClockFilter::default();
    let take = |&(at, reading): &(Millis, ClockReading)| {
        let believed = filter.read(at, reading, true);
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
        // The next period: with the fortieth move, or when the time was over.
        reading(2_158, 359, Right, true),
    ]);
    let expect: Vec<_> = readings.iter().map(|(_, reading)| (reading.left.ms / 1000, reading.right.ms / 1000, false)).collect();
    assert_eq!(believed(&readings), expect);
    let over =
        [(1_000, reading(1, 300, Left, true)), (2_000, reading(0, 300, Left, true)), (3_000, reading(900, 300, Left, true))];
    assert_eq!(believed(&over)[2], (900, 300, false));
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
            let believed = filter.read(second * 1_000, shown, true);
            if let Some(at) = filter.deadline().filter(|at| *at < second * 1_000 + 1_000) {
                filter.advance(at);
            }
            assert!(!believed.reading.left.flag && believed.set_from.is_none(), "seed {seed}, second {second}");
            assert!(believed.reading.left.ms.abs_diff(left * 1000) <= 70_000, "seed {seed}, second {second}: {believed:?}");
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
    let is_flag = |stamped: &&Stamped| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::FlagFall);
    assert_eq!(told.iter().find(is_flag).map(|stamped| stamped.at), Some(7_000));
    assert!(told.is_sorted_by_key(|stamped| stamped.at));
}
