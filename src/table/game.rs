//! One game on the table: compares the line of play that is followed with what was published.

mod alert_filter;
mod alerts;
mod board_knowledge;
mod claim;
mod devices;
mod displaced_squares;
mod draft;
mod end;
mod faults;
mod hold;
mod judge;
mod kings;
mod mate_search;
mod orders;
mod presses;
mod publish;
mod published;
mod record_lag;
mod restore;
mod rests;
mod rewrite;
mod sightings;
mod touch;
mod touch_watch;
mod undo;

use super::clock::{Clock, Press};
use super::{Output, Settings};
use crate::boards::{BoardCommand, Millis, Placement, SquareState};
use crate::game::event::{ClockTimes, Rotation};
use crate::game::record::PlyState;
use crate::game::{AlertKind, CompletedBy, Event, Record, Sighting, StampedEvent};
pub use crate::infer::model::MAX_KING_DELAY;
use crate::infer::{Beam, DetectedStart, Follower, Hypothesis, LineNode, ObservedBoard, rotated};
use crate::laws::edition::Completion;
use crate::laws::{NULL_UCI, Position};
use crate::sense::Edge;
use alert_filter::AlertFilter;
pub use alerts::{DISORDER_TIMEOUT, UNEXPLAINED, UNEXPLAINED_LONG};
use board_knowledge::BoardKnowledge;
use displaced_squares::DisplacedSquares;
use draft::has_position_alert;
use end::GameEnd;
use hold::Hold;
use kings::KingsSignal;
use mate_search::Searches;
use presses::Presses;
use published::{PublishedGame, known_from};
use record_lag::RecordLag;
use rests::Rests;
use shakmaty::{Bitboard, Color, Piece, Square};
use std::sync::Arc;
use touch_watch::TouchWatch;

/// Quiet during which a game that ended by the rules still accepts corrections, in milliseconds.
const CLOSING_QUIET: Millis = 1_000;
/// Most pairs of moves change no more squares than this.
const MAX_PAIR_SQUARES: usize = 4;
/// A start position that is on the board again after at most this many plies was a takeback.
const MAX_TAKEBACK_PLIES: usize = 2;

/// The per-call context passed to a game: what it may read of its table.
pub struct GameContext<'a> {
    pub clock: &'a Clock,
    pub settle: Millis,
    pub settings: &'a Settings,
    pub rotation: Rotation,
}

/// How a press of the clock fits the turn of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressSides {
    /// The press is not part of the game.
    Ignored,
    /// The sides of the clock may be as they are assigned.
    AsAssigned,
    /// The sides of the clock seem to be swapped.
    Swapped,
}

/// One game on the table: what is followed, what was published, and the parts that judge it.
pub struct TableGame {
    follower: Follower,
    published: PublishedGame,
    board: BoardKnowledge,
    /// Where the pieces were at the last rests after a gap, on occupancy boards.
    rests: Rests,
    hold: Hold,
    presses: Presses,
    touches: TouchWatch,
    kings: KingsSignal,
    end: GameEnd,
    alert_filter: AlertFilter,
    displaced: DisplacedSquares,
    /// Set while no line of play explains the board.
    lag: Option<RecordLag>,
    /// Searches for whether a player can mate, where that is not known yet.
    searches: Searches,
}

impl TableGame {
    pub fn begin(
        now: Millis,
        found: DetectedStart,
        seen: ObservedBoard,
        settings: &Settings,
        output: &mut Output,
    ) -> TableGame {
        let event = Event::GameStarted {
            fen: found.position.fen(),
            chess960: found.chess960,
            laws: settings.laws.to_string(),
            rotation: found.rotation,
        };
        let record = Record::new(now, found.position.fen(), found.chess960, settings.laws.to_string(), found.rotation);
        output.emit(now, event);
        let follower = Follower::new(now, found.position.clone(), seen, settings.beam());
        let published = PublishedGame::new(record, settings.laws, found.position, Vec::new(), follower.changes());
        TableGame::from_parts(published, follower, false)
    }

    /// Restores a game from its events; the last game if there are several. `set_by_order`: an order set its start position.
    pub fn restore(events: &[StampedEvent], settings: &Settings, set_by_order: bool) -> Option<TableGame> {
        let first = events.iter().rposition(|stamped| matches!(stamped.event, Event::GameStarted { .. }))?;
        let (first, rest) = events.get(first..)?.split_first()?;
        let mut record = Record::begin(first)?;
        for stamped in rest {
            record.apply(stamped);
        }
        // A position that is legal in both variants was read as the settings say. A start position found by set-up is the usual one
        // (518).
        let is_start = |start: Position| start.fen() == record.start_fen;
        let chess960 = match record.chess960 {
            Some(number) => number != 518,
            None => settings.chess960 && (set_by_order || settings.start().is_ok_and(|start| start.is_some_and(is_start))),
        };
        let start = Position::from_fen(&record.start_fen, chess960).ok()?;
        let known = known_from(&start, &record.plies)?;
        let now = events.last().map_or(0, |last| last.at);
        let mut follower = Follower::resume(now, start.clone(), &known, ObservedBoard::new(settings.sensing), settings.beam());
        record.faults.iter().for_each(|bad| follower.set_known_fault(now, bad.square, bad.fault));
        let moves = known.into_iter().map(|known| known.mv).collect();
        let laws = record.laws.parse().unwrap_or(settings.laws);
        let published = PublishedGame::new(record, laws, start, moves, follower.changes());
        let mut game = TableGame::from_parts(published, follower, true);
        game.resume_restoring();
        let has_result = game.record().result.is_some();
        if !has_result && end::is_held(rest) {
            game.end.hold_result();
        }
        game.searches.set_dead_check(!has_result && !was_dead(rest));
        game.restore_searches();
        Some(game)
    }

    fn from_parts(published: PublishedGame, follower: Follower, is_restored: bool) -> TableGame {
        TableGame {
            end: GameEnd::new(published.record().result.is_some()),
            follower,
            published,
            board: BoardKnowledge::new(is_restored),
            rests: Rests::default(),
            hold: Hold::default(),
            presses: Presses::default(),
            touches: TouchWatch::new(is_restored),
            kings: KingsSignal::default(),
            alert_filter: AlertFilter::default(),
            displaced: DisplacedSquares::default(),
            lag: None,
            searches: Searches::default(),
        }
    }

    /// Returns the game as it was published.
    pub fn published(&self) -> &PublishedGame {
        &self.published
    }

    /// Returns the record.
    pub fn record(&self) -> &Record {
        self.published.record()
    }

    /// Sets the beam width.
    pub fn set_beam(&mut self, beam: Beam) {
        self.follower.set_beam(beam);
    }

    /// Stops all judging: from now on no alerts are raised, and no searches are made for whether a player can mate.
    pub fn follow_only(&mut self) {
        self.alert_filter.stop_judging();
    }

    pub fn likeliest(&self) -> Vec<String> {
        let line = self.follower.nodes();
        let moves = line.iter().zip(line.iter().skip(1));
        moves.filter_map(|(before, node)| Some(before.position.uci(node.mv?))).collect()
    }

    pub fn hypotheses(&self, now: Millis, from_ply: usize) -> Vec<Hypothesis> {
        self.follower.hypotheses(now, from_ply)
    }

    pub fn is_over(&self) -> bool {
        self.end.is_over()
    }

    /// Whether the arbiter was alerted that the board does not show the position of the record.
    pub fn has_position_alert(&self) -> bool {
        has_position_alert(self.record())
    }

    /// Whether what the board shows is unknown.
    pub fn is_board_unknown(&self) -> bool {
        self.board.is_unknown()
    }

    /// Whether quiet would change something: the board shows something that pieces in the hands do not explain, or the game has
    /// ended.
    pub fn needs_quiet_evaluation(&self) -> bool {
        !self.board.is_unknown() && (self.follower.unexplained().any() || self.record().result.is_some())
    }

    pub fn set_last_number(&mut self, number: u64) {
        self.published.set_last_number(number);
    }

    /// Whether a start position that has been on the board for `quiet` milliseconds begins another game.
    pub fn may_be_followed_by_another(&self, quiet: Millis) -> bool {
        !self.is_paused()
            && (self.end.is_over()
                || self.published.is_empty()
                || (quiet >= crate::infer::REST_TAKEBACK
                    && self.published.len() > MAX_TAKEBACK_PLIES
                    && !self.follower.mismatch().is_empty()))
    }

    /// Whether the game is in progress and shows pieces on other squares that were not seen to move there.
    pub fn is_shown_unseen(&self) -> bool {
        !self.end.is_over() && self.follower.is_placement_unseen()
    }

    pub fn begin_gap(&mut self, now: Millis) {
        self.lag = None;
        self.touches.begin_gap(now);
        self.presses.begin_gap();
        self.board.begin_gap();
        self.kings.forget();
    }

    /// Begins the game while what the board shows is unknown.
    pub fn begin_without_placement(&mut self, now: Millis) {
        self.begin_gap(now);
        self.board.forget_board();
    }

    /// Processes the first whole reading after the link came up.
    pub fn handle_first_placement(
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

    /// Marks the placement that was just read as possibly outdated. `is_start`: it is a start position.
    pub fn doubt_placement(&mut self, is_start: bool) {
        self.follower.doubt_placement(is_start);
    }

    /// Follows the game anew from `now`, of which only the first `plies` plies are known. What the board shows becomes unknown.
    pub fn refollow_from(&mut self, now: Millis, plies: usize) {
        self.follower.restart(now, self.published.start().clone(), &self.published.known_plies(plies));
        self.fix();
        self.published.mark_outdated();
        self.board.mark_unknown();
    }

    /// Returns the squares published as stuck, and those that flicker now, in the game's coordinates.
    pub fn published_faulty_squares(&self) -> Bitboard {
        self.follower.reported_faulty()
    }

    /// Records that a board message was damaged: a piece that is not on its square may have been put down elsewhere.
    pub fn note_damaged_message(&mut self, now: Millis) {
        self.board.note_loss();
        self.follower.note_damage(now);
    }

    /// Records that the pieces on these squares are new to the board, which assumes queens.
    pub fn note_assumed_pieces(&mut self, squares: Bitboard) {
        self.follower.assume_queens(squares);
    }

    /// Records that the readings at this time were delayed somewhere: when the changes happened is unknown.
    pub fn note_delayed_readings(&mut self, now: Millis) {
        self.follower.mark_late(now);
    }

    pub fn handle_changes(
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
                self.note_pieces_at_once(now, edges.iter().filter(|edge| edge.now != SquareState::Empty).count());
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
        self.discard_missed_search();
        self.watch_kings(now, output);
        self.publish(now, context, output);
        self.judge_claims(now, output);
        self.judge_late_release(now, output);
        self.check_record_lag(now, context, output);
    }

    /// Marks readings up to `until` as possibly delayed on the link.
    pub fn mark_delayed_until(&mut self, until: Millis) {
        self.follower.mark_late_until(until);
    }

    /// Records that the last change came from the board's memory: its time is unknown, only the order.
    pub fn mark_from_memory(&mut self) {
        self.follower.mark_remembered();
    }

    /// Compares a press with the turn of play, before it is processed.
    pub fn check_sides(&mut self, now: Millis, press: Press, output: &mut Output) -> PressSides {
        if self.end.is_over() {
            self.pressed_after_end(now, press, output);
        }
        if self.board.is_unknown() || self.end.is_over() || self.is_paused() {
            return PressSides::Ignored;
        }
        // A press means that a move was made, so a hold ends.
        self.end_hold(now);
        let is_off_turn = self.follower.tip().position.turn() == press.by && self.follower.nodes().len() > 1;
        let is_first = self.follower.nodes().len() == 2 && self.follower.tip().pressed_at.is_none();
        match self.presses.note_side(is_off_turn, is_first) {
            true => PressSides::Swapped,
            false => PressSides::AsAssigned,
        }
    }

    /// Records that the sides of the clock were swapped.
    pub fn note_swapped_sides(&mut self) {
        self.presses.note_swapped_sides();
    }

    /// Processes a press that [`TableGame::check_sides`] has not ignored.
    pub fn handle_press(&mut self, now: Millis, press: Press, context: &GameContext<'_>, output: &mut Output) {
        self.follower.handle_press(now, press.by);
        output.commands.push(BoardCommand::Placement);
        let line = self.follower.nodes();
        let movers_last = line.iter().rposition(|node| node.mv.is_some() && node.position.turn() != press.by).unwrap_or(0);
        // The opponent has pressed since. That is only possible after a press of the move before, which was not seen.
        let overtaken = line.get(movers_last + 1).is_some_and(|node| node.was_pressed_long_ago(now));
        let is_made = movers_last <= self.published.len() && self.moves_agree(movers_last) && !overtaken;
        match self.record().ply(movers_last as u32) {
            Some(ply) if is_made && ply.state == PlyState::Made && self.published.laws().completes(Completion::Press) => {
                self.complete(now, movers_last as u32, CompletedBy::Clock, press.clocks, output);
                self.presses.note_completing(now, press, movers_last as u32);
            }
            _ => {
                let is_on_move = self.follower.tip().position.turn() == press.by;
                let is_in_play = !self.hold.is_active() && !self.is_over_but_for_notices();
                self.presses.note_pending(press, is_on_move && is_in_play);
            }
        }
        self.follower.handle_quiet(now, context.settle);
        self.publish(now, context, output);
        self.count_press();
        self.check_record_lag(now, context, output);
    }

    /// Whether the published move of this ply is the one that the follower has.
    fn moves_agree(&self, ply: usize) -> bool {
        let followed = self.follower.nodes().get(ply).and_then(|node| node.mv);
        ply.checked_sub(1).is_some_and(|index| self.published.moves().get(index).copied() == followed)
    }

    /// Processes a clock reading in which the lever did not move.
    pub fn handle_clock_times(&mut self, now: Millis, times: ClockTimes, were_held: bool, output: &mut Output) {
        let (line, start) = (self.follower.nodes(), self.published.start().turn());
        let mover = |ply| mover(line, start, ply);
        if let Some((ply, clocks)) = self.presses.revise_times(now, times, were_held, self.published.record(), mover) {
            self.record_event(now, Event::ClockRevised { ply, clocks }, output);
        }
    }

    /// Processes the fact that nothing has changed for `quiet` milliseconds.
    pub fn handle_quiet(&mut self, now: Millis, quiet: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.board.is_unknown() || self.end.is_over() || self.is_paused() {
            return;
        }
        self.update_hold_on_quiet(now, quiet, context, output);
        self.follower.handle_quiet(now, context.settle);
        self.publish(now, context, output);
        self.board.note_agreement(self.follower.mismatch().is_empty());
        if self.follower.unexplained().any() {
            // An update may have been lost or damaged on the link: request the placement before explaining it.
            output.commands.push(BoardCommand::Placement);
        }
        let last = self.record().plies.len() as u32;
        let settled = self.moves_agree(last as usize) && self.follower.mismatch().is_empty();
        if !context.clock.is_in_use()
            && quiet >= Millis::from(context.settings.dwell_ms)
            && settled
            && self.published.is_open(last)
        {
            self.complete(now, last, CompletedBy::Dwell, ClockTimes::default(), output);
        }
        if quiet >= CLOSING_QUIET && (self.record().result.is_some() || self.is_over_but_for_notices()) {
            self.end.set_over(true);
        }
        self.judge_dead(now, output);
        self.settle_end(now, context, output);
        self.alert_unexplained(now, quiet, context, output);
        if quiet >= UNEXPLAINED {
            self.alert_touched_opponent(now, output);
        }
        self.check_record_lag(now, context, output);
        self.search_missed(now, quiet);
    }

    /// Returns when the follower must re-evaluate a press, or when the time to adjust ends.
    pub fn reevaluation_deadline(&self) -> Option<Millis> {
        let follower = self.follower.deadline();
        [follower, self.hold.deadline(), self.presses.deadline(), self.touches.deadline(), self.lag_deadline()]
            .into_iter()
            .flatten()
            .min()
            .filter(|_| !self.end.is_over() && !self.board.is_unknown() && !self.is_paused())
    }

    /// Returns when the next slice of a search is due, or when a held-back end of the game times out. Applies even while nothing is
    /// followed.
    pub fn background_deadline(&self) -> Option<Millis> {
        [self.searches.deadline(), self.end_deadline(), self.missed_deadline()].into_iter().flatten().min()
    }

    /// Runs what is due at `background_deadline`.
    pub fn run_background(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.end_deadline().is_some_and(|due| due <= now) {
            self.settle_end(now, context, output);
        } else if self.missed_deadline().is_some_and(|due| due <= now) {
            self.run_missed(now, context, output);
        } else {
            self.run_search(now, output);
        }
    }

    /// Runs what is due at `reevaluation_deadline`.
    pub fn reevaluate(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.hold.deadline().is_some_and(|until| until <= now) {
            self.end_hold(now);
        }
        self.follower.handle_quiet(now, context.settle);
        self.publish(now, context, output);
        self.press_is_due(now, output);
        self.alert_handled_off_turn(now, context, output);
        self.check_record_lag(now, context, output);
    }

    fn complete(&mut self, now: Millis, ply: u32, by: CompletedBy, clocks: ClockTimes, output: &mut Output) {
        self.record_event(now, Event::MoveCompleted { ply, by, clocks }, output);
        if self.published.is_raised(AlertKind::IllegalPosition) {
            // The acts required of the arbiter may change with it.
            self.judge_position(now, output);
        }
    }

    fn mover(&self, ply: u32) -> Color {
        mover(self.follower.nodes(), self.published.start().turn(), ply)
    }

    /// Returns what the board showed since the position before the move of this index: the evidence of an illegal move.
    fn evidence(&self, index: usize, uci: &str) -> Vec<Sighting> {
        let recorded = self.record().plies.get(index).filter(|ply| ply.played.irregular && ply.played.uci == uci);
        if let Some(ply) = recorded {
            return ply.played.evidence.clone();
        }
        let Some(before) = self.follower.nodes().get(index).filter(|_| uci != NULL_UCI) else { return Vec::new() };
        self.evidence_between(before, self.changed_by(index).into_iter().collect())
    }

    /// Returns the squares that the move of this index changed, including those of its slip if it was illegal.
    fn changed_by(&self, index: usize) -> Vec<Square> {
        let line = self.follower.nodes();
        let (Some(before), Some(node)) = (line.get(index), line.get(index + 1)) else { return Vec::new() };
        let changes = node.mv.map(|mv| before.position.changes(mv));
        let mut squares: Vec<Square> = changes.iter().flat_map(|changes| changes.iter()).map(|(square, _)| square).collect();
        let slip = node.slip.as_ref().map_or(Bitboard::EMPTY, |slip| slip.squares);
        squares.extend(
            slip.into_iter()
                .filter(|square| !changes.is_some_and(|changes| changes.iter().any(|(changed, _)| changed == *square))),
        );
        squares
    }

    /// Returns how these squares came to show their current state since the position of `since`, and what else was seen.
    fn evidence_between(&self, since: &LineNode, squares: Bitboard) -> Vec<Sighting> {
        let seen = self.follower.seen();
        self.touches.sightings().evidence_for(squares, since.made_at, |square| {
            // The square already had this state when the game began, or when moves were taken back.
            let expected = since.position.piece_at(square);
            let at = seen.changed_at(square).max(self.record().started_at);
            let differs = !seen.is_compatible(square, expected);
            differs.then(|| Sighting { at, square, before: expected_reading(expected, seen), now: seen.actual(square) })
        })
    }

    /// Stores what a square showed before and what it shows now.
    fn store_sighting(&mut self, at: Millis, square: Square, now: SquareState) {
        let seen = self.follower.seen();
        let now = now.reduce_to(seen.sensing());
        // After a restart nothing was seen yet: the record says which piece was there.
        let before = match self.board.has_been_read() {
            true => seen.actual(square),
            false => expected_reading(self.follower.tip().position.piece_at(square), seen),
        };
        if before != now {
            self.touches.push(Sighting { at, square, before, now });
            self.note_rest(at);
            self.note_handled(at, square, now);
        }
    }

    /// Applies an event to the record and adds it to the output.
    fn record_event(&mut self, at: Millis, event: Event, output: &mut Output) {
        let stamped = StampedEvent { at: output.timestamp(at), number: None, event };
        if matches!(stamped.event, Event::Result { .. }) {
            self.end.release_result();
        }
        self.published.apply(&stamped);
        output.push_event(stamped);
    }
}

/// Returns who made the move of this ply. `first`: who was to move at the start.
fn mover(line: &[Arc<LineNode>], first: Color, ply: u32) -> Color {
    // The players nearly always alternate.
    let alternating = if ply % 2 == 1 { first } else { !first };
    line.get(ply as usize).map_or(alternating, |after| !after.position.turn())
}

/// Whether these events of one game say that the last position on record was found to be dead.
fn was_dead(events: &[StampedEvent]) -> bool {
    let last = events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::MoveMade { .. } | Event::MovesCorrected { .. } => Some(false),
        Event::AlertRaised(alert) if alert.kind == AlertKind::DeadPosition => Some(true),
        _ => None,
    });
    last == Some(true)
}

/// Returns what a square with this piece, or without one, would show.
fn expected_reading(piece: Option<Piece>, seen: &ObservedBoard) -> SquareState {
    piece.map_or(SquareState::Empty, SquareState::Piece).reduce_to(seen.sensing())
}
