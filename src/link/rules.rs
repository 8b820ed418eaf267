//! udev rules generated from the table of boards: `udev/70-touchmove.rules`.
//!
//! A device with a board's own USB id is assigned to touchmove: its group may open it, it gets a permanent name, it starts the
//! service, and ModemManager ignores it. Devices with generic ids, which are also used in other adapters, are only tagged. A line
//! in a local rules file that is read earlier, see [`local_line`], assigns one of them to touchmove as if its id were a board's
//! own.

use super::watch::{Device, UsbIds};
use crate::boards::{BOARDS, Connection, Model, UsbId};
use std::collections::BTreeMap;

/// Property with the name ([`Model::name`]) of the board that a device is.
pub const ASSIGNED_PROPERTY: &str = "TOUCHMOVE_BOARD";
/// Property with the names of the boards that a device with a generic id may be.
pub const CANDIDATES_PROPERTY: &str = "TOUCHMOVE_PERHAPS";
/// Path of local rules, which are read before those of touchmove.
pub const LOCAL_FILE: &str = "/etc/udev/rules.d/69-touchmove-local.rules";
/// Group that owns the boards' device nodes.
pub const GROUP: &str = "touchmove";
/// User of the service (config/packaging/sysusers.d).
pub const USER: &str = "touchmove";

const HEAD: &str = r#"# Chessboards that touchmove reads. Generated from its table of boards by `UPDATE=1 cargo test rules`: do not edit.
#
# Devices with a generic id (TOUCHMOVE_PERHAPS) may also be adapters that are not boards. To assign one to touchmove, say which board
# it is in a file that is read before this one, such as /etc/udev/rules.d/69-touchmove-local.rules; `touchmovectl doctor` shows the line:
#   SUBSYSTEM=="tty", ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001", ATTRS{serial}=="A1B2C3", ENV{TOUCHMOVE_BOARD}="dgt"

ACTION=="remove", GOTO="touchmove_end"
SUBSYSTEM!="tty", SUBSYSTEM!="usb", GOTO="touchmove_end"
SUBSYSTEM=="usb", ENV{DEVTYPE}!="usb_device", GOTO="touchmove_end"
"#;

const TAIL: &str = r#"
# The properties of every board.
ENV{TOUCHMOVE_BOARD}!="?*", GOTO="touchmove_end"
# A permanent name: by the serial number, otherwise by the socket. Hubs have serial numbers, too: the board is the nearest device with ids.
SUBSYSTEM=="usb", ENV{TOUCHMOVE_PLACE}="usb_$kernel", ENV{TOUCHMOVE_SERIAL}="$attr{serial}"
SUBSYSTEM=="tty", SUBSYSTEMS=="usb", ATTRS{idVendor}=="?*", ENV{TOUCHMOVE_PLACE}="usb_$id", ENV{TOUCHMOVE_SERIAL}="$attr{serial}"
ENV{TOUCHMOVE_SERIAL}=="?*", ENV{TOUCHMOVE_PLACE}="$env{TOUCHMOVE_SERIAL}"
ENV{TOUCHMOVE_PLACE}!="?*", ENV{TOUCHMOVE_PLACE}="$kernel"
GROUP="touchmove", MODE="0660", TAG+="touchmove", TAG+="systemd", ENV{SYSTEMD_WANTS}+="touchmoved.service"
ENV{ID_MM_DEVICE_IGNORE}="1", ENV{ID_MM_PORT_IGNORE}="1"
SYMLINK+="touchmove/$env{TOUCHMOVE_BOARD}_$env{TOUCHMOVE_PLACE}"

LABEL="touchmove_end"
"#;

/// Returns the rules for all boards.
pub fn rules() -> String {
    let mut rules = HEAD.to_owned();
    for model in BOARDS {
        rules += &format!("\n# {}\n", model.title);
        for id in model.usb.iter().filter(|id| !id.generic) {
            rules += &own_id_rules(model, id);
        }
    }
    // Several boards contain the same chips.
    let mut generic: BTreeMap<(u16, u16), (&UsbId, Vec<&str>)> = BTreeMap::new();
    for (model, id) in BOARDS.iter().flat_map(|model| model.usb.iter().map(move |id| (model, id))).filter(|(_, id)| id.generic)
    {
        generic.entry((id.vendor, *id.products.start())).or_insert((id, Vec::new())).1.push(model.name);
    }
    rules += "\n# Chips that many other devices contain, too.\n";
    for (id, names) in generic.values() {
        rules += &format!(
            "SUBSYSTEM==\"tty\", {}, TAG+=\"touchmove\", ENV{{{CANDIDATES_PROPERTY}}}=\"{}\"\n",
            parent_match(id),
            names.join(" ")
        );
    }
    rules + TAIL
}

/// Returns the rules for a board's own USB id.
fn own_id_rules(model: &Model, id: &UsbId) -> String {
    let device = parent_match(id).replace("ATTRS", "ATTR");
    match model.connection {
        Connection::Serial(_) => {
            let tty_rule = format!("SUBSYSTEM==\"tty\", {}, ENV{{{ASSIGNED_PROPERTY}}}=\"{}\"\n", parent_match(id), model.name);
            // ModemManager checks the USB device for whether to ignore its ports.
            let usb_rule = format!("SUBSYSTEM==\"usb\", {device}, ENV{{ID_MM_DEVICE_IGNORE}}=\"1\"\n");
            tty_rule + &usb_rule
        }
        // A matrix is not a device of its own.
        Connection::Matrix | Connection::Bluetooth(_) => String::new(),
        Connection::Usb(_) => {
            format!("SUBSYSTEM==\"usb\", {device}, ENV{{{ASSIGNED_PROPERTY}}}=\"{}\"\n", model.name)
        }
    }
}

/// Returns a match for devices below one with these ids.
fn parent_match(id: &UsbId) -> String {
    format!("ATTRS{{idVendor}}==\"{:04x}\", ATTRS{{idProduct}}==\"{}\"", id.vendor, product_match(id))
}

/// Returns a match for the products, as udev matches text: one product, or a pattern if the range consists of whole hexadecimal
/// digits, else all products.
fn product_match(id: &UsbId) -> String {
    let (first, last) = (format!("{:04x}", id.products.start()), format!("{:04x}", id.products.end()));
    let common_length = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
    let (Some(common), Some(from), Some(to)) =
        (first.get(..common_length), first.get(common_length..), last.get(common_length..))
    else {
        return first;
    };
    let rest = from.len().saturating_sub(1);
    match (from.chars().next(), to.chars().next()) {
        (Some(low), Some(high)) if from.ends_with(&"0".repeat(rest)) && to.ends_with(&"f".repeat(rest)) => {
            // A character class is ordered by character codes, in which letters do not directly follow digits.
            let class = if high.is_ascii_digit() || !low.is_ascii_digit() {
                format!("[{low}-{high}]")
            } else {
                format!("[{low}-9a-{high}]")
            };
            format!("{common}{class}{}", "?".repeat(rest))
        }
        (None, _) => first,
        _ => id.products.clone().map(|product| format!("{product:04x}")).collect::<Vec<_>>().join("|"),
    }
}

/// Returns the rule that assigns a serial port with a generic id to touchmove as this board: by serial number if the device has
/// one, else by socket, for any device there. `None` if the port is not on USB.
pub fn local_line(device: &Device, model: &Model) -> Option<String> {
    let UsbIds { vendor, product } = device.ids?;
    let device_match = match (&device.serial, &device.usb_path) {
        (Some(serial), _) => format!("ATTRS{{serial}}==\"{serial}\", "),
        (None, Some(socket)) => format!("KERNELS==\"{socket}\", "),
        (None, None) => String::new(),
    };
    let ids = format!("ATTRS{{idVendor}}==\"{vendor:04x}\", ATTRS{{idProduct}}==\"{product:04x}\"");
    Some(format!("SUBSYSTEM==\"tty\", {ids}, {device_match}ENV{{{ASSIGNED_PROPERTY}}}=\"{}\"", model.name))
}

#[cfg(test)]
mod tests {
    use super::product_match;
    use crate::boards::UsbId;

    #[test]
    fn ranges_of_products() {
        for (first, last, expect) in [
            (0x8111, 0x8111, "8111"),
            (0x8000, 0x86ff, "8[0-6]??"),
            (0x8000, 0xbfff, "[8-9a-b]???"),
            (0x00a0, 0x00bf, "00[a-b]?"),
            (0x0001, 0x0003, "000[1-3]"),
            (0x0009, 0x0010, "0009|000a|000b|000c|000d|000e|000f|0010"),
        ] {
            assert_eq!(product_match(&UsbId::boards(1, first, last)), expect);
        }
    }
}
