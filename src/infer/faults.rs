//! Faulty squares of the board: which flicker, which are stuck, which work again.

use super::model;
use crate::boards::Millis;
use crate::game::event::Fault;
use shakmaty::{Bitboard, Square};

/// The known faults of the squares of one board.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Short gaps in which a square showed nothing although a piece was on it, oldest first.
    gaps: Vec<(Millis, Square)>,
    known: Vec<KnownFault>,
    /// Faults found or cleared that have not been reported yet.
    unreported: Vec<(Square, Fault)>,
}

#[derive(Clone, Copy, Debug)]
struct KnownFault {
    square: Square,
    fault: Fault,
    /// Since when it has shown no sign of the fault.
    steady_since: Millis,
    /// Number of consecutive changes that were right.
    correct_changes: u32,
}

impl Faults {
    /// Returns the squares with this fault.
    pub fn squares_with(&self, fault: Fault) -> Bitboard {
        self.known.iter().filter(|known| known.fault == fault).map(|known| known.square).collect()
    }

    /// Returns whether no fault is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns the faults in force.
    pub fn in_force(&self) -> impl Iterator<Item = (Square, Fault)> + '_ {
        self.known.iter().map(|known| (known.square, known.fault))
    }

    /// Takes the faults found or cleared since the last call.
    pub fn take_unreported(&mut self) -> Vec<(Square, Fault)> {
        std::mem::take(&mut self.unreported)
    }

    /// Sets a fault that was known before and has been reported.
    pub fn set_known(&mut self, now: Millis, square: Square, fault: Fault) {
        self.known.retain(|known| known.square != square);
        if fault != Fault::Mended {
            self.known.push(KnownFault { square, fault, steady_since: now, correct_changes: 0 });
        }
    }

    /// Sets a fault that was found now; it will be reported.
    pub fn set_found(&mut self, now: Millis, square: Square, fault: Fault) {
        self.set_known(now, square, fault);
        self.unreported.push((square, fault));
    }

    /// Notes a short gap on a square on which a piece is all the time.
    pub fn note_gap(&mut self, now: Millis, square: Square) {
        self.gaps.retain(|(at, _)| now.saturating_sub(*at) <= model::FLICKER_WINDOW);
        // Keeps no more than are counted: a loose contact causes thousands.
        if self.count_gaps(square) >= model::MIN_FLICKERS
            && let Some(oldest) = self.gaps.iter().position(|(_, other)| *other == square)
        {
            self.gaps.remove(oldest);
        }
        self.gaps.push((now, square));
        if let Some(known) = self.known.iter_mut().find(|known| known.square == square) {
            known.steady_since = now;
        } else if self.count_gaps(square) >= model::MIN_FLICKERS {
            self.set_found(now, square, Fault::Flickering);
        }
    }

    /// Returns the squares with more than one recent gap: hands, or the beginning of a fault.
    pub fn suspected_squares(&self) -> Bitboard {
        self.gaps.iter().map(|(_, square)| *square).filter(|square| self.count_gaps(*square) > 1).collect()
    }

    fn count_gaps(&self, square: Square) -> usize {
        self.gaps.iter().filter(|(_, other)| *other == square).count()
    }

    /// Notes a change of a square; `right`: it shows what the line says.
    pub fn note_change(&mut self, now: Millis, square: Square, right: bool) {
        let known = self.known.iter_mut().find(|known| known.square == square && known.fault == Fault::Stuck);
        if let Some(known) = known {
            known.correct_changes = if right { known.correct_changes + 1 } else { 0 };
            if known.correct_changes >= model::STUCK_REPAIRED_CHANGES {
                self.set_found(now, square, Fault::Mended);
            }
        }
    }

    /// Advances the time. `occupied`: the squares with pieces.
    pub fn advance(&mut self, now: Millis, occupied: Bitboard) {
        let flickering = self.known.iter_mut().filter(|known| known.fault == Fault::Flickering);
        let mut mended = None;
        for known in flickering {
            if !occupied.contains(known.square) {
                known.steady_since = now;
            } else if now.saturating_sub(known.steady_since) >= model::FLICKER_REPAIRED_AFTER {
                mended = Some(known.square);
            }
        }
        if let Some(square) = mended {
            self.set_found(now, square, Fault::Mended);
        }
    }
}
