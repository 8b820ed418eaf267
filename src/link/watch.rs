//! The serial ports and USB devices that boards can be, as listed by udev, and which of them is which board.
//!
//! **Invariant:** Nothing is opened or sent here. A port is a board's because of its USB id or because of the configuration; a
//! device with a generic id, which other adapters also use, is never used without that.

use super::rules::ASSIGNED_PROPERTY;
use crate::boards::{self, BOARDS, Connection, Model};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// USB vendor and product id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsbIds {
    /// idVendor.
    pub vendor: u16,
    /// idProduct.
    pub product: u16,
}

impl fmt::Display for UsbIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:04x}", self.vendor, self.product)
    }
}

impl std::str::FromStr for UsbIds {
    type Err = ();
    /// Parses four hexadecimal digits, a colon and four more, e.g. `0403:6001`.
    fn from_str(text: &str) -> Result<UsbIds, ()> {
        let (vendor, product) = text.split_once(':').filter(|(v, p)| v.len() == 4 && p.len() == 4).ok_or(())?;
        let hex = |digits: &str| match digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            true => u16::from_str_radix(digits, 16).map_err(drop),
            false => Err(()),
        };
        Ok(UsbIds { vendor: hex(vendor)?, product: hex(product)? })
    }
}

/// How a device is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// As a serial port.
    Serial,
    /// As a USB device, without a kernel driver.
    Usb,
}

impl DeviceKind {
    /// Returns the kind for this connection; `None` if it does not use a device of its own.
    pub fn of(connection: Connection) -> Option<DeviceKind> {
        match connection {
            Connection::Serial(_) => Some(DeviceKind::Serial),
            Connection::Usb(_) => Some(DeviceKind::Usb),
            Connection::Matrix => None,
        }
    }
}

/// A serial port of this machine, or a USB device whose ids name a board that is not a serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// How the device is accessed.
    pub kind: DeviceKind,
    /// Device node, e.g. `/dev/ttyUSB0` or `/dev/bus/usb/001/004`.
    pub node: PathBuf,
    /// Symbolic links to it, e.g. `/dev/serial/by-id/…`, sorted.
    pub links: Vec<PathBuf>,
    /// Ids of the USB device that it is or belongs to; `None` for a port on the mainboard.
    pub ids: Option<UsbIds>,
    /// Model assigned by a udev rule, see [`super::rules::ASSIGNED_PROPERTY`].
    pub given: Option<&'static Model>,
    /// Serial number of the USB device.
    pub serial: Option<String>,
    /// Manufacturer and product strings of the USB device.
    pub title: Option<String>,
    /// Kernel driver, e.g. `ftdi_sio`.
    pub driver: Option<String>,
    /// USB path, e.g. `1-2` (bus 1, socket 2); it belongs to the socket, whatever is plugged in there.
    pub usb_path: Option<String>,
    /// Whether ModemManager is configured to ignore it.
    pub modem_manager_ignores: bool,
}

/// Conclusion from a device's USB ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A board: by its own id, or assigned to touchmove as this board by a udev rule.
    Board(&'static Model),
    /// An adapter that these boards contain (at least one), and many other devices too.
    MaybeBoard(Vec<&'static Model>),
    /// Not a known board.
    Unknown,
}

fn verdict(kind: DeviceKind, ids: UsbIds) -> Verdict {
    let of_kind = BOARDS.iter().copied().filter(|model| DeviceKind::of(model.connection) == Some(kind));
    let known: Vec<(&'static Model, bool)> = of_kind
        .flat_map(|model| model.usb.iter().map(move |usb| (model, usb)))
        .filter(|(_, usb)| usb.contains(ids.vendor, ids.product))
        .map(|(model, usb)| (model, usb.generic))
        .collect();
    match known.iter().find(|(_, generic)| !generic) {
        Some((model, _)) => Verdict::Board(model),
        None if known.is_empty() => Verdict::Unknown,
        None => Verdict::MaybeBoard(known.into_iter().map(|(model, _)| model).collect()),
    }
}

impl Device {
    /// Returns the conclusion from udev rules and USB ids, by the table of boards.
    pub fn verdict(&self) -> Verdict {
        match (self.given, self.ids) {
            (Some(model), _) => Verdict::Board(model),
            (None, Some(ids)) => verdict(self.kind, ids),
            (None, None) => Verdict::Unknown,
        }
    }

    /// Returns where to look for this board from now on if it is not configured: by the USB device's serial number, in any socket.
    /// Without one, or if another device in `all` has the same ids and number, by the USB socket. If not on USB, by the port.
    pub fn stable_location(&self, all: &[Device]) -> BoardLocation {
        let has_same_serial = |other: &&Device| (other.ids, &other.serial) == (self.ids, &self.serial);
        let serial = self.serial.clone().filter(|_| all.iter().filter(has_same_serial).count() < 2);
        let place = serial.map(BoardLocation::Serial).or_else(|| self.usb_path.clone().map(BoardLocation::UsbPath));
        place.unwrap_or_else(|| BoardLocation::Port(self.node.clone()))
    }

    /// Returns whether this device is at `place`.
    pub fn is_at(&self, place: &BoardLocation) -> bool {
        match place {
            BoardLocation::Port(path) => {
                self.node == *path || self.links.contains(path) || path.canonicalize().is_ok_and(|real| real == self.node)
            }
            BoardLocation::Ids(ids) => self.ids == Some(*ids),
            BoardLocation::Serial(serial) => self.serial.as_ref() == Some(serial),
            BoardLocation::UsbPath(socket) => self.usb_path.as_ref() == Some(socket),
            BoardLocation::AnyOfModel(model) => matches!(self.verdict(), Verdict::Board(found) if found == *model),
        }
    }
}

/// Where a board is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardLocation {
    /// This device node, whether udev lists it or not: also a pseudo-terminal or a symbolic link.
    Port(PathBuf),
    /// Any USB device with these ids.
    Ids(UsbIds),
    /// The USB device with this serial number, in any socket.
    Serial(String),
    /// Any device in this USB socket.
    UsbPath(String),
    /// The first port, by name, with a USB id of this model itself that no other board uses.
    AnyOfModel(&'static Model),
}

impl fmt::Display for BoardLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardLocation::Port(path) => write!(f, "{}", path.display()),
            BoardLocation::Ids(ids) => write!(f, "USB device {ids}"),
            BoardLocation::Serial(serial) => write!(f, "USB device with serial number {serial}"),
            BoardLocation::UsbPath(socket) => write!(f, "USB socket {socket}"),
            BoardLocation::AnyOfModel(model) => write!(f, "any {} recognised by its USB id", model.title),
        }
    }
}

/// Returns the device node of each place, in order; `None` if nothing is plugged in there. No port is assigned twice, and
/// [`BoardLocation::AnyOfModel`] gets only ports that no other place names.
pub fn assign(places: &[BoardLocation], ports: &[Device]) -> Vec<Option<PathBuf>> {
    let mut nodes: Vec<Option<PathBuf>> = vec![None; places.len()];
    let priority = |place: &BoardLocation| match place {
        BoardLocation::Port(_) => 0,
        BoardLocation::Serial(_) | BoardLocation::UsbPath(_) => 1,
        BoardLocation::Ids(_) => 2,
        BoardLocation::AnyOfModel(_) => 3,
    };
    let mut by_priority: Vec<usize> = (0..places.len()).collect();
    by_priority.sort_by_key(|index| (priority(&places[*index]), *index));
    for index in by_priority {
        let place = &places[index];
        let is_free = |node: &Path, nodes: &[Option<PathBuf>]| !nodes.iter().flatten().any(|used| used == node);
        let listed = ports.iter().find(|port| port.is_at(place) && is_free(&port.node, &nodes)).map(|port| port.node.clone());
        nodes[index] = match place {
            // A pseudo-terminal is in no list: it is identified by its path alone.
            BoardLocation::Port(path) => {
                listed.or_else(|| Some(path.clone()).filter(|path| path.exists() && is_free(path, &nodes)))
            }
            _ => listed,
        };
    }
    nodes
}

/// Returns the devices to serve if no board is configured: those whose own USB id names a board, or that a udev rule assigns to
/// touchmove. A device with a generic id must be assigned or configured, even if it is the only one: probing it could disturb
/// whatever it is.
pub fn boards_to_serve(ports: &[Device]) -> impl Iterator<Item = (&Device, &'static Model)> {
    ports.iter().filter_map(|port| match port.verdict() {
        Verdict::Board(model) => Some((port, model)),
        _ => None,
    })
}

/// Lists the serial ports of this machine, by name, and the USB devices that may be boards without a serial port. Ports without
/// hardware, consoles and pseudo-terminals are left out. Blocks while a few files under `/sys` are read.
pub fn list() -> io::Result<Vec<Device>> {
    let mut enumerator = udev::Enumerator::new()?;
    enumerator.match_subsystem("tty")?;
    let mut devices: Vec<Device> = enumerator.scan_devices()?.filter_map(|device| port(&device)).collect();
    devices.extend(usb_devices()?.iter().filter_map(usb_board));
    devices.sort_by_key(|device| (device.kind == DeviceKind::Usb, natural_sort_key(&device.node.to_string_lossy())));
    Ok(devices)
}

fn usb_devices() -> io::Result<Vec<udev::Device>> {
    let mut enumerator = udev::Enumerator::new()?;
    enumerator.match_subsystem("usb")?;
    enumerator.match_property("DEVTYPE", "usb_device")?;
    Ok(enumerator.scan_devices()?.collect())
}

/// A board that is plugged in but has no serial port.
#[derive(Clone, Copy, Debug)]
pub struct PortlessBoard {
    /// USB ids.
    pub ids: UsbIds,
    /// Model.
    pub model: &'static Model,
}

/// Returns USB devices whose own id names a serial board and for which the kernel has created no serial port.
pub fn portless_boards() -> io::Result<Vec<PortlessBoard>> {
    let ports = list()?;
    let devices = usb_devices()?.into_iter().filter_map(|device| {
        let ids = ids_of(&device)?;
        let usb_path = Some(device.sysname().to_string_lossy().into_owned());
        match verdict(DeviceKind::Serial, ids) {
            Verdict::Board(model) if !ports.iter().any(|port| port.usb_path == usb_path) => Some(PortlessBoard { ids, model }),
            _ => None,
        }
    });
    Ok(devices.collect())
}

/// A device that is plugged in, may be a board, and is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedDevice {
    /// Device node; if it has none, its USB ids.
    pub device: String,
    /// Reason, in a sentence that says what to do.
    pub reason: String,
}

/// Returns the devices among these that may be boards and are not used. `places`: those of the configured boards; `None`: every
/// board with a board's own USB id is used.
pub fn find_unused(devices: &[Device], driverless: &[PortlessBoard], places: Option<&[BoardLocation]>) -> Vec<UnusedDevice> {
    let is_used = |device: &&Device| places.is_some_and(|places| places.iter().any(|place| device.is_at(place)));
    let listed = devices.iter().filter(|device| !is_used(device)).filter_map(|device| {
        let reason = match device.verdict() {
            Verdict::MaybeBoard(models) => {
                let titles: Vec<&str> = models.iter().map(|model| model.title).collect();
                format!(
                    "it may be a {}, but its adapter is built into other devices too: `touchmovectl doctor` shows how to use it",
                    titles.join(" or a ")
                )
            }
            Verdict::Board(model) if places.is_some() => {
                format!("it is a {} but is not configured: add a [[board]] for it, or remove every [[board]]", model.title)
            }
            Verdict::Board(_) | Verdict::Unknown => return None,
        };
        Some(UnusedDevice { device: device.node.display().to_string(), reason })
    });
    let portless = driverless.iter().map(|PortlessBoard { ids, model }| UnusedDevice {
        device: format!("USB device {ids}"),
        reason: format!(
            "it is a {} without a serial port: its kernel driver is missing: run `sudo modprobe cdc_acm`",
            model.title
        ),
    });
    listed.chain(portless).collect()
}

/// Properties set by udev rules and read by ModemManager.
const MODEM_MANAGER: [&str; 2] = ["ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE"];

/// Returns a sort key with which ttyUSB10 comes after ttyUSB9.
pub fn natural_sort_key(name: &str) -> (String, u64, String) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.to_owned(), name.get(stem.len()..).and_then(|digits| digits.parse().ok()).unwrap_or(0), name.to_owned())
}

fn port(device: &udev::Device) -> Option<Device> {
    let node = device.devnode()?.to_path_buf();
    // Consoles and pseudo-terminals have no parent device.
    let parent = device.parent()?;
    // The four ports that every PC claims to have: type 0 is `PORT_UNKNOWN`, no chip was found.
    if attribute(device, "type").as_deref() == Some("0") {
        return None;
    }
    let usb = device.parent_with_subsystem_devtype("usb", "usb_device").ok().flatten();
    Some(Device {
        kind: DeviceKind::Serial,
        node,
        links: links(device),
        ids: usb.as_ref().and_then(ids_of),
        given: assigned(device).filter(|model| DeviceKind::of(model.connection) == Some(DeviceKind::Serial)),
        serial: usb.as_ref().and_then(|usb| attribute(usb, "serial")),
        title: usb.as_ref().and_then(title),
        driver: std::iter::successors(Some(parent), |device| device.parent())
            // `port` and `ctrl` belong to the kernel's layer between a port and its driver.
            .filter(|device| device.subsystem().is_none_or(|subsystem| subsystem != "serial-base"))
            .find_map(|device| Some(device.driver()?.to_string_lossy().into_owned())),
        usb_path: usb.as_ref().map(|usb| usb.sysname().to_string_lossy().into_owned()),
        // The first property is for the whole device, the second for one of its ports.
        modem_manager_ignores: std::iter::once(Some(device.clone()))
            .chain([usb])
            .flatten()
            .any(|device| MODEM_MANAGER.iter().any(|name| device.property_value(name).is_some_and(|value| value == "1"))),
    })
}

/// Returns a USB device whose ids name a board that is accessed without a kernel driver.
fn usb_board(device: &udev::Device) -> Option<Device> {
    let ids = ids_of(device)?;
    (verdict(DeviceKind::Usb, ids) != Verdict::Unknown).then_some(())?;
    Some(Device {
        kind: DeviceKind::Usb,
        node: device.devnode()?.to_path_buf(),
        links: links(device),
        ids: Some(ids),
        given: assigned(device).filter(|model| DeviceKind::of(model.connection) == Some(DeviceKind::Usb)),
        serial: attribute(device, "serial"),
        title: title(device),
        driver: None,
        usb_path: Some(device.sysname().to_string_lossy().into_owned()),
        // ModemManager does not use such devices.
        modem_manager_ignores: true,
    })
}

fn links(device: &udev::Device) -> Vec<PathBuf> {
    let links = device.property_value("DEVLINKS").map(|links| links.to_string_lossy().into_owned());
    let mut links: Vec<PathBuf> = links.unwrap_or_default().split_whitespace().map(PathBuf::from).collect();
    links.sort();
    links
}

fn assigned(device: &udev::Device) -> Option<&'static Model> {
    boards::model(device.property_value(ASSIGNED_PROPERTY)?.to_str()?)
}

fn ids_of(usb: &udev::Device) -> Option<UsbIds> {
    let hex = |name: &str| u16::from_str_radix(&attribute(usb, name)?, 16).ok();
    Some(UsbIds { vendor: hex("idVendor")?, product: hex("idProduct")? })
}

fn title(usb: &udev::Device) -> Option<String> {
    let words: Vec<String> = ["manufacturer", "product"].iter().filter_map(|name| attribute(usb, name)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn attribute(device: &udev::Device, name: &str) -> Option<String> {
    let text = device.attribute_value(name)?.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Waits for plug events from udev; polls only where udev does not run.
pub struct PlugMonitor(AsyncFd<udev::MonitorSocket>);

/// Polling interval where udev does not run.
pub const POLL_INTERVAL: Duration = Duration::from_secs(5);

impl PlugMonitor {
    /// Subscribes to udev's events. Must be called inside a tokio runtime with I/O and time. All later events are reported.
    ///
    /// # Errors
    /// udev cannot be subscribed to, as in some containers.
    pub fn listen() -> io::Result<PlugMonitor> {
        let socket =
            udev::MonitorBuilder::new()?.match_subsystem("tty")?.match_subsystem_devtype("usb", "usb_device")?.listen()?;
        // The replacement is `unsafe`: its caller must know that the descriptor stays the same, as this socket's does.
        #[allow(deprecated)]
        Ok(PlugMonitor(AsyncFd::with_interest(socket, Interest::READABLE)?))
    }

    /// Waits for a plug event. Without udev, as in some containers, returns every five seconds.
    ///
    /// # Errors
    /// The socket failed; call [`PlugMonitor::listen`] again.
    pub async fn next(&mut self) -> io::Result<()> {
        if Path::new("/run/udev/control").exists() {
            return self.wait_readable().await;
        }
        tokio::time::timeout(POLL_INTERVAL, self.wait_readable()).await.unwrap_or(Ok(()))
    }

    async fn wait_readable(&mut self) -> io::Result<()> {
        loop {
            let mut ready = self.0.readable().await?;
            let has_events = ready.get_inner().iter().count() > 0;
            ready.clear_ready();
            if has_events {
                return Ok(());
            }
        }
    }
}
