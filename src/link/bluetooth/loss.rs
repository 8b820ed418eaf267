//! Noticing that a device is gone, whatever ended it: the device, its services, the adapter, BlueZ or the bus.

use super::bluez::{BLUEZ, Bluez, CHARACTERISTIC, CallError, DEVICE, OBJECT_MANAGER, PROPERTIES};
use futures_util::StreamExt;
use std::collections::HashMap;
use zbus::message::Type;
use zbus::{MatchRule, Message, MessageStream, OwnedObjectPath, OwnedVariant};

/// The bus, as the sender of messages.
const BUS: &str = "org.freedesktop.DBus";

/// The signals that may say that a device is gone.
#[derive(Debug)]
pub(super) struct LossMonitor {
    device: String,
    properties: MessageStream,
    removed: MessageStream,
    owner: MessageStream,
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
        Ok(LossMonitor {
            device: device.to_owned(),
            properties: MessageStream::for_match_rule(properties.build()?, connection, None).await?,
            removed: MessageStream::for_match_rule(removed.build()?, connection, None).await?,
            owner: MessageStream::for_match_rule(owner.build()?, connection, None).await?,
        })
    }

    /// Returns once a signal says that the device is gone. Cancel safe.
    pub(super) async fn wait(&mut self) {
        loop {
            let is_loss = tokio::select! {
                message = self.properties.next() => message.is_none_or(|message| message.is_ok_and(|it| is_disconnection(&it))),
                message = self.removed.next() => {
                    message.is_none_or(|message| message.is_ok_and(|it| is_removal(&it, &self.device)))
                }
                // Another owner does not know the connection.
                message = self.owner.next() => message.is_none_or(|message| message.is_ok_and(|it| is_from_bus(&it))),
            };
            if is_loss {
                return;
            }
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
