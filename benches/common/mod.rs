//! Shared by the benches: a game, figures from many measurements, and touchmoved running without a log on a private bus.
#![allow(dead_code)] // each bench is a program of its own and uses a part

#[path = "../../tests/harness/mod.rs"]
pub mod harness;
pub mod process;
pub mod round;
pub mod trace;

use harness::{Board, PATIENCE, PrivateBus};
use rustix::process::{Pid, Signal, kill_process};
use shakmaty::{Chess, Move, Position as _, Role};
use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use touchmove::boards::{Millis, model};
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, HostInput, RunEvent, VirtualCable};
use touchmove::laws::Position;
use touchmove::simulate::hands::HandsProfile;
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::rng::Rng;
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Settings, Table};

/// Capablanca against Tartakower, New York 1924: 103 plies, from an opening to an endgame with little left to choose from.
pub fn long_game() -> SourceGame {
    let mut games = pgn::read(include_str!("endgame.pgn")).games;
    assert!(games.len() == 1 && games[0].plies.len() == 103 && games[0].notes.is_empty(), "the game is not read completely");
    games.remove(0)
}

/// The bytes that a board sent in one game, in the chunks in which they arrived.
pub struct Stream {
    /// The chunks with their times.
    pub chunks: Vec<(Millis, Vec<u8>)>,
    /// The moves of the game, in UCI.
    pub truth: Vec<String>,
    /// When the last piece of each move was released.
    pub done_at: Vec<Millis>,
}

impl Stream {
    /// Simulates [`long_game`], played by these hands on a DGT board with a clock.
    pub fn simulated(profile: &HandsProfile, seed: u64) -> Stream {
        let setup = SimulationSetup { profile, clock: true, rotation: Rotation::Upright, clock_turned: false, seed };
        let simulation = Simulation::new("dgt", &long_game(), &setup).expect("there is a virtual DGT board");
        let truth = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
        let done_at = simulation.truth().plies.iter().map(|ply| ply.done_at).collect();
        let (until, mut chunks) = (simulation.ends_at(), Vec::new());
        let mut protocol = (model("dgt").expect("there is a DGT board").protocol)();
        let mut table = Table::new(Settings::default());
        run::play(&mut VirtualCable::new(simulation), &mut *protocol, &mut table, until, &mut |now, run_event| {
            if let RunEvent::Input(HostInput::Bytes(bytes, _)) = run_event {
                chunks.push((now, bytes.clone()));
            }
        });
        Stream { chunks, truth, done_at }
    }
}

/// Many measurements of one thing.
#[derive(Default)]
pub struct Figures(Vec<Duration>);

impl From<Vec<Duration>> for Figures {
    fn from(all: Vec<Duration>) -> Figures {
        Figures(all)
    }
}

impl Figures {
    /// Adds a measurement.
    pub fn add(&mut self, one: Duration) {
        self.0.push(one);
    }

    /// The measurement below which this percentage of all measurements is.
    pub fn percentile(&self, of_hundred: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let index = (sorted.len() * of_hundred / 100).min(sorted.len().saturating_sub(1));
        sorted.get(index).copied().unwrap_or_default()
    }

    /// The median.
    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The number of measurements.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The sum of all measurements.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// The ratio of the first to the second, or 0 if the second is zero.
pub fn ratio(one: Duration, other: Duration) -> f64 {
    if other.is_zero() { 0.0 } else { one.as_secs_f64() / other.as_secs_f64() }
}

/// Prints one figure on a line.
pub fn line(name: &str, value: impl std::fmt::Display) {
    println!("{name:<58} {value}");
}

/// Formats a time, such as `1.23 ms`, `45.60 us`, `789 ns`.
pub fn time(time: Duration) -> String {
    match time.as_nanos() {
        ns @ 0..1_000 => format!("{ns} ns"),
        ns @ 1_000..1_000_000 => format!("{:.2} us", ns as f64 / 1e3),
        ns => format!("{:.2} ms", ns as f64 / 1e6),
    }
}

/// The word for a goal that was met or missed.
pub fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

/// A running touchmoved whose log is discarded. Dropping it terminates the program and waits until it exits.
pub struct Touchmoved(Child);

impl Touchmoved {
    /// Starts touchmoved without waiting until it is ready.
    pub fn start(bus: &PrivateBus, state_dir: &Path, port: &Path) -> Touchmoved {
        // The configuration of the user who runs the bench is not read.
        Touchmoved::run(bus, state_dir, Path::new("/dev/null"), &[Path::new("--port"), port])
    }

    /// Starts touchmoved with the boards of a configuration.
    pub fn configured(bus: &PrivateBus, state_dir: &Path, config: &Path) -> Touchmoved {
        Touchmoved::run(bus, state_dir, config, &[])
    }

    fn run(bus: &PrivateBus, state_dir: &Path, config: &Path, more: &[&Path]) -> Touchmoved {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
        command.arg("--bus").arg(bus.address()).arg("--state-dir").arg(state_dir).arg("--config").arg(config).args(more);
        // BlueZ is always on the system's bus, which is this one, too.
        command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address());
        command.env("TOUCHMOVE_LOG", "error").env_remove("NOTIFY_SOCKET");
        Touchmoved(command.stdout(Stdio::null()).spawn().expect("touchmoved starts"))
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Touchmoved {
    fn drop(&mut self) {
        end(&mut self.0);
    }
}

/// Terminates a program, and waits until it exits.
pub fn end(child: &mut Child) {
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let until = Instant::now() + PATIENCE;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The changes of squares that lead from one position to the next: first the squares that pieces leave, then those that pieces come to.
/// Pieces are as in FEN, with `.` for none.
pub fn touches(before: &Position, after: &Position) -> Vec<(String, char)> {
    let mut emptied = Vec::new();
    let mut filled = Vec::new();
    for square in shakmaty::Square::ALL {
        let (old, new) = (before.piece_at(square), after.piece_at(square));
        if old != new {
            emptied.extend(old.map(|_| (square.to_string(), '.')));
            filled.extend(new.map(|piece| (square.to_string(), piece.char())));
        }
    }
    emptied.extend(filled);
    emptied
}

/// Plays the first `plies` plies of a game on the board, with a pause after each change of a square.
pub fn play(board: &Board, game: &SourceGame, plies: usize, pause: Duration) {
    for ply in 0..plies {
        for (square, piece) in touches(&game.position(ply), &game.position(ply + 1)) {
            board.put(&square, piece);
            std::thread::sleep(pause);
        }
    }
}

/// Moves of knights from the start position without captures and checks, and without repeating a placement: from, to, the knight.
pub fn knights_moves(count: usize) -> Vec<(String, String, char)> {
    let mut rng = Rng::new(1, 1);
    let mut position = Chess::default();
    let mut seen = HashSet::from([position.board().clone()]);
    let mut moves = Vec::new();
    while moves.len() < count {
        let after = |mv: Move| {
            let mut after = position.clone();
            after.play_unchecked(mv);
            after
        };
        let fresh = |mv: &Move| {
            let after = after(*mv);
            !after.is_check() && !seen.contains(after.board())
        };
        let quiet = |mv: &&Move| mv.role() == Role::Knight && !mv.is_capture();
        let choice: Vec<Move> = position.legal_moves().iter().filter(quiet).copied().filter(fresh).collect();
        let mv = rng.pick(&choice).expect("a knight has somewhere to go");
        let from = mv.from().expect("a knight comes from somewhere");
        moves.push((from.to_string(), mv.to().to_string(), Role::Knight.of(position.turn()).char()));
        position = after(mv);
        seen.insert(position.board().clone());
    }
    moves
}
