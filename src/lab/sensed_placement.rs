//! A placement as a board's sensors see it: pieces that the sensors cannot distinguish are equal.

use crate::boards::{SensorKind, SquareState};
use shakmaty::{Board, Color, Piece, Role, Square};

/// All squares, reduced to what a kind of sensor can detect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SensedPlacement {
    occupied: u64,
    /// Zero if colours are not detected.
    white: u64,
    /// Zero if pieces are not detected.
    roles: [u64; 6],
}

impl SensedPlacement {
    /// Returns how this kind of sensor sees these pieces.
    pub fn of(board: &Board, sensing: SensorKind) -> SensedPlacement {
        let mut placement = SensedPlacement { occupied: board.occupied().0, ..SensedPlacement::default() };
        if sensing != SensorKind::Occupancy {
            placement.white = board.by_color(Color::White).0;
        }
        if sensing == SensorKind::Identity {
            placement.roles = Role::ALL.map(|role| board.by_role(role).0);
        }
        placement
    }

    /// Sets the reading of one square, reduced to what `sensing` can detect.
    pub fn set(&mut self, square: Square, sensed: SquareState, sensing: SensorKind) {
        let bit = 1 << square as u64;
        self.occupied &= !bit;
        self.white &= !bit;
        self.roles.iter_mut().for_each(|role| *role &= !bit);
        let (color, role) = match sensed {
            SquareState::Empty => return,
            SquareState::Occupied => (None, None),
            SquareState::Side(color) => (Some(color), None),
            SquareState::Piece(Piece { color, role }) => (Some(color), Some(role)),
        };
        self.occupied |= bit;
        if sensing != SensorKind::Occupancy && color == Some(Color::White) {
            self.white |= bit;
        }
        if let Some(role) = role.filter(|_| sensing == SensorKind::Identity)
            && let Some(squares) = Role::ALL.iter().position(|&known| known == role).and_then(|at| self.roles.get_mut(at))
        {
            *squares |= bit;
        }
    }

    /// Sets the piece on one square.
    pub fn put(&mut self, square: Square, piece: Option<Piece>, sensing: SensorKind) {
        self.set(square, piece.map_or(SquareState::Empty, SquareState::Piece), sensing);
    }

    /// Returns this square, with all others empty.
    pub fn at(&self, square: Square) -> SensedPlacement {
        let bit = 1 << square as u64;
        SensedPlacement { occupied: self.occupied & bit, white: self.white & bit, roles: self.roles.map(|role| role & bit) }
    }

    /// Returns whether the square is occupied.
    pub fn is_occupied(&self, square: Square) -> bool {
        self.occupied & (1 << square as u64) != 0
    }
}
