//! The book in docs/ and the other pages: every link leads somewhere, and every page is in the table of contents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use touchmove::game::AlertKind;
use touchmove::locale::{self, Locale};
use touchmove::wire::Word;

/// Where links to files outside docs/ lead. mdBook copies only docs/ into the book, so a relative link there would be broken.
const REPOSITORY: &str = "https://github.com/touchmove/touchmove/";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown pages of the project's root and of docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for folder in ["", "docs"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                pages.push(Path::new(folder).join(name));
            }
        }
    }
    pages.sort();
    pages
}

/// The lines of a page without its code blocks.
fn prose(text: &str) -> Vec<&str> {
    let mut fence = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
        } else if !fence {
            lines.push(line);
        }
    }
    lines
}

/// The targets of all links and images of a page, in the order of the text.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        // Every second part is in backticks.
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        found.extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
    }
    found
}

/// The anchors of a page: its headings in the form of mdBook and GitHub.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut anchors, mut occurrences) = (BTreeSet::new(), BTreeMap::new());
    for heading in prose(text).into_iter().filter(|line| line.starts_with('#')) {
        let keep = |letter: char| match letter {
            letter if letter.is_alphanumeric() || letter == '_' || letter == '-' => Some(letter.to_ascii_lowercase()),
            letter if letter.is_whitespace() => Some('-'),
            _ => None,
        };
        let anchor: String = heading.trim_start_matches('#').trim().chars().filter_map(keep).collect();
        let seen = occurrences.entry(anchor.clone()).or_insert(0);
        anchors.insert(if *seen == 0 { anchor } else { format!("{anchor}-{seen}") });
        *seen += 1;
    }
    anchors
}

/// A path without `.` and `..`; `None` if it leads out of the project.
fn clean(path: &Path) -> Option<PathBuf> {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => cleaned.push(part),
            Component::CurDir => {}
            Component::ParentDir => cleaned.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(cleaned)
}

/// Why a link of a page is broken; `None` if it is not, or leads to another site.
fn broken(page: &Path, link: &str) -> Option<String> {
    let (target, anchor) = link.split_once('#').map_or((link, None), |(target, anchor)| (target, Some(anchor)));
    let path = if let Some(rest) = target.strip_prefix(REPOSITORY) {
        PathBuf::from(rest.strip_prefix("blob/main/").or_else(|| rest.strip_prefix("tree/main/"))?)
    } else if target.contains("://") || target.starts_with("mailto:") {
        return None;
    } else if target.is_empty() {
        page.to_owned()
    } else {
        let Some(path) = clean(&page.parent().unwrap().join(target)) else { return Some("leads out of the project".into()) };
        if page.starts_with("docs") && !path.starts_with("docs") {
            return Some(format!("is broken in the book: write {REPOSITORY}blob/main/{}", path.display()));
        }
        path
    };
    if !root().join(&path).exists() {
        return Some(format!("{} does not exist", path.display()));
    }
    let anchor = anchor?;
    (!anchors(&read(&path)).contains(anchor)).then(|| format!("{} has no heading for #{anchor}", path.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        for link in links(&read(&page)) {
            if let Some(reason) = broken(&page, &link) {
                wrong.push(format!("{}: ({link}) {reason}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "broken links:\n{}", wrong.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let page = Path::new("docs/start.md");
    for link in ["nowhere.md", "#nothing-like-it", "journal.md#nothing-like-it", "../README.md", "../../elsewhere.md"] {
        assert!(broken(page, link).is_some(), "{link}");
    }
    assert!(broken(page, &format!("{REPOSITORY}blob/main/nowhere.md")).is_some());
    for link in ["journal.md#damage", "https://ntfy.sh", "screens/hall.png"] {
        assert_eq!(broken(page, link), None, "{link}");
    }
    let text = "# A `b` [[c]]: I²C, d_e-f\n[x](a.md) `[y](b.md)` [![z](c.png)](d.md)\n```\n[u](e.md)\n# no heading\n```\n# Twice\n# Twice\n";
    assert_eq!(links(text), ["a.md", "c.png", "d.md"]);
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), ["a-b-c-i²c-d_e-f", "twice", "twice-1"]);
}

#[test]
fn every_page_is_in_the_contents_once() {
    let contents = Path::new("docs/SUMMARY.md");
    let mut listed = links(&read(contents));
    listed.sort();
    let pages = pages().into_iter().filter(|page| page.starts_with("docs") && page != contents);
    let pages: Vec<String> = pages.map(|page| page.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(listed, pages);
}

/// The page that arbiters print lists every kind of alert by its heading, and marks the notices.
#[test]
fn the_page_to_print_has_every_alert() {
    let page = read(Path::new("docs/arbiter.md"));
    let (_, table) = page.split_once("## Every alert on one page").unwrap();
    let table = table.split("\n## ").next().unwrap();
    for (word, kind) in AlertKind::WORDS {
        let mark = if kind.is_notice() { "○ " } else { "" };
        let cell = format!("\n| {mark}{} `{word}` | ", locale::alert_heading(Locale::English, word));
        assert!(table.contains(&cell), "docs/arbiter.md has no row {cell:?}");
    }
}

/// The files that CONTRIBUTING.md names exist.
#[test]
fn contributing_names_files_that_exist() {
    let text = read(Path::new("CONTRIBUTING.md"));
    let lines = prose(&text);
    let words = lines.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    let folders = ["src/", "tests/", "config/", "docs/", "fuzz/", "udev/", ".ci/", "benches/"];
    let mut paths =
        words.filter(|word| folders.iter().any(|folder| word.starts_with(folder)) && !word.contains(['*', ' ', '<']));
    let mut named = 0;
    if let Some(missing) = paths.find(|path| {
        named += 1;
        !root().join(path).exists()
    }) {
        panic!("CONTRIBUTING.md names {missing}, which does not exist");
    }
    assert!(named > 20, "only {named} paths were found");
}
