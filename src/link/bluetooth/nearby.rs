//! The devices that are near.

use super::{Device, Guess, Lookup, Objects, guess};
use std::cmp::Reverse;

/// Returns the devices that were received during a scan or are connected, each with the board that it may be: boards first, the surest
/// and strongest first.
pub fn nearby(objects: &Objects) -> Vec<(&Device, Option<Guess>)> {
    let is_near = |device: &&Device| device.rssi.is_some() || device.is_connected;
    // A device that several adapters receive is returned once.
    let is_best = |device: &&Device| match objects.look_up(device.address) {
        Ok(Lookup::Known(best)) => best.path == device.path,
        _ => true,
    };
    let devices = objects.devices.iter().filter(is_near).filter(is_best);
    let mut nearby: Vec<(&Device, Option<Guess>)> = devices.map(|device| (device, guess(device))).collect();
    nearby.sort_by_key(|(device, guess)| {
        let confidence = guess.as_ref().map(|guess| guess.confidence);
        (Reverse(confidence), Reverse(device.rssi), device.address)
    });
    nearby
}
