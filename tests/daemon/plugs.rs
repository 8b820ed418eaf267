//! Boards that are plugged in, unplugged and plugged in elsewhere while touchmoved runs: fake USB devices under umockdev, used
//! through touchmoved's real libusb, libudev and terminals.

use crate::harness::hall::client;
use crate::harness::{Daemon, PrivateBus, eventually, installed, until};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;
use touchmove::publish::client::{BoardInfo, Client};
use touchmove::publish::dbus::Stream;

/// A command that runs a script of `tests/data/umockdev`; `None`, with a message, without umockdev.
pub fn umockdev(script: &str) -> Option<Command> {
    if !installed("umockdev-wrapper") {
        return None;
    }
    let python = "/usr/bin/python3";
    let gi = Command::new(python)
        .args(["-c", "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"])
        .stderr(Stdio::null())
        .status();
    if !gi.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: gir1.2-umockdev-1.0 and python3-gi are not installed");
        return None;
    }
    let mut command = Command::new("umockdev-wrapper");
    command.arg(python).arg(format!("{}/tests/data/umockdev/{script}", env!("CARGO_MANIFEST_DIR")));
    Some(command)
}

/// A touchmoved without configuration, and USB sockets.
struct Sockets {
    daemon: Daemon,
    client: Client,
    dir: TempDir,
    _bus: PrivateBus,
}

impl Sockets {
    async fn empty() -> Option<Sockets> {
        let (mut command, bus) = (umockdev("plugs.py")?, PrivateBus::start()?);
        let dir = tempfile::tempdir().unwrap();
        command.arg(dir.path().join("log")).args(["--", env!("CARGO_BIN_EXE_touchmoved")]);
        command.stdin(Stdio::piped()).env("XDG_CONFIG_HOME", dir.path()).env("HOME", dir.path());
        let state = dir.path().join("state");
        let daemon = Daemon::run(command, &["--bus", &bus.address(), "--state-dir", state.to_str().unwrap()]);
        daemon.ready();
        let client = client(&bus, Stream::Live).await;
        Some(Sockets { daemon, client, dir, _bus: bus })
    }

    fn send_command(&mut self, line: &str) {
        self.daemon.write_line(line);
    }

    /// The board of this name, once it is in this state.
    async fn board(&self, id: &str, state: &str) -> BoardInfo {
        let board = async || {
            self.client.snapshot().await.unwrap().boards.into_iter().find(|board| board.id == id && board.state == state)
        };
        until(&format!("{id} is {state}"), board).await
    }

    /// The moves of the only game on a board, once there are `count` of them.
    async fn moves(&self, board: &str, count: usize) -> Vec<String> {
        let moves = async || {
            let games = self.client.snapshot().await.unwrap().games;
            let mut games_on_board = games.into_iter().filter(|game| game.board == board);
            let game = games_on_board.next()?;
            assert!(games_on_board.next().is_none(), "it is the same game");
            Some(game.moves.into_iter().map(|ply| ply.san).collect::<Vec<_>>()).filter(|moves| moves.len() >= count)
        };
        until(&format!("{count} moves"), moves).await
    }

    /// The operations of this kind on the USB devices.
    fn operations(&self, kind: &str) -> Vec<String> {
        let log = fs::read_to_string(self.dir.path().join("log")).unwrap();
        log.lines().filter_map(|line| line.strip_prefix(kind)).map(|rest| rest.trim().to_owned()).collect()
    }
}

/// The pieces on a Chessnut board, by square, a1 first.
struct Pieces([char; 64]);

impl Pieces {
    fn start() -> Pieces {
        let text = "RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr";
        let mut pieces = ['.'; 64];
        pieces.iter_mut().zip(text.chars()).for_each(|(square, piece)| *square = piece);
        Pieces(pieces)
    }

    /// Puts a piece on a square, or takes it off (`.`).
    fn put(&mut self, square: &str, piece: char) -> String {
        self.0[square.parse::<shakmaty::Square>().unwrap() as usize] = piece;
        self.hex()
    }

    /// As the board codes it: h8 first, two squares a byte, the first in the low half.
    fn hex(&self) -> String {
        let code = |piece: char| ".qkbpnRPrBNQK".find(piece).unwrap();
        self.0.rchunks(2).map(|pair| format!("{:x}{:x}", code(pair[0]), code(pair[1]))).collect()
    }
}

#[tokio::test]
async fn a_game_over_usb() {
    let Some(mut sockets) = Sockets::empty().await else { return };
    let (id, mut pieces) = ("chessnut_SN0001", Pieces::start());
    sockets.send_command("hid 1-2 4 SN0001");
    // It is ready once it has reported its squares.
    sockets.board(id, "connecting").await;
    sockets.send_command(&format!("squares 1-2 {}", pieces.hex()));
    let board = sockets.board(id, "ready").await;
    assert_eq!((board.port.as_str(), board.model.as_str()), ("/dev/bus/usb/001/004", "chessnut"));
    assert!(sockets.moves(id, 0).await.is_empty());
    // The board can be identified while no game is being played on it.
    sockets.client.identify(id).await.unwrap();
    let shown = || {
        let sent = sockets.operations("out");
        let index_of = |report: &str| sent.iter().position(|out| out.ends_with(report));
        let (lit, beeped) = (index_of("0a08ffffffffffffffff")?, index_of("0b0403e800c8")?);
        sent.get(lit.max(beeped)..)?.iter().any(|out| out.ends_with("0a080000000000000000")).then_some(())
    };
    eventually("lights, a beep, and darkness", shown);
    for (count, (from, to, piece)) in [("f2", "f3", 'P'), ("e7", "e5", 'p')].into_iter().enumerate() {
        sockets.send_command(&format!("squares 1-2 {}", pieces.put(from, '.')));
        // A device that answers "nothing" is not unplugged.
        sockets.send_command("empty 1-2");
        sockets.send_command(&format!("squares 1-2 {}", pieces.put(to, piece)));
        sockets.moves(id, count + 1).await;
    }

    assert_eq!(sockets.board(id, "ready").await.battery, 88);
    let refused = sockets.client.identify(id).await.unwrap_err().to_string();
    assert!(refused.contains("is being played") && refused.contains("nothing may be shown"), "{refused}");

    // Unplugged in the middle of a report, and plugged in elsewhere: the same board, the same game.
    sockets.send_command("cut 1-2");
    let unplugged = sockets.board(id, "unplugged").await;
    assert!(unplugged.state_reason.contains("plug"), "{}", unplugged.state_reason);
    let plugged = Instant::now();
    sockets.send_command("hid 1-3 7 SN0001");
    sockets.send_command(&format!("squares 1-3 {}", pieces.hex()));
    assert_eq!(sockets.board(id, "ready").await.port, "/dev/bus/usb/001/007");
    eprintln!("ready {} ms after it was plugged in again", plugged.elapsed().as_millis());
    for (count, (from, to, piece)) in [("g2", "g4", 'P'), ("d8", "h4", 'q')].into_iter().enumerate() {
        sockets.send_command(&format!("squares 1-3 {}", pieces.put(from, '.')));
        sockets.send_command(&format!("squares 1-3 {}", pieces.put(to, piece)));
        sockets.moves(id, count + 3).await;
    }
    assert_eq!(sockets.moves(id, 4).await, ["f3", "e5", "g4", "Qh4#"]);

    // The keyboard's interface was returned to the kernel at once, the board's when the port was closed.
    assert_eq!(sockets.operations("detach"), ["1-2 0", "1-2 1", "1-3 0", "1-3 1"]);
    assert_eq!(sockets.operations("attach"), ["1-2 0", "1-3 0"]);
    let sent = sockets.operations("out");
    assert!(
        sent.iter().all(|report| [
            "210100",
            "270101",
            "290100",
            "0a080000000000000000",
            "0a08ffffffffffffffff",
            "0b0403e800c8"
        ]
        .contains(&&report[4..])),
        "{sent:?}"
    );
    let Sockets { daemon, dir, .. } = sockets;
    assert!(daemon.terminate().success());
    let log = fs::read_to_string(dir.path().join("log")).unwrap();
    assert!(log.ends_with("attach 1-3 1\n"), "{log}");
}

/// A DGT board's message about a field and its piece.
fn square_message(square: &str, piece: u8) -> String {
    format!("8e0005{:02x}{piece:02x}", square.parse::<shakmaty::Square>().unwrap() as u8 ^ 56)
}

/// The squares of a DGT board after 1.e4.
fn after_e4() -> String {
    let black = "08090a0c0b0a0908".to_owned() + &"07".repeat(8);
    black + &"00".repeat(20) + "01" + &"00".repeat(11) + "01010101" + "00" + "010101" + "0203040605040302"
}

#[tokio::test]
async fn a_serial_board_that_is_plugged_in_elsewhere() {
    let Some(mut sockets) = Sockets::empty().await else { return };
    let id = "dgt_23946";
    let plugged = Instant::now();
    sockets.send_command("tty 1-2 4 ttyACM0 23946 045b:8111");
    assert_eq!(sockets.board(id, "ready").await.port, "/dev/ttyACM0");
    sockets.moves(id, 0).await;
    let refused = sockets.client.identify(id).await.unwrap_err().to_string();
    assert!(refused.contains("no lights and no beeper"), "{refused}");
    eprintln!("a game {} ms after it was plugged in", plugged.elapsed().as_millis());
    sockets.send_command(&format!("say 1-2 {}", square_message("e2", 0)));
    sockets.send_command(&format!("say 1-2 {}", square_message("e4", 1)));
    sockets.moves(id, 1).await;
    sockets.send_command("unplug 1-2");
    sockets.board(id, "unplugged").await;

    sockets.send_command(&format!("tty 1-3 7 ttyACM1 23946 045b:8111 {}", after_e4()));
    assert_eq!(sockets.board(id, "ready").await.port, "/dev/ttyACM1");
    sockets.send_command(&format!("say 1-3 {}", square_message("e7", 0)));
    sockets.send_command(&format!("say 1-3 {}", square_message("e5", 7)));
    assert_eq!(sockets.moves(id, 2).await, ["e4", "e5"]);
}

/// Two boards with one serial number: both are unplugged, and plugged in again in the opposite order.
#[tokio::test]
async fn boards_with_one_serial_number_keep_their_games() {
    let Some(mut sockets) = Sockets::empty().await else { return };
    sockets.send_command("tty 1-2 4 ttyACM0 0001 045b:8111");
    sockets.board("dgt_0001", "ready").await;
    sockets.send_command("tty 1-3 5 ttyACM1 0001 045b:8111");
    assert_eq!(sockets.board("dgt_usb_1_3", "ready").await.port, "/dev/ttyACM1");
    sockets.send_command(&format!("say 1-3 {}", square_message("e2", 0)));
    sockets.send_command(&format!("say 1-3 {}", square_message("e4", 1)));
    sockets.moves("dgt_usb_1_3", 1).await;
    for (socket, board) in [("1-2", "dgt_0001"), ("1-3", "dgt_usb_1_3")] {
        sockets.send_command(&format!("unplug {socket}"));
        sockets.board(board, "unplugged").await;
    }
    sockets.send_command(&format!("tty 1-3 6 ttyACM2 0001 045b:8111 {}", after_e4()));
    assert_eq!(sockets.board("dgt_usb_1_3", "ready").await.port, "/dev/ttyACM2");
    sockets.send_command(&format!("say 1-3 {}", square_message("e7", 0)));
    sockets.send_command(&format!("say 1-3 {}", square_message("e5", 7)));
    assert_eq!(sockets.moves("dgt_usb_1_3", 2).await, ["e4", "e5"]);
    sockets.board("dgt_0001", "unplugged").await;
    sockets.send_command("tty 1-5 7 ttyACM3 0001 045b:8111");
    assert_eq!(sockets.board("dgt_0001", "ready").await.port, "/dev/ttyACM3");
    assert!(sockets.moves("dgt_0001", 0).await.is_empty());
    assert_eq!(sockets.client.snapshot().await.unwrap().boards.len(), 2);
}

#[tokio::test]
async fn without_a_serial_number_the_socket_identifies_the_board() {
    let Some(mut sockets) = Sockets::empty().await else { return };
    sockets.send_command("tty 1-4 8 ttyACM2 - 045b:8111");
    assert_eq!(sockets.board("dgt_usb_1_4", "ready").await.port, "/dev/ttyACM2");
    sockets.send_command("unplug 1-4");
    sockets.board("dgt_usb_1_4", "unplugged").await;
    // Another socket is another board; the same socket is the same one, whatever the kernel calls its port.
    sockets.send_command("tty 1-5 9 ttyACM3 - 045b:8111");
    assert_eq!(sockets.board("dgt_usb_1_5", "ready").await.port, "/dev/ttyACM3");
    sockets.send_command("tty 1-4 10 ttyACM7 - 045b:8111");
    assert_eq!(sockets.board("dgt_usb_1_4", "ready").await.port, "/dev/ttyACM7");
    // An adapter that may not be a board is not used, and it is listed.
    sockets.send_command("tty 1-6 11 ttyUSB0 A1B2C3 0403:6001");
    sockets.send_command("tty 1-7 12 ttyACM8 77 045b:8111");
    sockets.board("dgt_77", "ready").await;
    let boards = sockets.client.snapshot().await.unwrap().boards;
    let names: Vec<&str> = boards.iter().map(|board| board.id.as_str()).collect();
    assert_eq!(names, ["dgt_77", "dgt_usb_1_4", "dgt_usb_1_5"]);
    let unused = async || {
        let unused = sockets.client.snapshot().await.unwrap().unused;
        // A board whose port comes a moment after the board is listed until then.
        let [(device, reason)] = &unused[..] else { return None };
        (device == "/dev/ttyUSB0" && reason.contains("is built into other devices too")).then_some(())
    };
    until("the adapter to be listed, and nothing else", unused).await;
}
