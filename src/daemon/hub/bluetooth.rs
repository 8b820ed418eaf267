//! The search for boards over Bluetooth, as front-ends see and control it.

mod message;

use super::{BoardId, Hub, Update, lock};
use crate::boards::Model;
use crate::game::words::words;
use crate::game::{ErrorCode, Text};
use crate::link::bluetooth::{Address, Unavailable};
pub use crate::link::bluetooth::{Confidence, Confirmation, SignalStrength};
pub use message::{candidate_text, evidence_text, handshake_error_text, identification_text, unavailable_text};
use tokio::sync::{mpsc, oneshot};

/// Capacity of the queue of orders.
const ORDER_QUEUE: usize = 16;

/// What an operator wants of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BluetoothOrder {
    /// Scan for a while; a scan that goes on is prolonged.
    Scan,
    /// End the scan.
    Stop,
    /// Ask the device with this address which board it is, with a request that harms none. The address is not yet verified.
    Identify(String),
}

/// An order on its way to the task that carries it out.
pub struct BluetoothRequest {
    /// The order.
    pub order: BluetoothOrder,
    /// Who gives it.
    pub by: String,
    /// Channel for the outcome: whether it was begun.
    pub done: oneshot::Sender<Result<(), BluetoothError>>,
}

/// Why an order was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BluetoothError {
    /// Nothing can be received now.
    Unavailable(Unavailable),
    /// The text is no address.
    BadAddress(String),
    /// The last scan has not received this device.
    NotSeen(Address),
    /// The device is configured as this board.
    Configured(Address, BoardId),
    /// What the device advertises suits no model.
    NoCandidate(Address),
    /// What the device advertises is enough.
    NotNeeded(Address),
    /// A request to the device could harm it: a user must name the model, one of these.
    NoHandshake(Address, Vec<&'static Model>),
    /// This device is being asked.
    Identifying(Address),
    /// The daemon is shutting down.
    Stopping,
}

impl BluetoothError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            BluetoothError::Unavailable(_) => ErrorCode::Unavailable("NoBluetooth"),
            BluetoothError::BadAddress(_) => ErrorCode::Invalid("BadAddress"),
            BluetoothError::NotSeen(_) => ErrorCode::Unknown("NotSeen"),
            BluetoothError::Configured(..) => ErrorCode::Conflict("Configured"),
            BluetoothError::NoCandidate(_) => ErrorCode::Conflict("NoCandidate"),
            BluetoothError::NotNeeded(_) => ErrorCode::Conflict("NotNeeded"),
            BluetoothError::NoHandshake(..) => ErrorCode::Conflict("NoHandshake"),
            BluetoothError::Identifying(_) => ErrorCode::Conflict("Identifying"),
            BluetoothError::Stopping => ErrorCode::Unavailable("Stopping"),
        }
    }
}

impl From<Unavailable> for BluetoothError {
    fn from(reason: Unavailable) -> BluetoothError {
        BluetoothError::Unavailable(reason)
    }
}

/// What the search does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchActivity {
    /// Nothing.
    #[default]
    Idle,
    /// It listens to what devices advertise.
    Scanning,
    /// It asks a device which board it is.
    Identifying,
}

words! {
    SearchActivity { Idle = "idle", Scanning = "scanning", Identifying = "identifying" }
    Confidence { Possible = "possible", Probable = "probable", Certain = "certain" }
    Confirmation { NotNeeded = "not_needed", Handshake = "handshake", User = "user", Unclear = "unclear" }
    SignalStrength { Weak = "weak", Fair = "fair", Strong = "strong" }
}

/// The search, and what it has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BluetoothView {
    /// What it does now.
    pub activity: SearchActivity,
    /// Who began that, or the last that is over; empty: nobody yet.
    pub by: String,
    /// Why the last scan ended early.
    pub problem: Option<Text>,
    /// What the last scan has received, boards first, the surest and strongest first.
    pub devices: Vec<NearbyDevice>,
    /// The number of devices that are left out because they are too many: those that are probably no boards first.
    pub left_out: usize,
}

/// A device that is near.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearbyDevice {
    /// Its address.
    pub address: Address,
    /// The name that it advertises.
    pub name: Option<String>,
    /// How strongly it was received, in dBm; `None`: it is connected, and does not say so.
    pub rssi: Option<i16>,
    /// Whether it is connected to this machine.
    pub is_connected: bool,
    /// Whether it is paired with this machine.
    pub is_paired: bool,
    /// The board as which it is configured.
    pub board: Option<BoardId>,
    /// Which board it may be; `None`: nothing suggests that it is one.
    pub candidate: Option<Candidate>,
}

/// Which board a device may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The models; none: it may be a board of any maker.
    pub models: Vec<&'static Model>,
    /// How sure that is.
    pub confidence: Confidence,
    /// The same as a sentence.
    pub text: Text,
    /// Why.
    pub reason: Text,
    /// How it is confirmed.
    pub confirmation: Confirmation,
    /// What came of asking the device.
    pub identification: Option<Identification>,
}

/// What came of asking a device which board it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identification {
    /// The models that it answers like.
    pub models: Vec<&'static Model>,
    /// The same as a sentence, or why it did not answer.
    pub text: Text,
}

impl Hub {
    /// Returns the search for boards over Bluetooth, and what it has found.
    pub fn bluetooth(&self) -> BluetoothView {
        self.read(|state| state.bluetooth.clone())
    }

    /// Gives an order to the search for boards over Bluetooth. Returns once it has begun; [`Hub::bluetooth`] has what comes of it.
    ///
    /// # Errors
    /// See [`BluetoothError`].
    pub async fn order_bluetooth(&self, order: BluetoothOrder, by: &str) -> Result<(), BluetoothError> {
        let orders = lock(&self.bluetooth_orders).clone().ok_or(BluetoothError::Stopping)?;
        let (done, outcome) = oneshot::channel();
        let request = BluetoothRequest { order, by: by.to_owned(), done };
        orders.send(request).await.map_err(|_| BluetoothError::Stopping)?;
        outcome.await.unwrap_or(Err(BluetoothError::Stopping))
    }

    /// Returns the orders to the search, for the task that carries them out.
    pub(in crate::daemon) fn serve_bluetooth(&self) -> mpsc::Receiver<BluetoothRequest> {
        let (orders, requests) = mpsc::channel(ORDER_QUEUE);
        *lock(&self.bluetooth_orders) = Some(orders);
        requests
    }

    /// Shows front-ends the search, if it has changed.
    pub(in crate::daemon) fn set_bluetooth(&self, view: BluetoothView) {
        {
            let mut state = self.lock();
            if state.bluetooth == view {
                return;
            }
            state.bluetooth = view;
        }
        self.publish(Update::Bluetooth);
    }
}
