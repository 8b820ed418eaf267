//! The replies of touchmoved to commands that succeeded.

/// The reply of touchmoved to a command that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The command was carried out.
    Done,
    /// A position was restored, and the touched pieces allow these moves, as UCI; empty: any legal move.
    Bound(Vec<String>),
    /// The verdict on a claim.
    Claim(ClaimVerdict),
    /// A command was undone; the fields are as in signal `Commanded`.
    Undone {
        /// The command.
        command: String,
        /// The command's argument.
        argument: String,
    },
}

/// The verdict on a claim, as returned by method `Claim`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimVerdict {
    /// Whether the game is drawn.
    pub right: bool,
    /// The reason, as a sentence.
    pub sentence: String,
    /// Plies after which the position occurred on the board.
    pub occurrences: Vec<u32>,
    /// Number of plies without a capture or pawn move.
    pub quiet: u32,
    /// What the Laws require.
    pub required: Vec<String>,
    /// The articles, the most important first.
    pub articles: Vec<String>,
}
