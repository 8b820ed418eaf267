//! `touchmovectl fit-hands FILE.rec…`: fits how often players, clocks and boards act in each way to recordings.

use super::playback::RecordedSession;
use super::score::Sense;
use super::simulate::{find_profile, read_games};
use crate::boards::SensorKind;
use crate::game::event::Rotation;
use crate::lab::fit_hands::{HandsFit, Watch, fit, follow_simulated, hands_file};
use crate::lab::halves::Half;
use crate::lab::options::{SimulationOptions, settings};
use crate::simulate::pgn::SourceGame;
use crate::table::{HandCosts, HandEvent, Settings};
use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;

/// Fit how often players, clocks and boards act in each way to recordings
///
/// touchmove weighs lines of play by what hands would have done in each: put a piece back, stopped on the way, forgotten the clock.
/// This command follows the games of recordings, counts what hands did, and prints the cost of each kind of event in sixteenths of
/// a bit: its improbability where it could happen. It repeats that with the new costs until they no longer change. The costs before
/// count as if they had been fitted to four events of each kind, so that a few games change rare events little. With -o it writes
/// these costs for the configuration. touchmoved keeps recordings beside its journal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl fit-hands /var/lib/touchmove/recordings/*.rec
  touchmovectl fit-hands -o hands.toml monday.rec tuesday.rec
  touchmovectl fit-hands --simulate games.pgn --hands club,blitz --clock")]
pub struct Args {
    /// Recordings to fit to
    #[arg(value_name = "FILE.rec", required_unless_present = "simulate")]
    pub recordings: Vec<PathBuf>,
    /// Also simulate the games of this file, of the half on which parameters are fitted (see score --half); may be repeated
    #[arg(long, value_name = "PGN")]
    pub simulate: Vec<PathBuf>,
    /// Profiles of the hands that play the simulated games, each of them all: clean, club, blitz, worn or rough
    #[arg(long, value_name = "PROFILE", default_value = "club", value_delimiter = ',', requires = "simulate")]
    pub hands: Vec<String>,
    /// Use a clock in the simulated games
    #[arg(long, requires = "simulate")]
    pub clock: bool,
    /// Reduce the readings to what a simpler board would detect
    #[arg(long, value_name = "KIND")]
    pub sensing: Option<Sense>,
    /// Write the costs to this file, for the configuration
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A game to follow.
enum Session<'a> {
    Recorded(RecordedSession),
    Simulated(&'a SourceGame, SimulationOptions),
}

/// Runs the subcommand: follows, fits, prints and writes.
pub fn run(args: Args) -> anyhow::Result<()> {
    let mut sessions = Vec::new();
    for path in &args.recordings {
        sessions.push(Session::Recorded(RecordedSession::open(path)?));
    }
    let mut sources: Vec<String> = args.recordings.iter().map(|path| path.display().to_string()).collect();
    let profiles = args.hands.iter().map(|name| find_profile(name).copied()).collect::<anyhow::Result<Vec<_>>>()?;
    let mut games = Vec::new();
    for path in &args.simulate {
        games.extend(read_games(path)?.games.into_iter().filter(|game| Half::of(game) == Half::Fit));
        let clock = if args.clock { "with" } else { "without" };
        sources.push(format!(
            "{}, half fit, simulated with the hands {} {clock} a clock",
            path.display(),
            args.hands.join(", ")
        ));
    }
    for profile in profiles {
        let board = "dgt".to_owned();
        let options = SimulationOptions { board, profile, inject: Vec::new(), clock: args.clock, rotation: Rotation::Upright };
        sessions.extend(games.iter().map(|game| Session::Simulated(game, options.clone())));
    }
    let bar = ProgressBar::new(sessions.len() as u64);
    bar.set_style(ProgressStyle::with_template("{wide_bar} {msg}, {pos}/{len} recordings")?);
    let follow = |session: usize, hands: HandCosts, watch: Watch| match sessions.get(session) {
        Some(session) => follow(session, hands, args.sensing, watch),
        None => Ok(()),
    };
    let mut round = 0;
    let fitted = fit(sessions.len(), HandCosts::default(), &follow, &mut |next| {
        if std::mem::replace(&mut round, next) == next {
            bar.inc(1);
        } else {
            bar.set_position(0);
            bar.set_message(format!("round {next}"));
        }
    });
    bar.finish_and_clear();
    let fitted = fitted?;
    if fitted.counts.aligned == 0 {
        bail!("no moves were found in these recordings: the start position was never on the board");
    }
    print_table(&fitted);
    if let Some(path) = &args.output {
        std::fs::write(path, hands_file(&fitted, &sources)).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn follow(session: &Session, hands: HandCosts, sensing: Option<Sense>, watch: Watch) -> anyhow::Result<()> {
    let adjusted = |settings: Settings| {
        let sensing = sensing.map_or(settings.sensing, SensorKind::from);
        // Moves are aligned by pieces or by occupancy.
        let sensing = if sensing == SensorKind::Colour { SensorKind::Occupancy } else { sensing };
        Settings { sensing, hands, ..settings }
    };
    match session {
        Session::Recorded(recorded) => {
            recorded.playback(&adjusted(recorded.settings.clone()))?.play(watch);
            Ok(())
        }
        Session::Simulated(game, options) => Ok(follow_simulated(game, 1, options, adjusted(settings(game)), watch)?),
    }
}

fn print_table(fitted: &HandsFit) {
    let HandsFit { before, after, counts, rounds } = fitted;
    println!("{} of {} moves could be aligned with what the boards showed; {rounds} rounds", counts.aligned, counts.moves);
    println!("  {:<20} {:>8} {:>8} {:>7} {:>7}  source of the cost before", "", "events", "of", "before", "fitted");
    for &event in HandEvent::ALL {
        let (events, opportunities) = counts.get(event);
        let (before, after) = (before.get(event), after.get(event));
        println!("  {:<20} {events:>8} {opportunities:>8} {before:>7} {after:>7}  {}", event.name(), event.source());
    }
}
