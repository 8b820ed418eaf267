//! The output of `touchmovectl doctor` for boards that are not found.

use crate::daemon::plugs::umockdev;
use crate::harness::{Board, Daemon, PrivateBus, Pty, eventually, installed};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output};

const DOCTOR: &str = env!("CARGO_BIN_EXE_touchmovectl");

/// Runs the doctor without a terminal; returns its exit code and all its findings.
fn doctor(args: &[&str]) -> (i32, String) {
    exit_and_output(Command::new(DOCTOR).args(["doctor", "--all"]).args(args).output().unwrap())
}

fn exit_and_output(output: Output) -> (i32, String) {
    let text = String::from_utf8(output.stdout).unwrap();
    eprintln!("{text}{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), text)
}

#[track_caller]
fn check(result: (i32, String), code: i32, lines: &[&str]) {
    for line in lines {
        assert!(result.1.contains(line), "missing: {line}\nin\n{}", result.1);
    }
    assert_eq!(result.0, code, "{}", result.1);
}

#[test]
fn a_board_that_answers_passes() {
    let board = Board::plugged();
    let path = board.path();
    let result = doctor(&["--port", path.to_str().unwrap()]);
    let (opened, answers) = (
        format!("✓ {} can be opened, and no other program uses it\n", path.display()),
        format!("✓ a DGT e-Board answers on {}", path.display()),
    );
    check(
        result,
        0,
        &[
            &opened,
            &answers,
            "it reports 32 pieces",
            "· a DGT e-Board cannot know which hand moved a piece",
            "No fault was found.",
        ],
    );
}

#[test]
fn a_port_on_which_nothing_answers() {
    let pty = Pty::open();
    let path = pty.path().display().to_string();
    let result = doctor(&["--port", &path]);
    check(
        result,
        1,
        &[&format!("✗ no DGT e-Board answers on {path}\n  → check that the board is switched on"), "1 fault was found: ✗.\n"],
    );
}

#[test]
fn only_harmless_bytes_are_sent() {
    let pty = Pty::open();
    let mut master = pty.master();
    let (code, _) = doctor(&["--port", pty.path().to_str().unwrap()]);
    assert_eq!(code, 1);
    rustix::io::ioctl_fionbio(&master, true).unwrap();
    let mut sent = Vec::new();
    let _ = master.read_to_end(&mut sent);
    assert!(sent.contains(&0x42), "{sent:02x?}");
    let harmless = [0x40, 0x42, 0x45, 0x4b, 0x4c, 0x4d, 0x55];
    assert!(sent.iter().all(|byte| harmless.contains(byte)), "{sent:02x?}");
}

#[test]
fn another_device_answers() {
    let pty = Pty::open();
    let mut master = pty.master();
    let path = pty.path();
    let doctor_thread = std::thread::spawn(move || doctor(&["--port", path.to_str().unwrap()]));
    // The doctor has sent its initialization: bytes from now on are not stale input.
    master.read_exact(&mut [0]).unwrap();
    master.write_all(b"Marlin 2.1 ready\n").unwrap();
    check(doctor_thread.join().unwrap(), 1, &["✗ a device answers on ", "but not as a DGT e-Board (17 invalid bytes)"]);
}

#[test]
fn a_port_does_not_exist() {
    check(
        doctor(&["--port", "/dev/ttyNONE7"]),
        1,
        &["✗ /dev/ttyNONE7 does not exist\n  → plug the board in, or run `touchmovectl doctor` to list the ports\n"],
    );
    check(doctor(&["--port", "/dev/null"]), 1, &["✗ /dev/null is not a serial port\n  → give one such as /dev/ttyUSB0"]);
}

#[test]
fn a_port_that_another_program_uses() {
    let pty = Pty::open();
    let slave = fs::OpenOptions::new().read(true).write(true).open(pty.path()).unwrap();
    let mut other = Command::new("sleep").arg("600").stdin(slave).spawn().unwrap();
    let result = doctor(&["--port", pty.path().to_str().unwrap()]);
    let pid = other.id();
    other.kill().unwrap();
    other.wait().unwrap();
    let holder = format!("is in use by sleep (pid {pid})\n  → close that program, or end it with `kill {pid}`\n");
    check(result, 1, &[&holder]);
}

#[test]
fn a_port_without_permission() {
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED: only root can become a user who may not open the port");
    }
    if !installed("setpriv") {
        return;
    }
    // A copy that another user may start: the target directory may be closed to others.
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("touchmovectl");
    fs::copy(DOCTOR, &program).unwrap();
    let pty = Pty::open();
    let node = fs::canonicalize(pty.path()).unwrap();
    for (path, mode) in [(dir.path(), 0o755), (node.as_path(), 0o600)] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["doctor", "--all", "--port"])
        .arg(&node)
        .output();
    let group = touchmove::link::serial::group_of(&node);
    let node = node.display();
    check(
        exit_and_output(output.unwrap()),
        1,
        &[
            &format!("✗ no permission to open {node}: it belongs to group {group}\n"),
            &match group.as_str() {
                "root" => "→ only root may use it, because no udev rule".to_owned(),
                group => format!("→ run `sudo usermod -aG {group} $USER`, then log out and in again"),
            },
        ],
    );
}

#[test]
fn the_configuration_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("touchmoved.toml");
    fs::write(&path, "[game]\nsettle_ms = 1\n").unwrap();
    let path = path.to_str().unwrap();
    let result = doctor(&["--config", path, "--bus", "unix:path=/nowhere/bus"]);
    check(
        result,
        1,
        &[
            &format!("✗ {path}:2:13: settle_ms is 1; write a whole number from 20 to 5000 (ms)"),
            "✗ cannot reach the bus at unix:path=/nowhere/bus",
        ],
    );
}

fn configured(dir: &Path, port: &Path) -> String {
    let path = dir.join("touchmoved.toml");
    fs::write(&path, format!("[[board]]\nname = \"hall_1\"\nport = {:?}\n", port.display().to_string())).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_working_board_passes() {
    let Some(bus) = PrivateBus::start() else { return };
    let board = Board::plugged();
    let dir = tempfile::tempdir().unwrap();
    let config = configured(dir.path(), &board.path());
    let state = dir.path().join("state");
    let daemon = Daemon::start(&["--bus", &bus.address(), "--config", &config, "--state-dir", state.to_str().unwrap()]);
    daemon.ready();
    let result = eventually("touchmoved reads the board", || {
        let result = doctor(&["--config", &config, "--bus", &bus.address()]);
        Some(result).filter(|(_, text)| text.contains("reads board"))
    });
    check(
        result,
        0,
        &["configured as hall_1\n✓ touchmoved runs on ", "✓ touchmoved reads board hall_1 on ", "No fault was found."],
    );
    let (code, json) = doctor(&["--config", &config, "--bus", &bus.address(), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["ok"]), (0, &true.into()));
    assert!(json["findings"].as_array().unwrap().iter().any(|finding| finding["check"] == "service" && finding["ok"] == true));
}

#[test]
fn touchmoved_does_not_run() {
    let Some(bus) = PrivateBus::start() else { return };
    let board = Board::plugged();
    let dir = tempfile::tempdir().unwrap();
    let config = configured(dir.path(), &board.path());
    let result = doctor(&["--config", &config, "--bus", &bus.address()]);
    let missing = format!("✗ touchmoved is not running on the bus at {}\n  → start it with", bus.address());
    check(result, 1, &[&missing, "configured as hall_1", "✓ a DGT e-Board answers on"]);

    // Without --all, what is wrong comes first, and what is right is one line.
    let args = ["doctor", "--config", &config, "--bus", &bus.address()];
    let (code, text) = exit_and_output(Command::new(DOCTOR).args(args).output().unwrap());
    assert_eq!(code, 1);
    assert!(text.starts_with(&missing), "{text}");
    let last = "✓ in order: configuration, device, permission, answer; --all lists every finding\n1 fault was found: ✗.\n";
    assert!(text.ends_with(last) && text.matches('✓').count() == 1, "{text}");
}

#[test]
fn a_configured_board_is_not_plugged_in() {
    let dir = tempfile::tempdir().unwrap();
    let config = configured(dir.path(), Path::new("/dev/ttyNONE7"));
    let result = doctor(&["--config", &config, "--bus", "unix:path=/nowhere/bus"]);
    check(result, 1, &["✗ board hall_1 is not plugged in: there is no /dev/ttyNONE7\n  → plug it in and switch it on"]);
}

/// Like [`once_with_device`], and retries once if the machine was too busy for the fake board to answer in time.
fn with_device(ids: (&str, &str), node: &str, behaviour: &str, args: &[&str]) -> Option<(i32, String)> {
    let found = once_with_device(ids, node, behaviour, args)?;
    let is_late = behaviour == "answers" && found.1.contains("no DGT e-Board answers on");
    if is_late { once_with_device(ids, node, behaviour, args) } else { Some(found) }
}

/// Runs the doctor with a fake USB device. Returns `None`, with a message, without umockdev.
fn once_with_device(ids: (&str, &str), node: &str, behaviour: &str, args: &[&str]) -> Option<(i32, String)> {
    let dir = tempfile::tempdir().unwrap();
    let output = umockdev("board.py")?
        .args([ids.0, ids.1, node, behaviour, "--", DOCTOR, "doctor", "--all"])
        .args(["--bus", "unix:path=/nowhere/bus"])
        .args(args)
        .env("XDG_CONFIG_HOME", dir.path())
        .env("HOME", dir.path())
        .output();
    Some(exit_and_output(output.unwrap()))
}

#[test]
fn a_usb_device_with_a_boards_own_id_is_opened() {
    let Some(result) = with_device(("045b", "8111"), "ttyACM0", "answers", &[]) else { return };
    check(
        result,
        1,
        &[
            "✓ /dev/ttyACM0 (USB 045b:8111, Board under test, serial number TEST12345, cdc_acm): DGT e-Board\n",
            "✓ a DGT e-Board answers on /dev/ttyACM0; it reports 32 pieces",
            "✗ cannot reach the bus",
        ],
    );
}

#[test]
fn a_generic_adapter_is_not_opened() {
    let Some(result) = with_device(("0403", "6001"), "ttyUSB0", "answers", &[]) else { return };
    assert!(!result.1.contains("answers on"), "it was opened");
    check(
        result,
        1,
        &[
            "✗ /dev/ttyUSB0 (USB 0403:6001, Board under test, serial number TEST12345, ftdi_sio) may be a DGT e-Board",
            ": it is not used, because other devices contain the same adapter",
            "[[board]]\n        name = \"board_1\"\n        model = \"dgt\"\n        serial = \"TEST12345\"\n",
            "    SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"0403\", ATTRS{idProduct}==\"6001\", ATTRS{serial}==\"TEST12345\", \
             ENV{TOUCHMOVE_BOARD}=\"dgt\"\n",
            "touchmovectl doctor --model dgt --port /dev/ttyUSB0",
        ],
    );
}

#[test]
fn a_device_that_is_not_a_board() {
    let Some(result) = with_device(("2341", "0043"), "ttyACM0", "answers", &[]) else { return };
    assert!(!result.1.contains("answers on"), "it was opened");
    check(
        result,
        1,
        &[
            "✗ no board is plugged in: no USB device of this machine is a known board",
            "· there is also /dev/ttyACM0 (USB 2341:0043",
        ],
    );
}

#[test]
fn a_board_without_a_driver() {
    let Some(result) = with_device(("045b", "8111"), "ttyACM0", "driverless", &[]) else { return };
    check(result, 1, &["✗ USB device 045b:8111 is a DGT e-Board, but it has no serial port\n  → its kernel driver is missing"]);
}

#[test]
fn a_wrong_wiring_file_is_explained() {
    let dir = tempfile::tempdir().unwrap();
    let (wiring, config) = (dir.path().join("matrix.toml"), dir.path().join("touchmoved.toml"));
    fs::write(&wiring, "diodes = true\n").unwrap();
    fs::write(&config, format!("[[board]]\nname = 'm'\nmodel = 'matrix'\nport = '{}'\n", wiring.display())).unwrap();
    let result = doctor(&["--config", config.to_str().unwrap(), "--bus", "unix:path=/nowhere"]);
    check(
        result,
        1,
        &["✗ ", "must have exactly one of [gpio] and [mcp23017]", "→ see docs/matrix.md for the format of this file"],
    );
}

#[test]
fn local_network_access_of_browsers_is_explained() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    fs::write(&config, "[livechess]\nlisten = \"127.0.0.1:1982\"\n").unwrap();
    let (_, text) = doctor(&["--config", config.to_str().unwrap(), "--bus", "unix:path=/nonexistent"]);
    assert!(text.contains("Local Network Access") && text.contains("ws://127.0.0.1:1982/api/v1.0"), "{text}");
    for listen in ["0.0.0.0:1982", "[::]:1982"] {
        fs::write(&config, format!("[livechess]\nlisten = \"{listen}\"\n")).unwrap();
        let (_, text) = doctor(&["--config", config.to_str().unwrap(), "--bus", "unix:path=/nonexistent"]);
        assert!(text.contains("ws://localhost:1982/api/v1.0"), "{text}");
    }
    fs::write(&config, "").unwrap();
    let (_, text) = doctor(&["--config", config.to_str().unwrap(), "--bus", "unix:path=/nonexistent"]);
    assert!(!text.contains("Local Network Access"), "{text}");
}
