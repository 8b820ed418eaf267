//! Alerts about flags that have fallen.

use super::TableGame;
use super::draft::AlertDraft;
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Record, Text};
use crate::laws::{Occasion, RulingFacts, Situation};
use crate::table::Output;
use shakmaty::{ByColor, Color};

/// The text keys for "both flags have fallen" and, where it is known, which one fell first.
const BOTH_FLAGS: &str = "both_flags";
const BOTH_FLAGS_FIRST: &str = "both_flags_first";

impl TableGame {
    /// Updates the alerts about flags that have fallen.
    pub(crate) fn update_flag_alerts(&mut self, now: Millis, flags: ByColor<bool>, output: &mut Output) {
        if self.end.is_over() || self.record().result.is_some() {
            return;
        }
        let both = flags.white && flags.black;
        let is_alerted = |record: &Record, by| record.alerts.iter().any(|alert| is_flag(alert, by));
        if both && !is_alerted(self.record(), None) {
            let known =
                |by| is_alerted(self.record(), Some(by)) || self.alert_filter.is_player_acknowledged(AlertKind::FlagFall, by);
            let first = match (known(Color::White), known(Color::Black)) {
                (true, false) => Some(Color::White),
                (false, true) => Some(Color::Black),
                _ => None,
            };
            self.clear(now, |alert| alert.kind == AlertKind::FlagFall, output);
            let text = first.map_or_else(|| Text::new(BOTH_FLAGS), |first| Text::new(BOTH_FLAGS_FIRST).with("player", first));
            // If it is known which flag fell first, the other one does not matter.
            let occasion = if first.is_some() { Occasion::FlagFall } else { Occasion::BothFlags };
            let situation = Some((Situation::Occasion(occasion), RulingFacts::default()));
            self.raise(now, AlertDraft { by: first, situation, ..AlertDraft::new(AlertKind::FlagFall, text) }, output);
        }
        if !both {
            self.forget_flag(now, None, output);
        }
        for by in Color::ALL {
            if !flags[by] {
                self.forget_flag(now, Some(by), output);
            } else if !both && !is_alerted(self.record(), Some(by)) {
                let text = Text::new("flag_fall").with("player", by);
                let situation = Some((Situation::Occasion(Occasion::FlagFall), RulingFacts::default()));
                self.raise(now, AlertDraft { by: Some(by), situation, ..AlertDraft::new(AlertKind::FlagFall, text) }, output);
            }
        }
    }

    /// Clears the alert about this flag, or with `None` about both flags: it is no longer down.
    fn forget_flag(&mut self, now: Millis, by: Option<Color>, output: &mut Output) {
        self.alert_filter.forget(|kind, known, _| (kind, known) == (AlertKind::FlagFall, by));
        self.clear(now, |alert| is_flag(alert, by), output);
    }
}

/// Whether this alert is about this player's flag, or with `None` about both.
fn is_flag(alert: &Alert, by: Option<Color>) -> bool {
    let both = [BOTH_FLAGS, BOTH_FLAGS_FIRST].contains(&alert.text.key.as_str());
    alert.kind == AlertKind::FlagFall && both == by.is_none() && (both || alert.by == by)
}
