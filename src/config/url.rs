//! URLs of services to which touchmoved sends requests.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use url::{Host, Position};

/// A URL `https://host:port/path`; also `http`, but only for hosts on this machine or in the local network.
#[derive(Clone, PartialEq, Eq)]
pub struct Url(url::Url);

impl FromStr for Url {
    type Err = ();

    /// Parses a URL without user and fragment; `http` is accepted only for this machine and the local network.
    fn from_str(text: &str) -> Result<Url, ()> {
        // The parser, which is that of browsers, would also accept spaces, backslashes and empty parts, and guess what was
        // meant.
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or(())?;
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if !text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') || !is_host_and_port(authority) {
            return Err(());
        }
        let url = url::Url::parse(text).map_err(drop)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let is_allowed = url.scheme() == "https" || url.host().is_some_and(may_be_local);
        if is_plain && is_allowed && url.port() != Some(0) { Ok(Url(url)) } else { Err(()) }
    }
}

impl Url {
    /// Returns whether TLS is used, with verification of the server's certificate.
    pub fn uses_tls(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the host name, or the address without brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(443)
    }

    /// Returns the path with the query; it begins with `/`.
    pub fn path(&self) -> &str {
        &self.0[Position::BeforePath..]
    }

    /// Returns the value of the request header `Host`.
    pub fn authority(&self) -> &str {
        self.0.authority()
    }
}

/// Returns whether a text is a host name or address, IPv6 in brackets, optionally with a port.
pub(super) fn is_host_and_port(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, after)) if address.parse::<Ipv6Addr>().is_ok() => ("", after),
        Some(_) => return false,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_host = text.starts_with('[')
        || !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let is_port = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_host && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

/// Returns whether a host is on this machine or in the local network, judging by its name or address.
fn may_be_local(host: Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_local_network(address.into()),
        Host::Ipv6(address) => is_local_network(address.into()),
        // Names that cannot be registered on the internet (RFC 6761, 6762, 8375; `internal` is reserved by ICANN; `lan` is no
        // domain).
        Host::Domain(name) => {
            let local_domains = ["local", "localhost", "internal", "lan", "home.arpa"];
            !name.contains('.') || local_domains.iter().any(|domain| name.ends_with(&format!(".{domain}")))
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
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// Omits the path, since that of a webhook is as good as a password.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/…", &self.0[..Position::AfterPort])
    }
}
