//! `touchmovectl round missing`: the results that are missing.

use crate::ctl::service::{Service, print};
use crate::ctl::tables;
use crate::publish::desk::DeskReport;
use std::fmt::Write;

/// List the results that are missing, of all rounds
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl round missing")]
pub(super) struct Args {
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(Args { service }: Args) -> anyhow::Result<()> {
    let text = missing_results(&service.connect().await?.desk(None).await?);
    Ok(print(if text.is_empty() { "no result is missing\n" } else { &text })?)
}

/// Returns a line for each round with missing results; empty if there is none.
pub(super) fn missing_results(report: &DeskReport) -> String {
    let mut text = String::new();
    for round in report.rounds.iter().filter(|round| !round.missing.is_empty()) {
        let _ = writeln!(
            text,
            "Results missing in round {}, {}: `touchmovectl round result TABLE RESULT --round {}`",
            round.number,
            tables::named(&round.missing),
            round.number
        );
    }
    text
}
