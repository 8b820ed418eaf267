//! Compares the journals of the machines with that of the hub.

use crate::ctl::columns::{left, right, widest};
use crate::daemon::journal::machine_events::{MachineEvents, events_at_hub, own_events, own_moves};
use std::path::Path;

/// What the hub has of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MachineComparison {
    /// The machine.
    pub(super) machine: String,
    /// The number of its games, moves and events.
    pub(super) games: u64,
    pub(super) moves: u64,
    pub(super) events: u64,
    /// The number of its events that the hub does not have.
    pub(super) missing: u64,
    /// The number of events that are others at the hub.
    pub(super) different: u64,
    /// The number of events that only the hub has.
    pub(super) unknown: u64,
    /// The number of events at the hub that do not follow the one before.
    pub(super) out_of_order: u64,
}

impl MachineComparison {
    /// Compares the journal in a machine's state directory with that of the hub.
    ///
    /// # Errors
    /// A journal cannot be read.
    pub(super) fn read(machine: &str, state_dir: &Path, hub: &Path) -> anyhow::Result<MachineComparison> {
        let (own, at_hub) = (own_events(state_dir)?, events_at_hub(hub, machine)?);
        Ok(MachineComparison { moves: own_moves(state_dir)?, ..MachineComparison::of(machine, &own, &at_hub) })
    }

    fn of(machine: &str, own: &MachineEvents, at_hub: &MachineEvents) -> MachineComparison {
        let count = |events: usize| events as u64;
        let mut comparison = MachineComparison { machine: machine.to_owned(), games: count(own.len()), ..Default::default() };
        for (game, events) in own {
            comparison.events += count(events.len());
            let stored = at_hub.get(game).map(Vec::as_slice).unwrap_or_default();
            for event in events {
                match stored.binary_search_by_key(&event.number, |stored| stored.number).ok().and_then(|at| stored.get(at)) {
                    None => comparison.missing += 1,
                    Some(stored) if stored != event => comparison.different += 1,
                    Some(_) => {}
                }
            }
        }
        for (game, events) in at_hub {
            let known = own.get(game).map(Vec::as_slice).unwrap_or_default();
            let is_known = |number: u64| known.binary_search_by_key(&number, |event| event.number).is_ok();
            comparison.unknown += count(events.iter().filter(|event| !is_known(event.number)).count());
            comparison.out_of_order += count((1..).zip(events).filter(|(number, event)| *number != event.number).count());
        }
        comparison
    }

    /// Returns whether the hub has every event of the machine: equal, once and in order.
    pub(super) fn is_equal(&self) -> bool {
        self.missing + self.different + self.unknown + self.out_of_order == 0
    }
}

/// Returns a table with a row for each machine.
pub(super) fn table(comparisons: &[MachineComparison]) -> String {
    let header = ["machine", "games", "moves", "events", "missing", "different", "only at the hub", "out of order"];
    let mut rows = vec![header.map(str::to_owned)];
    rows.extend(comparisons.iter().map(|row| {
        let numbers = [row.games, row.moves, row.events, row.missing, row.different, row.unknown, row.out_of_order];
        let mut cells = vec![row.machine.clone()];
        cells.extend(numbers.map(|number| number.to_string()));
        let mut cells = cells.into_iter();
        header.map(|_| cells.next().unwrap_or_default())
    }));
    let widths: Vec<usize> =
        (0..header.len()).map(|column| widest(rows.iter().filter_map(|row| row.get(column)).map(String::as_str))).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> =
            cells.map(|(column, (cell, width))| if column == 0 { left(cell, *width) } else { right(cell, *width) }).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::EventRow;

    fn events(numbers: &[u64]) -> MachineEvents {
        let row = |number: &u64| EventRow { number: *number, wall_ms: 5, text: format!("event {number}") };
        [(("journal".to_owned(), 1), numbers.iter().map(row).collect())].into()
    }

    #[test]
    fn every_difference_is_counted() {
        let compare = |own: &[u64], at_hub: &MachineEvents| MachineComparison::of("pi-01", &events(own), at_hub);
        let equal = compare(&[1, 2, 3], &events(&[1, 2, 3]));
        assert!(equal.is_equal() && equal.events == 3 && equal.games == 1);
        let missing = compare(&[1, 2, 3], &events(&[1, 3]));
        assert_eq!((missing.missing, missing.out_of_order, missing.is_equal()), (1, 1, false));
        assert_eq!(compare(&[1, 2], &MachineEvents::new()).missing, 2);
        let unknown = compare(&[1], &events(&[1, 2]));
        assert_eq!((unknown.unknown, unknown.is_equal()), (1, false));
        let mut changed = events(&[1, 2]);
        changed.values_mut().flatten().for_each(|event| event.wall_ms += u64::from(event.number == 2) as i64);
        assert_eq!(compare(&[1, 2], &changed).different, 1);
    }

    #[test]
    fn the_table_has_a_row_for_each_machine() {
        let row = MachineComparison { machine: "pi-01".to_owned(), games: 2, moves: 80, events: 170, ..Default::default() };
        let expected = "\
machine  games  moves  events  missing  different  only at the hub  out of order
pi-01        2     80     170        0          0                0             0
";
        assert_eq!(table(&[row]), expected);
    }
}
