//! Situations in which a ruling is requested, and the facts on which it depends.

use crate::laws::edition::Topic;
use crate::laws::word::laws_words;
use crate::laws::{Irregularity, LawsWord, Winnable};

laws_words! {
    /// A situation that is not an irregularity but has consequences under the Laws. Article numbers are those of 2023.
    pub enum Occasion {
        /// A piece was touched that can be moved or captured (4.3).
        Touched = "touched",
        /// Pieces were touched of which none can be moved or captured (4.5).
        TouchedInVain = "touched_in_vain",
        /// A piece was adjusted after an announcement (4.2.1).
        Adjusted = "adjusted",
        /// A piece left its square and returned: an accident, or a touch (4.2.2, 7.4).
        Brushed = "brushed",
        /// A piece is between two squares (4.2, 7.4).
        BetweenSquares = "between_squares",
        /// A legal capture, made in any order (4.7.1).
        Captured = "captured",
        /// Legal castling (4.7.2).
        Castled = "castled",
        /// The king was released as in legal castling, and the rook must still be moved (4.7.2).
        CastlingBegun = "castling_begun",
        /// Legal castling in Chess960 (Guidelines II).
        Castled960 = "castled_960",
        /// A legal promotion, made in any order (4.6, 4.7.3).
        Promoted = "promoted",
        /// A piece was put upside down on the square of promotion and counts as what it is (3.7.3.3).
        UpsideDown = "upside_down",
        /// The clock was pressed after the opponent's reply (6.2.2).
        LatePress = "late_press",
        /// The clock was stopped to call the arbiter, for a valid reason (6.11.2).
        Paused = "paused",
        /// Checkmate (5.1.1).
        Mate = "mate",
        /// Checkmate with the seventy-fifth move (9.6.2).
        MateAtSeventyFive = "mate_at_seventy_five",
        /// Stalemate (5.2.1).
        Stalemate = "stalemate",
        /// Neither side can checkmate (5.2.2).
        DeadPosition = "dead_position",
        /// A flag has fallen (6.9).
        FlagFall = "flag_fall",
        /// Both flags have fallen (6.11 of 2009 and 2014, Guidelines III.3.1).
        BothFlags = "both_flags",
        /// A player resigns (5.1.2).
        Resigned = "resigned",
        /// The players agree on a draw (5.2.3).
        Agreed = "agreed",
        /// A draw is claimed in a quickplay finish (2009, 10.2).
        Quickplay = "quickplay",
        /// The arbiter postpones the decision on such a claim, or rejects it.
        QuickplayRefused = "quickplay_refused",
        /// Fivefold repetition (9.6.1).
        FiveFold = "five_fold",
        /// Seventy-five moves without a capture or pawn move (9.6.2).
        SeventyFive = "seventy_five",
        /// A correct claim of threefold repetition (9.2.2).
        Repeated = "repeated",
        /// A correct claim of threefold repetition with an intended move (9.2.1).
        RepeatedIntended = "repeated_intended",
        /// A correct claim under the fifty-move rule (9.3.2).
        Fifty = "fifty",
        /// A correct claim under the fifty-move rule with an intended move (9.3.1).
        FiftyIntended = "fifty_intended",
        /// A claim of a draw by a player who can no longer claim on this move (9.4).
        ClaimLost = "claim_lost",
        /// An incorrect claim of a draw (9.5.3).
        WrongClaim = "wrong_claim",
        /// An incorrect claim of a draw with an intended move.
        WrongClaimIntended = "wrong_claim_intended",
        /// Kings were put on the centre squares.
        KingsInCentre = "kings_in_centre",
        /// The pieces were swept together.
        Swept = "swept",
    }
}

/// A situation in which a ruling is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// An irregularity.
    Irregular(Irregularity),
    /// Any other situation.
    Occasion(Occasion),
}

impl Situation {
    /// Returns its unique word.
    pub fn word(self) -> &'static str {
        match self {
            Situation::Irregular(irregularity) => irregularity.word(),
            Situation::Occasion(occasion) => occasion.word(),
        }
    }

    /// Returns the situation with this word.
    pub fn from_word(word: &str) -> Option<Situation> {
        let irregular = Irregularity::from_word(word).map(Situation::Irregular);
        irregular.or_else(|| Occasion::from_word(word).map(Situation::Occasion))
    }

    /// Iterates over all situations.
    pub fn all() -> impl Iterator<Item = Situation> {
        let irregular = Irregularity::ALL.iter().copied().map(Situation::Irregular);
        irregular.chain(Occasion::ALL.iter().copied().map(Situation::Occasion))
    }
}

laws_words! {
    /// The progress of the move in question.
    pub enum Stage {
        /// The clock has not been pressed: the player may still correct the move.
        Pending = "pending",
        /// The clock has been pressed.
        Completed = "completed",
    }

    /// The opponent's action since the move.
    pub enum Reply {
        /// Nothing.
        Nothing = "nothing",
        /// The opponent touched a piece.
        Touched = "touched",
        /// The opponent made the next move.
        Made = "made",
    }
}

/// The facts on which a ruling depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulingFacts {
    /// The progress of the move; for an illegal position, of the next move.
    pub stage: Stage,
    /// The opponent's action since the move.
    pub reply: Reply,
    /// The ordinal number of this counted irregularity for the player in this game, from 1.
    pub nth: u32,
    /// The number of moves that both players have completed (the smaller of the two numbers).
    pub moves: u32,
    /// Whether the opponent can checkmate by any series of legal moves; `None` while the search is running.
    pub opponent_can_mate: Option<Winnable>,
    /// Whether the move that led to the position is illegal or has an open touch-move notice: such a move does not end the game
    /// (5.1.1, 5.2.1, 5.2.2).
    pub unsettled: bool,
    /// Whether a player claims.
    pub claimed: bool,
    /// Whether pressing the clock gained the player an increment.
    pub increment: bool,
    /// The duration of the game, in seconds.
    pub lasted_s: u32,
    /// Whether anything was captured in the game.
    pub exchanged: bool,
    /// The player's remaining time, in seconds.
    pub left_s: u32,
    /// Whether the game is over and the result is signed.
    pub signed: bool,
    /// Whether the equal positions occurred in consecutive moves of each player.
    pub consecutive: bool,
    /// Whether an illegal position is still on the board after the next completed move.
    pub still_there: bool,
    /// The specific topic if known, for example the part of touch-move or of Article 3. Its article is also cited.
    pub because: Option<Topic>,
}

impl Default for RulingFacts {
    fn default() -> RulingFacts {
        RulingFacts {
            stage: Stage::Completed,
            reply: Reply::Nothing,
            nth: 1,
            moves: 0,
            opponent_can_mate: Some(Winnable::CanMate),
            unsettled: false,
            claimed: false,
            increment: false,
            lasted_s: 3600,
            exchanged: true,
            left_s: 60,
            signed: false,
            consecutive: true,
            still_there: true,
            because: None,
        }
    }
}

impl RulingFacts {
    /// Returns the same facts with this value of `opponent_can_mate`.
    pub(super) fn with_mate(self, known: Winnable) -> RulingFacts {
        RulingFacts { opponent_can_mate: Some(known), ..self }
    }

    /// Returns whether the opponent can checkmate; `true` unless it is known that they cannot.
    pub(super) fn can_mate(&self) -> bool {
        self.opponent_can_mate != Some(Winnable::CannotMate)
    }
}
