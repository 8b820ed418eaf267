//! Lines of up to three plies that lead from a position to what the board shows.

use super::Seen;
use crate::boards::Millis;
use crate::laws::Position;
use shakmaty::{Bitboard, Move};

/// A line that leads to what is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// What speaks against it.
    pub doubts: Doubts,
}

/// What speaks against a line, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubts {
    /// Squares on which a piece is said to have stood between two of its moves, and that have shown no change since the line
    /// began: only so that the number of moves comes out.
    pub skipped: u32,
    /// Squares on which a piece was put down that have shown no change since the line began, and pieces that were put on an
    /// empty square and taken there, unseen.
    pub traceless: u32,
    /// Pieces that took and were retaken before they were seen.
    pub unseen: u32,
    /// Moves that were put down so long before the move that they follow that no two hands overlap like that: rather a move
    /// was missed.
    pub disordered: u32,
    /// Squares from which the next player has already lifted a piece, 0 or 1.
    pub in_hand: u32,
    /// Moves that were, by the times of the edges, put down before the move that they follow. What only a whole reading told
    /// of has no time.
    pub inversions: u32,
}

/// A reply is never put down longer than this before the move that it answers, in milliseconds: two scans of the board, and a
/// hand that hesitates.
pub const OVERLAP: Millis = 1_000;

/// How many positions a search may visit: some milliseconds on a Raspberry Pi.
const NODES: u32 = 60_000;

/// All lines of exactly `depth` plies (1–3) from `base` after which the board would show what is seen, but for at most one
/// piece that the next player has in hand; least doubtful first, and otherwise in the order of move generation. `since`: when
/// the board last showed `base`.
pub fn explain(base: &Position, seen: &Seen, depth: u32, since: Millis) -> Vec<Explanation> {
    let mut search = Search { seen, since, line: Vec::new(), found: Vec::new(), nodes: NODES };
    search.from(base, depth);
    let mut found = search.found;
    found.sort_by_key(|explanation| explanation.doubts);
    found
}

struct Search<'a> {
    seen: &'a Seen,
    since: Millis,
    line: Vec<Move>,
    found: Vec<Explanation>,
    nodes: u32,
}

impl Search<'_> {
    fn from(&mut self, position: &Position, depth: u32) {
        let wrong = self.seen.mismatch(position.board());
        if depth == 0 {
            let in_hand = in_hand(position, self.seen, wrong);
            let moved = self.line.iter().any(|mv| in_hand.contains(landing(*mv)));
            if wrong == in_hand && in_hand.count() <= 1 && !moved {
                let retaken = |index: usize, mv: Move| self.line.iter().skip(index + 1).any(|later| later.to() == landing(mv));
                let count = |doubtful: &dyn Fn(usize, Move) -> bool| {
                    self.line.iter().enumerate().filter(|&(index, &mv)| doubtful(index, mv)).count() as u32
                };
                let untouched = |mv: Move| self.seen.changed_at(landing(mv)) <= self.since;
                let moved_on =
                    |index: usize, mv: Move| self.line.iter().skip(index + 1).any(|later| later.from() == Some(landing(mv)));
                let doubts = Doubts {
                    skipped: count(&|index, mv| untouched(mv) && moved_on(index, mv)),
                    traceless: count(&|index, mv| untouched(mv) || (retaken(index, mv) && !mv.is_capture())),
                    unseen: count(&|index, mv| retaken(index, mv) && mv.is_capture()),
                    in_hand: in_hand.count() as u32,
                    disordered: self.inversions(OVERLAP),
                    inversions: self.inversions(0),
                };
                self.found.push(Explanation { moves: self.line.clone(), doubts });
            }
            return;
        }
        // A move puts right at most two squares, but castling four; one square may be a piece in hand.
        if wrong.count() > 2 * depth as usize + 5 || self.nodes == 0 {
            return;
        }
        for &mv in &position.legal_moves() {
            self.nodes = self.nodes.saturating_sub(1);
            self.line.push(mv);
            self.from(&position.play(mv), depth - 1);
            self.line.pop();
        }
    }

    /// Counts moves whose last square changed so much, and more, before that of the move before them. Squares used again later say nothing,
    /// nor do those that were found changed.
    fn inversions(&self, by: Millis) -> u32 {
        let mut times = Vec::with_capacity(self.line.len());
        for (index, mv) in self.line.iter().enumerate() {
            let to = landing(*mv);
            let reused = self.line.iter().skip(index + 1).any(|later| landing(*later) == to || later.from() == Some(to));
            if !reused && !self.seen.was_found(to) {
                times.push(self.seen.changed_at(to));
            }
        }
        times.windows(2).filter(|pair| matches!(pair, [earlier, later] if *earlier > later + by)).count() as u32
    }
}

/// The square where the mover's piece comes to stand.
pub fn landing(mv: Move) -> shakmaty::Square {
    match mv {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_queen_side(rook < king);
            shakmaty::Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => mv.to(),
    }
}

/// Of the wrong squares, those from which the side to move seems to have lifted a piece of its own.
pub fn in_hand(position: &Position, seen: &Seen, wrong: Bitboard) -> Bitboard {
    wrong & position.board().by_color(position.turn()) & !seen.occupied()
}
