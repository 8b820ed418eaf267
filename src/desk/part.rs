//! The parts of the desk that an act changes: two acts that have no part in common do not disturb each other.

use super::DeskAct;
use crate::round::Player;

/// A part of the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeskPart {
    /// Everything.
    Desk,
    /// All seats.
    Seats,
    /// The board of a table.
    SeatOfTable(u16),
    /// The table of a board.
    SeatOfBoard(String),
    /// Which round is played.
    CurrentRound,
    /// A round with its pairings and byes.
    Round(u16),
    /// The pairing of a table, with its result and its games.
    Pairing {
        /// The round.
        round: u16,
        /// The table.
        table: u16,
    },
    /// The players of a round who have no opponent.
    Byes(u16),
    /// Whether a player has an opponent in a round, or a bye.
    Player {
        /// The round.
        round: u16,
        /// The name.
        name: String,
        /// FIDE's number, if known.
        fide_id: Option<u32>,
    },
}

impl DeskPart {
    /// Returns whether a change of one is a change of the other.
    pub fn overlaps(&self, other: &DeskPart) -> bool {
        self == other || self.is_same_player(other) || self.contains(other) || other.contains(self)
    }

    /// Whether both are one player, as far as is known.
    fn is_same_player(&self, other: &DeskPart) -> bool {
        match (self, other) {
            (
                DeskPart::Player { round, name, fide_id },
                DeskPart::Player { round: in_round, name: called, fide_id: other_id },
            ) => (round, name) == (in_round, called) && (fide_id.is_none() || other_id.is_none() || fide_id == other_id),
            _ => false,
        }
    }

    fn contains(&self, other: &DeskPart) -> bool {
        match (self, other) {
            (DeskPart::Desk, _) => true,
            (DeskPart::Seats, DeskPart::SeatOfTable(_) | DeskPart::SeatOfBoard(_)) => true,
            (
                DeskPart::Round(number),
                DeskPart::Pairing { round, .. } | DeskPart::Byes(round) | DeskPart::Player { round, .. },
            ) => number == round,
            _ => false,
        }
    }
}

impl DeskAct {
    /// Returns what the act changes; nothing, if it only notes what touchmoved did by itself.
    pub fn parts(&self) -> Vec<DeskPart> {
        let pairing = |round: u16, table: u16| DeskPart::Pairing { round, table };
        let player = |round: u16, player: &Player| {
            let (name, fide_id) = (player.name.clone(), player.fide_id);
            DeskPart::Player { round, name, fide_id }
        };
        match self {
            DeskAct::Seat { table, board, .. } => vec![DeskPart::SeatOfTable(*table), DeskPart::SeatOfBoard(board.clone())],
            DeskAct::Unseat { table } => vec![DeskPart::SeatOfTable(*table)],
            DeskAct::SeatAll { .. } => vec![DeskPart::Seats],
            DeskAct::LoadRound { round } => vec![DeskPart::Round(round.number)],
            DeskAct::RemoveRound { round } => vec![DeskPart::Round(*round)],
            DeskAct::StartRound { .. } => vec![DeskPart::CurrentRound],
            DeskAct::Pair { round, pairing: new, .. } => {
                vec![pairing(*round, new.table), player(*round, &new.white), player(*round, &new.black)]
            }
            DeskAct::Swap { round, one, other } => vec![pairing(*round, *one), pairing(*round, *other)],
            DeskAct::Unpair { round, table }
            | DeskAct::ReverseColours { round, table }
            | DeskAct::Result { round, table, .. }
            | DeskAct::AssignGame { round, table, .. } => vec![pairing(*round, *table)],
            DeskAct::Byes { round, byes } => {
                std::iter::once(DeskPart::Byes(*round)).chain(byes.iter().map(|bye| player(*round, &bye.player))).collect()
            }
            DeskAct::NameGames { .. } => Vec::new(),
            DeskAct::Forget { .. } | DeskAct::Restore { .. } => vec![DeskPart::Desk],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::{Bye, ByeKind, Pairing, PairingResult};

    #[test]
    fn acts_overlap_where_one_would_undo_the_other() {
        let seat = |table, board: &str| DeskAct::Seat { table, board: board.to_owned(), serial_number: None };
        let result = |round, table| DeskAct::Result { round, table, result: Some(PairingResult::Draw) };
        let byes = |round| DeskAct::Byes { round, byes: Vec::new() };
        let player = |name: &str, fide_id| Player { name: name.to_owned(), fide_id, ..Player::default() };
        let bye = |player| DeskAct::Byes { round: 1, byes: vec![Bye { player, kind: ByeKind::HalfPoint }] };
        let pair = |table, white, fide_id| {
            let (white, black) = (player(white, fide_id), player("Bob", None));
            DeskAct::Pair { round: 1, pairing: Pairing { table, white, black, ..Pairing::default() }, new: false }
        };
        let overlap = |one: &DeskAct, other: &DeskAct| {
            let of_other = other.parts();
            one.parts().iter().any(|part| of_other.iter().any(|known| part.overlaps(known)))
        };
        let seats = DeskAct::SeatAll { seats: std::collections::BTreeMap::new() };
        let swap = DeskAct::Swap { round: 1, one: 9, other: 10 };
        for (one, other, expected) in [
            (seat(1, "a"), seat(1, "b"), true),
            (seat(1, "a"), seat(2, "a"), true),
            (seat(1, "a"), seat(2, "b"), false),
            (seats.clone(), seat(2, "b"), true),
            (seats, result(1, 1), false),
            (result(1, 9), swap.clone(), true),
            (result(1, 8), swap.clone(), false),
            (result(2, 9), swap.clone(), false),
            (DeskAct::RemoveRound { round: 1 }, swap, true),
            (DeskAct::RemoveRound { round: 1 }, byes(1), true),
            (byes(1), result(1, 1), false),
            (bye(player("Ada", None)), pair(9, "Ada", Some(7)), true),
            (bye(player("Ada", Some(8))), pair(9, "Ada", Some(7)), false),
            (bye(player("Eve", None)), pair(9, "Ada", None), false),
            (DeskAct::RemoveRound { round: 1 }, pair(9, "Ada", None), true),
        ] {
            assert_eq!(overlap(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(overlap(&other, &one), expected, "{other:?} {one:?}");
        }
    }
}
