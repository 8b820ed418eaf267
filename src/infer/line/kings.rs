//! Kings that are put in the centre to indicate a result.

use super::Line;
use crate::boards::Sensing;
use crate::infer::Seen;
use crate::laws::CENTRE;
use shakmaty::{Bitboard, Color, Square};

impl Line {
    /// Returns the two central squares with the kings, White's first where the board can tell.
    pub fn kings_in_centre(&self, seen: &Seen) -> Option<[Square; 2]> {
        if seen.sensing() == Sensing::Identity {
            let hidden = self.hidden(seen);
            let [white, black] = [seen.king(Color::White, hidden)?, seen.king(Color::Black, hidden)?];
            return (CENTRE.contains(white) && CENTRE.contains(black)).then_some([white, black]);
        }
        let [kings, left, arrived] = self.kings_walk(seen);
        let stayed = kings & CENTRE & !left;
        let strange = self.mismatch(seen) & !left & !arrived;
        let told = left.count() + stayed.count() == 2 && arrived.count() + stayed.count() == 2 && left.any();
        let mut squares = (arrived | stayed).into_iter();
        (told && (strange & !CENTRE).is_empty()).then_some([squares.next()?, squares.next()?])
    }

    /// Returns the square to which a king has come, when the result signal is unclear: both kings have left their squares, one of
    /// them came to the centre, and a central square where the other one could be was occupied before and not seen to be left.
    pub fn kings_unclear(&self, seen: &Seen) -> Option<Bitboard> {
        if seen.sensing() == Sensing::Identity {
            return None;
        }
        let [kings, left, arrived] = self.kings_walk(seen);
        let stayed = kings & CENTRE & !left;
        let covered = (CENTRE & seen.occupied() & !arrived & !stayed).any();
        let strange = self.mismatch(seen) & !left & !arrived & !CENTRE;
        let unclear = left.count() + stayed.count() == 2 && arrived.count() == 1 && stayed.is_empty() && covered;
        (unclear && strange.is_empty()).then_some(arrived)
    }

    /// Returns whether a king is in the centre and no move can have brought it there.
    pub fn king_strays(&self, seen: &Seen) -> bool {
        let wrong = self.mismatch(seen);
        if seen.sensing() == Sensing::Identity {
            let hidden = self.hidden(seen);
            let strays =
                |color| seen.king(color, hidden).is_some_and(|square| CENTRE.contains(square) && wrong.contains(square));
            return Color::ALL.into_iter().any(strays);
        }
        let [_, left, arrived] = self.kings_walk(seen);
        left.any() && (arrived & wrong).any()
    }

    /// Returns whether both kings have left their squares, and that can be seen.
    pub(super) fn kings_are_gone(&self, seen: &Seen) -> bool {
        let kings = self.tip().position.board().kings();
        kings.any() && (kings & (seen.occupied() | self.hidden(seen))).is_empty()
    }

    /// Returns the squares of the kings in the position, those of them that are empty, and the central squares where something
    /// arrived.
    fn kings_walk(&self, seen: &Seen) -> [Bitboard; 3] {
        let tip = self.tip();
        let kings = tip.position.board().kings();
        let arrived = CENTRE & seen.occupied() & (self.mismatch(seen) | seen.changed_since(tip.made_at)) & !kings;
        [kings, kings & !seen.occupied(), arrived]
    }
}
