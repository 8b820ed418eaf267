//! A virtual DGT e-Board with clock, single-board protocol, as seen by a host.
//!
//! The board scans its squares one after the other, from a8 to h1 in the maker's numbering, in 200–250 ms a round. Actions faster
//! than that may be seen in another order or not at all. Messages are sent one after the other at 9600 Bd, ten bits a byte. The
//! clock sends a message every second, and up to a second after the lever moved.
//!
//! It imitates no product: a request for the trademark returns its own name. [`super::dgt_bus`] uses it as one board of a bus.
//!
//! *Unknown*, and chosen freely: how soon a lever change is reported (here: half of them within 0.2 s), and how soon commands are
//! answered.

mod bus;
mod clock;
mod memory;
mod sensors;

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::hands::Span;
use crate::simulate::rng::{Dice, Rng};
use crate::simulate::serial_line::{MessageLine, Micros};
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use clock::VirtualClock;
use memory::BoardMemory;
use sensors::Sensors;
use shakmaty::{Color, Piece, Role, Square};

const NEVER: Micros = Micros::MAX;
/// Time from a command to the first byte of its reply, in microseconds.
const REPLY_DELAY: Micros = 3_000;
/// Delay until a lever change is reported, in milliseconds: prompt or slow, equally likely.
const LEVER_REPORT_DELAY: [Span; 2] = [Span(20, 200), Span(200, 1_000)];
/// The serial number that the board reports, unless it is given another.
const SERIAL: u16 = 960;
const NAME: &str = "touchmove virtual board";

/// Which messages the board sends without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The state after power-up: sends nothing; the first single-board command ends it.
    Bus,
    /// Sends nothing.
    Idle,
    /// Sends changed squares, and the clock every second.
    Update,
    /// Sends changed squares.
    UpdateBoard,
    /// Sends changed squares, and the clock when its display changes.
    UpdateNice,
}

/// The board and its clock.
pub struct VirtualDgt {
    rotation: Rotation,
    rng: Rng,
    mode: Mode,
    sensors: Sensors,
    clock: Option<VirtualClock>,
    memory: BoardMemory,
    serial: u16,
    /// The bytes received so far of a command of several bytes.
    command: Option<Vec<u8>>,
    line: MessageLine,
    now: Micros,
    forbidden: Vec<u8>,
}

impl VirtualDgt {
    /// Creates a board, just switched on, with these pieces on the squares of play. `stream` selects the random stream of a game,
    /// so that games with the same seed differ.
    pub fn new(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualDgt {
        let mut rng = Rng::new(setup.seed ^ 0x0dd_b0a2d, stream);
        let dice = Dice::new(setup.seed, stream);
        let rates = setup.profile.rates;
        let mut codes = [0; 64];
        for (square, piece) in Square::ALL.into_iter().zip(squares) {
            codes[field_of(setup.rotation, square)] = code(*piece);
        }
        let mut sensors = Sensors::new(codes, dice, rates, &mut rng);
        let clock = setup.clock.then(|| VirtualClock::new(setup, rng.ms(Span(1, 1_000)) * 1000));
        sensors.start(&mut rng);
        VirtualDgt {
            rotation: setup.rotation,
            mode: Mode::Bus,
            sensors,
            clock,
            memory: BoardMemory::new(&codes),
            serial: SERIAL,
            command: None,
            line: MessageLine::new(9_600, 0, dice, rates),
            now: 0,
            forbidden: Vec::new(),
            rng,
        }
    }

    /// Returns what the last scan of each field read, in the maker's codes and order.
    pub fn seen(&self) -> &[u8; 64] {
        self.sensors.seen()
    }

    /// Returns the received commands that no host may ever send: those of the boot loader, and those that write settings into the
    /// board.
    pub fn forbidden(&self) -> &[u8] {
        &self.forbidden
    }

    fn run(&mut self, until: Micros) {
        loop {
            let next = self.next_internal_event();
            if next > until {
                break;
            }
            self.now = next;
            self.scan(next);
            self.sensors.flicker(next, &mut self.rng);
            self.report_clock(next);
        }
        self.now = until;
    }

    fn next_internal_event(&self) -> Micros {
        let clock = self.clock.as_ref().map_or(NEVER, |clock| clock.ticks_at.min(clock.lever_report_at));
        self.sensors.next_event().min(clock)
    }

    /// Scans the fields that are due, records what changed, and reports it.
    fn scan(&mut self, now: Micros) {
        let is_reported = !matches!(self.mode, Mode::Bus | Mode::Idle);
        let (memory, line) = (&mut self.memory, &mut self.line);
        self.sensors.scan(now, |field, reading, ply, seen| {
            memory.record_change(now, field, seen);
            if is_reported {
                line.queue_message(now, &[0x8e, 0, 5, field as u8, reading], ply);
            }
        });
    }

    fn report_clock(&mut self, now: Micros) {
        let Some(clock) = self.clock.as_mut().filter(|clock| clock.ticks_at.min(clock.lever_report_at) <= now) else { return };
        let tick = clock.ticks_at <= now;
        if tick {
            clock.ticks_at += 1_000_000;
        }
        clock.lever_report_at = NEVER;
        let display = clock.display(now);
        let changed = clock.last_sent != Some(display);
        if match self.mode {
            Mode::Update => tick || changed,
            Mode::UpdateNice => changed,
            Mode::Bus | Mode::Idle | Mode::UpdateBoard => false,
        } {
            clock.last_sent = Some(display);
            self.line.queue_message(now, &message(0x8d, &display), 0);
        }
    }

    fn change(&mut self, now: Micros, square: Square, piece: Option<Piece>, ply: u32) {
        self.sensors.change(now, field_of(self.rotation, square), code(piece), ply);
    }

    fn command(&mut self, now: Micros, byte: u8) {
        let answer = now + REPLY_DELAY;
        match byte {
            0x40 => self.mode = Mode::Idle,
            0x41 => {
                let display = self.clock.as_mut().map_or([0, 0, 0, 0, 0, 0, 0x20], |clock| {
                    let display = clock.display(now);
                    clock.last_sent = Some(display);
                    display
                });
                self.line.queue_message(answer, &message(0x8d, &display), 0);
            }
            0x42 => self.line.queue_message(answer, &message(0x86, self.sensors.seen()), 0),
            0x43 => self.mode = Mode::Update,
            0x44 => self.mode = Mode::UpdateBoard,
            0x4b => {
                self.mode = Mode::UpdateNice;
                if let Some(clock) = &mut self.clock {
                    clock.last_sent = None;
                }
            }
            0x45 => self.line.queue_message(answer, &message(0x91, format!("{:05}", self.serial).as_bytes()), 0),
            0x46 => self.line.queue_message(answer, &message(0x90, &[(self.serial >> 7) as u8, (self.serial & 0x7f) as u8]), 0),
            0x47 => self.line.queue_message(answer, &message(0x92, NAME.as_bytes()), 0),
            0x49 => self.line.queue_message(answer, &message(0x8f, &self.memory.dump()), 0),
            0x4a => self.mode = Mode::Bus,
            0x4d => self.line.queue_message(answer, &message(0x93, &[1, 8]), 0),
            0x55 => self.line.queue_message(answer, &message(0xa2, format!("{:010}", self.serial).as_bytes()), 0),
            // The board is powered by its cable and has no battery.
            0x4c => {}
            0x4e | 0x50..=0x54 => self.forbidden.push(byte),
            _ => {}
        }
    }

    /// Acknowledges a complete command for the clock, which shows nothing.
    fn clock_command(&mut self, now: Micros, frame: &[u8]) {
        if let (Some(clock), Some(&command)) = (&mut self.clock, frame.get(3)) {
            let status = clock.display(now)[6];
            self.line.queue_message(now + REPLY_DELAY, &message(0x8d, &[0x0a, 0x10, command & 0x7f, 0, 0, 0, status]), 0);
        }
    }
}

impl VirtualBoard for VirtualDgt {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        let now = at * 1000;
        self.run(now);
        match act {
            Act::Lift(square) => self.change(now, square, None, ply),
            Act::Put(square, piece) => self.change(now, square, Some(piece), ply),
            // The board has its own power supply and does not notice this.
            Act::Touch(_) | Act::LetGo | Act::Unplug | Act::Plug => {}
            Act::Press(_) | Act::Start | Act::Stop => {
                let range = LEVER_REPORT_DELAY[usize::from(self.rng.chance(500))];
                let delay = self.rng.ms(range) * 1000;
                if let Some(clock) = &mut self.clock {
                    let turn = clock.turn;
                    clock.act(now, act);
                    if clock.turn != turn {
                        let is_left = (turn == Color::White) == clock.white_left;
                        self.memory.record_press(now, is_left, clock.left[turn as usize]);
                    }
                    clock.lever_report_at = clock.lever_report_at.min(now + delay);
                }
            }
        }
    }

    fn set_serial_number(&mut self, number: u16) {
        self.serial = number;
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        let now = now * 1000;
        self.run(now);
        for &byte in bytes {
            if let Some(frame) = &mut self.command {
                frame.push(byte);
                if frame.get(1).is_some_and(|&size| frame.len() >= usize::from(size) + 2) {
                    let frame = self.command.take().unwrap_or_default();
                    if frame.first() == Some(&0x2b) {
                        self.clock_command(now, &frame);
                    }
                }
                continue;
            }
            match byte {
                0x2b | 0x60 => self.command = Some(vec![byte]),
                0x81..=0x8d => self.mode = Mode::Bus,
                _ => {
                    if self.mode == Mode::Bus && (0x40..=0x5f).contains(&byte) {
                        self.mode = Mode::Idle;
                    }
                    self.command(now, byte);
                }
            }
        }
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        let now = now * 1000;
        self.run(now);
        self.line.receive_until(now)
    }

    fn next_event(&self) -> Option<Millis> {
        let line = self.line.next_at().unwrap_or(NEVER);
        let next = self.next_internal_event().min(line);
        (next != NEVER).then(|| next.div_ceil(1000))
    }
}

/// Builds a message with its header; the length counts the header.
fn message(id: u8, payload: &[u8]) -> Vec<u8> {
    let length = payload.len() + 3;
    let mut message = vec![id, (length >> 7) as u8, (length & 0x7f) as u8];
    message.extend_from_slice(payload);
    message
}

/// Returns the maker's number of a square of play: 0 is a8, 63 is h1, on a board with its connector on White's left.
fn field_of(rotation: Rotation, square: Square) -> usize {
    let square = rotation.apply(square);
    (7 - square.rank() as usize) * 8 + square.file() as usize
}

/// Returns the maker's code of a piece.
fn code(piece: Option<Piece>) -> u8 {
    let Some(piece) = piece else { return 0 };
    let white = match piece.role {
        Role::Pawn => 1,
        Role::Rook => 2,
        Role::Knight => 3,
        Role::Bishop => 4,
        Role::King => 5,
        Role::Queen => 6,
    };
    if piece.color == Color::White { white } else { white + 6 }
}
