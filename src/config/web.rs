//! Configuration of the web page: see `publish::web`.

use super::clients::{CLIENTS, Clients};
use super::key::{Key, Kind, Table, is_absolute, key, text};
use super::livechess::{Site, is_listen_address, parse_sites};
use super::values::Values;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// How the page is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Web {
    /// The address to listen on; `None`: the page is off. Addresses other than loopback require `tls` or a proxy.
    pub listen: Option<SocketAddr>,
    /// Host names accepted in requests, besides addresses and localhost.
    pub hosts: Vec<Site>,
    /// The certificate; `None`: browsers, or the proxy, connect without TLS.
    pub tls: Option<Tls>,
    /// The networks whose clients are answered.
    pub clients: Clients,
    /// Whether all connections come from a proxy that speaks TLS with browsers.
    pub proxy: bool,
    /// Whether browsers are told to use only TLS with this host name from now on (HSTS).
    pub hsts: bool,
}

/// The files of the certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate and its chain, as PEM.
    pub cert: PathBuf,
    /// The private key, as PEM.
    pub key: PathBuf,
    /// The certificate of the CA that browsers may download, as PEM; `None`: browsers know the CA.
    pub ca: Option<PathBuf>,
}

impl Web {
    /// Returns whether connections to browsers are encrypted, as far as is known.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some() || self.proxy
    }

    /// Returns the address of the page, ending in `/`, as other machines reach it; `None`: the configuration does not say.
    pub fn address(&self) -> Option<String> {
        self.address_at(self.listen?.port())
    }

    fn address_at(&self, port: u16) -> Option<String> {
        let listen = self.listen?;
        let is_reachable = |ip: &IpAddr| !ip.is_loopback() && !ip.is_unspecified();
        let host = match self.hosts.first() {
            Some(site) => site.host.clone(),
            None => Some(listen.ip()).filter(is_reachable)?.to_string(),
        };
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        let scheme = if self.is_encrypted() { "https" } else { "http" };
        // A proxy has a port of its own.
        let port = if self.proxy { String::new() } else { format!(":{port}") };
        Some(format!("{scheme}://{host}{port}/"))
    }

    /// Returns the address of the page for another browser, from the host that one browser requested: the same, unless that is this
    /// machine and the configuration has another.
    pub fn browser_address(&self, requested_host: &str) -> String {
        let port = requested_host.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse::<u16>().ok()?)));
        let (name, port) = port.map_or((requested_host, None), |(name, port)| (name, Some(port)));
        let ip: Option<IpAddr> = name.trim_matches(['[', ']']).parse().ok();
        let is_this_machine = name == "localhost" || ip.is_some_and(|ip| ip.is_loopback());
        let scheme = if self.is_encrypted() { "https" } else { "http" };
        let port = port.unwrap_or(if self.is_encrypted() { 443 } else { 80 });
        let other = if is_this_machine { self.address_at(port) } else { None };
        other.unwrap_or_else(|| format!("{scheme}://{requested_host}/"))
    }
}

/// The table `[web]`.
pub(super) static TABLE: Table = Table {
    name: "web",
    about: "The web page: everybody sees the games with the delay of [broadcast]. Users who log in with a token of `touchmovectl\n\
            token create` see boards and games live, and arbiters also see the alerts. Off unless `listen` is given.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "listen",
        text("an address with a port such as \"127.0.0.1:8064\", or \"\" for none", is_listen_address),
        Some("\"\""),
        "\"127.0.0.1:8064\"",
        "The address of the page. \"\": none, the page is off. An address that other machines can reach needs tls_cert and\n\
         tls_key, or a proxy.",
    ),
    key(
        "hosts",
        text("names with commas between them, such as \"hall.example.org\"", |text| parse_sites(text).is_some()),
        Some("\"\""),
        "\"hall.example.org\"",
        "The names by which browsers address it, besides addresses and localhost; names below them match too, but a\n\
         name without a dot, such as hall, matches only itself. Other names are refused, because the owner of a name can make\n\
         it resolve to this machine.",
    ),
    key(
        "tls_cert",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/cert.pem\"",
        "Its certificate and the intermediate certificates, as PEM. The file is read again when it changes. If omitted: no TLS.",
    ),
    key(
        "tls_key",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/key.pem\"",
        "The private key of the certificate, as PEM.",
    ),
    key(
        "tls_ca",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/tls/ca.pem\"",
        "The certificate of the CA, as PEM, if browsers do not know it: they can download it at /ca.crt. `touchmovectl setup`\n\
         makes a CA of this machine alone.",
    ),
    CLIENTS,
    key(
        "proxy",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether all requests come through a proxy that provides TLS, passes Host on, and names the client in X-Forwarded-For.",
    ),
    key(
        "hsts",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether browsers are told to use only TLS for this host name for a year (HSTS). This applies to every port of the\n\
         name: anything else that answers there without TLS becomes unreachable for them.",
    ),
];

/// Reads the table.
pub(super) fn read(values: Values<'_>) -> Web {
    let listen: Option<SocketAddr> = values.text("listen").parse().ok();
    let proxy = values.flag("proxy");
    let [cert, key] = ["tls_cert", "tls_key"].map(|key| values.given_text(key));
    for (given, missing) in [("tls_cert", "tls_key"), ("tls_key", "tls_cert")] {
        if let (Some(span), None) = (values.span_of(given), values.span_of(missing)) {
            values.problems.add(&span, format!("{given} has no effect without {missing}: write both, or omit it"));
        }
    }
    if let (Some(listen), Some(span)) = (listen, values.span_of("listen"))
        && !listen.ip().is_loopback()
        && !proxy
        && values.span_of("tls_cert").or(values.span_of("tls_key")).is_none()
    {
        let port = listen.port();
        // A server that listens on all addresses of the machine is not behind a proxy.
        let with_proxy = match listen.ip().is_unspecified() {
            true => format!("proxy = true and listen = \"127.0.0.1:{port}\" behind a proxy that speaks TLS"),
            false => "proxy = true behind a proxy that speaks TLS".to_owned(),
        };
        values.problems.add(
            &span,
            format!("other machines can reach {listen}, and tokens must not cross a network unencrypted: write tls_cert and tls_key, or {with_proxy}, or listen = \"127.0.0.1:{port}\""),
        );
    }
    if let (Some(listen), Some(span)) = (listen, values.span_of("listen"))
        && listen.ip().is_unspecified()
        && proxy
    {
        values.problems.add(
            &span,
            format!("{listen} is every address of this machine, and any client that reaches it would be treated as the proxy: write listen = \"127.0.0.1:{}\", or the address at which a proxy on another machine reaches this one", listen.port()),
        );
    }
    let hsts = values.flag("hsts");
    if hsts
        && listen.is_some()
        && !proxy
        && let (Some(span), None) = (values.span_of("hsts"), values.span_of("tls_cert"))
    {
        values.problems.add(
            &span,
            "hsts = true tells browsers to use only TLS, which is not configured: write tls_cert and tls_key, or omit it",
        );
    }
    let ca = values.given_text("tls_ca").map(PathBuf::from);
    if let (Some(span), None) = (values.span_of("tls_ca"), values.span_of("tls_cert")) {
        values.problems.add(&span, "tls_ca has no effect without tls_cert: write both, or omit it");
    }
    let tls = cert.zip(key).map(|(cert, key)| Tls { cert: cert.into(), key: key.into(), ca });
    let clients = Clients::read(&values);
    Web { listen, hosts: parse_sites(&values.text("hosts")).unwrap_or_default(), tls, clients, proxy, hsts }
}
