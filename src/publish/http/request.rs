//! Outgoing HTTP requests: one connection for each request, with a timeout for the whole response.

use crate::config::url::{Url, is_local_network};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Connection timeout of each address of a host, so that an unreachable one does not use up the whole time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of a response, in bytes: that of Lichess about a hundred games is some 60 KB.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: Method,
    /// The path if it differs from the URL's.
    pub path: Option<String>,
    /// Headers besides `Host`, `User-Agent` and those of the body. Headers that HTTP does not allow are omitted.
    pub headers: Vec<(&'static str, String)>,
    /// The body, as plain text; empty for `GET`.
    pub text: String,
}

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status, such as 200.
    pub status: u16,
    /// How long to wait before the next request (`Retry-After`).
    pub retry_after: Option<Duration>,
    /// The body.
    pub text: String,
}

/// The reason why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The host name could not be resolved.
    #[error("the host name {0} cannot be resolved ({1}): check the network and the name servers of this machine")]
    UnresolvedName(String, std::io::Error),
    /// An `http` host is not in the local network.
    #[error("{0} is not on the local network, and http is allowed only there: use https")]
    NotLocal(String),
    /// The connection could not be established.
    #[error("{0} cannot be reached ({1}): check the network of this machine")]
    Unreachable(String, std::io::Error),
    /// This machine has no trusted root certificates.
    #[error("this machine trusts no certificate authority ({0}): install ca-certificates")]
    NoTrustedRoots(String),
    /// The server's certificate could not be verified.
    #[error("{0} cannot prove its identity ({1}): check the clock of this machine, and which server answers instead")]
    UnverifiedServer(String, std::io::Error),
    /// The connection broke.
    #[error("the connection to {0} broke ({1})")]
    ConnectionBroken(String, String),
    /// The response did not arrive in time.
    #[error("{0} did not answer within {n} s", n = .1.as_secs_f32())]
    TimedOut(String, Duration),
}

/// Sends a request and waits for the whole response, at most for `timeout`.
///
/// # Errors
/// There is no response; it is then unknown whether the server processed the request.
pub async fn send(url: &Url, request: Request, timeout: Duration) -> Result<Response, RequestError> {
    let timed_out = |_| Err(RequestError::TimedOut(url.host().to_owned(), timeout));
    tokio::time::timeout(timeout, connect(url, request)).await.unwrap_or_else(timed_out)
}

async fn connect(url: &Url, request: Request) -> Result<Response, RequestError> {
    let addresses = lookup_host((url.host(), url.port()))
        .await
        .map_err(|error| RequestError::UnresolvedName(url.host().to_owned(), error))?;
    let mut last_error = std::io::Error::other("it has no address");
    let mut all_remote = true;
    for address in addresses.filter(|address: &SocketAddr| url.uses_tls() || is_local_network(address.ip())) {
        all_remote = false;
        let timed_out = |_| Err(std::io::ErrorKind::TimedOut.into());
        match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await.unwrap_or_else(timed_out) {
            Ok(stream) => return send_over_stream(url, stream, request).await,
            Err(error) => last_error = error,
        }
    }
    let host = url.host().to_owned();
    Err(if all_remote && !url.uses_tls() { RequestError::NotLocal(host) } else { RequestError::Unreachable(host, last_error) })
}

async fn send_over_stream(url: &Url, stream: TcpStream, request: Request) -> Result<Response, RequestError> {
    // Disable Nagle's algorithm, so that the last bytes of the request are sent at once.
    let _ = stream.set_nodelay(true);
    if !url.uses_tls() {
        return exchange(url, stream, request).await;
    }
    let tls_error = |error: std::io::Error| match error.kind() {
        // rustls reports TLS errors by these kinds; all others are network errors.
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::Other => {
            RequestError::UnverifiedServer(url.host().to_owned(), error)
        }
        _ => RequestError::ConnectionBroken(url.host().to_owned(), error.to_string()),
    };
    let name = ServerName::try_from(url.host().to_owned()).map_err(|error| tls_error(std::io::Error::other(error)))?;
    let stream = TlsConnector::from(tls_client_config()?).connect(name, stream).await.map_err(tls_error)?;
    exchange(url, stream, request).await
}

async fn exchange(
    url: &Url,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request,
) -> Result<Response, RequestError> {
    let connection_broken =
        |error: &dyn std::fmt::Display| RequestError::ConnectionBroken(url.host().to_owned(), error.to_string());
    let request = build_request(url, request).ok_or_else(|| connection_broken(&"its address is invalid"))?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| connection_broken(&error))?;
    // The connection is driven in this task and ends with the response.
    let mut connection = std::pin::pin!(connection);
    let mut response = std::pin::pin!(async {
        let response = sender.send_request(request).await.map_err(|error| connection_broken(&error))?;
        let status = response.status();
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| parse_retry_after(value.to_str().ok()?, SystemTime::now()));
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES)
            .collect()
            .await
            .map_err(|error| connection_broken(&error))?;
        let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        Ok(Response { status: StatusCode::as_u16(&status), retry_after, text })
    });
    tokio::select! {
        response = &mut response => return response,
        // The complete response may have been received before the server closed the connection.
        _ = &mut connection => {}
    }
    response.await
}

fn build_request(url: &Url, request: Request) -> Option<hyper::Request<Full<Bytes>>> {
    let path = request.path.as_deref().unwrap_or(url.path());
    let mut built = hyper::Request::builder()
        .method(request.method)
        .uri(path)
        .header(HOST, url.authority())
        .header(USER_AGENT, concat!("touchmove/", env!("CARGO_PKG_VERSION"), " (", env!("CARGO_PKG_REPOSITORY"), ")"))
        .header(CONNECTION, "close")
        .header(CONTENT_TYPE, "text/plain; charset=utf-8");
    for (name, value) in &request.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(*name), HeaderValue::from_str(value)) {
            built = built.header(name, value);
        }
    }
    built.body(Full::new(Bytes::from(request.text))).ok()
}

/// Parses `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(value.trim()).ok()?.timestamp();
    SystemTime::from(at).duration_since(now).ok()
}

/// Returns the TLS configuration with the system's root certificates, which are loaded once.
fn tls_client_config() -> Result<Arc<ClientConfig>, RequestError> {
    static TRUST: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = TRUST.get() {
        return Ok(Arc::clone(config));
    }
    let loaded = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Some of the system's certificates may be unparsable; they are skipped.
    let (added, _) = roots.add_parsable_certificates(loaded.certs);
    if added == 0 {
        let errors: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
        return Err(RequestError::NoTrustedRoots(errors.join("; ")));
    }
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::clone(TRUST.get_or_init(|| Arc::new(config))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_time_of_day() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777 - 60);
        let check = |value: &str, expect: Option<u64>| {
            assert_eq!(parse_retry_after(value, now), expect.map(Duration::from_secs), "{value}")
        };
        check("7", Some(7));
        check(" 120 ", Some(120));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", None);
        check("soon", None);
        check("-3", None);
    }
}
