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

    /// Returns the game of a pairing, as [`game_of`] does.
    pub fn shown(&self, round: &Round, pairing: &Pairing) -> Option<&'a GameView> {
        shown(&self.of(round, pairing))
    }
}

/// Returns the game of a playing table, by the names in its tags, because the public does not know every board. Among several: the
/// first that has a result, since later play at the table is not public; else the last one with a move.
pub fn game_of<'a>(games: &'a BTreeMap<u64, GameView>, round: &Round, pairing: &Pairing) -> Option<&'a GameView> {
    let place = Some((round.number, pairing.table));
    let is_of_pairing = |game: &&GameView| round_and_table(game) == place && is_of_event(game, round);
    shown(&games.values().filter(is_of_pairing).collect::<Vec<_>>())
}

fn shown<'a>(games: &[&'a GameView]) -> Option<&'a GameView> {
    let over = games.iter().find(|game| game.record.result.is_some());
    let begun = || games.iter().rfind(|game| !game.record.plies.is_empty());
    over.or_else(begun).or(games.last()).copied()
}

/// Returns the round and the table that the tags of a game name, such as `3.12` and `12`.
fn round_and_table(game: &GameView) -> Option<(u16, u16)> {
    let tag = |name: &str| tag_value(&game.record.tags, name);
    Some((tag("Round")?.split('.').next()?.parse().ok()?, tag("Table")?.parse().ok()?))
}

fn is_of_event(game: &GameView, round: &Round) -> bool {
    tag_value(&game.record.tags, "Event") == round.event.as_deref()
}

/// Returns round and table of the pairing to which a game belongs: as the desk noted it, else as the game's tags say.
pub fn pairing_of(desk: &Desk, game: &GameView) -> Option<(u16, u16)> {
    let tagged = || {
        let (round, table) = round_and_table(game)?;
        is_of_event(game, desk.rounds.get(&round)?).then_some((round, table))
    };
    let is_paired = |(round, table): &(u16, u16)| desk.pairing(*round, *table).is_some();
    desk.place_of(game.id).or_else(tagged).filter(is_paired)
}

/// Returns the value of the tag with this name.
pub fn tag_value<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
