//! The udev rules: they are generated from the table of boards, and tried with udev itself.

use crate::daemon::plugs::umockdev;
use crate::harness::installed;
use std::fs;
use std::path::Path;
use std::process::Command;
use touchmove::boards;
use touchmove::link::rules;
use touchmove::link::watch::{Device, DeviceKind};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/udev/70-touchmove.rules");

#[test]
fn the_rules_file_is_current() {
    let rules = rules::rules();
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(Path::new(FILE).parent().unwrap()).unwrap();
        fs::write(FILE, &rules).unwrap();
    }
    assert!(fs::read_to_string(FILE).unwrap_or_default() == rules, "{FILE} is out of date: run `UPDATE=1 cargo test rules`");
}

#[test]
fn udevadm_verify_finds_no_fault() {
    if !installed("udevadm") {
        return;
    }
    let output = Command::new("udevadm").args(["verify", "--resolve-names=never", FILE]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if printed.contains("Unknown command verb") || printed.contains("No such command") {
        return eprintln!("SKIPPED: this udevadm has no `verify`, which needs systemd 254");
    }
    assert!(output.status.success(), "{printed}");
}

/// Runs `udevadm test` for a device with the rules of touchmove and a local rule, and returns what it prints: the properties, and what
/// udev does to the device file. Where that is impossible, prints why and returns `None`.
fn udev_test(plug: &str, device: &str, local: &str) -> Option<String> {
    // In a mount namespace of its own: an empty /run for udev to write to, and a group that this machine need not have.
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
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || stderr.contains("unshare failed") {
        eprintln!("SKIPPED: only root may mount over /run ({})", stderr.trim());
        return None;
    }
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(!stdout.contains("Invalid") && !stdout.contains("Unknown group"), "{stdout}");
    Some(stdout)
}

#[track_caller]
fn check(printed: &str, has: &[&str], lacks: &[&str]) {
    for line in has {
        assert!(printed.contains(line), "missing: {line}\nin\n{printed}");
    }
    for line in lacks {
        assert!(!printed.contains(line), "unexpected: {line}\nin\n{printed}");
    }
}

/// What udev does to a device that is assigned to touchmove.
const ASSIGNED: [&str; 6] = [
    "GROUP 64999",
    "MODE 0660",
    ":touchmove:",
    ":systemd:",
    "\nSYSTEMD_WANTS=touchmoved.service\n",
    "\nID_MM_DEVICE_IGNORE=1\n",
];

#[test]
fn boards_with_their_own_ids_are_assigned_to_touchmove() {
    let tty = "1-2/1-2:1.0/tty/ttyACM0";
    let Some(printed) = udev_test("tty 1-2 4 ttyACM0 23946 045b:8111", tty, "") else { return };
    check(&printed, &ASSIGNED, &[]);
    check(&printed, &["\nTOUCHMOVE_BOARD=dgt\n", "/dev/touchmove/dgt_23946"], &[]);
    // The serial number of a hub is not that of the board.
    let printed = udev_test("tty 1-2 4 ttyACM0 - 045b:8111", tty, "").unwrap();
    check(&printed, &["/dev/touchmove/dgt_usb_1-2"], &["TOUCHMOVE_PLACE=0000"]);
    let printed = udev_test("tty 1-2 4 ttyACM0 - 045b:8111", "1-2", "").unwrap();
    check(&printed, &["\nID_MM_DEVICE_IGNORE=1\n"], &["GROUP 64999", "SYSTEMD_WANTS"]);
    let printed = udev_test("hid 1-2 4 SN0001", "1-2", "").unwrap();
    check(&printed, &ASSIGNED, &[]);
    check(&printed, &["\nTOUCHMOVE_BOARD=chessnut\n", "/dev/touchmove/chessnut_SN0001"], &[]);
}

/// A local rule may assign any device to touchmove.
#[test]
fn ids_in_no_table_get_stable_device_names() {
    let (tty, local) = ("1-2/1-2:1.0/tty/ttyUSB0", "SUBSYSTEM==\"tty\", ENV{TOUCHMOVE_BOARD}=\"ichessone\"\n");
    let Some(printed) = udev_test("tty 1-2 4 ttyUSB0 A1B2C3 1a2b:3c4d", tty, local) else { return };
    check(&printed, &ASSIGNED, &[]);
    check(&printed, &["/dev/touchmove/ichessone_A1B2C3"], &["ichessone_ttyUSB0"]);
    let printed = udev_test("tty 1-2 4 ttyUSB0 - 1a2b:3c4d", tty, local).unwrap();
    check(&printed, &["/dev/touchmove/ichessone_usb_1-2"], &["TOUCHMOVE_PLACE=0000", "ichessone_ttyUSB0"]);
}

#[test]
fn generic_adapters_are_only_tagged() {
    let (plug, tty) = ("tty 1-2 4 ttyUSB0 A1B2C3 0403:6001", "1-2/1-2:1.0/tty/ttyUSB0");
    let Some(printed) = udev_test(plug, tty, "") else { return };
    check(&printed, &[":touchmove:", "\nTOUCHMOVE_PERHAPS=dgt"], &["GROUP 64999", "SYSTEMD_WANTS", "ID_MM_", "/dev/touchmove"]);
    // The line that doctor prints assigns such an adapter to touchmove.
    let device = Device {
        kind: DeviceKind::Serial,
        node: "/dev/ttyUSB0".into(),
        links: Vec::new(),
        ids: "0403:6001".parse().ok(),
        assigned_model: None,
        serial: Some("A1B2C3".into()),
        title: None,
        driver: None,
        usb_path: Some("1-2".into()),
        modem_manager_ignores: false,
    };
    let line = |device: &Device| rules::local_line(device, boards::model("dgt").unwrap()).unwrap();
    let printed = udev_test(plug, tty, &line(&device)).unwrap();
    check(&printed, &ASSIGNED, &[]);
    check(&printed, &["\nTOUCHMOVE_BOARD=dgt\n", "/dev/touchmove/dgt_A1B2C3"], &[]);
    let unnamed = line(&Device { serial: None, ..device.clone() });
    check(&udev_test(plug, tty, &unnamed).unwrap(), &ASSIGNED, &[]);
    let other = line(&Device { serial: Some("B".into()), ..device });
    check(&udev_test(plug, tty, &other).unwrap(), &[], &["GROUP 64999", "TOUCHMOVE_BOARD"]);
}
