//! DGT e-Boards in bus mode: many boards on one RS-232 or RS-485 line, 9600 baud, 8N1. A board sends only replies to requests.
//!
//! # Frames
//!
//! Computer to boards: `command, address high 7 bits, address low 7 bits, checksum`. Address 0 is all boards. The checksum of every
//! frame is the low seven bits of the sum of all preceding bytes. The input buffer of a board holds one command.
//!
//! | byte | name | reply | sent |
//! |---|---|---|---|
//! | 81 | clock | 84 | every second, and at once when the changes contain a press; every 10 s if there is no clock |
//! | 82 | board | 83 | when a board is found and 5 s later, on request, every 30 s, and every 5 s while messages are lost |
//! | 83 | changes | 85: what happened since the last 83 | five times a second if the line is fast enough |
//! | 84 | repeat changes | 85 as before | when an 85 is missing or damaged: a second 83 would lose the changes of the first |
//! | 85 | start of a game | 88 | when the board reports the start position |
//! | 86 | changes since the start of the game | 86 | request |
//! | 87 | ping | 87; to address 0: each board at a random moment within 1.1 s | to all, see below |
//! | 88 | end of bus mode | | never |
//! | 89 | reset | | never: boards are away for seconds |
//! | 8a | ignore the next ping to all | 87 | before such a ping, to each known board |
//! | 8b | version | 89 | to a newly found board |
//! | 8c, 8d | draughts board; all at once | | never |
//!
//! Boards to computer: `id, length high 7 bits, length low 7 bits, address high, address low, data, checksum`. The length is that
//! of the whole frame. Only the id has bit 7 set. The ids overlap with the commands and with the ids of the single-board protocol.
//!
//! | id | name | length | data | becomes |
//! |---|---|---|---|---|
//! | 83 | board | 70 | 64 piece codes as in the single-board protocol | [`Reading::Placement`] |
//! | 84 | clock | 13 | 7 bytes as in the single-board protocol | [`Reading::Clock`] if it has changed |
//! | 85 | changes | ≥ 6 | entries as in the board's memory, see `dgt/memory.rs` | [`Reading::Square`] |
//! | 86 | changes since the start | ≥ 6 | likewise | [`Reading::Memory`] |
//! | 87 | here | 6 | | |
//! | 88 | start noted | 6 | | |
//! | 89 | version | 8; 6 up to version 1.2 | major, minor | [`Identity::Version`] |
//!
//! The address is the serial number in 14 bits. Every reply therefore identifies its board, which is reported as
//! [`Identity::SerialNumber`] every [`IDENTITY_INTERVAL`] while the board answers.
//!
//! # Discovery of boards
//!
//! All known boards are muted for the next ping, then all are pinged. The other boards reply at random moments, and
//! replies that collide cannot be read; so this is repeated until two rounds have found no new board. Single rounds follow
//! after 5 s, 10 s, 20 s and so on, up to a minute, to find boards that are added during play. Each round takes
//! [`PING_REPLY_TIMEOUT`], in which no board is polled; no changes are lost by it. A board counts as found once it has answered
//! a request of its own.
//!
//! # Silence and damage
//!
//! A request that is not answered within [`REPLY_TIMEOUT`], or whose reply has a wrong checksum, is repeated. After
//! [`SILENCE_TIMEOUT`] without a reply, [`ProtocolError::Silent`] is reported, and from then on the board is polled every 10 s.
//! Its next reply causes [`ProtocolError::Recovered`], and everything is read again. The board stores the changes in between
//! for the next 83.
//!
//! A dump that differs from the known state may just be newer than the changes received so far: the changes are requested
//! first, and then a second dump decides. Damage is repaired here and not reported. However, one damaged message in 128 has a
//! correct checksum, so the squares are compared every 5 s while messages are lost. [`ProtocolError::ChangesDelayed`] precedes
//! three or more changes that arrive at least 400 ms after their request was due.
//!
//! # Sources
//!
//! The maker's public header file and a free driver for such a line. The internal bus of the DGT Centaur uses the same protocol.
//!
//! # Unknown
//!
//! * *unknown*: the address of a board whose serial number does not fit into 14 bits.
//! * *unknown*: the reply to an 84 after an 83 that the board never received. It is assumed to be the previous stream, which is
//!   then known.
//! * *unknown*: the reply to an 86 if no start was ever noted. The first changes after a gap are used instead.
//! * *unknown*: the pause that the line needs to turn round. [`TURNAROUND_PAUSE`] is an arbitrary choice.

mod board;
pub(super) mod frame;
mod search;

use super::*;
use board::{Board, BoardRequest};
use frame::{Frames, Item};
use search::{Search, SearchStep};
use std::collections::{BTreeMap, VecDeque};

/// DGT e-Boards on an RS-232 or RS-485 bus.
pub static MODEL: Model = Model {
    name: "dgt-bus",
    title: "DGT e-Boards on a bus",
    sensing: SensorKind::Identity,
    connection: Connection::Serial(SerialSettings { baud: 9600, control: ControlLines::Cleared }),
    bluetooth: None,
    usb: &[],
    lights: Lights::None,
    clock: ClockSupport::Connected,
    verification: Verification::Specification,
    commands: &[
        CommandPattern::with_length(&[0x81], 4),
        CommandPattern::with_length(&[0x82], 4),
        CommandPattern::with_length(&[0x83], 4),
        CommandPattern::with_length(&[0x84], 4),
        CommandPattern::with_length(&[0x85], 4),
        CommandPattern::with_length(&[0x86], 4),
        CommandPattern::with_length(&[0x87], 4),
        CommandPattern::with_length(&[0x8a], 4),
        CommandPattern::with_length(&[0x8b], 4),
    ],
    virtual_board: VirtualBoardKind::DgtBus,
    limitations: &[
        "whether a piece was touched without leaving its square, or returned to it before the next request to the board",
        "which hand moved a piece",
    ],
    protocol: || Box::new(Bus::default()),
};

/// Time after which a request is repeated if no reply has begun, in milliseconds: 80 ms according to the maker, plus the
/// transmission of the command.
pub const REPLY_TIMEOUT: Millis = 100;
/// Time without a reply after which a board counts as silent, in milliseconds.
pub const SILENCE_TIMEOUT: Millis = 5_000;
/// Interval at which the identity of a board that answers is reported, in milliseconds.
pub const IDENTITY_INTERVAL: Millis = 2_000;
/// Time to wait for replies to a ping to all boards, in milliseconds.
pub const PING_REPLY_TIMEOUT: Millis = 1_500;
/// Pause before the line turns round, in milliseconds.
pub const TURNAROUND_PAUSE: Millis = 2;
/// Time without a byte after which a damaged reply is over, in milliseconds.
const DAMAGED_REPLY_TIMEOUT: Millis = 50;
/// Length, in bytes, from which a reply blocks the line for more than half a second, so that the other boards could not be polled.
const LONG_REPLY: usize = 500;
/// All boards on one line.
#[derive(Default)]
struct Bus {
    up: bool,
    frames: Frames,
    boards: BTreeMap<Address, Board>,
    pending: Option<PendingRequest>,
    search: Search,
    /// Earliest time to send.
    free_at: Millis,
    /// Time of the last byte.
    last_received_at: Millis,
    readings: VecDeque<(Address, Reading)>,
    writes: VecDeque<Write>,
}

/// The pending request.
#[derive(Clone, Copy)]
struct PendingRequest {
    request: BusRequest,
    at: Millis,
    /// Whether bytes arrived that are not the reply.
    damaged: bool,
}

#[derive(Clone, Copy)]
enum BusRequest {
    Board(Address, BoardRequest),
    /// This board receives the command to ignore the next ping.
    Ignore(Address),
    /// All unknown boards are pinged.
    Ping,
}

impl Protocol for Bus {
    fn link(&mut self, now: Millis, state: LinkState) {
        let (mut readings, mut boards) = (std::mem::take(&mut self.readings), std::mem::take(&mut self.boards));
        for (address, board) in &mut boards {
            board.reset(now);
            readings.extend(board.take_readings().map(|reading| (*address, reading)));
        }
        boards.retain(|_, board| board.is_confirmed());
        let search = Search::new(now);
        *self =
            Bus { up: state == LinkState::Up, boards, readings, search, free_at: now, last_received_at: now, ..Bus::default() };
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.last_received_at = now;
            match self.frames.feed(byte) {
                None => {}
                Some(Item::Damaged(_)) => self.damaged(),
                Some(Item::Reply { id, from, data }) => self.reply(now, id, from, &data),
            }
        }
    }

    fn execute(&mut self, now: Millis, board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        let up = self.up;
        let target = self.boards.get_mut(&board).ok_or(Unsupported)?;
        match command {
            BoardCommand::Placement => target.request_placement(),
            BoardCommand::Clock => target.request_clock(now),
            BoardCommand::Memory => target.request_memory(up),
            BoardCommand::Lights(_) | BoardCommand::ClockText(_) | BoardCommand::Beep => return Err(Unsupported),
        }
        self.collect(now, board);
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        if let Some(pending) =
            self.pending.take_if(|pending| now >= reply_deadline(pending, &self.frames, self.last_received_at))
        {
            self.frames.clear();
            self.unanswered(now, &pending);
        }
        // This check must come after the above: while an incomplete reply is pending, no other board can be heard.
        if self.silence_at().is_some_and(|at| at <= now) {
            for (address, board) in &mut self.boards {
                board.check_silence(now);
                self.readings.extend(board.take_readings().map(|reading| (*address, reading)));
            }
        }
        if self.pending.is_none() && now >= self.next_request_at() {
            self.send_next_request(now);
        }
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.readings.pop_front()
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        if !self.up {
            return None;
        }
        let reply_at = |pending| reply_deadline(pending, &self.frames, self.last_received_at);
        let deadline = self.pending.as_ref().map_or_else(|| self.next_request_at(), reply_at);
        Some(self.silence_at().map_or(deadline, |silence| deadline.min(silence)))
    }

    fn is_chain(&self) -> bool {
        true
    }
}

impl Bus {
    /// Collects the readings that resulted from a board's replies.
    fn collect(&mut self, now: Millis, address: Address) {
        let Some(board) = self.boards.get_mut(&address) else { return };
        board.report_identity(now, address);
        self.readings.extend(board.take_readings().map(|reading| (address, reading)));
    }

    fn damaged(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.damaged = true;
        }
    }

    /// Handles a complete reply. An unrequested one is late or from a recording; its content is processed all the same.
    fn reply(&mut self, now: Millis, id: u8, from: Address, data: &[u8]) {
        if from == Address(0) {
            return self.damaged();
        }
        let pending = self.pending.map(|pending| pending.request);
        let is_reply = match pending {
            Some(BusRequest::Ping) if id == 0x87 => {
                self.boards.entry(from).or_insert_with(|| {
                    self.search.found_board();
                    Board::new(now)
                });
                return;
            }
            Some(BusRequest::Ignore(board)) => board == from && id == 0x87,
            Some(BusRequest::Board(board, request)) => board == from && id == request.reply(),
            Some(BusRequest::Ping) | None => false,
        };
        if id == 0x87 && !is_reply {
            return self.damaged();
        }
        let is_addressed = matches!(pending, Some(BusRequest::Board(..) | BusRequest::Ignore(_)));
        if !is_reply && is_addressed && !self.boards.contains_key(&from) {
            return self.damaged();
        }
        if data.len() > LONG_REPLY {
            self.boards.values_mut().for_each(|board| board.restart_silence_timeout(now));
        }
        let board = self.boards.entry(from).or_insert_with(|| Board::new(now));
        board.reply_received(now);
        match pending {
            Some(BusRequest::Board(_, request)) if is_reply => board.answer(now, id, data, Some(request)),
            _ if id != 0x87 => board.answer(now, id, data, None),
            _ => {}
        }
        self.collect(now, from);
        if is_reply {
            self.pending = None;
            self.free_at = now + TURNAROUND_PAUSE;
        } else {
            self.damaged();
        }
    }

    /// Returns the time at which a board counts as silent unless it replies. During a long reply of one board, no other can reply.
    fn silence_at(&self) -> Option<Millis> {
        let silence = self.boards.values().filter_map(Board::silent_at).min();
        let end = if self.frames.is_inside() { self.last_received_at + REPLY_TIMEOUT } else { 0 };
        silence.map(|at| at.max(end))
    }

    fn unanswered(&mut self, now: Millis, pending: &PendingRequest) {
        match pending.request {
            // A board that missed the command replies to the ping, which does no harm.
            BusRequest::Ignore(_) => {}
            BusRequest::Ping => {
                self.search.end_round(now, self.boards.len());
            }
            BusRequest::Board(address, request) => {
                if let Some(board) = self.boards.get_mut(&address) {
                    board.unanswered(now, request);
                    if board.is_nonexistent() {
                        self.boards.remove(&address);
                    }
                }
                self.collect(now, address);
            }
        }
    }

    /// Returns the time of the next request, if none is pending.
    fn next_request_at(&self) -> Millis {
        let search = self.search.next_at().unwrap_or(self.free_at);
        let next = self.boards.values().map(|board| board.next().0).chain([search]).min();
        next.unwrap_or(search).max(self.free_at)
    }

    fn send_next_request(&mut self, now: Millis) {
        // Newly found boards are read before the next search.
        if self.search.is_due(now) && !self.boards.values().any(|board| board.is_new(now)) {
            let known = self.boards.iter().filter(|(_, board)| board.answers()).map(|(address, _)| *address);
            self.search.begin_round(known.collect());
        }
        let bus_request = match self.search.next_step() {
            Some(SearchStep::Mute(board)) => BusRequest::Ignore(board),
            Some(SearchStep::Ping) => BusRequest::Ping,
            None => {
                let next = self.boards.iter().map(|(address, board)| (board.next(), *address));
                match next.min_by_key(|((at, _), _)| *at) {
                    Some(((at, request), address)) if at <= now => BusRequest::Board(address, request),
                    _ => return,
                }
            }
        };
        let bytes = match bus_request {
            BusRequest::Board(address, request) => frame::command(request.command(), address),
            BusRequest::Ignore(address) => frame::command(0x8a, address),
            BusRequest::Ping => frame::command(0x87, Address(0)),
        };
        self.writes.push_back(Write { at: now, bytes });
        self.pending = Some(PendingRequest { request: bus_request, at: now, damaged: false });
    }
}

/// Returns the time until which a reply, or the end of a damaged one, is awaited. An incomplete frame that began before the request
/// does not end the reply.
fn reply_deadline(pending: &PendingRequest, frames: &Frames, last_received_at: Millis) -> Millis {
    let begins = match pending.request {
        BusRequest::Ping => return pending.at + PING_REPLY_TIMEOUT,
        BusRequest::Ignore(_) => pending.at + REPLY_TIMEOUT,
        BusRequest::Board(_, request) => pending.at + request.reply_timeout(),
    };
    match pending.damaged {
        true => last_received_at + DAMAGED_REPLY_TIMEOUT,
        false if frames.is_inside() => begins.max(last_received_at + REPLY_TIMEOUT),
        false => begins,
    }
}
