//! Parts that several board families share.

pub(super) mod silence_watchdog;
pub(super) mod streamed;
pub(super) mod wireless;

use super::{Placement, Reading, SquareState};
use shakmaty::Square;

/// Returns the squares that differ, in the order in which hands change them: lifted pieces first.
fn changes(before: &Placement, now: &Placement) -> Vec<Reading> {
    let changed = Square::ALL.into_iter().filter(|&square| before[square as usize] != now[square as usize]);
    let (lifted, placed): (Vec<_>, Vec<_>) = changed.partition(|&square| now[square as usize] == SquareState::Empty);
    lifted.into_iter().chain(placed).map(|square| Reading::Square(square, now[square as usize])).collect()
}
