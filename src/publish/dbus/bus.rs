//! Selects a D-Bus bus, and the state of a name on it.

use std::fmt;
use std::str::FromStr;
use zbus::connection;

/// A D-Bus bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bus {
    /// The session bus of the user.
    Session,
    /// The system bus.
    System,
    /// The bus at this address, e.g. `unix:path=/run/bus`.
    Address(String),
}

impl Default for Bus {
    /// Returns the bus on which touchmoved itself appears: the session bus where there is one, else the system bus.
    fn default() -> Bus {
        if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() { Bus::Session } else { Bus::System }
    }
}

impl Bus {
    /// Returns the buses on which touchmoved may run, in search order: the session bus, if there is one, for a daemon started by
    /// the user; then the system bus, for the system service.
    pub fn search_order() -> Vec<Bus> {
        match Bus::default() {
            Bus::Session => vec![Bus::Session, Bus::System],
            only => vec![only],
        }
    }

    /// Returns the bus as an argument of `--bus`.
    pub fn as_argument(&self) -> &str {
        match self {
            Bus::Session => "session",
            Bus::System => "system",
            Bus::Address(address) => address,
        }
    }

    pub(in crate::publish) fn builder(&self) -> connection::Builder<'static> {
        match self {
            Bus::Session => connection::Builder::session(),
            Bus::System => connection::Builder::system(),
            Bus::Address(address) => connection::Builder::address(address.clone().as_str()),
        }
    }
}

impl fmt::Display for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bus::Session => f.write_str("the session bus"),
            Bus::System => f.write_str("the system bus"),
            Bus::Address(address) => write!(f, "the bus at {address}"),
        }
    }
}

impl FromStr for Bus {
    type Err = NoSuchBus;

    /// Parses `session`, `system`, or an address: a transport, a colon, and its keys (D-Bus specification, Server Addresses).
    /// Whether a bus listens there is known only when connecting.
    fn from_str(text: &str) -> Result<Bus, NoSuchBus> {
        match text {
            "session" => Ok(Bus::Session),
            "system" => Ok(Bus::System),
            address if is_address(address) => Ok(Bus::Address(address.to_owned())),
            _ => Err(NoSuchBus(text.to_owned())),
        }
    }
}

/// Returns whether the text looks like a bus address, such as `unix:path=/run/bus`.
fn is_address(text: &str) -> bool {
    text.split_once(':').is_some_and(|(transport, keys)| !transport.is_empty() && (keys.is_empty() || keys.contains('=')))
}

/// The text does not name a bus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no bus {0:?}: write session, system, or an address such as unix:path=/run/bus")]
pub struct NoSuchBus(String);

/// The state of our name on the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameState {
    /// Not tried yet.
    NotTried,
    /// The name is owned by us.
    Owned,
    /// The name is not owned by us, for this reason.
    NotOwned(String),
}
