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
mod memory;

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::hands::{Rate, Rates, Span};
use crate::simulate::rng::{Dice, Rng};
use crate::simulate::script::Act;
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use memory::BoardMemory;
use shakmaty::{Color, Piece, Role, Square};
use std::collections::VecDeque;

/// A time or duration in microseconds.
type Micros = u64;

const NEVER: Micros = Micros::MAX;
/// Duration of one scan of all squares, in milliseconds.
const SCAN_MS: Span = Span(200, 250);
/// Time from a command to the first byte of its reply, in microseconds.
const REPLY_DELAY: Micros = 3_000;
/// Number of bytes that a serial port delivers together.
const FIFO: usize = 16;
/// Delay until a lever change is reported, in milliseconds: prompt or slow, equally likely.
const LEVER_REPORT_DELAY: [Span; 2] = [Span(20, 200), Span(200, 1_000)];
/// Time between the blind phases of a flickering square, and the length of such a phase, in milliseconds.
const FLICKER: (Span, Span) = (Span(4_000, 40_000), Span(150, 700));
/// Delay until a missed edge is noticed, in milliseconds. A guess, as are the next two.
const MISSED: Span = Span(500, 6_000);
/// How long a square shows a false reading caused by its neighbour, in milliseconds.
const FALSE_EDGE_MS: Span = Span(150, 700);
/// How long a piece is read as another piece, in milliseconds.
const MISREAD: Span = Span(300, 5_000);
/// The serial number that the board reports.
const SERIAL: &str = "00960";
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
    /// The piece code on each field, and the ply that last changed the field.
    fields: [(u8, u32); 64],
    /// The code that the last scan of each field read.
    seen: [u8; 64],
    /// Time of the next scan of each field that may have changed.
    next_scans: [Micros; 64],
    scan: Micros,
    scan_from: Micros,
    stuck: Vec<usize>,
    flickers: Vec<Flicker>,
    dice: Dice,
    rates: Rates,
    changes: [Change; 64],
    /// The wrong code that a field shows instead of its piece, and until when.
    misreadings: [Option<(u8, Micros)>; 64],
    /// Number of messages sent so far.
    messages: u64,
    clock: Option<VirtualClock>,
    memory: BoardMemory,
    /// The bytes received so far of a command of several bytes.
    command: Option<Vec<u8>>,
    line: VecDeque<(Micros, Vec<u8>, u32)>,
    line_free: Micros,
    now: Micros,
    forbidden: Vec<u8>,
}

/// The last change of a field.
#[derive(Clone, Copy, Default)]
struct Change {
    /// How many changes this field has had.
    count: u64,
    /// Whether the board misreads this change has been decided.
    fault_drawn: bool,
    /// The board has reported this change.
    reported: bool,
}

struct Flicker {
    field: usize,
    blind: bool,
    turns_at: Micros,
}

struct VirtualClock {
    /// Black's and White's time (in the order of `Color`), in microseconds, at `since`.
    left: [i64; 2],
    since: Micros,
    added: i64,
    turn: Color,
    running: bool,
    /// White's time is on the left half of the display.
    white_left: bool,
    ticks_at: Micros,
    lever_report_at: Micros,
    last_sent: Option<[u8; 7]>,
}

impl VirtualDgt {
    /// Creates a board, just switched on, with these pieces on the squares of play. `stream` selects the random stream of a game,
    /// so that games with the same seed differ.
    pub fn new(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualDgt {
        let mut rng = Rng::new(setup.seed ^ 0x0dd_b0a2d, stream);
        let (dice, rates) = (Dice::new(setup.seed, stream), &setup.profile.rates);
        let mut fields = [(0, 0); 64];
        for (square, piece) in Square::ALL.into_iter().zip(squares) {
            fields[field_of(setup.rotation, square)].0 = code(*piece);
        }
        let [stuck, flickering] = [Rate::stuck, Rate::flicker].map(|rate| dice.count(rates, rate, 0) as usize);
        let mut bad: Vec<usize> = (0..64).collect();
        rng.shuffle(&mut bad);
        let mut bad = bad.into_iter();
        let stuck = bad.by_ref().take(stuck).collect();
        let flickers = bad.take(flickering);
        let flickers = flickers.map(|field| Flicker { field, blind: false, turns_at: rng.ms(FLICKER.0) * 1000 }).collect();
        let clock = setup.clock.then(|| VirtualClock {
            left: [i64::from(setup.profile.clock_ms.0) * 1000; 2],
            since: 0,
            added: i64::from(setup.profile.clock_ms.1) * 1000,
            turn: Color::White,
            running: false,
            white_left: (setup.rotation == Rotation::Upright) != setup.clock_turned,
            ticks_at: rng.ms(Span(1, 1_000)) * 1000,
            lever_report_at: NEVER,
            last_sent: None,
        });
        VirtualDgt {
            rotation: setup.rotation,
            mode: Mode::Bus,
            fields,
            seen: fields.map(|field| field.0),
            next_scans: [NEVER; 64],
            scan: rng.ms(SCAN_MS) * 1000,
            scan_from: rng.below(200_000),
            stuck,
            flickers,
            dice,
            rates: *rates,
            changes: [Change { count: 0, fault_drawn: true, reported: true }; 64],
            misreadings: [None; 64],
            messages: 0,
            clock,
            memory: BoardMemory::new(&fields.map(|field| field.0)),
            command: None,
            line: VecDeque::new(),
            line_free: 0,
            now: 0,
            forbidden: Vec::new(),
            rng,
        }
    }

    /// Returns what the last scan of each field read, in the maker's codes and order.
    pub fn seen(&self) -> &[u8; 64] {
        &self.seen
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
            self.scan_fields(next);
            self.flicker(next);
            self.report_clock(next);
        }
        self.now = until;
    }

    fn next_internal_event(&self) -> Micros {
        let scans = self.next_scans.iter().copied().min().unwrap_or(NEVER);
        let flickers = self.flickers.iter().map(|flicker| flicker.turns_at).min().unwrap_or(NEVER);
        let clock = self.clock.as_ref().map_or(NEVER, |clock| clock.ticks_at.min(clock.lever_report_at));
        scans.min(flickers).min(clock)
    }

    /// Returns when the scan next reaches this field.
    fn next_scan_of(&self, field: usize, from: Micros) -> Micros {
        let phase = self.scan_from + field as u64 * self.scan / 64;
        phase + from.saturating_sub(phase).div_ceil(self.scan) * self.scan
    }

    fn scan_fields(&mut self, now: Micros) {
        for field in 0..64 {
            if self.next_scans[field] > now {
                continue;
            }
            self.next_scans[field] = NEVER;
            if !self.changes[field].fault_drawn {
                self.changes[field].fault_drawn = true;
                if self.draw_misreading(field, now) {
                    continue;
                }
            }
            if let Some((_, until)) = self.misreadings[field] {
                if until > now {
                    self.next_scans[field] = self.next_scan_of(field, until);
                } else {
                    self.misreadings[field] = None;
                }
            }
            let blind = self.flickers.iter().any(|flicker| flicker.field == field && flicker.blind);
            let (actual, ply) = self.fields[field];
            let reading = match (self.stuck.contains(&field), blind, self.misreadings[field]) {
                (true, ..) => self.seen[field],
                (false, true, _) => 0,
                (false, false, Some((wrong, _))) => wrong,
                (false, false, None) => actual,
            };
            if reading == self.seen[field] {
                continue;
            }
            self.seen[field] = reading;
            self.memory.record_change(now, field, &self.seen);
            let first = reading == actual && !std::mem::replace(&mut self.changes[field].reported, true);
            if !matches!(self.mode, Mode::Bus | Mode::Idle) {
                self.queue_message(now, &[0x8e, 0, 5, field as u8, reading], if first { ply } else { 0 });
            }
        }
    }

    /// Decides whether the board misreads this change of a field, and how. Returns `true` if the board does not notice the change
    /// now.
    fn draw_misreading(&mut self, field: usize, now: Micros) -> bool {
        let nth = (field as u64) << 32 | self.changes[field].count;
        let occurs = |rate: Rate| {
            let mut rng = self.dice.stream(rate, nth);
            rng.chance(self.rates.get(rate)).then_some(rng)
        };
        let (missed, false_edge, misread, wrong_colour) =
            (occurs(Rate::missed_edge), occurs(Rate::ghost_edge), occurs(Rate::misread), occurs(Rate::polarity));
        if let Some(mut rng) = missed {
            self.next_scans[field] = self.next_scan_of(field, now + rng.ms(MISSED) * 1000);
            return true;
        }
        let actual = self.fields[field].0;
        if let Some(mut rng) = false_edge {
            let near: Vec<usize> =
                (0..64usize).filter(|&other| other.abs_diff(field) == 8 || are_adjacent(other, field)).collect();
            if let Some(other) = rng.pick(&near) {
                let reading = if self.fields[other].0 == 0 { actual.max(self.seen[field]) } else { 0 };
                self.misreadings[other] = Some((reading, now + rng.ms(FALSE_EDGE_MS) * 1000));
                self.next_scans[other] = self.next_scan_of(other, now).min(self.next_scans[other]);
            }
        }
        if let Some(mut rng) = misread.filter(|_| actual > 0) {
            let first = if actual > 6 { 7 } else { 1 };
            let other = first + (actual - first + 1 + rng.below(5) as u8) % 6;
            self.misreadings[field] = Some((other, now + rng.ms(MISREAD) * 1000));
        }
        if let Some(mut rng) = wrong_colour.filter(|_| actual > 0) {
            let other = if actual > 6 { actual - 6 } else { actual + 6 };
            self.misreadings[field] = Some((other, now + rng.ms(MISREAD) * 1000));
        }
        false
    }

    fn flicker(&mut self, now: Micros) {
        for index in 0..self.flickers.len() {
            if self.flickers[index].turns_at > now {
                continue;
            }
            let blind = !self.flickers[index].blind;
            let field = self.flickers[index].field;
            let duration = self.rng.ms(if blind { FLICKER.1 } else { FLICKER.0 }) * 1000;
            self.flickers[index] = Flicker { field, blind, turns_at: now + duration };
            self.next_scans[field] = self.next_scan_of(field, now);
        }
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
            self.queue_message(now, &message(0x8d, &display), 0);
        }
    }

    /// Queues a message on the line; it is sent after those before it.
    fn queue_message(&mut self, now: Micros, message: &[u8], ply: u32) {
        self.messages += 1;
        let mut bytes = message.to_vec();
        let mut lost = self.dice.stream(Rate::lost_byte, self.messages);
        if lost.chance(self.rates.lost_byte) {
            bytes.remove(lost.below(bytes.len() as u64) as usize);
        }
        let mut garbled = self.dice.stream(Rate::garbled_byte, self.messages);
        if garbled.chance(self.rates.garbled_byte) {
            let at = garbled.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << garbled.below(8);
        }
        let starts = self.line_free.max(now);
        let mut sent = 0;
        for part in bytes.chunks(FIFO) {
            sent += part.len() as u64;
            self.line.push_back((starts + sent * 10_000_000 / 9_600, part.to_vec(), ply));
        }
        self.line_free = starts + sent * 10_000_000 / 9_600;
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
                self.queue_message(answer, &message(0x8d, &display), 0);
            }
            0x42 => self.queue_message(answer, &message(0x86, &self.seen.clone()), 0),
            0x43 => self.mode = Mode::Update,
            0x44 => self.mode = Mode::UpdateBoard,
            0x4b => {
                self.mode = Mode::UpdateNice;
                if let Some(clock) = &mut self.clock {
                    clock.last_sent = None;
                }
            }
            0x45 => self.queue_message(answer, &message(0x91, SERIAL.as_bytes()), 0),
            0x46 => self.queue_message(answer, &message(0x90, &[(960 >> 7) as u8, (960 & 0x7f) as u8]), 0),
            0x47 => self.queue_message(answer, &message(0x92, NAME.as_bytes()), 0),
            0x49 => self.queue_message(answer, &message(0x8f, &self.memory.dump()), 0),
            0x4a => self.mode = Mode::Bus,
            0x4d => self.queue_message(answer, &message(0x93, &[1, 8]), 0),
            0x55 => self.queue_message(answer, &message(0xa2, b"0000000960"), 0),
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
            self.queue_message(now + REPLY_DELAY, &message(0x8d, &[0x0a, 0x10, command & 0x7f, 0, 0, 0, status]), 0);
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
            Act::Unplug | Act::Plug => {}
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
        let mut chunks = Vec::new();
        while self.line.front().is_some_and(|part| part.0 <= now) {
            chunks.extend(self.line.pop_front().map(|(at, bytes, ply)| Chunk { at: at.div_ceil(1000), bytes, ply }));
        }
        chunks
    }

    fn next_event(&self) -> Option<Millis> {
        let line = self.line.front().map_or(NEVER, |part| part.0);
        let next = self.next_internal_event().min(line);
        (next != NEVER).then(|| next.div_ceil(1000))
    }
}

impl VirtualDgt {
    fn change(&mut self, now: Micros, square: Square, piece: Option<Piece>, ply: u32) {
        let field = field_of(self.rotation, square);
        self.fields[field] = (code(piece), ply);
        self.changes[field] = Change { count: self.changes[field].count + 1, fault_drawn: false, reported: false };
        self.misreadings[field] = None;
        self.next_scans[field] = self.next_scan_of(field, now).min(self.next_scans[field]);
    }
}

impl VirtualClock {
    fn act(&mut self, now: Micros, act: Act) {
        self.settle(now);
        match act {
            Act::Start => self.running = true,
            Act::Stop => self.running = false,
            Act::Press(color) if color == self.turn => {
                self.left[color as usize] += self.added;
                self.turn = !color;
            }
            _ => {}
        }
    }

    fn settle(&mut self, now: Micros) {
        if self.running {
            let left = &mut self.left[self.turn as usize];
            *left = (*left - (now - self.since) as i64).max(0);
        }
        self.since = now;
    }

    /// Returns the seven bytes of the clock's message.
    fn display(&mut self, now: Micros) -> [u8; 7] {
        self.settle(now);
        let [black, white] = self.left.map(|left| half(left, self.added > 0));
        let (left, right) = if self.white_left { (white, black) } else { (black, white) };
        let left_runs = (self.turn == Color::White) == self.white_left;
        // The lever is up on the side whose time runs.
        let status = if left_runs { 0x08 } else { 0x12 } | u8::from(self.running);
        [right[0], right[1], right[2], left[0], left[1], left[2], status]
    }
}

/// Encodes hours with flags, minutes and seconds in BCD. A clock shows 0:00 when no time is left, not before.
fn half(left: i64, increment: bool) -> [u8; 3] {
    let seconds = (left.max(0) as u64).div_ceil(1_000_000);
    let bcd = |value: u64| (((value / 10) << 4) | (value % 10)) as u8;
    let flags = if increment { 0x20 } else { 0 } | if seconds == 0 { 0x10 } else { 0 };
    [(seconds / 3600).min(9) as u8 | flags, bcd(seconds / 60 % 60), bcd(seconds % 60)]
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

/// Whether the two fields are adjacent on one rank.
fn are_adjacent(one: usize, other: usize) -> bool {
    one / 8 == other / 8 && one.abs_diff(other) == 1
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
