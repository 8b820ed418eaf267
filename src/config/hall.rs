//! Configuration of the hall: several machines with boards, whose games one of them, the hub, shows: see `hall`.

use super::key::{ChangeEffect, Key, Kind, Table, is_absolute, key, text};
use super::url::is_host_and_port;
use super::values::Values;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The directory of the hall's files in the state directory.
pub const DIRECTORY: &str = "hall";
/// The certificate of the hall's CA, in [`DIRECTORY`].
pub const CA_FILE: &str = "ca.pem";
/// The secret key of this machine in the hall, in [`DIRECTORY`].
pub const KEY_FILE: &str = "machine.nk";
/// The port of the message server, unless another is given.
pub const DEFAULT_PORT: u16 = 4222;
/// Maximum length of the name of a hall or of a machine in it.
const MAX_NAME_LENGTH: usize = 32;

/// The part of this machine in a hall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hall {
    /// Its role.
    pub role: Role,
    /// The certificate of the hall's CA; `None`: see [`Hall::ca_file`].
    ca: Option<PathBuf>,
    /// The secret key of this machine; `None`: see [`Hall::key_file`].
    key: Option<PathBuf>,
}

/// What this machine is in a hall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is in no hall.
    None,
    /// It sends its games to a hub.
    Machine {
        /// The message server of the hub.
        hub: ServerUrl,
        /// The name of this machine in the hall.
        machine: String,
    },
    /// It is the hub: it shows the games of all machines.
    Hub {
        /// The message server of the hall.
        server: ServerUrl,
        /// There are two hubs, of which one serves and the other stands by.
        standby: bool,
    },
}

impl Hall {
    /// Returns the file with the certificate of the hall's CA, as PEM.
    pub fn ca_file(&self, state_dir: &Path) -> PathBuf {
        self.ca.clone().unwrap_or_else(|| state_dir.join(DIRECTORY).join(CA_FILE))
    }

    /// Returns the file with the secret key of this machine, the seed of an nkey.
    pub fn key_file(&self, state_dir: &Path) -> PathBuf {
        self.key.clone().unwrap_or_else(|| state_dir.join(DIRECTORY).join(KEY_FILE))
    }

    /// Returns the configured file of the secret key.
    pub(super) fn configured_key_file(&self) -> Option<&Path> {
        self.key.as_deref()
    }
}

/// The address of a message server: `tls://HOST:PORT`, or `nats://HOST:PORT` without TLS on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl {
    host: String,
    port: u16,
    uses_tls: bool,
}

impl ServerUrl {
    /// Returns the host name, or the address without brackets.
    pub fn host(&self) -> &str {
        self.host.trim_matches(['[', ']'])
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether TLS is used.
    pub fn uses_tls(&self) -> bool {
        self.uses_tls
    }
}

impl FromStr for ServerUrl {
    type Err = ();

    /// Parses a URL; without a port, it is [`DEFAULT_PORT`]. `nats` is accepted only for loopback addresses and localhost.
    fn from_str(text: &str) -> Result<ServerUrl, ()> {
        let (uses_tls, authority) = match (text.strip_prefix("tls://"), text.strip_prefix("nats://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(()),
        };
        if !is_host_and_port(authority) {
            return Err(());
        }
        // The colons of an IPv6 address are in brackets.
        let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
            Some((host, port)) => (host, port.parse().ok().filter(|port| *port != 0).ok_or(())?),
            None => (authority, DEFAULT_PORT),
        };
        let url = ServerUrl { host: host.to_ascii_lowercase(), port, uses_tls };
        let is_loopback = url.host() == "localhost" || url.host().parse().is_ok_and(|address: IpAddr| address.is_loopback());
        if uses_tls || is_loopback { Ok(url) } else { Err(()) }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", if self.uses_tls { "tls" } else { "nats" }, self.host, self.port)
    }
}

/// Returns whether this is a name for a hall, or for a machine in it: 1 to 32 lower-case letters, digits and single hyphens
/// between them. It is a part of subjects of NATS.
pub fn is_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= MAX_NAME_LENGTH && text.split('-').all(|part| !part.is_empty() && part.bytes().all(is_allowed))
}

/// The table `[hall]`.
pub(super) static TABLE: Table = Table {
    name: "hall",
    about: "Several machines with boards in one hall, and one of them, the hub, that shows all their games. `touchmovectl hall init`\n\
            sets up the hub, and `touchmovectl hall join` a machine; see hall.md.",
    keys: KEYS,
};

const SERVER_FORM: &str = "tls://HOST or tls://HOST:PORT, or nats://127.0.0.1:PORT on this machine";

const KEYS: &[Key] = &[
    key(
        "serve",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether this machine is the hub: its page, files and other front-ends show the boards of all machines. `touchmovectl hall\n\
         init` sets it.",
    )
    .changes(ChangeEffect::NextStart),
    key(
        "standby",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether there are two hubs: both have serve = true and standby = true. One serves, and the other stands by: it takes over if\n\
         the one that serves does not answer for 10 seconds. See hall.md.",
    )
    .changes(ChangeEffect::NextStart),
    key(
        "hub",
        text(SERVER_FORM, |text| text.is_empty() || text.parse::<ServerUrl>().is_ok()),
        Some("\"\""),
        "\"tls://192.168.1.10:4222\"",
        "The message server of the hub to which this machine sends its games. `touchmovectl hall join` sets it. \"\": none.",
    )
    .changes(ChangeEffect::Immediate),
    key(
        "machine",
        text("1 to 32 lower-case letters, digits and single hyphens", |text| text.is_empty() || is_name(text)),
        Some("\"\""),
        "\"pi-07\"",
        "The name of this machine in the hall, as it was given to `touchmovectl hall add` at the hub.",
    )
    .changes(ChangeEffect::Immediate),
    key(
        "ca",
        text("an absolute path", is_absolute),
        None,
        "\"/var/lib/touchmove/hall/ca.pem\"",
        "The certificate of the hall's CA, as PEM. If omitted: hall/ca.pem in the state directory.",
    ),
    key(
        "key",
        text("an absolute path", is_absolute),
        None,
        "\"/var/lib/touchmove/hall/machine.nk\"",
        "The secret key of this machine in the hall. If omitted: hall/machine.nk in the state directory.",
    ),
    key(
        "url",
        text(SERVER_FORM, |text| text.parse::<ServerUrl>().is_ok()),
        Some("\"tls://127.0.0.1:4222\""),
        "\"tls://127.0.0.1:4222\"",
        "The message server of the hall, as the hub itself reaches it.",
    )
    .changes(ChangeEffect::NextStart),
];

/// Reads the table.
pub(super) fn read(values: Values<'_>) -> Hall {
    let hub: Option<ServerUrl> = values.text("hub").parse().ok();
    let machine = Some(values.text("machine")).filter(|name| !name.is_empty());
    let server: Option<ServerUrl> = values.text("url").parse().ok();
    let (serves, standby) = (values.flag("serve"), values.flag("standby"));
    let span = values.span_of("hub").unwrap_or(values.span.clone());
    if serves && hub.is_some() {
        let message = "a hub sends its games to no other machine: omit hub, or serve = true";
        values.problems.add(&span, message);
    } else if hub.is_some() && machine.is_none() && !values.refused.contains(&"machine") {
        let message = "hub has no effect without the name of this machine: write machine as well, such as machine = \"pi-07\"";
        values.problems.add(&span, message);
    }
    if standby && !serves {
        let span = values.span_of("standby").unwrap_or(values.span.clone());
        values.problems.add(&span, "only a hub can stand by: write serve = true as well, or omit standby");
    }
    let role = match (serves, server, hub.zip(machine)) {
        (true, Some(server), _) => Role::Hub { server, standby },
        (false, _, Some((hub, machine))) => Role::Machine { hub, machine },
        _ => Role::None,
    };
    let [ca, key] = ["ca", "key"].map(|name| values.given_text(name).map(Into::into));
    Hall { role, ca, key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tokens() {
        for name in ["a", "pi-07", "open-2026", "7", &"x".repeat(32)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-a", "a-", "a--b", "Pi", "a.b", "a b", "*", ">", "ä", &"x".repeat(33)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn urls_without_tls_stay_on_this_machine() {
        let written = |text: &str| text.parse::<ServerUrl>().map(|url| url.to_string());
        assert_eq!(written("tls://Hub.local"), Ok("tls://hub.local:4222".to_owned()));
        assert_eq!(written("tls://[fd00::1]:4333"), Ok("tls://[fd00::1]:4333".to_owned()));
        assert_eq!(written("tls://[fd00::1]"), Ok("tls://[fd00::1]:4222".to_owned()));
        assert_eq!(written("nats://127.0.0.1:4222"), Ok("nats://127.0.0.1:4222".to_owned()));
        for wrong in
            ["nats://192.168.1.10", "hub.local", "tls://", "tls://a:0", "tls://a:b", "tls://u:p@a", "tls://a/b", "ws://a"]
        {
            assert_eq!(written(wrong), Err(()), "{wrong}");
        }
    }

    #[test]
    fn a_machine_is_not_a_hub() {
        let problem =
            |text: &str| crate::config::Config::parse(text).map(|config| config.hall.role).map_err(|problems| problems.len());
        assert_eq!(problem("[hall]\nserve = true\nhub = 'tls://a'\nmachine = 'b'"), Err(1));
        assert_eq!(problem("[hall]\nhub = 'tls://a'"), Err(1));
        assert_eq!(problem("[hall]\nmachine = 'b'"), Ok(Role::None));
        assert!(
            matches!(problem("[hall]\nhub = 'tls://a'\nmachine = 'b'"), Ok(Role::Machine { machine, .. }) if machine == "b")
        );
        assert_eq!(problem("[hall]\nstandby = true"), Err(1));
        assert!(matches!(problem("[hall]\nserve = true\nstandby = true"), Ok(Role::Hub { standby: true, .. })));
        assert!(
            matches!(problem("[hall]\nserve = true"), Ok(Role::Hub { server, standby: false }) if server.host() == "127.0.0.1")
        );
    }
}
