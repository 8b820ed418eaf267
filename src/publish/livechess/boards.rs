//! Boards and clocks in the form of LiveChess.

use super::Desk;
use crate::boards::{Battery, Sensed, Sensing};
use crate::daemon::hub::{BoardId, BoardView, ClockView, Contact, GameView, State};
use crate::daemon::{rounds, steady};
use crate::game::event::{ClockTimes, Rotation};
use crate::game::record::PlyState;
use serde::Serialize;
use shakmaty::{Color, File, Rank, Square};

/// A board, in the response to `eboards`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EBoard {
    serialnr: String,
    source: Option<String>,
    state: Option<&'static str>,
    battery: Option<String>,
    comment: Option<String>,
    board: Option<String>,
    flipped: bool,
    clock: Option<Clock>,
}

/// The clock times of both players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clock {
    /// White's time, in seconds.
    white: u32,
    /// Black's time, in seconds.
    black: u32,
    /// The clock that runs: `true` is White's, `false` is Black's; `None`: neither.
    run: Option<bool>,
    /// When the times were read, in milliseconds since 1970-01-01 UTC.
    time: i64,
}

impl Clock {
    /// Returns whether both show the same, regardless of when they were read.
    pub fn says_as(&self, other: &Clock) -> bool {
        (self.white, self.black, self.run) == (other.white, other.black, other.run)
    }

    fn new(times: ClockTimes, run: Option<Color>, time: i64) -> Option<Clock> {
        let [white, black] = [times.white?, times.black?].map(|time| time.ms / 1000);
        Some(Clock { white, black, run: run.map(Color::is_white), time })
    }
}

/// Returns all boards; the configured first board comes first, the others by table and name.
pub fn list<'a>(desk: &Desk, state: &'a State) -> Vec<&'a BoardView> {
    let tables = rounds::tables(state);
    let table = |id: &BoardId| tables.iter().position(|(_, board)| board.as_ref() == Some(id)).unwrap_or(usize::MAX);
    let is_not_first = |id: &BoardId| desk.config.first.as_deref() != Some(id.as_str());
    let mut boards: Vec<&BoardView> = state.boards.values().collect();
    boards.sort_by_cached_key(|board| (is_not_first(&board.id), table(&board.id), rounds::natural(board.id.as_str())));
    boards
}

/// Returns all boards in the form of LiveChess.
pub fn eboards(desk: &Desk, state: &State) -> Vec<EBoard> {
    list(desk, state).into_iter().map(|board| eboard(desk, state, board)).collect()
}

/// A device to which boards are connected, in the response to `sources`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The device name, the same as in [`EBoard::source`].
    device: String,
}

/// Returns all devices to which boards are connected, each once. LiveChess publishes nothing about them but the device.
pub fn sources(desk: &Desk, state: &State) -> Vec<Source> {
    let mut devices: Vec<&str> = Vec::new();
    for board in list(desk, state) {
        if !board.port.is_empty() && !devices.contains(&board.port.as_str()) {
            devices.push(&board.port);
        }
    }
    devices.into_iter().map(|device| Source { device: device.to_owned() }).collect()
}

fn eboard(desk: &Desk, state: &State, board: &BoardView) -> EBoard {
    let contact = match board.contact {
        // The delayed view does not contain the state of the connection.
        _ if desk.is_late() => Some("ACTIVE"),
        Contact::Ready => Some("ACTIVE"),
        Contact::Connecting => None,
        Contact::Silent => Some("NOTRESPONDING"),
        Contact::Unplugged | Contact::Refused => Some("INACTIVE"),
    };
    let percent = |battery: Battery| format!("{}%", battery.percent);
    EBoard {
        serialnr: serial(state, board),
        source: Some(board.port.clone()).filter(|port| !port.is_empty()),
        state: contact,
        battery: board.battery.map(percent),
        comment: None,
        board: placement(state, board, None),
        flipped: is_turned(board),
        clock: clock(desk, state, board),
    }
}

/// Returns the serial number of a board, or its name if the serial number is unknown or not unique.
pub fn serial(state: &State, board: &BoardView) -> String {
    let told = board.serial_number.as_ref();
    let alone =
        told.filter(|told| state.boards.values().filter(|other| other.serial_number.as_ref() == Some(*told)).count() == 1);
    alone.map_or_else(|| board.id.to_string(), Clone::clone)
}

/// Finds the board with this serial number or name.
pub fn find<'a>(state: &'a State, wanted: &str) -> Option<&'a BoardView> {
    let boards = || state.boards.values();
    boards().find(|board| serial(state, board) == wanted).or_else(|| boards().find(|board| board.id.as_str() == wanted))
}

/// Returns the current game on a board, or the last one.
pub fn game<'a>(state: &'a State, board: &BoardView) -> Option<&'a GameView> {
    state.games.get(&board.game?)
}

/// Returns whether the board is rotated by 180° relative to its maker's orientation.
pub fn is_turned(board: &BoardView) -> bool {
    board.rotation == Some(Rotation::Turned)
}

/// Returns the placement on a board, as the first field of a FEN: the state of its squares if the sensors identify pieces, else the
/// position of its game; `None` if neither is known. `flip` overrides the detected orientation.
pub fn placement(state: &State, board: &BoardView, flip: Option<bool>) -> Option<String> {
    let text = match shown(board) {
        Some(text) => text,
        None => game(state, board)?.record.fen().split(' ').next()?.to_owned(),
    };
    Some(if is_flipped(board, flip) { text.chars().rev().collect() } else { text })
}

/// Returns the state of the squares, as the first field of a FEN; `None` if the sensors do not identify pieces, or nothing was read
/// yet.
pub fn shown(board: &BoardView) -> Option<String> {
    let squares = board.placement.as_ref().filter(|_| board.sensing == Sensing::Identity)?;
    Some(Rank::ALL.iter().rev().map(|rank| row(squares, *rank)).collect::<Vec<_>>().join("/"))
}

/// Returns whether the client reads the board rotated by 180° relative to its detected orientation.
pub fn is_flipped(board: &BoardView, flip: Option<bool>) -> bool {
    flip.is_some_and(|flip| flip != is_turned(board))
}

fn row(squares: &[Sensed; 64], rank: Rank) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    let flush = |text: &mut String, empty: &mut u8| {
        if *empty > 0 {
            text.push(char::from(b'0' + *empty));
        }
        *empty = 0;
    };
    for file in File::ALL {
        match squares.get(usize::from(Square::from_coords(file, rank))) {
            Some(Sensed::Piece(piece)) => {
                flush(&mut text, &mut empty);
                text.push(piece.char());
            }
            _ => empty += 1,
        }
    }
    flush(&mut text, &mut empty);
    text
}

/// Returns the clock of a board; in the delayed view, the clock times recorded in its game.
pub fn clock(desk: &Desk, state: &State, board: &BoardView) -> Option<Clock> {
    if desk.is_late() {
        return game(state, board).and_then(|game| recorded_clock(desk, game));
    }
    let ClockView { times, turn, running, read_at, .. } = *board.clock.as_ref()?;
    Clock::new(times, running.then_some(turn), steady::to_wall(read_at))
}

/// Returns the clock of a board with a current game. While the clock cannot be read, returns its last times; which clock runs is
/// then unknown.
pub fn game_clock(desk: &Desk, state: &State, board: &BoardView) -> Option<Clock> {
    clock(desk, state, board).or_else(|| {
        let lost = board.lost_clock.as_ref().filter(|_| !desk.is_late())?;
        Clock::new(lost.times, None, steady::to_wall(lost.read_at))
    })
}

/// Returns the clock times at the last completed move. The time of reading is shifted by the publication delay, because programs
/// count on from it.
pub fn recorded_clock(desk: &Desk, game: &GameView) -> Option<Clock> {
    let record = &game.record;
    let completed = record.plies.iter().rev().find_map(|ply| match ply.state {
        PlyState::Completed { at, .. } => Some(at),
        PlyState::Made => None,
    })?;
    let turn = if record.fen().split(' ').nth(1) == Some("b") { Color::Black } else { Color::White };
    let run = record.result.is_none().then_some(turn);
    let times = record.clocks_at(u32::try_from(record.plies.len()).unwrap_or(u32::MAX));
    let read_at = steady::to_wall(game.steady_ms(completed));
    Clock::new(times, run, read_at.saturating_add_unsigned(desk.delay.ms))
}
