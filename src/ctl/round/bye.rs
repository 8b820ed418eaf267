//! `touchmovectl round bye`: the players of a round who have no opponent.

use super::overview::bye_word;
use super::selected::SelectedRound;
use crate::ctl::completion;
use crate::ctl::service::print;
use crate::desk::DeskAct;
use crate::game::words::Word as _;
use crate::round::{Bye, ByeKind, Player};
use clap::builder::PossibleValuesParser;

/// Give a player a bye, or remove it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round bye set 'Late, Larry' half_point\n  \
                        touchmovectl round bye remove 'Late, Larry' --round 3")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Give a player a bye, or change its kind
    ///
    /// Points: 1 for pairing_allocated (the number of players is odd) and full_point, half of one for half_point, none for zero_point
    /// (absent). TRF16 writes them U, F, H and Z.
    #[command(after_help = "Examples:\n  touchmovectl round bye set 'Late, Larry' half_point\n  \
                            touchmovectl round bye set 'GM Able, Ann' zero_point --round 3")]
    Set {
        /// The player, possibly with a title: 'GM Able, Ann'
        #[arg(add = completion::byes())]
        player: String,
        /// The kind of the bye
        #[arg(value_parser = PossibleValuesParser::new(ByeKind::WORDS.iter().map(|(word, _)| *word)))]
        kind: String,
        #[command(flatten)]
        selected: SelectedRound,
    },
    /// Remove the bye of a player
    #[command(after_help = "Example:\n  touchmovectl round bye remove 'Late, Larry'")]
    Remove {
        /// The player
        #[arg(add = completion::byes())]
        player: String,
        #[command(flatten)]
        selected: SelectedRound,
    },
}

/// Runs the subcommand.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Set { player, kind, selected } => set(&player, &kind, &selected).await,
        What::Remove { player, selected } => remove(&player, &selected).await,
    }
}

async fn set(name: &str, kind: &str, selected: &SelectedRound) -> anyhow::Result<()> {
    let kind = ByeKind::from_word(kind).ok_or_else(|| anyhow::anyhow!("{kind} is not a kind of bye"))?;
    let (client, round, seen) = selected.connect().await?;
    let mut byes = round.byes;
    let name = match byes.iter_mut().find(|bye| bye.player.is_called(name)) {
        Some(bye) => {
            bye.kind = kind;
            bye.player.titled_name()
        }
        None => {
            byes.push(Bye { player: Player::with_title(name), kind });
            name.trim().to_owned()
        }
    };
    client.change_seen_desk(&DeskAct::Byes { round: round.number, byes }, Some(seen)).await?;
    Ok(print(&format!("{name} has a bye in round {}: {}\n", round.number, bye_word(kind)))?)
}

async fn remove(name: &str, selected: &SelectedRound) -> anyhow::Result<()> {
    let (client, round, seen) = selected.connect().await?;
    let (removed, byes): (Vec<Bye>, Vec<Bye>) = round.byes.into_iter().partition(|bye| bye.player.is_called(name));
    let Some(Bye { player, .. }) = removed.first() else {
        anyhow::bail!("{name} has no bye in round {}: `touchmovectl round show` lists the byes", round.number);
    };
    client.change_seen_desk(&DeskAct::Byes { round: round.number, byes }, Some(seen)).await?;
    Ok(print(&format!("{} has no bye in round {} any more\n", player.titled_name(), round.number))?)
}
