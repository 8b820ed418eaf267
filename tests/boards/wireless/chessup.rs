//! ChessUp 1 and 2. The frames are those of BoardKit's tests.

use super::*;
use shakmaty::{Color, Role};
use touchmove::boards::{Touch, chessup::CHECK_TIMEOUT, chessup::STREAM_TIMEOUT};

const START_GAME: &str = "b9 05 00 01 00 00 01 00 00 00 00 00";

/// Sensed squares: rank 8 first, bit 0 is the a-file.
pub(super) fn squares(occupied: Bitboard) -> Vec<u8> {
    [0xfd, 0xfd].into_iter().chain(occupied.0.to_be_bytes()).collect()
}

/// The state after 1. e4 e5, as it was published.
fn state() -> Vec<u8> {
    bytes(
        "67 01 02 03 04 05 03 02 01 00 00 00 00 40 00 00 00 40 40 40 40 40 40 40 40 40 40 40 40 00 40 40 40 \
         40 40 40 40 08 40 40 40 40 40 40 40 40 40 40 40 08 08 08 08 40 08 08 08 09 0a 0b 0c 0d 0b 0a 09 \
         00 01 01 01 01 2c 00 02",
    )
}

fn without_times(sent: Vec<(Millis, Vec<u8>)>) -> Vec<Vec<u8>> {
    sent.into_iter().map(|(_, bytes)| bytes).collect()
}

/// A board with the start position, on which a game was started.
fn started() -> Bench {
    let mut bench = Bench::up("chessup");
    assert_eq!(bench.occupied_after(&squares(start())), start());
    assert_eq!(without_times(bench.sent()), [bytes(START_GAME)]);
    bench.advance(bench.now + 200);
    bench
}

#[test]
fn the_greeting() {
    let mut bench = Bench::new("chessup");
    bench.board.link(0, LinkState::Up);
    assert_eq!(bench.sent(), [(0, bytes("67")), (50, bytes("50"))]);
}

#[test]
fn sensed_squares_are_decoded() {
    // The start position with e2 lifted.
    let received = Bench::up("chessup").occupied_after(&bytes("fd fd ff ff 00 00 00 00 ef ff"));
    assert_eq!(received, start().without(Square::E2));
}

/// A game is started when the start position is on the board, and not in mid-game, which it would erase.
#[test]
fn a_game_is_started_at_the_start_position() {
    let mut bench = started();
    // Nothing is started again when a piece is lifted and put back.
    bench.receive(&squares(start().without(Square::E2)));
    bench.receive(&squares(start()));
    assert_eq!(bench.sent(), []);
    // After a game on the squares, the start position begins the next one.
    bench.receive(&squares(Bitboard(0xff00_0000_0000_00ff)));
    bench.receive(&squares(start()));
    assert_eq!(without_times(bench.sent()), [bytes(START_GAME)]);
    let mut bench = Bench::up("chessup");
    let moved = start().without(Square::E2).with(Square::E4);
    assert_eq!(bench.occupied_after(&squares(moved)), moved);
    assert!(!without_times(bench.advance(60_000)).contains(&bytes(START_GAME)), "the board reports: it is followed as it is");
}

/// A board that does not answer to anything before a game is started.
#[test]
fn a_game_is_started_without_a_state() {
    let mut bench = Bench::up("chessup");
    assert_eq!(without_times(bench.advance(3_000))[0], bytes(START_GAME));
}

#[test]
fn the_state_shows_the_squares_if_nothing_is_sensed() {
    let mut bench = Bench::up("chessup");
    let state = state();
    assert_eq!(state.len(), 73);
    assert_eq!(bench.receive(&state[..20]), []);
    assert_eq!(bench.receive(&state[20..]), []);
    bench.advance(bench.now + STREAM_TIMEOUT);
    let expected = start().without(Square::E2).without(Square::E7).with(Square::E4).with(Square::E5);
    bench.readings();
    assert_eq!(bench.occupied, expected);
    // What is sensed counts more.
    assert_eq!(bench.occupied_after(&squares(start())), start());
    assert_eq!(bench.receive(&state), []);
}

#[test]
fn a_move_is_acknowledged_and_passed_on_once() {
    let mut bench = started();
    let moved = start().without(Square::G8).with(Square::F6);
    bench.receive(&squares(moved));
    let message = bytes("a3 35 06 07 05 05");
    let expected = [Reading::Move { from: Square::G8, to: Square::F6 }];
    assert_eq!(bench.receive(&message), expected);
    assert_eq!(without_times(bench.sent()), [bytes("21")]);
    // The acknowledgement was lost: the board repeats the move, and each time it is acknowledged.
    for _ in 0..3 {
        assert_eq!(bench.receive(&message), []);
        assert_eq!(without_times(bench.sent()), [bytes("21")]);
    }
    // After it was taken back on the board, it is a new one.
    assert_eq!(bench.receive(&bytes("bd")), []);
    assert_eq!(bench.receive(&message), expected);
}

/// The squares may show a move a moment later than it is reported.
#[test]
fn a_move_waits_for_the_squares() {
    let mut bench = started();
    assert_eq!(bench.receive(&bytes("a3 35 04 01 04 03")), []);
    let received = bench.receive(&squares(start().without(Square::E2).with(Square::E4)));
    assert_eq!(received.last(), Some(&Reading::Move { from: Square::E2, to: Square::E4 }));
    bench.advance(bench.now + 2 * CHECK_TIMEOUT);
    assert_eq!(readings(&mut *bench.board), []);
}

/// What the board reports is not believed if its squares show something else.
#[test]
fn a_move_that_the_squares_do_not_show_is_an_error() {
    let mut bench = started();
    assert_eq!(bench.receive(&bytes("a3 35 04 01 04 03")), []);
    assert_eq!(without_times(bench.sent()), [bytes("21")], "it is acknowledged all the same");
    bench.advance(bench.now + CHECK_TIMEOUT);
    let contradicted = ProtocolError::ContradictedMove { from: Square::E2, to: Square::E4 };
    assert_eq!(readings(&mut *bench.board), [Reading::ProtocolError(contradicted)]);
}

#[test]
fn promotions() {
    let mut bench = started();
    for (message, role) in [("97 04", Role::Queen), ("97 01", Role::Rook), ("97 02", Role::Knight), ("97 03", Role::Bishop)] {
        assert_eq!(bench.receive(&bytes(message)), [Reading::Promotion(role)]);
        assert_eq!(bench.receive(&bytes(message)), [], "repeated");
        assert_eq!(without_times(bench.advance(bench.now + 200)), [bytes("23"), bytes("23")]);
    }
}

#[test]
fn touches() {
    let mut bench = started();
    let pawn = Role::Pawn.of(Color::White);
    assert_eq!(bench.receive(&bytes("b8 0c 00")), [Reading::Touch(Touch::Begin { square: Square::E2, piece: Some(pawn) })]);
    assert_eq!(bench.receive(&bytes("b8 3f 40")), [Reading::Touch(Touch::Begin { square: Square::H8, piece: None })]);
    assert_eq!(bench.receive(&bytes("bb")), [Reading::Touch(Touch::End)]);
}

/// Bytes that belong to no message are skipped, and an incomplete message is given up.
#[test]
fn damage() {
    let mut bench = started();
    let garbage = |count| Reading::ProtocolError(ProtocolError::Garbage(count));
    assert_eq!(bench.receive(&bytes("01 02 a3 36 bb")), [garbage(4), Reading::Touch(Touch::End)]);
    assert_eq!(bench.receive(&bytes("a3 35 09 01 04 03 bb")), [garbage(6), Reading::Touch(Touch::End)], "a file beyond h");
    assert_eq!(bench.receive(&bytes("67 01 02 03")), []);
    bench.advance(bench.now + 600);
    assert_eq!(readings(&mut *bench.board), [garbage(4)]);
}

/// Commands that change the board's game.
#[test]
fn what_is_never_sent() {
    let chessup = model("chessup").unwrap();
    for command in ["64", "66", "99 0c 1c", "97 04", "52 01", "b6 00", "10 00", "b9 06 00 01 00 00 01 00 00 00 00 00"] {
        assert!(!chessup.may_send(&bytes(command)), "{command}");
    }
}
