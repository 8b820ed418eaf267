//! The faults of a simulated hall in their time, and its end.

use super::comparison::MachineComparison;
use super::fault::Fault;
use super::plan::Plan;
use super::report::{Report, clock};
use super::schedule::{Schedule, ScheduledFault};
use super::signals::Signals;
use super::simulated_hall::SimulatedHall;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Interval at which the programs are checked and the moves are counted.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Interval at which the journals are compared at the end, unless a comparison takes longer.
const COMPARE_INTERVAL: Duration = Duration::from_millis(500);
/// How long the journals must be equal and unchanged: the last moves are completed some time after they were made.
const STEADY: Duration = Duration::from_secs(5);
/// How long the hub may make no progress before the journals count as different.
const COMPARE_PATIENCE: Duration = Duration::from_secs(90);

/// The play in a hall, with its faults.
pub(super) struct Campaign<'a> {
    plan: &'a Plan,
    schedule: Schedule,
    /// The next fault.
    next: Option<ScheduledFault>,
    /// The faults that have not ended.
    active: Vec<ScheduledFault>,
    /// The number of faults that have begun.
    begun: usize,
    /// Whether the hub has named the copy of a card that there is now.
    is_copy_named: bool,
    /// What was not as it should be, as sentences.
    failures: Vec<String>,
}

impl<'a> Campaign<'a> {
    /// Begins with the first fault of the plan.
    pub(super) fn new(plan: &'a Plan) -> Campaign<'a> {
        let mut schedule = Schedule::new(plan.seed, &plan.faults, plan.every, plan.machines.len());
        let next = schedule.next();
        Campaign { plan, schedule, next, active: Vec::new(), begun: 0, is_copy_named: false, failures: Vec::new() }
    }

    /// Lets faults begin and end until the hall is to end.
    pub(super) async fn play(
        &mut self,
        hall: &mut SimulatedHall,
        report: &mut Report,
        signals: &mut Signals,
    ) -> anyhow::Result<()> {
        let began = Instant::now();
        let mut checked_at = Duration::ZERO;
        loop {
            let now = began.elapsed();
            if self.plan.limit.is_some_and(|limit| now >= limit) {
                return Ok(());
            }
            let ends = self.active.iter().map(|active| active.ends_at);
            let begin = self.next.map(|next| next.begins_at);
            let times = ends.chain(begin).chain(self.plan.limit).chain([checked_at + CHECK_INTERVAL]);
            let due = times.min().unwrap_or(now);
            tokio::select! {
                () = sleep(due.saturating_sub(now)) => {}
                () = signals.next() => return Ok(report.event("interrupted")?),
            }
            let now = began.elapsed();
            self.end_until(now, hall, report).await?;
            if let Some(next) = self.next.filter(|next| next.begins_at <= now) {
                self.next = self.schedule.next();
                self.begin(next, hall, report).await?;
            }
            if now >= checked_at + CHECK_INTERVAL {
                checked_at = now;
                hall.still_runs()?;
                self.check_copy(now, hall, report).await?;
                let moves = hall.moves();
                report.progress(&self.progress(now, moves))?;
                if self.plan.max_moves.is_some_and(|max| moves >= max) {
                    return Ok(());
                }
            }
        }
    }

    async fn begin(&mut self, fault: ScheduledFault, hall: &mut SimulatedHall, report: &Report) -> anyhow::Result<()> {
        report.event(&self.sentence(&fault, fault.fault.begins()))?;
        self.begun += 1;
        self.active.push(fault);
        self.is_copy_named &= fault.fault != Fault::ClonedCard;
        hall.begin(&fault).await
    }

    /// Ends the faults whose time has come by then.
    async fn end_until(&mut self, now: Duration, hall: &mut SimulatedHall, report: &Report) -> anyhow::Result<()> {
        while let Some(index) = self.active.iter().position(|active| active.ends_at <= now) {
            let fault = self.active.swap_remove(index);
            hall.end(&fault).await?;
            let seconds = fault.ends_at.saturating_sub(fault.begins_at).as_secs();
            report.event(&format!("{}, after {seconds} s", self.sentence(&fault, fault.fault.ends())))?;
            if fault.fault == Fault::ClonedCard && !self.is_copy_named {
                self.failures.push(self.sentence(&fault, "the hub did not name the copy of its card"));
            }
        }
        Ok(())
    }

    /// Ends the use of a copied card once the hub has named it.
    async fn check_copy(&mut self, now: Duration, hall: &mut SimulatedHall, report: &Report) -> anyhow::Result<()> {
        let Some(index) = self.active.iter().position(|active| active.fault == Fault::ClonedCard) else { return Ok(()) };
        let Some(mut fault) = self.active.get(index).copied() else { return Ok(()) };
        let Some(alarm) = hall.copy_alarm(fault.machine).await else { return Ok(()) };
        report.event(&self.sentence(&fault, &format!("the hub says: {alarm}")))?;
        self.is_copy_named = true;
        fault.ends_at = now;
        self.active.swap_remove(index);
        self.active.push(fault);
        self.end_until(now, hall, report).await
    }

    /// Ends all faults, unplugs the boards, waits until the hub has everything, and compares the journals.
    pub(super) async fn finish(
        &mut self,
        hall: &mut SimulatedHall,
        report: &mut Report,
    ) -> anyhow::Result<Vec<MachineComparison>> {
        // A copy that was there only for a moment could not be named.
        self.is_copy_named = true;
        self.end_until(Duration::MAX, hall, report).await?;
        report.phase("the boards are unplugged")?;
        hall.unplug_boards();
        report.phase("comparing the journals")?;
        let (mut last, mut changed_at) = (Vec::new(), Instant::now());
        loop {
            let began = Instant::now();
            hall.still_runs()?;
            let comparisons = hall.compare()?;
            if comparisons != last {
                (last, changed_at) = (comparisons, Instant::now());
            }
            let is_equal = last.iter().all(MachineComparison::is_equal);
            if changed_at.elapsed() >= if is_equal { STEADY } else { COMPARE_PATIENCE } {
                return Ok(last);
            }
            let (events, missing) = last.iter().fold((0, 0), |(events, missing), machine: &MachineComparison| {
                (events + machine.events, missing + machine.missing)
            });
            report.progress(&format!("comparing the journals: {} of {events} events are at the hub", events - missing))?;
            sleep(COMPARE_INTERVAL.max(began.elapsed() * 2)).await;
        }
    }

    /// Returns what was not as it should be, as sentences.
    pub(super) fn into_failures(self) -> Vec<String> {
        self.failures
    }

    /// Returns a sentence about a fault, with the machine that it affects.
    fn sentence(&self, fault: &ScheduledFault, what: &str) -> String {
        match self.plan.machines.get(fault.machine).filter(|_| fault.fault.is_of_machine()) {
            Some(machine) => format!("{machine}: {what}"),
            None => what.to_owned(),
        }
    }

    fn progress(&self, now: Duration, moves: u64) -> String {
        let limit = self.plan.limit.map_or_else(String::new, |limit| format!(" of {}", clock(limit)));
        let max = self.plan.max_moves.map_or_else(String::new, |max| format!(" of {max}"));
        let words: Vec<&str> = self.active.iter().map(|active| active.fault.word()).collect();
        let active = if words.is_empty() { "none now".to_owned() } else { format!("now {}", words.join(", ")) };
        format!("{}{limit}, {moves}{max} moves, {} faults, {active}", clock(now), self.begun)
    }
}
