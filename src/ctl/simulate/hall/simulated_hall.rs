//! A hall on this computer: the message server, the hub and the machines, and the faults that affect them.

use super::cloned_card::ClonedCard;
use super::comparison::MachineComparison;
use super::fault::Fault;
use super::machine::SimulatedMachine;
use super::node::Node;
use super::other_computer::OtherComputer;
use super::schedule::ScheduledFault;
use super::server::Server;
use crate::daemon::journal::machine_events::own_moves;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The additional time of all data of a machine.
const LATENCY: Duration = Duration::from_secs(1);
/// How many thousandths of the data of a machine are lost.
const LOSS: u32 = 333;
/// By how much a time of day is wrong, in seconds.
const CLOCK_JUMP: i64 = 3600;

/// How long the hub may take for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// A hall on this computer. The fields are in the order in which they must be dropped.
pub(super) struct SimulatedHall {
    /// The copy of a machine's card, while there is one.
    pub(super) clone: Option<ClonedCard>,
    /// The machines.
    pub(super) machines: Vec<SimulatedMachine>,
    /// The hub.
    pub(super) hub: Node,
    /// The message server.
    pub(super) server: Server,
    /// The other computer, if there is one.
    pub(super) other_computer: Option<OtherComputer>,
    /// The directory of everything.
    pub(super) dir: PathBuf,
}

impl SimulatedHall {
    /// Lets a fault begin.
    pub(super) async fn begin(&mut self, scheduled: &ScheduledFault) -> anyhow::Result<()> {
        match scheduled.fault {
            Fault::KillServer => self.server.kill(),
            Fault::KillHub => self.hub.kill(),
            Fault::FullDisk => self.hub.set_disk_full(true)?,
            Fault::SlowHub => self.hub.set_frozen(true),
            Fault::Cut => self.machine(scheduled)?.relay.cut(),
            Fault::Stall => self.machine(scheduled)?.relay.stall(),
            Fault::Latency => self.machine(scheduled)?.relay.set_latency(LATENCY),
            Fault::Loss => self.machine(scheduled)?.relay.set_loss(LOSS),
            Fault::KillMachine => self.machine(scheduled)?.node.kill(),
            // Forward or back, by whether the second in which it begins is even.
            Fault::ClockJump => {
                let is_forward = scheduled.begins_at.as_secs().is_multiple_of(2);
                self.machine(scheduled)?.node.set_time_ahead(if is_forward { CLOCK_JUMP } else { -CLOCK_JUMP })?;
            }
            Fault::ClonedCard => {
                let computer = self.other_computer.clone().context("there is no other computer for a copy of a card")?;
                let dir = self.dir.join("copy");
                self.clone = Some(ClonedCard::insert(self.machine(scheduled)?, &dir, computer).await?);
            }
        }
        Ok(())
    }

    /// Ends a fault.
    pub(super) async fn end(&mut self, scheduled: &ScheduledFault) -> anyhow::Result<()> {
        match scheduled.fault {
            Fault::KillServer => self.server.restart()?,
            Fault::KillHub => {
                self.hub.start()?;
                self.hub.ready().await?;
            }
            Fault::FullDisk => self.hub.set_disk_full(false)?,
            Fault::SlowHub => self.hub.set_frozen(false),
            Fault::Cut | Fault::Stall | Fault::Latency | Fault::Loss => self.machine(scheduled)?.relay.mend(),
            Fault::KillMachine => {
                let node = &mut self.machine(scheduled)?.node;
                node.start()?;
                node.ready().await?;
            }
            Fault::ClockJump => self.machine(scheduled)?.node.set_time_ahead(0)?,
            Fault::ClonedCard => self.clone.take().into_iter().for_each(ClonedCard::remove),
        }
        Ok(())
    }

    fn machine(&mut self, scheduled: &ScheduledFault) -> anyhow::Result<&mut SimulatedMachine> {
        self.machines.get_mut(scheduled.machine).context("there is no such machine")
    }

    /// Returns what the hub says of a machine whose card was copied; `None`: it has not noticed.
    pub(super) async fn copy_alarm(&self, machine: usize) -> Option<String> {
        let name = &self.machines.get(machine)?.name;
        // The hub may not answer now.
        let machines = tokio::time::timeout(ANSWER_TIMEOUT, self.hub.client.machines()).await.ok()?.ok()?;
        machines.into_iter().find(|report| report.name == *name)?.alarm.filter(|sentence| sentence.contains("card"))
    }

    /// Fails if a program has ended by itself, or a board does not work.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        self.server.still_runs()?;
        self.hub.still_runs().context("the hub")?;
        for machine in &mut self.machines {
            machine.node.still_runs().with_context(|| machine.name.clone())?;
            if let Some(failure) = machine.board_failure() {
                bail!("{}: {failure}", machine.name);
            }
        }
        self.clone.as_mut().map_or(Ok(()), ClonedCard::still_runs).context("the copy of a card")
    }

    /// Returns the number of moves that were made at all machines. A journal that cannot be read now counts as empty.
    pub(super) fn moves(&self) -> u64 {
        self.machines.iter().map(|machine| own_moves(&machine.node.state_dir()).unwrap_or(0)).sum()
    }

    /// Compares the journals.
    ///
    /// # Errors
    /// One cannot be read.
    pub(super) fn compare(&self) -> anyhow::Result<Vec<MachineComparison>> {
        let hub = self.hub.state_dir();
        let compare = |machine: &SimulatedMachine| compare(machine, &hub);
        self.machines.iter().map(compare).collect()
    }

    /// Unplugs all boards.
    pub(super) fn unplug_boards(&mut self) {
        self.machines.iter_mut().for_each(SimulatedMachine::unplug_boards);
    }
}

fn compare(machine: &SimulatedMachine, hub: &Path) -> anyhow::Result<MachineComparison> {
    MachineComparison::read(&machine.name, &machine.node.state_dir(), hub).with_context(|| machine.name.clone())
}
