//! What is to be simulated: the options of the command line, checked.

use super::fault::Fault;
use super::games::GameSource;
use super::other_computer::OtherComputer;
use super::{server, time_of_day};
use crate::ctl::demo::known_model;
use crate::ctl::simulate::{Args, read_games};
use crate::game::event::Rotation;
use crate::lab::options::SimulationOptions;
use anyhow::{Context, anyhow, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The mean time between two faults, unless another is given.
const EVERY: Duration = Duration::from_secs(20);

/// What is to be simulated.
pub(super) struct Plan {
    /// The names of the machines.
    pub(super) machines: Vec<String>,
    /// The number of boards of each.
    pub(super) boards: usize,
    /// The boards and hands, in turn.
    pub(super) options: Vec<SimulationOptions>,
    /// The games.
    pub(super) games: GameSource,
    /// The faults.
    pub(super) faults: Vec<Fault>,
    /// The mean time between two of them.
    pub(super) every: Duration,
    /// When to end.
    pub(super) limit: Option<Duration>,
    /// After how many moves to end.
    pub(super) max_moves: Option<u64>,
    /// The directory; `None`: a temporary one.
    pub(super) dir: Option<PathBuf>,
    /// The seed of everything.
    pub(super) seed: u64,
    /// The speed of the hands.
    pub(super) speed: u32,
    /// The program nats-server.
    pub(super) server: PathBuf,
    /// libfaketime, if clocks jump.
    pub(super) time_library: Option<PathBuf>,
}

impl Plan {
    /// Checks the options, and whether everything that is needed is installed.
    pub(super) fn new(args: &Args) -> anyhow::Result<Plan> {
        let count = usize::from(args.hall.machines.context("no number of machines is given")?);
        let boards = usize::from(args.hall.boards.unwrap_or(1));
        let width = count.to_string().len().max(2);
        let machines = (1..=count).map(|number| format!("pi-{number:0width$}")).collect();
        let profile = args.hands.profile()?;
        let rotation = if args.turned { Rotation::Turned } else { Rotation::Upright };
        let options = args.board.split(',').map(|name| {
            let model = known_model(name.trim()).map_err(|sentence| anyhow!(sentence))?;
            let (board, inject) = (model.name.to_owned(), args.hands.inject.clone());
            Ok(SimulationOptions { board, profile, inject, clock: args.clock, rotation })
        });
        let options: Vec<SimulationOptions> = options.collect::<anyhow::Result<_>>()?;
        let games = match &args.pgn {
            None => GameSource::Random(args.seed),
            Some(path) => {
                let games = read_games(path)?.games;
                if games.is_empty() {
                    bail!("{} has no game with moves", path.display());
                }
                GameSource::File { games: games.into(), boards: count.saturating_mul(boards) }
            }
        };
        let faults = args.hall.fault.clone();
        let time_library = match faults.contains(&Fault::ClockJump) {
            true => Some(time_of_day::library().context(
                "clock-jump needs libfaketime, to give a machine a time of day of its own: install the package libfaketime, or \
                 omit clock-jump",
            )?),
            false => None,
        };
        Ok(Plan {
            machines,
            boards,
            options,
            games,
            faults,
            every: args.hall.every.map_or(EVERY, |seconds| Duration::from_secs(seconds.into())),
            limit: args.hall.minutes,
            max_moves: args.hall.moves,
            dir: args.hall.dir.clone(),
            seed: args.seed,
            speed: args.speed,
            server: server::find_program()?,
            time_library,
        })
    }

    /// Returns the other computer that copies of cards need. `dir`: for its file.
    ///
    /// # Errors
    /// This system does not permit it.
    pub(super) fn other_computer(&self, dir: &Path) -> anyhow::Result<Option<OtherComputer>> {
        match self.faults.contains(&Fault::ClonedCard) {
            true => OtherComputer::new(dir).map(Some),
            false => Ok(None),
        }
    }
}
