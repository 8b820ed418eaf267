//! `touchmovectl round export`.

use super::selected::{SelectedRound, connect_live};
use crate::ctl::service::{parse_word, print};
use crate::publish::desk::ExportFormat;
use anyhow::Context;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

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
    let mut file = create(&path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(print(&format!("{} written: {} bytes\n", path.display(), text.len()))?)
}

/// Creates a file that does not exist yet.
fn create(path: &Path) -> anyhow::Result<File> {
    File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => anyhow::anyhow!("{} exists already: choose another name", path.display()),
        _ => anyhow::Error::new(error).context(format!("{} cannot be created", path.display())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("r1.trf");
        create(&path).and_then(|mut file| Ok(file.write_all(b"first")?)).expect("a file");
        let error = create(&path).expect_err("it exists").to_string();
        assert!(error.ends_with("r1.trf exists already: choose another name"), "{error}");
        assert_eq!(std::fs::read(&path).expect("a file"), b"first");
        let error = create(&path.join("r2.trf")).expect_err("no directory").to_string();
        assert!(error.ends_with("r2.trf cannot be created"), "{error}");
    }
}
