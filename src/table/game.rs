//! One game on the table: compares the line of play that is followed with what was published.

mod alert_filter;
mod alerts;
mod board_knowledge;
mod changes;
mod claim;
mod deadlines;
mod devices;
mod disorder;
mod displaced_squares;
mod doubt;
mod draft;
mod end;
mod evidence;
mod faults;
mod flags;
mod hold;
mod judge;
mod kings;
mod mate_search;
mod missed_moves;
mod orders;
mod press_alerts;
mod presses;
mod proposal;
mod publish;
mod published;
mod record_lag;
mod restore;
mod rests;
mod rewrite;
mod sightings;
mod stuck;
mod touch;
mod touch_findings;
mod touch_log;
mod touch_watch;
mod uncertain;
mod undo;
mod unexplained;

use super::clock::Clock;
use super::{Output, Settings};
use crate::boards::Millis;
use crate::game::event::{ClockTimes, Rotation};
use crate::game::{AlertKind, CompletedBy, Confidence, Event, Record, StampedEvent};
use crate::infer::model::Cost;
pub(super) use crate::infer::model::MAX_KING_DELAY;
use crate::infer::{Beam, DetectedStart, Follower, HandLog, Hypothesis, LineNode, LineTrace, ObservedBoard, Patience};
use crate::laws::Position;
use alert_filter::AlertFilter;
use board_knowledge::BoardKnowledge;
use displaced_squares::DisplacedSquares;
use draft::has_position_alert;
use end::GameEnd;
use hold::Hold;
use kings::KingsSignal;
use mate_search::Searches;
pub(super) use presses::PressSides;
use presses::Presses;
use published::{PublishedGame, known_from};
use record_lag::LagWatch;
use rests::Rests;
use shakmaty::{Color, Move};
use std::ops::RangeInclusive;
use std::sync::Arc;
use touch_watch::TouchWatch;
pub(super) use unexplained::{DISORDER_TIMEOUT, UNEXPLAINED, UNEXPLAINED_LONG};

/// A start position that is on the board again after at most this many plies was a takeback.
const MAX_TAKEBACK_PLIES: usize = 2;

/// The per-call context passed to a game: what it may read of its table.
pub(super) struct GameContext<'a> {
    pub clock: &'a Clock,
    pub patience: Patience,
    pub settings: &'a Settings,
    pub rotation: Rotation,
}

/// One game on the table: what is followed, what was published, and the parts that judge it.
#[derive(Clone)]
pub(super) struct TableGame {
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
    lag: LagWatch,
    /// Searches for whether a player can mate, where that is not known yet.
    searches: Searches,
}

impl TableGame {
    /// Begins a game from this start position. `seen`: what the board shows.
    pub(super) fn begin(
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
        let follower = Follower::new(now, found.position.clone(), seen.with_hands(settings.hands), settings.beam());
        let published = PublishedGame::new(record, settings.laws, found.position, Vec::new(), follower.changes());
        TableGame::from_parts(published, follower, false)
    }

    /// Restores a game from its events; the last game if there are several. `set_by_order`: an order set its start position.
    pub(super) fn restore(events: &[StampedEvent], settings: &Settings, set_by_order: bool) -> Option<TableGame> {
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
        let seen = ObservedBoard::new(settings.sensing).with_hands(settings.hands);
        let mut follower = Follower::resume(now, start.clone(), &known, seen, settings.beam());
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
        game.searches.set_dead_check(!has_result && !mate_search::was_dead(rest));
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
            lag: LagWatch::default(),
            searches: Searches::default(),
        }
    }

    /// Returns the game as it was published.
    pub(super) fn published(&self) -> &PublishedGame {
        &self.published
    }

    /// Returns the record.
    pub(super) fn record(&self) -> &Record {
        self.published.record()
    }

    /// Sets the beam width.
    pub(super) fn set_beam(&mut self, beam: Beam) {
        self.follower.set_beam(beam);
    }

    /// Traces a line of play through the search.
    pub(super) fn trace(&mut self, trace: LineTrace) {
        self.follower.trace(trace);
    }

    /// Returns the trace of a line of play and its cost beyond that of the line that is followed, if it is followed to its end.
    pub(super) fn line_trace(&self, now: Millis) -> Option<(&LineTrace, Option<Cost>)> {
        Some((self.follower.line_trace()?, self.follower.traced_excess(now)))
    }

    /// Stops all judging: from now on no alerts are raised, and no searches are made for whether a player can mate.
    pub(super) fn follow_only(&mut self) {
        self.alert_filter.stop_judging();
    }

    /// Returns the moves on record.
    pub(super) fn recorded_moves(&self) -> &[Move] {
        self.published.moves()
    }

    /// Returns all moves of the line that is followed, in UCI, including unpublished ones.
    pub(super) fn likeliest(&self) -> Vec<String> {
        let line = self.follower.nodes();
        let moves = line.iter().zip(line.iter().skip(1));
        moves.filter_map(|(before, node)| Some(before.position.uci(node.mv?))).collect()
    }

    /// Keeps in `log` what the board shows, and the line that is followed.
    pub(super) fn observe_hands(&self, now: Millis, log: &mut HandLog) {
        log.observe(now, &self.follower);
    }

    /// Returns a copy of a game that has just begun, which raises no alerts.
    pub(super) fn without_judging(&self) -> TableGame {
        let mut game = self.clone();
        game.follow_only();
        game
    }

    /// Returns the number of lines of play that are followed.
    pub(super) fn line_count(&self) -> usize {
        self.follower.line_count()
    }

    /// Returns the confidence of the move of this ply (counted from 1) in the line that is followed, and the time in which the
    /// squares showed it; `None` before it is decided.
    pub(super) fn followed_move(&self, ply: usize, now: Millis) -> Option<(Confidence, RangeInclusive<Millis>)> {
        let (confidence, _) = self.follower.confidence(ply, now)?;
        let nodes = self.follower.nodes();
        let from = nodes.get(ply.checked_sub(1)?)?.made_at;
        let until = nodes.get(ply + 1).or(nodes.get(ply))?.made_at;
        Some((confidence, from..=until))
    }

    /// Returns every line of play that may still be what happened, likeliest first, from this ply on.
    pub(super) fn hypotheses(&self, now: Millis, from_ply: usize) -> Vec<Hypothesis> {
        self.follower.hypotheses(now, from_ply)
    }

    /// Whether the game has a result and the board is no longer followed.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_over()
    }

    /// Whether the arbiter was alerted that the board does not show the position of the record.
    pub(super) fn has_position_alert(&self) -> bool {
        has_position_alert(self.record())
    }

    /// Whether what the board shows is unknown.
    pub(super) fn is_board_unknown(&self) -> bool {
        self.board.is_unknown()
    }

    /// Whether quiet would change something: the board shows something that pieces in the hands do not explain, or the game has
    /// ended.
    pub(super) fn needs_quiet_evaluation(&self) -> bool {
        !self.board.is_unknown() && (self.follower.unexplained().any() || self.record().result.is_some())
    }

    /// Sets the number of the last durable event.
    pub(super) fn set_last_number(&mut self, number: u64) {
        self.published.set_last_number(number);
    }

    /// Whether a start position that has been on the board for `quiet` milliseconds begins another game.
    pub(super) fn may_be_followed_by_another(&self, quiet: Millis) -> bool {
        !self.is_paused()
            && (self.end.is_over()
                || self.published.is_empty()
                || (quiet >= crate::infer::REST_TAKEBACK
                    && self.published.len() > MAX_TAKEBACK_PLIES
                    && !self.follower.mismatch().is_empty()))
    }

    /// Whether the game is in progress and shows pieces on other squares that were not seen to move there.
    pub(super) fn is_shown_unseen(&self) -> bool {
        !self.end.is_over() && self.follower.is_placement_unseen()
    }

    /// Whether the published move of this ply is the one that the follower has.
    fn moves_agree(&self, ply: usize) -> bool {
        let followed = self.follower.nodes().get(ply).and_then(|node| node.mv);
        ply.checked_sub(1).is_some_and(|index| self.published.moves().get(index).copied() == followed)
    }

    /// Records that the move of this ply is completed.
    fn complete(&mut self, now: Millis, ply: u32, by: CompletedBy, clocks: ClockTimes, output: &mut Output) {
        self.record_event(now, Event::MoveCompleted { ply, by, clocks }, output);
        self.note_put_right(now, ply, output);
        if self.published.is_raised(AlertKind::IllegalPosition) {
            // The acts required of the arbiter may change with it.
            self.judge_position(now, output);
        }
    }

    /// Returns who made the move of this ply.
    fn mover(&self, ply: u32) -> Color {
        mover(self.follower.nodes(), self.published.start().turn(), ply)
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
