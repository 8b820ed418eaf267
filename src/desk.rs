//! The operator's desk: which board is at which playing table, the rounds of the tournament, and which of them is played now.
//!
//! **Invariants:** no I/O. [`Desk::apply`] is the only way to change a desk. Its acts are stored: a desk is the result of all acts
//! since the beginning. Nothing that happens on boards or cables is an act, so it never changes a seat or a pairing.

mod act;
mod forgotten;
mod json;
mod kept_result;
mod part;
mod seat;

pub use act::{DeskAct, DeskEntry, DeskError};
pub use forgotten::{ForgottenPlayer, hide_tags};
pub use kept_result::lost_pairings;
pub use part::DeskPart;
pub use seat::{Seat, seats_from_round};

use crate::round::{Pairing, Round};
use json::{games, numbered};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Seats, rounds and their games. This is also the stored and transmitted JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Desk {
    /// The board at each playing table, by the table's number.
    #[serde(with = "numbered")]
    pub seats: BTreeMap<u16, Seat>,
    /// The loaded rounds, by their number.
    #[serde(with = "numbered")]
    pub rounds: BTreeMap<u16, Round>,
    /// The number of the round that is played: games that begin get its names. `None`: no round was started.
    pub current_round: Option<u16>,
    /// The games of each pairing, by round and table, in the order in which they began. Numbers of the journal.
    #[serde(with = "games")]
    pub games: BTreeMap<u16, BTreeMap<u16, Vec<u64>>>,
    /// The players who are not named any more, in the order in which they were forgotten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<ForgottenPlayer>,
}

impl Desk {
    /// Returns the desk that results from these acts, and the reasons why some of them are impossible; they are left out.
    pub fn from_acts<'a>(acts: impl Iterator<Item = &'a DeskAct>) -> (Desk, Vec<DeskError>) {
        let mut desk = Desk::default();
        let errors = acts.filter_map(|act| desk.apply(act).err()).collect();
        (desk, errors)
    }

    /// Returns the round that is played now.
    pub fn round(&self) -> Option<&Round> {
        self.rounds.get(&self.current_round?)
    }

    /// Returns the pairing of this table in this round.
    pub fn pairing(&self, round: u16, table: u16) -> Option<&Pairing> {
        self.rounds.get(&round)?.table(table)
    }

    /// Returns the numbers of the games of a pairing, in the order in which they began.
    pub fn games(&self, round: u16, table: u16) -> &[u64] {
        self.games.get(&round).and_then(|tables| tables.get(&table)).map_or(&[], Vec::as_slice)
    }

    /// Returns round and table of the pairing for which a game is noted.
    pub fn place_of(&self, game: u64) -> Option<(u16, u16)> {
        self.games.iter().find_map(|(round, tables)| {
            let (table, _) = tables.iter().find(|(_, games)| games.contains(&game))?;
            Some((*round, *table))
        })
    }

    /// Returns round and table of the pairing of each game that is noted: [`Desk::place_of`] for many games.
    pub fn places(&self) -> BTreeMap<u64, (u16, u16)> {
        let tables =
            self.games.iter().flat_map(|(round, tables)| tables.iter().map(move |(table, games)| (*round, *table, games)));
        tables.flat_map(|(round, table, games)| games.iter().map(move |game| (*game, (round, table)))).collect()
    }

    /// Returns the playing tables that have a seat or a pairing in the current round, in order.
    pub fn tables(&self) -> Vec<u16> {
        let paired = self.round().into_iter().flat_map(|round| &round.pairings).map(|pairing| pairing.table);
        let mut tables: Vec<u16> = self.seats.keys().copied().chain(paired).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }

    /// Returns the table at which this board is seated. `serial_number`: as the board reported it, if it has.
    pub fn table_of(&self, board: &str, serial_number: Option<&str>) -> Option<u16> {
        let seated = |(table, seat): (&u16, &Seat)| seat.is_same_board(board, serial_number).then_some(*table);
        self.seats.iter().find_map(seated)
    }

    /// Returns the board at each table of [`Desk::tables`]. `boards` has the name of each board and the serial number that it has
    /// reported. A board is found by its serial number wherever it is plugged in; by its name only as long as no serial number
    /// contradicts.
    pub fn boards<'a>(&self, boards: &[(&'a str, Option<&str>)]) -> Vec<(u16, Option<&'a str>)> {
        let serial_numbers: BTreeMap<&str, Option<&str>> = boards.iter().copied().collect();
        let mut with_serial: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
        for (name, serial) in boards {
            serial.iter().for_each(|serial| with_serial.entry(serial).or_default().push(name));
        }
        let by_serial = |seat: &Seat| match with_serial.get(seat.serial_number.as_deref()?)?[..] {
            [only] => Some(only),
            // Two boards of one serial number are distinguished by their names, or not at all.
            ref several => several.iter().find(|name| **name == seat.board).copied(),
        };
        let found: BTreeMap<u16, &'a str> =
            self.seats.iter().filter_map(|(table, seat)| Some((*table, by_serial(seat)?))).collect();
        let taken: BTreeSet<&str> = found.values().copied().collect();
        let by_name = |seat: &Seat| {
            let (name, serial) = serial_numbers.get_key_value(seat.board.as_str())?;
            ((seat.serial_number.is_none() || serial.is_none()) && !taken.contains(name)).then_some(*name)
        };
        let board = |table: u16| {
            let seat = self.seats.get(&table)?;
            found.get(&table).copied().or_else(|| by_name(seat))
        };
        self.tables().into_iter().map(|table| (table, board(table))).collect()
    }
}
