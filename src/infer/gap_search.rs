//! Searches moves that were not seen, from where they led: up to six plies from the last known position to what the board shows.
//! [`explain`](super::explain) weighs how the last few moves were made; here only the result is known.
//!
//! Only where the board identifies pieces: on others too many lines lead to the same squares.

use super::ObservedBoard;
use super::explain::lifted_squares;
use super::line_prior::LinePrior;
use crate::laws::Position;
use shakmaty::{Bitboard, CastlingSide, Color, Move};

/// Maximum length of a line, in plies.
pub(super) const MAX_PLIES: usize = 6;
/// Maximum total number of moves that are tried: seconds of work on a small computer.
const MAX_MOVES: u32 = 1 << 19;
/// Maximum number of lines that are kept; the likeliest of them is returned.
const MAX_LINES: usize = 32;

/// A search that runs in slices.
#[derive(Clone)]
pub struct GapSearch {
    base: Position,
    seen: ObservedBoard,
    hidden: Bitboard,
    /// Length of the lines that are being searched, in plies.
    length: usize,
    /// The positions on the way, each with its moves and how many of them were tried.
    path: Vec<SearchStep>,
    line: Vec<Move>,
    found: Vec<Vec<Move>>,
    moves_left: u32,
}

#[derive(Clone)]
struct SearchStep {
    position: Position,
    moves: Vec<Move>,
    next: usize,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GapResult {
    /// These moves lead there, and no fewer do. Other lines, or longer ones, may lead there as well.
    Line(Vec<Move>),
    /// No line leads there, or the search takes too long.
    Nothing,
}

impl GapSearch {
    /// Creates a search from `base` to what is seen now; hidden squares are not compared.
    pub fn new(base: Position, seen: &ObservedBoard, hidden: Bitboard) -> GapSearch {
        let mut search = GapSearch {
            seen: seen.clone(),
            hidden,
            length: 1,
            path: Vec::new(),
            line: Vec::new(),
            found: Vec::new(),
            moves_left: MAX_MOVES,
            base,
        };
        search.start_length();
        search
    }

    /// Tries up to `moves` moves; returns `None` if the search is not finished.
    pub fn run(&mut self, moves: u32) -> Option<GapResult> {
        for _ in 0..moves {
            if self.moves_left == 0 {
                return Some(self.best());
            }
            let Some(step) = self.path.last_mut() else {
                if !self.found.is_empty() {
                    return Some(self.best());
                }
                if self.length == MAX_PLIES {
                    return Some(GapResult::Nothing);
                }
                self.length += 1;
                self.start_length();
                continue;
            };
            let Some(&mv) = step.moves.get(step.next) else {
                self.path.pop();
                self.line.pop();
                continue;
            };
            step.next += 1;
            self.moves_left -= 1;
            let position = step.position.play_legal(mv);
            self.line.push(mv);
            let remaining = self.length - self.line.len();
            if remaining == 0 && self.is_target(&position) && self.found.len() < MAX_LINES {
                self.found.push(self.line.clone());
            }
            if remaining > 0 && self.may_reach_target(&position, remaining) {
                let moves = position.legal_moves().into_iter().collect();
                self.path.push(SearchStep { position, moves, next: 0 });
            } else {
                self.line.pop();
            }
        }
        None
    }

    fn start_length(&mut self) {
        self.line.clear();
        if self.may_reach_target(&self.base, self.length) {
            let moves = self.base.legal_moves().into_iter().collect();
            self.path.push(SearchStep { position: self.base.clone(), moves, next: 0 });
        }
    }

    /// Returns the likeliest line that was found.
    fn best(&mut self) -> GapResult {
        let found = std::mem::take(&mut self.found);
        let mut prior = LinePrior::new(&self.base);
        match found.into_iter().min_by_key(|moves| prior.cost(moves)) {
            Some(moves) => GapResult::Line(moves),
            None => GapResult::Nothing,
        }
    }

    /// Returns whether the board shows this position, except for a piece that the player to move has in hand.
    fn is_target(&self, position: &Position) -> bool {
        let wrong = self.wrong_squares(position);
        wrong.count() <= 1 && lifted_squares(position, &self.seen, wrong) == wrong
    }

    /// Returns whether `plies` plies can correct all wrong squares: each brings one piece to its square and removes one from
    /// another, and castling two.
    fn may_reach_target(&self, position: &Position, plies: usize) -> bool {
        let wrong = self.wrong_squares(position);
        let castles = |color| CastlingSide::ALL.into_iter().any(|side| position.castling_rook(color, side).is_some());
        let turn = position.turn();
        let moves_of = |color: Color| if color == turn { plies.div_ceil(2) } else { plies / 2 };
        let can_arrive =
            |color: Color| (wrong & self.seen.pieces_of(color)).count() <= moves_of(color) + usize::from(castles(color));
        // One more may be in a hand, and one captured en passant.
        let max_emptied = plies + 2 + Color::ALL.into_iter().filter(|&color| castles(color)).count();
        Color::ALL.into_iter().all(can_arrive) && (wrong & !self.seen.occupied()).count() <= max_emptied
    }

    fn wrong_squares(&self, position: &Position) -> Bitboard {
        self.seen.mismatch(position.board()) & !self.hidden
    }
}
