//! DGT boards on one line: the simulator's bus on a pseudo-terminal, whose pieces the test moves.

use super::Pty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use shakmaty::{Piece, Square};
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use touchmove::boards::Millis;
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::simulate::act::Act;
use touchmove::simulate::dgt::VirtualDgt;
use touchmove::simulate::dgt_bus::{BusFaults, VirtualBus};
use touchmove::simulate::hands::CLEAN;
use touchmove::simulate::{SimulationSetup, VirtualBoard};

/// How many times faster than real the boards scan and the line transmits: the host's own pace remains.
const SPEED: u64 = 10;

/// How long the line is not looked at if nothing happens on it, in milliseconds.
const IDLE_MS: i64 = 20;

/// Boards on one line.
pub struct Chain {
    pty: Pty,
    line: Arc<Mutex<Line>>,
    worker: Option<(JoinHandle<()>, Arc<AtomicBool>)>,
}

/// The bus, with its time and the bytes that the host has not received yet.
struct Line {
    bus: VirtualBus,
    began: Instant,
    outbox: Vec<u8>,
}

impl Line {
    /// Lets the time of the bus pass; returns the present time.
    fn advance(&mut self) -> Millis {
        let now = self.began.elapsed().as_millis() as u64 * SPEED;
        let chunks = self.bus.advance(now);
        self.outbox.extend(chunks.into_iter().flat_map(|chunk| chunk.bytes));
        now
    }
}

impl Chain {
    /// Boards with these addresses and the start position, plugged in.
    pub fn plugged(addresses: &[u16]) -> Chain {
        let setup =
            SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
        let start = Position::start();
        let pieces = Square::ALL.map(|square| start.piece_at(square));
        let boards = addresses.iter().map(|address| (*address, VirtualDgt::new(&setup, &pieces, u64::from(*address))));
        let bus = VirtualBus::new(boards, BusFaults::default(), u64::from(addresses[0]));
        let line = Line { bus, began: Instant::now(), outbox: Vec::new() };
        let mut chain = Chain { pty: Pty::open(), line: Arc::new(Mutex::new(line)), worker: None };
        chain.serve();
        chain
    }

    /// The path that the daemon opens.
    pub fn path(&self) -> PathBuf {
        self.pty.path()
    }

    /// Pulls the cable of the line. The boards keep their pieces and their power.
    pub fn unplug(&mut self) {
        if let Some((worker, stop)) = self.worker.take() {
            stop.store(true, Ordering::Relaxed);
            worker.join().unwrap();
        }
        self.pty.unplug();
    }

    /// Plugs the cable in again.
    pub fn plug(&mut self) {
        self.pty.plug();
        self.line.lock().unwrap().outbox.clear();
        self.serve();
    }

    /// Puts a piece on a square of one of the boards, counted from 0, or removes the piece.
    pub fn put(&self, board: usize, square: Square, piece: Option<Piece>) {
        let mut line = self.line.lock().unwrap();
        let now = line.advance();
        let act = piece.map_or(Act::Lift(square), |piece| Act::Put(square, piece));
        line.bus.act_on(board, now, act, 0);
    }

    fn serve(&mut self) {
        let (master, line, stop) = (self.pty.master(), Arc::clone(&self.line), Arc::<AtomicBool>::default());
        let stopped = Arc::clone(&stop);
        self.worker = Some((std::thread::spawn(move || serve(master, &line, &stopped)), stop));
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        self.unplug();
    }
}

/// Transmits between host and bus until `stop` is set.
fn serve(mut master: File, line: &Mutex<Line>, stop: &AtomicBool) {
    let mut buffer = [0; 256];
    while !stop.load(Ordering::Relaxed) {
        let (sent, wait) = {
            let mut line = line.lock().unwrap();
            let now = line.advance();
            let next = line.bus.next_event().map_or(IDLE_MS, |next| (next.saturating_sub(now) / SPEED) as i64 + 1);
            (std::mem::take(&mut line.outbox), next.min(IDLE_MS))
        };
        if master.write_all(&sent).is_err() {
            return;
        }
        let timeout = Timespec::try_from(Duration::from_millis(wait as u64)).unwrap();
        let mut ports = [PollFd::new(&master, PollFlags::IN)];
        if !matches!(poll(&mut ports, Some(&timeout)), Ok(1..)) {
            continue;
        }
        let Ok(count @ 1..) = master.read(&mut buffer) else { return };
        let mut line = line.lock().unwrap();
        let now = line.advance();
        line.bus.receive(now, &buffer[..count]);
    }
}
