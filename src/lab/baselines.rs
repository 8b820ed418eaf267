//! Simple decoders that read the same readings, for comparison with touchmove.
//!
//! A baseline knows the start position, the rotation of the board and the end of the game: it is not evaluated on these. It uses no
//! clock and no hypotheses. It compares whole placements with those after legal moves, as its sensors see them. If several legal
//! moves look the same, it chooses the first in the order of move generation.

use crate::boards::{Millis, Reading, SensorKind};
use crate::game::event::{Confidence, PlayedMove, Rotation};
use crate::game::{CorrectionReason, Event, StampedEvent};
use crate::lab::sensed_placement::SensedPlacement;
use crate::laws::{Changes, Move, Position};
use std::collections::HashMap;

/// A simple decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "daemon", derive(clap::ValueEnum))]
pub enum Baseline {
    /// A placement that a legal move leads to is published as that move, at once
    First,
    /// A placement that is unchanged for 250 ms is a legal move, a replacement of the last move, or a takeback
    Settled,
    /// Every placement that is reachable from a reached position counts; the moves to the latest one are published at the end
    Reachable,
}

impl Baseline {
    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::First => "first",
            Baseline::Settled => "settled",
            Baseline::Reachable => "reachable",
        }
    }

    /// Returns whether it reports nothing before the end.
    pub fn is_offline(self) -> bool {
        self == Baseline::Reachable
    }
}

/// What a baseline knows besides the readings.
#[derive(Clone, Debug)]
pub struct BaselineContext<'a> {
    /// The start position.
    pub start: &'a Position,
    /// The rotation of the board.
    pub rotation: Rotation,
    /// The sensing to which readings are reduced.
    pub sensing: SensorKind,
    /// Later readings are no part of the game.
    pub until: Millis,
}

/// Minimum time for which a settled placement is unchanged, in milliseconds.
const SETTLED: Millis = 250;

/// Returns what this baseline would have published, as touchmove's own events.
pub fn decode(baseline: Baseline, readings: &[(Millis, Reading)], context: &BaselineContext) -> Vec<StampedEvent> {
    let frames = frames(readings, context);
    let started =
        Event::GameStarted { fen: context.start.fen(), chess960: None, laws: String::new(), rotation: context.rotation };
    let mut recorder = EventRecorder { events: Vec::new() };
    recorder.record(frames.first().map_or(0, |frame| frame.0), started);
    match baseline {
        Baseline::First => first(&frames, context, &mut recorder),
        Baseline::Settled => settled(&frames, context, &mut recorder),
        Baseline::Reachable => reachable(&frames, context, &mut recorder),
    }
    recorder.events
}

/// Returns the successive placements from the start position on, each with its time.
fn frames(readings: &[(Millis, Reading)], context: &BaselineContext) -> Vec<(Millis, SensedPlacement)> {
    let mut frames: Vec<(Millis, SensedPlacement)> = Vec::new();
    let mut current: Option<SensedPlacement> = None;
    for (at, reading) in readings.iter().filter(|(at, _)| *at <= context.until) {
        match reading {
            Reading::Placement(placement) => {
                let squares = current.insert(SensedPlacement::default());
                for square in shakmaty::Square::ALL {
                    if let Some(&sensed) = placement.get(square as usize) {
                        squares.set(context.rotation.apply(square), sensed, context.sensing);
                    }
                }
            }
            Reading::Square(square, sensed) => {
                // Before the first whole placement the other squares are unknown.
                if let Some(known) = &mut current {
                    known.set(context.rotation.apply(*square), *sensed, context.sensing);
                }
            }
            _ => {}
        }
        if let Some(changed) = current.filter(|current| frames.last().is_none_or(|last| last.1 != *current)) {
            frames.push((*at, changed));
        }
    }
    let start = SensedPlacement::of(context.start.board(), context.sensing);
    let first = frames.iter().position(|frame| frame.1 == start).unwrap_or(0);
    frames.split_off(first)
}

/// Returns the placement after each legal move, in the order of move generation.
fn successors(position: &Position, sensing: SensorKind) -> Vec<(SensedPlacement, Move)> {
    let before = SensedPlacement::of(position.board(), sensing);
    let successor = |&mv: &Move| {
        let mut after = before;
        Changes::of(position.turn(), mv).iter().for_each(|(square, piece)| after.put(square, piece, sensing));
        (after, mv)
    };
    position.legal_moves().iter().map(successor).collect()
}

/// Returns the move that leads to this placement.
fn leads_to(successors: &[(SensedPlacement, Move)], placement: SensedPlacement) -> Option<Move> {
    successors.iter().find(|successor| successor.0 == placement).map(|successor| successor.1)
}

fn first(frames: &[(Millis, SensedPlacement)], context: &BaselineContext, recorder: &mut EventRecorder) {
    let mut position = context.start.clone();
    let mut next = successors(&position, context.sensing);
    let mut ply = 0;
    for &(at, placement) in frames {
        if let Some(mv) = leads_to(&next, placement) {
            ply += 1;
            position = recorder.record_move(at, ply, &position, mv);
            next = successors(&position, context.sensing);
        }
    }
}

/// One position of a game, with the placements after its legal moves.
struct Reached {
    position: Position,
    placement: SensedPlacement,
    next: Vec<(SensedPlacement, Move)>,
}

impl Reached {
    fn new(position: Position, sensing: SensorKind) -> Reached {
        Reached { placement: SensedPlacement::of(position.board(), sensing), next: successors(&position, sensing), position }
    }
}

fn settled(frames: &[(Millis, SensedPlacement)], context: &BaselineContext, recorder: &mut EventRecorder) {
    let mut line = vec![Reached::new(context.start.clone(), context.sensing)];
    for (index, &(at, placement)) in frames.iter().enumerate() {
        let unchanged_until = frames.get(index + 1).map_or(context.until, |frame| frame.0);
        let now = at + SETTLED;
        let ply = line.len() as u32;
        let Some(last) = line.last().filter(|last| last.placement != placement && unchanged_until >= now) else { continue };
        let before = line.len().checked_sub(2).and_then(|index| line.get(index));
        if let Some(mv) = leads_to(&last.next, placement) {
            let after = recorder.record_move(now, ply, &last.position, mv);
            line.push(Reached::new(after, context.sensing));
        } else if let Some((before, mv)) = before.and_then(|before| Some((before, leads_to(&before.next, placement)?))) {
            // The piece was slid on.
            let after = recorder.record_correction(now, ply - 1, &before.position, mv);
            line.pop();
            line.push(Reached::new(after, context.sensing));
        } else if let Some(back) = line.iter().rposition(|reached| reached.placement == placement) {
            line.truncate(back + 1);
            recorder.record_takeback(now, back as u32 + 1);
        }
    }
}

fn reachable(frames: &[(Millis, SensedPlacement)], context: &BaselineContext, recorder: &mut EventRecorder) {
    /// A position that was reached by a move from another one.
    struct ReachedNode {
        position: Position,
        from: Option<(usize, Move)>,
    }
    /// The way to a placement: the node, the move, and the node that was created when the placement was seen.
    type Way = (usize, Move, Option<usize>);
    fn spread(node: usize, position: &Position, sensing: SensorKind, ways: &mut HashMap<SensedPlacement, Way>) {
        // In reverse order, so that of several moves that look the same the first one remains.
        for (placement, mv) in successors(position, sensing).into_iter().rev() {
            ways.insert(placement, (node, mv, None));
        }
    }

    let mut nodes = vec![ReachedNode { position: context.start.clone(), from: None }];
    let mut ways: HashMap<SensedPlacement, Way> = HashMap::new();
    spread(0, context.start, context.sensing, &mut ways);
    let mut latest = 0;
    for (_, placement) in frames {
        let Some((from, mv, created)) = ways.get_mut(placement) else { continue };
        if let Some(node) = *created {
            latest = node;
            continue;
        }
        let (from, mv) = (*from, *mv);
        let Some(position) = nodes.get(from).map(|node| node.position.play(mv)) else { continue };
        latest = nodes.len();
        *created = Some(latest);
        spread(latest, &position, context.sensing, &mut ways);
        nodes.push(ReachedNode { position, from: Some((from, mv)) });
    }

    let mut moves = Vec::new();
    while let Some((from, mv)) = nodes.get(latest).and_then(|node| node.from) {
        moves.push(mv);
        latest = from;
    }
    let mut position = context.start.clone();
    for (index, mv) in moves.into_iter().rev().enumerate() {
        position = recorder.record_move(context.until, index as u32 + 1, &position, mv);
    }
}

/// Records the decisions of a baseline as touchmove's own events.
struct EventRecorder {
    events: Vec<StampedEvent>,
}

impl EventRecorder {
    fn record(&mut self, at: Millis, event: Event) {
        let number = Some(self.events.len() as u64 + 1);
        self.events.push(StampedEvent { at, number, event });
    }

    /// Publishes this move and returns the position after it.
    fn record_move(&mut self, at: Millis, ply: u32, position: &Position, mv: Move) -> Position {
        let (after, played) = (position.play(mv), played(position, mv));
        self.record(at, Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
        after
    }

    /// Publishes this move as a correction of the move of this ply, and returns the position after it.
    fn record_correction(&mut self, at: Millis, ply: u32, position: &Position, mv: Move) -> Position {
        let (after, moves) = (position.play(mv), vec![played(position, mv)]);
        self.record(at, Event::MovesCorrected { from_ply: ply, moves, reason: CorrectionReason::Evidence });
        after
    }

    fn record_takeback(&mut self, at: Millis, from_ply: u32) {
        self.record(at, Event::MovesCorrected { from_ply, moves: Vec::new(), reason: CorrectionReason::Takeback });
    }
}

/// Only the move itself is compared with the ground truth.
fn played(position: &Position, mv: Move) -> PlayedMove {
    PlayedMove { uci: position.uci(mv), san: String::new(), fen: String::new(), irregular: false, evidence: Vec::new() }
}
