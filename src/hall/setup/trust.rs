//! Which message server a machine trusts: one whose certificate was signed by the CA of its hall.
//!
//! The name of the server is not compared with its certificate. The CA signs no other server, so a name would add nothing; and
//! the address of a hub changes with the network of the hall.

use super::code::Fingerprint;
use std::sync::Arc;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The CA that is trusted.
#[derive(Clone, Debug)]
pub enum TrustedCa {
    /// The one with this fingerprint, which the server must send. For a machine that joins.
    Fingerprint(Fingerprint),
    /// This certificate.
    Certificate(CertificateDer<'static>),
}

/// Returns the configuration of TLS for connections to the message server of a hall.
///
/// # Errors
/// The versions of TLS are not supported by the cryptographic library.
pub fn client_config(ca: TrustedCa) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier { ca, provider: Arc::clone(&provider) };
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Verifies that the certificates that a server sends lead to a CA, and are valid at a time.
///
/// # Errors
/// They do not, or are not.
fn verify(
    end_entity: &CertificateDer<'_>,
    intermediates: &[CertificateDer<'_>],
    ca: &CertificateDer<'_>,
    at: UnixTime,
    provider: &CryptoProvider,
) -> Result<(), Error> {
    let mut roots = RootCertStore::empty();
    roots.add(ca.clone().into_owned())?;
    let certificate = ParsedCertificate::try_from(end_entity)?;
    let algorithms = provider.signature_verification_algorithms.all;
    verify_server_cert_signed_by_trust_anchor(&certificate, &roots, intermediates, at, algorithms)
}

/// Verifies the certificates of a server, its own first, as a machine would at a time.
///
/// # Errors
/// A machine would refuse them.
pub fn verify_chain(chain: &[CertificateDer<'_>], ca: &CertificateDer<'_>, at: UnixTime) -> Result<(), Error> {
    let (end_entity, intermediates) = chain.split_first().ok_or(Error::InvalidCertificate(CertificateError::BadEncoding))?;
    verify(end_entity, intermediates, ca, at, &ring::default_provider())
}

#[derive(Debug)]
struct Verifier {
    ca: TrustedCa,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let ca = match &self.ca {
            TrustedCa::Certificate(certificate) => Some(certificate),
            TrustedCa::Fingerprint(known) => intermediates.iter().find(|sent| Fingerprint::of(sent) == *known),
        };
        let ca = ca.ok_or(Error::InvalidCertificate(CertificateError::UnknownIssuer))?;
        verify(end_entity, intermediates, ca, now, &self.provider)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
