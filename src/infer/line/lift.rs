//! Lifts that only begin a move.

use super::Line;
use super::comparison::{Comparison, has_at_most_two};
use crate::boards::{Millis, SensorKind};
use crate::infer::{ObservedBoard, model};
use shakmaty::{Bitboard, Square};

impl Line {
    /// Handles a lift that only begins the next move of this line, the only one that is followed: the player to move has lifted one
    /// or two pieces, a piece of the opponent, or one of each. More than half of all changes are such lifts, so this does what
    /// [`Line::handle_edge`] and the steps after it would do for them, and no more. Returns `false`, and changes nothing, if it may
    /// not be such a lift, while the last move is undecided or may have to be re-decoded, and on boards that do not identify pieces.
    pub fn begin_move(&mut self, now: Millis, square: Square, seen: &ObservedBoard) -> bool {
        let (tip, before) = (self.tip(), if self.at_tip { Some(Bitboard::EMPTY) } else { self.wrong });
        let Some(before) = before.filter(|before| !before.contains(square)) else { return false };
        let missing = before.with(square);
        let board = tip.position.board();
        let own = missing & board.by_color(tip.position.turn());
        let foreign = missing & board.by_color(!tip.position.turn());
        let only_own = foreign.is_empty() && has_at_most_two(own);
        let only_foreign = own.is_empty() && !foreign.more_than_one();
        let captures = own.single_square().is_some() && foreign.single_square().is_some();
        let is_lift =
            missing == own | foreign && missing.is_disjoint(seen.occupied()) && (only_own || only_foreign || captures);
        let is_decided = tip.confidence.is_some() && self.deferred.is_empty();
        let is_plain = seen.sensing() == SensorKind::Identity && self.stuck.hidden(seen).is_empty();
        // Moves that were close together may have to be re-decoded, and the piece of the last move may still be on its way.
        let is_begun = || Comparison::new(&self.history, Bitboard::EMPTY, missing, seen).is_move_begun();
        let may_redecode = || (captures && self.history.needs_redecode(|| false)) || (only_foreign && !is_begun());
        if !is_lift || !is_decided || !is_plain || may_redecode() {
            return false;
        }
        debug_assert_eq!(missing, seen.mismatch(board), "the board has changed since it was compared");
        let answers = self.at_tip && only_own && !tip.answered && !tip.growth.victims.contains(square);
        self.note_left(now, square);
        if answers && let Some(tip) = self.history.tip_mut() {
            tip.answered = true;
        }
        if only_foreign {
            self.costs.add(model::STILL_UNEXPLAINED);
        }
        (self.at_tip, self.wrong) = (false, Some(missing));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::SquareState;
    use crate::laws::Position;

    /// A line after 1 e4 d5, and what the board shows.
    fn line_after_two_moves(sensing: SensorKind) -> (Line, ObservedBoard) {
        line_after_reply(Square::D5, sensing)
    }

    /// A line after 1 e4 and a move of Black's queen's pawn to this square, and what the board shows.
    fn line_after_reply(reply: Square, sensing: SensorKind) -> (Line, ObservedBoard) {
        let start = Position::start();
        let placement = Square::ALL.map(|square| start.piece_at(square).map_or(SquareState::Empty, SquareState::Piece));
        let mut seen = ObservedBoard::from_placement(&placement, sensing);
        let mut line = Line::new(start, &seen, 8);
        for (now, from, to) in [(5_000, Square::E2, Square::E4), (10_000, Square::D7, reply)] {
            let piece = seen.at(from);
            for (now, square, sensed) in [(now, from, SquareState::Empty), (now + 400, to, piece)] {
                change(&mut line, &mut seen, now, square, sensed);
            }
            line.decide_last_move();
        }
        assert_eq!((line.nodes().len(), line.is_at_tip()), (3, true));
        (line, seen)
    }

    /// Handles a change as any other; returns the number of lines that split off.
    fn change(line: &mut Line, seen: &mut ObservedBoard, now: Millis, square: Square, sensed: SquareState) -> usize {
        let (before, mut others) = (seen.at(square), Vec::new());
        seen.set_square(now, square, sensed);
        line.handle_edge(now, square, before, seen, &mut others);
        others.len()
    }

    #[test]
    fn a_lift_that_begins_a_move_is_handled_like_any_change() {
        // One piece; a piece and the one that it captures, in both orders; the king and a rook.
        for squares in [&[Square::G1][..], &[Square::E4, Square::D5], &[Square::D5, Square::E4], &[Square::E1, Square::H1]] {
            let (mut plain, mut seen) = line_after_two_moves(SensorKind::Identity);
            let mut line = plain.clone();
            for (now, &square) in (20_000..).step_by(300).zip(squares) {
                assert_eq!(change(&mut plain, &mut seen, now, square, SquareState::Empty), 0);
                assert!(line.begin_move(now, square, &seen), "{square}");
                assert_eq!(line.compare(&seen).mismatch(), plain.compare(&seen).mismatch());
                assert_eq!(format!("{line:?}"), format!("{plain:?}"), "{square}");
                assert!(!plain.needs_redecode(&seen), "nothing else would have been done");
            }
        }
    }

    #[test]
    fn other_changes_are_left_alone() {
        let (line, seen) = line_after_two_moves(SensorKind::Identity);
        // `square` changes to `sensed`, after pieces were lifted from other squares.
        let begins = |line: &Line, lifted: &[Square], square: Square, sensed: SquareState| {
            let (mut line, mut seen) = (line.clone(), seen.clone());
            for &square in lifted {
                change(&mut line, &mut seen, 20_000, square, SquareState::Empty);
            }
            let before = format!("{line:?}");
            seen.set_square(20_000, square, sensed);
            line.begin_move(20_000, square, &seen) || format!("{line:?}") != before
        };
        assert!(!begins(&line, &[Square::D5], Square::C7, SquareState::Empty), "two of the opponent's pieces");
        assert!(!begins(&line, &[Square::D5, Square::E4], Square::C7, SquareState::Empty), "the same, and an own piece");
        assert!(!begins(&line, &[], Square::E5, SquareState::Empty), "an empty square");
        assert!(!begins(&line, &[], Square::G1, seen.at(Square::B1)), "a piece was put down");
        let (mut passing, mut early) = line_after_reply(Square::D6, SensorKind::Identity);
        early.set_square(10_600, Square::D6, SquareState::Empty);
        assert!(!passing.begin_move(10_600, Square::D6, &early), "the pawn may still be on its way to d5");
        let (mut undecided, seen) = line_after_two_moves(SensorKind::Identity);
        undecided.history.tip_mut().expect("a move").confidence = None;
        assert!(!begins(&undecided, &[], Square::G1, SquareState::Empty), "the last move is published now");
        let (mut line, mut occupancy) = line_after_two_moves(SensorKind::Occupancy);
        occupancy.set_square(20_000, Square::G1, SquareState::Empty);
        assert!(!line.begin_move(20_000, Square::G1, &occupancy) && !line.begin_move(20_000, Square::G1, &seen));
    }
}
