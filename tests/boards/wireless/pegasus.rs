//! DGT Pegasus.

use super::*;

const KEY: &str = "63 07 be f5 ae dd a9 5f 00";

#[test]
fn the_greeting() {
    let mut bench = Bench::new("pegasus");
    bench.board.link(0, LinkState::Up);
    let sent = [(0, "40"), (100, KEY), (200, "44"), (300, "42")].map(|(at, hex)| (at, bytes(hex)));
    assert_eq!(bench.sent(), sent);
    // Lights that an earlier program left on are switched off.
    assert_eq!(bench.advance(500), [(400, bytes("60 02 00 00"))]);
}

#[test]
fn frames_are_decoded() {
    let mut bench = Bench::up("pegasus");
    // 86 00 43, and 64 fields from a8.
    let fields = "01 ".repeat(16) + &"00 ".repeat(32) + &"01 ".repeat(16);
    let dump = bytes(&format!("86 00 43 {fields}"));
    assert_eq!(dump, super::dump(start()));
    // Cut by a small MTU.
    let (first, rest) = dump.split_at(20);
    assert_eq!(bench.receive(first), []);
    assert_eq!(bench.occupied_after(rest), start());
    assert_eq!(bench.receive(&dump), [], "nothing has changed");
    // From e2 to e4: fields 34 and 24.
    assert_eq!(bench.receive(&bytes("8e 00 05 34 00")), [Reading::Square(Square::E2, SquareState::Empty)]);
    assert_eq!(bench.receive(&bytes("8e 00 05 24 01")), [Reading::Square(Square::E4, SquareState::Occupied)]);
    // Field 0 is a8, field 3f is h1.
    assert_eq!(bench.receive(&bytes("8e 00 05 00 00")), [Reading::Square(Square::A8, SquareState::Empty)]);
    assert_eq!(bench.receive(&bytes("8e 00 05 3f 00")), [Reading::Square(Square::H1, SquareState::Empty)]);
    // States of the key and of the lock.
    assert_eq!(bench.receive(&bytes("a5 00 04 01 a4 00 04 00")), []);
    bench.execute(BoardCommand::Placement);
    let expected = bench.advance(bench.now + 100);
    assert_eq!(expected.iter().map(|(_, bytes)| bytes[0]).collect::<Vec<_>>(), [0x44, 0x42]);
}

#[test]
fn a_board_without_the_key_gets_it_again() {
    let mut bench = Bench::up("pegasus");
    let locked = bytes(&format!("86 00 43 {}", "7f ".repeat(64)));
    let received = bench.receive(&locked);
    assert!(matches!(received[..], [Reading::ProtocolError(ProtocolError::InvalidContent(_))]), "{received:?}");
    let sent = bench.advance(bench.now + 3_000);
    assert_eq!(sent.iter().map(|(_, bytes)| bytes.clone()).collect::<Vec<_>>(), [bytes(KEY), bytes("44"), bytes("42")]);
    assert_eq!(bench.occupied_after(&super::dump(start())), start());
}

#[test]
fn lights() {
    let mut bench = Bench::up("pegasus");
    bench.now = 1_000;
    bench.execute(BoardCommand::Lights(vec![Square::E2, Square::E4]));
    // 60, the number of bytes after it, 05, speed, repeat, brightness, fields, 00.
    assert_eq!(bench.sent(), [(1_000, bytes("60 07 05 03 00 02 34 24 00"))]);
    bench.now = 2_000;
    bench.execute(BoardCommand::Lights(Square::ALL.to_vec()));
    let sent = bench.sent();
    assert_eq!((sent[0].1.len(), &sent[0].1[..3]), (20, &[0x60, 18, 5][..]), "one packet of the smallest size");
}

/// No command of the battery, none of a clock, and none that is harmful to a DGT board.
#[test]
fn what_is_never_sent() {
    let pegasus = model("pegasus").unwrap();
    for byte in (0..=0xff).filter(|byte| ![0x40, 0x42, 0x44].contains(byte)) {
        assert!(!pegasus.may_send(&[byte]), "{byte:02x}");
    }
}
