//! `touchmovectl setup --undo`: takes back what setup did, as far as nobody has changed it since.

use super::Args;
use super::machine::Machine;
use super::plan::{STEPS, Step, step};
use super::record::{Change, sha256};
use super::{group, keys, service};
use crate::config::board_table::remove_named;
use crate::config::key_text;
use crate::ctl::service::{confirm, print};
use anyhow::{Context, bail};
use std::fs;
use std::path::Path;

/// All steps.
pub(super) const ALL: &str = "all";

/// What undoing a change does.
enum Effect {
    /// This.
    Undo(String),
    /// Nothing, for this reason.
    Keep(String),
}

/// Runs `--undo`.
///
/// # Errors
/// There is no such step, or something cannot be undone.
pub(super) fn run(machine: &mut Machine, args: &Args, name: &str) -> anyhow::Result<()> {
    let steps: Vec<&'static Step> = match step(name) {
        Some(step) => vec![step],
        // The last one first: what it needs was there before.
        None if name == ALL => STEPS.iter().rev().collect(),
        None => {
            let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            bail!("there is no step {name}: write one of {}, or {ALL}", known.join(", "));
        }
    };
    let changes: Vec<(&'static Step, Change)> =
        steps.iter().flat_map(|step| machine.record.of_step(step.name).into_iter().map(|change| (*step, change))).collect();
    if changes.is_empty() {
        return Ok(print("there is nothing to undo\n")?);
    }
    if name == "certificate"
        && machine.config.web.tls.as_ref().is_some_and(|tls| tls.cert == Path::new(super::certificate::CERTIFICATE))
    {
        bail!("the page uses the certificate: undo that first, with `sudo touchmovectl setup --undo page`");
    }
    for (step, change) in &changes {
        let line = match effect(machine, change) {
            Effect::Undo(line) => line,
            Effect::Keep(reason) => format!("stays: {reason}"),
        };
        print(&format!("← {}: {line}\n", step.name))?;
    }
    if args.dry_run || !confirm("Undo that?", args.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    let mut undone: Vec<&Change> = changes.iter().map(|(_, change)| change).collect();
    undone.retain(|change| matches!(effect(machine, change), Effect::Undo(_)));
    // Keys may be valid only together, so that the file is written once; and before anything that it names is removed.
    for change in &undone {
        undo_in_text(machine, change)?;
    }
    machine.write_config(machine.text.clone())?;
    for change in &undone {
        undo_outside(machine, change)?;
    }
    steps.iter().for_each(|step| machine.record.forget(step.name));
    machine.save_record()?;
    if machine.is_running() && Path::new("/run/systemd/system").is_dir() {
        service::restart()?;
    }
    Ok(print("undone. Games, tokens and recordings stay where they are\n")?)
}

/// Returns what undoing a change would do.
fn effect(machine: &Machine, change: &Change) -> Effect {
    match change {
        Change::Key { table, key, before, after } => {
            let is_ours = match after {
                Some(after) => key_text::has_value(&machine.text, table, key, after),
                None => key_text::value(&machine.text, table, key).is_none(),
            };
            match (is_ours, before) {
                (false, _) => Effect::Keep(format!("[{table}] {key} was changed since")),
                (true, Some(before)) => Effect::Undo(format!("[{table}] {key} = {before}")),
                (true, None) => Effect::Undo(format!("[{table}] {key} is removed")),
            }
        }
        Change::Board { name, table } => match remove_named(&machine.text, name) {
            Some((_, found)) if found.trim() == table.trim() => {
                Effect::Undo(format!("board {name} is removed from the configuration"))
            }
            Some(_) => Effect::Keep(format!("board {name} was changed since")),
            None => Effect::Keep(format!("board {name} is not in the configuration any more")),
        },
        Change::File { path, sha256: hash } => match machine.read(path) {
            Ok(Some(text)) if sha256(&text) == *hash => Effect::Undo(format!("{path} is removed")),
            Ok(None) => Effect::Keep(format!("{path} does not exist any more")),
            _ => Effect::Keep(format!("{path} was changed since")),
        },
        Change::Member { user, group } => Effect::Undo(format!("{user} leaves the group {group}")),
        Change::Enabled { unit } => Effect::Undo(format!("{unit} does not start at boot")),
    }
}

/// Undoes a change of the configuration file, in the text that is not written yet.
fn undo_in_text(machine: &mut Machine, change: &Change) -> anyhow::Result<()> {
    let text = match change {
        Change::Key { table, key, before, .. } => {
            let text = match before {
                Some(before) => key_text::set(&machine.text, table, key, before),
                None => key_text::remove(&machine.text, table, key),
            };
            text.with_context(|| keys::form_error(table, key))?
        }
        Change::Board { name, .. } => match remove_named(&machine.text, name) {
            Some((text, _)) => text,
            None => return Ok(()),
        },
        Change::File { .. } | Change::Member { .. } | Change::Enabled { .. } => return Ok(()),
    };
    machine.text = text;
    Ok(())
}

/// Undoes a change outside the configuration file.
fn undo_outside(machine: &Machine, change: &Change) -> anyhow::Result<()> {
    match change {
        Change::Key { .. } | Change::Board { .. } => Ok(()),
        Change::File { path, .. } => {
            let file = machine.path(path);
            fs::remove_file(&file).with_context(|| format!("{} cannot be removed", file.display()))?;
            // The directory of the certificate, if it is empty now.
            if let Some(folder) = file.parent().filter(|folder| folder.ends_with("touchmove/tls")) {
                fs::remove_dir(folder).ok();
            }
            Ok(())
        }
        Change::Member { user, group } => group::run("gpasswd", &["--delete", user, group]),
        Change::Enabled { unit } => group::run("systemctl", &["disable", "--quiet", unit]),
    }
}
