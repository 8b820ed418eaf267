//! URLs of services to which touchmoved sends requests.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

/// A URL `https://host:port/path`; also `http`, but only for hosts on this machine or in the local network.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    /// Whether TLS is used, with verification of the server's certificate.
    pub uses_tls: bool,
    /// A host name, or an address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path with the query; begins with `/`.
    pub path: String,
}

impl FromStr for Url {
    type Err = ();

    /// Parses a URL without user and fragment; `http` is accepted only for this machine and the local network.
    fn from_str(text: &str) -> Result<Url, ()> {
        let (secure, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(()),
        };
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(at).ok_or(())?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or(())?;
                let host: std::net::Ipv6Addr = host.parse().map_err(drop)?;
                (host.to_string(), port)
            }
            None => {
                let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
                let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
                (Some(host.to_ascii_lowercase()).filter(|host| is_name && !host.is_empty()).ok_or(())?, port)
            }
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().map_err(drop)?,
            None if port.is_empty() => {
                if secure {
                    443
                } else {
                    80
                }
            }
            None => return Err(()),
        };
        let is_path = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
        let url = Url { uses_tls: secure, host, port, path };
        if is_path && port > 0 && (secure || url.may_be_local()) { Ok(url) } else { Err(()) }
    }
}

impl Url {
    /// Returns the value of the request header `Host`.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let default_port = if self.uses_tls { 443 } else { 80 };
        if self.port == default_port { host } else { format!("{host}:{}", self.port) }
    }

    /// Returns whether the host is on this machine or in the local network, judging by its name or address.
    fn may_be_local(&self) -> bool {
        match self.host.parse::<IpAddr>() {
            Ok(address) => is_local_network(address),
            // Names that cannot be registered on the internet (RFC 6761, 6762, 8375; `internal` is reserved by ICANN; `lan` is no
            // domain).
            Err(_) => {
                let local_domains = ["local", "localhost", "internal", "lan", "home.arpa"];
                !self.host.contains('.') || local_domains.iter().any(|name| self.host.ends_with(&format!(".{name}")))
            }
        }
    }
}

/// Returns whether an address belongs to this machine or a local network and is not routed on the internet.
pub fn is_local_network(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => is_local_network(IpAddr::V4(mapped)),
            None => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
        },
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", if self.uses_tls { "https" } else { "http" }, self.authority(), self.path.trim_end_matches('/'))
    }
}

/// Omits the path, since that of a webhook is as good as a password.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/…", if self.uses_tls { "https" } else { "http" }, self.authority())
    }
}

/// A placeholder where nothing is configured.
impl Default for Url {
    fn default() -> Url {
        Url { uses_tls: false, host: Ipv4Addr::LOCALHOST.to_string(), port: 80, path: "/".to_owned() }
    }
}
