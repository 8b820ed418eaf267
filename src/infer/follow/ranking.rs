//! Ranks lines of play by their cost, and prunes them.

use crate::boards::{Millis, SensorKind};
use crate::game::CorrectionReason;
use crate::infer::model::{self, Cost};
use crate::infer::{Beam, DropReason, Line, LineTrace, ObservedBoard};
use std::sync::Arc;

/// Lines with their costs; the one to publish comes first.
pub(super) struct Ranking {
    pub(super) lines: Vec<(Cost, Line)>,
    /// Why the published line is replaced, if it is.
    pub(super) replaced: Option<CorrectionReason>,
}

/// Returns the lines sorted by cost; of equal ones the one that was first stays first.
pub(super) fn rank_offline(lines: &mut Vec<Line>, now: Millis, seen: &ObservedBoard) -> Ranking {
    let cost = |line: Line| (line.cost(now, seen), line);
    let mut weighed: Vec<(usize, (Cost, Line))> = lines.drain(..).map(cost).enumerate().collect();
    weighed.sort_by_key(|(_, (cost, _))| *cost);
    let is_replaced = weighed.first().is_some_and(|(old_index, _)| *old_index > 0);
    let replaced = is_replaced.then_some(CorrectionReason::Evidence);
    Ranking { lines: weighed.into_iter().map(|(_, line)| line).collect(), replaced }
}

/// Returns the published line first, or another one if it is clearly better, and the rest sorted by cost. `again`: what other lines
/// must be better by in addition, because the published line was replaced not long ago.
pub(super) fn rank_live(lines: &mut Vec<Line>, now: Millis, seen: &ObservedBoard, again: Cost) -> Ranking {
    let published = lines.remove(0);
    let mut weighed: Vec<(Cost, Line)> = lines.drain(..).map(|line| (line.cost(now, seen), line)).collect();
    weighed.sort_by_key(|(cost, _)| *cost);
    let cost = published.cost(now, seen);
    let margin = again
        + match published.is_at_tip() {
            true => model::SWITCH_MARGIN,
            false if now.saturating_sub(seen.last_edge()) >= model::REST_CASTLING => model::SWITCH_MARGIN_QUIET,
            false => model::SWITCH_MARGIN_OPEN,
        };
    let is_quiet_long = now.saturating_sub(seen.last_edge()) >= model::REST_TRACELESS;
    let is_unexplained = is_quiet_long && published.compare(seen).unexplained().any();
    let stuck = |other: &Line| match published.assumed_stuck().count() <= other.assumed_stuck().count() {
        // A line that assumes a stuck square does not drop that because a player lifts an unlikely piece.
        false if published.plies_since_stuck() > 1 => model::SWITCH_MARGIN_STUCK,
        false => 0,
        // Before the arbiter is alerted, a stuck square is the better explanation.
        true if is_unexplained && other.is_at_tip() && other.assumed_stuck() != published.assumed_stuck() => {
            -model::SWITCH_MARGIN_STUCK
        }
        true => 0,
    };
    // A line that leaves the board equally unexplained is no better, unless the game is over.
    let is_over = |line: &Line| {
        let comparison = line.compare(seen);
        seen.sensing() == SensorKind::Occupancy
            && (comparison.is_swept() || comparison.kings_in_centre().is_some() || comparison.kings_unclear().is_some())
    };
    let explains = |line: &Line| {
        line.compare(seen).unexplained().is_empty() || (is_over(line) && line.history().is_start_of(published.history()))
    };
    let better = weighed.iter().position(|(other, line)| other + margin + stuck(line) < cost && explains(line));
    let reason = match better.and_then(|better| weighed.get(better)) {
        Some((_, line)) if line.history().takes_back(published.history()) => CorrectionReason::Takeback,
        _ => CorrectionReason::Evidence,
    };
    weighed.push((cost, published));
    let Some(better) = better else {
        weighed.rotate_right(1);
        return Ranking { lines: weighed, replaced: None };
    };
    // It comes first; the line that was published goes where its cost puts it.
    let (cost, mut first) = weighed.remove(better);
    // The change is published when the line is decided, which may be later.
    first.replace_published(reason);
    weighed.sort_by_key(|(cost, _)| *cost);
    weighed.insert(0, (cost, first));
    Ranking { lines: weighed, replaced: Some(reason) }
}

/// Moves the first line to `lines`, and as many of the others as the limits allow. `trace`: notes why a line is dropped.
pub(super) fn prune(weighed: Vec<(Cost, Line)>, beam: Beam, lines: &mut Vec<Line>, mut trace: Option<&mut LineTrace>) {
    let least = weighed.iter().map(|(cost, _)| *cost).min().unwrap_or_default();
    let (mut positions, mut bytes) = (0, 0);
    let mut fingerprints = Vec::with_capacity(weighed.len());
    for (cost, line) in weighed {
        let fingerprint = line.history().fingerprint();
        let Some(first) = lines.first() else {
            bytes = line.memory_bytes(0);
            lines.push(line);
            fingerprints.push(fingerprint);
            continue;
        };
        let own_nodes = line.nodes().len() - shared_nodes(&line, first);
        let hopeless = cost.min(line.past_cost() + model::MAX_PENDING_AT_PRUNE) > least + beam.prune_margin();
        let fits_memory = beam.is_offline() || bytes + line.memory_bytes(own_nodes) <= model::MAX_BYTES;
        let has_room = lines.len() < beam.max_lines();
        let fits_memory = fits_memory && positions + own_nodes < beam.max_positions();
        // Most lines differ in this one number.
        let is_duplicate = || {
            fingerprints
                .iter()
                .zip(&*lines)
                .any(|(other, retained)| *other == fingerprint && retained.history().is_same_as(line.history()))
        };
        let dropped = if hopeless {
            Some(DropReason::Margin)
        } else if !has_room {
            Some(DropReason::LineCount)
        } else if !fits_memory {
            Some(DropReason::Memory)
        } else if is_duplicate() {
            Some(DropReason::Duplicate)
        } else {
            None
        };
        match (dropped, &mut trace) {
            (None, _) => {
                positions += own_nodes;
                bytes += line.memory_bytes(own_nodes);
                lines.push(line);
                fingerprints.push(fingerprint);
            }
            (Some(reason), Some(trace)) => trace.note_dropped(&line, reason, cost - least),
            (Some(_), None) => {}
        }
    }
}

/// Returns the number of nodes that both lines hold.
fn shared_nodes(one: &Line, other: &Line) -> usize {
    one.nodes().iter().zip(other.nodes()).take_while(|(one, other)| Arc::ptr_eq(one, other)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::SquareState;
    use crate::laws::Position;
    use shakmaty::{Color, Square};

    /// Ranks a line with a press that belongs to no move, which is published, and one without it. Returns whether that replaces it
    /// after the published line was replaced this many times.
    fn is_replaced(replacements: usize) -> bool {
        let start = Position::start();
        let mut seen = ObservedBoard::new(SensorKind::Occupancy);
        for square in Square::ALL {
            let state = start.piece_at(square).map_or(SquareState::Empty, SquareState::Piece);
            seen.set_square(0, square, state.reduce_to(SensorKind::Occupancy));
        }
        let other = Line::new(start, &seen, 8);
        let mut published = other.clone();
        published.handle_press(1, Color::White, &seen);
        let again = model::switch_margin_again(replacements);
        rank_live(&mut vec![published, other], 1, &seen, again).replaced.is_some()
    }

    #[test]
    fn lines_that_take_turns_must_be_clearly_better() {
        assert!(is_replaced(0));
        assert!(is_replaced(2));
        assert!(!is_replaced(5));
        assert_eq!(model::switch_margin_again(usize::MAX), model::MAX_SWITCH_MARGIN_AGAIN);
    }
}
