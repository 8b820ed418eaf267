//! How other machines reach this one: its name in the local network, and its addresses. And the step `name`, which announces the page
//! there.

use super::Args;
use super::answers::ListenAnswer;
use super::avahi;
use super::machine::{Machine, Readers};
use super::page;
use super::plan::StepState;
use crate::config::clients::is_local;
use crate::hall::setup::addresses::addresses;
use crate::hall::setup::authority::PRIVATE_DOMAINS;
use crate::publish::dbus::Bus;
use std::net::IpAddr;

/// The service that Avahi announces.
const SERVICE_FILE: &str = "/etc/avahi/services/touchmove.service";

/// The names and addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct NetworkNames {
    /// The name that Avahi has given to this machine.
    mdns: Option<String>,
    /// Why there is no such name; empty: there is.
    no_mdns: String,
    /// The name that Avahi had given when setup ran before, if it gives none now.
    former_mdns: Option<String>,
    /// Names and addresses that the user gave, now or before.
    given: Vec<String>,
    /// The addresses of this machine in its networks.
    addresses: Vec<IpAddr>,
}

/// Finds the names and addresses of the machine that is set up.
pub(super) async fn find(args: &Args) -> NetworkNames {
    let given: Vec<String> = args.hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
    if !args.is_this_machine() && args.bus.is_none() {
        let no_mdns =
            "the name is known when the machine runs (--root): run setup there, too, or give it with --host".to_owned();
        return NetworkNames { no_mdns, given, ..NetworkNames::default() };
    }
    let bus = args.bus.clone().unwrap_or(Bus::System);
    let (mdns, no_mdns) = match avahi::host_name(&bus).await {
        Ok(name) => (Some(name), String::new()),
        Err(error) => (None, error.to_string()),
    };
    let addresses = if args.is_this_machine() { addresses() } else { Vec::new() };
    NetworkNames { mdns, former_mdns: None, no_mdns, given, addresses }
}

impl NetworkNames {
    /// Keeps the host names that setup wrote before, in that order: the one of mDNS until Avahi gives another, and those that the user
    /// gave until they give others.
    fn keep(&mut self, former: &[String], was_announced: bool) {
        let is_mdns = |name: &&String| was_announced && name.ends_with(".local");
        let former_mdns = former.first().filter(is_mdns);
        if self.mdns.is_none() {
            self.former_mdns = former_mdns.cloned();
        }
        if self.given.is_empty() {
            self.given = former.iter().skip(usize::from(former_mdns.is_some())).cloned().collect();
        }
    }

    /// Returns the host names by which browsers address the page, the first one for a QR code.
    pub(super) fn host_names(&self) -> Vec<String> {
        let is_name = |name: &&String| name.parse::<IpAddr>().is_err();
        without_repetitions(self.mdns.iter().chain(&self.former_mdns).chain(self.given.iter().filter(is_name)).cloned())
    }

    /// Returns the names and addresses for which the CA of this machine can sign.
    pub(super) fn certificate_names(&self) -> Vec<String> {
        let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let addresses = self.addresses.iter().map(IpAddr::to_string);
        let names = self.mdns.iter().chain(&self.former_mdns).chain(&self.given).cloned().chain(addresses).chain(own);
        without_repetitions(names.filter(|name| is_private(name)))
    }

    /// Returns the host names and addresses under which a telephone may reach a page at this address, the best one first.
    pub(super) fn hosts_for(&self, listen: IpAddr) -> Vec<String> {
        if listen.is_loopback() {
            return vec![bracketed(listen)];
        }
        let addresses: Vec<IpAddr> = match listen.is_unspecified() {
            true => self.addresses.iter().copied().filter(|address| address.is_ipv4() == listen.is_ipv4()).collect(),
            false => vec![listen],
        };
        let given = self.given.iter().map(|host| host.parse().map_or_else(|_| host.clone(), bracketed));
        without_repetitions(self.mdns.iter().cloned().chain(given).chain(addresses.into_iter().map(bracketed)))
    }
}

/// Keeps the host names that setup wrote before.
pub(super) fn keep(machine: &mut Machine) {
    let former = page::own_hosts(machine);
    let was_announced = machine.record.file(SERVICE_FILE).is_some();
    machine.names.keep(&former, was_announced);
}

fn without_repetitions(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

fn bracketed(address: IpAddr) -> String {
    if address.is_ipv6() { format!("[{address}]") } else { address.to_string() }
}

/// Returns whether the CA of this machine can sign for this name or address.
fn is_private(name: &str) -> bool {
    match name.parse() {
        Ok(address) => is_local(address),
        Err(_) => PRIVATE_DOMAINS
            .iter()
            .any(|domain| name == *domain || name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))),
    }
}

/// Returns the announcement of a page at this port (avahi.service(5)).
fn announcement(port: u16, is_encrypted: bool) -> String {
    let kind = if is_encrypted { "_https._tcp" } else { "_http._tcp" };
    format!(
        "<?xml version=\"1.0\" standalone='no'?>\n<!DOCTYPE service-group SYSTEM \"avahi-service.dtd\">\n\
         <!-- Written by `touchmovectl setup`; `touchmovectl setup --undo name` removes it. -->\n<service-group>\n  \
         <name replace-wildcards=\"yes\">Chess boards on %h</name>\n  <service>\n    <type>{kind}</type>\n    <port>{port}</port>\n  \
         </service>\n</service-group>\n"
    )
}

/// Returns the announcement of the page; `None`: there is no page for others.
fn wanted(machine: &Machine) -> Option<String> {
    match machine.answers.listen {
        ListenAnswer::At(address) if !address.ip().is_loopback() => {
            Some(announcement(address.port(), !machine.config.web.proxy))
        }
        _ => None,
    }
}

pub(super) fn examine(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    let Some(wanted) = wanted(machine) else {
        return Ok(StepState::Skipped("other machines cannot reach the page".to_owned()));
    };
    let Some(name) = &machine.names.mdns else { return Ok(StepState::Skipped(machine.names.no_mdns.clone())) };
    Ok(match (machine.read(SERVICE_FILE)?, machine.change_note(SERVICE_FILE)) {
        (Some(text), _) if text == wanted => StepState::Done(format!("this machine is {name}")),
        (_, Some(note)) => StepState::Skipped(note),
        _ => StepState::Pending(vec![format!("{SERVICE_FILE}; this machine is {name}")]),
    })
}

pub(super) fn apply(machine: &mut Machine) -> anyhow::Result<()> {
    match wanted(machine) {
        // Avahi notices it by itself.
        Some(text) => machine.write("name", SERVICE_FILE, &text, Readers::Everybody),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_better_than_addresses_and_public_ones_need_another_certificate() {
        let names = NetworkNames {
            mdns: Some("hall-2.local".to_owned()),
            former_mdns: None,
            no_mdns: String::new(),
            given: vec!["chess.example.org".to_owned(), "hall.lan".to_owned()],
            addresses: ["192.168.1.10", "203.0.113.7", "fd00::7"].map(|address| address.parse().unwrap()).to_vec(),
        };
        assert_eq!(names.host_names(), ["hall-2.local", "chess.example.org", "hall.lan"]);
        assert_eq!(
            names.certificate_names(),
            ["hall-2.local", "hall.lan", "192.168.1.10", "fd00::7", "localhost", "127.0.0.1", "::1"]
        );
        let all = ["hall-2.local", "chess.example.org", "hall.lan", "192.168.1.10", "203.0.113.7"];
        assert_eq!(names.hosts_for("0.0.0.0".parse().unwrap()), all);
        assert_eq!(names.hosts_for("127.0.0.1".parse().unwrap()), ["127.0.0.1"]);
    }

    #[test]
    fn names_of_an_earlier_setup_stay_until_there_are_others() {
        let former = ["hall-2.local", "hall.lan"].map(str::to_owned);
        for (mdns, given, was_announced, expect) in [
            (None, None, true, &["hall-2.local", "hall.lan"][..]),
            (Some("hall-3.local"), None, true, &["hall-3.local", "hall.lan"]),
            (None, Some("other.lan"), true, &["hall-2.local", "other.lan"]),
            (Some("hall-3.local"), Some("other.lan"), true, &["hall-3.local", "other.lan"]),
            // All were given with --host.
            (None, None, false, &["hall-2.local", "hall.lan"]),
            (None, Some("other.lan"), false, &["other.lan"]),
        ] {
            let [mdns, given] = [mdns, given].map(|name: Option<&str>| name.map(str::to_owned));
            let mut names = NetworkNames { mdns, given: given.into_iter().collect(), ..NetworkNames::default() };
            names.keep(&former, was_announced);
            assert_eq!(names.host_names(), expect);
        }
    }
}
