//! `touchmovectl round pair`, `unpair`, `swap` and `reverse`: corrections of pairings.

use super::selected::{SelectedRound, Yes, print_tables};
use crate::ctl::completion;
use crate::ctl::service::{confirm, print};
use crate::desk::DeskAct;
use crate::round::{Pairing, Player};

/// Add the pairing of a table, or replace it
///
/// Players who had a bye in this round have none any more; others need not be in the round yet. `round unpair` removes the pairing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round pair 31 'Late, Larry' 'Able, Ann'\n  \
                        touchmovectl round pair 31 'GM Late, Larry' 'Able, Ann' --white-rating 2512 --round 3")]
pub(super) struct PairArgs {
    /// The table
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    table: u16,
    /// The player who has White, possibly with a title: 'GM Able, Ann'
    white: String,
    /// The player who has Black
    black: String,
    /// White's rating
    #[arg(long, value_name = "N")]
    white_rating: Option<u16>,
    /// Black's rating
    #[arg(long, value_name = "N")]
    black_rating: Option<u16>,
    #[command(flatten)]
    selected: SelectedRound,
}

/// Remove the pairing of a table
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl round unpair 31")]
pub(super) struct UnpairArgs {
    /// The table
    #[arg(add = completion::tables())]
    table: u16,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    selected: SelectedRound,
}

/// Swap the players of two tables; the boards stay
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round swap 4 5")]
pub(super) struct SwapArgs {
    /// One table
    #[arg(add = completion::tables())]
    one: u16,
    /// The other table
    #[arg(add = completion::tables())]
    other: u16,
    #[command(flatten)]
    selected: SelectedRound,
}

/// Reverse the colours of the players at a table
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl round reverse 7")]
pub(super) struct ReverseArgs {
    /// The table
    #[arg(add = completion::tables())]
    table: u16,
    #[command(flatten)]
    selected: SelectedRound,
}

/// Runs `round pair`.
pub(super) async fn pair(args: PairArgs) -> anyhow::Result<()> {
    let PairArgs { table, white, black, white_rating, black_rating, selected } = args;
    let (client, round, seen) = selected.connect().await?;
    let player = |text: &str, rating: Option<u16>| {
        let paired = round.pairings.iter().flat_map(|pairing| [&pairing.white, &pairing.black]);
        let mut players = paired.chain(round.byes.iter().map(|bye| &bye.player));
        let known = players.find(|known| known.is_called(text)).cloned();
        let player = known.unwrap_or_else(|| Player::with_title(text));
        Player { rating: rating.or(player.rating), ..player }
    };
    let (white, black) = (player(&white, white_rating), player(&black, black_rating));
    // The result stays if the act has none.
    let before = round.table(table).map(|before| Pairing { result: None, ..before.clone() });
    let new = before.is_none();
    let pairing = Pairing { table, white, black, ..before.unwrap_or_default() };
    client.change_seen_desk(&DeskAct::Pair { round: round.number, pairing, new }, Some(seen)).await?;
    print_tables(&client, round.number, &[table]).await
}

/// Runs `round unpair`.
pub(super) async fn unpair(UnpairArgs { table, yes, selected }: UnpairArgs) -> anyhow::Result<()> {
    let (client, round, seen) = selected.connect().await?;
    let pairing = round.table(table).map(|pairing| format!("{} - {}", pairing.white.name, pairing.black.name));
    let question = format!("Remove the pairing {} of table {table} from round {}?", pairing.unwrap_or_default(), round.number);
    if !confirm(&question, yes.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    client.change_seen_desk(&DeskAct::Unpair { round: round.number, table }, Some(seen)).await?;
    Ok(print(&format!("table {table} has no pairing in round {} now\n", round.number))?)
}

/// Runs `round swap`.
pub(super) async fn swap(SwapArgs { one, other, selected }: SwapArgs) -> anyhow::Result<()> {
    let (client, round, seen) = selected.connect().await?;
    client.change_seen_desk(&DeskAct::Swap { round: round.number, one, other }, Some(seen)).await?;
    print_tables(&client, round.number, &[one, other]).await
}

/// Runs `round reverse`.
pub(super) async fn reverse(ReverseArgs { table, selected }: ReverseArgs) -> anyhow::Result<()> {
    let (client, round, seen) = selected.connect().await?;
    client.change_seen_desk(&DeskAct::ReverseColours { round: round.number, table }, Some(seen)).await?;
    print_tables(&client, round.number, &[table]).await
}
