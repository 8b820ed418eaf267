//! What has changed of the public documents, for a stream.

use super::table::TableState;
use super::tournament::PublicTournament;
use serde::Serialize;

/// A change of the documents.
pub(in crate::publish) struct Change {
    /// Its number.
    pub seq: u64,
    /// The name of its event.
    pub event: &'static str,
    /// The data of its event, as JSON.
    pub data: String,
}

/// A table that has changed.
#[derive(Serialize)]
struct TableChange<'a> {
    round: u16,
    table: u16,
    state: &'a TableState,
}

impl PublicTournament {
    /// Returns the changes after this number, in their order; of a table only the last one. 0: the tables of the round that is played.
    pub(in crate::publish) fn changes_since(&self, number: u64) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |seq: u64, event: &'static str, data: String| changes.push(Change { seq, event, data });
        for (round, public) in &self.rounds {
            if number > 0 && public.heading.seq > number {
                add(public.heading.seq, "round", format!("{{\"round\":{round}}}"));
            }
            if number == 0 && self.event.value.round != Some(*round) {
                continue;
            }
            for (table, entry) in public.tables.iter().filter(|(_, entry)| entry.seq > number) {
                let change = TableChange { round: *round, table: *table, state: &entry.table.state };
                if let Ok(data) = serde_json::to_string(&change) {
                    add(entry.seq, "table", data);
                }
            }
        }
        if number > 0 {
            for (seq, event) in [(self.event.seq, "event"), (self.standings.seq, "standings")] {
                if seq > number {
                    add(seq, event, "{}".to_owned());
                }
            }
        }
        changes.sort_by_key(|change| change.seq);
        changes
    }
}
