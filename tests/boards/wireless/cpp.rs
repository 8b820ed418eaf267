//! Self-built boards with the Chess Peripheral Protocol.

use super::*;
use touchmove::boards::cpp::{CHECK_TIMEOUT, POLL_INTERVAL};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// A board that has answered the questions for its features.
fn asked(answers: &str) -> Bench {
    let mut bench = Bench::new("cpp");
    bench.board.link(0, LinkState::Up);
    assert_eq!(bench.sent(), [(0, b"feature state_stream".to_vec()), (50, b"feature get_state".to_vec())]);
    bench.now = 100;
    assert_eq!(bench.receive(answers.as_bytes()), []);
    bench
}

#[test]
fn states_are_read() {
    let mut bench = asked("ok\nok");
    assert_eq!(bench.advance(200), [(100, b"get_state".to_vec())]);
    assert_eq!(bench.occupied_after(format!("state {START}").as_bytes()), start());
    assert_eq!(bench.receive(format!("state {START}\n").as_bytes()), [], "nothing has changed");
    let lifted = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    assert_eq!(bench.occupied_after(format!("state {lifted} w").as_bytes()), start().without(Square::E2));
    // Pieces that the board does not know.
    assert_eq!(bench.occupied_after(b"unsync ????????/????????/8/8/8/8/????????/????????"), start());
    assert_eq!(bench.occupied_after(b"state bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwww1www w"), start().without(Square::E1));
    for text in ["state", "state 9/8", "state x7/8/8/8/8/8/8/8", "state 8/8/8/8/8/8/8/8/8", "state 7/8/8/8/8/8/8/8", "nonsense"]
    {
        let error = Reading::ProtocolError(ProtocolError::Garbage(text.len()));
        assert_eq!(bench.receive(text.as_bytes()), [error], "{text}");
    }
}

/// A board that does not report its state by itself is asked every second.
#[test]
fn a_state_is_requested() {
    let mut bench = asked("nok\nok");
    assert_eq!(bench.advance(200), [(100, b"get_state".to_vec())]);
    bench.receive(format!("state {START}").as_bytes());
    let from = bench.now;
    assert_eq!(bench.advance(from + POLL_INTERVAL), [(from + POLL_INTERVAL, b"get_state".to_vec())]);
    bench.receive(format!("state {START}").as_bytes());
    // After a move at once.
    bench.now += 200;
    assert_eq!(bench.receive(b"move e2e4"), []);
    assert_eq!(
        bench.advance(bench.now + 100).iter().map(|(_, bytes)| bytes.clone()).collect::<Vec<_>>(),
        [b"ok".to_vec(), b"get_state".to_vec()]
    );
}

/// A board that reports only moves: they are carried out on its squares.
#[test]
fn moves_are_carried_out() {
    let mut bench = asked("err unknown command\nnok");
    assert_eq!(bench.advance(200), [(100, format!("begin {START} w").into_bytes())]);
    assert_eq!(bench.occupied_after(format!("sync {START} w").as_bytes()), start());
    let mut expected = start();
    for (uci, emptied, filled) in [
        ("e2e4", vec![Square::E2], vec![Square::E4]),
        ("g8f6", vec![Square::G8], vec![Square::F6]),
        ("g1f3", vec![Square::G1], vec![Square::F3]),
        ("f6e4", vec![Square::F6], vec![]),
        ("f1e2", vec![Square::F1], vec![Square::E2]),
        ("d7d5", vec![Square::D7], vec![Square::D5]),
        ("e1g1", vec![Square::E1, Square::H1], vec![Square::G1, Square::F1]),
        ("d5d4", vec![Square::D5], vec![Square::D4]),
        ("c2c4", vec![Square::C2], vec![Square::C4]),
        ("d4c3", vec![Square::D4, Square::C4], vec![Square::C3]),
        // Not legal, and carried out all the same: the table judges.
        ("a1a8", vec![Square::A1], vec![]),
    ] {
        emptied.iter().for_each(|square| expected.discard(*square));
        filled.iter().for_each(|square| expected.add(*square));
        let received = bench.receive(format!("move {uci}").as_bytes());
        let (from, to): (Square, Square) = (uci[..2].parse().unwrap(), uci[2..].parse().unwrap());
        assert_eq!(bench.occupied, expected, "{uci}");
        assert_eq!(received.last(), Some(&Reading::Move { from, to }), "{uci}");
        assert_eq!(bench.sent().pop().map(|(_, bytes)| bytes), Some(b"ok".to_vec()));
    }
    let contradicted = ProtocolError::ContradictedMove { from: Square::E5, to: Square::E6 };
    assert_eq!(bench.receive(b"move e5e6"), [Reading::ProtocolError(contradicted)]);
    let received = bench.receive(b"move e5");
    assert!(matches!(received[..], [Reading::ProtocolError(ProtocolError::InvalidContent(_))]), "{received:?}");
}

/// A board that reports moves beside its squares: the squares are the evidence.
#[test]
fn a_move_is_compared_with_the_squares() {
    let mut bench = asked("ok\nok");
    bench.advance(200);
    bench.receive(format!("state {START}").as_bytes());
    let moved = "state rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    // The state follows the move.
    assert_eq!(bench.receive(b"move e2e4"), []);
    let received = bench.receive(moved.as_bytes());
    assert_eq!(received.last(), Some(&Reading::Move { from: Square::E2, to: Square::E4 }));
    bench.advance(bench.now + 2 * CHECK_TIMEOUT);
    let is_contradicted = |reading: &Reading| matches!(reading, Reading::ProtocolError(ProtocolError::ContradictedMove { .. }));
    assert!(!readings(&mut *bench.board).iter().any(is_contradicted));
    // The state comes first.
    bench.receive(b"state rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!(bench.receive(b"move e7e5"), [Reading::Move { from: Square::E7, to: Square::E5 }]);
    // The squares do not show it.
    assert_eq!(bench.receive(b"move g1f3"), []);
    bench.advance(bench.now + CHECK_TIMEOUT);
    let contradicted = Reading::ProtocolError(ProtocolError::ContradictedMove { from: Square::G1, to: Square::F3 });
    assert!(readings(&mut *bench.board).contains(&contradicted));
}

#[test]
fn a_board_with_a_motor_moves_nothing() {
    let model = model("cpp").unwrap();
    for command in ["move e2e4", "set_state", "end checkmate", "promote e7e8q", "undo e2e4", "begin 8/8/8/8/8/8/8/8 w"] {
        assert!(!model.may_send(command.as_bytes()), "{command}");
    }
}
