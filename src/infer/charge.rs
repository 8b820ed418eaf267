//! The cost of what hands did, with the events that it consists of.

use super::hand_costs::{HandCosts, HandEvent};
use super::model::Cost;
use std::ops::AddAssign;

/// The number of kinds of events.
const KINDS: usize = HandEvent::ALL.len();

/// The cost of what hands did, and how many events of each kind are charged with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// The cost, which also has parts that are no events: for haste, or for time in the air.
    pub cost: Cost,
    events: [u8; KINDS],
}

impl Charge {
    /// Charges one event of this kind.
    pub fn add_event(&mut self, event: HandEvent, costs: &HandCosts) {
        self.cost += costs.get(event);
        if let Some(count) = self.events.get_mut(event as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Returns the number of events of this kind.
    pub fn count(&self, event: HandEvent) -> u32 {
        self.events.get(event as usize).copied().map_or(0, u32::from)
    }
}

impl AddAssign<Cost> for Charge {
    fn add_assign(&mut self, cost: Cost) {
        self.cost += cost;
    }
}

impl AddAssign for Charge {
    fn add_assign(&mut self, other: Charge) {
        self.cost += other.cost;
        for (count, more) in self.events.iter_mut().zip(other.events) {
            *count = count.saturating_add(more);
        }
    }
}
