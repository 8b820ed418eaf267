//! All documents and pages by their paths.

use super::game::PublicGame;
use super::path::{PublicPath, View};
use super::round::{RoundDocument, sections};
use super::table::Progress;
use super::tournament::{PublicRound, PublicTournament, TableEntry};
use super::{board_svg, html};
use crate::locale::{Locale, public_words};
use crate::publish::render::qr_code;
use crate::round::Round;
use serde::Serialize;
use serde_json::Value;
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

    /// Returns whether an existing file of the standings is better than none: they are not known after a restart. `stored`: their
    /// document, which must name no one else.
    pub(in crate::publish) fn keeps_standings(&self, stored: impl FnOnce() -> Option<Value>) -> bool {
        let is_known = |player: &Value| {
            let of_round = |round: &Round| {
                round
                    .paired()
                    .chain(round.byes.iter().map(|bye| &bye.player))
                    .any(|known| player["name"] == known.name.as_str())
            };
            (self.options.fide_ids || player["fide_id"].is_null()) && self.loaded.iter().any(of_round)
        };
        let has_known_players = |standings: &Value| {
            let mut rows =
                standings["sections"].as_array().into_iter().flatten().flat_map(|section| section["rows"].as_array());
            rows.all(|rows| rows.iter().all(|row| is_known(&row["player"])))
        };
        self.lacks_results && stored().is_some_and(|standings| has_known_players(&standings))
    }

    /// Returns round and table of each game that is not in memory, or has no moves there, but has a file: that is better than what
    /// could be made now. `is_stored`: whether this file has the moves of a game of the players with these names and FIDE IDs; the
    /// last argument is whether a game without moves is in memory.
    pub(in crate::publish) fn games_not_in_memory(
        &self,
        is_stored: impl Fn(PublicPath, [(&str, Option<u32>); 2], bool) -> bool,
    ) -> BTreeSet<(u16, u16)> {
        let tables = self
            .rounds
            .iter()
            .flat_map(|(round, public)| public.tables.iter().map(move |(table, entry)| (*round, *table, entry)));
        let may_be_stored = |entry: &TableEntry| {
            let state = &entry.table.state;
            let is_empty = |game: &PublicGame| game.moves.is_empty() && state.result == "*";
            state.state != Progress::Forfeited && entry.game.as_ref().is_none_or(is_empty)
        };
        let is_lost = |(round, table, entry): &(u16, u16, &TableEntry)| {
            let players = [&entry.table.white, &entry.table.black].map(|player| (player.name.as_str(), player.fide_id));
            may_be_stored(entry) && is_stored(PublicPath::Game(*round, *table), players, entry.game.is_some())
        };
        // Without a round, another board may have a table's number after a start.
        tables.filter(|_| self.has_rounds()).filter(is_lost).map(|(round, table, _)| (round, table)).collect()
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
