//! Orders of an arbiter or a player.

use super::game::TableGame;
use super::pending_position::PendingPosition;
use super::{Output, Table};
use crate::boards::Millis;
use crate::game::event::{Event, Rotation};
use crate::game::{Answer, Command, CorrectionReason, Order, Refusal};
use crate::infer::{DetectedStart, ObservedBoard, rotated};
use crate::laws::Position;
use shakmaty::Bitboard;

impl Table {
    /// Carries out an order.
    pub(super) fn execute_order(&mut self, now: Millis, order: Order, output: &mut Output) -> Result<Answer, Refusal> {
        if let Command::Position { fen } = &order.command {
            let position =
                Position::from_fen(fen, self.settings.chess960).map_err(|error| Refusal::BadFen(error.to_string()))?;
            self.set_position(now, position, order, output);
            return Ok(Answer::Done);
        }
        if self.game.is_none() {
            return Err(Refusal::NoGame);
        }
        let takes_back = matches!(order.command, Command::TakeBack { .. } | Command::Restore { .. });
        let amends = matches!(order.command, Command::Replace { .. } | Command::Insert { .. } | Command::Undo {});
        let restores = amends || matches!(order.command, Command::Restore { .. });
        let resumes = amends || matches!(order.command, Command::Pause { paused: false });
        let mut answer = Err(Refusal::NoGame);
        let placement = *self.sense.placement();
        self.with_game(output, |game, context, output| {
            answer = game.order(now, order, &placement, context, output);
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
