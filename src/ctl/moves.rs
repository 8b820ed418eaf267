//! The moves of a game with their numbers, as people write them: `21.Nf3`, `21...Qa5`.

mod reference;

use crate::laws::Position;
use crate::publish::client::{Client, ClientError, WatchedEvent};
use reference::{PlyReference, is_same_move};
use serde_json::Value;
use shakmaty::Color;
use std::fmt;

/// The number of a move and its player. A move out of turn breaks the alternation, so it comes from the position after the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MoveNumber {
    /// The number, as a score sheet has it.
    pub(super) number: u32,
    /// Who made the move.
    pub(super) player: Color,
}

impl MoveNumber {
    /// Returns the number of the move to be made in a position, given as FEN.
    fn of_next(fen: &str) -> MoveNumber {
        let mut fields = fen.split_whitespace().skip(1);
        let player = if fields.next() == Some("b") { Color::Black } else { Color::White };
        MoveNumber { number: fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1), player }
    }

    /// Returns the number of the move that led to a position, given as FEN.
    fn of_last(fen: &str) -> MoveNumber {
        let next = MoveNumber::of_next(fen);
        MoveNumber { number: next.number.saturating_sub(u32::from(next.player.is_white())), player: !next.player }
    }

    /// Returns the player's name in English.
    pub(super) fn player_name(self) -> &'static str {
        player_name(self.player)
    }
}

/// `21.` for White, `21...` for Black.
impl fmt::Display for MoveNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.number, self.player.fold_wb(".", "..."))
    }
}

/// Returns the player's name in English.
pub(super) fn player_name(player: Color) -> &'static str {
    player.fold_wb("White", "Black")
}

/// The moves of a game, from its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MoveList {
    /// The start position, as FEN.
    start: String,
    /// SAN, and the position after the move as FEN.
    moves: Vec<(String, String)>,
}

impl MoveList {
    /// Reads the moves of a game.
    pub(super) async fn read(client: &Client, game: u64) -> Result<MoveList, ClientError> {
        Ok(MoveList::of(&client.events(game).await?))
    }

    /// Returns the moves after these events, which begin with the start of the game.
    pub(super) fn of<'a>(events: impl IntoIterator<Item = &'a WatchedEvent>) -> MoveList {
        let mut list = MoveList::default();
        events.into_iter().for_each(|event| list.apply(event));
        list
    }

    /// Applies an event of the game. The events come in their order.
    pub(super) fn apply(&mut self, event: &WatchedEvent) {
        let field = |name: &str| event.fields.get(name);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let index = |name: &str| {
            let ply = field(name).and_then(Value::as_u64).and_then(|ply| usize::try_from(ply).ok());
            ply.unwrap_or_default().saturating_sub(1)
        };
        match event.event.as_str() {
            "GameStarted" => *self = MoveList { start: text(field("start")), moves: Vec::new() },
            "MoveMade" => {
                self.moves.truncate(index("ply"));
                self.moves.push((text(field("san")), text(field("fen"))));
            }
            "MovesCorrected" => {
                self.moves.truncate(index("from_ply"));
                let moves = field("moves").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                self.moves.extend(moves.iter().map(|played| (text(played.get(1)), text(played.get(2)))));
            }
            _ => {}
        }
    }

    /// Returns the number of plies.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    /// Returns the move at a ply, counted from 1: its SAN, and the position after it as FEN.
    fn at(&self, ply: u32) -> Option<&(String, String)> {
        self.moves.get(usize::try_from(ply).ok()?.checked_sub(1)?)
    }

    /// Returns the SAN of the move at a ply; `None` if there is none.
    pub(super) fn san(&self, ply: u32) -> Option<&str> {
        self.at(ply).map(|(san, _)| san.as_str())
    }

    /// Returns the position before a ply, as FEN; one ply more than the game has: the last position.
    fn fen_before(&self, ply: u32) -> Option<&str> {
        match ply {
            0 => None,
            1 => Some(&self.start),
            _ => self.at(ply - 1).map(|(_, fen)| fen.as_str()),
        }
    }

    /// Returns the number of the move at a ply; one ply more than the game has: of the next move.
    pub(super) fn number(&self, ply: u32) -> Option<MoveNumber> {
        match self.at(ply) {
            Some((_, fen)) => Some(MoveNumber::of_last(fen)),
            None => self.fen_before(ply).map(MoveNumber::of_next),
        }
    }

    /// Returns the move at a ply as `21.Nf3`; `None` if there is none.
    pub(super) fn name(&self, ply: u32) -> Option<String> {
        Some(format!("{}{}", self.number(ply)?, self.san(ply)?))
    }

    /// Returns which move of whom is at a ply, such as `White's move 21`, for sentences.
    pub(super) fn place(&self, ply: u32) -> String {
        match self.number(ply) {
            Some(number) => format!("{}'s move {}", number.player_name(), number.number),
            None if ply == 0 => "the start".to_owned(),
            None => format!("ply {ply}"),
        }
    }

    /// Returns when something was that concerns a ply, such as `after 21.Nf3 (White's move 21)`, for sentences.
    pub(super) fn moment(&self, ply: u32) -> String {
        match self.name(ply) {
            Some(name) => format!("after {name} ({})", self.place(ply)),
            None if ply == 0 => "before the first move".to_owned(),
            None => format!("at {}", self.place(ply)),
        }
    }

    /// Returns the ply of the last promotion on record.
    pub(super) fn last_promotion(&self) -> Option<u32> {
        (1..=self.len()).rev().find(|ply| self.san(*ply).is_some_and(|san| san.contains('=')))
    }

    /// Returns the argument of a command, as `Commanded` has it, with its ply as a move: `exd5 at White's move 21`.
    pub(super) fn describe_argument(&self, command: &str, argument: &str) -> String {
        if command == "restore" {
            return argument
                .parse()
                .map_or_else(|_| argument.to_owned(), |ply| format!("the position before {}", self.place(ply)));
        }
        let ply = argument.rsplit_once("ply ").and_then(|(_, ply)| ply.parse().ok());
        let (first, rest) = argument.split_once(' ').unwrap_or((argument, ""));
        match ply.and_then(|ply| self.san_of(ply, first)) {
            Some(san) => format!("{san} {}", self.name_plies(rest)),
            None => self.name_plies(argument),
        }
    }

    /// Returns the sentence with `ply 41` replaced by `White's move 21`, as far as the game has these plies.
    pub(super) fn name_plies(&self, sentence: &str) -> String {
        let (mut named, mut rest) = (String::new(), sentence);
        while let Some((before, after)) = rest.split_once("ply ") {
            let is_word = !before.ends_with(char::is_alphabetic);
            let end = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let ply = after.strip_suffix(end).and_then(|digits| digits.parse().ok()).filter(|_| is_word);
            named.push_str(before);
            named.push_str(&ply.map_or_else(|| "ply ".to_owned(), |ply| self.place(ply)));
            rest = if ply.is_some() { end } else { after };
        }
        named + rest
    }

    /// Returns the moves from this ply on with their numbers, as `21.Nf3 Qa5 22.Re1`; empty if there are none.
    pub(super) fn text_from(&self, ply: u32) -> String {
        let (mut text, mut last) = (String::new(), None);
        for at in ply.max(1)..=self.len() {
            let (Some(number), Some(san)) = (self.number(at), self.san(at)) else { break };
            let follows = last.is_some_and(|last: MoveNumber| last.player.is_white() && last.number == number.number);
            let separator = if text.is_empty() { "" } else { " " };
            let shown = if follows && number.player.is_black() { String::new() } else { number.to_string() };
            text.push_str(&format!("{separator}{shown}{san}"));
            last = Some(number);
        }
        text
    }

    /// Returns the ply that a person means: `41`, `21.Nf3`, `21...Qa5`, or `21.` and `21...` for any move of White and Black.
    ///
    /// # Errors
    /// It names no move of the game, or several. One ply more than the game has is accepted, as the place of the next move.
    pub(super) fn find(&self, text: &str) -> Result<u32, String> {
        let (wanted, san) = match PlyReference::parse(text)? {
            PlyReference::Ply(ply) => return self.check_ply(ply),
            PlyReference::Move(number, san) => (number, san),
        };
        let plies: Vec<u32> = (1..=self.len() + 1).filter(|ply| self.number(*ply) == Some(wanted)).collect();
        let is_named = |ply: &u32| san.is_none_or(|san| self.san(*ply).is_some_and(|known| is_same_move(known, san)));
        let named: Vec<u32> = plies.iter().copied().filter(is_named).collect();
        match (named.as_slice(), plies.first()) {
            ([ply], _) => Ok(*ply),
            ([], None) => Err(format!("the game has no move {wanted} of {}{}", wanted.player_name(), self.extent())),
            ([], Some(ply)) => match self.name(*ply) {
                Some(name) => Err(format!("{} is {name}, not {text:?}", self.place(*ply))),
                None => Err(format!("{} has not been made: write {wanted} for its place", self.place(*ply))),
            },
            (several, _) => {
                let plies: Vec<String> = several.iter().map(u32::to_string).collect();
                Err(format!("{text:?} names several moves: write one of their plies, {}", plies.join(" or ")))
            }
        }
    }

    fn check_ply(&self, ply: u32) -> Result<u32, String> {
        if ply <= self.len() + 1 { Ok(ply) } else { Err(format!("there is no ply {ply}{}", self.extent())) }
    }

    /// How far the game goes, for errors.
    fn extent(&self) -> String {
        self.name(self.len()).map_or_else(|| ": no move has been made".to_owned(), |last| format!(": the last move is {last}"))
    }

    /// Returns a move in UCI that a person writes in SAN or UCI, at this ply.
    ///
    /// # Errors
    /// The move is not legal in the position before the ply; the message lists the legal moves in SAN.
    pub(super) fn parse_move(&self, ply: u32, text: &str) -> Result<String, String> {
        let no_position = || format!("the game has no position before {}{}", self.place(ply), self.extent());
        let fen = self.fen_before(ply).ok_or_else(no_position)?;
        let position = Position::from_fen(fen, false).map_err(|error| format!("{}: {error}", no_position()))?;
        // The number in front, as in 21.exd5, is not needed.
        let written = text.rsplit(['.', '…']).next().unwrap_or(text).trim();
        let legal = || {
            let mut sans: Vec<String> = position.legal_moves().iter().map(|mv| position.san(*mv)).collect();
            sans.sort();
            if sans.is_empty() {
                "there is no legal move".to_owned()
            } else {
                format!("the legal moves are {}", sans.join(" "))
            }
        };
        let mv = position.parse_uci(written).or_else(|| position.parse_san(written)).filter(|mv| position.is_legal(*mv));
        mv.map(|mv| position.uci(mv)).ok_or_else(|| format!("{text:?} is not legal as {}: {}", self.place(ply), legal()))
    }

    /// Returns a move in UCI, at this ply, that need not be legal; `None` if it is not written in UCI, or no piece could make it.
    pub(super) fn parse_any_move(&self, ply: u32, text: &str) -> Option<String> {
        let position = Position::from_fen(self.fen_before(ply)?, false).ok()?;
        position.any_move(text).map(|_| text.to_owned())
    }

    /// Returns a move in SAN that is given in UCI, at this ply.
    pub(super) fn san_of(&self, ply: u32, uci: &str) -> Option<String> {
        let position = Position::from_fen(self.fen_before(ply)?, false).ok()?;
        position.parse_uci(uci).map(|mv| position.san(mv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(name: &str, fields: Value) -> WatchedEvent {
        let fields = fields.as_object().cloned().unwrap();
        WatchedEvent { game: Some(1), board: None, number: None, time: None, event: name.to_owned(), fields }
    }

    /// A game from this position with these moves.
    fn game(start: &str, sans: &[&str]) -> MoveList {
        let mut list = MoveList::default();
        list.apply(&event("GameStarted", json!({ "start": start })));
        let mut position = Position::from_fen(start, false).unwrap();
        for (ply, san) in (1..).zip(sans) {
            position = position.play(position.parse_san(san).unwrap());
            list.apply(&event("MoveMade", json!({ "ply": ply, "san": san, "fen": position.fen() })));
        }
        list
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const BLACK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 3 40";

    #[test]
    fn moves_have_the_numbers_of_a_score_sheet() {
        let list = game(START, &["e4", "d5", "exd5"]);
        assert_eq!(list.name(2).as_deref(), Some("1...d5"));
        assert_eq!((list.place(3).as_str(), list.place(4).as_str()), ("White's move 2", "Black's move 2"));
        assert_eq!(
            (list.text_from(1).as_str(), list.text_from(2).as_str(), list.text_from(4).as_str()),
            ("1.e4 d5 2.exd5", "1...d5 2.exd5", "")
        );
        assert_eq!(game(BLACK, &["e5", "e4"]).text_from(1), "40...e5 41.e4");
    }

    #[test]
    fn sentences_name_the_move() {
        let list = game(START, &["e4", "d5", "exd5"]);
        assert_eq!(list.moment(2), "after 1...d5 (Black's move 1)");
        assert_eq!((list.moment(4).as_str(), list.moment(0).as_str()), ("at Black's move 2", "before the first move"));
        for (command, argument, expected) in [
            ("replace", "e4d5 at ply 3", "exd5 at White's move 2"),
            ("insert", "d8d5 before ply 4", "Qxd5 before Black's move 2"),
            ("promotion", "knight at ply 3", "knight at White's move 2"),
            ("strike", "white at ply 0", "white at the start"),
            ("restore", "2", "the position before Black's move 1"),
            ("result", "1-0", "1-0"),
        ] {
            assert_eq!(list.describe_argument(command, argument), expected);
        }
        let sentence = "the reply 3 is at ply 3, ply 9 or any ply of all";
        assert_eq!(list.name_plies(sentence), "the reply 3 is at White's move 2, ply 9 or any ply of all");
    }

    #[test]
    fn a_move_out_of_turn_does_not_shift_the_numbers() {
        let mut list = game(START, &["e4"]);
        // White moves again, and Black is to move.
        let fen = "rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 1";
        list.apply(&event("MoveMade", json!({"ply": 2, "san": "d2-d4", "fen": fen})));
        assert_eq!(list.text_from(1), "1.e4 1.d2-d4");
        assert_eq!(list.place(3), "Black's move 1");
        assert_eq!(list.find("1.").unwrap_err(), "\"1.\" names several moves: write one of their plies, 1 or 2");
        assert_eq!(list.find("1.e4"), Ok(1));
    }

    #[test]
    fn a_correction_replaces_the_moves_after_it() {
        let mut list = game(START, &["e4", "d5", "exd5"]);
        list.apply(&event("MovesCorrected", json!({"from_ply": 2, "moves": []})));
        assert_eq!((list.len(), list.text_from(1).as_str()), (1, "1.e4"));
    }

    #[test]
    fn people_name_a_move_by_its_number_or_its_ply() {
        let list = game(START, &["e4", "d5", "exd5", "Qxd5"]);
        for (text, ply) in [("3", 3), ("2.exd5", 3), ("2. exd5", 3), ("2...Qxd5+", 4), ("2…", 4), ("3.", 5), ("0", 0)] {
            assert_eq!(list.find(text), Ok(ply), "{text}");
        }
        for (text, error) in [
            ("2.Nf3", "White's move 2 is 2.exd5, not \"2.Nf3\""),
            ("3.Nc3", "White's move 3 has not been made: write 3. for its place"),
            ("9...", "the game has no move 9... of Black: the last move is 2...Qxd5"),
            ("99", "there is no ply 99: the last move is 2...Qxd5"),
            ("2..", "write a move with its number, such as 21.Nf3 or 21...Qa5, or a ply such as 41"),
            ("Nf3", "write a move with its number, such as 21.Nf3 or 21...Qa5, or a ply such as 41"),
            ("", "write a move with its number, such as 21.Nf3 or 21...Qa5, or a ply such as 41"),
        ] {
            assert_eq!(list.find(text).unwrap_err(), error, "{text}");
        }
    }

    #[test]
    fn moves_are_written_in_either_notation() {
        let list = game(START, &["e4", "d5", "exd5"]);
        for text in ["e4d5", "exd5", "2.exd5"] {
            assert_eq!(list.parse_move(3, text).as_deref(), Ok("e4d5"), "{text}");
        }
        assert_eq!(list.san_of(3, "e4d5").as_deref(), Some("exd5"));
        let mate = game("7k/8/6KQ/8/8/8/8/8 b - - 0 60", &["Kg8"]);
        assert_eq!(mate.parse_move(1, "Kh7").unwrap_err(), "\"Kh7\" is not legal as Black's move 60: the legal moves are Kg8");
    }
}
