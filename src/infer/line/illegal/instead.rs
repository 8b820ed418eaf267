//! Illegal moves in place of moves on record, and moves in place of illegal ones.

use super::candidates::{find_illegal_move, is_king_signal, traced_capture};
use crate::boards::{Millis, SensorKind};
use crate::infer::LineNode;
use crate::infer::line::comparison::Comparison;
use crate::infer::model::{REST_CARRIED, SCAN_TIME};
use crate::infer::node::IllegalAlternative;
use shakmaty::Move;

/// Number of last moves among which an illegal one may turn out never to have been made.
const MAX_CORRECTED_PLIES: usize = 20;

/// Time in the hand, in milliseconds, above which a piece that comes down where something changed did not capture elsewhere a piece
/// that was never seen to leave: a piece is exchanged for another unseen within one scan of the board and the time of a hand.
const MAX_UNSEEN_EXCHANGE: Millis = SCAN_TIME + REST_CARRIED;

/// Returns whether an illegal move explains all changes better than a capture that left no trace on its capture square: not by
/// chance.
pub(super) fn is_better(alternative: &IllegalAlternative) -> bool {
    alternative.held >= MAX_UNSEEN_EXCHANGE
}

impl Comparison<'_> {
    /// Returns whether nothing legal explains the board, not even pieces in the hands; or whether they do, but an illegal move does
    /// as well.
    pub(super) fn is_irregular(&self) -> bool {
        self.unexplained().any() || traced_capture(self.tip(), self.hidden(), self.seen()).is_some()
    }

    /// Returns the last move and the node before it, if it is a legal capture that left no trace on its capture square. Occupancy
    /// boards only.
    fn untraced_capture(&self) -> Option<(&LineNode, Move)> {
        let before =
            self.history().node_back(1).filter(|_| self.seen().sensing() == SensorKind::Occupancy && !self.tip().irregular)?;
        let last = self.tip().mv.filter(|&mv| mv.is_capture() && self.is_traceless(mv, before))?;
        Some((before, last))
    }

    /// Returns the illegal move that explains the changes if the last move is a capture that left no trace.
    pub(super) fn find_alternative(&self) -> Option<IllegalAlternative> {
        let (before, last) = self.untraced_capture()?;
        let (mv, held) = traced_capture(before, self.hidden(), self.seen())?;
        (mv.from() == last.from()).then_some(IllegalAlternative { mv, held })
    }

    /// Returns the illegal move, with a press, that an apparent capture without a trace really was. `at_tip`: the board shows the
    /// last position.
    pub(super) fn illegal_for_capture(&self, now: Millis, at_tip: bool) -> Option<Move> {
        let (before, last) = self.untraced_capture()?;
        let seen = self.seen();
        let pressed = self.tip().pressed_at.filter(|at| now.saturating_sub(*at) >= SCAN_TIME)?;
        let find_on_board = || {
            let wrong = seen.mismatch(before.position.board()) & !self.hidden();
            let explains_all = wrong.is_superset(seen.changed_since(before.made_at)) && wrong.count() <= 4;
            find_illegal_move(&before.position, wrong, seen).filter(|_| explains_all)
        };
        let traced = self.tip().illegal_alternative.filter(|alternative| is_better(alternative) && at_tip);
        let mv = traced.map(|alternative| alternative.mv).or_else(find_on_board)?;
        (mv.from() == last.from() && seen.changed_at(mv.to()) <= pressed && !is_king_signal(mv)).then_some(mv)
    }

    /// Returns the illegal move on whose way the last move was only a stop: its piece left that square before the clock was
    /// pressed.
    pub(super) fn illegal_after_stop(&self, now: Millis) -> Option<Move> {
        let tip = self.tip();
        let (mv, before) = (tip.mv?, &self.history().node_back(1)?.position);
        let pressed = tip.pressed_at.filter(|at| now.saturating_sub(*at) >= SCAN_TIME)?;
        let left_early = tip.left_at.is_some_and(|left_at| left_at <= pressed) && !tip.irregular;
        let wrong = self.seen().mismatch(before.board()) & !self.hidden();
        let candidate = find_illegal_move(before, wrong, self.seen()).filter(|_| left_early && wrong.count() <= 4)?;
        let same = candidate.from() == mv.from() && before.mover(candidate) == before.turn();
        (same && !is_king_signal(candidate)).then_some(candidate)
    }

    /// Returns the moves of the line without an illegal one after which play went on while its piece is back on its square, with
    /// the number of plies before it.
    pub(super) fn without_illegal(&self) -> Option<(usize, Vec<Move>)> {
        let nodes = self.history().nodes();
        let first = nodes.len().saturating_sub(MAX_CORRECTED_PLIES).max(1);
        for index in (first..nodes.len()).rev().filter(|&index| nodes[index].irregular) {
            let later: Vec<Move> = self.history().moves_after(index).collect();
            let mut end = nodes[index - 1].position.clone();
            let legal = later.iter().all(|&mv| {
                let legal = end.is_legal(mv);
                end = end.play(mv);
                legal
            });
            if !later.is_empty() && legal && self.seen().mismatch(end.board()).is_empty() {
                return Some((index - 1, later));
            }
        }
        None
    }
}
