//! What the public sees of a game: no move before the delay.

use super::*;

/// The delay of the public: far longer than a step, so that a move that is shown at once is noticed.
const DELAY: Duration = Duration::from_secs(4);

/// The configuration of the hub.
pub fn config() -> String {
    format!("[broadcast]\ndelay_s = {}\n", DELAY.as_secs())
}

/// When each move of a game was played.
#[derive(Default)]
pub struct Public {
    played: Vec<Instant>,
}

impl Public {
    /// The next move is about to be played.
    pub fn played(&mut self) {
        self.played_at(Instant::now());
    }

    /// The next move was played at this time, or a little later.
    pub fn played_at(&mut self, at: Instant) {
        self.played.push(at);
    }

    /// Checks what the public sees now.
    pub async fn check(&self, spectator: &Client, board: &str) {
        let seen = seen(spectator, board).await.unwrap_or(0);
        if let Some(last) = seen.checked_sub(1) {
            let age = self.played[last].elapsed();
            assert!(age >= DELAY, "the public sees move {seen} on {board} after {age:?}");
        }
    }

    /// Waits until the public sees all moves, and never one too early.
    pub async fn wait(&self, spectator: &Client, board: &str, moves: usize) {
        until(&format!("the public sees {moves} moves on {board}"), async || {
            self.check(spectator, board).await;
            (seen(spectator, board).await? == moves).then_some(())
        })
        .await;
    }
}

/// Returns the number of moves that the public sees on a board; `None`: it sees no game, or nobody answers.
async fn seen(spectator: &Client, board: &str) -> Option<usize> {
    let snapshot = spectator.snapshot().await.ok()?;
    snapshot.games.iter().filter(|game| game.board == board).max_by_key(|game| game.id).map(|game| game.moves.len())
}
