//! `setup`: a client gives a position, and receives all moves played from it, in SAN, with each update.
//!
//! If the record of the game on the board contains the position, these are the moves of the record since the position last
//! occurred, including the arbiter's corrections. If it does not, or if the record had gone on before the position was set up on
//! the board again, the board's readings are followed for this client alone ([`SetupLine`]), starting when the position is on the
//! board. Nothing of that reaches the journal. In both cases, a client receives only legal moves that are settled ([`SettledPlies`]),
//! because lichess.org plays them.

use super::allowance::{Allowance, LinePermit};
use super::message;
use crate::boards::{Millis, Placement, SensorKind, SquareState};
use crate::config::livechess::ReleasePolicy;
use crate::daemon::hub::{GameView, Readings};
use crate::daemon::setup_lines::{SetupLine, SetupView};
use crate::game::caution::is_stable;
use crate::game::event::Rotation;
use crate::game::record::Record;
use crate::game::{PlayedMove, SettledPlies};
use crate::laws::Position;
use shakmaty::Square;
use std::sync::Arc;
use tokio::sync::Notify;
use tracing::{debug, error};

/// A position that a client has set up, and the moves played from it.
pub(super) struct Setup {
    /// The FEN as the client wrote it, trimmed.
    pub start: String,
    position: Position,
    /// The FEN of `position`.
    fen: String,
    /// When a move may be sent.
    release: ReleasePolicy,
    /// Where the position occurs in the record: the game's id and the number of plies before it.
    anchor: Option<(u64, usize)>,
    /// The anchor, once the game was seen in this position: the moves since then belong to this client.
    trusted: Option<(u64, usize)>,
    /// The game on the board, and which of its moves are settled.
    caution: Option<(u64, SettledPlies)>,
    client_line: Option<ClientLine>,
    /// When to retry starting a line for this client alone, if a limit was reached.
    line_retry_at: Option<Millis>,
    /// Whether such a line has failed; then none is started again.
    has_failed: bool,
    /// The input from which `moves` were computed.
    input: Option<MovesInput>,
    /// The game when the position was last on the board: its id and the number of its record's last event.
    on_board_at: Option<(u64, u64)>,
    moves: Moves,
}

/// A line of play that is followed for this client alone.
struct ClientLine {
    line: SetupLine,
    readings: Arc<Readings>,
    rotation: Rotation,
    /// Which moves are settled, of the play counted by `begun`; `None`: no play began from the position.
    caution: Option<SettledPlies>,
    play_count: u64,
    _permit: LinePermit,
}

/// All input on which the moves depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MovesInput {
    /// The game on the board: its id, the number of its record's last event, and the number of settled plies.
    game: Option<(u64, u64, usize)>,
    flipped: bool,
    /// Whether the squares show the position that was set up.
    is_on_board: bool,
    /// The same for the line of this client alone.
    line: Option<(u64, u64, usize)>,
}

/// The source from which the moves must be recomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaleSource {
    /// None; the moves are current.
    UpToDate,
    /// The line that is followed for this client alone.
    Line,
    /// The record of the game on the board.
    Record,
}

/// The moves played since a position was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moves {
    /// All moves, in SAN.
    pub san: Vec<String>,
    /// The placement after them, as the first field of a FEN.
    pub placement: String,
    /// The current placement in the line that is followed for this client alone, settled or not; `None`: the moves are from the
    /// record.
    pub line_placement: Option<String>,
}

/// The observed state of a board and the game on it.
#[derive(Clone, Copy)]
pub(super) struct SetupObservation<'a> {
    /// The current game on the board, or the last one.
    pub game: Option<&'a GameView>,
    /// The state of the squares, in the players' orientation; `None` if unknown or not public.
    pub squares: Option<&'a Placement>,
    /// The kind of sensors.
    pub sensing: SensorKind,
    /// Whether the clock runs; in the delayed view, whether the game has a clock.
    pub clock_runs: bool,
    /// Whether the client reads the board rotated by 180° relative to its detected orientation.
    pub flipped: bool,
}

/// The input for following a line for one client.
pub(super) struct LineInput {
    /// The readings of the board.
    pub readings: Arc<Readings>,
    /// The orientation in which the client reads the board.
    pub rotation: Rotation,
    /// Notified when the line has changed.
    pub changed: Arc<Notify>,
}

impl Setup {
    /// Parses a FEN.
    ///
    /// # Errors
    /// Returns a sentence if the text is not a FEN.
    pub(super) fn parse(fen: &str, release: ReleasePolicy) -> Result<Setup, String> {
        let fen = fen.trim();
        let position = message::parse_position(fen)?;
        let normalized_fen = position.fen();
        let moves = Moves { san: Vec::new(), placement: placement(&normalized_fen).to_owned(), line_placement: None };
        Ok(Setup {
            start: fen.to_owned(),
            position,
            fen: normalized_fen,
            release,
            anchor: None,
            trusted: None,
            caution: None,
            client_line: None,
            line_retry_at: None,
            has_failed: false,
            on_board_at: None,
            input: None,
            moves,
        })
    }

    /// Returns the moves as last computed.
    pub(super) fn moves(&self) -> &Moves {
        &self.moves
    }

    /// Returns when more moves become settled if nothing changes, or when starting a line is to be retried.
    pub(super) fn next_deadline(&self) -> Option<Millis> {
        let of_game = self.caution.as_ref().and_then(|(_, caution)| caution.next_deadline());
        let of_line = self.client_line.as_ref().and_then(|line| line.caution.as_ref()?.next_deadline());
        let settled = of_game.into_iter().chain(of_line).filter(|_| self.release == ReleasePolicy::Settled);
        settled.chain(self.line_retry_at).min()
    }

    /// Returns whether a line is followed for this client alone.
    pub(super) fn has_client_line(&self) -> bool {
        self.client_line.is_some()
    }

    /// Updates the state from an observation. Returns from which source the moves must be recomputed.
    pub(super) fn observe(&mut self, now: Millis, observation: SetupObservation<'_>) -> StaleSource {
        let game = observation.game.map(|game| {
            let (id, mut caution) =
                self.caution.take().filter(|(id, _)| *id == game.id).unwrap_or((game.id, SettledPlies::new(now)));
            caution.update(now, &game.record, observation.squares, observation.clock_runs);
            let settled = caution.settled();
            self.caution = Some((id, caution));
            (game.id, game.record.last_number, settled)
        });
        if game.is_none() {
            self.caution = None;
        }
        let line = self.client_line.as_mut().and_then(|line| line.observe(now, &self.fen));
        let is_on_board = observation.squares.is_some_and(|squares| self.is_on_board(squares, observation));
        let input = MovesInput { game, flipped: observation.flipped, is_on_board, line };
        match self.input.replace(input) {
            Some(before) if before == input => StaleSource::UpToDate,
            Some(before) if line.is_some() && MovesInput { line, ..before } == input => StaleSource::Line,
            _ => StaleSource::Record,
        }
    }

    /// Clears the state that depends on the board when it is gone: nothing is due, and no line is followed.
    pub(super) fn clear_observation(&mut self) {
        (self.caution, self.client_line, self.line_retry_at, self.input) = (None, None, None, None);
    }

    /// Recomputes the moves from the record of the game observed last. This replays the game, so it must not run while others wait.
    pub(super) fn update_moves_from_record(&mut self, record: Option<&Record>) {
        let Some(MovesInput { game, flipped, is_on_board, line }) = self.input else { return };
        self.anchor =
            game.zip(record).and_then(|((game, ..), record)| Some((game, self.find_position(game, record, flipped)?)));
        self.update_trusted(record, flipped);
        let at = game.map(|(id, number, _)| (id, number));
        if is_on_board {
            self.on_board_at = at;
        }
        // Right after the position has left the board, the record still ends before it was set up.
        let is_before = is_on_board || (at.is_some() && at == self.on_board_at);
        self.moves = match (self.anchor, record, game, self.client_line_record()) {
            (_, _, _, Some(view)) if self.trusted.is_none() => self.moves_of_line(&view, line),
            // Moves that were on record before the position was set up again do not belong to this client.
            (Some((_, plies)), Some(record), Some((_, _, settled)), _) if !is_before || self.trusted.is_some() => {
                self.moves_after(record, plies, settled, flipped)
            }
            _ => Moves { san: Vec::new(), placement: placement(&self.fen).to_owned(), line_placement: None },
        };
    }

    /// Recomputes the moves from the line that is followed for this client alone.
    pub(super) fn update_moves_from_line(&mut self) {
        let line = self.input.and_then(|input| input.line);
        if let Some(view) = self.client_line_record().filter(|_| self.trusted.is_none()) {
            self.moves = self.moves_of_line(&view, line);
        }
    }

    /// Returns the moves of that line.
    fn moves_of_line(&self, view: &Record, line: Option<(u64, u64, usize)>) -> Moves {
        let settled = line.map_or(0, |(_, _, settled)| settled);
        // The placement is sent at once, even after a move that is not settled.
        let now = placement(view.fen()).to_owned();
        Moves { line_placement: Some(now), ..self.moves_after(view, 0, settled, false) }
    }

    /// Follows a line for this client alone if the game on the board may be another one, and none if it belongs to this client. The
    /// line starts once the position is on the board and the allowance of the connection permits it.
    pub(super) fn update_client_line(&mut self, now: Millis, source: Option<LineInput>, allowance: &mut Allowance) {
        self.line_retry_at = None;
        if self.client_line.as_ref().is_some_and(|client_line| client_line.line.has_failed()) {
            // The log is not delayed, so this detail is logged at debug level only.
            debug!("the moves from {:?} are no longer followed", self.start);
            error!(
                "moves from a LiveChess client's position are no longer followed, because of an error in touchmove: please report it"
            );
            self.has_failed = true;
        }
        let wanted = source.filter(|_| self.trusted.is_none() && !self.has_failed);
        let Some(LineInput { readings, rotation, changed }) = wanted else {
            self.client_line = None;
            return;
        };
        let is_same =
            |client_line: &ClientLine| client_line.rotation == rotation && Arc::ptr_eq(&client_line.readings, &readings);
        if self.client_line.as_ref().is_some_and(is_same) {
            return;
        }
        self.client_line = None;
        if !self.input.is_some_and(|input| input.is_on_board) {
            return;
        }
        match allowance.try_acquire(now, &readings) {
            Ok(permit) => {
                let line = SetupLine::follow(Arc::clone(&readings), self.fen.clone(), rotation, changed);
                self.client_line = Some(ClientLine { line, readings, rotation, caution: None, play_count: 0, _permit: permit });
            }
            Err(due) => self.line_retry_at = Some(due),
        }
    }

    /// Treats the game on the board as this client's from the moment at which its record ends in the position and the game is not
    /// over.
    fn update_trusted(&mut self, record: Option<&Record>, flipped: bool) {
        self.trusted = self.trusted.filter(|trusted| Some(*trusted) == self.anchor);
        if let Some(record) = record.filter(|record| self.matches_fen(record.fen(), flipped)) {
            self.trusted = self.anchor.filter(|_| record.result.is_none());
        }
    }

    fn is_on_board(&self, squares: &Placement, observation: SetupObservation<'_>) -> bool {
        Square::ALL.into_iter().all(|square| {
            let piece = self.position.board().piece_at(if observation.flipped { square.rotate_180() } else { square });
            piece.map_or(SquareState::Empty, SquareState::Piece).reduce_to(observation.sensing)
                == squares[square as usize].reduce_to(observation.sensing)
        })
    }

    /// Returns the record of the line for this client alone, once play began from the position.
    fn client_line_record(&self) -> Option<Arc<Record>> {
        self.client_line.as_ref()?.record(&self.fen)
    }

    /// Returns the number of plies after which the position occurs: where it was found before if it still occurs there, else its
    /// last occurrence.
    fn find_position(&self, game: u64, record: &Record, flipped: bool) -> Option<usize> {
        let is_here = |plies: &usize| {
            let fen = plies.checked_sub(1).map_or(Some(&record.start_fen), |last| Some(&record.plies.get(last)?.played.fen));
            fen.is_some_and(|fen| self.matches_fen(fen, flipped))
        };
        let known = self.anchor.filter(|(known, _)| *known == game).map(|(_, plies)| plies);
        known.filter(is_here).or_else(|| (0..=record.plies.len()).rev().find(is_here))
    }

    fn matches_fen(&self, fen: &str, flipped: bool) -> bool {
        let (pieces, own_pieces) = (placement(fen), placement(&self.fen));
        let same = if flipped { pieces.chars().rev().eq(own_pieces.chars()) } else { pieces == own_pieces };
        same && fen.split(' ').nth(1) == self.fen.split(' ').nth(1)
    }

    /// Returns the moves after the first `plies` plies, up to `settled` plies of the record or the first move that is not legal.
    fn moves_after(&self, record: &Record, plies: usize, settled: usize, flipped: bool) -> Moves {
        let settled = if self.release == ReleasePolicy::Prompt { usize::MAX } else { settled };
        let (mut position, mut san) = (self.position.clone(), Vec::new());
        for ply in record.plies.iter().take(settled).skip(plies).take_while(|ply| is_stable(ply)) {
            let uci = if flipped { rotated_uci(&ply.played) } else { ply.played.uci.clone() };
            let Some(mv) = position.parse_uci(&uci) else { break };
            san.push(position.san(mv));
            position = position.play(mv);
        }
        Moves { san, placement: placement(&position.fen()).to_owned(), line_placement: None }
    }
}

impl ClientLine {
    /// Updates which moves of the line are settled. Returns the input on which its moves depend.
    fn observe(&mut self, now: Millis, fen: &str) -> Option<(u64, u64, usize)> {
        let SetupView { games_begun: begun, squares, clock_runs, .. } = self.line.view();
        let Some(record) = self.record(fen) else {
            self.caution = None;
            return None;
        };
        let previous = self.caution.take().filter(|_| self.play_count == begun);
        let mut caution = previous.unwrap_or_else(|| SettledPlies::new(now));
        caution.update(now, &record, squares.as_ref(), clock_runs);
        let settled = caution.settled();
        (self.play_count, self.caution) = (begun, Some(caution));
        Some((begun, record.last_number, settled))
    }

    /// Returns the record of play from this position. A board that is set up almost correctly may begin another game.
    fn record(&self, fen: &str) -> Option<Arc<Record>> {
        self.line.view().record.filter(|record| placement(&record.start_fen) == placement(fen))
    }
}

fn placement(fen: &str) -> &str {
    fen.split(' ').next().unwrap_or_default()
}

/// Returns the same move on a board rotated by 180°: a1 becomes h8.
fn rotated_uci(played: &PlayedMove) -> String {
    let rotate = |c: char| match c {
        'a'..='h' => char::from(b'a' + b'h' - c as u8),
        '1'..='8' => char::from(b'1' + b'8' - c as u8),
        other => other,
    };
    let squares = played.uci.chars().take(4).map(rotate);
    squares.chain(played.uci.chars().skip(4)).collect()
}
