//! The commands that are sent to a DGT board, and the pauses between them.

use crate::boards::{Millis, Write};
use std::collections::VecDeque;

/// Pause after a command, in milliseconds.
pub(super) const COMMAND_PAUSE: Millis = 100;
/// Pause after those commands of the first greeting for which a restart waits, in milliseconds. The input buffer holds them all.
pub(super) const FIRST_GREETING_PAUSE: Millis = 40;

/// The commands that can be sent. No others can, so 4e and 50–54 are never sent.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Command {
    Reset = 0x40,
    Clock = 0x41,
    Board = 0x42,
    SerialNumber = 0x45,
    Memory = 0x49,
    UpdateNice = 0x4b,
    Battery = 0x4c,
    Version = 0x4d,
    LongSerialNumber = 0x55,
}

/// The commands of the greeting, in order. The dump is requested as early as possible, but after updates are enabled: a change
/// between the two would be lost. The serial numbers come last because some old boards choke on them.
pub(super) const GREETING: [Command; 7] = [
    Command::Reset,
    Command::UpdateNice,
    Command::Board,
    Command::Version,
    Command::Battery,
    Command::LongSerialNumber,
    Command::SerialNumber,
];

/// The commands that wait to be sent.
#[derive(Default)]
pub(super) struct CommandQueue {
    writes: VecDeque<Write>,
    /// Earliest time for the next command.
    free_at: Millis,
}

impl CommandQueue {
    /// Creates an empty queue whose first command may be sent now.
    pub(super) fn new(now: Millis) -> CommandQueue {
        CommandQueue { writes: VecDeque::new(), free_at: now }
    }

    /// Adds a command, after which no other is sent for `pause` milliseconds. Returns the time at which it is sent.
    pub(super) fn push(&mut self, now: Millis, command: Command, pause: Millis) -> Millis {
        let at = self.free_at.max(now);
        self.free_at = at + pause;
        self.writes.push_back(Write { at, bytes: vec![command as u8] });
        at
    }

    /// Removes and returns the next command.
    pub(super) fn pop(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }
}
