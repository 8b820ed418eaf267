//! Whose pages may ask. A browser says in `Origin` whose page asks, and in `Host` by which name it came here: a page cannot make it
//! say anything else.

use crate::config::livechess::{Origin, Site};
use axum::http::HeaderMap;
use axum::http::header::HOST;
use std::net::IpAddr;

/// The host that a request asks for (`Host`); empty if it names none, or more than one: each of them could be the one that a proxy or
/// a browser looked at.
pub fn requested_host(headers: &HeaderMap) -> &str {
    let mut hosts = headers.get_all(HOST).iter();
    hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// Whether a request for this host (`Host`) is one for this server. An address is; a name of the network may have been made to point
/// here by its owner, so that the owner's pages count as ours (DNS rebinding): only the names of the list are accepted.
pub fn is_host<'a>(sites: impl IntoIterator<Item = &'a Site>, authority: &str) -> bool {
    let Some(host) = host_of(authority) else { return false };
    host.parse::<IpAddr>().is_ok() || host == "localhost" || sites.into_iter().any(|site| is_below(site, &host))
}

/// Whether a page of this origin (`Origin`: `https://lichess.org`, `tauri://localhost`, `null`) may ask.
pub fn is_origin(origins: &[Origin], origin: &str) -> bool {
    if origin == "null" {
        return origins.contains(&Origin::Null);
    }
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let Some(host) = host_of(authority) else { return false };
    origins.iter().any(|allowed| match allowed {
        Origin::Site(site) => is_below(site, &host) && (scheme == "https" || (scheme == "http" && site.plain)),
        Origin::App { scheme: own, host: only } => own == scheme && *only == host,
        Origin::Null => false,
    })
}

/// A host of this site: its own, or one below it.
fn is_below(site: &Site, host: &str) -> bool {
    host.strip_suffix(&site.host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The host of `host`, `host:port`, `[address]:port`, in small letters and without brackets.
fn host_of(authority: &str) -> Option<String> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port_is_right = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    (port_is_right && !host.is_empty() && host.bytes().all(is_plain)).then(|| host.to_ascii_lowercase())
}
