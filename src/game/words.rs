//! The words that represent values in JSON, on D-Bus and in the configuration.
//!
//! Most types have their words beside them; here are those of types that other modules and crates declare.

use crate::boards::{LinkState, SensorKind, SquareState};
use crate::laws::draws::ClaimKind;
use crate::laws::reason::MovedBefore;
use shakmaty::{Color, Piece, Role};

/// A closed set of words with the same meaning in JSON, on D-Bus and in the configuration.
pub trait Word: Sized + Copy + 'static {
    /// All words that [`from_word`](Word::from_word) accepts, each with its value.
    const WORDS: &'static [(&'static str, Self)];
    /// Returns the word for this value.
    fn word(self) -> &'static str;
    /// Returns the value for a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

/// Defines one table of words for each type; a variant without a word does not compile.
macro_rules! words {
    ($($type:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl $crate::game::words::Word for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $type::$variant)),+];
            fn word(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }
        }
    )+};
}

pub(crate) use words;

words! {
    Color { White = "white", Black = "black" }
    LinkState { Up = "up", Down = "down" }
    SensorKind { Identity = "identity", Colour = "colour", Occupancy = "occupancy" }
    ClaimKind { Repetition = "repetition", FiftyMoves = "fifty_moves" }
    MovedBefore { King = "king", Rook = "rook", Either = "either" }
}

/// The promotion pieces. King and pawn have a word for output, too, but are not accepted as input.
impl Word for Role {
    const WORDS: &'static [(&'static str, Role)] =
        &[("queen", Role::Queen), ("rook", Role::Rook), ("bishop", Role::Bishop), ("knight", Role::Knight)];
    fn word(self) -> &'static str {
        match self {
            Role::Queen => "queen",
            Role::Rook => "rook",
            Role::Bishop => "bishop",
            Role::Knight => "knight",
            Role::King => "king",
            Role::Pawn => "pawn",
        }
    }
}

/// Returns the word for the state of a square: `empty`, a piece as in FEN (`K` … `p`), `white`, `black` or `occupied`.
pub fn sensed_to_word(sensed: SquareState) -> String {
    match sensed {
        SquareState::Empty => "empty".to_owned(),
        SquareState::Piece(piece) => piece.char().to_string(),
        SquareState::Side(color) => color.word().to_owned(),
        SquareState::Occupied => "occupied".to_owned(),
    }
}

/// Parses the output of [`sensed_to_word`].
pub fn sensed_from_word(word: &str) -> Option<SquareState> {
    match word {
        "empty" => Some(SquareState::Empty),
        "occupied" => Some(SquareState::Occupied),
        _ => match Color::from_word(word) {
            Some(color) => Some(SquareState::Side(color)),
            None => {
                let mut letters = word.chars();
                let piece = Piece::from_char(letters.next()?)?;
                letters.next().is_none().then_some(SquareState::Piece(piece))
            }
        },
    }
}
