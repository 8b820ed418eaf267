//! What the public learns, and when: the line by itself, and touchmoved's second name.

use crate::hall::{Hall, client, made, seen};
use crate::harness::{Daemon, until};
use crate::isolation::log_so_far;
use proptest::prelude::*;
use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};
use touchmove::game::command::Command;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::record::{Ply, PlyState};
use touchmove::game::{
    Alert, AlertKind, CompletedBy, Confidence, CorrectionReason, Delay, DelayLine, Event, GameResult, IllegalMoves, PlayedMove,
    Record, ResultReason, StampedEvent, Text,
};
use touchmove::publish::client::{Client, WatchedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

fn played(uci: &str) -> PlayedMove {
    PlayedMove { uci: uci.into(), san: uci.into(), fen: uci.into(), irregular: false, evidence: Vec::new() }
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

fn illegal(ply: u32, uci: &str) -> Event {
    let played = PlayedMove { irregular: true, ..played(uci) };
    Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() }
}

fn completed(ply: u32) -> Event {
    Event::MoveCompleted { ply, by: CompletedBy::Clock, clocks: ClockTimes::default() }
}

fn alert(id: u32, kind: AlertKind, ply: u32) -> Event {
    Event::AlertRaised(Alert {
        id,
        kind,
        ply,
        by: None,
        articles: Vec::new(),
        squares: Vec::new(),
        text: Text::new("illegal_completed"),
        position: String::new(),
        clocks: ClockTimes::default(),
        required: Vec::new(),
        allowed: Vec::new(),
        count: None,
        evidence: Vec::new(),
    })
}

fn commanded(command: Command) -> Event {
    Event::Commanded { command, by: "the arbiter".into() }
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
    check_with(delay, IllegalMoves::Hold, happens, leaves);
}

fn check_with(delay: Delay, illegal_moves: IllegalMoves, happens: &[(i64, Event)], leaves: &[(i64, &str)]) {
    let mut line = DelayLine::new(delay, illegal_moves);
    let mut told = Vec::new();
    // The deadline of what waited for something to happen has passed when it does.
    let mut let_out = |line: &mut DelayLine, since: i64, until: i64| {
        while let Some(at) = line.next_deadline().filter(|at| *at <= until) {
            told.push((at.max(since), word(&line.pop(at).unwrap().event)));
        }
    };
    let mut now = 0;
    for (at, event) in happens {
        let_out(&mut line, now, *at);
        now = *at;
        line.push(now, StampedEvent { at: 0, number: Some(1), event: event.clone() });
    }
    let_out(&mut line, now, i64::MAX);
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
    let mut line = DelayLine::new(delay, IllegalMoves::Hold);
    let mut told = Vec::new();
    for (at, event) in moves.into_iter().chain([(900, ended(Some(GameResult::Draw)))]) {
        told.extend(std::iter::from_fn(|| line.pop(at)).map(|stamped| (at, word(&stamped.event))));
        line.push(at, StampedEvent { at: 0, number: Some(1), event });
    }
    told.extend(std::iter::from_fn(|| line.pop(900)).map(|stamped| (900, word(&stamped.event))));
    let told: Vec<(i64, &str)> = told.iter().map(|(at, word)| (*at, word.as_str())).collect();
    assert_eq!(told, [(310, "1.a"), (900, "2.b"), (900, "3.c"), (900, "4.d")]);
    // The result is no older than the delay yet.
    assert_eq!((line.pop(999).map(drop), line.next_deadline()), (None, Some(1_000)));
}

/// 1. a b, and c is not legal; its alert has the id 7.
fn broken() -> Vec<(i64, Event)> {
    let moves = [(0, move_made(1, "a")), (1, completed(1)), (10, move_made(2, "b")), (11, completed(2))];
    let illegal = [(20, illegal(3, "c")), (21, completed(3)), (22, alert(7, AlertKind::IllegalMove, 3))];
    moves.into_iter().chain(illegal).collect()
}

const BEFORE: [(i64, &str); 4] = [(0, "1.a"), (1, "1!"), (10, "2.b"), (11, "2!")];

/// What leaves after [`BEFORE`] when these follow on [`broken`].
fn after_broken(delay: Delay, then: &[(i64, Event)], leaves: &[(i64, &str)]) {
    let later = |(at, word): &(i64, &'static str)| (at + delay.ms as i64, *word);
    let expect: Vec<(i64, &str)> = BEFORE.iter().map(later).chain(leaves.iter().copied()).collect();
    check(delay, &[broken(), then.to_vec()].concat(), &expect);
}

#[test]
fn a_move_that_is_not_legal_is_held_until_it_stands() {
    let now = Delay::default();
    // The public's game ends before it.
    after_broken(now, &[(30, move_made(4, "d")), (31, completed(4))], &[]);
    // The arbiter lets it stand: it leaves with what happened since.
    let stands = commanded(Command::LetStand(7));
    let held = [(50, "3.c"), (50, "3!"), (50, "4.d")];
    after_broken(now, &[(30, move_made(4, "d")), (50, stands.clone())], &held);
    // It stands by the Laws, because the opponent has replied.
    let told = alert(8, AlertKind::IllegalStands, 3);
    after_broken(now, &[(30, move_made(4, "d")), (50, told)], &held);
    // What the arbiter says of something else is no ruling.
    let others = [commanded(Command::Acknowledge(7)), commanded(Command::LetStand(6)), alert(8, AlertKind::FlagFall, 3)];
    after_broken(now, &others.map(|event| (50, event)), &[]);
    // Taken back before it has left, the ruling never was; afterwards nothing is taken back.
    let undone = [(60, commanded(Command::Undo)), (61, alert(8, AlertKind::IllegalMove, 3)), (70, move_made(4, "d"))];
    let late = Delay { ms: 100, plies: 0 };
    after_broken(late, &[&[(50, stands.clone())][..], &undone].concat(), &[]);
    // What is taken back is something else.
    let notice = |id| alert(id, AlertKind::TouchMove, 3);
    let other = [notice(9), commanded(Command::Acknowledge(9)), commanded(Command::Undo), notice(10)].map(|event| (60, event));
    after_broken(late, &[&[(50, stands.clone())][..], &other].concat(), &[(120, "3.c"), (121, "3!")]);
    // Another move that is not legal is another matter.
    let moves = vec![PlayedMove { irregular: true, ..played("h") }];
    let another = (60, Event::MovesCorrected { from_ply: 3, moves, reason: CorrectionReason::Evidence });
    for stands in [stands.clone(), alert(8, AlertKind::IllegalStands, 3)] {
        after_broken(late, &[(50, stands), another.clone()], &[]);
    }
    after_broken(now, &[&[(50, stands)][..], &undone].concat(), &[(50, "3.c"), (50, "3!"), (70, "4.d")]);
}

#[test]
fn nobody_learns_of_a_move_that_was_put_right() {
    let now = Delay::default();
    // The position is restored, and another move is made.
    let restored = [
        (30, move_made(4, "d")),
        (50, commanded(Command::Restore { ply: 3 })),
        (50, corrected(3, &[])),
        (60, move_made(3, "e")),
        (70, illegal(4, "f")),
    ];
    after_broken(now, &restored, &[(60, "3.e")]);
    // It is replaced, and what was played since stays.
    let replaced = [(30, move_made(4, "d")), (50, corrected(3, &["e", "d"])), (50, completed(3)), (60, move_made(5, "g"))];
    after_broken(now, &replaced, &[(50, "3.e"), (50, "4.d"), (50, "3!"), (60, "5.g")]);
    // Of what the public has seen a correction tells as much as it may know.
    let played = |(uci, irregular): (&str, bool)| PlayedMove { irregular, ..played(uci) };
    let moves = [("h", false), ("i", true), ("j", false)].map(played).into();
    let correction = Event::MovesCorrected { from_ply: 2, moves, reason: CorrectionReason::Evidence };
    after_broken(now, &[(50, correction.clone())], &[(50, "<2 h")]);
    let told = [(50, correction), (60, alert(8, AlertKind::IllegalStands, 3))];
    after_broken(now, &told, &[(50, "<2 h"), (60, "3.i"), (60, "4.j")]);
}

#[test]
fn a_game_without_an_arbiter_does_not_stay_hidden() {
    let now = Delay::default();
    let on = |ply: u32, uci: &str| [(ply as i64 * 10, move_made(ply, uci)), (ply as i64 * 10 + 1, completed(ply))];
    let played_on = [on(4, "d"), on(5, "e"), on(6, "f"), on(7, "g")].concat();
    let held = ["3.c", "3!", "4.d", "4!", "5.e", "5!", "6.f", "6!"].map(|word| (61, word));
    after_broken(now, &played_on, &[&held[..], &[(70, "7.g"), (71, "7!")]].concat());
    // Together with a delay by plies it leaves when both allow it.
    let delay = Delay { ms: 0, plies: 4 };
    let mut line = DelayLine::new(delay, IllegalMoves::Hold);
    let mut left = Vec::new();
    for (at, event) in [broken(), played_on].concat() {
        line.push(at, StampedEvent { at: 0, number: Some(1), event });
        left.extend(std::iter::from_fn(|| line.pop(at)).map(|stamped| (at, word(&stamped.event))));
    }
    let left: Vec<(i64, &str)> = left.iter().map(|(at, word)| (*at, word.as_str())).collect();
    assert_eq!(left, [(50, "1.a"), (50, "1!"), (60, "2.b"), (60, "2!"), (70, "3.c"), (70, "3!")]);
    // The opponent of a second one has to complete two more.
    let again =
        [on(4, "d").to_vec(), vec![(50, illegal(5, "e")), (51, completed(5))], on(6, "f").to_vec(), on(7, "g").to_vec()];
    let first = ["3.c", "3!", "4.d", "4!"].map(|word| (61, word));
    after_broken(now, &again.concat(), &first);
    // Who made a move is said by the position after it: White moved twice.
    let by = |event: Event, white: bool| match event {
        Event::MoveMade { ply, played, confidence, alternatives } => {
            let fen = format!("8/8/8/8/8/8/8/8 {} - - 0 1", if white { "b" } else { "w" });
            Event::MoveMade { ply, played: PlayedMove { fen, ..played }, confidence, alternatives }
        }
        other => other,
    };
    let happens = [
        by(illegal(1, "a"), true),
        by(illegal(2, "b"), true),
        by(move_made(3, "c"), false),
        completed(3),
        by(move_made(4, "d"), true),
        completed(4),
    ];
    check(now, &happens.map(|event| (0, event)), &[]);
}

#[test]
fn the_end_of_the_game_lets_everything_out() {
    let over = ended(Some(GameResult::BlackWins));
    after_broken(Delay::default(), &[(50, over.clone())], &[(50, "3.c"), (50, "3!"), (50, "0-1")]);
    // A result that is withdrawn in time is none.
    after_broken(LATE, &[(50, over.clone()), (60, ended(None))], &[]);
    after_broken(LATE, &[(50, over)], &[(120, "3.c"), (121, "3!"), (150, "0-1")]);
    // Another game on the board ends it, too.
    let mut line = DelayLine::new(Delay::default(), IllegalMoves::Hold);
    broken().into_iter().for_each(|(at, event)| line.push(at, StampedEvent { at: 0, number: Some(1), event }));
    assert_eq!(std::iter::from_fn(|| line.pop(50)).count(), 4);
    line.end();
    assert_eq!(std::iter::from_fn(|| line.pop(50)).map(|stamped| word(&stamped.event)).collect::<Vec<_>>(), ["3.c", "3!"]);
}

#[test]
fn where_they_are_shown_moves_that_are_not_legal_are_like_any_other() {
    let expect: Vec<(i64, &str)> = BEFORE.into_iter().chain([(20, "3.c"), (21, "3!"), (30, "4.d")]).collect();
    let happens = [broken(), vec![(30, move_made(4, "d"))]].concat();
    check_with(Delay::default(), IllegalMoves::Show, &happens, &expect);
}

/// What may happen next, in a game of so many plies.
#[derive(Clone, Debug)]
enum Act {
    Move { illegal: bool },
    Complete(u32),
    Correct(u32, Vec<bool>),
    LetStand(u32),
    StandsByLaws(u32),
    Result(Option<GameResult>),
}

fn act() -> impl Strategy<Value = Act> {
    let result = prop_oneof![Just(None), Just(Some(GameResult::Draw)), Just(Some(GameResult::WhiteWins))];
    prop_oneof![
        6 => prop::bool::weighted(0.2).prop_map(|illegal| Act::Move { illegal }),
        5 => (0u32..3).prop_map(Act::Complete),
        3 => (0u32..5, proptest::collection::vec(prop::bool::weighted(0.2), 0..5)).prop_map(|(back, moves)| Act::Correct(back, moves)),
        1 => (0u32..5).prop_map(Act::LetStand),
        1 => (0u32..5).prop_map(Act::StandsByLaws),
        1 => result.prop_map(Act::Result),
    ]
}

/// A game in which something happens at random, with what the arbiter is told of it.
struct Play {
    live: Record,
    now: i64,
    number: u64,
    /// Moves so far, so that each has another name.
    count: u32,
}

impl Play {
    fn begin() -> Play {
        Play {
            live: Record::begin(&StampedEvent { at: 0, number: Some(1), event: begun() }).unwrap(),
            now: 0,
            number: 1,
            count: 0,
        }
    }

    fn fresh(&mut self, irregular: bool) -> PlayedMove {
        self.count += 1;
        PlayedMove { irregular, ..played(&format!("m{}", self.count)) }
    }

    /// What is published of it.
    fn happens(&mut self, act: &Act) -> Vec<StampedEvent> {
        let length = self.live.plies.len() as u32;
        let alert_id = self.live.alerts_raised + 1;
        let mut events = match act {
            Act::Move { illegal } => {
                let event = Event::MoveMade {
                    ply: length + 1,
                    played: self.fresh(*illegal),
                    confidence: Confidence::CERTAIN,
                    alternatives: Vec::new(),
                };
                vec![event]
            }
            Act::Complete(back) => vec![completed(length.saturating_sub(*back))],
            Act::Correct(back, moves) => {
                let moves = moves.iter().map(|irregular| self.fresh(*irregular)).collect();
                let from_ply = length.saturating_sub(*back) + 1;
                vec![Event::MovesCorrected { from_ply, moves, reason: CorrectionReason::Evidence }]
            }
            Act::LetStand(back) => {
                let ply = length.saturating_sub(*back);
                let is_illegal = self.live.ply(ply).is_some_and(|ply| ply.played.irregular);
                let told = [alert(alert_id, AlertKind::IllegalMove, ply), commanded(Command::LetStand(alert_id))];
                if is_illegal { told.into() } else { Vec::new() }
            }
            Act::StandsByLaws(back) => vec![alert(alert_id, AlertKind::IllegalStands, length.saturating_sub(*back))],
            Act::Result(result) => vec![ended(*result)],
        };
        let stamp = |event: Event| {
            self.number += 1;
            let stamped = StampedEvent { at: 0, number: Some(self.number), event };
            self.live.apply(&stamped);
            stamped
        };
        events.drain(..).map(stamp).collect()
    }

    /// Plies that nobody has ruled on, by the record.
    fn unruled(&self, by_laws: &HashSet<String>) -> HashSet<String> {
        let is_completed = |ply: &Ply| matches!(ply.state, PlyState::Completed { .. });
        let plies = self.live.plies.iter().enumerate();
        let unruled = plies.filter(|(index, ply)| {
            let replies = self.live.plies.iter().skip(index + 1).step_by(2).filter(|ply| is_completed(ply)).count();
            let stands = self.live.let_stand_plies.contains(&(*index as u32 + 1)) || by_laws.contains(&ply.played.uci);
            ply.played.irregular && !stands && replies < 2 && self.live.result.is_none()
        });
        unruled.map(|(_, ply)| ply.played.uci.clone()).collect()
    }
}

/// What was known at a time: moves by their index, and the result.
type Known = (i64, HashSet<(usize, String)>, Option<GameResult>);

fn moves(record: &Record) -> Vec<String> {
    record.plies.iter().map(|ply| ply.played.uci.clone()).collect()
}

fn acts() -> impl Strategy<Value = Vec<(i64, Act)>> {
    proptest::collection::vec((0i64..80, act()), 1..60)
}

proptest! {
    #[test]
    fn nothing_is_known_too_early_and_all_of_it_in_the_end(acts in acts(), ms in 0u64..200, plies in 0u32..4) {
        let mut line = DelayLine::new(Delay { ms, plies }, IllegalMoves::Hold);
        let first = StampedEvent { at: 0, number: Some(1), event: begun() };
        let mut public = Record::begin(&first).unwrap();
        let mut play = Play::begin();
        let mut known: Vec<Known> = Vec::new();
        // Those that stand by the Laws, by their names.
        let mut by_laws = HashSet::new();
        for (pause, act) in acts {
            play.now += pause;
            let now = play.now;
            while let Some(stamped) = line.pop(now) {
                let before = moves(&public);
                public.apply(&stamped);
                let old = |at: i64| at.saturating_add_unsigned(ms) <= now;
                let unruled = play.unruled(&by_laws);
                for (index, uci) in moves(&public).into_iter().enumerate() {
                    prop_assert!(known.iter().any(|(at, moves, _)| old(*at) && moves.contains(&(index, uci.clone()))));
                    prop_assert!(before.contains(&uci) || !unruled.contains(&uci), "{uci} is out, of {unruled:?}");
                }
                let result = public.result.map(|(result, _)| result);
                prop_assert!(result.is_none() || known.iter().any(|(at, _, told)| old(*at) && *told == result));
            }
            if let Act::StandsByLaws(back) = act {
                let ply = play.live.ply((play.live.plies.len() as u32).saturating_sub(back));
                by_laws.extend(ply.map(|ply| ply.played.uci.clone()));
            }
            for stamped in play.happens(&act) {
                line.push(now, stamped);
            }
            let result = play.live.result.map(|(result, _)| result);
            known.push((now, moves(&play.live).into_iter().enumerate().collect(), result));
        }
        line.end();
        while let Some(stamped) = line.pop(i64::MAX) {
            public.apply(&stamped);
        }
        prop_assert_eq!(moves(&public), moves(&play.live));
        prop_assert_eq!(public.result.map(|told| told.0), play.live.result.map(|told| told.0));
    }

    /// Whatever the configuration is then: nothing is taken back, and nothing that was held or corrected in time is let out.
    #[test]
    fn a_restart_releases_exactly_what_was_released(
        acts in acts(),
        ms in 0u64..200,
        plies in 0u32..4,
        other in (0u64..200, 0u32..4, any::<bool>()),
    ) {
        let mut line = DelayLine::new(Delay { ms, plies }, IllegalMoves::Hold);
        let (mut play, mut pushed, mut left) = (Play::begin(), Vec::new(), Vec::new());
        for (pause, act) in acts {
            play.now += pause;
            left.extend(std::iter::from_fn(|| line.pop(play.now)));
            for stamped in play.happens(&act) {
                line.push(play.now, stamped.clone());
                pushed.push(stamped);
            }
        }
        let (ms, plies, hold) = other;
        let illegal_moves = if hold { IllegalMoves::Hold } else { IllegalMoves::Show };
        let mut again = DelayLine::replay(Delay { ms, plies }, illegal_moves, line.released().clone());
        let mut left_again = Vec::new();
        for stamped in pushed {
            left_again.extend(std::iter::from_fn(|| again.pop(play.now)));
            again.push(play.now, stamped);
        }
        left_again.extend(std::iter::from_fn(|| again.pop(play.now)));
        prop_assert_eq!(left_again, left);
        prop_assert_eq!(again.released(), line.released());
        // What waits is the same, too.
        again.end_replay();
        again.end();
        line.end();
        let rest = |line: &mut DelayLine| std::iter::from_fn(|| line.pop(i64::MAX)).collect::<Vec<_>>();
        prop_assert_eq!(rest(&mut again), rest(&mut line));
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
    hall.client.send_command(hall.game, &Command::Result(Some(GameResult::WhiteWins))).await.unwrap();
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
    let journal = rusqlite::Connection::open(state.path().join(touchmove::daemon::journal::FILE_NAME)).unwrap();
    journal.execute("UPDATE event SET wall_ms = wall_ms - 36000000", []).unwrap();
    drop(journal);
    crate::journal::chained::rehash(state.path());
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

/// A king goes two squares, and the clock is pressed on it; the id of the alert.
async fn illegal_move(hall: &mut Hall, from: &str, to: &str, san: &str, clock: (u32, u32, bool)) -> u32 {
    hall.board.play(from, to);
    hall.board.clock(clock.0, clock.1, clock.2);
    made(&mut hall.watch, san).await;
    let told = |event: &WatchedEvent| event.event == "AlertRaised" && event.fields["kind"] == "illegal_move";
    seen(&mut hall.watch, "the alert", told).await.fields["id"].as_u64().unwrap() as u32
}

/// What the public can read of a game, with its events numbered as they should be.
async fn public(client: &Client, game: u64) -> (Vec<WatchedEvent>, String) {
    let events = client.events(game).await.unwrap();
    assert!(events.iter().map(|event| event.number.unwrap()).eq(1..=events.len() as u64), "{events:?}");
    let mut snapshot = client.snapshot().await.unwrap();
    // Its random digits may look like squares.
    snapshot.games.iter_mut().for_each(|game| game.incarnation.clear());
    let text = format!("{events:?} {snapshot:?} {}", client.pgn(game).await.unwrap());
    (events, text)
}

/// 1. e4 e5, with White's clock running.
async fn open_game(hall: &mut Hall) {
    hall.board.clock(3600, 3600, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(3599, 3600, false);
    hall.play("e7", "e5", "e5").await;
    hall.board.clock(3599, 3599, true);
}

#[tokio::test]
async fn spectators_hear_of_a_move_that_is_not_legal_once_it_stands() {
    let Some(mut hall) = Hall::open().await else { return };
    let game = hall.game;
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    open_game(&mut hall).await;
    // The position is restored, and the king makes another move.
    illegal_move(&mut hall, "e1", "e3", "Ke1-e3", (3598, 3599, false)).await;
    hall.client.send_command(game, &Command::Restore { ply: 3 }).await.unwrap();
    hall.board.play("e3", "e1");
    hall.board.clock(3598, 3599, true);
    hall.play("e1", "e2", "Ke2").await;
    hall.board.clock(3597, 3599, false);
    seen(&mut watch, "Ke2 to be completed", |event| event.event == "MoveCompleted" && event.fields["ply"] == 3).await;
    let (_, text) = public(&spectators, game).await;
    assert!(
        text.contains("Ke2") && !text.contains("e1e3") && !text.contains("e1-e3") && !text.contains("MovesCorrected"),
        "{text}"
    );

    // Another one, and play goes on from it: nobody has ruled yet, also after a restart.
    let alert = illegal_move(&mut hall, "e8", "e6", "Ke8-e6", (3597, 3598, true)).await;
    hall.play("g1", "f3", "Nf3").await;
    hall.board.clock(3596, 3598, false);
    let completed = |event: &WatchedEvent| event.event == "MoveCompleted" && event.fields["ply"] == 5;
    seen(&mut hall.watch, "Nf3 to be completed", completed).await;
    let (before, text) = public(&spectators, game).await;
    assert!(!text.contains("e8e6") && !text.contains("Nf3"), "{text}");
    let Hall { daemon, state, board, bus, .. } = hall;
    assert!(daemon.terminate().success());
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &[]);
    daemon.ready();
    let live = client(&bus, Stream::Live).await;
    let spectators = client(&bus, Stream::Broadcast).await;
    crate::hall::until_games(&live, &[5]).await;
    let after = until("the moves that had left", async || {
        let games = spectators.snapshot().await.unwrap().games;
        games.first().filter(|game| game.moves.len() == 3)?;
        Some(public(&spectators, game).await)
    });
    assert_eq!(after.await.0, before);

    let mut watch = spectators.watch().await.unwrap();
    live.send_command(game, &Command::LetStand(alert)).await.unwrap();
    made(&mut watch, "Ke8-e6").await;
    seen(&mut watch, "Nf3 to be completed", completed).await;
    let (events, text) = public(&spectators, game).await;
    assert_eq!(events[..before.len()], before);
    // A PGN reader is not given the move.
    assert!(text.contains("2. Ke2") && text.contains("{Not legal, and played on: 2... Ke8-e6"), "{text}");
}

#[tokio::test]
async fn a_mate_that_is_not_legal_is_reported_and_ends_the_game_when_it_is_confirmed() {
    let Some(mut hall) = Hall::open().await else { return };
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    hall.board.clock(3600, 3600, true);
    for (white, (from, to, san)) in
        (0..).map(|ply| ply % 2 == 0).zip([("e2", "e4", "e4"), ("e7", "e5", "e5"), ("f1", "c4", "Bc4"), ("b8", "c6", "Nc6")])
    {
        hall.play(from, to, san).await;
        hall.board.clock(3599, 3599, !white);
    }
    // The queen cannot go there.
    illegal_move(&mut hall, "d1", "f7", "Qd1xf7", (3598, 3599, false)).await;
    let waits = |event: &WatchedEvent| event.event == "AlertRaised" && event.fields["kind"] == "result_signalled";
    let told = seen(&mut hall.watch, "that the result waits", waits).await;
    let detail = told.fields["detail"].as_str().unwrap();
    assert!(detail.starts_with("checkmate, 1-0, waits for: "), "{detail}");
    let game = hall.client.snapshot().await.unwrap().games.remove(0);
    assert_eq!((game.result.as_str(), game.moves.len()), ("*", 5));

    hall.client.send_command(hall.game, &Command::Result(Some(GameResult::WhiteWins))).await.unwrap();
    let cleared = |event: &WatchedEvent| event.event == "AlertCleared" && event.fields["id"] == told.fields["id"];
    seen(&mut hall.watch, "the alert to be cleared", cleared).await;
    seen(&mut watch, "the result", |event| event.event == "ResultChanged" && event.fields["result"] == "1-0").await;
    let (_, text) = public(&spectators, hall.game).await;
    assert!(text.contains("Qd1xf7") && text.contains("[Result \"1-0\"]"), "{text}");
}

/// Plays a game of a round whose time control is not that of `[laws]`, with an alert on which a hook fails; `keys`: of `[broadcast]`.
async fn play_with_warnings(keys: &str) -> Option<(Hall, tempfile::TempDir)> {
    let (mut hall, dir) = late(&format!("{keys}\n[hooks]\ncommand = ['/bin/false']")).await?;
    let mut round = Round::read("white,black\nAda,Bob\n", Some(1), &TableOrder::Unknown).unwrap();
    round.time_control = Some("180+2".to_owned());
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let is_named = async || hall.client.pgn(hall.game).await.unwrap().contains("[White \"Ada\"]").then_some(());
    until("the names of the round", is_named).await;
    open_game(&mut hall).await;
    illegal_move(&mut hall, "e1", "e3", "Ke1-e3", (3598, 3599, false)).await;
    until("the hook to fail", async || {
        let trouble = hall.client.snapshot().await.unwrap().trouble;
        trouble.iter().any(|(kind, _)| kind == "hook_failed").then_some(())
    })
    .await;
    Some((hall, dir))
}

/// Parts of the warnings that [`play_with_warnings`] causes.
const WARNINGS: [&str; 2] = ["its time control 180+2 is blitz", "/bin/false"];

#[tokio::test]
async fn the_log_warns_about_play_only_where_the_public_has_no_delay() {
    let Some((hall, _dir)) = play_with_warnings("").await else { return };
    let has_all = async || WARNINGS.iter().all(|warning| hall.daemon.log().contains(warning)).then_some(());
    until("the warnings", has_all).await;
    let Some((mut hall, _dir)) = play_with_warnings("delay_plies = 2").await else { return };
    let log = log_so_far(&hall.daemon, &mut hall.board);
    for warning in WARNINGS {
        assert!(!log.contains(warning), "{warning:?} is in the log:\n{log}");
    }
}
