//! Opens a simulated hall, and says how to look at it.

use super::board::BoardSetup;
use super::fault::Fault;
use super::machine::SimulatedMachine;
use super::node::{Environment, Node};
use super::plan::Plan;
use super::report::Report;
use super::server::{self, Server};
use super::simulated_hall::SimulatedHall;
use super::time_of_day::TimeOfDay;
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};

/// Starts everything in this directory.
pub(super) async fn open(plan: &Plan, dir: &Path, report: &mut Report) -> anyhow::Result<SimulatedHall> {
    // What is not permitted here is refused before anything is started.
    let other_computer = plan.other_computer(dir)?;
    report.phase(&format!("starting nats-server, the hub and {} machines", plan.machines.len()))?;
    let (hub_dir, (port, web_port)) = (dir.join("hub"), server::free_ports()?);
    let machine_dirs: Vec<(String, PathBuf)> = plan.machines.iter().map(|name| (name.clone(), dir.join(name))).collect();
    let files = server::set_up(&hub_dir, &machine_dirs, port)?;
    let server = Server::start(plan.server.clone(), &files, dir, port)?;
    let config = format!(
        "[hall]\nserve = true\nurl = \"tls://127.0.0.1:{port}\"\n[web]\nlisten = \"127.0.0.1:{web_port}\"\n[pgn]\nevent = \
         \"Simulated hall\"\n"
    );
    let disk = if plan.faults.contains(&Fault::FullDisk) { Environment::LimitedDisk } else { Environment::Plain };
    let mut hub = Node::new(&hub_dir, &config, disk, false).await?;
    hub.start()?;
    hub.ready().await.context("the hub")?;
    let mut machines = Vec::with_capacity(machine_dirs.len());
    for (index, (name, machine_dir)) in machine_dirs.iter().enumerate() {
        report.progress(&format!("starting {name}"))?;
        let environment = match &plan.time_library {
            Some(library) => Environment::OwnTime(TimeOfDay::new(library.clone(), machine_dir)?),
            None => Environment::Plain,
        };
        let boards = (0..plan.boards).map(|board| board_setup(plan, index.saturating_mul(plan.boards).saturating_add(board)));
        let boards = boards.collect::<anyhow::Result<Vec<BoardSetup>>>()?;
        let mut machine = SimulatedMachine::new(name, machine_dir, port, environment, boards).await?;
        machine.node.start()?;
        machines.push(machine);
    }
    for machine in &mut machines {
        machine.node.ready().await.with_context(|| machine.name.clone())?;
    }
    fs::write(dir.join("seed"), format!("{}\n", plan.seed)).with_context(|| format!("{} cannot be written", dir.display()))?;
    report.print(&describe(plan, dir, &hub.address, web_port))?;
    Ok(SimulatedHall { clone: None, machines, hub, server, other_computer, dir: dir.to_owned() })
}

/// Returns the setup of the board with this number in the hall.
fn board_setup(plan: &Plan, number: usize) -> anyhow::Result<BoardSetup> {
    let options = number.checked_rem(plan.options.len()).and_then(|index| plan.options.get(index));
    let options = options.context("no model of a board is given")?.clone();
    Ok(BoardSetup { options, games: plan.games.clone(), number, seed: plan.seed, speed: plan.speed })
}

/// Returns what the hall is, and how to look at it.
fn describe(plan: &Plan, dir: &Path, address: &str, web_port: u16) -> String {
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let (machines, boards) = (count(plan.machines.len(), "machine"), count(plan.boards, "board"));
    let mut text = format!(
        "A hall of {machines} with {boards} each, in {dir}\n\n  \
         touchmovectl status --bus '{address}'\n  \
         touchmovectl monitor --bus '{address}'\n  \
         http://127.0.0.1:{web_port}/\n\n\
         A machine: --bus 'unix:path={dir}/{first}/bus'. Logs: {dir}/*/touchmoved.log\n",
        dir = dir.display(),
        first = plan.machines.first().map(String::as_str).unwrap_or_default(),
    );
    if !plan.faults.is_empty() {
        let words: Vec<&str> = plan.faults.iter().map(|fault| fault.word()).collect();
        text += &format!("Faults: {}, every {} s on average (seed {}).\n", words.join(", "), plan.every.as_secs(), plan.seed);
    }
    text + "Ctrl-C ends all faults and compares the journals.\n\n"
}
