//! Front-ends' view of a board.

use super::{Readings, WiringTestView};
use crate::boards::{Battery, Model, Placement, SensorKind};
use crate::game::event::{ClockTimes, Difference, Rotation};
use crate::link::BoardLocation;
use shakmaty::{ByColor, Color};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A board's permanent name, used in the journal, in object paths and on the command line.
///
/// It is known before the port is opened and never changes, so that a restarted daemon finds the board's game again. It is the name
/// given in the configuration, else the model and the key by which the board is found: `dgt_ttyUSB0` (port), `dgt_23946` (USB
/// serial number), `dgt_usb_1_2` (USB socket), `dgt_0403_6001` (USB ids), `dgt` (any board with the model's USB id). On a line that
/// carries several boards it is the name of the line and the board's serial number: `hall_00960`. The serial number that a board
/// itself reports comes too late to be part of the name; it is a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardId(String);

impl BoardId {
    /// Creates a name from any text: every character that is not an ASCII letter or digit becomes `_`, so that the name is valid in
    /// an object path. Empty text becomes `_`.
    pub fn new(text: &str) -> BoardId {
        let id: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        BoardId(if id.is_empty() { "_".to_owned() } else { id })
    }

    /// Returns the name of a board that the configuration does not name.
    pub fn for_place(model: &Model, place: &BoardLocation) -> BoardId {
        let place = match place {
            BoardLocation::Port(path) => {
                path.strip_prefix("/dev").unwrap_or(path.file_name().map_or(path, Path::new)).display().to_string()
            }
            BoardLocation::Serial(serial) => serial.clone(),
            BoardLocation::UsbPath(socket) => format!("usb_{socket}"),
            BoardLocation::Ids(ids) => ids.to_string(),
            BoardLocation::Bluetooth(address) => address.to_string(),
            BoardLocation::AnyOfModel(_) => return BoardId::new(model.name),
        };
        BoardId::new(&format!("{}_{place}", model.name))
    }

    /// Returns the name as text: at least one character, ASCII letters, digits and `_` only.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// State of the connection to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// The port is open and the board has been greeted; its placement is not known yet.
    Connecting,
    /// The board has reported its placement.
    Ready,
    /// The port is open and the board sends nothing, even when polled.
    Silent,
    /// The port does not exist.
    Unplugged,
    /// The port exists but cannot be opened: permission denied, or another program holds it.
    Refused,
}

impl ConnectionState {
    /// Returns the state as a word: `connecting`, `ready`, `silent`, `unplugged`, `refused`.
    pub fn word(self) -> &'static str {
        match self {
            ConnectionState::Connecting => "connecting",
            ConnectionState::Ready => "ready",
            ConnectionState::Silent => "silent",
            ConnectionState::Unplugged => "unplugged",
            ConnectionState::Refused => "refused",
        }
    }
}

/// Last report of a board's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockView {
    /// Both times.
    pub times: ClockTimes,
    /// The side whose time runs, by the lever.
    pub turn: Color,
    /// Whether the clock runs.
    pub running: bool,
    /// The sides whose flags the clock shows as fallen.
    pub flags: ByColor<bool>,
    /// Whether the clock's battery is low.
    pub battery_low: bool,
    /// Time of the report on the steady clock (see [`crate::daemon::steady_clock`]), in milliseconds.
    pub read_at: i64,
}

/// Front-ends' view of a board.
#[derive(Clone)]
pub struct BoardView {
    /// Name.
    pub id: BoardId,
    /// Machine of the hall to which it belongs; `None`: this one.
    pub machine: Option<String>,
    /// Model.
    pub model: &'static Model,
    /// Serial number as the maker prints it, once the board has reported it.
    pub serial_number: Option<String>,
    /// Firmware version, once the board has reported it.
    pub firmware: Option<String>,
    /// Path of the port; empty while it is unknown.
    pub port: String,
    /// State of the connection.
    pub connection: ConnectionState,
    /// Reason for the state of the connection: a sentence that says what to do; empty if nothing needs to be done.
    pub reason: String,
    /// What the squares' sensors are assumed to detect.
    pub sensing: SensorKind,
    /// Rotation, once detected or set.
    pub rotation: Option<Rotation>,
    /// Placement as the players see it; `None` before the first complete reading.
    pub placement: Option<Placement>,
    /// Squares that have differed from the record for longer than a move takes.
    pub displaced: Vec<Difference>,
    /// Clock; `None` if none is connected.
    pub clock: Option<ClockView>,
    /// Last report of a clock that was lost during the current game; `None` while a clock is connected.
    pub lost_clock: Option<ClockView>,
    /// Battery, if the board has one and reports it.
    pub battery: Option<Battery>,
    /// Current game, or the last one.
    pub game: Option<u64>,
    /// Number of games that have begun on the board since it was registered.
    pub games_begun: u64,
    /// Traffic counters, shared with the link task, which updates them.
    pub traffic: Arc<TrafficCounters>,
    /// The board's readings, for lines of play that are followed beside its game. Shared with the link task, which sends them.
    /// `None` if no client may follow such a line: the LiveChess server is off or delayed, or this is the public's view.
    pub readings: Option<Arc<Readings>>,
    /// The wiring test that is carried out on it, or the last one.
    pub wiring_test: Option<Arc<WiringTestView>>,
}

/// Counts the traffic from and to a board since touchmoved was started.
#[derive(Debug, Default)]
pub struct TrafficCounters {
    /// Bytes received.
    pub bytes_read: AtomicU64,
    /// Bytes sent.
    pub bytes_written: AtomicU64,
    /// Messages that the protocol decoded.
    pub frames: AtomicU64,
    /// Data that the protocol could not decode.
    pub errors: AtomicU64,
    /// Number of times the link was lost.
    pub link_losses: AtomicU64,
}

impl TrafficCounters {
    /// Adds `count` to a counter.
    pub fn add(counter: &AtomicU64, count: usize) {
        counter.fetch_add(count as u64, Ordering::Relaxed);
    }
}

impl BoardView {
    /// Creates the view of a board of which only name and model are known.
    pub fn new(id: BoardId, model: &'static Model, sensing: SensorKind) -> BoardView {
        BoardView {
            id,
            machine: None,
            model,
            serial_number: None,
            firmware: None,
            port: String::new(),
            connection: ConnectionState::Unplugged,
            reason: String::new(),
            sensing,
            rotation: None,
            placement: None,
            displaced: Vec::new(),
            clock: None,
            lost_clock: None,
            battery: None,
            game: None,
            games_begun: 0,
            traffic: Arc::default(),
            readings: None,
            wiring_test: None,
        }
    }

    /// Sets the clock's report; `None`: the clock cannot be read any more.
    pub(crate) fn set_clock(&mut self, clock: Option<ClockView>) {
        self.lost_clock = if clock.is_some() { None } else { self.clock.take().or(self.lost_clock) };
        self.clock = clock;
    }
}
