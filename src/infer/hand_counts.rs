//! Counts what hands did in a game: the likeliest line of play, aligned with what the board showed.
//!
//! The moves of the line are re-decoded some at a time, as [`redecode`](super::redecode) charges them, and the events that are
//! charged are counted. Moves that are close together are aligned together, because the second may begin before the first is made.

use super::hand_costs::HandEvent;
use super::model::{MAX_OVERLAP, SCAN_TIME};
use super::redecode::{Ply, RedecodedLine, redecode_moves, redecode_occupancy_moves};
use super::{Follower, LineNode, ObservedBoard, landing_square};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::laws::Position;
use shakmaty::{Color, Move, Square};
use std::sync::Arc;

/// Maximum number of moves that are aligned together.
const MAX_ALIGNED: usize = 6;
/// Maximum time from the last move to the press that completes it, in milliseconds. Later presses are no longer of the game.
const MAX_LAST_PRESS: Millis = 5_000;

/// How often each kind of event has happened, and how often it could have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandCounts {
    events: [u64; HandEvent::ALL.len()],
    opportunities: [u64; HandEvent::ALL.len()],
    /// Number of moves that could be aligned with what the board showed.
    pub aligned: u64,
    /// Number of all moves.
    pub moves: u64,
}

impl HandCounts {
    /// Adds occasions on which an event could have happened, and on how many of them it has.
    pub fn add(&mut self, event: HandEvent, events: u64, opportunities: u64) {
        if let Some(sum) = self.events.get_mut(event as usize) {
            *sum += events;
        }
        if let Some(sum) = self.opportunities.get_mut(event as usize) {
            *sum += opportunities;
        }
    }

    /// Returns how often an event has happened, and how often it could have.
    pub fn get(&self, event: HandEvent) -> (u64, u64) {
        let count = |counts: &[u64]| counts.get(event as usize).copied().unwrap_or(0);
        (count(&self.events), count(&self.opportunities))
    }

    /// Adds the counts of another game.
    pub fn merge(&mut self, other: &HandCounts) {
        for &event in HandEvent::ALL {
            let (events, opportunities) = other.get(event);
            self.add(event, events, opportunities);
        }
        self.aligned += other.aligned;
        self.moves += other.moves;
    }
}

/// What is kept of one game until its end: what the board showed after each change, and the likeliest line.
#[derive(Clone, Debug, Default)]
pub struct HandLog {
    boards: Vec<(Millis, ObservedBoard)>,
    presses: Vec<(Millis, Color)>,
    line: Vec<Arc<LineNode>>,
    ended_by_kings: bool,
    stuck_squares: u64,
}

impl HandLog {
    /// Notes that the kings were put in the centre for the result.
    pub fn note_kings_signal(&mut self) {
        self.ended_by_kings = true;
    }

    /// Notes that one more square was found to be stuck.
    pub fn note_stuck_square(&mut self) {
        self.stuck_squares += 1;
    }

    /// Keeps what the board shows at `now`, and the line that is now the likeliest.
    pub fn observe(&mut self, now: Millis, follower: &Follower) {
        let seen = follower.seen();
        let key = |seen: &ObservedBoard| (seen.last_edge(), seen.placement_hash());
        if self.boards.last().is_none_or(|(_, last)| key(last) != key(seen)) {
            self.boards.push((now, seen.clone()));
        }
        let since = self.presses.last().map_or(0, |(at, _)| *at);
        self.presses.extend(seen.presses_since(since));
        self.line.clear();
        self.line.extend_from_slice(follower.nodes());
    }

    /// Counts the events of the game.
    pub fn counts(&self) -> HandCounts {
        let mut counts = HandCounts { moves: self.line.len().saturating_sub(1) as u64, ..HandCounts::default() };
        counts.add(HandEvent::KingsSignal, u64::from(self.ended_by_kings), counts.moves);
        // Boards that detect only occupancy are not searched for stuck squares.
        if self.boards.first().is_some_and(|(_, seen)| seen.sensing() != SensorKind::Occupancy) {
            counts.add(HandEvent::StuckSquare, self.stuck_squares, Square::ALL.len() as u64);
        }
        let mut first = 2; // What came before the first move may belong to the set-up.
        while first < self.line.len() {
            let last = self.last_aligned(first);
            if let Some(aligned) = self.align(first, last) {
                self.count_aligned(first, &aligned, &mut counts);
            }
            first = last + 1;
        }
        counts.add(HandEvent::LiftedOutOfTurn, u64::from(self.lifts_after_the_end()), 1);
        self.count_presses(&mut counts);
        let choices = self.line.iter().filter_map(|node| Some((node.chosen_piece?, node.mv?.promotion()?)));
        for (chosen, promoted) in choices {
            counts.add(HandEvent::OtherPieceChosen, u64::from(chosen != promoted), 1);
        }
        counts
    }

    /// Returns the last of the moves that must be aligned together with this one.
    fn last_aligned(&self, first: usize) -> usize {
        let is_close = |pair: &[Arc<LineNode>]| match pair {
            [one, next] => next.made_at.saturating_sub(one.made_at) <= MAX_OVERLAP,
            _ => false,
        };
        let close =
            self.line.get(first..).unwrap_or_default().windows(2).take(MAX_ALIGNED - 1).take_while(|pair| is_close(pair));
        first + close.count()
    }

    /// Aligns these moves with what the board showed; `None` if they do not explain it, or not all of it is known.
    fn align(&self, first: usize, last: usize) -> Option<RedecodedLine> {
        let base = self.line.get(first.checked_sub(1)?)?;
        let nodes = self.line.get(first..=last)?;
        let made_at = nodes.last()?.made_at;
        // The squares that a move has left may be scanned after the one that it came to.
        let until =
            (made_at + SCAN_TIME).min(self.line.get(last + 1).map_or(Millis::MAX, |next| next.made_at.saturating_sub(1)));
        let (_, seen) = self.boards.iter().rev().find(|(at, _)| *at <= until)?;
        if nodes.iter().any(|node| node.irregular) || !seen.has_all_changes(base.made_at) {
            return None;
        }
        let moves: Vec<Move> = nodes.iter().filter_map(|node| node.mv).collect();
        // What showed the base itself is no event of what follows.
        let base = &LineNode { made_at: base.made_at + 1, ..LineNode::clone(base) };
        match seen.sensing() {
            SensorKind::Occupancy => redecode_occupancy_moves(base, &moves, seen, seen.doubtful(), until),
            SensorKind::Identity | SensorKind::Colour => redecode_moves(base, &moves, seen, seen.doubtful(), until),
        }
    }

    fn count_aligned(&self, first: usize, aligned: &RedecodedLine, counts: &mut HandCounts) {
        let plies = &aligned.plies;
        let charged = |event| -> u64 {
            u64::from(aligned.extra.count(event)) + plies.iter().map(|ply| u64::from(ply.handling.count(event))).sum::<u64>()
        };
        let moves = plies.len() as u64;
        counts.aligned += moves;
        for event in [HandEvent::StrayTouch, HandEvent::FirstStop, HandEvent::TriedElsewhere, HandEvent::PutBack] {
            counts.add(event, charged(event), moves);
        }
        let further = charged(HandEvent::FurtherStop);
        counts.add(HandEvent::FurtherStop, further, charged(HandEvent::FirstStop) + further);
        let quiet = plies.iter().filter(|ply| !ply.mv.is_capture()).count() as u64;
        counts.add(HandEvent::SeenBackwards, charged(HandEvent::SeenBackwards).min(quiet), quiet);
        for (index, ply) in plies.iter().enumerate() {
            let (Some(before), Some(node)) = (self.line.get(first + index - 1), self.line.get(first + index)) else { return };
            if ply.mv.is_capture() && !ply.mv.is_en_passant() {
                let silent = self.is_silent(before.made_at, ply, node);
                counts.add(HandEvent::SilentCapture, u64::from(silent), 1);
                counts.add(HandEvent::SeenCapture, u64::from(!silent), 1);
            }
            let next = self.line.get(first + index + 1).and_then(|next| next.mv);
            if next.is_some_and(|next| next.to() == landing_square(ply.mv)) {
                counts.add(HandEvent::CapturedUnseen, u64::from(!ply.was_seen), 1);
            }
            let overlaps = index > 0 && ply.left_at + SCAN_TIME < before.made_at;
            counts.add(HandEvent::ReplyWhileHeld, u64::from(overlaps), 1);
            let out_of_turn = self.lifts_out_of_turn(&before.position, before.made_at + SCAN_TIME, ply, next);
            counts.add(HandEvent::LiftedOutOfTurn, u64::from(out_of_turn), 1);
        }
    }

    /// Returns whether the square of this capture was not seen empty since `since`.
    fn is_silent(&self, since: Millis, ply: &Ply, node: &LineNode) -> bool {
        !self
            .changes_of(node)
            .any(|(at, square, now)| square == ply.mv.to() && now == SquareState::Empty && at > since && at <= ply.made_at)
    }

    /// Returns whether the player who has just moved lifted a piece after `since` and before the other player did. `next`: the
    /// reply, for which a piece may be lifted early.
    fn lifts_out_of_turn(&self, before: &Position, since: Millis, ply: &Ply, next: Option<Move>) -> bool {
        let own = before.board().by_color(!before.turn());
        let captured = match ply.mv {
            Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
            mv => mv.to(),
        };
        let replies = |square: Square| match next {
            Some(Move::Castle { king, rook }) => square == king || square == rook,
            Some(mv) => mv.from() == Some(square),
            None => false,
        };
        let Some((_, seen)) = self.boards.iter().find(|(at, _)| *at >= ply.made_at) else { return false };
        seen.changes_since(since).any(|change| {
            change.at < ply.left_at
                && change.now == SquareState::Empty
                && own.contains(change.square)
                && change.square != captured
                && !replies(change.square)
        })
    }

    /// Returns whether the player who made the last move then lifted a piece, because the game was over.
    fn lifts_after_the_end(&self) -> bool {
        let Some(last) = self.line.last() else { return false };
        let (own, since) = (last.position.board().by_color(!last.position.turn()), last.made_at + SCAN_TIME);
        let later = self.boards.iter().filter(|(at, _)| *at > since);
        later
            .flat_map(|(_, seen)| seen.changes_since(since))
            .any(|change| change.now == SquareState::Empty && own.contains(change.square))
    }

    /// Returns the changes of squares until this move was made, as far back as they were kept then.
    fn changes_of(&self, node: &LineNode) -> impl Iterator<Item = (Millis, Square, SquareState)> {
        let seen = self.boards.iter().find(|(at, _)| *at >= node.made_at);
        seen.into_iter().flat_map(|(_, seen)| seen.changes_since(0)).map(|change| (change.at, change.square, change.now))
    }

    fn count_presses(&self, counts: &mut HandCounts) {
        if self.presses.is_empty() {
            return;
        }
        let made = self.line.get(1..).unwrap_or_default();
        // The game may end with a move after which nobody presses the clock.
        let completed = made.len().saturating_sub(2);
        let unpressed = made.iter().take(completed).filter(|node| node.pressed_at.is_none()).count();
        counts.add(HandEvent::MoveWithoutPress, unpressed as u64, completed as u64);
        let is_early = |pair: &&[Arc<LineNode>]| match pair {
            [before, node] => before.pressed_at.is_none_or(|pressed| pressed > node.made_at),
            _ => false,
        };
        let early = made.windows(2).filter(is_early).count();
        counts.add(HandEvent::ReplyBeforePress, early as u64, made.len().saturating_sub(1) as u64);
        let until = made.last().map_or(0, |node| node.made_at + MAX_LAST_PRESS);
        let presses = self.presses.iter().filter(|(at, _)| *at <= until);
        let pressed = || made.iter().filter_map(|node| Some((node.pressed_at?, node.made_at)));
        let early = pressed().filter(|(pressed_at, made_at)| pressed_at < made_at).count();
        counts.add(HandEvent::PressBeforeScan, early as u64, pressed().count() as u64);
        let unmatched = presses.clone().filter(|(at, _)| pressed().all(|(pressed_at, _)| pressed_at != *at)).count();
        counts.add(HandEvent::PressWithoutMove, unmatched as u64, presses.count() as u64);
    }
}
