//! Boards over Bluetooth: virtual boards in the air, a stand-in for BlueZ on the bus, and touchmoved with its own link.

mod faults;
mod games;
mod search;

use crate::harness::bluez::radio_board::Sockets;
use crate::harness::bluez::{Bluez, RadioBoard};
use crate::harness::hall::client;
use crate::harness::{Daemon, PrivateBus, until};
use std::fs;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;
use touchmove::publish::client::{BoardInfo, Client};
use touchmove::publish::dbus::Stream;

const A: &str = "AA:BB:CC:DD:EE:01";
const B: &str = "AA:BB:CC:DD:EE:02";

/// The table of a board over Bluetooth.
fn table(name: &str, model: &str, address: &str) -> String {
    format!("[[board]]\nname = {name:?}\nmodel = {model:?}\nbluetooth = {address:?}\n")
}

/// A touchmoved with boards over Bluetooth. The fields are in the order in which they must be dropped.
struct Air {
    client: Client,
    daemon: Daemon,
    bluez: Bluez,
    _dir: TempDir,
    bus: PrivateBus,
}

impl Air {
    /// Starts touchmoved with this configuration.
    async fn serving(bus: PrivateBus, bluez: Bluez, config: &str) -> Air {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("touchmoved.toml");
        fs::write(&file, config).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
        // The bus of BlueZ is always the system's.
        command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address());
        let state = dir.path().join("state");
        let (address, state) = (bus.address(), state.to_str().unwrap());
        let daemon = Daemon::run(command, &["--bus", &address, "--config", file.to_str().unwrap(), "--state-dir", state]);
        daemon.ready();
        let client = client(&bus, Stream::Live).await;
        Air { client, daemon, bluez, _dir: dir, bus }
    }

    /// A touchmoved with one board, which is named `radio` and in range.
    async fn with_board(model: &str, board: RadioBoard) -> Option<(Air, Arc<RadioBoard>)> {
        let bus = PrivateBus::start()?;
        let bluez = Bluez::start(&bus);
        let config = table("radio", model, board.address());
        let board = bluez.add(board);
        Some((Air::serving(bus, bluez, &config).await, board))
    }

    async fn find(&self, id: &str) -> Option<BoardInfo> {
        self.client.snapshot().await.unwrap().boards.into_iter().find(|board| board.id == id)
    }

    /// The board of this name, once it is in this state.
    async fn board(&self, id: &str, state: &str) -> BoardInfo {
        until(&format!("{id} is {state}"), async || self.find(id).await.filter(|board| board.state == state)).await
    }

    /// Waits until the reason of the board's state has these words.
    async fn reason(&self, id: &str, words: &str) {
        let has_words = async || self.find(id).await.is_some_and(|board| board.state_reason.contains(words)).then_some(());
        until(&format!("{id}: {words}"), has_words).await;
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

    /// Plays a move, and waits until it is on record as the last of these.
    async fn play(&self, name: &str, board: &RadioBoard, from: &str, to: &str, moves: &[&str]) {
        board.play(from, to);
        assert_eq!(self.moves(name, moves.len()).await, moves);
    }
}

#[tokio::test]
async fn a_game_over_low_energy() {
    let Some((air, board)) = Air::with_board("chessnut", RadioBoard::new("chessnut", A)).await else { return };
    let info = air.board("radio", "ready").await;
    assert_eq!((info.port.as_str(), info.model.as_str()), (A, "chessnut"));
    assert!(air.moves("radio", 0).await.is_empty());
    air.client.identify("radio").await.unwrap();
    let lights = [0x0a, 8, 255, 255, 255, 255, 255, 255, 255, 255];
    until("lights", async || board.received().iter().any(|packet| *packet == lights).then_some(())).await;
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
    air.play("radio", &board, "e7", "e5", &["e4", "e5"]).await;
    let battery = until("its battery", async || air.find("radio").await.filter(|board| board.battery == 88)).await;
    assert_eq!(battery.state, "ready");
    // The board was unknown at first. Once it was found, nothing scans any more.
    assert_eq!(air.bluez.scans(), 1);
    until("the scan to end", async || (!air.bluez.is_discovering()).then_some(())).await;
    // Others may use the board when touchmoved has ended.
    let Air { daemon, bluez, .. } = air;
    assert!(daemon.terminate().success());
    assert!(!board.is_connected());
    drop(bluez);
}

#[tokio::test]
async fn packets_of_the_smallest_mtu() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    // One cuts its messages, the other would have to lose parts of them.
    let cutting = bluez.add(RadioBoard::new("ichessone", A).with_mtu(23));
    bluez.add(RadioBoard::new("chessnut", B).with_mtu(23));
    let config = table("cutting", "ichessone", A) + &table("whole", "chessnut", B);
    let air = Air::serving(bus, bluez, &config).await;
    air.board("cutting", "ready").await;
    air.play("cutting", &cutting, "e2", "e4", &["e4"]).await;
    assert!(cutting.received().iter().all(|packet| packet.len() <= 20));
    air.reason("whole", "sends messages of 38 bytes, but its connection carries 20 at a time").await;
    assert_eq!(air.board("whole", "refused").await.port, B);
}

#[tokio::test]
async fn boards_are_known_by_their_addresses() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let (first, second) = (bluez.add(RadioBoard::new("chessnut", A)), bluez.add(RadioBoard::new("chessnut", B)));
    // Somebody has exchanged their names, and a third board belongs to somebody else.
    first.rename("table 2");
    second.rename("table 1");
    let stranger = bluez.add(RadioBoard::new("chessnut", "AA:BB:CC:DD:EE:03"));
    let air = Air::serving(bus, bluez, &(table("one", "chessnut", A) + &table("two", "chessnut", B))).await;
    air.board("one", "ready").await;
    air.board("two", "ready").await;
    air.play("two", &second, "d2", "d4", &["d4"]).await;
    air.play("one", &first, "e2", "e4", &["e4"]).await;
    assert_eq!(air.moves("two", 1).await, ["d4"]);
    // A new name changes nothing.
    second.rename("mine");
    air.bluez.set_in_range(&second, false);
    air.board("two", "unplugged").await;
    air.bluez.set_in_range(&second, true);
    air.board("two", "ready").await;
    air.play("two", &second, "d7", "d5", &["d4", "d5"]).await;
    assert!(!stranger.is_connected() && stranger.received().is_empty());
}

#[tokio::test]
async fn without_sockets_values_are_signals_and_calls() {
    let board = RadioBoard::new("chessnut", A).with_sockets(Sockets::NotSupported);
    let Some((air, board)) = Air::with_board("chessnut", board).await else { return };
    air.board("radio", "ready").await;
    air.play("radio", &board, "g1", "f3", &["Nf3"]).await;
    air.bluez.set_in_range(&board, false);
    air.board("radio", "unplugged").await;
    air.bluez.set_in_range(&board, true);
    air.board("radio", "ready").await;
    air.play("radio", &board, "g8", "f6", &["Nf3", "Nf6"]).await;
}

#[tokio::test]
async fn a_game_over_a_serial_port_of_classic_bluetooth() {
    let Some((air, board)) = Air::with_board("dgt", RadioBoard::new("dgt", A)).await else { return };
    assert_eq!(air.board("radio", "ready").await.port, A);
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
    air.bluez.set_in_range(&board, false);
    air.board("radio", "unplugged").await;
    air.bluez.set_in_range(&board, true);
    air.board("radio", "ready").await;
    air.play("radio", &board, "e7", "e5", &["e4", "e5"]).await;
}
