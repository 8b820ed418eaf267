//! The addresses of documents and pages, relative to that of the page. The same are names of files.

use crate::locale::Locale;
use std::fmt;

/// A document or a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::publish) enum PublicPath {
    /// The event.
    Event,
    /// The standings.
    Standings,
    /// The description of all documents.
    Description,
    /// The texts in the language with this tag.
    Words(&'static str),
    /// A round.
    Round(u16),
    /// The games of a round.
    RoundPgn(u16),
    /// The game at a table.
    Game(u16, u16),
    /// The same as PGN.
    GamePgn(u16, u16),
    /// The position at a table, as an image.
    Position(u16, u16),
    /// The address of a page, as a QR code.
    QrCode(View),
    /// A page.
    Page(View),
}

/// What a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::publish) enum View {
    /// The round that is played.
    Event,
    /// A round.
    Round(u16),
    /// A table of a round.
    Table(u16, u16),
    /// A table, for a frame in a page of another site.
    Embed(u16, u16),
    /// The standings.
    Standings,
}

impl PublicPath {
    /// Parses a path without the slash before it, such as `public/round/3.json`, or of a page, also with `.html`.
    pub(in crate::publish) fn parse(path: &str) -> Option<PublicPath> {
        let Some(document) = path.strip_prefix("public/") else { return View::parse(path).map(PublicPath::Page) };
        let parts: Vec<&str> = document.split('/').collect();
        match parts[..] {
            ["event.json"] => Some(PublicPath::Event),
            ["standings.json"] => Some(PublicPath::Standings),
            ["openapi.json"] => Some(PublicPath::Description),
            ["words", file] => {
                let tag = file.strip_suffix(".json")?;
                Locale::PUBLIC_TAGS.iter().find(|known| **known == tag).map(|tag| PublicPath::Words(tag))
            }
            ["qr", "index.svg"] => Some(PublicPath::QrCode(View::Event)),
            ["qr", "round", round, "table", file] => {
                let table = number(file.strip_suffix(".svg")?)?;
                Some(PublicPath::QrCode(View::Table(number(round)?, table)))
            }
            ["round", file] => match file.split_once('.')? {
                (round, "json") => Some(PublicPath::Round(number(round)?)),
                (round, "pgn") => Some(PublicPath::RoundPgn(number(round)?)),
                _ => None,
            },
            ["round", round, "table", file] => {
                let round = number(round)?;
                match file.split_once('.')? {
                    (table, "json") => Some(PublicPath::Game(round, number(table)?)),
                    (table, "pgn") => Some(PublicPath::GamePgn(round, number(table)?)),
                    (table, "svg") => Some(PublicPath::Position(round, number(table)?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the name of the file: as the path, but pages end with `.html`.
    pub(in crate::publish) fn file_name(&self) -> String {
        match self {
            PublicPath::Page(View::Event) => "index.html".to_owned(),
            PublicPath::Page(view) => format!("{view}.html"),
            document => document.to_string(),
        }
    }

    /// Returns the round to which it belongs.
    pub(in crate::publish) fn round(&self) -> Option<u16> {
        match self {
            PublicPath::Event | PublicPath::Standings | PublicPath::Description | PublicPath::Words(_) => None,
            PublicPath::Round(round) | PublicPath::RoundPgn(round) => Some(*round),
            PublicPath::Game(round, _) | PublicPath::GamePgn(round, _) | PublicPath::Position(round, _) => Some(*round),
            PublicPath::QrCode(view) | PublicPath::Page(view) => view.place().0,
        }
    }

    /// Returns the round and the table whose game it shows.
    pub(in crate::publish) fn place(&self) -> Option<(u16, u16)> {
        match self {
            PublicPath::Game(round, table) | PublicPath::GamePgn(round, table) | PublicPath::Position(round, table) => {
                Some((*round, *table))
            }
            PublicPath::Page(view) => {
                let (round, table) = view.place();
                Some((round?, table?))
            }
            _ => None,
        }
    }

    /// Returns the media type.
    pub(in crate::publish) fn media_type(&self) -> &'static str {
        match self {
            PublicPath::Position(..) | PublicPath::QrCode(_) => "image/svg+xml",
            PublicPath::Page(_) => "text/html; charset=utf-8",
            PublicPath::RoundPgn(_) | PublicPath::GamePgn(..) => "application/vnd.chess-pgn",
            _ => "application/json",
        }
    }
}

impl fmt::Display for PublicPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublicPath::Event => write!(f, "public/event.json"),
            PublicPath::Standings => write!(f, "public/standings.json"),
            PublicPath::Description => write!(f, "public/openapi.json"),
            PublicPath::Words(tag) => write!(f, "public/words/{tag}.json"),
            PublicPath::Round(round) => write!(f, "public/round/{round}.json"),
            PublicPath::RoundPgn(round) => write!(f, "public/round/{round}.pgn"),
            PublicPath::Game(round, table) => write!(f, "public/round/{round}/table/{table}.json"),
            PublicPath::GamePgn(round, table) => write!(f, "public/round/{round}/table/{table}.pgn"),
            PublicPath::Position(round, table) => write!(f, "public/round/{round}/table/{table}.svg"),
            PublicPath::QrCode(View::Event) => write!(f, "public/qr/index.svg"),
            PublicPath::QrCode(view) => write!(f, "public/qr/{view}.svg"),
            PublicPath::Page(view) => view.fmt(f),
        }
    }
}

impl View {
    fn parse(path: &str) -> Option<View> {
        let path = path.strip_suffix(".html").unwrap_or(path);
        match path.split('/').collect::<Vec<_>>()[..] {
            ["" | "index"] => Some(View::Event),
            ["standings"] => Some(View::Standings),
            ["round", round] => Some(View::Round(number(round)?)),
            ["round", round, "table", table] => Some(View::Table(number(round)?, number(table)?)),
            ["embed", "round", round, "table", table] => Some(View::Embed(number(round)?, number(table)?)),
            _ => None,
        }
    }

    /// Returns the word of the view, as the page's script reads it.
    pub(super) fn word(self) -> &'static str {
        match self {
            View::Event => "event",
            View::Round(_) => "round",
            View::Table(..) => "table",
            View::Embed(..) => "embed",
            View::Standings => "standings",
        }
    }

    /// Returns the round and the table that it shows.
    pub(super) fn place(self) -> (Option<u16>, Option<u16>) {
        match self {
            View::Event | View::Standings => (None, None),
            View::Round(round) => (Some(round), None),
            View::Table(round, table) | View::Embed(round, table) => (Some(round), Some(table)),
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            View::Event => Ok(()),
            View::Standings => write!(f, "standings"),
            View::Round(round) => write!(f, "round/{round}"),
            View::Table(round, table) => write!(f, "round/{round}/table/{table}"),
            View::Embed(round, table) => write!(f, "embed/round/{round}/table/{table}"),
        }
    }
}

/// Parses a number as it is written in addresses: each has one spelling.
fn number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|number: &u16| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        let views = [View::Event, View::Round(3), View::Table(3, 14), View::Embed(3, 14), View::Standings];
        let documents = [
            PublicPath::Event,
            PublicPath::Standings,
            PublicPath::Description,
            PublicPath::Words("zh-Hans"),
            PublicPath::Round(3),
            PublicPath::RoundPgn(3),
            PublicPath::Game(3, 14),
            PublicPath::GamePgn(3, 14),
            PublicPath::Position(3, 14),
            PublicPath::QrCode(View::Event),
            PublicPath::QrCode(View::Table(3, 14)),
        ];
        for path in documents.into_iter().chain(views.map(PublicPath::Page)) {
            assert_eq!(PublicPath::parse(&path.to_string()), Some(path), "{path}");
            assert_eq!(PublicPath::parse(&path.file_name()), Some(path), "{}", path.file_name());
        }
        for wrong in
            ["round/03", "round/x", "public", "public/", "public/round/3.xml", "public/words/tlh.json", "round/3/", "../x"]
        {
            assert_eq!(PublicPath::parse(wrong), None, "{wrong}");
        }
    }
}
