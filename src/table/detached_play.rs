//! Play from a position whose history is unknown: after missing moves, or on a board without a game. It is followed from the
//! placement on the board, whichever player moves first. Only for boards that identify pieces.

use super::{Output, Table};
use crate::boards::{Millis, Placement, SensorKind, SquareState};
use crate::game::event::Rotation;
use crate::infer::{Beam, Follower, ObservedBoard, Patience, REST_TAKEBACK, rotated};
use crate::laws::Position;
use crate::sense::Edge;
use shakmaty::{Board, Color, Move, Square};

/// Number of plies after which play that follows missing moves joins the game, counted from the position that was on the board. A
/// board that was only knocked over shows no such plies.
const DETACHED_PLAY_PLIES: usize = 2;

/// Number of lines of play that are followed from each position.
const LINES: usize = 8;

/// Play that is followed from a placement on the board.
#[derive(Clone, Debug)]
pub(super) struct DetachedPlay {
    /// How the board is oriented.
    rotation: Rotation,
    /// The same placement with each player to move for whom the position is regular.
    lines: Vec<(Position, Follower)>,
}

impl DetachedPlay {
    /// Begins with the current placement, in the board's own coordinates. `before`: the last known position of the game. Returns
    /// `None` if the placement is not a possible position, or is unknown.
    pub(super) fn begin(
        now: Millis,
        placement: &Placement,
        rotation: Option<Rotation>,
        before: Option<&Position>,
    ) -> Option<DetachedPlay> {
        let upright = ObservedBoard::from_placement(placement, SensorKind::Identity).to_board()?;
        let rotation = rotation.unwrap_or(if is_turned(&upright) { Rotation::Turned } else { Rotation::Upright });
        let seen = ObservedBoard::from_placement(&rotated(placement, rotation), SensorKind::Identity);
        let board = seen.to_board()?;
        if before.is_some_and(|before| is_board_turned(&seen, before)) {
            return None; // It will be turned back, and nobody plays like that.
        }
        let follow = |turn| {
            let position = match before {
                Some(before) => before.with_found_board(board.clone(), turn),
                None => Position::from_board(board.clone(), turn),
            };
            let follower = Follower::new(now, position.clone(), seen.clone(), Beam::Live(LINES));
            position.is_regular().then_some((position, follower))
        };
        let lines: Vec<(Position, Follower)> = Color::ALL.into_iter().filter_map(follow).collect();
        (!lines.is_empty()).then_some(DetachedPlay { rotation, lines })
    }

    /// Processes changed squares, in the board's own coordinates. `from_placement`: the order of the changes is unknown.
    pub(super) fn handle_changes(&mut self, now: Millis, edges: &[Edge], from_placement: bool) {
        let changed: Vec<(Square, SquareState)> =
            edges.iter().map(|edge| (self.rotation.apply(edge.square), edge.now)).collect();
        for (_, follower) in &mut self.lines {
            match changed.as_slice() {
                [(square, sensed)] if !from_placement => follower.handle_edge(now, *square, *sensed),
                _ => follower.handle_edges(now, changed.iter().copied()),
            }
        }
    }

    /// Processes quiet of `quiet` milliseconds. Returns false when no line of play explains the board: play must then be followed from
    /// the current placement.
    pub(super) fn handle_quiet(&mut self, now: Millis, quiet: Millis, patience: Patience) -> bool {
        self.lines.iter_mut().for_each(|(_, follower)| follower.handle_quiet(now, patience));
        self.lines.retain(|(_, follower)| {
            let explained = quiet < REST_TAKEBACK || (follower.unexplained() | follower.displaced_squares()).is_empty();
            explained && follower.nodes().iter().all(|node| !node.irregular)
        });
        !self.lines.is_empty()
    }

    /// Returns the moves that lead to the current placement, if there are at least `min_moves`, and the position they were played
    /// from. `None` while either player may have begun.
    pub(super) fn played(&self, min_moves: usize) -> Option<(&Position, Vec<Move>)> {
        let [line] = self.lines.as_slice() else { return None };
        moves_of(line).filter(|(_, moves)| moves.len() >= min_moves)
    }

    /// Returns the same, with at least one move, if they lead to this position with the same castling rights.
    pub(super) fn leads_to(&self, position: &Position) -> Option<(&Position, Vec<Move>)> {
        let state = |position: &Position| position.fen().split(' ').take(3).map(str::to_owned).collect::<Vec<_>>();
        self.lines.iter().filter_map(moves_of).find(|(from, moves)| {
            let reached = moves.iter().fold((*from).clone(), |position, &mv| position.play(mv));
            !moves.is_empty() && reached.is_chess960() == position.is_chess960() && state(&reached) == state(position)
        })
    }
}

impl Table {
    /// Follows play that continues without a game, or after missing moves, from the placement on the board. Once moves were played
    /// from there, the game takes them up.
    pub(super) fn follow_detached_play(&mut self, now: Millis, quiet: Millis, output: &mut Output) {
        let game = self.game.as_ref().filter(|game| !game.is_over());
        let is_possible = self.settings.sensing == SensorKind::Identity && self.sense.is_complete();
        if !is_possible || game.is_some_and(|game| !game.misses_moves()) {
            self.detached_play = None;
            return;
        }
        let patience = self.patience();
        if !self.detached_play.as_mut().is_some_and(|play| play.handle_quiet(now, quiet, patience)) {
            let before = game.and_then(|game| game.published().position());
            // Before that a hand may still hold a piece.
            let is_at_rest = quiet >= REST_TAKEBACK;
            let begin = || DetachedPlay::begin(now, self.sense.placement(), self.rotation, before.as_ref());
            self.detached_play = is_at_rest.then(begin).flatten();
        } else if game.is_some()
            && let Some(play) = self.detached_play.take_if(|play| play.played(DETACHED_PLAY_PLIES).is_some())
            && let Some((from, moves)) = play.played(DETACHED_PLAY_PLIES)
        {
            self.with_game(output, |game, context, output| game.append_after_missing_moves(now, from, &moves, context, output));
        }
    }
}

/// Returns the moves of a line if all are decided and lead to the current placement.
fn moves_of((from, follower): &(Position, Follower)) -> Option<(&Position, Vec<Move>)> {
    let is_consistent = follower.mismatch().is_empty() && follower.decided() + 1 == follower.nodes().len();
    is_consistent.then(|| (from, follower.nodes().iter().filter_map(|node| node.mv).collect()))
}

/// Whether the placement resembles this position more if the board has been turned by 180 degrees.
fn is_board_turned(seen: &ObservedBoard, before: &Position) -> bool {
    let mut turned = before.board().clone();
    turned.rotate_180();
    seen.mismatch(&turned).count() < seen.mismatch(before.board()).count()
}

/// Whether Black's pieces are nearer to the first rank than White's. If the orientation is unknown, the board is then assumed to be
/// turned.
pub fn is_turned(board: &Board) -> bool {
    let ranks = |color| board.by_color(color).into_iter().map(|square| square.rank() as usize).sum::<usize>();
    let count = |color| board.by_color(color).count().max(1);
    ranks(Color::White) * count(Color::Black) > ranks(Color::Black) * count(Color::White)
}
