//! What an edition says in figures and choices, as far as it says anything.

use crate::laws::Irregularity;
use crate::laws::word::worded;

worded! {
    /// What completes a move (6.2.1).
    pub enum Completion {
        /// The player presses his clock.
        Press = "press",
        /// It ends the game.
        EndsGame = "ends_game",
        /// The same player makes his next move.
        OwnNextMove = "own_next_move",
    }

    /// What a rook touched before the king means for castling (4.4.2).
    pub enum RookFirst {
        /// No castling with that rook on this move.
        BarsThatSide = "bars_that_side",
        /// Castling begins with the king: it is not castling.
        KingMustBeFirst = "king_must_be_first",
    }

    /// What becomes of a pawn that was left on the last rank (7.5.2).
    pub enum PawnLeft {
        /// It is replaced by a queen.
        Queen = "queen",
        /// The position before it is put back.
        Restore = "restore",
        /// The exchange is part of the move and is still to be done; nothing more is known.
        Complete = "complete",
    }

    /// Whether and when an illegal move can no longer be corrected.
    pub enum Stands {
        /// It can as long as the game lasts.
        Never = "never",
        /// Once the opponent has made his next move.
        OpponentMoved = "opponent_moved",
    }

    /// When the arbiter rules.
    pub enum Ruled {
        /// As soon as he sees it.
        AtOnce = "at_once",
        /// Only when a player claims.
        OnClaim = "on_claim",
    }

    /// What an outcome becomes when the opponent cannot mate by any series of legal moves.
    pub enum NoMate {
        /// A draw.
        Draw = "draw",
        /// A loss all the same.
        Loses = "loses",
    }

    /// What becomes of a game with reversed colours that has gone on (7.3).
    pub enum Reversed {
        /// It goes on.
        GoesOn = "goes_on",
        /// It goes on unless the arbiter rules otherwise.
        UnlessArbiter = "unless_arbiter",
    }

    /// What loses the right to claim a draw on this move (9.4).
    pub enum ClaimLost {
        /// Touching a piece.
        Touch = "touch",
        /// Completing the move.
        CompletedMove = "completed_move",
    }

    /// Which five equal positions end the game (9.6.1).
    pub enum FiveFold {
        /// Any five.
        Any = "any",
        /// Five in consecutive moves of each player.
        Consecutive = "consecutive",
    }

    /// Who calls a flag.
    pub enum FlagCaller {
        /// The arbiter when he sees it, or a player.
        Anyone = "anyone",
        /// The players only.
        Players = "players",
    }

    /// What is done about both kings in check, or a pawn left on the last rank, that nobody claimed.
    pub enum IllegalPosition {
        /// The arbiter waits for the next completed move; is the position still illegal then, the game is drawn.
        WaitThenDraw = "wait_then_draw",
        /// The arbiter intervenes if he can.
        Intervene = "intervene",
    }

    /// What becomes of the increment that the press of an illegal move gained.
    pub enum Increment {
        /// It is taken back.
        TakenBack = "taken_back",
    }

}

/// What completed illegal moves of one player cost him (7.5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// What the opponent gets for the first, the second, …; seconds. The one after these loses.
    pub opponent_s: Vec<u32>,
    /// What the loss becomes when the opponent cannot mate.
    pub no_mate: NoMate,
}

/// What an incorrect claim of a draw costs (9.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimPenalty {
    /// What the opponent gets; seconds.
    pub opponent_s: u32,
    /// What the claimant loses of his own time.
    pub halving: Option<Halving>,
}

/// Half of what is left is taken, but not more than so much, and so much is left in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halving {
    /// No more than this is taken; seconds.
    pub max_s: u32,
    /// No less than this is left, if there was as much; seconds.
    pub floor_s: u32,
}

/// A claim that the opponent cannot win, or does not try to, in a quickplay finish (2009, Art. 10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quickplay {
    /// The claimant must have less time left than this; seconds.
    pub below_s: u32,
    /// What the opponent gets where the arbiter postpones his decision or rejects the claim; seconds.
    pub opponent_s: u32,
}

/// What a game of this time for 60 moves is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// The least time of a rapid game; seconds. Less is blitz.
    pub rapid_from_s: u32,
    /// The least time of a standard game; seconds.
    pub standard_from_s: u32,
}

/// Declares [`Rules`] so that one can be laid over another.
macro_rules! rules {
    ($($(#[$doc:meta])* $field:ident: $type:ty),+ $(,)?) => {
        /// What holds in one kind of game. `None`: the edition does not say, or its text is not at hand.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Rules { $($(#[$doc])* pub $field: Option<$type>),+ }

        impl Rules {
            /// Nothing is said of anything.
            pub const NONE: Rules = Rules { $($field: None),+ };

            /// These, but what `over` says goes before.
            pub fn overruled_by(&self, over: &Rules) -> Rules {
                Rules { $($field: over.$field.clone().or_else(|| self.$field.clone())),+ }
            }
        }
    };
}

rules! {
    /// What completes a move.
    completed_by: Vec<Completion>,
    /// What a rook touched first means.
    rook_first: RookFirst,
    /// What becomes of a pawn left on the last rank.
    pawn_left: PawnLeft,
    /// Which irregularities count for the penalties, all in one count.
    counted: Vec<Irregularity>,
    /// What the counted ones cost.
    penalty: Ladder,
    /// When an illegal move stands.
    stands: Stands,
    /// When the arbiter rules on illegal moves.
    illegal_ruled: Ruled,
    /// When the arbiter rules on touched pieces.
    touch_ruled: Ruled,
    /// After so many moves of each player nothing can be claimed of set-up, orientation and clock setting.
    set_up_moves: u32,
    /// With fewer moves of each player than this, reversed colours mean a new game.
    reversed_below: u32,
    /// What they mean otherwise.
    reversed: Reversed,
    /// For so long after the start, while nothing was exchanged, reversed colours may mean a new game; seconds.
    reversed_within_s: u32,
    /// What an incorrect claim costs.
    wrong_claim: ClaimPenalty,
    /// How many moves each player must have made before they can agree to a draw.
    agreement_moves: u32,
    /// When a draw can be claimed in a quickplay finish, and what the claim may cost.
    quickplay: Quickplay,
    /// How often a position must have appeared for a claim.
    repetition: u32,
    /// How many moves of each player without pawn move and capture a claim takes.
    fifty: u32,
    /// How often a position must have appeared to end the game.
    five_fold: u32,
    /// Which of those.
    five_fold_kind: FiveFold,
    /// How many moves of each player without pawn move and capture end the game.
    seventy_five: u32,
    /// What loses the right to claim.
    claim_lost: ClaimLost,
    /// What a resignation is when the opponent cannot mate.
    resigned: NoMate,
    /// What a fallen flag is when the opponent cannot mate.
    flag: NoMate,
    /// Who calls a flag.
    flag_called: FlagCaller,
    /// What is done about an illegal position.
    illegal_position: IllegalPosition,
    /// What becomes of the increment of an illegal move.
    increment: Increment,
}
