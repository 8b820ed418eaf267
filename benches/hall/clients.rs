//! Clients of the hub: a page, and a program that follows boards over the WebSocket of the LiveChess server.

use super::hub::{Seen, now};
use super::on_a_thread;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

/// Opens the page after this time, as a visitor does, and passes on which moves it receives, until the receiver is dropped.
pub fn open_page(port: u16, after: Duration) -> UnboundedReceiver<Seen> {
    let (to, seen) = mpsc::unbounded_channel();
    on_a_thread(async move {
        tokio::time::sleep(after).await;
        follow_page(port, &to).await;
    });
    seen
}

async fn follow_page(port: u16, to: &UnboundedSender<Seen>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let request = "GET /api/events?cards=changes HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("it listens");
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|count| count > 0) {
        let at = now();
        let card = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok()).unwrap_or_default();
        if let (Some(board), Some(ply)) = (card["board"].as_str(), card["game"]["ply"].as_u64()) {
            // The first event is the beginning of the game.
            if to.send(Seen { board: board.to_owned(), number: ply + 1, at }).is_err() {
                return;
            }
        }
        line.clear();
    }
}

/// Subscribes to these boards after this time, and passes on which moves arrive, until the receiver is dropped. `placements`: those after
/// each ply of the games.
pub fn open_websocket(port: u16, after: Duration, boards: Vec<String>, placements: Vec<String>) -> UnboundedReceiver<Seen> {
    let (to, seen) = mpsc::unbounded_channel();
    on_a_thread(async move {
        tokio::time::sleep(after).await;
        follow_boards(port, &boards, &placements, &to).await;
    });
    seen
}

async fn follow_boards(port: u16, boards: &[String], placements: &[String], to: &UnboundedSender<Seen>) {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let _ = stream.set_nodelay(true);
    let (mut socket, _) = client_async(format!("ws://localhost:{port}/api/v1.0"), stream).await.expect("a WebSocket");
    for (id, board) in boards.iter().enumerate() {
        let param = json!({"feed": "eboardevent", "id": id, "param": {"serialnr": board}});
        let subscribe = json!({"id": id, "call": "subscribe", "param": param});
        socket.feed(Message::text(subscribe.to_string())).await.expect("it listens");
    }
    socket.flush().await.expect("it listens");
    // The number of plies on each board.
    let mut plies: HashMap<String, usize> = HashMap::new();
    while let Some(Ok(message)) = socket.next().await {
        let at = now();
        let Ok(text) = message.into_text() else { continue };
        let event = serde_json::from_str::<Value>(&text).unwrap_or_default();
        let (Some(board), Some(placement)) = (event["param"]["serialnr"].as_str(), event["param"]["board"].as_str()) else {
            continue;
        };
        let known = plies.entry(board.to_owned()).or_default();
        let Some(later) = placements.iter().skip(*known).position(|later| later == placement) else { continue };
        *known += later + 1;
        if to.send(Seen { board: board.to_owned(), number: *known as u64 + 1, at }).is_err() {
            return;
        }
    }
}
