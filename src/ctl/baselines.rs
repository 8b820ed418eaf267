//! Simple decoders that read the same readings, for comparison with touchmove.
//!
//! A baseline knows the start position, the rotation of the board and the end of the game: it is not evaluated on these. It uses no
//! clock and no hypotheses. It compares whole placements with those after legal moves, as its sensors see them. If several legal
//! moves look the same, it chooses the first in the order of move generation.

use crate::boards::{Millis, Reading, SensorKind};
use crate::ctl::look::SensedPlacement;
use crate::game::event::{Confidence, PlayedMove, Rotation};
use crate::game::{CorrectionReason, Event, StampedEvent};
use crate::laws::{Changes, Move, Position};
use std::collections::HashMap;

/// A way of telling moves from readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Baseline {
    /// The first placement that a legal move leads to is that move, at once
    First,
    /// A placement that stood for 250 ms is a legal move, another one instead of the last, or moves taken back
    Settled,
    /// Every placement that is reachable from a reached position; the latest counts, and the end says what was played
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
pub fn decode(baseline: Baseline, heard: &[(Millis, Reading)], told: &BaselineContext) -> Vec<StampedEvent> {
    let frames = frames(heard, told);
    let started = Event::GameStarted { fen: told.start.fen(), chess960: None, laws: String::new(), rotation: told.rotation };
    let mut teller = EventRecorder { events: Vec::new() };
    teller.record(frames.first().map_or(0, |frame| frame.0), started);
    match baseline {
        Baseline::First => first(&frames, told, &mut teller),
        Baseline::Settled => settled(&frames, told, &mut teller),
        Baseline::Reachable => reachable(&frames, told, &mut teller),
    }
    teller.events
}

/// Returns the successive placements from the start position on, each with its time.
fn frames(heard: &[(Millis, Reading)], told: &BaselineContext) -> Vec<(Millis, SensedPlacement)> {
    let mut frames: Vec<(Millis, SensedPlacement)> = Vec::new();
    let mut look: Option<SensedPlacement> = None;
    for (at, reading) in heard.iter().filter(|(at, _)| *at <= told.until) {
        match reading {
            Reading::Placement(placement) => {
                let whole = look.insert(SensedPlacement::default());
                for square in shakmaty::Square::ALL {
                    if let Some(&sensed) = placement.get(square as usize) {
                        whole.set(told.rotation.apply(square), sensed, told.sensing);
                    }
                }
            }
            Reading::Square(square, sensed) => {
                // Before the first whole placement the other squares are unknown.
                if let Some(known) = &mut look {
                    known.set(told.rotation.apply(*square), *sensed, told.sensing);
                }
            }
            _ => {}
        }
        if let Some(look) = look.filter(|look| frames.last().is_none_or(|last| last.1 != *look)) {
            frames.push((*at, look));
        }
    }
    let start = SensedPlacement::of(told.start.board(), told.sensing);
    let first = frames.iter().position(|frame| frame.1 == start).unwrap_or(0);
    frames.split_off(first)
}

/// Returns the placement after each legal move, in the order of move generation.
fn successors(position: &Position, sensing: SensorKind) -> Vec<(SensedPlacement, Move)> {
    let here = SensedPlacement::of(position.board(), sensing);
    let after = |&mv: &Move| {
        let mut look = here;
        Changes::of(position.turn(), mv).iter().for_each(|(square, piece)| look.put(square, piece, sensing));
        (look, mv)
    };
    position.legal_moves().iter().map(after).collect()
}

/// Returns the move that leads to this placement.
fn leads_to(successors: &[(SensedPlacement, Move)], look: SensedPlacement) -> Option<Move> {
    successors.iter().find(|successor| successor.0 == look).map(|successor| successor.1)
}

fn first(frames: &[(Millis, SensedPlacement)], told: &BaselineContext, teller: &mut EventRecorder) {
    let mut position = told.start.clone();
    let mut next = successors(&position, told.sensing);
    let mut ply = 0;
    for &(at, look) in frames {
        if let Some(mv) = leads_to(&next, look) {
            ply += 1;
            position = teller.record_move(at, ply, &position, mv);
            next = successors(&position, told.sensing);
        }
    }
}

/// One position of a game, with the placements after its legal moves.
struct Reached {
    position: Position,
    look: SensedPlacement,
    next: Vec<(SensedPlacement, Move)>,
}

impl Reached {
    fn new(position: Position, sensing: SensorKind) -> Reached {
        Reached { look: SensedPlacement::of(position.board(), sensing), next: successors(&position, sensing), position }
    }
}

fn settled(frames: &[(Millis, SensedPlacement)], told: &BaselineContext, teller: &mut EventRecorder) {
    let mut line = vec![Reached::new(told.start.clone(), told.sensing)];
    for (index, &(at, look)) in frames.iter().enumerate() {
        let stood_until = frames.get(index + 1).map_or(told.until, |frame| frame.0);
        let now = at + SETTLED;
        let ply = line.len() as u32;
        let Some(last) = line.last().filter(|last| last.look != look && stood_until >= now) else { continue };
        let before = line.len().checked_sub(2).and_then(|index| line.get(index));
        if let Some(mv) = leads_to(&last.next, look) {
            let after = teller.record_move(now, ply, &last.position, mv);
            line.push(Reached::new(after, told.sensing));
        } else if let Some((before, mv)) = before.and_then(|before| Some((before, leads_to(&before.next, look)?))) {
            // The piece was slid on.
            let after = teller.record_correction(now, ply - 1, &before.position, mv);
            line.pop();
            line.push(Reached::new(after, told.sensing));
        } else if let Some(back) = line.iter().rposition(|reached| reached.look == look) {
            line.truncate(back + 1);
            teller.record_takeback(now, back as u32 + 1);
        }
    }
}

fn reachable(frames: &[(Millis, SensedPlacement)], told: &BaselineContext, teller: &mut EventRecorder) {
    /// A position that was reached by a move from another one.
    struct ReachedNode {
        position: Position,
        from: Option<(usize, Move)>,
    }
    /// The way to a placement: the node, the move, and the node that was created when the placement was seen.
    type Way = (usize, Move, Option<usize>);
    fn spread(node: usize, position: &Position, sensing: SensorKind, ways: &mut HashMap<SensedPlacement, Way>) {
        // In reverse order, so that of several moves that look the same the first one remains.
        for (look, mv) in successors(position, sensing).into_iter().rev() {
            ways.insert(look, (node, mv, None));
        }
    }

    let mut nodes = vec![ReachedNode { position: told.start.clone(), from: None }];
    let mut ways: HashMap<SensedPlacement, Way> = HashMap::new();
    spread(0, told.start, told.sensing, &mut ways);
    let mut latest = 0;
    for (_, look) in frames {
        let Some((from, mv, became)) = ways.get_mut(look) else { continue };
        if let Some(node) = *became {
            latest = node;
            continue;
        }
        let (from, mv) = (*from, *mv);
        let Some(position) = nodes.get(from).map(|node| node.position.play(mv)) else { continue };
        latest = nodes.len();
        *became = Some(latest);
        spread(latest, &position, told.sensing, &mut ways);
        nodes.push(ReachedNode { position, from: Some((from, mv)) });
    }

    let mut moves = Vec::new();
    while let Some((from, mv)) = nodes.get(latest).and_then(|node| node.from) {
        moves.push(mv);
        latest = from;
    }
    let mut position = told.start.clone();
    for (index, mv) in moves.into_iter().rev().enumerate() {
        position = teller.record_move(told.until, index as u32 + 1, &position, mv);
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
