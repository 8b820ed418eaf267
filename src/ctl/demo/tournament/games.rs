//! The games of a demonstration: games of former masters, whose moves are history. The demonstration's players play them.

use crate::ctl::demo::OPERA;
use crate::simulate::pgn::{self, SourceGame};
use anyhow::Context;

/// The games besides that at the opera, without clock times: the hands think for as long as their profile says.
const MASTERS: &str = include_str!("games.pgn");
/// By how many places the games move on from round to round. It has no factor in common with their number.
const STEP: usize = 5;

/// All games.
pub(super) struct DemoGames(Vec<SourceGame>);

impl DemoGames {
    /// Reads the games.
    pub(super) fn read() -> DemoGames {
        DemoGames([OPERA, MASTERS].into_iter().flat_map(|text| pgn::read(text).games).collect())
    }

    /// Returns the game at this table in this round; both count from 1. The tables of a round have different games, as long as there are
    /// enough. Its number is that of the table, so that a board keeps its pieces from round to round. The players show its result with
    /// the kings, because the round needs it.
    ///
    /// # Errors
    /// There are no games.
    pub(super) fn game(&self, round: u16, table: u16) -> anyhow::Result<SourceGame> {
        let place = |number: u16| usize::from(number.saturating_sub(1));
        let index = (place(table) + place(round) * STEP).checked_rem(self.0.len());
        let game = index.and_then(|index| self.0.get(index)).context("the demonstration has no games")?;
        Ok(SourceGame { number: usize::from(table), signalled: true, ..game.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_games_are_whole_and_differ() {
        let games = DemoGames::read();
        assert!(games.0.len() >= 12 && !games.0.len().is_multiple_of(STEP), "{} games", games.0.len());
        for game in &games.0 {
            assert!(
                game.notes.is_empty() && game.result.is_some() && game.plies.len() > 30,
                "{}: {:?}",
                game.title,
                game.notes
            );
        }
        let title = |round: u16, table: u16| games.game(round, table).expect("a game").title;
        for round in 1..=games.0.len() as u16 {
            let titles: BTreeSet<String> = (1..=12).map(|table| title(round, table)).collect();
            assert_eq!(titles.len(), 12, "round {round}");
        }
        let first_table: BTreeSet<String> = (1..=games.0.len() as u16).map(|round| title(round, 1)).collect();
        assert_eq!(first_table.len(), games.0.len(), "table 1 has all games in turn");
    }
}
