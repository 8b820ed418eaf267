//! Configuration of the games that are sent to Lichess: see `publish::lichess`.

use super::key::{ChangeEffect, Key, Table, is_absolute, key, text};
use super::url::Url;
use super::values::Values;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The server and the rounds of a broadcast to which games are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lichess {
    /// The URL of Lichess or a compatible server, without a path.
    pub url: Url,
    /// The rounds of the broadcast.
    pub rounds: Rounds,
    /// The file of the token; `None`: the systemd credential `lichess`.
    pub token_file: Option<PathBuf>,
}

/// The rounds of a broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// The id of a single round, used for every round number.
    One(String),
    /// The id of each round, by the round's number in the pairings.
    ByNumber(BTreeMap<u16, String>),
}

impl Rounds {
    /// Parses one id, or numbers and ids such as `1 = AbCd1234, 2 = EfGh5678`; each may occur only once.
    pub fn parse(text: &str) -> Option<Rounds> {
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

    /// Returns the id for the round of this number.
    pub fn id(&self, number: u16) -> Option<&str> {
        match self {
            Rounds::One(id) => Some(id),
            Rounds::ByNumber(rounds) => rounds.get(&number).map(String::as_str),
        }
    }

    /// Returns all ids, each with its round number if given.
    pub fn all(&self) -> Vec<(Option<u16>, &str)> {
        match self {
            Rounds::One(id) => vec![(None, id)],
            Rounds::ByNumber(rounds) => rounds.iter().map(|(number, id)| (Some(*number), id.as_str())).collect(),
        }
    }
}

/// Returns whether this is a Lichess id: eight letters and digits.
fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Parses a URL without a path.
pub fn parse_site_url(text: &str) -> Option<Url> {
    text.parse().ok().filter(|url: &Url| url.path() == "/")
}

/// The table `[lichess]`.
pub(super) static TABLE: Table = Table {
    name: "lichess",
    about: "The games on lichess.org, in the rounds of a broadcast there, with the delay of [broadcast]. Create the broadcast and\n\
            its rounds on lichess.org, without a source URL, and a token with the scope study:write (Preferences, API access\n\
            tokens). `touchmovectl lichess` checks whether Lichess accepts them. Off unless `round` is given.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "round",
        text("the id of a round, or numbers and ids such as \"1 = AbCd1234, 2 = EfGh5678\", or \"\" for none", |text| {
            text.is_empty() || Rounds::parse(text).is_some()
        }),
        Some("\"\""),
        "\"1 = AbCd1234, 2 = EfGh5678\"",
        "The rounds of the broadcast: the number of each round here, and its id on Lichess, which is the last eight letters and\n\
         digits of its address. A single id is that of the first round that is sent; no other round is sent then. \"\": none.",
    ).changes(ChangeEffect::Immediate),
    key(
        "token_file",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/lichess.token\"",
        "The file with the token and nothing else; it must not be readable by all users of the machine. If omitted: the\n\
         credential `lichess` that systemd gives the service (LoadCredential=lichess:FILE).",
    ).changes(ChangeEffect::Immediate),
    key(
        "url",
        text("https://HOST, or http://HOST on this machine or its own network", |text| parse_site_url(text).is_some()),
        Some("\"https://lichess.org\""),
        "\"https://lichess.org\"",
        "Another server with the same interface.",
    ),
];

/// Reads the table.
pub(super) fn read(values: &Values<'_>) -> Option<Lichess> {
    let rounds = Rounds::parse(&values.given_text("round")?)?;
    let token_file = values.given_text("token_file").map(Into::into);
    Some(Lichess { url: parse_site_url(&values.text("url"))?, rounds, token_file })
}
