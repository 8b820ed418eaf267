//! Confidence of a move, by how it was decided.

use crate::game::Confidence;
use crate::infer::model::{self, Cost, RECONSTRUCTED_CONFIDENCE};

/// Nothing else could have grown out of the same touch; seen square by square.
pub(super) const CLOSED: Confidence = Confidence(999);
/// The opponent or the clock has answered it.
pub(super) const ANSWERED: Confidence = Confidence(995);
/// A king move to the centre, which may be half of a result signal.
pub(super) const KING_TO_CENTRE: Confidence = Confidence(900);
/// Found by search, when nothing else would explain the board.
pub(super) const RECONSTRUCTED: Confidence = RECONSTRUCTED_CONFIDENCE;

/// Returns the confidence of a move that was on the board for long enough but could still go on, which has the probability of
/// `wrong` compared with staying there.
pub(super) fn rested(wrong: Cost) -> Confidence {
    let (stays, goes_on) = (model::likelihood(0), model::likelihood(wrong));
    Confidence((1000 * stays / (stays + goes_on)) as u16).min(ANSWERED)
}
