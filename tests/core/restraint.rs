//! Conclusions that touchmove must not draw: it concludes nothing from pieces swept off the board or from a king laid down, and it
//! completes no move before the clock is pressed, except in the cases of Article 6.2.1. Stories are as in [`crate::games`], with a clock.
//!
//! Kings in the centre, which do signal a result, are tested in `games` and `pauses`; simulated players who sweep the board, in
//! `simulate` and `score`.

use crate::core::games::{check, tell, tell_by};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use shakmaty::{Color, Square};
use touchmove::boards::{Millis, SensorKind};
use touchmove::game::{CompletedBy, Event};
use touchmove::laws::Position;
use touchmove::table::Settings;

const OPENING: &str = "e2- e4P W e7- e5p B g1- f3N W b8- c6n B";
/// The number of its events: the start of the game, and four moves made and completed.
const OPENING_EVENTS: usize = 9;

/// Asserts that a story after the opening leads at most to alerts and to a next game.
fn check_no_conclusion(sensing: SensorKind, story: &str) {
    let settings = Settings { sensing, ..Settings::default() };
    let outcome = tell_by(settings, None, true, &format!("{OPENING} ~3000 {story}"));
    let (opening, rest) = outcome.events.split_at(OPENING_EVENTS);
    assert!(
        matches!(opening[OPENING_EVENTS - 1].event, Event::MoveCompleted { ply: 4, .. }),
        "{sensing:?}: {:?}",
        outcome.told
    );
    for stamped in rest {
        let is_expected =
            matches!(stamped.event, Event::AlertRaised(_) | Event::AlertCleared { .. } | Event::GameStarted { .. });
        assert!(is_expected, "{sensing:?}, {story}: {:?}", outcome.told);
    }
}

/// The squares that are occupied after the opening.
fn occupied_squares() -> Vec<Square> {
    let opening = ["e2e4", "e7e5", "g1f3", "b8c6"];
    let position = opening.iter().fold(Position::start(), |position, uci| {
        let mv = position.parse_uci(uci).expect("a legal move");
        position.play(mv)
    });
    position.board().occupied().into_iter().collect()
}

#[test]
fn a_king_laid_down_means_nothing() {
    for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
        for king in ["e1", "e8"] {
            check_no_conclusion(sensing, &format!("{king}- ~60000"));
            check_no_conclusion(sensing, &format!("stop ~1000 {king}- ~60000"));
            check_no_conclusion(sensing, &format!("{king}- ~500 stop ~60000"));
        }
        check_no_conclusion(sensing, "stop ~1000 e1- e8- ~60000");
    }
    // The king lies on a square that it could move to, and on one that it could not.
    for laid_down in ["e1- e2K", "e1- e3K", "e8- e7k", "e8- e6k"] {
        check_no_conclusion(SensorKind::Identity, &format!("stop ~1000 {laid_down} ~60000"));
    }
}

#[test]
fn a_swept_board_means_nothing() {
    // In any order and at any pace of hands, with the clock stopped or running; then the next game may be set up.
    let sweep = (Just(occupied_squares()).prop_shuffle(), 0..200u64, any::<bool>(), any::<bool>());
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let run = runner.run(&sweep, |(order, gap, stops, next)| {
        let mut story = if stops { "stop ~2000".to_owned() } else { String::new() };
        for square in order {
            story += &format!(" {square}- ~{gap}");
        }
        story += " ~60000";
        if next {
            for (square, piece) in Position::start().board().iter() {
                story += &format!(" {square}{}", piece.char());
            }
            story += " ~3000";
        }
        check_no_conclusion(SensorKind::Identity, &story);
        Ok(())
    });
    run.unwrap();
}

/// If the board is to be re-evaluated at the moment when the next game begins, no move is taken back first.
#[test]
fn setting_up_after_a_sweep_takes_no_move_back() {
    let swept = "f8 h7 g7 e5 f2 c6 a2 a1 b7 h2 e4 g2 h1 b1 c1 d2 d8 e8 c8 a8 a7 f1 f3 f7 d1 g8 d7 c2 b2 c7 h8 e1";
    let swept: String = swept.split(' ').map(|square| format!(" {square}- ~15")).collect();
    let set_up: String = Position::start().board().iter().map(|(square, piece)| format!(" {square}{}", piece.char())).collect();
    check_no_conclusion(SensorKind::Identity, &format!("{swept} ~60000{set_up} ~3000"));
}

#[test]
fn a_move_waits_for_its_press() {
    check("e2- e4P ~600000", "e4");
    check("e2- e4P ~600000 e7- e5p ~600000", "e4 | e5");
    check("e2- e4P W e7- e5p ~600000", "e4 | e4! | e5");
    // A press by the other player does not count.
    check("e2- e4P B ~60000", "e4");
    // The other cases of Article 6.2.1: the player's own next move, and the end of the game.
    check("e2- e4P ~600 e7- e5p ~600 g1- f3N ~60000", "e4 | e5 | Nf3 | e4+");
    check("f2- f3P W e7- e5p B g2- g4P W d8- h4q ~60000", "f3 | f3! | e5 | e5! | g4 | g4! | Qh4# | Qh4## | =0-1 mate");
}

/// The story of a move by one hand: a captured piece is removed first, then all pieces are lifted before any is put down.
fn one_hand_story(position: &Position, uci: &str) -> String {
    let mv = position.parse_uci(uci).expect("a legal move");
    let changes: Vec<_> = position.changes(mv).iter().collect();
    let captured = changes.iter().filter(|(square, now)| now.is_some() && position.piece_at(*square).is_some());
    let lifted = changes.iter().filter(|(_, now)| now.is_none());
    let mut words: Vec<String> = captured.chain(lifted).map(|(square, _)| format!("{square}-")).collect();
    words.extend(changes.iter().filter_map(|(square, now)| Some(format!("{square}{}", now.as_ref()?.char()))));
    words.join(" ")
}

#[test]
fn with_a_clock_only_a_press_or_article_6_2_1_completes_a_move() {
    let choice = (any::<prop::sample::Index>(), 0..3u8, 0..4usize);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
    let run = runner.run(&proptest::collection::vec(choice, 1..24), |choices| {
        let (mut position, mut story) = (Position::start(), String::new());
        // The time of each press in the story, which begins at 300 ms and has 40 ms before each word.
        let (mut now, mut presses, mut on_turn): (Millis, Vec<(Color, Millis)>, _) = (300, Vec::new(), Color::White);
        for (index, pressed, wait) in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[index.index(moves.len())];
            let (words, mover) = (one_hand_story(&position, &position.uci(mv)), position.turn());
            position = position.play(mv);
            now += 40 * words.split(' ').count() as u64;
            let wait = [100, 600, 3_000, 30_000][wait];
            story += &format!(" {words} ~{wait}");
            now += wait;
            if pressed > 0 {
                now += 40;
                story += if mover.is_white() { " W" } else { " B" };
                if on_turn == mover {
                    presses.push((mover, now));
                }
                on_turn = !mover;
            }
        }
        let outcome = tell(None, true, &story);
        let mut made: Vec<(u32, Millis)> = Vec::new();
        for stamped in &outcome.events {
            match &stamped.event {
                Event::MoveMade { ply, .. } => made.push((*ply, stamped.at)),
                Event::MovesCorrected { from_ply, moves, .. } => {
                    made.retain(|(ply, _)| ply < from_ply);
                    made.extend((*from_ply..).zip(moves).map(|(ply, _)| (ply, stamped.at)));
                }
                Event::MoveCompleted { ply, by, .. } => {
                    let mover = Color::from_white(ply % 2 == 1);
                    let is_allowed = match by {
                        CompletedBy::Clock => presses.iter().any(|(by, at)| *by == mover && *at <= stamped.at),
                        CompletedBy::OwnNextMove => made.iter().any(|(other, _)| *other == ply + 2),
                        CompletedBy::GameEnd => position.ending().is_some(),
                        CompletedBy::Reply | CompletedBy::Dwell | CompletedBy::Arbiter => false,
                    };
                    prop_assert!(is_allowed, "ply {ply} by {by:?} at {}: {story}: {:?}", stamped.at, outcome.told);
                }
                _ => {}
            }
        }
        // Each press completes one move at most.
        let by_clock = outcome
            .events
            .iter()
            .filter(|stamped| matches!(stamped.event, Event::MoveCompleted { by: CompletedBy::Clock, .. }));
        prop_assert!(by_clock.count() <= presses.len(), "{story}: {:?}", outcome.told);
        Ok(())
    });
    run.unwrap();
}
