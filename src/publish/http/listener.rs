//! Listens at an address for a front-end and serves the clients that are admitted, over TLS if there is a certificate.
//!
//! **Invariant:** only the task that serves a client waits for it, and only until a timeout: a client that sends no request, or does
//! not read its data, is disconnected.

use super::admission::{AdmittedClient, ConnectionLimits, EvictionPolicy, Permits};
use super::tls::Certificate;
use crate::config::clients::Clients;
use crate::names;
use axum::Router;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

/// Timeout for the TLS handshake and for the head of each request on a connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// Pause before binding is retried, and before accepting is retried after an error (e.g. no more file descriptors).
const RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum time for which a client may read nothing of what it was sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum size of a request's head, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// One front-end may use at most 1/`FILE_LIMIT_DIVISOR` of the files that the process may open as connections: boards and the
/// journal need the rest.
const FILE_LIMIT_DIVISOR: u64 = 4;

/// Returns what to do about an address that cannot be bound for this reason: `in_use_hint`, unless the service manager or missing
/// privileges prevent it.
pub(crate) fn bind_failure_hint(error: &io::Error, in_use_hint: &str) -> String {
    match error.raw_os_error() {
        // EPERM from SocketBindDeny=; EAFNOSUPPORT from RestrictAddressFamilies= (systemd.exec(5), systemd.resource-control(5)).
        Some(1 | 97) => {
            format!(
                "systemd does not allow the service to listen there: if {} says so, run `sudo systemctl daemon-reload` and \
                 `sudo systemctl restart touchmoved`, unless a {} of your own in /etc/systemd/system/touchmoved.service.d decides",
                names::SERVICE_CONFIG,
                crate::config::unit::LISTEN_DROP_IN
            )
        }
        // EACCES: a port below 1024.
        Some(13) => "only root may use ports below 1024: choose a higher port".to_owned(),
        _ => in_use_hint.to_owned(),
    }
}

/// A listening front-end.
pub(crate) struct Listener {
    /// The address to bind.
    pub address: SocketAddr,
    /// The networks whose clients are served. systemd cannot decide it alone: `IPAddressAllow=any`, which sending needs, lets all in.
    pub clients: Clients,
    /// The connection limits.
    pub limits: ConnectionLimits,
    /// The log's word for the clients, such as "browsers".
    pub client_noun: &'static str,
    /// The TLS certificate; `None`: without TLS.
    pub certificate: Option<Certificate>,
}

impl Listener {
    /// Serves clients until the future is dropped. Binding is retried if it fails; `report_outcome` is called with the result of
    /// each attempt.
    pub(crate) async fn serve(&self, router: Router, report_outcome: impl Fn(Result<SocketAddr, io::Error>)) {
        let listener = self.listen(report_outcome).await;
        let limits = ConnectionLimits { total: self.limits.total.min(max_connections()), ..self.limits };
        let permits = Permits::new(limits, self.client_noun);
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                // The client disconnected before it was accepted.
                Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => {
                    continue;
                }
                Err(error) => {
                    // Possibly there are no more file descriptors.
                    warn!("{} cannot connect now ({error}); touchmove tries again", self.client_noun);
                    sleep(RETRY_INTERVAL).await;
                    continue;
                }
            };
            if !self.clients.contains(peer.ip()) {
                debug!("the connection of {peer} was closed: it is from none of the networks whose clients are served");
                continue;
            }
            if let Some(client) = permits.admit(peer) {
                let acceptor = self.certificate.as_ref().map(Certificate::acceptor);
                tokio::spawn(serve(stream, acceptor, client, router.clone()));
            }
        }
    }

    async fn listen(&self, report_outcome: impl Fn(Result<SocketAddr, io::Error>)) -> TcpListener {
        loop {
            let bound = TcpListener::bind(self.address).await.and_then(|listener| Ok((listener.local_addr()?, listener)));
            match bound {
                Ok((address, listener)) => {
                    report_outcome(Ok(address));
                    return listener;
                }
                Err(error) => report_outcome(Err(error)),
            }
            sleep(RETRY_INTERVAL).await;
        }
    }
}

/// Returns how many connections a front-end may have, given how many files the process may open.
fn max_connections() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / FILE_LIMIT_DIVISOR).unwrap_or(usize::MAX).max(1)
}

async fn serve(stream: TcpStream, acceptor: Option<TlsAcceptor>, client: AdmittedClient, router: Router) {
    // Messages are small, and the client waits for each.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutWriter::new(stream);
    stream.set_timeout(Some(WRITE_TIMEOUT));
    let stream = Box::pin(stream);
    let service = ConnectionService { router: TowerToHyperService::new(router), client: client.clone() };
    let session = async {
        match acceptor {
            None => serve_http(stream, service).await,
            Some(acceptor) => match timeout(REQUEST_TIMEOUT, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => serve_http(stream, service).await,
                Ok(Err(error)) => debug!("the TLS handshake with {} failed: {error}", client.peer()),
                Err(_) => debug!("the TLS handshake with {} timed out", client.peer()),
            },
        }
    };
    tokio::select! {
        () = session => {}
        () = client.evicted() => debug!("the connection of {} was evicted", client.peer()),
    }
}

async fn serve_http(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, service: ConnectionService) {
    let peer = service.client.peer();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service).with_upgrades().await {
        debug!("the connection of {peer} ended: {error}");
    }
}

/// The HTTP service of one connection.
struct ConnectionService {
    router: TowerToHyperService<Router>,
    client: AdmittedClient,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Self::Error>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.client.clone());
        let guard = self.client.start_serving(EvictionPolicy::Keep);
        let response = self.router.call(request);
        Box::pin(async move {
            let _guard = guard;
            response.await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bind_failure_hint_names_the_obstacle() {
        let hint = |code| bind_failure_hint(&io::Error::from_raw_os_error(code), "end the other program");
        // EADDRINUSE
        assert_eq!(hint(98), "end the other program");
        for code in [1, 97] {
            assert!(hint(code).contains("systemctl daemon-reload") && hint(code).contains("listen.conf"), "{}", hint(code));
        }
        assert!(hint(13).contains("choose a higher port"));
    }
}
