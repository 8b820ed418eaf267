//! TLS for the servers: a certificate and its key from two files, which are reloaded when they change.
//!
//! A renewed certificate takes effect with the next connection. While the files cannot be read, or do not match because only one
//! was written yet, the previous certificate stays in use.

use crate::config::web::Tls as Files;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tracing::{info, warn};

/// The application protocol (ALPN).
const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate that is reloaded when its files change.
pub struct Certificate {
    files: Files,
    current: Mutex<(ModificationTimes, TlsAcceptor)>,
}

/// The modification times of both files.
type ModificationTimes = [Option<SystemTime>; 2];

impl Certificate {
    /// Loads the certificate from these files.
    ///
    /// # Errors
    /// Returns a sentence that says what to do.
    pub fn load(files: &Files) -> Result<Certificate, String> {
        let stamp = modification_times(files);
        Ok(Certificate { files: files.clone(), current: Mutex::new((stamp, load_acceptor(files)?)) })
    }

    /// Returns the acceptor for a new connection, after reloading changed files.
    pub fn acceptor(&self) -> TlsAcceptor {
        let mut known = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = modification_times(&self.files);
        if known.0 != stamp {
            known.0 = stamp;
            match load_acceptor(&self.files) {
                Ok(acceptor) => {
                    info!("the certificate in {} was read again", self.files.cert.display());
                    known.1 = acceptor;
                }
                Err(why) => warn!("the certificate before it holds: {why}"),
            }
        }
        known.1.clone()
    }
}

fn modification_times(Files { cert, key }: &Files) -> ModificationTimes {
    [cert, key].map(|path| fs::metadata(path).and_then(|file| file.modified()).ok())
}

fn load_acceptor(Files { cert, key }: &Files) -> Result<TlsAcceptor, String> {
    let unreadable = |path: &std::path::Path, why: &dyn std::fmt::Display| {
        format!("{} cannot be used ({why}): write it as PEM, and let the user of the service read it", path.display())
    };
    let chain = CertificateDer::pem_file_iter(cert).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|why| unreadable(cert, &why))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| unreadable(key, &why))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret));
    let mut config =
        config.map_err(|why| format!("{} and {} are no certificate with its key ({why})", cert.display(), key.display()))?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
