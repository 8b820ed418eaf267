//! Configured boards: which they are, where they are plugged in, and how they are used.

use super::key::{Key, Kind, Table, is_absolute, is_line, is_name, key, text};
use super::values::{Problems, Values, read_values};
use crate::boards::{self, Address, Connection, ControlLines, Lights, Model};
use crate::game::event::Rotation;
use crate::laws::Position;
use crate::link::bluetooth::Address as BluetoothAddress;
use crate::link::{BoardLocation, UsbIds};
use crate::table::LightsMode;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::DeTable;

/// One configured board.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardConfig {
    /// The name: ASCII letters, digits and `_` only.
    pub name: String,
    /// On a bus, the names of the boards by address, in the same format as `name`.
    pub names: BTreeMap<Address, String>,
    /// The model.
    pub model: &'static Model,
    /// The port or device to which it is connected.
    pub place: BoardLocation,
    /// The state of the serial control lines DTR and RTS.
    pub control: ControlLines,
    /// The orientation of the board; `None`: inferred from the position.
    pub rotation: Option<Rotation>,
    /// The orientation of its clock; `None`: inferred from the first presses.
    pub clock_side: Option<Rotation>,
    /// What its lights show to the players.
    pub lights: LightsMode,
    /// The start position of its games, where it is not recognised on the board.
    pub start_fen: Option<String>,
}

impl BoardConfig {
    /// Creates a board with default settings for everything but name, model and place.
    pub fn new(name: String, model: &'static Model, place: BoardLocation) -> BoardConfig {
        BoardConfig {
            name,
            names: BTreeMap::new(),
            model,
            place,
            control: model.connection.control_lines(),
            rotation: None,
            clock_side: None,
            lights: LightsMode::default(),
            start_fen: None,
        }
    }
}

/// The table `[[board]]`.
pub(super) static TABLE: Table = Table {
    name: "board",
    about: "Boards. Without any [[board]], touchmoved serves every board whose own USB id identifies it (a DGT e-Board:\n\
            045b:8111), so one board on one port needs nothing here. Ids such as 0403:6001 or 04d8:000a belong to adapter chips\n\
            that are built into many other devices too, and bytes sent to a chessboard could disturb those: such a port is used\n\
            only if a [[board]] names it, by port, usb, serial or usb_path, even if it is the only one. `touchmovectl doctor`\n\
            prints the lines to write. Boards over Bluetooth are used only if a [[board]] names their address:\n\
            `touchmovectl bluetooth add` writes it. With one or more [[board]], those boards are served and no others.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "name",
        text("1 to 32 letters A–Z, digits or _", is_name),
        Some("\"board_1\""),
        "\"board_1\"",
        "The name of the board: in its object path, in the journal, on the command line. Each board needs its own, of 1 to 32\n\
         letters A–Z, digits or _. There is no default.\n\
         With model = \"dgt-bus\" it is the name of the line, and a board on it is named after it and its serial number, such as\n\
         board_1_00960, from the moment when it first answers.",
    ),
    key(
        "names",
        text("serial numbers from 1 to 16383 with a name for each, such as \"00960 = table_1, 01025 = table_2\"", |text| {
            parse_names(text).is_some()
        }),
        None,
        "\"00960 = table_1, 01025 = table_2\"",
        "With model = \"dgt-bus\": names for boards on the line, by their serial numbers.",
    ),
    key("model", Kind::Model, Some("\"dgt\""), "\"dgt\"", "The model of the board."),
    key(
        "port",
        text("the absolute path of a serial port", is_absolute),
        None,
        "\"/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A1B2C3-if00-port0\"",
        "Where the board is, in one of five ways: the device file or a link to it,",
    ),
    key(
        "usb",
        text("USB vendor and product id, four hexadecimal digits each, such as \"0403:6001\"", |text| {
            text.parse::<UsbIds>().is_ok()
        }),
        None,
        "\"0403:6001\"",
        "or any USB device with this vendor and product id,",
    ),
    key(
        "serial",
        text("the serial number of the USB device", |text| !text.is_empty() && is_line(text)),
        None,
        "\"A1B2C3\"",
        "or the USB device with this serial number, in any socket,",
    ),
    key(
        "usb_path",
        text("a USB socket such as \"1-2\" or \"1-2.3\"", is_usb_path),
        None,
        "\"1-2\"",
        "or any device in this USB socket,",
    ),
    key(
        "bluetooth",
        text("the address of a Bluetooth device, such as \"AA:BB:CC:DD:EE:FF\"", |text| {
            text.parse::<BluetoothAddress>().is_ok()
        }),
        None,
        "\"AA:BB:CC:DD:EE:FF\"",
        "or the Bluetooth device with this address, whatever its name is; `touchmovectl bluetooth scan` shows it.\n\
         With none of the five (one board only): the board of this model, recognised by its USB id.",
    ),
    key(
        "rotation",
        Kind::Word(&["auto", "upright", "turned"]),
        Some("\"auto\""),
        "\"auto\"",
        "The orientation of the board. `auto`: inferred from the position; `upright`: as its maker intended (DGT: the connector\n\
         is on White's left); `turned`: the other way round.",
    ),
    key(
        "clock_side",
        Kind::Word(&["auto", "upright", "turned"]),
        Some("\"auto\""),
        "\"auto\"",
        "The orientation of the clock. `auto`: inferred from the first presses; `upright`: its left half is White's when the\n\
         board is upright; `turned`: the other way round.",
    ),
    key(
        "lights",
        Kind::Word(&["off", "displaced", "moves"]),
        Some("\"off\""),
        "\"off\"",
        "What a board with lights shows to the players. `displaced`: the squares to correct; `moves`: also the last move, until\n\
         a piece is touched. Leave them `off` in rated games: nothing may be shown to the players there (Article 12.6).",
    ),
    key(
        "control_lines",
        Kind::Word(&["auto", "asserted", "cleared"]),
        Some("\"auto\""),
        "\"auto\"",
        "The modem control lines DTR and RTS. `auto`: `cleared` for a line of many boards (dgt-bus), otherwise `asserted`, as\n\
         boards on USB expect them; some on RS-232 need them `cleared`.",
    ),
    key(
        "start_fen",
        text("a FEN", is_line),
        None,
        "\"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"",
        "The position from which games on this board start, if it is not the usual one. FEN; Shredder-FEN for Chess960.",
    ),
];

fn is_usb_path(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte))
}

/// Parses bus addresses and names, such as `1 = name`; each may occur only once.
fn parse_names(text: &str) -> Option<BTreeMap<Address, String>> {
    let mut names = BTreeMap::new();
    for pair in text.split(',') {
        let (number, name) = pair.split_once('=')?;
        let address = number.trim().parse().ok().filter(|address| (1..=0x3fff).contains(address))?;
        let name = Some(name.trim()).filter(|name| is_name(name) && !names.values().any(|other| other == name))?;
        if names.insert(Address(address), name.to_owned()).is_some() {
            return None;
        }
    }
    Some(names)
}

/// Returns the boards, in the order of the file.
pub(super) fn read(root: &DeTable<'_>, chess960: bool, problems: &mut Problems) -> Vec<BoardConfig> {
    let Some(value) = root.get("board") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        problems.add(&value.span(), "boards are a list: write [[board]] with two brackets, also for a single one");
        return Vec::new();
    };
    let mut boards: Vec<ParsedBoard> = Vec::new();
    for entry in list.iter() {
        let Some(entries) = entry.get_ref().as_table() else {
            problems.add(&entry.span(), "a board is a table: write [[board]] and its keys below");
            continue;
        };
        let read = read_board(read_values(&TABLE, entries, entry.span(), problems), chess960);
        let ParsedBoard { board, span, .. } = &read;
        for ParsedBoard { board: other, span: other_span, has_valid_place: other_has_valid_place } in &boards {
            let line = problems.line(other_span.start);
            if other.name == board.name && !board.name.is_empty() {
                problems.add(
                    span,
                    format!("two boards are named {}, the other on line {line}: give each its own name", board.name),
                );
            }
            let all = |board: &BoardConfig| board.names.values().chain([&board.name]).cloned().collect::<Vec<_>>();
            let (names, other_names) = (all(board), all(other));
            if let Some(name) = names.iter().find(|name| other_names.contains(name)).filter(|_| other.name != board.name) {
                problems.add(span, format!("two boards are named {name}, the other on line {line}: give each its own name"));
            }
            if other.place == board.place && *other_has_valid_place && read.has_valid_place {
                let message = match &board.place {
                    BoardLocation::AnyOfModel(_) => format!(
                        "boards {} and {} (line {line}) cannot be distinguished: give each its port, usb, serial, usb_path or bluetooth",
                        board.name, other.name
                    ),
                    BoardLocation::Ids(ids) => format!(
                        "two boards use any USB device {ids}, the other on line {line}: distinguish them by serial, usb_path or port"
                    ),
                    place => format!("two boards are at {place}, the other on line {line}: give each its own"),
                };
                problems.add(span, message);
            }
        }
        boards.push(read);
    }
    boards.into_iter().map(|read| read.board).collect()
}

/// A board as read from the file.
struct ParsedBoard {
    board: BoardConfig,
    /// The range to which problems with the board as a whole refer.
    span: Range<usize>,
    /// Whether the keys that give its place were all valid.
    has_valid_place: bool,
}

fn read_board(values: Values<'_>, chess960: bool) -> ParsedBoard {
    let name = values.given_text("name");
    let span = values.span_of("name").unwrap_or(values.span.clone());
    if name.is_none() && !values.refused.contains(&"name") {
        values.problems.add(&span, "this board has no name: write name = \"board_1\", or another name");
    }
    let model = boards::model(&values.text("model")).unwrap_or(&boards::dgt::MODEL);
    let places: Vec<(&str, BoardLocation, Range<usize>)> = [
        ("port", values.given_text("port").map(|path| BoardLocation::Port(path.into()))),
        ("usb", values.given_text("usb").and_then(|ids| ids.parse().ok()).map(BoardLocation::Ids)),
        ("serial", values.given_text("serial").map(BoardLocation::Serial)),
        ("usb_path", values.given_text("usb_path").map(BoardLocation::UsbPath)),
        ("bluetooth", values.given_text("bluetooth").and_then(|address| address.parse().ok()).map(BoardLocation::Bluetooth)),
    ]
    .into_iter()
    .filter_map(|(key, place)| Some((key, place?, values.span_of(key)?)))
    .collect();
    if let [(first, ..), (second, _, span), ..] = places.as_slice() {
        values.problems.add(span, format!("{first} and {second} both say where this board is: keep one of them"));
    }
    if let Some(at) = values.span_of("bluetooth").filter(|_| model.bluetooth().is_none()) {
        let known: Vec<String> = boards::bluetooth_models().map(|model| format!("{:?}", model.name)).collect();
        values.problems.add(
            &at,
            format!(
                "it is not known how a {} is used over Bluetooth: write model = {}, or a port",
                model.title,
                known.join(" or ")
            ),
        );
    }
    let gives_address = places.iter().any(|(key, ..)| *key == "bluetooth") || values.refused.contains(&"bluetooth");
    if matches!(model.connection, Connection::Bluetooth(_)) && !gives_address {
        let at = places.first().map_or(&span, |(_, _, at)| at);
        values.problems.add(
            at,
            format!(
                "a {} has no cable: write bluetooth = {}; `touchmovectl bluetooth scan` shows the address",
                model.title,
                TABLE.key("bluetooth").example
            ),
        );
    }
    let start_fen = values.given_text("start_fen");
    if let (Some(fen), Some(at)) = (&start_fen, values.span_of("start_fen"))
        && let Err(error) = Position::from_fen(fen, chess960)
    {
        values
            .problems
            .add(&at, format!("start_fen is not a position ({error}): write a FEN such as {}", TABLE.key("start_fen").example));
    }
    let names = values.given_text("names").as_deref().and_then(parse_names).unwrap_or_default();
    if let Some(at) = values.span_of("names").filter(|_| !(model.protocol)().is_chain()) {
        values.problems.add(&at, format!("a {} is a single board: write name, and omit names", model.title));
    }
    let lights = match values.text("lights").as_str() {
        "displaced" => LightsMode::Displaced,
        "moves" => LightsMode::Moves,
        _ => LightsMode::Off,
    };
    if let Some(at) = values.span_of("lights").filter(|_| lights != LightsMode::Off && model.lights == Lights::None) {
        values.problems.add(&at, format!("a {} has no lights that can be switched: omit lights", model.title));
    }
    let side = |key: &str| match values.text(key).as_str() {
        "upright" => Some(Rotation::Upright),
        "turned" => Some(Rotation::Turned),
        _ => None,
    };
    let board = BoardConfig {
        name: name.unwrap_or_default(),
        names,
        model,
        place: places.into_iter().next().map_or(BoardLocation::AnyOfModel(model), |(_, place, _)| place),
        control: match values.text("control_lines").as_str() {
            "asserted" => ControlLines::Asserted,
            "cleared" => ControlLines::Cleared,
            _ => model.connection.control_lines(),
        },
        rotation: side("rotation"),
        clock_side: side("clock_side"),
        lights,
        start_fen,
    };
    let has_valid_place = !values.refused.iter().any(|key| ["port", "usb", "serial", "usb_path", "bluetooth"].contains(key));
    ParsedBoard { board, span, has_valid_place }
}
