//! A virtual board of a demonstration: which it is, and the thread that serves it.

use crate::boards::{ClockSupport, Millis, Model, model};
use crate::ctl::pty::{BoardControl, PseudoTerminal};
use crate::game::event::Rotation;
use crate::lab::options::SimulationOptions;
use crate::simulate::Simulation;
use crate::simulate::hands::HandsProfile;
use crate::simulate::irregularity::{Injection, IrregularityKind};
use crate::simulate::pgn::SourceGame;
use anyhow::Context;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The models of the boards, in the order of the tables; further tables have the same again. All are boards on a serial line, the only
/// ones that a pseudo-terminal can carry.
const MODELS: [&str; 12] =
    ["dgt", "dgt", "millennium", "certabo", "ichessone", "dgt", "sentio", "cerno", "reed", "centaur", "dgt", "dgt"];
/// The serial number of a board at table 0.
const FIRST_SERIAL: u16 = 3200;
/// When a player makes an illegal move, in milliseconds at the speed of real hands.
pub(super) const ILLEGAL_MOVE_AT: Millis = 40_000;
/// The first ply at which a move may be illegal: earlier there are hardly any.
const FIRST_ILLEGAL_PLY: u32 = 8;

/// A board at a table.
#[derive(Clone, Debug)]
pub(super) struct DemoBoard {
    /// The number of the table, from 1.
    pub(super) table: u16,
    /// The name of the board.
    pub(super) name: String,
    /// The model.
    pub(super) model: &'static Model,
    /// The path at which its port appears.
    pub(super) port: PathBuf,
}

impl DemoBoard {
    /// Returns the board at this table, whose port appears in this directory.
    ///
    /// # Errors
    /// Never: the models exist.
    pub(super) fn at(table: u16, ports: &Path) -> anyhow::Result<DemoBoard> {
        let index = usize::from(table.saturating_sub(1)) % MODELS.len();
        let model = MODELS.get(index).and_then(|name| model(name)).context("a model of a board is unknown")?;
        let name = format!("board_{table}");
        Ok(DemoBoard { table, model, port: ports.join(&name), name })
    }

    /// Returns whether a clock is connected to it.
    pub(super) fn has_clock(&self) -> bool {
        self.model.clock == ClockSupport::Connected
    }

    /// Sets up the pieces for a game. `calls_arbiter`: after some time a player makes an illegal move, and both wait for the arbiter.
    pub(super) fn set_up(&self, game: &SourceGame, hands: &HandsProfile, calls_arbiter: bool) -> anyhow::Result<Simulation> {
        let seed = u64::from(self.table);
        let mut options = SimulationOptions {
            board: self.model.name.to_owned(),
            profile: *hands,
            inject: Vec::new(),
            clock: self.has_clock(),
            rotation: Rotation::Upright,
        };
        let mut simulation = options.simulation(game, seed)?;
        if calls_arbiter {
            let ply = (1..).zip(&simulation.truth().plies).find(|(_, ply)| ply.touched_at >= ILLEGAL_MOVE_AT);
            let ply = ply.map_or(FIRST_ILLEGAL_PLY, |(number, _)| FIRST_ILLEGAL_PLY.max(number));
            options.inject = vec![Injection { kind: IrregularityKind::IllegalMove, ply: Some(ply) }];
            simulation = options.simulation(game, seed)?.calling_the_arbiter();
        }
        Ok(simulation.with_serial_number(FIRST_SERIAL.saturating_add(self.table)))
    }
}

/// A board that is plugged in, with its thread. Dropping it unplugs the board.
pub(super) struct PluggedBoard {
    control: Arc<BoardControl>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl PluggedBoard {
    /// Plugs a board in.
    pub(super) fn plug(board: &DemoBoard, simulation: Simulation, speed: u32) -> io::Result<PluggedBoard> {
        let control = Arc::<BoardControl>::default();
        let thread = thread::Builder::new().name("board".to_owned()).spawn({
            let (port, control) = (board.port.clone(), Arc::clone(&control));
            move || serve(&port, simulation, speed, &control)
        })?;
        Ok(PluggedBoard { control, thread: Some(thread) })
    }

    /// Returns what is known of it, and what can be done to it.
    pub(super) fn control(&self) -> &BoardControl {
        &self.control
    }

    /// Fails if the board does not work any more.
    pub(super) fn still_works(&mut self) -> anyhow::Result<()> {
        match self.thread.take_if(|thread| thread.is_finished()).map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(Ok(()))) => anyhow::bail!("it ended too early"),
            Some(Ok(Err(error))) => Err(error.into()),
            Some(Err(_)) => anyhow::bail!("its thread failed; please report this"),
        }
    }
}

impl Drop for PluggedBoard {
    fn drop(&mut self) {
        self.control.unplug();
        if let Some(thread) = self.thread.take() {
            // Nobody needs the board any more.
            let _ = thread.join();
        }
    }
}

fn serve(port: &Path, simulation: Simulation, speed: u32, control: &BoardControl) -> io::Result<()> {
    let mut terminal = PseudoTerminal::open()?;
    symlink(terminal.path(), port)?;
    let served = terminal.serve_controlled(simulation, speed, control);
    // First the path: another terminal may soon have the number of this one.
    fs::remove_file(port)?;
    drop(terminal);
    Ok(served?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::{Connection, SensorKind};
    use crate::ctl::demo::tournament::games::DemoGames;
    use crate::simulate::hands::CLUB;
    use std::collections::BTreeSet;

    #[test]
    fn the_boards_are_of_several_kinds_on_serial_lines() {
        let boards: Vec<DemoBoard> =
            (1..=12).map(|table| DemoBoard::at(table, Path::new("/ports")).expect("a board")).collect();
        assert!(boards.iter().all(|board| matches!(board.model.connection, Connection::Serial(_))));
        let models: BTreeSet<&str> = boards.iter().map(|board| board.model.name).collect();
        assert!(models.len() >= 8, "{models:?}");
        let senses = |kind: SensorKind| boards.iter().filter(|board| board.model.sensing == kind).count();
        assert!(senses(SensorKind::Identity) > 0 && senses(SensorKind::Occupancy) > 0);
        assert!(boards.iter().any(|board| board.has_clock()) && boards.iter().any(|board| !board.has_clock()));
    }

    #[test]
    fn players_wait_for_the_arbiter_after_an_illegal_move() {
        let games = DemoGames::read();
        let board = DemoBoard::at(1, Path::new("/ports")).expect("a board");
        for round in 1..=17 {
            let game = games.game(round, 1).expect("a game");
            let mut simulation = board.set_up(&game, &CLUB, true).expect("a board");
            let [illegal] = &simulation.truth().irregularities[..] else { panic!("{}: no illegal move", game.title) };
            let pressed_at = illegal.pressed_at.expect("a clock");
            let expected = ILLEGAL_MOVE_AT * 3 / 4..ILLEGAL_MOVE_AT * 2;
            assert!(expected.contains(&illegal.at), "{}: at {}", game.title, illegal.at);
            simulation.advance(pressed_at);
            assert!(!simulation.is_waiting(pressed_at), "the clock runs at first");
            let (later, end) = (pressed_at + 100_000, simulation.ends_at());
            simulation.advance(later);
            assert!(simulation.is_waiting(later));
            simulation.resume(later);
            assert!(!simulation.is_waiting(later) && simulation.ends_at() > end);
        }
    }
}
