//! Checks of the `Origin` and `Host` headers. A browser states in `Origin` which page sends a request, and in `Host` the name by
//! which it reached this server; a page cannot forge either.

use crate::config::livechess::{Origin, Site};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use std::net::{IpAddr, Ipv6Addr};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns the requested host (`Host`); empty if the header is missing or repeated, because a proxy or a browser may have evaluated
/// another one of them.
pub fn requested_host(headers: &HeaderMap) -> &str {
    let mut hosts = headers.get_all(HOST).iter();
    hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// Returns whether the requested host (`Host`) is this server. Addresses are always accepted. A host name may have been made to
/// resolve to this server by its owner, so that the owner's pages count as this server's (DNS rebinding): only listed names are
/// accepted.
pub fn is_own_host<'a>(sites: impl IntoIterator<Item = &'a Site>, authority: &str) -> bool {
    let Some(host) = parse_host(authority) else { return false };
    host.parse::<IpAddr>().is_ok() || host == "localhost" || sites.into_iter().any(|site| is_host_of_site(site, &host))
}

/// Returns whether the requested host (`Host`) is a loopback address or `localhost`.
pub fn is_loopback_host(authority: &str) -> bool {
    let Some(host) = parse_host(authority) else { return false };
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Returns whether pages of this origin (`Origin`: `https://lichess.org`, `tauri://localhost`, `null`) may send requests.
pub fn is_allowed_origin(origins: &[Origin], origin: &str) -> bool {
    if origin == "null" {
        return origins.contains(&Origin::Null);
    }
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let Some(host) = parse_host(authority) else { return false };
    origins.iter().any(|allowed| match allowed {
        Origin::Site(site) => is_host_of_site(site, &host) && (scheme == "https" || (scheme == "http" && site.allows_http)),
        Origin::App { scheme: allowed_scheme, host: allowed_host } => allowed_scheme == scheme && *allowed_host == host,
        Origin::Null => false,
    })
}

/// Returns whether a page of another site caused this request, judging by all headers of the browser; without such headers, no page
/// did. `encrypted`: this server's own pages use TLS, so an origin without TLS is not trusted.
pub fn is_cross_site(headers: &HeaderMap, encrypted: bool) -> bool {
    let host = requested_host(headers);
    let is_own = |origin: &str| {
        origin.split_once("://").is_some_and(|(scheme, authority)| {
            let is_expected_scheme = scheme == "https" || (scheme == "http" && !encrypted);
            is_expected_scheme && !host.is_empty() && authority.eq_ignore_ascii_case(host)
        })
    };
    let all_are = |name: HeaderName, accepts: &dyn Fn(&str) -> bool| {
        headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(accepts))
    };
    !all_are(ORIGIN, &is_own) || !all_are(FETCH_SITE, &|site| site == "same-origin" || site == "none")
}

/// Returns whether a host belongs to this site: it is the site's host, or a subdomain if the site includes them.
fn is_host_of_site(site: &Site, host: &str) -> bool {
    let is_subdomain = || host.strip_suffix(&site.host).is_some_and(|rest| rest.ends_with('.'));
    host == site.host || (site.has_subdomains() && is_subdomain())
}

/// Returns the host of `host`, `host:port` or `[address]:port`: a name in lower case without the trailing dot, or an address
/// without brackets in its shortest form, as in [`Site`].
fn parse_host(authority: &str) -> Option<String> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => ipv6_and_port(rest)?,
        None => name_and_port(authority)?,
    };
    let is_valid_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    is_valid_port.then_some(host)
}

/// Splits `address]:port`. Only an IPv6 address may be in brackets (RFC 3986, section 3.2.2).
fn ipv6_and_port(text: &str) -> Option<(String, &str)> {
    let (address, port) = text.split_once(']')?;
    let address: Ipv6Addr = address.parse().ok()?;
    Some((address.to_string(), port))
}

/// Splits `host:port`, where the host is a name or an IPv4 address.
fn name_and_port(text: &str) -> Option<(String, &str)> {
    let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_plain)).then(|| (name.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::livechess::{parse_origins, parse_sites};

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        lines.iter().for_each(|(name, value)| _ = headers.append(*name, value.parse().expect("a value")));
        headers
    }

    #[test]
    fn only_pages_of_the_requested_host_are_same_site() {
        let host = ("host", "hall.example:8064");
        for (lines, encrypted, cross_site) in [
            (&[host][..], false, false),
            (&[host, ("origin", "http://hall.example:8064")], false, false),
            (&[host, ("origin", "http://HALL.example:8064")], false, false),
            (&[host, ("origin", "http://hall.example:8064")], true, true),
            (&[host, ("origin", "https://hall.example:8064"), ("sec-fetch-site", "same-origin")], true, false),
            (&[host, ("sec-fetch-site", "none")], false, false),
            (&[host, ("origin", "http://hall.example")], false, true),
            (&[host, ("origin", "null")], false, true),
            (&[host, ("origin", "")], false, true),
            (&[host, ("sec-fetch-site", "same-site")], false, true),
            // Only one of two values is this server's.
            (&[host, ("origin", "http://hall.example:8064"), ("origin", "http://evil.example")], false, true),
            (&[host, ("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")], false, true),
            (&[host, ("host", "evil.example"), ("origin", "http://hall.example:8064")], false, true),
            (&[host, ("host", "evil.example"), ("origin", "http://evil.example")], false, true),
            (&[("origin", "http://")], false, true),
        ] {
            assert_eq!(is_cross_site(&headers(lines), encrypted), cross_site, "{lines:?} {encrypted}");
        }
    }

    #[test]
    fn only_ipv6_addresses_are_in_brackets() {
        let sites = parse_sites("hall.example, hall, localhost, ::1").expect("a list of sites");
        for (authority, is_own, loopback) in [
            ("localhost", true, true),
            ("LOCALHOST.:8064", true, true),
            ("127.0.0.1:80", true, true),
            ("192.168.1.5", true, false),
            ("[::1]:8064", true, true),
            ("[0:0:0:0:0:0:0:1]", true, true),
            ("[FE80::1]", true, false),
            ("hall.example", true, false),
            ("[localhost]", false, false),
            ("[hall.example]", false, false),
            ("[hall]:8064", false, false),
            ("[::1.]", false, false),
            ("[127.0.0.1]", false, false),
            ("[::1", false, false),
            ("[::1]8064", false, false),
            ("[::1].", false, false),
            ("[]", false, false),
            ("::1", false, false),
        ] {
            assert_eq!((is_own_host(&sites, authority), is_loopback_host(authority)), (is_own, loopback), "{authority}");
        }
    }

    #[test]
    fn a_name_without_a_dot_has_no_subdomains() {
        let hosts = parse_sites("hall.example, hall, com").expect("a list of sites");
        for (host, is_own) in [
            ("hall.example", true),
            ("www.hall.example", true),
            ("hall", true),
            ("HALL.:8064", true),
            ("com", true),
            ("www.hall", false),
            ("evil.com", false),
            ("evilhall.example", false),
            ("evil.example", false),
        ] {
            assert_eq!(is_own_host(&hosts, host), is_own, "{host}");
        }
        let origins = parse_origins("http://hall, http://[0:0:0:0:0:0:0:1], 127.0.0.1, localhost").expect("a list of origins");
        for (origin, allowed) in [
            ("http://hall", true),
            ("https://hall:8443", true),
            ("http://[::1]:8080", true),
            ("http://[0::1]", true),
            ("http://127.0.0.1", true),
            ("http://page.localhost", true),
            ("https://www.hall", false),
            ("http://[hall]", false),
            ("http://[127.0.0.1]", false),
            ("http://www.127.0.0.1", false),
        ] {
            assert_eq!(is_allowed_origin(&origins, origin), allowed, "{origin}");
        }
    }
}
