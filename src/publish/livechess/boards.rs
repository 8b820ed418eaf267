//! Boards, as LiveChess tells of them.

use super::Desk;
use crate::boards::{Battery, Sensed, Sensing};
use crate::daemon::hub::{BoardId, BoardView, ClockView, Contact, GameView, State};
use crate::daemon::{rounds, steady};
use crate::game::event::{ClockTimes, Rotation};
use crate::game::record::PlyState;
use serde::Serialize;
use shakmaty::{Color, File, Rank, Square};

/// A board, in the answer to `eboards`.
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

/// Both clocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clock {
    /// Seconds.
    white: u32,
    /// Seconds.
    black: u32,
    /// `true`: White's runs, `false`: Black's; `None`: neither.
    run: Option<bool>,
    /// When they said so, in milliseconds since 1970-01-01 UTC.
    time: i64,
}

impl Clock {
    /// Whether they say the same, no matter when.
    pub fn says_as(&self, other: &Clock) -> bool {
        (self.white, self.black, self.run) == (other.white, other.black, other.run)
    }

    fn new(times: ClockTimes, run: Option<Color>, time: i64) -> Option<Clock> {
        let [white, black] = [times.white?, times.black?].map(|time| time.ms / 1000);
        Some(Clock { white, black, run: run.map(Color::is_white), time })
    }
}

/// All boards, the first one first.
pub fn list<'a>(desk: &Desk, state: &'a State) -> Vec<&'a BoardView> {
    let tables = rounds::tables(state);
    let table = |id: &BoardId| tables.iter().position(|(_, board)| board.as_ref() == Some(id)).unwrap_or(usize::MAX);
    let is_not_first = |id: &BoardId| desk.config.first.as_deref() != Some(id.as_str());
    let mut boards: Vec<&BoardView> = state.boards.values().collect();
    boards.sort_by_cached_key(|board| (is_not_first(&board.id), table(&board.id), rounds::natural(board.id.as_str())));
    boards
}

/// The same as LiveChess tells of them.
pub fn eboards(desk: &Desk, state: &State) -> Vec<EBoard> {
    list(desk, state).into_iter().map(|board| eboard(desk, state, board)).collect()
}

/// A place where boards are connected, in the answer to `sources`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// As [`EBoard::source`] names it.
    device: String,
}

/// All places where boards are connected, each once. LiveChess describes no more of them in public than their device.
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
        // Of what the public may see, nobody knows how the cable is.
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

/// The serial number of a board; its name while it has not told any, and where another has told the same.
pub fn serial(state: &State, board: &BoardView) -> String {
    let told = board.serial_number.as_ref();
    let alone =
        told.filter(|told| state.boards.values().filter(|other| other.serial_number.as_ref() == Some(*told)).count() == 1);
    alone.map_or_else(|| board.id.to_string(), Clone::clone)
}

/// The board of this serial number or name.
pub fn find<'a>(state: &'a State, wanted: &str) -> Option<&'a BoardView> {
    let boards = || state.boards.values();
    boards().find(|board| serial(state, board) == wanted).or_else(|| boards().find(|board| board.id.as_str() == wanted))
}

/// The game on a board, or the last one.
pub fn game<'a>(state: &'a State, board: &BoardView) -> Option<&'a GameView> {
    state.games.get(&board.game?)
}

/// It stands the other way round than its maker meant it.
pub fn is_turned(board: &BoardView) -> bool {
    board.rotation == Some(Rotation::Turned)
}

/// What stands on a board, as the first field of a FEN: what its squares show, where they show which piece it is, else the position
/// of its game; `None`: neither is known. `flip`: how it is read, if not as it was found to stand.
pub fn placement(state: &State, board: &BoardView, flip: Option<bool>) -> Option<String> {
    let text = match shown(board) {
        Some(text) => text,
        None => game(state, board)?.record.fen().split(' ').next()?.to_owned(),
    };
    Some(if is_flipped(board, flip) { text.chars().rev().collect() } else { text })
}

/// What the squares show, as the first field of a FEN; `None`: they do not show which piece it is, or nothing yet.
pub fn shown(board: &BoardView) -> Option<String> {
    let squares = board.placement.as_ref().filter(|_| board.sensing == Sensing::Identity)?;
    Some(Rank::ALL.iter().rev().map(|rank| row(squares, *rank)).collect::<Vec<_>>().join("/"))
}

/// It is read the other way round than it was found to stand.
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

/// The clock of a board; what the public may see is what stands in its game.
pub fn clock(desk: &Desk, state: &State, board: &BoardView) -> Option<Clock> {
    if desk.is_late() {
        return game(state, board).and_then(|game| recorded_clock(desk, game));
    }
    let ClockView { times, turn, running, read_at, .. } = *board.clock.as_ref()?;
    Clock::new(times, running.then_some(turn), steady::to_wall(read_at))
}

/// The same for a game that is on; while the clock cannot be read, what it showed last, and nobody knows whose runs.
pub fn game_clock(desk: &Desk, state: &State, board: &BoardView) -> Option<Clock> {
    clock(desk, state, board).or_else(|| {
        let lost = board.lost_clock.as_ref().filter(|_| !desk.is_late())?;
        Clock::new(lost.times, None, steady::to_wall(lost.read_at))
    })
}

/// What the clocks showed at the last completed move, as if that had been when the public learned of it: programs count on from there.
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
