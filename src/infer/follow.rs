//! Follows one game: edges, quiet and presses in, the likeliest line of play out.

mod faulty_squares;
mod lines;
mod ranking;
mod redecoding;
mod shares;
mod unexplained;

use super::model::{self, Cost};
use super::{Beam, Faults, Hypothesis, KnownPly, Line, LineNode, LineTrace, ObservedBoard, Patience, analysis};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::reason::IllegalReason;
use crate::laws::{CENTRE, Position};
use lines::Lines;
use shakmaty::{Bitboard, Color, Move, Role, Square};
use std::sync::Arc;

/// All lines of play that are still possible, and the current readings of the squares.
#[derive(Clone, Debug)]
pub struct Follower {
    seen: ObservedBoard,
    lines: Lines,
    /// When a clock press is re-evaluated.
    reevaluate_at: Option<Millis>,
    /// When the quiet board was last evaluated.
    evaluated_at: Millis,
    /// Set while inference is suspended, because changes are not play: the squares that have changed meanwhile.
    suspended: Option<Bitboard>,
    faults: Faults,
}

impl Follower {
    /// Creates a follower of a game that begins at `start`, on a board that shows `seen`.
    pub fn new(now: Millis, start: Position, seen: ObservedBoard, beam: Beam) -> Follower {
        Follower::with_plies(now, start, &[], seen, beam, 0)
    }

    /// Creates a follower of a game with plies already played, all of them published.
    pub fn resume(now: Millis, start: Position, known: &[KnownPly], seen: ObservedBoard, beam: Beam) -> Follower {
        Follower::with_plies(now, start, known, seen, beam, 1)
    }

    fn with_plies(
        now: Millis,
        start: Position,
        known: &[KnownPly],
        mut seen: ObservedBoard,
        beam: Beam,
        changes: u64,
    ) -> Follower {
        seen.begin_game(now);
        let mut line = Line::new(start, &seen, beam.max_lines());
        known.iter().for_each(|known| line.append_known(now, known, &seen));
        let lines = Lines::new(line, beam, changes);
        Follower { seen, lines, reevaluate_at: None, evaluated_at: 0, suspended: None, faults: Faults::default() }
    }

    /// Restarts the game from `known`. Forgets the readings of the squares, except for faults.
    pub fn restart(&mut self, now: Millis, start: Position, known: &[KnownPly]) {
        let seen = ObservedBoard::new(self.seen.sensing()).with_hands(*self.seen.hands());
        let (changes, faults) = (self.lines.changes() + 1, std::mem::take(&mut self.faults));
        let trace = self.lines.trace().cloned();
        *self = Follower { faults, ..Follower::with_plies(now, start, known, seen, self.lines.beam(), changes) };
        trace.into_iter().for_each(|trace| self.lines.set_trace(trace));
        self.apply_faults(now);
    }

    /// Traces the line with these moves through the search from now on.
    pub fn trace(&mut self, trace: LineTrace) {
        self.lines.set_trace(trace);
    }

    /// Returns the trace of a line, if one is traced.
    pub fn line_trace(&self) -> Option<&LineTrace> {
        self.lines.trace()
    }

    /// Returns the cost of the traced line beyond that of the published line; `None` if it is not followed to its end.
    pub fn traced_excess(&self, now: Millis) -> Option<Cost> {
        let trace = self.lines.trace()?;
        let line = self.lines.all().iter().find(|line| trace.is_complete(line))?;
        Some(line.cost(now, &self.seen) - self.best().cost(now, &self.seen))
    }

    /// Sets the beam width.
    pub fn set_beam(&mut self, beam: Beam) {
        self.lines.set_beam(beam);
    }

    /// Returns what the squares show.
    pub fn seen(&self) -> &ObservedBoard {
        &self.seen
    }

    fn best(&self) -> &Line {
        self.lines.best()
    }

    /// Returns the likeliest line of play; its first node is the start, without a move.
    pub fn nodes(&self) -> &[Arc<LineNode>] {
        self.best().nodes()
    }

    /// Returns the last node of the likeliest line.
    pub fn tip(&self) -> &LineNode {
        self.best().tip()
    }

    /// Returns the number of lines of play that are still possible.
    pub fn line_count(&self) -> usize {
        self.lines.all().len()
    }

    /// Returns the number of decided plies, from the start.
    pub fn decided(&self) -> usize {
        self.best().history().decided()
    }

    /// Returns a counter of changes of the line or of what is decided: while it stays the same, there is nothing to publish.
    pub fn changes(&self) -> u64 {
        self.lines.changes()
    }

    /// Returns why the line last changed its past.
    pub fn reason(&self) -> CorrectionReason {
        self.lines.reason()
    }

    /// Returns the squares that differ from the line's last position.
    pub fn mismatch(&self) -> Bitboard {
        self.best().compare(&self.seen).mismatch()
    }

    /// Returns the squares of [`mismatch`](Self::mismatch) that pieces in the hands of the side to move (up to two of its own, and
    /// one captured) do not explain.
    pub fn unexplained(&self) -> Bitboard {
        self.best().compare(&self.seen).unexplained()
    }

    /// Returns the central squares on which both kings indicate a result, White's first where the board can tell.
    pub fn kings_in_centre(&self) -> Option<[Square; 2]> {
        if self.seen.sensing() == SensorKind::Identity && !self.seen.shows_kings_in(CENTRE) {
            return None;
        }
        self.lines.all().iter().find_map(|line| line.compare(&self.seen).kings_in_centre())
    }

    /// Returns where a king is, or seems to be, when both kings have left their squares and the centre shows fewer of them than a
    /// result needs. Always `None` on boards that identify pieces.
    pub fn kings_unclear(&self) -> Option<Bitboard> {
        self.lines.all().iter().find_map(|line| line.compare(&self.seen).kings_unclear())
    }

    /// Returns the illegal move on the board, if what is there is one, and why it is illegal.
    pub fn stray_move(&self) -> Option<(Move, IllegalReason)> {
        self.best().illegal_move()
    }

    /// Returns whether a king is in the centre and no move can have brought it there.
    pub fn king_strays(&self) -> bool {
        self.best().compare(&self.seen).king_strays()
    }

    /// Returns whether pieces are on other squares than after the last move although no edge showed them moving there.
    pub fn is_placement_unseen(&self) -> bool {
        self.best().compare(&self.seen).is_shown_unseen()
    }

    /// Returns whether both kings have left their squares.
    pub fn kings_are_lifted(&self) -> bool {
        (self.tip().position.board().kings() & self.seen.occupied()).is_empty()
    }

    /// Returns the confidence of the move of this ply (counted from 1) and its alternatives, likeliest first; `None` before it is
    /// decided.
    pub fn confidence(&self, ply: usize, now: Millis) -> Option<(Confidence, Vec<(Move, Confidence)>)> {
        shares::confidence(self.lines.all(), ply, now, &self.seen)
    }

    /// Returns every line that is still possible, with its moves from this ply (counted from 1) on; likeliest first.
    pub fn hypotheses(&self, now: Millis, from_ply: usize) -> Vec<Hypothesis> {
        analysis::hypotheses(self.lines.all(), now, &self.seen, from_ply)
    }

    /// Handles a change of one square, in squares of play.
    pub fn handle_edge(&mut self, now: Millis, square: Square, sensed: SquareState) {
        let was_excused = self.seen.excused().contains(square);
        if was_excused {
            self.seen.clear_excuse();
        }
        let before = self.seen.at(square);
        let since = self.seen.changed_at(square);
        self.seen.set_square(now, square, sensed);
        if self.note_if_suspended(Bitboard::from_square(square)) {
            return;
        }
        self.watch_square(now, square, before, since);
        if !was_excused && self.lines.begin_move(now, square, &self.seen) {
            return;
        }
        self.apply_to_lines(now, |line, seen, others| line.handle_edge(now, square, before, seen, others));
    }

    /// Marks everything that comes until `until` as possibly delayed on the serial line.
    pub fn mark_late_until(&mut self, until: Millis) {
        self.seen.mark_late_until(until);
    }

    /// Marks the last change as one that was not seen when it happened.
    pub fn mark_remembered(&mut self) {
        self.seen.mark_remembered();
    }

    /// Notes damaged data on the serial line: updates may be lost.
    pub fn note_damage(&mut self, now: Millis) {
        self.seen.note_damage(now);
    }

    /// Notes that pieces on these squares are new to the board, which assumes queens there.
    pub fn assume_queens(&mut self, squares: Bitboard) {
        self.seen.assume_queens(squares);
    }

    /// Notes that what comes at this time has waited and comes all at once: the time of each change is unknown.
    pub fn mark_late(&mut self, now: Millis) {
        self.seen.mark_late(now);
    }

    /// Handles changes in unknown order: a whole reading after some were missed or the link was lost.
    pub fn handle_edges(&mut self, now: Millis, changed: impl IntoIterator<Item = (Square, SquareState)>) {
        let mut squares = Bitboard::EMPTY;
        for (square, sensed) in changed {
            if self.seen.excused().contains(square) {
                if self.seen.actual(square) == sensed {
                    continue;
                }
                self.seen.clear_excuse();
            }
            self.seen.set_found(now, square, sensed);
            squares.add(square);
        }
        if !self.note_if_suspended(squares) {
            self.update_doubt(now);
            self.apply_to_lines(now, |line, seen, others| line.handle_found(now, squares, seen, others));
        }
    }

    /// Notes that one reading reported the change of all these squares.
    pub fn note_changed_at_once(&mut self, now: Millis, squares: Bitboard) {
        self.seen.note_changed_at_once(now, squares);
    }

    /// Marks the placement that was just read as possibly stale. `is_start`: it is a start position.
    pub fn doubt_placement(&mut self, is_start: bool) {
        let squares = self.mismatch();
        match is_start {
            true => self.seen.doubt_squares(squares),
            false => self.seen.doubt_if_many(squares),
        }
    }

    /// Handles one square changing to `now`. If the square should have shown that before, the reading that showed something else
    /// there was right.
    pub fn check_unseen(&mut self, square: Square, now: SquareState) {
        if self.seen.doubted().contains(square) {
            let expected = self.tip().position.piece_at(square).map_or(SquareState::Empty, SquareState::Piece);
            if now == expected.reduce_to(self.seen.sensing()) {
                self.seen.confirm_doubted();
            }
        }
    }

    /// Returns a copy that follows fewer lines. It treats as play what the original does not.
    pub fn shadow(&self) -> Follower {
        let mut shadow = self.clone();
        shadow.lines.narrow(model::SHADOW_LINES);
        shadow
    }

    /// Suspends inference: from now on changes of squares are noted, and nothing is concluded from them.
    pub fn suspend(&mut self) {
        self.suspended.get_or_insert(Bitboard::EMPTY);
    }

    /// Resumes inference: what the squares show counts as found at `now`.
    pub fn resume_inference(&mut self, now: Millis) {
        if let Some(squares) = self.suspended.take() {
            self.apply_to_lines(now, |line, seen, others| line.handle_found(now, squares, seen, others));
        }
    }

    /// Returns whether inference is suspended, and if so notes the change of `squares`.
    fn note_if_suspended(&mut self, squares: Bitboard) -> bool {
        let Some(changed) = &mut self.suspended else { return false };
        *changed |= squares;
        self.update_at_tip();
        true
    }

    /// Handles a clock press of player `by`.
    pub fn handle_press(&mut self, now: Millis, by: Color) {
        self.seen.note_press(now, by);
        self.apply_to_lines(now, |line, seen, _| line.handle_press(now, by, seen));
        self.reevaluate_at = {
            let unclear = self.seen.sensing() == SensorKind::Occupancy || !self.lines.all().iter().any(Line::is_at_tip);
            unclear.then_some(now + model::SCAN_TIME)
        };
    }

    /// Returns when [`handle_quiet`](Self::handle_quiet) must be called in addition.
    pub fn deadline(&self, patience: Patience) -> Option<Millis> {
        let rested_at = self.best().rested_at(patience, &self.seen).filter(|at| *at > self.evaluated_at);
        [self.reevaluate_at, rested_at.filter(|_| self.suspended.is_none())].into_iter().flatten().min()
    }

    /// Handles time passing without an edge.
    pub fn handle_quiet(&mut self, now: Millis, patience: Patience) {
        let settle = patience.settle;
        self.evaluated_at = now;
        self.reevaluate_at = self.reevaluate_at.filter(|at| *at > now);
        if self.suspended.is_some() {
            return;
        }
        self.update_doubt(now);
        // A king that strays to the centre indicates a result; what follows is not play.
        let may_be_signal = now.saturating_sub(self.seen.last_edge()) < model::MAX_KING_DELAY || self.kings_are_lifted();
        let explains = |line: &Line| line.is_at_tip() && !line.has_better_illegal();
        let explained = self.lines.credible(now, &self.seen).any(explains) || (may_be_signal && self.king_strays());
        if !explained {
            self.look_for_illegal(now);
        }
        self.apply_to_lines(now, |line, seen, others| line.handle_quiet(now, patience, !explained, seen, others));
        self.search_offline(now, settle);
        self.look_for_displaced(now, settle);
    }

    /// Decides the last move: no more moves will be made in this game.
    pub fn decide_last_move(&mut self, now: Millis) {
        self.apply_to_lines(now, |line, _, _| line.decide_last_move());
    }

    /// Removes the last king moves to the centre, which turned out to be a result signal.
    pub fn withdraw_king_moves(&mut self, now: Millis, keep: impl Fn(usize, &LineNode) -> bool) {
        let signals = |line: &Line| {
            line.compare(&self.seen).kings_in_centre().is_some() || line.compare(&self.seen).kings_unclear().is_some()
        };
        if let Some(index) = self.lines.all().iter().position(signals)
            && index > 0
        {
            self.lines.publish(index);
        }
        self.apply_to_lines(now, |line, seen, _| line.withdraw_king_moves(&keep, seen));
    }

    /// Replaces the plies by `plies`, on the authority of `reason`.
    pub fn rewrite(&mut self, now: Millis, plies: &[KnownPly], reason: CorrectionReason) {
        self.seen.clear_excuse();
        self.lines.rewrite(now, plies, reason, &self.seen);
    }

    /// Fixes the first `plies` plies: they are not revised whatever is seen.
    pub fn fix_plies(&mut self, plies: usize) {
        self.lines.fix_plies(plies, &self.seen);
    }

    /// Changes the promotion piece of this ply (counted from 1), on the arbiter's authority; the moves after it stay. Prunes lines
    /// that disagree.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub fn set_promotion(&mut self, ply: usize, role: Role) -> Result<(), usize> {
        self.lines.set_promotion(ply, role, &self.seen)
    }

    /// Notes that the players chose this piece for a promotion, on the board's own buttons. It is evidence: squares that identify
    /// pieces and later play count more.
    pub fn note_chosen_promotion(&mut self, now: Millis, role: Role) {
        if self.seen.sensing() == SensorKind::Identity || self.suspended.is_some() {
            return;
        }
        match self.lines.weigh_choice(now, role, &self.seen) {
            true => self.apply_to_lines(now, |_, _, _| {}),
            false => self.seen.note_chosen_promotion(now, role),
        }
    }

    /// Applies `act` to every line, then re-ranks them.
    fn apply_to_lines(&mut self, now: Millis, act: impl FnMut(&mut Line, &ObservedBoard, &mut Vec<Line>)) {
        self.lines.apply(now, &self.seen, self.suspended.is_none(), act);
        self.report_stuck(now);
    }

    fn update_at_tip(&mut self) {
        self.lines.for_each(|line| line.update_at_tip(&self.seen));
    }
}
