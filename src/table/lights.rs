//! What a board with lights shows the players, where the event allows it. Rated games do not allow it (Art. 12.6).

use crate::boards::BoardCommand;
use crate::game::Event;
use crate::game::event::{PlayedMove, Rotation};
use crate::game::words::words;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Square};

/// What the lights show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LightsMode {
    /// Nothing: the lights stay dark.
    #[default]
    Off,
    /// Squares to be corrected.
    Displaced,
    /// The same, and the two squares of the last move until a piece is touched.
    Moves,
}

words! { LightsMode { Off = "off", Displaced = "displaced", Moves = "moves" } }

/// The lights of one board, in the game's coordinates.
#[derive(Clone, Default)]
pub(super) struct Lights {
    displaced: Bitboard,
    moved: Bitboard,
    /// The squares last requested to be lit, in the board's own coordinates.
    lit: Vec<Square>,
}

impl Lights {
    /// Processes events. Returns the command for the lights if they must change.
    pub(super) fn update<'a>(
        &mut self,
        mode: LightsMode,
        rotation: Rotation,
        events: impl Iterator<Item = &'a Event>,
    ) -> Option<BoardCommand> {
        if mode == LightsMode::Off {
            return None;
        }
        for event in events {
            match event {
                Event::Displaced { squares } => self.displaced = squares.iter().map(|difference| difference.square).collect(),
                Event::MoveMade { played, .. } => self.moved = move_squares(played),
                Event::MovesCorrected { moves, .. } => self.moved = moves.last().map_or(Bitboard::EMPTY, move_squares),
                Event::Touched { .. } | Event::Result { .. } => self.moved = Bitboard::EMPTY,
                Event::GameStarted { .. } => (self.displaced, self.moved) = Default::default(),
                // A board switches its lights off when it is initialised.
                Event::Link(_) => *self = Lights::default(),
                _ => {}
            }
        }
        let shown = match mode {
            LightsMode::Moves if self.displaced.is_empty() => self.moved,
            _ => self.displaced,
        };
        let lit: Vec<Square> = shown.into_iter().map(|square| rotation.apply(square)).collect();
        (lit != self.lit).then(|| {
            self.lit.clone_from(&lit);
            BoardCommand::Lights(lit)
        })
    }
}

/// Returns the from and to squares of a move.
fn move_squares(played: &PlayedMove) -> Bitboard {
    match played.uci.parse() {
        Ok(UciMove::Normal { from, to, .. }) => Bitboard::from(from).with(to),
        _ => Bitboard::EMPTY,
    }
}
