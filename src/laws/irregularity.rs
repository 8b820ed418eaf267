//! Irregularities, and the count of those that are penalised.

use crate::laws::word::laws_words;
use shakmaty::Color;

laws_words! {
    /// A breach of the Laws that a board and a clock can detect. Article numbers are those of 2023.
    pub enum Irregularity {
        /// A move against Article 3, including one that captures a king (7.5.1).
        IllegalMove = "illegal_move",
        /// Castling that is not legal (4.4.3, 7.5.1).
        IllegalCastling = "illegal_castling",
        /// A pawn left on the last rank (7.5.2).
        PawnLeft = "pawn_left",
        /// The clock pressed without a move (7.5.3).
        PressWithoutMove = "press_without_move",
        /// Two hands for one move (7.5.4).
        TwoHands = "two_hands",
        /// The clock pressed with the piece still in the hand (6.2.4).
        PressBeforeRelease = "press_before_release",
        /// Another move than the touched pieces allow (4.3, 4.4).
        TouchBroken = "touch_broken",
        /// A move that was changed after the release of the piece (4.7).
        ReleaseChanged = "release_changed",
        /// Another move than castling after the king was released on its castling square (4.7.2).
        CastlingAbandoned = "castling_abandoned",
        /// Another piece than the one that touched the square of promotion (4.4.4).
        PromotionChanged = "promotion_changed",
        /// Pieces handled in the opponent's time (4.2.1, 6.2.5).
        HandledOffTurn = "handled_off_turn",
        /// Pieces displaced by the player who pressed (7.4).
        Displaced = "displaced",
        /// Pieces found displaced several moves later (7.6).
        DisplacedFound = "displaced_found",
        /// A captured piece still on the board beside its square: displaced, or a capture not made (4.7.1, 7.4, 7.5).
        CaptureUnclear = "capture_unclear",
        /// The pieces were placed incorrectly at the start (7.2.1).
        WrongStart = "wrong_start",
        /// The board is placed incorrectly (7.2.2).
        Orientation = "orientation",
        /// The players have each other's colours (7.3).
        Reversed = "reversed",
        /// Both kings in check, or a pawn on the last rank, and the game has continued (A.5.4).
        IllegalPosition = "illegal_position",
    }
}

/// An attempted move with counted irregularities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedAttempt {
    /// The time of the clock press, in milliseconds. It identifies the attempt: after a position was restored, the same ply may be
    /// irregular again.
    pub pressed_at: u64,
    /// The ply of the game, from 1.
    pub ply: u32,
    /// The irregularities; several in the same attempt count once.
    pub irregularities: Vec<Irregularity>,
}

/// The counted irregularities of each player in a game, for the penalties for illegal moves (7.5.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IrregularityCounts {
    white: Vec<CountedAttempt>,
    black: Vec<CountedAttempt>,
}

impl IrregularityCounts {
    /// Counts an irregularity that was completed by a clock press, and returns the player's new count. Two with one press count
    /// once.
    pub fn add(&mut self, player: Color, pressed_at: u64, ply: u32, irregularity: Irregularity) -> u32 {
        let list = self.list(player);
        match list.iter_mut().find(|counted| counted.pressed_at == pressed_at) {
            Some(counted) if counted.irregularities.contains(&irregularity) => {}
            Some(counted) => counted.irregularities.push(irregularity),
            None => list.push(CountedAttempt { pressed_at, ply, irregularities: vec![irregularity] }),
        }
        self.count(player)
    }

    /// Removes the irregularities of a clock press, as the arbiter may rule. Returns whether there were any.
    pub fn remove(&mut self, player: Color, pressed_at: u64) -> bool {
        let list = self.list(player);
        let before = list.len();
        list.retain(|counted| counted.pressed_at != pressed_at);
        list.len() != before
    }

    /// Returns the number of counted attempts of this player.
    pub fn count(&self, player: Color) -> u32 {
        u32::try_from(self.of(player).len()).unwrap_or(u32::MAX)
    }

    /// Returns the counted attempts of this player, in the order of counting.
    pub fn of(&self, player: Color) -> &[CountedAttempt] {
        match player {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    fn list(&mut self, player: Color) -> &mut Vec<CountedAttempt> {
        match player {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }
}
