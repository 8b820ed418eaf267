//! Whether a player can still mate, by any series of legal moves: dead positions (Art. 5.2.2), flag fall (Art. 6.9), a
//! resignation (Art. 5.1.2 of 2023) or a last illegal move (Art. 7.5.5) where the opponent cannot win.
//!
//! Stages, each dearer than the one before, asked only if that one does not know: the men on the board; a walk on which one
//! player takes what he can, which settles most positions of play; a short search for a mate with both players helping; where
//! men can ever come to stand ([`reach`]); two long searches. "Can mate" rests on a mate that was found, "cannot" on a proof or on
//! every position having been looked at. Moves without a capture or a pawn's move are not counted: the arbiter ends such a game by
//! Art. 9.6.2, not by these articles.

mod climb;
mod mates;
mod reach;
mod score;
mod search;

use crate::laws::Position;
use crate::laws::position::Kind;
use reach::Reach;
use search::Found;
use shakmaty::{Bitboard, Board, Color, Position as Rules};

/// Positions that the short search may look at: it takes about as long as to find out where men can ever come to stand.
const SHORT: u32 = 1 << 10;
/// Positions that each of the two long searches looks at before the answer is [`Winnable::Possible`]: less than a second for both
/// and less than 10 MB, given back at the end, on a desktop computer.
pub const LIMIT: u32 = 1 << 18;
/// More men than these are no position that anybody reached by play.
const MEN: usize = 32;

/// Whether a player can still mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winnable {
    /// Some series of legal moves mates the opponent.
    CanMate,
    /// No series of legal moves does.
    CannotMate,
    /// None was found before the limit, nor shown not to exist; or the position has not one king a side, and no mate can be
    /// spoken of.
    Possible,
}

/// Whether `winner` can still mate from here, whoever is to move. The same position always gets the same answer.
pub fn winnable(position: &Position, winner: Color) -> Winnable {
    winnable_within(position, winner, LIMIT)
}

/// The same, with another limit (at most [`LIMIT`]).
pub fn winnable_within(position: &Position, winner: Color, limit: u32) -> Winnable {
    match position.kind() {
        Kind::Regular(chess) => answer(chess, winner, limit.min(LIMIT)),
        Kind::Irregular(irregular) => answer(&**irregular, winner, limit.min(LIMIT)),
    }
}

/// Whether the game ends here as drawn since neither player can mate (Art. 5.2.2). While that is not certain it goes on.
pub fn is_dead(position: &Position) -> bool {
    is_dead_within(position, LIMIT)
}

/// The same, with another limit (at most [`LIMIT`]).
pub fn is_dead_within(position: &Position, limit: u32) -> bool {
    // One who can is enough for it to go on: the one who has more to mate with is found out sooner.
    let count = |color| position.board().by_color(color).count();
    let first = if count(Color::White) >= count(Color::Black) { Color::White } else { Color::Black };
    [first, !first].into_iter().all(|color| winnable_within(position, color, limit) == Winnable::CannotMate)
}

/// What becomes of a game that a player is to lose by the flag (Art. 6.9), by his last illegal move (Art. 7.5.5) or by resigning
/// (Art. 5.1.2, in the edition of 2023 alone).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeit {
    /// His opponent can mate: he loses.
    Lost,
    /// His opponent cannot: it is drawn.
    Drawn,
    /// That was not found out.
    ArbiterDecides,
}

impl Forfeit {
    /// If this player is to lose here.
    pub fn of(position: &Position, loser: Color) -> Forfeit {
        match winnable(position, !loser) {
            Winnable::CanMate => Forfeit::Lost,
            Winnable::CannotMate => Forfeit::Drawn,
            Winnable::Possible => Forfeit::ArbiterDecides,
        }
    }
}

fn answer<P: Rules + Clone>(position: &P, winner: Color, limit: u32) -> Winnable {
    let board = position.board();
    let kings = |color| (board.kings() & board.by_color(color)).count();
    if kings(Color::White) != 1 || kings(Color::Black) != 1 || board.occupied().count() > MEN {
        return Winnable::Possible;
    }
    if !enough_material(board, winner) {
        return Winnable::CannotMate;
    }
    if climb::finds_mate(position, winner) {
        return Winnable::CanMate;
    }
    let settled = |found| match found {
        Found::Mate => Some(Winnable::CanMate),
        Found::NoMate => Some(Winnable::CannotMate),
        Found::GaveUp => None,
    };
    if let Some(answer) = settled(search::search(position, winner, SHORT.min(limit), &[], &search::MIXED)) {
        return answer;
    }
    let mates = mates::possible(&Reach::of(board, &reach::Rights::of(position)), winner);
    if mates.is_empty() {
        return Winnable::CannotMate;
    }
    let plans = [search::MIXED, search::DEEP];
    let mut found = plans.iter().filter_map(|plan| settled(search::search(position, winner, limit, &mates, plan)));
    found.next().unwrap_or(Winnable::Possible)
}

/// Whether there is a mate with these men at all, wherever they stood and whatever pawns became.
pub fn enough_material(board: &Board, winner: Color) -> bool {
    let (ours, theirs) = (board.by_color(winner), board.by_color(!winner));
    if (ours & (board.pawns() | board.rooks_and_queens())).any() {
        return true;
    }
    let (knights, bishops) = (ours & board.knights(), ours & board.bishops());
    if knights.any() {
        // One knight alone needs a man that takes a flight from his own king and cannot take the knight.
        return (knights | bishops).count() > 1 || (theirs & !board.kings() & !board.queens()).any();
    }
    let (light, dark) = (bishops & Bitboard::LIGHT_SQUARES, bishops & Bitboard::DARK_SQUARES);
    let other = if light.any() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
    let blockers = board.pawns() | board.knights() | board.bishops() & other;
    bishops.any() && (light.any() && dark.any() || (theirs & blockers).any())
}
