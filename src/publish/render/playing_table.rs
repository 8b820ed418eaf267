//! Which game is published at which playing table.

use crate::daemon::hub::round_games::{RoundGames, tag_value};
use crate::daemon::hub::{GameView, State};
use crate::daemon::rounds::natural_sort_key;
use crate::round::{Pairing, PairingResult, Round};

/// A playing table with the state from which its content is formatted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlayingTable {
    /// The tags of its game.
    pub tags: Vec<(String, String)>,
    /// The pairing, if a round was loaded.
    pub pairing: Option<Pairing>,
    /// The game's id and the number of its last known event.
    pub game: Option<(u64, u64)>,
}

impl PlayingTable {
    /// Returns the forfeit, if the game is not played.
    pub(crate) fn forfeit(&self) -> Option<PairingResult> {
        self.pairing.as_ref().and_then(Pairing::forfeit)
    }
}

/// Returns the number of a round; without a round, that of the configured tag, else 1.
pub(crate) fn round_number(round: Option<&Round>, tags: &[(String, String)]) -> u16 {
    let configured = || {
        let tag = tag_value(tags, "Round").unwrap_or_default();
        tag.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).filter(|number| *number > 0)
    };
    round.map_or_else(|| configured().unwrap_or(1), |round| round.number)
}

/// Returns the tables in their order: those of the round, else one for each board with a game, by board name.
pub(crate) fn tables(state: &State, round: Option<&Round>, tags: &[(String, String)]) -> Vec<PlayingTable> {
    let Some(round) = round else {
        let mut boards: Vec<&str> = state.boards.keys().map(|board| board.as_str()).collect();
        boards.sort_by_key(|board| natural_sort_key(board));
        let number = round_number(None, tags);
        let table = |(place, board): (u32, &str)| {
            let games: Vec<&GameView> = state.games.values().filter(|game| game.board.as_str() == board).collect();
            // A new game without moves means only that the pieces were set up again.
            let game = games.iter().rfind(|game| !game.record.plies.is_empty()).or(games.last())?;
            let mut merged = tags.to_vec();
            game.record.tags.iter().for_each(|(name, value)| set_tag(&mut merged, name, value.clone()));
            set_tag(&mut merged, "Round", format!("{number}.{place}"));
            Some(PlayingTable { tags: merged, pairing: None, game: Some((game.id, game.record.last_number)) })
        };
        return (1..).zip(boards).filter_map(table).collect();
    };
    let mut pairings: Vec<&Pairing> = round.pairings.iter().collect();
    pairings.sort_by_key(|pairing| pairing.table);
    let games = RoundGames::new(&state.games);
    let table = |pairing: &&Pairing| {
        let mut merged = tags.to_vec();
        for (name, value) in round.tags(pairing) {
            set_tag(&mut merged, &name, value);
        }
        let game = games.shown(round, pairing).filter(|_| pairing.forfeit().is_none());
        PlayingTable {
            tags: merged,
            pairing: Some((*pairing).clone()),
            game: game.map(|game| (game.id, game.record.last_number)),
        }
    };
    pairings.iter().map(table).collect()
}

/// Sets a tag, in place of one with this name.
pub(super) fn set_tag(tags: &mut Vec<(String, String)>, name: &str, value: String) {
    match tags.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => *known = value,
        None => tags.push((name.to_owned(), value)),
    }
}
