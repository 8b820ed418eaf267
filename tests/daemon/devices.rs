//! The list of devices that a static program reads from the kernel (`link::watch::sysfs`) is that of libudev.

use super::plugs::umockdev;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use touchmove::link::watch::sysfs;

/// The devices of a subsystem as an implementation lists them, each with all that `link::watch::list` reads of it.
macro_rules! listed {
    ($library:ident, $subsystem:expr, $property:expr) => {{
        let mut enumerator = $library::Enumerator::new().unwrap();
        enumerator.match_subsystem($subsystem).unwrap();
        if let Some((name, value)) = $property {
            enumerator.match_property(name, value).unwrap();
        }
        let describe = |device: $library::Device| {
            let text = |value: &OsStr| value.to_string_lossy().into_owned();
            let usb = device.parent_with_subsystem_devtype("usb", "usb_device").unwrap();
            let attributes = ["type", "idVendor", "idProduct", "serial", "manufacturer", "product"]
                .map(|name| device.attribute_value(name).map(|value| text(value.as_ref())));
            let properties = ["DEVTYPE", "TOUCHMOVE_BOARD", "ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE"]
                .map(|name| device.property_value(name).map(|value| text(value.as_ref())));
            let links: Option<BTreeSet<String>> = device
                .property_value("DEVLINKS")
                .map(|links| text(links.as_ref()).split_whitespace().map(str::to_owned).collect());
            let above = [device.parent(), usb].map(|device| device.map(|device| text(device.sysname().as_ref())));
            format!(
                "{:?} node {:?} driver {:?} subsystem {:?} attributes {attributes:?} properties {properties:?} links {links:?} below {above:?}",
                text(device.sysname().as_ref()),
                device.devnode().map(|node| node.to_path_buf()),
                device.driver().map(|driver| text(driver.as_ref())),
                device.subsystem().map(|subsystem| text(subsystem.as_ref())),
            )
        };
        enumerator.scan_devices().unwrap().map(describe).collect::<BTreeSet<String>>()
    }};
}

/// In the process that this variable names, the devices are fake.
const FAKE: &str = "TOUCHMOVE_FAKE_DEVICES";

#[test]
fn static_programs_list_the_devices_that_libudev_lists() {
    for (subsystem, property) in [("tty", None), ("usb", Some(("DEVTYPE", "usb_device"))), ("nothing_is_called_so", None)] {
        let devices = listed!(sysfs, subsystem, property);
        assert_eq!(devices, listed!(udev, subsystem, property), "{subsystem}");
        if std::env::var_os(FAKE).is_some() && property.is_some() {
            assert_eq!(devices.len(), 3, "{devices:?}");
        }
    }
    if std::env::var_os(FAKE).is_some() {
        return;
    }
    // Once more in a process whose devices are fake: this machine need not have any.
    let Some(mut command) = umockdev("plugs.py") else { return };
    let dir = tempfile::tempdir().unwrap();
    let output = command
        .arg(dir.path().join("log"))
        .args(["hid 1-2 4 SN0001", "tty 1-3 5 ttyACM0 23946 045b:8111", "--"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "daemon::devices::static_programs_list_the_devices_that_libudev_lists", "--nocapture"])
        .env(FAKE, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
