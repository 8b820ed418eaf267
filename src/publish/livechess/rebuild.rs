//! `setup`: a client says from which position on it wants moves, and gets them in SAN, all of them each time.
//!
//! Where the position stands in the record of the game on the board, they are the moves of that record since the last time that it
//! stood there, corrections of the arbiter included. Where it does not, or the record had gone on before the pieces were put up in the
//! position again, the board's readings are followed for this client alone ([`SetupLine`]), once the position stands on the board.
//! Nothing of that reaches the journal. Either way a client is told only legal moves that are settled ([`Caution`]): lichess.org plays
//! them.

use super::allowance::{Allowance, Permit};
use super::message;
use crate::boards::{Millis, Placement, Sensed, Sensing};
use crate::config::livechess::Release;
use crate::daemon::hub::{GameView, Readings};
use crate::daemon::lines::{SetupLine, SetupView};
use crate::game::caution::is_stable;
use crate::game::event::Rotation;
use crate::game::record::Record;
use crate::game::{Caution, Played};
use crate::laws::Position;
use shakmaty::Square;
use std::sync::Arc;
use tokio::sync::Notify;
use tracing::{debug, error};

/// A position that a client has set up, and the moves since.
pub struct Setup {
    /// As the client wrote it, without blanks around it.
    pub start: String,
    position: Position,
    /// Of that.
    fen: String,
    /// When a move may be told.
    release: Release,
    /// Where it is in the record: which game, after how many plies.
    anchor: Option<(u64, usize)>,
    /// The anchor, where the game was seen to stand in the position: its moves since then are this client's.
    trusted: Option<(u64, usize)>,
    /// Of the game on the board.
    caution: Option<(u64, Caution)>,
    own: Option<Own>,
    /// When a line for this client alone is to be started, where there was no room for it.
    line_due: Option<Millis>,
    /// Such a line has failed: none is started again.
    has_failed: bool,
    /// What `moves` are of.
    basis: Option<Basis>,
    moves: Moves,
}

/// A line that is followed for this client alone.
struct Own {
    line: SetupLine,
    readings: Arc<Readings>,
    rotation: Rotation,
    /// Of the play that began the `begun`th time; `None`: none began from the position.
    caution: Option<Caution>,
    begun: u64,
    _permit: Permit,
}

/// All that the moves depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Basis {
    /// The game on the board, the number of its record's last event, and how many plies of it are settled.
    game: Option<(u64, u64, usize)>,
    flipped: bool,
    /// The squares show the position that was set up.
    stands: bool,
    /// The same of the own line.
    own: Option<(u64, u64, usize)>,
}

/// By what the moves are to be found anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// They are as they were found.
    Nothing,
    /// By the line that is followed for this client alone.
    Line,
    /// By the record of the game on the board.
    Record,
}

/// Moves since a position was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// All of them, in SAN.
    pub san: Vec<String>,
    /// What stands on the board after them, as the first field of a FEN.
    pub placement: String,
    /// What stands on the board by the line that is followed for this client alone, settled or not; `None`: they are of the record.
    pub own_placement: Option<String>,
}

/// What there is to see of a board and the game on it.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// The game on the board, or the last one.
    pub game: Option<&'a GameView>,
    /// What the squares show, as the players see them; `None`: it is not known, or not public.
    pub squares: Option<&'a Placement>,
    /// What the squares can tell.
    pub sensing: Sensing,
    /// Whether the clock runs; where everything is late, whether the game has one.
    pub clock_runs: bool,
    /// The board is read the other way round than it was found to stand.
    pub flipped: bool,
}

/// What is needed to follow a line for one client.
pub struct Source {
    /// What the board says.
    pub readings: Arc<Readings>,
    /// How the board stands, as the client has it read.
    pub rotation: Rotation,
    /// Notified when the line has changed.
    pub changed: Arc<Notify>,
}

impl Setup {
    /// From a FEN.
    ///
    /// # Errors
    /// It is none: a sentence.
    pub fn read(fen: &str, release: Release) -> Result<Setup, String> {
        let fen = fen.trim();
        let position = message::position(fen)?;
        let own = position.fen();
        let moves = Moves { san: Vec::new(), placement: placement(&own).to_owned(), own_placement: None };
        Ok(Setup {
            start: fen.to_owned(),
            position,
            fen: own,
            release,
            anchor: None,
            trusted: None,
            caution: None,
            own: None,
            line_due: None,
            has_failed: false,
            basis: None,
            moves,
        })
    }

    /// The moves since then, as they were found last.
    pub fn moves(&self) -> &Moves {
        &self.moves
    }

    /// When more moves are settled if nothing changes, or a line is to be started.
    pub fn next_deadline(&self) -> Option<Millis> {
        let of_game = self.caution.as_ref().and_then(|(_, caution)| caution.next_deadline());
        let own = self.own.as_ref().and_then(|own| own.caution.as_ref()?.next_deadline());
        let settled = of_game.into_iter().chain(own).filter(|_| self.release == Release::Settled);
        settled.chain(self.line_due).min()
    }

    /// Whether a line is followed for this client alone.
    pub fn has_own_line(&self) -> bool {
        self.own.is_some()
    }

    /// Takes what there is to see; by what the moves are to be found anew.
    pub fn see(&mut self, now: Millis, sight: Sight<'_>) -> Behind {
        let game = sight.game.map(|game| {
            let (id, mut caution) =
                self.caution.take().filter(|(id, _)| *id == game.id).unwrap_or((game.id, Caution::new(now)));
            caution.see(now, &game.record, sight.squares, sight.clock_runs);
            let settled = caution.settled();
            self.caution = Some((id, caution));
            (game.id, game.record.last_number, settled)
        });
        if game.is_none() {
            self.caution = None;
        }
        let own = self.own.as_mut().and_then(|own| own.see(now, &self.fen));
        let stands = sight.squares.is_some_and(|squares| self.is_shown(squares, sight));
        let basis = Basis { game, flipped: sight.flipped, stands, own };
        match self.basis.replace(basis) {
            Some(before) if before == basis => Behind::Nothing,
            Some(before) if own.is_some() && Basis { own, ..before } == basis => Behind::Line,
            _ => Behind::Record,
        }
    }

    /// The board is not there any more: nothing is due, and nothing is followed.
    pub fn lose_sight(&mut self) {
        (self.caution, self.own, self.line_due, self.basis) = (None, None, None, None);
    }

    /// Finds the moves anew by the record of the game that was seen last. It plays the game again: nobody should wait for it.
    pub fn find_moves(&mut self, record: Option<&Record>) {
        let Some(Basis { game, flipped, stands, own }) = self.basis else { return };
        self.anchor = game.zip(record).and_then(|((game, ..), record)| Some((game, self.find(game, record, flipped)?)));
        self.trust(record, flipped);
        self.moves = match (self.anchor, record, game, self.own_view()) {
            (_, _, _, Some(view)) if self.trusted.is_none() => self.moves_of(&view, own),
            // Moves that were on record before the pieces were put up again are not this client's.
            (Some((_, plies)), Some(record), Some((_, _, settled)), _) if !stands || self.trusted.is_some() => {
                self.follow(record, plies, settled, flipped)
            }
            _ => Moves { san: Vec::new(), placement: placement(&self.fen).to_owned(), own_placement: None },
        };
    }

    /// Finds the moves anew by the line that is followed for this client alone.
    pub fn find_line_moves(&mut self) {
        let own = self.basis.and_then(|basis| basis.own);
        if let Some(view) = self.own_view().filter(|_| self.trusted.is_none()) {
            self.moves = self.moves_of(&view, own);
        }
    }

    /// The moves of that line.
    fn moves_of(&self, view: &Record, own: Option<(u64, u64, usize)>) -> Moves {
        let settled = own.map_or(0, |(_, _, settled)| settled);
        // What stands there is told at once, also after a move that is not.
        let now = placement(view.fen()).to_owned();
        Moves { own_placement: Some(now), ..self.follow(view, 0, settled, false) }
    }

    /// Follows a line for this client alone where the game on the board may be another one, and none where it is this client's. It
    /// starts when the position stands on the board and the connection has room for it.
    pub fn follow_own(&mut self, now: Millis, source: Option<Source>, allowance: &mut Allowance) {
        self.line_due = None;
        if self.own.as_ref().is_some_and(|own| own.line.has_failed()) {
            // The log has no delay.
            debug!("the moves from {:?} are not followed any more", self.start);
            error!(
                "moves from a client's position are not followed any more, because of an error in touchmove; please report it"
            );
            self.has_failed = true;
        }
        let wanted = source.filter(|_| self.trusted.is_none() && !self.has_failed);
        let Some(Source { readings, rotation, changed }) = wanted else {
            self.own = None;
            return;
        };
        let is_same = |own: &Own| own.rotation == rotation && Arc::ptr_eq(&own.readings, &readings);
        if self.own.as_ref().is_some_and(is_same) {
            return;
        }
        self.own = None;
        if !self.basis.is_some_and(|basis| basis.stands) {
            return;
        }
        match allowance.take(now, &readings) {
            Ok(permit) => {
                let line = SetupLine::follow(Arc::clone(&readings), self.fen.clone(), rotation, changed);
                self.own = Some(Own { line, readings, rotation, caution: None, begun: 0, _permit: permit });
            }
            Err(due) => self.line_due = Some(due),
        }
    }

    /// The game on the board is this client's from the moment on at which its record stands in the position and may go on.
    fn trust(&mut self, record: Option<&Record>, flipped: bool) {
        self.trusted = self.trusted.filter(|trusted| Some(*trusted) == self.anchor);
        if let Some(record) = record.filter(|record| self.stands_in(record.fen(), flipped)) {
            self.trusted = self.anchor.filter(|_| record.result.is_none());
        }
    }

    fn is_shown(&self, squares: &Placement, sight: Sight<'_>) -> bool {
        Square::ALL.into_iter().all(|square| {
            let piece = self.position.board().piece_at(if sight.flipped { square.rotate_180() } else { square });
            piece.map_or(Sensed::Empty, Sensed::Piece).seen_by(sight.sensing) == squares[square as usize].seen_by(sight.sensing)
        })
    }

    /// The record of the own line, once play began from the position.
    fn own_view(&self) -> Option<Arc<Record>> {
        self.own.as_ref()?.record(&self.fen)
    }

    /// After how many plies the position stands: where it was found before if it still does, else the last time.
    fn find(&self, game: u64, record: &Record, flipped: bool) -> Option<usize> {
        let here = |plies: &usize| {
            let fen = plies.checked_sub(1).map_or(Some(&record.start_fen), |last| Some(&record.plies.get(last)?.played.fen));
            fen.is_some_and(|fen| self.stands_in(fen, flipped))
        };
        let known = self.anchor.filter(|(known, _)| *known == game).map(|(_, plies)| plies);
        known.filter(here).or_else(|| (0..=record.plies.len()).rev().find(here))
    }

    fn stands_in(&self, fen: &str, flipped: bool) -> bool {
        let (pieces, own) = (placement(fen), placement(&self.fen));
        let same = if flipped { pieces.chars().rev().eq(own.chars()) } else { pieces == own };
        same && fen.split(' ').nth(1) == self.fen.split(' ').nth(1)
    }

    /// The moves after so many plies, up to `settled` plies of the record or the first that is not legal.
    fn follow(&self, record: &Record, plies: usize, settled: usize, flipped: bool) -> Moves {
        let settled = if self.release == Release::Prompt { usize::MAX } else { settled };
        let (mut position, mut san) = (self.position.clone(), Vec::new());
        for ply in record.plies.iter().take(settled).skip(plies).take_while(|ply| is_stable(ply)) {
            let uci = if flipped { turned(&ply.played) } else { ply.played.uci.clone() };
            let Some(mv) = position.parse_uci(&uci) else { break };
            san.push(position.san(mv));
            position = position.play(mv);
        }
        Moves { san, placement: placement(&position.fen()).to_owned(), own_placement: None }
    }
}

impl Own {
    /// Takes how the line stands; what the moves of it depend on.
    fn see(&mut self, now: Millis, fen: &str) -> Option<(u64, u64, usize)> {
        let SetupView { begun, squares, clock_runs, .. } = self.line.view();
        let Some(record) = self.record(fen) else {
            self.caution = None;
            return None;
        };
        let same = self.caution.take().filter(|_| self.begun == begun);
        let mut caution = same.unwrap_or_else(|| Caution::new(now));
        caution.see(now, &record, squares.as_ref(), clock_runs);
        let settled = caution.settled();
        (self.begun, self.caution) = (begun, Some(caution));
        Some((begun, record.last_number, settled))
    }

    /// The record of play from this position. A board that is set up nearly right may begin another game.
    fn record(&self, fen: &str) -> Option<Arc<Record>> {
        self.line.view().record.filter(|record| placement(&record.start_fen) == placement(fen))
    }
}

fn placement(fen: &str) -> &str {
    fen.split(' ').next().unwrap_or_default()
}

/// The same move on a board that is read the other way round: a1 is h8.
fn turned(played: &Played) -> String {
    let turn = |c: char| match c {
        'a'..='h' => char::from(b'a' + b'h' - c as u8),
        '1'..='8' => char::from(b'1' + b'8' - c as u8),
        other => other,
    };
    let squares = played.uci.chars().take(4).map(turn);
    squares.chain(played.uci.chars().skip(4)).collect()
}
