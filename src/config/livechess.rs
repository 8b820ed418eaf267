//! Configuration of the DGT LiveChess server: see `publish::livechess`.

use super::clients::{CLIENTS, Clients};
use super::key::{ChangeEffect, Key, Kind, Table, is_name, key, text};
use super::values::Values;
use std::net::{IpAddr, SocketAddr};

/// How programs that speak the DGT LiveChess protocol are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveChess {
    /// The address to listen on; `None`: the server is off.
    pub listen: Option<SocketAddr>,
    /// The networks whose clients are answered.
    pub clients: Clients,
    /// Whether clients see everything at once, whatever delay the public has. Allowed only with a loopback address.
    pub live: bool,
    /// When a move is included in `san`.
    pub publish: ReleasePolicy,
    /// The origins whose pages may send requests.
    pub origins: Vec<Origin>,
    /// The name of the board that is listed first; `None`: the one at the first table.
    pub first: Option<String>,
}

impl LiveChess {
    /// Returns the sites among the origins; their names are also accepted as names of this server.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        self.origins.iter().filter_map(|origin| match origin {
            Origin::Site(site) => Some(site),
            Origin::App { .. } | Origin::Null => None,
        })
    }
}

/// When a move is sent to a client that cannot take it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReleasePolicy {
    /// Once it is settled, see [`SettledPlies`](crate::game::SettledPlies).
    #[default]
    Settled,
    /// As soon as it is on record and unlikely to be corrected.
    Prompt,
}

/// An origin whose pages may send requests, as browsers write it in `Origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A web site.
    Site(Site),
    /// An application that serves its own pages under its own scheme: `tauri://localhost`.
    App {
        /// The scheme, in lower case.
        scheme: String,
        /// The host, in lower case; subdomains do not match.
        host: String,
    },
    /// The origin `null`: pages opened from files, and every sandboxed frame of any site.
    Null,
}

/// A site whose pages may send requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// A host name or an address, in lower case; its subdomains may be included, see [`Site::has_subdomains`].
    pub host: String,
    /// Whether pages loaded over unencrypted HTTP are allowed, too.
    pub allows_http: bool,
}

impl Site {
    /// Returns whether subdomains of this host belong to the site. An address has no subdomains. Subdomains of a name without a dot
    /// belong to others (`com`), or cannot be distinguished from that case (`hall`); but everything below localhost is this machine
    /// (RFC 6761, 6.3).
    pub fn has_subdomains(&self) -> bool {
        let is_address = self.host.parse::<IpAddr>().is_ok();
        !is_address && (self.host.contains('.') || self.host == "localhost")
    }
}

/// Returns whether this is an address to listen on, or empty.
pub fn is_listen_address(text: &str) -> bool {
    text.is_empty() || text.parse::<SocketAddr>().is_ok()
}

/// Parses a list of origins.
///
/// # Errors
/// Reports the first entry that is not an origin, or that no browser ever sends, and what to write instead.
pub fn parse_origins(text: &str) -> Result<Vec<Origin>, String> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(parse_origin).collect()
}

fn parse_origin(text: &str) -> Result<Origin, String> {
    /// Schemes that never occur in an `Origin` header with a host.
    const NO_ORIGIN: [&str; 6] = ["ws", "wss", "data", "blob", "about", "javascript"];
    if text.eq_ignore_ascii_case("null") {
        return Ok(Origin::Null);
    }
    let (scheme, host) =
        text.split_once("://").map_or((None, text), |(scheme, host)| (Some(scheme.to_ascii_lowercase()), host));
    if scheme.as_deref() == Some("file") {
        return Err(format!("{text:?} never matches: browsers send \"null\" for a page from a file"));
    }
    if host.contains(['/', '?', '#']) {
        return Err(format!("{text:?} never matches: an origin has no path; end it after the host"));
    }
    if !host.is_ascii() {
        return Err(format!("{text:?} never matches: browsers write such a name in ASCII; write it as they do, with xn--"));
    }
    let is_address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    if let Some((bare, port)) = host.rsplit_once(':').filter(|_| !is_address)
        && port.parse::<u16>().is_ok()
    {
        return Err(format!(
            "{text:?} never matches: pages on every port of a host may connect; write {bare:?} without the port"
        ));
    }
    let labels = || host.split('.').all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    let site = parse_site(host).filter(|_| is_address || labels());
    let is_domain_of_many = !host.contains('.') && !is_address && !host.eq_ignore_ascii_case("localhost");
    if is_domain_of_many && site.is_some() && matches!(scheme.as_deref(), None | Some("https")) {
        return Err(format!(
            "{text:?} is a top-level domain or a name of the local network: write the whole host, such as \"lichess.org\", \
             or \"http://{host}\" for that one machine of the local network"
        ));
    }
    match (scheme.as_deref(), site) {
        (_, None) => Err(format!("{text:?} never matches: it is not a host name")),
        (None | Some("https"), Some(site)) => Ok(Origin::Site(site)),
        (Some("http"), Some(site)) => Ok(Origin::Site(Site { allows_http: true, ..site })),
        (Some(scheme), Some(_)) if NO_ORIGIN.contains(&scheme) => {
            Err(format!("{text:?} never matches: no page has an origin of the scheme {scheme}; write {host:?}"))
        }
        (Some(scheme), Some(site)) if is_scheme(scheme) => Ok(Origin::App { scheme: scheme.to_owned(), host: site.host }),
        (Some(_), Some(_)) => Err(format!("{text:?} never matches: the part before :// is not a scheme")),
    }
}

/// Returns whether this is a scheme by RFC 3986 (3.1), in lower case.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
}

/// Parses a list of sites; `None` if an entry is invalid.
pub fn parse_sites(text: &str) -> Option<Vec<Site>> {
    text.split(',').map(str::trim).filter(|site| !site.is_empty()).map(parse_site).collect()
}

fn parse_site(text: &str) -> Option<Site> {
    let (host, allows_http) = text.strip_prefix("http://").map_or((text, false), |host| (host, true));
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
    let is_address = address.is_some();
    let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let is_name = is_plain && host.split('.').all(|label| !label.is_empty());
    // Browsers parse a name that ends in a number as an IPv4 address, and normalise it.
    let ends_in_number =
        host.rsplit('.').next().is_some_and(|last| !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()));
    let is_name = is_name && !ends_in_number;
    // The form that browsers send.
    let host = address.map_or_else(|| host.to_ascii_lowercase(), |address| address.to_string());
    // HTTP is always allowed for addresses, and for localhost, whose connections stay on this machine.
    let allows_http = allows_http || is_address || host == "localhost";
    (is_address || is_name).then_some(Site { host, allows_http })
}

/// The table `[livechess]`.
pub(super) static TABLE: Table = Table {
    name: "livechess",
    about: "A server for programs and pages that support DGT LiveChess. They see the boards and games that are public, with the\n\
            delay of [broadcast], unless `live` is true. Off unless `listen` is given.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "listen",
        text("an address with a port such as \"127.0.0.1:1982\", or \"\" for none", is_listen_address),
        Some("\"\""),
        "\"127.0.0.1:1982\"",
        "The address for clients. They look for LiveChess on port 1982 of this machine. \"\": none, the server is off.",
    ),
    CLIENTS,
    key(
        "live",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether clients see boards, clocks and moves at once, even if [broadcast] has a delay. Only with a listen address that\n\
         only this machine can reach.",
    ),
    key(
        "origins",
        text("origins with commas between them, such as \"lichess.org, chess.com\"", |_| true),
        Some("\"lichess.org, chess.com, localhost, 127.0.0.1\""),
        "\"lichess.org, localhost\"",
        "The hosts whose pages may connect: these hosts and those below them. Pages must have been loaded over https, except\n\
         from this machine, from an address, and where http:// is before the host. A name without a dot is given as\n\
         http://hall, and matches only that host. An application with pages of its own is named with its scheme, such as\n\
         tauri://localhost. null: pages opened from files, and every sandboxed frame of any site; not with live = true. A\n\
         program that is not a browser may always connect.",
    ),
    key(
        "publish",
        Kind::Word(&["settled", "prompt"]),
        Some("\"settled\""),
        "\"settled\"",
        "When a move is added to `san`. lichess.org plays the first move that it receives and cannot take it back. `settled`:\n\
         while the clock runs, 300 ms after it was pressed, or when the reply has been on record for a second; otherwise when\n\
         no square has changed for a second (three after a promotion) or 300 ms after the opponent has lifted a piece. The last\n\
         move waits while a piece of its player is off its square, for at most five seconds if nothing else changes. `prompt`:\n\
         as soon as it is unlikely to be corrected. What is on the board is always sent at once.",
    ).changes(ChangeEffect::NextStart),
    key(
        "first",
        text("the name of a board", is_name),
        None,
        "\"board_1\"",
        "The board that is listed first: lichess.org uses only that one. If omitted: the board at the first table,\n\
         otherwise the first by name.",
    ).changes(ChangeEffect::NextStart),
];

/// Reads the table.
pub(super) fn read(values: Values<'_>) -> LiveChess {
    let listen: Option<SocketAddr> = values.text("listen").parse().ok();
    let live = values.flag("live");
    if live
        && let (Some(listen), Some(span)) = (listen, values.span_of("live"))
        && !listen.ip().is_loopback()
    {
        values.problems.add(
            &span,
            format!("live = true shows games that are not public yet, and other machines can reach {listen}: omit it, or write listen = \"127.0.0.1:1982\""),
        );
    }
    let publish = if values.text("publish") == "prompt" { ReleasePolicy::Prompt } else { ReleasePolicy::Settled };
    let at = values.span_of("origins").unwrap_or(values.span.clone());
    let origins = parse_origins(&values.text("origins")).unwrap_or_else(|error| {
        values.problems.add(&at, format!("origins: {error}"));
        Vec::new()
    });
    if live && origins.contains(&Origin::Null) {
        values.problems.add(
            &at,
            "live = true shows games that are not public yet, and any site can show a frame whose origin is \"null\": remove null from origins, or omit live",
        );
    }
    let (clients, first) = (Clients::read(&values), values.given_text("first"));
    LiveChess { listen, clients, live, publish, origins, first }
}
