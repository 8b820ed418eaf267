//! Follows one game: edges, quiet and presses in, the likeliest line of play out.

mod lines;

use super::line::PlayElsewhere;
use super::model::{self, Cost};
use super::{Beam, Faults, Hypothesis, KnownPly, Line, LineNode, ObservedBoard, analysis};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::{Confidence, CorrectionReason, Fault};
use crate::laws::Position;
use crate::laws::reason::IllegalReason;
use shakmaty::{Bitboard, Color, Move, Role, Square};
use std::sync::Arc;

/// All lines of play that are still possible, and the current readings of the squares.
#[derive(Clone, Debug)]
pub struct Follower {
    seen: ObservedBoard,
    /// All lines; the first is published. Never empty.
    lines: Vec<Line>,
    /// Limits the number of lines and decides which comes first.
    beam: Beam,
    /// Counts every change of the published line.
    changes: u64,
    /// Why the published line last changed its past; `None` means the line's own reason.
    reason: Option<CorrectionReason>,
    /// When a clock press is re-evaluated.
    reevaluate_at: Option<Millis>,
    /// Set while inference is suspended, because changes are not play: the squares that have changed meanwhile.
    suspended: Option<Bitboard>,
    faults: Faults,
    /// Number of plies that the arbiter has confirmed: they are not revised.
    fixed_plies: usize,
}

impl Follower {
    /// Creates a follower of a game that begins at `start`, on a board that shows `seen`.
    pub fn new(now: Millis, start: Position, mut seen: ObservedBoard, beam: Beam) -> Follower {
        seen.begin_game(now);
        let line = Line::new(start, &seen, beam.max_lines());
        Follower {
            seen,
            lines: vec![line],
            beam,
            changes: 0,
            reason: None,
            reevaluate_at: None,
            suspended: None,
            faults: Faults::default(),
            fixed_plies: 0,
        }
    }

    /// Creates a follower of a game with plies already played, all of them published.
    pub fn resume(now: Millis, start: Position, known: &[KnownPly], seen: ObservedBoard, beam: Beam) -> Follower {
        let mut follower = Follower::new(now, start, seen, beam);
        if let Some(line) = follower.lines.first_mut() {
            known.iter().for_each(|known| line.append_known(now, known, &follower.seen));
        }
        follower.changes = 1;
        follower
    }

    /// Restarts the game from `known`. Forgets the readings of the squares, except for faults.
    pub fn restart(&mut self, now: Millis, start: Position, known: &[KnownPly]) {
        let seen = ObservedBoard::new(self.seen.sensing());
        let (changes, faults) = (self.changes + 1, self.faults.clone());
        *self = Follower { changes, faults, ..Follower::resume(now, start, known, seen, self.beam) };
        self.apply_faults(now);
    }

    /// Sets the beam width.
    pub fn set_beam(&mut self, beam: Beam) {
        self.beam = beam;
    }

    /// Returns what the squares show.
    pub fn seen(&self) -> &ObservedBoard {
        &self.seen
    }

    fn best(&self) -> &Line {
        // `lines` is never empty.
        &self.lines[0]
    }

    /// Returns the likeliest line of play; its first node is the start, without a move.
    pub fn nodes(&self) -> &[Arc<LineNode>] {
        self.best().nodes()
    }

    /// Returns the last node of the likeliest line.
    pub fn tip(&self) -> &LineNode {
        self.best().tip()
    }

    /// Returns the number of decided plies, from the start.
    pub fn decided(&self) -> usize {
        self.best().decided()
    }

    /// Returns a counter of changes of the line or of what is decided: while it stays the same, there is nothing to publish.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns why the line last changed its past.
    pub fn reason(&self) -> CorrectionReason {
        self.reason.unwrap_or(self.best().reason())
    }

    /// Returns the squares that differ from the line's last position.
    pub fn mismatch(&self) -> Bitboard {
        self.best().mismatch(&self.seen)
    }

    /// Returns the squares of [`mismatch`](Self::mismatch) that pieces in the hands of the side to move (up to two of its own, and
    /// one captured) do not explain.
    pub fn unexplained(&self) -> Bitboard {
        self.best().unexplained(&self.seen)
    }

    /// Returns the central squares on which both kings indicate a result, White's first where the board can tell.
    pub fn kings_in_centre(&self) -> Option<[Square; 2]> {
        self.lines.iter().find_map(|line| line.kings_in_centre(&self.seen))
    }

    /// Returns where a king is, or seems to be, when both kings have left their squares and the centre shows fewer of them than a
    /// result needs. Always `None` on boards that identify pieces.
    pub fn kings_unclear(&self) -> Option<Bitboard> {
        self.lines.iter().find_map(|line| line.kings_unclear(&self.seen))
    }

    /// Returns the illegal move on the board, if what is there is one, and why it is illegal.
    pub fn stray_move(&self) -> Option<(Move, IllegalReason)> {
        self.best().illegal_move()
    }

    /// Returns whether a king is in the centre and no move can have brought it there.
    pub fn king_strays(&self) -> bool {
        self.best().king_strays(&self.seen)
    }

    /// Returns whether pieces are on other squares than after the last move although no edge showed them moving there.
    pub fn is_placement_unseen(&self) -> bool {
        self.best().is_shown_unseen(&self.seen)
    }

    /// Returns whether both kings have left their squares.
    fn kings_are_gone(&self) -> bool {
        (self.tip().position.board().kings() & self.seen.occupied()).is_empty()
    }

    /// Returns the confidence of the move of this ply (counted from 1) and its alternatives, likeliest first; `None` before it is
    /// decided.
    pub fn confidence(&self, ply: usize, now: Millis) -> Option<(Confidence, Vec<(Move, Confidence)>)> {
        let node = self.nodes().get(ply)?;
        let (mv, decided) = (node.mv?, node.confidence?);
        let illegal = self.illegal_alternative(ply);
        if self.lines.len() == 1 && illegal.is_none() {
            return Some((decided, node.rivals.clone()));
        }
        let least = self.lines.iter().map(|line| line.cost(now, &self.seen)).min().unwrap_or(0);
        let mut shares: Vec<(Option<Move>, u64)> = Vec::new();
        for line in &self.lines {
            let weight = model::likelihood(line.cost(now, &self.seen) - least);
            let other = line.nodes().get(ply).and_then(|node| node.mv);
            match shares.iter_mut().find(|(known, _)| *known == other) {
                Some((_, sum)) => *sum += weight,
                None => shares.push((other, weight)),
            }
        }
        if let Some((other, cost)) = illegal {
            let own_weight = shares.iter().find(|(known, _)| *known == Some(mv)).map_or(0, |(_, weight)| *weight);
            shares.push((Some(other), model::scale_by_cost(own_weight, cost)));
        }
        let total: u64 = shares.iter().map(|(_, weight)| weight).sum::<u64>().max(1);
        let share = |weight: u64| Confidence((u128::from(weight) * u128::from(decided.0) / u128::from(total)) as u16);
        let own_weight = shares.iter().find(|(known, _)| *known == Some(mv)).map_or(0, |(_, weight)| *weight);
        let mut others: Vec<(Move, Confidence)> = shares
            .iter()
            .filter_map(|&(other, weight)| Some((other.filter(|&other| other != mv)?, share(weight))))
            .filter(|(_, share)| share.0 > 0)
            .collect();
        for &(rival, share) in &node.rivals {
            if others.iter().all(|(known, _)| *known != rival) {
                others.push((rival, share));
            }
        }
        others.sort_by_key(|&(_, share)| std::cmp::Reverse(share));
        Some((share(own_weight), others))
    }

    /// Returns the illegal move that explains the changed squares equally well, and its additional cost, for a capture of this ply
    /// (counted from 1) that left no trace on the capture square.
    fn illegal_alternative(&self, ply: usize) -> Option<(Move, Cost)> {
        let node = self.nodes().get(ply)?;
        let mv = node.illegal_alternative?.mv;
        // What came to its square later does not count as part of the move.
        let late = if self.seen.changed_at(mv.to()) > node.made_at { model::STRAY_TOUCH } else { 0 };
        Some((mv, model::ILLEGAL_MOVE + model::SEEN_CAPTURE - self.best().cost_of(ply, &self.seen) - late))
    }

    /// Returns every line that is still possible, with its moves from this ply (counted from 1) on; likeliest first.
    pub fn hypotheses(&self, now: Millis, from_ply: usize) -> Vec<Hypothesis> {
        analysis::hypotheses(&self.lines, now, &self.seen, from_ply)
    }

    /// Returns the faults of squares that are in force.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Takes the faults found or cleared since the last call.
    pub fn take_faults(&mut self) -> Vec<(Square, Fault)> {
        self.faults.take_unreported()
    }

    /// Sets a known fault of a square, without reporting it.
    pub fn set_known_fault(&mut self, now: Millis, square: Square, fault: Fault) {
        self.faults.set_known(now, square, fault);
        self.apply_faults(now);
    }

    /// Sets a fault of a square and reports it.
    pub fn report_fault(&mut self, now: Millis, square: Square, fault: Fault) {
        self.faults.set_found(now, square, fault);
        self.apply_faults(now);
    }

    /// Returns the squares that are stuck or assumed stuck.
    pub fn stuck_squares(&self) -> Bitboard {
        self.best().assumed_stuck()
    }

    /// Returns the squares that were reported as stuck, and those that flicker now.
    pub fn reported_faulty(&self) -> Bitboard {
        self.faults.squares_with(Fault::Stuck) | self.seen.doubtful()
    }

    /// Returns the faulty squares, which are not compared.
    pub fn ignored_squares(&self) -> Bitboard {
        self.best().assumed_stuck() | self.seen.doubtful()
    }

    /// Handles a change of one square, in squares of play.
    pub fn handle_edge(&mut self, now: Millis, square: Square, sensed: SquareState) {
        if self.seen.excused().contains(square) {
            self.seen.clear_excuse();
        }
        let before = self.seen.at(square);
        let since = self.seen.changed_at(square);
        self.seen.set_square(now, square, sensed);
        if self.note_if_suspended(Bitboard::from_square(square)) {
            return;
        }
        self.watch_square(now, square, before, since);
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
        let expected = self.tip().position.piece_at(square).map_or(SquareState::Empty, SquareState::Piece);
        if self.seen.doubted().contains(square) && now == expected.reduce_to(self.seen.sensing()) {
            self.seen.confirm_doubted();
        }
    }

    /// Returns a copy that follows fewer lines. It treats as play what the original does not.
    pub fn shadow(&self) -> Follower {
        let mut shadow = self.clone();
        shadow.beam = Beam::Live(self.beam.max_lines().min(model::SHADOW_LINES));
        shadow.lines.truncate(shadow.beam.max_lines());
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
        self.lines.iter_mut().for_each(|line| line.update_at_tip(&self.seen));
        true
    }

    /// Handles a clock press of player `by`.
    pub fn handle_press(&mut self, now: Millis, by: Color) {
        self.seen.note_press(now, by);
        self.apply_to_lines(now, |line, _, _| line.handle_press(now, by));
        self.reevaluate_at = {
            let unclear = self.seen.sensing() == SensorKind::Occupancy || !self.lines.iter().any(Line::is_at_tip);
            unclear.then_some(now + model::SCAN_TIME)
        };
    }

    /// Returns when [`quiet`](Self::handle_quiet) must be called in addition.
    pub fn deadline(&self) -> Option<Millis> {
        self.reevaluate_at
    }

    /// Handles time passing without an edge. `settle`: quiet time that decides a move, in milliseconds.
    pub fn handle_quiet(&mut self, now: Millis, settle: Millis) {
        self.reevaluate_at = self.reevaluate_at.filter(|at| *at > now);
        if self.suspended.is_some() {
            return;
        }
        self.update_doubt(now);
        // A king that strays to the centre indicates a result; what follows is not play.
        let may_be_signal = now.saturating_sub(self.seen.last_edge()) < model::MAX_KING_DELAY || self.kings_are_gone();
        let explains = |line: &Line| line.is_at_tip() && !line.has_better_illegal();
        let explained = self.credible_lines(now).any(explains) || (may_be_signal && self.king_strays());
        if !explained {
            self.look_for_illegal(now);
        }
        self.apply_to_lines(now, |line, seen, others| line.handle_quiet(now, settle, !explained, seen, others));
        self.search_offline(now, settle);
        self.look_for_displaced(now, settle);
    }

    /// In offline decoding, when no credible line explains the board: tries everything else that leads to what is seen.
    fn search_offline(&mut self, now: Millis, settle: Millis) {
        /// Number of lines, the likeliest, from which it searches.
        const SEARCHED_LINES: usize = 12;
        let quiet = now.saturating_sub(self.seen.last_edge());
        let is_unexplained = |line: &Line| !line.is_at_tip();
        if self.beam != Beam::Offline || quiet < settle || !self.credible_lines(now).all(is_unexplained) {
            return;
        }
        let mut remaining = SEARCHED_LINES;
        self.apply_to_lines(now, |line, seen, others| {
            if remaining > 0 {
                remaining -= 1;
                line.add_detours(now, seen, others);
            }
        });
    }

    /// Looks for an illegal move on which the clock was pressed, before anything else is tried.
    fn look_for_illegal(&mut self, now: Millis) {
        let quiet = now.saturating_sub(self.seen.last_edge());
        if quiet < model::REST_TAKEBACK || self.ignored_squares().any() {
            return;
        }
        let mut published = true;
        let mut found = false;
        self.apply_to_lines(now, |line, seen, _| {
            if std::mem::take(&mut published) {
                found = line.append_pressed_illegal(now, quiet, seen);
            }
        });
        if found && self.tip().irregular {
            let mut first = true;
            self.lines.retain(|line| std::mem::take(&mut first) || !line.has_better_illegal());
        }
        self.excuse_slip(now);
    }

    /// Excuses the squares of a slip that was put on record now, until they change.
    fn excuse_slip(&mut self, now: Millis) {
        let new = self.nodes().iter().rev().take_while(|node| node.made_at == now).find(|node| node.slip.is_some()).cloned();
        let Some((node, slip)) = new.as_ref().and_then(|node| Some((node, node.slip.as_ref()?))) else { return };
        if !self.seen.excused().is_superset(slip.squares) {
            self.lines.truncate(1);
            self.seen.excuse(slip.squares, node.position.board());
            self.lines.iter_mut().for_each(|line| line.update_at_tip(&self.seen));
        }
    }

    /// Looks for an illegal move, or a displaced piece while play goes on, if no legal line explains the board.
    fn look_for_displaced(&mut self, now: Millis, settle: Millis) {
        let quiet = now.saturating_sub(self.seen.last_edge());
        // A stuck square makes legal moves look strange.
        if quiet < settle + model::SERIAL_LATENCY || self.credible_lines(now).count() > 1 || self.ignored_squares().any() {
            return;
        }
        self.lines.truncate(1);
        let mut elsewhere = None;
        self.apply_to_lines(now, |line, seen, _| elsewhere = line.explain_irregular(now, quiet, seen));
        self.excuse_slip(now);
        if let Some(PlayElsewhere { squares, moves }) = elsewhere {
            let board = self.tip().position.board().clone();
            self.seen.excuse(squares, &board);
            self.apply_to_lines(now, |line, seen, _| line.append_elsewhere(now, &moves, seen));
        }
    }

    /// Returns the squares that show a displaced piece, or none where one should be, while play goes on elsewhere.
    pub fn displaced_squares(&self) -> Bitboard {
        let slips =
            self.nodes().iter().filter_map(|node| node.slip.as_ref()).fold(Bitboard::EMPTY, |all, slip| all | slip.squares);
        self.seen.excused() & !slips
    }

    /// Decides the last move: no more moves will be made in this game.
    pub fn decide_last_move(&mut self, now: Millis) {
        self.apply_to_lines(now, |line, _, _| line.decide_last_move());
    }

    /// Removes the last king moves to the centre, which turned out to be a result signal.
    pub fn withdraw_king_moves(&mut self, now: Millis, keep: impl Fn(usize, &LineNode) -> bool) {
        let signals = |line: &Line| line.kings_in_centre(&self.seen).is_some() || line.kings_unclear(&self.seen).is_some();
        if let Some(index) = self.lines.iter().position(signals)
            && index > 0
        {
            self.lines.swap(0, index);
            self.lines.truncate(1);
            self.changes += 1;
            self.reason = Some(CorrectionReason::Evidence);
        }
        self.apply_to_lines(now, |line, seen, _| line.withdraw_king_moves(&keep, seen));
    }

    /// Replaces the plies by `plies`, on the authority of `reason`.
    pub fn rewrite(&mut self, now: Millis, plies: &[KnownPly], reason: CorrectionReason) {
        self.seen.clear_excuse();
        self.lines.truncate(1);
        if let Some(line) = self.lines.first_mut() {
            // Later changes of the line were not published.
            let pairs = line.nodes().iter().skip(1).zip(plies);
            let unchanged = pairs.take_while(|(node, known)| known.matches(node)).count();
            line.take_back(line.nodes().len() - 1 - unchanged, reason, &self.seen);
            plies.iter().skip(unchanged).for_each(|known| line.append_confirmed(now, known, &self.seen));
        }
        self.fixed_plies = self.fixed_plies.min(plies.len());
        self.changes += 1;
        self.reason = Some(reason);
    }

    /// Fixes the first `plies` plies: they are not revised whatever is seen.
    pub fn fix_plies(&mut self, plies: usize) {
        self.fixed_plies = plies.min(self.nodes().len() - 1);
        let best = self.best().clone();
        self.prune_unfixed(best);
    }

    /// Prunes lines that differ in a fixed ply; `before`: the published line as it was.
    fn prune_unfixed(&mut self, before: Line) {
        let fixed = |line: &Line| line.nodes().iter().skip(1).take(self.fixed_plies).map(|node| node.mv).collect::<Vec<_>>();
        let moves = fixed(&before);
        let published = self.lines.first().is_some_and(|line| fixed(line) == moves);
        self.lines.retain(|line| fixed(line) == moves);
        if !published {
            self.lines.insert(0, before);
            self.lines.iter_mut().take(1).for_each(|line| line.update_at_tip(&self.seen));
        }
    }

    /// Changes the promotion piece of this ply (counted from 1), on the arbiter's authority; the moves after it stay. Prunes lines
    /// that disagree.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub fn set_promotion(&mut self, ply: usize, role: Role) -> Result<(), usize> {
        let before: Vec<Option<Move>> = self.best().nodes().iter().map(|node| node.mv).collect();
        if let Some(published) = self.lines.first_mut() {
            published.set_promotion(ply, role, &self.seen)?;
        }
        let squares_of = |mv: Option<Move>| mv.map(|mv| (mv.from(), mv.to()));
        let old_move = before.get(ply).copied().flatten();
        let mut first = true;
        self.lines.retain_mut(|line| {
            let published = std::mem::take(&mut first);
            let same = line.nodes().get(ply).is_some_and(|node| squares_of(node.mv) == squares_of(old_move));
            published || (same && line.set_promotion(ply, role, &self.seen).is_ok())
        });
        if old_move != self.nodes().get(ply).and_then(|node| node.mv) {
            self.reason = Some(CorrectionReason::Arbiter);
        }
        self.changes += 1;
        Ok(())
    }
}
