//! Orders of an arbiter or a player.

use super::game::TableGame;
use super::pending_position::PendingPosition;
use super::{Output, Table};
use crate::boards::Millis;
use crate::game::event::{Event, Rotation};
use crate::game::record::{Ply, PriorState};
use crate::game::{Answer, Command, CorrectionReason, Order, Record, Refusal};
use crate::infer::{DetectedStart, ObservedBoard, rotated};
use crate::laws::Position;
use shakmaty::Bitboard;

impl Table {
    /// Carries out an order and replies to it.
    #[inline(never)] // rarely called, and its stack frame holds copies of the table
    pub(super) fn handle_order(&mut self, now: Millis, order: Order, output: &mut Output) {
        let reply = self.execute_and_log_order(now, order, output);
        output.reply = Some(Box::new(reply));
    }

    /// Carries out an order, and keeps what is needed to undo it after play has gone on.
    fn execute_and_log_order(&mut self, now: Millis, order: Order, output: &mut Output) -> Result<Answer, Refusal> {
        let can_be_undone = order.by != Order::HUB;
        let changes_moves = can_be_undone && (order.command.spec().rewrites || matches!(order.command, Command::Adjust { .. }));
        let is_undo = order.command == Command::Undo {};
        let before = (changes_moves && !is_undo).then(|| self.without_past());
        let answer = self.execute_order(now, order.clone(), output)?;
        match &answer {
            Answer::Undone(undone) => self.undo_log.note_undone(undone),
            _ => self.undo_log.note_order(now, order, before),
        }
        Ok(answer)
    }

    /// Returns the record as it would be now if the last command had not been given, if that is what an undo restores. `None`: the
    /// record before the command is restored as it was; or this is not known, because touchmoved was restarted since, or too much
    /// has happened.
    fn record_without_last_command(&self, now: Millis) -> Option<Record> {
        let record = self.record()?;
        let last = record.changes.last()?;
        let (mut table, inputs) = self.undo_log.before_last(&last.command)?;
        let before = table.record()?.clone();
        for (at, input) in inputs {
            table.handle(*at, input.clone());
        }
        table.advance(now);
        let replayed =
            table.record().filter(|other| other.start_fen == before.start_fen && other.started_at == before.started_at)?;
        let is_usable = match last.before {
            PriorState::Adjusting => true,
            // The players went on from the position before the command, as if it had not been given.
            PriorState::Moves { .. } if !last.moved => continues(&before.plies, &replayed.plies),
            // Otherwise they went on from the position that the command set, and nothing else can be restored.
            PriorState::Moves { .. } => !is_same_line(&record.plies, &replayed.plies),
            PriorState::Result { .. } => last.moved,
            _ => false,
        };
        is_usable.then(|| replayed.clone())
    }

    /// Carries out an order.
    fn execute_order(&mut self, now: Millis, order: Order, output: &mut Output) -> Result<Answer, Refusal> {
        if let Command::Position { fen } = &order.command {
            let position = Position::from_fen(fen, self.settings.chess960)
                .map_err(|error| Refusal::BadFen { error: error.to_string() })?;
            self.set_position(now, position, order, output);
            return Ok(Answer::Done);
        }
        if self.game.is_none() {
            return Err(Refusal::NoGame);
        }
        let takes_back = matches!(order.command, Command::TakeBack { .. } | Command::Restore { .. });
        let amends = matches!(
            order.command,
            Command::Replace { .. } | Command::Insert { .. } | Command::Adopt { .. } | Command::Undo {}
        );
        let restores = amends || matches!(order.command, Command::Restore { .. });
        let resumes = amends || matches!(order.command, Command::Pause { paused: false });
        let mut answer = Err(Refusal::NoGame);
        let placement = *self.sense.placement();
        let is_undo = order.command == Command::Undo {};
        let replayed = if is_undo { self.record_without_last_command(now) } else { None };
        self.with_game(output, |game, context, output| {
            answer = if is_undo {
                game.undo(now, order, replayed.as_ref(), &placement, context, output)
            } else {
                game.order(now, order, &placement, context, output)
            };
            game.judge_dead(now, output);
        });
        let has_missing_moves = self.gap.plies_at_loss().is_some_and(|plies| self.has_missing_moves_after(plies));
        if (takes_back || amends || has_missing_moves) && answer.is_ok() {
            self.gap.stop_requesting();
        }
        if takes_back && answer.is_ok() {
            // Nothing is inferred from a board that has not been touched since.
            self.quiet.stop();
        }
        if resumes && answer.is_ok() {
            // The board is re-evaluated.
            self.quiet.run_again();
        }
        if restores && answer.is_ok() {
            // Squares that were published as different must agree, too.
            let reported = self.pending_position.take().map_or(Bitboard::EMPTY, |pending| pending.reported());
            self.pending_position = self.game.as_ref().and_then(|game| PendingPosition::to_restore(game, reported));
            if self.sense.is_complete() {
                self.publish_differences(now, output);
            }
        }
        answer
    }

    /// Begins a game from this position, which an order set.
    fn set_position(&mut self, now: Millis, position: Position, order: Order, output: &mut Output) {
        let seen = |rotation| ObservedBoard::from_placement(&rotated(self.sense.placement(), rotation), self.settings.sensing);
        let fits = |rotation| seen(rotation).mismatch(position.board()).is_empty();
        let turned = self.rotation.is_none() && !fits(Rotation::Upright) && fits(Rotation::Turned);
        let rotation = self.rotation.unwrap_or(if turned { Rotation::Turned } else { Rotation::Upright });
        let board = position.board().clone();
        // A position with a move number above 1, or one set during a game, starts without earlier moves.
        let play = self
            .detached_play
            .take()
            .filter(|_| self.game.as_ref().is_none_or(TableGame::is_over) && position.fullmoves() == 1);
        let continuation = play.as_ref().and_then(|play| play.leads_to(&position)).filter(|_| fits(rotation));
        let (from, moves) = continuation.map_or((position.clone(), Vec::new()), |(from, moves)| (from.clone(), moves));
        self.begin(now, DetectedStart::new(rotation, from), output);
        self.quiet.restart(now);
        output.emit(now, Event::Commanded { command: order.command, by: order.by });
        self.pending_position = Some(PendingPosition::new(board));
        self.with_game(output, |game, context, output| {
            game.add_moves(now, &moves, CorrectionReason::Arbiter, context, output);
            game.restore_board(now);
        });
        if self.sense.is_complete() {
            self.publish_differences(now, output);
        } else if let Some(game) = &mut self.game {
            game.begin_without_placement(now);
        }
    }
}

/// Whether a record has moves after these.
fn continues(before: &[Ply], after: &[Ply]) -> bool {
    after.get(..before.len()).is_some_and(|same| after.len() > before.len() && is_same_line(before, same))
}

/// Whether the moves are the same.
fn is_same_line(one: &[Ply], other: &[Ply]) -> bool {
    one.iter().map(|ply| &ply.played.uci).eq(other.iter().map(|ply| &ply.played.uci))
}
