//! Re-decoding on boards that detect only whether a square is occupied.
//!
//! A line of play uses up changes of squares: a square that is left, one on which a piece is put down, a captured piece that is
//! lifted first. A capture that replaces one piece by the other uses up none on its last square. The changes that remain must be
//! stops on the way, pieces that were touched or put back, or pieces in the hands, and each has its cost. So a square that a piece
//! only crossed is not taken for its goal, in whatever order the changes came.

use super::{MAX_PLIES, OpenSquares, Ply, RedecodedLine, castling_rook_square};
use crate::boards::{Millis, SquareState};
use crate::infer::explain::landing_square;
use crate::infer::line_prior::LinePrior;
use crate::infer::model::{self, Cost, MAX_OVERLAP, MAX_STOP, SCAN_TIME};
use crate::infer::{Charge, HandEvent, LineNode, ObservedBoard};
use crate::laws::Position;
use shakmaty::{Bitboard, Color, Move, Role, Square, attacks};

/// Maximum number of positions that are searched.
const MAX_POSITIONS: u32 = 400;
/// Maximum number of lines whose moves are weighed by the prior.
const MAX_WEIGHED: usize = 16;
/// Maximum number of changes that are considered: one bit each.
const MAX_CHANGES: usize = 48;

/// A change of one square.
#[derive(Clone, Copy)]
struct Edge {
    at: Millis,
    square: Square,
    occupied: bool,
}

/// One move of a line, and the changes that the line has used up after it.
#[derive(Clone, Copy)]
struct Step {
    ply: Ply,
    /// Index of the change that showed the piece on its last square; `None`: there was none.
    arrival: Option<usize>,
    used: u64,
}

/// Returns the lines from this node, since the time when its move was made, that the changes allow; likeliest first.
pub(in crate::infer) fn redecode_occupancy(
    base: &LineNode,
    seen: &ObservedBoard,
    hidden: Bitboard,
    now: Millis,
) -> Vec<RedecodedLine> {
    let mut decoder = OccupancyDecoder::new(base, seen, hidden, now);
    decoder.search(&base.position, &mut Vec::new());
    let mut found = decoder.found;
    found.sort_by_key(|line| line.cost);
    found.truncate(MAX_WEIGHED);
    let mut prior = LinePrior::new(&base.position);
    for line in &mut found {
        let moves: Vec<Move> = line.plies.iter().map(|ply| ply.mv).collect();
        line.cost += prior.cost(&moves) - moves.len() as Cost * model::AVERAGE_MOVE;
    }
    found.sort_by_key(|line| line.cost);
    found
}

/// Re-decodes these moves from this node; `None` if the changes since then do not allow them.
pub(in crate::infer) fn redecode_occupancy_moves(
    base: &LineNode,
    moves: &[Move],
    seen: &ObservedBoard,
    hidden: Bitboard,
    now: Millis,
) -> Option<RedecodedLine> {
    let decoder = OccupancyDecoder::new(base, seen, hidden, now);
    decoder.decode_moves(&base.position, moves, &mut Vec::new())
}

struct OccupancyDecoder<'a> {
    base: &'a LineNode,
    seen: &'a ObservedBoard,
    hidden: Bitboard,
    now: Millis,
    edges: Vec<Edge>,
    presses: Vec<(Millis, Color)>,
    found: Vec<RedecodedLine>,
    nodes: u32,
}

impl<'a> OccupancyDecoder<'a> {
    fn new(base: &'a LineNode, seen: &'a ObservedBoard, hidden: Bitboard, now: Millis) -> OccupancyDecoder<'a> {
        let since = base.made_at.saturating_sub(MAX_OVERLAP + 1);
        let board = base.position.board().occupied();
        let changes: Vec<Edge> = seen
            .changes_since(since)
            .filter(|change| !hidden.contains(change.square))
            .map(|change| Edge { at: change.at, square: change.square, occupied: change.now != SquareState::Empty })
            .collect();
        // Of what was before the node, only pieces that had been lifted early belong to what follows.
        let is_early = |index: usize, edge: &Edge| {
            let last = !changes.iter().skip(index + 1).any(|later| later.square == edge.square && later.at <= base.made_at);
            last && edge.occupied != board.contains(edge.square)
        };
        let edges = changes.iter().enumerate().filter(|&(index, edge)| edge.at > base.made_at || is_early(index, edge));
        OccupancyDecoder {
            base,
            seen,
            hidden,
            now,
            edges: edges.map(|(_, edge)| *edge).take(MAX_CHANGES).collect(),
            presses: seen.presses_since(base.made_at.saturating_sub(1)).collect(),
            found: Vec::new(),
            nodes: MAX_POSITIONS,
        }
    }

    fn search(&mut self, position: &Position, line: &mut Vec<Step>) {
        if let Some(redecoded) = self.complete(position, line) {
            self.found.push(redecoded);
        }
        if line.len() == MAX_PLIES {
            return;
        }
        let used = line.last().map_or(0, |step| step.used);
        let left: Bitboard = self.unused(used).filter(|(_, edge)| !edge.occupied).map(|(_, edge)| edge.square).collect();
        if ((left | self.hidden) & position.board().by_color(position.turn())).is_empty() {
            return;
        }
        for &mv in &position.legal_moves() {
            let may_leave = mv.from().is_some_and(|from| left.contains(from) || self.hidden.contains(from));
            if !may_leave || mv.promotion().is_some_and(|role| role != Role::Queen) {
                continue;
            }
            for step in self.ways(mv, line) {
                if self.nodes == 0 {
                    return;
                }
                self.nodes -= 1;
                line.push(step);
                self.search(&position.play_legal(mv), line);
                line.pop();
            }
        }
    }

    /// Returns the best decoding of these moves after `line`.
    fn decode_moves(&self, position: &Position, moves: &[Move], line: &mut Vec<Step>) -> Option<RedecodedLine> {
        let Some((&mv, rest)) = moves.split_first() else { return self.complete(position, line) };
        let mut best: Option<RedecodedLine> = None;
        for step in self.ways(mv, line) {
            line.push(step);
            let decoded = self.decode_moves(&position.play(mv), rest, line);
            line.pop();
            best = match (best, decoded) {
                (Some(best), Some(decoded)) if best.cost <= decoded.cost => Some(best),
                (best, decoded) => decoded.or(best),
            };
        }
        best
    }

    /// Returns the changes that a line has not used up, with their indices.
    fn unused(&self, used: u64) -> impl Iterator<Item = (usize, &Edge)> {
        self.edges.iter().enumerate().filter(move |(index, _)| used & 1 << index == 0)
    }

    /// Returns the ways in which the changes allow the move after `line`.
    fn ways(&self, mv: Move, line: &[Step]) -> Vec<Step> {
        let used = line.last().map_or(0, |step| step.used);
        let Some(from) = mv.from() else { return Vec::new() };
        if let Move::Castle { king, rook } = mv {
            return self.castling(mv, king, rook, used).map(|step| self.weigh(step, line)).into_iter().collect();
        }
        // The piece cannot leave its square before it came there.
        let came = line.iter().rev().find(|step| landing_square(step.ply.mv) == from);
        let after = came.and_then(|step| step.arrival).map_or(0, |arrival| arrival + 1);
        let since = came.map_or(0, |step| step.ply.left_at);
        let leaving: Vec<(usize, Millis)> = self
            .unused(used)
            .filter(|(index, edge)| *index >= after && edge.at >= since && edge.square == from && !edge.occupied)
            .map(|(index, edge)| (index, edge.at))
            .collect();
        let to = mv.to();
        let unseen_before = line.last().is_some_and(|last| !last.ply.was_seen);
        if unseen_before && line.last().is_none_or(|last| landing_square(last.ply.mv) != to) {
            return Vec::new();
        }
        let arrivals: Vec<(usize, Millis)> = self
            .unused(used)
            .filter(|(_, edge)| edge.square == to && edge.occupied)
            .map(|(index, edge)| (index, edge.at))
            .collect();
        let mut ways = Vec::new();
        let step =
            |left: (usize, Millis), made_at: Millis, arrival: Option<usize>, taken: u64, silent: bool, was_seen: bool| {
                let ply = Ply { mv, left_at: left.1, made_at, pressed_at: None, handling: Charge::default(), was_seen, silent };
                Step { ply, arrival, used: used | 1 << left.0 | taken }
            };
        let is_capture = matches!(mv, Move::Normal { capture: Some(_), .. });
        for &(arrival, at) in &arrivals {
            // The last time that the piece was lifted before it was put down, or soon after that: squares are scanned one by one.
            let before = leaving.iter().rev().find(|left| left.1 <= at);
            let Some(&left) = before.or(leaving.iter().find(|left| left.1 <= at + MAX_STOP)) else { continue };
            let lifted = match mv {
                Move::EnPassant { from, to } => {
                    let victim = Square::from_coords(to.file(), from.rank());
                    self.unused(used).find(|(_, edge)| edge.square == victim && !edge.occupied)
                }
                _ if is_capture && !unseen_before => {
                    self.unused(used).take(arrival).filter(|(_, edge)| edge.square == to && !edge.occupied).last()
                }
                _ => None,
            };
            if (is_capture && !unseen_before || mv.is_en_passant()) && lifted.is_none() {
                continue;
            }
            let made_at = lifted.filter(|_| mv.is_en_passant()).map_or(at, |(_, edge)| edge.at.max(at));
            let taken = 1 << arrival | lifted.map_or(0, |(index, _)| 1 << index);
            ways.push(step(left, made_at, Some(arrival), taken, false, true));
        }
        let silent_left = || leaving.first().into_iter().chain(leaving.last().filter(|_| leaving.len() > 1));
        if is_capture && !unseen_before {
            ways.extend(
                silent_left().map(|&left| step(left, (left.1 + model::USUAL_CARRY_TIME).min(self.now), None, 0, true, true)),
            );
        } else if !is_capture && !mv.is_en_passant() && !unseen_before {
            // Captured before it was seen: then the next move shows it.
            ways.extend(
                leaving
                    .first()
                    .map(|&left| step(left, (left.1 + model::USUAL_CARRY_TIME).min(self.now), None, 0, false, false)),
            );
        }
        ways.into_iter().filter(|step| self.is_in_order(step, line)).map(|step| self.weigh(step, line)).collect()
    }

    /// Returns castling, if all its squares have changed.
    fn castling(&self, mv: Move, king: Square, rook: Square, used: u64) -> Option<Step> {
        let (king_to, rook_to) = (landing_square(mv), castling_rook_square(mv)?);
        let left = [king, rook].into_iter().filter(|square| *square != king_to && *square != rook_to);
        let reached = [king_to, rook_to].into_iter().filter(|square| *square != king && *square != rook);
        let (mut taken, mut times) = (0u64, Vec::new());
        for (square, occupied) in left.map(|square| (square, false)).chain(reached.map(|square| (square, true))) {
            // A king may have stopped on the way.
            let found = self.unused(used).filter(|(_, edge)| edge.square == square && edge.occupied == occupied).last();
            let (index, edge) = found?;
            taken |= 1 << index;
            times.push((edge.at, occupied));
        }
        let left_at = times.iter().map(|time| time.0).min()?;
        let made_at = times.iter().filter(|time| time.1).map(|time| time.0).max().unwrap_or(left_at);
        let ply = Ply { mv, left_at, made_at, pressed_at: None, handling: Charge::default(), was_seen: true, silent: false };
        Some(Step { ply, arrival: None, used: used | taken })
    }

    /// Returns whether the move can follow the last ones of the line: a player finishes a move before the next.
    fn is_in_order(&self, step: &Step, line: &[Step]) -> bool {
        let own = line.len().checked_sub(2).and_then(|index| line.get(index));
        own.is_none_or(|own| step.ply.left_at + SCAN_TIME >= own.ply.made_at)
            && line.last().is_none_or(|last| step.ply.made_at + MAX_OVERLAP >= last.ply.made_at)
    }

    /// Adds the cost of the time at which the move was made.
    fn weigh(&self, mut step: Step, line: &[Step]) -> Step {
        let ply = &mut step.ply;
        let last_made = line.last().map_or(self.base.made_at, |last| last.ply.made_at);
        let mut handling = Charge::default();
        if !ply.was_seen {
            handling.add_event(HandEvent::CapturedUnseen, self.seen.hands());
        }
        if ply.made_at + SCAN_TIME < ply.left_at {
            handling.add_event(HandEvent::SeenBackwards, self.seen.hands());
        }
        ply.left_at = ply.left_at.min(ply.made_at);
        handling += model::holding_cost(ply.made_at - ply.left_at)
            + model::overlap_cost(ply.left_at, last_made)
            + model::overlap_cost(ply.made_at.saturating_sub(model::MIN_CARRY_TIME), last_made);
        let last_own_at = line.len().checked_sub(2).and_then(|index| line.get(index)).map(|own| own.ply.made_at);
        handling += last_own_at.map_or(0, |at| model::haste_cost(ply.made_at.saturating_sub(at)));
        ply.handling = handling;
        step
    }

    /// Returns the line if it leads to what the board shows, except for pieces in the hands.
    fn complete(&self, position: &Position, line: &[Step]) -> Option<RedecodedLine> {
        let last = line.last()?;
        let OpenSquares { wrong, own_lifted, passing, victim } = OpenSquares::of(position, &last.ply, self.seen, self.hidden)?;
        let mut plies: Vec<Ply> = line.iter().map(|step| step.ply).collect();
        // A press that was just reported may belong to a piece that is in a hand.
        let now = if wrong.is_empty() { Millis::MAX } else { self.now };
        let unmatched = super::assign_presses(self.base, &self.presses, now, &mut plies);
        let mut extra = self.charge_strays(&mut plies, last.used, own_lifted);
        let mut cost = 0;
        for (index, ply) in plies.iter().enumerate() {
            let capture = match (ply.mv.is_capture() && !ply.mv.is_en_passant(), ply.silent) {
                (true, true) => self.seen.hands().silent_capture,
                (true, false) => self.seen.hands().seen_capture,
                _ => 0,
            };
            cost += ply.handling.cost + model::AVERAGE_MOVE + capture;
            let is_overdue = self.now.saturating_sub(ply.made_at) > model::MAX_PRESS_DELAY;
            if is_overdue && ply.pressed_at.is_none() && index + 2 < line.len() {
                cost += self.seen.hands().move_without_press;
            }
        }
        // A press is never made without a move by a player who has just moved.
        extra += unmatched as Cost * (self.seen.hands().press_without_move + model::UNEXPLAINED);
        let own_made_at = line.len().checked_sub(2).and_then(|index| line.get(index)).map_or(0, |own| own.ply.made_at);
        // Nobody moves one piece while another is in their hand.
        let is_early = |square: Square| self.seen.changed_at(square) + SCAN_TIME < own_made_at;
        let early = if own_lifted.into_iter().any(is_early) { model::UNEXPLAINED } else { 0 };
        let held = (own_lifted | victim).into_iter().map(|square| self.now.saturating_sub(self.seen.changed_at(square)));
        let open = wrong.count() as Cost * 10
            + early
            + if passing.any() { self.seen.hands().first_stop } else { 0 }
            + held.map(model::holding_cost).sum::<Cost>();
        Some(RedecodedLine { plies, extra, unmatched_presses: unmatched, cost: cost + extra.cost + open })
    }

    /// Returns the cost of the changes that the line has not used up; stops on the way are added to the moves. `in_hand`: the
    /// squares of the pieces in the hands of the next player.
    fn charge_strays(&self, plies: &mut [Ply], used: u64, in_hand: Bitboard) -> Charge {
        let (mut used, mut charge, hands) = (used, Charge::default(), self.seen.hands());
        let mut stops = [0u32; MAX_PLIES];
        for (index, edge) in self.edges.iter().enumerate() {
            if used & 1 << index != 0 {
                continue;
            }
            let Some((until, next)) = self.unused(used).find(|(later, other)| *later > index && other.square == edge.square)
            else {
                continue; // In a hand.
            };
            used |= 1 << index | 1 << until;
            let is_around = |ply: &Ply| ply.left_at <= edge.at + SCAN_TIME && edge.at <= ply.made_at + SCAN_TIME;
            if !edge.occupied {
                let is_exchange = |ply: &Ply| ply.mv.is_promotion() && landing_square(ply.mv) == edge.square;
                if !plies.iter().any(is_exchange) {
                    let has_moved = plies.iter().any(|ply| ply.mv.from() == Some(edge.square));
                    charge.add_event(if has_moved { HandEvent::PutBack } else { HandEvent::StrayTouch }, hands);
                }
                continue;
            }
            let long = if next.at - edge.at > MAX_STOP { model::UNEXPLAINED } else { 0 };
            let on_way = |ply: &Ply| match ply.mv {
                Move::Castle { king, .. } => attacks::between(king, landing_square(ply.mv)).contains(edge.square),
                mv => mv.from().is_some_and(|from| attacks::between(from, mv.to()).contains(edge.square)),
            };
            let stopped = plies.iter_mut().zip(&mut stops).find(|(ply, _)| is_around(ply) && on_way(ply));
            if let Some((ply, stops)) = stopped {
                ply.handling += long;
                ply.handling.add_event(if *stops == 0 { HandEvent::FirstStop } else { HandEvent::FurtherStop }, hands);
                *stops += 1;
                continue;
            }
            let is_held = in_hand.into_iter().any(|square| self.seen.changed_at(square) <= edge.at + SCAN_TIME);
            charge += long;
            if plies.iter().any(is_around) || is_held {
                charge.add_event(HandEvent::StrayTouch, hands);
            } else {
                charge.add_event(HandEvent::TriedElsewhere, hands);
                charge += model::AVERAGE_MOVE;
            }
        }
        charge
    }
}
