//! All documents and pages by their paths.

use super::path::{PublicPath, View};
use super::round::{RoundDocument, sections};
use super::tournament::{PublicRound, PublicTournament, TableEntry};
use super::{board_svg, html};
use crate::locale::{Locale, public_words};
use crate::publish::render::qr_code;
use serde::Serialize;
use std::collections::BTreeSet;

/// The description of all documents, for programs.
static DESCRIPTION: &str = include_str!("../../../docs/public-api.json");

/// How pages are made.
#[derive(Clone, Copy, Debug)]
pub(in crate::publish) struct PageForm<'a> {
    /// The language.
    pub locale: Locale,
    /// The end of the addresses of pages: `.html` in files.
    pub suffix: &'static str,
    /// The address of the page with a slash at the end, for QR codes; `None`: there are none.
    pub address: Option<&'a str>,
}

/// A document or a page.
pub(in crate::publish) struct Document {
    /// The media type.
    pub kind: &'static str,
    /// The content.
    pub text: String,
}

/// Returns the number of the last change of a document or a page; `None`: there is none.
pub(in crate::publish) fn seq_of(tournament: &PublicTournament, path: PublicPath) -> Option<u64> {
    let event = tournament.event.seq;
    let seq = match path {
        PublicPath::Event => event,
        PublicPath::Standings => tournament.standings.seq,
        PublicPath::Description | PublicPath::Words(_) => 1,
        PublicPath::Round(number) | PublicPath::RoundPgn(number) => round(tournament, number)?.seq(),
        PublicPath::Game(number, table) => entry(tournament, number, table).filter(|entry| entry.game.is_some())?.seq,
        PublicPath::GamePgn(number, table) | PublicPath::Position(number, table) => entry(tournament, number, table)?.seq,
        PublicPath::Page(View::Event) | PublicPath::QrCode(View::Event) => {
            let current = tournament.event.value.round.and_then(|number| round(tournament, number));
            current.map_or(0, PublicRound::seq).max(event)
        }
        PublicPath::Page(View::Standings) | PublicPath::QrCode(View::Standings) => tournament.standings.seq.max(event),
        PublicPath::Page(View::Round(number)) | PublicPath::QrCode(View::Round(number)) => {
            round(tournament, number)?.seq().max(event)
        }
        PublicPath::Page(View::Table(number, table) | View::Embed(number, table))
        | PublicPath::QrCode(View::Table(number, table) | View::Embed(number, table)) => {
            entry(tournament, number, table)?.seq.max(event)
        }
    };
    Some(seq)
}

/// Returns a document or a page; `None`: there is none.
pub(in crate::publish) fn render(tournament: &PublicTournament, path: PublicPath, form: &PageForm<'_>) -> Option<Document> {
    let text = match path {
        PublicPath::Event => json(&tournament.event.value),
        PublicPath::Standings => json(&tournament.standings.value),
        PublicPath::Description => Some(DESCRIPTION.to_owned()),
        PublicPath::Words(tag) => json(&public_words(Locale::public_from_tag(tag)?)),
        PublicPath::Round(number) => {
            let PublicRound { heading, tables } = round(tournament, number)?;
            let tables: Vec<_> = tables.values().map(|entry| &entry.table).collect();
            let (heading, byes) = &heading.value;
            json(&RoundDocument { heading, sections: sections(tables.iter().copied()), tables, byes })
        }
        PublicPath::RoundPgn(number) => Some(round(tournament, number)?.tables.values().map(|entry| &*entry.pgn).collect()),
        PublicPath::Game(number, table) => json(entry(tournament, number, table)?.game.as_ref()?),
        PublicPath::GamePgn(number, table) => Some(entry(tournament, number, table)?.pgn.clone()),
        PublicPath::Position(number, table) => {
            let state = &entry(tournament, number, table)?.table.state;
            let label = state.last_moves.last().map_or("", String::as_str);
            Some(board_svg::image(&state.fen, state.last_move.as_deref(), label))
        }
        PublicPath::QrCode(view) => {
            seq_of(tournament, path)?;
            let suffix = if view == View::Event { "" } else { form.suffix };
            qr_code::to_svg(&format!("{}{view}{suffix}", form.address?)).ok()
        }
        PublicPath::Page(view) => html::page(tournament, view, form),
    }?;
    Some(Document { kind: path.media_type(), text })
}

impl PublicTournament {
    /// Returns whether pages may evaluate positions now.
    pub(in crate::publish) fn allows_evaluation(&self) -> bool {
        self.event.value.evaluation
    }

    /// Returns whether a round was loaded: otherwise each board is a table.
    pub(in crate::publish) fn has_rounds(&self) -> bool {
        !self.loaded.is_empty()
    }

    /// Returns the rounds before the last one with tables whose games exist as files, but not in memory any more: their files are better
    /// than what could be made now.
    /// `exists`: whether the file of this table has a game of the players with these names.
    pub(in crate::publish) fn rounds_without_games(&self, exists: impl Fn(PublicPath, [&str; 2]) -> bool) -> BTreeSet<u16> {
        let last = self.rounds.keys().next_back();
        let earlier = self.rounds.iter().filter(|(number, _)| Some(*number) != last);
        let has_lost = |(number, round): &(&u16, &PublicRound)| {
            let without = round.tables.iter().filter(|(_, entry)| entry.game.is_none());
            let is_lost = |(table, entry): (&u16, &TableEntry)| {
                exists(PublicPath::Game(**number, *table), [&entry.table.white.name, &entry.table.black.name])
            };
            without.into_iter().any(is_lost)
        };
        earlier.filter(has_lost).map(|(number, _)| *number).collect()
    }

    /// Returns the paths of everything that there is.
    pub(in crate::publish) fn paths(&self, has_address: bool) -> Vec<PublicPath> {
        let mut paths = vec![
            PublicPath::Event,
            PublicPath::Standings,
            PublicPath::Description,
            PublicPath::Page(View::Event),
            PublicPath::Page(View::Standings),
        ];
        paths.extend(Locale::PUBLIC_TAGS.iter().map(|tag| PublicPath::Words(tag)));
        if has_address {
            paths.push(PublicPath::QrCode(View::Event));
        }
        for (number, round) in &self.rounds {
            let number = *number;
            paths.extend([PublicPath::Round(number), PublicPath::RoundPgn(number), PublicPath::Page(View::Round(number))]);
            for (table, entry) in &round.tables {
                let table = *table;
                paths.extend([
                    PublicPath::GamePgn(number, table),
                    PublicPath::Position(number, table),
                    PublicPath::Page(View::Table(number, table)),
                    PublicPath::Page(View::Embed(number, table)),
                ]);
                paths.extend(entry.game.as_ref().map(|_| PublicPath::Game(number, table)));
                paths.extend(has_address.then_some(PublicPath::QrCode(View::Table(number, table))));
            }
        }
        paths
    }
}

fn round(tournament: &PublicTournament, number: u16) -> Option<&PublicRound> {
    tournament.rounds.get(&number)
}

fn entry(tournament: &PublicTournament, number: u16, table: u16) -> Option<&TableEntry> {
    round(tournament, number)?.tables.get(&table)
}

/// Returns a value as JSON. The documents contain nothing that JSON cannot express.
fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}
