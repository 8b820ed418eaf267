//! The result of a game that is no longer on a board.

use super::{AlertKind, Command, Event, GameResult, Record, ResultReason, StampedEvent};
use crate::boards::Millis;

/// Returns the events that set the result of a game whose board has left it, or withdraw it (`None`), to be appended to its record.
/// `by`: who entered it; `at`: when, in the time of the game.
pub fn late_result(record: &Record, result: Option<GameResult>, by: &str, at: Millis) -> Vec<StampedEvent> {
    let commanded = Event::Commanded { command: Command::Result { result }, by: by.to_owned() };
    let wanted =
        |kind: AlertKind| matches!(kind, AlertKind::ResultMissing | AlertKind::ResultWanted | AlertKind::ResultSignalled);
    let answered = record.alerts.iter().filter(|alert| result.is_some() && wanted(alert.kind)).map(|alert| alert.id);
    [commanded, Event::Result { result, reason: ResultReason::Arbiter }]
        .into_iter()
        .chain(answered.map(|id| Event::AlertCleared { id }))
        .zip(record.last_number + 1..)
        .map(|(event, number)| StampedEvent { at, number: Some(number), event })
        .collect()
}
