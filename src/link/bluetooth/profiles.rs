//! How each model of board is reached over Bluetooth: one table, which has nothing but data.

use crate::boards::Model;
use std::time::Duration;

/// How a model is reached over Bluetooth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Name of the model, see [`Model::name`].
    pub model: &'static str,
    /// How the names begin that such boards advertise. Names can be changed, and are only a hint.
    pub names: &'static [&'static str],
    /// The way of the bytes.
    pub transport: Transport,
}

/// The way of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Characteristics of Bluetooth Low Energy.
    Gatt(Gatt),
    /// The serial port of classic Bluetooth: a stream of bytes.
    Rfcomm,
}

/// The characteristics of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gatt {
    /// The characteristics that the board sends on.
    pub notify: &'static [Channel],
    /// The characteristic that it receives on.
    pub write: Channel,
    /// Minimum time between two writes.
    pub write_interval: Duration,
    /// Whether messages are cut into several packets.
    pub framing: Framing,
}

/// A characteristic, with its service: UUIDs in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// UUID of the service.
    pub service: &'static str,
    /// UUID of the characteristic.
    pub characteristic: &'static str,
}

/// How a board's messages and its packets relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A stream: messages are cut anywhere, and any MTU will do.
    Stream,
    /// A packet holds whole messages. With a smaller MTU than this, the board could not send its longest one.
    Whole {
        /// The smallest MTU: the longest message and three bytes.
        min_mtu: u16,
    },
}

/// UUID of the Nordic UART service, which boards of several makers share: it does not tell which board it is.
pub const NORDIC_UART: &str = "6e400001-b5a3-f393-e0a9-e50e24dcca9e";
/// UUID of the serial port of classic Bluetooth.
pub const SERIAL_PORT: &str = "00001101-0000-1000-8000-00805f9b34fb";

const NORDIC_UART_GATT: Gatt = Gatt {
    notify: &[Channel { service: NORDIC_UART, characteristic: "6e400003-b5a3-f393-e0a9-e50e24dcca9e" }],
    write: Channel { service: NORDIC_UART, characteristic: "6e400002-b5a3-f393-e0a9-e50e24dcca9e" },
    write_interval: Duration::ZERO,
    framing: Framing::Stream,
};

/// The table of profiles.
pub static PROFILES: &[Profile] = &[
    Profile {
        model: "chessnut",
        names: &["Chessnut"],
        transport: Transport::Gatt(Gatt {
            notify: &[
                // Squares, then replies.
                Channel {
                    service: "1b7e8261-2877-41c3-b46e-cf057c562023",
                    characteristic: "1b7e8262-2877-41c3-b46e-cf057c562023",
                },
                Channel {
                    service: "1b7e8271-2877-41c3-b46e-cf057c562023",
                    characteristic: "1b7e8273-2877-41c3-b46e-cf057c562023",
                },
            ],
            write: Channel {
                service: "1b7e8271-2877-41c3-b46e-cf057c562023",
                characteristic: "1b7e8272-2877-41c3-b46e-cf057c562023",
            },
            write_interval: Duration::ZERO,
            // 38 bytes of a board report.
            framing: Framing::Whole { min_mtu: 41 },
        }),
    },
    Profile { model: "ichessone", names: &["iChessOne"], transport: Transport::Gatt(NORDIC_UART_GATT) },
    Profile { model: "dgt", names: &["DGT_BT_", "PCS-REVII"], transport: Transport::Rfcomm },
    Profile { model: "millennium", names: &["MILLENNIUM CHESS"], transport: Transport::Rfcomm },
];

/// Returns the profile of a model; `None` if it has no Bluetooth, or it is not known how it is used.
pub fn of(model: &Model) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.model == model.name)
}

impl Profile {
    /// Returns the services that boards of this model advertise and that other devices do not.
    pub fn own_services(&self) -> Vec<&'static str> {
        match self.transport {
            Transport::Gatt(gatt) => {
                let all = gatt.notify.iter().chain([&gatt.write]).map(|channel| channel.service);
                all.filter(|service| *service != NORDIC_UART).collect()
            }
            Transport::Rfcomm => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards;

    #[test]
    fn every_profile_is_of_a_model() {
        for profile in PROFILES {
            assert!(boards::model(profile.model).is_some(), "{}", profile.model);
            assert!(PROFILES.iter().filter(|other| other.model == profile.model).count() == 1, "{}", profile.model);
        }
    }

    #[test]
    fn uuids_are_in_the_form_in_which_they_are_compared() {
        let gatts = PROFILES.iter().filter_map(|profile| match profile.transport {
            Transport::Gatt(gatt) => Some(gatt),
            Transport::Rfcomm => None,
        });
        for channel in gatts.flat_map(|gatt| gatt.notify.iter().chain([&gatt.write]).copied().collect::<Vec<_>>()) {
            for uuid in [channel.service, channel.characteristic] {
                let is_uuid = uuid.len() == 36 && uuid.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'));
                assert!(is_uuid, "{uuid}");
            }
        }
    }
}
