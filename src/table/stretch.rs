//! Play from a position of which nobody knows how it came about: after moves that are missing, or on a board without a game. It is
//! followed from what stands on the board, whoever of the players moves first; only where the board tells the pieces apart.

use crate::boards::{Millis, Placement, Sensed, Sensing};
use crate::game::event::Rotation;
use crate::infer::{Beam, Follower, REST_TAKEBACK, Seen, turned};
use crate::laws::Position;
use crate::sense::Edge;
use shakmaty::{Board, Color, Move, Square};

/// So many lines of play are followed from each position.
const LINES: usize = 8;

/// Play that is followed from what stood on the board.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// How the board stands.
    rotation: Rotation,
    /// From the same placement, with either player to move as far as either can be.
    lines: Vec<(Position, Follower)>,
}

impl Stretch {
    /// From what stands on the board now, in its own coordinates. `before`: the last position that is known of the game. `None`: what
    /// stands there is no position of play, or the board does not say.
    pub(super) fn begin(
        now: Millis,
        placement: &Placement,
        rotation: Option<Rotation>,
        before: Option<&Position>,
    ) -> Option<Stretch> {
        let upright = Seen::of(placement, Sensing::Identity).board()?;
        let rotation = rotation.unwrap_or(if is_turned(&upright) { Rotation::Turned } else { Rotation::Upright });
        let seen = Seen::of(&turned(placement, rotation), Sensing::Identity);
        let board = seen.board()?;
        if before.is_some_and(|before| turned_round(&seen, before)) {
            return None; // It will be turned back, and nobody plays like that.
        }
        let follow = |turn| {
            let position = match before {
                Some(before) => before.found(board.clone(), turn),
                None => Position::from_board(board.clone(), turn),
            };
            let follower = Follower::new(now, position.clone(), seen.clone(), Beam::Steady(LINES));
            position.is_regular().then_some((position, follower))
        };
        let lines: Vec<(Position, Follower)> = Color::ALL.into_iter().filter_map(follow).collect();
        (!lines.is_empty()).then_some(Stretch { rotation, lines })
    }

    /// Squares changed, in the board's own coordinates; `whole`: nobody knows in which order.
    pub(super) fn changed(&mut self, now: Millis, edges: &[Edge], whole: bool) {
        let changed: Vec<(Square, Sensed)> = edges.iter().map(|edge| (self.rotation.apply(edge.square), edge.now)).collect();
        for (_, follower) in &mut self.lines {
            match changed.as_slice() {
                [(square, sensed)] if !whole => follower.edge(now, *square, *sensed),
                _ => follower.edges(now, changed.iter().copied()),
            }
        }
    }

    /// Nothing changed for so long. `settle`: quiet that decides a move; both in milliseconds. Returns false when no line of play
    /// explains the board: play is to be followed from what stands there now.
    pub(super) fn quiet(&mut self, now: Millis, quiet: Millis, settle: Millis) -> bool {
        self.lines.iter_mut().for_each(|(_, follower)| follower.quiet(now, settle));
        self.lines.retain(|(_, follower)| {
            let explained = quiet < REST_TAKEBACK || (follower.unexplained() | follower.displaced()).is_empty();
            explained && follower.line().iter().all(|node| !node.irregular)
        });
        !self.lines.is_empty()
    }

    /// The moves that lead to what stands on the board, at least so many, and the position from which they were played. `None` as
    /// long as either player may have begun.
    pub(super) fn played(&self, least: usize) -> Option<(&Position, Vec<Move>)> {
        let [line] = self.lines.as_slice() else { return None };
        moves_of(line).filter(|(_, moves)| moves.len() >= least)
    }

    /// The same, at least one move, where they lead to this position with the same rights to castle.
    pub(super) fn leads_to(&self, position: &Position) -> Option<(&Position, Vec<Move>)> {
        let rights = |position: &Position| position.fen().split(' ').take(3).map(str::to_owned).collect::<Vec<_>>();
        self.lines.iter().filter_map(moves_of).find(|(from, moves)| {
            let reached = moves.iter().fold((*from).clone(), |position, &mv| position.play(mv));
            !moves.is_empty() && reached.is_chess960() == position.is_chess960() && rights(&reached) == rights(position)
        })
    }
}

/// The moves of a line that are decided and lead to what stands on the board.
fn moves_of((from, follower): &(Position, Follower)) -> Option<(&Position, Vec<Move>)> {
    let stands = follower.mismatch().is_empty() && follower.decided() + 1 == follower.line().len();
    stands.then(|| (from, follower.line().iter().filter_map(|node| node.mv).collect()))
}

/// Whether what is seen is more like this position if the board has been turned round.
fn turned_round(seen: &Seen, before: &Position) -> bool {
    let mut turned = before.board().clone();
    turned.rotate_180();
    seen.mismatch(&turned).count() < seen.mismatch(before.board()).count()
}

/// Whether Black's pieces are nearer to the first rank than White's: where it is not known how the board stands, it is turned then.
pub fn is_turned(board: &Board) -> bool {
    let ranks = |color| board.by_color(color).into_iter().map(|square| square.rank() as usize).sum::<usize>();
    let count = |color| board.by_color(color).count().max(1);
    ranks(Color::White) * count(Color::Black) > ranks(Color::Black) * count(Color::White)
}
