//! One game as JSON, with everything known of it.

use super::alert;
use super::card::{self, AudienceView};
use super::frames::FrameHistory;
use crate::daemon::Source;
use crate::daemon::hub::{BoardId, GameView};
use crate::daemon::journal::JournalError;
use crate::game::event::{Alternative, ClockTime};
use crate::game::record::{Ply, PlyState};
use crate::game::rights::Audience;
use crate::game::{Alert, Command, Event, StampedEvent, taken_back};
use crate::laws::{IrregularityCounts, Position};
use crate::wire::Word;
use serde_json::{Map, Value, json};
use shakmaty::Color;
use std::collections::{BTreeMap, BTreeSet};

/// Details from the events of a game that its record does not keep.
#[derive(Default)]
struct GameHistory {
    /// Alternatives to the published moves, by ply.
    alternatives: BTreeMap<u32, Vec<Alternative>>,
    sans: Vec<String>,
    corrections: Vec<Value>,
    /// Alerts, each with the time when it was raised.
    alerts: Vec<(i64, Alert)>,
    cleared: BTreeSet<u32>,
    /// Of these, the alerts about illegal moves that their players took back.
    taken_back: BTreeSet<u32>,
    /// Somebody set its start position, which can be undone.
    began_from_order: bool,
}

/// A game as JSON.
pub(super) struct GameDetails {
    /// The board on which it is played, whose card is sent along.
    pub board: BoardId,
    /// All other fields.
    pub fields: Map<String, Value>,
}

/// Returns the game with this number; `None` if there is none, or the public does not see it any more.
///
/// # Errors
/// The journal cannot be read.
pub(super) fn game_details(
    view: &AudienceView,
    source: &Source,
    frames: &FrameHistory,
    id: u64,
) -> Result<Option<GameDetails>, JournalError> {
    let Some(game) = find_game(source, id)? else { return Ok(None) };
    let history = GameHistory::new(&game, source.since(id, 0)?);
    let record = &game.record;
    let mut fields = Map::new();
    let mut insert = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
    insert("laws", alert::laws_name(&record.laws).into());
    insert("board", game.board.as_str().into());
    insert("game", card::game_on_card(view, &game));
    // The Laws as the command names them.
    insert("laws_words", record.laws.as_str().into());
    insert("start_fen", record.start_fen.as_str().into());
    insert("moves", (1..).zip(&record.plies).map(|(number, ply)| history.ply(&game, number, ply)).collect());
    insert("corrections", history.corrections.iter().cloned().collect());
    if !view.audience.is_public() {
        insert("tags", json!(record.tags));
        let alert_json = |(raised_at, raised): &(i64, Alert)| {
            let mut value = alert::alert_to_json(view, &game, raised);
            value["raised"] = (*raised_at).into();
            value["cleared"] = history.cleared.contains(&raised.id).into();
            value["taken_back"] = history.taken_back.contains(&raised.id).into();
            value
        };
        let alerts = history.alerts.iter().filter(|(_, alert)| alert.audience() <= view.audience);
        insert("alerts", alerts.map(alert_json).collect());
    }
    if view.audience == Audience::Arbiter {
        insert("frames", frames.of(&game.board));
        insert("tally", tally(&record.tally));
        insert("undo", (!record.changes.is_empty() || history.began_from_order).into());
    }
    Ok(Some(GameDetails { board: game.board, fields }))
}

/// Returns the game with this number: from memory, else from the journal, which the public does not read. `None`: there is none.
///
/// # Errors
/// The journal cannot be read.
pub(super) fn find_game(source: &Source, id: u64) -> Result<Option<GameView>, JournalError> {
    match source {
        Source::Live(hub) => hub.game(id),
        Source::Public(_) => Ok(source.read(|state| state.games.get(&id).cloned())),
    }
}

impl GameHistory {
    fn new(game: &GameView, events: Vec<StampedEvent>) -> GameHistory {
        let mut history = GameHistory { taken_back: taken_back(&events), ..GameHistory::default() };
        for StampedEvent { at, event, .. } in events {
            match event {
                Event::MoveMade { ply, played, alternatives, .. } => {
                    history.forget_from(ply);
                    history.sans.push(played.san);
                    if !alternatives.is_empty() {
                        history.alternatives.insert(ply, alternatives);
                    }
                }
                Event::MovesCorrected { from_ply, moves, reason } => {
                    let was = history.forget_from(from_ply);
                    let now: Vec<String> = moves.into_iter().map(|played| played.san).collect();
                    history.corrections.push(json!({
                        "wall_ms": game.wall_ms(at), "from_ply": from_ply, "was": was, "now": now, "reason": reason.word(),
                    }));
                    history.sans.extend(now);
                }
                Event::AlertRaised(alert) => match history.alerts.iter_mut().find(|(_, known)| known.id == alert.id) {
                    Some((_, known)) => *known = *alert,
                    None => history.alerts.push((game.wall_ms(at), *alert)),
                },
                Event::Commanded { command: Command::Position { .. }, .. } => history.began_from_order = true,
                Event::AlertCleared { id } => drop(history.cleared.insert(id)),
                _ => {}
            }
        }
        history
    }

    /// Removes the moves from this ply on, and returns them.
    fn forget_from(&mut self, ply: u32) -> Vec<String> {
        self.alternatives.retain(|known, _| *known < ply);
        let keep = (ply.saturating_sub(1) as usize).min(self.sans.len());
        self.sans.split_off(keep)
    }

    fn ply(&self, game: &GameView, number: u32, ply: &Ply) -> Value {
        let (state, completed) = match ply.state {
            PlyState::Made => ("made", None),
            PlyState::Completed { at, .. } => ("completed", Some(game.wall_ms(at))),
        };
        let ms = |time: Option<ClockTime>| time.map(|time| time.ms);
        let alternatives =
            self.alternatives.get(&number).map_or_else(Vec::new, |others| self.alternatives_to_json(game, number, others));
        json!({
            "ply": number,
            "uci": ply.played.uci,
            "san": ply.played.san,
            "fen": ply.played.fen,
            "irregular": ply.played.irregular,
            "state": state,
            "confidence": confidence(ply.confidence.0),
            "alternatives": alternatives,
            "clock_white_ms": ms(ply.clocks.white),
            "clock_black_ms": ms(ply.clocks.black),
            "made": game.wall_ms(ply.made_at),
            "completed": completed,
        })
    }

    /// Converts alternatives to JSON; with SAN where the alternative is a move in the position before, legal or not.
    fn alternatives_to_json(&self, game: &GameView, number: u32, others: &[Alternative]) -> Vec<Value> {
        let record = &game.record;
        let before = number.checked_sub(2).map_or(Some(record.start_fen.as_str()), |before| {
            record.plies.get(before as usize).map(|ply| ply.played.fen.as_str())
        });
        let chess960 = record.chess960.is_some_and(|number| number != 518);
        let position = before.and_then(|fen| Position::from_fen(fen, chess960).ok());
        let to_json = |other: &Alternative| {
            let san = position.as_ref().and_then(|position| {
                let mv = position.parse_uci(&other.uci).or_else(|| position.any_move(&other.uci))?;
                Some(position.san(mv))
            });
            json!({"uci": other.uci, "san": san, "confidence": confidence(other.confidence.0)})
        };
        others.iter().map(to_json).collect()
    }
}

/// Converts from thousandths.
fn confidence(thousandths: u16) -> f64 {
    f64::from(thousandths) / 1000.0
}

/// Converts to JSON the irregularities counted for the penalties of illegal moves, by player.
fn tally(tally: &IrregularityCounts) -> Value {
    let attempts = |player: Color| -> Value {
        let to_json = |counted: &crate::laws::CountedAttempt| {
            let what: Vec<&str> = counted.irregularities.iter().map(|what| crate::laws::LawsWord::word(*what)).collect();
            json!({"ply": counted.ply, "what": what})
        };
        tally.of(player).iter().map(to_json).collect()
    };
    json!({"white": attempts(Color::White), "black": attempts(Color::Black)})
}
