//! A machine of a simulated hall: a touchmoved with its boards and its network.

use super::board::{BoardSetup, SimulatedBoard};
use super::node::{Environment, Node};
use crate::ctl::hands_speed::game_settings;
use crate::ctl::simulate::relay::Relay;
use anyhow::Context;
use std::fs;
use std::path::Path;

/// A machine. The fields are in the order in which they must be dropped.
pub(super) struct SimulatedMachine {
    /// Its name in the hall.
    pub(super) name: String,
    /// Its touchmoved.
    pub(super) node: Node,
    /// Its boards; empty once they are unplugged.
    boards: Vec<SimulatedBoard>,
    /// The network between it and the message server.
    pub(super) relay: Relay,
}

impl SimulatedMachine {
    /// Prepares a machine whose keys are in its directory, and plugs its boards in. `server`: the port of the message server.
    pub(super) async fn new(
        name: &str,
        dir: &Path,
        server: u16,
        environment: Environment,
        boards: Vec<BoardSetup>,
    ) -> anyhow::Result<SimulatedMachine> {
        let ports = dir.join("ports");
        fs::create_dir_all(&ports).with_context(|| format!("{} cannot be created", ports.display()))?;
        let relay = Relay::to(server).context("the network of a machine cannot be opened")?;
        let speed = boards.first().map_or(1, |board| board.speed);
        let mut config = hall_config(name, &relay) + &game_settings(speed);
        let mut plugged = Vec::new();
        for (number, setup) in (1..).zip(boards) {
            let board_name = format!("board_{number}");
            let model = setup.options.model()?.name;
            let board = SimulatedBoard::plug(ports.join(&board_name), setup).context("a virtual board cannot be started")?;
            config += &format!("[[board]]\nname = {board_name:?}\nmodel = {model:?}\nport = {:?}\n", board.port());
            plugged.push(board);
        }
        let node = Node::new(dir, &config, environment, true).await?;
        Ok(SimulatedMachine { name: name.to_owned(), node, boards: plugged, relay })
    }

    /// Unplugs all boards.
    pub(super) fn unplug_boards(&mut self) {
        // All at once, then each is waited for.
        self.boards.iter().for_each(SimulatedBoard::unplug);
        self.boards.clear();
    }

    /// Returns why a board does not work any more.
    pub(super) fn board_failure(&self) -> Option<String> {
        self.boards.iter().find_map(SimulatedBoard::failure)
    }
}

/// Returns the table `[hall]` of a machine of this name.
pub(super) fn hall_config(name: &str, relay: &Relay) -> String {
    format!("[hall]\nhub = \"tls://127.0.0.1:{}\"\nmachine = {name:?}\n", relay.port())
}
