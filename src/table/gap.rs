//! The time from the loss of a link until the game is followed again, and the requests for the board's memory in it.

use super::clock::Press;
use crate::boards::{Millis, Placement};
use crate::sense::Edge;

/// Timeout for the board's memory, in milliseconds: it takes 8.3 s at 9600 baud, and is requested twice.
const MEMORY_TIMEOUT: Millis = 20_000;
/// Delay before the memory is requested again after it did not arrive or did not help, in milliseconds. Each further delay is twice
/// as long. A board that sends its memory does nothing else for 8 s.
const FIRST_RETRY_DELAY: Millis = 5_000;
/// Maximum delay between two requests, in milliseconds.
const MAX_RETRY_DELAY: Millis = 300_000;
/// Time without a reply after which the arbiter is alerted, in milliseconds.
const ALERT_DELAY: Millis = 10_000;
/// Maximum number of readings queued while the memory is awaited. A board that sends more in that time is no longer waited for. Two
/// blitz players make some hundred changes.
const MAX_QUEUED_READINGS: usize = 1_000;
/// What a table keeps about a lost link until the game is followed again.
#[derive(Clone, Debug, Default)]
pub(super) struct Gap {
    /// What was known when the link was lost; `None`: nothing was missed.
    lost: Option<StateAtLoss>,
    /// The pending request for the memory.
    request: Option<MemoryRequest>,
    /// When the memory was first requested, however many times the board fell silent since.
    first_requested_at: Option<Millis>,
    /// The memory did not help and will be requested again.
    retry: Option<Retry>,
}

/// What was known when a link was lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateAtLoss {
    /// When the link was lost.
    pub(super) at: Millis,
    /// What the squares showed, if known.
    pub(super) shown: Option<Placement>,
    /// The number of plies on record.
    pub(super) plies: usize,
}

/// A scheduled repetition of the request, while the game is being followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    at: Millis,
    /// The delay since the last attempt.
    pause: Millis,
}

impl Retry {
    /// Whether the delay is the longest one.
    pub(super) fn is_last(self) -> bool {
        self.pause >= MAX_RETRY_DELAY
    }
}

/// A request for the memory after the first whole reading after a gap.
#[derive(Clone, Debug)]
pub(super) struct MemoryRequest {
    /// When the memory was requested.
    pub(super) at: Millis,
    /// The placement at that time.
    pub(super) placement: Placement,
    /// The readings since then.
    pub(super) since: Vec<(Millis, QueuedReading)>,
    /// The arbiter was alerted that the reply takes long.
    is_alerted: bool,
}

/// A reading that arrived while the memory was awaited.
#[derive(Clone, Debug)]
pub(super) enum QueuedReading {
    /// Squares changed. `from_placement`: a whole placement showed it.
    Changed { edges: Vec<Edge>, from_placement: bool },
    /// The clock was pressed.
    Pressed(Press),
}

/// What must be done at a deadline of the gap.
pub(super) enum GapTask {
    /// Stop waiting for the memory.
    TimeOut,
    /// Alert the arbiter that the memory takes long.
    Alert,
    /// Request the memory again, if that still helps.
    Repeat(Retry),
}

impl Gap {
    /// Begins a gap at `at`: the link is down, or the board is silent. What was seen before an earlier gap is kept if nothing was
    /// resolved since.
    pub(super) fn begin(&mut self, at: Millis, shown: Option<Placement>, plies: usize) {
        let was_requested = self.request.take().is_some();
        let was_retrying = self.retry.take().is_some();
        if self.lost.is_none() || !was_requested && !was_retrying && shown.is_some() {
            self.lost = Some(StateAtLoss { at, shown, plies });
        }
    }

    /// Returns what was known when the link was lost; `None`: nothing was missed.
    pub(super) fn lost(&self) -> Option<&StateAtLoss> {
        self.lost.as_ref()
    }

    /// Returns the number of plies on record when the link was lost; `None`: nothing was missed.
    pub(super) fn plies_at_loss(&self) -> Option<usize> {
        self.lost.map(|lost| lost.plies)
    }

    /// Restarts the time after which the arbiter is alerted, because the link went up or down: it counts only while the board can
    /// reply.
    pub(super) fn restart_alert_delay(&mut self) {
        self.first_requested_at = None;
    }

    /// Records that the memory was requested while the board showed this placement.
    pub(super) fn note_request(&mut self, now: Millis, placement: Placement) {
        self.first_requested_at.get_or_insert(now);
        self.request = Some(MemoryRequest { at: now, placement, since: Vec::new(), is_alerted: false });
    }

    /// Schedules the next repetition after this one. `placement`: what the board shows; the memory was requested again if it is
    /// known.
    pub(super) fn note_repetition(&mut self, now: Millis, retry: Retry, placement: Option<Placement>) {
        let pause = (retry.pause * 2).min(MAX_RETRY_DELAY);
        self.retry = Some(Retry { at: now + pause, pause });
        if let Some(placement) = placement {
            self.request = Some(MemoryRequest { at: now, placement, since: Vec::new(), is_alerted: true });
        }
    }

    /// Stops requesting the memory because the arbiter has corrected the record, which takes precedence.
    pub(super) fn stop_requesting(&mut self) {
        if self.retry.is_some() {
            *self = Gap::default();
        }
    }

    /// Queues a reading until the memory has arrived.
    pub(super) fn queue_reading(&mut self, at: Millis, reading: impl FnOnce() -> QueuedReading) {
        if let Some(request) = &mut self.request {
            request.since.push((at, reading()));
        }
    }

    /// Returns when the memory times out, when the arbiter must be alerted, or when the memory must be requested again.
    pub(super) fn deadline(&self) -> Option<Millis> {
        match &self.request {
            Some(request) if request.since.len() >= MAX_QUEUED_READINGS => Some(request.at),
            Some(request) if request.is_alerted => Some(request.at + MEMORY_TIMEOUT),
            Some(request) => Some(request.at.max(self.first_requested_at.unwrap_or(request.at) + ALERT_DELAY)),
            None => self.retry.map(|retry| retry.at),
        }
    }

    /// Returns what must be done at the deadline.
    pub(super) fn take_task(&mut self) -> Option<GapTask> {
        match (&mut self.request, self.retry) {
            (Some(request), _) if request.is_alerted || request.since.len() >= MAX_QUEUED_READINGS => Some(GapTask::TimeOut),
            (Some(request), _) => {
                request.is_alerted = true;
                Some(GapTask::Alert)
            }
            (None, retry) => retry.map(GapTask::Repeat),
        }
    }

    /// Ends the gap because the memory has arrived or timed out. Returns what was known when the link was lost, the request, and
    /// the repetition if it was one; `None`: the memory was not requested.
    pub(super) fn take_request(&mut self) -> Option<(StateAtLoss, MemoryRequest, Option<Retry>)> {
        self.request.as_ref()?;
        let Gap { lost, request, retry, .. } = std::mem::take(self);
        Some((lost?, request?, retry))
    }

    /// Continues the gap because the memory did not help: it will be requested again.
    pub(super) fn schedule_retry(&mut self, now: Millis, lost: StateAtLoss, retry: Option<Retry>) {
        let pause = retry.map_or(FIRST_RETRY_DELAY, |retry| retry.pause);
        *self = Gap { lost: Some(lost), retry: Some(Retry { at: now + pause, pause }), ..Gap::default() };
    }
}
