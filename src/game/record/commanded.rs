//! What commands themselves change in the record, in addition to the moves and results that are published after them, and how that
//! is undone.

use super::{ClockNote, Ply, Record, RestoredPosition};
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Command, GameResult, Order, PlayedMove, ResultReason};
use crate::laws::CountedAttempt;
use shakmaty::Color;

/// Number of commands that can be undone at one place, last first: people do not remember more, and each may hold the moves of a game.
const MAX_CHANGES: usize = 4;

/// What a command changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The command.
    pub command: Command,
    /// Where it was carried out.
    pub origin: ChangeOrigin,
    /// When it was given.
    pub at: Millis,
    /// The state before it.
    pub before: PriorState,
    /// Moves were made or corrected by readings since then.
    pub moved: bool,
}

/// Where a command was carried out, and so where it can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOrigin {
    /// At the table of the board.
    Table,
    /// At the desk of the hub, about a game of another machine.
    Desk,
}

/// The state before a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriorState {
    /// The record had these moves after the first `kept` plies.
    Moves {
        /// The number of unchanged plies.
        kept: u32,
        /// The other plies.
        plies: Vec<Ply>,
        /// The result.
        result: Option<(GameResult, ResultReason)>,
        /// The position that was being restored.
        restored: Option<RestoredPosition>,
        /// The plies that the arbiter had let stand.
        stood: Vec<u32>,
        /// The alerts about those moves.
        alerts: Vec<Alert>,
    },
    /// The result.
    Result {
        /// The result before.
        result: Option<(GameResult, ResultReason)>,
        /// Whether the game was paused.
        paused: bool,
        /// The open alerts.
        alerts: Vec<Alert>,
    },
    /// The alert was open.
    Alert(Box<Alert>),
    /// Less was counted or noted.
    Less,
    /// This was counted.
    Counted(CountedAttempt),
    /// Whether the game was paused.
    Paused(bool),
    /// No player was adjusting pieces.
    Adjusting,
    /// The Laws that were in force.
    Laws(String),
}

impl Record {
    /// Applies a command that was carried out.
    pub(super) fn apply_command(&mut self, origin: ChangeOrigin, at: Millis, command: &Command, by: &str) {
        match (by, command) {
            (Order::CLOCK, Command::Pause { paused: false }) => self.forget_pause(),
            (Order::CLOCK | Order::HUB, _) => {}
            _ => self.store_change(origin, at, command),
        }
        match command {
            Command::Restore { ply } => {
                // The moves that a touched opponent's piece allows are replies to that ply, not replacements for it.
                let is_about_ply = |alert: &&Alert| alert.ply == *ply && alert.kind != AlertKind::TouchCapture;
                let alert = self.alerts.iter().rev().filter(is_about_ply).find(|alert| !alert.allowed.is_empty());
                self.restored = Some(RestoredPosition {
                    ply: *ply,
                    instead_of: self.ply(*ply).map(|ply| ply.played.clone()),
                    allowed: alert.map(|alert| alert.allowed.clone()).unwrap_or_default(),
                });
            }
            Command::TakeBack { .. } => self.restored = None,
            Command::LetStand { alert: id } => {
                self.let_stand_plies.extend(self.alerts.iter().find(|alert| alert.id == *id).map(|alert| alert.ply));
                self.let_stand_plies.sort_unstable();
            }
            Command::Undo {} => self.undo(origin),
            Command::Count { player, irregularity } => {
                self.tally.add(*player, at, self.plies.len() as u32, *irregularity);
            }
            Command::Strike { player, ply } => {
                if let Some(pressed_at) = self.counted(*player, *ply) {
                    self.tally.remove(*player, pressed_at);
                }
            }
            Command::ClockNote { white_ms, black_ms, note } => {
                let (ply, note) = (self.plies.len() as u32, note.clone());
                self.notes.push(ClockNote { at, ply, white_ms: *white_ms, black_ms: *black_ms, note });
            }
            Command::Pause { paused } => self.paused = *paused,
            Command::Laws { laws } => self.laws = laws.to_string(),
            Command::Tags { tags } => self.tags.clone_from(tags),
            // A game that has a result is not paused.
            Command::Result { result } => self.paused = self.paused && result.is_none(),
            Command::Position { .. }
            | Command::Promotion { .. }
            | Command::Adjust { .. }
            | Command::Acknowledge { .. }
            | Command::Replace { .. }
            | Command::Insert { .. }
            | Command::Adopt { .. }
            | Command::Claim { .. } => {}
        }
    }

    /// Stores the state that this command is about to change.
    pub(super) fn store_change(&mut self, origin: ChangeOrigin, at: Millis, command: &Command) {
        let alert = |id: u32| Some(PriorState::Alert(Box::new(self.alerts.iter().find(|alert| alert.id == id)?.clone())));
        let known = self.plies.len() as u32;
        let before = match command {
            Command::TakeBack { plies } => Some(self.moves_from(known.saturating_sub(*plies))),
            Command::Restore { ply } => Some(self.moves_from(ply.saturating_sub(1))),
            Command::Replace { ply, .. } | Command::Insert { ply, .. } | Command::Promotion { ply: Some(ply), .. } => {
                Some(self.moves_from(ply.saturating_sub(1)))
            }
            Command::Adopt { alert: id } => {
                let alert = self.alerts.iter().find(|alert| alert.id == *id);
                alert.map(|alert| self.moves_from(alert.ply.saturating_sub(1)))
            }
            Command::Promotion { ply: None, .. } => {
                let promotion = |ply: &Ply| ply.played.uci.len() == 5;
                Some(self.moves_from(self.plies.iter().rposition(promotion).unwrap_or_default() as u32))
            }
            Command::Result { .. } => {
                Some(PriorState::Result { result: self.result, paused: self.paused, alerts: self.alerts.clone() })
            }
            Command::Acknowledge { alert: id } | Command::LetStand { alert: id } => alert(*id),
            Command::Count { .. } | Command::ClockNote { .. } => Some(PriorState::Less),
            Command::Strike { player, ply } => {
                let counted = self.tally.of(*player).iter().rev().find(|counted| counted.ply == *ply);
                counted.cloned().map(PriorState::Counted)
            }
            Command::Pause { .. } => Some(PriorState::Paused(self.paused)),
            Command::Laws { .. } => Some(PriorState::Laws(self.laws.clone())),
            // Pairings set the players, too, so this does not become the arbiter's last command.
            Command::Tags { .. } => None,
            Command::Adjust { .. } => Some(PriorState::Adjusting),
            Command::Position { .. } | Command::Claim { .. } | Command::Undo {} => None,
        };
        let Some(before) = before else { return };
        self.changes.push(Change { command: command.clone(), origin, at, before, moved: false });
        let is_same_origin = |change: &Change| change.origin == origin;
        if self.changes.iter().filter(|change| is_same_origin(change)).count() > MAX_CHANGES
            && let Some(oldest) = self.changes.iter().position(is_same_origin)
        {
            self.changes.remove(oldest);
        }
    }

    /// Removes the pause from the commands that can be undone, because the clock has ended it.
    pub(super) fn forget_pause(&mut self) {
        if let Some(last) = self.changes.iter().rposition(|change| change.command == Command::Pause { paused: true }) {
            self.changes.remove(last);
        }
    }

    fn moves_from(&self, kept: u32) -> PriorState {
        PriorState::Moves {
            kept,
            plies: self.plies.iter().skip(kept as usize).cloned().collect(),
            result: self.result,
            restored: self.restored.clone(),
            stood: self.let_stand_plies.clone(),
            alerts: self.alerts.iter().filter(|alert| alert.ply > kept && alert.is_about_moves()).cloned().collect(),
        }
    }

    /// Returns what an undo there would undo: the last command that was carried out there.
    pub fn last_change(&self, origin: ChangeOrigin) -> Option<&Change> {
        self.changes.iter().rfind(|change| change.origin == origin)
    }

    /// Restores the state before the last command that was carried out there. Moves and results are published separately.
    pub(super) fn undo(&mut self, origin: ChangeOrigin) {
        let Some(last) = self.changes.iter().rposition(|change| change.origin == origin) else { return };
        let Change { command, at, before, moved, .. } = self.changes.remove(last);
        match (before, command) {
            // The moves are published after this, including those that were let stand. Once play has gone on, no position is being
            // restored any more.
            (PriorState::Moves { restored, stood, .. }, _) => {
                (self.restored, self.let_stand_plies) = (restored.filter(|_| !moved), stood);
            }
            (PriorState::Alert(alert), Command::LetStand { .. }) => self.let_stand_plies.retain(|ply| *ply != alert.ply),
            (PriorState::Less, Command::Count { player, .. }) => _ = self.tally.remove(player, at),
            (PriorState::Less, _) => _ = self.notes.pop(),
            (PriorState::Counted(counted), Command::Strike { player, .. }) => {
                for what in counted.irregularities {
                    self.tally.add(player, counted.pressed_at, counted.ply, what);
                }
            }
            (PriorState::Paused(paused), _) => self.paused = paused,
            (PriorState::Result { result, paused, .. }, _) => self.paused = paused && result.is_none(),
            (PriorState::Laws(laws), _) => self.laws = laws,
            (PriorState::Alert(_) | PriorState::Counted(_) | PriorState::Adjusting, _) => {}
        }
    }

    /// Removes the plies that the arbiter let stand where the record from `from_ply` on is about to have another move.
    pub(super) fn update_let_stand(&mut self, from_ply: u32, moves: &[PlayedMove]) {
        let plies = &self.plies;
        let stays = |ply: u32| {
            let Some(index) = ply.checked_sub(from_ply) else { return true };
            let old = (ply as usize).checked_sub(1).and_then(|index| plies.get(index));
            moves.get(index as usize).zip(old).is_some_and(|(mv, old)| mv.irregular && mv.uci == old.played.uci)
        };
        self.let_stand_plies.retain(|ply| stays(*ply));
    }

    /// Marks all stored commands as followed by a move or a correction.
    pub(super) fn mark_followed_by_move(&mut self) {
        self.changes.iter_mut().for_each(|change| change.moved = true);
    }

    /// Returns the time of the last irregularity counted of this player at this ply.
    pub fn counted(&self, player: Color, ply: u32) -> Option<Millis> {
        self.tally.of(player).iter().rev().find(|counted| counted.ply == ply).map(|counted| counted.pressed_at)
    }
}
