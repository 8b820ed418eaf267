//! The JSON form of the arguments of a message.

use super::{Arg, Text, parse_piece, parse_role, write_piece};
use crate::game::facts::Difference;
use crate::game::json::squares::square;
use crate::game::json::word;
use crate::laws::reason::{MovedBefore, PlacedPiece, ReasonArg};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shakmaty::{Color, Role, Square};

/// An argument, as `{"name":"player","player":"white"}`.
#[derive(Serialize, Deserialize)]
struct NamedArg {
    name: String,
    #[serde(flatten)]
    value: ArgForm,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ArgForm {
    Square(#[serde(with = "square")] Square),
    Role(#[serde(with = "role")] Role),
    Player(#[serde(with = "word")] Color),
    Man(PieceForm),
    Men(Vec<PieceForm>),
    Moved(#[serde(with = "word")] MovedBefore),
    Number(u32),
    Plain(String),
    Differences(Vec<Difference>),
    Text(Box<Text>),
}

/// A piece on its square, as `Re8`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct PieceForm(PlacedPiece);

impl From<PieceForm> for String {
    fn from(piece: PieceForm) -> String {
        write_piece(&piece.0)
    }
}

impl TryFrom<String> for PieceForm {
    type Error = String;

    fn try_from(text: String) -> Result<PieceForm, String> {
        let piece = parse_piece(&text);
        piece.map(PieceForm).ok_or_else(|| format!("`{text}` is not a piece on a square, such as Re8"))
    }
}

/// A kind of piece, as its letter in FEN.
mod role {
    use super::*;
    pub(super) fn serialize<S: Serializer>(role: &Role, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_char(role.char())
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Role, D::Error> {
        let letter = String::deserialize(from)?;
        parse_role(&letter).ok_or_else(|| de::Error::custom(format!("`{letter}` is not the letter of a piece")))
    }
}

/// The arguments of a message.
pub(super) mod args {
    use super::*;
    pub(crate) fn serialize<S: Serializer>(args: &[(String, Arg)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(args.iter().map(|(name, arg)| NamedArg { name: name.clone(), value: ArgForm::from(arg) }))
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Arg)>, D::Error> {
        let args = Vec::<NamedArg>::deserialize(from)?;
        Ok(args.into_iter().map(|arg| (arg.name, Arg::from(arg.value))).collect())
    }
}

impl From<&Arg> for ArgForm {
    fn from(arg: &Arg) -> ArgForm {
        match arg {
            Arg::Number(number) => ArgForm::Number(*number),
            Arg::Plain(plain) => ArgForm::Plain(plain.clone()),
            Arg::Differences(differences) => ArgForm::Differences(differences.clone()),
            Arg::Text(text) => ArgForm::Text(text.clone()),
            Arg::Word(ReasonArg::Square(square)) => ArgForm::Square(*square),
            Arg::Word(ReasonArg::Role(role)) => ArgForm::Role(*role),
            Arg::Word(ReasonArg::Player(color)) => ArgForm::Player(*color),
            Arg::Word(ReasonArg::Piece(piece)) => ArgForm::Man(PieceForm(*piece)),
            Arg::Word(ReasonArg::Pieces(pieces)) => ArgForm::Men(pieces.iter().map(|piece| PieceForm(*piece)).collect()),
            Arg::Word(ReasonArg::Moved(moved)) => ArgForm::Moved(*moved),
        }
    }
}

impl From<ArgForm> for Arg {
    fn from(form: ArgForm) -> Arg {
        match form {
            ArgForm::Square(square) => Arg::Word(ReasonArg::Square(square)),
            ArgForm::Role(role) => Arg::Word(ReasonArg::Role(role)),
            ArgForm::Player(color) => Arg::Word(ReasonArg::Player(color)),
            ArgForm::Man(PieceForm(piece)) => Arg::Word(ReasonArg::Piece(piece)),
            ArgForm::Men(pieces) => Arg::Word(ReasonArg::Pieces(pieces.into_iter().map(|PieceForm(piece)| piece).collect())),
            ArgForm::Moved(moved) => Arg::Word(ReasonArg::Moved(moved)),
            ArgForm::Number(number) => Arg::Number(number),
            ArgForm::Plain(plain) => Arg::Plain(plain),
            ArgForm::Differences(differences) => Arg::Differences(differences),
            ArgForm::Text(text) => Arg::Text(text),
        }
    }
}
