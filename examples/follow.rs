//! Bytes of a board in, moves out, without the daemon.
//!
//! ```sh
//! # A virtual DGT board on which a short game with an illegal move is played.
//! cargo run --no-default-features --example follow
//! # A real board. Set the port's speed first, as the maker says: stty -F /dev/ttyUSB0 9600 raw -echo
//! cargo run --no-default-features --example follow -- dgt /dev/ttyUSB0
//! ```

use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::{Read, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use touchmove::boards::{self, Address, LinkState, Millis, Model, Protocol, Write};
use touchmove::game::Event;
use touchmove::game::event::Rotation;
use touchmove::locale::{self, Locale};
use touchmove::simulate::hands::CLUB;
use touchmove::simulate::{Simulation, SimulationSetup, pgn};
use touchmove::table::{Input, Output, Settings, Table};

/// One board: its protocol turns bytes into readings, its table turns readings into moves.
struct Board {
    protocol: Box<dyn Protocol>,
    table: Table,
    address: Address,
    /// Bytes for the board that are not due yet.
    writes: VecDeque<Write>,
}

impl Board {
    fn new(model: &Model) -> Board {
        let settings = Settings { sensing: model.sensing, ..Settings::default() };
        Board { protocol: (model.protocol)(), table: Table::new(settings), address: Address::ONLY, writes: VecDeque::new() }
    }

    /// Handles a cable that was plugged in or pulled out.
    fn link(&mut self, now: Millis, state: LinkState) {
        self.protocol.link(now, state);
        let output = self.table.handle(now, Input::Link(state));
        self.finish(now, output);
    }

    /// Handles bytes from the board.
    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        self.protocol.receive(now, bytes);
        self.finish(now, Output::default());
    }

    /// Returns the time at which [`Board::advance`] must be called.
    fn next_deadline(&self) -> Option<Millis> {
        let write = self.writes.front().map(|write| write.at);
        [self.table.next_deadline(), self.protocol.next_deadline(), write].into_iter().flatten().min()
    }

    /// Runs what is due, and returns the bytes to send to the board now.
    fn advance(&mut self, now: Millis) -> Vec<u8> {
        if self.protocol.next_deadline().is_some_and(|deadline| deadline <= now) {
            self.protocol.timeout(now);
        }
        let output = self.table.advance(now);
        self.finish(now, output);
        let mut bytes = Vec::new();
        while let Some(write) = self.writes.pop_front_if(|write| write.at <= now) {
            bytes.extend(write.bytes);
        }
        bytes
    }

    /// Passes the commands of the table to the board and the readings of the board to the table until neither has more.
    fn finish(&mut self, now: Millis, output: Output) {
        let mut outputs = VecDeque::from([output]);
        loop {
            while let Some(output) = outputs.pop_front() {
                output.events.iter().for_each(|stamped| print_event(&stamped.event));
                for command in output.commands {
                    // A board without lights or a memory does not support every command.
                    let _ = self.protocol.execute(now, self.address, command);
                }
            }
            let Some((address, reading)) = self.protocol.poll_reading() else { break };
            self.address = address;
            outputs.push_back(self.table.handle(now, Input::Reading(reading)));
        }
        self.writes.extend(std::iter::from_fn(|| self.protocol.poll_write()));
    }
}

fn print_event(event: &Event) {
    match event {
        Event::GameStarted { fen, .. } => println!("a game begins: {fen}"),
        Event::MoveMade { ply, played, .. } => {
            println!("{}{} {}", ply.div_ceil(2), if ply % 2 == 0 { "..." } else { "." }, played.san);
        }
        Event::MovesCorrected { from_ply, moves, .. } => {
            let moves: Vec<&str> = moves.iter().map(|played| played.san.as_str()).collect();
            println!("corrected from ply {from_ply}: {}", moves.join(" "));
        }
        Event::AlertRaised(alert) => {
            println!("alert: {} (Art. {})", locale::sentence(Locale::English, &alert.text), alert.articles.join(", "));
        }
        Event::Result { result: Some(result), .. } => println!("{}", result.as_str()),
        _ => {}
    }
}

const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1/2-1/2";
/// White first plays an illegal seventh move and presses the clock, and then corrects it.
const INJECT: &str = "illegal_move@13";

/// Plays the game on a virtual board, in simulated time.
fn follow_virtual_board(model: &Model) -> Result<(), Box<dyn Error>> {
    let games = pgn::read(GAME).games;
    let game = games.first().ok_or("no game")?;
    let setup = SimulationSetup { profile: &CLUB, clock: true, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
    let mut hands = Simulation::with_irregularities(model.name, game, &setup, &[INJECT.parse()?]).ok_or("no virtual board")?;
    let mut board = Board::new(model);
    let mut now = 0;
    board.link(now, LinkState::Up);
    while now < hands.ends_at() {
        let bytes = board.advance(now);
        if !bytes.is_empty() {
            hands.receive(now, &bytes);
        }
        let next = [hands.next_event(), board.next_deadline()].into_iter().flatten().min().unwrap_or(Millis::MAX);
        now = next.max(now + 1);
        for chunk in hands.advance(now) {
            board.receive(now, &chunk.bytes);
        }
    }
    Ok(())
}

/// Follows a board on this port until it is unplugged.
fn follow_port(model: &Model, path: &str) -> Result<(), Box<dyn Error>> {
    let mut input = File::open(path)?;
    let mut port = File::options().write(true).open(path)?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = input.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let begin = Instant::now();
    let now = || begin.elapsed().as_millis() as Millis;
    let mut board = Board::new(model);
    board.link(now(), LinkState::Up);
    loop {
        port.write_all(&board.advance(now()))?;
        let wait = board.next_deadline().map_or(1000, |deadline| deadline.saturating_sub(now()));
        match receiver.recv_timeout(Duration::from_millis(wait)) {
            Ok(bytes) => board.receive(now(), &bytes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => follow_virtual_board(boards::model("dgt").ok_or("no such board")?),
        [name, path] => {
            let names: Vec<&str> = boards::BOARDS.iter().map(|model| model.name).collect();
            let model = boards::model(name).ok_or_else(|| format!("no board \"{name}\": write one of {}", names.join(", ")))?;
            follow_port(model, path)
        }
        _ => Err("write a board and its port, for example: dgt /dev/ttyUSB0; or nothing for a virtual board".into()),
    }
}
