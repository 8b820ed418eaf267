//! The step `page`: where the page listens, by which names, and with which certificate.

use super::answers::ListenAnswer;
use super::certificate::{self, CA, CERTIFICATE, KEY};
use super::keys::{self, WantedKey};
use super::machine::Machine;
use super::plan::StepState;
use super::record::Change;
use crate::config::key_text;
use crate::config::livechess::parse_sites;

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
    let written = users_hosts(machine);
    let new: Vec<String> = machine.names.host_names().into_iter().filter(|name| !written.contains(name)).collect();
    (!new.is_empty()).then(|| written.into_iter().chain(new).collect::<Vec<_>>().join(", "))
}

/// Returns the host names of the configuration that setup has written.
pub(super) fn own_hosts(machine: &Machine) -> Vec<String> {
    let users = users_hosts(machine);
    configured_hosts(machine).into_iter().filter(|name| !users.contains(name)).collect()
}

/// Returns the host names of the configuration that a user has written: those before setup changed them, or all, if somebody has
/// changed them since.
fn users_hosts(machine: &Machine) -> Vec<String> {
    match machine.record.key("web", "hosts") {
        Some(Change::Key { before, after: Some(after), .. }) if key_text::has_value(&machine.text, "web", "hosts", after) => {
            let before = before.as_deref().and_then(|value| format!("hosts = {value}").parse::<toml::Table>().ok());
            let names = before.as_ref().and_then(|table| table.get("hosts")?.as_str()).unwrap_or_default();
            parse_sites(names).unwrap_or_default().into_iter().map(|site| site.host).collect()
        }
        _ => configured_hosts(machine),
    }
}

fn configured_hosts(machine: &Machine) -> Vec<String> {
    machine.config.web.hosts.iter().map(|site| site.host.clone()).collect()
}
