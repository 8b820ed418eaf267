//! Squares of the board that do not work: what flickers, what is stuck, what works again.

use super::model;
use crate::boards::Millis;
use crate::game::event::Fault;
use shakmaty::{Bitboard, Square};

/// What is known of the squares of one board.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Short times in which a square showed nothing though a piece stood there, oldest first.
    spells: Vec<(Millis, Square)>,
    known: Vec<Known>,
    /// What has not been told yet.
    news: Vec<(Square, Fault)>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    square: Square,
    fault: Fault,
    /// Since when it has shown no sign of it.
    steady_since: Millis,
    /// How often it has changed and was right.
    right: u32,
}

impl Faults {
    /// The squares with this fault.
    pub fn with(&self, fault: Fault) -> Bitboard {
        self.known.iter().filter(|known| known.fault == fault).map(|known| known.square).collect()
    }

    /// The faults that stand.
    pub fn standing(&self) -> impl Iterator<Item = (Square, Fault)> + '_ {
        self.known.iter().map(|known| (known.square, known.fault))
    }

    /// What was found out since this was last asked.
    pub fn take_news(&mut self) -> Vec<(Square, Fault)> {
        std::mem::take(&mut self.news)
    }

    /// This was known before, and has been told.
    pub fn know(&mut self, now: Millis, square: Square, fault: Fault) {
        self.known.retain(|known| known.square != square);
        if fault != Fault::Mended {
            self.known.push(Known { square, fault, steady_since: now, right: 0 });
        }
    }

    /// Something was found out.
    pub fn find(&mut self, now: Millis, square: Square, fault: Fault) {
        self.know(now, square, fault);
        self.news.push((square, fault));
    }

    /// A piece was not seen for a short while on a square where it stands all the time.
    pub fn spell(&mut self, now: Millis, square: Square) {
        self.spells.retain(|(at, _)| now.saturating_sub(*at) <= model::FLICKERS_WITHIN);
        // No more are kept than are counted: a loose contact has thousands of them.
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

    /// The squares that showed nothing for a short while more than once lately: hands, or the beginning of a fault.
    pub fn suspected(&self) -> Bitboard {
        self.spells.iter().map(|(_, square)| *square).filter(|square| self.spells_of(*square) > 1).collect()
    }

    fn spells_of(&self, square: Square) -> usize {
        self.spells.iter().filter(|(_, other)| *other == square).count()
    }

    /// A square changed; `right`: it shows what the line says.
    pub fn changed(&mut self, now: Millis, square: Square, right: bool) {
        let known = self.known.iter_mut().find(|known| known.square == square && known.fault == Fault::Stuck);
        if let Some(known) = known {
            known.right = if right { known.right + 1 } else { 0 };
            if known.right >= model::CHANGES_RIGHT {
                self.find(now, square, Fault::Mended);
            }
        }
    }

    /// Time passes, and pieces stand on these squares.
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
