//! The faults that can be injected into a simulated hall.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::time::Duration;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The connections of a machine end, and none can be made.
    Cut,
    /// Nothing that a machine sends or receives arrives.
    Stall,
    /// The network of a machine is slow.
    Latency,
    /// The network of a machine loses packets.
    Loss,
    /// The message server is killed.
    KillServer,
    /// The touchmoved of the hub is killed.
    KillHub,
    /// The touchmoved of a machine is killed.
    KillMachine,
    /// The hub can write nothing to its disk: beyond a limit of file sizes, which is no full disk for the system (EFBIG, not ENOSPC), but
    /// needs no root.
    FullDisk,
    /// The hub is stopped.
    SlowHub,
    /// The time of day of a machine changes.
    ClockJump,
    /// A copy of a machine's card is used in another computer.
    ClonedCard,
}

/// What a fault affects. Faults that affect the same thing do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The message server.
    Server,
    /// The hub.
    Hub,
    /// The machine with this index, from 0.
    Machine(usize),
    /// The network of that machine.
    Network(usize),
}

/// A row of the table of faults.
struct FaultRow {
    fault: Fault,
    /// The word on the command line.
    word: &'static str,
    /// A sentence for the help.
    help: &'static str,
    /// Whether a machine is affected.
    is_of_machine: bool,
    /// What is printed when it begins and when it ends.
    begins: &'static str,
    ends: &'static str,
    /// The shortest and the longest duration, in seconds.
    seconds: (u64, u64),
}

/// All faults, in the order of [`Fault`].
static FAULTS: [FaultRow; 11] = [
    FaultRow {
        fault: Fault::Cut,
        word: "cut",
        help: "All connections of a machine end, and it can make no others",
        is_of_machine: true,
        begins: "its network is cut",
        ends: "its network works again",
        seconds: (2, 30),
    },
    FaultRow {
        fault: Fault::Stall,
        word: "stall",
        help: "Nothing arrives from a machine or at it, as when its cable is pulled",
        is_of_machine: true,
        begins: "its cable is pulled",
        ends: "its cable is plugged in again",
        seconds: (2, 30),
    },
    FaultRow {
        fault: Fault::Latency,
        word: "latency",
        help: "All data of a machine takes a second longer in each direction",
        is_of_machine: true,
        begins: "its network is slow",
        ends: "its network is fast again",
        seconds: (10, 40),
    },
    FaultRow {
        fault: Fault::Loss,
        word: "loss",
        help: "A third of the data of a machine is lost on its way, until TCP sends it again",
        is_of_machine: true,
        begins: "its network loses packets",
        ends: "its network loses no more packets",
        seconds: (10, 40),
    },
    FaultRow {
        fault: Fault::KillServer,
        word: "kill-server",
        help: "nats-server is killed, and started again later",
        is_of_machine: false,
        begins: "nats-server is killed",
        ends: "nats-server runs again",
        seconds: (1, 20),
    },
    FaultRow {
        fault: Fault::KillHub,
        word: "kill-hub",
        help: "The touchmoved of the hub is killed, and started again later",
        is_of_machine: false,
        begins: "the hub is killed",
        ends: "the hub runs again",
        seconds: (1, 20),
    },
    FaultRow {
        fault: Fault::KillMachine,
        word: "kill-machine",
        help: "The touchmoved of a machine is killed, and started again later; play goes on",
        is_of_machine: true,
        begins: "it is killed",
        ends: "it runs again",
        seconds: (1, 20),
    },
    FaultRow {
        fault: Fault::FullDisk,
        word: "full-disk",
        help: "Every write of the hub to a file fails (as beyond the largest size of a file: an I/O error, not a full disk, which only \
               root can make)",
        is_of_machine: false,
        begins: "every write of the hub to a file fails",
        ends: "the hub can write to files again",
        seconds: (5, 30),
    },
    FaultRow {
        fault: Fault::SlowHub,
        word: "slow-hub",
        help: "The touchmoved of the hub stands still",
        is_of_machine: false,
        begins: "the hub stands still",
        ends: "the hub goes on",
        seconds: (2, 30),
    },
    FaultRow {
        fault: Fault::ClockJump,
        word: "clock-jump",
        help: "The time of day of a machine changes by an hour, forward or back (needs libfaketime)",
        is_of_machine: true,
        begins: "its time of day is wrong by an hour",
        ends: "its time of day is right again",
        seconds: (5, 40),
    },
    FaultRow {
        fault: Fault::ClonedCard,
        word: "cloned-card",
        help: "A copy of a machine's card is used in another computer, until the hub names it (needs unshare)",
        is_of_machine: true,
        begins: "a copy of its card is used in another computer",
        ends: "the computer with the copy is switched off",
        seconds: (45, 45),
    },
];

impl Fault {
    fn row(self) -> &'static FaultRow {
        // The first row is never used: every fault has a row.
        let [first, ..] = &FAULTS;
        FAULTS.iter().find(|row| row.fault == self).unwrap_or(first)
    }

    /// Returns its word on the command line.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// Returns whether it affects one machine.
    pub fn is_of_machine(self) -> bool {
        self.row().is_of_machine
    }

    /// Returns what is printed when it begins.
    pub fn begins(self) -> &'static str {
        self.row().begins
    }

    /// Returns what is printed when it ends.
    pub fn ends(self) -> &'static str {
        self.row().ends
    }

    /// Returns its shortest and its longest duration.
    pub fn durations(self) -> (Duration, Duration) {
        let (shortest, longest) = self.row().seconds;
        (Duration::from_secs(shortest), Duration::from_secs(longest))
    }

    /// Returns what it affects. `machine`: the machine, if it affects one.
    pub fn targets(self, machine: usize) -> Vec<Target> {
        match self {
            Fault::Cut | Fault::Stall | Fault::Latency | Fault::Loss => vec![Target::Network(machine)],
            Fault::KillServer => vec![Target::Server],
            Fault::KillHub | Fault::FullDisk | Fault::SlowHub => vec![Target::Hub],
            Fault::KillMachine | Fault::ClockJump => vec![Target::Machine(machine)],
            // To name the copy, the hub must be reached by both.
            Fault::ClonedCard => vec![Target::Server, Target::Hub, Target::Machine(machine), Target::Network(machine)],
        }
    }
}

impl ValueEnum for Fault {
    fn value_variants<'a>() -> &'a [Fault] {
        const ALL: [Fault; 11] = [
            Fault::Cut,
            Fault::Stall,
            Fault::Latency,
            Fault::Loss,
            Fault::KillServer,
            Fault::KillHub,
            Fault::KillMachine,
            Fault::FullDisk,
            Fault::SlowHub,
            Fault::ClockJump,
            Fault::ClonedCard,
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()).help(self.row().help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_row() {
        let rows: Vec<Fault> = FAULTS.iter().map(|row| row.fault).collect();
        assert_eq!(rows, Fault::value_variants());
        for row in &FAULTS {
            assert_eq!(
                row.fault.targets(0).iter().any(|target| matches!(target, Target::Machine(_) | Target::Network(_))),
                row.is_of_machine
            );
            assert!(row.seconds.0 > 0 && row.seconds.0 <= row.seconds.1, "{}", row.word);
        }
    }
}
