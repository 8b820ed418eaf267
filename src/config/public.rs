//! What the public page shows: see `publish::public`.

use super::key::{Key, Kind, Table, is_absolute, key, text};
use super::url::Url;
use super::values::Values;
use crate::locale::Locale;
use std::path::PathBuf;

/// What spectators see, on the page of `[web]` and in the files of `[publish_static]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicPage {
    /// The address at which spectators find the page, with a slash at the end; `None`: the one that they have requested.
    pub address: Option<String>,
    /// The language of spectators for whom no other one is known.
    pub language: Locale,
    /// Whether FIDE IDs of players are published.
    pub fide_ids: bool,
    /// Whether pages may evaluate positions in the spectator's browser.
    pub evaluation: bool,
    /// The directory of the engine.
    pub engine: PathBuf,
}

/// The table `[public]`.
pub(super) static TABLE: Table = Table {
    name: "public",
    about: "The public page: what spectators see in a browser, and in the files of [publish_static]. Of players, it shows name,\n\
            title, rating, federation and team, and nothing else that the pairings may contain.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "address",
        text("https://HOST/PATH, or \"\" for none", is_address),
        Some("\"\""),
        "\"https://games.example.org/open/\"",
        "The address at which spectators find the page, for QR codes and links to share. \"\": the one that their browser\n\
         requested.",
    ),
    key(
        "language",
        Kind::Word(Locale::PUBLIC_TAGS),
        Some("\"en\""),
        "\"zh-Hans\"",
        "The language of spectators whose browser asks for none of touchmove's languages, and of exported pages.",
    ),
    key("fide_ids", Kind::Flag, Some("false"), "true", "Whether the FIDE IDs of the players are published."),
    key(
        "evaluation",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether spectators may have positions evaluated by an engine in their browser. It needs the package touchmove-engine.\n\
         Never while [broadcast] has no delay.",
    ),
    key(
        "engine",
        text("an absolute path", is_absolute),
        Some("\"/usr/share/touchmove/engine\""),
        "\"/opt/stockfish\"",
        "The folder with the engine's files stockfish.js and stockfish.wasm. They are looked for when touchmoved starts.",
    ),
];

fn is_address(text: &str) -> bool {
    text.is_empty() || text.parse::<Url>().is_ok() && !text.contains('?')
}

/// Reads the table.
pub(super) fn read(values: &Values<'_>) -> PublicPage {
    let address = values.given_text("address").filter(|address| !address.is_empty());
    PublicPage {
        address: address.map(|address| format!("{}/", address.trim_end_matches('/'))),
        language: Locale::public_from_tag(&values.text("language")).unwrap_or_default(),
        fide_ids: values.flag("fide_ids"),
        evaluation: values.flag("evaluation"),
        engine: PathBuf::from(values.text("engine")),
    }
}
