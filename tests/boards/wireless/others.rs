//! Square Off Pro and House of Staunton.

use super::*;
use touchmove::boards::{square_off::POLL_INTERVAL, staunton};

#[test]
fn square_off_frames() {
    let mut bench = Bench::new("square-off");
    bench.board.link(0, LinkState::Up);
    assert_eq!(bench.sent(), [(0, b"30#R*".to_vec())]);
    assert_eq!(bench.advance(200), [(150, b"25#*".to_vec())]);
    // File by file: a1, a2 … a8, b1.
    let text = "30#".to_owned() + &"11000011".repeat(8) + "*";
    assert_eq!(text.as_bytes(), squares_text(start()));
    assert_eq!(bench.receive(&text.as_bytes()[..20]), []);
    assert_eq!(bench.occupied_after(&text.as_bytes()[20..]), start());
    let e2 = Reading::Square(Square::E2, SquareState::Empty);
    let e4 = Reading::Square(Square::E4, SquareState::Occupied);
    assert_eq!(bench.receive(b"0#e2u*"), [e2]);
    assert_eq!(bench.receive(b"0#e4d*"), [e4]);
    assert_eq!(bench.receive(b"22#88*14#GO*"), []);
    let garbage = |count| Reading::ProtocolError(ProtocolError::Garbage(count));
    assert_eq!(bench.receive(b"0#i9u*"), [garbage(6)]);
    assert_eq!(bench.receive(b"30#101*"), [garbage(7)]);
    bench.now = 1_000;
    bench.execute(BoardCommand::Lights(vec![Square::E2, Square::E4]));
    assert!(bench.advance(1_200).iter().any(|(_, bytes)| bytes == b"25#e2e4*"));
}

/// Until the board has reported a change, its squares are requested every second.
#[test]
fn a_square_off_is_polled_until_it_reports() {
    let mut bench = Bench::up("square-off");
    bench.receive(&squares_text(start()));
    let from = bench.now;
    assert_eq!(bench.advance(from + POLL_INTERVAL), [(from + POLL_INTERVAL, b"30#R*".to_vec())]);
    bench.receive(b"0#e2u*");
    bench.receive(&squares_text(start().without(Square::E2)));
    assert_eq!(bench.advance(bench.now + 5_000), []);
}

#[test]
fn a_square_off_is_never_told_to_move_or_to_begin_a_game() {
    let model = model("square-off").unwrap();
    for command in ["14#1*", "0#e2e4*", "24#e2,e4*", "27#wt*", "30#R*30#R*"] {
        assert!(!model.may_send(command.as_bytes()), "{command}");
    }
}

#[test]
fn staunton_frames() {
    let report = bytes("43 25 51 34 66666666 00000000 00000000 00000000 00000000 cccccccc a9 8b b7 9a");
    assert_eq!(report.len(), 32);
    let expected = [Reading::Placement(Box::new(start_placement(SensorKind::Identity)))];
    assert_eq!(Bench::up("staunton").receive(&report), expected);
    // As some systems pass it on, with a number before it; and in two parts.
    assert_eq!(Bench::up("staunton").receive(&[&[0u8][..], &report].concat()), expected);
    let mut bench = Bench::up("staunton");
    assert_eq!(bench.receive(&report[..20]), []);
    assert_eq!(bench.receive(&report[20..]), expected);
    // The clock.
    assert_eq!(bench.receive(&bytes("ff ca 01 02 03 04 05 86")), []);
    // An invalid code.
    let invalid = [&report[..31], &[0x9d]].concat();
    assert_eq!(bench.receive(&invalid), [Reading::ProtocolError(ProtocolError::Garbage(32))]);
}

/// Packets of 32 bytes cut off the last byte of a report after a 00. Read as a report, the rest shows every piece two squares off.
#[test]
fn a_staunton_report_of_33_bytes_in_packets_of_32() {
    let report = bytes("43 25 51 34 66666666 00000000 00000000 00000000 00000000 cccccccc a9 8b b7 9a");
    let cut = [&[0u8][..], &report].concat();
    let expected = [Reading::Placement(Box::new(start_placement(SensorKind::Identity)))];
    let mut bench = Bench::up("staunton");
    assert_eq!(bench.receive(&cut[..32]), []);
    assert_eq!(bench.receive(&cut[32..]), expected);
    // It is known now that a 00 precedes the reports: the last byte may take its time.
    let moved = bytes("00 43 25 51 34 66666066 00000000 00000600 00000000 00000000 cccccccc a9 8b b7 9a");
    assert_eq!(bench.receive(&moved[..32]), []);
    bench.advance(bench.now + 3 * staunton::LAST_BYTE_TIMEOUT);
    assert_eq!(readings(&mut *bench.board), []);
    let white_pawn = SquareState::Piece(shakmaty::Color::White.pawn());
    let expected = [Reading::Square(Square::E2, SquareState::Empty), Reading::Square(Square::E4, white_pawn)];
    assert_eq!(bench.receive(&moved[32..]), expected);
}

/// A report without a 00 before it, with nothing on a1 and b1.
#[test]
fn a_staunton_report_that_begins_with_two_empty_squares() {
    let report = bytes("00 25 51 34 66666666 00000000 00000000 00000000 00000000 cccccccc a9 8b b7 9a");
    let mut squares = start_placement(SensorKind::Identity);
    [Square::A1, Square::B1].iter().for_each(|square| squares[*square as usize] = SquareState::Empty);
    let expected = [Reading::Placement(Box::new(squares))];
    let mut bench = Bench::up("staunton");
    assert_eq!(bench.receive(&report), []);
    bench.advance(bench.now + staunton::LAST_BYTE_TIMEOUT - 1);
    assert_eq!(readings(&mut *bench.board), []);
    bench.advance(bench.now + 1);
    assert_eq!(readings(&mut *bench.board), expected);
    // Another report shows that the first one was complete.
    let mut bench = Bench::up("staunton");
    assert_eq!(bench.receive(&report), []);
    assert_eq!(bench.receive(&report), expected);
    // It is known now that nothing precedes the reports: they are read at once.
    let changed = [&report[..31], &[0x9a & 0x0f]].concat();
    assert_eq!(bench.receive(&changed), [Reading::Square(Square::H8, SquareState::Empty)]);
}

/// Otherwise all later reports would be read two squares off.
#[test]
fn the_last_byte_of_a_staunton_report_that_comes_late() {
    let report = bytes("00 43 25 51 34 66666666 00000000 00000000 00000000 00000000 cccccccc a9 8b b7 9a");
    let mut bench = Bench::up("staunton");
    assert_eq!(bench.receive(&report[..32]), []);
    bench.advance(bench.now + staunton::LAST_BYTE_TIMEOUT);
    // Two squares off until the last byte arrives.
    assert!(matches!(readings(&mut *bench.board).as_slice(), [Reading::Placement(_)]));
    assert!(!bench.receive(&report[32..]).is_empty());
    let moved = bytes("00 43 25 51 34 66666066 00000000 00000600 00000000 00000000 cccccccc a9 8b b7 9a");
    assert_eq!(bench.receive(&moved[..32]), []);
    let white_pawn = SquareState::Piece(shakmaty::Color::White.pawn());
    let expected = [Reading::Square(Square::E2, SquareState::Empty), Reading::Square(Square::E4, white_pawn)];
    assert_eq!(bench.receive(&moved[32..]), expected);
}

/// A board that may be written to only every 2.5 s.
#[test]
fn a_staunton_is_written_to_slowly() {
    assert_eq!(staunton::GATT.write_interval, 2_500);
    let mut bench = Bench::new("staunton");
    bench.board.link(0, LinkState::Up);
    assert_eq!(bench.advance(1_000), [(0, vec![186])]);
    bench.execute(BoardCommand::Lights(vec![Square::A1, Square::H8]));
    // They are off already, so that the first square is lit at once.
    assert_eq!(bench.advance(20_000), [(2_500, vec![100]), (5_000, vec![163])]);
    // Only the last lights count.
    bench.execute(BoardCommand::Lights(vec![Square::E4]));
    bench.execute(BoardCommand::Lights(vec![Square::E5]));
    let sent = bench.advance(40_000);
    assert_eq!(sent.last().map(|(_, bytes)| bytes.clone()), Some(vec![100 + Square::E5 as u8]));
    assert!(sent.iter().all(|(_, bytes)| *bytes != [100 + Square::E4 as u8]), "{sent:?}");
}

/// The commands of its clock are never sent.
#[test]
fn the_clock_of_a_staunton_is_left_alone() {
    let model = model("staunton").unwrap();
    for byte in 0..=255u8 {
        assert_eq!(model.may_send(&[byte]), (100..164).contains(&byte) || byte == 186, "{byte}");
    }
    assert!(!model.may_send(&[174, 1, 2, 3, 4, 5, 6, 0]));
}
