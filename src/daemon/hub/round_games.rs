//! Which games belong to a round and its playing tables.

use super::GameView;
use crate::desk::Desk;
use crate::round::{Pairing, Round};
use std::collections::BTreeMap;

/// The games in memory, by the round and the table that their tags name.
pub struct RoundGames<'a>(BTreeMap<(u16, u16), Vec<&'a GameView>>);

impl<'a> RoundGames<'a> {
    /// Sorts these games.
    pub fn new(games: &'a BTreeMap<u64, GameView>) -> RoundGames<'a> {
        let mut sorted: BTreeMap<_, Vec<&GameView>> = BTreeMap::new();
        for game in games.values() {
            if let Some(place) = round_and_table(game) {
                sorted.entry(place).or_default().push(game);
            }
        }
        RoundGames(sorted)
    }

    /// Returns the games of a pairing, in the order in which they began.
    pub fn of(&self, round: &Round, pairing: &Pairing) -> Vec<&'a GameView> {
        let games = self.0.get(&(round.number, pairing.table)).into_iter().flatten();
        games.filter(|game| is_of_event(game, round)).copied().collect()
    }

    /// Returns the game of a pairing, by the names in its tags, because the public does not know every board. Among several: the
    /// first that has a result, since later play at the table is not public; else the last one with a move.
    pub fn shown(&self, round: &Round, pairing: &Pairing) -> Option<&'a GameView> {
        let games = self.of(round, pairing);
        let over = games.iter().find(|game| game.record.result.is_some());
        let begun = || games.iter().rfind(|game| !game.record.plies.is_empty());
        over.or_else(begun).or(games.last()).copied()
    }
}

/// The pairings to which games belong: an index for many games.
pub struct GamePairings<'a> {
    desk: &'a Desk,
    noted: BTreeMap<u64, (u16, u16)>,
}

impl<'a> GamePairings<'a> {
    /// Indexes the games that the desk has noted.
    pub fn new(desk: &'a Desk) -> GamePairings<'a> {
        GamePairings { desk, noted: desk.places() }
    }

    /// Returns round and table of the pairing to which a game belongs, as [`pairing_of`] does.
    pub fn of(&self, game: &GameView) -> Option<(u16, u16)> {
        choose_pairing(self.desk, self.noted.get(&game.id).copied(), game)
    }
}

/// Returns the round and the table that the tags of a game name, such as `3.12` and `12`.
fn round_and_table(game: &GameView) -> Option<(u16, u16)> {
    let tag = |name: &str| tag_value(&game.record.tags, name);
    Some((tag("Round")?.split('.').next()?.parse().ok()?, tag("Table")?.parse().ok()?))
}

fn is_of_event(game: &GameView, round: &Round) -> bool {
    tag_value(&game.record.tags, "Event") == round.event.as_deref()
}

/// Returns the pairing of this round that the tags of a game name.
pub fn tagged_pairing<'a>(round: &'a Round, game: &GameView) -> Option<&'a Pairing> {
    let (_, table) = round_and_table(game).filter(|(number, _)| *number == round.number && is_of_event(game, round))?;
    round.table(table)
}

/// Returns round and table of the pairing to which a game belongs: as the desk noted it, else as the game's tags say. For many games
/// see [`GamePairings`].
pub fn pairing_of(desk: &Desk, game: &GameView) -> Option<(u16, u16)> {
    choose_pairing(desk, desk.place_of(game.id), game)
}

/// Returns the pairing that the desk noted for a game, else the one that the game's tags name.
fn choose_pairing(desk: &Desk, noted: Option<(u16, u16)>, game: &GameView) -> Option<(u16, u16)> {
    let tagged = || {
        let (round, table) = round_and_table(game)?;
        is_of_event(game, desk.rounds.get(&round)?).then_some((round, table))
    };
    let is_paired = |(round, table): &(u16, u16)| desk.pairing(*round, *table).is_some();
    noted.or_else(tagged).filter(is_paired)
}

/// Returns the value of the tag with this name.
pub fn tag_value<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
