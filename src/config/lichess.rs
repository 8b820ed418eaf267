//! How games are sent to Lichess: see `publish::lichess`.

use super::url::Url;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which games are sent to which round of a broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lichess {
    /// Lichess, or a server like it, without a path.
    pub url: Url,
    /// The rounds there.
    pub rounds: Rounds,
    /// The file of the token; `None`: the credential `lichess` that systemd gives.
    pub token_file: Option<PathBuf>,
}

/// The rounds of a broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Only one, whatever its number.
    One(String),
    /// The id of each, by the number that the round has here.
    ByNumber(BTreeMap<u16, String>),
}

impl Rounds {
    /// Reads one id, or numbers and ids, such as `1 = AbCd1234, 2 = EfGh5678`; each once.
    pub fn read(text: &str) -> Option<Rounds> {
        let id = |text: &str| Some(text.trim().to_owned()).filter(|id| is_id(id));
        if !text.contains('=') {
            return Some(Rounds::One(id(text)?));
        }
        let mut rounds: BTreeMap<u16, String> = BTreeMap::new();
        for pair in text.split(',') {
            let (number, round) = pair.split_once('=')?;
            let number = number.trim().parse().ok().filter(|number| *number > 0)?;
            let round = id(round).filter(|round| !rounds.values().any(|other| other == round))?;
            if rounds.insert(number, round).is_some() {
                return None;
            }
        }
        Some(Rounds::ByNumber(rounds))
    }

    /// The id for the round of this number.
    pub fn id(&self, number: u16) -> Option<&str> {
        match self {
            Rounds::One(id) => Some(id),
            Rounds::ByNumber(rounds) => rounds.get(&number).map(String::as_str),
        }
    }

    /// All ids, each with its number where that is said.
    pub fn all(&self) -> Vec<(Option<u16>, &str)> {
        match self {
            Rounds::One(id) => vec![(None, id)],
            Rounds::ByNumber(rounds) => rounds.iter().map(|(number, id)| (Some(*number), id.as_str())).collect(),
        }
    }
}

/// Lichess's ids are eight letters and digits.
fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// An address without a path.
pub fn site(text: &str) -> Option<Url> {
    text.parse().ok().filter(|url: &Url| url.path == "/")
}
