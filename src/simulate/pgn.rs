//! Reads games to simulate from PGN text: start position, moves, clock times.

use crate::game::GameResult;
use crate::laws::{CENTRE, Move, Position};
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::Role;
use std::io;
use std::ops::ControlFlow;

/// One game of a PGN file.
#[derive(Clone, Debug)]
pub struct SourceGame {
    /// Its place in the file, from 1.
    pub number: usize,
    /// `White - Black`, from the tags.
    pub title: String,
    /// The name of White as the tag has it; empty without one.
    pub white: String,
    /// The name of Black as the tag has it; empty without one.
    pub black: String,
    /// The date as the tag has it: of a server if there is no other, empty without one.
    pub date: String,
    /// The start position.
    pub start: Position,
    /// The plies played.
    pub plies: Vec<GamePly>,
    /// The result from the tags.
    pub result: Option<GameResult>,
    /// The file ends with king moves to the centre that are interpreted as the result signal: the hands always give the signal
    /// then.
    pub signalled: bool,
    /// Differences between the file and what was read, one sentence each.
    pub notes: Vec<String>,
}

/// One ply of a game to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GamePly {
    /// The move, which is legal in its position.
    pub mv: Move,
    /// The mover's clock time after the move (`[%clk]`), in milliseconds.
    pub clock_ms: Option<u32>,
}

/// The games of a PGN file.
#[derive(Clone, Debug, Default)]
pub struct Games {
    /// The games that can be played, in the file's order.
    pub games: Vec<SourceGame>,
    /// Number of games skipped because they have no moves.
    pub without_moves: usize,
    /// Games skipped because their FEN is invalid: number and reason.
    pub unreadable: Vec<(usize, String)>,
}

/// Reads all games of a PGN file. A broken game does not affect the others.
pub fn read(text: &str) -> Games {
    let text = with_promotion_signs(text);
    let mut reader = Reader::new(io::Cursor::new(text.as_bytes()));
    let mut games = Games::default();
    let mut number = 0;
    // Reading from memory can only fail if the movetext is no PGN at all; the games read until then are kept.
    while let Ok(Some(raw)) = reader.read_game(&mut Collect) {
        number += 1;
        match raw.into_game(number) {
            Ok(game) if game.plies.is_empty() => games.without_moves += 1,
            Ok(game) => games.games.push(game),
            Err(reason) => games.unreadable.push((number, reason)),
        }
    }
    games
}

/// Inserts the `=` of promotions. Many programs write `b8Q` for `b8=Q`, which the reader would silently skip. Tag lines stay
/// unchanged: `b1Q5` is FEN.
fn with_promotion_signs(text: &str) -> String {
    let mut output = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let tag = line.strip_prefix('[').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()));
        let mut previous = ['\0'; 2];
        for letter in line.chars() {
            let promotes = matches!(previous, ['a'..='h', '1' | '8']) && matches!(letter, 'Q' | 'R' | 'B' | 'N');
            if promotes && !tag {
                output.push('=');
            }
            output.push(letter);
            previous = [previous[1], letter];
        }
    }
    output
}

/// A game as the file has it.
#[derive(Default)]
struct RawGame {
    white: String,
    black: String,
    date: String,
    utc_date: String,
    result: String,
    variant: String,
    fen: Option<String>,
    moves: Vec<(String, Option<u32>)>,
}

impl RawGame {
    fn into_game(self, number: usize) -> Result<SourceGame, String> {
        let chess960 = self.variant.contains("960") || self.variant.to_ascii_lowercase().contains("fischer");
        let start = match &self.fen {
            Some(fen) => Position::from_fen(fen, chess960).map_err(|error| format!("its FEN cannot be read: {error}"))?,
            None => Position::start(),
        };
        let is_known = |date: &str| date.starts_with(|first: char| first.is_ascii_digit());
        let mut game = SourceGame {
            number,
            title: format!("{} - {}", self.white, self.black),
            white: self.white,
            black: self.black,
            date: if is_known(&self.date) { self.date } else { self.utc_date },
            start,
            plies: Vec::with_capacity(self.moves.len()),
            result: GameResult::parse(&self.result),
            signalled: false,
            notes: Vec::new(),
        };
        let mut position = game.start.clone();
        for (index, (san, clock_ms)) in self.moves.iter().enumerate() {
            let Some(mv) = position.parse_san(san) else {
                let rest = self.moves.get(index..).unwrap_or_default();
                game.add_illegal_move(&position, san, is_king_signal(rest));
                break;
            };
            position = position.play(mv);
            game.plies.push(GamePly { mv, clock_ms: *clock_ms });
        }
        game.strip_king_walk(&position);
        Ok(game)
    }
}

impl SourceGame {
    /// Returns the position after this number of plies.
    pub fn position(&self, plies: usize) -> Position {
        self.plies.iter().take(plies).fold(self.start.clone(), |position, ply| position.play(ply.mv))
    }

    /// Returns the FEN of the start position, unless it is a start position of chess or Chess960.
    pub fn unusual_start(&self) -> Option<String> {
        let key = self.start.key();
        let numbers = if self.start.is_chess960() { 0..960 } else { 518..519 };
        let usual = numbers.filter_map(Position::chess960).any(|start| start.key() == key);
        (!usual).then(|| self.start.fen())
    }

    /// Notes that this move of the file is illegal in its position.
    fn add_illegal_move(&mut self, position: &Position, san: &str, signal: bool) {
        let dots = if position.turn().is_white() { "." } else { "..." };
        let number = position.fullmoves();
        if signal && self.result.is_some() {
            self.signalled = true;
            self.notes.push(format!("{number}{dots}{san} is illegal: simulated as the kings' result signal"));
        } else {
            self.notes.push(format!("{number}{dots}{san} is illegal: the game is simulated up to the move before it"));
        }
    }

    /// Removes a king's last move to the centre in a finished game: broadcasts record the result signal as such a move.
    fn strip_king_walk(&mut self, end: &Position) {
        let Some(&GamePly { mv: mv @ Move::Normal { role: Role::King, to, .. }, .. }) = self.plies.last() else { return };
        if self.result.is_some() && CENTRE.contains(to) && end.ending().is_none() {
            let san = self.position(self.plies.len() - 1).numbered_san(mv);
            self.notes.push(format!("{san}, a king's move to the centre, is simulated as the kings' result signal"));
            self.plies.pop();
            self.signalled = true;
        }
    }
}

/// Returns whether these are the last one or two moves of a game, all of them by kings and one of them to the centre.
fn is_king_signal(moves: &[(String, Option<u32>)]) -> bool {
    let to_centre = |san: &str| ["d4", "e4", "d5", "e5"].iter().any(|square| san.contains(square));
    moves.len() <= 2 && moves.iter().all(|(san, _)| san.starts_with('K')) && moves.iter().any(|(san, _)| to_centre(san))
}

/// Parses the time in `[%clk 1:30:57]` to milliseconds; fractions of a second are allowed.
fn clock_in(comment: &str) -> Option<u32> {
    let text = comment.split_once("[%clk")?.1.split_once(']')?.0.trim();
    let mut total: u32 = 0;
    let mut parts = text.split(':').rev();
    let seconds = parts.next()?;
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    total = total.checked_add(whole.parse::<u32>().ok()?.checked_mul(1000)?)?;
    for (digit, unit_ms) in fraction.chars().zip([100, 10, 1]) {
        total = total.checked_add(digit.to_digit(10)? * unit_ms)?;
    }
    for (part, unit_ms) in parts.zip([60_000u32, 3_600_000]) {
        total = total.checked_add(part.parse::<u32>().ok()?.checked_mul(unit_ms)?)?;
    }
    Some(total)
}

struct Collect;

impl Visitor for Collect {
    type Tags = RawGame;
    type Movetext = RawGame;
    type Output = RawGame;

    fn begin_tags(&mut self) -> ControlFlow<RawGame, RawGame> {
        ControlFlow::Continue(RawGame::default())
    }

    fn tag(&mut self, raw: &mut RawGame, name: &[u8], value: RawTag<'_>) -> ControlFlow<RawGame> {
        let value = value.decode_utf8_lossy().into_owned();
        match name {
            b"White" => raw.white = value,
            b"Black" => raw.black = value,
            b"Date" => raw.date = value,
            b"UTCDate" => raw.utc_date = value,
            b"Result" => raw.result = value,
            b"Variant" => raw.variant = value,
            b"FEN" => raw.fen = Some(value),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, raw: RawGame) -> ControlFlow<RawGame, RawGame> {
        ControlFlow::Continue(raw)
    }

    fn san(&mut self, raw: &mut RawGame, san: SanPlus) -> ControlFlow<RawGame> {
        raw.moves.push((san.to_string(), None));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, raw: &mut RawGame, comment: RawComment<'_>) -> ControlFlow<RawGame> {
        if let (Some((_, clock)), Some(found)) = (raw.moves.last_mut(), clock_in(&String::from_utf8_lossy(comment.as_bytes())))
        {
            *clock = Some(found);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut RawGame) -> ControlFlow<RawGame, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, raw: RawGame) -> RawGame {
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_times_are_read() {
        for (text, ms) in [
            ("[%clk 1:30:57]", Some(5_457_000)),
            (" [%clk 01:30:54] ", Some(5_454_000)),
            ("[%eval 0.1] [%clk 0:00:03.5]", Some(3_500)),
            ("[%clk x]", None),
            ("a good move", None),
        ] {
            assert_eq!(clock_in(text), ms, "{text}");
        }
    }

    #[test]
    fn promotions_are_read_with_and_without_sign() {
        let fen = "[FEN \"4k3/P6P/8/8/8/8/8/2b1Q1K1 w - - 0 1\"]\n[SetUp \"1\"]\n\n";
        let game = &read(&format!("{fen}1. a8Q+ Kd7\n2. h8=N *\n\n")).games[0];
        assert_eq!((game.plies.len(), game.notes.len()), (3, 0));
        assert_eq!(game.start.piece_at(shakmaty::Square::E1).map(|piece| piece.role), Some(Role::Queen));
    }

    #[test]
    fn a_kings_walk_to_the_centre_is_a_signal_and_games_without_moves_are_counted() {
        let games = read(
            "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. f4 e6 2. Kf2 Ke7 3. Ke3 a6 4. Ke4 1-0\n\n\
             [White \"C\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n\n[Result \"0-1\"]\n\n1. e4 e5 2. Kd4 0-1\n\n",
        );
        assert_eq!(games.without_moves, 1);
        let read: Vec<_> = games.games.iter().map(|game| (game.number, game.plies.len(), game.signalled)).collect();
        assert_eq!(read, [(1, 6, true), (3, 2, true)]);
    }
}
