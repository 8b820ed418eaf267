//! Searches lines of up to three plies that lead from a position to what the board shows.

use super::ObservedBoard;
use super::line_prior::LinePrior;
use super::model::{Cost, MAX_OVERLAP};
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
    /// Prior cost of the moves, on boards that do not identify pieces, if several lines are the best so far; 0 for all others.
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
    let equal = found.iter().take_while(|other| Some(other.doubts) == found.first().map(|best| best.doubts)).count();
    if seen.sensing() != SensorKind::Identity && equal > 1 {
        let mut prior = LinePrior::new(base);
        for explanation in found.iter_mut().take(equal.min(MAX_WEIGHED)) {
            explanation.doubts.unlikely = prior.cost(&explanation.moves);
        }
        // Lines that were not weighed are no better than those that were.
        found.iter_mut().take(equal).skip(MAX_WEIGHED).for_each(|explanation| explanation.doubts.unlikely = Cost::MAX);
        found.sort_by_key(|explanation| explanation.doubts);
    }
    found
}

/// Maximum number of equally good lines that are weighed by their prior cost.
const MAX_WEIGHED: usize = 24;

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

/// Returns whether more squares differ than this number of plies can correct.
fn exceeds_limit(wrong: Bitboard, depth: u32) -> bool {
    MAX_WRONG_SQUARES.get(depth as usize).is_some_and(|limit| wrong.count() as u32 > *limit)
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
        if exceeds_limit(wrong, depth) {
            return;
        }
        for &mv in &position.legal_moves() {
            let Some(nodes) = self.nodes.checked_sub(1).filter(|_| self.found.len() < MAX_LINES) else {
                self.cut_off = true;
                return;
            };
            self.nodes = nodes;
            let may_lead = match depth {
                1 => self.can_be_last(position, mv, wrong),
                2 => self.can_be_next_to_last(position, mv, wrong),
                _ => !exceeds_limit(self.wrong_after(position, mv, wrong), depth - 1),
            };
            if !may_lead {
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

    /// Returns the squares that differ after this move, given those that differ before it. Takes a tenth of the time of computing the
    /// position after it.
    fn wrong_after(&self, position: &Position, mv: Move, mut wrong: Bitboard) -> Bitboard {
        if let Move::Normal { role, from, to, promotion, .. } = mv {
            // Fast path: nearly all moves are normal moves.
            let piece = promotion.unwrap_or(role).of(position.turn());
            wrong.set(from, self.seen.occupied().contains(from));
            wrong.set(to, !self.seen.is_compatible(to, Some(piece)));
        } else {
            for (square, piece) in Changes::of(position.turn(), mv).iter() {
                wrong.set(square, !self.seen.is_compatible(square, piece));
            }
        }
        wrong & !self.hidden
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

    /// Returns whether one more move after this one may correct all wrong squares, except for a piece that the next player has in hand.
    /// A move puts a piece on one square and takes pieces from at most two; castling puts pieces on two. Tested without computing the
    /// position after this move.
    fn can_be_next_to_last(&self, position: &Position, mv: Move, wrong: Bitboard) -> bool {
        let wrong = self.wrong_after(position, mv, wrong);
        if exceeds_limit(wrong, 1) {
            return false;
        }
        if self.suspects.any() {
            return true;
        }
        let occupied = self.seen.occupied();
        let board = position.board();
        let movable = board.by_color(!position.turn()) & (!occupied | self.hidden) & !Bitboard::from_square(mv.to());
        let may_castle = position.is_chess960() || (movable & board.kings()).any();
        let max_landed = if may_castle { 2 } else { 1 };
        (movable.any() || may_castle) && (wrong & occupied).count() <= max_landed && (wrong & !occupied).count() <= 3
    }

    /// Returns whether this can be the last move: it corrects all wrong squares, except for a piece that the next player has in
    /// hand.
    fn can_be_last(&self, position: &Position, mv: Move, wrong: Bitboard) -> bool {
        // Nearly all moves leave a square that still shows a piece, or come to one that shows none, or correct too little.
        if let Move::Normal { from, to, .. } = mv {
            let (occupied, trusted) = (self.seen.occupied(), !self.suspects & !self.hidden);
            let corrected = Bitboard::from_square(from).with(to);
            let is_contradicted =
                trusted.contains(from) && occupied.contains(from) || trusted.contains(to) && !occupied.contains(to);
            if is_contradicted || (wrong & trusted & occupied).without(corrected).any() {
                return false;
            }
        }
        let wrong = self.wrong_after(position, mv, wrong);
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
