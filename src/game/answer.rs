//! What a command says to whoever gave it.

use crate::game::{Command, Text};
use crate::laws::Act;

/// What a command that was carried out says to whoever gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// It was done.
    #[default]
    Done,
    /// A position was put back, and the player to move has to make one of these moves, as UCI (Art. 7.5.1); none: any legal move.
    Bound(Vec<String>),
    /// What a claim is worth.
    Claim(Verdict),
    /// This was taken back.
    Undone(Command),
}

/// What a claim of a draw is worth (Art. 9.2, 9.3), and what the Laws then require.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the game is drawn.
    pub right: bool,
    /// Why.
    pub text: Text,
    /// Plies after which the position stood on the board, 0 for the start; an intended move's own ply is the last.
    pub occurrences: Vec<u32>,
    /// Plies without a capture or a pawn's move, the intended one included.
    pub quiet: u32,
    /// What the Laws require, in this order; nothing where the edition does not say.
    pub required: Vec<Act>,
    /// The articles of the edition in force, the most important first; none where it is silent, or its text is not at hand.
    pub articles: Vec<String>,
}
