//! Why a board cannot be reached over Bluetooth, in words that say what to do.

use super::Address;

/// The reason why a board cannot be reached over Bluetooth. Each message says what is the matter, and after a colon what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The system bus cannot be reached.
    #[error("the system bus cannot be reached ({0}): check that dbus-daemon or dbus-broker runs")]
    NoBus(String),
    /// BlueZ is not on the bus.
    #[error("bluetoothd does not run: install bluez, and run `sudo systemctl enable --now bluetooth`")]
    NoDaemon,
    /// BlueZ is on the bus, and does not answer.
    #[error("bluetoothd does not answer: run `sudo systemctl restart bluetooth`")]
    NoAnswer,
    /// The bus policy, or BlueZ, forbids it to this user.
    #[error(
        "this user may not use Bluetooth: install touchmove-bluetooth.conf of touchmove in /usr/share/dbus-1/system.d for the \
         service, or join group bluetooth"
    )]
    Denied,
    /// There is no adapter.
    #[error("this machine has no Bluetooth adapter: plug one in, or enable the one that is built in")]
    NoAdapter,
    /// The adapter is off.
    #[error("the Bluetooth adapter {0} is off: run `bluetoothctl power on`")]
    AdapterOff(String),
    /// The adapter holds as many connections as it can.
    #[error("the Bluetooth adapter {0} holds no more connections: use another adapter for some of the boards")]
    AdapterFull(String),
    /// rfkill blocks the adapter.
    #[error("Bluetooth is blocked (rfkill): run `sudo rfkill unblock bluetooth`, or move the radio switch of this machine")]
    Blocked,
    /// The device does not answer.
    #[error(
        "{0} is not in range: switch the board on and bring it nearer; it cannot be seen either while a telephone or another \
         computer is connected to it"
    )]
    OutOfRange(Address),
    /// The device does not answer, and was received weakly.
    #[error("{address} is received too weakly to be connected ({rssi} dBm): bring it nearer, or move the adapter")]
    Weak {
        /// The device.
        address: Address,
        /// How strongly it was received, in dBm.
        rssi: i16,
    },
    /// The device was connected, and is no longer.
    #[error("the connection to {0} was lost: switch the board on, bring it nearer, or charge it")]
    Lost(Address),
    /// BlueZ was told to refuse this device.
    #[error("{0} is blocked on this machine: run `bluetoothctl unblock {0}`")]
    DeviceBlocked(Address),
    /// The board sends nothing to computers that it does not know.
    #[error("{0} must be paired with this machine: run `bluetoothctl pair {0}` while the board is on")]
    NotPaired(Address),
    /// Another program of this machine holds the board.
    #[error("{0} is in use by another program of this machine: close that program")]
    InUse(Address),
    /// The device lacks what boards of the model have.
    #[error("{address} has no {missing}: it is not a {title}, or a newer version; see `touchmovectl bluetooth scan`")]
    OtherDevice {
        /// The device.
        address: Address,
        /// The title of the model.
        title: &'static str,
        /// What was not found: a service or a characteristic.
        missing: String,
    },
    /// The packets are too small for the messages of the board.
    #[error(
        "{address} sends messages of {needed} bytes, but its connection carries {carried} at a time: remove ExchangeMTU from \
         /etc/bluetooth/main.conf and run `sudo systemctl restart bluetooth`"
    )]
    SmallMtu {
        /// The device.
        address: Address,
        /// The length of the longest message.
        needed: u16,
        /// The largest packet.
        carried: u16,
    },
    /// Boards of the model are not known to have Bluetooth.
    #[error("it is not known how a {0} is used over Bluetooth: give its port")]
    NoProfile(&'static str),
    /// Anything else, in the words of BlueZ.
    #[error("{address} cannot be used over Bluetooth ({reason}): switch the board off and on")]
    Failed {
        /// The device.
        address: Address,
        /// The message of BlueZ.
        reason: String,
    },
}

impl Unavailable {
    /// Returns whether only the board is missing, as if its cable were unplugged.
    pub fn is_absence(&self) -> bool {
        matches!(self, Unavailable::OutOfRange(_) | Unavailable::Weak { .. } | Unavailable::Lost(_))
    }
}
