//! `touchmovectl round result` and `round forfeit`.

use super::selected::{SelectedRound, print_tables};
use crate::ctl::completion;
use crate::desk::DeskAct;
use crate::round::PairingResult;
use crate::round::result::RESULTS;

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
    PairingResult::parse(text).map(EnteredResult).map_err(|_| format!("use {RESULTS}, or none"))
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
    let (client, round, seen) = selected.connect().await?;
    client.change_seen_desk(&DeskAct::Result { round: round.number, table, result }, Some(seen)).await?;
    print_tables(&client, round.number, &[table]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_error_is_accepted() {
        let error = parse_result("2-0").expect_err("no result");
        let words = error.strip_prefix("use ").expect("what to use").replace("or ", "");
        let results: Vec<_> = words.split(", ").map(|word| parse_result(word).expect(word).0).collect();
        assert_eq!((results.len(), results.last()), (9, Some(&None)));
        assert!(results[..8].iter().all(Option::is_some));
    }
}
