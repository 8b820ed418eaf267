//! The step `page`: where the page listens, by which names, and with which certificate.

use super::answers::ListenAnswer;
use super::certificate::{self, CA, CERTIFICATE, KEY};
use super::keys::{self, WantedKey};
use super::machine::Machine;
use super::plan::StepState;
use super::record::Change;
use crate::config::key_text;

pub(super) fn examine(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    let ListenAnswer::At(address) = machine.answers.listen else {
        return Ok(match machine.config.web.listen {
            None => StepState::Skipped("it stays off (--listen none)".to_owned()),
            Some(_) => keys::examine(machine, &wanted(machine), String::new),
        });
    };
    Ok(keys::examine(machine, &wanted(machine), || format!("it is on at {address}")))
}

pub(super) fn apply(machine: &mut Machine) -> anyhow::Result<()> {
    let wanted = wanted(machine);
    keys::apply(machine, "page", &wanted)
}

/// Returns the keys of `[web]` that the answers want.
fn wanted(machine: &Machine) -> Vec<WantedKey> {
    let ListenAnswer::At(address) = machine.answers.listen else { return vec![WantedKey::text("web", "listen", "")] };
    let mut wanted = vec![WantedKey::text("web", "listen", &address.to_string())];
    wanted.extend(hosts(machine).map(|hosts| WantedKey::text("web", "hosts", &hosts)));
    if certificate::other_source(machine).is_none() {
        let files = [("tls_cert", CERTIFICATE), ("tls_key", KEY), ("tls_ca", CA)];
        wanted.extend(files.map(|(key, path)| WantedKey::text("web", key, path)));
    }
    wanted
}

/// Returns the names by which browsers address the page; `None`: they stay. Names that a user has written stay, with ours after them.
fn hosts(machine: &Machine) -> Option<String> {
    let ours = machine.names.host_names();
    let is_own_work = match machine.record.key("web", "hosts") {
        Some(Change::Key { after: Some(after), .. }) => key_text::has_value(&machine.text, "web", "hosts", after),
        _ => false,
    };
    let written: Vec<String> = match is_own_work {
        true => Vec::new(),
        false => machine.config.web.hosts.iter().map(|site| site.host.clone()).collect(),
    };
    let new: Vec<String> = ours.into_iter().filter(|name| !written.contains(name)).collect();
    if new.is_empty() && !(is_own_work && !machine.config.web.hosts.is_empty()) {
        return None;
    }
    Some(written.into_iter().chain(new).collect::<Vec<_>>().join(", "))
}
