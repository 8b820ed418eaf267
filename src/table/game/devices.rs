//! Alerts about the board, the clock and the cable during a game.

use super::TableGame;
use super::draft::AlertDraft;
use crate::boards::{Battery, Millis};
use crate::game::event::ClockTimes;
use crate::game::pgn::h_mm_ss;
use crate::game::{AlertKind, ClockTime, Text};
use crate::table::Output;

/// Time for which a clock must be stopped before the arbiter is alerted, in milliseconds: by then a piece for a promotion has been
/// fetched.
const STOPPED_CLOCK_TIMEOUT: Millis = 10_000;
/// Battery level at or below which the arbiter is alerted, in percent.
const LOW: u8 = 10;

impl TableGame {
    /// Raises or clears the alert about a device. `problem`: the problem; `None`: the device works.
    fn update_device_alert(&mut self, now: Millis, kind: AlertKind, problem: Option<Text>, output: &mut Output) {
        let raised = self.published.is_raised(kind);
        if problem.is_none() {
            self.alert_filter.forget(|known, _, _| known == kind);
        }
        match problem.filter(|_| !self.end.is_over() && self.record().result.is_none()) {
            Some(text) if !raised => self.raise(now, AlertDraft::new(kind, text), output),
            None if raised => self.clear(now, |alert| alert.kind == kind, output),
            _ => {}
        }
    }

    /// Raises an alert: the cable was pulled, or the port vanished.
    pub(crate) fn alert_link_lost(&mut self, now: Millis, output: &mut Output) {
        self.update_device_alert(now, AlertKind::LinkLost, Some(Text::new("link_lost")), output);
    }

    /// Raises an alert: the board has been silent for `ms` milliseconds.
    pub(crate) fn alert_silent(&mut self, now: Millis, ms: Millis, output: &mut Output) {
        self.update_device_alert(
            now,
            AlertKind::BoardSilent,
            Some(Text::new("board_silent").with("seconds", u32::try_from(ms / 1000).unwrap_or(u32::MAX))),
            output,
        );
    }

    /// Raises an alert: the board sends data but has not reported its placement for a while.
    pub(crate) fn alert_placement_missing(&mut self, now: Millis, output: &mut Output) {
        self.update_device_alert(now, AlertKind::BoardSilent, Some(Text::new("board_unseen")), output);
    }

    /// Clears the alerts about the link and the silence once the board is read again.
    pub(super) fn clear_link_alerts(&mut self, now: Millis, output: &mut Output) {
        for kind in [AlertKind::LinkLost, AlertKind::BoardSilent] {
            self.update_device_alert(now, kind, None, output);
        }
    }

    /// Updates the alerts about the clock after a reading. `battery_low`: of the clock's battery.
    pub(crate) fn update_clock_alerts(&mut self, now: Millis, connected: bool, battery_low: bool, output: &mut Output) {
        let is_stopped =
            connected && !self.is_paused() && self.hold.stopped_at().is_some_and(|at| now >= at + STOPPED_CLOCK_TIMEOUT);
        let alerts = [
            (AlertKind::ClockLost, !connected, "clock_lost"),
            (AlertKind::ClockStopped, is_stopped, "clock_stopped"),
            (AlertKind::ClockBattery, battery_low, "clock_battery"),
        ];
        for (kind, is_active, key) in alerts {
            self.update_device_alert(now, kind, is_active.then(|| Text::new(key)), output);
        }
    }

    /// Alerts the arbiter that the clock was set. Replaces an earlier alert of this kind.
    pub(crate) fn alert_clock_set(&mut self, now: Millis, before: ClockTimes, after: ClockTimes, output: &mut Output) {
        if self.end.is_over() || self.record().result.is_some() {
            return;
        }
        let text = |time: Option<ClockTime>| h_mm_ss(u64::from(time.map_or(0, |time| time.ms)) / 1000);
        let text = Text::new("clock_set")
            .with("white_was", text(before.white))
            .with("black_was", text(before.black))
            .with("white", text(after.white))
            .with("black", text(after.black));
        self.clear(now, |alert| alert.kind == AlertKind::ClockSet, output);
        self.raise(now, AlertDraft::new(AlertKind::ClockSet, text), output);
    }

    /// Updates the alert about the board's battery. `minutes_left`: until it is empty, if that is known.
    pub(crate) fn update_battery_alert(
        &mut self,
        now: Millis,
        battery: Battery,
        minutes_left: Option<u32>,
        output: &mut Output,
    ) {
        let low = battery.percent <= LOW && battery.charging != Some(true);
        let percent = u32::from(battery.percent);
        let text = low.then(|| match minutes_left {
            None => Text::new("board_battery").with("percent", percent),
            Some(minutes) => Text::new("board_battery_lasts").with("percent", percent).with("minutes", minutes),
        });
        self.update_device_alert(now, AlertKind::BoardBattery, text, output);
    }
}
