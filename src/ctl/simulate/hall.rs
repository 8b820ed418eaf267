//! `touchmovectl simulate --hall N`: a hub with nats-server and machines with virtual boards, with faults, and a comparison of all
//! journals at the end.

mod board;
mod campaign;
mod cloned_card;
mod comparison;
pub mod fault;
mod games;
mod machine;
mod node;
mod opening;
mod other_computer;
mod plan;
pub(in crate::ctl) mod report;
mod schedule;
mod server;
pub(in crate::ctl) mod signals;
mod simulated_hall;
mod time_of_day;
mod work_dir;

use super::Args;
use crate::ctl::block_on;
use anyhow::{Context, bail};
use campaign::Campaign;
use fault::Fault;
use plan::Plan;
use report::Report;
use signals::Signals;
use std::path::PathBuf;
use std::time::Duration;
use work_dir::WorkDir;

/// The options of a simulated hall.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct HallArgs {
    /// Run a hall on this computer: a hub, nats-server and this number of machines, each with its own touchmoved; at the end compare their journals with that of the hub. GAME.pgn: games to play [default: random moves]; --board: one model, or several with commas between them, in turn
    #[arg(long = "hall", value_name = "MACHINES", value_parser = clap::value_parser!(u16).range(1..=200))]
    pub machines: Option<u16>,
    /// Number of boards of each machine [default: 1]
    #[arg(long, value_name = "N", requires = "machines", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub boards: Option<u16>,
    /// Faults, with commas between them; they happen at times that follow from --seed
    #[arg(long, value_name = "FAULT", requires = "machines", value_delimiter = ',', value_enum)]
    pub fault: Vec<Fault>,
    /// Mean time between two faults, in seconds [default: 20]
    #[arg(long, value_name = "SECONDS", requires = "fault", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub every: Option<u32>,
    /// End after this time, such as 5 or 0.5 [default: when it is interrupted with Ctrl-C]
    #[arg(long, value_name = "MINUTES", requires = "machines", value_parser = parse_minutes)]
    pub minutes: Option<Duration>,
    /// End after this number of moves on all boards together
    #[arg(long, value_name = "N", requires = "machines", value_parser = clap::value_parser!(u64).range(1..))]
    pub moves: Option<u64>,
    /// Directory for everything, which stays; it must be empty, or not exist yet [default: a temporary one]
    #[arg(long, value_name = "DIR", requires = "machines")]
    pub dir: Option<PathBuf>,
}

/// Longest time of a simulated hall, in minutes.
const MAX_MINUTES: f64 = 100_000.0;

fn parse_minutes(text: &str) -> Result<Duration, String> {
    let minutes = text.parse::<f64>().ok().filter(|minutes| (0.01..=MAX_MINUTES).contains(minutes));
    minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0)).ok_or_else(|| "write minutes, such as 5 or 0.5".to_owned())
}

/// Runs a hall. Fails if the hub does not have every event of every machine.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let plan = Plan::new(args)?;
    block_on(simulate(&plan))?
}

async fn simulate(plan: &Plan) -> anyhow::Result<()> {
    // First of all, so that an interruption at any later time still cleans up.
    let mut signals = Signals::receive()?;
    let mut report = Report::new()?;
    let work_dir = WorkDir::create(plan.dir.as_deref())?;
    let outcome = hold(plan, &work_dir, &mut report, &mut signals).await;
    report.finish();
    match outcome {
        Ok(Verdict::Equal) => Ok(()),
        Ok(Verdict::Differs(sentence)) => {
            let dir = work_dir.keep();
            bail!("{sentence}; journals, configurations and logs are kept in {}", dir.display())
        }
        Err(error) => Err(error),
    }
}

/// How a hall ended.
enum Verdict {
    /// The hub has every event.
    Equal,
    /// It has not, or something else was not as it should be: a sentence.
    Differs(String),
}

/// Opens a hall, lets it be played in, and compares the journals.
async fn hold(plan: &Plan, dir: &WorkDir, report: &mut Report, signals: &mut Signals) -> anyhow::Result<Verdict> {
    let mut hall = tokio::select! {
        opened = opening::open(plan, dir.path(), report) => opened.context("the hall cannot be opened")?,
        () = signals.next() => bail!("interrupted"),
    };
    report.restart_clock();
    let mut campaign = Campaign::new(plan);
    campaign.play(&mut hall, report, signals).await?;
    let comparisons = tokio::select! {
        compared = campaign.finish(&mut hall, report) => compared?,
        () = signals.next() => bail!("interrupted before the journals were compared"),
    };
    report.print(&format!("\n{}\n", comparison::table(&comparisons)))?;
    let events: u64 = comparisons.iter().map(|comparison| comparison.events).sum();
    let differing: Vec<&str> =
        comparisons.iter().filter(|comparison| !comparison.is_equal()).map(|comparison| comparison.machine.as_str()).collect();
    let mut reasons = campaign.into_failures();
    if events == 0 {
        reasons.push("nothing was played: let it run for longer".to_owned());
    }
    if !differing.is_empty() {
        reasons.push(format!("the journal of the hub differs from {}", differing.join(", ")));
    }
    if !reasons.is_empty() {
        return Ok(Verdict::Differs(reasons.join("; ")));
    }
    let machines = comparisons.len();
    report.print(&format!(
        "All {events} events of {machines} {} are in the journal of the hub: equal, once and in order.\n",
        if machines == 1 { "machine" } else { "machines" }
    ))?;
    Ok(Verdict::Equal)
}
