//! Why games end wrong: `score --causes`. For each of them, the first ply at which no line of play had the truth, what became of
//! the line that had it until then, and what truly happened on the board there.

mod circumstance;

use crate::boards::{Millis, Reading};
use crate::game::words::words;
use crate::lab::bound;
use crate::lab::options::{SimulationOptions, UnknownBoard};
use crate::lab::run::{self, ReadingTap, RunEvent, VirtualCable};
use crate::lab::score::END_GRACE;
use crate::laws::Move;
use crate::simulate::pgn::SourceGame;
use crate::simulate::script::Script;
use crate::simulate::truth::TruthPly;
use crate::table::{DropReason, LineTrace, Settings, Table};
pub use circumstance::Circumstance;
use serde::Serialize;
use std::collections::BTreeMap;

/// Time after a ply in which it is seen: two scans of the slowest board, in milliseconds.
const SIGHT_TIME: Millis = 600;

/// What became of the line of play that was the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The true move was in no line at any time, although the line before it was followed.
    NeverGrown,
    /// Dropped because of its cost.
    PrunedByMargin,
    /// Dropped because there were too many lines.
    PrunedByCount,
    /// Dropped because the lines together held too many positions.
    PrunedByMemory,
    /// Dropped as the duplicate of a line that had reached the same position.
    Merged,
    /// Dropped because the published line was taken as right.
    Decided,
    /// The last line that had it replaced its own moves, and no copy kept them.
    Replaced,
    /// It was followed to the end of the game, but another line was likelier.
    RankedLower,
    /// It was the likeliest line at the end of the game: what came after the game, or the end of the stream, changed the record.
    AfterTheEnd,
    /// There is no game on record, or its true moves are not all legal.
    NoGame,
}

words! { Loss {
    NeverGrown = "never_grown", PrunedByMargin = "pruned_by_margin", PrunedByCount = "pruned_by_count",
    PrunedByMemory = "pruned_by_memory", Merged = "merged", Decided = "decided", Replaced = "replaced",
    RankedLower = "ranked_lower", AfterTheEnd = "after_the_end", NoGame = "no_game",
} }

/// Why one game ended wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// What became of the truth.
    pub loss: Loss,
    /// What truly happened there.
    pub circumstance: Circumstance,
    /// The ply, from 1; the number of plies if the truth was lost later.
    pub ply: usize,
    /// When the truth was lost, in milliseconds.
    pub at: Millis,
    /// The cost of the truth beyond that of the likeliest line, in sixteenths of a bit, where it was dropped or ranked lower.
    pub excess: Option<i32>,
}

/// The number of games of one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CauseCount {
    /// What became of the truth.
    pub loss: Loss,
    /// What truly happened there.
    pub circumstance: Circumstance,
    /// Number of games.
    pub games: usize,
}

/// Counts the causes, the most frequent first.
pub fn count_causes<'a>(causes: impl Iterator<Item = &'a Cause>) -> Vec<CauseCount> {
    let mut counts: BTreeMap<(Loss, Circumstance), usize> = BTreeMap::new();
    causes.for_each(|cause| *counts.entry((cause.loss, cause.circumstance)).or_default() += 1);
    let mut counts: Vec<CauseCount> =
        counts.into_iter().map(|((loss, circumstance), games)| CauseCount { loss, circumstance, games }).collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.games));
    counts
}

/// Plays a game that ends wrong once more, and returns why it does.
///
/// # Errors
/// If there is no such board.
pub fn find_cause(
    game: &SourceGame,
    seed: u64,
    options: &SimulationOptions,
    settings: Settings,
) -> Result<Cause, UnknownBoard> {
    let model = options.model()?;
    let simulation = options.simulation(game, seed)?;
    let (script, until) = (simulation.script().clone(), simulation.ends_at());
    let end = script.truth.over_at + END_GRACE;
    let no_game = Cause { loss: Loss::NoGame, circumstance: Circumstance::Plain, ply: 0, at: 0, excess: None };
    let Some(moves) = bound::true_moves(&game.start, &script.truth) else { return Ok(no_game) };
    let mut table = Table::tracing(settings, LineTrace::new(moves.clone()));
    let mut tap = ReadingTap::new((model.protocol)());
    let mut at_end: Option<(LineTrace, Option<i32>)> = None;
    let last_ply_at = script.truth.plies.last().map_or(0, |ply| ply.touched_at);
    run::play(&mut VirtualCable::new(simulation), &mut tap, &mut table, until, &mut |now, event| {
        if let RunEvent::Handled(table) = event
            && (last_ply_at..=end).contains(&now)
            && let Some((trace, excess)) = table.line_trace()
        {
            at_end = Some((trace.clone(), excess));
        }
    });
    let Some((trace, excess)) = at_end else { return Ok(no_game) };
    let case = Case { game, moves: &moves, script: &script, readings: tap.readings(), options };
    Ok(case.cause(&trace, excess))
}

/// A game that ended wrong.
struct Case<'a> {
    game: &'a SourceGame,
    moves: &'a [Move],
    script: &'a Script,
    readings: &'a [(Millis, Reading)],
    options: &'a SimulationOptions,
}

impl Case<'_> {
    /// Returns the cause, from what happened to the true line until the end of the game, and from its cost then beyond that of the
    /// likeliest line.
    fn cause(&self, trace: &LineTrace, excess: Option<i32>) -> Cause {
        let plies = trace.plies();
        let over_at = self.script.truth.over_at;
        if excess.is_some() {
            let (loss, circumstance, ply) = match trace.published_plies() {
                published if published == plies.len() => (Loss::AfterTheEnd, Circumstance::AfterTheEnd, published),
                published => (Loss::RankedLower, self.circumstance(published + 1), published + 1),
            };
            return Cause { loss, circumstance, ply, at: over_at, excess };
        }
        // The longest part of the truth that was ever followed.
        let grown = plies.iter().take_while(|ply| ply.followed.is_some()).count();
        let last_at = grown.checked_sub(1).and_then(|index| plies.get(index)?.followed).map_or(0, |(_, last)| last);
        let next = self.script.truth.plies.get(grown);
        let was_seen = |next: &TruthPly| last_at >= next.done_at + SIGHT_TIME || last_at >= over_at;
        if let Some(next) = next.filter(|next| was_seen(next)) {
            let circumstance = self.circumstance(grown + 1);
            return Cause { loss: Loss::NeverGrown, circumstance, ply: grown + 1, at: next.done_at, excess: None };
        }
        let dropped = grown.checked_sub(1).and_then(|index| plies.get(index)?.dropped);
        let loss = match dropped.map(|(reason, _)| reason) {
            None => Loss::Replaced,
            Some(DropReason::Margin) => Loss::PrunedByMargin,
            Some(DropReason::LineCount) => Loss::PrunedByCount,
            Some(DropReason::Memory) => Loss::PrunedByMemory,
            Some(DropReason::Duplicate) => Loss::Merged,
            Some(DropReason::Decided) => Loss::Decided,
        };
        // The first ply that no line has had since.
        let ply =
            plies.iter().position(|ply| ply.followed.is_none_or(|(_, last)| last <= last_at)).map_or(grown, |ply| ply + 1);
        Cause { loss, circumstance: self.circumstance(ply), ply, at: last_at, excess: dropped.map(|(_, excess)| excess) }
    }
}
