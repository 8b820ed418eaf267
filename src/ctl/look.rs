//! A placement as a board's sensors see it: pieces that the sensors cannot distinguish are equal.

use crate::boards::{Sensed, Sensing};
use shakmaty::{Board, Color, Piece, Role, Square};

/// All squares, reduced to what a kind of sensor can detect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look {
    occupied: u64,
    /// Zero if colours are not detected.
    white: u64,
    /// Zero if pieces are not detected.
    roles: [u64; 6],
}

impl Look {
    /// Returns how this kind of sensor sees these pieces.
    pub fn of(board: &Board, sensing: Sensing) -> Look {
        let mut look = Look { occupied: board.occupied().0, ..Look::default() };
        if sensing != Sensing::Occupancy {
            look.white = board.by_color(Color::White).0;
        }
        if sensing == Sensing::Identity {
            look.roles = Role::ALL.map(|role| board.by_role(role).0);
        }
        look
    }

    /// Sets the reading of one square, reduced to what `sensing` can detect.
    pub fn set(&mut self, square: Square, sensed: Sensed, sensing: Sensing) {
        let bit = 1 << square as u64;
        self.occupied &= !bit;
        self.white &= !bit;
        self.roles.iter_mut().for_each(|role| *role &= !bit);
        let (color, role) = match sensed {
            Sensed::Empty => return,
            Sensed::Occupied => (None, None),
            Sensed::Side(color) => (Some(color), None),
            Sensed::Piece(Piece { color, role }) => (Some(color), Some(role)),
        };
        self.occupied |= bit;
        if sensing != Sensing::Occupancy && color == Some(Color::White) {
            self.white |= bit;
        }
        if let Some(role) = role.filter(|_| sensing == Sensing::Identity)
            && let Some(squares) = Role::ALL.iter().position(|&known| known == role).and_then(|at| self.roles.get_mut(at))
        {
            *squares |= bit;
        }
    }

    /// Sets the piece on one square.
    pub fn put(&mut self, square: Square, piece: Option<Piece>, sensing: Sensing) {
        self.set(square, piece.map_or(Sensed::Empty, Sensed::Piece), sensing);
    }

    /// Returns the look of this square alone.
    pub fn at(&self, square: Square) -> Look {
        let bit = 1 << square as u64;
        Look { occupied: self.occupied & bit, white: self.white & bit, roles: self.roles.map(|role| role & bit) }
    }

    /// Returns whether the square is occupied.
    pub fn is_occupied(&self, square: Square) -> bool {
        self.occupied & (1 << square as u64) != 0
    }
}
