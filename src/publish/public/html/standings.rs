//! The standings as tables.

use super::round::player;
use super::{Page, escaped};
use crate::publish::public::standings::{SectionDocument, StandingsRow};
use std::fmt::Write;

impl Page<'_> {
    /// Returns the standings, or a sentence if there are none.
    pub(super) fn standings(&self) -> String {
        let standings = &self.tournament.standings.value;
        if standings.sections.is_empty() {
            return format!("<p>{}</p>\n", escaped(&self.word("public-no-standings", &[])));
        }
        let key = if standings.is_final_round_over { "public-standings-after" } else { "public-provisional" };
        let title = self.word(key, &[("round", standings.through.to_string())]);
        let mut html = format!("<h2>{}</h2>\n", escaped(&title));
        for section in &standings.sections {
            html += &self.section(section);
        }
        html
    }

    fn section(&self, section: &SectionDocument) -> String {
        let standings = &self.tournament.standings.value;
        let mut html = section.section.as_ref().map_or_else(String::new, |name| format!("<h3>{}</h3>\n", escaped(name)));
        let mut heads: Vec<String> = ["public-rank", "public-player", "public-points"].map(|key| self.word(key, &[])).to_vec();
        heads.extend(standings.tie_breaks.iter().map(|word| self.word(&format!("public-tie-break-{word}"), &[])));
        let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", escaped(head))).collect();
        let _ = write!(html, "<table class=\"standings\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n");
        for StandingsRow { rank, player: shown, points, tie_breaks, .. } in &section.rows {
            let ties: String = tie_breaks.iter().map(|value| format!("<td>{value}</td>")).collect();
            let _ = writeln!(html, "<tr><td>{rank}</td><th scope=\"row\">{}</th><td>{points}</td>{ties}</tr>", player(shown));
        }
        html + "</tbody>\n</table>\n"
    }
}
