//! The games of a simulated hall.

use crate::simulate::pgn::SourceGame;
use crate::simulate::random_game::random_game;
use std::sync::Arc;

/// How many games each board has numbers for.
const GAMES_PER_BOARD: usize = 10_000;

/// Where the games come from.
#[derive(Clone)]
pub(super) enum GameSource {
    /// Random moves with this seed.
    Random(u64),
    /// The games of a file, again and again.
    File {
        /// The games.
        games: Arc<[SourceGame]>,
        /// The number of boards, which take turns.
        boards: usize,
    },
}

impl GameSource {
    /// Returns the game of this board, from 0, that is the nth there, from 0.
    pub(super) fn game(&self, board: usize, nth: usize) -> SourceGame {
        let number = board.saturating_mul(GAMES_PER_BOARD).saturating_add(nth).saturating_add(1);
        match self {
            GameSource::Random(seed) => random_game(*seed, number),
            GameSource::File { games, boards } => {
                let index = nth.saturating_mul(*boards).saturating_add(board).checked_rem(games.len());
                let game = index.and_then(|index| games.get(index)).cloned();
                // A file without games was refused before.
                game.unwrap_or_else(|| random_game(0, number))
            }
        }
    }
}
