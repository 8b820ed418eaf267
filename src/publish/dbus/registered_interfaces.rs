//! The registered interfaces of one connection, and the property values that its clients know.

use std::collections::HashMap;
use zbus::names::BusName;
use zbus::object_server::{Interface, SignalEmitter};
use zbus::{Connection, OwnedVariant};

/// The property that grows with the game. It is not compared with its last value: events say when it changes.
pub(super) const MOVES: &str = "Moves";

/// The property that changes twice a second during a search for boards, and may be long. Updates say when it changes.
pub(super) const BLUETOOTH: &str = "Bluetooth";

/// Compared properties that `PropertiesChanged` invalidates instead of sending their values.
const INVALIDATED: [&str; 3] = ["Laws", "Objects", "Tables"];

/// The registered interfaces of one connection.
pub(super) struct RegisteredInterfaces {
    connection: Connection,
    /// The last published property values, by path and interface.
    published: HashMap<(String, String), HashMap<String, OwnedVariant>>,
}

impl RegisteredInterfaces {
    /// Creates the set of a connection without registered interfaces.
    pub(super) fn new(connection: Connection) -> RegisteredInterfaces {
        RegisteredInterfaces { connection, published: HashMap::new() }
    }

    /// Registers an interface. Its property values are recorded before clients see the interface: a change in between is published
    /// twice rather than never.
    pub(super) async fn add<I: Interface>(&mut self, path: &str, interface: I) -> zbus::Result<()> {
        let server = self.connection.object_server();
        let emitter = SignalEmitter::new(&self.connection, path.to_owned())?;
        let mut properties = interface.get_all(server, &self.connection, None, &emitter).await?;
        for name in [MOVES, BLUETOOTH] {
            properties.remove(name);
        }
        self.published.insert((path.to_owned(), interface_name::<I>()), properties);
        server.at(path, interface).await.map(drop)
    }

    /// Removes an interface.
    pub(super) async fn remove<I: Interface>(&mut self, path: &str) -> zbus::Result<()> {
        self.published.remove(&(path.to_owned(), interface_name::<I>()));
        self.connection.object_server().remove::<I, _>(path).await.map(drop)
    }

    /// Publishes the property changes of an interface. `invalidated` lists properties that changed but are not compared.
    pub(super) async fn announce<I: Interface>(&mut self, path: &str, invalidated: &[&str]) -> zbus::Result<()> {
        let mut changes = self.take_changed_properties::<I>(path).await?;
        let mut invalidated: Vec<String> = invalidated.iter().map(ToString::to_string).collect();
        invalidated.extend(INVALIDATED.iter().filter(|name| changes.remove(**name).is_some()).map(ToString::to_string));
        if changes.is_empty() && invalidated.is_empty() {
            return Ok(());
        }
        self.emit_changes::<I>(path, changes, invalidated).await
    }

    /// Publishes that a property has changed which is not compared, and looks at no other property.
    pub(super) async fn invalidate<I: Interface>(&self, path: &str, name: &str) -> zbus::Result<()> {
        self.emit_changes::<I>(path, HashMap::new(), vec![name.to_owned()]).await
    }

    async fn emit_changes<I: Interface>(
        &self,
        path: &str,
        changes: HashMap<String, OwnedVariant>,
        invalidated: Vec<String>,
    ) -> zbus::Result<()> {
        let body = (interface_name::<I>(), changes, invalidated);
        let properties = "org.freedesktop.DBus.Properties";
        self.connection.emit_signal(None::<BusName>, path, properties, "PropertiesChanged", &body).await
    }

    /// Returns the properties whose values differ from those published last, and records the new values.
    async fn take_changed_properties<I: Interface>(&mut self, path: &str) -> zbus::Result<HashMap<String, OwnedVariant>> {
        let server = self.connection.object_server();
        let interface = server.interface::<_, I>(path).await?;
        let (properties, emitter) = (interface.get().await, interface.signal_emitter());
        let mut changes = HashMap::new();
        // Read one by one: reading all of them takes longer the longer a game is.
        for (name, known) in self.published.get_mut(&(path.to_owned(), interface_name::<I>())).into_iter().flatten() {
            if let Some(Ok(current)) = properties.get(name, server, &self.connection, None, emitter).await
                && *known != current
            {
                changes.insert(name.clone(), current.try_clone()?);
                *known = current;
            }
        }
        Ok(changes)
    }
}

fn interface_name<I: Interface>() -> String {
    I::name().to_string()
}
