//! What is needed to undo a command after play has gone on: the table as it was before the command, and what it has received since.
//! Carried out again without the command, that gives the game as it would be.

use super::{Input, Table};
use crate::boards::Millis;
use crate::game::{Command, Order};
use std::sync::Arc;

/// Maximum number of inputs kept, in all: a game of five hours with a clock that reports every second.
const MAX_INPUTS: usize = 20_000;
/// Maximum number of commands with a checkpoint: as many as can be undone.
const MAX_CHECKPOINTS: usize = 4;

/// The last commands that can change moves, and everything that the table has received since the first of them.
#[derive(Clone, Default)]
pub(super) struct UndoLog {
    /// Oldest first.
    checkpoints: Vec<Checkpoint>,
    /// Shared with the copies that previews make.
    inputs: Arc<Vec<(Millis, Input)>>,
}

/// A table before a command.
#[derive(Clone)]
struct Checkpoint {
    command: Command,
    table: Arc<Table>,
    /// The command's index in the inputs.
    index: usize,
}

impl UndoLog {
    /// Records a reading or a change of the link.
    pub(super) fn note_input(&mut self, now: Millis, input: &Input) {
        if self.checkpoints.is_empty() || matches!(input, Input::Order(_)) {
            return;
        }
        self.push(now, input.clone());
    }

    /// Records an order that was carried out. `before`: the table before it, if it changes moves.
    pub(super) fn note_order(&mut self, now: Millis, order: Order, before: Option<Table>) {
        if let Some(table) = before {
            if self.checkpoints.len() == MAX_CHECKPOINTS {
                self.drop_oldest();
            }
            let (command, index) = (order.command.clone(), self.inputs.len());
            self.checkpoints.push(Checkpoint { command, table: Arc::new(table), index });
        }
        if !self.checkpoints.is_empty() {
            self.push(now, Input::Order(order));
        }
    }

    /// Records that this command was undone: it counts as never given.
    pub(super) fn note_undone(&mut self, undone: &Command) {
        let is_order = |(_, input): &(Millis, Input)| matches!(input, Input::Order(order) if order.command == *undone);
        let Some(index) = self.inputs.iter().rposition(is_order) else { return };
        Arc::make_mut(&mut self.inputs).remove(index);
        self.checkpoints.retain(|checkpoint| checkpoint.index != index);
        let later = self.checkpoints.iter_mut().filter(|checkpoint| checkpoint.index > index);
        later.for_each(|checkpoint| checkpoint.index -= 1);
        if self.checkpoints.is_empty() {
            self.inputs = Arc::default();
        }
    }

    /// Forgets everything: another game has begun.
    pub(super) fn clear(&mut self) {
        *self = UndoLog::default();
    }

    /// Returns the table before the last command that changes moves, and what it has received since, if that is this command.
    pub(super) fn before_last(&self, command: &Command) -> Option<(Table, &[(Millis, Input)])> {
        let last = self.checkpoints.last().filter(|checkpoint| checkpoint.command == *command)?;
        Some((Table::clone(&last.table), self.inputs.get(last.index + 1..)?))
    }

    /// The same for an order that set a position, and thereby ended a game.
    pub(super) fn before_position(&self) -> Option<(Table, &[(Millis, Input)])> {
        let last = self.checkpoints.last().filter(|last| matches!(last.command, Command::Position { .. }))?;
        self.before_last(&last.command)
    }

    fn push(&mut self, now: Millis, input: Input) {
        if self.inputs.len() == MAX_INPUTS {
            self.drop_oldest();
        }
        if !self.checkpoints.is_empty() {
            Arc::make_mut(&mut self.inputs).push((now, input));
        }
    }

    /// Removes the oldest checkpoint, and the inputs before the next one.
    fn drop_oldest(&mut self) {
        self.checkpoints.remove(0);
        let kept = self.checkpoints.first().map_or(self.inputs.len(), |next| next.index);
        Arc::make_mut(&mut self.inputs).drain(..kept);
        self.checkpoints.iter_mut().for_each(|checkpoint| checkpoint.index -= kept);
    }
}
