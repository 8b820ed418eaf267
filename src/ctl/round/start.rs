//! `touchmovectl round start`.

use super::missing::missing_results;
use super::overview::describe;
use super::selected::connect_live;
use crate::ctl::columns::output_width;
use crate::ctl::service::{Service, print};
use crate::desk::DeskAct;

/// Start a loaded round: games that begin from now on, and games without a move, get its names
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl round start 4")]
pub(super) struct Args {
    /// Its number
    round: u16,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(Args { round, service }: Args) -> anyhow::Result<()> {
    let client = connect_live(&service).await?;
    client.change_desk(&DeskAct::StartRound { round }).await?;
    let report = client.desk(None).await?;
    print(&describe(&report, output_width()))?;
    Ok(print(&missing_results(&report))?)
}
