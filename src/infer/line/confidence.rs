//! Confidence of a move, by how it was decided.

use crate::game::Confidence;
use crate::infer::model::RECONSTRUCTED_CONFIDENCE;

/// Nothing else could have grown out of the same touch; seen square by square.
pub(super) const CLOSED: Confidence = Confidence(999);
/// The opponent or the clock has answered it.
pub(super) const ANSWERED: Confidence = Confidence(995);
/// It was on the board long enough but could still go on: in 8 of 199 real moves a hand stopped on the way.
pub(super) const RESTED: Confidence = Confidence(950);
/// A king move to the centre, which may be half of a result signal.
pub(super) const KING_TO_CENTRE: Confidence = Confidence(900);
/// Found by search, when nothing else would explain the board.
pub(super) const RECONSTRUCTED: Confidence = RECONSTRUCTED_CONFIDENCE;
