//! Boards that play a round, each at a table with players, with moves at the pace of blitz.

use super::harness::organiser::Organiser as _;
use super::harness::{Board, Daemon, PATIENCE, PrivateBus, eventually};
use serde_json::Value;
use shakmaty::{Chess, Move, Position};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::{Bus, Stream};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;
use touchmove::simulate::rng::Rng;

/// Starts touchmoved with these boards, each with a table and players, and waits until each has a game. `more`: further lines of
/// configuration. Returns the page's port.
pub async fn start(bus: &PrivateBus, dir: &Path, boards: &[Board], more: &str) -> (Daemon, u16) {
    let mut config = format!("[web]\nlisten = \"127.0.0.1:0\"\n[recordings]\non = false\n{more}");
    let mut csv =
        "table,board,white_title,white,white_rating,white_federation,black_title,black,black_rating,black_federation\n"
            .to_owned();
    for (number, board) in (1..).zip(boards) {
        config.push_str(&format!("[[board]]\nname = \"b_{number}\"\nport = {:?}\n", board.path()));
        let rating = 2_800 - number;
        csv.push_str(&format!(
            "{number},b_{number},GM,\"Whitefield-{number}, Jeffery\",{rating},NOR,IM,\"Blackwood-{number}, Maxim\",{},ISR\n",
            rating - 7
        ));
    }
    let path = dir.join("touchmoved.toml");
    std::fs::write(&path, config).expect("a configuration");
    let text = |path: &Path| path.to_str().expect("a readable path").to_owned();
    let command = std::process::Command::new(env!("CARGO_BIN_EXE_touchmoved"));
    let args = ["--bus", &bus.address(), "--config", &text(&path), "--state-dir", &text(&dir.join("state"))];
    let daemon = Daemon::run_quiet(command, &args);
    daemon.ready();
    boards.iter().for_each(Board::wait_read);
    let port = eventually("the port", || {
        daemon.log().split_once("the page is at http://127.0.0.1:")?.1.split_once('/')?.0.parse().ok()
    });
    let client = Client::connect_to_bus(&Bus::Address(bus.address()), Stream::Live).await.expect("the bus");
    let round = Round::read(&csv, Some(1), &TableOrder::Unknown).expect("a round");
    client.load_round(&serde_json::to_string(&round).expect("a round")).await.expect("touchmoved takes the round");
    let end = Instant::now() + PATIENCE;
    loop {
        let state = state(port).await;
        if state["boards"]
            .as_array()
            .is_some_and(|cards| cards.iter().all(|card| !card["game"].is_null() && !card["table"].is_null()))
        {
            return (daemon, port);
        }
        assert!(Instant::now() < end, "waited in vain for {} games", boards.len());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What the page shows.
pub async fn state(port: u16) -> Value {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    stream.write_all(b"GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.expect("it listens");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    let text = String::from_utf8(answer).expect("text");
    serde_json::from_str(text.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

/// Plays on one board, with a clock that sends its times: moves of its own, so that no two boards show the same.
pub async fn play(board: &Board, index: usize, count: usize, ply_time: Duration) {
    let mut rng = Rng::new(1, index as u64);
    let mut position = Chess::default();
    // The boards do not start at the same time.
    tokio::time::sleep(ply_time.mul_f64(index as f64 / count as f64)).await;
    for ply in 1_u32.. {
        let is_simple = |mv: &&Move| !mv.is_capture() && !mv.is_castle() && !mv.is_promotion();
        let moves: Vec<Move> = position.legal_moves().iter().filter(is_simple).copied().collect();
        let Some(mv) = rng.pick(&moves) else { return };
        let (from, to) = (mv.from().expect("a piece comes from somewhere").to_string(), mv.to().to_string());
        let piece = mv.role().of(position.turn()).char();
        position.play_unchecked(mv);
        let began = tokio::time::Instant::now();
        let left = 180 - 2 * ply - rng.below(2) as u32;
        board.put(&from, '.');
        tokio::time::sleep(ply_time / 10).await;
        board.put(&to, piece);
        tokio::time::sleep(ply_time / 20).await;
        board.clock(left, left, ply % 2 == 0);
        tokio::time::sleep_until(began + ply_time / 2).await;
        board.clock(left - 1, left, ply % 2 == 0);
        tokio::time::sleep_until(began + ply_time).await;
    }
}
