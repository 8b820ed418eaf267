//! `touchmovectl setup --undo`: takes back what setup did, as far as nobody has changed it since.

use super::Args;
use super::machine::Machine;
use super::plan::{STEPS, Step, step};
use super::record::{Change, sha256};
use super::{certificate, group, keys, service};
use crate::config::Config;
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
    /// Nothing, for this reason: it is not what setup did any more.
    Keep(String),
    /// Nothing now, for this reason: it can be undone later.
    Postpone(String),
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
        && machine.config.web.tls.as_ref().is_some_and(|tls| tls.cert == Path::new(certificate::CERTIFICATE))
    {
        bail!("the page uses the certificate: undo that first, with `sudo touchmovectl setup --undo page`");
    }
    // Keys may be valid only together, so that the file is written once; and before anything that it names is removed.
    let mut text = machine.text.clone();
    for (_, change) in changes.iter().filter(|(_, change)| matches!(effect(machine, &machine.config, change), Effect::Undo(_)))
    {
        text = undo_in_text(text, change)?;
    }
    let config = machine.check_config(&text)?;
    let mut effects = Vec::new();
    for (step, change) in changes {
        let effect = effect(machine, &config, &change);
        let line = match &effect {
            Effect::Undo(line) => line.clone(),
            Effect::Keep(reason) | Effect::Postpone(reason) => format!("stays: {reason}"),
        };
        print(&format!("← {}: {line}\n", step.name))?;
        effects.push((change, effect));
    }
    if args.dry_run || !confirm("Undo that?", args.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    if text != machine.text {
        machine.write_config(text)?;
    }
    let mut errors = Vec::new();
    for (change, effect) in &effects {
        let undone = match effect {
            Effect::Undo(_) => undo_outside(machine, change),
            Effect::Keep(_) => Ok(()),
            Effect::Postpone(_) => continue,
        };
        let recorded = undone.and_then(|()| {
            machine.record.forget(change);
            machine.save_record()
        });
        errors.extend(recorded.err());
    }
    if machine.is_running() && Path::new("/run/systemd/system").is_dir() {
        errors.extend(service::restart().err());
    }
    if !errors.is_empty() {
        let errors: Vec<String> = errors.iter().map(|error| format!("{error:#}")).collect();
        bail!("the rest was undone, but:\n{}\nFor another try, run the same command again", errors.join("\n"));
    }
    Ok(print("undone. Games, tokens and recordings stay where they are\n")?)
}

/// Returns what undoing a change would do. `config` is the configuration in which all its changes are undone.
fn effect(machine: &Machine, config: &Config, change: &Change) -> Effect {
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
        Change::File { path, .. } if certificate::is_used(config, path) => {
            Effect::Postpone(format!("{path} belongs to the certificate that [web] of the configuration names"))
        }
        Change::File { path, sha256: hash } => match machine.read(path) {
            Ok(Some(text)) if sha256(&text) == *hash => Effect::Undo(format!("{path} is removed")),
            Ok(None) => Effect::Keep(format!("{path} does not exist any more")),
            _ => Effect::Keep(format!("{path} was changed since")),
        },
        Change::Member { .. } | Change::Enabled { .. } if !machine.is_running() => {
            Effect::Postpone("users and services are changed on the running machine (--root)".to_owned())
        }
        Change::Member { user, group } if !machine.has_user(user) => {
            Effect::Keep(format!("{user}, who joined the group {group}, is no user any more"))
        }
        Change::Member { user, group } => match machine.group_line(group) {
            Some(line) if group::is_member(&line, user) => Effect::Undo(format!("{user} leaves the group {group}")),
            _ => Effect::Keep(format!("{user} is not in the group {group} any more")),
        },
        Change::Enabled { unit } => Effect::Undo(format!("{unit} does not start at boot")),
    }
}

/// Undoes a change of the configuration file in its text.
fn undo_in_text(text: String, change: &Change) -> anyhow::Result<String> {
    match change {
        Change::Key { table, key, before, .. } => {
            let changed = match before {
                Some(before) => key_text::set(&text, table, key, before),
                None => key_text::remove(&text, table, key),
            };
            changed.with_context(|| keys::form_error(table, key))
        }
        Change::Board { name, .. } => Ok(remove_named(&text, name).map_or(text, |(changed, _)| changed)),
        Change::File { .. } | Change::Member { .. } | Change::Enabled { .. } => Ok(text),
    }
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
