//! A copy of a machine's card in another computer.

use super::machine::{SimulatedMachine, hall_config};
use super::node::{Environment, Node, state_dir};
use super::other_computer::OtherComputer;
use anyhow::Context;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A second machine with the name, the key and the journal of another. It has no boards.
pub(super) struct ClonedCard {
    /// Its touchmoved.
    node: Node,
    dir: PathBuf,
}

impl ClonedCard {
    /// Copies the card of a machine, which is switched off meanwhile, and starts both.
    pub(super) async fn insert(
        machine: &mut SimulatedMachine,
        dir: &Path,
        computer: OtherComputer,
    ) -> anyhow::Result<ClonedCard> {
        machine.node.stop();
        // What an earlier copy has left.
        let _ = fs::remove_dir_all(dir);
        let state = machine.node.state_dir();
        copy_dir(&state, &state_dir(dir)).with_context(|| format!("{} cannot be copied", state.display()))?;
        machine.node.start()?;
        machine.node.ready().await?;
        let config = hall_config(&machine.name, &machine.relay);
        let mut node = Node::new(dir, &config, Environment::Other(computer), false).await?;
        node.start()?;
        node.ready().await?;
        Ok(ClonedCard { node, dir: dir.to_owned() })
    }

    /// Fails if its touchmoved has ended by itself.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        self.node.still_runs()
    }

    /// Switches the computer off.
    pub(super) fn remove(self) {
        let ClonedCard { node, dir } = self;
        drop(node);
        // The next copy removes what remains.
        let _ = fs::remove_dir_all(dir);
    }
}

/// Copies a directory with its files and directories.
fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
