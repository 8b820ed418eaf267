//! Converts text to [`Config`]: checks every value against the table of keys, then the values against one another.

use super::keys::TABLES;
use super::values::{Problems, read_table, unknown_at_top_level_message};
use super::{
    Config, Problem, board, broadcast, bus, event, files, game, hall, hands, hooks, laws, lichess, livechess, metrics, public,
    publish_static, storage, web,
};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::DeTable;

/// Returns the configuration, with defaults where there is a problem, and the problems in the order of the file.
pub(super) fn check(text: &str) -> (Config, Vec<Problem>) {
    let mut problems = Problems { tables: TABLES, text: text.to_owned(), found: Vec::new() };
    let (parseable, suppressed) = blank_invalid_lines(text, &mut problems);
    let syntax_problems = problems.found.len();
    let empty = Spanned::new(0..0, DeTable::new());
    let document = DeTable::parse(&parseable).unwrap_or(empty);
    let root = document.get_ref();
    for (name, value) in root {
        if !TABLES.iter().any(|table| table.name == name.get_ref().as_ref()) {
            let message = unknown_at_top_level_message(TABLES, name.get_ref(), value.get_ref().is_table());
            problems.add(&name.span(), message);
        }
    }
    let config = read_config(root, &mut problems);
    let later = problems.found.split_off(syntax_problems);
    problems.found.extend(later.into_iter().filter(|(at, _)| !suppressed.iter().any(|range| range.contains(at))));
    (config, problems.sorted())
}

/// Replaces the lines that are not TOML by blanks and adds a problem for each. Also returns the ranges in which no further
/// problems must be reported: below a table header that could not be parsed, it is unknown to which table the keys belong.
fn blank_invalid_lines(text: &str, problems: &mut Problems) -> (String, Vec<Range<usize>>) {
    let mut parseable = text.to_owned();
    let mut suppressed = Vec::new();
    while let Err(error) = DeTable::parse(&parseable) {
        let at = error.span().map_or(0, |span| span.start).min(parseable.len());
        // The parser may report an error at the end of a line at the line break, or after the last one.
        let line =
            line_around(&parseable, at).filter(|line| parseable.get(line.clone()).is_some_and(|line| !line.trim().is_empty()));
        let Some(line) = line.or_else(|| line_around(&parseable, parseable.get(..at)?.trim_end().len().saturating_sub(1)))
        else {
            break;
        };
        let written = parseable.get(line.clone()).unwrap_or_default();
        if written.trim().is_empty() {
            break;
        }
        let is_table = written.trim_start().starts_with('[');
        let reason = match error.message() {
            "duplicate key" if is_table => "this table is in the file already: write its keys there".to_owned(),
            message => message.replace('\n', "; "),
        };
        problems.add(&(at.min(line.end)..line.end), format!("this is not TOML: {reason}"));
        if is_table {
            let rest = parseable.get(line.end..).unwrap_or_default();
            suppressed.push(line.start..rest.find("\n[").map_or(parseable.len(), |next| line.end + next));
        }
        // The length stays the same, so that byte offsets remain valid.
        parseable.replace_range(line.clone(), &" ".repeat(line.len()));
    }
    (parseable, suppressed)
}

/// Returns the range of the line that contains this byte, without its line break.
fn line_around(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |before| before + 1);
    let end = text.get(start..)?.find('\n').map_or(text.len(), |length| start + length);
    Some(start..end)
}

fn read_config(root: &DeTable<'_>, problems: &mut Problems) -> Config {
    let bus = read_table(root, &bus::TABLE, problems).text("address");
    let state_dir: Option<PathBuf> = read_table(root, &storage::JOURNAL, problems).given_text("state_dir").map(Into::into);
    let recordings = storage::read_recordings(&read_table(root, &storage::RECORDINGS, problems));
    let laws = laws::read(read_table(root, &laws::TABLE, problems));
    let mut game = game::read(read_table(root, &game::TABLE, problems), laws);
    game.hands = hands::read(&read_table(root, &hands::TABLE, problems));
    let (delay, illegal_moves) = broadcast::read(&read_table(root, &broadcast::TABLE, problems));
    let livechess = livechess::read(read_table(root, &livechess::TABLE, problems));
    let web = web::read(read_table(root, &web::TABLE, problems));
    let hall = hall::read(read_table(root, &hall::TABLE, problems));
    let tags = event::read(&read_table(root, &event::TABLE, problems));
    let boards = board::read(root, game.chess960, problems);
    let files_state_dir = state_dir.as_deref().unwrap_or(Path::new(storage::DEFAULT_STATE_DIR));
    let files = files::read(read_table(root, &files::TABLE, problems), files_state_dir);
    let public = public::read(&read_table(root, &public::TABLE, problems));
    let publish_static = publish_static::read(read_table(root, &publish_static::TABLE, problems), files_state_dir);
    let metrics = read_table(root, &metrics::TABLE, problems).text("listen").parse().ok();
    let lichess = lichess::read(&read_table(root, &lichess::TABLE, problems));
    let hooks = hooks::read(&read_table(root, &hooks::TABLE, problems));
    Config {
        bus,
        state_dir,
        recordings,
        common_settings: game,
        tags,
        delay,
        illegal_moves,
        files,
        public,
        publish_static,
        lichess,
        hooks,
        metrics,
        livechess,
        web,
        hall,
        boards,
    }
}
