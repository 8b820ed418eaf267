//! The recent readings of each square, used to fill the gaps of damaged lines.

use super::chips::{Id, NONE};

/// Number of readings that vote. A square that cannot be read shows what more than half of its last readings say.
const READINGS: usize = 3;

/// Number of consecutive lines without a reading after which a square is unknown: five seconds.
const UNREAD: u8 = 16;

/// The last readings of all squares.
pub(in crate::boards) struct RecentReadings {
    squares: Box<[Readings; 64]>,
}

/// The last readings of one square.
#[derive(Clone, Copy)]
struct Readings {
    /// Newest first.
    ids: [Id; READINGS],
    /// Number of lines since the last reading.
    unread: u8,
}

impl Default for RecentReadings {
    fn default() -> RecentReadings {
        RecentReadings { squares: Box::new([Readings { ids: [NONE; READINGS], unread: UNREAD }; 64]) }
    }
}

impl RecentReadings {
    /// Processes a line with the chip on each square that can be read. Returns the state of all squares, or `None` while one is
    /// unknown.
    pub(super) fn read(&mut self, ids: &[Option<Id>; 64]) -> Option<Box<[Id; 64]>> {
        for (square, id) in self.squares.iter_mut().zip(ids) {
            square.read(*id);
        }
        let is_known = self.squares.iter().all(|square| square.unread < UNREAD);
        is_known.then(|| Box::new(std::array::from_fn(|index| self.squares[index].shown())))
    }
}

impl Readings {
    fn read(&mut self, id: Option<Id>) {
        match id {
            Some(id) => {
                self.ids.rotate_right(1);
                (self.ids[0], self.unread) = (id, 0);
            }
            None => self.unread = self.unread.saturating_add(1),
        }
    }

    /// Returns the reading of the last line. Without one, returns what most readings say, or no chip if they differ: a damaged
    /// reading that is repeated would look like a chip that stays.
    fn shown(&self) -> Id {
        let most = |one: &&Id| self.ids.iter().filter(|other| other == one).count() * 2 > READINGS;
        let [last, ..] = self.ids;
        if self.unread == 0 { last } else { self.ids.iter().find(most).copied().unwrap_or(NONE) }
    }
}
