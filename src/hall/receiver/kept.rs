//! What is on disk here: how many events of each machine, and up to which message of the stream everything is.

use crate::hall::subject::EventsSubject;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts the events on disk, by machine and journal. Shared with the tasks that store them.
#[derive(Clone, Default)]
pub(super) struct KeptCounts(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    events: BTreeMap<String, BTreeMap<String, u64>>,
    changed: BTreeSet<String>,
    /// The sequence numbers of the messages whose events are being stored.
    storing: BTreeSet<u64>,
    /// The games of which events were refused, with the reasons.
    refused: Vec<(EventsSubject, String)>,
}

impl KeptCounts {
    /// Adds events that are on disk now.
    pub(super) fn add(&self, machine: &str, journal: &str, count: u64) {
        let mut counts = self.lock();
        *counts.events.entry(machine.to_owned()).or_default().entry(journal.to_owned()).or_default() += count;
        counts.changed.insert(machine.to_owned());
    }

    /// Notes that the events of a message are going to be stored.
    pub(super) fn begin(&self, sequence: u64) {
        self.lock().storing.insert(sequence);
    }

    /// Notes that the events of a message are on disk now.
    pub(super) fn end(&self, sequence: u64, machine: &str, journal: &str, count: u64) {
        self.lock().storing.remove(&sequence);
        self.add(machine, journal, count);
    }

    /// Notes that the events of a message were refused, for this reason.
    pub(super) fn refuse(&self, sequence: u64, game: EventsSubject, reason: String) {
        let mut counts = self.lock();
        counts.storing.remove(&sequence);
        counts.refused.push((game, reason));
    }

    /// Returns the games of which events were refused, with the reasons.
    pub(super) fn take_refused(&self) -> Vec<(EventsSubject, String)> {
        std::mem::take(&mut self.lock().refused)
    }

    /// Returns the sequence number up to which the events of all messages are on disk. `read`: of the last one that was read.
    pub(super) fn position(&self, read: u64) -> u64 {
        self.lock().storing.first().map_or(read, |first| read.min(first.saturating_sub(1)))
    }

    /// Forgets the messages that are being stored, because sequence numbers begin anew.
    pub(super) fn forget_messages(&self) {
        self.lock().storing.clear();
    }

    /// Returns the machines whose counts have changed, with these.
    pub(super) fn take_changed(&self) -> Vec<(String, BTreeMap<String, u64>)> {
        let mut counts = self.lock();
        let changed = std::mem::take(&mut counts.changed);
        changed.into_iter().filter_map(|machine| Some((machine.clone(), counts.events.get(&machine)?.clone()))).collect()
    }

    /// Marks all machines as changed, so that they are told again.
    pub(super) fn mark_all(&self) {
        let mut counts = self.lock();
        counts.changed = counts.events.keys().cloned().collect();
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
