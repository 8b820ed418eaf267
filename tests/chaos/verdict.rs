//! What became of a schedule.

use std::collections::BTreeMap;
use std::fmt;
use touchmove::boards::Sensing;
use touchmove::game::AlertKind;
use touchmove::game::event::Matter;
use touchmove::laws::Position;
use touchmove::publish::client::{GameInfo, Happened, Snapshot};
use touchmove::wire::Word;

/// The troubles of the service that say that a record may not be what was played.
const TELLING: [&str; 6] = ["unrecorded", "game_unreadable", "journal_full", "journal_failed", "journal_damaged", "no_boards"];

/// What became of a schedule.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The record is what was played.
    Exact,
    /// It is not, and somebody was told: what they were told.
    Reported(String),
    /// On an occupancy board: the record is another legal game that the sensors show as well.
    Indistinguishable,
    /// The record is not what was played and nobody was told.
    Unnoticed(String),
    /// What was published changed, or is missing from the journal.
    Contradicted(String),
    /// The daemon did not come back, panicked, or could not be asked.
    Broken(String),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Reported(_) => "reported",
            Verdict::Indistinguishable => "indistinguishable",
            Verdict::Unnoticed(_) => "UNNOTICED",
            Verdict::Contradicted(_) => "CONTRADICTED",
            Verdict::Broken(_) => "BROKEN",
        }
    }

    pub fn is_failure(&self) -> bool {
        matches!(self, Verdict::Unnoticed(_) | Verdict::Contradicted(_) | Verdict::Broken(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Exact | Verdict::Indistinguishable => f.write_str(self.name()),
            Verdict::Reported(why) | Verdict::Unnoticed(why) | Verdict::Contradicted(why) | Verdict::Broken(why) => {
                write!(f, "{}: {why}", self.name())
            }
        }
    }
}

/// Everything that was published, by game and number.
#[derive(Default)]
pub struct Published(BTreeMap<(u64, u64), Happened>);

impl Published {
    /// Notes an event.
    ///
    /// # Errors
    /// The same number was published with other content before.
    pub fn note(&mut self, happened: Happened) -> Result<(), String> {
        let (Some(game), Some(number)) = (happened.game, happened.number) else { return Ok(()) };
        let known = self.0.entry((game, number)).or_insert_with(|| happened.clone());
        if (&known.event, &known.fields, known.time) == (&happened.event, &happened.fields, happened.time) {
            return Ok(());
        }
        Err(format!("game {game}, number {number}: {known:?}, then {happened:?}"))
    }

    /// Compares a game as it is stored with all that was published of it.
    ///
    /// # Errors
    /// An event is missing or other than it was published.
    pub fn compare(&mut self, game: u64, stored: Vec<Happened>) -> Result<(), String> {
        let last = self.0.range((game, 0)..(game + 1, 0)).next_back().map_or(0, |((_, number), _)| *number);
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

/// Compares the record with what was played. `stored`: the events of the last game.
pub fn judge(snapshot: &Snapshot, stored: &[Happened], truth: &[String], sensing: Sensing) -> Verdict {
    let game = snapshot.games.last();
    let moves: Vec<&str> = game.into_iter().flat_map(|game| game.moves.iter().map(|played| played.uci.as_str())).collect();
    if snapshot.games.len() == 1 && moves == truth {
        return Verdict::Exact;
    }
    let alert = open_alerts(stored).into_iter().find(|kind| matches!(kind.matter(), Matter::Play | Matter::Board));
    let unready = snapshot.boards.iter().find(|board| board.state != "ready");
    let reported = alert
        .map(|kind| format!("{kind:?}"))
        .or_else(|| snapshot.trouble.iter().find(|(kind, _)| TELLING.contains(&kind.as_str())).map(|(kind, _)| kind.clone()))
        .or_else(|| unready.map(|board| format!("board is {}", board.state)))
        .or_else(|| snapshot.boards.is_empty().then(|| "no board".to_owned()));
    if let Some(what) = reported {
        return Verdict::Reported(what);
    }
    let legal = game.filter(|_| snapshot.games.len() == 1).and_then(|game| replayed(game, truth));
    match legal {
        Some((record, played)) if sensing == Sensing::Occupancy && record.board().occupied() == played.board().occupied() => {
            Verdict::Indistinguishable
        }
        _ => Verdict::Unnoticed(format!("{} games, {moves:?} recorded, {truth:?} played", snapshot.games.len())),
    }
}

/// The last positions of the record and of what was played; `None` where the record has a move that is not legal.
fn replayed(game: &GameInfo, truth: &[String]) -> Option<(Position, Position)> {
    let play = |position: Position, uci: &str| position.parse_uci(uci).map(|mv| position.play(mv));
    let record =
        game.moves.iter().try_fold(Position::from_fen(&game.start, false).ok()?, |position, mv| play(position, &mv.uci))?;
    let played = truth.iter().try_fold(Position::start(), |position, uci| play(position, uci))?;
    Some((record, played))
}

/// The kinds of the alerts that were raised and not cleared.
fn open_alerts(stored: &[Happened]) -> Vec<AlertKind> {
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
