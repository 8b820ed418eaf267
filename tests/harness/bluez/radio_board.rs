//! A virtual board with a radio.

use rustix::io::{read, write};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use shakmaty::{CastlingSide, Move, Piece, Role, Square};
use std::collections::{BTreeMap, VecDeque};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;
use touchmove::boards::bluetooth::{ADVERTISED_NAMES, Bluetooth, DEFAULT_MTU, GattProfile, NamePattern};
use touchmove::boards::{Millis, Model, model};
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::simulate::act::Act;
use touchmove::simulate::chessnut::VirtualChessnut;
use touchmove::simulate::hands::CLEAN;
use touchmove::simulate::{SimulationSetup, VirtualBoard, virtual_board};

/// Time between two acts of the hand that plays a move, in milliseconds: longer than the slowest board's scan.
const ACT_INTERVAL: Millis = 300;

/// Whether BlueZ hands over sockets for characteristics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sockets {
    /// It does.
    Acquired,
    /// It is too old for that.
    NotSupported,
    /// Another program has them.
    Held,
}

/// A virtual board with a radio, in the start position.
pub struct RadioBoard {
    address: String,
    model: &'static Model,
    state: Mutex<State>,
    pieces: Mutex<Pieces>,
}

/// A characteristic.
pub(super) struct Channel {
    /// Its object path.
    pub path: String,
    /// The object path of its service.
    pub service: String,
    pub uuid: &'static str,
}

/// The state of the radio.
pub(super) struct State {
    pub name: String,
    pub is_in_range: bool,
    /// BlueZ has an object for it.
    pub is_known: bool,
    pub is_connected: bool,
    /// A connection waits for it.
    pub is_awaited: bool,
    pub has_services: bool,
    /// BlueZ has objects for them.
    pub is_resolved: bool,
    pub mtu: u16,
    pub sockets: Sockets,
    pub needs_pairing: bool,
    /// Where it sends: by the index of the characteristic in the profile.
    outputs: BTreeMap<usize, Output>,
    /// Where it receives.
    input: Option<OwnedFd>,
    /// Every packet that it received.
    received: Vec<Vec<u8>>,
}

enum Output {
    Socket(OwnedFd),
    Signals,
}

struct Pieces {
    board: Box<dyn VirtualBoard>,
    began: Instant,
    squares: [Option<Piece>; 64],
    /// What the hand is about to do, and when.
    acts: VecDeque<(Millis, Act)>,
    /// What the board has sent and is not in the air yet.
    outbox: Vec<Vec<u8>>,
}

impl Pieces {
    /// Lets the time of the board pass; returns the present time.
    fn advance(&mut self) -> Millis {
        let now = self.began.elapsed().as_millis() as Millis;
        while let Some((at, act)) = self.acts.pop_front_if(|(at, _)| *at <= now) {
            self.advance_to(at);
            self.board.act(at, act, 0);
        }
        self.advance_to(now);
        now
    }

    fn advance_to(&mut self, now: Millis) {
        self.outbox.extend(self.board.advance(now).into_iter().map(|chunk| chunk.bytes));
    }
}

impl RadioBoard {
    /// A board of this model, switched on and in range.
    pub fn new(model_name: &str, address: &str) -> RadioBoard {
        let setup =
            SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
        let start = Position::start();
        let squares = Square::ALL.map(|square| start.piece_at(square));
        let model = model(model_name).unwrap();
        let board: Box<dyn VirtualBoard> = match model_name {
            // The virtual board of this model is on USB.
            "chessnut" => Box::new(VirtualChessnut::new(&setup, &squares, 1).over_radio()),
            _ => virtual_board(model.virtual_board, &setup, &squares, 1),
        };
        RadioBoard::with(model, address, board)
    }

    /// A board of this model that behaves like this virtual board, switched on and in range.
    pub fn with(model: &'static Model, address: &str, board: Box<dyn VirtualBoard>) -> RadioBoard {
        let name = ADVERTISED_NAMES.iter().find(|row| row.model == model.name).map(|row| match row.pattern {
            NamePattern::Exact(name) | NamePattern::Prefix(name) => name,
        });
        let state = State {
            name: name.unwrap_or("My board").to_owned(),
            is_in_range: true,
            is_known: false,
            is_connected: false,
            is_awaited: false,
            has_services: true,
            is_resolved: false,
            mtu: 517,
            sockets: Sockets::Acquired,
            needs_pairing: false,
            outputs: BTreeMap::new(),
            input: None,
            received: Vec::new(),
        };
        let start = Position::start();
        let squares = Square::ALL.map(|square| start.piece_at(square));
        let pieces = Pieces { board, began: Instant::now(), squares, acts: VecDeque::new(), outbox: Vec::new() };
        RadioBoard { address: address.to_owned(), model, state: Mutex::new(state), pieces: Mutex::new(pieces) }
    }

    /// Negotiates this MTU.
    pub fn with_mtu(self, mtu: u16) -> RadioBoard {
        self.state().mtu = mtu;
        self
    }

    /// Negotiates this MTU from the next connection on.
    pub fn set_mtu(&self, mtu: u16) {
        self.state().mtu = mtu;
    }

    /// Lets BlueZ hand over sockets, or not.
    pub fn with_sockets(self, sockets: Sockets) -> RadioBoard {
        self.state().sockets = sockets;
        self
    }

    /// Wants to be paired before it sends anything.
    pub fn needing_pairing(self) -> RadioBoard {
        self.state().needs_pairing = true;
        self
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Gives the board another name.
    pub fn rename(&self, name: &str) {
        self.state().name = name.to_owned();
    }

    /// The address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        self.model
    }

    /// Whether it is connected over Bluetooth Low Energy.
    pub fn is_low_energy(&self) -> bool {
        self.gatt().is_some()
    }

    /// Another program connects it.
    pub fn connect_elsewhere(&self) {
        self.state().is_connected = true;
    }

    /// Whether it is connected.
    pub fn is_connected(&self) -> bool {
        self.state().is_connected
    }

    /// Whether a connection waits for it to come into range.
    pub fn is_awaited(&self) -> bool {
        self.state().is_awaited
    }

    /// Every packet that it received.
    pub fn received(&self) -> Vec<Vec<u8>> {
        self.state().received.clone()
    }

    /// Lets the program that holds its sockets end.
    pub fn set_sockets(&self, sockets: Sockets) {
        self.state().sockets = sockets;
    }

    /// Plays a move without a capture.
    pub fn play(&self, from: &str, to: &str) {
        let [from, to] = [from, to].map(|square| square.parse::<Square>().unwrap());
        let mut pieces = self.pieces.lock().unwrap();
        let piece = pieces.squares[from as usize].take().unwrap();
        pieces.squares[to as usize] = Some(piece);
        for act in [Act::Lift(from), Act::Put(to, piece)] {
            let now = pieces.advance();
            pieces.board.act(now, act, 0);
        }
    }

    /// Plays a move as a hand does, one act after the other.
    pub fn make(&self, mv: Move) {
        let mut pieces = self.pieces.lock().unwrap();
        let now = pieces.advance();
        let mut acts = Vec::new();
        let mut carry = |from: Square, to: Square, promotion: Option<Role>| {
            let piece = pieces.squares[from as usize].take().unwrap();
            let piece = promotion.unwrap_or(piece.role).of(piece.color);
            acts.push(Act::Lift(from));
            if pieces.squares[to as usize].take().is_some() {
                // The captured piece leaves its square before another one arrives.
                acts.insert(acts.len() - 1, Act::Lift(to));
            }
            pieces.squares[to as usize] = Some(piece);
            acts.push(Act::Put(to, piece));
        };
        match mv {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                carry(king, Square::from_coords(side.king_to_file(), king.rank()), None);
                carry(rook, Square::from_coords(side.rook_to_file(), rook.rank()), None);
            }
            Move::Normal { from, to, promotion, .. } => carry(from, to, promotion),
            other => panic!("no hand plays {other:?}"),
        }
        let times = (1..).map(|number| now + number * ACT_INTERVAL);
        pieces.acts.extend(times.zip(acts));
    }

    /// Object path of the device.
    pub(super) fn path(&self) -> String {
        format!("{}/dev_{}", super::adapter_path(), self.address.replace(':', "_"))
    }

    pub(super) fn gatt(&self) -> Option<&'static GattProfile> {
        match self.model.bluetooth().unwrap() {
            Bluetooth::Gatt(gatt) => Some(gatt),
            Bluetooth::Rfcomm => None,
        }
    }

    /// The services, with their object paths.
    pub(super) fn services(&self) -> Vec<(String, &'static str)> {
        let services = self.gatt().into_iter().flat_map(|gatt| gatt.services.iter().enumerate());
        services.map(|(index, service)| (format!("{}/service{index:04x}", self.path()), *service)).collect()
    }

    /// The characteristics: those that send, then the one that receives, which may be one of them.
    pub(super) fn channels(&self) -> Vec<Channel> {
        let Some(gatt) = self.gatt() else { return Vec::new() };
        let services = self.services();
        let receives_apart = !gatt.notify.contains(&gatt.write);
        let uuids = gatt.notify.iter().copied().chain(receives_apart.then_some(gatt.write));
        uuids
            .enumerate()
            .map(|(index, uuid)| {
                // The first service has the first characteristic, the last one the others.
                let (service, _) = if index == 0 { &services[0] } else { services.last().unwrap() };
                Channel { path: format!("{service}/char{index:04x}"), service: service.clone(), uuid }
            })
            .collect()
    }

    /// Ends the connection; returns whether there was one.
    pub(super) fn hang_up(&self) -> bool {
        self.close_sockets();
        std::mem::take(&mut self.state().is_connected)
    }

    pub(super) fn close_sockets(&self) {
        let mut state = self.state();
        state.outputs.clear();
        state.input = None;
    }

    /// Opens the socket on which a characteristic sends.
    pub(super) fn acquire_output(&self, index: usize) -> OwnedFd {
        let (ours, theirs) = packet_sockets(SocketType::SEQPACKET);
        self.state().outputs.insert(index, Output::Socket(ours));
        theirs
    }

    /// Opens the socket on which the board receives.
    pub(super) fn acquire_input(&self) -> OwnedFd {
        let (ours, theirs) = packet_sockets(SocketType::SEQPACKET);
        self.state().input = Some(ours);
        theirs
    }

    /// Opens the serial port.
    pub(super) fn open_serial(&self) -> OwnedFd {
        let (ours, theirs) = packet_sockets(SocketType::STREAM);
        let mut state = self.state();
        state.input = Some(ours.try_clone().unwrap());
        state.outputs.insert(0, Output::Socket(ours));
        theirs
    }

    /// Sends the values of a characteristic as signals.
    pub(super) fn start_notify(&self, index: usize) {
        self.state().outputs.insert(index, Output::Signals);
    }

    /// Receives a packet.
    pub(super) fn receive(&self, packet: &[u8]) {
        self.state().received.push(packet.to_vec());
        let mut pieces = self.pieces.lock().unwrap();
        let now = pieces.advance();
        pieces.board.receive(now, packet);
    }

    /// Lets the board send and receive what is due; returns the values that are sent as signals, by the path of the characteristic.
    pub(super) fn transmit(&self) -> Vec<(String, Vec<u8>)> {
        let mut buffer = [0; 1024];
        loop {
            let received = match &self.state().input {
                Some(input) => read(input, &mut buffer),
                None => break,
            };
            match received {
                Ok(count @ 1..) => self.receive(&buffer[..count]),
                // Nothing yet, or the other end is closed.
                Ok(_) | Err(_) => break,
            }
        }
        let messages = {
            let mut pieces = self.pieces.lock().unwrap();
            pieces.advance();
            std::mem::take(&mut pieces.outbox)
        };
        let (channels, state) = (self.channels(), self.state());
        let mut signals = Vec::new();
        for (index, packet) in messages.iter().flat_map(|message| packets(message, self.gatt(), state.mtu)) {
            match state.outputs.get(&index) {
                // The reader may be gone already.
                Some(Output::Socket(socket)) => {
                    let _ = write(socket, &packet);
                }
                Some(Output::Signals) => signals.push((channels[index].path.clone(), packet)),
                None => {}
            }
        }
        signals
    }
}

fn packet_sockets(kind: SocketType) -> (OwnedFd, OwnedFd) {
    socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None).unwrap()
}

/// Cuts what a board sends into packets, each with the index of its characteristic.
fn packets(bytes: &[u8], gatt: Option<&GattProfile>, mtu: u16) -> Vec<(usize, Vec<u8>)> {
    let Some(gatt) = gatt else { return vec![(0, bytes.to_vec())] };
    let longest = usize::from(mtu) - 3;
    if gatt.min_mtu == DEFAULT_MTU {
        return bytes.chunks(longest).map(|packet| (0, packet.to_vec())).collect();
    }
    // A Chessnut board sends its squares and its replies on different characteristics. What is too long is truncated.
    let index = usize::from(gatt.notify.len() > 1 && bytes.first() != Some(&0x01));
    vec![(index, bytes[..bytes.len().min(longest)].to_vec())]
}
