//! How programs are served that know DGT LiveChess: see `publish::livechess`.

use std::net::{IpAddr, SocketAddr};

/// How programs are served that know DGT LiveChess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveChess {
    /// Where they connect; `None`: nowhere, it is off.
    pub listen: Option<SocketAddr>,
    /// They see everything at once, whatever delay the public has. Only with an address of this machine alone.
    pub live: bool,
    /// Whose pages may ask.
    pub origins: Vec<Site>,
    /// The name of the board that is told of first; `None`: the one at the first table.
    pub first: Option<String>,
}

/// A site whose pages may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// A name of the network or an address, in small letters; those below it count, too.
    pub host: String,
    /// Also where its pages came without encryption.
    pub plain: bool,
}

/// An address to listen on, or nothing.
pub fn is_listen(text: &str) -> bool {
    text.is_empty() || text.parse::<SocketAddr>().is_ok()
}

/// The sites of a list; `None`: it is none.
pub fn sites(text: &str) -> Option<Vec<Site>> {
    text.split(',').map(str::trim).filter(|site| !site.is_empty()).map(site).collect()
}

fn site(text: &str) -> Option<Site> {
    let (host, plain) = text.strip_prefix("http://").map_or((text, false), |host| (host, true));
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_address = bare.parse::<IpAddr>().is_ok();
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)) && !host.starts_with('.');
    let host = if is_address { bare } else { host }.to_ascii_lowercase();
    // What is on this machine does not go over a wire.
    let plain = plain || is_address || host == "localhost";
    (is_address || (is_name && !host.is_empty())).then_some(Site { host, plain })
}
