//! The devices that are near.

use super::{Device, Guess, Objects, guess};
use std::cmp::Reverse;

/// Returns the devices that were received during a scan or are connected, each with the board that it may be: boards first, the surest
/// and strongest first. A device that several adapters receive is returned once.
pub fn nearby(objects: &Objects) -> Vec<(&Device, Option<Guess>)> {
    let is_near = |device: &&Device| device.is_received || device.is_connected;
    let devices = objects.best_devices().into_values().filter(is_near);
    let mut nearby: Vec<(&Device, Option<Guess>)> = devices.map(|device| (device, guess(device))).collect();
    nearby.sort_by_key(|(device, guess)| {
        let confidence = guess.as_ref().map(|guess| guess.confidence);
        (Reverse(confidence), Reverse(device.rssi), device.address)
    });
    nearby
}

#[cfg(test)]
mod tests {
    use super::super::Adapter;
    use super::super::objects::tests::device;
    use super::*;

    #[test]
    fn a_device_of_several_adapters_is_returned_once() {
        const A: &str = "AA:BB:CC:DD:EE:01";
        const B: &str = "AA:BB:CC:DD:EE:02";
        let received = |path: &str, address, rssi| Device { is_received: true, rssi: Some(rssi), ..device(path, address) };
        let adapter = |path: &str, is_on| Adapter { path: path.to_owned(), is_on, is_blocked: None };
        let mut objects = Objects {
            adapters: vec![adapter("/org/bluez/hci0", true), adapter("/org/bluez/hci1", true)],
            devices: vec![
                received("/org/bluez/hci0/dev_1", A, -50),
                received("/org/bluez/hci0/dev_2", B, -60),
                Device { is_connected: true, ..device("/org/bluez/hci1/dev_1", A) },
                device("/org/bluez/hci1/dev_3", "AA:BB:CC:DD:EE:03"),
            ],
            ..Objects::default()
        };
        let paths =
            |objects: &Objects| -> Vec<String> { nearby(objects).into_iter().map(|(device, _)| device.path.clone()).collect() };
        assert_eq!(paths(&objects), ["/org/bluez/hci0/dev_2", "/org/bluez/hci1/dev_1"]);
        // What an adapter that is off has known counts least.
        objects.adapters[1].is_on = false;
        assert_eq!(paths(&objects), ["/org/bluez/hci0/dev_1", "/org/bluez/hci0/dev_2"]);
    }
}
