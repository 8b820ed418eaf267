//! Re-decodes the last moments of the lines, where hands overlap.

use super::lines::Lines;
use crate::boards::Millis;
use crate::game::Confidence;
use crate::infer::redecode::{redecode, redecode_occupancy};
use crate::infer::{Line, LineNode, ObservedBoard, model};

/// Maximum number of re-decoded lines that are followed, on boards that detect only occupancy.
const MAX_REDECODED: usize = 8;

impl Lines {
    /// Re-decodes the last moments where hands overlap. Identity boards only.
    pub(super) fn redecode(&mut self, now: Millis, seen: &ObservedBoard, surprised: bool) {
        if self.lines.len() == 1 && !surprised && !self.best().needs_redecode(seen) {
            return;
        }
        let published = self.best();
        let base = published.history().settled_ply(now);
        let Some(node) = redecodable_node(published, base, now, seen) else { return };
        let hidden = published.assumed_stuck() | seen.doubtful();
        let candidates = redecode(node, seen, hidden, now);
        let Some(best) = candidates.first() else { return };
        let limit = best.cost + model::REDECODE_MARGIN;
        let new: Vec<Line> = candidates
            .iter()
            .take_while(|candidate| candidate.cost <= limit)
            .take(4)
            .filter(|candidate| !self.lines.iter().any(|line| line.has_plies(base, candidate)))
            .map(|candidate| published.with_redecoded(base, candidate, seen))
            .collect();
        let decoded = candidates.iter().find(|candidate| published.has_plies(base, candidate));
        self.lines.extend(new);
        // All lines are weighed over the same moments.
        let first = base.min(self.first_difference().saturating_sub(1));
        let Some(node) = self.best().nodes().get(first) else { return };
        if !seen.has_all_changes(node.made_at) {
            return;
        }
        // The published line was already decoded.
        let mut decoded = decoded.filter(|_| first == base);
        for line in &mut self.lines {
            match decoded.take() {
                Some(decoded) => line.set_redecoded_costs(base, decoded, seen),
                None => line.recompute_costs(first, now, seen),
            }
        }
    }

    /// Re-decodes the last moments of the published line where its moves were close together, or do not explain the board. Boards
    /// that detect only occupancy.
    pub(super) fn redecode_occupancy(&mut self, now: Millis, seen: &ObservedBoard) {
        let published = self.best();
        if !published.needs_occupancy_redecode(now, seen) {
            return;
        }
        let certain = published.nodes().iter().rposition(|node| node.confidence == Some(Confidence::CERTAIN));
        let base = published.history().settled_ply(now).max(certain.unwrap_or(0));
        let Some(node) = redecodable_node(published, base, now, seen) else { return };
        let candidates = redecode_occupancy(node, seen, published.hidden(seen), now);
        let Some(best) = candidates.first() else { return };
        let limit = best.cost + model::REDECODE_MARGIN_OCCUPANCY;
        let published_excess = published.excess_of_counted_costs(base, now, seen);
        let new: Vec<Line> = candidates
            .iter()
            .take_while(|candidate| candidate.cost <= limit)
            .take(MAX_REDECODED)
            .filter(|candidate| !self.lines.iter().any(|line| line.has_plies(base, candidate)))
            .map(|candidate| {
                let mut line = published.with_redecoded(base, candidate, seen);
                line.add_cost(published_excess);
                line
            })
            .collect();
        self.lines.extend(new);
    }
}

/// Returns the node of ply `base`, if all changes since then are known and no irregular move was made.
fn redecodable_node<'a>(line: &'a Line, base: usize, now: Millis, seen: &ObservedBoard) -> Option<&'a LineNode> {
    let node = line.nodes().get(base)?;
    let is_irregular = line.nodes().iter().skip(base + 1).any(|node| node.irregular);
    let is_known = seen.has_all_changes(node.made_at) && !seen.was_damaged(now, model::DAMAGE_WINDOW);
    (is_known && !is_irregular).then_some(node)
}
