//! Which games belong to a round and its playing tables.

use super::GameView;
use crate::round::{Pairing, Round};
use std::collections::BTreeMap;

/// Returns the game of a playing table, by the names in its tags, because the public does not know every board. Among several: the
/// first that has a result, since later play at the table is not public; else the last one with a move.
pub fn game_of<'a>(games: &'a BTreeMap<u64, GameView>, round: &Round, pairing: &Pairing) -> Option<&'a GameView> {
    let tags = round.tags(pairing);
    let is_at_table = |game: &&GameView| {
        is_same_round(&game.record.tags, &tags) && tag_value(&game.record.tags, "Table") == tag_value(&tags, "Table")
    };
    let mut games: Vec<&GameView> = games.values().filter(is_at_table).collect();
    // A board that replaced another.
    if let Some(board) = &pairing.board
        && games.iter().any(|game| game.board.as_str() == board)
    {
        games.retain(|game| game.board.as_str() == board);
    }
    let over = games.iter().find(|game| game.record.result.is_some());
    let begun = || games.iter().rfind(|game| !game.record.plies.is_empty());
    over.or_else(begun).or(games.last()).copied()
}

/// Returns whether two games with these tags belong to the same round.
pub fn is_same_round(tags: &[(String, String)], other_tags: &[(String, String)]) -> bool {
    let number = |tags| tag_value(tags, "Round").and_then(|round| round.split('.').next());
    number(tags) == number(other_tags) && tag_value(tags, "Event") == tag_value(other_tags, "Event")
}

/// Returns the value of the tag with this name.
pub fn tag_value<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
