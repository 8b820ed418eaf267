//! A key in the text of a configuration file: reading, setting and removing it. Everything else of the text stays as it is.

use std::ops::Range;
use toml::de::DeTable;

/// Returns the value of a key as it is written; `None`: it is not in the text, or the text is not TOML.
pub fn value<'a>(text: &'a str, table: &str, key: &str) -> Option<&'a str> {
    text.get(spans(text, table, key)?.1)
}

/// Returns whether a key has this value, however it is written.
pub fn has_value(text: &str, table: &str, key: &str, expected: &str) -> bool {
    let parsed = |text: &str| format!("value = {text}").parse::<toml::Table>().ok();
    value(text, table, key)
        .is_some_and(|value| value == expected || (parsed(value).is_some() && parsed(value) == parsed(expected)))
}

/// Returns the text in which a key has this value (TOML). A new key is written below the comment with its default, or at the
/// beginning of its table. `None`: the text has a form that this does not change.
pub fn set(text: &str, table: &str, key: &str, value: &str) -> Option<String> {
    let changed = match spans(text, table, key) {
        Some((_, span)) => format!("{}{value}{}", text.get(..span.start)?, text.get(span.end..)?),
        None => {
            let line = format!("{key} = {value}\n");
            match section(text, table) {
                Some(section) => {
                    let at = commented(text, &section, key).unwrap_or(section.start);
                    let before = text.get(..at)?;
                    let separator = if before.ends_with('\n') { "" } else { "\n" };
                    format!("{before}{separator}{line}{}", text.get(at..)?)
                }
                None => super::board_table::append(text, &format!("[{table}]\n{line}")),
            }
        }
    };
    has_value(&changed, table, key, value).then_some(changed)
}

/// Returns the text without a key; `None`: the text has a form that this does not change.
pub fn remove(text: &str, table: &str, key: &str) -> Option<String> {
    let Some((name, span)) = spans(text, table, key) else { return Some(text.to_owned()) };
    let start = text.get(..name.start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(span.end..)?.find('\n').map_or(text.len(), |length| span.end + length + 1);
    let is_alone = text.get(start..name.start)?.trim().is_empty()
        && text.get(span.end..end)?.trim().chars().next().is_none_or(|first| first == '#');
    let changed = format!("{}{}", text.get(..start)?, text.get(end..)?);
    (is_alone && DeTable::parse(&changed).is_ok() && value(&changed, table, key).is_none()).then_some(changed)
}

/// Returns where a key and its value are.
fn spans(text: &str, table: &str, key: &str) -> Option<(Range<usize>, Range<usize>)> {
    let root = DeTable::parse(text).ok()?;
    let entries = root.get_ref().get(table)?.get_ref().as_table()?;
    let found = entries.iter().find(|(name, _)| name.get_ref().as_ref() == key);
    found.map(|(name, value)| (name.span(), value.span()))
}

/// Returns where the lines below the header of a table are.
fn section(text: &str, table: &str) -> Option<Range<usize>> {
    let header = format!("[{table}]");
    let mut start = 0;
    let mut section: Option<Range<usize>> = None;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let trimmed = line.trim();
        match &mut section {
            None if trimmed
                .strip_prefix(&header)
                .is_some_and(|rest| rest.trim().is_empty() || rest.trim().starts_with('#')) =>
            {
                section = Some(end..end);
            }
            None => {}
            Some(_) if trimmed.starts_with('[') => break,
            Some(section) => section.end = end,
        }
        start = end;
    }
    section
}

/// Returns the end of the line in which a key is commented out.
fn commented(text: &str, section: &Range<usize>, key: &str) -> Option<usize> {
    let mut end = section.start;
    for line in text.get(section.clone())?.split_inclusive('\n') {
        end += line.len();
        let rest = line.trim().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix(key));
        if rest.is_some_and(|rest| rest.trim_start().starts_with('=')) {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::config::keys::commented_file;

    #[test]
    fn what_was_set_can_be_removed() {
        let (table, key, new) = ("web", "listen", "\"127.0.0.1:8064\"");
        for text in ["", "[bus]\n", "[web]", "# a\n[web] # b\nhosts = 'hall.example.org' # c\n[bus]\n", &commented_file()] {
            assert_eq!(value(text, table, key), None);
            let changed = set(text, table, key, new).unwrap();
            assert_eq!(value(&changed, table, key), Some(new), "{changed}");
            Config::parse(&changed).unwrap();
            let removed = remove(&changed, table, key).unwrap();
            assert!(removed.starts_with(text), "{removed}");
            assert_eq!(value(&removed, table, key), None);
        }
        let file = set(&commented_file(), table, key, new).unwrap();
        assert!(file.contains("#listen = \"\"\nlisten = \"127.0.0.1:8064\"\n"), "{file}");
    }

    #[test]
    fn a_value_is_replaced_where_it_is() {
        let text = "[web]\nlisten = '' # here\n";
        assert_eq!(set(text, "web", "listen", "\"[::1]:1\"").unwrap(), "[web]\nlisten = \"[::1]:1\" # here\n");
        assert!(has_value(text, "web", "listen", "\"\"") && !has_value(text, "web", "listen", "\"x\""));
        assert_eq!(remove(text, "web", "listen").unwrap(), "[web]\n");
        // Forms that are not changed.
        assert_eq!(set("web = { hosts = '' }\n", "web", "listen", "''"), None);
        assert_eq!(remove("web = { listen = '' }\n", "web", "listen"), None);
        assert_eq!(remove("web.listen = ''\n", "web", "listen"), None);
        assert_eq!(set("[web", "web", "listen", "''"), None);
    }
}
