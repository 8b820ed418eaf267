//! Games that stay with their players when the pairings of a round change.

use super::Desk;
use super::kept_result::{continues, has_same_names};
use crate::round::{Pairing, Round};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A pairing that others have replaced, or that was removed, after games had begun at its table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerPairing {
    /// The pairing, as it was last.
    pub pairing: Pairing,
    /// The numbers of its games, in the order in which they began.
    pub games: Vec<u64>,
}

impl Desk {
    /// Replaces a round, or removes it. Its games follow their players: to the table at which they are paired now, or to the former
    /// pairings if they are not; and back from there when they are paired again.
    pub(super) fn replace_round(&mut self, number: u16, round: Option<Round>) {
        let before = self.rounds.remove(&number);
        let mut kept: BTreeMap<u16, Vec<u64>> = BTreeMap::new();
        let mut former = Vec::new();
        for (table, games) in self.games.remove(&number).unwrap_or_default() {
            let known = before.as_ref().and_then(|before| Some((before, before.table(table)?)));
            let successor = match (known, &round) {
                (Some((before, known)), Some(round)) => successor(known, before, round),
                (Some(_), None) => None,
                (None, _) => Some(table),
            };
            match (successor, known) {
                (Some(table), _) => kept.entry(table).or_default().extend(games),
                (None, Some((_, known))) if !games.is_empty() => former.push(FormerPairing { pairing: known.clone(), games }),
                (None, _) => {}
            }
        }
        for known in self.former.remove(&number).unwrap_or_default() {
            let again = round.as_ref().and_then(|round| table_of(&known.pairing, round));
            match again {
                Some(table) => kept.entry(table).or_default().extend(known.games),
                None => former.push(known),
            }
        }
        kept.values_mut().for_each(|games| games.sort_unstable());
        if !kept.is_empty() {
            self.games.insert(number, kept);
        }
        if !former.is_empty() {
            self.former.insert(number, former);
        }
        self.rounds.extend(round.map(|round| (number, round)));
    }

    /// Notes that a game belongs to the pairing of a table, and to no other one.
    pub(super) fn note_game(&mut self, round: u16, table: u16, game: u64) {
        self.forget_game(game);
        let games = self.games.entry(round).or_default().entry(table).or_default();
        games.push(game);
        games.sort_unstable();
    }

    /// Notes that a game belongs to no pairing.
    pub(super) fn forget_game(&mut self, game: u64) {
        self.games.values_mut().flat_map(BTreeMap::values_mut).for_each(|known| known.retain(|known| *known != game));
        for former in self.former.values_mut() {
            former.iter_mut().for_each(|former| former.games.retain(|known| *known != game));
            former.retain(|former| !former.games.is_empty());
        }
        self.former.retain(|_, former| !former.is_empty());
    }
}

/// Returns the table at which a round has a pairing with these names.
fn table_of(pairing: &Pairing, round: &Round) -> Option<u16> {
    round.pairings.iter().find(|other| has_same_names(pairing, other)).map(|other| other.table)
}

/// Returns the table to which the games of this pairing of `before` go in a round that takes its place: where the same names are
/// paired; else the same table, if its players go on there.
pub(super) fn successor(known: &Pairing, before: &Round, round: &Round) -> Option<u16> {
    let goes_on = || round.table(known.table).is_some_and(|pairing| continues(known, pairing, before));
    table_of(known, round).or_else(|| goes_on().then_some(known.table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::DeskAct;
    use crate::round::{Bye, ByeKind, PairingResult, Player};

    fn pairing(table: u16, white: &str, black: &str) -> Pairing {
        let player = |name: &str| Player { name: name.to_owned(), ..Player::default() };
        Pairing { table, white: player(white), black: player(black), ..Pairing::default() }
    }

    fn load(pairings: Vec<Pairing>) -> DeskAct {
        DeskAct::LoadRound { round: Round { number: 1, pairings, ..Round::default() } }
    }

    fn pair(table: u16, white: &str, black: &str) -> DeskAct {
        DeskAct::Pair { round: 1, pairing: pairing(table, white, black), new: false }
    }

    /// The games of tables 1 to 3, and the former ones, after these acts. Game 7 was played at table 1, game 8 at table 2.
    fn games_after(acts: Vec<DeskAct>) -> ([Vec<u64>; 3], Vec<u64>) {
        let begin = [
            load(vec![pairing(1, "Ada", "Bob"), pairing(2, "Cid", "Dee")]),
            DeskAct::NameGames { games: vec![(1, 1, 7), (1, 2, 8)], unnamed: Vec::new() },
        ];
        let (desk, errors) = Desk::from_acts(begin.iter().chain(&acts));
        assert_eq!(errors, [], "{acts:?}");
        let former = desk.former.values().flatten().flat_map(|former| former.games.clone()).collect();
        ([1, 2, 3].map(|table| desk.games(1, table).to_vec()), former)
    }

    #[test]
    fn games_stay_with_their_players() {
        let swap = DeskAct::Swap { round: 1, one: 1, other: 2 };
        let bye = |name: &str| {
            let player = Player { name: name.to_owned(), ..Player::default() };
            DeskAct::Byes { round: 1, byes: vec![Bye { player, kind: ByeKind::ZeroPoint }] }
        };
        let unpair = |table| DeskAct::Unpair { round: 1, table };
        let result = DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::WhiteWins) };
        let assign = DeskAct::AssignGame { round: 1, table: 1, game: 7 };
        let named = DeskAct::NameGames { games: vec![(1, 1, 7)], unnamed: Vec::new() };
        for (acts, tables, former) in [
            // Others are paired at the table, also if the pairing was removed before.
            (vec![pair(1, "Eve", "Fay")], [vec![], vec![8], vec![]], vec![7]),
            (vec![unpair(1), pair(1, "Eve", "Fay")], [vec![], vec![8], vec![]], vec![7]),
            // The players of before are paired again, there or elsewhere.
            (vec![unpair(1), pair(1, "Ada", "Bob")], [vec![7], vec![8], vec![]], vec![]),
            (vec![result, pair(1, "Eve", "Fay"), pair(3, "Ada", "Bob")], [vec![], vec![8], vec![7]], vec![]),
            // One name is corrected, or both have the other colour.
            (vec![pair(1, "Ada", "Rob")], [vec![7], vec![8], vec![]], vec![]),
            (vec![pair(1, "Bob", "Ada")], [vec![7], vec![8], vec![]], vec![]),
            // One is replaced by somebody who was in the round.
            (vec![unpair(2), bye("Dee"), pair(1, "Ada", "Dee")], [vec![], vec![], vec![]], vec![7, 8]),
            // An act of its own says that the players were at the wrong tables.
            (vec![swap], [vec![7], vec![8], vec![]], vec![]),
            (vec![pair(1, "Eve", "Fay"), assign], [vec![7], vec![8], vec![]], vec![]),
            (vec![pair(1, "Eve", "Fay"), named], [vec![7], vec![8], vec![]], vec![]),
            // The round is loaded with other tables, with a corrected name, without a pairing; or removed.
            (vec![load(vec![pairing(1, "Cid", "Dee"), pairing(3, "Ada", "Bob")])], [vec![8], vec![], vec![7]], vec![]),
            (vec![load(vec![pairing(1, "Adah", "Bob"), pairing(2, "Cid", "Bee")])], [vec![7], vec![8], vec![]], vec![]),
            (vec![load(vec![pairing(1, "Ada", "Dee"), pairing(2, "Cid", "Bob")])], [vec![], vec![], vec![]], vec![7, 8]),
        ] {
            assert_eq!(games_after(acts.clone()), (tables, former), "{acts:?}");
        }
    }

    #[test]
    fn a_round_that_is_loaded_again_has_only_the_games_of_its_players() {
        let remove = DeskAct::RemoveRound { round: 1 };
        let other =
            DeskAct::LoadRound { round: Round { number: 2, pairings: vec![pairing(1, "Ada", "Cid")], ..Round::default() } };
        let acts = vec![
            other,
            DeskAct::StartRound { round: 2 },
            remove,
            load(vec![pairing(1, "Eve", "Fay"), pairing(2, "Ada", "Bob")]),
        ];
        assert_eq!(games_after(acts), ([vec![], vec![7], vec![]], vec![8]));
    }
}
