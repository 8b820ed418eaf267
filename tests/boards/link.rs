//! Serial ports: exclusive access, reading until the port is gone, and selection by USB ids or configuration.

use crate::harness::{PATIENCE, Pty, eventually};
use futures_util::FutureExt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use touchmove::boards::{self, Connection, ControlLines, SerialSettings};
use touchmove::daemon::discovery::Discovery;
use touchmove::daemon::hub::BoardId;
use touchmove::link::watch::{self, Device, DeviceKind, Verdict};
use touchmove::link::{BoardLocation, LineError, OpenError, Port, UsbIds};

const SERIAL: Connection = Connection::Serial(SerialSettings { baud: 9600, control: ControlLines::Asserted });

fn open(path: &Path) -> Result<Port, OpenError> {
    // A serial port is opened at once.
    Port::open(path, SERIAL, ControlLines::Asserted).now_or_never().unwrap()
}

/// The message of the error for a port that cannot be opened.
#[track_caller]
fn refused(path: &Path) -> String {
    open(path).expect_err("it was opened").to_string()
}

/// Runs a future on a runtime, with a time limit.
fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await.expect("it hangs") })
}

/// The names of the boards found among these devices that were not known before.
fn found(discovery: &mut Discovery, devices: &[Device]) -> Vec<String> {
    discovery.find_new(devices).into_iter().map(|(model, location)| BoardId::for_place(model, &location).to_string()).collect()
}

/// A DGT board with this serial number in this socket.
fn dgt_board_in(socket: &str) -> Device {
    let mut device = port(&format!("/dev/ttyACM{}", &socket[2..]), Some("045b:8111"));
    (device.serial, device.usb_path) = (Some("0001".to_owned()), Some(socket.to_owned()));
    device
}

#[test]
fn one_board_is_found_once_wherever_it_is_plugged_in() {
    let mut discovery = Discovery::default();
    assert_eq!(found(&mut discovery, &[dgt_board_in("1-2")]), ["dgt_0001"]);
    for devices in [vec![], vec![dgt_board_in("1-2")], vec![dgt_board_in("1-5")], vec![], vec![dgt_board_in("1-2")]] {
        assert_eq!(found(&mut discovery, &devices), [""; 0]);
    }
}

#[test]
fn two_boards_with_one_serial_number_are_distinguished_by_their_sockets() {
    // Both are there from the start. One of them is pulled, and plugged in again.
    let mut discovery = Discovery::default();
    assert_eq!(found(&mut discovery, &[dgt_board_in("1-2"), dgt_board_in("1-3")]), ["dgt_usb_1_2", "dgt_usb_1_3"]);
    for devices in
        [vec![dgt_board_in("1-3")], vec![dgt_board_in("1-2"), dgt_board_in("1-3")], vec![dgt_board_in("1-2")], vec![]]
    {
        assert_eq!(found(&mut discovery, &devices), [""; 0]);
    }
    // One comes later, when the other is already known by its number and was moved; then each is plugged in alone.
    let mut discovery = Discovery::default();
    assert_eq!(found(&mut discovery, &[dgt_board_in("1-2")]), ["dgt_0001"]);
    assert_eq!(found(&mut discovery, &[dgt_board_in("1-4")]), [""; 0]);
    assert_eq!(found(&mut discovery, &[dgt_board_in("1-3"), dgt_board_in("1-4")]), ["dgt_usb_1_3"]);
    for devices in [
        vec![dgt_board_in("1-3")],
        vec![dgt_board_in("1-4")],
        vec![dgt_board_in("1-3"), dgt_board_in("1-5")],
        vec![dgt_board_in("1-5")],
    ] {
        assert_eq!(found(&mut discovery, &devices), [""; 0]);
    }
    // Another kind of board in that socket is another board.
    let mut chessnut = dgt_board_in("1-3");
    (chessnut.kind, chessnut.ids) = (DeviceKind::Usb, Some("2d80:8002".parse().unwrap()));
    assert_eq!(found(&mut discovery, &[chessnut]), ["chessnut_0001"]);
}

#[test]
fn bytes_go_both_ways() {
    let pty = Pty::open();
    let mut master = pty.master();
    run(async {
        // Opening it switches off echo and translation.
        drop(open(&pty.path()).unwrap());
        master.write_all(b"stale").unwrap();
        let mut port = open(&pty.path()).unwrap();
        // Bytes that arrived before the port was opened are discarded.
        master.write_all(&[0x86, 0x0d, 0x0a, 0xff]).unwrap();
        let mut buffer = [0; 16];
        let mut received = Vec::new();
        while received.len() < 4 {
            let count = port.read(&mut buffer).await.unwrap();
            received.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(received, [0x86, 0x0d, 0x0a, 0xff], "nothing is translated");
        port.write_all(&[0x42, 0x0a, 0x0d]).await.unwrap();
        let mut sent = [0; 3];
        std::io::Read::read_exact(&mut master, &mut sent).unwrap();
        assert_eq!(sent, [0x42, 0x0a, 0x0d]);
    });
}

#[test]
fn an_unplugged_port_is_reported_as_gone() {
    let mut pty = Pty::open();
    run(async {
        let mut port = open(&pty.path()).unwrap();
        pty.unplug();
        assert!(matches!(port.read(&mut [0; 8]).await, Err(LineError::Gone)));
        assert!(matches!(port.write_all(b"x").await, Err(LineError::Gone)));
    });
}

#[test]
fn a_port_is_opened_exclusively() {
    let pty = Pty::open();
    run(async {
        let _first = open(&pty.path()).unwrap();
        let second = open(&pty.path()).unwrap_err();
        assert!(matches!(second, OpenError::Busy { .. }), "{second}");
        let message = second.to_string();
        assert!(message.starts_with(&format!("{} is in use by another program; close it", pty.path().display())), "{message}");
    });
    // A child process of another test holds a copy of the descriptor until its exec.
    eventually("the port is free again", || run(async { open(&pty.path()).map(drop).ok() }));
}

#[test]
fn errors_say_why_a_port_cannot_be_opened() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    run(async {
        assert_eq!(
            refused(Path::new("/dev/ttyNONE7")),
            "/dev/ttyNONE7 does not exist: plug the board in, or run `touchmovectl doctor` to list the ports"
        );
        for path in [file.as_path(), dir.path(), Path::new("/dev/null")] {
            assert_eq!(
                refused(path),
                format!(
                    "{} is not a serial port: give one such as /dev/ttyUSB0 or a link in /dev/serial/by-id",
                    path.display()
                )
            );
        }
    });
}

fn port(node: &str, ids: Option<&str>) -> Device {
    Device {
        kind: DeviceKind::Serial,
        node: node.into(),
        links: Vec::new(),
        ids: ids.map(|ids| ids.parse().unwrap()),
        assigned_model: None,
        serial: None,
        title: None,
        driver: None,
        usb_path: None,
        modem_manager_ignores: false,
    }
}

#[test]
fn only_ids_of_boards_are_used_without_configuration() {
    let ports = [
        port("/dev/ttyS0", None),
        port("/dev/ttyUSB0", Some("0403:6001")),
        port("/dev/ttyACM0", Some("04d8:000a")),
        port("/dev/ttyACM1", Some("045b:8111")),
        port("/dev/ttyACM2", Some("2341:0043")),
    ];
    let found: Vec<_> = watch::boards_to_serve(&ports).map(|(port, model)| (port.node.to_str().unwrap(), model.name)).collect();
    assert_eq!(found, [("/dev/ttyACM1", "dgt")]);
    assert!(watch::boards_to_serve(&ports[..3]).next().is_none(), "even if there is nothing else");
    assert!(matches!(ports[1].verdict(), Verdict::MaybeBoard(models) if models[0].name == "dgt"));
    assert!(matches!(ports[4].verdict(), Verdict::Unknown));
}

#[test]
fn each_port_is_assigned_once() {
    let model = boards::model("dgt").unwrap();
    let ids: UsbIds = "0403:6001".parse().unwrap();
    let mut ports = [
        port("/dev/ttyUSB0", Some("0403:6001")),
        port("/dev/ttyUSB1", Some("0403:6001")),
        port("/dev/ttyACM0", Some("045b:8111")),
    ];
    ports[0].serial = Some("A1".into());
    ports[1].usb_path = Some("1-2".into());
    ports[2].links = vec!["/dev/serial/by-id/usb-dgt".into()];
    let check = |locations: &[BoardLocation], expect: &[Option<&str>]| {
        let expect: Vec<Option<PathBuf>> = expect.iter().map(|node| node.map(PathBuf::from)).collect();
        assert_eq!(watch::assign(locations, &ports), expect, "{locations:?}");
    };
    let serial = BoardLocation::Serial("A1".into());
    check(&[BoardLocation::AnyOfModel(model)], &[Some("/dev/ttyACM0")]);
    // The most specific location is assigned first, wherever it is in the list.
    check(&[BoardLocation::Ids(ids), serial.clone()], &[Some("/dev/ttyUSB1"), Some("/dev/ttyUSB0")]);
    check(&[BoardLocation::UsbPath("1-2".into()), BoardLocation::Ids(ids)], &[Some("/dev/ttyUSB1"), Some("/dev/ttyUSB0")]);
    check(
        &[BoardLocation::Port("/dev/serial/by-id/usb-dgt".into()), BoardLocation::AnyOfModel(model)],
        &[Some("/dev/ttyACM0"), None],
    );
    check(&[serial.clone(), serial], &[Some("/dev/ttyUSB0"), None]);
    check(&[BoardLocation::Port("/dev/ttyNONE7".into())], &[None]);
    // A pseudo-terminal is in no list.
    let pty = Pty::open();
    let found = watch::assign(&[BoardLocation::Port(pty.path())], &ports);
    assert_eq!(found, [Some(pty.path())]);
}

#[test]
fn ids_are_read_as_udev_writes_them() {
    for wrong in ["", "0403", "403:6001", "0403:60011", "0403:600g", "0403-6001", "+403:6001"] {
        assert!(wrong.parse::<UsbIds>().is_err(), "{wrong}");
    }
    assert_eq!("045b:8111".parse::<UsbIds>().unwrap().to_string(), "045b:8111");
}
