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
    /// The number of the last event on disk, by game.
    games: BTreeMap<EventsSubject, u64>,
    changed: BTreeSet<String>,
    /// The sequence numbers of the messages whose events are being stored.
    storing: BTreeSet<u64>,
    /// The games of which events were refused, with the reasons.
    refused: Vec<(EventsSubject, String)>,
}

impl KeptCounts {
    /// Adds a game whose events up to this number are on disk.
    pub(super) fn add(&self, game: EventsSubject, last: u64) {
        let mut counts = self.lock();
        let of_machine = counts.events.entry(game.machine.clone()).or_default();
        let before = of_machine.entry(game.journal.clone()).or_default();
        *before += last;
        counts.changed.insert(game.machine.clone());
        let known = counts.games.insert(game.clone(), last).unwrap_or(0);
        if let Some(of_journal) = counts.events.get_mut(&game.machine).and_then(|journals| journals.get_mut(&game.journal)) {
            *of_journal = of_journal.saturating_sub(known);
        }
    }

    /// Returns the games of a machine, by journal: the number of each there, and that of its last event on disk.
    pub(super) fn games_of(&self, machine: &str) -> BTreeMap<String, Vec<(u64, u64)>> {
        let counts = self.lock();
        let mut games: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
        let first = EventsSubject { machine: machine.to_owned(), journal: String::new(), game: 0 };
        for (subject, last) in counts.games.range(first..).take_while(|(subject, _)| subject.machine == machine) {
            games.entry(subject.journal.clone()).or_default().push((subject.game, *last));
        }
        games
    }

    /// Notes that the events of a message are going to be stored.
    pub(super) fn begin(&self, sequence: u64) {
        self.lock().storing.insert(sequence);
    }

    /// Notes that the events of a message are on disk now. `last`: the number of the last one.
    pub(super) fn end(&self, sequence: u64, game: EventsSubject, last: u64) {
        self.lock().storing.remove(&sequence);
        self.add(game, last);
    }

    /// Returns the number of messages whose events are being stored.
    pub(super) fn storing(&self) -> usize {
        self.lock().storing.len()
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
