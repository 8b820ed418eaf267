//! The players of a demonstration, who are invented, and their pairings.

use crate::round::{Pairing, Player, Round};
use anyhow::Context;
use serde::Deserialize;
use std::cmp::Reverse;

/// The players: a name, and what a list of players has besides it.
const PLAYERS: &str = include_str!("players.csv");
/// The tournament.
pub(super) const EVENT: &str = "touchmove demonstration";
/// Where it is played.
pub(super) const SITE: &str = "this computer";
/// The time control that the clocks show.
const TIME_CONTROL: &str = "5400+30";

/// A row of the list.
#[derive(Deserialize)]
struct PlayerRow {
    name: String,
    title: Option<String>,
    federation: Option<String>,
    rating: Option<u16>,
}

/// The players of a tournament in which everybody plays everybody else, and then again with the other colours.
pub(super) struct Field {
    /// An even number of players, by rating.
    players: Vec<Player>,
}

impl Field {
    /// Returns the field for this number of boards: the first players of the list, two for each.
    ///
    /// # Errors
    /// The list has fewer.
    pub(super) fn new(boards: usize) -> anyhow::Result<Field> {
        let mut reader = csv::Reader::from_reader(PLAYERS.as_bytes());
        let rows = reader.deserialize().take(boards.saturating_mul(2));
        let rows = rows.collect::<Result<Vec<PlayerRow>, _>>().context("the list of players cannot be read")?;
        anyhow::ensure!(rows.len() == boards.saturating_mul(2), "there are players for {} boards only", rows.len() / 2);
        let player = |row: PlayerRow| Player {
            name: row.name,
            title: row.title,
            federation: row.federation,
            rating: row.rating,
            ..Player::default()
        };
        let mut players: Vec<Player> = rows.into_iter().map(player).collect();
        players.sort_by_key(|player| Reverse(player.rating));
        for (number, player) in (1..).zip(&mut players) {
            player.start_number = Some(number);
        }
        Ok(Field { players })
    }

    /// Returns the round of this number, from 1. The pairing with the highest rating is at table 1.
    pub(super) fn round(&self, number: u16) -> Round {
        // The circle method: the first player stays, the others move on by one place each round.
        let others = self.players.len().saturating_sub(1).max(1);
        let turn = usize::from(number.saturating_sub(1));
        let (shift, is_second_half) = (turn % others, (turn / others) % 2 == 1);
        let place = |place: usize| if place == 0 { 0 } else { 1 + (place - 1 + shift) % others };
        let player = |index: usize| self.players.get(index).cloned().unwrap_or_default();
        let mut pairs: Vec<(Player, Player)> = (0..self.players.len() / 2)
            .map(|index| {
                let pair = (player(place(index)), player(place(self.players.len() - 1 - index)));
                let has_white = if index == 0 { shift % 2 == 0 } else { index % 2 == 1 };
                if has_white != is_second_half { pair } else { (pair.1, pair.0) }
            })
            .collect();
        pairs.sort_by_key(|(white, black)| Reverse(white.rating.max(black.rating)));
        let pairing = |(table, (white, black)): (u16, (Player, Player))| Pairing { table, white, black, ..Pairing::default() };
        Round {
            number,
            event: Some(EVENT.to_owned()),
            site: Some(SITE.to_owned()),
            time_control: Some(TIME_CONTROL.to_owned()),
            pairings: (1..).zip(pairs).map(pairing).collect(),
            ..Round::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_BOARDS;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn everybody_plays_everybody_once_before_colours_are_reversed() {
        for boards in [1, 2, 12, usize::from(MAX_BOARDS)] {
            let field = Field::new(boards).expect("enough players");
            let players = 2 * boards;
            let mut met = BTreeSet::new();
            for number in 1..players as u16 {
                let round = field.round(number);
                assert!(round.check().is_empty() && round.pairings.len() == boards, "round {number} of {boards} boards");
                let names = |pairing: &Pairing| {
                    let mut names = [pairing.white.name.clone(), pairing.black.name.clone()];
                    names.sort();
                    names
                };
                met.extend(round.pairings.iter().map(names));
            }
            assert_eq!(met.len(), players * (players - 1) / 2, "{boards} boards");
            let (first, again) = (field.round(1), field.round(players as u16));
            assert_eq!(first.pairings[0].white, again.pairings[0].black, "{boards} boards");
        }
    }

    #[test]
    fn every_player_has_a_name_of_their_own_and_a_federation() {
        let field = Field::new(usize::from(MAX_BOARDS)).expect("enough players");
        let names: BTreeSet<&str> = field.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names.len(), field.players.len());
        for player in &field.players {
            assert!(player.federation.as_ref().is_some_and(|code| code.len() == 3) && player.rating.is_some(), "{player:?}");
        }
        assert!(Field::new(usize::from(MAX_BOARDS) + 1).is_err());
    }
}
