//! The state of a board, and what is not stored of its play. It replaces what the hub knew of the board.

use crate::boards::{Placement, SquareState};
use crate::daemon::hub::{BoardView, ConnectionState};
use crate::game::StampedEvent;
use crate::game::event::Rotation;
use crate::wire::{Word, event_to_value, from_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shakmaty::{Color, Piece};

/// The state of a board, events that are not stored, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardMessage {
    /// The state; `None`: it has not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BoardState>,
    /// Transient events in their JSON form, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// The board's time when the message was sent, in the milliseconds of the events.
    #[serde(default)]
    pub now: u64,
}

impl BoardMessage {
    /// Adds a transient event.
    pub fn push(&mut self, stamped: &StampedEvent) {
        self.events.push(event_to_value(stamped));
    }

    /// Returns the transient events that this version knows.
    pub fn known_events(&self) -> Vec<StampedEvent> {
        let known = self.events.iter().filter_map(|event| from_json(&event.to_string()).ok());
        known.filter(|stamped| stamped.number.is_none()).collect()
    }
}

/// The state of a board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoardState {
    /// The name of its model.
    pub model: String,
    /// What its squares detect, as a word.
    pub sensing: String,
    /// Its serial number, if known.
    pub serial_number: Option<String>,
    /// Its firmware version, if known.
    pub firmware: Option<String>,
    /// Its port at the machine; empty: unknown.
    pub port: String,
    /// The state of the connection, as a word.
    pub connection: String,
    /// The reason for the state of the connection.
    pub reason: String,
    /// The rotation, as a word.
    pub rotation: Option<String>,
    /// The placement: one character for each square, a1 first: a piece as in FEN, `w` and `x` a white and a black piece, `o` a
    /// piece, `.` empty.
    pub placement: Option<String>,
    /// The current game, or the last one: the journal in which it began, and its number there.
    pub game: Option<(String, u64)>,
}

impl BoardState {
    /// Reads a board's state. `game`: the current game, as its journal knows it.
    pub fn of(view: &BoardView, game: Option<(String, u64)>) -> BoardState {
        BoardState {
            model: view.model.name.to_owned(),
            sensing: view.sensing.word().to_owned(),
            serial_number: view.serial_number.clone(),
            firmware: view.firmware.clone(),
            port: view.port.clone(),
            connection: view.connection.word().to_owned(),
            reason: view.reason.clone(),
            rotation: view.rotation.map(|rotation| rotation.word().to_owned()),
            placement: view.placement.as_ref().map(|placement| placement.iter().map(|state| to_char(*state)).collect()),
            game,
        }
    }

    /// Changes what the hub knows of the board of this machine. Words that this version does not know change nothing.
    pub fn apply(&self, machine: &str, view: &mut BoardView) {
        let connections = [
            ConnectionState::Connecting,
            ConnectionState::Ready,
            ConnectionState::Silent,
            ConnectionState::Unplugged,
            ConnectionState::Refused,
        ];
        if let Some(connection) = connections.into_iter().find(|state| state.word() == self.connection) {
            view.connection = connection;
        }
        view.serial_number.clone_from(&self.serial_number);
        view.firmware.clone_from(&self.firmware);
        // Ports, and what is to be done, are at the machine.
        let there = |text: &String| if text.is_empty() { String::new() } else { format!("{machine}: {text}") };
        view.port = there(&self.port);
        view.reason = there(&self.reason);
        view.rotation = self.rotation.as_deref().and_then(Rotation::from_word).or(view.rotation);
        view.placement = self.placement.as_deref().and_then(read_placement);
    }
}

fn to_char(state: SquareState) -> char {
    match state {
        SquareState::Empty => '.',
        SquareState::Piece(piece) => piece.char(),
        SquareState::Side(Color::White) => 'w',
        SquareState::Side(Color::Black) => 'x',
        SquareState::Occupied => 'o',
    }
}

/// Reads a placement; `None`: it has not 64 squares, or a character that this version does not know.
fn read_placement(text: &str) -> Option<Placement> {
    let state = |char| match char {
        '.' => Some(SquareState::Empty),
        'w' => Some(SquareState::Side(Color::White)),
        'x' => Some(SquareState::Side(Color::Black)),
        'o' => Some(SquareState::Occupied),
        _ => Piece::from_char(char).map(SquareState::Piece),
    };
    text.chars().map(state).collect::<Option<Vec<_>>>()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_is_read_as_it_was_written() {
        let mut placement = [SquareState::Empty; 64];
        placement[0] = SquareState::Piece(Color::White.rook());
        placement[9] = SquareState::Side(Color::White);
        placement[17] = SquareState::Side(Color::Black);
        placement[63] = SquareState::Occupied;
        let text: String = placement.iter().map(|state| to_char(*state)).collect();
        assert_eq!(read_placement(&text), Some(placement));
        assert_eq!(read_placement(&text[1..]), None);
        assert_eq!(read_placement(&text.replace('R', "?")), None);
    }
}
