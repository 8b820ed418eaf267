//! What BlueZ knows: its objects, and whether a board can be reached.

use super::bluez::{ADAPTER, CHARACTERISTIC, DEVICE, SERVICE};
use super::{Address, Unavailable};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use zbus::OwnedVariant;
use zbus::fdo::ManagedObjects;

/// An adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adapter {
    /// Object path, such as `/org/bluez/hci0`.
    pub path: String,
    /// Whether it is on.
    pub is_on: bool,
    /// Whether rfkill blocks it; `None`: BlueZ is too old to say so.
    pub is_blocked: Option<bool>,
}

impl Adapter {
    /// Returns its name, such as `hci0`.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// A device that BlueZ knows, near or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Object path.
    pub path: String,
    /// Address.
    pub address: Address,
    /// The name that it advertises.
    pub name: Option<String>,
    /// Whether it was received during the scan.
    pub is_received: bool,
    /// How strongly it was received, in dBm, if the adapter says so.
    pub rssi: Option<i16>,
    /// UUIDs of the services that it advertises or has, in lower case.
    pub services: Vec<String>,
    /// Whether it is connected to this machine.
    pub is_connected: bool,
    /// Whether its characteristics are known.
    pub is_resolved: bool,
    /// Whether it is paired.
    pub is_paired: bool,
    /// Whether BlueZ was told to refuse it.
    pub is_blocked: bool,
}

/// A characteristic of a connected device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Characteristic {
    /// Object path, below that of its device.
    pub path: String,
    /// UUID of its service, in lower case.
    pub service: String,
    /// UUID, in lower case.
    pub uuid: String,
    /// What can be done with it, such as `notify`.
    pub flags: Vec<String>,
    /// MTU of its connection, where BlueZ says so.
    pub mtu: Option<u16>,
}

/// Everything that BlueZ knows, in the order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// The adapters.
    pub adapters: Vec<Adapter>,
    /// The devices.
    pub devices: Vec<Device>,
    /// The characteristics.
    pub characteristics: Vec<Characteristic>,
}

/// Whether BlueZ knows a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// It does, on an adapter that is on.
    Known(&'a Device),
    /// It does not: these adapters, which are on, can scan for it.
    Unknown(Vec<&'a Adapter>),
}

impl Device {
    /// Returns the object path of its adapter.
    pub(super) fn adapter(&self) -> &str {
        adapter_of(&self.path)
    }
}

/// Returns the object path of the adapter of the device with this path.
pub(super) fn adapter_of(device: &str) -> &str {
    device.rsplit_once('/').map_or("", |(adapter, _)| adapter)
}

/// The strength in place of one that the adapter does not know, in dBm.
const UNKNOWN_STRENGTH: i16 = 127;

type Values = HashMap<String, OwnedVariant>;

fn flag(values: &Values, name: &str) -> bool {
    values.get(name).and_then(|value| bool::try_from(value).ok()).unwrap_or(false)
}

fn text(values: &Values, name: &str) -> Option<String> {
    let text = <&str>::try_from(values.get(name)?).ok().map(str::to_owned);
    text.or_else(|| Some(<&zbus::ObjectPath<'_>>::try_from(values.get(name)?).ok()?.to_string()))
}

fn uuid(values: &Values) -> Option<String> {
    text(values, "UUID").map(|uuid| uuid.to_ascii_lowercase())
}

fn texts(values: &Values, name: &str) -> Vec<String> {
    let list = values.get(name).and_then(|value| value.try_clone().ok());
    list.and_then(|list| Vec::<String>::try_from(list).ok()).unwrap_or_default()
}

impl Objects {
    /// Reads what `GetManagedObjects` returned; what is not as expected is left out.
    pub(super) fn parse(managed: &ManagedObjects) -> Objects {
        let mut objects = Objects::default();
        // By path: whoever advertises many devices must not make this quadratic.
        let by_path: BTreeMap<&str, _> = managed.iter().map(|(path, interfaces)| (path.as_str(), interfaces)).collect();
        let values = |path: &str, interface: &str| {
            by_path.get(path)?.iter().find(|(name, _)| name.as_str() == interface).map(|(_, values)| values)
        };
        for &path in by_path.keys() {
            if let Some(adapter) = values(path, ADAPTER) {
                let is_blocked = text(adapter, "PowerState").map(|state| state == "off-blocked");
                objects.adapters.push(Adapter { path: path.to_owned(), is_on: flag(adapter, "Powered"), is_blocked });
            }
            objects.devices.extend(values(path, DEVICE).and_then(|device| parse_device(path, device)));
            if let Some(values_here) = values(path, CHARACTERISTIC) {
                let service = text(values_here, "Service").and_then(|service| uuid(values(&service, SERVICE)?));
                let (Some(service), Some(uuid)) = (service, uuid(values_here)) else { continue };
                let mtu = values_here.get("MTU").and_then(|mtu| u16::try_from(mtu).ok());
                let flags = texts(values_here, "Flags");
                objects.characteristics.push(Characteristic { path: path.to_owned(), service, uuid, flags, mtu });
            }
        }
        objects
    }

    /// Returns the adapters that are on.
    ///
    /// # Errors
    /// There is none: why.
    pub fn usable_adapters(&self) -> Result<Vec<&Adapter>, Unavailable> {
        let on: Vec<&Adapter> = self.adapters.iter().filter(|adapter| adapter.is_on).collect();
        match self.adapters.first() {
            None => Err(Unavailable::NoAdapter),
            Some(_) if !on.is_empty() => Ok(on),
            Some(_) if self.adapters.iter().any(|adapter| adapter.is_blocked == Some(true)) => Err(Unavailable::Blocked),
            Some(first) => Err(Unavailable::AdapterOff(first.name().to_owned())),
        }
    }

    /// Returns the best device of each address: the one that is connected, and otherwise one that is received, or whose adapter has the
    /// fewest connections. Devices of adapters that are off count least.
    pub(super) fn best_devices(&self) -> BTreeMap<Address, &Device> {
        let on: HashSet<&str> =
            self.adapters.iter().filter(|adapter| adapter.is_on).map(|adapter| adapter.path.as_str()).collect();
        let mut links: HashMap<&str, usize> = HashMap::new();
        for device in self.devices.iter().filter(|device| device.is_connected) {
            *links.entry(device.adapter()).or_default() += 1;
        }
        let rank = |device: &Device| {
            let count = links.get(device.adapter()).copied().unwrap_or(0);
            (on.contains(device.adapter()), device.is_connected, device.is_received, Reverse(count))
        };
        let mut best: BTreeMap<Address, &Device> = BTreeMap::new();
        for device in &self.devices {
            let known = best.entry(device.address).or_insert(device);
            if rank(device) >= rank(known) {
                *known = device;
            }
        }
        best
    }

    /// Looks for a board by its address, whatever its name is. If several adapters know it, the one that is connected to it counts,
    /// and otherwise one that receives it, or has the fewest connections.
    ///
    /// # Errors
    /// Nothing can be reached, or the board is blocked.
    pub fn look_up(&self, board: Address) -> Result<Lookup<'_>, Unavailable> {
        let adapters = self.usable_adapters()?;
        let known = self.devices.iter().filter(|device| device.address == board);
        let reachable = known.filter(|device| adapters.iter().any(|adapter| adapter.path == device.adapter()));
        let links =
            |adapter: &str| self.devices.iter().filter(|other| other.is_connected && other.adapter() == adapter).count();
        match reachable.max_by_key(|device| (device.is_connected, device.is_received, Reverse(links(device.adapter())))) {
            Some(device) if device.is_blocked => Err(Unavailable::DeviceBlocked(board)),
            Some(device) => Ok(Lookup::Known(device)),
            None => Ok(Lookup::Unknown(adapters)),
        }
    }

    /// Returns why the connection to a board has ended, by what BlueZ knows now.
    pub(super) fn loss(&self, board: Address) -> Unavailable {
        match self.look_up(board) {
            Err(reason) => reason,
            Ok(_) => Unavailable::Lost(board),
        }
    }
}

fn parse_device(path: &str, values: &Values) -> Option<Device> {
    let rssi = values.get("RSSI").and_then(|rssi| i16::try_from(rssi).ok());
    Some(Device {
        path: path.to_owned(),
        address: text(values, "Address")?.parse().ok()?,
        name: text(values, "Name"),
        is_received: rssi.is_some(),
        rssi: rssi.filter(|rssi| *rssi != UNKNOWN_STRENGTH),
        services: texts(values, "UUIDs").into_iter().map(|uuid| uuid.to_ascii_lowercase()).collect(),
        is_connected: flag(values, "Connected"),
        is_resolved: flag(values, "ServicesResolved"),
        is_paired: flag(values, "Paired"),
        is_blocked: flag(values, "Blocked"),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use zbus::Variant;

    fn adapter(path: &str, is_on: bool) -> Adapter {
        Adapter { path: path.to_owned(), is_on, is_blocked: None }
    }

    pub(in crate::link::bluetooth) fn device(path: &str, address: &str) -> Device {
        Device {
            path: path.to_owned(),
            address: address.parse().unwrap(),
            name: None,
            is_received: false,
            rssi: None,
            services: Vec::new(),
            is_connected: false,
            is_resolved: false,
            is_paired: false,
            is_blocked: false,
        }
    }

    const A: &str = "AA:BB:CC:DD:EE:01";
    const B: &str = "AA:BB:CC:DD:EE:02";

    #[test]
    fn an_adapter_that_is_on_is_needed() {
        let board: Address = A.parse().unwrap();
        let mut objects = Objects { devices: vec![device("/org/bluez/hci0/dev_1", A)], ..Objects::default() };
        assert_eq!(objects.look_up(board), Err(Unavailable::NoAdapter));
        objects.adapters = vec![adapter("/org/bluez/hci0", false), adapter("/org/bluez/hci1", false)];
        assert_eq!(objects.look_up(board), Err(Unavailable::AdapterOff("hci0".to_owned())));
        objects.adapters[1].is_blocked = Some(true);
        assert_eq!(objects.look_up(board), Err(Unavailable::Blocked));
        // Another adapter does not know the board yet.
        objects.adapters[1] = adapter("/org/bluez/hci1", true);
        assert_eq!(objects.look_up(board), Ok(Lookup::Unknown(vec![&objects.adapters[1]])));
        objects.adapters[0].is_on = true;
        assert_eq!(objects.look_up(board), Ok(Lookup::Known(&objects.devices[0])));
    }

    #[test]
    fn the_adapter_that_is_connected_counts() {
        let board: Address = A.parse().unwrap();
        let connected = Device { is_connected: true, ..device("/org/bluez/hci1/dev_1", A) };
        let other = device("/org/bluez/hci10/dev_2", "AA:BB:CC:DD:EE:02");
        let objects = Objects {
            adapters: vec![adapter("/org/bluez/hci0", true), adapter("/org/bluez/hci1", true)],
            devices: vec![connected, device("/org/bluez/hci0/dev_1", A), other],
            ..Objects::default()
        };
        assert_eq!(objects.look_up(board), Ok(Lookup::Known(&objects.devices[0])));
        // hci10 is not hci1.
        let unknown = objects.look_up("AA:BB:CC:DD:EE:02".parse().unwrap());
        assert!(matches!(unknown, Ok(Lookup::Unknown(_))), "{unknown:?}");
        // Nobody is connected to it: the adapter that has less to do.
        let on = |adapter: &str| device(&format!("/org/bluez/{adapter}/dev_1"), A);
        let busy = Device { is_connected: true, ..device("/org/bluez/hci1/dev_3", "AA:BB:CC:DD:EE:03") };
        let shared = Objects { devices: vec![on("hci0"), on("hci1"), busy], ..objects.clone() };
        assert_eq!(shared.look_up(board), Ok(Lookup::Known(&shared.devices[0])));
        let blocked = Device { is_blocked: true, ..objects.devices[0].clone() };
        let objects = Objects { devices: vec![blocked], ..objects };
        assert_eq!(objects.look_up(board), Err(Unavailable::DeviceBlocked(board)));
    }

    #[test]
    fn managed_objects_are_read_and_strange_ones_left_out() {
        let owned = |value: Variant<'static>| value.try_into_owned().unwrap();
        let object = |interface: &'static str, values: Vec<(&str, Variant<'static>)>| {
            let values = values.into_iter().map(|(name, value)| (name.to_owned(), owned(value))).collect();
            HashMap::from([(zbus::names::OwnedInterfaceName::try_from(interface).unwrap(), values)])
        };
        let path = |path: &str| zbus::OwnedObjectPath::try_from(path.to_owned()).unwrap();
        let hci = "/org/bluez/hci0";
        let service = zbus::ObjectPath::try_from("/org/bluez/hci0/dev_1/s").unwrap();
        let managed: ManagedObjects = HashMap::from([
            (path(hci), object(ADAPTER, vec![("Powered", false.into()), ("PowerState", "off-blocked".into())])),
            (
                path("/org/bluez/hci0/dev_1"),
                object(
                    DEVICE,
                    vec![
                        ("Address", A.into()),
                        ("RSSI", (-60i16).into()),
                        ("UUIDs", vec!["6E400001-B5A3-F393-E0A9-E50E24DCCA9E"].into()),
                    ],
                ),
            ),
            (path("/org/bluez/hci0/dev_2"), object(DEVICE, vec![("Address", 7u16.into())])),
            (path("/org/bluez/hci0/dev_3"), object(DEVICE, vec![("Address", B.into()), ("RSSI", 127i16.into())])),
            (path("/org/bluez/hci0/dev_1/s"), object(SERVICE, vec![("UUID", "AB".into())])),
            (
                path("/org/bluez/hci0/dev_1/s/c"),
                object(
                    CHARACTERISTIC,
                    vec![
                        ("UUID", "CD".into()),
                        ("Service", service.into()),
                        ("Flags", vec!["notify"].into()),
                        ("MTU", 23u16.into()),
                    ],
                ),
            ),
            (path("/org/bluez/hci0/dev_1/s/d"), object(CHARACTERISTIC, vec![("UUID", "CD".into())])),
        ]);
        let objects = Objects::parse(&managed);
        assert_eq!(objects.adapters, [Adapter { path: hci.to_owned(), is_on: false, is_blocked: Some(true) }]);
        let services = vec!["6e400001-b5a3-f393-e0a9-e50e24dcca9e".to_owned()];
        let near = Device { is_received: true, rssi: Some(-60), services, ..device("/org/bluez/hci0/dev_1", A) };
        let of_unknown_strength = Device { is_received: true, ..device("/org/bluez/hci0/dev_3", B) };
        assert_eq!(objects.devices, [near, of_unknown_strength]);
        let [only] = objects.characteristics.as_slice() else { panic!("{objects:?}") };
        assert_eq!((only.service.as_str(), only.uuid.as_str(), only.mtu), ("ab", "cd", Some(23)));
        assert_eq!(only.flags, ["notify"]);
    }
}
