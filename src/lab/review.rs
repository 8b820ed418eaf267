//! What the review of a finished game proposes, compared with what was played: `score --review`.

use crate::boards::Millis;
use crate::game::{AlertKind, Command, Event, GameResult, Order};
use crate::lab::options::{SimulationOptions, UnknownBoard};
use crate::lab::run::{self, VirtualCable};
use crate::simulate::pgn::SourceGame;
use crate::table::{Input, Settings, Table};
use serde::Serialize;

/// Time from the end of the game to the result, in milliseconds.
const RESULT_DELAY: Millis = 5_000;
/// Maximum duration of a review, in milliseconds.
const MAX_DURATION: Millis = 600_000;

/// The review of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewOutcome {
    /// Whether the record equalled the truth.
    pub was_exact: bool,
    /// Whether the proposal equals the truth; `None`: nothing was proposed.
    pub is_right: Option<bool>,
}

/// The reviews of many games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReviewFigures {
    /// Number of games whose record was wrong.
    pub wrong: u64,
    /// Those for which exactly what was played is proposed.
    pub mended: u64,
    /// Those for which something else is proposed.
    pub other: u64,
    /// Number of games whose record was exact.
    pub exact: u64,
    /// Those for which other moves are proposed.
    pub misled: u64,
}

impl ReviewFigures {
    /// Sums up the reviews of many games.
    pub fn of(outcomes: impl Iterator<Item = ReviewOutcome>) -> ReviewFigures {
        let mut figures = ReviewFigures::default();
        for outcome in outcomes {
            let counter = match (outcome.was_exact, outcome.is_right) {
                (false, Some(true)) => Some(&mut figures.mended),
                (false, Some(false)) => Some(&mut figures.other),
                (true, Some(_)) => Some(&mut figures.misled),
                (_, None) => None,
            };
            counter.into_iter().for_each(|counter| *counter += 1);
            let games = if outcome.was_exact { &mut figures.exact } else { &mut figures.wrong };
            *games += 1;
        }
        figures
    }
}

/// Follows a simulated game to its end, where the pieces stay as they are, sets its result, and waits for the review.
///
/// # Errors
/// If there is no such board.
pub fn review(
    game: &SourceGame,
    seed: u64,
    options: &SimulationOptions,
    settings: &Settings,
) -> Result<ReviewOutcome, UnknownBoard> {
    let model = options.model()?;
    let simulation = options.simulation(game, seed)?.without_aftermath();
    let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let over_at = simulation.ends_at() + RESULT_DELAY;
    let mut table = Table::new(settings.clone());
    run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, over_at, &mut |_, _| {});
    let command = Command::Result { result: Some(GameResult::Draw) };
    table.handle(over_at, Input::Order(Order { command, by: "score".to_owned() }));
    let moves = |table: &Table| -> Vec<String> {
        table.record().map_or_else(Vec::new, |record| record.plies.iter().map(|ply| ply.played.uci.clone()).collect())
    };
    let recorded = moves(&table);
    let mut is_right = None;
    while let Some(due) = table.next_deadline().filter(|due| *due <= over_at + MAX_DURATION) {
        for stamped in table.advance(due).events {
            if let Event::AlertRaised(alert) = &stamped.event
                && alert.kind == AlertKind::CorrectionProposed
            {
                let kept = recorded.iter().take(alert.ply.saturating_sub(1) as usize);
                is_right = Some(kept.chain(&alert.proposed).eq(&truth));
            }
        }
    }
    Ok(ReviewOutcome { was_exact: recorded == truth, is_right })
}
