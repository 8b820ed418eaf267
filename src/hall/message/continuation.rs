//! A game that continues on a board of a machine.

use super::MessageError;
use crate::game::{Event, Order, StampedEvent};
use crate::wire::{event_to_value, known_from_json, order_from_value, order_to_value};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The latest time of an event, in milliseconds since time 0 of its game: 100 years.
const MAX_AT: u64 = 100 * 366 * 24 * 3_600_000;

/// A game that continues on another board, on which its position is set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContinuedGame {
    /// What is put on its record: its names, and who continues it, in the JSON form of orders.
    pub order: Value,
    /// The game; `None`: it is a game of the machine itself, which the command names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentGame>,
}

/// A game that the machine does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentGame {
    /// Wall-clock time at time 0 of its events: Unix time in milliseconds.
    pub epoch_wall_ms: i64,
    /// All its events in their JSON form.
    pub events: Vec<Value>,
}

impl ContinuedGame {
    /// Creates the message about a game of the machine itself.
    pub fn own(order: &Order) -> ContinuedGame {
        ContinuedGame { order: order_to_value(order), sent: None }
    }

    /// Creates the message about a game with these events, which the machine does not have.
    pub fn sent(order: &Order, epoch_wall_ms: i64, events: &[StampedEvent]) -> ContinuedGame {
        let events = events.iter().map(event_to_value).collect();
        ContinuedGame { order: order_to_value(order), sent: Some(SentGame { epoch_wall_ms, events }) }
    }

    /// Reads the order.
    ///
    /// # Errors
    /// It is malformed, or unknown to this version.
    pub fn order(&self) -> Result<Order, MessageError> {
        order_from_value(&self.order).map_err(MessageError::malformed)
    }
}

impl SentGame {
    /// Reads the events, which are those of one game from its beginning on.
    ///
    /// # Errors
    /// They are not, or one of them is malformed or unknown to this version.
    pub fn events(&self) -> Result<Vec<StampedEvent>, MessageError> {
        let event = |(number, value): (u64, &Value)| {
            let stamped = known_from_json(&value.to_string()).map_err(MessageError::malformed)?;
            let is_start = matches!(stamped.event, Event::GameStarted { .. });
            if stamped.number != Some(number) || is_start != (number == 1) || stamped.at > MAX_AT {
                return Err(MessageError::malformed(format!("event {number} of the game is not in its place")));
            }
            Ok(stamped)
        };
        if self.events.is_empty() {
            return Err(MessageError::malformed("the game has no events"));
        }
        (1..).zip(&self.events).map(event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Command;
    use crate::hall::message::{from_json, to_json};

    const START: &str = r#"{"t":5,"n":1,"event":"game_started","fen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1","chess960":518,"laws":"fide-2023","rotation":"upright"}"#;
    const CLEARED: &str = r#"{"t":9,"n":2,"event":"alert_cleared","id":1}"#;

    fn sent(events: &[&str]) -> SentGame {
        let events = events.iter().map(|event| serde_json::from_str(event).expect("JSON")).collect();
        SentGame { epoch_wall_ms: 1_795_000_000_000, events }
    }

    #[test]
    fn a_game_is_read_as_it_was_written() {
        let events = sent(&[START, CLEARED]).events().expect("a game");
        let order = Order { command: Command::Tags { tags: Vec::new() }, by: "Anna".to_owned() };
        let message = ContinuedGame::sent(&order, 1_795_000_000_000, &events);
        let read = from_json::<ContinuedGame>(&to_json(&message)).expect("a message");
        assert_eq!(read.order(), Ok(order.clone()));
        assert_eq!(read.sent.map(|sent| (sent.epoch_wall_ms, sent.events())), Some((1_795_000_000_000, Ok(events))));
        let own = from_json::<ContinuedGame>(&to_json(&ContinuedGame::own(&order)));
        assert_eq!(own, Ok(ContinuedGame::own(&order)));
    }

    #[test]
    fn what_is_not_a_whole_game_is_refused() {
        let late = START.replace("\"t\":5", "\"t\":99999999999999");
        let later = CLEARED.replace("alert_cleared", "of_a_later_version");
        let others: [&[&str]; 6] = [&[], &[CLEARED], &[START, START], &[START, CLEARED, CLEARED], &[&late], &[START, &later]];
        for events in others {
            assert!(matches!(sent(events).events(), Err(MessageError::Malformed(_))), "{events:?}");
        }
    }
}
