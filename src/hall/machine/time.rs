//! The hub's clock, as far as a machine knows it.

use crate::daemon::steady_clock;
use crate::hall::connection::{Connection, RequestError};
use crate::hall::message::question::{Question, TimeAnswer};
use crate::hall::message::{from_json, to_json};
use crate::hall::subject;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Longest time that a question may have taken, in milliseconds, so that its answer tells the time.
const MAX_ROUND_TRIP_MS: u64 = 2_000;

/// What is known of the hub's clock.
#[derive(Default)]
pub(super) struct HubClock {
    reading: Mutex<Option<ClockReading>>,
    /// The greatest term of a hub that was seen.
    term: AtomicU64,
}

/// A reading of the hub's clock.
#[derive(Clone)]
struct ClockReading {
    /// The process of the hub.
    instance: String,
    /// Its time when the question was sent, at the latest.
    now_ms: u64,
    asked: Instant,
    /// How far this machine's clock is ahead, in milliseconds.
    offset_ms: i64,
}

impl HubClock {
    /// Asks the hub for its time.
    ///
    /// # Errors
    /// There is no answer. What was known stays.
    pub(super) async fn ask(&self, connection: &Connection, machine: &str) -> Result<(), RequestError> {
        let asked = Instant::now();
        let wall_ms = steady_clock::unix_ms();
        let reply = connection.request(&subject::question(machine), None, to_json(&Question::Time)).await?;
        let took_ms = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
        let answer = from_json::<TimeAnswer>(&reply.payload)?;
        self.note_term(answer.term);
        if took_ms > MAX_ROUND_TRIP_MS {
            return Err(RequestError::Failed("it took too long".to_owned()));
        }
        let half = i64::try_from(took_ms / 2).unwrap_or(0);
        let offset_ms = wall_ms.saturating_add(half).saturating_sub(answer.wall_ms);
        let reading = ClockReading { instance: answer.instance, now_ms: answer.now_ms, asked, offset_ms };
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        Ok(())
    }

    /// Notes the term of a hub, and returns whether it is that of the latest one. A hub without a term is the only one of its hall.
    pub(super) fn note_term(&self, term: Option<u64>) -> bool {
        term.is_none_or(|term| self.term.fetch_max(term, Ordering::Relaxed) <= term)
    }

    /// Returns how far this machine's clock is ahead of the hub's, in milliseconds; `None`: not known.
    pub(super) fn offset_ms(&self) -> Option<i64> {
        self.reading().map(|reading| reading.offset_ms)
    }

    /// Returns the time of this process of the hub, in its milliseconds, at the latest that it can be; `None`: not known.
    pub(super) fn now_ms(&self, instance: &str) -> Option<u64> {
        let reading = self.reading().filter(|reading| reading.instance == instance)?;
        // The hub read its clock after the question was sent, so this is not earlier than its clock now.
        Some(reading.now_ms.saturating_add(u64::try_from(reading.asked.elapsed().as_millis()).unwrap_or(u64::MAX)))
    }

    fn reading(&self) -> Option<ClockReading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_hub_is_not_obeyed() {
        let clock = HubClock::default();
        assert!(clock.note_term(None) && clock.note_term(Some(3)) && clock.note_term(Some(3)));
        assert!(clock.note_term(Some(5)));
        assert!(!clock.note_term(Some(4)) && clock.note_term(Some(5)) && clock.note_term(None));
    }
}
