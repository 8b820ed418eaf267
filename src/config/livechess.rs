//! How programs are served that know DGT LiveChess: see `publish::livechess`.

use std::net::{IpAddr, SocketAddr};

/// How programs are served that know DGT LiveChess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveChess {
    /// Where they connect; `None`: nowhere, it is off.
    pub listen: Option<SocketAddr>,
    /// They see everything at once, whatever delay the public has. Only with an address of this machine alone.
    pub live: bool,
    /// When a move is put into `san`.
    pub publish: Release,
    /// Whose pages may ask.
    pub origins: Vec<Origin>,
    /// The name of the board that is told of first; `None`: the one at the first table.
    pub first: Option<String>,
}

impl LiveChess {
    /// The sites among the origins, whose names count as names of this server, too.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        self.origins.iter().filter_map(|origin| match origin {
            Origin::Site(site) => Some(site),
            Origin::App { .. } | Origin::Null => None,
        })
    }
}

/// When a client that cannot take a move back is told of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// When it is settled, see [`Caution`](crate::game::Caution).
    #[default]
    Settled,
    /// As soon as it is on record and will hardly be corrected.
    Prompt,
}

/// An origin whose pages may ask, as browsers name it in `Origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A site of the web.
    Site(Site),
    /// An application that shows pages of its own under its own scheme: `tauri://localhost`.
    App {
        /// In small letters.
        scheme: String,
        /// In small letters; this one alone.
        host: String,
    },
    /// `null`: pages opened from files, and every sandboxed frame of any site.
    Null,
}

/// A site whose pages may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// A name of the network or an address, in small letters; hosts below it belong to it, see [`Site::has_subdomains`].
    pub host: String,
    /// Also where its pages came without encryption.
    pub plain: bool,
}

impl Site {
    /// Whether hosts below this one belong to the site. Nothing is below an address. What is below a name without a dot belongs
    /// to others (`com`), or cannot be told from that (`hall`); but everything below localhost is this machine (RFC 6761, 6.3).
    pub fn has_subdomains(&self) -> bool {
        let is_address = self.host.parse::<IpAddr>().is_ok();
        !is_address && (self.host.contains('.') || self.host == "localhost")
    }
}

/// An address to listen on, or nothing.
pub fn is_listen(text: &str) -> bool {
    text.is_empty() || text.parse::<SocketAddr>().is_ok()
}

/// The origins of a list.
///
/// # Errors
/// The first entry that is none, or that no browser ever names, with what to write instead.
pub fn origins(text: &str) -> Result<Vec<Origin>, String> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(origin).collect()
}

fn origin(text: &str) -> Result<Origin, String> {
    /// Schemes that pages are never served by under this name.
    const NO_ORIGIN: [&str; 6] = ["ws", "wss", "data", "blob", "about", "javascript"];
    if text.eq_ignore_ascii_case("null") {
        return Ok(Origin::Null);
    }
    let (scheme, host) =
        text.split_once("://").map_or((None, text), |(scheme, host)| (Some(scheme.to_ascii_lowercase()), host));
    if scheme.as_deref() == Some("file") {
        return Err(format!("{text:?} would let nobody in: browsers say \"null\" for a page from a file"));
    }
    if host.contains(['/', '?', '#']) {
        return Err(format!("{text:?} would let nobody in: an origin has no path; end it after the host"));
    }
    if !host.is_ascii() {
        return Err(format!(
            "{text:?} would let nobody in: browsers write such a name in ASCII; write it as they do, with xn--"
        ));
    }
    let is_address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    if let Some((bare, port)) = host.rsplit_once(':').filter(|_| !is_address)
        && port.parse::<u16>().is_ok()
    {
        return Err(format!(
            "{text:?} would let nobody in: pages of every port of a host may ask; write {bare:?} without the port"
        ));
    }
    let labels = || host.split('.').all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    let found = site(host).filter(|_| is_address || labels());
    let is_domain_of_many = !host.contains('.') && !is_address && !host.eq_ignore_ascii_case("localhost");
    if is_domain_of_many && found.is_some() && matches!(scheme.as_deref(), None | Some("https")) {
        return Err(format!(
            "{text:?} is a top-level domain or a name of the local network: write the whole host, such as \"lichess.org\", \
             or \"http://{host}\" for that one machine of the local network"
        ));
    }
    match (scheme.as_deref(), found) {
        (_, None) => Err(format!("{text:?} would let nobody in: it is no host")),
        (None | Some("https"), Some(site)) => Ok(Origin::Site(site)),
        (Some("http"), Some(site)) => Ok(Origin::Site(Site { plain: true, ..site })),
        (Some(scheme), Some(_)) if NO_ORIGIN.contains(&scheme) => {
            Err(format!("{text:?} would let nobody in: no page has an origin of the scheme {scheme}; write {host:?}"))
        }
        (Some(scheme), Some(site)) if is_scheme(scheme) => Ok(Origin::App { scheme: scheme.to_owned(), host: site.host }),
        (Some(_), Some(_)) => Err(format!("{text:?} would let nobody in: what stands before :// is no scheme")),
    }
}

/// A scheme as RFC 3986 (3.1) has it, in small letters.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
}

/// The sites of a list; `None`: it is none.
pub fn sites(text: &str) -> Option<Vec<Site>> {
    text.split(',').map(str::trim).filter(|site| !site.is_empty()).map(site).collect()
}

fn site(text: &str) -> Option<Site> {
    let (host, plain) = text.strip_prefix("http://").map_or((text, false), |host| (host, true));
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
    let is_address = address.is_some();
    let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let is_name = is_plain && host.split('.').all(|label| !label.is_empty());
    // Browsers read a name that ends so as an address, and write it in another way.
    let ends_in_number =
        host.rsplit('.').next().is_some_and(|last| !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()));
    let is_name = is_name && !ends_in_number;
    // As browsers write it.
    let host = address.map_or_else(|| host.to_ascii_lowercase(), |address| address.to_string());
    // What is on this machine does not go over a wire.
    let plain = plain || is_address || host == "localhost";
    (is_address || is_name).then_some(Site { host, plain })
}
