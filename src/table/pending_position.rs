//! A position that was set by an order and that the board does not show yet.

use super::game::TableGame;
use super::{Output, Table};
use crate::boards::Millis;
use crate::game::StampedEvent;
use crate::game::command::Command;
use crate::game::event::{Difference, Event, Rotation};
use crate::infer::{ObservedBoard, rotated};
use shakmaty::{Bitboard, Board};

/// A position that was set by an order and that the board did not show at that time.
#[derive(Clone)]
pub(super) struct PendingPosition {
    board: Board,
    /// The number of plies that led to the position.
    plies: usize,
    /// The squares last published as different.
    reported: Bitboard,
}

impl PendingPosition {
    /// Creates the position with which a game began.
    pub(super) fn new(board: Board) -> PendingPosition {
        PendingPosition { board, plies: 0, reported: Bitboard::EMPTY }
    }

    /// Returns the position that must be restored on the board, or that must agree again after `reported` was published as
    /// different.
    pub(super) fn to_restore(game: &TableGame, reported: Bitboard) -> Option<PendingPosition> {
        let position = game.to_restore().or_else(|| game.published().position().filter(|_| reported.any()))?;
        Some(PendingPosition { board: position.board().clone(), plies: game.record().plies.len(), reported })
    }

    /// Returns the squares last published as different.
    pub(super) fn reported(&self) -> Bitboard {
        self.reported
    }

    /// Compares the board with the position. `plies`: the number of plies on record; once a move was made, nothing differs.
    /// Returns the differing squares if they are not those last published.
    fn update(&mut self, seen: &ObservedBoard, plies: Option<usize>) -> Option<Vec<Difference>> {
        let has_moved = plies.is_some_and(|plies| plies != self.plies);
        let wrong = if has_moved { Bitboard::EMPTY } else { seen.mismatch(&self.board) };
        let difference = |square| Difference { square, expected: self.board.piece_at(square), seen: seen.at(square) };
        let is_new = std::mem::replace(&mut self.reported, wrong) != wrong;
        is_new.then(|| wrong.into_iter().map(difference).collect())
    }
}

impl Table {
    /// Publishes which squares still differ from the position that was set by an order.
    pub(super) fn publish_differences(&mut self, now: Millis, output: &mut Output) {
        let Some(pending) = &mut self.pending_position else { return };
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let seen = ObservedBoard::from_placement(&rotated(self.sense.placement(), rotation), self.settings.sensing);
        if let Some(squares) = pending.update(&seen, self.game.as_ref().map(|game| game.record().plies.len())) {
            output.emit(now, Event::Displaced { squares });
        }
        if pending.reported.is_empty() {
            self.pending_position = None;
        }
    }
}

/// Whether an order that set the position began the last game of these events.
pub(super) fn is_position_set_by_order(events: &[StampedEvent]) -> bool {
    let set_by_order = events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::Commanded { command: Command::Position { .. }, .. } => Some(true),
        Event::GameStarted { .. } => Some(false),
        _ => None,
    });
    set_by_order == Some(true)
}
