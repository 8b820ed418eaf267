//! Pseudo-random numbers that are the same on every machine: SplitMix64, integers only.

use crate::simulate::hands::{Rate, Rates, Span};

/// A stream of pseudo-random numbers. Equal seeds give equal streams on every machine and in every version.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Creates the stream with this number under this seed; streams of one seed are unrelated to each other.
    pub fn new(seed: u64, stream: u64) -> Rng {
        let mut outer = Rng(seed);
        let mut inner = Rng(stream.wrapping_add(0x5851_f42d_4c95_7f2d));
        Rng(outer.bits() ^ inner.bits().rotate_left(17))
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `n - 1`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Returns `true` with a probability of `permille` in a thousand.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < u64::from(permille)
    }

    /// Returns a duration in milliseconds, uniformly distributed over the span.
    pub fn ms(&mut self, span: Span) -> u64 {
        let Span(from, to) = span;
        u64::from(from) + self.below(u64::from(to.saturating_sub(from)) + 1)
    }

    /// Picks an element; `None` if the slice is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len() as u64) as usize).copied()
    }

    /// Shuffles the elements.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// The random decisions of one game. Each rate has its own streams, so no rate changes what another one decides.
#[derive(Clone, Copy, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates the dice of this game under this seed.
    pub fn new(seed: u64, game: u64) -> Dice {
        Dice(Rng::new(seed ^ 0x00d1_ce00, game).bits())
    }

    /// Returns the stream of this rate for the `nth` occasion (ply, square, message).
    pub fn stream(self, rate: Rate, nth: u64) -> Rng {
        // FNV-1a of the name, so that a new rate does not change the streams of the others.
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Rng::new(self.0 ^ rate.name().bytes().fold(0xcbf2_9ce4_8422_2325, hash), nth)
    }

    /// Returns the stream of the `nth` ply for everything else: durations, and the choice among several.
    pub fn pace(self, nth: u64) -> Rng {
        Rng::new(self.0, nth)
    }

    /// Returns whether the event of this rate occurs the `nth` time. Raising a rate only adds occurrences.
    pub fn occurs(self, rates: &Rates, rate: Rate, nth: u64) -> bool {
        self.stream(rate, nth).chance(rates.get(rate))
    }

    /// Returns how often the event occurs at once, for a rate that may exceed 1000.
    pub fn count(self, rates: &Rates, rate: Rate, nth: u64) -> u32 {
        let per = rates.get(rate);
        per / 1000 + u32::from(self.stream(rate, nth).chance(per % 1000))
    }
}
