//! Advertised names, services and handshakes.

use super::*;
use touchmove::boards::bluetooth::{ADVERTISED_NAMES, Certainty, HANDSHAKES, NORDIC_UART, candidates, handshake};
use touchmove::boards::{Bluetooth, bluetooth_models};

fn suggested(name: &str) -> Vec<&'static str> {
    candidates(name).map(|row| row.model).collect()
}

#[test]
fn names_suggest_models() {
    assert_eq!(suggested("Chessnut Move"), ["chessnut-move"]);
    assert_eq!(suggested("Chessnut Air"), ["chessnut"]);
    assert_eq!(suggested("DGT_Pegasus_12345"), ["pegasus"]);
    assert_eq!(suggested("ChessUp"), ["chessup"]);
    assert_eq!(suggested("Certabo"), ["certabo", "cerno", "sentio"]);
    assert_eq!(suggested("HOSBoard"), ["staunton"]);
    assert_eq!(suggested("MILLENNIUM CHESS"), ["millennium"]);
    assert_eq!(suggested("DGT_BT_20567"), ["dgt"]);
    assert_eq!(suggested("PCS-REVII-081500"), ["dgt"]);
    for name in ["", "My phone", "chessup", "My Chessnut"] {
        assert_eq!(suggested(name), Vec::<&str>::new(), "{name}");
    }
    assert!(ADVERTISED_NAMES.iter().all(|row| model(row.model).is_some_and(|model| model.bluetooth().is_some())));
    assert!(candidates("Certabo").all(|row| row.certainty == Certainty::Possible), "three models have the name");
}

#[test]
fn profiles_are_written_as_bluez_writes_them() {
    for model in BOARDS {
        let Some(Bluetooth::Gatt(profile)) = model.bluetooth() else { continue };
        for uuid in profile.services.iter().chain(profile.notify).chain([&profile.write]) {
            let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{}: {uuid}", model.name);
            assert!(uuid.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{}: {uuid}", model.name);
        }
    }
    let over = |name: &str| model(name).unwrap().bluetooth();
    for name in ["certabo", "cerno", "sentio", "ichessone", "pegasus", "chessup", "square-off"] {
        assert_eq!(over(name), Some(Bluetooth::Gatt(&NORDIC_UART)), "{name}");
    }
    for name in ["dgt", "millennium"] {
        assert_eq!(over(name), Some(Bluetooth::Rfcomm), "{name}");
    }
    for name in ["dgt-bus", "reed", "matrix", "centaur"] {
        assert_eq!(over(name), None, "{name}");
    }
}

/// As the makers and other authors write them.
#[test]
fn services_and_characteristics() {
    let profile = |name: &str| match model(name).unwrap().bluetooth() {
        Some(Bluetooth::Gatt(profile)) => profile,
        other => panic!("{name}: {other:?}"),
    };
    let nordic = profile("pegasus");
    assert_eq!(nordic.services, ["6e400001-b5a3-f393-e0a9-e50e24dcca9e"]);
    assert_eq!(nordic.write, "6e400002-b5a3-f393-e0a9-e50e24dcca9e");
    assert_eq!(nordic.notify, ["6e400003-b5a3-f393-e0a9-e50e24dcca9e"]);
    let staunton = profile("staunton");
    assert_eq!(staunton.services, ["0000ffe0-0000-1000-8000-00805f9b34fb"]);
    assert_eq!((staunton.notify, staunton.notify[0]), (&[staunton.write][..], "0000ffe1-0000-1000-8000-00805f9b34fb"));
    let cpp = profile("cpp");
    assert_eq!(cpp.services, ["f5351050-b2c9-11ec-a0c0-b3bc53b08d33"]);
    assert_eq!(cpp.notify, ["f53513ca-b2c9-11ec-a0c1-639b8957db99"]);
    assert_eq!(cpp.write, "f535147e-b2c9-11ec-a0c2-8bbd706ec4e6");
}

/// `tests/daemon/bluetooth` plays on the virtual boards, through a stand-in for BlueZ.
#[test]
fn every_board_with_bluetooth_has_a_fuzz_target_and_a_virtual_board() {
    for model in bluetooth_models() {
        let target = format!("{}/fuzz/fuzz_targets/{}.rs", env!("CARGO_MANIFEST_DIR"), model.name);
        let target = std::fs::read_to_string(&target).unwrap_or_else(|error| panic!("{target}: {error}"));
        assert!(target.contains(&format!("decoder::run({:?}", model.name)), "{target}");
        assert!(Simulation::new(model.name, &opera(), &setup(Rotation::Upright)).is_some(), "{}", model.name);
    }
}

/// Bytes that mean harm to one of the makers' boards, whatever surrounds them: DGT's boot loader, bus mode, and commands that write
/// its memory; games of a ChessUp begun, ended, reset, or moved on.
const HARMFUL: &[u8] =
    &[0x43, 0x49, 0x4a, 0x4b, 0x4e, 0x50, 0x51, 0x52, 0x53, 0x54, 0x60, 0x63, 0x64, 0x66, 0x97, 0x99, 0xb3, 0xb4, 0xb6, 0xb9];

#[test]
fn handshakes_harm_no_board() {
    for handshake in HANDSHAKES {
        let write = handshake.write;
        assert!(write.iter().all(|byte| !HARMFUL.contains(byte)), "{}: {write:x?}", handshake.model);
        // A Certabo would take eight bytes for lights.
        assert!(write.len() < 8, "{}", handshake.model);
        assert_eq!(model(handshake.model).unwrap().bluetooth(), Some(Bluetooth::Gatt(&NORDIC_UART)), "{}", handshake.model);
        // What confirms one model confirms no other, except those that send the same lines.
        for other in HANDSHAKES.iter().filter(|other| other.replies != handshake.replies) {
            assert!(
                !handshake.replies.iter().any(|reply| other.is_confirmed_by(reply)),
                "{} and {}",
                handshake.model,
                other.model
            );
        }
    }
    // Every command of an iChessOne is harmful to another board.
    assert_eq!(handshake("ichessone"), None);
    for command in model("ichessone").unwrap().commands {
        assert!(command.prefix.iter().any(|byte| HARMFUL.contains(byte)) || command.prefix.starts_with(b"EL"));
    }
}

#[test]
fn replies_confirm_a_model() {
    assert!(handshake("pegasus").unwrap().is_confirmed_by(&dump(start())));
    assert!(handshake("square-off").unwrap().is_confirmed_by(b"22#88*"));
    assert!(handshake("certabo").unwrap().is_confirmed_by(b":0 0 0 0 0"));
    assert!(!handshake("certabo").unwrap().is_confirmed_by(&dump(start())));
}
