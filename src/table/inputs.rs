//! Readings of the board: placements, changed squares, what its protocol detects, and the loss of the link.

use super::check::PlacementCheck;
use super::gap::{Gap, QueuedReading};
use super::{Output, Table};
use crate::boards::{Millis, Placement, ProtocolError, Reading};
use crate::game::event::{Event, Rotation};
use crate::infer::REST_TAKEBACK;
use crate::sense::Edge;
use shakmaty::Bitboard;

impl Table {
    /// Processes a reading of the board.
    pub(super) fn handle_reading(&mut self, now: Millis, reading: Reading, output: &mut Output) {
        let sensing = self.settings.sensing;
        match reading {
            Reading::Placement(mut placement) => {
                let first = !self.sense.is_complete();
                self.silence.note_placement();
                if first {
                    self.invert_if_known(&placement);
                }
                let polarity = self.sense.polarity();
                placement.iter_mut().for_each(|sensed| *sensed = polarity.normalise(sensing, *sensed));
                let edges = self.sense.update_placement(now, &placement);
                self.handle_changes(now, &edges, true, output);
                if first {
                    self.touched = Bitboard::EMPTY;
                    self.quiet.restart(now);
                    self.begin_check(now);
                    if !self.request_memory(now, &placement, output) {
                        self.handle_first_placement(now, &placement, output);
                    }
                } else {
                    self.handle_check_reply(now, edges.is_empty(), output);
                }
                self.start_if_set_up(now, 0, output);
            }
            Reading::Square(square, sensed) => {
                let edge = self.sense.update_square(now, square, self.sense.polarity().normalise(sensing, sensed));
                if self.sense.is_complete()
                    && let Some(edge) = edge
                {
                    self.handle_changes(now, &[edge], false, output);
                }
            }
            Reading::Clock(reading) => self.handle_clock_reading(now, reading, output),
            Reading::Battery(battery) => {
                output.emit(now, Event::Battery(battery));
                let minutes_left = self.battery.minutes_left(now, battery);
                self.with_game(output, |game, _, output| game.update_battery_alert(now, battery, minutes_left, output));
            }
            Reading::Memory(log) => self.handle_memory(now, &log, output),
            // A silent board may have seen more than it reported: the cable can be pulled at the board's end.
            Reading::ProtocolError(ProtocolError::Silent(ms)) => {
                self.begin_gap(now.saturating_sub(ms.into()));
                self.silence.begin_silence(now.saturating_sub(ms.into()));
            }
            Reading::ProtocolError(
                ProtocolError::Garbage(_)
                | ProtocolError::Unknown(_)
                | ProtocolError::InvalidContent(_)
                | ProtocolError::ContradictedMove { .. },
            ) => {
                self.with_game(output, |game, _, _| game.note_damaged_message(now));
            }
            Reading::ProtocolError(ProtocolError::AssumedQueens(squares)) => self.with_game(output, |game, context, _| {
                game.note_assumed_pieces(squares.into_iter().map(|square| context.rotation.apply(square)).collect());
            }),
            Reading::ProtocolError(ProtocolError::ChangesDelayed) => {
                self.with_game(output, |game, _, _| game.note_delayed_readings(now))
            }
            Reading::ProtocolError(ProtocolError::Recovered) => {
                self.silence.end_silence(now, self.sense.is_complete());
            }
            Reading::ProtocolError(
                ProtocolError::AmbiguousSquares(_) | ProtocolError::Uncalibrated | ProtocolError::OtherModel(_),
            ) => {}
            Reading::Touch(touch) => {
                self.with_game(output, |game, context, _| game.handle_touch(now, touch, context));
            }
            Reading::Promotion(role) => {
                self.with_game(output, |game, context, output| game.handle_chosen_promotion(now, role, context, output));
            }
            // The squares decide what was played.
            Reading::Move { .. } => {}
            Reading::Identity(_) | Reading::Calibration(_) => {}
        }
    }

    /// Processes changed squares. `from_placement`: a whole placement showed them.
    fn handle_changes(&mut self, now: Millis, edges: &[Edge], from_placement: bool, output: &mut Output) {
        if edges.is_empty() {
            return;
        }
        if self.quiet.note_reading(now) {
            self.with_game(output, |game, _, _| game.note_delayed_readings(now));
        }
        edges.iter().for_each(|edge| self.touched.add(edge.square));
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        if !from_placement {
            for edge in edges {
                let square = rotation.apply(edge.square);
                output.emit(now, Event::Touched { square, before: edge.before, now: edge.now });
            }
        }
        self.gap.queue_reading(now, || QueuedReading::Changed { edges: edges.to_vec(), from_placement });
        if let Some(play) = &mut self.detached_play {
            play.handle_changes(now, edges, from_placement);
        }
        // A game that begins here has already read the whole board.
        if !self.correct_orientation(now, output) {
            self.with_game(output, |game, context, output| game.handle_changes(now, edges, from_placement, context, output));
        }
    }

    /// Continues the game from this placement, the first one since the link came up.
    pub(super) fn handle_first_placement(&mut self, now: Millis, placement: &Placement, output: &mut Output) {
        self.with_game(output, |game, context, output| game.handle_first_placement(now, placement, context, output));
        if !self.check.is_done() {
            let is_start = self.find_set_up(REST_TAKEBACK).is_some();
            self.with_game(output, |game, _, _| game.doubt_placement(is_start));
        }
    }

    /// Records that the link was lost or renewed: what the board shows has been unknown since `at`.
    pub(super) fn begin_gap(&mut self, at: Millis) {
        if self.gap.plies_at_loss().is_some_and(|plies| self.has_missing_moves_after(plies)) {
            self.gap = Gap::default(); // What is missing since then is on record.
        }
        if let Some(game) = &self.game {
            self.gap.begin(at, self.sense.is_complete().then(|| *self.sense.placement()), game.record().plies.len());
        }
        self.sense.invalidate();
        self.clock.begin_gap();
        self.check = PlacementCheck::default();
        self.detached_play = None;
        if let Some(game) = &mut self.game {
            game.begin_gap(at);
        }
        self.quiet.stop();
    }
}
