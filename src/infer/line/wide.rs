//! Offline decoding: every line that splits off from this one, including those that live decoding would not try.

use super::{Line, matches, sure};
use crate::boards::Millis;
use crate::game::CorrectionReason;
use crate::infer::Seen;
use crate::infer::explain::{Doubts, explain};
use crate::infer::model::{self, Cost};

/// Number of last moves that may have been others.
const BACK: usize = 2;
/// Plies dropped from the end, and added.
const TRIES: [(usize, u32); 8] = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 3), (1, 3), (2, 3)];
/// Maximum number of lines that split off at each of them.
const MOST: usize = 24;

impl Line {
    /// Adds the lines that show what is seen after one more move, or after one move in place of the last one or two.
    pub fn ways(&self, now: Millis, seen: &Seen, others: &mut Vec<Line>) {
        if self.at_tip {
            return;
        }
        for back in 0..=BACK {
            let (Some(next), Some(node)) = (self.next(back), self.node(back)) else { continue };
            let instead_of = back.checked_sub(1).and_then(|later| self.node(later)?.mv);
            for found in matches(node, next, seen, self.hidden(seen), true, |mv| Some(mv) == instead_of) {
                let mut line = self.clone();
                line.cut(line.nodes.len() - back);
                line.reason = CorrectionReason::Evidence;
                let silent = self.is_silent(found.mv, node, seen);
                line.extend(now, found.mv, seen);
                if let Some(tip) = line.tip_mut() {
                    tip.silent = silent;
                }
                others.push(line);
            }
        }
    }

    /// Adds the lines that lead to what is seen by up to three other moves.
    pub fn detours(&self, now: Millis, seen: &Seen, others: &mut Vec<Line>) {
        for (dropped, added) in TRIES {
            let Some(base) = self.nodes.len().checked_sub(1 + dropped) else { continue };
            let since = self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let pressed_at = self.nodes.get(base + 1).and_then(|first| first.pressed_at);
            let found = explain(&self.nodes[base].position, seen, self.hidden(seen), added, since);
            for explanation in found.into_iter().take(MOST) {
                let mut line = self.clone();
                line.reason = CorrectionReason::Evidence;
                line.adopt(now, base, &explanation.moves, &[], sure::RECONSTRUCTED, seen);
                line.keep_presses(base, pressed_at);
                line.troubles += doubted(&explanation.doubts);
                others.push(line);
            }
        }
    }
}

/// Returns the cost of doubts about a line that live decoding would not believe yet. Guesses, of the size of what [`model`] has for
/// the same in single moves.
fn doubted(doubts: &Doubts) -> Cost {
    let costs = [
        (doubts.skipped, model::WHILE_HELD),
        (doubts.traceless, model::NO_MOVE),
        (doubts.unseen, model::SILENT),
        (doubts.disordered, model::WHILE_HELD),
        (doubts.inversions + doubts.backwards, model::EARLY),
    ];
    costs.into_iter().map(|(count, cost)| count as Cost * cost).sum()
}
