//! Readings of the clock: presses, starts and stops, and what is published of them.

use super::clock::{Clock, Press};
use super::game::{PressSides, TableGame};
use super::gap::QueuedReading;
use super::{Output, Table};
use crate::boards::{ClockReading, Millis};
use crate::game::event::{Event, Rotation};

/// The state of the clock before a reading.
#[derive(Clone, Copy)]
struct ClockState {
    connected: bool,
    running: bool,
    stopped: bool,
}

impl ClockState {
    fn of(clock: &Clock) -> ClockState {
        ClockState { connected: clock.is_connected(), running: clock.is_running(), stopped: clock.is_stopped() }
    }
}

impl Table {
    /// Processes what the clock shows; `None`: there is no clock.
    pub(super) fn handle_clock_reading(&mut self, now: Millis, reading: Option<ClockReading>, output: &mut Output) {
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let (before, times_held) = (ClockState::of(&self.clock), self.clock.holds_times());
        let in_play = self.game.as_ref().is_some_and(|game| !game.is_over() && game.record().result.is_none());
        let press = self.clock.read(now, reading, in_play, rotation);
        if let Some(old_times) = self.clock.set_from(now, rotation) {
            let new_times = self.clock.times(now, rotation);
            self.with_game(output, |game, _, output| game.alert_clock_set(now, old_times, new_times, output));
        }
        let resumed = self.handle_clock_change(now, before, output);
        // If play was resumed, the lever may have been moved during the pause.
        if let Some(press) = press.filter(|_| !resumed) {
            if self.game.as_ref().is_none_or(TableGame::is_over) {
                self.unrecorded.handle_press();
            }
            self.gap.queue_reading(now, || QueuedReading::Pressed(press));
            self.handle_press(now, press, output);
        } else {
            let times = self.clock.times(now, rotation);
            self.with_game(output, |game, _, output| game.handle_clock_times(now, times, times_held, output));
        }
    }

    /// Passes a press of the clock to the game. If the presses show that the sides of the clock are assigned wrongly, they are
    /// swapped first.
    pub(super) fn handle_press(&mut self, at: Millis, press: Press, output: &mut Output) {
        let Some(game) = &mut self.game else { return };
        let sides = game.check_sides(at, press, output);
        let press = match sides {
            PressSides::Ignored => return,
            PressSides::Swapped if self.clock.flip_side() => {
                game.note_swapped_sides();
                press.swapped()
            }
            PressSides::Swapped | PressSides::AsAssigned => press,
        };
        self.with_game(output, |game, context, output| game.handle_press(at, press, context, output));
    }

    /// Processes a change of the clock from the state `before`. Returns whether starting the clock resumed play.
    fn handle_clock_change(&mut self, now: Millis, before: ClockState, output: &mut Output) -> bool {
        let after = ClockState::of(&self.clock);
        let started = after.running && !before.running;
        let mut resumed = false;
        self.with_game(output, |game, _, output| resumed = started && game.note_clock_started(now, output));
        if resumed {
            self.quiet.run_again();
        }
        if after.stopped != before.stopped && self.game.as_mut().is_some_and(|game| game.note_clock_stopped(now, after.stopped))
        {
            // The board is re-evaluated.
            self.quiet.run_again();
        }
        if started {
            self.start_without_start_position(now, output);
        }
        let event = self.clock.event(now, self.rotation.unwrap_or(Rotation::Upright));
        // Without an event, a clock that was connected has been unplugged.
        if let Some(event) = event.or_else(|| before.connected.then(|| self.clock.unplugged_event())) {
            self.publish_clock(now, event, after.connected, output);
        }
        resumed
    }

    /// Publishes a change of what the clock shows.
    fn publish_clock(&mut self, now: Millis, event: Event, connected: bool, output: &mut Output) {
        if let Event::Clock { flags, battery_low, .. } = event
            && self.clock.has_run()
        {
            // The flag fell when it was first seen; that reading was not trusted then.
            let last_event_at = output.events.last().map_or(self.numbers.last_at(), |last| last.at);
            let fell_at = self.clock.flag_at().max(last_event_at).min(now);
            self.with_game(output, |game, _, output| {
                if connected {
                    game.update_flag_alerts(fell_at, flags, output);
                }
                game.update_clock_alerts(now, connected, battery_low, output);
            });
        }
        output.emit(now, event);
    }

    /// Accepts a reading that showed a flag, or that there is no clock: no later reading has contradicted it.
    pub(super) fn accept_clock_reading(&mut self, now: Millis, output: &mut Output) {
        let before = ClockState::of(&self.clock);
        self.clock.advance(now);
        self.handle_clock_change(now, before, output);
    }
}
