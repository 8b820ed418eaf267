//! Squares, and what they show.

use crate::boards::SquareState;
use crate::game::words::{Word, sensed_from_word};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shakmaty::{Piece, Square};

fn parse_square<E: de::Error>(text: &str) -> Result<Square, E> {
    text.parse().map_err(|_| E::custom(format!("`{text}` is not a square; squares are a1 to h8")))
}

fn parse_sensed<E: de::Error>(text: &str) -> Result<SquareState, E> {
    sensed_from_word(text).ok_or_else(|| {
        E::custom(format!(
            "`{text}` is not the state of a square: empty, the letter of a piece as in FEN, white, black or occupied"
        ))
    })
}

/// A square, as `e4`.
pub(crate) mod square {
    use super::*;
    pub(crate) fn serialize<S: Serializer>(square: &Square, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(square)
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Square, D::Error> {
        parse_square(&String::deserialize(from)?)
    }
}

/// A list of squares.
pub(crate) mod list {
    use super::*;
    struct Name<'a>(&'a Square);
    impl Serialize for Name<'_> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            square::serialize(self.0, to)
        }
    }
    pub(crate) fn serialize<S: Serializer>(squares: &[Square], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(squares.iter().map(Name))
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Square>, D::Error> {
        Vec::<String>::deserialize(from)?.iter().map(|text| parse_square(text)).collect()
    }
}

/// What a square shows: `empty`, a piece as in FEN, `white`, `black` or `occupied`.
pub(crate) mod sensed {
    use super::*;
    pub(crate) fn serialize<S: Serializer>(sensed: &SquareState, to: S) -> Result<S::Ok, S::Error> {
        match sensed {
            SquareState::Empty => to.serialize_str("empty"),
            SquareState::Piece(piece) => to.serialize_char(piece.char()),
            SquareState::Side(color) => to.serialize_str(color.word()),
            SquareState::Occupied => to.serialize_str("occupied"),
        }
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SquareState, D::Error> {
        parse_sensed(&String::deserialize(from)?)
    }
}

/// What a square should show: `empty` or a piece as in FEN.
pub(crate) mod piece_or_empty {
    use super::*;
    pub(crate) fn serialize<S: Serializer>(expected: &Option<Piece>, to: S) -> Result<S::Ok, S::Error> {
        sensed::serialize(&expected.map_or(SquareState::Empty, SquareState::Piece), to)
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Piece>, D::Error> {
        let text = String::deserialize(from)?;
        match parse_sensed(&text)? {
            SquareState::Empty => Ok(None),
            SquareState::Piece(piece) => Ok(Some(piece)),
            _ => Err(de::Error::custom(format!("`expected` is `{text}`, and should be empty or the letter of a piece"))),
        }
    }
}
