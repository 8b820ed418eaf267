//! What the squares show now, as the players see the board.

use super::keys;
use crate::boards::{Millis, Placement, Sensed, Sensing};
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Piece, Role, Square};

/// What the squares show, in squares of play, with what is needed to compare it quickly with a position.
#[derive(Clone, Debug)]
pub struct Seen {
    squares: Placement,
    occupied: Bitboard,
    sides: ByColor<Bitboard>,
    roles: ByRole<Bitboard>,
    key: u64,
    changed_at: [Millis; 64],
    /// Squares whose last change was found by a whole reading: when it happened is not known.
    found: Bitboard,
    sensing: Sensing,
}

impl Seen {
    /// An empty board.
    pub fn new(sensing: Sensing) -> Seen {
        Seen {
            squares: [Sensed::Empty; 64],
            occupied: Bitboard::EMPTY,
            sides: ByColor::default(),
            roles: ByRole::default(),
            key: 0,
            changed_at: [0; 64],
            found: Bitboard::EMPTY,
            sensing,
        }
    }

    /// A whole placement at once.
    pub fn of(placement: &Placement, sensing: Sensing) -> Seen {
        let mut seen = Seen::new(sensing);
        for square in Square::ALL {
            seen.set(0, square, placement[square as usize]);
        }
        seen
    }

    /// One square shows something else.
    pub fn set(&mut self, now: Millis, square: Square, sensed: Sensed) {
        let sensed = poorer(sensed, self.sensing);
        let before = std::mem::replace(&mut self.squares[square as usize], sensed);
        if before == sensed {
            return;
        }
        self.found.discard(square);
        self.key ^= keys::sensed(square, before) ^ keys::sensed(square, sensed);
        self.changed_at[square as usize] = now;
        self.occupied.set(square, sensed != Sensed::Empty);
        for color in Color::ALL {
            let is = matches!(sensed, Sensed::Side(seen) | Sensed::Piece(Piece { color: seen, .. }) if seen == color);
            self.sides.get_mut(color).set(square, is);
        }
        for role in Role::ALL {
            self.roles.get_mut(role).set(square, matches!(sensed, Sensed::Piece(piece) if piece.role == role));
        }
    }

    /// A whole reading shows that one square has changed, nobody knows when.
    pub fn find(&mut self, now: Millis, square: Square, sensed: Sensed) {
        let before = self.key;
        self.set(now, square, sensed);
        if before != self.key {
            self.found.add(square);
        }
    }

    /// What the squares show.
    pub fn squares(&self) -> &Placement {
        &self.squares
    }

    /// What one square shows.
    pub fn at(&self, square: Square) -> Sensed {
        self.squares[square as usize]
    }

    /// When a square last changed; where only a whole reading told of it, when that was read.
    pub fn changed_at(&self, square: Square) -> Millis {
        self.changed_at[square as usize]
    }

    /// Whether only a whole reading told of a square's last change.
    pub fn was_found(&self, square: Square) -> bool {
        self.found.contains(square)
    }

    /// Squares on which something stands.
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// The key of what is shown: equal to that of every placement that would show the same.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// What these squares can tell.
    pub fn sensing(&self) -> Sensing {
        self.sensing
    }

    /// The squares that cannot be what this placement says.
    pub fn mismatch(&self, board: &Board) -> Bitboard {
        let mut wrong = board.occupied() ^ self.occupied;
        for color in Color::ALL {
            wrong |= *self.sides.get(color) & !board.by_color(color);
        }
        for role in Role::ALL {
            wrong |= *self.roles.get(role) & !board.by_role(role);
        }
        wrong
    }

    /// Where the one king of this colour is seen; identity boards only.
    pub fn king(&self, color: Color) -> Option<Square> {
        (self.roles.king & *self.sides.get(color)).single_square()
    }

    /// The pieces as a board, where every piece is known.
    pub fn board(&self) -> Option<Board> {
        let mut board = Board::empty();
        for square in self.occupied {
            let Sensed::Piece(piece) = self.at(square) else { return None };
            board.set_piece_at(square, piece);
        }
        Some(board)
    }
}

/// What a sensor of this kind would have shown.
fn poorer(sensed: Sensed, sensing: Sensing) -> Sensed {
    match (sensed, sensing) {
        (Sensed::Piece(piece), Sensing::Colour) => Sensed::Side(piece.color),
        (Sensed::Piece(_) | Sensed::Side(_), Sensing::Occupancy) => Sensed::Occupied,
        _ => sensed,
    }
}
