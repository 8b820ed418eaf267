//! The networks whose clients are answered.

use super::key::{Key, key, text};
use super::values::Values;
use std::net::IpAddr;

/// The networks that no router of the Internet forwards to: private ones (RFC 1918, RFC 6598, RFC 4193), and those of one cable or
/// radio (RFC 3927, RFC 4291).
pub const LOCAL_NETWORKS: [&str; 7] =
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7", "fe80::/10"];

/// The key that says which networks' clients are answered.
pub(super) const CLIENTS: Key = key(
    "clients",
    text("\"local\", \"any\", or networks such as \"192.168.1.0/24, 10.0.0.0/8\"", |text| Clients::parse(text).is_some()),
    Some("\"local\""),
    "\"local\"",
    "The networks whose clients are answered, besides this machine; connections from elsewhere are closed.\n\
     `local`: private networks, which routers of the Internet do not forward to (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16,\n\
     100.64.0.0/10, 169.254.0.0/16, fc00::/7, fe80::/10); `any`: all. Where nothing is to be sent, and no\n\
     other server answers them, systemd drops their packets, too, from the next `sudo systemctl daemon-reload` and restart on.",
);

/// The networks whose clients are answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Clients {
    /// [`LOCAL_NETWORKS`].
    #[default]
    Local,
    /// All.
    Any,
    /// These, such as `192.168.1.0/24`.
    Networks(Vec<String>),
}

impl Clients {
    /// Parses `local`, `any`, or networks with commas between them; `None`: it is none of these.
    pub fn parse(text: &str) -> Option<Clients> {
        match text.trim() {
            "local" => Some(Clients::Local),
            "any" => Some(Clients::Any),
            list => {
                let networks: Vec<String> = list.split(',').map(|network| network.trim().to_owned()).collect();
                networks.iter().all(|network| is_network(network)).then_some(Clients::Networks(networks))
            }
        }
    }

    /// Reads [`CLIENTS`].
    pub(super) fn read(values: &Values<'_>) -> Clients {
        Clients::parse(&values.text(CLIENTS.name)).unwrap_or_default()
    }

    /// Returns the networks as `IPAddressAllow=` of systemd.resource-control(5) takes them.
    pub fn networks(&self) -> Vec<&str> {
        match self {
            Clients::Local => LOCAL_NETWORKS.to_vec(),
            Clients::Any => vec!["any"],
            Clients::Networks(networks) => networks.iter().map(String::as_str).collect(),
        }
    }

    /// Returns whether a client with this address is answered. This machine always is.
    pub fn contains(&self, address: IpAddr) -> bool {
        // As IPv4, even if it reached a socket of IPv6.
        let address = address.to_canonical();
        let is_in_network = |network: &str| parse_network(network).is_some_and(|network| is_in(address, network));
        address.is_loopback()
            || match self {
                Clients::Local => LOCAL_NETWORKS.into_iter().any(is_in_network),
                Clients::Any => true,
                Clients::Networks(networks) => networks.iter().map(String::as_str).any(is_in_network),
            }
    }
}

/// Returns whether this is an address with the length of a prefix, such as `192.168.1.0/24`.
fn is_network(text: &str) -> bool {
    parse_network(text).is_some()
}

fn parse_network(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let length: u32 = length.parse().ok().filter(|_| length.bytes().all(|byte| byte.is_ascii_digit()))?;
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

/// Returns whether an address is in one of [`LOCAL_NETWORKS`], or of this machine alone.
pub fn is_local(address: IpAddr) -> bool {
    address.is_loopback() || LOCAL_NETWORKS.iter().filter_map(|network| parse_network(network)).any(|one| is_in(address, one))
}

fn is_in(address: IpAddr, (network, length): (IpAddr, u32)) -> bool {
    let (address, network, bits) = match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => (u128::from(u32::from(address)), u128::from(u32::from(network)), 32),
        (IpAddr::V6(address), IpAddr::V6(network)) => (u128::from(address), u128::from(network), 128),
        _ => return false,
    };
    let shift: u32 = bits - length;
    address.checked_shr(shift).unwrap_or(0) == network.checked_shr(shift).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_parsed() {
        for (text, expect) in [
            ("local", Some(LOCAL_NETWORKS.to_vec())),
            ("any", Some(vec!["any"])),
            ("192.168.1.0/24, fd00::/8", Some(vec!["192.168.1.0/24", "fd00::/8"])),
            ("192.168.1.0", None),
            ("192.168.1.0/33", None),
            ("192.168.1.0/+4", None),
            ("hall/24", None),
            ("", None),
        ] {
            assert_eq!(Clients::parse(text).as_ref().map(Clients::networks), expect, "{text}");
        }
    }

    #[test]
    fn clients_are_answered_by_their_network() {
        let [local, any, one] = ["local", "any", "192.0.2.0/24, fd00::/8"].map(|text| Clients::parse(text).unwrap());
        for (address, expect) in [
            ("127.0.0.1", [true, true, true]),
            ("::1", [true, true, true]),
            ("::ffff:127.0.0.1", [true, true, true]),
            ("192.168.1.10", [true, true, false]),
            ("::ffff:192.168.1.10", [true, true, false]),
            ("fe80::1", [true, true, false]),
            ("192.0.2.7", [false, true, true]),
            ("::ffff:192.0.2.7", [false, true, true]),
            ("fd12::1", [true, true, true]),
            ("203.0.113.7", [false, true, false]),
            ("2001:db8::7", [false, true, false]),
        ] {
            let address = address.parse().unwrap();
            assert_eq!([&local, &any, &one].map(|clients| clients.contains(address)), expect, "{address}");
        }
    }

    #[test]
    fn local_addresses_are_private() {
        for (address, expect) in [
            ("127.0.0.1", true),
            ("192.168.1.10", true),
            ("172.31.255.255", true),
            ("172.32.0.0", false),
            ("203.0.113.7", false),
            ("fd12::1", true),
            ("fe80::1", true),
            ("2001:db8::1", false),
            ("::1", true),
        ] {
            assert_eq!(is_local(address.parse().unwrap()), expect, "{address}");
        }
    }
}
