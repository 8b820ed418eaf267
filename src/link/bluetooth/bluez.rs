//! Calls of BlueZ, and what its errors mean.

use super::objects::Objects;
use super::{Address, Unavailable, rfkill};
use std::collections::HashMap;
use std::time::Duration;
use zbus::fdo::ManagedObjects;
use zbus::{Connection, DBusError, Message, OwnedVariant, Variant};

/// Bus name of BlueZ.
pub(super) const BLUEZ: &str = "org.bluez";
pub(super) const ADAPTER: &str = "org.bluez.Adapter1";
pub(super) const DEVICE: &str = "org.bluez.Device1";
pub(super) const SERVICE: &str = "org.bluez.GattService1";
pub(super) const CHARACTERISTIC: &str = "org.bluez.GattCharacteristic1";
pub(super) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
pub(super) const OBJECT_MANAGER: &str = "org.freedesktop.DBus.ObjectManager";

/// Timeout of calls that need no radio.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// What BlueZ says when the controller refuses another connection, in lower case: "connection limit exceeded" (HCI error 09) for Low
/// Energy and for classic Bluetooth, in the words of its older versions, too; and "limited resources" (0d) for Low Energy. There it is
/// the controller of this machine that refuses, but for classic Bluetooth it may be the board.
const FULL: [&str; 3] = ["-connection-concurrent-connection-limit", "too many links", "le-connection-refused"];

/// Options of a call: a dictionary.
pub(super) type Options<'a> = HashMap<&'a str, Variant<'a>>;

/// BlueZ on a connection to the bus.
#[derive(Clone, Debug)]
pub struct Bluez {
    pub(super) connection: Connection,
}

/// What an error of BlueZ means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallError {
    /// BlueZ is not on the bus, and the bus cannot start it.
    NoDaemon,
    /// The policy of the bus forbids the call.
    Denied,
    /// The adapter is off.
    NotReady,
    /// The object or the property does not exist.
    NoSuchObject,
    /// BlueZ does not offer this for the object.
    NotSupported,
    /// Somebody else is doing it.
    InProgress,
    /// Somebody else has it.
    NotPermitted,
    /// The device wants to be paired.
    NotPaired,
    /// It was there already.
    AlreadyExists,
    /// The adapter holds as many connections as it can.
    Full,
    /// No reply in time.
    TimedOut,
    /// Anything else, in the words of BlueZ.
    Failed(String),
}

impl CallError {
    /// Returns why a board cannot be reached.
    pub(super) fn into_unavailable(self, address: Address) -> Unavailable {
        let failed = |reason: &str| Unavailable::Failed { address, reason: reason.to_owned() };
        match self {
            CallError::NoDaemon => Unavailable::NoDaemon,
            CallError::Denied => Unavailable::Denied,
            CallError::NotReady => Unavailable::AdapterOff("of this machine".to_owned()),
            CallError::Full => Unavailable::AdapterFull("of this machine".to_owned()),
            CallError::NoSuchObject => Unavailable::OutOfRange(address),
            CallError::NotPermitted | CallError::InProgress => Unavailable::InUse(address),
            CallError::NotPaired => Unavailable::NotPaired(address),
            CallError::TimedOut => failed("no reply in time"),
            CallError::NotSupported => failed("not supported"),
            CallError::AlreadyExists => failed("already exists"),
            CallError::Failed(reason) => failed(&reason),
        }
    }
}

/// Returns what an error of this name with this text means.
fn meaning(name: &str, text: &str) -> CallError {
    let freedesktop = name.strip_prefix("org.freedesktop.DBus.Error.");
    let text_has = |part: &str| text.to_lowercase().contains(part);
    match freedesktop.or_else(|| name.strip_prefix("org.bluez.Error.")).unwrap_or(name) {
        "ServiceUnknown" | "NameHasNoOwner" | "Disconnected" => CallError::NoDaemon,
        spawn if spawn.starts_with("Spawn") => CallError::NoDaemon,
        // Of BlueZ itself; or of systemd, which was to start it.
        "org.freedesktop.systemd1.NoSuchUnit" | "org.freedesktop.systemd1.UnitMasked" => CallError::NoDaemon,
        "AccessDenied" => CallError::Denied,
        "NotReady" => CallError::NotReady,
        "UnknownObject" | "UnknownInterface" | "DoesNotExist" | "InvalidArgs" => CallError::NoSuchObject,
        // An object without the interface, which has just gone, has no such method either.
        "UnknownMethod" if text_has("object") || text_has("interface") => CallError::NoSuchObject,
        "UnknownMethod" | "NotSupported" | "NotAvailable" => CallError::NotSupported,
        "InProgress" => CallError::InProgress,
        "AlreadyExists" => CallError::AlreadyExists,
        // In the words of both buses: it has left the bus without a reply.
        "NoReply" if text_has("disconnected") => CallError::NoDaemon,
        "NoReply" | "Timeout" | "TimedOut" => CallError::TimedOut,
        "AuthenticationFailed" | "AuthenticationCanceled" | "AuthenticationRejected" | "NotAuthorized" => CallError::NotPaired,
        _ if text_has("authentic") || text_has("encrypt") || text_has("not paired") => CallError::NotPaired,
        "NotPermitted" => CallError::NotPermitted,
        _ if FULL.iter().any(|part| text_has(part)) => CallError::Full,
        _ => CallError::Failed(if text.is_empty() { name.to_owned() } else { text.to_owned() }),
    }
}

impl From<zbus::Error> for CallError {
    fn from(error: zbus::Error) -> CallError {
        match error {
            zbus::Error::MethodError(name, text, _) => meaning(name.as_str(), text.as_deref().unwrap_or_default()),
            zbus::Error::FDO(error) => meaning(error.name().as_str(), error.description().unwrap_or_default()),
            // The connection to the bus has ended, and BlueZ with it.
            zbus::Error::InputOutput(_) => CallError::NoDaemon,
            other => CallError::Failed(other.to_string()),
        }
    }
}

impl Bluez {
    /// Calls a method that needs no radio.
    pub(super) async fn call<B>(&self, path: &str, interface: &str, method: &str, body: &B) -> Result<Message, CallError>
    where
        B: serde::Serialize + zbus::wire::DynamicType,
    {
        self.call_within(CALL_TIMEOUT, path, interface, method, body).await
    }

    /// Calls a method that may take this long.
    pub(super) async fn call_within<B>(
        &self,
        longest: Duration,
        path: &str,
        interface: &str,
        method: &str,
        body: &B,
    ) -> Result<Message, CallError>
    where
        B: serde::Serialize + zbus::wire::DynamicType,
    {
        let call = self.connection.call_method(Some(BLUEZ), path, Some(interface), method, body);
        Ok(tokio::time::timeout(longest, call).await.map_err(|_| CallError::TimedOut)??)
    }

    /// Returns the unique name of BlueZ. Signals are taken from it alone: any program can send one to this process, and a rule with a
    /// well-known name does not tell who sent it.
    pub(super) async fn owner(&self) -> Result<String, CallError> {
        let (bus, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
        let call = self.connection.call_method(Some(bus), path, Some(bus), "GetNameOwner", &BLUEZ);
        let reply = tokio::time::timeout(CALL_TIMEOUT, call).await.map_err(|_| CallError::TimedOut)??;
        Ok(reply.body().deserialize()?)
    }

    /// Reads a property.
    pub(super) async fn property(&self, path: &str, interface: &str, name: &str) -> Result<OwnedVariant, CallError> {
        let reply = self.call(path, PROPERTIES, "Get", &(interface, name)).await?;
        Ok(reply.body().deserialize()?)
    }

    /// Returns everything that BlueZ knows: adapters, devices, and the characteristics of those that are connected.
    ///
    /// # Errors
    /// bluetoothd does not run, or this user may not call it.
    pub async fn objects(&self) -> Result<Objects, Unavailable> {
        let read = async || -> Result<ManagedObjects, CallError> {
            let reply = self.call("/", OBJECT_MANAGER, "GetManagedObjects", &()).await?;
            Ok(reply.body().deserialize()?)
        };
        match read().await {
            Ok(objects) => {
                let mut objects = Objects::parse(&objects);
                for adapter in objects.adapters.iter_mut().filter(|adapter| !adapter.is_on) {
                    adapter.is_blocked.get_or_insert_with(rfkill::is_blocked);
                }
                Ok(objects)
            }
            Err(CallError::Denied) => Err(Unavailable::Denied),
            Err(CallError::TimedOut) => Err(Unavailable::NoAnswer),
            Err(_) => Err(Unavailable::NoDaemon),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_mean_what_users_can_act_on() {
        let check = |name: &str, text: &str, expect: CallError| assert_eq!(meaning(name, text), expect, "{name} {text}");
        let freedesktop = |name: &str| format!("org.freedesktop.DBus.Error.{name}");
        check(&freedesktop("ServiceUnknown"), "The name is not activatable", CallError::NoDaemon);
        check(&freedesktop("Spawn.ChildExited"), "", CallError::NoDaemon);
        let disconnected = "Message recipient disconnected from message bus without replying";
        check(&freedesktop("NoReply"), disconnected, CallError::NoDaemon);
        check(&freedesktop("NoReply"), "Remote peer disconnected", CallError::NoDaemon);
        check(&freedesktop("NoReply"), "Did not receive a reply", CallError::TimedOut);
        check("org.freedesktop.systemd1.NoSuchUnit", "Unit dbus-org.bluez.service not found.", CallError::NoDaemon);
        check(&freedesktop("AccessDenied"), "Rejected send message", CallError::Denied);
        check(&freedesktop("UnknownObject"), "", CallError::NoSuchObject);
        check(&freedesktop("UnknownMethod"), "Method \"X\" doesn't exist", CallError::NotSupported);
        check("org.bluez.Error.NotReady", "Resource Not Ready", CallError::NotReady);
        check("org.bluez.Error.NotPermitted", "Notify acquired", CallError::NotPermitted);
        check("org.bluez.Error.NotPermitted", "Insufficient Authentication", CallError::NotPaired);
        check("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0f (Encryption)", CallError::NotPaired);
        for full in ["le-connection-concurrent-connection-limit", "br-connection-concurrent-connection-limit"] {
            check("org.bluez.Error.Failed", full, CallError::Full);
        }
        check("org.bluez.Error.Failed", "Too many links", CallError::Full);
        check("org.bluez.Error.Failed", "le-connection-refused", CallError::Full);
        let refused = "br-connection-refused";
        check("org.bluez.Error.Failed", refused, CallError::Failed(refused.to_owned()));
        let lost = "le-connection-abort-by-local";
        check("org.bluez.Error.Failed", lost, CallError::Failed(lost.to_owned()));
        check("org.bluez.Error.Failed", "", CallError::Failed("org.bluez.Error.Failed".to_owned()));
    }
}
