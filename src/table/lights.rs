//! What a board with lights shows the players, where the event allows it. In rated games it does not (Art. 12.6).

use crate::boards::Cue;
use crate::game::Event;
use crate::game::event::{Played, Rotation};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Square};

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Help {
    /// Nothing: the lights stay dark.
    #[default]
    Off,
    /// Squares to be put right.
    Displaced,
    /// The same, and the two squares of the last move until a piece is touched.
    Moves,
}

/// The lights of one board. Squares are those of play.
#[derive(Default)]
pub(super) struct Lights {
    displaced: Bitboard,
    moved: Bitboard,
    /// What was asked for last, as the board names its squares.
    lit: Vec<Square>,
}

impl Lights {
    /// Takes in what happened; what the board is to show from now on, if that is something else.
    pub fn after<'a>(&mut self, help: Help, rotation: Rotation, events: impl Iterator<Item = &'a Event>) -> Option<Cue> {
        if help == Help::Off {
            return None;
        }
        for event in events {
            match event {
                Event::Displaced { squares } => self.displaced = squares.iter().map(|one| one.square).collect(),
                Event::MoveMade { played, .. } => self.moved = squares(played),
                Event::MovesCorrected { moves, .. } => self.moved = moves.last().map_or(Bitboard::EMPTY, squares),
                Event::Touched { .. } | Event::Result { .. } => self.moved = Bitboard::EMPTY,
                Event::GameStarted { .. } => (self.displaced, self.moved) = Default::default(),
                // A board goes dark when it is greeted.
                Event::Link(_) => *self = Lights::default(),
                _ => {}
            }
        }
        let shown = match help {
            Help::Moves if self.displaced.is_empty() => self.moved,
            _ => self.displaced,
        };
        let lit: Vec<Square> = shown.into_iter().map(|square| rotation.apply(square)).collect();
        (lit != self.lit).then(|| {
            self.lit.clone_from(&lit);
            Cue::Lights(lit)
        })
    }
}

/// Where a move went from and to.
fn squares(played: &Played) -> Bitboard {
    match played.uci.parse() {
        Ok(UciMove::Normal { from, to, .. }) => Bitboard::from(from).with(to),
        _ => Bitboard::EMPTY,
    }
}
