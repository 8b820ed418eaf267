//! Why a connection to the message server of a hall could not be made.

use async_nats::{ConnectError, ConnectErrorKind};
use std::error::Error;
use std::io;
use tokio_rustls::rustls::{self, CertificateError};

/// The reason; the message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectFailure {
    /// The name of the server has no address.
    #[error(
        "the name of the hub in {0} is not known in this network: check the network and the name, or use the address of the hub with \
         `sudo touchmovectl config set hall.hub tls://ADDRESS`"
    )]
    Unresolved(String),
    /// Nothing listens at the port.
    #[error(
        "{0} refuses the connection: check the address, and that `systemctl status touchmove-nats` at the hub says running"
    )]
    Refused(String),
    /// Nothing answers.
    #[error("{url} cannot be reached ({reason}): check the address, the cable, and that no firewall drops the port")]
    Unreachable {
        /// The URL of the server.
        url: String,
        /// The error of the system.
        reason: String,
    },
    /// The certificate of the server is not valid at this time.
    #[error(
        "the certificate of {0} is not valid today: check `date` on this machine; if that is right, run `sudo touchmovectl hall init` \
         at the hub with the name of the event, which makes a new one"
    )]
    Expired(String),
    /// The certificate of the server is not from the CA of the hall.
    #[error(
        "the certificate of {0} is not from the CA of this hall: check the address; if the hub was set up anew, run \
         `sudo touchmovectl hall add` there, and join again"
    )]
    WrongCertificate(String),
    /// The server does not accept the key of this machine.
    #[error(
        "{0} does not accept the key of this machine, which was removed or replaced there: run `sudo touchmovectl hall add` at the \
         hub, and join again"
    )]
    KeyRefused(String),
    /// The files of this machine cannot be used.
    #[error("{0}: run `sudo touchmovectl hall add` at the hub, and join again")]
    Unusable(String),
}

impl ConnectFailure {
    /// Returns what an error of the client means. `url`: the URL of the server.
    pub fn new(url: &str, error: &ConnectError) -> ConnectFailure {
        let url = url.to_owned();
        match (error.kind(), refused_certificate(error)) {
            (_, Some(certificate)) if is_wrong_time(&certificate) => ConnectFailure::Expired(url),
            (_, Some(_)) => ConnectFailure::WrongCertificate(url),
            (ConnectErrorKind::Dns, _) => ConnectFailure::Unresolved(url),
            (ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation, _) => ConnectFailure::KeyRefused(url),
            _ if is_refused_connection(error) => ConnectFailure::Refused(url),
            _ => ConnectFailure::Unreachable { url, reason: error.to_string() },
        }
    }
}

/// Returns why the certificate of the server was refused; `None`: it was not. The client library reports that as an I/O error.
pub fn refused_certificate(error: &ConnectError) -> Option<CertificateError> {
    io_errors(error).find_map(|error| match error.get_ref()?.downcast_ref() {
        Some(rustls::Error::InvalidCertificate(reason)) => Some(reason.clone()),
        _ => None,
    })
}

/// Returns whether a certificate was refused because of the time.
pub fn is_wrong_time(reason: &CertificateError) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    matches!(reason, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
}

fn is_refused_connection(error: &ConnectError) -> bool {
    io_errors(error).any(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Returns the I/O errors among the causes of an error.
fn io_errors(error: &ConnectError) -> impl Iterator<Item = &io::Error> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&error| error.source()).filter_map(|error| error.downcast_ref::<io::Error>())
}
