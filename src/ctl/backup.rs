//! `touchmovectl backup FILE`: copies the journal while touchmoved runs.

use crate::daemon::journal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Minimum duration of work for which progress is shown.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Copy the journal into FILE, whether touchmoved runs or not
///
/// The copy contains every game and move stored so far. It is one SQLite file, which is complete when it appears under its name.
/// To restore it, stop touchmoved and copy the file into the state directory as journal.sqlite3. Nothing is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl backup /media/usb/games-2026-11-21.sqlite3")]
pub struct Args {
    /// The file to write; must not exist yet
    pub file: PathBuf,
    /// State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]
    #[arg(long, value_name = "DIR", alias = "state")]
    pub state_dir: Option<PathBuf>,
}

/// Writes the backup; on a terminal, shows its progress if it takes longer than a second.
pub fn run(args: Args) -> anyhow::Result<()> {
    let state = args.state_dir.unwrap_or_else(default_state_dir);
    with_progress(|progress| journal::backup(&state, &args.file, progress))??;
    println!("{} written: {} bytes", args.file.display(), std::fs::metadata(&args.file)?.len());
    Ok(())
}

/// Runs `work`; on a terminal, shows its progress if it takes longer than a second.
pub fn with_progress<T>(work: impl FnOnce(&dyn Fn(u64, u64)) -> T) -> anyhow::Result<T> {
    let started = Instant::now();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_style(ProgressStyle::with_template("{wide_bar} {percent} %")?);
    let outcome = work(&|done, total| {
        if bar.is_hidden() && started.elapsed() > PROGRESS_DELAY {
            // It stays hidden if standard error is not a terminal.
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    Ok(outcome)
}

/// Returns the default state directory: the system's if it exists, else the user's.
pub fn default_state_dir() -> PathBuf {
    let system = PathBuf::from("/var/lib/touchmove");
    if system.is_dir() {
        return system;
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    match std::env::var_os("XDG_STATE_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from).or_else(home) {
        Some(state) => state.join("touchmove"),
        None => system,
    }
}
