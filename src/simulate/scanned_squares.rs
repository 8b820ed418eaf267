//! The squares of virtual boards that scan all of them together.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::{Piece, Square};

/// Squares that are all scanned at the same moment, at a fixed interval.
pub(super) struct ScannedSquares {
    rotation: Rotation,
    period: Millis,
    /// The pieces on the board's own squares, a1 first, and as the last scan read them.
    pieces: [Option<Piece>; 64],
    seen: [Option<Piece>; 64],
    /// The ply of the last change.
    ply: u32,
    look_at: Option<Millis>,
}

impl ScannedSquares {
    /// Creates a board with these pieces on the squares of play.
    pub(super) fn new(setup: &SimulationSetup, period: Millis, squares: &[Option<Piece>; 64]) -> ScannedSquares {
        let mut pieces = [None; 64];
        for (square, piece) in Square::ALL.into_iter().zip(squares) {
            pieces[setup.rotation.apply(square) as usize] = *piece;
        }
        ScannedSquares { rotation: setup.rotation, period, pieces, seen: pieces, ply: 0, look_at: None }
    }

    /// Applies an act to the pieces. Acts on the clock are ignored: these boards do not see it.
    pub(super) fn act(&mut self, at: Millis, act: Act, ply: u32) {
        let (square, piece) = match act {
            Act::Lift(square) => (square, None),
            Act::Put(square, piece) => (square, Some(piece)),
            Act::Touch(_) | Act::LetGo | Act::Press(_) | Act::Start | Act::Stop | Act::Unplug | Act::Plug => return,
        };
        self.pieces[self.rotation.apply(square) as usize] = piece;
        self.ply = ply;
        self.look_at.get_or_insert((at / self.period + 1) * self.period);
    }

    /// Scans the squares if a scan is due. If they changed, returns the time of the scan, the squares before it, and the ply of the
    /// last change.
    pub(super) fn scan(&mut self, now: Millis) -> Option<(Millis, [Option<Piece>; 64], u32)> {
        let at = self.look_at.take_if(|at| *at <= now)?;
        let before = std::mem::replace(&mut self.seen, self.pieces);
        (before != self.seen).then_some((at, before, self.ply))
    }

    /// Returns when the next scan is due; `None` if nothing has changed since the last one.
    pub(super) fn next(&self) -> Option<Millis> {
        self.look_at
    }

    /// Returns the pieces as the last scan read them.
    pub(super) fn seen(&self) -> &[Option<Piece>; 64] {
        &self.seen
    }
}
