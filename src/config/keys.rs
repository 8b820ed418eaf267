//! The table of all configuration keys. The keys of each table of the file are described where they are read, in one file for each.

use super::{
    board, broadcast, bus, event, files, game, hall, hands, hooks, laws, lichess, livechess, metrics, public, publish_static,
    storage, web,
};
use std::fmt::Write;

pub use super::key::{ChangeEffect, Key, Kind, Table};

/// The tables in the order of the file.
pub static TABLES: &[&Table] = &[
    &bus::TABLE,
    &storage::JOURNAL,
    &storage::RECORDINGS,
    &game::TABLE,
    &hands::TABLE,
    &laws::TABLE,
    &event::TABLE,
    &broadcast::TABLE,
    &files::TABLE,
    &public::TABLE,
    &publish_static::TABLE,
    &lichess::TABLE,
    &hooks::TABLE,
    &metrics::TABLE,
    &livechess::TABLE,
    &web::TABLE,
    &hall::TABLE,
    &board::TABLE,
];

/// Returns all keys in the order of the file, each with its table.
pub fn all() -> impl Iterator<Item = (&'static Table, &'static Key)> {
    TABLES.iter().copied().flat_map(|table| table.keys.iter().map(move |key| (table, key)))
}

/// Returns the key of this name, with its table: `broadcast.delay_s`.
pub fn find(name: &str) -> Option<(&'static Table, &'static Key)> {
    let (table, key) = name.split_once('.')?;
    all().find(|(known, known_key)| known.name == table && known_key.name == key)
}

/// Returns the file with every key commented out: the content of `config/touchmoved.toml`.
pub fn commented_file() -> String {
    let mut file = String::from(
        "# Configuration of touchmoved. Every key is shown with its default: remove the # before one to change it.\n\
         # `touchmoved --check-config --config FILE` checks a file. The documentation is configuration.md, or touchmoved.toml(5).\n\
         # Searched in $XDG_CONFIG_HOME/touchmove (~/.config/touchmove), then in /etc/touchmove. Generated from the tables in src/config.\n",
    );
    for table in TABLES {
        let _ = writeln!(file, "\n# {}", table.about.replace('\n', "\n# "));
        // A [[board]] without keys would define a board; a plain table without keys has no effect.
        let _ = writeln!(file, "{}{}", if table.name == "board" { "#" } else { "" }, table.header());
        for key in table.keys {
            let _ = writeln!(file, "# {}", key.doc.replace('\n', "\n# "));
            if let Kind::Number { .. } | Kind::Flag | Kind::Model = key.kind {
                let expected = key.kind.expected();
                let _ = writeln!(file, "# {}{}.", expected[..1].to_uppercase(), &expected[1..]);
            }
            let _ = match key.default {
                Some(default) => writeln!(file, "#{} = {default}", key.name),
                None => writeln!(file, "#    {} = {}", key.name, key.example),
            };
        }
    }
    file
}
