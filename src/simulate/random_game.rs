//! Games of random moves.

use crate::game::GameResult;
use crate::laws::{Ending, Position};
use crate::simulate::pgn::{GamePly, SourceGame};
use crate::simulate::rng::Rng;
use shakmaty::Color;

/// Shortest length of a game that does not end by itself, in plies, and the number of lengths.
const LENGTHS: (u64, u64) = (30, 60);

/// Returns a game of random legal moves: the same for the same seed and number, on every machine. `number`: its
/// [`SourceGame::number`].
pub fn random_game(seed: u64, number: usize) -> SourceGame {
    let mut rng = Rng::new(seed, number as u64);
    let start = Position::start();
    let (mut position, mut plies) = (start.clone(), Vec::new());
    let length = LENGTHS.0 + rng.below(LENGTHS.1);
    let mut result = rng.pick(&[GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw]);
    for _ in 0..length {
        let Some(mv) = rng.pick(&position.legal_moves()) else { break };
        position = position.play(mv);
        plies.push(GamePly { mv, clock_ms: None });
    }
    match position.ending() {
        Some(Ending::Checkmate) => {
            let winner = position.winner();
            result = winner.map(|winner| if winner == Color::White { GameResult::WhiteWins } else { GameResult::BlackWins });
        }
        Some(Ending::Stalemate) => result = Some(GameResult::Draw),
        None => {}
    }
    SourceGame {
        number,
        title: format!("Random game {number}"),
        white: String::new(),
        black: String::new(),
        date: String::new(),
        start,
        plies,
        result,
        signalled: false,
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_games_are_legal_and_the_same_for_the_same_seed() {
        for number in 1..20 {
            let game = random_game(7, number);
            let again = random_game(7, number);
            assert_eq!(game.plies, again.plies);
            let mut position = game.start.clone();
            for ply in &game.plies {
                assert!(position.is_legal(ply.mv));
                position = position.play(ply.mv);
            }
            assert!(game.result.is_some() && !game.plies.is_empty());
        }
        assert_ne!(random_game(7, 1).plies, random_game(8, 1).plies);
    }
}
