//! `touchmovectl round`: manages the pairings of all playing tables at once.

use super::service::{Service, print, print_json};
use crate::publish::client::{Client, ClientError};
use crate::publish::dbus::Stream;
use crate::round::trf::TableOrder;
use crate::round::{Player, Round, csv};
use crate::wire::Word;
use anyhow::Context;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Load and correct the pairings of a round: the players and tables of all games
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
    /// Read a file of pairings, check it, and use it from now on
    #[command(after_help = load_help())]
    Load {
        /// A PGN file, of which only the tags are read, a CSV file, or a TRF16 file
        file: PathBuf,
        /// Number of the round, if the file does not name it or has several
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
        round: Option<u16>,
        /// How the pairs of a TRF16 file are assigned to tables: by points, then by start number
        #[arg(long, value_name = "rank", value_parser = ["rank"], conflicts_with = "boards")]
        order: Option<String>,
        /// Assign the pairs by this file instead: each line has a table and the start number of one of its players
        #[arg(long, value_name = "FILE")]
        boards: Option<PathBuf>,
        /// Only print the pairings of the file, and change nothing
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        service: Service,
    },
    /// Show the round, with the board at each table
    #[command(after_help = "Examples:\n  touchmovectl round show\n  touchmovectl round show --json")]
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        service: Service,
    },
    /// Swap the players of two tables
    #[command(after_help = "Examples:\n  touchmovectl round swap 4 5")]
    Swap {
        /// One table
        one: u16,
        /// The other table
        other: u16,
        #[command(flatten)]
        service: Service,
    },
    /// Assign a board to a table
    #[command(after_help = "Examples:\n  touchmovectl round board 7 spare_1\n  touchmovectl round board 7 any")]
    Board {
        /// The table
        table: u16,
        /// Name of the board, see `touchmovectl list`; any: the next available board
        board: String,
        #[command(flatten)]
        service: Service,
    },
    /// Continue a game on another board, because its board is broken
    ///
    /// Stop the clocks, set up the position on the other board (`touchmovectl game`), and give this command. The game then
    /// continues there, with its record, its clocks and the obligations of the players. Unplug the broken board.
    #[command(after_help = "Examples:\n  touchmovectl round exchange board_7 spare_1")]
    Exchange {
        /// The broken board
        from: String,
        /// The board that replaces it
        to: String,
        #[command(flatten)]
        service: Service,
    },
    /// Record that a game is forfeited
    #[command(after_help = "Examples:\n  touchmovectl round forfeit 12 white\n  touchmovectl round forfeit 12 none")]
    Forfeit {
        /// The table
        table: u16,
        /// The winner by forfeit, or nobody; none: the game is played after all
        #[arg(value_parser = ["white", "black", "nobody", "none"])]
        winner: String,
        #[command(flatten)]
        service: Service,
    },
}

fn load_help() -> String {
    let mut help = String::from(
        "Examples:\n  touchmovectl round load round-3.pgn\n  touchmovectl round load pairings.csv --round 3\n  touchmovectl round load \
         open.trf --round 3 --order rank --check\n\nColumns of a CSV file, in any order, named in its first line:\n",
    );
    for (name, about) in csv::COLUMNS {
        let _ = writeln!(help, "  {name:18}{about}");
    }
    help.push_str("White and Black are required. Values are separated by commas, semicolons or tabs.");
    help
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Load { file, round, order, boards, check, service } => {
            let order = match (order, boards) {
                (Some(_), _) => TableOrder::Rank,
                (None, Some(path)) => TableOrder::read(&read_text(&path)?).with_context(|| path.display().to_string())?,
                (None, None) => TableOrder::Unknown,
            };
            let round = Round::read(&read_text(&file)?, round, &order).with_context(|| file.display().to_string())?;
            let count = round.pairings.len();
            if check {
                print(&describe(&round, &[]))?;
                return Ok(print(&format!("round {} with {count} tables: no problem found\n", round.number))?);
            }
            let client = connect_live(&service).await?;
            client.load_round(&serde_json::to_string(&round)?).await?;
            print_round(&client).await
        }
        What::Show { json, service } => {
            let client = service.connect().await?;
            let (round, tables) = client.round().await?;
            match (round, json) {
                (None, _) => Err(ClientError::NotFound("no round is loaded: `touchmovectl round load FILE`".to_owned()).into()),
                (Some(round), true) => print_json(&round),
                (Some(round), false) => Ok(print(&describe(&round, &tables))?),
            }
        }
        What::Swap { one, other, service } => {
            let client = connect_live(&service).await?;
            client.swap_tables(one, other).await?;
            print_round(&client).await
        }
        What::Board { table, board, service } => {
            let client = connect_live(&service).await?;
            client.set_board(table, if board == "any" { "" } else { &board }).await?;
            print_round(&client).await
        }
        What::Exchange { from, to, service } => {
            let client = connect_live(&service).await?;
            client.exchange_board(&from, &to).await?;
            print(&format!("the game continues on board {to}\n"))?;
            print_round(&client).await
        }
        What::Forfeit { table, winner, service } => {
            let client = connect_live(&service).await?;
            client.set_forfeit(table, if winner == "none" { "" } else { &winner }).await?;
            print_round(&client).await
        }
    }
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|not_utf8| {
        // Older programs write Latin-1.
        not_utf8.into_bytes().into_iter().map(char::from).collect()
    }))
}

async fn connect_live(service: &Service) -> anyhow::Result<Client> {
    match service.stream() {
        Stream::Live => Ok(service.connect().await?),
        Stream::Broadcast => anyhow::bail!("pairings can only be changed on the live stream: leave --broadcast out"),
    }
}

async fn print_round(client: &Client) -> anyhow::Result<()> {
    let (round, tables) = client.round().await?;
    Ok(print(&round.map_or_else(String::new, |round| describe(&round, &tables)))?)
}

/// Returns a line for each playing table. `tables`: the known boards and games of the tables.
fn describe(round: &Round, tables: &[(u16, String, u64)]) -> String {
    let mut text = format!("Round {}", round.number);
    for detail in [&round.event, &round.site, &round.date, &round.time_control].into_iter().flatten() {
        let _ = write!(text, ", {detail}");
    }
    text.push('\n');
    let player = |player: &Player| {
        let rating = player.rating.map_or_else(String::new, |rating| format!(" {rating}"));
        format!("{}{rating}", player.titled_name())
    };
    let mut pairings: Vec<_> = round.pairings.iter().collect();
    pairings.sort_by_key(|pairing| pairing.table);
    for pairing in pairings {
        let at = tables.iter().find(|(table, ..)| *table == pairing.table);
        let place = match (pairing.forfeit(), at) {
            (Some(forfeit), _) => forfeit.word().to_owned(),
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
        .filter(|(table, board, _)| board.is_empty() && round.table(*table).is_some_and(|pairing| pairing.forfeit().is_none()));
    let without: Vec<String> = without.map(|(table, ..)| table.to_string()).collect();
    if !without.is_empty() {
        let _ = writeln!(
            text,
            "No board at table {}: run `touchmovectl round board TABLE BOARD`, or plug in more boards",
            without.join(", ")
        );
    }
    text
}
