//! The step `group`: a user of this machine becomes an arbiter.

use super::machine::Machine;
use super::plan::StepState;
use super::record::Change;
use crate::names::ARBITER_GROUP;
use anyhow::{Context, bail};
use std::process::Command;

pub(super) fn examine(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    let Some(user) = &machine.answers.user else {
        return Ok(StepState::Skipped("no user was named: --user NAME".to_owned()));
    };
    if !machine.is_running() {
        return Ok(StepState::Skipped("users are added on the running machine (--root)".to_owned()));
    }
    if !machine.has_user(user) {
        return Ok(StepState::Skipped(format!(
            "{user} is not in /etc/passwd of this machine: name somebody who is, with --user NAME, or add {user} to the group \
             {ARBITER_GROUP} where users are managed"
        )));
    }
    let Some(group) = machine.group_line(ARBITER_GROUP) else {
        bail!("there is no group {ARBITER_GROUP}: install the package touchmove, or run `sudo systemd-sysusers`");
    };
    Ok(match is_member(&group, user) {
        true => StepState::Done(format!("{user} is in the group {ARBITER_GROUP}")),
        false => StepState::Pending(vec![format!("{user} joins the group {ARBITER_GROUP}, from the next login on")]),
    })
}

pub(super) fn apply(machine: &mut Machine) -> anyhow::Result<()> {
    let Some(user) = machine.answers.user.clone() else { return Ok(()) };
    run("usermod", &["--append", "--groups", ARBITER_GROUP, &user])?;
    machine.remember("group", Change::Member { user, group: ARBITER_GROUP.to_owned() })
}

/// Returns whether a line of /etc/group has this user.
pub(super) fn is_member(line: &str, user: &str) -> bool {
    line.rsplit(':').next().is_some_and(|members| members.split(',').any(|member| member == user))
}

/// Runs a program of the system.
///
/// # Errors
/// It is missing, or fails.
pub(super) fn run(program: &str, arguments: &[&str]) -> anyhow::Result<()> {
    let line = || format!("`{program} {}`", arguments.join(" "));
    let output = Command::new(program).args(arguments).output().with_context(|| format!("{} cannot be run", line()))?;
    if !output.status.success() {
        bail!("{} failed: {}", line(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
