//! How often players, clocks and boards act in each way.

use super::key::{ChangeEffect, Key, Table, key, number};
use super::values::Values;
use crate::table::{HandCosts, HandEvent};

/// The table `[hands]`.
pub(super) static TABLE: Table = Table {
    name: "hands",
    about: "How often players, clocks and boards act in each way, the same for all boards. Each key is a kind of event, and its\n\
            value the cost of one: its improbability where it could happen, in sixteenths of a bit. An event that happens every\n\
            second time costs 16, one in 10 costs 53, one in 100 costs 106. `touchmovectl fit-hands` writes this table for your\n\
            players and boards, from recordings of their games.",
    keys: &KEYS,
};

const KEYS: [Key; HandEvent::ALL.len()] = {
    let mut keys = [const { cost_key(HandEvent::SilentCapture) }; HandEvent::ALL.len()];
    let mut index = 0;
    while index < keys.len() {
        keys[index] = cost_key(HandEvent::ALL[index]);
        index += 1;
    }
    keys
};

const fn cost_key(event: HandEvent) -> Key {
    let kind = number(0, HandCosts::MAX as i64, "sixteenths of a bit");
    key(event.name(), kind, Some(event.default_text()), event.default_text(), event.doc()).changes(ChangeEffect::NextStart)
}

/// Returns the costs.
pub(super) fn read(values: &Values<'_>) -> HandCosts {
    let mut costs = HandCosts::default();
    for &event in HandEvent::ALL {
        costs.set(event, values.number(event.name()));
    }
    costs
}
