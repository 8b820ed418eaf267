//! The round that a subcommand changes or shows, and the touchmoved that has it.

use super::overview::describe;
use crate::ctl::columns::output_width;
use crate::ctl::service::{Service, print};
use crate::publish::client::{Client, ClientError};
use crate::publish::dbus::Stream;
use crate::round::Round;

/// The round of a pairing.
#[derive(Debug, clap::Args)]
pub(super) struct SelectedRound {
    /// Number of the round [default: the one that is played]
    #[arg(long, value_name = "N")]
    pub round: Option<u16>,
    #[command(flatten)]
    pub service: Service,
}

impl SelectedRound {
    /// Connects, and returns the round with [`DeskReport::n`](crate::publish::desk::DeskReport::n).
    pub(super) async fn connect(&self) -> anyhow::Result<(Client, Round, u64)> {
        let client = connect_live(&self.service).await?;
        let report = client.desk(self.round).await?;
        let round = report.round.ok_or_else(|| no_round(self.round))?;
        Ok((client, round, report.n))
    }
}

/// Whether to ask before the change.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Yes {
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// Connects to the stream on which rounds can be changed.
pub(super) async fn connect_live(service: &Service) -> anyhow::Result<Client> {
    match service.stream() {
        Stream::Live | Stream::Operator => Ok(service.connect().await?),
        Stream::Broadcast => anyhow::bail!("pairings can only be changed on the live stream: leave --broadcast out"),
    }
}

/// Returns the error for a round that is not loaded; `None`: no round is.
pub(super) fn no_round(number: Option<u16>) -> ClientError {
    ClientError::NotFound(match number {
        Some(number) => format!("round {number} is not loaded: `touchmovectl round load FILE`"),
        None => "no round is loaded: `touchmovectl round load FILE`".to_owned(),
    })
}

/// Prints what is known of these tables.
pub(super) async fn print_tables(client: &Client, round: u16, tables: &[u16]) -> anyhow::Result<()> {
    let mut report = client.desk(Some(round)).await?;
    if let Some(round) = &mut report.round {
        round.pairings.retain(|pairing| tables.contains(&pairing.table));
        round.byes.clear();
    }
    report.tables.retain(|table| tables.contains(&table.table));
    Ok(print(&describe(&report, output_width()))?)
}
