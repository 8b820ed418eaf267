//! `touchmovectl fit-prior PGN…`: fits how likely players are to choose a move to games.

use crate::ctl::simulate::read_games;
use crate::lab::fit_prior::{GameFile, HeldOut, fit, weights_file};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Fit how likely players are to choose a move to games
///
/// touchmove weighs moves that the board shows alike by how likely players are to choose them: by the piece, what it captures and
/// leaves to be captured, threats, the last moves, and more. The weights are fitted to one half of the games (see score --half) and
/// measured on the other. They are built in: a file that is written takes the place of config/data/prior/moves.toml in the sources.
/// The same games give the same file, on any machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl fit-prior club.pgn online.pgn
  touchmovectl fit-prior --evaluate online.pgn club.pgn
  touchmovectl fit-prior -o config/data/prior/moves.toml club.pgn online.pgn")]
pub struct Args {
    /// Games to fit to
    #[arg(required = true, value_name = "PGN")]
    pub pgn: Vec<PathBuf>,
    /// Also measure on the games of this file, to which nothing is fitted; may be repeated
    #[arg(long, value_name = "PGN")]
    pub evaluate: Vec<PathBuf>,
    /// Write the weights to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the subcommand: fits, measures and writes.
pub fn run(args: Args) -> anyhow::Result<()> {
    let files = args.pgn.iter().map(|path| read_file(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let others = args.evaluate.iter().map(|path| read_file(path)).collect::<anyhow::Result<Vec<_>>>()?;

    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{elapsed} {msg}")?);
    bar.enable_steady_tick(Duration::from_secs(1));
    let weights = fit(&files, &mut |step| bar.set_message(format!("step {}: {:.4} bits per ply", step.steps, step.value)));
    bar.finish_and_clear();

    let held_out: Vec<HeldOut> = files.iter().chain(&others).map(|file| HeldOut::of(file, &weights)).collect();
    println!("bits per ply of games that were not fitted:");
    println!("  {:<32} {:>6} {:>7} {:>8} {:>10} {:>8}", "", "games", "plies", "fitted", "exchanges", "uniform");
    for figures in &held_out {
        let HeldOut { file, games, plies, bits, exchange_bits, uniform_bits } = figures;
        println!("  {file:<32} {games:>6} {plies:>7} {bits:>8.3} {exchange_bits:>10.3} {uniform_bits:>8.3}");
    }
    if let Some(path) = &args.output {
        let text = weights_file(&weights, &files, &held_out);
        std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn read_file(path: &Path) -> anyhow::Result<GameFile> {
    let games = read_games(path)?.games;
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let hash = format!("sha256:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes)));
    Ok(GameFile { name, hash, games })
}
