//! Explains the cost of each line of play to an arbiter or a developer.
//!
//! Nothing here decides anything, and nothing is kept for it: the explanation is computed on request.

use super::explain::in_hand;
use super::line::Charge;
use super::model::{self, Cost};
use super::prior::prior;
use super::{Line, Node, Seen};
use crate::boards::Millis;
use crate::game::Confidence;
use crate::laws::Position;
use shakmaty::{Bitboard, Move};

/// Maximum number of moves of each line that are returned.
const MOVES: usize = 8;

/// One possible line of play. Costs are those of [`model`], in sixteenths of a bit.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The ply of the first of the moves, counted from 1: the requested one, or an earlier one if this line splits from the
    /// published one before it.
    pub first_ply: usize,
    /// The position before that ply.
    pub base: Position,
    /// When that position was seen on the board, in milliseconds.
    pub base_at: Millis,
    /// The moves from there on, at most eight; empty if the line is shorter.
    pub moves: Vec<Step>,
    /// Its share of all lines, weighted by their costs.
    pub share: Confidence,
    /// Whether this line is the published one.
    pub published: bool,
    /// Cost of its moves before `first_ply`, as far as it was counted.
    pub before: Cost,
    /// Cost of presses without a move and unexplained changes since lines were compared.
    pub troubles: Cost,
    /// Cost of what the board shows now: pieces in hands, wrong squares, stray touches.
    pub pending: Cost,
    /// The squares that differ from the line's last position.
    pub wrong: Bitboard,
    /// The squares of `wrong` that pieces in the hands of the side to move do not explain.
    pub unexplained: Bitboard,
    /// The explained squares from which the side to move has lifted a piece.
    pub in_hand: Bitboard,
    /// How long the first of them has been in the air, in milliseconds; 0 if none is.
    pub held: Millis,
    /// Moves that the last one could still become, by a slide that goes on or a second piece; empty once it is decided.
    pub open: Vec<Move>,
}

/// One move of a hypothesis.
#[derive(Clone, Debug)]
pub struct Step {
    /// The move.
    pub mv: Move,
    /// When it was seen on the board, in milliseconds since the recording began.
    pub made_at: Millis,
    /// For a capture, whether the captured piece's square was never seen empty; `None` for other moves.
    pub silent: Option<bool>,
    /// Its own confidence, once it is decided.
    pub decided: Option<Confidence>,
    /// Other moves at this point that would explain the same readings equally well.
    pub rivals: Vec<(Move, Confidence)>,
    /// Whether there was another line to compare with when it was made; otherwise its cost is 0.
    pub compared: bool,
    /// Its total cost; see [`Hypothesis::split`].
    pub cost: Cost,
}

/// The cost of one move of a line, in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
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
    pub fn split(&self) -> Vec<Split> {
        let mut position = self.base.clone();
        let split = |step: &Step| {
            let before = std::mem::replace(&mut position, self.base.clone());
            position = before.play(step.mv);
            if !step.compared {
                return Split::default();
            }
            let capture = match step.silent {
                Some(true) => model::SILENT,
                Some(false) => model::SEEN,
                None => 0,
            };
            let chosen = prior_of(&before, step.mv);
            Split { chosen, capture, handling: step.cost - chosen - capture }
        };
        self.moves.iter().map(split).collect()
    }
}

/// Returns a hypothesis for each of these lines, the first of which is published, from this ply on; likeliest first.
pub fn hypotheses(lines: &[Line], now: Millis, seen: &Seen, ply: usize) -> Vec<Hypothesis> {
    let Some(published) = lines.first() else { return Vec::new() };
    let costs: Vec<Cost> = lines.iter().map(|line| line.cost(now, seen)).collect();
    let least = costs.iter().copied().min().unwrap_or(0);
    let weights: Vec<u64> = costs.iter().map(|cost| model::weight(cost - least)).collect();
    let whole = u128::from(weights.iter().sum::<u64>().max(1));
    let told = lines.iter().zip(costs.iter().zip(&weights)).enumerate();
    let mut told: Vec<(Cost, Hypothesis)> = told
        .map(|(index, (line, (&cost, &weight)))| {
            let share = Confidence((u128::from(weight) * 1000 / whole) as u16);
            (cost, Hypothesis { share, published: index == 0, ..of_line(line, published, now, seen, ply) })
        })
        .collect();
    told.sort_by_key(|(cost, _)| *cost);
    told.into_iter().map(|(_, hypothesis)| hypothesis).collect()
}

fn of_line(line: &Line, published: &Line, now: Millis, seen: &Seen, ply: usize) -> Hypothesis {
    let nodes = line.nodes();
    let parts = nodes.iter().zip(published.nodes()).take_while(|(one, other)| one.mv == other.mv).count();
    let first_ply = ply.min(parts).min(nodes.len()).max(1);
    let costs = line.costs();
    let count = |index: usize| costs.get(index).copied().unwrap_or_default();
    let steps = nodes.iter().enumerate().skip(first_ply).take(MOVES);
    let moves = steps.filter_map(|(index, node)| step(node, count(index))).collect();
    let base = nodes.get(first_ply - 1).unwrap_or(&nodes[0]);
    let wrong = line.mismatch(seen);
    let unexplained = line.unexplained(seen);
    let lifted = if unexplained.any() { Bitboard::EMPTY } else { in_hand(&line.tip().position, seen, wrong) };
    let since = lifted.into_iter().map(|square| seen.changed_at(square)).min();
    let tip = line.tip();
    Hypothesis {
        first_ply,
        base: base.position.clone(),
        base_at: base.made_at,
        moves,
        share: Confidence::CERTAIN,
        published: false,
        before: (0..first_ply).map(|index| count(index).all()).sum(),
        troubles: line.past_cost() - costs.iter().map(|charge| charge.all()).sum::<Cost>(),
        pending: line.cost(now, seen) - line.past_cost(),
        wrong,
        unexplained,
        in_hand: lifted,
        held: since.map_or(0, |since| now.saturating_sub(since)),
        open: if tip.decided.is_some() { Vec::new() } else { tip.growth.moves.clone() },
    }
}

/// Returns the move that led to `node`, with its cost.
fn step(node: &Node, charge: Charge) -> Option<Step> {
    let mv = node.mv?;
    Some(Step {
        mv,
        made_at: node.made_at,
        silent: (mv.is_capture() && !mv.is_en_passant()).then_some(node.silent),
        decided: node.decided,
        rivals: node.rivals.clone(),
        compared: charge.ply.is_some(),
        cost: charge.all(),
    })
}

fn prior_of(position: &Position, mv: Move) -> Cost {
    let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
    let costs = prior(position, &legal);
    legal.iter().zip(costs.iter()).find(|(other, _)| **other == mv).map_or(model::ILLEGAL, |(_, cost)| *cost)
}
