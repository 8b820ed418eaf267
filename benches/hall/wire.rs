//! The bytes of a move between a machine and the message server, without those of TCP and IP.

use super::common::harness::nats::NatsServer;
use super::common::{line, verdict};
use super::{BenchBoard, Node, board_view, receiver_context, start_machine_at};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use touchmove::boards::{Millis, Placement, SquareState};
use touchmove::hall::receiver;

/// The number of boards, and of moves on each.
const BOARDS: usize = 4;
const MOVES: u32 = 10;
/// How long bytes are counted: twice the interval at which a machine says that it is there.
const COUNTED: Duration = Duration::from_secs(10);
/// How long the machine needs to join the hall, and to send what was there before.
const JOINED: Duration = Duration::from_secs(8);
/// How long a piece is in the air: longer than changes of a board are collected.
const HAND: Duration = Duration::from_millis(150);
/// The time of the events: twenty minutes after the recording began.
const AT: Millis = 1_200_000;
/// The goal.
const GOAL: u64 = 1_000;

/// Counts the bytes of one machine.
pub async fn measure() {
    let Some(server) = NatsServer::start() else { return };
    let (center, machine) = (Node::new(), Node::in_memory());
    let (_stop_hub, stopped) = watch::channel(false);
    tokio::spawn(receiver::run(receiver_context(server.port(), Arc::clone(&center.hub), center.dir.path(), stopped)));
    let bytes = Arc::new(AtomicU64::new(0));
    let url = counting_proxy(server.port(), Arc::clone(&bytes)).await;
    let _stop_machine = start_machine_at(url, &machine, "m0");
    let mut boards: Vec<(BenchBoard, Placement)> = (0..BOARDS)
        .map(|number| {
            let (handle, _) = machine.hub.register_board(board_view(&format!("dgt_2394{number}")));
            let mut placement = [SquareState::Empty; 64];
            placement[6] = SquareState::Piece(shakmaty::Color::White.knight());
            (BenchBoard::new(handle), placement)
        })
        .collect();
    boards.iter_mut().for_each(|(board, _)| board.publish(AT));
    tokio::time::sleep(JOINED).await;
    let silent = count(&bytes, async {}).await;
    let moves = count(&bytes, play(&mut boards, false)).await;
    let touches = count(&bytes, play(&mut boards, true)).await;
    let played = BOARDS as u64 * u64::from(MOVES);
    let of_move = moves.saturating_sub(silent) / played;
    line("bytes of a move on the wire", format!("{of_move} (goal: at most {GOAL}: {})", verdict(of_move <= GOAL)));
    line("  with the touches of its piece", touches.saturating_sub(silent) / played);
    line("  of a silent machine with 4 boards, a second", silent / COUNTED.as_secs());
}

/// Returns the number of bytes of this time, while something happens.
async fn count(bytes: &AtomicU64, happens: impl Future<Output = ()>) -> u64 {
    let before = bytes.load(Ordering::Relaxed);
    tokio::join!(happens, tokio::time::sleep(COUNTED));
    bytes.load(Ordering::Relaxed) - before
}

/// Plays on all boards: a knight goes from g1 to f3, or back.
async fn play(boards: &mut [(BenchBoard, Placement)], with_touches: bool) {
    let pause = (COUNTED - Duration::from_millis(500)) / (MOVES * BOARDS as u32) - HAND;
    for _ in 0..MOVES {
        for (board, placement) in &mut *boards {
            let from = if placement[6] == SquareState::Empty { 21 } else { 6 };
            let to = 27 - from;
            let piece = std::mem::replace(&mut placement[from], SquareState::Empty);
            if with_touches {
                board.touch(from, [piece, SquareState::Empty], placement);
            }
            tokio::time::sleep(HAND).await;
            placement[to] = piece;
            match with_touches {
                true => board.touch(to, [SquareState::Empty, piece], placement),
                false => board.show(placement),
            }
            board.publish(AT);
            tokio::time::sleep(pause).await;
        }
    }
}

/// Starts a proxy for connections to the server, which counts their bytes in both directions. Returns its URL.
async fn counting_proxy(server: u16, bytes: Arc<AtomicU64>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("nats://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((machine, _)) = listener.accept().await {
            // The server is stopped before its machines are: they try again until then.
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else { continue };
            let ((from_machine, to_machine), (from_server, to_server)) = (machine.into_split(), server.into_split());
            tokio::spawn(pass_on(from_machine, to_server, Arc::clone(&bytes)));
            tokio::spawn(pass_on(from_server, to_machine, Arc::clone(&bytes)));
        }
    });
    url
}

async fn pass_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, bytes: Arc<AtomicU64>) {
    let mut chunk = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        bytes.fetch_add(count as u64, Ordering::Relaxed);
        if to.write_all(&chunk[..count]).await.is_err() {
            return;
        }
    }
}
