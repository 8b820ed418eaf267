//! The connection to BlueZ that all links of this process share, and the scan that they share.

use super::bluez::{ADAPTER, Bluez, CallError, Options};
use super::rfcomm::SerialProfile;
use super::{Address, Unavailable};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tracing::debug;
use zbus::Connection;

/// Timeout of the connection to the bus.
const BUS_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval between looks whether a scan has found a board.
const SCAN_POLL_INTERVAL: Duration = Duration::from_millis(300);

/// BlueZ, on the system bus. Clones share one connection, which is opened when it is needed first.
#[derive(Clone, Debug, Default)]
pub struct Radio(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    connection: Mutex<Option<Connection>>,
    serial: SerialProfile,
    /// The paths of the adapters that scan, once for each scan that is wanted.
    scans: std::sync::Mutex<Vec<String>>,
    /// Held while adapters begin or end to scan: an end that BlueZ is told of late would end a scan that has begun meanwhile.
    scan_turn: Mutex<()>,
}

impl Radio {
    /// Returns BlueZ, whether it runs or not.
    ///
    /// # Errors
    /// There is no system bus.
    pub async fn bluez(&self) -> Result<Bluez, Unavailable> {
        let mut shared = self.0.connection.lock().await;
        if let Some(connection) = shared.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Bluez { connection: connection.clone() });
        }
        let connecting = zbus::connection::Builder::system().build();
        let connection = match tokio::time::timeout(BUS_TIMEOUT, connecting).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return Err(Unavailable::NoBus(error.to_string())),
            Err(_) => return Err(Unavailable::NoBus("it does not answer".to_owned())),
        };
        *shared = Some(connection.clone());
        Ok(Bluez { connection })
    }

    /// Returns where sockets of serial ports arrive.
    pub(super) fn serial(&self) -> &SerialProfile {
        &self.0.serial
    }

    /// Starts to scan with these adapters; they scan until the last scan of this process ends.
    ///
    /// # Errors
    /// No adapter can scan.
    pub async fn scan(&self, bluez: &Bluez, adapters: &[&str]) -> Result<Scan, Unavailable> {
        let _turn = self.0.scan_turn.lock().await;
        let mut scan = Scan { radio: self.clone(), bluez: bluez.clone(), adapters: Vec::new() };
        let mut refusal = Unavailable::NoAdapter;
        for adapter in adapters {
            // Recorded first: if this is cancelled, dropping `scan` ends what may have begun.
            scan.adapters.push((*adapter).to_owned());
            self.0.count_scan(adapter);
            let filter = Options::from([("DuplicateData", false.into())]);
            // Without a filter, more than is needed is reported.
            let _ = bluez.call(adapter, ADAPTER, "SetDiscoveryFilter", &filter).await;
            // In any case: BlueZ may have been restarted since another scan of this process began.
            match bluez.call(adapter, ADAPTER, "StartDiscovery", &()).await {
                Ok(_) | Err(CallError::InProgress) => {}
                Err(error) => {
                    scan.adapters.pop();
                    self.0.uncount_scan(adapter);
                    debug!(adapter, ?error, "the scan did not start");
                    refusal = refusal_of(error, adapter);
                }
            }
        }
        if scan.adapters.is_empty() { Err(refusal) } else { Ok(scan) }
    }
}

/// Returns why an adapter cannot scan.
fn refusal_of(error: CallError, adapter: &str) -> Unavailable {
    match error {
        CallError::NoDaemon => Unavailable::NoDaemon,
        CallError::Denied => Unavailable::Denied,
        CallError::NotReady => Unavailable::AdapterOff(adapter.rsplit('/').next().unwrap_or(adapter).to_owned()),
        // It was unplugged.
        CallError::NoSuchObject => Unavailable::NoAdapter,
        // What helps is the same: restarting bluetoothd.
        _ => Unavailable::NoAnswer,
    }
}

impl Shared {
    /// Counts a scan.
    fn count_scan(&self, adapter: &str) {
        self.scans.lock().unwrap_or_else(PoisonError::into_inner).push(adapter.to_owned());
    }

    /// Uncounts a scan; returns whether it was the last one of this adapter.
    fn uncount_scan(&self, adapter: &str) -> bool {
        let mut scans = self.scans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = scans.iter().position(|known| known == adapter) {
            scans.swap_remove(index);
        }
        !scans.iter().any(|known| known == adapter)
    }
}

/// A scan, which ends when it is dropped.
#[derive(Debug)]
pub struct Scan {
    radio: Radio,
    bluez: Bluez,
    adapters: Vec<String>,
}

impl Scan {
    /// Waits until one of the adapters has found this device. Cancel safe.
    pub(super) async fn wait_for(&self, board: Address) -> Result<(), CallError> {
        loop {
            for adapter in &self.adapters {
                match self.bluez.property(&board.path_on(adapter), super::bluez::DEVICE, "Address").await {
                    Ok(_) => return Ok(()),
                    Err(error @ (CallError::NoDaemon | CallError::Denied)) => return Err(error),
                    Err(_) => {}
                }
            }
            tokio::time::sleep(SCAN_POLL_INTERVAL).await;
        }
    }
}

impl Scan {
    /// Ends the scan, and returns once the adapters know. They end to scan also if this is cancelled.
    pub async fn stop(mut self) {
        let ended = self.take_ended();
        // An error means that the runtime ends.
        let _ = tokio::spawn(stop(self.radio.clone(), self.bluez.clone(), ended)).await;
    }

    /// Uncounts this scan; returns the adapters that nobody needs any more.
    fn take_ended(&mut self) -> Vec<String> {
        let adapters = std::mem::take(&mut self.adapters);
        adapters.into_iter().filter(|adapter| self.radio.0.uncount_scan(adapter)).collect()
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        let ended = self.take_ended();
        if ended.is_empty() {
            return;
        }
        // Without a runtime, the process ends, and BlueZ ends the scans of a client that is gone.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(stop(self.radio.clone(), self.bluez.clone(), ended));
    }
}

/// Ends the scans of these adapters.
async fn stop(radio: Radio, bluez: Bluez, adapters: Vec<String>) {
    let _turn = radio.0.scan_turn.lock().await;
    for adapter in adapters {
        // Another scan may have begun meanwhile.
        let is_wanted = radio.0.scans.lock().unwrap_or_else(PoisonError::into_inner).contains(&adapter);
        if !is_wanted && let Err(error) = bluez.call(&adapter, ADAPTER, "StopDiscovery", &()).await {
            debug!(adapter, ?error, "the scan did not stop");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_adapter_that_is_off_is_called_off() {
        let refusal = |error| refusal_of(error, "/org/bluez/hci0");
        assert_eq!(refusal(CallError::NotReady), Unavailable::AdapterOff("hci0".to_owned()));
        assert_eq!(refusal(CallError::NoSuchObject), Unavailable::NoAdapter);
        assert_eq!(refusal(CallError::TimedOut), Unavailable::NoAnswer);
        assert_eq!(refusal(CallError::Failed("Input/output error".to_owned())), Unavailable::NoAnswer);
    }

    #[test]
    fn an_adapter_scans_until_its_last_scan_ends() {
        let shared = Shared::default();
        ["/hci0", "/hci0", "/hci1"].iter().for_each(|adapter| shared.count_scan(adapter));
        assert!(!shared.uncount_scan("/hci0"));
        assert!(shared.uncount_scan("/hci0"));
        assert!(shared.uncount_scan("/hci1"));
    }
}
