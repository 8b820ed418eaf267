//! `setup`: a client says from which position on it wants moves, and gets them in SAN, all of them each time.
//!
//! They are those of the published record that are legal since then, and only those that will hardly be corrected: lichess.org plays
//! them. The position is looked for in the record, the last time that it stood there; a game on the board goes on whatever is set up.

use crate::game::record::{Ply, PlyState, Record};
use crate::game::{Confidence, Played};
use crate::laws::Position;

/// No FEN is longer, in bytes: the longest of a position of chess has some 90.
const FEN: usize = 128;
/// As sure as a move is told when only what is sure is told.
const SURE: Confidence = Confidence(900);

/// A position that a client has set up, and the moves since.
#[derive(Clone, Debug)]
pub struct Setup {
    /// As the client wrote it, without blanks around it.
    pub start: String,
    position: Position,
    /// Of that.
    fen: String,
    /// Where it is in the record: which game, after how many plies.
    anchor: Option<(u64, usize)>,
    /// The state of the record that `line` is of.
    of: Option<Of>,
    line: Line,
}

/// A game's record at one moment, read one way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Of {
    game: u64,
    last_number: u64,
    flipped: bool,
}

/// Moves since a position was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// All of them, in SAN.
    pub san: Vec<String>,
    /// What stands on the board after them, as the first field of a FEN.
    pub placement: String,
}

impl Setup {
    /// From a FEN.
    ///
    /// # Errors
    /// It is none: a sentence.
    pub fn read(fen: &str) -> Result<Setup, String> {
        let fen = fen.trim();
        if fen.len() > FEN {
            return Err(format!("a FEN has no more than {FEN} bytes"));
        }
        let position = Position::from_fen(fen, false).map_err(|why| format!("{fen:?}: {why}"))?;
        let own = position.fen();
        let line = Line { san: Vec::new(), placement: placement(&own).to_owned() };
        Ok(Setup { start: fen.to_owned(), position, fen: own, anchor: None, of: None, line })
    }

    /// The moves since then, as they were found last.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Whether they may be others by this record of the game on the board. `flipped`: the board is read the other way round.
    pub fn is_behind(&self, game: Option<(u64, &Record)>, flipped: bool) -> bool {
        let of = game.map(|(game, record)| Of { game, last_number: record.last_number, flipped });
        self.of != of || of.is_none()
    }

    /// Finds them anew by that record. It plays the game again: nobody should wait for it.
    pub fn find_line(&mut self, game: Option<(u64, &Record)>, flipped: bool) {
        self.of = game.map(|(game, record)| Of { game, last_number: record.last_number, flipped });
        self.anchor = game.and_then(|(game, record)| Some((game, self.find(game, record, flipped)?)));
        self.line = match (self.anchor, game) {
            (Some((_, plies)), Some((_, record))) => self.follow(record, plies, flipped),
            _ => Line { san: Vec::new(), placement: placement(&self.fen).to_owned() },
        };
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

    fn follow(&self, record: &Record, plies: usize, flipped: bool) -> Line {
        let (mut position, mut san) = (self.position.clone(), Vec::new());
        for ply in record.plies.iter().skip(plies).take_while(|ply| is_stable(ply)) {
            let uci = if flipped { turned(&ply.played) } else { ply.played.uci.clone() };
            let Some(mv) = position.parse_uci(&uci) else { break };
            san.push(position.san(mv));
            position = position.play(mv);
        }
        Line { san, placement: placement(&position.fen()).to_owned() }
    }
}

/// Whether a move is legal and will hardly be corrected.
pub fn is_stable(ply: &Ply) -> bool {
    let sure = ply.confidence >= SURE && !is_king_in_the_centre(&ply.played);
    !ply.played.irregular && (sure || matches!(ply.state, PlyState::Completed { .. }))
}

/// A king's move to where kings tell the result: it may be the first half of that.
fn is_king_in_the_centre(played: &Played) -> bool {
    played.san.starts_with('K') && ["d4", "e4", "d5", "e5"].iter().any(|square| played.san.contains(square))
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
