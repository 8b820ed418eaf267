//! Recovery of what was played while the link was down, from the board's own memory.
//!
//! The memory is a log without times. It is aligned with what is known: the last point of the log at which the squares were as they
//! were last seen, and from which the log leads to the current placement. Everything after that point was missed.

mod align;
mod steps;

use super::clock::Press;
use super::game::TableGame;
use super::gap::{Gap, GapTask, QueuedReading, Retry};
use super::{Output, Table};
use crate::boards::{BoardCommand, MemoryEntry, Millis, Placement, SensorKind, SquareState};
use crate::game::ClockTime;
use crate::game::event::{ClockTimes, Rotation};
use crate::infer::{ObservedBoard, REST_TAKEBACK, rotated};
use crate::laws::Position;
use align::{align, first_unlogged_move};
use shakmaty::Color;
use steps::{Step, steps};

impl Table {
    /// After a gap, requests the board's memory if the current placement cannot be explained without it. Until the reply, for at
    /// most `MEMORY_TIMEOUT`, the game is not followed. Returns whether the memory was requested.
    pub(super) fn request_memory(&mut self, now: Millis, placement: &Placement, output: &mut Output) -> bool {
        let Some(lost) = self.gap.lost() else { return false };
        if lost.shown.as_ref() == Some(placement) || self.is_placement_explained(placement) {
            self.gap = Gap::default();
            return false;
        }
        self.gap.note_request(now, *placement);
        output.commands.push(BoardCommand::Memory);
        true
    }

    /// Whether the record explains the placement, or there is no game in progress.
    fn is_placement_explained(&self, placement: &Placement) -> bool {
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let explains = |position: &Position| is_explained(position, &rotated(placement, rotation), self.settings.sensing);
        self.game
            .as_ref()
            .is_none_or(|game| game.is_over() || game.published().position().is_none_or(|position| explains(&position)))
    }

    /// Whether the record of the game in progress has missing moves after this number of plies.
    pub(super) fn has_missing_moves_after(&self, lost: usize) -> bool {
        self.game.as_ref().is_some_and(|game| game.published().last_missing() > lost && !game.is_over())
    }

    /// Runs a deadline of the gap.
    pub(super) fn run_gap(&mut self, now: Millis, output: &mut Output) {
        match self.gap.take_task() {
            Some(GapTask::TimeOut) => self.handle_memory(now, &[], output),
            Some(GapTask::Alert) => {
                let placement = *self.sense.placement();
                self.with_game(output, |game, context, output| game.alert_memory_awaited(now, &placement, context, output));
            }
            Some(GapTask::Repeat(retry)) => self.retry_request(now, retry, output),
            None => {}
        }
    }

    /// Requests the memory again if the record still does not agree with the board.
    fn retry_request(&mut self, now: Millis, retry: Retry, output: &mut Output) {
        let placement = self.sense.is_complete().then(|| *self.sense.placement());
        if placement.is_some_and(|placement| self.is_placement_explained(&placement)) {
            // If moves are missing on record, the memory may still contain them.
            let lost = self.gap.plies_at_loss().unwrap_or(usize::MAX);
            if retry.is_last() || !self.has_missing_moves_after(lost) {
                self.gap = Gap::default();
                return;
            }
        }
        self.gap.note_repetition(now, retry, placement);
        if placement.is_some() {
            output.commands.push(BoardCommand::Memory);
        }
    }

    /// Processes the board's memory, or an empty log if it did not arrive: the game is continued through what was missed.
    pub(super) fn handle_memory(&mut self, now: Millis, log: &[MemoryEntry], output: &mut Output) {
        // Readings sent while the memory was being transferred may have been lost.
        output.commands.push(BoardCommand::Placement);
        // Without a request it comes too late.
        let Some((lost, request, retry)) = self.gap.take_request() else { return };
        let since = lost.at;
        let present = *self.sense.placement();
        if retry.is_some() && self.is_placement_explained(&present) && !self.has_missing_moves_after(lost.plies) {
            return; // The moves were found without it.
        }
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        output.earliest_timestamp = now;
        // The newest entry may be older or newer than the first reading after the gap.
        let mut shown = request.placement;
        let mut to = vec![shown];
        for (_, reading) in &request.since {
            if let QueuedReading::Changed { edges, .. } = reading {
                edges.iter().for_each(|edge| shown[edge.square as usize] = edge.now);
            }
            to.push(shown);
        }
        let recorded =
            self.game.as_ref().map(|game| rotated(&placement(&game.published().position_after(lost.plies)), rotation));
        let from: Vec<Placement> = lost.shown.into_iter().chain(recorded).collect();
        let newest_first: Vec<Placement> = to.iter().rev().copied().collect();
        let (mut followed, mut doubtful) = (0, None);
        match align(log, &from, &newest_first) {
            Some(found) => {
                followed = to.len() - 1 - found.to;
                // If the log does not end with a press, the press came after it.
                let is_press_logged = matches!(log.last(), Some(MemoryEntry::ClockPressed { .. }));
                while !is_press_logged
                    && followed > 0
                    && matches!(request.since.get(followed - 1), Some((_, QueuedReading::Pressed(_))))
                {
                    followed -= 1;
                }
                let until = followed.checked_sub(1).and_then(|last| request.since.get(last)).map_or(request.at, |(at, _)| *at);
                let (Some(known), Some(missed)) = (from.get(found.from), log.get(found.known..)) else { return };
                if retry.is_some() {
                    // What was inferred in the meantime did not use the memory.
                    self.with_game(output, |game, _, _| game.refollow_from(since, lost.plies));
                }
                let steps = steps(missed, known, since, until, |half| self.clock.color(half, rotation));
                self.replay(now, since, known, steps, output);
                let before = log.get(..found.known).unwrap_or_default();
                let landings = self.game.as_ref().and_then(|game| game.published().landings(lost.plies)).unwrap_or_default();
                let on_board: Vec<_> = landings.into_iter().map(|(square, piece)| (rotation.apply(square), piece)).collect();
                let faulty = self
                    .game
                    .as_ref()
                    .map(TableGame::published_faulty_squares)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|at| rotation.apply(at));
                // If squares differ, the last move may also have been another one.
                let last = (found.wrong > 0).then(|| lost.plies.saturating_sub(1));
                doubtful = first_unlogged_move(before, &on_board, faulty.collect()).or(last);
                let edges = self.sense.update_placement(until, &to[followed]);
                self.with_game(output, |game, context, output| game.handle_changes(until, &edges, true, context, output));
            }
            None => {
                self.gap.schedule_retry(now, lost, retry);
                if retry.is_some() {
                    return; // The game was followed all the time.
                }
                self.handle_first_placement(request.at, &request.placement, output);
                self.with_game(output, |game, _, _| game.begin_lag_after_gap(request.at));
            }
        }
        for (at, reading) in request.since.iter().skip(followed) {
            match reading {
                QueuedReading::Changed { edges, from_placement } => self.with_game(output, |game, context, output| {
                    game.handle_changes(*at, edges, *from_placement, context, output);
                    // It was queued behind the memory on the link for an unknown time.
                    game.mark_from_memory();
                }),
                QueuedReading::Pressed(press) => self.handle_press(*at, *press, output),
            }
        }
        self.with_game(output, |game, _, output| {
            if let Some(from) = doubtful {
                game.alert_unconfirmed_plies(now, from, output);
            }
            game.mark_delayed_until(now + crate::infer::model::SCAN_TIME);
        });
        self.sense.update_placement(now, &present);
        self.quiet.run_again();
        self.start_if_set_up(now, 0, output);
    }

    /// Follows the game from this placement through what was missed.
    fn replay(&mut self, now: Millis, since: Millis, from: &Placement, steps: Vec<(Millis, Step)>, output: &mut Output) {
        self.sense.update_placement(since, from);
        self.with_game(output, |game, context, output| game.handle_first_placement(since, from, context, output));
        let mut clocks = ClockTimes::default();
        let mut last = since;
        for (at, step) in steps {
            let quiet = at.saturating_sub(last);
            if quiet >= REST_TAKEBACK && self.game.as_ref().is_some_and(TableGame::needs_quiet_evaluation) {
                self.with_game(output, |game, context, output| game.handle_quiet(at, REST_TAKEBACK, context, output));
            }
            last = at;
            if let Some(due) = self.kings_deadline().filter(|&due| due <= at) {
                self.with_game(output, |game, context, output| game.handle_kings_signal(due, context, output));
            }
            match step {
                Step::Square(square, sensed) => {
                    if let Some(edge) = self.sense.update_square(at, square, sensed) {
                        self.with_game(output, |game, context, output| {
                            game.handle_changes(at, &[edge], false, context, output);
                            game.mark_from_memory();
                        });
                    }
                }
                Step::Placement(placement) => {
                    let edges = self.sense.update_placement(at, &placement);
                    self.with_game(output, |game, context, output| game.handle_changes(at, &edges, true, context, output));
                }
                Step::Press(by, ms) => {
                    let time = Some(ClockTime { ms, resolution_ms: 1000, age_ms: 0 });
                    match by {
                        Color::White => clocks.white = time,
                        Color::Black => clocks.black = time,
                    }
                    let press = Press { by, at, ran: false, gained: false, clocks };
                    self.handle_press(at, press, output);
                }
                Step::Start => self.start_if_confirmed(now, REST_TAKEBACK, output),
            }
        }
    }
}

/// Whether a position, or one legal move from it, explains the placement, allowing for one more piece in a hand. The placement is
/// in the game's coordinates.
fn is_explained(position: &Position, seen: &Placement, sensing: SensorKind) -> bool {
    let seen = ObservedBoard::from_placement(seen, sensing);
    let fits = |position: &Position| {
        let wrong = seen.mismatch(position.board());
        wrong.count() <= 1 && (wrong & seen.occupied()).is_empty()
    };
    fits(position) || position.legal_moves().into_iter().any(|mv| fits(&position.play(mv)))
}

/// Returns what a board would show in this position, in the game's coordinates.
fn placement(position: &Position) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in position.board().iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}
