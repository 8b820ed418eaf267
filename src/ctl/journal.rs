//! `touchmovectl journal`: checks that the stored games are as they were written.

use super::backup::{default_state_dir, with_progress};
use crate::daemon::journal::{Check, Findings};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Check the journal
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl journal verify")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Verify(Verify),
}

/// Check that every stored event is unchanged, whether touchmoved runs or not
///
/// Reads the whole journal and changes nothing. Verifies the checksums of each game and of what a hub's desk has entered about it, that
/// no event is missing at its end, and the structure of the file. Exit code 0: no damage found; 1: damage, or the journal cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl journal verify\n  touchmovectl journal verify --state-dir /media/usb/state")]
struct Verify {
    /// State directory of touchmoved [default: as `touchmovectl backup`]
    #[arg(long, value_name = "DIR", alias = "state")]
    state_dir: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Command::Verify(verify) = args.command;
    let state = verify.state_dir.unwrap_or_else(default_state_dir);
    let findings = with_progress(|progress| Check::whole(&state).run(&AtomicBool::new(false), progress))??;
    print!("{}", report(&findings));
    Ok(if findings.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(findings: &Findings) -> String {
    let mut lines = Vec::new();
    if findings.has_chains {
        lines.push(format!("incarnation {}", findings.incarnation.id));
        lines.push(format!("{} games with {} good events", findings.games, findings.events));
    } else {
        lines.push(format!(
            "{} games without checksums: touchmoved computes them when it opens this journal; only the structure of the file was \
             checked",
            findings.games
        ));
    }
    for damaged in &findings.damaged {
        let board = if damaged.board.is_empty() { String::new() } else { format!(" on board {}", damaged.board) };
        lines.push(match (damaged.is_desk, damaged.good) {
            (true, good) => format!(
                "game {}{board}: what the desk entered after number {good} is missing or changed: check its names and its result",
                damaged.game
            ),
            (false, 0) => format!("game {}{board}: all events are missing or changed", damaged.game),
            (false, good) => format!("game {}{board}: events after number {good} are missing or changed", damaged.game),
        });
    }
    for (game, good) in &findings.incarnation.last_good {
        lines.push(format!("already known: game {game}: events after number {good} were missing or changed"));
    }
    lines.extend(findings.torn.iter().map(|reason| format!("the structure of the file is damaged: {reason}")));
    lines.push(
        if findings.is_good() { "no damage found" } else { "DAMAGED: copy the state directory before you do anything else" }
            .to_owned(),
    );
    lines.into_iter().map(|line| line + "\n").collect()
}
