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
pub(crate) struct Certificate {
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
    pub(crate) fn load(files: &Files) -> Result<Certificate, String> {
        let modified = modification_times(files);
        Ok(Certificate { files: files.clone(), current: Mutex::new((modified, load_acceptor(files)?)) })
    }

    /// Returns the acceptor for a new connection, after reloading changed files.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let modified = modification_times(&self.files);
        if current.0 != modified {
            current.0 = modified;
            match load_acceptor(&self.files) {
                Ok(acceptor) => {
                    info!("the certificate in {} was reloaded", self.files.cert.display());
                    current.1 = acceptor;
                }
                Err(error) => warn!("the previous certificate stays in use: {error}"),
            }
        }
        current.1.clone()
    }
}

fn modification_times(Files { cert, key, .. }: &Files) -> ModificationTimes {
    [cert, key].map(|path| fs::metadata(path).and_then(|file| file.modified()).ok())
}

fn load_acceptor(Files { cert, key, .. }: &Files) -> Result<TlsAcceptor, String> {
    let unusable = |path: &std::path::Path, error: &dyn std::fmt::Display| {
        format!("{} cannot be used ({error}): it must be PEM that the user of the service can read", path.display())
    };
    let chain = CertificateDer::pem_file_iter(cert).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| unusable(cert, &error))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret));
    let mut config = config
        .map_err(|error| format!("{} and {} are not a certificate and its key ({error})", cert.display(), key.display()))?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
