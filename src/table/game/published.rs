//! The game as it was published: the record, and the same moves as positions.

use crate::boards::Millis;
use crate::game::event::ClockTimes;
use crate::game::record::{Ply, PlyState};
use crate::game::{AlertKind, CompletedBy, PlayedMove, Record, StampedEvent};
use crate::infer::{KnownPly, landing_square};
use crate::laws::draws::{PositionEquality, PositionHistory};
use crate::laws::{Laws, Position};
use shakmaty::{Move, Piece, Square};

/// The game as it was published.
#[derive(Clone)]
pub(crate) struct PublishedGame {
    record: Record,
    /// The Laws in force in this game.
    laws: Laws,
    start: Position,
    /// The moves, in step with the record.
    moves: Vec<Move>,
    /// The same moves, for draws.
    history: PositionHistory,
    /// `Follower::changes` when everything decided was published; `None`: must be re-evaluated.
    seen_changes: Option<u64>,
    /// When a decided move is published that is doubtful until then.
    held_until: Option<Millis>,
}

impl PublishedGame {
    /// Creates a game with this record and its moves. `changes`: `Follower::changes`; everything decided is published.
    pub(super) fn new(record: Record, laws: Laws, start: Position, moves: Vec<Move>, changes: u64) -> PublishedGame {
        let history = history(&start, &moves, &record.plies, PositionEquality::Rights);
        PublishedGame { record, laws, start, moves, history, seen_changes: Some(changes), held_until: None }
    }

    /// Returns the record.
    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the Laws in force in this game.
    pub(super) fn laws(&self) -> &Laws {
        &self.laws
    }

    /// Returns the start position.
    pub(super) fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the moves.
    pub(super) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the number of plies.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether no move has been published.
    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Returns the positions of the game.
    pub(super) fn history(&self) -> &PositionHistory {
        &self.history
    }

    /// Returns the positions of the first plies, which the record has as `plies`.
    pub(super) fn history_of(&self, plies: &[Ply], equality: PositionEquality) -> PositionHistory {
        history(&self.start, &self.moves, plies, equality)
    }

    /// Applies an event to the record.
    pub(super) fn apply(&mut self, event: &StampedEvent) {
        self.record.apply(event);
    }

    /// Sets the number of the last durable event.
    pub(super) fn set_last_number(&mut self, number: u64) {
        self.record.last_number = number;
    }

    /// Sets the Laws in force.
    pub(super) fn set_laws(&mut self, laws: Laws) {
        self.laws = laws;
    }

    /// Returns when a decided move is published that is doubtful until then; `None`: there is none.
    pub(super) fn held_until(&self) -> Option<Millis> {
        self.held_until
    }

    /// Holds a decided move back until then; `None`: none.
    pub(super) fn hold_until(&mut self, until: Option<Millis>) {
        self.held_until = until;
    }

    /// Whether everything decided up to this value of `Follower::changes` is published.
    pub(super) fn is_current(&self, changes: u64) -> bool {
        self.seen_changes == Some(changes)
    }

    /// Records that everything decided up to this value of `Follower::changes` is published.
    pub(super) fn mark_current(&mut self, changes: u64) {
        self.seen_changes = Some(changes);
    }

    /// Records that what is followed must be compared with what was published again.
    pub(super) fn mark_outdated(&mut self) {
        self.seen_changes = None;
    }

    /// Appends a move that leads to the position with this FEN.
    pub(super) fn append(&mut self, mv: Move, fen: &str) {
        self.moves.push(mv);
        self.history.play_recorded(mv, fen);
    }

    /// Replaces the moves after the first `same` plies. The record must be changed in the same way, and then
    /// [`PublishedGame::rebuild_history`] must be called.
    pub(super) fn replace_moves(&mut self, same: usize, moves: impl Iterator<Item = Move>) {
        self.moves.truncate(same);
        self.moves.extend(moves);
    }

    /// Rebuilds the history of positions after moves were replaced.
    pub(super) fn rebuild_history(&mut self) {
        self.history = history(&self.start, &self.moves, &self.record.plies, PositionEquality::Rights);
    }

    /// Returns the last position.
    pub(crate) fn position(&self) -> Option<Position> {
        Position::from_fen(self.record.fen(), self.start.is_chess960()).ok()
    }

    /// Returns the position after this number of plies.
    pub(crate) fn position_after(&self, plies: usize) -> Position {
        let plies = self.moves.iter().zip(&self.record.plies).take(plies);
        plies.fold(self.start.clone(), |position, (&mv, ply)| position.play_recorded(mv, &ply.played.fen))
    }

    /// Whether the game began from `position` and no move has been published yet.
    pub(crate) fn begins_like(&self, position: &Position) -> bool {
        self.moves.is_empty() && self.start.board() == position.board()
    }

    /// Returns both times at the last completed move that has them.
    pub(crate) fn last_clocks(&self) -> Option<ClockTimes> {
        self.record.plies.iter().rev().map(|ply| ply.clocks).find(|clocks| clocks.white.is_some() && clocks.black.is_some())
    }

    /// Returns the first `plies` plies.
    pub(super) fn known_plies(&self, plies: usize) -> Vec<KnownPly> {
        let plies = self.moves.iter().zip(&self.record.plies).take(plies);
        plies.map(|(&mv, ply)| known_ply(mv, ply, self.start.is_chess960())).collect()
    }

    /// Returns which piece came to which square in each of the first `plies` plies from the start position; `None` where one of
    /// them is not a legal move, or the game began from another position.
    pub(crate) fn landings(&self, plies: usize) -> Option<Vec<(Square, Piece)>> {
        let mut position = Some(self.start.clone()).filter(|start| start.fen() == Position::start().fen())?;
        let plies = self.moves.iter().zip(&self.record.plies).take(plies);
        let landings = plies.map(|(&mv, ply)| {
            position = position.play_recorded(mv, &ply.played.fen);
            let to = landing_square(mv);
            Some((to, position.piece_at(to).filter(|_| !ply.played.irregular)?))
        });
        landings.collect()
    }

    /// Returns the ply of the last missing moves; 0 if none are missing.
    pub(crate) fn last_missing(&self) -> usize {
        self.moves.iter().rposition(|&mv| Position::is_null_move(mv)).map_or(0, |index| index + 1)
    }

    /// Whether the move of this ply is not completed yet.
    pub(super) fn is_open(&self, ply: u32) -> bool {
        self.record.ply(ply).is_some_and(|ply| ply.state == PlyState::Made)
    }

    /// Whether an alert of this kind is open.
    pub(super) fn is_raised(&self, kind: AlertKind) -> bool {
        self.record.alerts.iter().any(|alert| alert.kind == kind)
    }
}

/// Returns the plies that were played from this position, as the record has them; `None`: they cannot be played from it.
pub(super) fn known_from(from: &Position, plies: &[Ply]) -> Option<Vec<KnownPly>> {
    let mut position = from.clone();
    let known = |ply: &Ply| {
        let PlayedMove { uci, fen, irregular, .. } = &ply.played;
        let mv = if *irregular { position.any_move_to(uci, fen) } else { position.parse_uci(uci) }?;
        position = position.play_recorded(mv, fen);
        Some(known_ply(mv, ply, from.is_chess960()))
    };
    plies.iter().map(known).collect()
}

/// Returns a ply of the record, whose move is `mv`.
fn known_ply(mv: Move, ply: &Ply, chess960: bool) -> KnownPly {
    let found = Position::is_null_move(mv).then(|| Position::from_fen(&ply.played.fen, chess960).ok());
    KnownPly { mv, pressed_at: pressed_at(ply), found: found.flatten() }
}

/// Returns the history of positions of a game with these moves, which the record has as these plies.
fn history(start: &Position, moves: &[Move], plies: &[Ply], equality: PositionEquality) -> PositionHistory {
    let mut history = PositionHistory::new(start, equality);
    moves.iter().zip(plies).for_each(|(&mv, ply)| history.play_recorded(mv, &ply.played.fen));
    history
}

/// Returns when the clock was pressed to complete this ply, if the record says so.
fn pressed_at(ply: &Ply) -> Option<Millis> {
    matches!(ply.state, PlyState::Completed { by: CompletedBy::Clock, .. }).then_some(ply.made_at)
}
