//! The options that all simulated games of one run share.

use crate::boards::{self, Model};
use crate::game::event::Rotation;
use crate::simulate::hands::HandsProfile;
use crate::simulate::irregularity::Injection;
use crate::simulate::pgn::SourceGame;
use crate::simulate::{Simulation, SimulationSetup};
use crate::table::Settings;

/// No board has this name.
#[derive(Clone, Debug, thiserror::Error)]
#[error("there is no virtual board \"{0}\": write one of {names}", names = model_names())]
pub struct UnknownBoard(pub String);

fn model_names() -> String {
    boards::BOARDS.iter().map(|model| model.name).collect::<Vec<_>>().join(", ")
}

/// What all simulations of a run have in common, whatever their game and seed.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// The board's model.
    pub board: String,
    /// The profile of the hands.
    pub profile: HandsProfile,
    /// The irregularities to inject.
    pub inject: Vec<Injection>,
    /// A clock is used.
    pub clock: bool,
    /// The rotation of the board.
    pub rotation: Rotation,
}

impl SimulationOptions {
    /// Returns the setup of a simulation with this seed.
    pub fn setup(&self, seed: u64) -> SimulationSetup<'_> {
        SimulationSetup { profile: &self.profile, clock: self.clock, rotation: self.rotation, clock_turned: false, seed }
    }

    /// Creates a virtual board for this game.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn simulation(&self, game: &SourceGame, seed: u64) -> Result<Simulation, UnknownBoard> {
        Simulation::with_irregularities(&self.board, game, &self.setup(seed), &self.inject)
            .ok_or_else(|| UnknownBoard(self.board.clone()))
    }

    /// Creates a virtual board for this game that is connected over Bluetooth.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn simulation_over_radio(&self, game: &SourceGame, seed: u64) -> Result<Simulation, UnknownBoard> {
        let simulation = Simulation::over_radio(&self.board, game, &self.setup(seed), &self.inject);
        simulation.ok_or_else(|| UnknownBoard(self.board.clone()))
    }

    /// Returns the row of the board.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn model(&self) -> Result<&'static Model, UnknownBoard> {
        boards::model(&self.board).ok_or_else(|| UnknownBoard(self.board.clone()))
    }
}

/// Returns the settings of a table for this game: the defaults and the start position.
pub fn settings(game: &SourceGame) -> Settings {
    Settings { chess960: game.start.is_chess960(), start_fen: game.unusual_start(), ..Settings::default() }
}
