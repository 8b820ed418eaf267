//! A `[[board]]` in the text of a configuration file: adding one, and removing it. Everything else of the text stays as it is.

use crate::boards::Model;
use crate::link::BoardLocation;
use crate::link::bluetooth::Address;
use std::ops::Range;

/// Returns a table for a board over Bluetooth.
pub fn bluetooth_table(name: &str, model: &Model, address: Address) -> String {
    format!("[[board]]\nname = \"{name}\"\nmodel = \"{}\"\nbluetooth = \"{address}\"\n", model.name)
}

/// Returns a table for a board at this place of the machine.
pub fn wired_table(name: &str, model: &Model, place: &BoardLocation) -> String {
    let (key, value) = match place {
        BoardLocation::Port(path) => ("port", path.display().to_string()),
        BoardLocation::Ids(ids) => ("usb", ids.to_string()),
        BoardLocation::Serial(serial) => ("serial", serial.clone()),
        BoardLocation::UsbPath(socket) => ("usb_path", socket.clone()),
        BoardLocation::Bluetooth(address) => return bluetooth_table(name, model, *address),
        BoardLocation::AnyOfModel(_) => return format!("[[board]]\nname = \"{name}\"\nmodel = \"{}\"\n", model.name),
    };
    let value = toml::Value::String(value);
    format!("[[board]]\nname = \"{name}\"\nmodel = \"{}\"\n{key} = {value}\n", model.name)
}

/// Returns the text with this table at its end.
pub fn append(text: &str, table: &str) -> String {
    let separator = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{separator}{table}")
}

/// Returns the text without the table of the board with this address, and that table; `None` if there is none. Comments after its
/// last key stay.
pub fn remove(text: &str, address: Address) -> Option<(String, String)> {
    remove_table(text, |table| address_in(table) == Some(address))
}

/// Returns the text without the table of the board with this name, and that table; `None` if there is none. Comments after its last
/// key stay.
pub fn remove_named(text: &str, name: &str) -> Option<(String, String)> {
    remove_table(text, |table| text_in(table, "name").as_deref() == Some(name))
}

fn remove_table(text: &str, is_meant: impl Fn(&str) -> bool) -> Option<(String, String)> {
    let lines: Vec<Range<usize>> = lines(text).collect();
    let line = |index: usize| lines.get(index).and_then(|range| text.get(range.clone())).unwrap_or_default();
    let headers = (0..lines.len()).filter(|index| line(*index).trim_start().starts_with("[[board]]"));
    for header in headers {
        let is_end = |index: &usize| line(*index).trim_start().starts_with('[');
        let end = (header + 1..lines.len()).find(is_end).unwrap_or(lines.len());
        let is_key = |index: &usize| !matches!(line(*index).trim().chars().next(), None | Some('#'));
        let last = (header..end).rev().find(is_key).unwrap_or(header);
        let range = lines.get(header)?.start..lines.get(last)?.end;
        let table = text.get(range.clone())?;
        if !is_meant(table) {
            continue;
        }
        let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
        // One blank line goes with the table.
        let before = if before.ends_with("\n\n") || before == "\n" { before.get(..before.len() - 1)? } else { before };
        return Some((format!("{before}{after}"), table.to_owned()));
    }
    None
}

/// Returns the address in the text of one `[[board]]`.
fn address_in(table: &str) -> Option<Address> {
    text_in(table, "bluetooth")?.parse().ok()
}

/// Returns the value of a key in the text of one `[[board]]`.
fn text_in(table: &str, key: &str) -> Option<String> {
    let table: toml::Table = table.parse().ok()?;
    table.get("board")?.as_array()?.first()?.get(key)?.as_str().map(str::to_owned)
}

/// Returns the lines with their line breaks.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end;
        range
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::chessnut;

    fn address() -> Address {
        "AA:BB:CC:DD:EE:FF".parse().unwrap()
    }

    #[test]
    fn what_was_added_can_be_removed() {
        let table = bluetooth_table("table_1", &chessnut::MODEL, address());
        for text in ["", "# nothing\n", "[bus]\naddress = \"system\"", "[bus]\n\n"] {
            let added = append(text, &table);
            crate::config::Config::parse(&added).unwrap();
            let (removed, removed_table) = remove(&added, address()).unwrap();
            assert_eq!(removed.trim_end(), text.trim_end());
            assert_eq!(removed_table, table);
        }
    }

    #[test]
    fn a_wired_board_is_removed_by_its_name() {
        let place = BoardLocation::Serial("A \"1\"".to_owned());
        let added = append("[bus]\n", &wired_table("board_1", &chessnut::MODEL, &place));
        assert_eq!(crate::config::Config::parse(&added).unwrap().boards[0].place, place);
        let (removed, table) = remove_named(&added, "board_1").unwrap();
        assert_eq!(removed.trim_end(), "[bus]");
        assert!(table.starts_with("[[board]]\nname = \"board_1\"\n"), "{table}");
        assert_eq!(remove_named(&added, "board_2"), None);
    }

    #[test]
    fn only_that_table_goes() {
        let text = "[[board]]\nname = 'a'\nbluetooth = 'AA:BB:CC:DD:EE:00'\n\n  [[board]] # mine\nname = 'b'\n# at the window\n\
                    bluetooth = 'aa:bb:cc:dd:ee:ff'\n\n# the others\n[[board]]\nname = 'c'\nport = '/dev/ttyS0'\n[web]\n";
        let (rest, table) = remove(text, address()).unwrap();
        assert_eq!(
            rest,
            "[[board]]\nname = 'a'\nbluetooth = 'AA:BB:CC:DD:EE:00'\n\n# the others\n[[board]]\nname = 'c'\n\
             port = '/dev/ttyS0'\n[web]\n"
        );
        assert_eq!(table, "  [[board]] # mine\nname = 'b'\n# at the window\nbluetooth = 'aa:bb:cc:dd:ee:ff'\n");
        assert_eq!(remove(&rest, address()), None);
        // A comment is no table.
        assert_eq!(remove("#[[board]]\n#bluetooth = 'AA:BB:CC:DD:EE:FF'\n", address()), None);
    }
}
