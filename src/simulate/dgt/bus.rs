//! The replies of a virtual DGT board in bus mode, where it sends only on request.

use super::{Mode, VirtualDgt};
use crate::boards::Millis;

impl VirtualDgt {
    /// Executes a bus command for this board. Returns the id and the data of its reply.
    pub(in crate::simulate) fn execute_bus_command(&mut self, now: Millis, command: u8) -> Option<(u8, Vec<u8>)> {
        self.run(now * 1000);
        self.mode = Mode::Bus;
        Some(match command {
            0x81 => {
                let now = self.now;
                let display = self.clock.as_mut().map_or([0, 0, 0, 0, 0, 0, 0x20], |clock| clock.display(now));
                (0x84, display.to_vec())
            }
            0x82 => (0x83, self.sensors.seen().to_vec()),
            0x83 => (0x85, self.memory.take_new()),
            0x85 => {
                self.memory.record_start(self.sensors.seen());
                (0x88, Vec::new())
            }
            0x86 => (0x86, self.memory.since_start()),
            0x87 | 0x8a => (0x87, Vec::new()),
            0x8b => (0x89, vec![1, 8]),
            0x89 | 0x8c => {
                self.forbidden.push(command);
                return None;
            }
            _ => return None,
        })
    }
}
