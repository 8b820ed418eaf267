//! What the hands touched: the changes of the squares, the touches that the board senses, those that are not judged, and the
//! obligations of a restored position.

use super::sightings::Sightings;
use super::touch_log::TouchLog;
use super::unexplained::UNEXPLAINED;
use crate::boards::{Millis, SquareState, Touch};
use crate::game::{Sighting, TouchSighting};
use crate::infer::LineNode;
use crate::laws::Position;
use crate::laws::reason::PlacedPiece;
use crate::laws::touch::{HandTracker, SensedTouches, TouchThresholds, TurnTime, capture_square};
use shakmaty::{Bitboard, Move, Square};

/// The time limits for what counts as touched and as released. Incidental contacts of simulated and recorded hands (brushing a
/// neighbour, centring a piece, stopping in a slide) are nearly always shorter.
const CARE: TouchThresholds = TouchThresholds { brushed_ms: 1_200, passed_ms: 1_000, unclear_ms: 250 };
/// How long before and after moving its own pieces a hand may brush other pieces, in milliseconds: travel and one scan of the
/// board.
const NEARBY_HAND_TIME: Millis = 500;
/// How long a player who has just moved may still centre pieces: after the press, in milliseconds, since clock and squares are
/// reported up to 600 ms apart; and after the move if the clock is not pressed.
const CENTRES: [Millis; 2] = [700, 1_500];

/// The touches of one game.
#[derive(Clone, Default)]
pub(super) struct TouchWatch {
    sightings: Sightings,
    /// The touches that the board reported, if it senses hands.
    log: TouchLog,
    /// When a touch that lasted is judged: it may have been of a piece that must be captured.
    touch_due_at: Option<Millis>,
    /// When a piece of the player who is not to move was put back on its square; cleared once it is judged whose hand it was.
    put_back_at: Option<Millis>,
    /// Touches before this time are not judged: a player adjusted pieces, or the board was not seen.
    exempt_until: Millis,
    /// The moves that the player to move may make after a position was restored (Art. 7.5.1); `None`: any legal move.
    allowed_moves: Option<Vec<Move>>,
}

impl TouchWatch {
    /// Creates the touches of a game. `is_restored`: after a restart; touches are judged once the board was read.
    pub(super) fn new(is_restored: bool) -> TouchWatch {
        TouchWatch { exempt_until: if is_restored { Millis::MAX } else { 0 }, ..TouchWatch::default() }
    }

    /// Returns the changes of the squares.
    pub(super) fn sightings(&self) -> &Sightings {
        &self.sightings
    }

    /// Adds a change of a square.
    pub(super) fn push(&mut self, seen: Sighting) {
        self.sightings.push(seen);
    }

    /// Returns the last changes after `after` and up to `until`, as many as an alert contains.
    pub(super) fn seen_between(&self, after: Millis, until: Millis) -> Vec<Sighting> {
        let between = self.sightings.between(after, until);
        between[between.len().saturating_sub(crate::game::PlayedMove::EVIDENCE)..].to_vec()
    }

    /// Processes a touch that the board reports.
    pub(super) fn note_touch(&mut self, now: Millis, touch: Touch) {
        if self.log.update(now, touch).is_some_and(|lasted| lasted >= CARE.brushed_ms) {
            self.touch_due_at = Some(now + UNEXPLAINED);
        }
    }

    /// Returns the last touches that the board reported after `after` and up to `until`, as many as an alert contains.
    pub(super) fn touched_between(&self, after: Millis, until: Millis) -> Vec<TouchSighting> {
        self.log.seen_between(after, until)
    }

    /// Exempts touches before this time, if those before a later time are not exempt already.
    pub(super) fn begin_gap(&mut self, now: Millis) {
        self.log.begin_gap();
        self.exempt_until = self.exempt_until.max(now);
    }

    /// Records that the board was read: touches from now on are judged.
    pub(super) fn note_first_placement(&mut self, now: Millis) {
        if self.exempt_until == Millis::MAX {
            self.exempt_until = now;
        }
    }

    /// Exempts touches before this time.
    pub(super) fn exempt_until(&mut self, now: Millis) {
        self.exempt_until = now;
    }

    /// Whether touches at this time are not judged.
    pub(super) fn is_exempt(&self, at: Millis) -> bool {
        self.exempt_until > at
    }

    /// Returns the moves that the player to move may make after a position was restored; `None`: any legal move.
    pub(super) fn allowed_moves(&self) -> Option<&[Move]> {
        self.allowed_moves.as_deref()
    }

    /// Sets the moves that the player to move may make; `None`: any legal move.
    pub(super) fn set_allowed_moves(&mut self, moves: Option<Vec<Move>>) {
        self.allowed_moves = moves;
    }

    /// Records that a piece of the player who is not to move is on its square again. It is judged once it is known that no other
    /// hand was near.
    pub(super) fn note_put_back(&mut self, at: Millis) {
        self.put_back_at = Some(at);
    }

    /// Returns when that, or a touch that lasted, is judged.
    pub(super) fn deadline(&self) -> Option<Millis> {
        self.put_back_at.map(|at| at + NEARBY_HAND_TIME).into_iter().chain(self.touch_due_at).min()
    }

    /// Returns whether a touch that lasted must be judged now.
    pub(super) fn take_touch_due(&mut self, now: Millis) -> bool {
        self.touch_due_at.take_if(|at| *at <= now).is_some()
    }

    /// Returns whether a piece that was put back must be judged now.
    pub(super) fn take_due(&mut self, now: Millis) -> bool {
        self.put_back_at.take_if(|at| *at + NEARBY_HAND_TIME <= now).is_some()
    }

    /// Returns what the hands of the player to move in this position did from `since` until `until`. `earlier`: when the position
    /// before it arose.
    pub(super) fn hands(&self, position: &Position, earlier: Millis, since: Millis, until: Millis) -> HandTracker {
        let mut hands = HandTracker::new(position, CARE);
        // A piece that was lifted in the opponent's time and is still in the air counts as touched now.
        let mut in_air: Vec<(Millis, Square)> = Vec::new();
        for seen in self.sightings.between(earlier, since) {
            in_air.retain(|(_, square)| *square != seen.square);
            let is_own = position.piece_at(seen.square).is_some_and(|piece| piece.color == position.turn());
            if seen.now == SquareState::Empty && is_own {
                in_air.push((seen.at, seen.square));
            }
        }
        for (at, square) in in_air {
            hands.lifted(at, square);
        }
        for seen in self.sightings.between(since, until) {
            match seen.now {
                SquareState::Empty => hands.lifted(seen.at, seen.square),
                SquareState::Piece(piece) => hands.put(seen.at, seen.square, Some(piece)),
                SquareState::Side(_) | SquareState::Occupied => hands.put(seen.at, seen.square, None),
            }
        }
        hands
    }

    /// Returns what the board sensed of the hands since the last position and until `until`, with those of this move, if one was made
    /// then. `None` if the board does not sense hands, or if it is not known what it sensed.
    pub(super) fn sensed(&self, before: &LineNode, until: Millis, mv: Option<Move>) -> Option<SensedTouches> {
        let position = &before.position;
        let time = TurnTime { since: before.made_at, opponent_since: centring_ends_at(before, before.made_at), until };
        let seen = self.sightings.between(time.since, until);
        let sensed = self.log.between(time.since, until, &seen)?;
        let touches = SensedTouches::new(position, &sensed, time, CARE);
        let Some(mv) = mv else { return Some(touches) };
        let lifts: Vec<(Millis, Square)> =
            seen.iter().filter(|seen| seen.now == SquareState::Empty).map(|seen| (seen.at, seen.square)).collect();
        Some(touches.with_move(position, mv, &sensed, &lifts, time))
    }

    /// Returns the pieces of the player who is not to move that were lifted and put back with no hand of the opponent near. Empty
    /// if the opponent can capture one of them: it may have been touched for that. `before`: the last position. `faulty`: squares
    /// that do not work.
    pub(super) fn put_back(&self, before: &LineNode, started_at: Millis, faulty: Bitboard, now: Millis) -> Vec<PlacedPiece> {
        let position = &before.position;
        let opponents_piece = |square: Square| position.piece_at(square).filter(|piece| piece.color != position.turn());
        let moved_at = before.made_at.max(started_at);
        let since = centring_ends_at(before, moved_at);
        let seen = self.sightings.between(moved_at, now);
        let busy: Vec<Millis> = seen.iter().filter(|seen| opponents_piece(seen.square).is_none()).map(|seen| seen.at).collect();
        let mut lifted = [None; 64];
        let mut pieces: Vec<PlacedPiece> = Vec::new();
        for seen in seen.iter().filter(|seen| !faulty.contains(seen.square)) {
            let square = seen.square;
            let Some(piece) = opponents_piece(square) else { continue };
            if seen.now == SquareState::Empty {
                lifted[square as usize] = Some(seen.at);
            } else if let Some(lifted_at) = lifted[square as usize].take()
                && seen.now == SquareState::Piece(piece)
                && lifted_at >= since
                && !busy.iter().any(|&at| at + NEARBY_HAND_TIME > lifted_at && at < seen.at + NEARBY_HAND_TIME)
                && !pieces.iter().any(|placed| placed.square == square)
            {
                pieces.push(PlacedPiece { piece, square });
            }
        }
        let legal = position.legal_moves();
        let can_be_captured = |placed: &PlacedPiece| legal.iter().any(|mv| capture_square(*mv) == Some(placed.square));
        if pieces.iter().any(can_be_captured) { Vec::new() } else { pieces }
    }
}

/// Returns until when the player who made the last move at `moved_at` may still centre pieces.
fn centring_ends_at(before: &LineNode, moved_at: Millis) -> Millis {
    before.pressed_at.map_or(moved_at + CENTRES[1], |pressed| moved_at.max(pressed) + CENTRES[0])
}
