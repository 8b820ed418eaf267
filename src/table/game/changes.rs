//! Changes of the squares, and gaps in which the board is not read.

use super::{GameContext, TableGame};
use crate::boards::{Millis, Placement, SquareState, Touch};
use crate::infer::rotated;
use crate::sense::Edge;
use crate::table::Output;
use shakmaty::{Bitboard, Role, Square};

/// Most pairs of moves change no more squares than this.
const MAX_PAIR_SQUARES: usize = 4;

impl TableGame {
    /// Records that the link was lost, or that the board is silent.
    pub(crate) fn begin_gap(&mut self, now: Millis) {
        self.lag.end();
        self.touches.begin_gap(now);
        self.presses.begin_gap();
        self.board.begin_gap();
        self.kings.forget();
    }

    /// Begins the game while what the board shows is unknown.
    pub(crate) fn begin_without_placement(&mut self, now: Millis) {
        self.begin_gap(now);
        self.board.forget_board();
    }

    /// Processes the first whole reading after the link came up.
    pub(crate) fn handle_first_placement(
        &mut self,
        now: Millis,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        if self.board.end_gap(now, self.published.len()) {
            self.rests.begin(now, self.published.len());
        }
        self.searches.schedule(now);
        self.touches.note_first_placement(now);
        self.clear_link_alerts(now, output);
        let placement = rotated(placement, context.rotation);
        self.apply_changes(now, Square::ALL.into_iter().map(|square| (square, placement[square as usize])), context, output);
        self.board.note_read();
    }

    /// Processes a touch that the board reports, in its own coordinates. What the board believes to be on the square is not used.
    pub(crate) fn handle_touch(&mut self, now: Millis, touch: Touch, context: &GameContext<'_>) {
        if self.board.is_unknown() || self.end.is_over() {
            return;
        }
        let touch = match touch {
            Touch::Begin { square, piece } => Touch::Begin { square: context.rotation.apply(square), piece },
            Touch::End => Touch::End,
        };
        self.touches.note_touch(now, touch);
        self.handle_touch_while_adjusting(now, touch);
    }

    /// Processes the piece that the players chose for a promotion, on the board's own buttons.
    pub(crate) fn handle_chosen_promotion(&mut self, now: Millis, role: Role, context: &GameContext<'_>, output: &mut Output) {
        if self.board.is_unknown() || self.end.is_over() {
            return;
        }
        self.follower.note_chosen_promotion(now, role);
        if let Some(shadow) = self.hold.shadow() {
            shadow.note_chosen_promotion(now, role);
        }
        if !self.is_paused() {
            self.publish(now, context, output);
        }
    }

    /// Marks the placement that was just read as possibly outdated. `is_start`: it is a start position.
    pub(crate) fn doubt_placement(&mut self, is_start: bool) {
        self.follower.doubt_placement(is_start);
    }

    /// Follows the game anew from `now`, of which only the first `plies` plies are known. What the board shows becomes unknown.
    pub(crate) fn refollow_from(&mut self, now: Millis, plies: usize) {
        self.follower.restart(now, self.published.start().clone(), &self.published.known_plies(plies));
        self.fix_settled_plies();
        self.published.mark_outdated();
        self.board.mark_unknown();
    }

    /// Returns the squares published as stuck, and those that flicker now, in the game's coordinates.
    pub(crate) fn published_faulty_squares(&self) -> Bitboard {
        self.follower.reported_faulty()
    }

    /// Records that a board message was damaged: a piece that is not on its square may have been put down elsewhere.
    pub(crate) fn note_damaged_message(&mut self, now: Millis) {
        self.board.note_loss();
        self.follower.note_damage(now);
    }

    /// Records that the pieces on these squares are new to the board, which assumes queens.
    pub(crate) fn note_assumed_pieces(&mut self, squares: Bitboard) {
        self.follower.assume_queens(squares);
    }

    /// Records that the readings at this time were delayed somewhere: when the changes happened is unknown.
    pub(crate) fn note_delayed_readings(&mut self, now: Millis) {
        self.follower.mark_late(now);
    }

    /// Processes changed squares, in the board's own coordinates. `from_placement`: a whole placement showed them.
    pub(crate) fn handle_changes(
        &mut self,
        now: Millis,
        edges: &[Edge],
        from_placement: bool,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let rotation = context.rotation;
        match (edges, from_placement) {
            _ if self.board.is_unknown() || self.end.is_over() => {}
            ([edge], false) => {
                self.hold_if_stopped(now, context, output);
                let square = rotation.apply(edge.square);
                self.follower.check_unseen(square, edge.now);
                self.store_sighting(now, square, edge.now);
                self.follower.handle_edge(now, square, edge.now);
                if let Some(shadow) = self.hold.shadow() {
                    shadow.handle_edge(now, square, edge.now);
                }
                self.after_change(now, context, output);
            }
            _ => {
                if edges.len() <= MAX_PAIR_SQUARES {
                    edges.iter().for_each(|edge| self.follower.check_unseen(rotation.apply(edge.square), edge.now));
                }
                self.apply_changes(now, edges.iter().map(|edge| (rotation.apply(edge.square), edge.now)), context, output);
                self.follower.note_changed_at_once(now, edges.iter().map(|edge| rotation.apply(edge.square)).collect());
                self.lag.note_pieces_at_once(now, edges.iter().filter(|edge| edge.now != SquareState::Empty).count());
            }
        }
    }

    fn apply_changes(
        &mut self,
        now: Millis,
        changed: impl Iterator<Item = (Square, SquareState)> + Clone,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        if !self.end.is_over() {
            self.hold_if_stopped(now, context, output);
            let changed: Vec<(Square, SquareState)> = changed.into_iter().collect();
            for &(square, sensed) in &changed {
                self.store_sighting(now, square, sensed);
            }
            self.follower.handle_edges(now, changed.iter().copied());
            if let Some(shadow) = self.hold.shadow() {
                shadow.handle_edges(now, changed);
            }
            self.after_change(now, context, output);
        }
    }

    fn after_change(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.is_paused() {
            return;
        }
        self.update_hold_on_change(now);
        self.lag.discard_search();
        self.watch_kings(now, output);
        self.publish(now, context, output);
        self.judge_claims(now, output);
        self.judge_late_release(now, output);
        self.check_record_lag(now, context, output);
    }

    /// Marks readings up to `until` as possibly delayed on the link.
    pub(crate) fn mark_delayed_until(&mut self, until: Millis) {
        self.follower.mark_late_until(until);
    }

    /// Records that the last change came from the board's memory: its time is unknown, only the order.
    pub(crate) fn mark_from_memory(&mut self) {
        self.follower.mark_remembered();
    }
}
