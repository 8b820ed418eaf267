//! The names and addresses of this machine, for the certificate of the server and for the line that is typed on a machine.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Returns the addresses of this machine in its networks, first the one that other networks are reached from.
pub fn addresses() -> Vec<IpAddr> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let v4 = parse_fib_trie(&read("/proc/net/fib_trie")).into_iter().map(IpAddr::from);
    let v6 = parse_if_inet6(&read("/proc/net/if_inet6")).into_iter().map(IpAddr::from);
    let mut all: Vec<IpAddr> = v4.chain(v6).collect();
    if let Some(main) = main_address() {
        all.sort_by_key(|address| *address != main);
    }
    all
}

/// Returns the names and addresses under which other machines, and this one, reach the server.
pub fn server_names() -> Vec<String> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim().to_ascii_lowercase();
    let is_name =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if is_name(&host) && host != "localhost" {
        if !host.contains('.') {
            names.push(format!("{host}.local"));
        }
        names.push(host);
    }
    names.extend(addresses().iter().map(IpAddr::to_string));
    names
}

/// Returns the address from which other networks are reached; `None`: there is no route to them. Connecting a UDP socket sends
/// nothing. The destination is reserved for documentation (RFC 5737).
fn main_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

/// Returns the local addresses in a table of routes as /proc/net/fib_trie has it.
fn parse_fib_trie(text: &str) -> Vec<Ipv4Addr> {
    let mut found: Vec<Ipv4Addr> = Vec::new();
    let mut last: Option<Ipv4Addr> = None;
    for line in text.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse().ok();
        } else if line.starts_with("/32 host LOCAL")
            && let Some(address) = last
            && !address.is_loopback()
            && !found.contains(&address)
        {
            found.push(address);
        }
    }
    found
}

/// Returns the addresses in a list of interfaces as /proc/net/if_inet6 has it, without those that are valid only together with
/// an interface.
fn parse_if_inet6(text: &str) -> Vec<Ipv6Addr> {
    let address = |line: &str| u128::from_str_radix(line.split(' ').next()?, 16).ok().map(Ipv6Addr::from_bits);
    let is_useful = |address: &Ipv6Addr| !address.is_loopback() && !address.is_unicast_link_local();
    text.lines().filter_map(address).filter(is_useful).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_addresses_are_found() {
        let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n\
                    Local:\n     +-- 127.0.0.0/8 2 0 2\n           |-- 127.0.0.1\n              /32 host LOCAL\n\
                    \x20       |-- 192.168.1.0\n           /24 link UNICAST\n\
                    \x20       |-- 192.168.1.10\n           /32 host LOCAL\n\
                    \x20       |-- 192.168.1.255\n           /32 link BROADCAST\n\
                    \x20       |-- 192.168.1.10\n           /32 host LOCAL\n";
        assert_eq!(parse_fib_trie(trie), [Ipv4Addr::new(192, 168, 1, 10)]);
        let interfaces = "00000000000000000000000000000001 01 80 10 80       lo\n\
                          fe800000000000000000000000000001 02 40 20 80     eth0\n\
                          fd000000000000000000000000000007 02 40 00 80     eth0\nnonsense\n";
        assert_eq!(parse_if_inet6(interfaces), ["fd00::7".parse::<Ipv6Addr>().unwrap()]);
    }
}
