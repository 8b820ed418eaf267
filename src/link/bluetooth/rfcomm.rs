//! The serial port of classic Bluetooth: BlueZ connects it and hands over the socket.

use super::bluez::{Bluez, CallError, DEVICE, Options};
use super::open::full;
use super::socket::Socket;
use super::{Address, Radio, Unavailable};
use crate::boards::bluetooth::SERIAL_PORT_SERVICE;
use crate::names::SERIAL_PORT_PATH;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use zbus::{ObjectPath, OwnedObjectPath, OwnedVariant, interface};

const PROFILE_MANAGER: &str = "org.bluez.ProfileManager1";
/// Timeout of a connection: a device that is off is called for several seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of the socket after the connection.
const SOCKET_TIMEOUT: Duration = Duration::from_secs(5);

/// The links that wait for a socket, by the path of the device.
#[derive(Clone, Debug, Default)]
pub(super) struct SerialProfile(Arc<Mutex<HashMap<String, oneshot::Sender<std::os::fd::OwnedFd>>>>);

impl SerialProfile {
    fn expect(&self, device: &str) -> oneshot::Receiver<std::os::fd::OwnedFd> {
        let (sender, socket) = oneshot::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(device.to_owned(), sender);
        socket
    }
}

/// What BlueZ calls.
#[interface(name = "org.bluez.Profile1")]
impl SerialProfile {
    /// Takes a socket. One that nobody waits for is closed: nobody named the device.
    fn new_connection(&self, device: OwnedObjectPath, socket: zbus::OwnedFd, _properties: HashMap<String, OwnedVariant>) {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(device.as_str());
        if let Some(waiting) = waiting {
            // The link may have stopped waiting.
            let _ = waiting.send(socket.into());
        }
    }

    /// The socket ends by itself.
    fn request_disconnection(&self, _device: OwnedObjectPath) {}

    /// BlueZ has forgotten the profile.
    fn release(&self) {}
}

/// Connects the serial port of a device.
pub(super) async fn connect(
    radio: &Radio,
    bluez: &Bluez,
    device: &str,
    address: Address,
    title: &'static str,
) -> Result<Socket, Unavailable> {
    register(radio, bluez).await.map_err(|error| error.into_unavailable(address))?;
    let socket = radio.serial().expect(device);
    match bluez.call_within(CONNECT_TIMEOUT, device, DEVICE, "ConnectProfile", &SERIAL_PORT_SERVICE).await {
        Ok(_) => {}
        Err(CallError::NotSupported) => {
            return Err(Unavailable::OtherDevice { address, title, missing: "serial port".to_owned() });
        }
        Err(CallError::Full) => return Err(full(device)),
        // BlueZ has one error for all reasons of the radio, of which being out of range is the usual one.
        Err(CallError::TimedOut | CallError::Failed(_)) => {
            return Err(bluez.objects().await?.look_up(address).err().unwrap_or(Unavailable::OutOfRange(address)));
        }
        Err(error) => return Err(error.into_unavailable(address)),
    }
    let failed = |reason: String| Unavailable::Failed { address, reason };
    match tokio::time::timeout(SOCKET_TIMEOUT, socket).await {
        Ok(Ok(socket)) => Socket::new(socket).map_err(|error| failed(error.to_string())),
        // It may have ended meanwhile, or the adapter was switched off.
        _ => {
            let reason = bluez.objects().await?.look_up(address).err();
            Err(reason.unwrap_or_else(|| failed("BlueZ has handed over no socket".to_owned())))
        }
    }
}

/// Tells BlueZ that this process uses serial ports, unless it knows.
async fn register(radio: &Radio, bluez: &Bluez) -> Result<(), CallError> {
    // `false`: it is served already.
    bluez.connection.object_server().at(SERIAL_PORT_PATH, radio.serial().clone()).await?;
    let path = ObjectPath::try_from(SERIAL_PORT_PATH)?;
    let options = Options::from([
        ("Name", "touchmove".into()),
        ("Role", "client".into()),
        ("AutoConnect", false.into()),
        // Boards that want to be paired say so themselves.
        ("RequireAuthentication", false.into()),
        ("RequireAuthorization", false.into()),
    ]);
    match bluez.call("/org/bluez", PROFILE_MANAGER, "RegisterProfile", &(path, SERIAL_PORT_SERVICE, options)).await {
        Ok(_) | Err(CallError::AlreadyExists) => Ok(()),
        Err(error) => Err(error),
    }
}
