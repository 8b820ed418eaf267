//! A playing hall: one board, a touchmoved that serves it on a private bus, and a client that watches.

use super::{Board, Daemon, PATIENCE, PrivateBus, eventually, until};
use std::fs;
use std::net::TcpStream;
use std::process::Command;
use tempfile::TempDir;
use touchmove::publish::client::{Client, EventWatcher, WatchItem, WatchedEvent};
use touchmove::publish::dbus::{Bus, Stream};

/// A hall in which a game can be played. The fields are in the order in which they must be dropped.
pub struct Hall {
    /// A client of the live stream.
    pub client: Client,
    /// The events for that client, from before the game began.
    pub watch: EventWatcher,
    /// The number of the game on the board.
    pub game: u64,
    pub daemon: Daemon,
    pub board: Board,
    pub state: TempDir,
    pub bus: PrivateBus,
}

/// A hall after 1. e4 whose touchmoved serves all TCP front-ends, with their ports.
pub struct OpenHall {
    pub hall: Hall,
    pub web: u16,
    pub livechess: u16,
    pub metrics: u16,
    _config: TempDir,
}

impl OpenHall {
    /// Opens the hall; returns `None`, with a message, if no bus can be started.
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
        let [web, livechess, metrics] =
            ["the page is at", "LiveChess clients can connect to", "metrics are served at"].map(port);
        Some(OpenHall { hall, web, livechess, metrics, _config: dir })
    }
}

/// Connects to a port of this machine.
pub fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).unwrap()
}

/// A request to a LiveChess server for a WebSocket.
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
    /// Opens a hall with a game in the start position; returns `None`, with a message, if no bus can be started.
    pub async fn open() -> Option<Hall> {
        Hall::configured(&[]).await
    }

    /// Like [`Hall::open`], with extra arguments for touchmoved.
    pub async fn configured(extra_args: &[&str]) -> Option<Hall> {
        Some(Hall::on(PrivateBus::start()?, extra_args).await)
    }

    /// Like [`Hall::configured`], on this bus.
    pub async fn on(bus: PrivateBus, extra_args: &[&str]) -> Hall {
        Hall::on_with(Command::new(env!("CARGO_BIN_EXE_touchmoved")), bus, extra_args).await
    }

    /// Like [`Hall::on`], with this command, which starts touchmoved.
    pub async fn on_with(command: Command, bus: PrivateBus, extra_args: &[&str]) -> Hall {
        let (state, board) = (tempfile::tempdir().unwrap(), Board::plugged());
        let daemon = Daemon::on_with(command, &bus, state.path(), &board.path(), extra_args);
        daemon.ready();
        board.wait_read();
        let client = client(&bus, Stream::Live).await;
        let watch = client.watch().await.unwrap();
        let game = game(&client).await;
        Hall { client, watch, game, daemon, board, state, bus }
    }

    /// Opens a hall with a game in which 1. e4 was played.
    pub async fn after_e4() -> Option<Hall> {
        let mut hall = Hall::open().await?;
        hall.play("e2", "e4", "e4").await;
        Some(hall)
    }

    /// Plays a move without a capture, and waits until it is published.
    pub async fn play(&mut self, from: &str, to: &str, san: &str) -> WatchedEvent {
        self.board.play(from, to);
        made(&mut self.watch, san).await
    }

    /// Connects a client of the broadcast stream and waits until it sees the game.
    pub async fn spectator(&self) -> Client {
        let spectator = client(&self.bus, Stream::Broadcast).await;
        game(&spectator).await;
        spectator
    }
}

/// Connects a client of this stream, whether touchmoved runs or not.
pub async fn client(bus: &PrivateBus, stream: Stream) -> Client {
    Client::connect_to_bus(&Bus::Address(bus.address()), stream).await.unwrap()
}

/// Waits until touchmoved owns its bus name.
pub async fn owned(client: &Client) {
    until("the name to be owned", async || client.is_running().await.unwrap().then_some(())).await;
}

/// Waits until there is a game; returns its number.
pub async fn game(client: &Client) -> u64 {
    until("a game", async || client.snapshot().await.unwrap().games.last().map(|game| game.id)).await
}

/// Waits until the games, in the order of their boards' names, have these numbers of moves.
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

/// Waits for an event that `is_expected` accepts; returns it.
pub async fn seen(watch: &mut EventWatcher, what: &str, mut is_expected: impl FnMut(&WatchedEvent) -> bool) -> WatchedEvent {
    let wait = async {
        loop {
            match watch.next().await {
                Some(WatchItem::Happened(event)) if is_expected(&event) => return event,
                Some(_) => {}
                None => panic!("the bus went away while waiting for {what}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Waits until this move is published; returns its event.
pub async fn made(watch: &mut EventWatcher, san: &str) -> WatchedEvent {
    seen(watch, san, |event| event.event == "MoveMade" && event.fields["san"] == san).await
}
