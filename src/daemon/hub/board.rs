//! A board, as faces see it.

use super::Readings;
use crate::boards::{Battery, Model, Placement, Sensing};
use crate::game::event::{ClockTimes, Difference, Rotation};
use crate::link::Place;
use shakmaty::{ByColor, Color};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of a board for as long as it exists: in the journal, in object paths, on the command line.
///
/// It is known before the port is opened and never changes, so that a daemon that was restarted finds the board's game again:
/// the name given in the configuration, else the model and where the board is looked for: `dgt_ttyUSB0` (port), `dgt_23946` (USB
/// serial number), `dgt_usb_1_2` (socket), `dgt_0403_6001` (USB ids), `dgt` (any board that its USB id names). On a
/// line that carries many it is the name of the line and the board's serial number, `hall_00960`. Elsewhere the serial number
/// that the board itself tells comes too late for that; it is a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardId(String);

impl BoardId {
    /// From any text: what is not a letter or digit of ASCII becomes `_`, so that it can stand in an object path. Empty: `_`.
    pub fn new(text: &str) -> BoardId {
        let id: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        BoardId(if id.is_empty() { "_".to_owned() } else { id })
    }

    /// Of a board that the configuration does not name.
    pub fn at(model: &Model, place: &Place) -> BoardId {
        let place = match place {
            Place::Port(path) => {
                path.strip_prefix("/dev").unwrap_or(path.file_name().map_or(path, Path::new)).display().to_string()
            }
            Place::Serial(serial) => serial.clone(),
            Place::UsbPath(socket) => format!("usb_{socket}"),
            Place::Ids(ids) => ids.to_string(),
            Place::Found(_) => return BoardId::new(model.name),
        };
        BoardId::new(&format!("{}_{place}", model.name))
    }

    /// As text: ASCII letters, digits and `_` only, at least one.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How it stands between us and a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// The port is open and the board has been greeted; what stands on its squares is not known yet.
    Connecting,
    /// The board has said what stands on its squares.
    Ready,
    /// The port is open and the board says nothing, not even when asked.
    Silent,
    /// The port is not there.
    Unplugged,
    /// The port is there and may not be opened: no permission, or another program holds it.
    Refused,
}

impl Contact {
    /// The word for it: `connecting`, `ready`, `silent`, `unplugged`, `refused`.
    pub fn word(self) -> &'static str {
        match self {
            Contact::Connecting => "connecting",
            Contact::Ready => "ready",
            Contact::Silent => "silent",
            Contact::Unplugged => "unplugged",
            Contact::Refused => "refused",
        }
    }
}

/// What a board's clock said last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockView {
    /// Both times.
    pub times: ClockTimes,
    /// Whose time it is by the lever.
    pub turn: Color,
    /// Whether it runs.
    pub running: bool,
    /// Whose flag it shows as fallen.
    pub flags: ByColor<bool>,
    /// Its battery is low.
    pub battery_low: bool,
    /// When it said so, by the time that nobody sets (see [`crate::daemon::steady`]).
    pub read_at: i64,
}

/// A board, as faces see it.
#[derive(Clone)]
pub struct BoardView {
    /// Its name.
    pub id: BoardId,
    /// Its family.
    pub model: &'static Model,
    /// As the maker prints it, once the board has told.
    pub serial_number: Option<String>,
    /// Version of its firmware, once the board has told.
    pub firmware: Option<String>,
    /// Path of the port; empty while it is not known.
    pub port: String,
    /// How it stands between us and it.
    pub contact: Contact,
    /// Why, in a sentence that says what to do; empty when there is nothing to do.
    pub reason: String,
    /// What its squares are taken to tell.
    pub sensing: Sensing,
    /// How it stands, once found or set.
    pub rotation: Option<Rotation>,
    /// What the squares show, as the players see them; `None` before the first whole reading.
    pub placement: Option<Placement>,
    /// Squares that differ from the record for longer than a move takes.
    pub displaced: Vec<Difference>,
    /// Its clock; `None` where none is connected.
    pub clock: Option<ClockView>,
    /// What its clock said last before it was lost in the game that is on; `None` while there is one.
    pub lost_clock: Option<ClockView>,
    /// Its battery, where it has one and says so.
    pub battery: Option<Battery>,
    /// The game on it, or the last one.
    pub game: Option<u64>,
    /// So many games have begun on it since it has its seat.
    pub begun: u64,
    /// What came and went. Shared with its link, which counts.
    pub traffic: Arc<Traffic>,
    /// What it says, for lines that are followed beside its game. Shared with its link, which tells it; `None` where nobody may follow
    /// one: the LiveChess server is off or late, or this is what the public may see.
    pub readings: Option<Arc<Readings>>,
}

/// What came from a board and went to it since touchmoved was started.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Bytes that came.
    pub bytes_read: AtomicU64,
    /// Bytes that went there.
    pub bytes_written: AtomicU64,
    /// What it said and its protocol understood.
    pub frames: AtomicU64,
    /// What came and was nothing that its protocol knows.
    pub errors: AtomicU64,
    /// How often the link was lost.
    pub losses: AtomicU64,
}

impl Traffic {
    /// Counts on.
    pub fn add(counter: &AtomicU64, count: usize) {
        counter.fetch_add(count as u64, Ordering::Relaxed);
    }
}

impl BoardView {
    /// A board of which nothing is known but its name and family.
    pub fn new(id: BoardId, model: &'static Model, sensing: Sensing) -> BoardView {
        BoardView {
            id,
            model,
            serial_number: None,
            firmware: None,
            port: String::new(),
            contact: Contact::Unplugged,
            reason: String::new(),
            sensing,
            rotation: None,
            placement: None,
            displaced: Vec::new(),
            clock: None,
            lost_clock: None,
            battery: None,
            game: None,
            begun: 0,
            traffic: Arc::default(),
            readings: None,
        }
    }

    /// The clock says this, or cannot be read any more.
    pub(in crate::daemon) fn set_clock(&mut self, clock: Option<ClockView>) {
        self.lost_clock = if clock.is_some() { None } else { self.clock.take().or(self.lost_clock) };
        self.clock = clock;
    }
}
