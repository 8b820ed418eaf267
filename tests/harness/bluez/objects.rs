//! The objects of the stand-in, with the interfaces of BlueZ.

use super::radio_board::{RadioBoard, Sockets};
use super::{World, disconnect};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use touchmove::boards::bluetooth::SERIAL_PORT_SERVICE;
use zbus::message::Header;
use zbus::{Connection, OwnedFd, OwnedObjectPath, OwnedVariant, Variant, interface};

/// Interval between looks whether a board has come into range.
const AWAITED_INTERVAL: Duration = Duration::from_millis(20);

/// An error of BlueZ.
#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.bluez.Error")]
pub(super) enum Error {
    #[zbus(error)]
    ZBus(zbus::Error),
    AuthenticationFailed(String),
    Failed(String),
    InProgress(String),
    NotAvailable(String),
    NotPermitted(String),
    NotReady(String),
    NotSupported(String),
}

type Options = HashMap<String, OwnedVariant>;

/// The path of the adapter.
pub(super) fn adapter_path() -> String {
    "/org/bluez/hci0".to_owned()
}

/// Signals that a property has changed.
pub(super) async fn announce(
    connection: &Connection,
    path: &str,
    interface: &str,
    name: &str,
    value: impl Into<Variant<'static>>,
) {
    let changed = (interface, HashMap::from([(name, value.into())]), Vec::<&str>::new());
    // bluetoothd may be ending.
    let _ = connection.emit_signal(None::<&str>, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", &changed).await;
}

/// Adds the object of a device.
pub(super) async fn serve_device(connection: &Connection, world: &Arc<World>, board: &Arc<RadioBoard>) {
    let device = Device { world: Arc::clone(world), board: Arc::clone(board) };
    // bluetoothd may be ending.
    let _ = connection.object_server().at(board.path(), device).await;
}

/// Removes the objects of a device.
pub(super) async fn remove_device(connection: &Connection, board: &RadioBoard) {
    remove_services(connection, board).await;
    let _ = connection.object_server().remove::<Device, _>(board.path()).await;
    board.state().is_known = false;
}

/// Adds the objects of the services of a connected board.
pub(super) async fn serve_services(connection: &Connection, board: &Arc<RadioBoard>) {
    let server = connection.object_server();
    for (path, service) in board.services() {
        let _ = server.at(path, Service(service)).await;
    }
    for (index, channel) in board.channels().into_iter().enumerate() {
        let service = OwnedObjectPath::try_from(channel.service).unwrap();
        let characteristic = Characteristic { board: Arc::clone(board), index, service, uuid: channel.uuid };
        let _ = server.at(channel.path, characteristic).await;
    }
    board.state().is_resolved = true;
}

/// Removes them.
pub(super) async fn remove_services(connection: &Connection, board: &RadioBoard) {
    board.state().is_resolved = false;
    for channel in board.channels() {
        let _ = connection.object_server().remove::<Characteristic, _>(channel.path.as_str()).await;
    }
    for (path, _) in board.services() {
        let _ = connection.object_server().remove::<Service, _>(path.as_str()).await;
    }
}

pub(super) struct Adapter(pub(super) Arc<World>);

#[interface(name = "org.bluez.Adapter1")]
impl Adapter {
    #[zbus(property)]
    fn address(&self) -> String {
        "00:00:00:00:00:01".to_owned()
    }

    #[zbus(property)]
    fn powered(&self) -> bool {
        self.0.state.lock().unwrap().is_on
    }

    #[zbus(property)]
    fn power_state(&self) -> String {
        let state = self.0.state.lock().unwrap();
        match (state.is_on, state.is_blocked) {
            (true, _) => "on",
            (false, true) => "off-blocked",
            (false, false) => "off",
        }
        .to_owned()
    }

    fn set_discovery_filter(&self, _filter: Options) {}

    fn start_discovery(&self) -> Result<(), Error> {
        let mut state = self.0.state.lock().unwrap();
        if !state.is_on {
            return Err(Error::NotReady("Resource Not Ready".to_owned()));
        }
        if state.is_discovering {
            return Err(Error::InProgress("Operation already in progress".to_owned()));
        }
        state.is_discovering = true;
        state.scans += 1;
        Ok(())
    }

    fn stop_discovery(&self) -> Result<(), Error> {
        self.0.state.lock().unwrap().is_discovering = false;
        Ok(())
    }
}

struct Device {
    world: Arc<World>,
    board: Arc<RadioBoard>,
}

#[interface(name = "org.bluez.Device1")]
impl Device {
    #[zbus(property)]
    fn address(&self) -> String {
        self.board.address().to_owned()
    }

    #[zbus(property, name = "Name")]
    fn advertised_name(&self) -> String {
        self.board.state().name.clone()
    }

    #[zbus(property, name = "RSSI")]
    fn rssi(&self) -> i16 {
        -58
    }

    #[zbus(property, name = "UUIDs")]
    fn uuids(&self) -> Vec<String> {
        let services = self.board.services().into_iter().map(|(_, service)| service.to_uppercase());
        if self.board.gatt().is_some() { services.collect() } else { vec![SERIAL_PORT_SERVICE.to_owned()] }
    }

    #[zbus(property)]
    fn connected(&self) -> bool {
        self.board.is_connected()
    }

    #[zbus(property)]
    fn services_resolved(&self) -> bool {
        let state = self.board.state();
        state.is_connected && state.is_resolved
    }

    #[zbus(property)]
    fn paired(&self) -> bool {
        !self.board.state().needs_pairing
    }

    async fn connect(&self, #[zbus(connection)] connection: &Connection) -> Result<(), Error> {
        self.check_reachable().await?;
        self.board.state().is_connected = true;
        announce(connection, &self.board.path(), "org.bluez.Device1", "Connected", true).await;
        let (connection, board) = (connection.clone(), Arc::clone(&self.board));
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if board.is_connected() && board.state().has_services {
                serve_services(&connection, &board).await;
                announce(&connection, &board.path(), "org.bluez.Device1", "ServicesResolved", true).await;
            }
        });
        Ok(())
    }

    async fn connect_profile(&self, uuid: String, #[zbus(connection)] connection: &Connection) -> Result<(), Error> {
        self.check_reachable().await?;
        if self.board.gatt().is_some() || uuid != SERIAL_PORT_SERVICE {
            return Err(Error::NotAvailable("br-connection-profile-unavailable".to_owned()));
        }
        if self.board.state().needs_pairing {
            return Err(Error::AuthenticationFailed("br-connection-refused".to_owned()));
        }
        let client = self.world.state.lock().unwrap().serial.clone();
        let Some((client, path)) = client else { return Err(Error::NotAvailable("no profile".to_owned())) };
        self.board.state().is_connected = true;
        announce(connection, &self.board.path(), "org.bluez.Device1", "Connected", true).await;
        let device = OwnedObjectPath::try_from(self.board.path())?;
        let arguments = (device, OwnedFd::from(self.board.open_serial()), Options::new());
        let name = Some("org.bluez.Profile1");
        connection.call_method(Some(client.as_str()), path.as_str(), name, "NewConnection", &arguments).await?;
        Ok(())
    }

    async fn disconnect(&self, #[zbus(connection)] connection: &Connection) {
        self.board.state().is_awaited = false;
        disconnect(connection, &self.board).await;
    }
}

impl Device {
    async fn check_reachable(&self) -> Result<(), Error> {
        let (is_on, capacity, patience) = {
            let state = self.world.state.lock().unwrap();
            (state.is_on, state.capacity, state.patience.unwrap_or(Duration::from_millis(100)))
        };
        if !is_on {
            return Err(Error::NotReady("Resource Not Ready".to_owned()));
        }
        let connections = self.world.boards().iter().filter(|board| board.is_connected()).count();
        if capacity.is_some_and(|capacity| connections >= capacity) {
            let link = if self.board.is_low_energy() { "le" } else { "br" };
            return Err(Error::Failed(format!("{link}-connection-concurrent-connection-limit")));
        }
        if self.board.state().is_in_range {
            return Ok(());
        }
        self.board.state().is_awaited = true;
        let end = Instant::now() + patience;
        while Instant::now() < end {
            tokio::time::sleep(AWAITED_INTERVAL).await;
            let mut state = self.board.state();
            if !state.is_awaited {
                return Err(Error::Failed("br-connection-canceled".to_owned()));
            }
            if state.is_in_range {
                state.is_awaited = false;
                return Ok(());
            }
        }
        self.board.state().is_awaited = false;
        Err(Error::Failed("le-connection-abort-by-local".to_owned()))
    }
}

struct Service(&'static str);

#[interface(name = "org.bluez.GattService1")]
impl Service {
    #[zbus(property, name = "UUID")]
    fn uuid(&self) -> String {
        self.0.to_owned()
    }
}

struct Characteristic {
    board: Arc<RadioBoard>,
    /// Its index among the channels of the board.
    index: usize,
    service: OwnedObjectPath,
    uuid: &'static str,
}

impl Characteristic {
    fn is_written(&self) -> bool {
        self.board.gatt().is_some_and(|gatt| self.uuid == gatt.write)
    }

    fn is_read(&self) -> bool {
        self.board.gatt().is_some_and(|gatt| gatt.notify.contains(&self.uuid))
    }

    /// Whether the sockets can be acquired.
    fn check_sockets(&self) -> Result<(), Error> {
        match self.board.state().sockets {
            Sockets::Acquired => Ok(()),
            Sockets::NotSupported => Err(Error::NotSupported("Operation is not supported".to_owned())),
            Sockets::Held => Err(Error::NotPermitted("Notify acquired".to_owned())),
        }
    }
}

#[interface(name = "org.bluez.GattCharacteristic1")]
impl Characteristic {
    #[zbus(property, name = "UUID")]
    fn uuid(&self) -> String {
        self.uuid.to_owned()
    }

    #[zbus(property)]
    fn service(&self) -> OwnedObjectPath {
        self.service.clone()
    }

    #[zbus(property)]
    fn flags(&self) -> Vec<String> {
        let written = self.is_written().then_some(["write-without-response", "write"]);
        let read = self.is_read().then_some("notify");
        written.into_iter().flatten().chain(read).map(str::to_owned).collect()
    }

    #[zbus(property, name = "MTU")]
    fn mtu(&self) -> u16 {
        self.board.state().mtu
    }

    fn acquire_notify(&self, _options: Options) -> Result<(OwnedFd, u16), Error> {
        if self.board.state().needs_pairing {
            return Err(Error::NotPermitted("Insufficient Authentication".to_owned()));
        }
        self.check_sockets()?;
        Ok((self.board.acquire_output(self.index).into(), self.mtu()))
    }

    fn acquire_write(&self, _options: Options) -> Result<(OwnedFd, u16), Error> {
        self.check_sockets()?;
        Ok((self.board.acquire_input().into(), self.mtu()))
    }

    fn start_notify(&self) {
        self.board.start_notify(self.index);
    }

    fn write_value(&self, value: Vec<u8>, _options: Options) {
        self.board.receive(&value);
    }
}

pub(super) struct ProfileManager(pub(super) Arc<World>);

#[interface(name = "org.bluez.ProfileManager1")]
impl ProfileManager {
    fn register_profile(&self, profile: OwnedObjectPath, _uuid: String, _options: Options, #[zbus(header)] header: Header<'_>) {
        let client = header.sender().map(ToString::to_string).unwrap_or_default();
        self.0.state.lock().unwrap().serial = Some((client, profile.to_string()));
    }
}
