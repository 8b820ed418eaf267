//! The output of `score --causes`.

use super::Job;
use crate::lab::causes::{Cause, CauseCount, count_causes};
use crate::lab::score::Outcome;
use crate::wire::Word;
use serde::Serialize;

/// Why games ended wrong.
#[derive(Serialize)]
pub(super) struct Causes {
    counts: Vec<CauseCount>,
    games: Vec<WrongGame>,
}

/// A game that ended wrong.
#[derive(Serialize)]
struct WrongGame {
    file: String,
    game: usize,
    seed: u64,
    #[serde(flatten)]
    cause: Cause,
}

impl Causes {
    /// Sums up; outcomes are in the order of the jobs.
    pub(super) fn of(jobs: &[Job], outcomes: &[Outcome]) -> Causes {
        let wrong_game = |(job, outcome): (&Job, &Outcome)| {
            Some(WrongGame { file: job.file.to_owned(), game: job.game.number, seed: job.seed, cause: outcome.cause? })
        };
        Causes {
            counts: count_causes(outcomes.iter().filter_map(|outcome| outcome.cause.as_ref())),
            games: jobs.iter().zip(outcomes).filter_map(wrong_game).collect(),
        }
    }

    /// Prints the counts, and a line for each game.
    pub(super) fn print(&self) {
        println!("  {:<28} {:<18} {:>9}", "why games ended wrong", "what happened", "games");
        for CauseCount { loss, circumstance, games } in &self.counts {
            println!("    {:<26} {:<18} {games:>9}", words(*loss), words(*circumstance));
        }
        for WrongGame { file, game, seed, cause: Cause { loss, circumstance, ply, at, excess } } in &self.games {
            let excess = excess.map_or(String::new(), |excess| format!(", {excess}/16 bit beyond the likeliest line"));
            println!(
                "{file}, game {game}, seed {seed}: ply {ply} at {at} ms: {}, {}{excess}",
                words(*loss),
                words(*circumstance)
            );
        }
    }
}

/// Returns the words for a value.
fn words(value: impl Word) -> String {
    value.word().replace('_', " ")
}
