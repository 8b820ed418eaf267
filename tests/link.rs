//! Serial ports: opened alone, read until they are gone, chosen by their ids or as configured.

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

const LINE: Connection = Connection::Serial(SerialSettings { baud: 9600, control: ControlLines::Asserted });

fn open(path: &Path) -> Result<Port, OpenError> {
    // A serial port is opened at once.
    Port::open(path, LINE, ControlLines::Asserted).now_or_never().unwrap()
}

/// What a person reads.
#[track_caller]
fn refused(path: &Path) -> String {
    open(path).expect_err("it was opened").to_string()
}

/// Inside a runtime, and never for ever.
fn run<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, what).await.expect("it hangs") })
}

/// What is found as these are plugged in, by the name of its board.
fn found(discovery: &mut Discovery, devices: &[Device]) -> Vec<String> {
    discovery.find_new(devices).into_iter().map(|(model, place)| BoardId::for_place(model, &place).to_string()).collect()
}

/// A DGT board with this serial number in this socket.
fn twin(socket: &str) -> Device {
    let mut device = port(&format!("/dev/ttyACM{}", &socket[2..]), Some("045b:8111"));
    (device.serial, device.usb_path) = (Some("0001".to_owned()), Some(socket.to_owned()));
    device
}

#[test]
fn one_board_is_found_once_wherever_it_is_plugged_in() {
    let mut discovery = Discovery::default();
    assert_eq!(found(&mut discovery, &[twin("1-2")]), ["dgt_0001"]);
    for devices in [vec![], vec![twin("1-2")], vec![twin("1-5")], vec![], vec![twin("1-2")]] {
        assert_eq!(found(&mut discovery, &devices), [""; 0]);
    }
}

#[test]
fn of_two_boards_with_one_serial_number_the_socket_tells_them_apart() {
    // Both are there from the start. One of them is pulled, and plugged in again.
    let mut discovery = Discovery::default();
    assert_eq!(found(&mut discovery, &[twin("1-2"), twin("1-3")]), ["dgt_usb_1_2", "dgt_usb_1_3"]);
    for devices in [vec![twin("1-3")], vec![twin("1-2"), twin("1-3")], vec![twin("1-2")], vec![]] {
        assert_eq!(found(&mut discovery, &devices), [""; 0]);
    }
    // One comes later, when the other is known by its number already, and has moved; then each is there alone.
    let mut discovery = Discovery::default();
    assert_eq!(found(&mut discovery, &[twin("1-2")]), ["dgt_0001"]);
    assert_eq!(found(&mut discovery, &[twin("1-4")]), [""; 0]);
    assert_eq!(found(&mut discovery, &[twin("1-3"), twin("1-4")]), ["dgt_usb_1_3"]);
    for devices in [vec![twin("1-3")], vec![twin("1-4")], vec![twin("1-3"), twin("1-5")], vec![twin("1-5")]] {
        assert_eq!(found(&mut discovery, &devices), [""; 0]);
    }
    // Another kind of board in that socket is another board.
    let mut chessnut = twin("1-3");
    (chessnut.kind, chessnut.ids) = (DeviceKind::Usb, Some("2d80:8002".parse().unwrap()));
    assert_eq!(found(&mut discovery, &[chessnut]), ["chessnut_0001"]);
}

#[test]
fn bytes_go_both_ways() {
    let pty = Pty::open();
    let mut master = pty.master();
    run(async {
        // From now on it neither echoes nor translates.
        drop(open(&pty.path()).unwrap());
        master.write_all(b"stale").unwrap();
        let mut port = open(&pty.path()).unwrap();
        // What arrived before the port was opened belongs to nobody.
        master.write_all(&[0x86, 0x0d, 0x0a, 0xff]).unwrap();
        let mut buffer = [0; 16];
        let mut came = Vec::new();
        while came.len() < 4 {
            let count = port.read(&mut buffer).await.unwrap();
            came.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(came, [0x86, 0x0d, 0x0a, 0xff], "nothing is translated");
        port.write_all(&[0x42, 0x0a, 0x0d]).await.unwrap();
        let mut sent = [0; 3];
        std::io::Read::read_exact(&mut master, &mut sent).unwrap();
        assert_eq!(sent, [0x42, 0x0a, 0x0d]);
    });
}

#[test]
fn unplugged_is_gone() {
    let mut pty = Pty::open();
    run(async {
        let mut port = open(&pty.path()).unwrap();
        pty.unplug();
        assert!(matches!(port.read(&mut [0; 8]).await, Err(LineError::Gone)));
        assert!(matches!(port.write_all(b"x").await, Err(LineError::Gone)));
    });
}

#[test]
fn a_port_is_open_once() {
    let pty = Pty::open();
    run(async {
        let _first = open(&pty.path()).unwrap();
        let second = open(&pty.path()).unwrap_err();
        assert!(matches!(second, OpenError::Busy { .. }), "{second}");
        let said = second.to_string();
        assert!(said.starts_with(&format!("{} is in use by another program; close it", pty.path().display())), "{said}");
    });
    // A program that another test starts holds it, too, until its own begins.
    eventually("the port is free again", || run(async { open(&pty.path()).map(drop).ok() }));
}

#[test]
fn what_cannot_be_opened_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    run(async {
        assert_eq!(
            refused(Path::new("/dev/ttyNONE7")),
            "/dev/ttyNONE7 does not exist: plug the board in, or see `touchmovectl doctor` for the ports there are"
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
        given: None,
        serial: None,
        title: None,
        driver: None,
        usb_path: None,
        modem_manager_ignores: false,
    }
}

#[test]
fn only_a_boards_own_id_is_taken_unasked() {
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
fn places_are_given_out_once() {
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
    let check = |places: &[BoardLocation], expect: &[Option<&str>]| {
        let expect: Vec<Option<PathBuf>> = expect.iter().map(|node| node.map(PathBuf::from)).collect();
        assert_eq!(watch::assign(places, &ports), expect, "{places:?}");
    };
    let serial = BoardLocation::Serial("A1".into());
    check(&[BoardLocation::AnyOfModel(model)], &[Some("/dev/ttyACM0")]);
    // The one that says more chooses first, wherever it stands.
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
