//! Where hands and pieces are: in the air, put down, or on their way.

use super::comparison::{Comparison, has_at_most_two};
use super::presses::UnmatchedPresses;
use crate::boards::{Millis, SensorKind, SquareState};
use crate::infer::LineNode;
use crate::infer::explain::landing_square;
use crate::infer::model::{self, MAX_STOP};
use shakmaty::{Bitboard, Color, Move, Piece, Square};

impl Comparison<'_> {
    /// Returns the colour of the piece that was lifted, if one was; where the sensor cannot tell, that of the piece that the line
    /// has there.
    pub(super) fn lifted_color(&self, square: Square, before: SquareState) -> Option<Color> {
        match (before, self.seen().at(square)) {
            (SquareState::Piece(Piece { color, .. }) | SquareState::Side(color), SquareState::Empty) => Some(color),
            (SquareState::Occupied, SquareState::Empty) => self.tip().position.board().color_at(square),
            _ => None,
        }
    }

    /// Returns the squares of missing pieces, if these are one or two, nothing else differs, and all squares are compared. On boards
    /// that identify pieces no single move leaves that: where its piece lands, the board shows another one than before.
    pub(super) fn missing_pieces(&self) -> Option<Bitboard> {
        let missing = self.mismatch();
        let is_all = self.hidden().is_empty() && missing.is_disjoint(self.seen().occupied());
        Some(missing).filter(|missing| is_all && missing.any() && has_at_most_two(*missing))
    }

    /// Returns whether the board shows only that the next move has begun: its player has lifted something, or one piece of the
    /// opponent that had come to rest.
    pub(super) fn is_move_begun(&self) -> bool {
        let opponents = self.tip().position.board().by_color(!self.tip().position.turn());
        self.missing_pieces().is_some_and(|missing| {
            let foreign = missing & opponents;
            foreign.is_empty() || (!missing.more_than_one() && foreign.is_disjoint(self.passed_square()))
        })
    }

    /// Returns whether this could be the beginning of castling: king and rook in the air.
    pub(super) fn may_be_castling(&self, lifted: Bitboard) -> bool {
        let castles = |mv: Move| matches!(mv, Move::Castle { king, rook } if lifted.contains(king) && lifted.contains(rook));
        self.history().next_moves(0).is_some_and(|next| next.all().any(castles))
    }

    /// Returns whether all squares to which the move brings a piece are hidden.
    pub(super) fn lands_unseen(&self, mv: Move, before: &LineNode) -> bool {
        let hidden = self.hidden();
        hidden.contains(landing_square(mv)) && {
            let changes = before.position.changes(mv);
            changes.iter().all(|(square, piece)| piece.is_none() || hidden.contains(square))
        }
    }

    /// Returns whether the last move's piece may still be in a hand: it came to where nothing is seen of it, and no press belongs
    /// to it.
    pub(super) fn may_be_in_hand(&self) -> bool {
        let tip = self.tip();
        let (Some(mv), Some(before)) = (tip.mv, self.history().node_back(1)) else { return false };
        self.seen().sensing() != SensorKind::Occupancy && tip.pressed_at.is_none() && self.lands_unseen(mv, before)
    }

    /// Returns whether the move cannot be distinguished from its piece being in the air: it captures a piece whose square has shown
    /// no change since the position before it, or it comes to a square that shows nothing of it.
    pub(super) fn is_traceless(&self, mv: Move, before: &LineNode) -> bool {
        if self.lands_unseen(mv, before) {
            return true;
        }
        self.seen().sensing() == SensorKind::Occupancy
            && mv.is_capture()
            && !mv.is_en_passant()
            && self.seen().changed_at(landing_square(mv)) <= before.made_at
    }

    /// Returns the square that the last move's piece left again before the hand can have released it; empty if it stayed.
    pub(super) fn passed_square(&self) -> Bitboard {
        let to = self.tip().mv.map_or(Bitboard::EMPTY, |mv| Bitboard::from_square(mv.to()));
        if self.was_released() { Bitboard::EMPTY } else { to & !self.seen().occupied() & !self.hidden() }
    }

    /// Returns whether the last move's piece was on its square so long that the hand had released it.
    pub(super) fn was_released(&self) -> bool {
        let tip = self.tip();
        let left_at = tip.left_at.unwrap_or(self.seen().last_edge());
        tip.growth.is_final()
            || left_at.saturating_sub(tip.made_at) > MAX_STOP
            || tip.pressed_at.is_some_and(|pressed| left_at > pressed + model::SCAN_TIME)
    }

    /// Returns whether the last move may still turn out to be any other move; see [`Comparison::may_be_replaced_by`].
    pub(super) fn may_be_replaced(&self) -> bool {
        let tip = self.tip();
        tip.mv.is_some() && !tip.is_closed(self.seen().last_edge()) && !(self.was_released() && tip.growth.is_final())
    }

    /// Returns whether the last move may turn out to be this one at once. It may not once the clock was pressed on it some time
    /// ago. If its piece was released, it may not when the opponent replied or holds a piece (then it is a move of its own, begun
    /// early), nor when this move did not grow out of the same touch: such cases wait until the board is quiet.
    pub(super) fn may_be_replaced_by(&self, mv: Move, lifted: Bitboard) -> bool {
        let tip = self.tip();
        let pressed = tip.is_closed(self.seen().last_edge());
        let grown = tip.growth.moves.contains(&mv) && (mv.is_castle() || (!tip.answered && lifted.is_empty()));
        let same_touch = !self.was_released() || grown;
        tip.mv.is_some_and(|old| old != mv) && !pressed && same_touch
    }

    /// Returns whether a piece is on a square that was empty, and the other differences could be the rest of two moves.
    pub(super) fn may_be_two_moves(&self) -> bool {
        let wrong = self.mismatch();
        (wrong & self.seen().occupied()).any() && (2..=6).contains(&wrong.count())
    }

    /// Returns whether pieces of both players are on new squares: two moves, of which the first was never seen alone.
    pub(super) fn reply_overlaps(&self) -> bool {
        let position = &self.tip().position;
        let wrong = self.mismatch();
        let landed = |color: Color| {
            wrong.into_iter().any(|square| match self.seen().at(square) {
                SquareState::Piece(Piece { color: seen, .. }) | SquareState::Side(seen) => seen == color,
                SquareState::Occupied => true,
                SquareState::Empty => false,
            })
        };
        wrong.count() >= 3
            && wrong.count() <= 8
            && landed(!position.turn())
            && (wrong & position.board().by_color(position.turn())).any()
    }

    /// Returns whether the last move's piece had left its square when the clock was pressed on it: it had only stopped there.
    pub(super) fn left_before_press(&self, now: Millis) -> bool {
        let tip = self.tip();
        let has_left = tip.mv.is_some_and(|mv| {
            self.mismatch().contains(landing_square(mv)) && !self.seen().occupied().contains(landing_square(mv))
        });
        let before = tip.pressed_at.zip(tip.left_at).is_some_and(|(pressed, left_at)| {
            left_at <= pressed + model::SCAN_TIME && now.saturating_sub(pressed) >= model::SCAN_TIME
        });
        self.seen().sensing() != SensorKind::Occupancy && has_left && before
    }

    /// Returns whether the piece of the last move but one had left its square again before the reply was made, and has not come
    /// back: it had only stopped there.
    pub(super) fn left_before_reply(&self) -> bool {
        let left_at = self.history().node_back(1).and_then(|node| node.left_at);
        left_at.is_some_and(|left_at| left_at < self.tip().made_at)
    }

    /// Returns whether everything that the opponent of the player who pressed the clock has lifted was lifted after that press.
    pub(super) fn lifted_since_press(&self, presses: &UnmatchedPresses) -> bool {
        let Some((at, by)) = presses.last() else { return false };
        let lifted = self.mismatch() & !self.seen().occupied() & self.tip().position.board().by_color(!by);
        lifted.into_iter().all(|square| self.seen().changed_at(square) > at)
    }

    /// Returns whether the opponent has put a piece down on another square while one of the player to move is on no square.
    pub(super) fn was_answered_unseen(&self) -> bool {
        let wrong = self.mismatch();
        let position = &self.tip().position;
        let opponent = position.board().by_color(!position.turn());
        let landed = |square: Square| match self.seen().at(square) {
            SquareState::Piece(Piece { color, .. }) | SquareState::Side(color) => color != position.turn(),
            SquareState::Occupied | SquareState::Empty => false,
        };
        let emptied = wrong & !self.seen().occupied();
        self.own_lifted().any() && (emptied & opponent).any() && wrong.into_iter().any(landed)
    }
}
