//! Noticing that a device is gone, whatever ended it: the device, its services, the adapter, BlueZ or the bus.

use super::bluez::{BLUEZ, Bluez, CHARACTERISTIC, CallError, DEVICE, OBJECT_MANAGER, PROPERTIES};
use futures_util::StreamExt;
use std::collections::HashMap;
use tokio::task::JoinSet;
use zbus::message::Type;
use zbus::{MatchRule, Message, MessageStream, OwnedObjectPath, OwnedVariant};

/// The bus, as the sender of messages.
const BUS: &str = "org.freedesktop.DBus";

/// Watches the signals that may say that a device is gone. A task reads each kind of them from the moment of the subscription on: a
/// stream that nobody reads fills up, and holds up the connection to the bus and with it all boards.
#[derive(Debug)]
pub(super) struct LossMonitor {
    /// Each ends when the device is gone. Aborted when the monitor is dropped.
    tasks: JoinSet<()>,
}

impl LossMonitor {
    /// Subscribes to the signals about the device with this path.
    pub(super) async fn begin(bluez: &Bluez, device: &str) -> Result<LossMonitor, CallError> {
        let (connection, bluez) = (&bluez.connection, bluez.owner().await?);
        let signal = || MatchRule::builder().msg_type(Type::Signal);
        let properties =
            signal().sender(bluez.as_str()).path(device.to_owned()).interface(PROPERTIES).member("PropertiesChanged");
        let removed = signal().sender(bluez.as_str()).interface(OBJECT_MANAGER).member("InterfacesRemoved");
        let owner = signal().sender(BUS).member("NameOwnerChanged").add_arg(BLUEZ);
        let subscribe = async |rule: MatchRule<'_>| MessageStream::for_match_rule(rule, connection, None).await;
        let mut tasks = JoinSet::new();
        tasks.spawn(first(subscribe(properties.build()?).await?, is_disconnection));
        let device = device.to_owned();
        tasks.spawn(first(subscribe(removed.build()?).await?, move |message| is_removal(message, &device)));
        // Another owner does not know the connection.
        tasks.spawn(first(subscribe(owner.build()?).await?, is_from_bus));
        Ok(LossMonitor { tasks })
    }

    /// Returns once a signal has said that the device is gone. Cancel safe.
    pub(super) async fn wait(&mut self) {
        let _ = self.tasks.join_next().await;
    }
}

/// Reads messages until one says that the device is gone, or the bus is.
async fn first(mut messages: MessageStream, is_loss: impl Fn(&Message) -> bool) {
    while let Some(message) = messages.next().await {
        if message.is_ok_and(|message| is_loss(&message)) {
            return;
        }
    }
}

/// Whether the bus itself has sent this.
fn is_from_bus(message: &Message) -> bool {
    message.header().sender().is_some_and(|sender| sender.as_str() == BUS)
}

/// Whether changed properties of a device say that it is gone.
fn is_disconnection(message: &Message) -> bool {
    let body = message.body();
    let Ok((interface, values, _)) = body.deserialize::<(String, HashMap<String, OwnedVariant>, Vec<String>)>() else {
        return false;
    };
    let is_false = |name: &str| values.get(name).is_some_and(|value| matches!(bool::try_from(value), Ok(false)));
    interface == DEVICE && (is_false("Connected") || is_false("ServicesResolved"))
}

/// Whether removed objects are the device, or characteristics of it.
fn is_removal(message: &Message, device: &str) -> bool {
    let body = message.body();
    let Ok((path, interfaces)) = body.deserialize::<(OwnedObjectPath, Vec<String>)>() else { return false };
    concerns(path.as_str(), &interfaces, device)
}

fn concerns(path: &str, interfaces: &[String], device: &str) -> bool {
    let has = |name: &str| interfaces.iter().any(|interface| interface == name);
    let is_of_device = path.strip_prefix(device).is_some_and(|rest| rest.starts_with('/'));
    path == device && has(DEVICE) || is_of_device && has(CHARACTERISTIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_the_device_concerns_it() {
        let check = |path: &str, interface: &str, expect: bool| {
            assert_eq!(concerns(path, &[interface.to_owned()], "/org/bluez/hci0/dev_1"), expect, "{path} {interface}");
        };
        check("/org/bluez/hci0/dev_1", DEVICE, true);
        check("/org/bluez/hci0/dev_1/service1/char2", CHARACTERISTIC, true);
        check("/org/bluez/hci0/dev_1", "org.bluez.Battery1", false);
        check("/org/bluez/hci0/dev_12", DEVICE, false);
        check("/org/bluez/hci0/dev_12/service1/char2", CHARACTERISTIC, false);
    }
}
