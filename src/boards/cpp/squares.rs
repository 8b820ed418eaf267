//! The squares of a board as the letters of a FEN, and how a move in the notation of CPP changes them.
//!
//! The notation names one pair of squares for each move. A king that moves two files from its own stands for castling, and a pawn
//! that moves to an empty square of another file for a capture in passing. This is the meaning of the text, not of the rules: any
//! other pair of squares is carried out as it is.

use crate::boards::{Placement, SquareState};
use shakmaty::{File, Square};

const EMPTY: u8 = b'.';

/// The letter on each square, a1 first; a dot if it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Squares([u8; 64]);

impl Squares {
    /// Reads the first field of a FEN, in which `?`, `w` and `b` may stand for pieces. `None` if it is none.
    pub(super) fn from_fen(fen: &str) -> Option<Squares> {
        let mut letters = [EMPTY; 64];
        let mut ranks = 0;
        for (rank, text) in fen.split_ascii_whitespace().next()?.split('/').enumerate() {
            let mut file = 0;
            for letter in text.bytes() {
                match letter {
                    b'1'..=b'8' => file += usize::from(letter - b'0'),
                    b'p' | b'n' | b'b' | b'r' | b'q' | b'k' | b'P' | b'N' | b'B' | b'R' | b'Q' | b'K' | b'w' | b'?'
                        if file < 8 =>
                    {
                        *letters.get_mut(7usize.checked_sub(rank)? * 8 + file)? = letter;
                        file += 1;
                    }
                    _ => return None,
                }
            }
            if file != 8 {
                return None;
            }
            ranks = rank + 1;
        }
        (ranks == 8).then_some(Squares(letters))
    }

    /// Returns which squares are occupied.
    pub(super) fn placement(&self) -> Placement {
        self.0.map(|letter| if letter == EMPTY { SquareState::Empty } else { SquareState::Occupied })
    }

    /// Carries out a move, and returns its two squares. `None`, and nothing changes, if the text is no move or there is nothing on the
    /// square that it comes from.
    pub(super) fn carry_out(&mut self, uci: &str) -> Option<(Square, Square)> {
        let (from, to, promotion) = parse_move(uci)?;
        let piece = self.letter(from);
        if piece == EMPTY {
            return None;
        }
        let captures = self.letter(to) != EMPTY;
        self.set(from, EMPTY);
        let promoted =
            promotion.bytes().next().map(|role| if piece.is_ascii_uppercase() { role.to_ascii_uppercase() } else { role });
        self.set(to, promoted.unwrap_or(piece));
        match piece {
            b'P' | b'p' if from.file() != to.file() && !captures => {
                self.set(Square::from_coords(to.file(), from.rank()), EMPTY)
            }
            b'K' | b'k' if from.rank() == to.rank() && from.file() == File::E && matches!(to.file(), File::C | File::G) => {
                let (corner, beside) = if to.file() == File::G { (File::H, File::F) } else { (File::A, File::D) };
                let rook = self.letter(Square::from_coords(corner, from.rank()));
                self.set(Square::from_coords(corner, from.rank()), EMPTY);
                self.set(Square::from_coords(beside, from.rank()), rook);
            }
            _ => {}
        }
        Some((from, to))
    }

    /// Returns whether the squares show a piece that has moved between these squares.
    pub(super) fn show_move(&self, (from, to): (Square, Square)) -> bool {
        self.letter(from) == EMPTY && self.letter(to) != EMPTY
    }

    fn letter(&self, square: Square) -> u8 {
        self.0[square as usize]
    }

    fn set(&mut self, square: Square, letter: u8) {
        self.0[square as usize] = letter;
    }
}

/// Parses a move in the notation of CPP: its squares, and the letter of a promotion.
pub(super) fn parse_move(uci: &str) -> Option<(Square, Square, &str)> {
    let (from, rest) = uci.split_at_checked(2)?;
    let (to, promotion) = rest.split_at_checked(2)?;
    let (from, to): (Square, Square) = (from.parse().ok()?, to.parse().ok()?);
    (from != to && matches!(promotion, "" | "n" | "b" | "r" | "q")).then_some((from, to, promotion))
}
