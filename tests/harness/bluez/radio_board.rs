//! A virtual board with a radio.

use rustix::io::{read, write};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use shakmaty::{Piece, Square};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;
use touchmove::boards::{Millis, model};
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::link::bluetooth::profiles::{self, Channel, Framing, Gatt, Profile, Transport};
use touchmove::simulate::act::Act;
use touchmove::simulate::chessnut::VirtualChessnut;
use touchmove::simulate::dgt::VirtualDgt;
use touchmove::simulate::hands::CLEAN;
use touchmove::simulate::ichessone::VirtualIChessOne;
use touchmove::simulate::{SimulationSetup, VirtualBoard};

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
    profile: &'static Profile,
    state: Mutex<State>,
    pieces: Mutex<Pieces>,
}

/// The state of the radio.
pub(super) struct State {
    pub name: String,
    pub is_in_range: bool,
    /// BlueZ has an object for it.
    pub is_known: bool,
    pub is_connected: bool,
    pub has_services: bool,
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
    /// What the board has sent and is not in the air yet.
    outbox: Vec<Vec<u8>>,
}

impl Pieces {
    /// Lets the time of the board pass; returns the present time.
    fn advance(&mut self) -> Millis {
        let now = self.began.elapsed().as_millis() as Millis;
        self.outbox.extend(self.board.advance(now).into_iter().map(|chunk| chunk.bytes));
        now
    }
}

impl RadioBoard {
    /// A board of this model, switched on and in range.
    pub fn new(model_name: &str, address: &str) -> RadioBoard {
        let setup =
            SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
        let start = Position::start();
        let squares = Square::ALL.map(|square| start.piece_at(square));
        let board: Box<dyn VirtualBoard> = match model_name {
            "chessnut" => Box::new(VirtualChessnut::new(&setup, &squares, 1)),
            "ichessone" => Box::new(VirtualIChessOne::new(&setup, &squares, 1)),
            _ => Box::new(VirtualDgt::new(&setup, &squares, 1)),
        };
        let profile = profiles::of(model(model_name).unwrap()).unwrap();
        let state = State {
            name: profile.names[0].to_owned(),
            is_in_range: true,
            is_known: false,
            is_connected: false,
            has_services: true,
            mtu: 517,
            sockets: Sockets::Acquired,
            needs_pairing: false,
            outputs: BTreeMap::new(),
            input: None,
            received: Vec::new(),
        };
        let pieces = Pieces { board, began: Instant::now(), squares, outbox: Vec::new() };
        RadioBoard { address: address.to_owned(), profile, state: Mutex::new(state), pieces: Mutex::new(pieces) }
    }

    /// Negotiates this MTU.
    pub fn with_mtu(self, mtu: u16) -> RadioBoard {
        self.state().mtu = mtu;
        self
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

    /// Whether it is connected.
    pub fn is_connected(&self) -> bool {
        self.state().is_connected
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

    /// Object path of the device.
    pub(super) fn path(&self) -> String {
        format!("{}/dev_{}", super::adapter_path(), self.address.replace(':', "_"))
    }

    pub(super) fn gatt(&self) -> Option<Gatt> {
        match self.profile.transport {
            Transport::Gatt(gatt) => Some(gatt),
            Transport::Rfcomm => None,
        }
    }

    /// The characteristics, with their object paths: those that send, then the one that receives.
    pub(super) fn channels(&self) -> Vec<(String, Channel)> {
        let Some(gatt) = self.gatt() else { return Vec::new() };
        let all = gatt.notify.iter().copied().chain([gatt.write]).enumerate();
        all.map(|(index, channel)| (format!("{}/service{index:04x}/char{index:04x}", self.path()), channel)).collect()
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
                Some(Output::Signals) => signals.push((channels[index].0.clone(), packet)),
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
fn packets(bytes: &[u8], gatt: Option<Gatt>, mtu: u16) -> Vec<(usize, Vec<u8>)> {
    match gatt.map(|gatt| (gatt.framing, gatt.notify.len())) {
        None => vec![(0, bytes.to_vec())],
        Some((Framing::Stream, _)) => bytes.chunks(usize::from(mtu) - 3).map(|packet| (0, packet.to_vec())).collect(),
        // A Chessnut board: its reports are shorter over the radio.
        Some((Framing::Whole { .. }, _)) => match bytes {
            [0x01, 0x3d, squares @ ..] => vec![(0, [&[0x01, 0x24], &squares[..0x24]].concat())],
            reply => vec![(1, reply.to_vec())],
        },
    }
}
