//! udev's rules: written from the table of boards, and what udev itself makes of them.

use crate::harness::installed;
use crate::plugs::umockdev;
use std::fs;
use std::path::Path;
use std::process::Command;
use touchmove::boards;
use touchmove::link::rules;
use touchmove::link::watch::{Device, DeviceKind};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/udev/70-touchmove.rules");

#[test]
fn written_from_the_table_of_boards() {
    let rules = rules::rules();
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(Path::new(FILE).parent().unwrap()).unwrap();
        fs::write(FILE, &rules).unwrap();
    }
    assert!(fs::read_to_string(FILE).unwrap_or_default() == rules, "{FILE} is out of date: run `UPDATE=1 cargo test rules`");
}

#[test]
fn udev_finds_no_fault() {
    if !installed("udevadm") {
        return;
    }
    let output = Command::new("udevadm").args(["verify", "--resolve-names=never", FILE]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if said.contains("Unknown command verb") || said.contains("No such command") {
        return eprintln!("SKIPPED: this udevadm has no `verify` (systemd 254 has)");
    }
    assert!(output.status.success(), "{said}");
}

/// What udev makes of a device, with the rules of touchmove and one more: properties, and what it does to the device file.
/// `None`, said so, where that cannot be tried.
fn tried(plug: &str, device: &str, local: &str) -> Option<String> {
    // Where udev writes to is put aside, and the group is made up: only for what is started here.
    const SCRIPT: &str = r#"
        mount -t tmpfs tmpfs /run && mkdir -p /run/udev/rules.d || exit 77
        cp "$1"/*.rules /run/udev/rules.d
        { cat /etc/group; echo touchmove:x:64999:; } > /run/group && mount --bind /run/group /etc/group || exit 77
        exec udevadm test --action=add "/sys/devices/pci0000:00/0000:00:14.0/usb1/$2" 2>&1
    "#;
    if !(installed("udevadm") && installed("unshare")) {
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::copy(FILE, dir.path().join("70-touchmove.rules")).unwrap();
    fs::write(dir.path().join("69-touchmove-local.rules"), local).unwrap();
    let output = umockdev("plugs.py")?
        .arg(dir.path().join("log"))
        .args([plug, "--", "unshare", "--mount", "sh", "-c", SCRIPT, "sh"])
        .arg(dir.path())
        .arg(device)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let why = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || why.contains("unshare failed") {
        eprintln!("SKIPPED: only root may put /run aside ({})", why.trim());
        return None;
    }
    assert!(output.status.success(), "{said}\n{why}");
    assert!(!said.contains("Invalid") && !said.contains("Unknown group"), "{said}");
    Some(said)
}

#[track_caller]
fn check(said: &str, has: &[&str], lacks: &[&str]) {
    for line in has {
        assert!(said.contains(line), "missing: {line}\nin\n{said}");
    }
    for line in lacks {
        assert!(!said.contains(line), "it says {line}:\n{said}");
    }
}

const GIVEN: [&str; 6] = [
    "GROUP 64999",
    "MODE 0660",
    ":touchmove:",
    ":systemd:",
    "\nSYSTEMD_WANTS=touchmoved.service\n",
    "\nID_MM_DEVICE_IGNORE=1\n",
];

#[test]
fn boards_with_their_own_ids_are_given_to_touchmove() {
    let tty = "1-2/1-2:1.0/tty/ttyACM0";
    let Some(said) = tried("tty 1-2 4 ttyACM0 23946 045b:8111", tty, "") else { return };
    check(&said, &GIVEN, &[]);
    check(&said, &["\nTOUCHMOVE_BOARD=dgt\n", "/dev/touchmove/dgt_23946"], &[]);
    // A hub's serial number is not the board's.
    let said = tried("tty 1-2 4 ttyACM0 - 045b:8111", tty, "").unwrap();
    check(&said, &["/dev/touchmove/dgt_usb_1-2"], &["TOUCHMOVE_PLACE=0000"]);
    let said = tried("tty 1-2 4 ttyACM0 - 045b:8111", "1-2", "").unwrap();
    check(&said, &["\nID_MM_DEVICE_IGNORE=1\n"], &["GROUP 64999", "SYSTEMD_WANTS"]);
    let said = tried("hid 1-2 4 SN0001", "1-2", "").unwrap();
    check(&said, &GIVEN, &[]);
    check(&said, &["\nTOUCHMOVE_BOARD=chessnut\n", "/dev/touchmove/chessnut_SN0001"], &[]);
}

/// Whatever it is that somebody gave to touchmove.
#[test]
fn names_stay_for_ids_that_are_in_no_table() {
    let (tty, given) = ("1-2/1-2:1.0/tty/ttyUSB0", "SUBSYSTEM==\"tty\", ENV{TOUCHMOVE_BOARD}=\"ichessone\"\n");
    let Some(said) = tried("tty 1-2 4 ttyUSB0 A1B2C3 1a2b:3c4d", tty, given) else { return };
    check(&said, &GIVEN, &[]);
    check(&said, &["/dev/touchmove/ichessone_A1B2C3"], &["ichessone_ttyUSB0"]);
    let said = tried("tty 1-2 4 ttyUSB0 - 1a2b:3c4d", tty, given).unwrap();
    check(&said, &["/dev/touchmove/ichessone_usb_1-2"], &["TOUCHMOVE_PLACE=0000", "ichessone_ttyUSB0"]);
}

#[test]
fn other_peoples_adapters_are_only_tagged() {
    let (plug, tty) = ("tty 1-2 4 ttyUSB0 A1B2C3 0403:6001", "1-2/1-2:1.0/tty/ttyUSB0");
    let Some(said) = tried(plug, tty, "") else { return };
    check(&said, &[":touchmove:", "\nTOUCHMOVE_PERHAPS=dgt"], &["GROUP 64999", "SYSTEMD_WANTS", "ID_MM_", "/dev/touchmove"]);
    // Until the line that doctor shows gives one to touchmove.
    let device = Device {
        kind: DeviceKind::Serial,
        node: "/dev/ttyUSB0".into(),
        links: Vec::new(),
        ids: "0403:6001".parse().ok(),
        given: None,
        serial: Some("A1B2C3".into()),
        title: None,
        driver: None,
        usb_path: Some("1-2".into()),
        modem_manager_ignores: false,
    };
    let line = |device: &Device| rules::local_line(device, boards::model("dgt").unwrap()).unwrap();
    let said = tried(plug, tty, &line(&device)).unwrap();
    check(&said, &GIVEN, &[]);
    check(&said, &["\nTOUCHMOVE_BOARD=dgt\n", "/dev/touchmove/dgt_A1B2C3"], &[]);
    let unnamed = line(&Device { serial: None, ..device.clone() });
    check(&tried(plug, tty, &unnamed).unwrap(), &GIVEN, &[]);
    let other = line(&Device { serial: Some("B".into()), ..device });
    check(&tried(plug, tty, &other).unwrap(), &[], &["GROUP 64999", "TOUCHMOVE_BOARD"]);
}
