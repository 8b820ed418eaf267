//! The search for boards over Bluetooth that operators order: a scan, and the question to one device which board it is.
//!
//! **Invariants:** It scans only after an order, and ends by itself. During a scan it connects to no device, and writes to none. It
//! connects only to a device whose address an operator gave, which the last scan has received and which looks like a board; it writes
//! nothing to it but a handshake that harms the boards of no maker, and only where what the device advertises is not enough.

use super::hub::{
    BluetoothError, BluetoothOrder, BluetoothRequest, BluetoothView, BoardId, Candidate, Confirmation, Hub, Identification,
    NearbyDevice, SearchActivity, candidate_text, evidence_text, handshake_error_text, identification_text, unavailable_text,
};
use super::{Stop, wait_for_stop};
use crate::boards::Model;
use crate::config::Config;
use crate::game::Text;
use crate::link::BoardLocation;
use crate::link::bluetooth::{Address, Device, Guess, HandshakeError, Radio, Scan, Unavailable, confirm_model, nearby};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tracing::info;

/// How long a scan lasts: BlueZ hears a board that advertises itself rarely within this time. Meanwhile the radio has less time for
/// boards that are connected.
const SCAN_TIME: Duration = Duration::from_secs(30);
/// Interval between looks at what was received.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Timeout of the end of a connection, when the search ends.
const END_TIMEOUT: Duration = Duration::from_secs(4);
/// The number of devices that are shown because they may be boards, besides those that are configured.
const MAX_CANDIDATES: usize = 128;
/// The number of devices that are shown although nothing suggests that they are boards.
const MAX_OTHER_DEVICES: usize = 64;

/// The task that carries out the orders.
pub struct BluetoothSearch {
    hub: Arc<Hub>,
    radio: Radio,
    /// The configured boards over Bluetooth.
    boards: BTreeMap<Address, BoardId>,
    activity: Activity,
    by: String,
    problem: Option<Text>,
    /// What the last scan has received.
    received: Received,
    /// What came of asking devices since the last scan began.
    identifications: BTreeMap<Address, Identification>,
}

/// What a scan has received.
#[derive(Default)]
struct Received {
    /// Boards first, the surest and strongest first.
    devices: Vec<(Device, Option<Guess>)>,
    /// The number of devices that are left out.
    left_out: usize,
}

impl Received {
    /// Keeps all configured boards, and the first of the other devices: anybody can advertise any number of them.
    fn new(nearby: Vec<(&Device, Option<Guess>)>, boards: &BTreeMap<Address, BoardId>) -> Received {
        let (mut candidates, mut others) = (0, 0);
        let mut received = Received::default();
        for (device, guess) in nearby {
            let (count, limit) = match guess {
                Some(_) => (&mut candidates, MAX_CANDIDATES),
                None => (&mut others, MAX_OTHER_DEVICES),
            };
            let is_configured = boards.contains_key(&device.address);
            if is_configured || *count < limit {
                *count += usize::from(!is_configured);
                received.devices.push((device.clone(), guess));
            } else {
                received.left_out += 1;
            }
        }
        // Stable: the order is otherwise kept.
        received.devices.sort_by_key(|(device, guess)| guess.is_none() && !boards.contains_key(&device.address));
        received
    }
}

type Confirmed = Result<Option<Vec<&'static Model>>, HandshakeError>;

enum Activity {
    Idle,
    Scanning {
        scan: Scan,
        end: Instant,
        next_look: Instant,
    },
    Identifying {
        address: Address,
        models: Vec<&'static Model>,
        confirmed: Pin<Box<dyn Future<Output = Confirmed> + Send>>,
        /// Ends the connection early when it is dropped.
        stop: oneshot::Sender<()>,
    },
}

enum Step {
    Request(BluetoothRequest),
    Look,
    Identified(Confirmed),
}

impl Activity {
    /// Waits for what is to be done next. Cancel safe.
    async fn next(&mut self) -> Step {
        match self {
            Activity::Idle => std::future::pending().await,
            Activity::Scanning { next_look, .. } => {
                sleep_until(*next_look).await;
                Step::Look
            }
            Activity::Identifying { confirmed, .. } => Step::Identified(confirmed.as_mut().await),
        }
    }
}

impl BluetoothSearch {
    /// Creates the task. `radio`: the connection to BlueZ that it shares with the links, and their scans.
    pub fn new(hub: Arc<Hub>, radio: Radio, config: &Config) -> BluetoothSearch {
        let boards = config.boards.iter().filter_map(|board| match board.place {
            BoardLocation::Bluetooth(address) => Some((address, BoardId::new(&board.name))),
            _ => None,
        });
        BluetoothSearch {
            hub,
            radio,
            boards: boards.collect(),
            activity: Activity::Idle,
            by: String::new(),
            problem: None,
            received: Received::default(),
            identifications: BTreeMap::new(),
        }
    }

    /// Carries out orders until `stop` is set.
    pub async fn run(mut self, mut stop: Stop) {
        let mut requests = self.hub.serve_bluetooth();
        tokio::select! {
            () = wait_for_stop(&mut stop) => {}
            () = self.serve(&mut requests) => {}
        }
        match std::mem::replace(&mut self.activity, Activity::Idle) {
            Activity::Identifying { confirmed, stop, .. } => {
                drop(stop);
                // Others may use the board afterwards.
                let _ = timeout(END_TIMEOUT, confirmed).await;
            }
            Activity::Scanning { scan, .. } => scan.stop().await,
            Activity::Idle => {}
        }
    }

    async fn serve(&mut self, requests: &mut mpsc::Receiver<BluetoothRequest>) {
        loop {
            let step = tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => Step::Request(request),
                    None => return,
                },
                step = self.activity.next() => step,
            };
            match step {
                Step::Request(BluetoothRequest { order, by, done }) => {
                    let outcome = self.carry_out(order, &by).await;
                    self.publish();
                    // The front-end may be gone.
                    let _ = done.send(outcome);
                }
                Step::Look => self.look().await,
                Step::Identified(confirmed) => self.finish_identification(confirmed),
            }
            self.publish();
        }
    }

    async fn carry_out(&mut self, order: BluetoothOrder, by: &str) -> Result<(), BluetoothError> {
        match order {
            BluetoothOrder::Scan => self.begin_scan(by).await,
            BluetoothOrder::Stop => {
                self.end_scan().await;
                Ok(())
            }
            BluetoothOrder::Identify(address) => self.identify(&address, by).await,
        }
    }

    async fn begin_scan(&mut self, by: &str) -> Result<(), BluetoothError> {
        match &mut self.activity {
            Activity::Identifying { address, .. } => return Err(BluetoothError::Identifying(*address)),
            Activity::Scanning { end, .. } => {
                *end = Instant::now() + SCAN_TIME;
                return Ok(());
            }
            Activity::Idle => {}
        }
        let bluez = self.radio.bluez().await?;
        let objects = bluez.objects().await?;
        let adapters: Vec<&str> = objects.usable_adapters()?.iter().map(|adapter| adapter.path.as_str()).collect();
        let scan = self.radio.scan(&bluez, &adapters).await?;
        info!("{by} began to look for boards over Bluetooth");
        self.by = by.to_owned();
        self.problem = None;
        self.received = Received::default();
        self.identifications.clear();
        let now = Instant::now();
        self.activity = Activity::Scanning { scan, end: now + SCAN_TIME, next_look: now };
        Ok(())
    }

    /// Ends the scan, if there is one, and returns once the adapters know.
    async fn end_scan(&mut self) {
        if matches!(self.activity, Activity::Scanning { .. })
            && let Activity::Scanning { scan, .. } = std::mem::replace(&mut self.activity, Activity::Idle)
        {
            scan.stop().await;
        }
    }

    /// Reads what was received until now, and ends the scan when it is time.
    async fn look(&mut self) {
        // Before the scan ends: then BlueZ forgets how strongly devices were received.
        let received = read_received(&self.radio, &self.boards).await;
        let Activity::Scanning { end, next_look, .. } = &mut self.activity else { return };
        match received {
            Ok(received) => {
                self.received = received;
                let now = Instant::now();
                if now < *end {
                    *next_look = now + LOOK_INTERVAL;
                    return;
                }
            }
            Err(reason) => self.problem = Some(unavailable_text(&reason)),
        }
        self.end_scan().await;
    }

    async fn identify(&mut self, address: &str, by: &str) -> Result<(), BluetoothError> {
        let address: Address = address.parse().map_err(|()| BluetoothError::BadAddress(address.to_owned()))?;
        if let Activity::Identifying { address, .. } = &self.activity {
            return Err(BluetoothError::Identifying(*address));
        }
        if let Some(board) = self.boards.get(&address) {
            return Err(BluetoothError::Configured(address, board.clone()));
        }
        let received = self.received.devices.iter().find(|(device, _)| device.address == address);
        let (_, guess) = received.ok_or(BluetoothError::NotSeen(address))?;
        let guess = guess.as_ref().ok_or(BluetoothError::NoCandidate(address))?;
        let models = guess.models.clone();
        match guess.confirmation() {
            Confirmation::Handshake => {}
            Confirmation::NotNeeded => return Err(BluetoothError::NotNeeded(address)),
            Confirmation::User => return Err(BluetoothError::NoHandshake(address, models)),
            Confirmation::Unclear => return Err(BluetoothError::NoCandidate(address)),
        }
        self.end_scan().await;
        info!("{by} asks {address} which board it is");
        self.by = by.to_owned();
        self.problem = None;
        self.identifications.remove(&address);
        let (radio, asked) = (self.radio.clone(), models.clone());
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            // Nothing is sent: it ends when the sender is dropped.
            let _ = stopped.await;
        };
        let confirmed = Box::pin(async move { confirm_model(&radio, address, &asked, stopped).await });
        self.activity = Activity::Identifying { address, models, confirmed, stop };
        Ok(())
    }

    fn finish_identification(&mut self, confirmed: Confirmed) {
        let Activity::Identifying { address, models, .. } = std::mem::replace(&mut self.activity, Activity::Idle) else {
            return;
        };
        let identification = match confirmed {
            Ok(None) => return,
            Ok(Some(confirmed)) => Identification { text: identification_text(&models, &confirmed), models: confirmed },
            Err(error) => Identification { text: handshake_error_text(&error), models: Vec::new() },
        };
        self.identifications.insert(address, identification);
    }

    /// Shows front-ends what the search does, and what it has found.
    fn publish(&self) {
        let activity = match self.activity {
            Activity::Idle => SearchActivity::Idle,
            Activity::Scanning { .. } => SearchActivity::Scanning,
            Activity::Identifying { .. } => SearchActivity::Identifying,
        };
        let Received { devices, left_out } = &self.received;
        let devices = devices.iter().map(|(device, guess)| self.nearby_device(device, guess.as_ref())).collect();
        let (by, problem, left_out) = (self.by.clone(), self.problem.clone(), *left_out);
        self.hub.set_bluetooth(BluetoothView { activity, by, problem, devices, left_out });
    }

    fn nearby_device(&self, device: &Device, guess: Option<&Guess>) -> NearbyDevice {
        let candidate = guess.map(|guess| Candidate {
            models: guess.models.clone(),
            confidence: guess.confidence,
            text: candidate_text(&guess.models, guess.confidence),
            reason: evidence_text(guess.evidence),
            confirmation: guess.confirmation(),
            identification: self.identifications.get(&device.address).cloned(),
        });
        NearbyDevice {
            address: device.address,
            name: device.name.clone(),
            rssi: device.rssi,
            is_connected: device.is_connected,
            is_paired: device.is_paired,
            board: self.boards.get(&device.address).cloned(),
            candidate,
        }
    }
}

async fn read_received(radio: &Radio, boards: &BTreeMap<Address, BoardId>) -> Result<Received, Unavailable> {
    let objects = radio.bluez().await?.objects().await?;
    objects.usable_adapters()?;
    Ok(Received::new(nearby(&objects), boards))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::bluetooth::guess;

    #[test]
    fn what_is_shown_is_limited_and_configured_boards_are_always_shown() {
        let device = |index: usize, name: &str| Device {
            path: format!("/org/bluez/hci0/dev_{index}"),
            address: format!("AA:BB:CC:DD:{:02X}:{:02X}", index / 256, index % 256).parse().unwrap(),
            name: Some(name.to_owned()),
            is_received: true,
            rssi: Some(-50),
            services: Vec::new(),
            is_connected: false,
            is_resolved: false,
            is_paired: false,
            is_blocked: false,
        };
        let name = |index| if index < 1000 { "DGT_Pegasus_1" } else { "telephone" };
        let devices: Vec<Device> = (0..2000).map(|index| device(index, name(index))).collect();
        let near = || devices.iter().map(|device| (device, guess(device))).collect();
        let boards = [999, 1999].map(|index| (devices[index].address, BoardId::new(&index.to_string())));
        let received = Received::new(near(), &BTreeMap::from(boards));
        assert_eq!(received.devices.len(), MAX_CANDIDATES + MAX_OTHER_DEVICES + 2);
        assert_eq!(received.left_out, 2000 - received.devices.len());
        assert_eq!(received.devices[MAX_CANDIDATES].0, devices[999]);
        assert_eq!(received.devices[MAX_CANDIDATES + 1].0, devices[1999]);
    }
}
