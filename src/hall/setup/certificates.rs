//! The certificates of a hall: a CA of its own, and the certificate of its message server.

use super::SetupError;
use super::authority::{Authority, IssuedCertificate, Purpose, Validity};
use super::code::Fingerprint;
use super::paths::{FOR_ARBITERS, HallFiles, SECRET};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// Creates the CA if there is none yet, and a new certificate of the server with these host names and addresses.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn create(files: &HallFiles, hall: &str, names: &[String]) -> Result<(), SetupError> {
    let authority = match HallFiles::read(&files.ca_key())? {
        Some(text) => Authority::from_key(&text, Purpose::Hall).map_err(|error| failed(files, "ca.key", &error))?,
        None => create_ca(files, hall)?,
    };
    let ca = read(files)?.ok_or_else(|| failed(files, "ca.pem", &"it is missing"))?;
    let IssuedCertificate { certificate, key } = authority
        .issue("touchmove hall", names, Validity::for_machines())
        .map_err(|error| failed(files, "the certificate of the server", &error))?;
    files.write(&files.server_key(), &key, SECRET)?;
    // The CA follows, so that a machine that joins can compare it with the fingerprint in its code.
    files.write(&files.server_certificate(), &format!("{certificate}{ca}"), FOR_ARBITERS)
}

/// Reads the certificate of the CA, as PEM; `None`: there is none.
///
/// # Errors
/// The file cannot be read.
pub fn read(files: &HallFiles) -> Result<Option<String>, SetupError> {
    HallFiles::read(&files.ca())
}

/// Returns the first certificate of a text in PEM.
///
/// # Errors
/// There is none. The message says why.
pub fn parse(pem: &str) -> Result<CertificateDer<'static>, String> {
    CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| error.to_string())
}

/// Returns the certificate of the CA of this hub.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn ca(files: &HallFiles) -> Result<CertificateDer<'static>, SetupError> {
    let pem = read(files)?.ok_or(SetupError::NoHall)?;
    parse(&pem).map_err(|error| failed(files, "ca.pem", &error))
}

/// Returns the fingerprint of a certificate in PEM; `None`: it is not one.
pub fn fingerprint(pem: &str) -> Option<Fingerprint> {
    parse(pem).ok().map(|certificate| Fingerprint::of(&certificate))
}

fn create_ca(files: &HallFiles, hall: &str) -> Result<Authority, SetupError> {
    let ca_failed = |error: rcgen::Error| failed(files, &format!("the CA of {hall}"), &error);
    let authority = Authority::generate(Purpose::Hall).map_err(ca_failed)?;
    files.write(&files.ca(), &authority.certificate().map_err(ca_failed)?, FOR_ARBITERS)?;
    files.write(&files.ca_key(), &authority.key(), SECRET)?;
    Ok(authority)
}

fn failed(files: &HallFiles, what: &str, reason: &dyn std::fmt::Display) -> SetupError {
    SetupError::Certificate { what: what.to_owned(), reason: reason.to_string(), dir: files.dir().to_owned() }
}
