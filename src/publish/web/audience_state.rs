//! The state shown to one audience in one language, serialized to JSON once for all its browsers.
//!
//! **Invariant:** nothing waits for a browser. Each card is kept in its current state, with the number of its last change, so a
//! browser that reads slowly or reconnects gets each board once, in its current state.

use super::card::{AudienceView, Card, build_card};
use super::card_change::changed_fields;
use super::card_source::CardSource;
use super::event_batch::{CardFormat, EventBatch, EventBatches};
use super::stream::EventSource;
use crate::daemon::hub::feed::{Changes, UpdateFeed};
use crate::daemon::hub::is_health_kind_for;
use crate::daemon::hub::{BoardId, State};
use crate::daemon::rounds::boards_at_tables;
use crate::daemon::{Source, Stop, wait_for_stop};
use axum::body::Bytes;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Minimum interval between updates, in milliseconds, for all boards together; the first change after a quiet period is sent at
/// once. The interval is the first value, plus one millisecond per as many boards as the second value says, at most the third
/// value.
const UPDATE_INTERVAL_MS: (u64, u64, u64) = (5, 4, 150);

/// The state shown to one audience in one language.
pub(super) struct AudienceState {
    /// The audience, language and delay.
    pub view: AudienceView,
    source: Source,
    /// Distinguishes the change numbers of this state from those of other states and of other runs of this program.
    run_id: String,
    published: Mutex<PublishedCards>,
    /// The number of the last change.
    changed: watch::Sender<u64>,
}

struct PublishedCards {
    updates: UpdateFeed,
    /// Every board has to be re-evaluated.
    all: bool,
    last: u64,
    boards: BTreeMap<BoardId, CachedCard>,
    tables: BTreeMap<BoardId, u16>,
    /// Removed boards, with the number of that change.
    removed: BTreeMap<BoardId, u64>,
    health_problems: (u64, Value),
    round: u64,
    /// The incarnation of the journal, with the number of the change at which it was first seen.
    incarnation: (u64, String),
    /// Batches that end at the last change.
    batches: EventBatches,
}

struct CachedCard {
    seq: u64,
    card: Card,
    text: Arc<str>,
    /// The card as a server-sent event.
    event: Bytes,
    /// The number of the previous version, and the fields that differ from it as a server-sent event.
    change: Option<(u64, Bytes)>,
}

/// The complete state.
pub(super) struct StateSnapshot {
    /// The number of the last change, as `run_id-number`.
    pub seq: String,
    /// The incarnation of the journal.
    pub incarnation: String,
    /// The cards of all boards, as JSON.
    pub cards: Vec<Arc<str>>,
    /// Current health problems of the service.
    pub health_problems: Value,
}

impl AudienceState {
    /// Starts a state that updates itself until `stop`.
    pub(super) fn start(view: AudienceView, source: Source, run_id: String, mut stop: Stop) -> Arc<AudienceState> {
        let (updates, mut wakes) = (source.subscribe(), source.subscribe());
        let published = PublishedCards {
            updates,
            all: true,
            last: 0,
            boards: BTreeMap::new(),
            tables: BTreeMap::new(),
            removed: BTreeMap::new(),
            health_problems: (0, json!([])),
            round: 0,
            incarnation: (0, String::new()),
            batches: EventBatches::default(),
        };
        let audience_state =
            Arc::new(AudienceState { view, source, run_id, published: Mutex::new(published), changed: watch::Sender::new(0) });
        audience_state.update();
        let updater = Arc::clone(&audience_state);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    received = wakes.next() => if received.is_none() { return },
                    () = wait_for_stop(&mut stop) => return,
                }
                wakes.skip_to_now();
                updater.update();
                // Everything that arrives meanwhile is one change.
                let next = Instant::now() + updater.update_interval();
                tokio::select! {
                    () = sleep_until(next) => {}
                    () = wait_for_stop(&mut stop) => return,
                }
            }
        });
        audience_state
    }

    /// Parses `run_id-number`; returns 0 if it is not a number of this state.
    pub(super) fn parse_event_id(&self, id: &str) -> u64 {
        let number =
            id.rsplit_once('-').filter(|(run_id, _)| *run_id == self.run_id).and_then(|(_, number)| number.parse().ok());
        number.filter(|number| *number <= self.published().last).unwrap_or(0)
    }

    /// Returns the current complete state.
    pub(super) fn snapshot(&self) -> StateSnapshot {
        self.update();
        let published = self.published();
        StateSnapshot {
            seq: format!("{}-{}", self.run_id, published.last),
            incarnation: published.incarnation.1.clone(),
            cards: published.boards.values().map(|cached| Arc::clone(&cached.text)).collect(),
            health_problems: published.health_problems.1.clone(),
        }
    }

    /// Returns the current card of one board.
    pub(super) fn card(&self, board: &BoardId) -> Option<Arc<str>> {
        self.update();
        self.published().boards.get(board).map(|cached| Arc::clone(&cached.text))
    }

    /// Returns the minimum interval between updates.
    fn update_interval(&self) -> Duration {
        let (min_ms, boards_per_ms, max_ms) = UPDATE_INTERVAL_MS;
        let boards = self.published().boards.len() as u64;
        Duration::from_millis((min_ms + boards / boards_per_ms).min(max_ms))
    }

    /// Re-evaluates the boards for which there are updates.
    fn update(&self) {
        let mut published = self.published();
        let before = published.last;
        let is_first = std::mem::take(&mut published.all);
        let changes = published.updates.drain(None);
        // An update need not change anything that is shown here.
        if changes.as_ref().is_none_or(|changes| *changes == Changes::default()) && !is_first {
            return;
        }
        let Changes { boards, desk, health, missed } = changes.unwrap_or_default();
        let (round_changed, health_changed) = (desk || missed, health || missed || is_first);
        // `None`: all boards.
        let boards = (!round_changed && !health_changed).then_some(boards);
        let incarnation = self.source.incarnation();
        let incarnation_changed = published.incarnation.1 != incarnation;
        if incarnation_changed {
            published.last += 1;
            published.incarnation = (published.last, incarnation);
        }
        // A new incarnation counts as a change of every card, so no client continues from a number of the old one.
        let boards = boards.filter(|_| !incarnation_changed);
        self.source
            .read(|state| published.update_cards(&self.view, &self.run_id, state, boards, health_changed, incarnation_changed));
        if round_changed {
            published.last += 1;
            published.round = published.last;
        }
        if published.last != before {
            self.changed.send_replace(published.last);
        }
    }

    fn published(&self) -> MutexGuard<'_, PublishedCards> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSource for AudienceState {
    fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn events_since(&self, number: u64, format: CardFormat) -> Arc<EventBatch> {
        let mut published = self.published();
        let last = published.last;
        if let Some(batch) = published.batches.get(number, last, format) {
            return batch;
        }
        let text = if number == last { Bytes::new() } else { published.text_since(&self.view, &self.run_id, number, format) };
        published.batches.store(EventBatch::new(number, last, format, text))
    }
}

impl CachedCard {
    /// Returns the event for a client that has all changes up to `number`.
    fn event_since(&self, number: u64, format: CardFormat) -> Bytes {
        match &self.change {
            Some((previous, event)) if format == CardFormat::ChangedFields && *previous <= number => event.clone(),
            _ => self.event.clone(),
        }
    }
}

impl PublishedCards {
    /// Returns the changes after `number` as server-sent events.
    fn text_since(&self, view: &AudienceView, run_id: &str, number: u64, format: CardFormat) -> Bytes {
        let event = |seq: u64, name: &str, data: &Value| (seq, event(run_id, seq, name, data));
        // Number 0: a client that has no card at all.
        let format = if number == 0 { CardFormat::Whole } else { format };
        let mut changes: Vec<(u64, Bytes)> = self
            .boards
            .values()
            .filter(|cached| cached.seq > number)
            .map(|cached| (cached.seq, cached.event_since(number, format)))
            .collect();
        changes.extend(self.removed.iter().map(|(board, seq)| event(*seq, "gone", &json!({"board": board.as_str()}))));
        changes.push(event(self.incarnation.0, "incarnation", &json!({"incarnation": self.incarnation.1})));
        if !view.audience.is_public() {
            changes.push(event(self.health_problems.0, "problems", &self.health_problems.1));
        }
        if number > 0 {
            changes.push(event(self.round, "round", &json!({})));
        }
        changes.retain(|(seq, _)| *seq > number);
        changes.sort_by_key(|(seq, _)| *seq);
        let events: Vec<&[u8]> = changes.iter().map(|(_, event)| &event[..]).collect();
        events.concat().into()
    }

    /// Re-evaluates boards. With `again`, cards with unchanged content count as changed, too.
    fn update_cards(
        &mut self,
        view: &AudienceView,
        run_id: &str,
        state: &State,
        boards: Option<BTreeSet<BoardId>>,
        health_changed: bool,
        resend_all: bool,
    ) {
        let tables: BTreeMap<BoardId, u16> =
            boards_at_tables(state).into_iter().filter_map(|(table, board)| Some((board?, table))).collect();
        let moved = |id: &BoardId| tables.get(id) != self.tables.get(id);
        let is_wanted = |id: &BoardId| boards.as_ref().is_none_or(|boards| boards.contains(id)) || moved(id);
        let source = CardSource::new(state);
        let cards: Vec<(BoardId, Card)> = state
            .boards
            .values()
            .filter(|board| is_wanted(&board.id))
            .map(|board| (board.id.clone(), build_card(view, &source, board, tables.get(&board.id).copied())))
            .collect();
        self.tables = tables;
        for (id, card) in cards {
            let before = self.boards.get(&id).filter(|_| !resend_all);
            if before.is_some_and(|before| card.is_predicted_by(&before.card)) {
                continue;
            }
            self.last += 1;
            self.removed.remove(&id);
            let change = before.and_then(|before| change_event(run_id, &id, before, &card, self.last));
            let text: Arc<str> = Value::Object(card.fields_at(self.last)).to_string().into();
            let event = event(run_id, self.last, "card", &text);
            self.boards.insert(id, CachedCard { seq: self.last, card, text, event, change });
        }
        let removed: Vec<BoardId> = self.boards.keys().filter(|id| !state.boards.contains_key(*id)).cloned().collect();
        for id in removed {
            self.boards.remove(&id);
            self.last += 1;
            self.removed.insert(id, self.last);
        }
        if health_changed && !view.audience.is_public() {
            let to_json = |problem: &crate::daemon::hub::HealthProblem| json!({"kind": problem.kind, "board": problem.board.as_ref().map(BoardId::as_str), "sentence": problem.sentence});
            let is_told = |problem: &&crate::daemon::hub::HealthProblem| is_health_kind_for(problem.kind, view.audience);
            let now: Value = state.health_problems.iter().filter(is_told).map(to_json).collect();
            if now != self.health_problems.1 {
                self.last += 1;
                self.health_problems = (self.last, now);
            }
        }
    }
}

/// Returns the number of the card `before`, and the fields of `card` that differ from it as a server-sent event.
fn change_event(run_id: &str, board: &BoardId, before: &CachedCard, card: &Card, seq: u64) -> Option<(u64, Bytes)> {
    let mut data = changed_fields(&before.card.fields_at(before.seq), &card.fields_at(seq))?;
    data.insert("board".to_owned(), board.as_str().into());
    data.insert("previous".to_owned(), before.seq.into());
    Some((before.seq, event(run_id, seq, "change", &Value::Object(data))))
}

fn event(run_id: &str, seq: u64, name: &str, data: &impl std::fmt::Display) -> Bytes {
    format!("id: {run_id}-{seq}\nevent: {name}\ndata: {data}\n\n").into()
}

#[cfg(test)]
mod tests;
