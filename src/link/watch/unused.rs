//! Devices that are plugged in, may be boards, and are not used.

use super::device::{Device, Verdict};
use super::list::PortlessBoard;
use super::location::BoardLocation;

/// A device that is plugged in, may be a board, and is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedDevice {
    /// Device node; if it has none, its USB ids.
    pub device: String,
    /// Reason, in a sentence that says what to do.
    pub reason: String,
    /// The models that it may be, if naming it in the configuration is all that is missing; otherwise none.
    pub models: Vec<&'static str>,
}

/// Returns the devices among these that may be boards and are not used. `places`: those of the configured boards; `None`: every
/// board with a board's own USB id is used.
pub fn find_unused(devices: &[Device], driverless: &[PortlessBoard], places: Option<&[BoardLocation]>) -> Vec<UnusedDevice> {
    let is_used = |device: &&Device| places.is_some_and(|places| places.iter().any(|place| device.is_at(place)));
    let listed = devices.iter().filter(|device| !is_used(device)).filter_map(|device| {
        let (reason, models) = match device.verdict() {
            Verdict::MaybeBoard(models) => {
                let names = models.iter().map(|model| model.name).collect();
                let titles: Vec<&str> = models.iter().map(|model| model.title).collect();
                let reason = format!(
                    "it may be a {}, but its adapter is built into other devices too: `touchmovectl doctor` shows how to use it",
                    titles.join(" or a ")
                );
                (reason, names)
            }
            Verdict::Board(model) if places.is_some() => {
                let advice = "add a [[board]] for it, or remove every [[board]]";
                (format!("it is a {} but is not configured: {advice}", model.title), vec![model.name])
            }
            Verdict::Board(_) | Verdict::Unknown => return None,
        };
        Some(UnusedDevice { device: device.node.display().to_string(), reason, models })
    });
    let portless = driverless.iter().map(|PortlessBoard { ids, model }| UnusedDevice {
        device: format!("USB device {ids}"),
        reason: format!(
            "it is a {} without a serial port: its kernel driver is missing: run `sudo modprobe cdc_acm`",
            model.title
        ),
        models: Vec::new(),
    });
    listed.chain(portless).collect()
}
