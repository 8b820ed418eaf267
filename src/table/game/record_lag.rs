//! Detects that the record has fallen behind the board. Quiet shows that at once, but there is no quiet in time trouble, so presses
//! and elapsed time are counted as well.

use super::disorder::{are_pieces_removed, differences, is_cleared, is_set_up_anew};
use super::draft::{AlertDraft, has_position_alert};
use super::kings::is_signalled;
use super::missed_moves::MissedMovesSearch;
use super::unexplained::DISORDER_TIMEOUT;
use super::{GameContext, TableGame};
use crate::boards::{Millis, Placement};
use crate::game::event::Difference;
use crate::game::{AlertKind, Event, Text};
use crate::infer::{ObservedBoard, rotated};
use crate::table::Output;
use shakmaty::Bitboard;

/// Time without a line of play that explains the board, however busy it is, after which the arbiter is alerted, in milliseconds:
/// longer than hands overlap in time trouble.
const LAG_TIMEOUT: Millis = 10_000;
/// The same, if the clock was pressed at least this number of times meanwhile, in milliseconds and presses: one exchange of moves
/// has fewer than four presses.
const LAG_PRESS_LIMIT: (Millis, u32) = (3_000, 4);
/// Number of squares on which one whole placement shows pieces that no update has reported, and the time after which the arbiter is
/// then alerted, in milliseconds: an earlier reading was wrong, or changes were lost.
const AT_ONCE: (usize, Millis) = (3, 3_000);
/// Number of squares that differ from the start position once two moves were played.
const MIN_PLAYED_SQUARES: usize = 4;
/// How long one king may be on its way to signal a result, and pieces on their way off the board, in milliseconds.
const SOON: Millis = 14_000;
/// Time without any change after which pieces no longer count as being put away or set up, in milliseconds.
const AT_REST: Millis = 12_000;
/// Interval after which a king in the centre, or pieces being put away, are re-evaluated, in milliseconds.
const REEVALUATION_INTERVAL: Millis = 5_000;

/// The state while no line of play explains the board.
#[derive(Clone)]
struct RecordLag {
    since: Millis,
    presses: u32,
    /// The board was not read before, so moves may be missing.
    after_gap: bool,
    /// The search for the moves that may be missing.
    search: Option<MissedMovesSearch>,
    /// Pieces appeared on many squares at once, so they are not being put away.
    came_at_once: bool,
    /// When this is re-evaluated if nothing happens; `None`: the arbiter was alerted.
    check_at: Option<Millis>,
}

impl RecordLag {
    fn begin(since: Millis, after_gap: bool) -> RecordLag {
        let check_at = Some(since + LAG_TIMEOUT);
        RecordLag { since, presses: 0, after_gap, search: None, came_at_once: false, check_at }
    }

    /// Whether the arbiter must be alerted, unless the pieces are being put away.
    fn is_due(&self, now: Millis) -> bool {
        let (min_time, presses) = LAG_PRESS_LIMIT;
        let is_pressed = self.presses >= presses && now >= self.since + min_time;
        self.check_at.is_some_and(|check_at| now >= check_at || is_pressed)
    }

    /// Postpones the alert.
    fn postpone(&mut self, now: Millis) {
        let next = now + REEVALUATION_INTERVAL;
        let soon = self.since + SOON;
        self.check_at = Some(if now < soon { next.min(soon) } else { next });
    }
}

/// Whether the record has fallen behind the board, and the search for the moves that may be missing.
#[derive(Clone, Default)]
pub(super) struct LagWatch {
    /// Set while no line of play explains the board.
    lag: Option<RecordLag>,
}

impl LagWatch {
    /// Records that the record is not behind the board, or that it is not known.
    pub(super) fn end(&mut self) {
        self.lag = None;
    }

    /// Records that the board has not agreed with the record since the first reading after a gap.
    fn begin_after_gap(&mut self, since: Millis) {
        self.lag = Some(RecordLag::begin(since, true));
    }

    /// Returns since when the record has been behind the board, if it is.
    pub(super) fn since(&self) -> Option<Millis> {
        self.lag.as_ref().map(|lag| lag.since)
    }

    /// Whether the record is behind since a gap.
    fn is_after_gap(&self) -> bool {
        self.lag.as_ref().is_some_and(|lag| lag.after_gap)
    }

    /// Whether the record is behind since a gap and the arbiter was alerted.
    pub(super) fn is_alerted_after_gap(&self) -> bool {
        self.lag.as_ref().is_some_and(|lag| lag.after_gap && lag.check_at.is_none())
    }

    /// Records that the arbiter was alerted.
    fn mark_alerted(&mut self) {
        if let Some(lag) = &mut self.lag {
            lag.check_at = None;
        }
    }

    /// Counts a press of the clock while the record is behind.
    pub(super) fn count_press(&mut self) {
        if let Some(lag) = &mut self.lag {
            lag.presses += 1;
        }
    }

    /// Records that a whole placement showed `arrived` pieces on squares where they were not before.
    pub(super) fn note_pieces_at_once(&mut self, now: Millis, arrived: usize) {
        let (min_pieces, soon) = AT_ONCE;
        if let Some(lag) = self.lag.as_mut().filter(|_| arrived >= min_pieces) {
            lag.came_at_once = true;
            lag.check_at = lag.check_at.map(|at| at.min(now + soon));
        }
    }

    /// Returns when the check for a record that is behind must run again.
    pub(super) fn deadline(&self) -> Option<Millis> {
        self.lag.as_ref().and_then(|lag| lag.check_at)
    }

    /// Whether moves that are missing since a gap should be searched for, and are not yet.
    pub(super) fn needs_search(&self) -> bool {
        self.lag.as_ref().is_some_and(|lag| lag.after_gap && lag.search.is_none())
    }

    /// Starts a search for missing moves.
    pub(super) fn begin_search(&mut self, search: MissedMovesSearch) {
        if let Some(lag) = &mut self.lag {
            lag.search = Some(search);
        }
    }

    /// Discards the search after a change on the board.
    pub(super) fn discard_search(&mut self) {
        if let Some(lag) = &mut self.lag {
            lag.search = None;
        }
    }

    /// Returns the search for missing moves.
    pub(super) fn search(&self) -> Option<&MissedMovesSearch> {
        self.lag.as_ref()?.search.as_ref()
    }

    /// Returns the search for missing moves, to run it.
    pub(super) fn search_mut(&mut self) -> Option<&mut MissedMovesSearch> {
        self.lag.as_mut()?.search.as_mut()
    }
}

impl TableGame {
    /// Checks whether the record is behind the board, and alerts the arbiter when that lasts too long. Must be called after every
    /// change, press and deadline.
    pub(super) fn check_record_lag(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let wrong = self.lagging_squares(context);
        if wrong.is_empty() {
            self.lag.end();
            return;
        }
        let lag = self.lag.lag.get_or_insert_with(|| RecordLag::begin(now, false));
        if !lag.is_due(now) {
            return;
        }
        let (after_gap, came_at_once, since) = (lag.after_gap, lag.came_at_once, lag.since);
        let is_alerted = has_position_alert(self.record());
        // Kings that signal a result are soon both in the centre, and pieces that are put away are soon gone. Where moves are
        // missing, one king may be in the centre for long, and many pieces may have been captured.
        let at_rest = now >= self.follower.seen().last_edge() + AT_REST;
        let (soon, in_time) = (now < since + SOON, now < since + DISORDER_TIMEOUT && !at_rest);
        let is_kings_signal = (in_time && self.follower.kings_unclear().is_some()) || (soon && self.follower.king_strays());
        // Where nothing was played, no move is missing. Clearing the board puts no pieces on other squares.
        let arrived = wrong & self.follower.seen().occupied();
        let unplayed = in_time && self.published.is_empty() && arrived.count() < MIN_PLAYED_SQUARES;
        let cleared =
            (in_time && is_set_up_anew(&self.follower, wrong)) || ((soon || unplayed) && is_cleared(&self.follower, wrong));
        // The operator has been asked for the result.
        let is_asked = is_signalled(self.record()) && self.follower.kings_are_lifted();
        let is_put_away =
            is_asked || are_pieces_removed(&self.follower) || (!after_gap && (is_kings_signal || (cleared && !came_at_once)));
        if is_alerted {
            self.lag.mark_alerted();
        } else if is_put_away {
            if let Some(lag) = &mut self.lag.lag {
                lag.postpone(now);
            }
        } else {
            let differences = differences(&self.follower, wrong);
            self.displaced.publish(wrong);
            self.alert_record_lag(now, differences, output);
        }
    }

    /// Marks the record as behind the board after a gap: the board has not agreed with the record since `since`.
    pub(crate) fn begin_lag_after_gap(&mut self, since: Millis) {
        self.lag.begin_after_gap(since);
    }

    /// Publishes that the board differs from the record, and alerts the arbiter. `differences`: what differs.
    pub(crate) fn alert_record_lag(&mut self, now: Millis, differences: Vec<Difference>, output: &mut Output) {
        self.lag.mark_alerted();
        if has_position_alert(self.record()) || self.record().result.is_some() || self.end.is_over() {
            return;
        }
        let squares = differences.iter().map(|difference| difference.square).collect();
        output.emit(now, Event::Displaced { squares: differences.clone() });
        let text = Text::new("behind").with("differences", differences);
        self.raise(now, AlertDraft { squares, ..AlertDraft::new(AlertKind::PositionUnexplained, text) }, output);
    }

    /// Alerts the arbiter that moves are missing which the board may remember but has not sent yet. `placement`: what the board
    /// shows, in its own coordinates.
    pub(crate) fn alert_memory_awaited(
        &mut self,
        now: Millis,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let seen = ObservedBoard::from_placement(&rotated(placement, context.rotation), context.settings.sensing);
        let position = self.published.position_after(self.published.len());
        let difference = |square| Difference { square, expected: position.piece_at(square), seen: seen.at(square) };
        let differences = seen.mismatch(position.board()).into_iter().map(difference).collect();
        self.alert_record_lag(now, differences, output);
    }

    /// Returns the squares that no line of play explains during play, even if the clock is stopped or reported as stopped.
    fn lagging_squares(&self, context: &GameContext<'_>) -> Bitboard {
        let is_in_play = (!self.hold.is_active() || self.hold.is_stopped()) && !self.end.is_over() && !self.board.is_unknown();
        let after_gap = self.lag.is_after_gap();
        // In a game without recorded moves, pieces may be moved for demonstration; play changes more squares than that.
        let many_differ = || self.follower.mismatch().count() >= MIN_PLAYED_SQUARES;
        let has_begun = !self.published.is_empty() || context.clock.is_in_use() || after_gap || many_differ();
        if !is_in_play || !has_begun || self.record().result.is_some() || self.is_over_but_for_notices() {
            return Bitboard::EMPTY;
        }
        self.follower.unexplained() | self.follower.displaced_squares()
    }
}
