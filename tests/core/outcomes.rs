//! How a game ends: what delays a result by the position, and what alerts require where the opponent of a losing player may not
//! be able to mate.

use crate::core::orders::Stage;
use shakmaty::Color::{Black, White};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, Reading};
use touchmove::game::AlertKind::{
    self, DeadPosition, FlagFall, IllegalMove, PressWithoutMove, ResultSignalled, SeventyFive, TouchMove,
};
use touchmove::game::{Alert, Command, Event, GameResult, Record, ResultReason};
use touchmove::laws::Laws;
use touchmove::table::{Input, Settings, Table};
use touchmove::wire;

/// White's rook mates on a8 or b8.
const MATE: &str = "7k/6pp/8/8/8/8/6P1/R5K1 w - - 0 1";
/// A rook moves to b8 like a bishop.
const ILLEGAL_MATE: &str = "a1- b8R";
/// A wall of pawns with a bishop behind each side of it: neither side can mate.
const WALL: &str = "4k3/2b5/8/2p1p1p1/1pPpPpPp/1P1P1P1P/8/4KB2 w - - 0 1";

/// White can mate, but only a long search finds that.
const LONG: &str = "8/1p4k1/1P2p1p1/p2pP1P1/P1pPK2B/2P5/8/7b w - - 0 1";
/// The search does not decide whether Black can mate.
const UNDECIDED: &str = "8/b6P/8/4k3/8/2P3K1/8/8 w - - 0 1";

fn begin(laws: &str, fen: &str) -> Stage {
    let laws = laws.parse::<Laws>().expect("laws");
    let mut stage = Stage::with(Settings { laws, start_fen: Some(fen.to_owned()), ..Settings::default() }, fen, "");
    stage.wait(1_200);
    press(&mut stage, ClockHalf::Left);
    stage
}

/// The clock runs, with this half's lever up; White's is the left half.
fn press(stage: &mut Stage, turn: ClockHalf) {
    flags(stage, turn, (false, false));
}

fn flags(stage: &mut Stage, turn: ClockHalf, down: (bool, bool)) {
    let half = |flag| HalfTime { ms: if flag { 0 } else { 300_000 }, flag };
    let (left, right) = (half(down.0), half(down.1));
    let reading = ClockReading { left, right, turn, running: true, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
    // A flag counts when two readings show it.
    for _ in 0..2 {
        stage.wait(100);
        stage.take(Input::Reading(Reading::Clock(Some(reading))));
    }
}

/// White makes this move and presses the clock.
fn play(stage: &mut Stage, words: &str) {
    stage.play(words, 300);
    press(stage, ClockHalf::Right);
    stage.wait(3_000);
}

fn record(stage: &Stage) -> &Record {
    stage.table.record().expect("a game")
}

fn alerts(stage: &Stage) -> Vec<AlertKind> {
    record(stage).alerts.iter().map(|alert| alert.kind).collect()
}

#[track_caller]
fn alert(stage: &Stage, kind: AlertKind) -> Alert {
    let alerts = &record(stage).alerts;
    alerts.iter().find(|alert| alert.kind == kind).unwrap_or_else(|| panic!("{kind:?} in {alerts:?}")).clone()
}

fn required(alert: &Alert) -> String {
    alert.required.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The public results.
fn results(stage: &Stage) -> Vec<Option<GameResult>> {
    let public = stage.durable.iter().map(|stamped| &stamped.event).filter(|event| event.is_public());
    public.filter_map(|event| if let Event::Result { result, .. } = event { Some(*result) } else { None }).collect()
}

/// Replaces the table by one after a restart, with the same board.
fn restart(stage: &mut Stage) {
    let placement = stage.table.placement().expect("a placement");
    stage.table = Table::restore(Settings::default(), &stage.durable);
    stage.wait(10);
    for reading in [Reading::Placement(Box::new(placement)), Reading::Memory(Vec::new())] {
        stage.take(Input::Reading(reading));
    }
    stage.wait(2_000);
}

const WON: (GameResult, ResultReason) = (GameResult::WhiteWins, ResultReason::Checkmate);

fn illegal_mate() -> Stage {
    let mut stage = begin("fide-2023", MATE);
    play(&mut stage, ILLEGAL_MATE);
    assert_eq!(alerts(&stage), [IllegalMove, ResultSignalled]);
    stage
}

#[test]
fn a_legal_mate_ends_the_game_at_once() {
    let mut stage = begin("fide-2023", MATE);
    play(&mut stage, "a1- a8R");
    assert_eq!((record(&stage).result, alerts(&stage)), (Some(WON), vec![]));
}

#[test]
fn a_game_that_begins_without_legal_moves_is_over() {
    use touchmove::boards::SensorKind::{Colour, Identity, Occupancy};
    for (fen, result, reason) in [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", GameResult::Draw, ResultReason::Stalemate),
        ("R6k/6pp/8/8/8/8/8/7K b - - 0 1", GameResult::WhiteWins, ResultReason::Checkmate),
    ] {
        for sensing in [Identity, Colour, Occupancy] {
            let mut stage = Stage::new(sensing, fen, "");
            assert_eq!(stage.order(Command::Position { fen: fen.to_owned() }), None);
            stage.wait(5_000);
            assert_eq!(record(&stage).result, Some((result, reason)), "{sensing:?}: {fen}");
            assert_eq!(results(&stage), [Some(result)]);
            restart(&mut stage);
            assert_eq!(record(&stage).result, Some((result, reason)));
        }
    }
}

#[test]
fn an_illegal_move_does_not_mate() {
    let mut stage = illegal_mate();
    stage.wait(200_000);
    assert_eq!((record(&stage).result, results(&stage)), (None, vec![]));
    let pending = alert(&stage, ResultSignalled);
    let text = pending.text.to_string();
    assert!(text.starts_with("end_waits, end (end-checkmate, result 1-0), for (waits-ruling, san Ra1-b8"), "{text}");
    assert_eq!(
        (pending.ply, pending.by, required(&pending).as_str(), pending.articles),
        (1, Some(White), "rule_first", vec!["5.1.1".into()])
    );
}

#[test]
fn an_illegal_move_stands_after_the_reply_even_if_acknowledged() {
    let laws = "fide-2023 blitz limited";
    for acknowledges in [false, true] {
        let mut stage = begin(laws, "7k/6pp/8/8/8/8/6P1/R5K1 w - - 0 1");
        play(&mut stage, "a1- b3R");
        let illegal = alert(&stage, IllegalMove);
        if acknowledges {
            assert_eq!(stage.order(Command::Acknowledge { alert: illegal.id }), None);
            assert_eq!(alerts(&stage), []);
        }
        stage.play("h7- h6p", 300);
        press(&mut stage, ClockHalf::Left);
        stage.wait(3_000);
        let accepted = alert(&stage, AlertKind::IllegalStands);
        assert_eq!((accepted.ply, &accepted.evidence, alerts(&stage).len()), (1, &illegal.evidence, 1));
        assert_eq!((accepted.by, accepted.position), (Some(White), illegal.position));
        stage.play("g2- g3P", 3_000);
        assert_eq!(alerts(&stage), [AlertKind::IllegalStands]);
    }
}

#[test]
fn an_illegal_mate_that_the_arbiter_accepts_ends_the_game() {
    for restarts in [false, true] {
        let mut stage = illegal_mate();
        if restarts {
            restart(&mut stage);
            assert_eq!(alerts(&stage), [IllegalMove, ResultSignalled]);
        }
        let id = alert(&stage, IllegalMove).id;
        assert_eq!(stage.order(Command::LetStand { alert: id }), None);
        assert_eq!((record(&stage).result, alerts(&stage)), (Some(WON), vec![]));
        assert_eq!(results(&stage), [Some(GameResult::WhiteWins)]);
        // The arbiter undoes it: the result waits again.
        assert_eq!(stage.order(Command::Undo {}), None);
        assert_eq!((record(&stage).result, alerts(&stage)), (None, vec![IllegalMove, ResultSignalled]));
        assert_eq!(results(&stage).last(), Some(&None));
    }
}

#[test]
fn the_arbiter_confirms_with_one_command() {
    let mut stage = illegal_mate();
    assert_eq!(stage.order(Command::Result { result: Some(GameResult::WhiteWins) }), None);
    assert_eq!(record(&stage).result, Some((GameResult::WhiteWins, ResultReason::Arbiter)));
    assert_eq!(alerts(&stage), []);
    assert_eq!(stage.order(Command::Undo {}), None);
    assert_eq!((record(&stage).result, alerts(&stage)), (None, vec![IllegalMove, ResultSignalled]));
}

#[test]
fn an_illegal_mate_that_is_taken_back_has_no_result() {
    // By the arbiter.
    let mut stage = illegal_mate();
    assert!(stage.ask(Command::Restore { ply: 1 }).is_ok());
    assert_eq!((record(&stage).result, alerts(&stage)), (None, vec![]));
    stage.play("b8- a1R", 3_000);
    stage.play("a1- a8R", 3_000);
    assert_eq!((record(&stage).result, alerts(&stage)), (Some(WON), vec![]));
    // By the players.
    let mut stage = illegal_mate();
    stage.play("b8- a1R", 6_000);
    assert_eq!((record(&stage).plies.len(), alerts(&stage)), (0, vec![IllegalMove]));
    assert_eq!(results(&stage), []);
}

/// White's king is lifted for two seconds before the rook mates.
fn touched_mate() -> Stage {
    let mut stage = begin("fide-2023", MATE);
    stage.play("g1-", 2_000);
    stage.play("g1K", 500);
    play(&mut stage, "a1- a8R");
    assert_eq!((alerts(&stage), record(&stage).result), (vec![TouchMove, ResultSignalled], None));
    let text = alert(&stage, ResultSignalled).text.to_string();
    assert!(text.starts_with("end_waits, end (end-checkmate, result 1-0), for (waits-notice, player white)"), "{text}");
    stage
}

#[test]
fn a_mate_waits_for_a_notice_of_touched_pieces() {
    for restarts in [false, true] {
        let mut stage = touched_mate();
        if restarts {
            restart(&mut stage);
        }
        let id = alert(&stage, TouchMove).id;
        assert_eq!(stage.order(Command::Acknowledge { alert: id }), None);
        assert_eq!((record(&stage).result, alerts(&stage)), (Some(WON), vec![]));
    }
}

#[test]
fn a_mate_waits_no_longer_than_a_minute_for_a_notice() {
    for restarts in [false, true] {
        let mut stage = touched_mate();
        stage.wait(50_000);
        assert_eq!(record(&stage).result, None);
        if restarts {
            restart(&mut stage);
        }
        stage.wait(9_000);
        assert_eq!((record(&stage).result, alerts(&stage)), (Some(WON), vec![TouchMove, ResultSignalled]));
        assert_eq!(alert(&stage, ResultSignalled).text.key, "end_unconfirmed");
        let made_at = record(&stage).plies[0].made_at;
        let at = stage.durable.iter().find(|stamped| matches!(stamped.event, Event::Result { .. })).expect("a result").at;
        assert_eq!(at, made_at + 60_000);
        let id = alert(&stage, TouchMove).id;
        assert_eq!(stage.order(Command::Acknowledge { alert: id }), None);
        assert_eq!((record(&stage).result, alerts(&stage)), (Some(WON), vec![]));
    }
}

#[test]
fn changes_after_a_mate_that_waits_for_a_notice_are_no_moves() {
    for quiet in [300, 3_000] {
        let mut stage = touched_mate();
        stage.play("g2- g3P a8- a1R", quiet);
        stage.play("a1- f8R", quiet);
        stage.wait(70_000);
        assert_eq!((record(&stage).result, record(&stage).plies.len()), (Some(WON), 1));
        assert_eq!(results(&stage), [Some(GameResult::WhiteWins)]);
    }
}

#[test]
fn a_mate_stands_although_its_rook_moves_on_just_before_the_minute_ends() {
    // Without a press, the rook may still be released elsewhere when the minute is over.
    for wait in [58_000, 59_300, 59_700, 59_900] {
        let mut stage = begin("fide-2023", MATE);
        stage.play("g1-", 2_000);
        stage.play("g1K a1- a8R", wait);
        stage.play("a8- a7R", 120_000);
        let ply = record(&stage).plies.first().expect("a move").played.uci.clone();
        assert_eq!((ply.as_str(), record(&stage).result.is_some()), ("a1a8", true), "{wait}");
    }
}

#[test]
fn an_undone_command_makes_a_mate_wait_again() {
    for command in [Command::Restore { ply: 1 }, Command::TakeBack { plies: 1 }] {
        let mut stage = touched_mate();
        let before = alerts(&stage);
        assert_eq!(stage.order(command), None);
        assert!(!alerts(&stage).contains(&ResultSignalled));
        assert_eq!(stage.order(Command::Undo {}), None);
        let mut after = alerts(&stage);
        after.sort_by_key(|kind| before.iter().position(|known| known == kind));
        assert_eq!((after, record(&stage).result, results(&stage)), (before, None, vec![]));
        stage.wait(70_000);
        assert_eq!(record(&stage).result, Some(WON));
    }
}

#[test]
fn the_next_game_does_not_lose_a_mate_that_waits_for_a_notice() {
    let mut stage = touched_mate();
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(stage.order(Command::Position { fen: fen.to_owned() }), None);
    assert_eq!(results(&stage), [Some(GameResult::WhiteWins)]);
    let ended = stage.durable.iter().position(|stamped| matches!(stamped.event, Event::Result { .. }));
    let begun = stage.durable.iter().rposition(|stamped| matches!(stamped.event, Event::GameStarted { .. }));
    assert!(ended < begun);
}

#[test]
fn a_draw_waits_like_a_mate() {
    let mut stage = begin("fide-2023", "7k/8/8/8/8/8/8/R5K1 w - - 149 90");
    play(&mut stage, "a1- c2R");
    let pending = alert(&stage, SeventyFive);
    let text = pending.text.to_string();
    assert!(text.starts_with("end_waits, end (seventy_five), for (waits-ruling, san Ra1-c2"), "{text}");
    assert_eq!((required(&pending).as_str(), pending.articles), ("rule_first", vec!["9.6.2".into()]));
    let id = alert(&stage, IllegalMove).id;
    assert_eq!(stage.order(Command::LetStand { alert: id }), None);
    let settled = alert(&stage, SeventyFive);
    assert_eq!((settled.text.key.as_str(), required(&settled).as_str()), ("seventy_five", "draw"));
}

/// The second press without a move loses, but against a bare king it is a draw (7.5.5).
#[test]
fn a_losing_penalty_depends_on_whether_the_opponent_can_mate() {
    for (fen, last) in [("7k/8/8/8/8/8/P7/K7 w - - 0 1", "draw"), ("7k/7p/8/8/8/8/P7/K7 w - - 0 1", "loses")] {
        let mut stage = begin("fide-2023", fen);
        for expected in ["add 120", last] {
            press(&mut stage, ClockHalf::Right);
            stage.wait(3_000);
            let alert = record(&stage).alerts.iter().rfind(|alert| alert.kind == PressWithoutMove).expect("an alert");
            assert_eq!((alert.by, required(alert).as_str()), (Some(White), expected));
            press(&mut stage, ClockHalf::Left);
            stage.wait(3_000);
        }
    }
}

#[test]
fn both_flags_are_one_alert() {
    for (laws, article) in
        [("fide-2009", "6.11"), ("fide-2014", "6.11"), ("fide-2018", "Guidelines III.3.1"), ("fide-2023", "Guidelines III.3.1")]
    {
        let mut stage = begin(laws, MATE);
        flags(&mut stage, ClockHalf::Left, (true, true));
        assert_eq!(alerts(&stage), [FlagFall]);
        let both = alert(&stage, FlagFall);
        assert_eq!((both.by, both.text.key.as_str(), required(&both).as_str()), (None, "both_flags", "go_on_or_draw"));
        assert_eq!(both.articles, [article]);
        // One after the other.
        let mut stage = begin(laws, MATE);
        flags(&mut stage, ClockHalf::Left, (false, true));
        assert_eq!((alert(&stage, FlagFall).by, required(&alert(&stage, FlagFall)).as_str()), (Some(Black), "loses"));
        flags(&mut stage, ClockHalf::Left, (true, true));
        assert_eq!(alerts(&stage), [FlagFall]);
        let both = alert(&stage, FlagFall);
        assert_eq!(both.text.to_string(), "both_flags_first, player black");
        // The flag that fell first is known.
        assert_eq!((both.by, required(&both).as_str()), (Some(Black), "loses"));
        flags(&mut stage, ClockHalf::Left, (false, false));
        assert_eq!(alerts(&stage), []);
    }
}

#[test]
fn with_few_arbiters_a_flag_counts_only_on_a_claim() {
    let mut stage = begin("fide-2009 rapid limited", MATE);
    flags(&mut stage, ClockHalf::Left, (true, false));
    let flag_alert = alert(&stage, FlagFall);
    assert_eq!((required(&flag_alert).as_str(), flag_alert.articles[0].as_str()), ("no_signal, on_claim", "A.4(d)"));
    let mut stage = begin("fide-2009 rapid", MATE);
    flags(&mut stage, ClockHalf::Left, (true, false));
    assert_eq!(required(&alert(&stage, FlagFall)), "loses");
}

/// The id, the time and the required actions of all alerts of this kind that were raised.
fn raised_alerts(stage: &Stage, kind: AlertKind) -> Vec<(u32, u64, String)> {
    let raised = stage.durable.iter().filter_map(|stamped| match &stamped.event {
        Event::AlertRaised(alert) if alert.kind == kind => Some((alert.id, stamped.at, required(alert))),
        _ => None,
    });
    raised.collect()
}

#[test]
fn an_alert_is_raised_at_once_and_amended_when_the_search_has_ended() {
    for (fen, flag, expected) in [(LONG, (false, true), "loses"), (UNDECIDED, (true, false), "loses_or_draw")] {
        for restarts in [false, true] {
            let mut stage = begin("fide-2023", fen);
            flags(&mut stage, ClockHalf::Left, flag);
            assert_eq!(required(&alert(&stage, FlagFall)), "await_search");
            if restarts {
                restart(&mut stage);
            }
            stage.wait(20_000);
            let raised_alerts = raised_alerts(&stage, FlagFall);
            let [(id, raised, first), (amended_id, amended, last)] = raised_alerts.as_slice() else {
                panic!("{raised_alerts:?}")
            };
            assert_eq!((first.as_str(), last.as_str(), id), ("await_search", expected, amended_id));
            assert!(raised < amended, "{raised_alerts:?}");
            assert_eq!(required(&alert(&stage, FlagFall)), expected);
            assert_eq!(record(&stage).alerts.iter().filter(|alert| alert.kind == FlagFall).count(), 1);
        }
    }
}

#[test]
fn a_short_search_is_over_before_the_alert() {
    let mut stage = begin("fide-2023", WALL);
    flags(&mut stage, ClockHalf::Left, (true, false));
    assert_eq!(required(&alert(&stage, FlagFall)), "draw");
    stage.wait(1_000);
    assert_eq!(required(&alert(&stage, DeadPosition)), "draw");
}

/// An amendment does not count again.
#[test]
fn an_amended_alert_is_counted_once() {
    let mut stage = begin("fide-2023", UNDECIDED);
    for _ in 0..2 {
        press(&mut stage, ClockHalf::Right);
        stage.wait(1_600);
        press(&mut stage, ClockHalf::Left);
    }
    assert_eq!(record(&stage).tally.count(White), 2);
    stage.wait(20_000);
    let raised_alerts = raised_alerts(&stage, PressWithoutMove);
    let acts: Vec<&str> = raised_alerts.iter().map(|(_, _, required)| required.as_str()).collect();
    assert_eq!(acts, ["add 120", "await_search", "loses_or_draw"]);
    assert_eq!((record(&stage).tally.count(White), record(&stage).alerts_raised), (2, 2));
}

/// The same inputs during searches, with the table woken only by the inputs, at its deadlines, and at every millisecond.
#[test]
fn a_search_does_not_depend_on_when_the_table_is_woken() {
    let run = |wake: fn(&mut Stage, u64)| {
        let mut stage = begin("fide-2023", UNDECIDED);
        let flag = |stage: &mut Stage, ms: u64| {
            wake(stage, ms);
            let half = |flag| HalfTime { ms: if flag { 0 } else { 300_000 }, flag };
            let (left, right, turn) = (half(true), half(false), ClockHalf::Left);
            let clock =
                ClockReading { left, right, turn, running: true, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
            stage.take(Input::Reading(Reading::Clock(Some(clock))));
        };
        [100, 7, 13, 20].into_iter().for_each(|ms| flag(&mut stage, ms));
        for words in ["g3-", "f3K", "e5-", "d5k"] {
            wake(&mut stage, 17);
            stage.play(words, 0);
        }
        wake(&mut stage, 20_000);
        stage.wait(0);
        stage.durable.iter().map(wire::to_json).collect::<Vec<_>>()
    };
    let by_inputs = run(|stage, ms| stage.now += ms);
    let by_deadlines = run(|stage, ms| {
        let until = stage.now + ms;
        while let Some(due) = stage.table.next_deadline().filter(|due| *due <= until) {
            stage.wait(due.saturating_sub(stage.now));
        }
        stage.now = until;
    });
    let by_time = run(|stage, ms| (0..ms).for_each(|_| stage.wait(1)));
    let at = |word: &str| by_inputs.iter().position(|event| event.contains(word)).unwrap_or_else(|| panic!("{by_inputs:#?}"));
    assert!(at("await_search") < at("\"Kf3\"") && at("\"Kf3\"") < at("loses_or_draw"), "{by_inputs:#?}");
    assert_eq!(by_inputs, by_deadlines);
    assert_eq!(by_inputs, by_time);
}
