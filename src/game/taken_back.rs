//! Illegal moves that a player took back before they were completed.

use super::{AlertKind, Event, StampedEvent};
use crate::boards::Millis;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the alerts about illegal moves, by number, that were cleared because their players took the moves back. Such an alert is
/// cleared without anything that would replace it: the move was not completed, no other alert was raised, nobody gave a command, and the
/// game did not end. `events` are all events of the game.
pub fn taken_back(events: &[StampedEvent]) -> BTreeSet<u32> {
    let mut pending = BTreeSet::new();
    let mut cleared: BTreeMap<u32, Millis> = BTreeMap::new();
    let mut others: BTreeSet<Millis> = BTreeSet::new();
    for StampedEvent { at, event, .. } in events {
        match event {
            Event::AlertRaised(alert) => {
                if alert.kind == AlertKind::IllegalPending {
                    pending.insert(alert.id);
                }
                others.insert(*at);
            }
            Event::Commanded { .. } | Event::Result { .. } => drop(others.insert(*at)),
            Event::AlertCleared { id } if pending.contains(id) => drop(cleared.insert(*id, *at)),
            _ => {}
        }
    }
    cleared.into_iter().filter(|(_, at)| !others.contains(at)).map(|(id, _)| id).collect()
}
