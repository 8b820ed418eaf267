//! The board of a playing table.

use crate::round::Round;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The board of a playing table, by its identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The name of the board, which follows from the configuration or from its port.
    pub board: String,
    /// The serial number that the board itself had reported when it was seated, if it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_number: Option<String>,
}

impl Seat {
    /// Returns whether this is the board of the seat: by serial number if both are known, else by name.
    pub fn is_same_board(&self, board: &str, serial_number: Option<&str>) -> bool {
        match (self.serial_number.as_deref(), serial_number) {
            (Some(seated), Some(reported)) => seated == reported,
            _ => !board.is_empty() && self.board == board,
        }
    }
}

/// Returns the seats with the boards that the pairings of a round name, by name or serial number. Other seats stay, unless their board
/// is named at another table.
pub fn seats_from_round(round: &Round, before: &BTreeMap<u16, Seat>) -> BTreeMap<u16, Seat> {
    let mut seats = before.clone();
    for pairing in &round.pairings {
        if pairing.board.is_none() && pairing.serial.is_none() {
            continue;
        }
        let board = pairing.board.clone().unwrap_or_default();
        let seat = Seat { board, serial_number: pairing.serial.clone() };
        let is_same = |known: &Seat| known.is_same_board(&seat.board, seat.serial_number.as_deref());
        if seats.get(&pairing.table).is_some_and(is_same) {
            continue;
        }
        seats.retain(|_, known| !is_same(known));
        seats.insert(pairing.table, seat);
    }
    seats
}
