//! `touchmovectl round show`.

use super::overview::describe;
use super::selected::no_round;
use crate::ctl::columns::output_width;
use crate::ctl::service::{Service, print, print_json};

/// Show a round, with the board at each table
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round show\n  touchmovectl round show 2\n  touchmovectl round show --json")]
pub(super) struct Args {
    /// Its number [default: the one that is played]
    round: Option<u16>,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(Args { round, json, service }: Args) -> anyhow::Result<()> {
    let report = service.connect().await?.desk(round).await?;
    match (&report.round, json) {
        (None, _) => Err(no_round(round).into()),
        (Some(_), true) => print_json(&report),
        (Some(_), false) => Ok(print(&describe(&report, output_width()))?),
    }
}
