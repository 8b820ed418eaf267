//! `touchmovectl round exchange`.

use super::selected::connect_live;
use crate::ctl::completion;
use crate::ctl::service::{Service, print};

/// Continue a game on another board, because its board is broken
///
/// Stop the clocks, set up the position on the other board (`touchmovectl game`), and give this command. The game then
/// continues there, with its record, its clocks and the obligations of the players. Unplug the broken board.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round exchange board_7 spare_1")]
pub(super) struct Args {
    /// The broken board
    #[arg(add = completion::boards())]
    from: String,
    /// The board that replaces it
    #[arg(add = completion::boards())]
    to: String,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(Args { from, to, service }: Args) -> anyhow::Result<()> {
    connect_live(&service).await?.exchange_board(&from, &to).await?;
    Ok(print(&format!("the game continues on board {to}, which is seated at its table now\n"))?)
}
