//! Kings in the centre: how players signal the result.

use super::draft::AlertDraft;
use super::end::is_end;
use super::{GameContext, TableGame};
use crate::boards::{BoardCommand, Millis, SensorKind};
use crate::game::event::Difference;
use crate::game::record::PlyState;
use crate::game::{Alert, AlertKind, CompletedBy, Confidence, Event, GameResult, Record, ResultReason, Text};
use crate::infer::LineNode;
use crate::table::Output;
use shakmaty::Bitboard;

/// How long both kings must be in the centre to signal a result, in milliseconds.
const KINGS_STAY: Millis = 1_000;
/// If the other king came more than this after a king's move completed by the clock, that move was play, in milliseconds.
const KINGS_TOGETHER: Millis = 3_000;

/// If the confidence of the last move is below this, the arbiter is alerted.
const DOUBTFUL: Confidence = Confidence(600);

/// Two kings in the centre.
#[derive(Clone, Default)]
pub(super) struct KingsSignal {
    /// Since when they have been there.
    centred_at: Option<Millis>,
    /// The arbiter withdrew the result that they signalled. It is not published again until they have left the centre.
    is_withdrawn: bool,
}

impl KingsSignal {
    /// Returns when the kings have been in the centre long enough.
    fn deadline(&self) -> Option<Millis> {
        self.centred_at.map(|at| at + KINGS_STAY)
    }

    /// Records that the kings are in the centre. Returns whether they have just come there.
    fn begin(&mut self, now: Millis) -> bool {
        let is_new = !self.is_withdrawn && self.centred_at.is_none();
        if is_new {
            self.centred_at = Some(now);
        }
        is_new
    }

    /// Records that the kings are not in the centre.
    fn end(&mut self) {
        *self = KingsSignal::default();
    }

    /// Forgets since when the kings have been in the centre.
    pub(super) fn forget(&mut self) {
        self.centred_at = None;
    }

    /// Records that the arbiter withdrew the result.
    pub(super) fn withdraw(&mut self) {
        self.is_withdrawn = true;
    }
}

impl TableGame {
    /// Returns when the kings have been in the centre long enough to signal a result.
    pub(crate) fn kings_deadline(&self) -> Option<Millis> {
        self.kings.deadline()
    }

    /// Publishes or reports the result after both kings were in the centre long enough.
    pub(crate) fn handle_kings_signal(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let (Some(centred_at), Some([white, black])) = (self.kings.centred_at.take(), self.follower.kings_in_centre()) else {
            return;
        };
        if self.record().result.is_some() {
            return; // The arbiter was faster.
        }
        self.withdraw_king_moves(now, centred_at, context, output);
        let result = match (white.is_light(), black.is_light()) {
            (true, true) => GameResult::WhiteWins,
            (false, false) => GameResult::BlackWins,
            _ => GameResult::Draw,
        };
        self.alert_end_unlike_record(now, output);
        if context.settings.accept_kings_signal {
            self.clear(now, |alert| is_signal(alert) || is_end(alert), output);
            self.record_event(now, Event::Result { result: Some(result), reason: ResultReason::KingsSignal }, output);
            self.end.set_over(true);
        } else if !is_signalled(self.record()) {
            let text = Text::new("kings_say").with("white", white).with("black", black);
            let text = text.with("result", result.as_str().to_owned());
            let squares = vec![white, black];
            self.raise(now, AlertDraft { squares, ..AlertDraft::new(AlertKind::ResultSignalled, text) }, output);
        }
    }

    /// Withdraws the published moves of the kings to the centre, which were not play, except those that the clock completed long
    /// before.
    fn withdraw_king_moves(&mut self, now: Millis, centred_at: Millis, context: &GameContext<'_>, output: &mut Output) {
        let record = self.published.record();
        let is_real_move = |index: usize, node: &LineNode| {
            let completed = record.ply(index as u32).is_some_and(|ply| {
                matches!(ply.state, PlyState::Completed { by: CompletedBy::Clock | CompletedBy::OwnNextMove, .. })
            });
            completed && centred_at.saturating_sub(node.made_at) > KINGS_TOGETHER
        };
        self.follower.decide_last_move(now);
        self.follower.withdraw_king_moves(now, is_real_move);
        self.publish_all(now, context, output);
    }

    /// Alerts the arbiter if both kings have left their squares but not both are seen in the centre: one seems to be in the place
    /// of a piece that was removed unseen. The arbiter must read the result. Returns whether the kings are unclear.
    pub(super) fn alert_kings_unclear(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) -> bool {
        let Some(squares) = self.follower.kings_unclear() else { return false };
        if !is_signalled(self.record()) {
            self.withdraw_king_moves(now, self.follower.seen().last_edge(), context, output);
            let draft = AlertDraft::new(AlertKind::ResultSignalled, Text::new("kings_unclear"));
            self.raise(now, AlertDraft { squares: squares.into_iter().collect(), ..draft }, output);
        }
        true
    }

    /// Alerts the arbiter when the kings end the game and other pieces are where neither the record nor the start position has
    /// them, so moves are missing; or when the last move is only the likelier one of two, because no later play will decide.
    fn alert_end_unlike_record(&mut self, now: Millis, output: &mut Output) {
        let is_known = self.follower.seen().sensing() != SensorKind::Occupancy;
        if let Some(ply) = self.record().plies.last().filter(|ply| is_known && ply.confidence < DOUBTFUL)
            && !self.published.is_raised(AlertKind::MovesUncertain)
        {
            let text = Text::new("last_move_doubtful").with("san", ply.played.san.clone());
            let text = text.with("percent", u32::from(ply.confidence.0 / 10));
            self.raise(now, AlertDraft::new(AlertKind::MovesUncertain, text), output);
        }
        let position = &self.follower.tip().position;
        let seen = self.follower.seen();
        let kings: Bitboard = self.follower.kings_in_centre().into_iter().flatten().collect();
        let unexplained =
            seen.mismatch(position.board()) & seen.mismatch(self.published.start().board()) & seen.occupied() & !kings;
        let unexplained = unexplained & !self.follower.ignored_squares();
        if unexplained.any() && !self.published.is_raised(AlertKind::PositionUnexplained) {
            let differences: Vec<Difference> = unexplained
                .into_iter()
                .map(|square| Difference { square, expected: position.piece_at(square), seen: seen.at(square) })
                .collect();
            let text = Text::new("ended_elsewhere").with("differences", differences);
            let squares = unexplained.into_iter().collect();
            self.raise(now, AlertDraft { squares, ..AlertDraft::new(AlertKind::PositionUnexplained, text) }, output);
        }
    }

    /// Watches for kings on two of the four centre squares. Play cannot bring that about, since they are adjacent.
    pub(super) fn watch_kings(&mut self, now: Millis, output: &mut Output) {
        if self.follower.kings_in_centre().is_none() {
            self.kings.end();
            if !self.alert_filter.is_empty() && self.follower.kings_unclear().is_none() {
                self.alert_filter.forget(|known, by, _| known == AlertKind::ResultSignalled && by.is_none());
            }
            // While the pieces are put away, the result is still wanted.
            if is_signalled(self.record()) && !self.follower.kings_are_lifted() {
                self.clear(now, is_signal, output);
            }
        } else if self.record().result.is_none() && self.kings.begin(now) {
            output.commands.push(BoardCommand::Placement);
        }
    }
}

/// Whether this alert is about the result that the kings signal.
fn is_signal(alert: &Alert) -> bool {
    alert.kind == AlertKind::ResultSignalled && !is_end(alert)
}

/// Whether the arbiter was alerted of the result that the kings signal.
pub(super) fn is_signalled(record: &Record) -> bool {
    record.alerts.iter().any(is_signal)
}
