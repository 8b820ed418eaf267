//! Detection of silent boards, shared by the protocols that poll their board.

use crate::boards::{Millis, ProtocolError, Reading};

/// Time after the first unanswered request until a board counts as silent, in milliseconds.
pub const SILENT: Millis = 5_000;

/// The silence watchdog of a board.
#[derive(Default)]
pub struct SilenceWatchdog {
    heard_at: Millis,
    unanswered_since: Option<Millis>,
    /// Whether [`ProtocolError::Silent`] has been reported.
    silent: bool,
}

impl SilenceWatchdog {
    /// Starts the watchdog when the link comes up.
    pub fn begin(now: Millis) -> SilenceWatchdog {
        SilenceWatchdog { heard_at: now, ..SilenceWatchdog::default() }
    }

    /// Records that a request was sent.
    pub fn asked(&mut self, now: Millis) {
        self.unanswered_since.get_or_insert(now);
    }

    /// Records that the board replied, and returns the reading to pass on, if any.
    pub fn heard(&mut self, now: Millis) -> Option<Reading> {
        (self.heard_at, self.unanswered_since) = (now, None);
        std::mem::take(&mut self.silent).then_some(Reading::Trouble(ProtocolError::Recovered))
    }

    /// Returns the time at which the board counts as silent unless it replies.
    pub fn deadline(&self) -> Option<Millis> {
        self.unanswered_since.filter(|_| !self.silent).map(|since| since + SILENT)
    }

    /// Reports a board as silent, once, when that time has passed.
    pub fn check(&mut self, now: Millis) -> Option<Reading> {
        self.deadline().filter(|at| *at <= now)?;
        self.silent = true;
        let silent_ms = u32::try_from(now.saturating_sub(self.heard_at)).unwrap_or(u32::MAX);
        Some(Reading::Trouble(ProtocolError::Silent(silent_ms)))
    }

    /// Whether the board has been reported as silent.
    pub fn is_silent(&self) -> bool {
        self.silent
    }
}
