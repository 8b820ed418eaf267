//! Configuration of the web page: see `publish::web`.

use super::livechess::Site;
use std::net::SocketAddr;
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
}

impl Web {
    /// Returns whether connections to browsers are encrypted, as far as is known.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some() || self.proxy
    }
}
