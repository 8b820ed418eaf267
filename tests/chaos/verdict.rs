//! What became of a schedule.

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

/// The troubles of the service that say that a record may not be what was played.
const TELLING: [&str; 6] = ["unrecorded", "game_unreadable", "journal_full", "journal_failed", "journal_damaged", "no_boards"];

/// What became of a schedule, and what a second client saw of it.
pub struct Outcome {
    pub verdict: Verdict,
    /// How many events of the second client were compared; `None`: there was none, or it did not come to that.
    pub monitored: Option<usize>,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Outcome {
        Outcome { verdict, monitored: None }
    }
}

/// What became of a schedule.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The record is what was played.
    Exact,
    /// It is not, and somebody was told: what they were told.
    Reported(String),
    /// On an occupancy board: the record is another legal game that shows what the sensors showed at the end and at so many rests
    /// before it.
    Indistinguishable(usize),
    /// The record is not what was played and nobody was told.
    Unnoticed(String),
    /// What was published changed, or is missing from the journal.
    Contradicted(String),
    /// The daemon did not come back, panicked, or could not be asked.
    Broken(String),
    /// It cannot be played here: why.
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
            Verdict::Skipped(why) => write!(f, "{}: {why}", self.name()),
            Verdict::Reported(why) | Verdict::Unnoticed(why) | Verdict::Contradicted(why) | Verdict::Broken(why) => {
                write!(f, "{}: {why}", self.name())
            }
        }
    }
}

/// Everything that was published, by game and number.
#[derive(Default)]
pub struct Published {
    events: BTreeMap<(u64, u64), WatchedEvent>,
    /// A signal with a number was seen.
    pub has_signals: bool,
}

impl Published {
    /// Notes a signal.
    ///
    /// # Errors
    /// The same number was published with other content before.
    pub fn signal(&mut self, happened: WatchedEvent) -> Result<(), String> {
        self.has_signals |= happened.number.is_some();
        self.note(happened)
    }

    /// Notes an event.
    ///
    /// # Errors
    /// The same number was published with other content before.
    fn note(&mut self, happened: WatchedEvent) -> Result<(), String> {
        let (Some(game), Some(number)) = (happened.game, happened.number) else { return Ok(()) };
        let known = self.events.entry((game, number)).or_insert_with(|| happened.clone());
        if (&known.event, &known.fields, known.time) == (&happened.event, &happened.fields, happened.time) {
            return Ok(());
        }
        Err(format!("game {game}, number {number}: {known:?}, then {happened:?}"))
    }

    /// Compares a game as it is stored with all that was published of it.
    ///
    /// # Errors
    /// An event is missing or other than it was published.
    pub fn compare(&mut self, game: u64, stored: Vec<WatchedEvent>) -> Result<(), String> {
        let last = self.events.range((game, 0)..(game + 1, 0)).next_back().map_or(0, |((_, number), _)| *number);
        if (stored.len() as u64) < last {
            return Err(format!("game {game}: number {last} was published, {} are stored", stored.len()));
        }
        for (index, event) in stored.into_iter().enumerate() {
            if event.number != Some(index as u64 + 1) {
                return Err(format!("game {game}: {:?} stands where number {} should", event.number, index + 1));
            }
            self.note(event)?;
        }
        Ok(())
    }
}

/// Compares the record with what was played. `stored`: the events of the last game. `rests`: those that the daemon saw, which the
/// record on an occupancy board has to show.
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
        .or_else(|| snapshot.trouble.iter().find(|(kind, _)| TELLING.contains(&kind.as_str())).map(|(kind, _)| kind.clone()))
        .or_else(|| unready.map(|board| format!("board is {}", board.state)))
        .or_else(|| snapshot.boards.is_empty().then(|| "no board".to_owned()));
    if let Some(what) = reported {
        return Verdict::Reported(what);
    }
    let legal = game.filter(|_| sensing == SensorKind::Occupancy && snapshot.games.len() == 1);
    let shows = legal.and_then(|game| replayed(game, truth)).filter(|(record, played)| record.last() == Some(played));
    let missing = match shows {
        Some((record, _)) => match first_missing(&record, rests) {
            None => return Verdict::Indistinguishable(rests.len()),
            Some(Rest { ply, from, until, .. }) => {
                format!(" (the rest after ply {ply}, {from}..{until} ms, is in no position)")
            }
        },
        None => String::new(),
    };
    Verdict::Unnoticed(format!("{} games, {moves:?} recorded, {truth:?} played{missing}", snapshot.games.len()))
}

/// Where pieces stand in the positions of the record, and in the last position of what was played; `None` where the record has a
/// move that is not legal.
fn replayed(game: &GameInfo, truth: &[String]) -> Option<(Vec<Bitboard>, Bitboard)> {
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
