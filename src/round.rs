//! A round of a tournament: the pairings by table, as pairing programs and organisers write them.
//!
//! [`Round::read_bytes`] reads a file (PGN, [`csv`] or [`trf`]), with everything that is wrong in it as a
//! [`RoundPreview`]; [`Round::check`] validates a round as a whole. [`csv::write`] and [`trf::write`] write the results of a
//! tournament. This module does not change any game: the daemon assigns the names to the games.
//!
//! **Invariant:** no I/O. These types are also the stored and transmitted JSON: no other module has its own form.

mod bye;
mod check;
pub mod csv;
pub mod encoding;
mod form;
pub mod other_file;
mod pgn;
pub mod preview;
pub mod problem;
pub mod result;
pub mod standings;
mod tournament;
pub mod trf;

use crate::game::json::word_or_null;
pub use bye::{Bye, ByeKind};
use form::PairingForm;
pub use preview::RoundPreview;
pub use problem::Problem;
pub use result::PairingResult;
use serde::{Deserialize, Serialize};

/// The known data of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Player {
    /// Surname, a comma, first names.
    pub name: String,
    /// GM, WIM, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// FIDE's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fide_id: Option<u32>,
    /// Rating, 1–4000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<u16>,
    /// The federation's three letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub federation: Option<String>,
    /// The player's team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// The start number (pairing number) in the tournament, 1–9999.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_number: Option<u16>,
}

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PairingForm")]
pub struct Pairing {
    /// Its number, from 1.
    pub table: u16,
    /// Who has White.
    pub white: Player,
    /// Who has Black.
    pub black: Player,
    /// The name of the board on the table, as the file has it: [`seats_from_round`](crate::desk::seats_from_round) seats it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The serial number of the board on the table, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// The part of the tournament, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The result, if known; a forfeit means that the game is not played.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "word_or_null::serialize")]
    pub result: Option<PairingResult>,
}

/// A round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Round {
    /// Its number, from 1.
    pub number: u16,
    /// The tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Where it is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// When, as PGN writes it: `2026.11.21`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The time control, as PGN or the organiser writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_control: Option<String>,
    /// The pairings, by table.
    pub pairings: Vec<Pairing>,
    /// The players who have no opponent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub byes: Vec<Bye>,
}

/// All errors of a file or a round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct BadRound(pub Vec<Problem>);

/// The most pairings of a round.
pub(crate) const MAX_PAIRINGS: usize = 2000;

/// The supported formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// PGN games, of which the tags are read.
    Pgn,
    /// A table of values with a line of names above.
    Csv,
    /// FIDE's tournament report file of 2016.
    Trf,
}

/// Joins sentences into lines.
fn lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

impl Format {
    /// Detects the format of a text.
    pub fn of(text: &str) -> Option<Format> {
        let first = text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty())?;
        let is_trf =
            |line: &str| line.len() >= 4 && line.as_bytes()[..3].iter().all(u8::is_ascii_digit) && line.as_bytes()[3] == b' ';
        if first.trim_start().starts_with('[') {
            Some(Format::Pgn)
        } else if is_trf(first) || text.lines().any(|line| line.starts_with("001 ")) {
            Some(Format::Trf)
        } else if csv::has_names(text) {
            Some(Format::Csv)
        } else {
            None
        }
    }
}

impl Pairing {
    /// Returns the forfeit, if the game is not played.
    pub fn forfeit(&self) -> Option<PairingResult> {
        self.result.filter(|result| result.is_forfeit())
    }
}

impl Player {
    /// Reads a name after its title, such as `GM Adams, Michael`.
    pub fn with_title(text: &str) -> Player {
        const TITLES: &[&str] = &["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"];
        let text = text.trim();
        let titled = text.split_once(' ').filter(|(title, _)| TITLES.contains(title));
        let (title, name) = titled.map_or((None, text), |(title, name)| (Some(title.to_owned()), name.trim()));
        Player { name: name.to_owned(), title, ..Player::default() }
    }

    /// Returns whether this is the same player: with the same name, and the same FIDE ID if they have any.
    pub fn is_same(&self, other: &Player) -> bool {
        (&self.name, self.fide_id) == (&other.name, other.fide_id)
    }

    /// Returns whether somebody who writes this name, possibly after a title, means this player.
    pub fn is_called(&self, text: &str) -> bool {
        self.name == text.trim() || self.titled_name() == text.trim()
    }

    /// Returns the name after the title, such as `GM Adams, Michael`.
    pub fn titled_name(&self) -> String {
        self.title.as_ref().map_or_else(|| self.name.clone(), |title| format!("{title} {}", self.name))
    }

    /// The PGN tags of the player who has this colour: `White` or `Black`.
    fn tags(&self, colour: &str) -> Vec<(String, String)> {
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        [
            ("", Some(self.name.clone())),
            ("Title", self.title.clone()),
            ("Elo", number(self.rating.map(u32::from))),
            ("FideId", number(self.fide_id)),
            ("Team", self.team.clone()),
            ("Federation", self.federation.clone()),
        ]
        .into_iter()
        .filter_map(|(suffix, value)| Some((format!("{colour}{suffix}"), value?)))
        .collect()
    }
}

/// The tags that a round gives its games, besides those of the players.
const ROUND_TAGS: [&str; 6] = ["Event", "Site", "Date", "TimeControl", "Round", "Table"];

impl Round {
    /// Returns whether a round decides the value of this tag in its games, or that they do not have it.
    pub fn names_tag(name: &str) -> bool {
        ROUND_TAGS.contains(&name) || name.starts_with("White") || name.starts_with("Black")
    }

    /// Returns the pairing of this table.
    pub fn table(&self, table: u16) -> Option<&Pairing> {
        self.pairings.iter().find(|pairing| pairing.table == table)
    }

    /// Returns the players who have an opponent.
    pub fn paired(&self) -> impl Iterator<Item = &Player> {
        self.pairings.iter().flat_map(|pairing| [&pairing.white, &pairing.black])
    }

    /// Returns the pairing of this table, mutable.
    pub fn table_mut(&mut self, table: u16) -> Option<&mut Pairing> {
        self.pairings.iter_mut().find(|pairing| pairing.table == table)
    }

    /// Swaps the players of two tables.
    ///
    /// # Errors
    /// Returns the number of the table that does not exist.
    pub fn swap(&mut self, one: u16, other: u16) -> Result<(), u16> {
        let at = |table: u16| self.pairings.iter().position(|pairing| pairing.table == table).ok_or(table);
        let (one, other) = (at(one)?, at(other)?);
        // Boards and numbers belong to the table.
        self.pairings.swap(one, other);
        let place = |pairing: &Pairing| (pairing.table, pairing.board.clone(), pairing.serial.clone());
        let (first, second) = (place(&self.pairings[one]), place(&self.pairings[other]));
        (self.pairings[one].table, self.pairings[one].board, self.pairings[one].serial) = second;
        (self.pairings[other].table, self.pairings[other].board, self.pairings[other].serial) = first;
        Ok(())
    }

    /// Returns the PGN tags of the game at this table.
    pub fn tags(&self, pairing: &Pairing) -> Vec<(String, String)> {
        let mut tags = pairing.white.tags("White");
        tags.extend(pairing.black.tags("Black"));
        let of_round = [
            self.event.clone(),
            self.site.clone(),
            self.date.clone(),
            self.time_control.clone(),
            Some(format!("{}.{}", self.number, pairing.table)),
            Some(pairing.table.to_string()),
        ];
        tags.extend(ROUND_TAGS.iter().zip(of_round).filter_map(|(name, value)| Some(((*name).to_owned(), value?))));
        tags.sort();
        tags
    }
}
