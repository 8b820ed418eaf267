//! `touchmovectl round remove`.

use super::selected::{Yes, connect_live, no_round};
use crate::ctl::service::{Service, confirm, print};
use crate::desk::DeskAct;

/// Remove a loaded round that is not being played
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl round remove 5")]
pub(super) struct Args {
    /// Its number
    round: u16,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(Args { round, yes, service }: Args) -> anyhow::Result<()> {
    let client = connect_live(&service).await?;
    let report = client.desk(Some(round)).await?;
    let pairings = report.round.as_ref().ok_or_else(|| no_round(Some(round)))?.pairings.len();
    if !confirm(&format!("Remove round {round} with {pairings} pairings and their results?"), yes.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    client.change_desk(&DeskAct::RemoveRound { round }).await?;
    Ok(print(&format!("round {round} is removed\n"))?)
}
