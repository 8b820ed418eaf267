//! The result of a pairing, and the spellings of it in files.

use crate::game::GameResult;
use crate::game::words::{Word, words};

/// How a pairing ended, as far as the tournament is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairingResult {
    /// White won.
    WhiteWins,
    /// Black won.
    BlackWins,
    /// The game was drawn.
    Draw,
    /// The game was played, and both players lose, e.g. by a decision of the arbiter.
    BothLose,
    /// Not played: White wins, because Black did not come.
    WhiteWinsByForfeit,
    /// Not played: Black wins, because White did not come.
    BlackWinsByForfeit,
    /// Not played: neither came, both lose.
    BothForfeit,
    /// To be continued at another time (Laws of Chess, Guidelines I).
    Adjourned,
}

words! {
    PairingResult {
        WhiteWins = "1-0", BlackWins = "0-1", Draw = "1/2-1/2", BothLose = "0-0", WhiteWinsByForfeit = "+--", BlackWinsByForfeit = "--+",
        BothForfeit = "---", Adjourned = "adjourned",
    }
}

/// A text that is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a result: use {RESULTS}, or nothing")]
pub struct BadResult(String);

/// The results as people write them.
pub(crate) const RESULTS: &str = "1-0, 0-1, 1/2-1/2, 0-0, +--, --+, ---, adjourned";

/// What people and programs write, after [`normalise`], besides the words of [`PairingResult`]; `None`: not finished.
const SPELLINGS: &[(&str, Option<PairingResult>)] = &[
    ("", None),
    ("*", None),
    ("?", None),
    ("-", None),
    ("1/2", Some(PairingResult::Draw)),
    ("=", Some(PairingResult::Draw)),
    ("=-=", Some(PairingResult::Draw)),
    ("draw", Some(PairingResult::Draw)),
    ("+/-", Some(PairingResult::WhiteWinsByForfeit)),
    ("1-0f", Some(PairingResult::WhiteWinsByForfeit)),
    ("1f-0f", Some(PairingResult::WhiteWinsByForfeit)),
    ("-/+", Some(PairingResult::BlackWinsByForfeit)),
    ("0-1f", Some(PairingResult::BlackWinsByForfeit)),
    ("0f-1f", Some(PairingResult::BlackWinsByForfeit)),
    ("-/-", Some(PairingResult::BothForfeit)),
    ("0-0f", Some(PairingResult::BothForfeit)),
    ("0f-0f", Some(PairingResult::BothForfeit)),
    ("adj", Some(PairingResult::Adjourned)),
    ("adj.", Some(PairingResult::Adjourned)),
];

impl From<GameResult> for PairingResult {
    fn from(result: GameResult) -> PairingResult {
        match result {
            GameResult::WhiteWins => PairingResult::WhiteWins,
            GameResult::BlackWins => PairingResult::BlackWins,
            GameResult::Draw => PairingResult::Draw,
        }
    }
}

impl PairingResult {
    /// Parses a result in any of the spellings that people and pairing programs use, such as `½-½`, `1 : 0` or `0-1F`. `None`: the
    /// text says that there is no result yet, such as `*`.
    ///
    /// # Errors
    /// The text is no result.
    pub fn parse(text: &str) -> Result<Option<PairingResult>, BadResult> {
        let normalised = normalise(text);
        let spelling = SPELLINGS.iter().find(|(spelling, _)| *spelling == normalised).map(|(_, result)| *result);
        spelling.or_else(|| Self::from_word(&normalised).map(Some)).ok_or_else(|| BadResult(text.to_owned()))
    }

    /// Returns whether the game was not played.
    pub fn is_forfeit(self) -> bool {
        match self {
            PairingResult::WhiteWinsByForfeit | PairingResult::BlackWinsByForfeit | PairingResult::BothForfeit => true,
            PairingResult::WhiteWins
            | PairingResult::BlackWins
            | PairingResult::Draw
            | PairingResult::BothLose
            | PairingResult::Adjourned => false,
        }
    }

    /// Returns the result for PGN, which has one result for games that were played and that were not. `None`: there is none, or
    /// both players lose.
    pub fn game_result(self) -> Option<GameResult> {
        match self {
            PairingResult::WhiteWins | PairingResult::WhiteWinsByForfeit => Some(GameResult::WhiteWins),
            PairingResult::BlackWins | PairingResult::BlackWinsByForfeit => Some(GameResult::BlackWins),
            PairingResult::Draw => Some(GameResult::Draw),
            PairingResult::BothLose | PairingResult::BothForfeit | PairingResult::Adjourned => None,
        }
    }

    /// Returns the forfeit with the same winner: of a file that says separately that the game was not played.
    pub(super) fn by_forfeit(self) -> PairingResult {
        match self {
            PairingResult::WhiteWins => PairingResult::WhiteWinsByForfeit,
            PairingResult::BlackWins => PairingResult::BlackWinsByForfeit,
            PairingResult::BothLose => PairingResult::BothForfeit,
            other => other,
        }
    }
}

/// Returns a result in lower case without spaces, with `-` between the scores and `1/2` for half a point.
fn normalise(text: &str) -> String {
    let mut normalised = String::new();
    for letter in text.trim().chars().filter(|letter| !letter.is_whitespace()) {
        match letter {
            ':' | '–' | '—' | '−' | '‑' => normalised.push('-'),
            '½' => normalised.push_str("1/2"),
            ',' => normalised.push('.'),
            other => normalised.extend(other.to_lowercase()),
        }
    }
    let whole_or_half = |score| match score {
        "1.0" => "1",
        "0.0" => "0",
        "0.5" | ".5" => "1/2",
        other => other,
    };
    normalised.split('-').map(whole_or_half).collect::<Vec<_>>().join("-")
}
