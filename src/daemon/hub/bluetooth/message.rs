//! The messages of the search for boards over Bluetooth. What a user types is an argument: it is the same in every language.

use super::{BluetoothError, Confidence};
use crate::boards::Model;
use crate::boards::bluetooth::NamePattern;
use crate::game::Text;
use crate::link::bluetooth::{Evidence, HandshakeError, Unavailable};

fn text(name: &str) -> Text {
    Text::new(&format!("bluetooth-{name}"))
}

/// Returns a command as it is shown in a sentence.
fn command(line: impl std::fmt::Display) -> String {
    format!("`{line}`")
}

/// Joins the titles of models.
fn titles(models: &[&'static Model]) -> String {
    models.iter().map(|model| model.title).collect::<Vec<_>>().join(" / ")
}

/// Returns why nothing can be received, or a device cannot be reached. In English it is what [`Unavailable`] displays.
pub fn unavailable_text(reason: &Unavailable) -> Text {
    match reason {
        Unavailable::NoBus(error) => text("no_bus").with("error", error.clone()),
        Unavailable::NoDaemon => text("no_daemon")
            .with("package", "bluez".to_owned())
            .with("command", command("sudo systemctl enable --now bluetooth")),
        Unavailable::NoAnswer => text("no_answer").with("command", command("sudo systemctl restart bluetooth")),
        Unavailable::Denied => text("denied")
            .with("file", "touchmove-bluetooth.conf".to_owned())
            .with("directory", "/usr/share/dbus-1/system.d".to_owned())
            .with("group", "bluetooth".to_owned()),
        Unavailable::NoAdapter => text("no_adapter"),
        Unavailable::AdapterOff(adapter) => {
            text("adapter_off").with("adapter", adapter.clone()).with("command", command("bluetoothctl power on"))
        }
        Unavailable::AdapterFull(adapter) => text("adapter_full").with("adapter", adapter.clone()),
        Unavailable::Blocked => text("blocked").with("command", command("sudo rfkill unblock bluetooth")),
        Unavailable::OutOfRange(address) => text("out_of_range").with("address", address.to_string()),
        Unavailable::Weak { address, rssi } => {
            text("weak").with("address", address.to_string()).with("strength", format!("{rssi} dBm"))
        }
        Unavailable::Lost(address) => text("lost").with("address", address.to_string()),
        Unavailable::DeviceBlocked(address) => text("device_blocked")
            .with("address", address.to_string())
            .with("command", command(format!("bluetoothctl unblock {address}"))),
        Unavailable::NotPaired(address) => text("not_paired")
            .with("address", address.to_string())
            .with("command", command(format!("bluetoothctl pair {address}"))),
        Unavailable::InUse(address) => text("in_use").with("address", address.to_string()),
        Unavailable::OtherDevice { address, title, missing } => text("other_device")
            .with("address", address.to_string())
            .with("missing", missing.clone())
            .with("title", (*title).to_owned())
            .with("command", command("touchmovectl bluetooth scan")),
        Unavailable::SmallMtu { address, needed, carried } => text("small_mtu")
            .with("address", address.to_string())
            .with("needed", needed.to_string())
            .with("carried", carried.to_string())
            .with("key", "ExchangeMTU".to_owned())
            .with("file", "/etc/bluetooth/main.conf".to_owned())
            .with("command", command("sudo systemctl restart bluetooth")),
        Unavailable::NoProfile(title) => text("no_profile").with("title", (*title).to_owned()),
        Unavailable::Failed { address, reason } => {
            text("failed").with("address", address.to_string()).with("reason", reason.clone())
        }
    }
}

/// Returns which board a device may be.
pub fn candidate_text(models: &[&'static Model], confidence: Confidence) -> Text {
    if models.is_empty() {
        return text("candidate_any");
    }
    let name = match confidence {
        Confidence::Possible => "candidate_possible",
        Confidence::Probable => "candidate_probable",
        Confidence::Certain => "candidate_certain",
    };
    text(name).with("models", titles(models))
}

/// Returns what a guess rests on.
pub fn evidence_text(evidence: Evidence) -> Text {
    match evidence {
        Evidence::OwnService(service) => text("evidence_service").with("service", service.to_owned()),
        Evidence::Name(NamePattern::Exact(name)) => text("evidence_name").with("name", format!("{name:?}")),
        Evidence::Name(NamePattern::Prefix(begin)) => text("evidence_name_begin").with("begin", format!("{begin:?}")),
        Evidence::SharedService => text("evidence_shared_service").with("service", "Nordic UART".to_owned()),
    }
}

/// Returns what came of asking a device that may be one of the models `asked`: it answers like `confirmed`.
pub fn identification_text(asked: &[&'static Model], confirmed: &[&'static Model]) -> Text {
    match confirmed {
        [] => text("identified_not").with("models", titles(asked)),
        [model] => text("identified").with("model", model.title.to_owned()),
        several => text("identified_several").with("models", titles(several)),
    }
}

/// Returns why a device did not answer.
pub fn handshake_error_text(error: &HandshakeError) -> Text {
    match error {
        HandshakeError::Unavailable(reason) => unavailable_text(reason),
        HandshakeError::Line(error) => text("line_failed").with("error", error.clone()),
    }
}

impl BluetoothError {
    /// Returns the message.
    pub fn text(&self) -> Text {
        match self {
            BluetoothError::Unavailable(reason) => unavailable_text(reason),
            BluetoothError::BadAddress(address) => {
                text("bad_address").with("text", address.clone()).with("example", "AA:BB:CC:DD:EE:FF".to_owned())
            }
            BluetoothError::NotSeen(address) => text("not_seen").with("address", address.to_string()),
            BluetoothError::Configured(address, board) => {
                text("configured").with("address", address.to_string()).with("board", board.to_string())
            }
            BluetoothError::NoCandidate(address) => text("no_candidate").with("address", address.to_string()),
            BluetoothError::NotNeeded(address) => text("not_needed").with("address", address.to_string()),
            BluetoothError::NoHandshake(address, models) => {
                text("no_handshake").with("address", address.to_string()).with("models", titles(models))
            }
            BluetoothError::Identifying(address) => text("identifying").with("address", address.to_string()),
            BluetoothError::Stopping => Text::new("order-stopping"),
        }
    }
}
