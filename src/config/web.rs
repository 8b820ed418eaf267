//! How the page is served: see `publish::web`.

use super::livechess::Site;
use std::net::SocketAddr;
use std::path::PathBuf;

/// How the page is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Web {
    /// Where browsers connect; `None`: nowhere, it is off. Reached from elsewhere only with `tls` or behind a proxy.
    pub listen: Option<SocketAddr>,
    /// By which names it is asked for, besides addresses and localhost.
    pub hosts: Vec<Site>,
    /// `None`: browsers, or the proxy, speak without TLS.
    pub tls: Option<Tls>,
    /// Whoever connects is a proxy that speaks TLS with browsers.
    pub proxy: bool,
    /// Browsers are told to ask this host name over TLS alone from now on.
    pub hsts: bool,
}

/// Where the certificate is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate and those that vouch for it, as PEM.
    pub cert: PathBuf,
    /// Its private key, as PEM.
    pub key: PathBuf,
}

impl Web {
    /// Whether what is said is encrypted on its way to the browser, as far as is known.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some() || self.proxy
    }
}
