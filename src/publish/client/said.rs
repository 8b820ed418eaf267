//! What touchmoved says to an order that it carried out.

/// What touchmoved says to an order that it carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It was done.
    Done,
    /// A position was put back, and the touched pieces allow these moves, as UCI; none: any legal move.
    Bound(Vec<String>),
    /// What a claim is worth.
    Claim(Worth),
    /// This was taken back, in the words of signal `Commanded`.
    Undone {
        /// The command.
        command: String,
        /// What it was about.
        argument: String,
    },
}

/// What a claim is worth, as method `Claim` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worth {
    /// Whether the game is drawn.
    pub right: bool,
    /// Why.
    pub sentence: String,
    /// Plies after which the position stood on the board.
    pub occurrences: Vec<u32>,
    /// Plies without a capture or a pawn's move.
    pub quiet: u32,
    /// What the Laws require.
    pub required: Vec<String>,
    /// The articles.
    pub articles: Vec<String>,
}
