//! Kings that are put in the centre to indicate a result.

use super::comparison::Comparison;
use crate::boards::SensorKind;
use crate::laws::CENTRE;
use shakmaty::{Bitboard, Color, Square};

impl Comparison<'_> {
    /// Returns the two central squares with the kings, White's first where the board can tell.
    pub fn kings_in_centre(&self) -> Option<[Square; 2]> {
        if self.seen().sensing() == SensorKind::Identity {
            let hidden = self.hidden();
            let [white, black] =
                [self.seen().king_square(Color::White, hidden)?, self.seen().king_square(Color::Black, hidden)?];
            return (CENTRE.contains(white) && CENTRE.contains(black)).then_some([white, black]);
        }
        let [kings, vacated, arrived] = self.king_squares();
        let stayed = kings & CENTRE & !vacated;
        let unexplained = self.mismatch() & !vacated & !arrived;
        let is_complete = vacated.count() + stayed.count() == 2 && arrived.count() + stayed.count() == 2 && vacated.any();
        let mut squares = (arrived | stayed).into_iter();
        (is_complete && (unexplained & !CENTRE).is_empty()).then_some([squares.next()?, squares.next()?])
    }

    /// Returns the square to which a king has come, when the result signal is unclear: both kings have left their squares, one of
    /// them came to the centre, and a central square where the other one could be was occupied before and not seen to be left.
    pub fn kings_unclear(&self) -> Option<Bitboard> {
        if self.seen().sensing() == SensorKind::Identity {
            return None;
        }
        let [kings, vacated, arrived] = self.king_squares();
        let stayed = kings & CENTRE & !vacated;
        let covered = (CENTRE & self.seen().occupied() & !arrived & !stayed).any();
        let unexplained = self.mismatch() & !vacated & !arrived & !CENTRE;
        let unclear = vacated.count() + stayed.count() == 2 && arrived.count() == 1 && stayed.is_empty() && covered;
        (unclear && unexplained.is_empty()).then_some(arrived)
    }

    /// Returns whether a king is in the centre and no move can have brought it there.
    pub fn king_strays(&self) -> bool {
        let wrong = self.mismatch();
        if self.seen().sensing() == SensorKind::Identity {
            let hidden = self.hidden();
            let strays = |color| {
                self.seen().king_square(color, hidden).is_some_and(|square| CENTRE.contains(square) && wrong.contains(square))
            };
            return Color::ALL.into_iter().any(strays);
        }
        let [_, vacated, arrived] = self.king_squares();
        vacated.any() && (arrived & wrong).any()
    }

    /// Returns whether both kings have left their squares, and that can be seen.
    pub(super) fn kings_are_lifted(&self) -> bool {
        let kings = self.tip().position.board().kings();
        kings.any() && (kings & (self.seen().occupied() | self.hidden())).is_empty()
    }

    /// Returns the squares of the kings in the position, those of them that are empty, and the central squares where something
    /// arrived.
    fn king_squares(&self) -> [Bitboard; 3] {
        let tip = self.tip();
        let kings = tip.position.board().kings();
        let arrived = CENTRE & self.seen().occupied() & (self.mismatch() | self.seen().changed_since(tip.made_at)) & !kings;
        [kings, kings & !self.seen().occupied(), arrived]
    }
}
