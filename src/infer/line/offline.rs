//! Offline decoding: every line that splits off from this one, including those that live decoding would not try.

use super::matches::find_matches;
use super::{Line, confidence};
use crate::boards::Millis;
use crate::game::CorrectionReason;
use crate::infer::ObservedBoard;
use crate::infer::explain::{Doubts, explain};
use crate::infer::model::{self, Cost};

/// Number of last moves that may have been others.
const MAX_REPLACED: usize = 2;
/// Plies dropped from the end, and added.
const TRIES: [(usize, u32); 8] = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 3), (1, 3), (2, 3)];
/// Maximum number of lines that split off at each of them.
const MAX_SPLITS: usize = 24;

impl Line {
    /// Adds the lines that show what is seen after one more move, or after one move in place of the last one or two.
    pub fn add_replacements(&self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        if self.at_tip {
            return;
        }
        for back in 0..=MAX_REPLACED {
            let (Some(next), Some(node)) = (self.next_moves(back), self.node_back(back)) else { continue };
            let instead_of = back.checked_sub(1).and_then(|later| self.node_back(later)?.mv);
            for found in find_matches(node, next, seen, self.ignored_squares(seen), true, |mv| Some(mv) == instead_of) {
                let mut line = self.clone();
                line.truncate(line.nodes.len() - back);
                line.reason = CorrectionReason::Evidence;
                let silent = self.is_traceless(found.mv, node, seen);
                line.append_move(now, found.mv, seen);
                if let Some(tip) = line.tip_mut() {
                    tip.silent = silent;
                }
                others.push(line);
            }
        }
    }

    /// Adds the lines that lead to what is seen by up to three other moves.
    pub fn add_detours(&self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        for (dropped, added) in TRIES {
            let Some(base) = self.nodes.len().checked_sub(1 + dropped) else { continue };
            let since = self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let pressed_at = self.nodes.get(base + 1).and_then(|first| first.pressed_at);
            let found = explain(&self.nodes[base].position, seen, self.ignored_squares(seen), added, since);
            for explanation in found.into_iter().take(MAX_SPLITS) {
                let mut line = self.clone();
                line.reason = CorrectionReason::Evidence;
                line.replace_plies(now, base, &explanation.moves, &[], confidence::RECONSTRUCTED, seen);
                line.transfer_presses(base, pressed_at);
                line.extra_cost += doubts_cost(&explanation.doubts);
                others.push(line);
            }
        }
    }
}

/// Returns the cost of doubts about a line that live decoding would not believe yet. Guesses, of the size of what [`model`] has for
/// the same in single moves.
fn doubts_cost(doubts: &Doubts) -> Cost {
    let costs = [
        (doubts.skipped, model::REPLY_WHILE_HELD),
        (doubts.traceless, model::PRESS_WITHOUT_MOVE),
        (doubts.unseen, model::SILENT_CAPTURE),
        (doubts.disordered, model::REPLY_WHILE_HELD),
        (doubts.inversions + doubts.backwards, model::REPLY_BEFORE_PRESS),
    ];
    costs.into_iter().map(|(count, cost)| count as Cost * cost).sum()
}
