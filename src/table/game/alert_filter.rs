//! Alerts that are not raised again.

use crate::game::event::AlertCategory;
use crate::game::{Alert, AlertKind};
use shakmaty::Color;

/// What is known of earlier alerts of a game, so that they are not raised again.
#[derive(Clone)]
pub(super) struct AlertFilter {
    /// Alerts that the arbiter has acknowledged and that still apply: the kind, the player, and the ply.
    acknowledged: Vec<(AlertKind, Option<Color>, u32)>,
    /// The last ply up to which the arbiter was alerted of possible captures that were not seen.
    last_capture_ply: usize,
    /// Whether the arbiter is alerted of anything in this game.
    is_judged: bool,
}

impl Default for AlertFilter {
    fn default() -> Self {
        AlertFilter { acknowledged: Vec::new(), last_capture_ply: 0, is_judged: true }
    }
}

impl AlertFilter {
    /// Lets no alert pass from now on.
    pub(super) fn stop_judging(&mut self) {
        self.is_judged = false;
    }

    /// Whether the game is judged at all.
    pub(super) fn is_judged(&self) -> bool {
        self.is_judged
    }

    /// Whether an alert may be raised: the arbiter has not acknowledged it, or it no longer applied in the meantime.
    pub(super) fn lets_pass(&self, kind: AlertKind, by: Option<Color>, ply: u32) -> bool {
        let lasts = matches!(kind.category(), AlertCategory::Device | AlertCategory::End) || kind == AlertKind::IllegalPosition;
        let is_same = |known: &(AlertKind, Option<Color>, u32)| (known.0, known.1) == (kind, by) && (lasts || known.2 == ply);
        let is_acknowledged = (lasts || kind == AlertKind::TouchCapture) && self.acknowledged.iter().any(is_same);
        self.is_judged && !is_acknowledged
    }

    /// Whether the arbiter has acknowledged nothing that still applies.
    pub(super) fn is_empty(&self) -> bool {
        self.acknowledged.is_empty()
    }

    /// Records that the arbiter has acknowledged this alert.
    pub(super) fn acknowledge(&mut self, alert: &Alert) {
        self.acknowledged.push((alert.kind, alert.by, alert.ply));
    }

    /// Whether the arbiter has acknowledged an alert of this kind about this ply.
    pub(super) fn is_ply_acknowledged(&self, kind: AlertKind, ply: u32) -> bool {
        self.acknowledged.iter().any(|known| (known.0, known.2) == (kind, ply))
    }

    /// Whether the arbiter has acknowledged an alert of this kind about this player.
    pub(super) fn is_player_acknowledged(&self, kind: AlertKind, by: Color) -> bool {
        self.acknowledged.iter().any(|known| (known.0, known.1) == (kind, Some(by)))
    }

    /// Forgets acknowledged alerts that no longer apply, so that they are raised again on a recurrence.
    pub(super) fn forget(&mut self, is_over: impl Fn(AlertKind, Option<Color>, u32) -> bool) {
        self.acknowledged.retain(|&(kind, by, ply)| !is_over(kind, by, ply));
    }

    /// Returns the last ply up to which the arbiter was alerted of possible captures that were not seen.
    pub(super) fn last_capture_ply(&self) -> usize {
        self.last_capture_ply
    }

    /// Records that the arbiter was alerted of a possible capture at this ply.
    pub(super) fn note_capture_alert(&mut self, ply: usize) {
        self.last_capture_ply = ply;
    }

    /// Records that the moves after the first `plies` plies were replaced.
    pub(super) fn forget_captures_after(&mut self, plies: usize) {
        self.last_capture_ply = self.last_capture_ply.min(plies);
    }
}
