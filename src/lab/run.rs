//! Runs the bytes of one board through its protocol into a table, in simulated time and as fast as possible: the loop that
//! `simulate`, `score`, `replay` and the tests share.

use crate::boards::{Address, BoardCommand, LinkState, Millis, Protocol, Reading, Unsupported, Write};
use crate::game::{Order, Refusal, StampedEvent};
use crate::simulate::Simulation;
use crate::table::{Input, Output, Table};
use std::collections::VecDeque;

/// An input of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum HostInput {
    /// Bytes from the board, with the ply that caused them where it is known (simulation), else 0.
    Bytes(Vec<u8>, u32),
    /// A change of the link state.
    Link(LinkState),
    /// An order of an arbiter or player.
    Order(Order),
}

/// The far end of a cable: a virtual board or a recording.
pub trait Cable {
    /// Returns when the next input is due; `None`: there are no more.
    fn next(&self) -> Option<Millis>;
    /// Removes and returns the inputs that have arrived by now, in order.
    fn receive_until(&mut self, now: Millis) -> Vec<HostInput>;
    /// Sends bytes to the board. [`Cable::receive_until`] has been called up to this time.
    fn send(&mut self, now: Millis, bytes: &[u8]);
}

/// An observation that the run passes to its watcher.
pub enum RunEvent<'a> {
    /// An input arrived.
    Input(&'a HostInput),
    /// These bytes were sent to the board.
    Sent(&'a [u8]),
    /// The table returned this event.
    Event(&'a StampedEvent),
    /// An order was refused.
    Refused(&'a Refusal),
    /// The table has handled an input or a deadline, and all its events have been passed on.
    Handled(&'a Table),
}

/// Maximum number of turns in a row without time passing.
const MAX_IDLE_TURNS: u32 = 1_000_000;

/// Runs until this time, inclusive, or until nothing can happen any more. `watch` receives everything in order, with its time.
///
/// # Panics
/// If protocol or table request a call at the same time forever, which is a defect in them.
pub fn play(
    cable: &mut dyn Cable,
    protocol: &mut dyn Protocol,
    table: &mut Table,
    until: Millis,
    watch: &mut dyn FnMut(Millis, RunEvent),
) {
    let mut run = Run { cable, protocol, table, watch, writes: VecDeque::new(), board: Address::ONLY };
    let (mut now, mut turns) = (0, 0);
    while let Some(next) = run.next().map(|next| next.max(now)).filter(|&next| next <= until) {
        turns = if next > now { 0 } else { turns + 1 };
        assert!(turns < MAX_IDLE_TURNS, "protocol or table request a call at {now} ms forever");
        now = next;
        run.turn(now);
    }
}

struct Run<'a> {
    cable: &'a mut dyn Cable,
    protocol: &'a mut dyn Protocol,
    table: &'a mut Table,
    watch: &'a mut dyn FnMut(Millis, RunEvent),
    writes: VecDeque<Write>,
    /// Address of the last reading: a board that is alone on a bus has an address, too.
    board: Address,
}

impl Run<'_> {
    fn next(&self) -> Option<Millis> {
        let write = self.writes.front().map(|write| write.at);
        [self.cable.next(), self.protocol.next_deadline(), self.table.next_deadline(), write].into_iter().flatten().min()
    }

    fn turn(&mut self, now: Millis) {
        if self.table.next_deadline().is_some_and(|deadline| deadline <= now) {
            let output = self.table.advance(now);
            self.output(now, output);
        }
        for input in self.cable.receive_until(now) {
            (self.watch)(now, RunEvent::Input(&input));
            match input {
                HostInput::Bytes(bytes, _) => self.protocol.receive(now, &bytes),
                HostInput::Link(state) => {
                    self.protocol.link(now, state);
                    self.writes.clear();
                    self.input(now, Input::Link(state));
                }
                HostInput::Order(order) => self.input(now, Input::Order(order)),
            }
            self.drain(now);
        }
        if self.protocol.next_deadline().is_some_and(|deadline| deadline <= now) {
            self.protocol.timeout(now);
        }
        self.drain(now);
        while let Some(write) = self.writes.pop_front_if(|write| write.at <= now) {
            (self.watch)(now, RunEvent::Sent(&write.bytes));
            self.cable.send(now, &write.bytes);
        }
    }

    fn drain(&mut self, now: Millis) {
        while let Some((board, reading)) = self.protocol.poll_reading() {
            self.board = board;
            self.input(now, Input::Reading(reading));
        }
        while let Some(write) = self.protocol.poll_write() {
            self.writes.push_back(write);
        }
    }

    fn input(&mut self, now: Millis, input: Input) {
        let output = self.table.handle(now, input);
        self.output(now, output);
    }

    fn output(&mut self, now: Millis, output: Output) {
        for stamped in &output.events {
            (self.watch)(now, RunEvent::Event(stamped));
        }
        if let Some(refused) = output.refusal() {
            (self.watch)(now, RunEvent::Refused(refused));
        }
        (self.watch)(now, RunEvent::Handled(self.table));
        for command in output.commands {
            let needs_reply = command == BoardCommand::Memory;
            // A board ignores commands that it does not support.
            if self.protocol.execute(now, self.board, command).is_err() && needs_reply {
                self.input(now, Input::Reading(Reading::Memory(Vec::new())));
            }
        }
    }
}

/// A virtual board as the far end of a cable that is plugged in at time 0.
pub struct VirtualCable {
    simulation: Simulation,
    begun: bool,
    plugged: bool,
}

impl VirtualCable {
    /// Creates the cable; it is plugged in on the first call of [`Cable::receive_until`].
    pub fn new(simulation: Simulation) -> VirtualCable {
        VirtualCable { simulation, begun: false, plugged: false }
    }

    /// Returns the virtual board and the script that is played on it.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }
}

impl Cable for VirtualCable {
    fn next(&self) -> Option<Millis> {
        if self.begun { self.simulation.next_event() } else { Some(0) }
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        self.begun = true;
        let was_plugged = self.plugged;
        let bytes: Vec<_> =
            self.simulation.advance(now).into_iter().map(|chunk| HostInput::Bytes(chunk.bytes, chunk.ply)).collect();
        self.plugged = self.simulation.is_plugged();
        let up = (self.plugged && !was_plugged).then_some(HostInput::Link(LinkState::Up));
        let down = (was_plugged && !self.plugged).then_some(HostInput::Link(LinkState::Down));
        up.into_iter().chain(bytes).chain(down).collect()
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.simulation.receive(now, bytes);
    }
}

/// A recording as the far end of a cable: inputs arrive at their recorded times, and bytes sent to it are ignored.
pub struct RecordingCable {
    inputs: VecDeque<(Millis, HostInput)>,
}

impl RecordingCable {
    /// Creates a tape of these inputs in order of time. The cable is plugged in at time 0 unless the recording itself begins with a
    /// link state.
    pub fn new(inputs: impl IntoIterator<Item = (Millis, HostInput)>) -> RecordingCable {
        let mut inputs: VecDeque<_> = inputs.into_iter().collect();
        if !matches!(inputs.front(), Some((_, HostInput::Link(_)))) {
            inputs.push_front((0, HostInput::Link(LinkState::Up)));
        }
        RecordingCable { inputs }
    }

    /// Creates a tape for a recording that begins in the middle, with the cable plugged in.
    pub fn plugged(inputs: impl IntoIterator<Item = (Millis, HostInput)>) -> RecordingCable {
        RecordingCable { inputs: inputs.into_iter().collect() }
    }

    /// Returns the time of the last input that is still to come.
    pub fn ends_at(&self) -> Millis {
        self.inputs.back().map_or(0, |last| last.0)
    }
}

impl Cable for RecordingCable {
    fn next(&self) -> Option<Millis> {
        self.inputs.front().map(|input| input.0)
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        let mut taken = Vec::new();
        while let Some((_, input)) = self.inputs.pop_front_if(|input| input.0 <= now) {
            taken.push(input);
        }
        taken
    }

    fn send(&mut self, _: Millis, _: &[u8]) {}
}

/// A protocol that keeps the readings of squares for other decoders.
pub struct ReadingTap {
    inner: Box<dyn Protocol>,
    now: Millis,
    readings: Vec<(Millis, Reading)>,
}

impl ReadingTap {
    /// Wraps this protocol.
    pub fn new(inner: Box<dyn Protocol>) -> ReadingTap {
        ReadingTap { inner, now: 0, readings: Vec::new() }
    }

    /// Returns every reading of squares so far, with its time; times never decrease.
    pub fn readings(&self) -> &[(Millis, Reading)] {
        &self.readings
    }
}

impl Protocol for ReadingTap {
    fn link(&mut self, now: Millis, state: LinkState) {
        self.now = now;
        self.inner.link(now, state);
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        self.now = now;
        self.inner.receive(now, chunk);
    }

    fn execute(&mut self, now: Millis, board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        self.now = now;
        self.inner.execute(now, board, command)
    }

    fn timeout(&mut self, now: Millis) {
        self.now = now;
        self.inner.timeout(now);
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        let (address, reading) = self.inner.poll_reading()?;
        if matches!(reading, Reading::Placement(_) | Reading::Square(..)) {
            self.readings.push((self.now, reading.clone()));
        }
        Some((address, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.inner.poll_write()
    }

    fn next_deadline(&self) -> Option<Millis> {
        self.inner.next_deadline()
    }

    fn restore(&mut self, calibration: &str) {
        self.inner.restore(calibration);
    }
}
