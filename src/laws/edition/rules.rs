//! The figures and choices of an edition.

use crate::laws::Irregularity;
use crate::laws::word::laws_words;

laws_words! {
    /// An event that completes a move (6.2.1).
    pub enum Completion {
        /// The player presses the clock.
        Press = "press",
        /// The move ends the game.
        EndsGame = "ends_game",
        /// The same player makes the next move.
        OwnNextMove = "own_next_move",
    }

    /// The effect on castling of a rook that was touched before the king (4.4.2).
    pub enum RookFirst {
        /// Castling with that rook is not allowed on this move.
        BarsThatSide = "bars_that_side",
        /// Castling must begin with the king, so the move does not count as castling.
        KingMustBeFirst = "king_must_be_first",
    }

    /// What happens to a pawn that was left on the last rank (7.5.2).
    pub enum PawnLeft {
        /// The pawn is replaced by a queen.
        Queen = "queen",
        /// The position before the move is restored.
        Restore = "restore",
        /// The promotion is part of the move and must still be made; nothing more is known.
        Complete = "complete",
    }

    /// Whether and when an illegal move can no longer be corrected.
    pub enum IllegalMoveFinality {
        /// It can be corrected until the end of the game.
        Never = "never",
        /// It can no longer be corrected after the opponent has made the next move.
        OpponentMoved = "opponent_moved",
    }

    /// When the arbiter rules.
    pub enum RulingTrigger {
        /// As soon as the arbiter sees it.
        AtOnce = "at_once",
        /// Only when a player claims.
        OnClaim = "on_claim",
    }

    /// The result if the opponent cannot checkmate by any series of legal moves.
    pub enum NoMate {
        /// A draw.
        Draw = "draw",
        /// Still a loss.
        Loses = "loses",
    }

    /// What happens to a game with reversed colours that has continued (7.3).
    pub enum ReversedColoursRule {
        /// The game continues.
        GoesOn = "goes_on",
        /// The game continues unless the arbiter rules otherwise.
        UnlessArbiter = "unless_arbiter",
    }

    /// The action that loses the right to claim a draw on this move (9.4).
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
        /// The arbiter, when they see it, or a player.
        Anyone = "anyone",
        /// The players only.
        Players = "players",
    }

    /// The procedure for both kings in check, or a pawn left on the last rank, without a claim.
    pub enum IllegalPosition {
        /// The arbiter waits for the next completed move; if the position is still illegal then, the game is drawn.
        WaitThenDraw = "wait_then_draw",
        /// The arbiter intervenes if possible.
        Intervene = "intervene",
    }

    /// What happens to the increment that the player gained by pressing the clock after an illegal move.
    pub enum Increment {
        /// The increment is removed.
        TakenBack = "taken_back",
    }

}

/// The escalating penalties for a player's completed illegal moves (7.5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PenaltyLadder {
    /// The additional time for the opponent for the first, the second, … illegal move, in seconds. The next one after these loses.
    pub opponent_s: Vec<u32>,
    /// The result instead of the loss if the opponent cannot checkmate.
    pub no_mate: NoMate,
}

/// The penalty for an incorrect claim of a draw (9.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimPenalty {
    /// The additional time for the opponent, in seconds.
    pub opponent_s: u32,
    /// The reduction of the claimant's remaining time.
    pub halving: Option<Halving>,
}

/// A penalty of half the remaining time, with an upper limit and a minimum for the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halving {
    /// The upper limit of the reduction, in seconds.
    pub max_s: u32,
    /// The minimum of the time that is left, if there was as much, in seconds.
    pub floor_s: u32,
}

/// A claim in a quickplay finish that the opponent cannot win, or does not try to win (2009, Art. 10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quickplay {
    /// The claimant must have less remaining time than this, in seconds.
    pub below_s: u32,
    /// The additional time for the opponent if the arbiter postpones the decision or rejects the claim, in seconds.
    pub opponent_s: u32,
}

/// The limits of the time classes, by the time for 60 moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// The minimum time of a rapid game, in seconds. Less is blitz.
    pub rapid_from_s: u32,
    /// The minimum time of a standard game, in seconds.
    pub standard_from_s: u32,
}

/// Declares [`Rules`] so that one set can override another.
macro_rules! rules {
    ($($(#[$doc:meta])* $field:ident: $type:ty),+ $(,)?) => {
        /// The rules for one kind of games. A field is `None` if the edition does not say, or if its text is not available.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Rules { $($(#[$doc])* pub $field: Option<$type>),+ }

        impl Rules {
            /// Rules in which no field is set.
            pub const NONE: Rules = Rules { $($field: None),+ };

            /// Returns these rules, overridden by the fields that are set in `over`.
            pub fn overruled_by(&self, over: &Rules) -> Rules {
                Rules { $($field: over.$field.clone().or_else(|| self.$field.clone())),+ }
            }
        }
    };
}

rules! {
    /// The events that complete a move.
    completed_by: Vec<Completion>,
    /// The effect of a rook that was touched first.
    rook_first: RookFirst,
    /// What happens to a pawn left on the last rank.
    pawn_left: PawnLeft,
    /// The irregularities that count for the penalties, all in one count.
    counted: Vec<Irregularity>,
    /// The penalties for the counted irregularities.
    penalty: PenaltyLadder,
    /// When an illegal move can no longer be corrected.
    illegal_move_finality: IllegalMoveFinality,
    /// When the arbiter rules on illegal moves.
    illegal_ruled: RulingTrigger,
    /// When the arbiter rules on touched pieces.
    touch_ruled: RulingTrigger,
    /// The number of moves of each player after which set-up, orientation and clock setting can no longer be claimed.
    set_up_moves: u32,
    /// With fewer moves of each player than this, reversed colours lead to a new game.
    reversed_below: u32,
    /// The consequence of reversed colours otherwise.
    reversed: ReversedColoursRule,
    /// The time after the start within which reversed colours may lead to a new game if nothing was captured, in seconds.
    reversed_within_s: u32,
    /// The penalty for an incorrect claim.
    wrong_claim: ClaimPenalty,
    /// The number of moves that each player must have made before a draw by agreement.
    agreement_moves: u32,
    /// When a draw can be claimed in a quickplay finish, and the penalty for the claim.
    quickplay: Quickplay,
    /// The number of occurrences of a position for a claim.
    repetition: u32,
    /// The number of moves of each player without a pawn move or capture for a claim.
    fifty: u32,
    /// The number of occurrences of a position that ends the game.
    five_fold: u32,
    /// Which of these occurrences count.
    five_fold_kind: FiveFold,
    /// The number of moves of each player without a pawn move or capture that ends the game.
    seventy_five: u32,
    /// The action that loses the right to claim.
    claim_lost: ClaimLost,
    /// The result of a resignation if the opponent cannot checkmate.
    resigned: NoMate,
    /// The result of a flag fall if the opponent cannot checkmate.
    flag: NoMate,
    /// Who calls a flag.
    flag_called: FlagCaller,
    /// The procedure for an illegal position.
    illegal_position: IllegalPosition,
    /// What happens to the increment gained with an illegal move.
    increment: Increment,
}
