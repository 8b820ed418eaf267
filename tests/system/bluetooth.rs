//! `touchmovectl bluetooth`, and what `touchmovectl doctor` says of boards over Bluetooth, with a stand-in for BlueZ.

use crate::harness::bluez::{Bluez, RadioBoard};
use crate::harness::{PrivateBus, eventually};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use touchmove::config::Config;
use touchmove::link::BoardLocation;

const A: &str = "AA:BB:CC:DD:EE:01";
const B: &str = "AA:BB:CC:DD:EE:02";

/// Runs touchmovectl with this bus as the system's; returns its exit code, its output and its errors.
fn run(bus: &PrivateBus, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    let output = command.args(args).env("DBUS_SYSTEM_BUS_ADDRESS", bus.address()).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    eprintln!("{stdout}{stderr}");
    (output.status.code().unwrap(), stdout, stderr)
}

fn write(dir: &Path, config: &str) -> String {
    let file = dir.join("touchmoved.toml");
    fs::write(&file, config).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_scan_shows_boards_and_touches_none() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let boards = [bluez.add(RadioBoard::new("chessnut", A)), bluez.add(RadioBoard::new("ichessone", B))];
    boards[1].rename("table 7");
    let (code, text, _) = run(&bus, &["bluetooth", "scan", "--seconds", "1"]);
    assert_eq!(code, 0);
    let known = "AA:BB:CC:DD:EE:01    -58 dBm  Chessnut\n    Chessnut Air, Air+, Pro, Go: it advertises service 1b7e8261-";
    assert!(text.starts_with(known), "{text}");
    assert!(text.contains("AA:BB:CC:DD:EE:02    -58 dBm  table 7\n    may be a board: it advertises the Nordic UART service"));
    assert!(text.contains("nothing was written to any device, and nothing was changed\n"), "{text}");
    assert!(boards.iter().all(|board| !board.is_connected() && board.received().is_empty()));
    eventually("the scan to end", || (!bluez.is_discovering()).then_some(()));
    let (code, json, _) = run(&bus, &["bluetooth", "scan", "--seconds", "1", "--json"]);
    assert_eq!(code, 0);
    let devices: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&devices[0]["address"], &devices[0]["certain"]), (&A.into(), &true.into()));
    bluez.set_power(false, false);
    let (code, _, error) = run(&bus, &["bluetooth", "scan"]);
    assert_eq!((code, error.as_str()), (1, "touchmovectl: the Bluetooth adapter hci0 is off: run `bluetoothctl power on`\n"));
}

#[test]
fn boards_are_added_and_forgotten_after_a_question() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let board = bluez.add(RadioBoard::new("chessnut", A));
    bluez.add(RadioBoard::new("ichessone", B)).rename("table 7");
    let dir = tempfile::tempdir().unwrap();
    let before = "# ours\n[broadcast]\ndelay_s = 60\n";
    let file = write(dir.path(), before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let text = || fs::read_to_string(&file).unwrap();
    // Nobody can answer.
    let (code, shown, error) = run(&bus, &["bluetooth", "add", A, "--config", &file]);
    assert_eq!(code, 1);
    assert!(shown.contains("  + bluetooth = \"AA:BB:CC:DD:EE:01\"\n") && error.contains("add --yes"), "{shown}{error}");
    assert_eq!(text(), before);
    let (code, shown, _) = run(&bus, &["bluetooth", "add", A, "--config", &file, "--yes"]);
    assert_eq!(code, 0);
    assert!(shown.contains("only configured boards are used") && shown.contains("restart touchmoved"), "{shown}");
    assert!(text().starts_with(before));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    let boards = Config::parse(&text()).unwrap().boards;
    assert_eq!((boards[0].name.as_str(), boards[0].model.name), ("board_1", "chessnut"));
    assert_eq!(boards[0].place, BoardLocation::Bluetooth(A.parse().unwrap()));
    // Twice; and one whose service tells too little.
    let (code, _, error) = run(&bus, &["bluetooth", "add", A, "--config", &file, "--yes"]);
    assert!(code == 1 && error.contains("already, as board_1"), "{error}");
    let (code, _, error) = run(&bus, &["bluetooth", "add", B, "--config", &file, "--yes"]);
    assert!(code == 1 && error.contains("--model"), "{error}");
    let args = ["bluetooth", "add", B, "--config", &file, "--yes", "--model", "ichessone", "--name", "table_7"];
    assert_eq!(run(&bus, &args).0, 0);
    assert_eq!(Config::parse(&text()).unwrap().boards.len(), 2);
    for address in [A, B] {
        assert_eq!(run(&bus, &["bluetooth", "forget", address, "--config", &file, "--yes"]).0, 0);
    }
    assert_eq!(text().trim_end(), before.trim_end());
    let (code, _, error) = run(&bus, &["bluetooth", "forget", A, "--config", &file, "--yes"]);
    assert!(code == 1 && error.contains("is not in the configuration"), "{error}");
    assert!(!board.is_connected() && board.received().is_empty());
}

/// A name is not enough where boards of several makers have the same service.
#[test]
fn boards_on_a_shared_service_are_asked_with_one_harmless_request() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "");
    let boards = [
        ("pegasus", Some("pegasus"), vec![vec![0x42]]),
        ("chessup", Some("chessup"), vec![vec![0x67]]),
        ("square-off", Some("square-off"), vec![b"4#*".to_vec()]),
        // These send lines unrequested, all the same ones.
        ("certabo", None, vec![]),
        ("sentio", None, vec![]),
        // Every request to one may harm another board.
        ("ichessone", None, vec![]),
    ];
    for (number, (name, model, requests)) in boards.iter().enumerate() {
        let address = format!("AA:BB:CC:DD:EE:{number:02X}");
        let board = bluez.add(RadioBoard::new(name, &address));
        let (code, _, error) = run(&bus, &["bluetooth", "add", &address, "--config", &file, "--yes"]);
        assert_eq!(code == 0, model.is_some(), "{name}: {error}");
        assert_eq!(board.received(), *requests, "{name}");
        eventually("the connection to end", || (!board.is_connected()).then_some(()));
        match model {
            Some(model) => {
                let boards = Config::parse(&fs::read_to_string(&file).unwrap()).unwrap().boards;
                assert_eq!(boards.last().unwrap().model.name, *model);
            }
            None => assert!(error.contains(&format!("--model {name}")), "{name}: {error}"),
        }
    }
    // Another board with this name: it is asked once, and nothing else is written to it.
    let other = "AA:BB:CC:DD:EE:AA";
    let board = bluez.add(RadioBoard::new("chessup", other));
    board.rename("DGT_Pegasus_12345");
    let (code, _, error) = run(&bus, &["bluetooth", "add", other, "--config", &file, "--yes"]);
    assert!(code == 1 && error.contains("does not answer like a DGT Pegasus"), "{error}");
    assert_eq!(board.received(), [[0x42]]);
}

#[test]
fn the_doctor_says_why_a_board_cannot_be_reached() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let board = bluez.add(RadioBoard::new("chessnut", A));
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), &format!("[[board]]\nname = 'radio'\nmodel = 'chessnut'\nbluetooth = '{A}'\n"));
    let doctor = |expect: &[&str]| {
        let (_, text, _) = run(&bus, &["doctor", "--all", "--config", &file, "--bus", &bus.address()]);
        for words in expect {
            assert!(text.contains(words), "missing: {words}\nin\n{text}");
        }
    };
    doctor(&[
        "✓ AA:BB:CC:DD:EE:01: configured as radio, in range",
        "✓ a Chessnut Air, Air+, Pro, Go answers on AA:BB:CC:DD:EE:01",
        "; it reports 32 pieces",
        "a Chessnut Air, Air+, Pro, Go cannot know",
    ]);
    assert!(!board.is_connected());
    board.set_mtu(23);
    doctor(&["✗ board radio: AA:BB:CC:DD:EE:01 sends messages of 38 bytes, but its connection carries 20 at a time\n  → "]);
    bluez.set_capacity(Some(0));
    doctor(&["✗ board radio: the Bluetooth adapter hci0 holds no more connections\n  → use another adapter"]);
    bluez.set_capacity(None);
    bluez.set_in_range(&board, false);
    doctor(&["✗ board radio: AA:BB:CC:DD:EE:01 is not in range\n  → switch the board on"]);
    bluez.set_power(false, true);
    doctor(&["✗ board radio: Bluetooth is blocked (rfkill)\n  → run `sudo rfkill unblock bluetooth`"]);
    bluez.set_power(false, false);
    doctor(&["✗ board radio: the Bluetooth adapter hci0 is off\n  → run `bluetoothctl power on`"]);
    bluez.unplug_adapter();
    doctor(&["✗ board radio: this machine has no Bluetooth adapter\n  → plug one in"]);
    bluez.kill_daemon();
    doctor(&["✗ board radio: bluetoothd does not run\n  → install bluez"]);
}

/// The bus policy of the package permits to the service what a strict policy denies to others.
#[test]
fn the_policy_names_the_service_and_bluez_alone() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/config/packaging/dbus/touchmove-bluetooth.conf");
    let policy = fs::read_to_string(path).unwrap();
    let rules: Vec<&str> =
        policy.lines().map(str::trim).filter(|line| line.starts_with("<allow") || line.starts_with("<deny")).collect();
    assert_eq!(rules, ["<allow send_destination=\"org.bluez\"/>"]);
    assert!(policy.contains("<policy user=\"touchmove\">"));
}
