//! A placement as a board's sensors see it: what they cannot tell apart is equal.

use crate::boards::{Sensed, Sensing};
use shakmaty::{Board, Color, Piece, Role, Square};

/// What all squares show, reduced to what a kind of sensor can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look {
    occupied: u64,
    /// Nothing where colours are not told apart.
    white: u64,
    /// Nothing where pieces are not told apart.
    roles: [u64; 6],
}

impl Look {
    /// What this kind of sensor would see of these pieces.
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

    /// One square shows this now; what `sensing` would not have seen of it is left out.
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

    /// One square holds this now.
    pub fn put(&mut self, square: Square, piece: Option<Piece>, sensing: Sensing) {
        self.set(square, piece.map_or(Sensed::Empty, Sensed::Piece), sensing);
    }

    /// What this square alone shows.
    pub fn at(&self, square: Square) -> Look {
        let bit = 1 << square as u64;
        Look { occupied: self.occupied & bit, white: self.white & bit, roles: self.roles.map(|role| role & bit) }
    }

    /// Whether anything stands there.
    pub fn is_occupied(&self, square: Square) -> bool {
        self.occupied & (1 << square as u64) != 0
    }
}
