//! Faulty squares of the board: which flicker, which are stuck, which work again.

use super::model;
use crate::boards::Millis;
use crate::game::event::Fault;
use shakmaty::{Bitboard, Square};

/// The known faults of the squares of one board.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Short gaps in which a square showed nothing although a piece was on it, oldest first.
    spells: Vec<(Millis, Square)>,
    known: Vec<Known>,
    /// Faults found or cleared that have not been reported yet.
    news: Vec<(Square, Fault)>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    square: Square,
    fault: Fault,
    /// Since when it has shown no sign of the fault.
    steady_since: Millis,
    /// Number of consecutive changes that were right.
    right: u32,
}

impl Faults {
    /// Returns the squares with this fault.
    pub fn with(&self, fault: Fault) -> Bitboard {
        self.known.iter().filter(|known| known.fault == fault).map(|known| known.square).collect()
    }

    /// Returns the faults in force.
    pub fn standing(&self) -> impl Iterator<Item = (Square, Fault)> + '_ {
        self.known.iter().map(|known| (known.square, known.fault))
    }

    /// Takes the faults found or cleared since the last call.
    pub fn take_news(&mut self) -> Vec<(Square, Fault)> {
        std::mem::take(&mut self.news)
    }

    /// Sets a fault that was known before and has been reported.
    pub fn know(&mut self, now: Millis, square: Square, fault: Fault) {
        self.known.retain(|known| known.square != square);
        if fault != Fault::Mended {
            self.known.push(Known { square, fault, steady_since: now, right: 0 });
        }
    }

    /// Sets a fault that was found now; it will be reported.
    pub fn find(&mut self, now: Millis, square: Square, fault: Fault) {
        self.know(now, square, fault);
        self.news.push((square, fault));
    }

    /// Notes a short gap on a square on which a piece is all the time.
    pub fn spell(&mut self, now: Millis, square: Square) {
        self.spells.retain(|(at, _)| now.saturating_sub(*at) <= model::FLICKERS_WITHIN);
        // Keeps no more than are counted: a loose contact causes thousands.
        if self.spells_of(square) >= model::FLICKERS
            && let Some(oldest) = self.spells.iter().position(|(_, other)| *other == square)
        {
            self.spells.remove(oldest);
        }
        self.spells.push((now, square));
        if let Some(known) = self.known.iter_mut().find(|known| known.square == square) {
            known.steady_since = now;
        } else if self.spells_of(square) >= model::FLICKERS {
            self.find(now, square, Fault::Flickering);
        }
    }

    /// Returns the squares with more than one recent gap: hands, or the beginning of a fault.
    pub fn suspected(&self) -> Bitboard {
        self.spells.iter().map(|(_, square)| *square).filter(|square| self.spells_of(*square) > 1).collect()
    }

    fn spells_of(&self, square: Square) -> usize {
        self.spells.iter().filter(|(_, other)| *other == square).count()
    }

    /// Notes a change of a square; `right`: it shows what the line says.
    pub fn changed(&mut self, now: Millis, square: Square, right: bool) {
        let known = self.known.iter_mut().find(|known| known.square == square && known.fault == Fault::Stuck);
        if let Some(known) = known {
            known.right = if right { known.right + 1 } else { 0 };
            if known.right >= model::CHANGES_RIGHT {
                self.find(now, square, Fault::Mended);
            }
        }
    }

    /// Advances the time. `occupied`: the squares with pieces.
    pub fn pass(&mut self, now: Millis, occupied: Bitboard) {
        let flickering = self.known.iter_mut().filter(|known| known.fault == Fault::Flickering);
        let mut mended = None;
        for known in flickering {
            if !occupied.contains(known.square) {
                known.steady_since = now;
            } else if now.saturating_sub(known.steady_since) >= model::STEADY {
                mended = Some(known.square);
            }
        }
        if let Some(square) = mended {
            self.find(now, square, Fault::Mended);
        }
    }
}
