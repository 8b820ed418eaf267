//! Searches lines of up to three plies that lead from a position to what the board shows.

use super::ObservedBoard;
use super::model::{Cost, MAX_OVERLAP};
use super::prior::{RecentMoves, prior_costs};
use crate::boards::{Millis, SensorKind};
use crate::laws::{Changes, Position};
use shakmaty::{Bitboard, CastlingSide, Move, Square};

/// A line of moves that leads to what the board shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// The doubts about it.
    pub doubts: Doubts,
    /// The one square that does not show what it should.
    pub stuck: Option<Square>,
    /// Whether the search was cut off, so that other lines may explain as much.
    pub cut_off: bool,
}

/// The doubts about a line, worst first; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubts {
    /// Number of squares on which a piece was between two moves of the line, without a change since the line began: such a move is
    /// assumed only to make the number of moves fit.
    pub skipped: u32,
    /// Number of squares on which a piece was put down without a change since the line began, and of pieces that were put on an
    /// empty square and captured there, unseen.
    pub traceless: u32,
    /// Number of pieces that captured and were recaptured before they were seen.
    pub unseen: u32,
    /// Number of moves that were put down so long before the preceding move that overlapping hands do not explain it: rather a move
    /// was missed.
    pub disordered: u32,
    /// Number of pieces that came to a square which shows nothing of it: they may still be in a hand.
    pub blind: u32,
    /// Number of squares from which the next player has already lifted a piece, 0 or 1; 2 if they lifted it before they had put
    /// down the piece of their last move.
    pub in_hand: u32,
    /// Number of moves that, by the times of the edges, were put down before the preceding move. Changes that only a whole reading
    /// showed have no time.
    pub inversions: u32,
    /// Number of moves that were put down before their first square was left.
    pub backwards: u32,
    /// Prior cost of the moves on boards that do not identify pieces; otherwise 0.
    pub unlikely: Cost,
}

/// Maximum number of moves that a search may try: some milliseconds on a Raspberry Pi.
const MAX_MOVES: u32 = 60_000;
/// Maximum number of lines that are kept.
const MAX_LINES: usize = 2_000;
/// Maximum number of wrong squares, by the number of plies before the end: the last position may differ by one, and a move corrects
/// two, but each player's castling four.
const MAX_WRONG_SQUARES: [u32; 4] = [1, 5, 9, 11];

/// Returns all lines of exactly `depth` plies (1–3) from `base` after which the board would show what is seen, except for at most
/// one piece that the next player has in hand; least doubtful first, and otherwise in the order of move generation. `since`: when
/// the board last showed `base`.
///
/// Hidden squares are not compared.
pub fn explain(base: &Position, seen: &ObservedBoard, hidden: Bitboard, depth: u32, since: Millis) -> Vec<Explanation> {
    search(base, seen, hidden, Bitboard::EMPTY, depth, since)
}

/// Like [`explain`], except for exactly one of the suspected squares, which one of the moves should have changed: it is stuck.
pub(super) fn explain_with_stuck(
    base: &Position,
    seen: &ObservedBoard,
    hidden: Bitboard,
    suspects: Bitboard,
    depth: u32,
    since: Millis,
) -> Vec<Explanation> {
    let mut found = search(base, seen, hidden, suspects & !hidden, depth, since);
    found.retain(|explanation| explanation.stuck.is_some());
    found
}

fn search(
    base: &Position,
    seen: &ObservedBoard,
    hidden: Bitboard,
    suspects: Bitboard,
    depth: u32,
    since: Millis,
) -> Vec<Explanation> {
    let (changed, line, found) = (Vec::new(), Vec::new(), Vec::new());
    let mut search = Search { seen, hidden, suspects, changed, since, line, found, nodes: MAX_MOVES, cut_off: false };
    search.extend_line(base, depth);
    let Search { mut found, cut_off, .. } = search;
    found.iter_mut().for_each(|explanation| explanation.cut_off = cut_off);
    found.sort_by_key(|explanation| explanation.doubts);
    if seen.sensing() != SensorKind::Identity {
        let equal = found.iter().take_while(|other| Some(other.doubts) == found.first().map(|best| best.doubts)).count();
        for explanation in found.iter_mut().take(equal.min(MAX_WEIGHED)) {
            explanation.doubts.unlikely = prior_cost(base, &explanation.moves);
        }
        // Lines that were not weighed are no better than those that were.
        found.iter_mut().take(equal).skip(MAX_WEIGHED).for_each(|explanation| explanation.doubts.unlikely = Cost::MAX);
        found.sort_by_key(|explanation| explanation.doubts);
    }
    found
}

/// Maximum number of equally good lines that are weighed by their prior cost.
const MAX_WEIGHED: usize = 24;

/// Returns the prior cost of these moves. The moves before them count as unknown.
pub(super) fn prior_cost(base: &Position, moves: &[Move]) -> Cost {
    let (mut position, mut recent) = (base.clone(), RecentMoves::default());
    let mut cost = 0;
    for &mv in moves {
        let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
        let costs = prior_costs(&position, &recent, &legal);
        cost += legal.iter().zip(costs.iter()).find(|(other, _)| **other == mv).map_or(0, |(_, cost)| *cost);
        position = position.play(mv);
        recent = recent.after(mv);
    }
    cost
}

struct Search<'a> {
    seen: &'a ObservedBoard,
    hidden: Bitboard,
    suspects: Bitboard,
    /// The squares that each move of the line changes, if there are suspected squares.
    changed: Vec<Bitboard>,
    since: Millis,
    line: Vec<Move>,
    found: Vec<Explanation>,
    nodes: u32,
    cut_off: bool,
}

impl Search<'_> {
    fn extend_line(&mut self, position: &Position, depth: u32) {
        let wrong = self.seen.mismatch(position.board()) & !self.hidden;
        if depth == 0 {
            let changed = self.changed.iter().fold(Bitboard::EMPTY, |all, changed| all | *changed);
            let stuck = (wrong & self.suspects & changed).single_square();
            let in_hand = lifted_squares(position, self.seen, wrong) & !stuck.map_or(Bitboard::EMPTY, Bitboard::from_square);
            let moved = self.line.iter().any(|mv| !mv.is_castle() && in_hand.contains(landing_square(*mv)));
            let unexplained = wrong & !in_hand & !stuck.map_or(Bitboard::EMPTY, Bitboard::from_square);
            if unexplained.is_empty() && in_hand.count() <= 1 && !moved {
                let recaptured =
                    |index: usize, mv: Move| self.line.iter().skip(index + 1).any(|later| later.to() == landing_square(mv));
                let count = |doubtful: &dyn Fn(usize, Move) -> bool| {
                    self.line.iter().enumerate().filter(|&(index, &mv)| doubtful(index, mv)).count() as u32
                };
                // On occupancy boards a capture leaves no trace where it lands, so that is no doubt.
                let silent = |mv: Move| self.seen.sensing() == SensorKind::Occupancy && mv.is_capture();
                let untouched = |mv: Move| {
                    let to = landing_square(mv);
                    let excused = self.hidden.contains(to) || stuck == Some(to) || in_hand.contains(to) || silent(mv);
                    self.seen.changed_at(to) <= self.since && !excused
                };
                let moved_on = |index: usize, mv: Move| {
                    self.line.iter().skip(index + 1).any(|later| later.from() == Some(landing_square(mv)))
                };
                let doubts = Doubts {
                    skipped: count(&|index, mv| untouched(mv) && moved_on(index, mv)),
                    traceless: count(&|index, mv| untouched(mv) || (recaptured(index, mv) && !mv.is_capture())),
                    unseen: count(&|index, mv| recaptured(index, mv) && mv.is_capture()),
                    in_hand: in_hand.count() as u32 + u32::from(self.was_lifted_early(in_hand)),
                    disordered: self.count_inversions(MAX_OVERLAP),
                    blind: count(&|_, mv| self.hidden.contains(landing_square(mv)) && !mv.is_castle()),
                    inversions: self.count_inversions(0),
                    backwards: count(&|_, mv| {
                        mv.from().is_some_and(|from| self.seen.changed_at(from) > self.seen.changed_at(landing_square(mv)))
                    }),
                    unlikely: 0,
                };
                self.found.push(Explanation { moves: self.line.clone(), doubts, stuck, cut_off: false });
            }
            return;
        }
        if MAX_WRONG_SQUARES.get(depth as usize).is_some_and(|limit| wrong.count() as u32 > *limit) {
            return;
        }
        for &mv in &position.legal_moves() {
            let Some(nodes) = self.nodes.checked_sub(1).filter(|_| self.found.len() < MAX_LINES) else {
                self.cut_off = true;
                return;
            };
            self.nodes = nodes;
            if depth == 1 && !self.can_be_last(position, mv, wrong) {
                continue;
            }
            self.line.push(mv);
            if self.suspects.any() {
                self.changed.push(Changes::of(position.turn(), mv).iter().map(|(square, _)| square).collect());
            }
            self.extend_line(&position.play_legal(mv), depth - 1);
            self.line.pop();
            self.changed.pop();
        }
    }

    /// Returns whether the next player lifted the piece in hand before putting down the piece of their last move.
    fn was_lifted_early(&self, in_hand: Bitboard) -> bool {
        let last_own_move = self.line.iter().rev().nth(1);
        last_own_move.is_some_and(|last_own_move| {
            in_hand.into_iter().any(|square| {
                landing_square(*last_own_move) != square
                    && self.seen.changed_at(square) < self.seen.changed_at(landing_square(*last_own_move))
            })
        })
    }

    /// Returns whether this can be the last move: it corrects all wrong squares, except for a piece that the next player has in
    /// hand. Tested without computing the position after it, which takes ten times as long.
    fn can_be_last(&self, position: &Position, mv: Move, mut wrong: Bitboard) -> bool {
        let is_still_occupied = |from| (self.seen.occupied() & !self.suspects & !self.hidden).contains(from);
        if !mv.is_castle() && mv.from().is_some_and(is_still_occupied) {
            return false;
        }
        for (square, piece) in Changes::of(position.turn(), mv).iter() {
            wrong.set(square, !self.seen.is_compatible(square, piece) && !self.hidden.contains(square));
        }
        let stuck = wrong & self.suspects;
        let in_hand = wrong & !self.suspects;
        in_hand.count() <= 1
            && stuck.count() <= 2
            && in_hand.is_disjoint(self.seen.occupied())
            && wrong.count() <= 1 + usize::from(stuck.any())
    }

    /// Counts the moves whose last square changed more than `by` milliseconds before that of the preceding move. Squares that are
    /// used again later are skipped, and so are changes found by a whole reading.
    fn count_inversions(&self, by: Millis) -> u32 {
        let mut times = Vec::with_capacity(self.line.len());
        for (index, mv) in self.line.iter().enumerate() {
            let to = landing_square(*mv);
            let reused = self.line.iter().skip(index + 1).any(|later| landing_square(*later) == to || later.from() == Some(to));
            if !reused && !self.seen.was_found(to) && !(self.hidden | self.suspects).contains(to) {
                times.push(self.seen.changed_at(to));
            }
        }
        times.windows(2).filter(|pair| matches!(pair, [earlier, later] if *earlier > later + by)).count() as u32
    }
}

/// Returns the square on which the moved piece lands.
pub fn landing_square(mv: Move) -> shakmaty::Square {
    match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            shakmaty::Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => mv.to(),
    }
}

/// Returns the square on which the rook lands in castling.
pub(super) fn castling_rook_square(mv: Move) -> Option<Square> {
    let Move::Castle { king, rook } = mv else { return None };
    let side = CastlingSide::from_queen_side(rook < king);
    Some(Square::from_coords(side.rook_to_file(), king.rank()))
}

/// Returns the wrong squares from which the side to move seems to have lifted a piece of its own.
pub(super) fn lifted_squares(position: &Position, seen: &ObservedBoard, wrong: Bitboard) -> Bitboard {
    wrong & position.board().by_color(position.turn()) & !seen.occupied()
}
