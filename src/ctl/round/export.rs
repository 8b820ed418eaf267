//! `touchmovectl round export`.

use super::selected::{SelectedRound, connect_live};
use crate::ctl::service::{parse_word, print};
use crate::publish::desk::ExportFormat;
use anyhow::Context;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// Export a round: results for the pairing program, games, the arbiter's log
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl round export trf > open.trf\n  touchmovectl round export pgn --round 2 -o round-2.pgn\n  \
                        touchmovectl round export log"
)]
pub(super) struct Args {
    /// trf: all rounds as TRF16; csv: pairings and results; pgn: the games; log, html: the arbiter's log
    #[arg(value_parser = parse_word::<ExportFormat>)]
    format: ExportFormat,
    /// The file to write; must not exist yet [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    selected: SelectedRound,
}

/// Runs the subcommand.
pub(super) async fn run(Args { format, output, selected }: Args) -> anyhow::Result<()> {
    let text = connect_live(&selected.service).await?.export(format, selected.round).await?;
    let Some(path) = output else { return Ok(print(&text)?) };
    let mut file = File::create_new(&path).with_context(|| format!("{} cannot be created", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(print(&format!("{} written: {} bytes\n", path.display(), text.len()))?)
}
