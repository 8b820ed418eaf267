//! Moves that were missed while the board was not read: the search for them, and play that goes on after them.

use super::draft::AlertDraft;
use super::{GameContext, TableGame};
use crate::boards::{Millis, SensorKind};
use crate::game::{AlertKind, CorrectionReason, Text};
use crate::infer::{GapResult, GapSearch, KnownPly};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::Move;

/// Quiet after which moves that were not seen are searched for, in milliseconds.
const SEARCH_DELAY: Millis = 1_500;
/// The time between two slices of that search, in milliseconds, and the number of moves tried in one slice: some milliseconds of
/// work on a small computer.
const SLICE: (Millis, u32) = (20, 1 << 11);

/// The search for moves that were missed while the board was not read.
#[derive(Clone)]
pub(super) struct MissedMovesSearch {
    /// When the next slice is due.
    next: Millis,
    /// The moves after which the search starts. They are more than the published ones if the last move was not decided.
    line: Vec<Move>,
    search: Box<GapSearch>,
}

impl TableGame {
    /// Starts a search for missed moves once nothing else explains the placement.
    pub(super) fn search_missed(&mut self, now: Millis, quiet: Millis) {
        let is_identity = self.follower.seen().sensing() == SensorKind::Identity;
        if quiet < SEARCH_DELAY || !is_identity || self.hold.is_active() || self.follower.unexplained().is_empty() {
            return;
        }
        if !self.lag.needs_search() {
            return;
        }
        let search =
            GapSearch::new(self.follower.tip().position.clone(), self.follower.seen(), self.follower.ignored_squares());
        let line = self.followed_moves();
        self.lag.begin_search(MissedMovesSearch { next: now + SLICE.0, line, search: Box::new(search) });
    }

    /// Returns the moves of the line that is followed, published or not.
    fn followed_moves(&self) -> Vec<Move> {
        self.follower.nodes().iter().filter_map(|node| node.mv).collect()
    }

    /// Returns when the next slice of the search is due.
    pub(super) fn missed_deadline(&self) -> Option<Millis> {
        let missed = self.lag.search()?;
        (missed.next < Millis::MAX && !self.board.is_unknown()).then_some(missed.next)
    }

    /// Runs the next slice of the search.
    pub(super) fn run_missed(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let line = self.followed_moves();
        if self.lag.search().is_some_and(|missed| missed.line != line) {
            self.lag.discard_search();
            self.search_missed(now, SEARCH_DELAY);
            return;
        }
        let Some(missed) = self.lag.search_mut() else { return };
        missed.next = now + SLICE.0;
        match missed.search.run(SLICE.1) {
            None => {}
            // Until the board changes there is nothing to find.
            Some(GapResult::Nothing) => missed.next = Millis::MAX,
            Some(GapResult::Line(moves)) => self.add_missed(now, &moves, context, output),
        }
    }

    /// Adds moves that were missed after those that are followed.
    fn add_missed(&mut self, now: Millis, moves: &[Move], context: &GameContext<'_>, output: &mut Output) {
        let line = self.followed_moves();
        let (from, known) = (line.len(), self.published.len());
        if line.get(..known) != Some(self.published.moves()) {
            return; // The followed line is about to be published as another line.
        }
        let all = [line.get(known..).unwrap_or_default(), moves].concat();
        self.add_moves(now, &all, CorrectionReason::Evidence, context, output);
        if moves.len() > 1 {
            self.raise_plies(now, "uncertain_order", from, moves.len(), output);
        }
    }

    /// Adds these moves at the end of the record.
    pub(crate) fn add_moves(
        &mut self,
        now: Millis,
        moves: &[Move],
        reason: CorrectionReason,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        if !moves.is_empty() {
            let plies = moves.iter().map(|&mv| KnownPly { mv, pressed_at: None, found: None });
            self.add_plies(now, plies, reason, context, output);
        }
    }

    fn add_plies(
        &mut self,
        now: Millis,
        plies: impl Iterator<Item = KnownPly>,
        reason: CorrectionReason,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        self.lag.end();
        self.board.forget_gap();
        let mut known = self.published.known_plies(self.published.len());
        known.extend(plies);
        self.follower.rewrite(now, &known, reason);
        self.publish_all(now, context, output);
    }

    /// Whether the arbiter was alerted that moves are missing since a gap, and nothing shows which.
    pub(crate) fn misses_moves(&self) -> bool {
        let is_behind = self.lag.is_alerted_after_gap();
        // A square that does not work would show another position.
        is_behind && !self.board.is_unknown() && !self.hold.is_active() && self.follower.ignored_squares().is_empty()
    }

    /// Takes up play that went on with these moves from this position after missing moves. It becomes a new part of the game, and
    /// the arbiter is alerted.
    pub(crate) fn append_after_missing_moves(
        &mut self,
        now: Millis,
        from: &Position,
        moves: &[Move],
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let before = self.published.position_after(self.published.len());
        // Where the same player is to move again, one null move for each player is recorded, so that White's moves stay White's.
        let passed = (before.turn() == from.turn()).then(|| before.with_found_board(from.board().clone(), !from.turn()));
        let mut missing = Vec::new();
        let mut last = &before;
        for found in passed.iter().chain([from]) {
            let Some(mv) = last.null_move() else { return };
            missing.push(KnownPly { mv, pressed_at: None, found: Some(found.clone()) });
            last = found;
        }
        let ply = self.published.len() as u32 + 1;
        let plies = moves.iter().map(|&mv| KnownPly { mv, pressed_at: None, found: None });
        self.add_plies(now, missing.into_iter().chain(plies), CorrectionReason::Evidence, context, output);
        self.fix_settled_plies();
        let text = Text::new("moves_missing").with("number", before.fullmoves());
        let draft = AlertDraft { ply: Some(ply), ..AlertDraft::new(AlertKind::MovesUncertain, text) };
        self.raise(now, draft, output);
    }
}
