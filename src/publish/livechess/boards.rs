//! Boards and clocks in the form of LiveChess.

use super::ServerState;
use crate::boards::Battery;
use crate::daemon::hub::{BoardId, BoardView, ClockView, ConnectionState, GameView, State};
use crate::daemon::{rounds, steady_clock};
use crate::game::event::{ClockTimes, Rotation};
use crate::game::record::PlyState;
use crate::publish::render::placement::sensed_placement;
use serde::Serialize;
use shakmaty::Color;

/// A board, in the response to `eboards`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct EBoard {
    serialnr: String,
    source: Option<String>,
    state: Option<&'static str>,
    battery: Option<String>,
    comment: Option<String>,
    board: Option<String>,
    flipped: bool,
    clock: Option<ClockReading>,
}

/// The clock times of both players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ClockReading {
    /// White's time, in seconds.
    white: u32,
    /// Black's time, in seconds.
    black: u32,
    /// The clock that runs: `true` is White's, `false` is Black's; `None`: neither.
    run: Option<bool>,
    /// When the times were read, in milliseconds since 1970-01-01 UTC.
    time: i64,
}

impl ClockReading {
    /// Returns whether both show the same, regardless of when they were read.
    pub(super) fn shows_same_times(&self, other: &ClockReading) -> bool {
        (self.white, self.black, self.run) == (other.white, other.black, other.run)
    }

    fn new(times: ClockTimes, run: Option<Color>, time: i64) -> Option<ClockReading> {
        let [white, black] = [times.white?, times.black?].map(|time| time.ms / 1000);
        Some(ClockReading { white, black, run: run.map(Color::is_white), time })
    }
}

/// Returns all boards; the configured first board comes first, the others by table and name.
pub(super) fn sorted_boards<'a>(server: &ServerState, state: &'a State) -> Vec<&'a BoardView> {
    let tables = rounds::boards_at_tables(state);
    let table = |id: &BoardId| tables.iter().position(|(_, board)| board.as_ref() == Some(id)).unwrap_or(usize::MAX);
    let is_not_first = |id: &BoardId| server.config.first.as_deref() != Some(id.as_str());
    let mut boards: Vec<&BoardView> = state.boards.values().collect();
    boards.sort_by_cached_key(|board| (is_not_first(&board.id), table(&board.id), rounds::natural_sort_key(board.id.as_str())));
    boards
}

/// Returns all boards in the form of LiveChess.
pub(super) fn eboards(server: &ServerState, state: &State) -> Vec<EBoard> {
    sorted_boards(server, state).into_iter().map(|board| eboard(server, state, board)).collect()
}

/// A device to which boards are connected, in the response to `sources`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct EBoardSource {
    /// The device name, the same as in [`EBoard::source`].
    device: String,
}

/// Returns all devices to which boards are connected, each once. LiveChess publishes nothing about them but the device.
pub(super) fn sources(server: &ServerState, state: &State) -> Vec<EBoardSource> {
    let mut devices: Vec<&str> = Vec::new();
    for board in sorted_boards(server, state) {
        if !board.port.is_empty() && !devices.contains(&board.port.as_str()) {
            devices.push(&board.port);
        }
    }
    devices.into_iter().map(|device| EBoardSource { device: device.to_owned() }).collect()
}

fn eboard(server: &ServerState, state: &State, board: &BoardView) -> EBoard {
    let connection_state = match board.connection {
        // The delayed view does not contain the state of the connection.
        _ if server.is_delayed() => Some("ACTIVE"),
        ConnectionState::Ready => Some("ACTIVE"),
        ConnectionState::Connecting => None,
        ConnectionState::Silent => Some("NOTRESPONDING"),
        ConnectionState::Unplugged | ConnectionState::Refused => Some("INACTIVE"),
    };
    let percent = |battery: Battery| format!("{}%", battery.percent);
    EBoard {
        serialnr: serial_number(state, board),
        source: Some(board.port.clone()).filter(|port| !port.is_empty()),
        state: connection_state,
        battery: board.battery.map(percent),
        comment: None,
        board: placement(state, board, None),
        flipped: is_turned(board),
        clock: clock(server, state, board),
    }
}

/// Returns the serial number of a board, or its name if the serial number is unknown or not unique.
pub(super) fn serial_number(state: &State, board: &BoardView) -> String {
    let serial = board.serial_number.as_ref();
    let unique = serial
        .filter(|serial| state.boards.values().filter(|other| other.serial_number.as_ref() == Some(*serial)).count() == 1);
    unique.map_or_else(|| board.id.to_string(), Clone::clone)
}

/// Finds the board with this serial number or name.
pub(super) fn find_board<'a>(state: &'a State, wanted: &str) -> Option<&'a BoardView> {
    let boards = || state.boards.values();
    boards().find(|board| serial_number(state, board) == wanted).or_else(|| boards().find(|board| board.id.as_str() == wanted))
}

/// Returns the current game on a board, or the last one.
pub(super) fn game<'a>(state: &'a State, board: &BoardView) -> Option<&'a GameView> {
    state.games.get(&board.game?)
}

/// Returns whether the board is rotated by 180° relative to its maker's orientation.
pub(super) fn is_turned(board: &BoardView) -> bool {
    board.rotation == Some(Rotation::Turned)
}

/// Returns the placement on a board, as the first field of a FEN: the state of its squares if the sensors identify pieces, else the
/// position of its game; `None` if neither is known. `flip` overrides the detected orientation.
pub(super) fn placement(state: &State, board: &BoardView, flip: Option<bool>) -> Option<String> {
    let text = match sensed_placement(board) {
        Some(text) => text,
        None => game(state, board)?.record.fen().split(' ').next()?.to_owned(),
    };
    Some(if is_flipped(board, flip) { text.chars().rev().collect() } else { text })
}

/// Returns whether the client reads the board rotated by 180° relative to its detected orientation.
pub(super) fn is_flipped(board: &BoardView, flip: Option<bool>) -> bool {
    flip.is_some_and(|flip| flip != is_turned(board))
}

/// Returns the clock of a board; in the delayed view, the clock times recorded in its game.
pub(super) fn clock(server: &ServerState, state: &State, board: &BoardView) -> Option<ClockReading> {
    if server.is_delayed() {
        return game(state, board).and_then(|game| recorded_clock(server, game));
    }
    let ClockView { times, turn, running, read_at, .. } = *board.clock.as_ref()?;
    ClockReading::new(times, running.then_some(turn), steady_clock::to_wall(read_at))
}

/// Returns the clock of a board with a current game. While the clock cannot be read, returns its last times; which clock runs is
/// then unknown.
pub(super) fn game_clock(server: &ServerState, state: &State, board: &BoardView) -> Option<ClockReading> {
    clock(server, state, board).or_else(|| {
        let lost = board.lost_clock.as_ref().filter(|_| !server.is_delayed())?;
        ClockReading::new(lost.times, None, steady_clock::to_wall(lost.read_at))
    })
}

/// Returns the clock times at the last completed move. The time of reading is shifted by the publication delay, because programs
/// count on from it.
pub(super) fn recorded_clock(server: &ServerState, game: &GameView) -> Option<ClockReading> {
    let record = &game.record;
    let completed = record.plies.iter().rev().find_map(|ply| match ply.state {
        PlyState::Completed { at, .. } => Some(at),
        PlyState::Made => None,
    })?;
    let turn = if record.fen().split(' ').nth(1) == Some("b") { Color::Black } else { Color::White };
    let run = record.result.is_none().then_some(turn);
    let times = record.clocks_at(u32::try_from(record.plies.len()).unwrap_or(u32::MAX));
    let read_at = steady_clock::to_wall(game.steady_ms(completed));
    ClockReading::new(times, run, read_at.saturating_add_unsigned(server.delay().ms))
}
