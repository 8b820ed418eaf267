//! Moves of one piece, and captures.

use super::{Acts, Hands, SEEN, legal_stops};
use crate::laws::{Move, Position};
use crate::simulate::hands::{Rate, Span};
use shakmaty::{Bitboard, Piece, Square, attacks};

/// How long an undecided player holds a piece in the air, in milliseconds. Guess.
const HOLD: Span = Span(2_000, 9_000);
/// How long a piece stays between two squares, in milliseconds. Guess.
const UNTIDY: Span = Span(800, 5_000);

impl Hands<'_> {
    /// Carries out a move of one piece: lifts, slides or carries it, perhaps against another piece or onto the border of its square.
    pub(super) fn move_one_piece(&mut self, acts: &mut Acts, position: &Position, mv: Move, hurried: bool) {
        let Move::Normal { role, from, to, capture, .. } = mv else { return };
        let (piece, capture) = (role.of(position.turn()), capture.is_some());
        let rates = &self.profile.rates;
        let swap = !capture || hurried || self.occurs(Rate::swap_capture);
        if !swap {
            // Captures that are not swaps are divided between lifting the captured piece first and lifting the capturing piece
            // first.
            let victim_first = rates.victim_first * 1000 / 1000u32.saturating_sub(rates.swap_capture).max(1);
            let (first, second) = if self.occurs_at_rate(Rate::victim_first, victim_first) { (to, from) } else { (from, to) };
            acts.lift(first);
            acts.wait(self.next_lift());
            acts.lift(second);
            let travel = self.travel(false);
            acts.wait(if second == to { travel.max(self.rng.ms(SEEN)) } else { travel });
            acts.put(to, piece);
            return;
        }
        let can_stop = legal_stops(position, mv);
        if can_stop.any() && self.occurs_at_rate(Rate::slide_stop, self.slide) {
            self.slide(acts, piece, from, to, can_stop);
        } else if self.occurs(Rate::destination_first) {
            acts.put(to, piece);
            acts.wait(self.rng.ms(SEEN));
            acts.lift(from);
        } else {
            acts.lift(from);
            let travel = self.travel(hurried);
            if self.occurs(Rate::hold) {
                acts.wait(self.rng.ms(HOLD));
            }
            match self.pick_brushed_square(position, from, to) {
                Some(third) if self.occurs(Rate::brush) => {
                    acts.wait(travel / 2);
                    acts.put(third, piece);
                    acts.wait(self.rng.ms(self.profile.times.brush));
                    acts.lift(third);
                    acts.wait(travel / 2 + 1);
                }
                _ => acts.wait(travel),
            }
            if self.occurs(Rate::between_squares) {
                self.between_squares(acts, position, piece, to, capture);
            } else {
                acts.put(to, piece);
            }
        }
    }

    /// Lets the piece go on the border of its square, and corrects it later.
    fn between_squares(&mut self, acts: &mut Acts, position: &Position, piece: Piece, to: Square, capture: bool) {
        let near: Vec<Square> = (attacks::king_attacks(to) & !position.board().occupied()).into_iter().collect();
        let neighbour = self.rng.pick(&near).filter(|_| self.rng.chance(500));
        match neighbour {
            Some(neighbour) => {
                acts.put(to, piece);
                acts.put(neighbour, piece);
            }
            None if capture => acts.lift(to),
            None => {}
        }
        if self.rng.chance(500) {
            acts.released_at = Some(acts.at);
        }
        acts.wait(self.rng.ms(UNTIDY));
        match neighbour {
            Some(neighbour) => acts.lift(neighbour),
            None => acts.put(to, piece),
        }
    }

    /// Slides the piece along its path, with a stop on one square where it could also stay.
    fn slide(&mut self, acts: &mut Acts, piece: Piece, from: Square, to: Square, can_stop: Bitboard) {
        let candidates: Vec<Square> = can_stop.into_iter().collect();
        let stop = self.rng.pick(&candidates);
        let mut crossed: Vec<Square> = attacks::between(from, to).into_iter().collect();
        if from > to {
            crossed.reverse();
        }
        acts.lift(from);
        for square in crossed {
            acts.put(square, piece);
            let pass = if Some(square) == stop { self.profile.times.stop } else { self.profile.times.pass_square };
            acts.wait(self.rng.ms(pass));
            acts.lift(square);
        }
        acts.put(to, piece);
    }

    /// Picks an empty square next to the path to which this piece may not move.
    fn pick_brushed_square(&mut self, position: &Position, from: Square, to: Square) -> Option<Square> {
        let crossed = attacks::between(from, to).with(from).with(to);
        let near = crossed.into_iter().fold(Bitboard::EMPTY, |near, square| near | attacks::king_attacks(square));
        let legal: Bitboard = position.legal_moves().iter().filter(|mv| mv.from() == Some(from)).map(|mv| mv.to()).collect();
        let candidates: Vec<Square> = (near & !crossed & !legal & !position.board().occupied()).into_iter().collect();
        self.rng.pick(&candidates)
    }
}
