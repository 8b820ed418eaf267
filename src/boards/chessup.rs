//! ChessUp 1 and 2 of Bryght Labs: whether a square is occupied, which square a hand touches, and moves, over Bluetooth Low Energy,
//! Nordic UART service.
//!
//! # Frames
//!
//! Computer to board:
//!
//! | bytes | effect or reply | sent |
//! |---|---|---|
//! | b9 05 00 01 00 00 01 00 00 00 00 00 | starts a game of two people that a computer records; without it no moves are reported | when the start position is on the board |
//! | 67 | one 67 | greeting, request, link test |
//! | 50 | fd whenever a square changes | greeting, until it is answered |
//! | 21 | acknowledges a3: the board repeats it until then | reply |
//! | 23 | acknowledges 97: likewise | reply |
//! | 99 | a move of the opponent: changes the board's game, lights its squares | **never** |
//! | 64, 66, 97, 52, b6, b3, b4 | reset, set a position, promote, end a game, settings of players | **never** |
//! | 10 | hints | **never** |
//!
//! Board to computer: a code and data; the code tells the length.
//!
//! | code | length | data | becomes |
//! |---|---|---|---|
//! | 67 | 73 | 64 piece codes from a1, b1 … to h8; whose turn; castling; en passant; move numbers | see below |
//! | fd fd | 10 | a byte a rank, the eighth first, bit 0 is the a-file; set: occupied | [`Reading::Placement`], if it was requested, else [`Reading::Square`] for changes |
//! | a3 35 | 6 | from file, from rank, to file, to rank, from 0 | [`Reading::Move`], if the squares agree |
//! | 97 | 2 | the piece of a promoted pawn: 1 rook, 2 knight, 3 bishop, 4 queen | [`Reading::Promotion`] |
//! | b8 | 3 | square, from a1 = 0; piece code | [`Reading::Touch`] |
//! | bb | 1 | no square is touched | [`Reading::Touch`] |
//! | b1, bd | 1 | a position was loaded; a move was taken back | nothing |
//! | b2 | 17 | a text | [`Identity::Text`] |
//! | 33, b0 | 2 | charging; the start position is on the board | nothing |
//! | 22, 23, 24 | 1 | acknowledgements | nothing |
//!
//! Piece codes: 00–05 white pawn, rook, knight, bishop, queen, king; 08–0d the same in black; 40 empty.
//!
//! # What is believed
//!
//! The squares that are sensed (fd) decide. The board also follows the game by itself: its state (67) and its moves (a3) are its own
//! conclusions. A move is passed on only if the square that it comes from is empty and the one that it goes to is occupied, at once
//! or within [`CHECK_TIMEOUT`]; else it is [`ProtocolError::ContradictedMove`]. Whether a move is legal is not asked here: what is
//! wrong on the squares is for the Laws to judge, whatever the board thinks. A move that is repeated is acknowledged and not passed
//! on again. The state shows the squares only if the board does not answer `50` within [`STREAM_TIMEOUT`], and only which of them
//! are occupied. Nothing senses which piece a pawn was promoted to: what the players chose on the board (97) counts unless later play
//! or the arbiter corrects it.
//!
//! A game is started (b9) only when the start position is on the board: it would erase the game that the board is following. After
//! a restart in mid-game the squares suffice. If the board does not report its state, the game is started without it.
//!
//! # Sources
//!
//! BoardKit, whose tests contain frames and whose authors compared a game of 90 plies with the board's own record; chessupdriver and
//! bluecheese.
//!
//! # Unknown
//!
//! * *unknown*: whether a ChessUp 2 answers `50`; the frames of touches are known, but not when exactly they are sent.
//! * *unknown*: whether fd is also sent at intervals.
//! * Nothing of this was tried on a real board.

mod frame;

use super::bluetooth::NORDIC_UART;
use super::shared::wireless::{Dialect, Session, WirelessBoard};
use super::*;
use frame::{Frames, Item};
use shakmaty::Square;

/// ChessUp 1 and 2.
pub static MODEL: Model = Model {
    name: "chessup",
    title: "ChessUp 1, 2",
    sensing: SensorKind::Occupancy,
    connection: Connection::Bluetooth(Bluetooth::Gatt(&NORDIC_UART)),
    bluetooth: None,
    usb: &[],
    lights: Lights::None,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[
        CommandPattern::exact(START_GAME),
        CommandPattern::exact(STATE),
        CommandPattern::exact(STREAM),
        CommandPattern::exact(MOVE_RECEIVED),
        CommandPattern::exact(PROMOTION_RECEIVED),
    ],
    virtual_board: VirtualBoardKind::ChessUp,
    limitations: &["which hand touched or moved a piece", "when a touch of one square ended while another was still touched"],
    protocol: || Box::new(WirelessBoard::new(ChessUp::default())),
};

/// Time within which the squares must agree with a move that the board reports, in milliseconds.
pub const CHECK_TIMEOUT: Millis = 1_000;
/// Time within which a board that can stream its squares begins to, in milliseconds.
pub const STREAM_TIMEOUT: Millis = 1_000;

/// Number of squares that differ from the start position when a game is under way: more than one piece in the hand.
const LEFT_START: usize = 4;
const START_GAME: &[u8] = &[0xb9, 0x05, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0];
const STATE: &[u8] = &[0x67];
const STREAM: &[u8] = &[0x50];
const MOVE_RECEIVED: &[u8] = &[0x21];
const PROMOTION_RECEIVED: &[u8] = &[0x23];

type SquarePair = (Square, Square);

#[derive(Default)]
struct ChessUp {
    frames: Frames,
    /// Whether a game was started on this link, and has not left the start position.
    at_start: bool,
    /// Whether the board has reported its state on this link.
    has_state: bool,
    /// Number of requests on this link.
    requests: u32,
    /// Whether sensed squares have arrived on this link.
    streams: bool,
    /// The occupied squares of the state, to be used at this time unless sensed squares arrive.
    derived: Option<(Box<Placement>, Millis)>,
    /// Whether the state shows the squares, because sensed squares did not arrive.
    uses_state: bool,
    /// The last move, which may be repeated.
    last_move: Option<SquarePair>,
    /// The last promotion, which may be repeated until the next move.
    last_promotion: Option<shakmaty::Role>,
    /// A move that the squares have not confirmed, and until when they may.
    unconfirmed: Option<(SquarePair, Millis)>,
}

impl Dialect for ChessUp {
    const WRITE_INTERVAL: Millis = NORDIC_UART.write_interval;

    fn reset(&mut self) {
        *self = ChessUp::default();
    }

    fn greet(&mut self, _: &mut Session, _: Millis) {}

    fn request_squares(&mut self, session: &mut Session, now: Millis) -> bool {
        self.requests += 1;
        if self.requests == 2 && !self.has_state && !self.streams && !self.at_start {
            self.start_game(session, now);
        }
        session.send(now, STATE);
        if !self.streams {
            session.send(now, STREAM);
        }
        true
    }

    fn receive(&mut self, session: &mut Session, now: Millis, chunk: &[u8]) {
        self.frames.feed(chunk);
        while let Some(item) = self.frames.next() {
            if let Item::Skipped(count) = item {
                session.damaged(now, count);
                continue;
            }
            session.heard(now);
            self.item(session, now, item);
        }
    }

    fn is_inside(&self) -> bool {
        self.frames.is_inside()
    }

    fn discard(&mut self) -> usize {
        self.frames.discard()
    }

    fn timeout(&mut self, session: &mut Session, now: Millis) {
        if let Some((placement, _)) = self.derived.take_if(|(_, at)| *at <= now) {
            self.uses_state = true;
            self.squares(session, now, &placement);
        }
        if let Some(((from, to), _)) = self.unconfirmed.take_if(|(_, until)| *until <= now) {
            session.push(Reading::ProtocolError(ProtocolError::ContradictedMove { from, to }));
        }
    }

    fn deadline(&self) -> Option<Millis> {
        let derived = self.derived.as_ref().map(|(_, at)| *at);
        derived.into_iter().chain(self.unconfirmed.map(|(_, until)| until)).min()
    }
}

impl ChessUp {
    fn item(&mut self, session: &mut Session, now: Millis, item: Item) {
        match item {
            Item::Squares(placement) => {
                self.streams = true;
                (self.derived, self.uses_state) = (None, false);
                self.squares(session, now, &placement);
            }
            Item::State(placement) => self.state(session, now, &placement),
            Item::Move(from, to) => {
                session.send(now, MOVE_RECEIVED);
                if self.last_move.replace((from, to)) != Some((from, to)) {
                    (self.last_promotion, self.at_start) = (None, false);
                    if let Some(((from, to), _)) = self.unconfirmed.replace(((from, to), now + CHECK_TIMEOUT)) {
                        session.push(Reading::ProtocolError(ProtocolError::ContradictedMove { from, to }));
                    }
                    self.confirm_move(session);
                    if self.uses_state {
                        session.request_soon(now);
                    }
                }
            }
            Item::Promotion(role) => {
                session.send(now, PROMOTION_RECEIVED);
                if self.last_promotion.replace(role) != Some(role) {
                    session.push(Reading::Promotion(role));
                }
            }
            Item::Touched(square, piece) => session.push(Reading::Touch(Touch::Begin { square, piece })),
            Item::Released => session.push(Reading::Touch(Touch::End)),
            Item::Rewound => self.last_move = None,
            Item::Text(text) if !text.is_empty() => session.push(Reading::Identity(Identity::Text(text))),
            Item::Text(_) | Item::Other | Item::Skipped(_) => {}
        }
    }

    /// Handles the board's own state.
    fn state(&mut self, session: &mut Session, now: Millis, pieces: &Placement) {
        self.has_state = true;
        let occupied = pieces.map(|state| state.reduce_to(SensorKind::Occupancy));
        if self.streams {
            session.confirmed(now);
        } else if self.uses_state {
            self.squares(session, now, &occupied);
        } else if self.derived.is_none() {
            self.derived = Some((Box::new(occupied), now + STREAM_TIMEOUT));
        }
    }

    /// Handles the occupied squares.
    fn squares(&mut self, session: &mut Session, now: Millis, placement: &Placement) {
        session.placement(now, placement);
        self.confirm_move(session);
        let differs = |(index, state): &(usize, &SquareState)| (**state == SquareState::Empty) != (16..48).contains(index);
        match placement.iter().enumerate().filter(differs).count() {
            0 if !self.at_start => self.start_game(session, now),
            LEFT_START.. => self.at_start = false,
            _ => {}
        }
    }

    fn start_game(&mut self, session: &mut Session, now: Millis) {
        session.send(now, START_GAME);
        (self.at_start, self.last_move) = (true, None);
    }

    /// Passes the last move on if the squares agree with it.
    fn confirm_move(&mut self, session: &mut Session) {
        let is_occupied = |square: Square| session.shown().map(|shown| shown[square as usize] != SquareState::Empty);
        let agrees = |(from, to)| is_occupied(from) == Some(false) && is_occupied(to) == Some(true);
        if let Some(((from, to), _)) = self.unconfirmed.take_if(|(reported, _)| agrees(*reported)) {
            session.push(Reading::Move { from, to });
        }
    }
}
