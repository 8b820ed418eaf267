//! The boards of a round.

use super::{Page, escaped};
use crate::publish::public::board_svg;
use crate::publish::public::path::{PublicPath, View};
use crate::publish::public::player::PublicPlayer;
use crate::publish::public::table::{Progress, PublicTable};
use std::fmt::Write;

impl Page<'_> {
    /// Returns the round that is played, or a sentence if there is none.
    pub(super) fn current_round(&self) -> String {
        let round = self.tournament.event.value.round.and_then(|round| self.round(round));
        round.unwrap_or_else(|| format!("<p>{}</p>\n", escaped(&self.word("public-empty", &[]))))
    }

    /// Returns a round; `None`: there is no such round.
    pub(super) fn round(&self, number: u16) -> Option<String> {
        let round = self.tournament.rounds.get(&number)?;
        let title = self.word("public-round", &[("round", number.to_string())]);
        let mut html = format!("<h2>{}</h2>\n<ol class=\"boards\">\n", escaped(&title));
        for entry in round.tables.values() {
            let _ = write!(html, "<li>\n{}</li>\n", self.tile(number, &entry.table));
        }
        html += "</ol>\n";
        let byes = &round.heading.value.1;
        if !byes.is_empty() {
            let _ = write!(html, "<h3>{}</h3>\n<ul class=\"byes\">\n", escaped(&self.word("public-byes", &[])));
            for bye in byes {
                let kind = self.word(&format!("public-bye-{}", bye.kind), &[]);
                let _ = writeln!(html, "<li>{} ({})</li>", player(&bye.player), escaped(&kind));
            }
            html += "</ul>\n";
        }
        let pgn = self.word("public-pgn-round", &[]);
        let _ = writeln!(html, "<p><a href=\"{}{}\">{}</a></p>", self.root, PublicPath::RoundPgn(number), escaped(&pgn));
        Some(html)
    }

    /// Returns a table as one of many.
    fn tile(&self, round: u16, table: &PublicTable) -> String {
        let title = self.word("public-table", &[("table", table.table.to_string())]);
        let last = table.state.last_moves.join(" ");
        format!(
            "<article class=\"tile\">\n<h3><a href=\"{}\">{}</a></h3>\n{}{}{}<p class=\"state\">{}</p>\n<p class=\"last\">{}</p>\n</article>\n",
            self.address(View::Table(round, table.table)),
            escaped(&title),
            self.strip(table, "black"),
            self.position(table),
            self.strip(table, "white"),
            escaped(&self.state(table)),
            escaped(&last),
        )
    }

    /// Returns the strip of a player.
    pub(super) fn strip(&self, table: &PublicTable, colour: &str) -> String {
        let is_white = colour == "white";
        let shown = if is_white { &table.white } else { &table.black };
        let clock = table.state.clock.as_ref().and_then(|clock| if is_white { clock.white_ms } else { clock.black_ms });
        let clock = clock.map_or_else(String::new, |ms| format!(" <span class=\"clock\">{}</span>", super::clock(ms.into())));
        let name =
            if shown.name.is_empty() { escaped(&self.word(&format!("public-player-{colour}"), &[])) } else { player(shown) };
        format!("<p class=\"player {colour}\">{name}{clock}</p>\n")
    }

    /// Returns the position at a table, with the last move as its label.
    pub(super) fn position(&self, table: &PublicTable) -> String {
        let state = &table.state;
        format!("{}\n", board_svg::board(&state.fen, state.last_move.as_deref(), &self.position_label(table)))
    }

    /// Returns the label of a position.
    pub(super) fn position_label(&self, table: &PublicTable) -> String {
        match table.state.last_moves.last() {
            Some(last) => format!("{}: {last}", self.word("public-last-move", &[])),
            None => self.word("public-no-moves", &[]),
        }
    }

    /// Returns the state of a table, or its result.
    pub(super) fn state(&self, table: &PublicTable) -> String {
        let state = &table.state;
        let (result, reason) = (state.result, state.reason);
        match (state.state, reason) {
            (Progress::Paused, _) if result == "adjourned" => self.word("public-result-adjourned", &[]),
            (Progress::Waiting, _) => self.word("public-state-waiting", &[]),
            (Progress::Playing, _) => self.word("public-state-playing", &[]),
            (Progress::Paused, _) => self.word("public-state-paused", &[]),
            (Progress::Forfeited, _) => format!("{result} ({})", self.word("public-state-forfeited", &[])),
            (Progress::Finished, Some(reason @ ("checkmate" | "stalemate"))) => {
                format!("{result} ({})", self.word(&format!("public-reason-{reason}"), &[]))
            }
            (Progress::Finished, _) => result.to_owned(),
        }
    }
}

/// Returns a player with title, federation and rating.
pub(super) fn player(player: &PublicPlayer) -> String {
    let rating = player.rating.map(|rating| rating.to_string()).unwrap_or_default();
    let part = |class: &str, text: &str| match text {
        "" => String::new(),
        text => format!("<span class=\"{class}\">{}</span>", escaped(text)),
    };
    let parts = [
        part("title", &player.title),
        part("name", &player.name),
        part("federation", &player.federation),
        part("rating", &rating),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
