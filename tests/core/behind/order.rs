//! Moves that are seen late, or several at once: their order or their times are not certain.

use super::Play;
use crate::boards::memory::shown;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{ClockHalf, ProtocolError, Reading, SquareState};
use touchmove::laws::{Changes, Position};
use touchmove::table::Input;

/// A pawn slides on while the computer is busy: its last step and the reply are reported in the same instant, and the times
/// between them are not known.
#[test]
fn moves_reported_late_and_at_once_raise_an_alert() {
    let mut play = Play::new();
    play.wait(2_000);
    ["c2c4", "e7e6"].iter().for_each(|uci| play.play(uci, true, 600));
    play.wait(1_500);
    let (white, black) = (Role::Pawn.of(Color::White), Role::Pawn.of(Color::Black));
    play.change(&[(0, Square::F2, None), (60, Square::F3, Some(white))]);
    play.wait(900);
    play.take(Input::Reading(Reading::ProtocolError(ProtocolError::ChangesDelayed)));
    play.change(&[(0, Square::F7, None), (0, Square::F6, Some(black)), (0, Square::F3, None), (0, Square::F4, Some(white))]);
    play.wait(20_000);
    assert!(play.moves()[2..] == ["f2f4", "f7f6"] || play.first_alert().is_some(), "{:?}", play.moves());
}

/// On a connection that loses bytes the destination of a knight was never reported, and the next moves of both players arrive
/// at once: it is not known which knight moved first, and an alert is raised.
#[test]
fn moves_reported_at_once_on_a_lossy_connection_raise_an_alert() {
    let mut play = Play::new();
    for uci in ["h2h4", "a7a5", "d2d4"] {
        play.play(uci, true, 300);
    }
    play.wait(1_000);
    let piece_from = |square| SquareState::Piece(Position::start().piece_at(square).expect("a piece"));
    let square = |play: &mut Play, square, sensed| play.take(Input::Reading(Reading::Square(square, sensed)));
    square(&mut play, Square::G8, SquareState::Empty);
    play.take(Input::Reading(Reading::ProtocolError(ProtocolError::Garbage(3))));
    play.wait(6_000);
    for (at, sensed) in [
        (Square::G1, SquareState::Empty),
        (Square::F3, piece_from(Square::G1)),
        (Square::B8, SquareState::Empty),
        (Square::C6, piece_from(Square::B8)),
    ] {
        square(&mut play, at, sensed);
    }
    for uci in ["g8f6", "g1f3", "b8c6"] {
        play.play(uci, false, 0);
    }
    play.wait(1);
    play.show();
    play.wait(20_000);
    let exact = play.moves()[3..] == ["g8f6", "g1f3", "b8c6"];
    assert!(exact || play.raised_uncertain(), "{:?}", play.moves());
}

/// The last move of a game is seen only after the clock has been stopped for a while: it was made before that, and is reported
/// as uncertain.
#[test]
fn a_move_that_is_seen_late_is_not_analysis() {
    let mut play = Play::new();
    let clock = |play: &mut Play, turn, runs| {
        play.wait(200);
        play.take(Input::Reading(Reading::Clock(Some(crate::core::clocks::reading(300, 300, turn, runs)))));
    };
    clock(&mut play, ClockHalf::Left, true);
    for (uci, turn) in [("e2e4", ClockHalf::Right), ("e7e5", ClockHalf::Left), ("g1f3", ClockHalf::Right)] {
        play.play(uci, true, 300);
        clock(&mut play, turn, true);
    }
    play.play("b8c6", false, 300);
    clock(&mut play, ClockHalf::Left, true);
    clock(&mut play, ClockHalf::Left, false);
    play.wait(10_000);
    play.show_late();
    play.wait(20_000);
    assert_eq!(play.moves(), ["e2e4", "e7e5", "g1f3", "b8c6"]);
    assert!(play.raised_uncertain());
}

/// Several seconds of readings of all squares are processed at one time, and two moves of a bishop look like one: an alert is
/// raised. At normal pace the moves are seen.
#[test]
fn moves_processed_late_and_at_once_raise_an_alert() {
    for (pause, was_delayed) in [(300, false), (0, true)] {
        let mut play = Play::new();
        play.wait(2_000);
        ["e2e4", "h7h6"].iter().for_each(|uci| play.play(uci, true, 300));
        play.wait(2_000);
        let played = ["f1c4", "a7a6", "c4b5", "a6b5", "d1g4", "a8a6"];
        let mut squares = shown(&play.position);
        for uci in played {
            let mv = play.position.parse_uci(uci).unwrap();
            let mut changes: Vec<_> = Changes::of(play.position.turn(), mv).iter().collect();
            changes.sort_by_key(|(_, piece)| piece.is_some());
            for (square, piece) in changes {
                squares[square as usize] = piece.map_or(SquareState::Empty, SquareState::Piece);
                play.wait(pause);
                play.take(Input::Reading(Reading::Placement(Box::new(squares))));
            }
            play.position = play.position.play(mv);
        }
        play.wait(20_000);
        assert_eq!(play.raised_uncertain(), was_delayed, "{:?}", play.moves());
        assert!(was_delayed || play.moves()[2..] == played, "{:?}", play.moves());
    }
}

/// Four plies were read at once, the last of them with its piece still lifted. When the piece is put down the record is
/// published again, with Black's two moves in one order or the other, which was not seen.
#[test]
fn moves_that_were_read_at_once_stay_uncertain() {
    let mut play = Play::new();
    play.wait(2_000);
    play.play("e2e4", true, 200);
    play.wait(4_500);
    play.take(Input::Reading(Reading::ProtocolError(ProtocolError::ChangesDelayed)));
    ["g8f6", "f1b5", "g7g6"].iter().for_each(|uci| play.play(uci, true, 0));
    let report = |play: &mut Play, square, sensed| play.take(Input::Reading(Reading::Square(square, sensed)));
    report(&mut play, Square::D7, SquareState::Empty);
    play.wait(50);
    report(&mut play, Square::B5, SquareState::Empty);
    play.wait(200);
    report(&mut play, Square::D7, SquareState::Piece(Piece { color: Color::White, role: Role::Bishop }));
    play.wait(20_000);
    let played = ["e2e4", "g8f6", "f1b5", "g7g6", "b5d7"];
    assert!(play.moves() == played || play.is_uncertain(), "{:?} without an alert", play.moves());
}

/// A pawn moves twice, and the reply to its first move comes before a reading of the board: the pawn is seen lifted, and the
/// reply is on the board for most of a second before the pawn lands.
#[test]
fn a_reply_between_two_moves_of_a_piece_raises_an_alert() {
    let mut play = Play::new();
    play.wait(2_000);
    play.play("d2d4", true, 600);
    let (bishop, pawn) = (Role::Bishop.of(Color::White), Role::Pawn.of(Color::Black));
    play.change(&[(1_500, Square::G7, None)]);
    play.change(&[(300, Square::C1, None), (0, Square::D2, Some(bishop)), (900, Square::G5, Some(pawn))]);
    play.wait(20_000);
    assert_eq!(play.moves()[1..], ["g7g5", "c1d2"]);
    assert!(play.raised_uncertain());
    // A knight could not have moved on, and a reply that is only early is not a reply between two moves.
    for (from, to, piece, lifted_ms) in
        [(Square::G8, Square::F6, Role::Knight.of(Color::Black), 900), (Square::G7, Square::G5, pawn, 300)]
    {
        let mut play = Play::new();
        play.wait(2_000);
        play.play("d2d4", true, 600);
        play.change(&[(1_500, from, None)]);
        play.change(&[(300, Square::C1, None), (0, Square::D2, Some(bishop)), (lifted_ms, to, Some(piece))]);
        play.wait(20_000);
        assert_eq!(play.moves().len(), 3);
        assert!(!play.raised_uncertain(), "{from}");
    }
}

/// A virtual board on a shared bus was not polled for 1.6 s in a blitz game, and Black's two moves in that time fit in either
/// order: the record has had them in both.
#[test]
fn moves_whose_order_changes_raise_an_alert() {
    let recording = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/recordings/order.rec");
    let ctl = env!("CARGO_BIN_EXE_touchmovectl");
    let output = std::process::Command::new(ctl).arg("replay").arg(recording).env("LC_ALL", "C").output();
    let log = String::from_utf8(output.expect("touchmovectl runs").stdout).expect("text");
    assert!(!log.contains("corrected from 2...") || log.contains("in another order"), "{log}");
}
