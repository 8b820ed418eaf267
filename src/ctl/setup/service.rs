//! The step `service`: touchmoved is started with the new configuration, and systemd allows it what that says.

use super::group::run;
use super::machine::Machine;
use super::plan::StepState;
use super::record::Change;
use crate::config::unit::{LISTEN_DROP_IN, UnitDropIns};
use std::fs;
use std::path::Path;
use std::process::Command;

const UNIT: &str = "touchmoved.service";
/// Where the generator of the package writes what the unit allows.
const GENERATED: &str = "/run/systemd/generator/touchmoved.service.d";
/// Where a user writes what the unit allows instead.
const OWN_DROP_INS: &str = "/etc/systemd/system/touchmoved.service.d";

pub(super) fn examine(machine: &Machine, is_after_change: bool) -> anyhow::Result<StepState> {
    if !machine.is_running() {
        return Ok(StepState::Skipped("the machine does not run (--root)".to_owned()));
    }
    if !Path::new("/run/systemd/system").is_dir() {
        return Ok(StepState::Skipped(
            "systemd does not run here: start touchmoved yourself, again after each change".to_owned(),
        ));
    }
    let mut lines = Vec::new();
    if is_after_change || !is_generated(machine) {
        lines.push("systemctl daemon-reload".to_owned());
    }
    if !is("is-enabled") {
        lines.push(format!("systemctl enable {UNIT}"));
    }
    if !lines.is_empty() || !is("is-active") {
        lines.push(format!("systemctl restart {UNIT}"));
    }
    if lines.is_empty() {
        return Ok(StepState::Done("touchmoved runs, now and at every boot".to_owned()));
    }
    lines.extend(own_drop_in_note());
    Ok(StepState::Pending(lines))
}

pub(super) fn apply(machine: &mut Machine) -> anyhow::Result<()> {
    run("systemctl", &["daemon-reload"])?;
    if !is("is-enabled") {
        run("systemctl", &["enable", "--quiet", UNIT])?;
        machine.remember("service", Change::Enabled { unit: UNIT.to_owned() })?;
    }
    // A start that failed before must not prevent this one.
    run("systemctl", &["reset-failed", UNIT]).ok();
    run("systemctl", &["restart", UNIT])
}

/// Makes systemd read its units again and restarts the service, after something was undone.
///
/// # Errors
/// systemctl fails.
pub(super) fn restart() -> anyhow::Result<()> {
    run("systemctl", &["daemon-reload"])?;
    run("systemctl", &["try-restart", UNIT])
}

/// Returns the answer of `systemctl is-…`.
fn is(question: &str) -> bool {
    Command::new("systemctl").args([question, "--quiet", UNIT]).status().is_ok_and(|status| status.success())
}

/// Returns whether systemd has what follows from the configuration file.
fn is_generated(machine: &Machine) -> bool {
    UnitDropIns::of(&machine.config)
        .files()
        .iter()
        .all(|(name, text)| fs::read_to_string(Path::new(GENERATED).join(name)).ok().as_deref() == *text)
}

/// Returns a note about a drop-in of the user's own, which takes the place of what follows from the configuration.
fn own_drop_in_note() -> Option<String> {
    let own = Path::new(OWN_DROP_INS).join(LISTEN_DROP_IN);
    let sentence = format!(
        "{} is your own, and decides what touchmoved may listen on: remove it, and what the configuration says is allowed",
        own.display()
    );
    own.exists().then_some(sentence)
}
