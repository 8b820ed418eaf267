//! `touchmovectl replay FILE.rec`: decodes a recording.

pub mod why;

use super::diagram::clock;
use super::language;
use super::playback::RecordedSession;
use super::service::print;
use crate::boards::{Millis, SensorKind};
use crate::game::pgn::{AfterIllegal, pgn_with};
use crate::game::{Event, Record, StampedEvent};
use crate::lab::run::RunEvent;
use crate::laws::Laws;
use crate::locale::{self, Locale};
use crate::publish::render::pgn::explain_in_english;
use crate::wire::{self, Word};
use anyhow::{Context, bail};
use std::path::PathBuf;
use why::PlyExplanation;

/// Replay a recording, as fast as possible
///
/// Prints what touchmoved would have published, with the seconds since the recording began. The same file always gives the
/// same output, on every machine; alerts are in the language of LC_ALL, LC_MESSAGES or LANG, if it is supported.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl replay game.rec
  touchmovectl replay game.rec --pgn > game.pgn
  touchmovectl replay game.rec --why 37
  touchmovectl replay game.rec --sensing occupancy --why 37
  touchmovectl replay game.rec --json | jq 'select(.event == \"moves_corrected\")'")]
pub struct Args {
    /// The recording
    #[arg(value_name = "FILE.rec")]
    pub file: PathBuf,
    /// One JSON object per line, for programs; docs/events.md describes the fields
    #[arg(long)]
    pub json: bool,
    /// Only the final record of each game, as PGN
    #[arg(long, conflicts_with = "json")]
    pub pgn: bool,
    /// Also touched squares and clock readings
    #[arg(long)]
    pub all: bool,
    /// Apply these Laws instead of those of the recording: an edition, and the kind of game, such as "fide-2018 blitz limited"
    #[arg(long, value_name = "LAWS")]
    pub laws: Option<Laws>,
    /// Reduce the readings to what a simpler board would detect: identity, colour or occupancy
    #[arg(long, value_name = "KIND", value_parser = sensing)]
    pub sensing: Option<SensorKind>,
    /// Explain one ply instead, counted from 1: what the board showed, which moves were possible, and what decided between them
    #[arg(long, value_name = "PLY", conflicts_with_all = ["pgn", "all"], value_parser = clap::value_parser!(u32).range(1..))]
    pub why: Option<u32>,
    /// The game of the ply, counted from 1 [default: the last game of the recording]
    #[arg(long, value_name = "N", requires = "why", value_parser = clap::value_parser!(u32).range(1..))]
    pub game: Option<u32>,
}

fn sensing(word: &str) -> Result<SensorKind, String> {
    SensorKind::from_word(word).ok_or_else(|| "write identity, colour or occupancy".to_owned())
}

/// Runs the subcommand: replays the recording.
pub fn run(args: Args) -> anyhow::Result<()> {
    let mut recorded = RecordedSession::open(&args.file)?;
    let file = args.file.display();
    recorded.settings.laws = args.laws.unwrap_or(recorded.settings.laws);
    recorded.settings.sensing = args.sensing.unwrap_or(recorded.settings.sensing);
    let playback = recorded.playback(&recorded.settings)?;
    let table = playback.table();
    let mut records: Vec<Record> = table.record().cloned().into_iter().collect();
    let mut printed = Ok(());
    let locale = language::locale();
    let mut explanation = args.why.map(PlyExplanation::new);
    if let Some(explanation) = &mut explanation {
        explanation.begin(table);
    }
    let mut watch = |at: Millis, moment: RunEvent| {
        if printed.is_err() {
            return;
        }
        if let Some(explanation) = &mut explanation {
            return explanation.watch(at, &moment);
        }
        let line = match &moment {
            RunEvent::Event(stamped) => {
                update_records(&mut records, stamped);
                match (args.pgn, args.json) {
                    (true, _) => None,
                    (false, true) => (stamped.number.is_some() || args.all).then(|| wire::to_json(stamped)),
                    (false, false) => sentence(stamped, args.all, records.last(), locale),
                }
            }
            RunEvent::Refused(refused) => {
                Some(format!("{:>9}  refused: {refused}", seconds(at))).filter(|_| !args.json && !args.pgn)
            }
            RunEvent::Input(_) | RunEvent::Sent(_) | RunEvent::Handled(_) => None,
        };
        if let Some(line) = line {
            printed = print(&format!("{line}\n"));
        }
    };
    playback.play(&mut watch);
    printed?;
    if let Some(explanation) = explanation {
        let game = args.game.map(|game| game as usize);
        let text = explanation.render(game, args.json, super::colours(&std::io::stdout())).with_context(|| file.to_string())?;
        return Ok(print(&text)?);
    }
    if args.pgn {
        for record in &records {
            print(&pgn_with(record, &[], AfterIllegal::Stop, &explain_in_english))?;
        }
    }
    if records.is_empty() {
        bail!("{file}: no game was found: the start position was never on the board");
    }
    Ok(())
}

/// Updates the records of all games.
fn update_records(records: &mut Vec<Record>, stamped: &StampedEvent) {
    match (Record::begin(stamped), records.last_mut()) {
        (Some(record), _) => records.push(record),
        (None, Some(record)) => record.apply(stamped),
        (None, None) => {}
    }
}

fn seconds(at: Millis) -> String {
    format!("{}.{:03}", at / 1000, at % 1000)
}

/// Returns the event as a line of text; `None` if it is not worth one.
fn sentence(stamped: &StampedEvent, all: bool, record: Option<&Record>, locale: Locale) -> Option<String> {
    let first_is_black = record.is_some_and(|record| record.start_fen.split_whitespace().nth(1) == Some("b"));
    let ply = |ply: u32| {
        let count = ply + u32::from(first_is_black);
        format!("{}{}", count.div_ceil(2), if count % 2 == 1 { "." } else { "..." })
    };
    let times = |clocks: &crate::game::event::ClockTimes| {
        let time =
            |time: Option<crate::game::ClockTime>| clock(time.and_then(|time| i32::try_from(time.ms).ok()).unwrap_or(-1));
        match (clocks.white, clocks.black) {
            (None, None) => String::new(),
            (white, black) => format!("  White {}, Black {}", time(white), time(black)),
        }
    };
    let text = match &stamped.event {
        Event::GameStarted { fen, .. } => format!("game begins: {fen}"),
        Event::MoveMade { ply: number, played, confidence, .. } => {
            let doubt = if confidence.0 < 990 { format!("  ({} % sure)", confidence.0 / 10) } else { String::new() };
            let irregular = match played.irregular {
                true if played.is_missing() => "  moves are missing",
                true => "  not legal",
                false => "",
            };
            format!("{} {}{irregular}{doubt}", ply(*number), played.san)
        }
        Event::MoveCompleted { ply: number, by, clocks } => {
            format!("{} completed ({}){}", ply(*number), by.word().replace('_', " "), times(clocks))
        }
        Event::MovesCorrected { from_ply, moves, reason } => {
            let sans: Vec<&str> = moves.iter().map(|played| played.san.as_str()).collect();
            let line = if sans.is_empty() { "taken back".to_owned() } else { sans.join(" ") };
            format!("corrected from {} on: {line} ({})", ply(*from_ply), reason.word().replace('_', " "))
        }
        Event::ClockRevised { ply: number, clocks } => format!("{} clocks revised{}", ply(*number), times(clocks)),
        Event::AlertRaised(alert) => format!("ALERT {}: {}", alert.id, locale::sentence(locale, &alert.text)),
        Event::AlertCleared { id } => format!("alert {id} cleared"),
        Event::BoardFault { square, fault, detail } => format!("FAULT {square} {}: {detail}", fault.word()),
        Event::Result { result, reason } => {
            format!("result {} ({})", result.map_or("*", |result| result.as_str()), reason.word().replace('_', " "))
        }
        Event::Commanded { command, by } => format!("{by} commanded {}", wire::command_to_value(command)),
        other if !all && !other.is_durable() => return None,
        _ => wire::to_json(stamped),
    };
    Some(format!("{:>9}  {text}", seconds(stamped.at)))
}
