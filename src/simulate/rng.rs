//! Chance that is the same on every machine: SplitMix64, integers only.

use crate::simulate::hands::{Rate, Rates, Span};
use crate::simulate::irregularity::Kind;

/// A stream of pseudo-random numbers. Equal seeds give equal streams, everywhere and for ever.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream with this number under this seed; streams of one seed are unrelated to each other.
    pub fn new(seed: u64, stream: u64) -> Rng {
        let mut outer = Rng(seed);
        let mut inner = Rng(stream.wrapping_add(0x5851_f42d_4c95_7f2d));
        Rng(outer.bits() ^ inner.bits().rotate_left(17))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`; 0 where `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// True `permille` times in a thousand.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < u64::from(permille)
    }

    /// A duration in milliseconds, each in the span equally likely.
    pub fn ms(&mut self, span: Span) -> u64 {
        let Span(from, to) = span;
        u64::from(from) + self.below(u64::from(to.saturating_sub(from)) + 1)
    }

    /// One of these; `None` where there is nothing.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len() as u64) as usize).copied()
    }

    /// Puts them in an arbitrary order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// What happens by chance in one game: each rate has streams of its own, so that no rate changes what another one decides.
#[derive(Clone, Copy, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Those of this game under this seed.
    pub fn new(seed: u64, game: u64) -> Dice {
        Dice(Rng::new(seed ^ 0x00d1_ce00, game).bits())
    }

    /// The stream of this rate for the nth time (ply, square, message) that it could happen.
    pub fn stream(self, rate: Rate, nth: u64) -> Rng {
        // FNV-1a of its name, so that a new rate leaves the old ones alone.
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Rng::new(self.0 ^ rate.name().bytes().fold(0xcbf2_9ce4_8422_2325, hash), nth)
    }

    /// The stream of the nth ply for everything else: how long things take, which of several.
    pub fn pace(self, nth: u64) -> Rng {
        Rng::new(self.0, nth)
    }

    /// The stream of an irregularity that is committed at this ply; ply 0: of where it is.
    pub fn breach(self, kind: Kind, ply: u32) -> Rng {
        Rng::new(self.stream(Rate::change_mind, u64::MAX).bits() ^ u64::from(ply), kind as u64)
    }

    /// Whether it happens the nth time; `true` oftener the higher the rate, and never the other way round.
    pub fn falls(self, rates: &Rates, rate: Rate, nth: u64) -> bool {
        self.stream(rate, nth).chance(rates.get(rate))
    }

    /// The same for a rate that may be above 1000: how often it happens at once.
    pub fn count(self, rates: &Rates, rate: Rate, nth: u64) -> u32 {
        let per = rates.get(rate);
        per / 1000 + u32::from(self.stream(rate, nth).chance(per % 1000))
    }
}
