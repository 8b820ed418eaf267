//! The devices that udev lists.

use super::device::{Device, DeviceKind, UsbIds, Verdict, verdict};
#[cfg(target_feature = "crt-static")]
use super::sysfs as udev;
use crate::boards::{self, Model};
use crate::link::rules::ASSIGNED_PROPERTY;
use std::io;
use std::path::PathBuf;

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
        assigned_model: assigned(device).filter(|model| DeviceKind::of(model.connection) == Some(DeviceKind::Serial)),
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
        assigned_model: assigned(device).filter(|model| DeviceKind::of(model.connection) == Some(DeviceKind::Usb)),
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
