//! What all virtual boards have in common: their interfaces to hands and cable, and their setup.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::hands::HandsProfile;

/// Bytes from a virtual board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// When the last of them arrived.
    pub at: Millis,
    /// The bytes: one message or a part of one.
    pub bytes: Vec<u8>,
    /// The ply that caused the board to send this, from 1; 0: none.
    pub ply: u32,
}

/// A virtual board with its two interfaces: hands and cable.
pub trait VirtualBoard: Send {
    /// Applies an act to the pieces or the clock. Call [`VirtualBoard::advance`] up to this time first.
    fn act(&mut self, at: Millis, act: Act, ply: u32);
    /// Applies an act on one of several boards on a bus, counted from 0.
    fn act_on(&mut self, _board: usize, at: Millis, act: Act, ply: u32) {
        self.act(at, act, ply);
    }
    /// Gives the board this serial number, from 1 to 16383, if boards of its kind report one.
    fn set_serial_number(&mut self, _number: u16) {}
    /// Disconnects one of several boards from the bus, or reconnects it.
    fn connect(&mut self, _board: usize, _connected: bool) {}
    /// Receives bytes from the host. Call [`VirtualBoard::advance`] up to this time first.
    fn receive(&mut self, now: Millis, bytes: &[u8]);
    /// Advances the time and returns what has arrived at the host by then.
    fn advance(&mut self, now: Millis) -> Vec<Chunk>;
    /// Returns when the board next does something without any input.
    fn next_event(&self) -> Option<Millis>;
}

/// The setup of board and clock, with the profile and its faults.
#[derive(Clone, Copy, Debug)]
pub struct SimulationSetup<'a> {
    /// The profile of hands, board and cable.
    pub profile: &'a HandsProfile,
    /// A clock is connected and used.
    pub clock: bool,
    /// The rotation of the board.
    pub rotation: Rotation,
    /// The clock is turned relative to the board.
    pub clock_turned: bool,
    /// The seed of all random streams.
    pub seed: u64,
}
