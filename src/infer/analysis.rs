//! Explains the cost of each line of play to an arbiter or a developer.
//!
//! Nothing here decides anything, and nothing is kept for it: the explanation is computed on request.

use super::explain::lifted_squares;
use super::line::PlyCost;
use super::model::{self, Cost};
use super::prior::{RecentMoves, prior_costs};
use super::{HandCosts, Line, LineNode, ObservedBoard};
use crate::boards::Millis;
use crate::game::Confidence;
use crate::laws::Position;
use shakmaty::{Bitboard, Move};

/// Maximum number of moves of each line that are returned.
const MAX_MOVES: usize = 8;

/// One possible line of play. Costs are those of [`model`], in sixteenths of a bit.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The ply of the first of the moves, counted from 1: the requested one, or an earlier one if this line splits from the
    /// published one before it.
    pub first_ply: usize,
    /// The position before that ply.
    pub base: Position,
    /// The moves that led there.
    pub recent_moves: RecentMoves,
    /// When that position was seen on the board, in milliseconds.
    pub base_at: Millis,
    /// The moves from there on, at most eight; empty if the line is shorter.
    pub moves: Vec<HypothesisMove>,
    /// Its share of all lines, weighted by their costs.
    pub share: Confidence,
    /// Whether this line is the published one.
    pub published: bool,
    /// Cost of its moves before `first_ply`, as far as it was counted.
    pub earlier_cost: Cost,
    /// Cost of presses without a move and unexplained changes since lines were compared.
    pub extra_cost: Cost,
    /// Cost of what the board shows now: pieces in hands, wrong squares, stray touches.
    pub pending_cost: Cost,
    /// The squares that differ from the line's last position.
    pub wrong: Bitboard,
    /// The squares of `wrong` that pieces in the hands of the side to move do not explain.
    pub unexplained: Bitboard,
    /// The explained squares from which the side to move has lifted a piece.
    pub in_hand: Bitboard,
    /// How long the first of them has been in the air, in milliseconds; 0 if none is.
    pub held: Millis,
    /// Moves that the last one could still become, by a slide that goes on or a second piece; empty once it is decided.
    pub possible_growth: Vec<Move>,
}

/// One move of a hypothesis.
#[derive(Clone, Debug)]
pub struct HypothesisMove {
    /// The move.
    pub mv: Move,
    /// When it was seen on the board, in milliseconds since the recording began.
    pub made_at: Millis,
    /// For a capture, whether the captured piece's square was never seen empty; `None` for other moves.
    pub silent: Option<bool>,
    /// For a capture, the cost of that; otherwise 0.
    pub capture_cost: Cost,
    /// Its own confidence, once it is decided.
    pub decided: Option<Confidence>,
    /// Other moves at this point that would explain the same readings equally well.
    pub rivals: Vec<(Move, Confidence)>,
    /// Whether there was another line to compare with when it was made; otherwise its cost is 0.
    pub compared: bool,
    /// Its total cost; see [`Hypothesis::split_costs`].
    pub cost: Cost,
}

/// The cost of one move of a line, in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostParts {
    /// Prior cost of the choice of the move, or cost of its being illegal.
    pub chosen: Cost,
    /// Cost of the way a capture was seen.
    pub capture: Cost,
    /// The rest of its handling: other squares touched meanwhile, a clock not pressed.
    pub handling: Cost,
}

impl Hypothesis {
    /// Returns the cost of each of its moves, in parts; zero for moves with which no other line was compared. As slow as weighing
    /// all moves of every position.
    pub fn split_costs(&self) -> Vec<CostParts> {
        let (mut position, mut recent) = (self.base.clone(), self.recent_moves);
        let split = |step: &HypothesisMove| {
            let before = std::mem::replace(&mut position, self.base.clone());
            position = before.play(step.mv);
            let recent_before = recent;
            recent = recent.after(step.mv);
            if !step.compared {
                return CostParts::default();
            }
            let chosen = prior_of(&before, &recent_before, step.mv);
            CostParts { chosen, capture: step.capture_cost, handling: step.cost - chosen - step.capture_cost }
        };
        self.moves.iter().map(split).collect()
    }
}

/// Returns a hypothesis for each of these lines, the first of which is published, from this ply on; likeliest first.
pub(super) fn hypotheses(lines: &[Line], now: Millis, seen: &ObservedBoard, ply: usize) -> Vec<Hypothesis> {
    let Some(published) = lines.first() else { return Vec::new() };
    let costs: Vec<Cost> = lines.iter().map(|line| line.cost(now, seen)).collect();
    let least = costs.iter().copied().min().unwrap_or(0);
    let weights: Vec<u64> = costs.iter().map(|cost| model::likelihood(cost - least)).collect();
    let total = u128::from(weights.iter().sum::<u64>().max(1));
    let weighed = lines.iter().zip(costs.iter().zip(&weights)).enumerate();
    let mut ranked: Vec<(Cost, Hypothesis)> = weighed
        .map(|(index, (line, (&cost, &weight)))| {
            let share = Confidence((u128::from(weight) * 1000 / total) as u16);
            (cost, Hypothesis { share, published: index == 0, ..hypothesis(line, published, now, seen, ply) })
        })
        .collect();
    ranked.sort_by_key(|(cost, _)| *cost);
    ranked.into_iter().map(|(_, hypothesis)| hypothesis).collect()
}

fn hypothesis(line: &Line, published: &Line, now: Millis, seen: &ObservedBoard, ply: usize) -> Hypothesis {
    let nodes = line.nodes();
    let shared = nodes.iter().zip(published.nodes()).take_while(|(one, other)| one.mv == other.mv).count();
    let first_ply = ply.min(shared).min(nodes.len()).max(1);
    let costs = line.ply_costs();
    let cost_at = |index: usize| costs.get(index).copied().unwrap_or_default();
    let steps = nodes.iter().enumerate().skip(first_ply).take(MAX_MOVES);
    let moves = steps.filter_map(|(index, node)| hypothesis_move(node, cost_at(index), seen.hands())).collect();
    let base = nodes.get(first_ply - 1).unwrap_or(&nodes[0]);
    let wrong = line.compare(seen).mismatch();
    let unexplained = line.compare(seen).unexplained();
    let lifted = if unexplained.any() { Bitboard::EMPTY } else { lifted_squares(&line.tip().position, seen, wrong) };
    let since = lifted.into_iter().map(|square| seen.changed_at(square)).min();
    let tip = line.tip();
    Hypothesis {
        first_ply,
        base: base.position.clone(),
        recent_moves: base.recent_moves,
        base_at: base.made_at,
        moves,
        share: Confidence::CERTAIN,
        published: false,
        earlier_cost: (0..first_ply).map(|index| cost_at(index).total()).sum(),
        extra_cost: line.past_cost() - costs.iter().map(|charge| charge.total()).sum::<Cost>(),
        pending_cost: line.cost(now, seen) - line.past_cost(),
        wrong,
        unexplained,
        in_hand: lifted,
        held: since.map_or(0, |since| now.saturating_sub(since)),
        possible_growth: if tip.confidence.is_some() { Vec::new() } else { tip.growth.moves.clone() },
    }
}

/// Returns the move that led to `node`, with its cost.
fn hypothesis_move(node: &LineNode, charge: PlyCost, hands: &HandCosts) -> Option<HypothesisMove> {
    let mv = node.mv?;
    let silent = (mv.is_capture() && !mv.is_en_passant()).then_some(node.silent);
    Some(HypothesisMove {
        mv,
        made_at: node.made_at,
        silent,
        capture_cost: silent.map_or(0, |silent| if silent { hands.silent_capture } else { hands.seen_capture }),
        decided: node.confidence,
        rivals: node.rivals.clone(),
        compared: charge.ply.is_some(),
        cost: charge.total(),
    })
}

fn prior_of(position: &Position, recent: &RecentMoves, mv: Move) -> Cost {
    let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
    let costs = prior_costs(position, recent, &legal);
    legal.iter().zip(costs.iter()).find(|(other, _)| **other == mv).map_or(model::ILLEGAL_MOVE, |(_, cost)| *cost)
}
