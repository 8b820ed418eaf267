//! What a command changes in the record by itself, besides the moves and results that are told after it.

use super::{Record, Restored};
use crate::game::Command;

impl Record {
    /// Somebody commanded this, and it is done now.
    pub(super) fn commanded(&mut self, command: &Command) {
        match command {
            Command::Restore { ply } => {
                let allowed = |alert: &&crate::game::Alert| alert.ply == *ply && !alert.allowed.is_empty();
                let alert = self.alerts.iter().rev().find(allowed);
                self.restored = Some(Restored {
                    ply: *ply,
                    instead_of: self.ply(*ply).map(|ply| ply.played.clone()),
                    allowed: alert.map(|alert| alert.allowed.clone()).unwrap_or_default(),
                });
            }
            Command::TakeBack(_) => self.restored = None,
            _ => {}
        }
    }
}
