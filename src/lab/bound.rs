//! Computes what any decoder could know of a game, whatever its model: `score --bound`.
//!
//! A line of play is *consistent* if at every completed move it leads to the true placement, as the sensors see it, and if every
//! square of the move that was truly lifted and seen empty is a square that its own move changes: a decoder that saw the victim's
//! square empty knows which piece was captured. Nothing else counts: no noise, no times, no path of a slid piece, no piece touched
//! in passing. A move is completed by the press, or without a clock when its pieces were finally let go. If the reply had begun by
//! then, a line may differ from the true placement by what its own reply does to the board.
//!
//! If several lines are consistent, three figures say how good the best guess among them is: for a random one, for the one with the
//! highest prior of a simple kind (`SimplePrior`), and for the one with the highest prior of touchmove's own model.

mod weigh;

use crate::boards::{Millis, Reading, SensorKind, SquareState};
use crate::game::event::Rotation;
use crate::lab::sensed_placement::SensedPlacement;
use crate::laws::{Changes, Move, Position, PositionKey};
use crate::simulate::act::Act;
use crate::simulate::script::Script;
use crate::simulate::truth::{GroundTruth, TruthPly};
use serde::Serialize;
use shakmaty::{Bitboard, Piece, Square};
use std::collections::HashMap;

/// Maximum number of positions followed at one ply. Beyond it the first ones and the true one are kept; the result is then too
/// optimistic.
pub const MAX_POSITIONS: usize = 20_000;

/// Maximum duration of a whole scan, in milliseconds: a piece lifted for this time is seen.
const SCAN: Millis = 250;
/// Maximum time from the scan of a square until its report has arrived, in milliseconds.
const MAX_REPORT_DELAY: Millis = 300;

/// The bound of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Number of consistent lines, including the true one.
    pub lines: f64,
    /// Probability that a random consistent line is the true one.
    pub uniform: f64,
    /// Probability that the line with the highest simple prior is the true one: 1 or 0, or in between if several are equal.
    pub prior: f64,
    /// The same with the prior of touchmove's own model.
    pub fitted: f64,
    /// There were more positions than [`MAX_POSITIONS`].
    pub capped: bool,
}

/// The sum over many games. Shares are in percent.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BoundFigures {
    /// Number of games; a game in which an illegal move remains has no bound.
    pub games: u64,
    /// Games with only one consistent line.
    pub unique: u64,
    /// The same as a share.
    pub unique_percent: f64,
    /// Share of games that are right if a random consistent line is chosen.
    pub uniform_percent: f64,
    /// The same if the line with the highest simple prior is chosen.
    pub prior_percent: f64,
    /// The same with the prior of touchmove's own model.
    pub fitted_percent: f64,
    /// Games with more positions than are followed; their figures are too optimistic.
    pub capped: u64,
}

impl BoundFigures {
    /// Sums up the bounds of many games.
    pub fn of(bounds: impl Iterator<Item = Bound>) -> BoundFigures {
        let (mut games, mut unique, mut capped, mut uniform, mut prior, mut fitted) = (0, 0, 0, 0.0, 0.0, 0.0);
        for bound in bounds {
            games += 1;
            unique += u64::from(!bound.capped && bound.lines < 1.5);
            capped += u64::from(bound.capped);
            uniform += bound.uniform;
            prior += bound.prior;
            fitted += bound.fitted;
        }
        let percent = |sum: f64| if games == 0 { 0.0 } else { 100.0 * sum / games as f64 };
        BoundFigures {
            games,
            unique,
            unique_percent: percent(unique as f64),
            uniform_percent: percent(uniform),
            prior_percent: percent(prior),
            fitted_percent: percent(fitted),
            capped,
        }
    }
}

/// Returns the moves that were truly played; `None` if one of them is illegal, in which case there is no bound.
pub fn true_moves(start: &Position, truth: &GroundTruth) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let moves = truth.plies.iter().map(|ply| {
        let mv = position.parse_uci(&ply.uci)?;
        position = position.play(mv);
        Some(mv)
    });
    moves.collect()
}

/// Returns the squares of each move that were truly lifted and that the board reported as empty in between; ply 1 is at index 0.
pub fn seen_empty(
    start: &Position,
    line: &[Move],
    script: &Script,
    readings: &[(Millis, Reading)],
    rotation: Rotation,
) -> Vec<Bitboard> {
    let mut changed = Vec::with_capacity(line.len());
    let mut position = start.clone();
    for &mv in line {
        changed.push(Changes::of(position.turn(), mv).iter().map(|(square, _)| square).collect::<Bitboard>());
        position = position.play(mv);
    }
    let reported_empty: HashMap<Square, Vec<Millis>> = readings.iter().fold(HashMap::new(), |mut reports, (at, reading)| {
        if let Reading::Square(square, SquareState::Empty) = reading {
            reports.entry(rotation.apply(*square)).or_default().push(*at);
        }
        reports
    });
    let mut seen = vec![Bitboard::EMPTY; line.len()];
    let mut filled_again: HashMap<Square, Millis> = HashMap::new();
    for action in script.actions.iter().rev() {
        match action.act {
            Act::Put(square, _) => {
                filled_again.insert(square, action.at);
            }
            Act::Lift(square) => {
                let until = filled_again.get(&square).copied().unwrap_or(Millis::MAX - MAX_REPORT_DELAY);
                let is_reported = reported_empty.get(&square).is_some_and(|times| {
                    times.get(times.partition_point(|&at| at < action.at)).is_some_and(|&at| at <= until + MAX_REPORT_DELAY)
                });
                let index = (action.ply as usize).wrapping_sub(1);
                // A move that was taken back has the same number.
                let in_ply =
                    script.truth.plies.get(index).is_some_and(|ply| (ply.touched_at..=ply.done_at).contains(&action.at));
                if let (Some(seen), Some(changed)) = (seen.get_mut(index), changed.get(index))
                    && in_ply
                    && changed.contains(square)
                    && (is_reported || until - action.at >= SCAN)
                {
                    seen.add(square);
                }
            }
            _ => {}
        }
    }
    seen
}

/// Returns, for each move, the changes of its reply that had been made when the move was completed: squares of play with their
/// contents at that time. Ply 1 is at index 0; nearly all entries are empty.
pub fn early_replies(script: &Script) -> Vec<EarlyReply> {
    let plies = &script.truth.plies;
    let replies = plies.iter().skip(1).map(Some).chain([None]);
    let early_reply = |(index, (ply, reply)): (usize, (&TruthPly, Option<&TruthPly>))| {
        let completed_at = ply.pressed_at.unwrap_or(ply.done_at);
        let mut squares = EarlyReply::new();
        let Some(reply) = reply.filter(|reply| reply.touched_at <= completed_at) else { return squares };
        // A move that was taken back has the same number.
        let span = reply.touched_at..=completed_at.min(reply.done_at);
        let actions = script.actions.iter().filter(|act| act.ply as usize == index + 2 && span.contains(&act.at));
        for action in actions {
            let (square, piece) = match action.act {
                Act::Lift(square) => (square, None),
                Act::Put(square, piece) => (square, Some(piece)),
                _ => continue,
            };
            squares.retain(|(known, _)| *known != square);
            squares.push((square, piece));
        }
        squares
    };
    plies.iter().zip(replies).enumerate().map(early_reply).collect()
}

/// Squares of play with their contents while a reply was being made.
pub type EarlyReply = Vec<(Square, Option<Piece>)>;

/// A position that a consistent line reaches at one ply, with the ways to it: the index of the position at the previous ply, and
/// the move.
#[derive(Default)]
struct BoundNode {
    ways: Vec<(usize, Move)>,
}

/// All consistent positions at one ply.
#[derive(Default)]
struct Layer {
    nodes: Vec<BoundNode>,
    /// Index of the true position.
    truth: usize,
}

/// Computes the bound of a game with these moves, whose squares were seen empty as [`seen_empty`] says, and whose replies were
/// [`early_replies`] early.
pub fn bound(start: &Position, line: &[Move], seen_empty: &[Bitboard], early: &[EarlyReply], sensing: SensorKind) -> Bound {
    let (layers, capped) = forward(start, line, seen_empty, early, sensing);
    let alive = backward(&layers);
    weigh::weigh(start, line, &layers, &alive, capped)
}

/// Returns every consistent way, ply by ply, including those that lead nowhere, and whether there were too many positions.
fn forward(
    start: &Position,
    line: &[Move],
    seen_empty: &[Bitboard],
    early: &[EarlyReply],
    sensing: SensorKind,
) -> (Vec<Layer>, bool) {
    let mut layers = vec![Layer { nodes: vec![BoundNode::default()], truth: 0 }];
    let mut positions = vec![start.clone()];
    let mut truth = start.clone();
    let mut capped = false;
    // The placement at the last completed move, if the reply to it had begun.
    let mut before: Option<SensedPlacement> = None;
    for (index, &played) in line.iter().enumerate() {
        truth = truth.play(played);
        let true_key = truth.key();
        let true_placement = SensedPlacement::of(truth.board(), sensing);
        // A stop on the way, or a wrong piece at first, is no part of the reply.
        let reply = line.get(index + 1).map(|&reply| Changes::of(truth.turn(), reply));
        let part = |square: Square, piece: Option<Piece>| {
            let changed = |changes: &Changes| changes.iter().find(|change| change.0 == square).map(|change| change.1);
            reply.as_ref().and_then(changed).is_some_and(|last| piece.is_none() || piece == last)
        };
        let early = early.get(index).into_iter().flatten().filter(|(square, piece)| part(*square, *piece));
        let early = early.fold(None, |shown_before, &(square, piece)| {
            let mut shown: SensedPlacement = shown_before.unwrap_or(true_placement);
            shown.put(square, piece, sensing);
            Some(shown)
        });
        let lifted = seen_empty.get(index).copied().unwrap_or_default();
        let mut layer = Layer::default();
        let mut reached: Vec<Position> = Vec::new();
        let mut known: HashMap<PositionKey, usize> = HashMap::new();
        for (from, position) in positions.iter().enumerate() {
            let placement = SensedPlacement::of(position.board(), sensing);
            for &mv in position.legal_moves().iter() {
                let changes = Changes::of(position.turn(), mv);
                let changed_squares: Bitboard = changes.iter().map(|(square, _)| square).collect();
                if (lifted & !changed_squares).any()
                    || before.is_some_and(|before| !can_look_like(placement, &changes, before, sensing))
                {
                    continue;
                }
                let mut after = placement;
                changes.iter().for_each(|(square, piece)| after.put(square, piece, sensing));
                if early.is_none() && after != true_placement {
                    continue;
                }
                let next = position.play(mv);
                let leads_on = |target: SensedPlacement| {
                    let turn = next.turn();
                    next.legal_moves().iter().any(|&reply| can_look_like(after, &Changes::of(turn, reply), target, sensing))
                };
                if early.is_some_and(|target| !leads_on(target)) {
                    continue;
                }
                let key = next.key();
                if reached.len() >= MAX_POSITIONS && key != true_key && !known.contains_key(&key) {
                    capped = true;
                    continue;
                }
                let node = *known.entry(key).or_insert_with(|| {
                    reached.push(next);
                    layer.nodes.push(BoundNode::default());
                    reached.len() - 1
                });
                if let Some(node) = layer.nodes.get_mut(node) {
                    node.ways.push((from, mv));
                }
            }
        }
        layer.truth = known.get(&true_key).copied().unwrap_or_default();
        layers.push(layer);
        (positions, before) = (reached, early);
    }
    (layers, capped)
}

/// Returns whether a board that looked like `look` can look like `stood` during this move or after it.
fn can_look_like(mut placement: SensedPlacement, changes: &Changes, target: SensedPlacement, sensing: SensorKind) -> bool {
    for (square, piece) in changes.iter() {
        for piece in [None, piece] {
            if placement.at(square) != target.at(square) {
                placement.put(square, piece, sensing);
            }
        }
    }
    placement == target
}

/// Returns for each ply which of its positions can lead to the end of the game.
fn backward(layers: &[Layer]) -> Vec<Vec<bool>> {
    let mut alive: Vec<Vec<bool>> = layers.iter().map(|layer| vec![false; layer.nodes.len()]).collect();
    if let Some(last) = alive.last_mut() {
        last.fill(true);
    }
    for index in (1..layers.len()).rev() {
        let (before, from_here) = alive.split_at_mut(index);
        let (Some(before), Some(here), Some(layer)) = (before.last_mut(), from_here.first(), layers.get(index)) else { break };
        for (node, _) in layer.nodes.iter().zip(here).filter(|(_, alive)| **alive) {
            for (from, _) in &node.ways {
                if let Some(flag) = before.get_mut(*from) {
                    *flag = true;
                }
            }
        }
    }
    alive
}
