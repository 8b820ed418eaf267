//! Determines whether a player can still checkmate by any series of legal moves: for dead positions (Art. 5.2.2), flag fall
//! (Art. 6.9), a resignation (Art. 5.1.2 of 2023) or a last illegal move (Art. 7.5.5) where the opponent cannot win.
//!
//! The stages run in order of cost, each only if the previous one is inconclusive: the material; a greedy walk on which one player
//! captures what they can, which decides most positions from play; a short helpmate search; the squares that pieces can ever reach
//! ([`reach`]); two long searches. "Can mate" is based on a mate that was found, "cannot" on a proof or an exhaustive search. All
//! stages can run in slices, measured in examined moves. Moves without a capture or a pawn move are not limited: the arbiter ends
//! such a game by Art. 9.6.2, not by these articles.

mod climb;
mod mates;
mod reach;
mod score;
mod search;

use crate::laws::position::PositionRepr;
use crate::laws::{Irregular, Position};
use mates::Mate;
use reach::Reach;
use search::{Plan, Search, SearchOutcome};
use shakmaty::{Bitboard, Board, Chess, Color, Position as Rules};

/// Maximum number of positions in the short search. It takes about as long as the reach analysis.
const SHORT: u32 = 1 << 10;
/// Maximum number of positions in each of the two long searches; beyond it the result is [`Winnable::Possible`]. On a desktop
/// computer both take less than a second and less than 10 MB, which is freed at the end.
pub const LIMIT: u32 = 1 << 18;
/// The cost of the greedy walk, in examined moves.
const WALK: u32 = 1 << 10;
/// The cost of the reach analysis, in examined moves.
const REACH: u32 = 1 << 14;
/// Maximum number of pieces: no position from play has more.
const MAX_PIECES: usize = 32;

/// Whether a player can still checkmate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winnable {
    /// Some series of legal moves checkmates the opponent.
    CanMate,
    /// No series of legal moves checkmates the opponent.
    CannotMate,
    /// Undecided: no mate was found within the limit, and none was disproved. Also for a position without exactly one king per
    /// side, where checkmate is not defined.
    Possible,
}

/// Returns whether `winner` can still checkmate from this position, whoever is to move. Deterministic.
pub fn winnable(position: &Position, winner: Color) -> Winnable {
    winnable_within(position, winner, LIMIT)
}

/// Returns the same as [`winnable`], with another limit (at most [`LIMIT`]).
pub fn winnable_within(position: &Position, winner: Color, limit: u32) -> Winnable {
    let mut search = MateSearch::with_limit(position, winner, limit);
    loop {
        if let Some(answer) = search.run(u32::MAX) {
            return answer;
        }
    }
}

/// Returns whether the game is drawn because neither player can checkmate (Art. 5.2.2); `false` while this is not certain.
pub fn is_dead(position: &Position) -> bool {
    let mut search = DeadSearch::new(position);
    loop {
        if let Some(dead) = search.run(u32::MAX) {
            return dead;
        }
    }
}

/// A search for whether a player can still checkmate, run in slices. The result does not depend on the slices.
#[derive(Clone)]
pub struct MateSearch(Kinds);

#[derive(Clone)]
enum Kinds {
    Regular(Box<Stages<Chess>>),
    Irregular(Box<Stages<Irregular>>),
}

impl MateSearch {
    /// Creates a search with the full limit for whether `winner` can checkmate, whoever is to move. Does not start it.
    pub fn new(position: &Position, winner: Color) -> MateSearch {
        MateSearch::with_limit(position, winner, LIMIT)
    }

    fn with_limit(position: &Position, winner: Color, limit: u32) -> MateSearch {
        MateSearch(match position.kind() {
            PositionRepr::Regular(chess) => Kinds::Regular(Box::new(Stages::new(chess.clone(), winner, limit.min(LIMIT)))),
            PositionRepr::Irregular(irregular) => {
                Kinds::Irregular(Box::new(Stages::new(Irregular::clone(irregular), winner, limit.min(LIMIT))))
            }
        })
    }

    /// Continues the search for about `budget` more examined moves. Returns `None` if it is not finished, and
    /// [`Winnable::Possible`] if it reached the limit.
    pub fn run(&mut self, budget: u32) -> Option<Winnable> {
        match &mut self.0 {
            Kinds::Regular(stages) => stages.run(budget),
            Kinds::Irregular(stages) => stages.run(budget),
        }
    }
}

/// A search for whether neither player can checkmate any more (Art. 5.2.2), run in slices.
#[derive(Clone)]
pub struct DeadSearch {
    search: MateSearch,
    /// The search for the other player, while the first one is not finished.
    other: Option<MateSearch>,
}

impl DeadSearch {
    /// Creates a search with the full limit. Does not start it.
    pub fn new(position: &Position) -> DeadSearch {
        // One player who can checkmate is enough. The player with more pieces usually gives a result sooner.
        let count = |color| position.board().by_color(color).count();
        let first = if count(Color::White) >= count(Color::Black) { Color::White } else { Color::Black };
        DeadSearch { search: MateSearch::new(position, first), other: Some(MateSearch::new(position, !first)) }
    }

    /// Continues the search for about `budget` more examined moves per player. Returns `None` if it is not finished, and `false`
    /// unless it is certain that neither player can checkmate.
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
#[derive(Clone)]
struct Stages<P> {
    position: P,
    winner: Color,
    limit: u32,
    stage: Stage<P>,
}

/// The next stage.
#[derive(Clone)]
enum Stage<P> {
    /// The material, and the greedy walk.
    Walk,
    /// The short search.
    Short(Search<P>),
    /// The squares that pieces can ever reach.
    Reach,
    /// A long search; `last` is set if no other one follows.
    Long { mates: Vec<Mate>, search: Search<P>, last: bool },
    /// The result.
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
                    SearchOutcome::LimitReached => Stage::Reach,
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
                    (SearchOutcome::LimitReached, false) => {
                        let mates = std::mem::take(mates);
                        Stage::Long { mates, search: self.search(self.limit, &search::DEEP), last: true }
                    }
                    (found, _) => Stage::Done(answer(found)),
                },
            };
        }
    }

    /// Runs the material check and the greedy walk.
    fn walk(&self) -> Stage<P> {
        let board = self.position.board();
        let kings = |color| (board.kings() & board.by_color(color)).count();
        if kings(Color::White) != 1 || kings(Color::Black) != 1 || board.occupied().count() > MAX_PIECES {
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

fn answer(found: SearchOutcome) -> Winnable {
    match found {
        SearchOutcome::Mate => Winnable::CanMate,
        SearchOutcome::NoMate => Winnable::CannotMate,
        SearchOutcome::LimitReached => Winnable::Possible,
    }
}

/// Returns whether any checkmate exists with this material, for any placement and any promotions.
pub(super) fn enough_material(board: &Board, winner: Color) -> bool {
    let (ours, theirs) = (board.by_color(winner), board.by_color(!winner));
    if (ours & (board.pawns() | board.rooks_and_queens())).any() {
        return true;
    }
    let (knights, bishops) = (ours & board.knights(), ours & board.bishops());
    if knights.any() {
        // A single knight needs an opposing piece that blocks a flight square of its own king and cannot capture the knight.
        return (knights | bishops).count() > 1 || (theirs & !board.kings() & !board.queens()).any();
    }
    let (light, dark) = (bishops & Bitboard::LIGHT_SQUARES, bishops & Bitboard::DARK_SQUARES);
    let other = if light.any() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
    let blockers = board.pawns() | board.knights() | board.bishops() & other;
    bishops.any() && (light.any() && dark.any() || (theirs & blockers).any())
}
