//! `touchmovectl round`: manages the pairings of all playing tables at once.

use super::service::{Service, print, print_json};
use crate::publish::client::{Client, ClientError};
use crate::publish::dbus::Stream;
use crate::round::trf::TableOrder;
use crate::round::{Player, Round, csv};
use anyhow::Context;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Load a round's pairings, and set them right: names and tables of all games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl round load round-3.pgn
  touchmovectl round load pairings.csv --round 3
  touchmovectl round load open.trf --round 3 --order rank --check
  touchmovectl round show
  touchmovectl round swap 4 5
  touchmovectl round board 7 spare_1
  touchmovectl round exchange board_7 spare_1
  touchmovectl round forfeit 12 white")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Read a file of pairings, check it whole, and play by it from now on
    #[command(after_help = load_help())]
    Load {
        /// PGN games of which the tags are read, a table of values (CSV), or a TRF16 file
        file: PathBuf,
        /// Which round, where the file does not say or has several
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
        round: Option<u16>,
        /// How a TRF16 file's pairs come to tables: by points, then by start number
        #[arg(long, value_name = "rank", value_parser = ["rank"], conflicts_with = "boards")]
        order: Option<String>,
        /// Or by this file: on each line a table and the start number of one of its players
        #[arg(long, value_name = "FILE")]
        boards: Option<PathBuf>,
        /// Only say what the file says, and change nothing
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        service: Service,
    },
    /// Show the round, with the board on each table
    #[command(after_help = "Examples:\n  touchmovectl round show\n  touchmovectl round show --json")]
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        service: Service,
    },
    /// The players of two tables change places
    #[command(after_help = "Examples:\n  touchmovectl round swap 4 5")]
    Swap {
        /// A table
        one: u16,
        /// The other
        other: u16,
        #[command(flatten)]
        service: Service,
    },
    /// Say which board stands at a table
    #[command(after_help = "Examples:\n  touchmovectl round board 7 spare_1\n  touchmovectl round board 7 any")]
    Board {
        /// The table
        table: u16,
        /// The board's name, see `touchmovectl list`; any: whichever comes next
        board: String,
        #[command(flatten)]
        service: Service,
    },
    /// A game goes on at another board, because the one it is played on is broken
    ///
    /// Stop the clocks, put the position up on the other board (`touchmovectl game`), and give this command; then the game goes on there
    /// with its record, its clocks and what binds the players. The broken board is best unplugged.
    #[command(after_help = "Examples:\n  touchmovectl round exchange board_7 spare_1")]
    Exchange {
        /// The board that is broken
        from: String,
        /// The one in its place
        to: String,
        #[command(flatten)]
        service: Service,
    },
    /// Enter that a game is not played
    #[command(after_help = "Examples:\n  touchmovectl round forfeit 12 white\n  touchmovectl round forfeit 12 none")]
    Forfeit {
        /// The table
        table: u16,
        /// Who wins without play; none: they play after all
        #[arg(value_parser = ["white", "black", "nobody", "none"])]
        winner: String,
        #[command(flatten)]
        service: Service,
    },
}

fn load_help() -> String {
    let mut help = String::from(
        "Examples:\n  touchmovectl round load round-3.pgn\n  touchmovectl round load pairings.csv --round 3\n  touchmovectl round load \
         open.trf --round 3 --order rank --check\n\nColumns of a table of values, in any order, named in its first line:\n",
    );
    for (name, about) in csv::COLUMNS {
        let _ = writeln!(help, "  {name:18}{about}");
    }
    help.push_str("White and Black are needed. Between values stand commas, semicolons or tabs.");
    help
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Load { file, round, order, boards, check, service } => {
            let order = match (order, boards) {
                (Some(_), _) => TableOrder::Rank,
                (None, Some(path)) => TableOrder::read(&text(&path)?).with_context(|| path.display().to_string())?,
                (None, None) => TableOrder::Unknown,
            };
            let round = Round::read(&text(&file)?, round, &order).with_context(|| file.display().to_string())?;
            let count = round.pairings.len();
            if check {
                print(&described(&round, &[]))?;
                return Ok(print(&format!("round {} with {count} tables: no problem found\n", round.number))?);
            }
            let client = live(&service).await?;
            client.load_round(&serde_json::to_string(&round)?).await?;
            shown(&client).await
        }
        What::Show { json, service } => {
            let client = service.connect().await?;
            let (round, tables) = client.round().await?;
            match (round, json) {
                (None, _) => Err(ClientError::NotFound("no round is loaded: `touchmovectl round load FILE`".to_owned()).into()),
                (Some(round), true) => print_json(&round),
                (Some(round), false) => Ok(print(&described(&round, &tables))?),
            }
        }
        What::Swap { one, other, service } => {
            let client = live(&service).await?;
            client.swap_tables(one, other).await?;
            shown(&client).await
        }
        What::Board { table, board, service } => {
            let client = live(&service).await?;
            client.set_board(table, if board == "any" { "" } else { &board }).await?;
            shown(&client).await
        }
        What::Exchange { from, to, service } => {
            let client = live(&service).await?;
            client.exchange_board(&from, &to).await?;
            print(&format!("the game goes on at board {to}\n"))?;
            shown(&client).await
        }
        What::Forfeit { table, winner, service } => {
            let client = live(&service).await?;
            client.set_forfeit(table, if winner == "none" { "" } else { &winner }).await?;
            shown(&client).await
        }
    }
}

fn text(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|not_utf8| {
        // Older programs write Latin-1.
        not_utf8.into_bytes().into_iter().map(char::from).collect()
    }))
}

async fn live(service: &Service) -> anyhow::Result<Client> {
    match service.stream() {
        Stream::Live => Ok(service.connect().await?),
        Stream::Broadcast => anyhow::bail!("pairings are set on the live stream: leave --broadcast out"),
    }
}

async fn shown(client: &Client) -> anyhow::Result<()> {
    let (round, tables) = client.round().await?;
    Ok(print(&round.map_or_else(String::new, |round| described(&round, &tables)))?)
}

/// Returns a line for each playing table. `tables`: the known boards and games of the tables.
fn described(round: &Round, tables: &[(u16, String, u64)]) -> String {
    let mut text = format!("Round {}", round.number);
    for more in [&round.event, &round.site, &round.date, &round.time_control].into_iter().flatten() {
        let _ = write!(text, ", {more}");
    }
    text.push('\n');
    let player = |player: &Player| {
        let rating = player.rating.map_or_else(String::new, |rating| format!(" {rating}"));
        format!("{}{}{rating}", player.title.as_ref().map_or_else(String::new, |title| format!("{title} ")), player.name)
    };
    let mut pairings: Vec<_> = round.pairings.iter().collect();
    pairings.sort_by_key(|pairing| pairing.table);
    for pairing in pairings {
        let at = tables.iter().find(|(table, ..)| *table == pairing.table);
        let place = match (pairing.forfeit, at) {
            (Some(forfeit), _) => forfeit.score().to_owned(),
            (None, Some((_, board, _))) if board.is_empty() => "no board".to_owned(),
            (None, Some((_, board, 0))) => board.clone(),
            (None, Some((_, board, game))) => format!("{board}, game {game}"),
            (None, None) => pairing.board.clone().or(pairing.serial.clone()).unwrap_or_default(),
        };
        let line = format!("{:>4}  {:32}  {:32}  {place}", pairing.table, player(&pairing.white), player(&pairing.black));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let without = tables
        .iter()
        .filter(|(table, board, _)| board.is_empty() && round.table(*table).is_some_and(|pairing| pairing.forfeit.is_none()));
    let without: Vec<String> = without.map(|(table, ..)| table.to_string()).collect();
    if !without.is_empty() {
        let _ = writeln!(
            text,
            "No board stands at table {}: `touchmovectl round board TABLE BOARD`, or plug more in",
            without.join(", ")
        );
    }
    text
}
