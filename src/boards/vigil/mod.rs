//! Whether a board still answers: what protocols share whose boards are asked now and then.

use super::{Millis, Reading, Trouble};

/// Unanswered for so long a board counts as silent. Milliseconds.
pub const SILENT: Millis = 5_000;

/// Since when a board has been asked in vain.
#[derive(Default)]
pub struct Vigil {
    heard_at: Millis,
    unanswered_since: Option<Millis>,
    /// [`Trouble::Silent`] was said.
    silent: bool,
}

impl Vigil {
    /// The link came up.
    pub fn begin(now: Millis) -> Vigil {
        Vigil { heard_at: now, ..Vigil::default() }
    }

    /// It was asked something.
    pub fn asked(&mut self, now: Millis) {
        self.unanswered_since.get_or_insert(now);
    }

    /// It said something; what is to be passed on for that.
    pub fn heard(&mut self, now: Millis) -> Option<Reading> {
        (self.heard_at, self.unanswered_since) = (now, None);
        std::mem::take(&mut self.silent).then_some(Reading::Trouble(Trouble::Answering))
    }

    /// When it counts as silent, unless it says something.
    pub fn deadline(&self) -> Option<Millis> {
        self.unanswered_since.filter(|_| !self.silent).map(|since| since + SILENT)
    }

    /// Says so once.
    pub fn check(&mut self, now: Millis) -> Option<Reading> {
        self.deadline().filter(|at| *at <= now)?;
        self.silent = true;
        let quiet = u32::try_from(now.saturating_sub(self.heard_at)).unwrap_or(u32::MAX);
        Some(Reading::Trouble(Trouble::Silent(quiet)))
    }

    /// It was said that it is silent.
    pub fn is_silent(&self) -> bool {
        self.silent
    }
}
