//! The games that were pushed to a stand-in of Lichess.

use crate::simulate::pgn;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What was received.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// The rounds, by their ids.
    pub(super) rounds: BTreeMap<String, ReceivedRound>,
}

/// A round.
#[derive(Debug, Default)]
pub(super) struct ReceivedRound {
    /// How often its games were pushed.
    pub(super) pushes: u64,
    /// Its games, as they were pushed last.
    pub(super) games: Vec<ReceivedGame>,
    /// The same as PGN.
    pub(super) text: String,
}

/// A game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct ReceivedGame {
    pub(super) white: String,
    pub(super) black: String,
    /// The number of plies.
    pub(super) plies: usize,
    /// The last move, with its number; empty: none.
    pub(super) last_move: String,
    pub(super) result: String,
    /// Why the game was not accepted.
    pub(super) error: Option<String>,
}

impl Received {
    /// Receives the games of a round, and returns the reply for each, in the form of Lichess.
    pub(super) fn push(&mut self, id: &str, text: &str) -> Vec<Value> {
        let games: Vec<ReceivedGame> = split(text).into_iter().map(read).collect();
        let replies = games.iter().map(reply).collect();
        let round = self.rounds.entry(id.to_owned()).or_default();
        *round = ReceivedRound { pushes: round.pushes + 1, games, text: text.to_owned() };
        replies
    }

    /// Returns the number of games of all rounds.
    pub(super) fn games(&self) -> usize {
        self.rounds.values().map(|round| round.games.len()).sum()
    }

    /// Returns the number of pushes of all rounds.
    pub(super) fn pushes(&self) -> u64 {
        self.rounds.values().map(|round| round.pushes).sum()
    }
}

fn reply(game: &ReceivedGame) -> Value {
    let tags = json!({"White": game.white, "Black": game.black, "Event": super::EVENT});
    match &game.error {
        Some(error) => json!({"tags": tags, "error": error}),
        None => json!({"tags": tags, "moves": game.plies}),
    }
}

/// Splits PGN into games: each begins with the tag Event.
fn split(text: &str) -> Vec<&str> {
    const BEGIN: &str = "[Event \"";
    let mut starts: Vec<usize> = text.match_indices(BEGIN).map(|(at, _)| at).collect();
    // Not within a comment, for example.
    starts.retain(|at| *at == 0 || text.get(..*at).is_some_and(|before| before.ends_with('\n')));
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end)).collect()
}

fn read(text: &str) -> ReceivedGame {
    let tag = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(" \""));
        let value = value.and_then(|value| value.trim_end().strip_suffix("\"]")).unwrap_or_default();
        value.replace("\\\"", "\"").replace("\\\\", "\\")
    };
    let mut game = ReceivedGame { white: tag("White"), black: tag("Black"), result: tag("Result"), ..ReceivedGame::default() };
    let games = pgn::read(text);
    if let Some((_, reason)) = games.unreadable.first() {
        game.error = Some(reason.clone());
    }
    if let Some(source) = games.games.first() {
        game.plies = source.plies.len();
        let last = source.plies.last().map(|ply| source.position(source.plies.len().saturating_sub(1)).numbered_san(ply.mv));
        game.last_move = last.unwrap_or_default();
        // Lichess accepts kings that are put in the centre at the end.
        game.error = source.notes.first().filter(|_| !source.signalled).cloned();
    }
    game
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_as_lichess_reads_them() {
        let mut received = Received::default();
        let begun = "[Event \"A\"]\n[White \"Ada \\\"A\\\" A\"]\n[Black \"Bob\"]\n[Result \"*\"]\n\n1. e4 {[%clk 1:30:00]} e5 2. Nf3 *\n\n";
        let empty = "[Event \"A\"]\n[White \"Cid\"]\n[Black \"Dan\"]\n[Result \"*\"]\n\n*\n\n";
        let illegal = "[Event \"A\"]\n[White \"Eve\"]\n[Black \"Fay\"]\n[Result \"*\"]\n\n1. e4 e4 *\n";
        let replies = received.push("Demo0001", &[begun, empty, illegal].concat());
        let tags = |white: &str, black: &str| json!({"White": white, "Black": black, "Event": super::super::EVENT});
        assert_eq!(replies[0], json!({"tags": tags("Ada \"A\" A", "Bob"), "moves": 3}));
        assert_eq!(replies[1], json!({"tags": tags("Cid", "Dan"), "moves": 0}));
        assert_eq!(replies[2]["tags"], tags("Eve", "Fay"));
        assert!(replies[2]["error"].as_str().is_some_and(|error| error.contains("illegal")), "{}", replies[2]);
        assert_eq!((received.games(), received.pushes()), (3, 1));
        assert_eq!(received.rounds["Demo0001"].games[0].last_move, "2.Nf3");
        received.push("Demo0001", begun);
        assert_eq!((received.games(), received.pushes()), (1, 2));
    }
}
