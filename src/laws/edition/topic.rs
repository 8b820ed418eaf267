//! The topics on which an edition has articles.

use crate::laws::word::laws_words;

laws_words! {
    /// A topic of an article of the Laws. Article numbers are those of 2023.
    pub enum Topic {
        /// What makes a move legal (3.1–3.10).
        Legality = "legality",
        /// No king may be left or placed in check (3.9.2).
        KingSafety = "king_safety",
        /// A king is never captured (1.4.1).
        KingCapture = "king_capture",
        /// A captured piece is removed from the board (3.1.1).
        Capture = "capture",
        /// En passant (3.7.3.1–2).
        EnPassant = "en_passant",
        /// A pawn on the last rank is exchanged (3.7.3.3–5).
        Promotion = "promotion",
        /// A promotion piece put down upside down counts as what it is.
        UpsideDown = "upside_down",
        /// Castling (3.8.2).
        Castling = "castling",
        /// Permanent loss of the right to castle (3.8.2.1).
        CastlingLost = "castling_lost",
        /// Castling in Chess960 (Guidelines II).
        Chess960 = "chess960",
        /// One hand for a move (4.1).
        OneHand = "one_hand",
        /// Adjusting announced before (4.2.1).
        Adjust = "adjust",
        /// Any other contact is intent, unless clearly accidental (4.2.2).
        Contact = "contact",
        /// Touch-move as a whole (4.3).
        Touch = "touch",
        /// Own pieces touched (4.3.1).
        TouchOwn = "touch_own",
        /// Pieces of the opponent touched (4.3.2).
        TouchOpponent = "touch_opponent",
        /// Pieces of both sides touched (4.3.3).
        TouchBoth = "touch_both",
        /// King and rook touched (4.4.1).
        CastlingTouched = "castling_touched",
        /// A rook touched before the king (4.4.2).
        RookFirst = "rook_first",
        /// King, then rook, and castling there is illegal (4.4.3).
        CastlingIllegal = "castling_illegal",
        /// King and rook are returned after illegal castling (7.5.1).
        CastlingPutBack = "castling_put_back",
        /// When the choice of the new piece is final (4.4.4).
        PromotionFinal = "promotion_final",
        /// None of the touched pieces can be moved or captured (4.5).
        TouchFree = "touch_free",
        /// The ways to promote (4.6).
        PromotionAct = "promotion_act",
        /// A released piece must stay on its square (4.7).
        Released = "released",
        /// When a capture is made (4.7.1).
        CaptureMade = "capture_made",
        /// When castling is made, and the obligation after the release of the king (4.7.2).
        CastlingMade = "castling_made",
        /// When a promotion is made (4.7.3).
        PromotionMade = "promotion_made",
        /// The time limit for claiming a breach of Article 4 (4.8).
        TouchClaim = "touch_claim",
        /// Whether the arbiter rules on touched pieces without a claim.
        TouchRuled = "touch_ruled",
        /// Checkmate (5.1.1).
        Mate = "mate",
        /// Resignation (5.1.2).
        Resignation = "resignation",
        /// Stalemate (5.2.1).
        Stalemate = "stalemate",
        /// Neither side can checkmate any more (5.2.2).
        DeadPosition = "dead_position",
        /// A draw that the players agree on (5.2.3).
        Agreement = "agreement",
        /// When a move is completed (6.2.1).
        Completed = "completed",
        /// Pressing after the opponent's reply (6.2.2).
        LatePress = "late_press",
        /// Pressing before the move, hitting the clock (6.2.4).
        ClockHandling = "clock_handling",
        /// Adjusting in one's own time only (6.2.5).
        AdjustOwnTime = "adjust_own_time",
        /// When a flag counts as fallen (6.8).
        FlagSeen = "flag_seen",
        /// The consequence of a flag fall (6.9).
        FlagFall = "flag_fall",
        /// The reasons for which a player may stop the clock (6.11.2).
        Pause = "pause",
        /// Both flags are down.
        BothFlags = "both_flags",
        /// The clock times after a position was restored (7.1).
        ClockTimes = "clock_times",
        /// The pieces were placed incorrectly at the start (7.2.1).
        WrongStart = "wrong_start",
        /// The board is placed incorrectly (7.2.2).
        Orientation = "orientation",
        /// The players have each other's colours (7.3).
        Reversed = "reversed",
        /// A player displaces pieces (7.4).
        Displaced = "displaced",
        /// An illegal move was completed (7.5.1).
        IllegalMove = "illegal_move",
        /// A pawn was left on the last rank (7.5.2).
        PawnLeft = "pawn_left",
        /// The clock was pressed without a move (7.5.3).
        PressWithoutMove = "press_without_move",
        /// Two hands for one move (7.5.4).
        TwoHands = "two_hands",
        /// The penalties for illegal moves (7.5.5).
        Penalty = "penalty",
        /// A piece is found on a wrong square (7.6).
        DisplacedFound = "displaced_found",
        /// The time limit for claiming a wrong start (A.5.1.2).
        SetUpLimit = "set_up_limit",
        /// When an illegal move can no longer be corrected (A.5.2).
        IllegalStands = "illegal_stands",
        /// Both kings in check, or a pawn on the last rank, without a claim (A.5.4).
        IllegalPosition = "illegal_position",
        /// Who calls a flag (A.5.5).
        FlagCalled = "flag_called",
        /// A signed result is final (8.7).
        ResultSigned = "result_signed",
        /// Threefold repetition with an intended move (9.2.1).
        RepetitionIntended = "repetition_intended",
        /// Threefold repetition on the board (9.2.2).
        Repetition = "repetition",
        /// Which positions are the same (9.2.3).
        SamePosition = "same_position",
        /// The fifty-move rule with an intended move (9.3.1).
        FiftyIntended = "fifty_intended",
        /// The fifty-move rule for moves that were made (9.3.2).
        Fifty = "fifty",
        /// Loss of the right to claim a draw on this move (9.4).
        ClaimLost = "claim_lost",
        /// A correct claim (9.5.2).
        RightClaim = "right_claim",
        /// An incorrect claim (9.5.3).
        WrongClaim = "wrong_claim",
        /// A draw claimed in a quickplay finish (2009, Art. 10.2; Guidelines III.4, III.5).
        Quickplay = "quickplay",
        /// Fivefold repetition (9.6.1).
        FiveFold = "five_fold",
        /// The seventy-five-move rule (9.6.2).
        SeventyFive = "seventy_five",
        /// Checkmate takes precedence over the seventy-five-move rule (9.6.2).
        MateFirst = "mate_first",
        /// The penalties that the arbiter may impose (12.9).
        Penalties = "penalties",
        /// The definition of rapid and blitz games (A.1, B.1).
        TimeClass = "time_class",
    }
}

impl Topic {
    /// Returns whether the topic is about how pieces move (Art. 3). If an edition has no article on such a topic, its article on
    /// legal moves in general applies.
    pub fn is_about_moves(self) -> bool {
        use Topic::{Castling, CastlingLost, EnPassant, KingCapture, KingSafety, Legality, Promotion};
        [Legality, KingSafety, KingCapture, EnPassant, Promotion, Castling, CastlingLost].contains(&self)
    }
}
