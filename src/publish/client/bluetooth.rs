//! The search for boards over Bluetooth.

use super::{Client, ClientError, parse};
use crate::locale::Locale;
use crate::names;
use crate::publish::render::bluetooth::BluetoothReport;

impl Client {
    /// Begins to look for boards over Bluetooth. The search ends by itself.
    pub async fn scan_bluetooth(&self) -> Result<(), ClientError> {
        self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "ScanBluetooth", &()).await
    }

    /// Ends the search.
    pub async fn stop_bluetooth_scan(&self) -> Result<(), ClientError> {
        self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "StopBluetoothScan", &()).await
    }

    /// Asks the device with this address which board it is.
    pub async fn identify_bluetooth(&self, address: &str) -> Result<(), ClientError> {
        self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "IdentifyBluetooth", &address).await
    }

    /// Returns the search, and what it has found.
    pub async fn bluetooth(&self, locale: Locale) -> Result<BluetoothReport, ClientError> {
        let path = names::ROOT_PATH.to_owned();
        let report: String = self.call(path, names::MANAGER_INTERFACE, "DescribeBluetooth", &locale.tag()).await?;
        parse(&report)
    }
}
