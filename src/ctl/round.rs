//! `touchmovectl round`: manages the pairings of all playing tables at once.

mod overview;

use super::columns::output_width;
use super::completion;
use super::service::{Service, confirm, parse_word, print, print_json};
use crate::desk::DeskAct;
use crate::publish::client::{Client, ClientError};
use crate::publish::dbus::Stream;
use crate::publish::desk::{DeskReport, ExportFormat};
use crate::round::preview::{MAX_BYTES, RoundPreview};
use crate::round::trf::TableOrder;
use crate::round::{Pairing, PairingResult, Player, Round, csv};
use anyhow::Context;
use overview::describe;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Load and correct the pairings of a round: the players and tables of all games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl round load round-3.pgn
  touchmovectl round load pairings.csv --round 3
  touchmovectl round load open.trf --round 3 --order rank --check
  touchmovectl round show
  touchmovectl round swap 4 5
  touchmovectl round start 4
  touchmovectl round result 7 1-0
  touchmovectl round missing
  touchmovectl round exchange board_7 spare_1
  touchmovectl round forfeit 12 white")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Read a file of pairings, check it, and load its round
    ///
    /// If no round is being played, or this one is, its names are used from now on. A later round waits for `round start`.
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
        /// Start the round at once
        #[arg(long, conflicts_with = "check")]
        start: bool,
        #[command(flatten)]
        service: Service,
    },
    /// Show a round, with the board at each table
    #[command(
        after_help = "Examples:\n  touchmovectl round show\n  touchmovectl round show 2\n  touchmovectl round show --json"
    )]
    Show {
        /// Its number [default: the one that is played]
        round: Option<u16>,
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        service: Service,
    },
    /// Start a loaded round: games that begin from now on, and games without a move, get its names
    #[command(after_help = "Example:\n  touchmovectl round start 4")]
    Start {
        /// Its number
        round: u16,
        #[command(flatten)]
        service: Service,
    },
    /// Remove a loaded round that is not being played
    #[command(after_help = "Example:\n  touchmovectl round remove 5")]
    Remove {
        /// Its number
        round: u16,
        #[command(flatten)]
        yes: Yes,
        #[command(flatten)]
        service: Service,
    },
    /// Add the pairing of a table, or replace it
    #[command(after_help = "Examples:\n  touchmovectl round pair 31 'Late, Larry' 'Able, Ann'\n  \
                            touchmovectl round pair 31 'GM Late, Larry' 'Able, Ann' --white-rating 2512 --round 3")]
    Pair {
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
        of: OfRound,
    },
    /// Remove the pairing of a table
    #[command(after_help = "Example:\n  touchmovectl round unpair 31")]
    Unpair {
        /// The table
        #[arg(add = completion::tables())]
        table: u16,
        #[command(flatten)]
        yes: Yes,
        #[command(flatten)]
        of: OfRound,
    },
    /// Swap the players of two tables; the boards stay
    #[command(after_help = "Examples:\n  touchmovectl round swap 4 5")]
    Swap {
        /// One table
        #[arg(add = completion::tables())]
        one: u16,
        /// The other table
        #[arg(add = completion::tables())]
        other: u16,
        #[command(flatten)]
        of: OfRound,
    },
    /// Reverse the colours of the players at a table
    #[command(after_help = "Example:\n  touchmovectl round reverse 7")]
    Reverse {
        /// The table
        #[arg(add = completion::tables())]
        table: u16,
        #[command(flatten)]
        of: OfRound,
    },
    /// Enter the result of a table
    ///
    /// If the game was played on a board, it gets the result, too, even if the pieces have been set up again since.
    #[command(after_help = "Examples:\n  touchmovectl round result 12 1-0\n  touchmovectl round result 12 '+--'\n  \
                            touchmovectl round result 12 none --round 2")]
    Result {
        /// The table
        #[arg(add = completion::tables())]
        table: u16,
        /// 1-0, 0-1, 1/2-1/2, 0-0 (both lose), +-- or --+ (forfeit), --- (both forfeit), adjourned; none: not known
        #[arg(value_parser = parse_result, allow_hyphen_values = true)]
        result: EnteredResult,
        #[command(flatten)]
        of: OfRound,
    },
    /// Export a round: results for the pairing program, games, the arbiter's log
    #[command(
        after_help = "Examples:\n  touchmovectl round export trf > open.trf\n  touchmovectl round export pgn --round 2 -o round-2.pgn\n  \
                            touchmovectl round export log"
    )]
    Export {
        /// trf: all rounds as TRF16; csv: pairings and results; pgn: the games; log, html: the arbiter's log
        #[arg(value_parser = parse_word::<ExportFormat>)]
        format: ExportFormat,
        /// The file to write; must not exist yet [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        of: OfRound,
    },
    /// List the results that are missing, of all rounds
    #[command(after_help = "Example:\n  touchmovectl round missing")]
    Missing {
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
        #[arg(add = completion::boards())]
        from: String,
        /// The board that replaces it
        #[arg(add = completion::boards())]
        to: String,
        #[command(flatten)]
        service: Service,
    },
    /// Record that a game is forfeited
    #[command(after_help = "Examples:\n  touchmovectl round forfeit 12 white\n  touchmovectl round forfeit 12 none")]
    Forfeit {
        /// The table
        #[arg(add = completion::tables())]
        table: u16,
        /// The winner by forfeit, or nobody; none: the game is played after all
        #[arg(value_parser = ["white", "black", "nobody", "none"])]
        winner: String,
        #[command(flatten)]
        of: OfRound,
    },
}

/// The round of a pairing.
#[derive(Debug, clap::Args)]
struct OfRound {
    /// Number of the round [default: the one that is played]
    #[arg(long, value_name = "N")]
    round: Option<u16>,
    #[command(flatten)]
    service: Service,
}

impl OfRound {
    /// Connects, and returns the round with what is known of it.
    async fn connect(&self) -> anyhow::Result<(Client, Round, DeskReport)> {
        let client = connect_live(&self.service).await?;
        let report = client.desk(self.round).await?;
        let round = report.round.clone().ok_or_else(|| no_round(self.round))?;
        Ok((client, round, report))
    }
}

/// Whether to ask before the change.
#[derive(Debug, clap::Args)]
struct Yes {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// A result to enter; `None`: not known.
#[derive(Clone, Copy, Debug)]
struct EnteredResult(Option<PairingResult>);

fn parse_result(text: &str) -> Result<EnteredResult, String> {
    let text = if text == "none" { "" } else { text };
    PairingResult::parse(text).map(EnteredResult).map_err(|error| error.to_string())
}

fn no_round(number: Option<u16>) -> ClientError {
    ClientError::NotFound(match number {
        Some(number) => format!("round {number} is not loaded: `touchmovectl round load FILE`"),
        None => "no round is loaded: `touchmovectl round load FILE`".to_owned(),
    })
}

fn load_help() -> String {
    let mut help = String::from(
        "Examples:\n  touchmovectl round load round-3.pgn\n  touchmovectl round load pairings.csv --round 3\n  touchmovectl round load \
         open.trf --round 3 --order rank --check\n\nColumns of a CSV file, in any order, named in its first line:\n",
    );
    for (name, about) in csv::columns() {
        let _ = writeln!(help, "  {name:20}{about}");
    }
    help.push_str("White and Black are required. Values are separated by commas, semicolons or tabs.");
    help
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Load { file, round, order, boards, check, start, service } => {
            let order = match (order, boards) {
                (Some(_), _) => TableOrder::Rank,
                (None, Some(path)) => TableOrder::read(&String::from_utf8_lossy(&read_file(&path)?))
                    .with_context(|| path.display().to_string())?,
                (None, None) => TableOrder::Unknown,
            };
            let preview = Round::read_bytes(&read_file(&file)?, round, &order);
            eprint!("{}", remarks(&preview));
            let round = preview.into_round().with_context(|| file.display().to_string())?;
            let (number, count) = (round.number, round.pairings.len());
            if check {
                print(&describe(&DeskReport { round: Some(round), ..DeskReport::default() }, output_width()))?;
                return Ok(print(&format!("round {number} with {count} tables: no error found\n"))?);
            }
            let client = connect_live(&service).await?;
            client.change_desk(&DeskAct::LoadRound { round }).await?;
            if start {
                client.change_desk(&DeskAct::StartRound { round: number }).await?;
            }
            let report = client.desk(Some(number)).await?;
            print(&describe(&report, output_width()))?;
            let text = match report.current_round {
                Some(current) if current != number => format!(
                    "Round {number} is loaded, and round {current} is being played: `touchmovectl round start {number}` when it begins\n"
                ),
                _ => String::new(),
            };
            Ok(print(&text)?)
        }
        What::Show { round, json, service } => {
            let report = service.connect().await?.desk(round).await?;
            match (&report.round, json) {
                (None, _) => Err(no_round(round).into()),
                (Some(_), true) => print_json(&report),
                (Some(_), false) => Ok(print(&describe(&report, output_width()))?),
            }
        }
        What::Start { round, service } => {
            let client = connect_live(&service).await?;
            client.change_desk(&DeskAct::StartRound { round }).await?;
            let report = client.desk(None).await?;
            print(&describe(&report, output_width()))?;
            Ok(print(&missing(&report))?)
        }
        What::Remove { round, yes, service } => {
            let client = connect_live(&service).await?;
            let report = client.desk(Some(round)).await?;
            let pairings = report.round.as_ref().ok_or_else(|| no_round(Some(round)))?.pairings.len();
            if !confirm(&format!("Remove round {round} with {pairings} pairings and their results?"), yes.yes)? {
                return Ok(print("nothing was changed\n")?);
            }
            client.change_desk(&DeskAct::RemoveRound { round }).await?;
            Ok(print(&format!("round {round} is removed\n"))?)
        }
        What::Pair { table, white, black, white_rating, black_rating, of } => {
            let (client, round, _) = of.connect().await?;
            let player = |text: &str, rating: Option<u16>| {
                let mut players = round.pairings.iter().flat_map(|pairing| [&pairing.white, &pairing.black]);
                let known = players.find(|known| known.name == text || known.titled_name() == text).cloned();
                let player = known.unwrap_or_else(|| Player::with_title(text));
                Player { rating: rating.or(player.rating), ..player }
            };
            let (white, black) = (player(&white, white_rating), player(&black, black_rating));
            let pairing = Pairing { table, white, black, ..Pairing::default() };
            client.change_desk(&DeskAct::Pair { round: round.number, pairing }).await?;
            print_table(&client, round.number, &[table]).await
        }
        What::Unpair { table, yes, of } => {
            let (client, round, _) = of.connect().await?;
            let pairing = round.table(table).map(|pairing| format!("{} - {}", pairing.white.name, pairing.black.name));
            let question =
                format!("Remove the pairing {} of table {table} from round {}?", pairing.unwrap_or_default(), round.number);
            if !confirm(&question, yes.yes)? {
                return Ok(print("nothing was changed\n")?);
            }
            client.change_desk(&DeskAct::Unpair { round: round.number, table }).await?;
            Ok(print(&format!("table {table} has no pairing in round {} now\n", round.number))?)
        }
        What::Swap { one, other, of } => {
            let (client, round, _) = of.connect().await?;
            client.change_desk(&DeskAct::Swap { round: round.number, one, other }).await?;
            print_table(&client, round.number, &[one, other]).await
        }
        What::Reverse { table, of } => {
            let (client, round, _) = of.connect().await?;
            client.change_desk(&DeskAct::ReverseColours { round: round.number, table }).await?;
            print_table(&client, round.number, &[table]).await
        }
        What::Result { table, result: EnteredResult(result), of } => {
            let (client, round, _) = of.connect().await?;
            client.change_desk(&DeskAct::Result { round: round.number, table, result }).await?;
            print_table(&client, round.number, &[table]).await
        }
        What::Export { format, output, of } => {
            let text = connect_live(&of.service).await?.export(format, of.round).await?;
            let Some(path) = output else { return Ok(print(&text)?) };
            let mut file = File::create_new(&path).with_context(|| format!("{} cannot be created", path.display()))?;
            file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))?;
            Ok(print(&format!("{} written: {} bytes\n", path.display(), text.len()))?)
        }
        What::Missing { service } => {
            let report = service.connect().await?.desk(None).await?;
            let text = missing(&report);
            Ok(print(if text.is_empty() { "no result is missing\n" } else { &text })?)
        }
        What::Exchange { from, to, service } => {
            let client = connect_live(&service).await?;
            client.exchange_board(&from, &to).await?;
            Ok(print(&format!("the game continues on board {to}, which is seated at its table now\n"))?)
        }
        What::Forfeit { table, winner, of } => {
            let (client, round, _) = of.connect().await?;
            let result = match winner.as_str() {
                "white" => Some(PairingResult::WhiteWinsByForfeit),
                "black" => Some(PairingResult::BlackWinsByForfeit),
                "nobody" => Some(PairingResult::BothForfeit),
                _ => None,
            };
            client.change_desk(&DeskAct::Result { round: round.number, table, result }).await?;
            print_table(&client, round.number, &[table]).await
        }
    }
}

/// Prints what is known of these tables.
async fn print_table(client: &Client, round: u16, tables: &[u16]) -> anyhow::Result<()> {
    let mut report = client.desk(Some(round)).await?;
    if let Some(round) = &mut report.round {
        round.pairings.retain(|pairing| tables.contains(&pairing.table));
    }
    report.tables.retain(|table| tables.contains(&table.table));
    Ok(print(&describe(&report, output_width()))?)
}

/// Returns a line for each round with missing results; empty if there is none.
fn missing(report: &DeskReport) -> String {
    let mut text = String::new();
    for round in report.rounds.iter().filter(|round| !round.missing.is_empty()) {
        let tables: Vec<String> = round.missing.iter().map(u16::to_string).collect();
        let _ = writeln!(
            text,
            "Results missing in round {}, table {}: `touchmovectl round result TABLE RESULT --round {}`",
            round.number,
            tables.join(", "),
            round.number
        );
    }
    text
}

/// Reads a file, but not more of it than is needed to know that it is too large.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(bytes)
}

/// Returns what somebody should look at in a file, a line for each.
fn remarks(preview: &RoundPreview) -> String {
    let mut text = String::new();
    for warning in &preview.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    if !preview.ignored_columns.is_empty() {
        let _ = writeln!(text, "warning: these columns are not read: {}", preview.ignored_columns.join(", "));
    }
    text
}

async fn connect_live(service: &Service) -> anyhow::Result<Client> {
    match service.stream() {
        Stream::Live | Stream::Operator => Ok(service.connect().await?),
        Stream::Broadcast => anyhow::bail!("pairings can only be changed on the live stream: leave --broadcast out"),
    }
}
