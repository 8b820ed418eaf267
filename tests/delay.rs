//! What the public learns, and when: the line by itself, and touchmoved's second name.

use crate::hall::{Hall, client, made, seen};
use crate::harness::{Daemon, until};
use proptest::prelude::*;
use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};
use touchmove::game::command::Command;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::{
    CompletedBy, Confidence, CorrectionReason, Delay, DelayLine, Event, GameResult, Played, Record, ResultReason, Stamped,
};
use touchmove::publish::dbus::Stream;

fn played(uci: &str) -> Played {
    Played { uci: uci.into(), san: uci.into(), fen: uci.into(), irregular: false, evidence: Vec::new() }
}

fn begun() -> Event {
    Event::GameStarted { fen: "start".into(), chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright }
}

fn move_made(ply: u32, uci: &str) -> Event {
    Event::MoveMade { ply, played: played(uci), confidence: Confidence(900), alternatives: Vec::new() }
}

fn corrected(from_ply: u32, ucis: &[&str]) -> Event {
    let moves = ucis.iter().map(|uci| played(uci)).collect();
    Event::MovesCorrected { from_ply, moves, reason: CorrectionReason::Evidence }
}

fn ended(result: Option<GameResult>) -> Event {
    Event::Result { result, reason: ResultReason::Arbiter }
}

/// One word for an event.
fn word(event: &Event) -> String {
    match event {
        Event::GameStarted { .. } => "start".into(),
        Event::MoveMade { ply, played, .. } => format!("{ply}.{}", played.uci),
        Event::MoveCompleted { ply, .. } => format!("{ply}!"),
        Event::MovesCorrected { from_ply, moves, .. } => {
            format!("<{from_ply} {}", moves.iter().map(|played| played.uci.as_str()).collect::<Vec<_>>().join(" "))
        }
        Event::Result { result, .. } => result.map_or("*", GameResult::as_str).into(),
        other => format!("{other:?}"),
    }
}

/// What leaves at which time, when these happen at these times.
fn check(delay: Delay, happens: &[(i64, Event)], leaves: &[(i64, &str)]) {
    let mut line = DelayLine::new(delay);
    let mut told = Vec::new();
    let mut let_out = |line: &mut DelayLine, until: i64| {
        while let Some(at) = line.next_deadline().filter(|at| *at <= until) {
            told.push((at, word(&line.pop(at).unwrap().event)));
        }
    };
    for (at, event) in happens {
        let_out(&mut line, *at);
        line.push(*at, Stamped { at: 0, number: Some(1), event: event.clone() });
    }
    let_out(&mut line, i64::MAX);
    let leaves: Vec<(i64, String)> = leaves.iter().map(|(at, word)| (*at, (*word).to_owned())).collect();
    assert_eq!(told, leaves);
}

const LATE: Delay = Delay { ms: 100, plies: 0 };

#[test]
fn without_a_delay_everything_leaves_at_once() {
    check(
        Delay::default(),
        &[(0, begun()), (5, move_made(1, "a")), (7, corrected(1, &["b"]))],
        &[(0, "start"), (5, "1.a"), (7, "<1 b")],
    );
}

#[test]
fn everything_leaves_when_it_is_old_enough() {
    let done = Event::MoveCompleted { ply: 1, by: CompletedBy::Clock, clocks: ClockTimes::default() };
    let draw = ended(Some(GameResult::Draw));
    check(
        LATE,
        &[(0, begun()), (10, move_made(1, "a")), (12, done), (500, draw)],
        &[(100, "start"), (110, "1.a"), (112, "1!"), (600, "1/2-1/2")],
    );
}

#[test]
fn of_what_is_corrected_before_it_left_only_the_correction_leaves() {
    // Nobody learns of b, nor that there was a correction: and c not before it is old enough itself.
    check(LATE, &[(0, move_made(1, "a")), (10, move_made(2, "b")), (50, corrected(2, &["c"]))], &[(100, "1.a"), (150, "2.c")]);
    // What has left is corrected as it is for the arbiter, and what was to leave after it is not.
    let happens =
        [(0, move_made(1, "a")), (90, move_made(2, "b")), (120, corrected(1, &["d", "e"])), (130, corrected(2, &["f"]))];
    check(LATE, &happens, &[(100, "1.a"), (220, "<1 d"), (230, "2.f")]);
    // A move that was taken back never was.
    check(LATE, &[(0, move_made(1, "a")), (10, move_made(2, "b")), (20, corrected(2, &[]))], &[(100, "1.a")]);
}

#[test]
fn a_result_that_is_withdrawn_in_time_never_was() {
    let (win, none) = (ended(Some(GameResult::WhiteWins)), ended(None));
    check(LATE, &[(0, move_made(1, "a")), (10, win.clone()), (20, none.clone())], &[(100, "1.a")]);
    check(LATE, &[(0, win), (150, none)], &[(100, "1-0"), (250, "*")]);
}

#[test]
fn a_move_waits_for_the_plies_after_it_until_the_game_ends() {
    let delay = Delay { ms: 100, plies: 2 };
    let moves = [(0, move_made(1, "a")), (10, move_made(2, "b")), (300, move_made(3, "c")), (310, move_made(4, "d"))];
    // The first deadline that a line tells of may have passed when the third ply lets the first one go.
    let mut line = DelayLine::new(delay);
    let mut told = Vec::new();
    for (at, event) in moves.into_iter().chain([(900, ended(Some(GameResult::Draw)))]) {
        told.extend(std::iter::from_fn(|| line.pop(at)).map(|stamped| (at, word(&stamped.event))));
        line.push(at, Stamped { at: 0, number: Some(1), event });
    }
    told.extend(std::iter::from_fn(|| line.pop(900)).map(|stamped| (900, word(&stamped.event))));
    let told: Vec<(i64, &str)> = told.iter().map(|(at, word)| (*at, word.as_str())).collect();
    assert_eq!(told, [(310, "1.a"), (900, "2.b"), (900, "3.c"), (900, "4.d")]);
    // The result is no older than the delay yet.
    assert_eq!((line.pop(999).map(drop), line.next_deadline()), (None, Some(1_000)));
}

/// What may happen next, in a game of so many plies.
#[derive(Clone, Debug)]
enum Act {
    Move,
    Correct(u32, u32),
    Result(Option<GameResult>),
}

fn act() -> impl Strategy<Value = Act> {
    let result = prop_oneof![Just(None), Just(Some(GameResult::Draw)), Just(Some(GameResult::WhiteWins))];
    prop_oneof![
        6 => Just(Act::Move),
        3 => (0u32..5, 0u32..5).prop_map(|(back, moves)| Act::Correct(back, moves)),
        1 => result.prop_map(Act::Result),
    ]
}

/// What was known at a time: moves by their index, and the result.
type Known = (i64, HashSet<(usize, String)>, Option<GameResult>);

proptest! {
    #[test]
    fn nothing_is_known_too_early_and_all_of_it_in_the_end(
        acts in proptest::collection::vec((0i64..80, act()), 1..60),
        ms in 0u64..200,
        plies in 0u32..4,
    ) {
        let mut line = DelayLine::new(Delay { ms, plies });
        let first = Stamped { at: 0, number: Some(1), event: begun() };
        let (mut live, mut public) = (Record::begin(&first).unwrap(), Record::begin(&first).unwrap());
        let mut known: Vec<Known> = Vec::new();
        let (mut now, mut count) = (0, 0);
        let moves = |record: &Record| -> Vec<String> { record.plies.iter().map(|ply| ply.played.uci.clone()).collect() };
        for (pause, act) in acts {
            now += pause;
            while let Some(stamped) = line.pop(now) {
                public.apply(&stamped);
                let old = |at: i64| at.saturating_add_unsigned(ms) <= now;
                for (index, uci) in moves(&public).into_iter().enumerate() {
                    prop_assert!(known.iter().any(|(at, moves, _)| old(*at) && moves.contains(&(index, uci.clone()))));
                }
                let result = public.result.map(|(result, _)| result);
                prop_assert!(result.is_none() || known.iter().any(|(at, _, told)| old(*at) && *told == result));
            }
            let mut fresh = || { count += 1; format!("m{count}") };
            let length = live.plies.len() as u32;
            let event = match act {
                Act::Move => move_made(length + 1, &fresh()),
                Act::Correct(back, moves) => {
                    let moves: Vec<String> = (0..moves).map(|_| fresh()).collect();
                    corrected(length.saturating_sub(back) + 1, &moves.iter().map(String::as_str).collect::<Vec<_>>())
                }
                Act::Result(result) => ended(result),
            };
            let stamped = Stamped { at: 0, number: Some(2), event };
            live.apply(&stamped);
            line.push(now, stamped);
            let result = live.result.map(|(result, _)| result);
            known.push((now, moves(&live).into_iter().enumerate().collect(), result));
        }
        line.end();
        while let Some(stamped) = line.pop(i64::MAX) {
            public.apply(&stamped);
        }
        prop_assert_eq!(moves(&public), moves(&live));
        prop_assert_eq!(public.result.map(|told| told.0), live.result.map(|told| told.0));
    }
}

/// A hall whose games spectators see later.
async fn late(keys: &str) -> Option<(Hall, tempfile::TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("touchmoved.toml");
    std::fs::write(&path, format!("[broadcast]\n{keys}\n")).unwrap();
    let hall = Hall::configured(&["--config", path.to_str().unwrap()]).await?;
    Some((hall, dir))
}

#[tokio::test]
async fn spectators_learn_of_a_move_when_it_is_old_enough() {
    let Some((mut hall, _dir)) = late("delay_s = 1").await else { return };
    let spectators = client(&hall.bus, Stream::Broadcast).await;
    let mut watch = spectators.watch().await.unwrap();
    let live = hall.play("e2", "e4", "e4").await;
    let told = made(&mut watch, "e4").await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    assert_eq!(told.time, live.time);
    assert!(now - live.time.unwrap() >= 1_000, "told after {} ms", now - live.time.unwrap());
}

#[tokio::test]
async fn spectators_are_plies_behind_until_the_game_ends() {
    let Some((mut hall, _dir)) = late("delay_plies = 2").await else { return };
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    let moves = async || -> Vec<String> {
        spectators.snapshot().await.unwrap().games[0].moves.iter().map(|ply| ply.san.clone()).collect()
    };
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3")] {
        hall.play(from, to, san).await;
    }
    made(&mut watch, "e4").await;
    assert_eq!(moves().await, ["e4"]);
    let pgn = spectators.pgn(hall.game).await.unwrap();
    assert!(pgn.contains("e4") && !pgn.contains("Nf3") && !pgn.contains("e5"), "{pgn}");
    hall.client.order(hall.game, &Command::Result(Some(GameResult::WhiteWins))).await.unwrap();
    seen(&mut watch, "the result", |event| event.event == "ResultChanged").await;
    assert_eq!(moves().await, ["e4", "e5", "Nf3"]);
}

/// A small computer learns the time of day after it has started: what has just happened may seem to be hours old.
#[tokio::test]
async fn a_start_lets_nothing_out_early_and_takes_nothing_back() {
    let Some((mut hall, dir)) = late("delay_plies = 1").await else { return };
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    hall.play("e2", "e4", "e4").await;
    hall.play("e7", "e5", "e5").await;
    made(&mut watch, "e4").await;
    let Hall { daemon, state, board, bus, .. } = hall;
    assert!(daemon.terminate().success());
    // As if the time of day had been ten hours behind until now.
    let journal = rusqlite::Connection::open(state.path().join(touchmove::daemon::journal::FILE)).unwrap();
    journal.execute("UPDATE event SET wall_ms = wall_ms - 36000000", []).unwrap();
    drop(journal);
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, "[broadcast]\ndelay_s = 3600\n").unwrap();
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let spectators = client(&bus, Stream::Broadcast).await;
    let moves = until("the moves that had left", async || {
        let games = spectators.snapshot().await.unwrap().games;
        let moves: Vec<String> = games.first()?.moves.iter().map(|ply| ply.san.clone()).collect();
        (!moves.is_empty()).then_some(moves)
    });
    assert_eq!(moves.await, ["e4"]);
}
