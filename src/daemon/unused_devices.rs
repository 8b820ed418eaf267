//! Devices that may be boards and are not used, published on D-Bus with the reason.

use super::hub::Hub;
use super::links::PlugEvents;
use crate::link::BoardLocation;
use crate::link::watch::{self, UnusedDevice};
use std::sync::Arc;
use std::time::Duration;
use tracing::{info, warn};

/// Time after a plug event until the driver is bound, if there is one, and udev has set the device's owner.
const UDEV_SETTLE_TIME: Duration = Duration::from_secs(1);

/// Keeps the list up to date as devices come and go; never returns. `places`: those of the configured boards; `None`: every board
/// with a board's own USB id is used.
pub async fn run(hub: Arc<Hub>, places: Option<Arc<[BoardLocation]>>, mut plugs: PlugEvents) {
    let mut has_warned = false;
    loop {
        match watch::list().and_then(|devices| Ok((devices, watch::portless_boards()?))) {
            Ok((devices, driverless)) => {
                let unused = watch::find_unused(&devices, &driverless, places.as_deref());
                let before = hub.read(|state| state.unused.clone());
                for UnusedDevice { device, reason, .. } in unused.iter().filter(|device| !before.contains(device)) {
                    info!("{device} is not used: {reason}");
                }
                hub.set_unused(unused);
            }
            Err(error) if !has_warned => {
                warn!("unused devices cannot be listed ({error})");
                has_warned = true;
            }
            Err(_) => {}
        }
        if plugs.changed().await.is_err() {
            return;
        }
        tokio::time::sleep(UDEV_SETTLE_TIME).await;
    }
}
