//! Connecting to a board.

use super::bluez::{Bluez, CHARACTERISTIC, CallError, DEVICE, Options, PROPERTIES};
use super::channels::{self, Channels};
use super::loss::LossMonitor;
use super::objects::{Characteristic, Device, Lookup, adapter_of};
use super::port::{Inputs, Output, PACKET_HEADER, Port, Wiring};
use super::socket::Socket;
use super::{Address, Radio, SignalStrength, Unavailable, rfcomm};
use crate::boards::Model;
use crate::boards::bluetooth::{Bluetooth, DEFAULT_MTU, GattProfile};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use zbus::message::Type;
use zbus::{MatchRule, MessageStream};

/// How long a board that BlueZ does not know is scanned for in one attempt.
const SCAN_TIME: Duration = Duration::from_secs(8);
/// Timeout of a connection. While it lasts, the controller itself listens for the board.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout until the services of a connected board are known; the first time, BlueZ reads them one by one.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout of the end of a connection that is not used.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between looks whether they are.
const RESOLVE_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Connects to the board with this address, and opens what boards of its model have.
///
/// Must be called inside a tokio runtime with I/O and time. It takes up to a minute: while a board is out of range, most of an
/// attempt is waiting for it. Cancel safe, but a process that ends at once should use [`open_unless`].
///
/// # Errors
/// The reason, which says what to do.
pub async fn open(radio: &Radio, board: Address, model: &'static Model) -> Result<Port, Unavailable> {
    let Ok(opened) = open_unless(radio, board, model, std::future::pending::<Infallible>()).await;
    opened
}

/// Connects to a board as [`open`] does, until `stop` is ready. A connection that BlueZ has begun by then is ended, or is no longer
/// waited for: otherwise the board would be connected when it comes into range, and nobody could use it.
///
/// # Errors
/// The output of `stop`.
pub async fn open_unless<T>(
    radio: &Radio,
    board: Address,
    model: &'static Model,
    stop: impl Future<Output = T>,
) -> Result<Result<Port, Unavailable>, T> {
    let mut connection = OwnConnection::default();
    let opened = tokio::select! {
        biased;
        stopped = stop => Err(stopped),
        opened = attempt(radio, board, model, &mut connection) => Ok(opened),
    };
    match opened {
        // The port ends the connection from now on.
        Ok(Ok(_)) => connection.hand_over(),
        _ => connection.close().await,
    }
    opened
}

/// Connects to a board; `connection` is what must be ended if that fails.
async fn attempt(
    radio: &Radio,
    board: Address,
    model: &'static Model,
    connection: &mut OwnConnection,
) -> Result<Port, Unavailable> {
    let bluetooth = model.bluetooth().ok_or(Unavailable::NoProfile(model.title))?;
    let bluez = radio.bluez().await?;
    let device = find(radio, &bluez, board).await?;
    let rssi = device.rssi;
    let opened = match bluetooth {
        Bluetooth::Gatt(gatt) => open_gatt(&bluez, board, model.title, device, gatt, connection).await,
        Bluetooth::Rfcomm => open_rfcomm(radio, bluez, board, model.title, device, connection).await,
    };
    opened.map_err(|reason| explain(rssi, reason))
}

/// Adds to a reason that the board was received weakly.
fn explain(rssi: Option<i16>, reason: Unavailable) -> Unavailable {
    match (reason, rssi) {
        (Unavailable::OutOfRange(address), Some(rssi)) if SignalStrength::from_dbm(rssi) == SignalStrength::Weak => {
            Unavailable::Weak { address, rssi }
        }
        (reason, _) => reason,
    }
}

async fn open_rfcomm(
    radio: &Radio,
    bluez: Bluez,
    board: Address,
    title: &'static str,
    device: KnownDevice,
    connection: &mut OwnConnection,
) -> Result<Port, Unavailable> {
    if !device.is_connected {
        connection.begin(&bluez, &device.path);
    }
    let connected = rfcomm::connect(radio, &bluez, &device.path, board, title).await;
    if matches!(connected, Err(Unavailable::InUse(_))) {
        // Another program is about to connect it.
        connection.hand_over();
    }
    let socket = Arc::new(connected?);
    let mut inputs = Inputs::new(&bluez, board);
    inputs.read_socket(Arc::clone(&socket));
    // The end of the socket shows what was missed.
    inputs.watch(LossMonitor::begin(&bluez, &device.path).await.map_err(|error| error.into_unavailable(board))?);
    let (output, write_interval) = (Output::Stream(socket), Duration::ZERO);
    Ok(Port::start(Wiring { bluez, device: device.path, inputs, output, write_interval }))
}

/// The device of a board, and whether somebody has connected it already.
struct KnownDevice {
    path: String,
    is_connected: bool,
    /// How strongly it was received, in dBm, if it was received during a scan: BlueZ does not tell of connected devices.
    rssi: Option<i16>,
}

impl KnownDevice {
    fn of(device: &Device) -> KnownDevice {
        KnownDevice { path: device.path.clone(), is_connected: device.is_connected, rssi: device.rssi }
    }
}

fn failed(address: Address, error: impl ToString) -> Unavailable {
    Unavailable::Failed { address, reason: error.to_string() }
}

/// Finds the device of a board; scans for it if BlueZ does not know it.
async fn find(radio: &Radio, bluez: &Bluez, board: Address) -> Result<KnownDevice, Unavailable> {
    let objects = bluez.objects().await?;
    let adapters: Vec<&str> = match objects.look_up(board)? {
        Lookup::Known(device) => return Ok(KnownDevice::of(device)),
        Lookup::Unknown(adapters) => adapters.iter().map(|adapter| adapter.path.as_str()).collect(),
    };
    let scan = radio.scan(bluez, &adapters).await?;
    match timeout(SCAN_TIME, scan.wait_for(board)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(error.into_unavailable(board)),
        Err(_) => return Err(bluez.objects().await?.look_up(board).err().unwrap_or(Unavailable::OutOfRange(board))),
    }
    match bluez.objects().await?.look_up(board)? {
        Lookup::Known(device) => Ok(KnownDevice::of(device)),
        Lookup::Unknown(_) => Err(Unavailable::OutOfRange(board)),
    }
}

/// Connects to a board and subscribes to its characteristics.
async fn open_gatt(
    bluez: &Bluez,
    board: Address,
    title: &'static str,
    device: KnownDevice,
    gatt: &GattProfile,
    connection: &mut OwnConnection,
) -> Result<Port, Unavailable> {
    if !device.is_connected {
        connection.begin(bluez, &device.path);
        connect(bluez, &device.path, board).await?;
    }
    wait_for_services(bluez, &device.path, board).await?;
    // After that, so that signals of an earlier end are not taken for one; before the objects are read, so that none is missed.
    let mut inputs = Inputs::new(bluez, board);
    inputs.watch(LossMonitor::begin(bluez, &device.path).await.map_err(|error| error.into_unavailable(board))?);
    let objects = bluez.objects().await?;
    match objects.look_up(board)? {
        Lookup::Known(device) if device.is_connected => {}
        _ => return Err(Unavailable::OutOfRange(board)),
    }
    let channels = channels::find(&objects, &device.path, gatt, board, title)?;
    let mut mtu = None;
    for characteristic in &channels.notify {
        let its_mtu = subscribe(bluez, characteristic, board, &mut inputs).await?;
        mtu = mtu.or(its_mtu);
    }
    if let Some(mtu) = mtu.filter(|mtu| *mtu < gatt.min_mtu) {
        return Err(Unavailable::SmallMtu {
            address: board,
            needed: gatt.min_mtu.saturating_sub(PACKET_HEADER),
            carried: mtu.saturating_sub(PACKET_HEADER),
        });
    }
    let output = writer(bluez, &channels, mtu, board).await?;
    let write_interval = Duration::from_millis(gatt.write_interval);
    Ok(Port::start(Wiring { bluez: bluez.clone(), device: device.path, inputs, output, write_interval }))
}

/// A connection that this process has begun, which ends unless a port takes it over.
#[derive(Default)]
struct OwnConnection(Option<(Bluez, String)>);

impl OwnConnection {
    /// Records that this device is about to be connected: a call that is cancelled may connect it.
    fn begin(&mut self, bluez: &Bluez, device: &str) {
        self.0 = Some((bluez.clone(), device.to_owned()));
    }

    /// Leaves the connection to a port, or to another program.
    fn hand_over(&mut self) {
        self.0 = None;
    }

    /// Ends the connection, or the wait for it, and returns once BlueZ has: a process that ends at once would leave it to nobody.
    async fn close(&mut self) {
        if let Some((bluez, device)) = &self.0 {
            let _ = timeout(DISCONNECT_TIMEOUT, bluez.call(device, DEVICE, "Disconnect", &())).await;
        }
        self.0 = None;
    }
}

/// For a call that is cancelled.
impl Drop for OwnConnection {
    fn drop(&mut self) {
        if let (Some((bluez, device)), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move { bluez.call(&device, DEVICE, "Disconnect", &()).await.is_ok() });
        }
    }
}

async fn connect(bluez: &Bluez, device: &str, board: Address) -> Result<(), Unavailable> {
    match bluez.call_within(CONNECT_TIMEOUT, device, DEVICE, "Connect", &()).await {
        Ok(_) | Err(CallError::AlreadyExists) => Ok(()),
        Err(CallError::InProgress) => wait_for_connection(bluez, device, board).await,
        Err(CallError::Full) => Err(full(device)),
        // BlueZ has one error for all reasons of the radio, of which being out of range is the usual one.
        Err(CallError::TimedOut | CallError::Failed(_)) => {
            Err(bluez.objects().await?.look_up(board).err().unwrap_or(Unavailable::OutOfRange(board)))
        }
        Err(error) => Err(error.into_unavailable(board)),
    }
}

/// Returns that the adapter of this device holds no more connections.
pub(super) fn full(device: &str) -> Unavailable {
    let adapter = adapter_of(device);
    Unavailable::AdapterFull(adapter.rsplit('/').next().unwrap_or(adapter).to_owned())
}

/// Waits until the connection is there that another program has begun.
async fn wait_for_connection(bluez: &Bluez, device: &str, board: Address) -> Result<(), Unavailable> {
    let end = Instant::now() + RESOLVE_TIMEOUT;
    while Instant::now() < end {
        let connected = bluez.property(device, DEVICE, "Connected").await.map_err(|error| error.into_unavailable(board))?;
        if bool::try_from(connected).unwrap_or(false) {
            return Ok(());
        }
        sleep(RESOLVE_POLL_INTERVAL).await;
    }
    Err(Unavailable::OutOfRange(board))
}

async fn wait_for_services(bluez: &Bluez, device: &str, board: Address) -> Result<(), Unavailable> {
    let end = Instant::now() + RESOLVE_TIMEOUT;
    loop {
        let read = async |name| bluez.property(device, DEVICE, name).await.map_err(|error| error.into_unavailable(board));
        if bool::try_from(read("ServicesResolved").await?).unwrap_or(false) {
            return Ok(());
        }
        if !bool::try_from(read("Connected").await?).unwrap_or(false) {
            return Err(Unavailable::OutOfRange(board));
        }
        if Instant::now() > end {
            return Err(failed(board, "its services could not be read"));
        }
        sleep(RESOLVE_POLL_INTERVAL).await;
    }
}

/// Subscribes to a characteristic, as one of `inputs`. Returns the MTU, if it is known.
async fn subscribe(
    bluez: &Bluez,
    characteristic: &Characteristic,
    board: Address,
    inputs: &mut Inputs,
) -> Result<Option<u16>, Unavailable> {
    let path = characteristic.path.as_str();
    match acquire(bluez, path, "AcquireNotify").await {
        Ok((socket, mtu)) => {
            inputs.read_socket(Arc::new(socket));
            return Ok(Some(mtu));
        }
        // InProgress: another program is subscribed, which does not prevent that this one is, too.
        Err(CallError::NotSupported | CallError::InProgress) => {}
        Err(error) => return Err(error.into_unavailable(board)),
    }
    let owner = bluez.owner().await.map_err(|error| error.into_unavailable(board))?;
    let rule = MatchRule::builder().msg_type(Type::Signal).sender(owner).path(path.to_owned());
    let rule = rule.interface(PROPERTIES).member("PropertiesChanged").add_arg(CHARACTERISTIC);
    let rule = rule.build().map_err(|error| failed(board, error))?;
    let values = MessageStream::for_match_rule(rule, &bluez.connection, None).await;
    inputs.read_signals(values.map_err(|error| failed(board, error))?);
    match bluez.call(path, CHARACTERISTIC, "StartNotify", &()).await {
        Ok(_) | Err(CallError::InProgress) => Ok(characteristic.mtu),
        Err(error) => Err(error.into_unavailable(board)),
    }
}

/// Returns how the board is written to.
async fn writer(bluez: &Bluez, channels: &Channels, mtu: Option<u16>, board: Address) -> Result<Output, Unavailable> {
    let characteristic = &channels.write;
    let is_unconfirmed = characteristic.flags.iter().any(|flag| flag == "write-without-response");
    if is_unconfirmed {
        match acquire(bluez, &characteristic.path, "AcquireWrite").await {
            Ok((socket, mtu)) => return Ok(Output::Packets { socket, mtu }),
            Err(CallError::NotSupported | CallError::InProgress) => {}
            Err(error) => return Err(error.into_unavailable(board)),
        }
    }
    let kind = if is_unconfirmed { "command" } else { "request" };
    let mtu = characteristic.mtu.or(mtu).unwrap_or(DEFAULT_MTU);
    Ok(Output::Calls { path: characteristic.path.clone(), kind, mtu })
}

/// Acquires the socket of a characteristic, with the MTU of the connection.
async fn acquire(bluez: &Bluez, path: &str, method: &str) -> Result<(Socket, u16), CallError> {
    let reply = bluez.call(path, CHARACTERISTIC, method, &Options::new()).await?;
    let (socket, mtu): (zbus::OwnedFd, u16) = reply.body().deserialize()?;
    let socket = Socket::new(socket.into()).map_err(|error| CallError::Failed(error.to_string()))?;
    Ok((socket, mtu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_is_received_weakly_is_said_to_be_far() {
        let address: Address = "AA:BB:CC:DD:EE:FF".parse().unwrap();
        let weak = Unavailable::Weak { address, rssi: -91 };
        assert_eq!(explain(Some(-91), Unavailable::OutOfRange(address)), weak);
        assert_eq!(explain(Some(-60), Unavailable::OutOfRange(address)), Unavailable::OutOfRange(address));
        assert_eq!(explain(None, Unavailable::OutOfRange(address)), Unavailable::OutOfRange(address));
        assert_eq!(explain(Some(-91), Unavailable::NotPaired(address)), Unavailable::NotPaired(address));
    }
}
