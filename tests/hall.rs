//! A playing hall: one board, touchmoved serving it on a bus of its own, and a client that watches.

use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, eventually, until};
use std::fs;
use std::net::TcpStream;
use std::process::Command;
use tempfile::TempDir;
use touchmove::publish::client::{Client, EventWatcher, WatchItem, WatchedEvent};
use touchmove::publish::dbus::{Bus, Stream};

/// Where a game can be played. What is put away first stands first.
pub struct Hall {
    /// On the live stream.
    pub client: Client,
    /// Of that client, from before the game was seen.
    pub watch: EventWatcher,
    /// The number of the game on the board.
    pub game: u64,
    pub daemon: Daemon,
    pub board: Board,
    pub state: TempDir,
    pub bus: PrivateBus,
}

/// A hall after 1. e4 whose touchmoved serves everything that it can over TCP, and at which ports it does.
pub struct OpenHall {
    pub hall: Hall,
    pub web: u16,
    pub livechess: u16,
    pub metrics: u16,
    _config: TempDir,
}

impl OpenHall {
    /// `None`, said so, if there can be no bus.
    pub async fn open() -> Option<OpenHall> {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("touchmoved.toml");
        let listen = "listen = '127.0.0.1:0'\n";
        fs::write(&config, format!("[web]\n{listen}[livechess]\n{listen}[metrics]\n{listen}")).unwrap();
        let mut hall = Hall::configured(&["--config", config.to_str().unwrap()]).await?;
        hall.play("e2", "e4", "e4").await;
        let port = |before: &str| -> u16 {
            eventually(before, || {
                hall.daemon.log().split_once(before)?.1.split_once("127.0.0.1:")?.1.split_once('/')?.0.parse().ok()
            })
        };
        let [web, livechess, metrics] = ["the page is at", "find the boards at", "metrics are told at"].map(port);
        Some(OpenHall { hall, web, livechess, metrics, _config: dir })
    }
}

/// A connection to a port of this machine.
pub fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).unwrap()
}

/// Asks a LiveChess server for a WebSocket.
pub const UPGRADE: &[u8] = b"GET /api/v1.0 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

/// A frame that a client sends over a WebSocket, with a mask of zeros. `opcode`: 1 text, 8 close, 9 ping.
pub fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).unwrap();
    let head = match length {
        0..126 => vec![0x80 | opcode, 0x80 | length as u8],
        _ => [&[0x80 | opcode, 0x80 | 126][..], &length.to_be_bytes()].concat(),
    };
    [&head[..], &[0; 4], payload].concat()
}

impl Hall {
    /// With a game in the start position; `None`, said so, if there can be no bus.
    pub async fn open() -> Option<Hall> {
        Hall::configured(&[]).await
    }

    /// The same, with more arguments for touchmoved.
    pub async fn configured(more: &[&str]) -> Option<Hall> {
        Some(Hall::on(PrivateBus::start()?, more).await)
    }

    /// The same on this bus.
    pub async fn on(bus: PrivateBus, more: &[&str]) -> Hall {
        Hall::on_by(Command::new(env!("CARGO_BIN_EXE_touchmoved")), bus, more).await
    }

    /// The same by this command, which starts touchmoved.
    pub async fn on_by(command: Command, bus: PrivateBus, more: &[&str]) -> Hall {
        let (state, board) = (tempfile::tempdir().unwrap(), Board::plugged());
        let daemon = Daemon::on_by(command, &bus, state.path(), &board.path(), more);
        daemon.ready();
        board.wait_read();
        let client = client(&bus, Stream::Live).await;
        let watch = client.watch().await.unwrap();
        let game = game(&client).await;
        Hall { client, watch, game, daemon, board, state, bus }
    }

    /// With a game in which 1. e4 was played.
    pub async fn after_e4() -> Option<Hall> {
        let mut hall = Hall::open().await?;
        hall.play("e2", "e4", "e4").await;
        Some(hall)
    }

    /// Plays a quiet move, and waits until it is told.
    pub async fn play(&mut self, from: &str, to: &str, san: &str) -> WatchedEvent {
        self.board.play(from, to);
        made(&mut self.watch, san).await
    }

    /// A client of the stream for broadcast that sees the game.
    pub async fn spectator(&self) -> Client {
        let spectator = client(&self.bus, Stream::Broadcast).await;
        game(&spectator).await;
        spectator
    }
}

/// A client of this stream, whether touchmoved is there or not.
pub async fn client(bus: &PrivateBus, stream: Stream) -> Client {
    Client::connect_to_bus(&Bus::Address(bus.address()), stream).await.unwrap()
}

/// Waits until touchmoved owns its name.
pub async fn owned(client: &Client) {
    until("the name to be owned", async || client.is_running().await.unwrap().then_some(())).await;
}

/// Waits until there is a game; its number.
pub async fn game(client: &Client) -> u64 {
    until("a game", async || client.snapshot().await.unwrap().games.last().map(|game| game.id)).await
}

/// Waits until the games, in the order of their boards' names, have so many moves.
pub async fn until_games(client: &Client, moves: &[usize]) {
    until(&format!("{moves:?} moves"), async || {
        let snapshot = client.snapshot().await.unwrap();
        let counts = snapshot
            .boards
            .iter()
            .map(|board| snapshot.games.iter().find(|game| game.board == board.id).map_or(0, |game| game.moves.len()));
        counts.eq(moves.iter().copied()).then_some(())
    })
    .await;
}

/// Waits for an event that fits.
pub async fn seen(watch: &mut EventWatcher, what: &str, mut fits: impl FnMut(&WatchedEvent) -> bool) -> WatchedEvent {
    let wait = async {
        loop {
            match watch.next().await {
                Some(WatchItem::Happened(happened)) if fits(&happened) => return happened,
                Some(_) => {}
                None => panic!("the bus went away while waiting for {what}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Waits until this move is told.
pub async fn made(watch: &mut EventWatcher, san: &str) -> WatchedEvent {
    seen(watch, san, |happened| happened.event == "MoveMade" && happened.fields["san"] == san).await
}
