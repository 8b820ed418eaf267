//! `touchmovectl round load`: reads a file of pairings.

use super::overview::describe;
use super::selected::{Yes, connect_live};
use super::start::confirm_start;
use crate::ctl::columns::output_width;
use crate::ctl::service::{Service, confirm, print};
use crate::desk::DeskAct;
use crate::locale::{self, Locale};
use crate::publish::desk::{DeskReport, lost_pairing};
use crate::round::preview::{MAX_BYTES, RoundPreview};
use crate::round::trf::TableOrder;
use crate::round::{Round, csv};
use anyhow::Context;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Read a file of pairings, check it, and load its round
///
/// If no round is being played, or this one is, its names are used from now on. A later round waits for `round start`. Asks first if
/// results that were entered, or games, lose their pairing.
#[derive(Debug, clap::Args)]
#[command(after_help = load_help())]
pub(super) struct Args {
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
    yes: Yes,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let Args { file, round, order, boards, check, start, yes, service } = args;
    let order = match (order, boards) {
        (Some(_), _) => TableOrder::Rank,
        (None, Some(path)) => {
            TableOrder::read(&String::from_utf8_lossy(&read_file(&path)?)).with_context(|| path.display().to_string())?
        }
        (None, None) => TableOrder::Unknown,
    };
    let mut preview = Round::read_bytes(&read_file(&file)?, round, &order);
    eprint!("{}", remarks(&preview));
    let (number, count) = (preview.round.number, preview.round.pairings.len());
    // Errors of the file itself are reported without touchmoved.
    if check || !preview.errors.is_empty() {
        let round = preview.into_round().with_context(|| file.display().to_string())?;
        print(&describe(&DeskReport { round: Some(round), ..DeskReport::default() }, output_width()))?;
        return Ok(print(&format!("round {number} with {count} tables: no error found\n"))?);
    }
    let client = connect_live(&service).await?;
    let before = client.desk(Some(number)).await?;
    let mut known = Vec::new();
    for summary in &before.rounds {
        known.extend(client.desk(Some(summary.number)).await?.round);
    }
    preview.complete_names(&known);
    let round = preview.into_round().with_context(|| file.display().to_string())?;
    let lost = before.lost_pairings(&round);
    let lost: Vec<String> = lost.into_iter().map(|pairing| locale::sentence(Locale::English, &lost_pairing(pairing))).collect();
    lost.iter().for_each(|sentence| eprintln!("warning: {sentence}"));
    if !lost.is_empty() && !confirm(&format!("Load round {number} without them?"), yes.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    client.change_seen_desk(&DeskAct::LoadRound { round }, Some(before.n)).await?;
    if start && confirm_start(&client.desk(None).await?, number, yes)? {
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
