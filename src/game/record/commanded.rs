//! What a command itself changes in the record, in addition to the moves and results that are published after it.

use super::{ClockNote, Record, RestoredPosition};
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Command, Order};
use shakmaty::Color;

impl Record {
    /// Applies a command that was carried out.
    pub(super) fn apply_command(&mut self, at: Millis, command: &Command, by: &str) {
        if by != Order::CLOCK {
            self.store_change(at, command);
        } else if *command == Command::Pause(false) {
            self.forget_pause();
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
            Command::TakeBack(_) => self.restored = None,
            Command::LetStand(id) => {
                self.let_stand_plies.extend(self.alerts.iter().find(|alert| alert.id == *id).map(|alert| alert.ply));
                self.let_stand_plies.sort_unstable();
            }
            Command::Undo => self.undo(),
            Command::Count { player, what } => {
                self.tally.add(*player, at, self.plies.len() as u32, *what);
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
            Command::Pause(paused) => self.paused = *paused,
            Command::Laws(laws) => self.laws = laws.to_string(),
            Command::Tags(tags) => self.tags.clone_from(tags),
            // A game that has a result is not paused.
            Command::Result(result) => self.paused = self.paused && result.is_none(),
            Command::Position(_)
            | Command::Promotion { .. }
            | Command::Adjust(_)
            | Command::Acknowledge(_)
            | Command::Replace { .. }
            | Command::Insert { .. }
            | Command::Claim { .. } => {}
        }
    }

    /// Returns the time of the last irregularity counted of this player at this ply.
    pub fn counted(&self, player: Color, ply: u32) -> Option<Millis> {
        self.tally.of(player).iter().rev().find(|counted| counted.ply == ply).map(|counted| counted.pressed_at)
    }
}
