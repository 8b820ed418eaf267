//! The confidence of a published move: its share among all lines of play.

use crate::boards::Millis;
use crate::game::Confidence;
use crate::infer::model::{self, Cost};
use crate::infer::{Line, ObservedBoard};
use shakmaty::Move;

/// Returns the confidence of the published move of this ply (counted from 1) and its alternatives, likeliest first; `None` before
/// it is decided. The first line is published.
pub(super) fn confidence(
    lines: &[Line],
    ply: usize,
    now: Millis,
    seen: &ObservedBoard,
) -> Option<(Confidence, Vec<(Move, Confidence)>)> {
    let published = lines.first()?;
    let node = published.nodes().get(ply)?;
    let (mv, decided) = (node.mv?, node.confidence?);
    let illegal = illegal_alternative(published, ply, seen);
    if lines.len() == 1 && illegal.is_none() {
        return Some((decided, node.rivals.clone()));
    }
    let least = lines.iter().map(|line| line.cost(now, seen)).min().unwrap_or(0);
    let mut shares: Vec<(Option<Move>, u64)> = Vec::new();
    for line in lines {
        let weight = model::likelihood(model::calibrated(line.cost(now, seen) - least));
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
fn illegal_alternative(line: &Line, ply: usize, seen: &ObservedBoard) -> Option<(Move, Cost)> {
    let node = line.nodes().get(ply)?;
    let mv = node.illegal_alternative?.mv;
    // What came to its square later does not count as part of the move.
    let late = if seen.changed_at(mv.to()) > node.made_at { seen.hands().stray_touch } else { 0 };
    Some((mv, model::ILLEGAL_MOVE + seen.hands().seen_capture - line.history().cost_of(ply, seen.hands()) - late))
}
