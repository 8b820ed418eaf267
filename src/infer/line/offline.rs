//! Offline decoding: every line that splits off from this one, including those that live decoding would not try.

use super::matches::find_matches;
use super::replacement::Replacement;
use super::{Line, confidence};
use crate::boards::Millis;
use crate::game::CorrectionReason;
use crate::infer::explain::Doubts;
use crate::infer::model::Cost;
use crate::infer::{HandCosts, ObservedBoard};

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
        let comparison = self.compare(seen);
        for back in 0..=MAX_REPLACED {
            let (Some(next), Some(node)) = (self.history.next_moves(back), self.history.node_back(back)) else { continue };
            let instead_of = back.checked_sub(1).and_then(|later| self.history.node_back(later)?.mv);
            for found in find_matches(node, next, seen, comparison.hidden(), true, |mv| Some(mv) == instead_of) {
                let mut line = self.clone();
                line.drop_plies(back, CorrectionReason::Evidence);
                let silent = comparison.is_traceless(found.mv, node);
                line.append_move(now, found.mv, seen);
                if let Some(tip) = line.history.tip_mut() {
                    tip.silent = silent;
                }
                others.push(line);
            }
        }
    }

    /// Adds the lines that lead to what is seen by up to three other moves.
    pub fn add_detours(&self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        for (dropped, added) in TRIES {
            let Some(base) = self.nodes().len().checked_sub(1 + dropped) else { continue };
            let pressed_at = self.history.pressed_after(base);
            for explanation in self.compare(seen).explain_after(base, added).into_iter().take(MAX_SPLITS) {
                let mut line = self.clone();
                line.history.set_reason(CorrectionReason::Evidence);
                let doubts = explanation.doubts;
                line.replace_plies(now, &Replacement::of(base, explanation, confidence::RECONSTRUCTED), seen);
                line.transfer_presses(base, pressed_at);
                line.costs.add_extra(doubts_cost(&doubts, seen.hands()));
                others.push(line);
            }
        }
    }
}

/// Returns the cost of doubts about a line that live decoding would not believe yet. Guesses, of the size of what
/// [`HandCosts`] has for the same in single moves.
fn doubts_cost(doubts: &Doubts, hands: &HandCosts) -> Cost {
    let costs = [
        (doubts.skipped, hands.reply_while_held),
        (doubts.traceless, hands.press_without_move),
        (doubts.unseen, hands.silent_capture),
        (doubts.disordered, hands.reply_while_held),
        (doubts.inversions + doubts.backwards, hands.reply_before_press),
    ];
    costs.into_iter().map(|(count, cost)| count as Cost * cost).sum()
}
