//! What the unit of the service must allow so that it can do what the configuration file says, as drop-ins for systemd.
//!
//! The generator of the package (`config/packaging/systemd/touchmove-generator`) has them written whenever systemd reads its units.
//! They follow from the configuration file alone, which only root can change, and never from the settings that touchmoved itself
//! writes: the service cannot widen what it is allowed.

use super::Config;
use super::clients::Clients;
use super::hall::Role;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::SocketAddr;

/// The name of the drop-in that allows to listen. A file of this name in /etc/systemd/system/touchmoved.service.d takes its place.
pub const LISTEN_DROP_IN: &str = "listen.conf";
/// The name of the drop-in that allows to send requests.
pub const NETWORK_DROP_IN: &str = "network.conf";

const HEADER: &str = "# Written by touchmove-generator from /etc/touchmove/touchmoved.toml, whenever systemd reads its units. A file of this name\n\
                      # in /etc/systemd/system/touchmoved.service.d takes its place.\n[Service]\n\
                      RestrictAddressFamilies=AF_INET AF_INET6\n";

/// The drop-ins for a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitDropIns {
    /// Allows to listen; `None`: nothing listens.
    pub listen: Option<String>,
    /// Allows to send requests; `None`: nothing is sent.
    pub network: Option<String>,
}

impl UnitDropIns {
    /// Returns the drop-ins for a configuration.
    pub fn of(config: &Config) -> UnitDropIns {
        let is_sending = config.lichess.is_some() || config.hooks.webhook.is_some() || !matches!(config.hall.role, Role::None);
        let network = is_sending.then(|| format!("{HEADER}IPAddressAllow=any\n"));
        UnitDropIns { listen: listen(config), network }
    }

    /// Returns each file name with its content; `None`: there is no such file.
    pub fn files(&self) -> [(&'static str, Option<&str>); 2] {
        [(LISTEN_DROP_IN, self.listen.as_deref()), (NETWORK_DROP_IN, self.network.as_deref())]
    }
}

fn listen(config: &Config) -> Option<String> {
    let local = Clients::Local;
    let listeners: Vec<(SocketAddr, &Clients)> = [
        (config.web.listen, &config.web.clients),
        (config.livechess.listen, &config.livechess.clients),
        (config.metrics, &local),
    ]
    .into_iter()
    .filter_map(|(address, clients)| Some((address?, clients)))
    .collect();
    if listeners.is_empty() {
        return None;
    }
    let ports: BTreeSet<u16> = listeners.iter().map(|(address, _)| address.port()).collect();
    let beyond = listeners.iter().filter(|(address, _)| !address.ip().is_loopback());
    let networks: BTreeSet<&str> = beyond.flat_map(|(_, clients)| clients.networks()).collect();
    let mut text = HEADER.to_owned();
    for port in ports {
        let _ = writeln!(text, "SocketBindAllow=tcp:{port}");
    }
    text.push_str("IPAddressAllow=localhost\n");
    for network in networks {
        let _ = writeln!(text, "IPAddressAllow={network}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings of both drop-ins for a configuration.
    fn settings(text: &str) -> [Vec<String>; 2] {
        let drop_ins = UnitDropIns::of(&Config::parse(text).unwrap());
        let lines = |text: &Option<String>| {
            let text = text.clone().unwrap_or_default();
            text.lines().filter_map(|line| line.split_once('=')).map(|(key, value)| format!("{key}={value}")).skip(1).collect()
        };
        [lines(&drop_ins.listen), lines(&drop_ins.network)]
    }

    #[test]
    fn nothing_is_allowed_that_is_not_configured() {
        assert_eq!(UnitDropIns::of(&Config::default()), UnitDropIns { listen: None, network: None });
        let on_this_machine = "[web]\nlisten = '127.0.0.1:8064'\n[metrics]\nlisten = '127.0.0.1:9482'";
        let listen = ["SocketBindAllow=tcp:8064", "SocketBindAllow=tcp:9482", "IPAddressAllow=localhost"].map(str::to_owned);
        assert_eq!(settings(on_this_machine), [listen.to_vec(), vec![]]);
        let tls = "tls_cert = '/c'\ntls_key = '/k'";
        let [listen, _] = settings(&format!("[web]\nlisten = '0.0.0.0:8064'\n{tls}"));
        assert!(listen.iter().any(|line| line == "IPAddressAllow=192.168.0.0/16"), "{listen:?}");
        assert!(!listen.iter().any(|line| line == "IPAddressAllow=any"), "{listen:?}");
        let [listen, _] = settings(&format!("[web]\nlisten = '0.0.0.0:443'\nclients = 'any'\n{tls}"));
        assert_eq!(listen, ["SocketBindAllow=tcp:443", "IPAddressAllow=localhost", "IPAddressAllow=any"]);
        let [listen, _] = settings(&format!("[web]\nlisten = '0.0.0.0:8064'\nclients = '192.0.2.0/24'\n{tls}"));
        assert_eq!(listen[1..], ["IPAddressAllow=localhost", "IPAddressAllow=192.0.2.0/24"]);
        let [listen, _] = settings("[livechess]\nlisten = '0.0.0.0:1982'\nclients = '192.0.2.0/24'");
        assert_eq!(listen, ["SocketBindAllow=tcp:1982", "IPAddressAllow=localhost", "IPAddressAllow=192.0.2.0/24"]);
        let [listen, network] = settings("[hooks]\nwebhook = 'https://ntfy.sh/hall'");
        assert_eq!((listen, network), (vec![], vec!["IPAddressAllow=any".to_owned()]));
    }
}
