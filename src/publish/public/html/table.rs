//! A table with all its moves.

use super::{Page, clock, escaped};
use crate::publish::public::game::{PublicGame, PublicMove};
use crate::publish::public::path::PublicPath;
use crate::publish::public::table::PublicTable;
use crate::publish::public::tournament::TableEntry;
use crate::publish::render::numbered_move::side_to_move;
use std::fmt::Write;

impl Page<'_> {
    fn entry(&self, round: u16, table: u16) -> Option<&TableEntry> {
        self.tournament.rounds.get(&round)?.tables.get(&table)
    }

    /// Returns the title of a table: who plays whom.
    pub(super) fn table_title(&self, round: u16, table: u16) -> Option<String> {
        let PublicTable { white, black, .. } = &self.entry(round, table)?.table;
        let number = self.word("public-table", &[("table", table.to_string())]);
        match (white.name.as_str(), black.name.as_str()) {
            ("", "") => Some(number),
            (white, black) => Some(format!("{white} – {black} · {number}")),
        }
    }

    /// Returns a table; `None`: there is no such table.
    pub(super) fn table(&self, round: u16, number: u16) -> Option<String> {
        let entry = self.entry(round, number)?;
        let table = &entry.table;
        let heading = format!(
            "{} · {}",
            self.word("public-round", &[("round", round.to_string())]),
            self.word("public-table", &[("table", number.to_string())])
        );
        let mut html = format!(
            "<article class=\"game\">\n<h2>{}</h2>\n{}{}{}<p class=\"state\">{}</p>\n",
            escaped(&heading),
            self.strip(table, "black"),
            self.position(table),
            self.strip(table, "white"),
            escaped(&self.state(table)),
        );
        if let Some(game) = &entry.game {
            html += &self.moves(game);
            let address = format!("{}{}", self.root, PublicPath::GamePgn(round, number));
            let _ = writeln!(html, "<p><a href=\"{address}\">{}</a></p>", escaped(&self.word("public-pgn", &[])));
        }
        html += "</article>\n";
        Some(html)
    }

    /// Returns the opening and the moves.
    fn moves(&self, game: &PublicGame) -> String {
        let mut html = String::new();
        if let Some(opening) = &game.opening {
            let name = format!("{}: {} {}", self.word("public-opening", &[]), opening.eco, opening.name);
            let _ = writeln!(html, "<p class=\"opening\">{}</p>", escaped(&name));
        }
        if game.moves.is_empty() {
            return html;
        }
        let _ = write!(html, "<h3>{}</h3>\n<table class=\"moves\">\n", escaped(&self.word("public-moves", &[])));
        let mut row: Option<(String, String, String)> = None;
        for played in &game.moves {
            // The side to move after this move.
            let is_white = side_to_move(&played.fen).is_black();
            let number: u32 = played.fen.split(' ').nth(5).and_then(|number| number.parse().ok()).unwrap_or(1);
            if is_white {
                html += &row.take().map(written).unwrap_or_default();
                row = Some((number.to_string(), cell(played), String::new()));
            } else {
                let (number, white, _) = row.take().unwrap_or_else(|| {
                    let number = number.saturating_sub(1).to_string();
                    (number, "…".to_owned(), String::new())
                });
                html += &written((number, white, cell(played)));
            }
        }
        html += &row.map(written).unwrap_or_default();
        html + "</table>\n"
    }
}

/// Returns a row of the moves.
fn written((number, white, black): (String, String, String)) -> String {
    format!("<tr><th scope=\"row\">{number}</th><td>{white}</td><td>{black}</td></tr>\n")
}

/// Returns a move with the time that was used for it.
fn cell(played: &PublicMove) -> String {
    let used = played.used_ms.map_or_else(String::new, |ms| format!(" <small>{}</small>", clock(ms)));
    format!("{}{used}", escaped(&played.san))
}
