//! The characteristics of a connected board.

use super::objects::{Characteristic, Objects};
use super::{Address, Unavailable};
use crate::boards::bluetooth::GattProfile;

/// The characteristics through which a board is read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Channels {
    /// Those that the board sends on, in the order of the profile.
    pub notify: Vec<Characteristic>,
    /// The one that it receives on.
    pub write: Characteristic,
}

/// Finds the characteristics of this profile on the device with this path.
///
/// # Errors
/// [`Unavailable::OtherDevice`]: one of them is missing, or cannot be used as the profile says.
pub(super) fn find(
    objects: &Objects,
    device: &str,
    gatt: &GattProfile,
    address: Address,
    title: &'static str,
) -> Result<Channels, Unavailable> {
    let of_device = || objects.characteristics.iter().filter(|known| is_below(&known.path, device));
    let other_device = |missing: String| Unavailable::OtherDevice { address, title, missing };
    if let Some(service) = gatt.services.iter().find(|service| !of_device().any(|known| known.service == **service)) {
        return Err(other_device(format!("service {service}")));
    }
    let find = |uuid: &str, flags: &[&str]| {
        let named = of_device().filter(|known| known.uuid == uuid && gatt.services.contains(&known.service.as_str()));
        let is_usable = |known: &&Characteristic| flags.iter().any(|flag| known.flags.iter().any(|known| known == flag));
        named.into_iter().find(is_usable).cloned().ok_or_else(|| other_device(format!("characteristic {uuid}")))
    };
    let notify: Result<Vec<Characteristic>, Unavailable> =
        gatt.notify.iter().map(|uuid| find(uuid, &["notify", "indicate"])).collect();
    Ok(Channels { notify: notify?, write: find(gatt.write, &["write-without-response", "write"])? })
}

fn is_below(path: &str, device: &str) -> bool {
    path.strip_prefix(device).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::bluetooth::{NORDIC_UART, NORDIC_UART_SERVICE};

    #[test]
    fn the_characteristics_of_the_device_alone_are_found() {
        let address: Address = "AA:BB:CC:DD:EE:FF".parse().unwrap();
        let characteristic = |path: &str, uuid: &str, flag: &str| Characteristic {
            path: path.to_owned(),
            service: NORDIC_UART_SERVICE.to_owned(),
            uuid: uuid.to_owned(),
            flags: vec![flag.to_owned()],
            mtu: None,
        };
        let gatt = &NORDIC_UART;
        let notify = |path: &str| characteristic(path, gatt.notify[0], "notify");
        let mut objects = Objects {
            characteristics: vec![notify("/d10/s/n"), characteristic("/d10/s/w", gatt.write, "write")],
            ..Objects::default()
        };
        let missing = |objects: &Objects| match find(objects, "/d1", gatt, address, "board") {
            Err(Unavailable::OtherDevice { missing, .. }) => missing,
            other => panic!("{other:?}"),
        };
        // Another board has them.
        assert_eq!(missing(&objects), format!("service {NORDIC_UART_SERVICE}"));
        objects.characteristics.push(notify("/d1/s/n"));
        assert_eq!(missing(&objects), format!("characteristic {}", gatt.write));
        // It cannot be written.
        objects.characteristics.push(characteristic("/d1/s/r", gatt.write, "read"));
        assert_eq!(missing(&objects), format!("characteristic {}", gatt.write));
        objects.characteristics.push(characteristic("/d1/s/w", gatt.write, "write-without-response"));
        let found = find(&objects, "/d1", gatt, address, "board").unwrap();
        assert_eq!((found.notify[0].path.as_str(), found.write.path.as_str()), ("/d1/s/n", "/d1/s/w"));
    }
}
