//! Detection of silent boards, shared by the protocols that poll their board.

use crate::boards::{Millis, ProtocolError, Reading};

/// Time after the first unanswered request until a board counts as silent, in milliseconds.
pub(crate) const SILENCE_TIMEOUT: Millis = 5_000;

/// The silence watchdog of a board.
#[derive(Default)]
pub(crate) struct SilenceWatchdog {
    last_reply_at: Millis,
    unanswered_since: Option<Millis>,
    /// Whether [`ProtocolError::Silent`] has been reported.
    silent: bool,
}

impl SilenceWatchdog {
    /// Starts the watchdog when the link comes up.
    pub(crate) fn start(now: Millis) -> SilenceWatchdog {
        SilenceWatchdog { last_reply_at: now, ..SilenceWatchdog::default() }
    }

    /// Records that a request was sent.
    pub(crate) fn request_sent(&mut self, now: Millis) {
        self.unanswered_since.get_or_insert(now);
    }

    /// Records that the board replied, and returns the reading to pass on, if any.
    pub(crate) fn reply_received(&mut self, now: Millis) -> Option<Reading> {
        (self.last_reply_at, self.unanswered_since) = (now, None);
        std::mem::take(&mut self.silent).then_some(Reading::ProtocolError(ProtocolError::Recovered))
    }

    /// Returns the time at which the board counts as silent unless it replies.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        self.unanswered_since.filter(|_| !self.silent).map(|since| since + SILENCE_TIMEOUT)
    }

    /// Reports a board as silent, once, when that time has passed.
    pub(crate) fn check(&mut self, now: Millis) -> Option<Reading> {
        self.deadline().filter(|at| *at <= now)?;
        self.silent = true;
        let silent_ms = u32::try_from(now.saturating_sub(self.last_reply_at)).unwrap_or(u32::MAX);
        Some(Reading::ProtocolError(ProtocolError::Silent(silent_ms)))
    }

    /// Whether the board has been reported as silent.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent
    }
}
