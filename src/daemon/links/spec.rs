//! The parameters of a link task: its boards, its port, and how its readings become a game.

use crate::boards::{Address, Connection, ControlLines, Model};
use crate::daemon::calibration::CalibrationDir;
use crate::daemon::discovery::{self, BoardSockets};
use crate::daemon::hub::BoardId;
use crate::daemon::recorder::Recordings;
use crate::laws::Laws;
use crate::link::bluetooth::Radio;
use crate::link::{Endpoint, watch};
use crate::table::Settings;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Parameters of a link task.
#[derive(Clone)]
pub struct LinkSpec {
    /// Name of the board, or of the chain of boards.
    pub id: BoardId,
    /// Model.
    pub model: &'static Model,
    /// How the port is selected.
    pub place: PortSelector,
    /// Control lines to set on the port.
    pub control: ControlLines,
    /// Settings with which readings become a game.
    pub settings: Settings,
    /// The Laws of the games that begin from now on, if they change.
    pub laws: LawsChanges,
    /// Where everything that the board sends is recorded; `None`: not at all.
    pub recordings: Option<Recordings>,
    /// On a chain: names of boards by address.
    pub names: BTreeMap<Address, BoardId>,
    /// Changes on plug events, so that a missing board is looked for at once.
    pub plugs: PlugEvents,
    /// Where calibrations are stored; `None`: nowhere.
    pub calibrations: Option<CalibrationDir>,
    /// Whether clients may follow the board's readings beside its game.
    pub shares_readings: bool,
    /// The connection to BlueZ that all links share, for boards over Bluetooth.
    pub radio: Radio,
}

/// Selects a board's port.
#[derive(Clone)]
pub enum PortSelector {
    /// By configuration or argument: the places of all boards, and the index of this board's.
    Configured(Arc<[watch::BoardLocation]>, usize),
    /// By discovery: the place where the board was found, and the sockets of other boards.
    Discovered(watch::BoardLocation, tokio::sync::watch::Receiver<BoardSockets>),
}

/// The Laws of the event, as they change.
pub type LawsChanges = tokio::sync::watch::Receiver<Laws>;

/// Counts plug and unplug events.
pub type PlugEvents = tokio::sync::watch::Receiver<u64>;

impl LinkSpec {
    /// Returns the parameters for one board at one place, which the configuration does not name.
    pub fn single(model: &'static Model, place: watch::BoardLocation, settings: Settings) -> LinkSpec {
        LinkSpec {
            id: BoardId::for_place(model, &place),
            model,
            place: PortSelector::Configured([place].into(), 0),
            control: model.connection.control_lines(),
            laws: tokio::sync::watch::channel(settings.laws).1,
            settings,
            recordings: None,
            names: BTreeMap::new(),
            plugs: tokio::sync::watch::channel(0).1,
            calibrations: None,
            shares_readings: false,
            radio: Radio::default(),
        }
    }

    /// Returns the name of a board on this link. On a chain it is the board's configured name, else the chain's name and the serial
    /// number.
    pub(super) fn board_id(&self, address: Address) -> BoardId {
        match self.names.get(&address) {
            Some(name) => name.clone(),
            None if address == Address::ONLY => self.id.clone(),
            None => BoardId::new(&format!("{}_{}", self.id, serial_number(address))),
        }
    }

    /// Returns the path of the file that describes a matrix.
    pub(super) fn wiring_file(&self) -> Option<PathBuf> {
        match &self.place {
            PortSelector::Configured(places, index) if self.model.connection == Connection::Matrix => {
                match places.get(*index)? {
                    watch::BoardLocation::Port(path) => Some(path.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns what to open now.
    pub(super) fn endpoint(&self) -> Result<Endpoint, String> {
        let (place, found) = match &self.place {
            PortSelector::Configured(places, index) => match places.get(*index) {
                Some(watch::BoardLocation::Port(path)) => return Ok(Endpoint::Device(path.clone())),
                Some(watch::BoardLocation::Bluetooth(address)) => return Ok(Endpoint::Bluetooth(*address)),
                Some(place) => {
                    let found = watch::list().map(|ports| watch::assign(places, &ports).into_iter().nth(*index).flatten());
                    (place, found)
                }
                None => return Err("no location is configured for this board".to_owned()),
            },
            PortSelector::Discovered(place, sockets) => {
                (place, discovery::find_device_node(self.model, place, &sockets.borrow()))
            }
        };
        let found = found.map_err(|error| format!("the ports cannot be listed ({error})"))?;
        found.map(Endpoint::Device).ok_or_else(|| format!("no device found: {place}; plug it in, or run `touchmovectl doctor`"))
    }
}

/// Returns the serial number of a board on a chain, as its maker prints it.
pub(super) fn serial_number(address: Address) -> String {
    format!("{:05}", address.0)
}
