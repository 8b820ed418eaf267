//! Messages to people before translation: a key and its arguments. The sentences of each language are in `config/data/locale`.

mod form;

use crate::game::facts::Difference;
use crate::laws::draws::Finding;
use crate::laws::reason::{IllegalReason, MovedBefore, PlacedPiece, ReasonArg};
use crate::laws::touch::Duty;
use serde::{Deserialize, Serialize};
use shakmaty::Role;
use std::fmt;

/// A message that a program can translate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The message's key in the message files. It is stable.
    pub key: String,
    /// The arguments, by stable names.
    #[serde(with = "form::args", default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(String, Arg)>,
}

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A chess word: a square, a piece, a player.
    Word(ReasonArg),
    /// A number, also of seconds or plies.
    Number(u32),
    /// Text that is the same in every language: a move, a result, a list of plies.
    Plain(String),
    /// Squares, with what should be there and what is.
    Differences(Vec<Difference>),
    /// A message within the message.
    Text(Box<Text>),
}

impl Text {
    /// Creates a message without arguments.
    pub fn new(key: &str) -> Text {
        Text { key: key.to_owned(), args: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &str, arg: impl Into<Arg>) -> Text {
        self.args.push((name.to_owned(), arg.into()));
        self
    }
}

impl From<ReasonArg> for Arg {
    fn from(word: ReasonArg) -> Arg {
        Arg::Word(word)
    }
}

impl From<u32> for Arg {
    fn from(number: u32) -> Arg {
        Arg::Number(number)
    }
}

impl From<String> for Arg {
    fn from(plain: String) -> Arg {
        Arg::Plain(plain)
    }
}

impl From<Vec<Difference>> for Arg {
    fn from(differences: Vec<Difference>) -> Arg {
        Arg::Differences(differences)
    }
}

impl From<Text> for Arg {
    fn from(text: Text) -> Arg {
        Arg::Text(Box::new(text))
    }
}

impl From<shakmaty::Square> for Arg {
    fn from(square: shakmaty::Square) -> Arg {
        Arg::Word(ReasonArg::Square(square))
    }
}

impl From<Role> for Arg {
    fn from(role: Role) -> Arg {
        Arg::Word(ReasonArg::Role(role))
    }
}

impl From<shakmaty::Color> for Arg {
    fn from(player: shakmaty::Color) -> Arg {
        Arg::Word(ReasonArg::Player(player))
    }
}

/// Converts the reason why a move is illegal: `reason-` and its key.
impl From<&IllegalReason> for Text {
    fn from(reason: &IllegalReason) -> Text {
        let args = reason.args().into_iter().map(|(name, word)| (name.to_owned(), Arg::Word(word))).collect();
        Text { key: format!("reason-{}", reason.key()), args }
    }
}

/// Converts what touched pieces oblige to: `duty-` and its key.
impl From<&Duty> for Text {
    fn from(duty: &Duty) -> Text {
        let text = Text::new(&format!("duty-{}", duty.key()));
        match *duty {
            Duty::OwnPiece { square } | Duty::EnemyPiece { square } | Duty::PawnBecomesQueen { square } => {
                text.with("square", square)
            }
            Duty::OwnTogether { squares } | Duty::EnemyTogether { squares } => {
                let squares: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
                text.with("squares", squares.join(" / "))
            }
            Duty::Both { own, enemy } => text.with("own", own).with("enemy", enemy),
            Duty::Castle { king, rook }
            | Duty::RookBeforeKing { rook, king }
            | Duty::KingAfterRook { rook, king }
            | Duty::KingAfterCastling { king, rook }
            | Duty::CastlingBegun { king, rook } => text.with("king", king).with("rook", rook),
            Duty::PromotionFinal { square, role } => text.with("square", square).with("role", ReasonArg::Role(role)),
            Duty::Released { from, on } => text.with("from", from).with("on", on),
        }
    }
}

/// Converts the finding on a draw claim: `claim-` and a key.
impl From<&Finding> for Text {
    fn from(finding: &Finding) -> Text {
        let count = |times: usize| u32::try_from(times).unwrap_or(u32::MAX);
        match finding {
            Finding::Repeated { times } => Text::new("claim-repeated").with("times", count(*times)),
            Finding::Quiet { moves } => Text::new("claim-quiet").with("moves", *moves),
            Finding::TooFewTimes { times } => Text::new("claim-too_few_times").with("times", count(*times)),
            Finding::TooFewMoves { missing, required } => {
                Text::new("claim-too_few_moves").with("missing", *missing).with("of", *required)
            }
            Finding::RuleUnavailable => Text::new("claim-not_at_hand"),
            Finding::Lost => Text::new("claim-lost"),
            Finding::NotOnMove => Text::new("claim-not_on_move"),
            Finding::IllegalMove => Text::new("claim-illegal_move"),
            Finding::Ended => Text::new("claim-ended"),
        }
    }
}

/// Writes the key and the arguments, for logs and for languages that lack the key.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        for (name, arg) in &self.args {
            write!(f, ", {name} {arg}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Number(number) => write!(f, "{number}"),
            Arg::Plain(plain) => f.write_str(plain),
            Arg::Text(text) => write!(f, "({text})"),
            Arg::Differences(differences) => {
                let squares: Vec<String> = differences.iter().map(|difference| difference.square.to_string()).collect();
                f.write_str(&squares.join(" "))
            }
            Arg::Word(word) => match word {
                ReasonArg::Square(square) => write!(f, "{square}"),
                ReasonArg::Role(role) => write!(f, "{}", role.char()),
                ReasonArg::Player(color) => f.write_str(if color.is_white() { "white" } else { "black" }),
                ReasonArg::Piece(placed) => write!(f, "{}", write_piece(placed)),
                ReasonArg::Pieces(pieces) => f.write_str(&pieces.iter().map(write_piece).collect::<Vec<_>>().join(" ")),
                ReasonArg::Moved(moved) => f.write_str(match moved {
                    MovedBefore::King => "king",
                    MovedBefore::Rook => "rook",
                    MovedBefore::Either => "either",
                }),
            },
        }
    }
}

/// Returns a piece and its square as `Re8` or `re8`, with the letter as in FEN.
pub fn write_piece(placed: &PlacedPiece) -> String {
    format!("{}{}", placed.piece.char(), placed.square)
}

/// Parses what [`write_piece`] writes.
pub fn parse_piece(text: &str) -> Option<PlacedPiece> {
    let (letter, square) = text.split_at_checked(1)?;
    Some(PlacedPiece { piece: shakmaty::Piece::from_char(letter.chars().next()?)?, square: square.parse().ok()? })
}

/// Parses the letter of a kind of piece, such as `n` or `q`.
pub fn parse_role(text: &str) -> Option<Role> {
    let mut letters = text.chars();
    Role::from_char(letters.next()?).filter(|_| letters.next().is_none())
}
