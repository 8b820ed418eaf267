//! Keys that make the squares of a board appear where they are: in its `[[board]]`, or in the file that describes a matrix.

use crate::boards::{Connection, Model, SensorKind};
use crate::game::event::Rotation;
use crate::link::matrix::{Bank, Level, Wiring};
use crate::wiring_test::Arrangement;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// The file that describes the matrix; `None`: the configuration file.
    pub file: Option<PathBuf>,
    /// The table of the key; empty: it is before all tables. In the configuration file it is the `[[board]]`.
    pub table: &'static str,
    /// The key.
    pub key: &'static str,
    /// The new value, as TOML.
    pub value: String,
}

/// Returns the keys that make a board report every square as itself; none if nothing needs to be changed, or keys cannot change it.
/// `rotation`: the orientation that is configured. `wiring`: the file of a matrix with what is in it.
pub fn key_changes(
    model: &Model,
    rotation: Option<Rotation>,
    wiring: Option<(PathBuf, Wiring)>,
    arrangement: &Arrangement,
) -> Vec<KeyChange> {
    if !arrangement.is_complete || arrangement.is_as_configured(rotation) {
        return Vec::new();
    }
    match (model.connection, wiring) {
        (Connection::Matrix, Some((file, wiring))) => {
            let changes = matrix_changes(&wiring, rotation, arrangement).into_iter();
            changes.map(|(table, key, value)| KeyChange { file: Some(file.clone()), table, key, value }).collect()
        }
        (Connection::Matrix, None) => Vec::new(),
        _ => {
            let found = [Rotation::Upright, Rotation::Turned].into_iter().find(|one| arrangement.is_as_configured(Some(*one)));
            let word = match (found, rotation) {
                (Some(Rotation::Upright), Some(Rotation::Turned)) => "upright",
                (Some(Rotation::Turned), Some(Rotation::Upright)) => "turned",
                // What is on the squares shows how the board is turned.
                (Some(Rotation::Turned), None) if model.sensing != SensorKind::Identity => "turned",
                _ => return Vec::new(),
            };
            vec![KeyChange { file: None, table: "board", key: "rotation", value: format!("\"{word}\"") }]
        }
    }
}

/// Returns the keys of a wiring file that change: table, key and value.
fn matrix_changes(
    wiring: &Wiring,
    rotation: Option<Rotation>,
    arrangement: &Arrangement,
) -> Vec<(&'static str, &'static str, String)> {
    let (ranks, files) = arrangement.corrected(rotation);
    let mut changes = Vec::new();
    if let Some(gpio) = &wiring.gpio {
        let (rows, columns) = exchanged_if(arrangement.transposed, gpio.rows, gpio.columns);
        add(&mut changes, "gpio", "rows", picked(&rows, ranks), gpio.rows);
        add(&mut changes, "gpio", "columns", picked(&columns, files), gpio.columns);
        if arrangement.transposed {
            // The current flows the other way: what was driven is read now.
            let closed = if wiring.closed == Level::Low { "high" } else { "low" };
            changes.push(("", "closed", format!("\"{closed}\"")));
        }
    } else if let Some(expander) = wiring.mcp23017.as_ref().filter(|_| !(arrangement.transposed && wiring.diodes)) {
        let (rows, columns) = exchanged_if(arrangement.transposed, expander.row_pins, expander.column_pins);
        add(&mut changes, "mcp23017", "row_pins", picked(&rows, ranks), expander.row_pins);
        add(&mut changes, "mcp23017", "column_pins", picked(&columns, files), expander.column_pins);
        if arrangement.transposed {
            let rows = if expander.rows == Bank::A { "B" } else { "A" };
            changes.push(("mcp23017", "rows", format!("\"{rows}\"")));
        }
    }
    changes
}

fn exchanged_if<T>(is_exchanged: bool, rows: T, columns: T) -> (T, T) {
    if is_exchanged { (columns, rows) } else { (rows, columns) }
}

/// Returns the lines in this order.
fn picked<T: Copy>(lines: &[T; 8], order: [usize; 8]) -> [T; 8] {
    let [first, ..] = *lines;
    order.map(|index| lines.get(index).copied().unwrap_or(first))
}

fn add<T: PartialEq + std::fmt::Debug>(
    changes: &mut Vec<(&'static str, &'static str, String)>,
    table: &'static str,
    key: &'static str,
    value: [T; 8],
    before: [T; 8],
) {
    if value != before {
        changes.push((table, key, format!("{value:?}")));
    }
}

/// Returns the text of a file with a changed key; everything else stays as it is. `board`: the name of the board whose `[[board]]` has
/// the key. `None`: the text has no such table, or is not TOML.
pub fn set_key(text: &str, board: Option<&str>, table: &str, key: &str, value: &str) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    let root = root.get_ref();
    let table = match (board, table) {
        (Some(name), table) => {
            let has_name = |board: &&DeTable<'_>| board.get("name").and_then(|name| name.get_ref().as_str()) == Some(name);
            root.get(table)?.get_ref().as_array()?.iter().filter_map(|board| board.get_ref().as_table()).find(has_name)?
        }
        (None, "") => root,
        (None, table) => root.get(table)?.get_ref().as_table()?,
    };
    if let Some(before) = table.get(key) {
        let span = before.span();
        return Some(format!("{}{value}{}", text.get(..span.start)?, text.get(span.end..)?));
    }
    let is_value = |value: &&Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::Table(_) => false,
        DeValue::Array(array) => !array.iter().any(|entry| entry.get_ref().is_table()),
        _ => true,
    };
    let last = table.iter().map(|(_, value)| value).filter(is_value).map(|value| value.span().end).max()?;
    let rest = text.get(last..)?;
    let (before, after) = match rest.find('\n') {
        Some(length) => (text.get(..last + length + 1)?.to_owned(), text.get(last + length + 1..)?),
        None => (format!("{text}\n"), ""),
    };
    Some(format!("{before}{key} = {value}\n{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::{dgt, matrix};
    use crate::config::Config;
    use shakmaty::{File, Rank, Square};

    const GPIO: &str = "# mine\ndiodes = true # all\n\n[gpio]\nchip = \"/dev/gpiochip0\"\nrows = [10, 11, 12, 13, 14, 15, 16, 17]\n\
                        columns = [\n  20, 21, 22, 23,\n  24, 25, 26, 27, # h\n]\n";

    /// What is reported for all squares of a board that reports `image` of each.
    fn arrangement(image: impl Fn(u32, u32) -> (u32, u32)) -> Arrangement {
        let pairs = Square::ALL.map(|square| {
            let (rank, file) = image(u32::from(square.rank()), u32::from(square.file()));
            (square, Square::from_coords(File::new(file), Rank::new(rank)))
        });
        Arrangement::fit(&pairs)
    }

    fn changed(text: &str, rotation: Option<Rotation>, arrangement: &Arrangement) -> Option<Wiring> {
        let wiring = Wiring::parse(text).unwrap();
        let changes = key_changes(&matrix::MODEL, rotation, Some((PathBuf::from("/m"), wiring)), arrangement);
        let set = |text: String, change: &KeyChange| set_key(&text, None, change.table, change.key, &change.value).unwrap();
        let after = changes.iter().fold(text.to_owned(), set);
        assert!(text.lines().filter(|line| line.starts_with('#')).all(|line| after.contains(line)));
        (!changes.is_empty()).then(|| Wiring::parse(&after).unwrap())
    }

    #[test]
    fn the_lines_of_a_matrix_are_put_in_order() {
        let rows = |wiring: Option<Wiring>| wiring.unwrap().gpio.unwrap();
        let mirrored = rows(changed(GPIO, None, &arrangement(|rank, file| (7 - rank, file))));
        assert_eq!(mirrored.rows, [17, 16, 15, 14, 13, 12, 11, 10]);
        assert_eq!(mirrored.columns, [20, 21, 22, 23, 24, 25, 26, 27]);
        let exchanged = |line| match line {
            2 => 5,
            5 => 2,
            other => other,
        };
        let swapped = rows(changed(GPIO, None, &arrangement(|rank, file| (rank, exchanged(file)))));
        assert_eq!(swapped.columns, [20, 21, 25, 23, 24, 22, 26, 27]);
        assert_eq!(changed(GPIO, None, &arrangement(|rank, file| (rank, file))), None);
        // The board is meant to be turned.
        assert_eq!(changed(GPIO, Some(Rotation::Turned), &arrangement(|rank, file| (7 - rank, 7 - file))), None);
        let turned = rows(changed(GPIO, Some(Rotation::Turned), &arrangement(|rank, file| (rank, file))));
        assert_eq!(turned.rows, [17, 16, 15, 14, 13, 12, 11, 10]);
    }

    #[test]
    fn exchanged_rows_and_columns_are_driven_the_other_way() {
        let wiring = changed(GPIO, None, &arrangement(|rank, file| (file, rank))).unwrap();
        assert_eq!(wiring.closed, Level::High);
        let gpio = wiring.gpio.unwrap();
        assert_eq!((gpio.rows[0], gpio.columns[7]), (20, 17));
        let expander = "diodes = false\n[mcp23017]\nbus = '/dev/i2c-1'\naddress = 0x20\nrows = 'A'\n";
        let wiring = changed(expander, None, &arrangement(|rank, file| (file, 7 - rank))).unwrap().mcp23017.unwrap();
        assert_eq!((wiring.rows, wiring.row_pins), (Bank::B, [7, 6, 5, 4, 3, 2, 1, 0]));
        // An expander cannot pull lines low, so that diodes decide which lines are rows.
        assert_eq!(changed(&expander.replace("false", "true"), None, &arrangement(|rank, file| (file, rank))), None);
    }

    #[test]
    fn a_board_that_is_turned_is_configured_so() {
        let turned = arrangement(|rank, file| (7 - rank, 7 - file));
        let keys = |rotation| key_changes(&dgt::MODEL, rotation, None, &turned);
        assert_eq!(keys(None), []);
        assert_eq!(keys(Some(Rotation::Turned)), []);
        let [change] = <[KeyChange; 1]>::try_from(keys(Some(Rotation::Upright))).unwrap();
        let text = "# one\n[[board]]\nname = 'a'\nport = '/dev/a'\n\n[[board]]\nname = 'b'\nport = '/dev/b' # here\n";
        let after = set_key(text, Some("b"), change.table, change.key, &change.value).unwrap();
        assert_eq!(after, format!("{text}rotation = \"turned\"\n"));
        assert_eq!(Config::parse(&after).unwrap().boards[1].rotation, Some(Rotation::Turned));
        let again = set_key(&after, Some("b"), "board", "rotation", "\"auto\"").unwrap();
        assert_eq!(again, format!("{text}rotation = \"auto\"\n"));
        assert_eq!(set_key(text, Some("c"), "board", "rotation", "\"auto\""), None);
    }
}
