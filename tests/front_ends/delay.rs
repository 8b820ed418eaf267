//! When events become public: the delay line alone, and touchmoved's broadcast name.

mod broadcast;
mod policy;
mod write_ahead;

use policy::Step;
use proptest::prelude::*;
use std::collections::HashSet;
use touchmove::game::command::Command;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::record::{Ply, PlyState};
use touchmove::game::{
    Alert, AlertKind, CompletedBy, Confidence, CorrectionReason, Delay, DelayLine, DelayPolicy, Event, GameResult,
    IllegalMoves, PlayedMove, Record, ResultReason, StampedEvent, Text,
};

fn played(uci: &str) -> PlayedMove {
    PlayedMove { uci: uci.into(), san: uci.into(), fen: uci.into(), irregular: false, evidence: Vec::new() }
}

fn game_started() -> Event {
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
    Event::AlertRaised(Box::new(Alert {
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
        evidence_kind: None,
        touches: Vec::new(),
        put_right: None,
        proposed: Vec::new(),
    }))
}

fn commanded(command: Command) -> Event {
    Event::Commanded { command, by: "the arbiter".into() }
}

fn ended(result: Option<GameResult>) -> Event {
    Event::Result { result, reason: ResultReason::Arbiter }
}

/// An event as one word.
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

/// Checks which events are released at which times, for events at these times.
fn check(delay: Delay, input: &[(i64, Event)], released: &[(i64, &str)]) {
    check_with(delay, IllegalMoves::Hold, input, released);
}

fn check_with(delay: Delay, illegal_moves: IllegalMoves, input: &[(i64, Event)], released: &[(i64, &str)]) {
    let steps = input.iter().map(|(at, event)| (*at, Step::Event(event.clone())));
    check_steps(DelayPolicy { delay, illegal_moves }, steps, released);
}

/// Checks which events are released at which times, for events and changes of the policy at these times.
fn check_steps(policy: DelayPolicy, steps: impl IntoIterator<Item = (i64, Step)>, released: &[(i64, &str)]) {
    let mut line = DelayLine::new(policy.delay, policy.illegal_moves);
    let mut actual = Vec::new();
    // The deadline of an event that waited for another one may have passed when that one happens.
    let mut release_due = |line: &mut DelayLine, since: i64, until: i64| {
        let mut time = since;
        while let Some(at) = line.next_deadline().filter(|at| *at <= until) {
            time = time.max(at);
            actual.push((time, word(&line.pop(time).unwrap().event)));
        }
    };
    let mut now = 0;
    for (at, step) in steps {
        release_due(&mut line, now, at);
        now = at;
        match step {
            Step::Event(event) => line.push(now, StampedEvent { at: 0, number: Some(1), event }),
            Step::Policy(policy) => line.set_policy(policy),
        }
    }
    release_due(&mut line, now, i64::MAX);
    let released: Vec<(i64, String)> = released.iter().map(|(at, word)| (*at, (*word).to_owned())).collect();
    assert_eq!(actual, released);
}

const LATE: Delay = Delay { ms: 100, plies: 0 };

#[test]
fn without_a_delay_everything_is_released_at_once() {
    check(
        Delay::default(),
        &[(0, game_started()), (5, move_made(1, "a")), (7, corrected(1, &["b"]))],
        &[(0, "start"), (5, "1.a"), (7, "<1 b")],
    );
}

#[test]
fn events_are_released_when_they_are_old_enough() {
    let done = Event::MoveCompleted { ply: 1, by: CompletedBy::Clock, clocks: ClockTimes::default() };
    let draw = ended(Some(GameResult::Draw));
    check(
        LATE,
        &[(0, game_started()), (10, move_made(1, "a")), (12, done), (500, draw)],
        &[(100, "start"), (110, "1.a"), (112, "1!"), (600, "1/2-1/2")],
    );
}

#[test]
fn only_the_correction_of_an_unreleased_move_is_released() {
    // Neither b nor the correction is released, and c only when it is old enough itself.
    check(LATE, &[(0, move_made(1, "a")), (10, move_made(2, "b")), (50, corrected(2, &["c"]))], &[(100, "1.a"), (150, "2.c")]);
    // A released move is corrected as it is for the arbiter, and unreleased moves are not.
    let input =
        [(0, move_made(1, "a")), (90, move_made(2, "b")), (120, corrected(1, &["d", "e"])), (130, corrected(2, &["f"]))];
    check(LATE, &input, &[(100, "1.a"), (220, "<1 d"), (230, "2.f")]);
    // An unreleased move that was taken back is never released.
    check(LATE, &[(0, move_made(1, "a")), (10, move_made(2, "b")), (20, corrected(2, &[]))], &[(100, "1.a")]);
}

#[test]
fn a_result_that_is_withdrawn_in_time_is_never_released() {
    let (win, none) = (ended(Some(GameResult::WhiteWins)), ended(None));
    check(LATE, &[(0, move_made(1, "a")), (10, win.clone()), (20, none.clone())], &[(100, "1.a")]);
    check(LATE, &[(0, win), (150, none)], &[(100, "1-0"), (250, "*")]);
}

#[test]
fn a_move_waits_for_the_plies_after_it_until_the_game_ends() {
    let delay = Delay { ms: 100, plies: 2 };
    let moves = [(0, move_made(1, "a")), (10, move_made(2, "b")), (300, move_made(3, "c")), (310, move_made(4, "d"))];
    // The first deadline may have passed when the third ply releases the first one.
    let mut line = DelayLine::new(delay, IllegalMoves::Hold);
    let mut actual = Vec::new();
    for (at, event) in moves.into_iter().chain([(900, ended(Some(GameResult::Draw)))]) {
        actual.extend(std::iter::from_fn(|| line.pop(at)).map(|stamped| (at, word(&stamped.event))));
        line.push(at, StampedEvent { at: 0, number: Some(1), event });
    }
    actual.extend(std::iter::from_fn(|| line.pop(900)).map(|stamped| (900, word(&stamped.event))));
    let actual: Vec<(i64, &str)> = actual.iter().map(|(at, word)| (*at, word.as_str())).collect();
    assert_eq!(actual, [(310, "1.a"), (900, "2.b"), (900, "3.c"), (900, "4.d")]);
    // The result is not older than the delay yet.
    assert_eq!((line.pop(999).map(drop), line.next_deadline()), (None, Some(1_000)));
}

/// 1. a b, and the illegal move c; its alert has the id 7.
fn illegal_game() -> Vec<(i64, Event)> {
    let moves = [(0, move_made(1, "a")), (1, completed(1)), (10, move_made(2, "b")), (11, completed(2))];
    let illegal = [(20, illegal(3, "c")), (21, completed(3)), (22, alert(7, AlertKind::IllegalMove, 3))];
    moves.into_iter().chain(illegal).collect()
}

const BEFORE: [(i64, &str); 4] = [(0, "1.a"), (1, "1!"), (10, "2.b"), (11, "2!")];

/// Checks what is released after [`BEFORE`] when `then` follows on [`illegal_game`].
fn check_after_illegal(delay: Delay, then: &[(i64, Event)], released: &[(i64, &str)]) {
    let delayed = |(at, word): &(i64, &'static str)| (at + delay.ms as i64, *word);
    let expect: Vec<(i64, &str)> = BEFORE.iter().map(delayed).chain(released.iter().copied()).collect();
    check(delay, &[illegal_game(), then.to_vec()].concat(), &expect);
}

#[test]
fn an_illegal_move_is_held_until_it_is_in_force() {
    let no_delay = Delay::default();
    // The public game ends before it.
    check_after_illegal(no_delay, &[(30, move_made(4, "d")), (31, completed(4))], &[]);
    // The arbiter lets it stand: it is released with the events since.
    let let_stand = commanded(Command::LetStand { alert: 7 });
    let held = [(50, "3.c"), (50, "3!"), (50, "4.d")];
    check_after_illegal(no_delay, &[(30, move_made(4, "d")), (50, let_stand.clone())], &held);
    // It stays in force by the Laws, because the opponent has replied.
    let stands_by_laws = alert(8, AlertKind::IllegalStands, 3);
    check_after_illegal(no_delay, &[(30, move_made(4, "d")), (50, stands_by_laws)], &held);
    // A command about something else is not a ruling on it.
    let others = [
        commanded(Command::Acknowledge { alert: 7 }),
        commanded(Command::LetStand { alert: 6 }),
        alert(8, AlertKind::FlagFall, 3),
    ];
    check_after_illegal(no_delay, &others.map(|event| (50, event)), &[]);
    // A ruling that is undone before it is released has no effect; afterwards nothing is undone.
    let undone = [(60, commanded(Command::Undo {})), (61, alert(8, AlertKind::IllegalMove, 3)), (70, move_made(4, "d"))];
    let delayed = Delay { ms: 100, plies: 0 };
    check_after_illegal(delayed, &[&[(50, let_stand.clone())][..], &undone].concat(), &[]);
    // Another command is undone.
    let notice = |id| alert(id, AlertKind::TouchMove, 3);
    let other = [notice(9), commanded(Command::Acknowledge { alert: 9 }), commanded(Command::Undo {}), notice(10)]
        .map(|event| (60, event));
    check_after_illegal(delayed, &[&[(50, let_stand.clone())][..], &other].concat(), &[(120, "3.c"), (121, "3!")]);
    // A ruling does not apply to another illegal move.
    let moves = vec![PlayedMove { irregular: true, ..played("h") }];
    let another = (60, Event::MovesCorrected { from_ply: 3, moves, reason: CorrectionReason::Evidence });
    for let_stand in [let_stand.clone(), alert(8, AlertKind::IllegalStands, 3)] {
        check_after_illegal(delayed, &[(50, let_stand), another.clone()], &[]);
    }
    check_after_illegal(no_delay, &[&[(50, let_stand)][..], &undone].concat(), &[(50, "3.c"), (50, "3!"), (70, "4.d")]);
}

#[test]
fn a_corrected_illegal_move_is_never_released() {
    let no_delay = Delay::default();
    // The position is restored, and another move is made.
    let restored = [
        (30, move_made(4, "d")),
        (50, commanded(Command::Restore { ply: 3 })),
        (50, corrected(3, &[])),
        (60, move_made(3, "e")),
        (70, illegal(4, "f")),
    ];
    check_after_illegal(no_delay, &restored, &[(60, "3.e")]);
    // It is replaced, and the moves since then stay.
    let replaced = [(30, move_made(4, "d")), (50, corrected(3, &["e", "d"])), (50, completed(3)), (60, move_made(5, "g"))];
    check_after_illegal(no_delay, &replaced, &[(50, "3.e"), (50, "4.d"), (50, "3!"), (60, "5.g")]);
    // A correction of released moves contains as much as may be public.
    let played = |(uci, irregular): (&str, bool)| PlayedMove { irregular, ..played(uci) };
    let moves = [("h", false), ("i", true), ("j", false)].map(played).into();
    let correction = Event::MovesCorrected { from_ply: 2, moves, reason: CorrectionReason::Evidence };
    check_after_illegal(no_delay, &[(50, correction.clone())], &[(50, "<2 h")]);
    let ruled = [(50, correction), (60, alert(8, AlertKind::IllegalStands, 3))];
    check_after_illegal(no_delay, &ruled, &[(50, "<2 h"), (60, "3.i"), (60, "4.j")]);
}

#[test]
fn a_game_without_an_arbiter_is_released_after_further_moves() {
    let no_delay = Delay::default();
    let completed_move = |ply: u32, uci: &str| [(ply as i64 * 10, move_made(ply, uci)), (ply as i64 * 10 + 1, completed(ply))];
    let played_on = [completed_move(4, "d"), completed_move(5, "e"), completed_move(6, "f"), completed_move(7, "g")].concat();
    let held = ["3.c", "3!", "4.d", "4!", "5.e", "5!", "6.f", "6!"].map(|word| (61, word));
    check_after_illegal(no_delay, &played_on, &[&held[..], &[(70, "7.g"), (71, "7!")]].concat());
    // Together with a delay by plies it is released when both allow it.
    let delay = Delay { ms: 0, plies: 4 };
    let mut line = DelayLine::new(delay, IllegalMoves::Hold);
    let mut released = Vec::new();
    for (at, event) in [illegal_game(), played_on].concat() {
        line.push(at, StampedEvent { at: 0, number: Some(1), event });
        released.extend(std::iter::from_fn(|| line.pop(at)).map(|stamped| (at, word(&stamped.event))));
    }
    let released: Vec<(i64, &str)> = released.iter().map(|(at, word)| (*at, word.as_str())).collect();
    assert_eq!(released, [(50, "1.a"), (50, "1!"), (60, "2.b"), (60, "2!"), (70, "3.c"), (70, "3!")]);
    // After a second illegal move its opponent has to complete two more moves.
    let second_illegal = [
        completed_move(4, "d").to_vec(),
        vec![(50, illegal(5, "e")), (51, completed(5))],
        completed_move(6, "f").to_vec(),
        completed_move(7, "g").to_vec(),
    ];
    let first = ["3.c", "3!", "4.d", "4!"].map(|word| (61, word));
    check_after_illegal(no_delay, &second_illegal.concat(), &first);
    // The side that moved follows from the position after the move: White moved twice.
    let with_mover = |event: Event, white: bool| match event {
        Event::MoveMade { ply, played, confidence, alternatives } => {
            let fen = format!("8/8/8/8/8/8/8/8 {} - - 0 1", if white { "b" } else { "w" });
            Event::MoveMade { ply, played: PlayedMove { fen, ..played }, confidence, alternatives }
        }
        other => other,
    };
    let input = [
        with_mover(illegal(1, "a"), true),
        with_mover(illegal(2, "b"), true),
        with_mover(move_made(3, "c"), false),
        completed(3),
        with_mover(move_made(4, "d"), true),
        completed(4),
    ];
    check(no_delay, &input.map(|event| (0, event)), &[]);
}

#[test]
fn the_end_of_the_game_releases_everything() {
    let over = ended(Some(GameResult::BlackWins));
    check_after_illegal(Delay::default(), &[(50, over.clone())], &[(50, "3.c"), (50, "3!"), (50, "0-1")]);
    // A result that is withdrawn in time releases nothing.
    check_after_illegal(LATE, &[(50, over.clone()), (60, ended(None))], &[]);
    check_after_illegal(LATE, &[(50, over)], &[(120, "3.c"), (121, "3!"), (150, "0-1")]);
    // Another game on the board ends it, too.
    let mut line = DelayLine::new(Delay::default(), IllegalMoves::Hold);
    illegal_game().into_iter().for_each(|(at, event)| line.push(at, StampedEvent { at: 0, number: Some(1), event }));
    assert_eq!(std::iter::from_fn(|| line.pop(50)).count(), 4);
    line.end();
    assert_eq!(std::iter::from_fn(|| line.pop(50)).map(|stamped| word(&stamped.event)).collect::<Vec<_>>(), ["3.c", "3!"]);
}

#[test]
fn with_illegal_moves_shown_they_are_released_like_others() {
    let expect: Vec<(i64, &str)> = BEFORE.into_iter().chain([(20, "3.c"), (21, "3!"), (30, "4.d")]).collect();
    let input = [illegal_game(), vec![(30, move_made(4, "d"))]].concat();
    check_with(Delay::default(), IllegalMoves::Show, &input, &expect);
}

/// A random step of a game; numbers count back from the last ply.
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

/// A game of random steps, with its events for the arbiter.
struct Play {
    live: Record,
    now: i64,
    number: u64,
    /// The number of moves so far, so that each gets a unique name.
    count: u32,
}

impl Play {
    fn begin() -> Play {
        Play {
            live: Record::begin(&StampedEvent { at: 0, number: Some(1), event: game_started() }).unwrap(),
            now: 0,
            number: 1,
            count: 0,
        }
    }

    fn new_move(&mut self, irregular: bool) -> PlayedMove {
        self.count += 1;
        PlayedMove { irregular, ..played(&format!("m{}", self.count)) }
    }

    /// Performs a step; returns its published events.
    fn perform(&mut self, act: &Act) -> Vec<StampedEvent> {
        let length = self.live.plies.len() as u32;
        let alert_id = self.live.alerts_raised + 1;
        let mut events = match act {
            Act::Move { illegal } => {
                let event = Event::MoveMade {
                    ply: length + 1,
                    played: self.new_move(*illegal),
                    confidence: Confidence::CERTAIN,
                    alternatives: Vec::new(),
                };
                vec![event]
            }
            Act::Complete(back) => vec![completed(length.saturating_sub(*back))],
            Act::Correct(back, moves) => {
                let moves = moves.iter().map(|irregular| self.new_move(*irregular)).collect();
                let from_ply = length.saturating_sub(*back) + 1;
                vec![Event::MovesCorrected { from_ply, moves, reason: CorrectionReason::Evidence }]
            }
            Act::LetStand(back) => {
                let ply = length.saturating_sub(*back);
                let is_illegal = self.live.ply(ply).is_some_and(|ply| ply.played.irregular);
                let events_of_ruling =
                    [alert(alert_id, AlertKind::IllegalMove, ply), commanded(Command::LetStand { alert: alert_id })];
                if is_illegal { events_of_ruling.into() } else { Vec::new() }
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

    /// The illegal moves without a ruling, according to the record.
    fn unruled(&self, by_laws: &HashSet<String>) -> HashSet<String> {
        let is_completed = |ply: &Ply| matches!(ply.state, PlyState::Completed { .. });
        let plies = self.live.plies.iter().enumerate();
        let unruled = plies.filter(|(index, ply)| {
            let replies = self.live.plies.iter().skip(index + 1).step_by(2).filter(|ply| is_completed(ply)).count();
            let is_in_force = self.live.let_stand_plies.contains(&(*index as u32 + 1)) || by_laws.contains(&ply.played.uci);
            ply.played.irregular && !is_in_force && replies < 2 && self.live.result.is_none()
        });
        unruled.map(|(_, ply)| ply.played.uci.clone()).collect()
    }
}

/// The live state at a time: moves by their index, and the result.
type LiveState = (i64, HashSet<(usize, String)>, Option<GameResult>);

fn moves(record: &Record) -> Vec<String> {
    record.plies.iter().map(|ply| ply.played.uci.clone()).collect()
}

fn acts() -> impl Strategy<Value = Vec<(i64, Act)>> {
    proptest::collection::vec((0i64..80, act()), 1..60)
}

proptest! {
    #[test]
    fn events_are_released_neither_early_nor_incompletely(acts in acts(), ms in 0u64..200, plies in 0u32..4) {
        let mut line = DelayLine::new(Delay { ms, plies }, IllegalMoves::Hold);
        let first = StampedEvent { at: 0, number: Some(1), event: game_started() };
        let mut public = Record::begin(&first).unwrap();
        let mut play = Play::begin();
        let mut states: Vec<LiveState> = Vec::new();
        // The names of the moves that stay in force by the Laws.
        let mut by_laws = HashSet::new();
        for (pause, act) in acts {
            play.now += pause;
            let now = play.now;
            while let Some(stamped) = line.pop(now) {
                let before = moves(&public);
                public.apply(&stamped);
                let is_old_enough = |at: i64| at.saturating_add_unsigned(ms) <= now;
                let unruled = play.unruled(&by_laws);
                for (index, uci) in moves(&public).into_iter().enumerate() {
                    prop_assert!(states.iter().any(|(at, moves, _)| is_old_enough(*at) && moves.contains(&(index, uci.clone()))));
                    prop_assert!(before.contains(&uci) || !unruled.contains(&uci), "{uci} was released, without a ruling: {unruled:?}");
                }
                let result = public.result.map(|(result, _)| result);
                prop_assert!(result.is_none() || states.iter().any(|(at, _, live_result)| is_old_enough(*at) && *live_result == result));
            }
            if let Act::StandsByLaws(back) = act {
                let ply = play.live.ply((play.live.plies.len() as u32).saturating_sub(back));
                by_laws.extend(ply.map(|ply| ply.played.uci.clone()));
            }
            for stamped in play.perform(&act) {
                line.push(now, stamped);
            }
            let result = play.live.result.map(|(result, _)| result);
            states.push((now, moves(&play.live).into_iter().enumerate().collect(), result));
        }
        line.end();
        while let Some(stamped) = line.pop(i64::MAX) {
            public.apply(&stamped);
        }
        prop_assert_eq!(moves(&public), moves(&play.live));
        prop_assert_eq!(public.result.map(|(result, _)| result), play.live.result.map(|(result, _)| result));
    }

    /// Under any new configuration: nothing is withdrawn, and nothing that was held or corrected in time is released.
    #[test]
    fn a_restart_releases_exactly_what_was_released(
        acts in acts(),
        ms in 0u64..200,
        plies in 0u32..4,
        other in (0u64..200, 0u32..4, any::<bool>()),
    ) {
        let mut line = DelayLine::new(Delay { ms, plies }, IllegalMoves::Hold);
        let (mut play, mut pushed, mut released) = (Play::begin(), Vec::new(), Vec::new());
        for (pause, act) in acts {
            play.now += pause;
            released.extend(std::iter::from_fn(|| line.pop(play.now)));
            for stamped in play.perform(&act) {
                line.push(play.now, stamped.clone());
                pushed.push(stamped);
            }
        }
        let (ms, plies, hold) = other;
        let illegal_moves = if hold { IllegalMoves::Hold } else { IllegalMoves::Show };
        let mut restarted = DelayLine::replay(Delay { ms, plies }, illegal_moves, line.released());
        let mut released_again = Vec::new();
        for stamped in pushed {
            released_again.extend(std::iter::from_fn(|| restarted.pop(play.now)));
            restarted.push(play.now, stamped);
        }
        released_again.extend(std::iter::from_fn(|| restarted.pop(play.now)));
        prop_assert_eq!(released_again, released);
        prop_assert_eq!(restarted.released(), line.released());
        // The pending events are the same, too.
        restarted.end_replay();
        restarted.end();
        line.end();
        let rest = |line: &mut DelayLine| std::iter::from_fn(|| line.pop(i64::MAX)).collect::<Vec<_>>();
        prop_assert_eq!(rest(&mut restarted), rest(&mut line));
    }
}
