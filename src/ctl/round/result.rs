//! `touchmovectl round result` and `round forfeit`.

use super::selected::{SelectedRound, print_tables};
use crate::ctl::completion;
use crate::desk::DeskAct;
use crate::round::PairingResult;

/// Enter the result of a table
///
/// If the game was played on a board, it gets the result, too, even if the pieces have been set up again since.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round result 12 1-0\n  touchmovectl round result 12 '+--'\n  \
                        touchmovectl round result 12 none --round 2")]
pub(super) struct ResultArgs {
    /// The table
    #[arg(add = completion::tables())]
    table: u16,
    /// 1-0, 0-1, 1/2-1/2, 0-0 (both lose), +-- or --+ (forfeit), --- (both forfeit), adjourned; none: not known
    #[arg(value_parser = parse_result, allow_hyphen_values = true)]
    result: EnteredResult,
    #[command(flatten)]
    selected: SelectedRound,
}

/// Record that a game is forfeited
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round forfeit 12 white\n  touchmovectl round forfeit 12 none")]
pub(super) struct ForfeitArgs {
    /// The table
    #[arg(add = completion::tables())]
    table: u16,
    /// The winner by forfeit, or nobody; none: the game is played after all
    #[arg(value_parser = ["white", "black", "nobody", "none"])]
    winner: String,
    #[command(flatten)]
    selected: SelectedRound,
}

/// A result to enter; `None`: not known.
#[derive(Clone, Copy, Debug)]
struct EnteredResult(Option<PairingResult>);

fn parse_result(text: &str) -> Result<EnteredResult, String> {
    let text = if text == "none" { "" } else { text };
    PairingResult::parse(text).map(EnteredResult).map_err(|error| error.to_string())
}

/// Runs `round result`.
pub(super) async fn enter(ResultArgs { table, result, selected }: ResultArgs) -> anyhow::Result<()> {
    enter_result(&selected, table, result.0).await
}

/// Runs `round forfeit`.
pub(super) async fn forfeit(ForfeitArgs { table, winner, selected }: ForfeitArgs) -> anyhow::Result<()> {
    let result = match winner.as_str() {
        "white" => Some(PairingResult::WhiteWinsByForfeit),
        "black" => Some(PairingResult::BlackWinsByForfeit),
        "nobody" => Some(PairingResult::BothForfeit),
        _ => None,
    };
    enter_result(&selected, table, result).await
}

async fn enter_result(selected: &SelectedRound, table: u16, result: Option<PairingResult>) -> anyhow::Result<()> {
    let (client, round) = selected.connect().await?;
    client.change_desk(&DeskAct::Result { round: round.number, table, result }).await?;
    print_tables(&client, round.number, &[table]).await
}
