//! The acts of an operator, and how each changes the desk.

use super::forgotten::{ForgottenPlayer, hide_players};
use super::json::numbered;
use super::kept_result::{keep_results, keeps_result};
use super::{Desk, DeskPart, Seat};
use crate::game::ErrorCode;
use crate::game::json::word_or_null;
use crate::round::{BadRound, Bye, Pairing, PairingResult, Player, Round};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Bound;

/// An act. The JSON form is stored in the journal and sent by clients; docs/round.md describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum DeskAct {
    /// Seats a board at a table. The table loses its previous board, and the board its previous table.
    Seat {
        /// The table, from 1.
        table: u16,
        /// The name of the board.
        board: String,
        /// The serial number of the board. touchmoved adds it, if the board has reported one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        serial_number: Option<String>,
    },
    /// Removes the board from a table.
    Unseat {
        /// The table.
        table: u16,
    },
    /// Replaces all seats at once.
    SeatAll {
        /// The board at each table.
        #[serde(with = "numbered")]
        seats: BTreeMap<u16, Seat>,
    },
    /// Loads a round, in place of the loaded round of this number, of which it keeps the results that it does not have itself. If no
    /// round is played, it is played from now on.
    LoadRound {
        /// The round.
        round: Round,
    },
    /// Makes a loaded round the one that is played: games that begin, and games without moves, get its names.
    StartRound {
        /// Its number.
        round: u16,
    },
    /// Removes a loaded round that is not played now.
    RemoveRound {
        /// Its number.
        round: u16,
    },
    /// Adds a pairing, or replaces that of its table. The result of the same players is kept if the pairing has none. Its players have
    /// no bye any more.
    Pair {
        /// The number of the round.
        round: u16,
        /// The pairing.
        pairing: Pairing,
        /// Whether the act is refused if the table already has a pairing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        new: bool,
    },
    /// Removes the pairing of a table.
    Unpair {
        /// The number of the round.
        round: u16,
        /// The table.
        table: u16,
    },
    /// Replaces the players of a round who have no opponent.
    Byes {
        /// The number of the round.
        round: u16,
        /// The players, with the kinds of their byes.
        byes: Vec<Bye>,
    },
    /// Swaps the players of two tables; the boards stay.
    Swap {
        /// The number of the round.
        round: u16,
        /// One table.
        one: u16,
        /// The other table.
        other: u16,
    },
    /// Reverses the colours of a pairing.
    ReverseColours {
        /// The number of the round.
        round: u16,
        /// The table.
        table: u16,
    },
    /// Enters the result of a pairing, or removes it.
    Result {
        /// The number of the round.
        round: u16,
        /// The table.
        table: u16,
        /// The result; `None`: not known.
        #[serde(default, with = "word_or_null")]
        result: Option<PairingResult>,
    },
    /// Assigns a game to a pairing, e.g. because its board was seated at the wrong table. The game gets the names of that pairing.
    AssignGame {
        /// The number of the round.
        round: u16,
        /// The table.
        table: u16,
        /// The number of the game.
        game: u64,
    },
    /// Notes which games got the names of which pairings. Only touchmoved itself does this.
    NameGames {
        /// The round, the table and the number of each game.
        games: Vec<(u16, u16, u64)>,
        /// The numbers of games that have lost their names, because their boards were removed from the table before the first move.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unnamed: Vec<u64>,
    },
    /// Stops naming a player: in all rounds, and in what is shown of games.
    Forget {
        /// The player.
        player: ForgottenPlayer,
    },
    /// Replaces the whole desk, e.g. with that of an earlier version of touchmove. Its games are those of another journal.
    Restore {
        /// The desk.
        desk: Box<Desk>,
    },
}

/// A stored act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeskEntry {
    /// Its time, in milliseconds since 1970-01-01 UTC.
    pub wall_ms: i64,
    /// Who did it, as the front-end knows them.
    pub by: String,
    /// The act.
    pub act: DeskAct,
}

/// The reason why an act is impossible; the message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeskError {
    /// The round is not loaded.
    #[error("round {0} is not loaded: `touchmovectl round load FILE` loads it, `touchmovectl round show` lists those that are")]
    NoRound(u16),
    /// The round has no such table.
    #[error("table {table} has no pairing in round {round}: `touchmovectl round show` lists the tables")]
    NoPairing {
        /// The round.
        round: u16,
        /// The table.
        table: u16,
    },
    /// The table has a pairing, and a new one was to be added.
    #[error("table {table} has a pairing in round {round} already: choose another table")]
    HasPairing {
        /// The round.
        round: u16,
        /// The table.
        table: u16,
    },
    /// The table has no seat.
    #[error("no board is seated at table {0}: `touchmovectl seat show` lists the seats")]
    NoSeat(u16),
    /// Tables count from 1.
    #[error("tables count from 1")]
    TableZero,
    /// One board at two tables.
    #[error("board {board} would be at table {one} and at table {other}: a board is at one table")]
    SeatedTwice {
        /// The board.
        board: String,
        /// One table.
        one: u16,
        /// The other table.
        other: u16,
    },
    /// The round that is played cannot be removed.
    #[error("round {0} is being played: start another round before you remove it")]
    RoundInPlay(u16),
    /// Somebody else has changed the same since the act was decided on.
    #[error("nothing was changed, because {by} has changed {} since you looked: look again, then decide", part_name(.part))]
    Overtaken {
        /// Who.
        by: String,
        /// What both change.
        part: DeskPart,
    },
    /// The round would have these problems.
    #[error(transparent)]
    BadRound(#[from] BadRound),
}

/// Returns a part in words.
fn part_name(part: &DeskPart) -> String {
    match part {
        DeskPart::Desk => "the desk".to_owned(),
        DeskPart::Seats => "the seats".to_owned(),
        DeskPart::SeatOfTable(table) => format!("the board of table {table}"),
        DeskPart::SeatOfBoard(board) => format!("the table of board {board}"),
        DeskPart::CurrentRound => "which round is played".to_owned(),
        DeskPart::Round(round) => format!("round {round}"),
        DeskPart::Pairing { round, table } => format!("table {table} of round {round}"),
        DeskPart::Byes(round) => format!("the byes of round {round}"),
        DeskPart::Player { round, name, .. } => format!("the pairing or the bye of {name} in round {round}"),
    }
}

impl DeskError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            DeskError::NoRound(_) => ErrorCode::Unknown("NoRound"),
            DeskError::NoPairing { .. } | DeskError::NoSeat(_) => ErrorCode::Unknown("NoTable"),
            DeskError::TableZero => ErrorCode::Invalid("NoTable"),
            DeskError::Overtaken { .. } => ErrorCode::Stale("Changed"),
            DeskError::HasPairing { .. }
            | DeskError::SeatedTwice { .. }
            | DeskError::RoundInPlay(_)
            | DeskError::BadRound(_) => ErrorCode::Conflict("BadRound"),
        }
    }
}

impl Desk {
    /// Applies an act.
    ///
    /// # Errors
    /// The act is impossible; nothing has changed then.
    pub fn apply(&mut self, act: &DeskAct) -> Result<(), DeskError> {
        match act {
            DeskAct::Seat { table: 0, .. } => Err(DeskError::TableZero),
            DeskAct::Seat { table, board, serial_number } => {
                let seat = Seat { board: board.clone(), serial_number: serial_number.clone() };
                self.seats.retain(|_, other| !other.is_same_board(board, serial_number.as_deref()));
                self.seats.insert(*table, seat);
                Ok(())
            }
            DeskAct::Unseat { table } => self.seats.remove(table).map(drop).ok_or(DeskError::NoSeat(*table)),
            DeskAct::SeatAll { seats } => {
                check_seats(seats)?;
                self.seats.clone_from(seats);
                Ok(())
            }
            DeskAct::LoadRound { round } => {
                check_round(round)?;
                let mut round = round.clone();
                hide_players(&self.forgotten, &mut round);
                if let Some(before) = self.rounds.get(&round.number) {
                    keep_results(&mut round, before);
                }
                self.current_round.get_or_insert(round.number);
                self.rounds.insert(round.number, round);
                Ok(())
            }
            DeskAct::StartRound { round } => {
                self.rounds.get(round).ok_or(DeskError::NoRound(*round))?;
                self.current_round = Some(*round);
                Ok(())
            }
            DeskAct::RemoveRound { round } if self.current_round == Some(*round) => Err(DeskError::RoundInPlay(*round)),
            DeskAct::RemoveRound { round } => self.rounds.remove(round).map(drop).ok_or(DeskError::NoRound(*round)),
            DeskAct::Pair { round: number, pairing, new } => self.change_round(*number, |round| {
                if *new && round.table(pairing.table).is_some() {
                    return Err(DeskError::HasPairing { round: *number, table: pairing.table });
                }
                let is_paired = |player: &Player| [&pairing.white, &pairing.black].iter().any(|one| one.is_same(player));
                round.byes.retain(|bye| !is_paired(&bye.player));
                let before = round.table(pairing.table).filter(|known| keeps_result(known, pairing, round));
                let result = pairing.result.or_else(|| before?.result);
                round.pairings.retain(|other| other.table != pairing.table);
                round.pairings.push(Pairing { result, ..pairing.clone() });
                round.pairings.sort_by_key(|pairing| pairing.table);
                Ok(())
            }),
            DeskAct::Unpair { round: number, table } => self.change_round(*number, |round| {
                round.table(*table).ok_or(DeskError::NoPairing { round: *number, table: *table })?;
                round.pairings.retain(|pairing| pairing.table != *table);
                Ok(())
            }),
            DeskAct::Byes { round, byes } => self.change_round(*round, |round| {
                round.byes.clone_from(byes);
                Ok(())
            }),
            DeskAct::Swap { round: number, one, other } => self.change_round(*number, |round| {
                round.swap(*one, *other).map_err(|table| DeskError::NoPairing { round: *number, table })
            }),
            DeskAct::ReverseColours { round, table } => self.change_pairing(*round, *table, |pairing| {
                std::mem::swap(&mut pairing.white, &mut pairing.black);
            }),
            DeskAct::Result { round, table, result } => self.change_pairing(*round, *table, |pairing| pairing.result = *result),
            DeskAct::AssignGame { round, table, game } => {
                self.pairing(*round, *table).ok_or(DeskError::NoPairing { round: *round, table: *table })?;
                self.note_game(*round, *table, *game);
                Ok(())
            }
            DeskAct::NameGames { games, unnamed } => {
                unnamed.iter().for_each(|game| self.forget_game(*game));
                games.iter().for_each(|(round, table, game)| self.note_game(*round, *table, *game));
                Ok(())
            }
            DeskAct::Forget { player } => {
                self.forget(player);
                Ok(())
            }
            DeskAct::Restore { desk } => {
                *self = Desk { games: BTreeMap::new(), ..(**desk).clone() };
                Ok(())
            }
        }
    }

    fn forget_game(&mut self, game: u64) {
        self.games.values_mut().flat_map(BTreeMap::values_mut).for_each(|known| known.retain(|known| *known != game));
    }

    fn note_game(&mut self, round: u16, table: u16, game: u64) {
        self.forget_game(game);
        let games = self.games.entry(round).or_default().entry(table).or_default();
        games.push(game);
        games.sort_unstable();
    }

    fn change_round(&mut self, number: u16, change: impl FnOnce(&mut Round) -> Result<(), DeskError>) -> Result<(), DeskError> {
        let mut round = self.rounds.get(&number).ok_or(DeskError::NoRound(number))?.clone();
        change(&mut round)?;
        hide_players(&self.forgotten, &mut round);
        check_round(&round)?;
        self.rounds.insert(number, round);
        Ok(())
    }

    fn change_pairing(&mut self, round: u16, table: u16, change: impl FnOnce(&mut Pairing)) -> Result<(), DeskError> {
        let missing = DeskError::NoPairing { round, table };
        self.change_round(round, |round| round.table_mut(table).map(change).ok_or(missing))
    }
}

fn check_round(round: &Round) -> Result<(), DeskError> {
    let problems = round.check();
    if problems.is_empty() { Ok(()) } else { Err(DeskError::BadRound(BadRound(problems))) }
}

fn check_seats(seats: &BTreeMap<u16, Seat>) -> Result<(), DeskError> {
    if seats.contains_key(&0) {
        return Err(DeskError::TableZero);
    }
    for (one, seat) in seats {
        let is_same = |(_, other): &(&u16, &Seat)| other.is_same_board(&seat.board, seat.serial_number.as_deref());
        if let Some((other, _)) = seats.range((Bound::Excluded(*one), Bound::Unbounded)).find(is_same) {
            return Err(DeskError::SeatedTwice { board: seat.board.clone(), one: *one, other: *other });
        }
    }
    Ok(())
}
