//! When which faults happen: random, and the same for the same seed.

use super::fault::{Fault, Target};
use crate::simulate::rng::Rng;
use std::time::Duration;

/// The number of the random stream of a schedule.
const STREAM: u64 = 0x6661_756c;
/// The shortest time between the begins of two faults.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
/// The time after a fault in which nothing else affects the same.
const REST: Duration = Duration::from_secs(3);

/// A fault at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScheduledFault {
    /// When it begins, from the begin of the schedule.
    pub(super) begins_at: Duration,
    /// When it ends.
    pub(super) ends_at: Duration,
    /// What happens.
    pub(super) fault: Fault,
    /// The index of the machine that is affected, from 0; 0 if none is.
    pub(super) machine: usize,
}

/// The faults of a simulated hall in their order, without end.
pub(super) struct Schedule {
    rng: Rng,
    faults: Vec<Fault>,
    every: Duration,
    machines: usize,
    /// The time of the last fault.
    last: Duration,
    /// Until when things are affected.
    busy: Vec<(Target, Duration)>,
}

impl Schedule {
    /// Creates the schedule of this seed. `every`: the mean time between two faults, unless one waits
    /// for others. There are no faults if `faults` is empty.
    pub(super) fn new(seed: u64, faults: &[Fault], every: Duration, machines: usize) -> Schedule {
        let rng = Rng::new(seed, STREAM);
        Schedule { rng, faults: faults.to_vec(), every, machines, last: Duration::ZERO, busy: Vec::new() }
    }

    fn between(&mut self, shortest: Duration, longest: Duration) -> Duration {
        let span = longest.saturating_sub(shortest).as_millis();
        shortest + Duration::from_millis(self.rng.below(u64::try_from(span).unwrap_or(u64::MAX).saturating_add(1)))
    }

    /// Returns when these things are affected by no other fault.
    fn free_at(&self, targets: &[Target]) -> Duration {
        let busy = self.busy.iter().filter(|(target, _)| targets.contains(target));
        busy.map(|(_, until)| *until).max().unwrap_or_default()
    }
}

impl Iterator for Schedule {
    type Item = ScheduledFault;

    fn next(&mut self) -> Option<ScheduledFault> {
        let fault = self.rng.pick(&self.faults)?;
        let machine = usize::try_from(self.rng.below(self.machines as u64)).unwrap_or(0);
        let machine = if fault.is_of_machine() { machine } else { 0 };
        let pause = self.between(self.every / 2, self.every * 3 / 2).max(SHORTEST_PAUSE);
        let targets = fault.targets(machine);
        // A fault that waits for others to end delays those after it: otherwise one with many targets would never happen.
        let begins_at = (self.last + pause).max(self.free_at(&targets));
        let (shortest, longest) = fault.durations();
        let ends_at = begins_at + self.between(shortest, longest);
        self.last = begins_at;
        self.busy.retain(|(_, until)| *until > begins_at);
        self.busy.extend(targets.into_iter().map(|target| (target, ends_at + REST)));
        Some(ScheduledFault { begins_at, ends_at, fault, machine })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn the_same_seed_gives_the_same_faults() {
        let schedule = |seed| -> Vec<ScheduledFault> {
            Schedule::new(seed, Fault::value_variants(), Duration::from_secs(5), 3).take(200).collect()
        };
        assert_eq!(schedule(1), schedule(1));
        assert_ne!(schedule(1), schedule(2));
        for fault in Fault::value_variants() {
            assert!(schedule(1).iter().any(|scheduled| scheduled.fault == *fault), "{fault:?}");
        }
        assert_eq!(Schedule::new(1, &[], Duration::from_secs(5), 3).next(), None);
    }

    #[test]
    fn faults_of_the_same_thing_do_not_overlap() {
        let faults: Vec<ScheduledFault> =
            Schedule::new(3, Fault::value_variants(), Duration::from_secs(2), 2).take(300).collect();
        for (index, one) in faults.iter().enumerate() {
            for other in faults.iter().skip(index + 1) {
                assert!(one.begins_at < other.begins_at);
                let targets = one.fault.targets(one.machine);
                let is_shared = other.fault.targets(other.machine).iter().any(|target| targets.contains(target));
                assert!(!is_shared || other.begins_at >= one.ends_at + REST, "{one:?} {other:?}");
            }
        }
    }
}
