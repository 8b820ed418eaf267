//! `touchmovectl bluetooth forget`.

use super::add::board_at;
use crate::config::board_table::remove;
use crate::ctl::config_file::{Change, Place, with_sign};
use crate::link::bluetooth::Address;
use anyhow::Context;

/// Use the board with this address no longer
///
/// Removes its [[board]] from the configuration file, after showing it and asking. Its games stay in the journal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sudo touchmovectl bluetooth forget AA:BB:CC:DD:EE:FF")]
pub(super) struct Args {
    /// The address of the board
    #[arg(value_parser = super::address)]
    address: Address,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
pub(super) fn run(Args { address, place }: Args) -> anyhow::Result<()> {
    let file = place.read()?;
    board_at(&file.config, address)
        .with_context(|| format!("{address} is not in the configuration: `touchmovectl list` lists the boards"))?;
    let (text, table) =
        remove(&file.text, address).context("the file has a form that this program does not change: edit it by hand")?;
    let boards = file.config.boards.len().saturating_sub(1);
    let mut notes = vec![format!("If it was paired: `bluetoothctl remove {address}` ends that.")];
    if boards == 0 {
        notes.push("From then on every board is used that is found by its USB id.".to_owned());
    }
    place.change(&file, &Change { text, lines: with_sign('-', &table), boards }, &notes)
}
