//! Chessnut boards over GATT.

use super::*;
use touchmove::boards::chessnut::{GATT, MOVE};
use touchmove::boards::{Battery, Bluetooth, Lights};

/// The start position as a notification: `01 24`, 32 bytes of squares, four bytes without meaning.
const START: &str = "01 24 58233185 44444444 00000000 00000000 00000000 00000000 77777777 a6c99b6a ffffffff";

#[test]
fn a_report_is_decoded() {
    for name in ["chessnut", "chessnut-move"] {
        let report = bytes(START);
        assert_eq!(report.len(), 38);
        let expected = [Reading::Placement(Box::new(start_placement(SensorKind::Identity)))];
        assert_eq!(Bench::up(name).receive(&report), expected, "{name}");
        // Cut by a small MTU.
        let mut bench = Bench::up(name);
        assert_eq!(bench.receive(&report[..20]), []);
        assert_eq!(bench.receive(&report[20..]), expected, "{name}");
    }
}

#[test]
fn both_services_are_described() {
    assert_eq!(model("chessnut").unwrap().bluetooth(), Some(Bluetooth::Gatt(&GATT)));
    assert_eq!(MOVE.bluetooth(), Some(Bluetooth::Gatt(&GATT)));
    for part in ["8261", "8271"] {
        assert!(GATT.services.contains(&format!("1b7e{part}-2877-41c3-b46e-cf057c562023").as_str()));
    }
    for part in ["8262", "8273"] {
        assert!(GATT.notify.contains(&format!("1b7e{part}-2877-41c3-b46e-cf057c562023").as_str()));
    }
    assert_eq!(GATT.write, "1b7e8272-2877-41c3-b46e-cf057c562023");
}

#[test]
fn a_move_is_greeted_and_lit() {
    let mut bench = Bench::new("chessnut-move");
    bench.board.link(0, LinkState::Up);
    let dark = [bytes("43 20"), vec![0; 32]].concat();
    assert_eq!(bench.sent(), [(0, bytes("21 01 00")), (200, bytes("41 01 0c")), (400, dark)]);
    assert_eq!(bench.receive(&bytes("41 03 0c 01 64")), [Reading::Battery(Battery { percent: 100, charging: Some(true) })]);
    bench.now = 1_000;
    bench.execute(BoardCommand::Lights(vec![Square::H8, Square::G8, Square::A1]));
    // h8 is the first low half, g8 the first high half, a1 the last high half; 2 is green.
    let lit = [bytes("43 20 22"), vec![0; 30], vec![0x20]].concat();
    assert_eq!(bench.sent(), [(1_000, lit)]);
    assert_eq!(MOVE.lights, Lights::Coloured);
    assert!(bench.board.execute(1_000, Address::ONLY, BoardCommand::Beep).is_err());
}

/// Nothing that begins with 42 is ever sent: the board would move its pieces.
#[test]
fn a_move_is_never_told_to_move_pieces() {
    for model in [model("chessnut").unwrap(), &MOVE] {
        for length in 0..80 {
            let command: Vec<u8> = [0x42, 0x21].into_iter().chain(std::iter::repeat(0)).take(length).collect();
            assert!(!model.may_send(&command), "{}: {length} bytes", model.name);
        }
        assert!(model.commands.iter().all(|command| !command.prefix.is_empty() && !command.prefix.starts_with(&[0x42])));
    }
    // Whatever happens on a virtual board, the command does not reach it.
    let setup = setup(Rotation::Upright);
    let mut board = VirtualChessnut::new(&setup, &[None; 64], 1).over_radio();
    let mut bench = Bench::new("chessnut-move");
    bench.board.link(0, LinkState::Up);
    for command in [BoardCommand::Placement, BoardCommand::Lights(Square::ALL.to_vec()), BoardCommand::Lights(Vec::new())] {
        bench.execute(command);
        let until = bench.now + 3_000;
        for (_, bytes) in bench.advance(until) {
            touchmove::simulate::VirtualBoard::receive(&mut board, until, &bytes);
        }
    }
    assert!(board.forbidden().is_empty(), "{:x?}", board.forbidden());
}
