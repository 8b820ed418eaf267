//! The operator's desk as front-ends see it: acts, and the report on seats, rounds, games and results.

mod export;
mod log;
mod report;
mod sentence;

pub use export::{ExportError, ExportFormat, export};
pub use report::{DeskReport, GameReport, RoundSummary, SeatReport, TableReport, TableState};
pub use sentence::{act_error, export_error, lost_pairing, preview_to_json};

use crate::daemon::Hub;
use crate::daemon::hub::round_games::RoundGames;
use crate::daemon::hub::{DeskChangeError, GameView, OrderError, Target};
use crate::desk::DeskAct;
use crate::game::{Command, ErrorCode, Order, ResultReason};
use crate::round::trf::TableOrder;
use crate::round::{Pairing, PairingResult, Round, RoundPreview};
use serde_json::Value;

/// Maximum size of an act, in bytes: a round of a thousand tables.
pub const MAX_ACT_BYTES: usize = 4 << 20;

/// The field of an act that has [`DeskReport::n`].
const SEEN: &str = "n_seen";

/// The reason why an act was not carried out; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// The text is no act.
    #[error("this act cannot be read: {0}")]
    NotAnAct(String),
    /// It is an act of touchmoved itself.
    #[error("only touchmoved does this")]
    Internal,
    /// The game has moves, so it was not forfeited.
    #[error("the game at table {0} has moves: enter 1-0, 0-1 or 1/2-1/2")]
    HasMoves(u16),
    /// The desk refuses it.
    #[error(transparent)]
    Desk(#[from] DeskChangeError),
    /// The result is entered, and its game cannot take it.
    #[error("the result is entered for the pairing, and its game does not have it yet: {0}")]
    Game(OrderError),
}

impl ActError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            ActError::NotAnAct(_) | ActError::Internal => ErrorCode::Invalid("BadAct"),
            ActError::HasMoves(_) => ErrorCode::Conflict("BadResult"),
            ActError::Desk(error) => error.code(),
            ActError::Game(error) => error.code(),
        }
    }
}

/// An act as a client sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedAct {
    /// The act.
    pub act: DeskAct,
    /// [`DeskReport::n`] of the report on which the act was decided; `None`: it holds whatever others have changed.
    pub seen: Option<u64>,
}

impl From<DeskAct> for RequestedAct {
    fn from(act: DeskAct) -> RequestedAct {
        RequestedAct { act, seen: None }
    }
}

/// Parses an act from JSON, with `n_seen` beside its fields.
///
/// # Errors
/// It is none, or not one for clients.
pub fn parse_act(json: &str) -> Result<RequestedAct, ActError> {
    if json.len() > MAX_ACT_BYTES {
        return Err(ActError::NotAnAct(format!("it is longer than {MAX_ACT_BYTES} bytes")));
    }
    let not_an_act = |error: serde_json::Error| ActError::NotAnAct(error.to_string());
    let mut value: Value = serde_json::from_str(json).map_err(not_an_act)?;
    let seen = value.as_object_mut().and_then(|fields| fields.remove(SEEN));
    let seen = seen.map(serde_json::from_value).transpose().map_err(not_an_act)?.flatten();
    match serde_json::from_value(value).map_err(not_an_act)? {
        DeskAct::NameGames { .. } | DeskAct::Restore { .. } => Err(ActError::Internal),
        act => Ok(RequestedAct { act, seen }),
    }
}

/// Converts an act to the JSON that [`parse_act`] reads.
///
/// # Errors
/// The act has no JSON form.
pub fn act_to_json(act: &DeskAct, seen: Option<u64>) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(act)?;
    if let (Some(fields), Some(seen)) = (value.as_object_mut(), seen) {
        fields.insert(SEEN.to_owned(), seen.into());
    }
    serde_json::to_string(&value)
}

/// Reads a file of pairings. Returns its round, with the names that loading it completes, but without the results that loading it
/// keeps; and, if there are no errors, the pairings that would be lost with their results or games. Nothing changes. For `number`
/// and `order` see [`Round::read_bytes`].
pub fn preview_round(hub: &Hub, file: &[u8], number: Option<u16>, order: &TableOrder) -> (RoundPreview, Vec<Pairing>) {
    let mut preview = Round::read_bytes(file, number, order);
    preview.complete_names(&hub.read(|state| state.desk.rounds.values().cloned().collect::<Vec<Round>>()));
    // The pairings of a file with errors are not complete.
    let lost = if preview.errors.is_empty() {
        let before = hub.read(|state| DeskReport::new(state, Some(preview.round.number)));
        before.lost_pairings(&preview.round).into_iter().cloned().collect()
    } else {
        Vec::new()
    };
    (preview, lost)
}

/// Carries out an act, as requested by `by`. A result is also set in its game, if that was played.
///
/// # Errors
/// See [`ActError`]; only after [`ActError::Game`] and [`DeskChangeError::NotCopied`] something has changed.
pub async fn carry_out(hub: &Hub, request: impl Into<RequestedAct>, by: &str) -> Result<(), ActError> {
    let RequestedAct { act, seen } = request.into();
    let DeskAct::Result { round, table, result } = act else { return Ok(hub.change_seen_desk(act, seen, by).await?) };
    let before = hub.read(|state| state.desk.pairing(round, table).and_then(|pairing| pairing.result));
    let game = game_of_pairing(hub, round, table).filter(|game| !game.record.plies.is_empty());
    if game.is_some() && result.is_some_and(PairingResult::is_forfeit) {
        return Err(ActError::HasMoves(table));
    }
    let outcome = hub.change_seen_desk(act, seen, by).await.map_err(ActError::from);
    // What is not copied was done all the same.
    if !matches!(outcome, Ok(()) | Err(ActError::Desk(DeskChangeError::NotCopied))) {
        return outcome;
    }
    let Some(game) = game else { return outcome };
    let result = result.and_then(PairingResult::game_result);
    let (known, reason) = game.record.result.unzip();
    // What the game itself ended with is withdrawn only if it was entered here.
    let was_entered = reason == Some(ResultReason::Arbiter) && known == before.and_then(PairingResult::game_result);
    if known == result || result.is_none() && !was_entered {
        return outcome;
    }
    let order = Order { command: Command::Result { result }, by: by.to_owned() };
    match hub.execute(Target::Game(game.id), order).await {
        Err(OrderError::NoSuchGame(_)) => hub.set_late_result(game.id, result, by).await.map(drop).map_err(ActError::Game),
        outcome => outcome.map(drop).map_err(ActError::Game),
    }
}

/// Returns the game of a pairing: the one in memory, else the last one that the desk noted.
fn game_of_pairing(hub: &Hub, round: u16, table: u16) -> Option<GameView> {
    let (shown, noted) = hub.read(|state| {
        let round = state.desk.rounds.get(&round)?;
        let shown = RoundGames::new(&state.games).shown(round, round.table(table)?).cloned();
        Some((shown, state.desk.games(round.number, table).last().copied()))
    })?;
    shown.or_else(|| hub.game(noted?).ok().flatten())
}
