//! The kernel's list of devices, read from `/sys` and from the files of udev's database.
//!
//! A static program cannot load the system's libudev; for it this file takes the place of the crate `udev`, whose functions it has. It
//! has no plug events.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Lists devices, like `udev::Enumerator`.
#[derive(Debug, Default)]
pub struct Enumerator {
    subsystem: String,
    properties: Vec<(String, String)>,
}

impl Enumerator {
    /// Returns an enumerator without a subsystem.
    ///
    /// # Errors
    /// None.
    pub fn new() -> io::Result<Enumerator> {
        Ok(Enumerator::default())
    }

    /// Lists the devices of this subsystem, such as `tty`.
    ///
    /// # Errors
    /// None.
    pub fn match_subsystem(&mut self, subsystem: &str) -> io::Result<()> {
        subsystem.clone_into(&mut self.subsystem);
        Ok(())
    }

    /// Lists only devices that have this value of the property.
    ///
    /// # Errors
    /// None.
    pub fn match_property(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.properties.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Returns the devices, in the order of their names.
    ///
    /// # Errors
    /// `/sys` cannot be read. A subsystem that does not exist has no devices.
    pub fn scan_devices(&self) -> io::Result<impl Iterator<Item = Device> + use<>> {
        let folders =
            ["/sys/bus/SUBSYSTEM/devices", "/sys/class/SUBSYSTEM"].map(|path| path.replace("SUBSYSTEM", &self.subsystem));
        let entries = match folders.iter().find(|folder| Path::new(folder).exists()) {
            Some(folder) => fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?,
            None if Path::new("/sys/class").exists() => Vec::new(),
            None => return Err(io::Error::new(io::ErrorKind::NotFound, "/sys is not mounted")),
        };
        let mut devices: Vec<Device> = entries.iter().filter_map(|entry| Device::at(&entry.path())).collect();
        devices.sort_by(|one, other| one.path.cmp(&other.path));
        let properties = self.properties.clone();
        let matches = move |device: &Device| {
            properties.iter().all(|(name, value)| device.property_value(name).is_some_and(|found| found == value.as_str()))
        };
        Ok(devices.into_iter().filter(matches))
    }
}

/// A device of the kernel, like `udev::Device`.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its directory below `/sys/devices`.
    path: PathBuf,
}

impl Device {
    fn at(path: &Path) -> Option<Device> {
        let path = path.canonicalize().ok()?;
        path.join("uevent").is_file().then_some(Device { path })
    }

    /// The nearest device above this one.
    pub fn parent(&self) -> Option<Device> {
        self.path.ancestors().skip(1).take_while(|path| path.starts_with("/sys/devices")).find_map(Device::at)
    }

    /// The nearest device above this one that is of this subsystem and of this type.
    ///
    /// # Errors
    /// None.
    pub fn parent_with_subsystem_devtype(&self, subsystem: &str, devtype: &str) -> io::Result<Option<Device>> {
        Ok(std::iter::successors(self.parent(), Device::parent).find(|device| {
            device.subsystem().is_some_and(|name| name == subsystem)
                && device.property_value("DEVTYPE").is_some_and(|name| name == devtype)
        }))
    }

    /// The name of its directory, such as `ttyUSB0`.
    pub fn sysname(&self) -> OsString {
        self.path.file_name().unwrap_or_default().to_owned()
    }

    /// Its subsystem, such as `tty`.
    pub fn subsystem(&self) -> Option<OsString> {
        self.link("subsystem")
    }

    /// The driver that it has.
    pub fn driver(&self) -> Option<OsString> {
        self.link("driver")
    }

    fn link(&self, name: &str) -> Option<OsString> {
        Some(fs::read_link(self.path.join(name)).ok()?.file_name()?.to_owned())
    }

    /// Its file below `/dev`.
    pub fn devnode(&self) -> Option<PathBuf> {
        Some(Path::new("/dev").join(value(&self.uevent(), "", "DEVNAME")?))
    }

    /// The content of a file in its directory.
    pub fn attribute_value(&self, name: &str) -> Option<OsString> {
        Some(fs::read_to_string(self.path.join(name)).ok()?.trim_end_matches('\n').into())
    }

    /// A property that the kernel gives it, or that udev's rules have set.
    pub fn property_value(&self, name: &str) -> Option<OsString> {
        if name == "DEVLINKS" {
            let database = self.database()?;
            let links: Vec<String> =
                database.lines().filter_map(|line| Some(format!("/dev/{}", line.strip_prefix("S:")?))).collect();
            return (!links.is_empty()).then(|| links.join(" ").into());
        }
        let found = value(&self.uevent(), "", name).map(str::to_owned);
        found.or_else(|| value(&self.database()?, "E:", name).map(str::to_owned)).map(OsString::from)
    }

    fn uevent(&self) -> String {
        fs::read_to_string(self.path.join("uevent")).unwrap_or_default()
    }

    /// What udev knows of a device that has a file below `/dev`. Ports and USB devices are character devices.
    fn database(&self) -> Option<String> {
        let number = fs::read_to_string(self.path.join("dev")).ok()?;
        fs::read_to_string(format!("/run/udev/data/c{}", number.trim_end())).ok()
    }
}

/// Returns the value in the line `PREFIXname=value`.
fn value<'a>(lines: &'a str, prefix: &str, name: &str) -> Option<&'a str> {
    lines.lines().find_map(|line| line.strip_prefix(prefix)?.strip_prefix(name)?.strip_prefix('='))
}
