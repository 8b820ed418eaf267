//! The rules on touched pieces in which editions differ.

use crate::laws::edition::RookFirst;
use crate::laws::{Laws, Topic, edition};

/// The rules on touched pieces in which editions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchRules {
    /// Whether touched pieces must be moved or captured.
    pub touched: TouchBinding,
    /// Whether the choice of the promotion piece can be changed.
    pub promotion: Promotion,
    /// The effect on castling of a rook that was touched before the king; `None` if the edition does not say.
    pub rook_first: Option<RookFirst>,
    /// What happens to a pawn that was left on the last rank.
    pub pawn_left: PawnLeft,
}

/// Whether touched pieces must be moved or captured (4.3–4.5, 4.4.1, 4.4.2, 4.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchBinding {
    /// Touched pieces must be moved or captured.
    Bind,
    /// The available text does not say. After castling that is illegal, or was begun with the rook, the king must still move
    /// (1973, Section 6).
    Unspecified,
}

/// Whether the choice of the promotion piece can be changed (4.4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// The choice is final when the new piece has touched the square of promotion.
    Final,
    /// The available text does not say.
    Unspecified,
}

/// What happens to a pawn that was on the last rank when the clock was pressed (7.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PawnLeft {
    /// The pawn is replaced by a queen (since 2014).
    Queen,
    /// The move is retracted, and the pawn is promoted on that square to any piece (2009: 7.4a and 4.6c).
    TakenBack,
}

/// The rules of the Laws of 2023.
impl Default for TouchRules {
    fn default() -> Self {
        TouchRules {
            touched: TouchBinding::Bind,
            promotion: Promotion::Final,
            rook_first: Some(RookFirst::BarsThatSide),
            pawn_left: PawnLeft::Queen,
        }
    }
}

impl TouchRules {
    /// Returns the rules of these Laws.
    pub fn of(laws: &Laws) -> TouchRules {
        let rules = laws.rules();
        TouchRules {
            touched: if laws.article(Topic::TouchOwn).is_some() { TouchBinding::Bind } else { TouchBinding::Unspecified },
            promotion: if laws.article(Topic::PromotionFinal).is_some() { Promotion::Final } else { Promotion::Unspecified },
            rook_first: rules.rook_first,
            pawn_left: if rules.pawn_left == Some(edition::PawnLeft::Queen) { PawnLeft::Queen } else { PawnLeft::TakenBack },
        }
    }
}
