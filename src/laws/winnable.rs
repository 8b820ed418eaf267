//! Whether a player can still mate, by any series of legal moves: dead positions (Art. 5.2.2), flag fall (Art. 6.9), a
//! resignation (Art. 5.1.2 of 2023) or a last illegal move (Art. 7.5.5) where the opponent cannot win.
//!
//! Stages, each dearer than the one before, asked only if that one does not know: the men on the board; a walk on which one
//! player takes what he can, which settles most positions of play; a short search for a mate with both players helping; where
//! men can ever come to stand ([`reach`]); two long searches. "Can mate" rests on a mate that was found, "cannot" on a proof or on
//! every position having been looked at. All of it can be run in slices, counted in moves looked at. Moves without a capture or a
//! pawn's move are not counted: the arbiter ends such a game by Art. 9.6.2, not by these articles.

mod climb;
mod mates;
mod reach;
mod score;
mod search;

use crate::laws::position::Kind;
use crate::laws::{Irregular, Position};
use mates::Mate;
use reach::Reach;
use search::{Found, Plan, Search};
use shakmaty::{Bitboard, Board, Chess, Color, Position as Rules};

/// Positions that the short search may look at: it takes about as long as to find out where men can ever come to stand.
const SHORT: u32 = 1 << 10;
/// Positions that each of the two long searches looks at before the answer is [`Winnable::Possible`]: less than a second for both
/// and less than 10 MB, given back at the end, on a desktop computer.
pub const LIMIT: u32 = 1 << 18;
/// What the greedy walk costs, in moves looked at.
const WALK: u32 = 1 << 10;
/// What it costs to find out where men can ever come to stand, in moves looked at.
const REACH: u32 = 1 << 14;
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
    let mut search = MateSearch::with_limit(position, winner, limit);
    loop {
        if let Some(answer) = search.run(u32::MAX) {
            return answer;
        }
    }
}

/// Whether the game ends here as drawn since neither player can mate (Art. 5.2.2). While that is not certain it goes on.
pub fn is_dead(position: &Position) -> bool {
    let mut search = DeadSearch::new(position);
    loop {
        if let Some(dead) = search.run(u32::MAX) {
            return dead;
        }
    }
}

/// A search for whether a player can still mate, run in slices. What it finds does not depend on the slices.
pub struct MateSearch(Kinds);

enum Kinds {
    Regular(Box<Stages<Chess>>),
    Irregular(Box<Stages<Irregular>>),
}

impl MateSearch {
    /// A search with the full limit for whether `winner` can mate from here, whoever is to move. Nothing is looked at yet.
    pub fn new(position: &Position, winner: Color) -> MateSearch {
        MateSearch::with_limit(position, winner, LIMIT)
    }

    fn with_limit(position: &Position, winner: Color, limit: u32) -> MateSearch {
        MateSearch(match position.kind() {
            Kind::Regular(chess) => Kinds::Regular(Box::new(Stages::new(chess.clone(), winner, limit.min(LIMIT)))),
            Kind::Irregular(irregular) => {
                Kinds::Irregular(Box::new(Stages::new(Irregular::clone(irregular), winner, limit.min(LIMIT))))
            }
        })
    }

    /// Searches on until about `budget` more moves were looked at. `None`: it is not finished; [`Winnable::Possible`]: it is, and
    /// the limit was reached.
    pub fn run(&mut self, budget: u32) -> Option<Winnable> {
        match &mut self.0 {
            Kinds::Regular(stages) => stages.run(budget),
            Kinds::Irregular(stages) => stages.run(budget),
        }
    }
}

/// A search for whether neither player can mate any more (Art. 5.2.2), run in slices.
pub struct DeadSearch {
    search: MateSearch,
    /// The other player's search, while the first one is not finished.
    other: Option<MateSearch>,
}

impl DeadSearch {
    /// A search with the full limit. Nothing is looked at yet.
    pub fn new(position: &Position) -> DeadSearch {
        // One who can is enough for it to go on: the one who has more to mate with is found out sooner.
        let count = |color| position.board().by_color(color).count();
        let first = if count(Color::White) >= count(Color::Black) { Color::White } else { Color::Black };
        DeadSearch { search: MateSearch::new(position, first), other: Some(MateSearch::new(position, !first)) }
    }

    /// Searches on until about `budget` more moves of each player's search were looked at. `None`: it is not finished. While it
    /// is not certain that neither player can mate, the position is not dead.
    pub fn run(&mut self, budget: u32) -> Option<bool> {
        loop {
            if self.search.run(budget)? != Winnable::CannotMate {
                return Some(false);
            }
            match self.other.take() {
                Some(other) => self.search = other,
                None => return Some(true),
            }
        }
    }
}

/// The stages of one search.
struct Stages<P> {
    position: P,
    winner: Color,
    limit: u32,
    stage: Stage<P>,
}

/// Which stage is next.
enum Stage<P> {
    /// The men, and the greedy walk.
    Walk,
    /// The short search.
    Short(Search<P>),
    /// Where men can ever come to stand.
    Reach,
    /// The long searches: this one, and whether another one follows.
    Long { mates: Vec<Mate>, search: Search<P>, last: bool },
    /// The answer.
    Done(Winnable),
}

impl<P: Rules + Clone> Stages<P> {
    fn new(position: P, winner: Color, limit: u32) -> Stages<P> {
        Stages { position, winner, limit, stage: Stage::Walk }
    }

    fn run(&mut self, mut budget: u32) -> Option<Winnable> {
        loop {
            self.stage = match &mut self.stage {
                Stage::Done(answer) => return Some(*answer),
                _ if budget == 0 => return None,
                Stage::Walk => {
                    budget = budget.saturating_sub(WALK);
                    self.walk()
                }
                Stage::Short(search) => match search.run(&[], &mut budget)? {
                    Found::GaveUp => Stage::Reach,
                    found => Stage::Done(answer(found)),
                },
                Stage::Reach => {
                    budget = budget.saturating_sub(REACH);
                    let reach = Reach::of(self.position.board(), &reach::Rights::of(&self.position));
                    match mates::possible(&reach, self.winner) {
                        mates if mates.is_empty() => Stage::Done(Winnable::CannotMate),
                        mates => Stage::Long { mates, search: self.search(self.limit, &search::MIXED), last: false },
                    }
                }
                Stage::Long { mates, search, last } => match (search.run(mates, &mut budget)?, *last) {
                    (Found::GaveUp, false) => {
                        let mates = std::mem::take(mates);
                        Stage::Long { mates, search: self.search(self.limit, &search::DEEP), last: true }
                    }
                    (found, _) => Stage::Done(answer(found)),
                },
            };
        }
    }

    /// What the men and the greedy walk say.
    fn walk(&self) -> Stage<P> {
        let board = self.position.board();
        let kings = |color| (board.kings() & board.by_color(color)).count();
        if kings(Color::White) != 1 || kings(Color::Black) != 1 || board.occupied().count() > MEN {
            Stage::Done(Winnable::Possible)
        } else if !enough_material(board, self.winner) {
            Stage::Done(Winnable::CannotMate)
        } else if climb::finds_mate(&self.position, self.winner) {
            Stage::Done(Winnable::CanMate)
        } else {
            Stage::Short(self.search(SHORT.min(self.limit), &search::MIXED))
        }
    }

    fn search(&self, limit: u32, plan: &'static Plan) -> Search<P> {
        Search::new(self.position.clone(), self.winner, limit, plan)
    }
}

fn answer(found: Found) -> Winnable {
    match found {
        Found::Mate => Winnable::CanMate,
        Found::NoMate => Winnable::CannotMate,
        Found::GaveUp => Winnable::Possible,
    }
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
