//! The certificates of a hall: a CA of its own, and the certificate of its message server.
//!
//! They are valid from 2000 on, because a Raspberry Pi has no clock that runs without power: until it has found the time in the
//! network, it may be any date since its system was built.

use super::SetupError;
use super::code::Fingerprint;
use super::paths::{FOR_ARBITERS, HallFiles, SECRET};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// How long new certificates are valid, in years.
const YEARS: i32 = 10;

/// Creates the CA if there is none yet, and a new certificate of the server with these host names and addresses.
///
/// # Errors
/// A file cannot be read or written, or holds something else.
pub fn create(files: &HallFiles, hall: &str, names: &[String]) -> Result<(), SetupError> {
    let ca_key = match HallFiles::read(&files.ca_key())? {
        Some(text) => KeyPair::from_pem(&text).map_err(|error| failed(files, "ca.key", &error))?,
        None => create_ca(files, hall)?,
    };
    let ca = read(files)?.ok_or_else(|| failed(files, "ca.pem", &"it is missing"))?;
    let issuer = Issuer::new(ca_params(), ca_key);
    let server_failed = |error: rcgen::Error| failed(files, "the certificate of the server", &error);
    let key = KeyPair::generate().map_err(server_failed)?;
    let mut params = CertificateParams::new(names).map_err(server_failed)?;
    set_validity(&mut params);
    params.distinguished_name = name_of("touchmove hall");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let certificate = params.signed_by(&key, &issuer).map_err(server_failed)?;
    files.write(&files.server_key(), &key.serialize_pem(), SECRET)?;
    // The CA follows, so that a machine that joins can compare it with the fingerprint in its code.
    files.write(&files.server_certificate(), &format!("{}{ca}", certificate.pem()), FOR_ARBITERS)
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

fn create_ca(files: &HallFiles, hall: &str) -> Result<KeyPair, SetupError> {
    let ca_failed = |error: rcgen::Error| failed(files, &format!("the CA of {hall}"), &error);
    let key = KeyPair::generate().map_err(ca_failed)?;
    let certificate = ca_params().self_signed(&key).map_err(ca_failed)?;
    files.write(&files.ca(), &certificate.pem(), FOR_ARBITERS)?;
    files.write(&files.ca_key(), &key.serialize_pem(), SECRET)?;
    Ok(key)
}

/// The parameters of the CA. They are the same whenever it signs, because its name must be that of its certificate.
fn ca_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    set_validity(&mut params);
    params.distinguished_name = name_of("touchmove hall CA");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn set_validity(params: &mut CertificateParams) {
    let year = i32::from(Timestamp::now().to_zoned(TimeZone::UTC).year());
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(year + YEARS, 12, 31);
}

fn name_of(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}

fn failed(files: &HallFiles, what: &str, reason: &dyn std::fmt::Display) -> SetupError {
    SetupError::Certificate { what: what.to_owned(), reason: reason.to_string(), dir: files.dir().to_owned() }
}
