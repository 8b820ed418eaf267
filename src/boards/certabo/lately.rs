//! What each square read lately, to fill in what a damaged line does not tell.

use super::chips::{Id, NONE};

/// A square that is not read shows what more than half of its last so many readings tell.
const READINGS: usize = 3;

/// A square that so many lines in a row have not told is not known any more: five seconds.
const UNREAD: u8 = 16;

/// The last readings of all squares.
pub(in crate::boards) struct Lately {
    squares: Box<[Readings; 64]>,
}

/// Those of one square.
#[derive(Clone, Copy)]
struct Readings {
    /// Newest first.
    ids: [Id; READINGS],
    /// So many lines have not told it since.
    unread: u8,
}

impl Default for Lately {
    fn default() -> Lately {
        Lately { squares: Box::new([Readings { ids: [NONE; READINGS], unread: UNREAD }; 64]) }
    }
}

impl Lately {
    /// A line is read, with the chip on each square that it tells. What all squares show; `None` while one is not known.
    pub fn read(&mut self, ids: &[Option<Id>; 64]) -> Option<Box<[Id; 64]>> {
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

    /// What was read by the last line; else what most readings tell, and no chip where they differ: one damaged reading that is
    /// repeated would look like a chip that stays.
    fn shown(&self) -> Id {
        let most = |one: &&Id| self.ids.iter().filter(|other| other == one).count() * 2 > READINGS;
        let [last, ..] = self.ids;
        if self.unread == 0 { last } else { self.ids.iter().find(most).copied().unwrap_or(NONE) }
    }
}
