//! The pages as they are without scripts: plain HTML with boards as images. With scripts, `page/public/public.js` replaces the content.

mod round;
mod standings;
mod table;

use super::board_svg;
use super::path::View;
use super::site::PageForm;
use super::tournament::PublicTournament;
use crate::locale::{Locale, page_word};

/// The icon of the page: a corner of a board.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' rx='1' fill='%23dfe5ec'/%3E%3Cpath d='M0 1a1 1 0 0 1 1-1h3v4H0zM4 4h4v3a1 1 0 0 1-1 1H4z' fill='%233d6ea8'/%3E%3C/svg%3E";

/// Modules that the page's script imports, directly or indirectly. They are preloaded, so that the browser need not discover them one
/// level at a time.
const MODULES: [&str; 14] = [
    "public/address.js",
    "public/board.js",
    "public/clock.js",
    "public/data.js",
    "public/dom.js",
    "public/filter.js",
    "public/look.js",
    "public/player.js",
    "public/results.js",
    "public/round.js",
    "public/shell.js",
    "public/tile.js",
    "public/words.js",
    "vendor/flags.js",
];
/// What it imports further for one table, and for the standings.
const TABLE_MODULES: [&str; 3] = ["public/moves.js", "public/speech.js", "public/table.js"];
const STANDINGS_MODULES: [&str; 1] = ["public/standings.js"];

/// A page that is being written.
struct Page<'a> {
    tournament: &'a PublicTournament,
    form: &'a PageForm<'a>,
    /// The relative address of the first page.
    root: String,
}

/// Returns a page; `None`: there is nothing to show.
pub(super) fn page(tournament: &PublicTournament, view: View, form: &PageForm<'_>) -> Option<String> {
    let levels = view.to_string().matches('/').count();
    let page = Page { tournament, form, root: "../".repeat(levels) };
    let event = &tournament.event.value;
    let (title, content) = match view {
        View::Event => (String::new(), page.current_round()),
        View::Round(round) => (page.word("public-round", &[("round", round.to_string())]), page.round(round)?),
        View::Standings => (page.word("public-standings", &[]), page.standings()),
        View::Table(round, table) | View::Embed(round, table) => (page.table_title(round, table)?, page.table(round, table)?),
    };
    let parts: Vec<&str> = [title.as_str(), event.name.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    let title = escaped(&if parts.is_empty() { page.word("public-boards", &[]) } else { parts.join(" · ") });
    let locale = form.locale;
    let (root, suffix) = (&page.root, form.suffix);
    let number = |number: Option<u16>| number.map(|number| number.to_string()).unwrap_or_default();
    let (round, table) = view.place();
    let (round, table) = (number(round.or(event.round)), number(table));
    let is_embedded = matches!(view, View::Embed(..));
    let (header, footer) =
        if is_embedded { (String::new(), page.embed_footer(view)) } else { (page.header(view), page.footer()) };
    let preloads: String = MODULES
        .iter()
        .chain(view_modules(view))
        .map(|module| format!("<link rel=\"modulepreload\" href=\"{root}page/{module}\">\n"))
        .collect();
    Some(format!(
        "<!doctype html>\n\
         <html lang=\"{}\" dir=\"{}\" data-root=\"{root}\" data-suffix=\"{suffix}\" data-view=\"{}\" data-round=\"{round}\" data-table=\"{table}\">\n\
         <head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"{ICON}\">\n<link rel=\"stylesheet\" href=\"{root}page/public/public.css\">\n\
         <script type=\"module\" src=\"{root}page/public/public.js\"></script>\n{preloads}</head>\n\
         <body>\n{header}<main id=\"content\">\n{}{content}</main>\n{footer}</body>\n</html>\n",
        locale.tag(),
        locale.direction().word(),
        view.word(),
        board_svg::pieces(),
    ))
}

/// Returns what the script imports for this view alone.
fn view_modules(view: View) -> &'static [&'static str] {
    match view {
        View::Event | View::Round(_) => &[],
        View::Table(..) | View::Embed(..) => &TABLE_MODULES,
        View::Standings => &STANDINGS_MODULES,
    }
}

impl Page<'_> {
    /// Returns a text of the page.
    fn word(&self, key: &str, args: &[(&'static str, String)]) -> String {
        page_word(self.form.locale, key, args)
    }

    /// Returns the relative address of a page.
    fn address(&self, view: View) -> String {
        match view {
            View::Event if self.form.suffix.is_empty() => {
                if self.root.is_empty() {
                    "./".to_owned()
                } else {
                    self.root.clone()
                }
            }
            View::Event => format!("{}index{}", self.root, self.form.suffix),
            view => format!("{}{view}{}", self.root, self.form.suffix),
        }
    }

    fn link(&self, view: View, text: &str, current: View) -> String {
        let here = if view == current { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"{}\"{here}>{}</a></li>\n", self.address(view), escaped(text))
    }

    fn header(&self, view: View) -> String {
        let event = &self.tournament.event.value;
        let name = if event.name.is_empty() { self.word("public-boards", &[]) } else { event.name.clone() };
        let mut links = String::new();
        for round in &event.rounds {
            let text = self.word("public-round", &[("round", round.number.to_string())]);
            links += &self.link(View::Round(round.number), &text, view);
        }
        if event.standings {
            links += &self.link(View::Standings, &self.word("public-standings", &[]), view);
        }
        let place: Vec<&str> = [event.site.as_str(), event.date.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
        format!(
            "<header>\n<h1><a href=\"{}\">{}</a></h1>\n<p>{}</p>\n<nav aria-label=\"{}\"><ul>\n{links}</ul></nav>\n</header>\n",
            self.address(View::Event),
            escaped(&name),
            escaped(&place.join(" · ")),
            escaped(&self.word("public-rounds", &[])),
        )
    }

    fn footer(&self) -> String {
        let event = &self.tournament.event.value;
        let mut lines = Vec::new();
        if event.delay_ms > 0 {
            let count = |unit: &'static str, ms: u64| self.word(unit, &[("count", event.delay_ms.div_ceil(ms).to_string())]);
            let time = if event.delay_ms < 60_000 { count("public-seconds", 1000) } else { count("public-minutes", 60_000) };
            lines.push(self.word("public-late", &[("time", time)]));
        }
        if event.delay_plies > 0 {
            lines.push(self.word("public-late-moves", &[("count", event.delay_plies.div_ceil(2).to_string())]));
        }
        let noscript = escaped(&self.word("public-no-javascript", &[]));
        let lines: String = lines.iter().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
        format!("<footer>\n{lines}<noscript><p>{noscript}</p></noscript>\n{}</footer>\n", self.staff_link())
    }

    /// Returns the link for those who log in; exported pages have none.
    fn staff_link(&self) -> String {
        if !self.form.suffix.is_empty() {
            return String::new();
        }
        format!("<p><a href=\"{}login\">{}</a></p>\n", self.root, escaped(&self.word("public-staff", &[])))
    }

    /// Returns the link from a frame to the page of its table.
    fn embed_footer(&self, view: View) -> String {
        let (Some(round), Some(table)) = view.place() else { return String::new() };
        let event = &self.tournament.event.value.name;
        let name = if event.is_empty() { self.word("public-table", &[("table", table.to_string())]) } else { event.clone() };
        let address = self.address(View::Table(round, table));
        format!("<footer><p><a href=\"{address}\" target=\"_blank\">{}</a></p></footer>\n", escaped(&name))
    }
}

/// Returns a text as HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a clock time as players read it.
pub(super) fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the language of the public page that a browser prefers (RFC 9110, 12.5.4). `accepted`: its header.
pub(in crate::publish) fn preferred_language(accepted: &str) -> Option<Locale> {
    let weighted = accepted.split(',').filter_map(|part| {
        let (tag, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight: f32 = weight.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse().ok())?;
        Some((Locale::public_from_tag(tag.trim())?, weight)).filter(|(_, weight)| *weight > 0.0)
    });
    // Among equals the first.
    weighted.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(locale, _)| locale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Returns what a script and those that it imports import, below `page/`.
    fn imports(of: &str, found: &mut BTreeSet<String>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/publish/web/page").join(of);
        let text = std::fs::read_to_string(&path).unwrap();
        for imported in text.lines().filter(|line| line.starts_with("import ")).filter_map(|line| line.split('"').nth(1)) {
            let module = match imported.strip_prefix("../") {
                Some(other) => other.to_owned(),
                None => format!("public/{}", imported.trim_start_matches("./")),
            };
            if found.insert(module.clone()) {
                imports(&module, found);
            }
        }
    }

    #[test]
    fn a_browser_requests_all_modules_at_once() {
        let mut shared = BTreeSet::new();
        imports("public/public.js", &mut shared);
        assert_eq!(shared, MODULES.map(str::to_owned).into());
        for (view, script) in [(View::Table(1, 2), "public/table.js"), (View::Standings, "public/standings.js")] {
            let mut further = BTreeSet::from([script.to_owned()]);
            imports(script, &mut further);
            let further: BTreeSet<_> = further.difference(&shared).cloned().collect();
            assert_eq!(further, view_modules(view).iter().map(|module| (*module).to_owned()).collect());
        }
    }

    #[test]
    fn the_language_that_a_browser_prefers() {
        let check = |accepted: &str, expect: Option<&str>| {
            assert_eq!(preferred_language(accepted).map(Locale::tag), expect, "{accepted}");
        };
        check("de-CH, fr;q=0.9, en;q=0.8", Some("de"));
        check("tlh, zh-TW;q=0.3", Some("zh-Hant"));
        check("en;q=0.2, es;q=0.7", Some("es"));
        check("de;q=0", None);
        check("tlh", None);
        check("", None);
        check("de;q=x", None);
    }
}
