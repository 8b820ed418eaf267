//! The verdict on a schedule.

use super::rest::{Rest, first_missing};
use shakmaty::Bitboard;
use std::collections::BTreeMap;
use std::fmt;
use touchmove::boards::SensorKind;
use touchmove::game::AlertKind;
use touchmove::game::event::AlertCategory;
use touchmove::laws::Position;
use touchmove::publish::client::{GameInfo, Snapshot, WatchedEvent};
use touchmove::wire::Word;

/// The health problems of the service that report that a record may not be the moves played.
const RECORD_PROBLEMS: [&str; 6] =
    ["unrecorded", "game_unreadable", "journal_full", "journal_failed", "journal_damaged", "no_boards"];

/// The outcome of a schedule.
pub struct Outcome {
    pub verdict: Verdict,
    /// The number of compared events of the second client; `None`: there was no second client, or its events were not compared.
    pub monitored: Option<usize>,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Outcome {
        Outcome { verdict, monitored: None }
    }
}

/// The verdict on a schedule.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The record equals the moves played.
    Exact,
    /// The record differs, and this was reported: the report.
    Reported(String),
    /// On an occupancy board: the record is another legal game that matches the occupied squares at the end and at this many
    /// rests before it.
    Indistinguishable(usize),
    /// The record differs, and this was not reported.
    Unnoticed(String),
    /// Published events changed, or are missing from the journal.
    Contradicted(String),
    /// The daemon did not start again, panicked, or did not answer.
    Broken(String),
    /// The schedule cannot be run here: the reason.
    Skipped(&'static str),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Reported(_) => "reported",
            Verdict::Indistinguishable(_) => "indistinguishable",
            Verdict::Unnoticed(_) => "UNNOTICED",
            Verdict::Contradicted(_) => "CONTRADICTED",
            Verdict::Broken(_) => "BROKEN",
            Verdict::Skipped(_) => "skipped",
        }
    }

    pub fn is_failure(&self) -> bool {
        matches!(self, Verdict::Unnoticed(_) | Verdict::Contradicted(_) | Verdict::Broken(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Exact => f.write_str(self.name()),
            Verdict::Indistinguishable(rests) => write!(f, "{}, also at {rests} rests", self.name()),
            Verdict::Skipped(reason) => write!(f, "{}: {reason}", self.name()),
            Verdict::Reported(reason)
            | Verdict::Unnoticed(reason)
            | Verdict::Contradicted(reason)
            | Verdict::Broken(reason) => {
                write!(f, "{}: {reason}", self.name())
            }
        }
    }
}

/// All published events, by game and number.
#[derive(Default)]
pub struct Published {
    events: BTreeMap<(u64, u64), WatchedEvent>,
    /// Whether a signal with a number was seen.
    pub has_signals: bool,
}

impl Published {
    /// Records a signal.
    ///
    /// # Errors
    /// The same number was published with other content before.
    pub fn signal(&mut self, event: WatchedEvent) -> Result<(), String> {
        self.has_signals |= event.number.is_some();
        self.note(event)
    }

    /// Records an event.
    ///
    /// # Errors
    /// The same number was published with other content before.
    fn note(&mut self, event: WatchedEvent) -> Result<(), String> {
        let (Some(game), Some(number)) = (event.game, event.number) else { return Ok(()) };
        let known = self.events.entry((game, number)).or_insert_with(|| event.clone());
        if (&known.event, &known.fields, known.time) == (&event.event, &event.fields, event.time) {
            return Ok(());
        }
        Err(format!("game {game}, number {number}: {known:?}, then {event:?}"))
    }

    /// Compares the stored events of a game with all its published events.
    ///
    /// # Errors
    /// An event is missing or differs from the published one.
    pub fn compare(&mut self, game: u64, stored: Vec<WatchedEvent>) -> Result<(), String> {
        let last = self.events.range((game, 0)..(game + 1, 0)).next_back().map_or(0, |((_, number), _)| *number);
        if (stored.len() as u64) < last {
            return Err(format!("game {game}: number {last} was published, {} are stored", stored.len()));
        }
        for (index, event) in stored.into_iter().enumerate() {
            if event.number != Some(index as u64 + 1) {
                return Err(format!("game {game}: {:?} is in the place of number {}", event.number, index + 1));
            }
            self.note(event)?;
        }
        Ok(())
    }
}

/// Compares the record with the moves played. `stored`: the events of the last game. `rests`: those that the daemon could
/// observe, which the record on an occupancy board has to show.
pub fn judge(snapshot: &Snapshot, stored: &[WatchedEvent], truth: &[String], sensing: SensorKind, rests: &[Rest]) -> Verdict {
    let game = snapshot.games.last();
    let moves: Vec<&str> = game.into_iter().flat_map(|game| game.moves.iter().map(|played| played.uci.as_str())).collect();
    if snapshot.games.len() == 1 && moves == truth {
        return Verdict::Exact;
    }
    let alert =
        open_alerts(stored).into_iter().find(|kind| matches!(kind.category(), AlertCategory::Play | AlertCategory::Board));
    let unready = snapshot.boards.iter().find(|board| board.state != "ready");
    let reported = alert
        .map(|kind| format!("{kind:?}"))
        .or_else(|| {
            snapshot
                .health_problems
                .iter()
                .find(|(kind, _)| RECORD_PROBLEMS.contains(&kind.as_str()))
                .map(|(kind, _)| kind.clone())
        })
        .or_else(|| unready.map(|board| format!("board is {}", board.state)))
        .or_else(|| snapshot.boards.is_empty().then(|| "no board".to_owned()));
    if let Some(report) = reported {
        return Verdict::Reported(report);
    }
    let legal = game.filter(|_| sensing == SensorKind::Occupancy && snapshot.games.len() == 1);
    let occupancies =
        legal.and_then(|game| occupied_squares(game, truth)).filter(|(record, played)| record.last() == Some(played));
    let missing = match occupancies {
        Some((record, _)) => match first_missing(&record, rests) {
            None => return Verdict::Indistinguishable(rests.len()),
            Some(Rest { ply, from, until, .. }) => {
                format!(" (the rest after ply {ply}, {from}..{until} ms, matches no position of the record)")
            }
        },
        None => String::new(),
    };
    Verdict::Unnoticed(format!("{} games, {moves:?} recorded, {truth:?} played{missing}", snapshot.games.len()))
}

/// The occupied squares in the positions of the record, and in the last position of the moves played; `None` if the record
/// contains an illegal move.
fn occupied_squares(game: &GameInfo, truth: &[String]) -> Option<(Vec<Bitboard>, Bitboard)> {
    let play = |position: Position, uci: &str| position.parse_uci(uci).map(|mv| position.play(mv));
    let mut position = Position::from_fen(&game.start, false).ok()?;
    let mut record = vec![position.board().occupied()];
    for mv in &game.moves {
        position = play(position, &mv.uci)?;
        record.push(position.board().occupied());
    }
    let played = truth.iter().try_fold(Position::start(), |position, uci| play(position, uci))?;
    Some((record, played.board().occupied()))
}

/// The kinds of the alerts that were raised and not cleared.
fn open_alerts(stored: &[WatchedEvent]) -> Vec<AlertKind> {
    let mut open = BTreeMap::new();
    for event in stored {
        let id = event.fields.get("id").and_then(serde_json::Value::as_u64);
        match (event.event.as_str(), id) {
            ("AlertRaised", Some(id)) => {
                let kind = event.fields.get("kind").and_then(|kind| kind.as_str());
                open.extend(kind.and_then(AlertKind::from_word).map(|kind| (id, kind)));
            }
            ("AlertCleared", Some(id)) => drop(open.remove(&id)),
            _ => {}
        }
    }
    open.into_values().collect()
}
