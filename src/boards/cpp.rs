//! Boards of one's own that speak the Chess Peripheral Protocol (CPP), e.g. with the library ArduinoBleChess, over Bluetooth Low
//! Energy. `docs/cpp-board.md` has an example for an Arduino.
//!
//! # Frames
//!
//! Both ways: text, one command in each write or notification; a line feed may end it. The protocol calls the computer *central* and
//! the board *peripheral*.
//!
//! | central | reply | sent |
//! |---|---|---|
//! | `feature state_stream`, `feature get_state` | `ok` or `nok`, in this order | greeting |
//! | `get_state` | `state` | greeting, request, link test, after a move, if the board has the feature |
//! | `begin rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w` | `sync` or `unsync` | greeting, if it does not |
//! | `ok` | | after `move`: whether a move is legal is not for the board to hear |
//! | `move`, `end`, `promote`, `set_state`, … | | **never**: a board with a motor moves its pieces |
//!
//! | peripheral | becomes |
//! |---|---|
//! | `state FEN`, `sync FEN`, `unsync FEN`, `unsync_setible FEN` | [`Reading::Placement`], if it was requested, else [`Reading::Square`] for changes |
//! | `move UCI` | [`Reading::Move`], if the squares agree; if the board reports no states, also the squares with the moved pieces |
//! | `err TEXT`, `msg TEXT` and other commands | nothing |
//!
//! A FEN may have `?`, `w` and `b` for pieces that the board does not know. Only whether a square is occupied is used, since `b` is
//! also a bishop.
//!
//! The squares count, not the moves. A move is passed on only if a state shows the square that it comes from as empty and the one
//! that it goes to as occupied, within [`CHECK_TIMEOUT`]; else it is [`ProtocolError::ContradictedMove`]. A board that has neither
//! feature reports nothing but moves: they are carried out on the squares that it reported first (module `squares`), legal or not,
//! except from an empty square.
//!
//! # Sources
//!
//! The specification and the library ArduinoBleChess.
//!
//! # Unknown
//!
//! Nothing: the builder of a board decides. Nothing of this was tried on a real board.

mod squares;

use super::shared::wireless::{Dialect, Session, WirelessBoard};
use super::*;
use shakmaty::Square;
use squares::{Squares, parse_move};
use std::collections::VecDeque;

/// The service of such boards. The longest command has about a hundred bytes.
pub static GATT: GattProfile = GattProfile {
    services: &["f5351050-b2c9-11ec-a0c0-b3bc53b08d33"],
    notify: &["f53513ca-b2c9-11ec-a0c1-639b8957db99"],
    write: "f535147e-b2c9-11ec-a0c2-8bbd706ec4e6",
    min_mtu: 103,
    write_interval: 50,
};

/// A board with the Chess Peripheral Protocol.
pub static MODEL: Model = Model {
    name: "cpp",
    title: "Self-built board (CPP)",
    sensing: SensorKind::Occupancy,
    connection: Connection::Bluetooth(Bluetooth::Gatt(&GATT)),
    bluetooth: None,
    usb: &[],
    lights: Lights::None,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[
        CommandPattern::exact(HAS_STATE_STREAM),
        CommandPattern::exact(HAS_GET_STATE),
        CommandPattern::exact(GET_STATE),
        CommandPattern::exact(BEGIN),
        CommandPattern::exact(ACCEPT),
    ],
    virtual_board: VirtualBoardKind::Cpp,
    limitations: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || Box::new(WirelessBoard::new(Cpp::default())),
};

const HAS_STATE_STREAM: &[u8] = b"feature state_stream";
const HAS_GET_STATE: &[u8] = b"feature get_state";
const GET_STATE: &[u8] = b"get_state";
const BEGIN: &[u8] = b"begin rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
const ACCEPT: &[u8] = b"ok";
/// Interval between two requests for the state until the board has reported one by itself, in milliseconds.
pub const POLL_INTERVAL: Millis = 1_000;
/// Time within which the squares must agree with a move that the board reports, in milliseconds.
pub const CHECK_TIMEOUT: Millis = 2_000;
/// Maximum length of a command, in bytes.
const MAX_COMMAND: usize = 200;

/// A feature that the board was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feature {
    StateStream,
    GetState,
}

#[derive(Default)]
struct Cpp {
    /// Features that the board has not answered yet.
    queries: VecDeque<Feature>,
    /// Whether the features have been asked for on this link.
    has_asked: bool,
    has_state_stream: bool,
    has_get_state: bool,
    /// Whether a round was begun, because the board's state cannot be requested.
    has_begun: bool,
    /// Whether a requested state has not arrived yet.
    awaits_state: bool,
    /// Whether the board has reported a state without a request.
    reports_states: bool,
    /// The squares as last reported, with the moves since.
    squares: Option<Squares>,
    /// A move that the squares have not confirmed, and until when they may.
    unconfirmed: Option<((Square, Square), Millis)>,
}

impl Dialect for Cpp {
    const WRITE_INTERVAL: Millis = GATT.write_interval;

    fn reset(&mut self) {
        *self = Cpp::default();
    }

    fn greet(&mut self, _: &mut Session, _: Millis) {}

    fn request_squares(&mut self, session: &mut Session, now: Millis) -> bool {
        if !self.has_asked || !self.queries.is_empty() {
            self.has_asked = true;
            self.queries = [Feature::StateStream, Feature::GetState].into();
            session.send(now, HAS_STATE_STREAM);
            session.send(now, HAS_GET_STATE);
        } else if self.has_get_state {
            self.awaits_state = true;
            session.send(now, GET_STATE);
        } else if !std::mem::replace(&mut self.has_begun, true) {
            session.send(now, BEGIN);
        } else {
            session.confirmed(now);
            return false;
        }
        true
    }

    fn receive(&mut self, session: &mut Session, now: Millis, chunk: &[u8]) {
        for line in chunk.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
            let text = std::str::from_utf8(line).ok().filter(|text| text.len() <= MAX_COMMAND);
            if !text.is_some_and(|text| self.command(session, now, text)) {
                session.damaged(now, line.len());
            }
        }
    }

    fn is_inside(&self) -> bool {
        false
    }

    fn discard(&mut self) -> usize {
        0
    }

    fn timeout(&mut self, session: &mut Session, now: Millis) {
        if let Some(((from, to), _)) = self.unconfirmed.take_if(|(_, until)| *until <= now) {
            session.push(Reading::ProtocolError(ProtocolError::ContradictedMove { from, to }));
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.unconfirmed.map(|(_, until)| until)
    }
}

impl Cpp {
    /// Handles a command of the board. Returns whether it is one.
    fn command(&mut self, session: &mut Session, now: Millis, text: &str) -> bool {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "ok" | "nok" => self.answer(session, now, word == "ok"),
            "err" if !self.queries.is_empty() => self.answer(session, now, false),
            "state" | "sync" | "unsync" | "unsync_setible" => {
                let Some(squares) = Squares::from_fen(rest) else { return false };
                session.placement(now, &squares.placement());
                if let Some(((from, to), _)) = self.unconfirmed.take_if(|(reported, _)| squares.show_move(*reported)) {
                    session.push(Reading::Move { from, to });
                }
                self.squares = Some(squares);
                if !std::mem::take(&mut self.awaits_state) && word == "state" {
                    self.reports_states = true;
                }
                if self.has_get_state && !self.reports_states {
                    session.request_soon(now + POLL_INTERVAL);
                }
            }
            "move" => {
                session.heard(now);
                session.send(now, ACCEPT);
                if self.has_state_stream || self.has_get_state {
                    self.check(session, now, rest);
                } else {
                    self.carry_out(session, now, rest);
                }
            }
            "err" | "msg" | "moved" | "resign" | "draw_offer" | "undo" | "option" | "options_end" | "set_option" => {
                session.heard(now)
            }
            _ => return false,
        }
        true
    }

    /// Has a move checked that a board reports beside its squares, which may show it already.
    fn check(&mut self, session: &mut Session, now: Millis, uci: &str) {
        let Some((from, to, _)) = parse_move(uci) else {
            return session.invalid(format!("it reports the move {uci:?}, which is none"));
        };
        if self.squares.as_ref().is_some_and(|squares| squares.show_move((from, to))) {
            self.unconfirmed = None;
            session.push(Reading::Move { from, to });
        } else {
            self.unconfirmed = Some(((from, to), now + CHECK_TIMEOUT));
        }
        session.request_soon(now);
    }

    /// Handles the answer to the oldest query.
    fn answer(&mut self, session: &mut Session, now: Millis, answer: bool) {
        session.heard(now);
        match self.queries.pop_front() {
            Some(Feature::StateStream) => self.has_state_stream = answer,
            Some(Feature::GetState) => self.has_get_state = answer,
            None => return,
        }
        if self.queries.is_empty() {
            session.request_soon(now);
        }
    }

    /// Carries out a move on a board that reports only moves.
    fn carry_out(&mut self, session: &mut Session, now: Millis, uci: &str) {
        match self.squares.as_mut().map(|squares| squares.carry_out(uci)) {
            Some(Some((from, to))) => {
                if let Some(squares) = &self.squares {
                    session.placement(now, &squares.placement());
                }
                session.push(Reading::Move { from, to });
            }
            Some(None) => match parse_move(uci) {
                Some((from, to, _)) => session.push(Reading::ProtocolError(ProtocolError::ContradictedMove { from, to })),
                None => session.invalid(format!("it reports the move {uci:?}, which is none")),
            },
            None => {}
        }
    }
}
