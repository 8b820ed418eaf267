//! The connection to the NATS server of a hall. It is made again for ever.

mod endpoint;
mod failure;
pub mod store;

use super::message::MessageError;
use super::setup::certificates;
use super::setup::server::{OLDEST, Version};
use super::setup::trust::{TrustedCa, client_config};
use super::subject;
use async_nats::{Client, ConnectOptions, Event, HeaderMap, Message, ServerError, StatusCode};
use std::time::Duration;
use tokio::sync::watch;
use tracing::debug;

pub use endpoint::Endpoint;
pub use failure::{ConnectFailure, is_wrong_time, refused_certificate};

/// How long a request waits for its reply.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval at which a silent server is tested: two in a row without a reply end the connection.
const PING_INTERVAL: Duration = Duration::from_secs(5);
/// Longest pause before the connection is tried again.
const MAX_PAUSE_MS: u64 = 4_000;

/// The state of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Not connected, for this reason.
    Down(String),
    /// Connected. The number grows with every connection.
    Up(u64),
}

impl ConnectionState {
    /// Returns whether there is a connection.
    pub fn is_up(&self) -> bool {
        matches!(self, ConnectionState::Up(_))
    }
}

/// Reason why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Nobody listens.
    #[error("nobody answers at {0}")]
    NoResponders(String),
    /// The connection is down, or the reply did not come in time.
    #[error("no reply from the hall's server: {0}")]
    Failed(String),
    /// The reply has this version of the messages, which this touchmove does not know.
    #[error("the reply has version {0} of the messages, which this touchmove does not know")]
    LaterVersion(u32),
}

impl From<MessageError> for RequestError {
    fn from(error: MessageError) -> RequestError {
        match error {
            MessageError::Newer { found } => RequestError::LaterVersion(found),
            MessageError::Malformed(_) => RequestError::Failed(error.to_string()),
        }
    }
}

/// A connection, which is made again whenever it is lost.
#[derive(Clone)]
pub struct Connection {
    client: Client,
    state: watch::Receiver<ConnectionState>,
}

/// The header of a stored message that the server sends in reply to a direct get.
const COPY_HEADER: &str = "Nats-Stream";

/// Returns whether the server has sent a message here in reply to a request of somebody else. A client may name any subject for the
/// reply to a direct get of its own messages, so such a message may have any content.
pub fn is_copy(message: &Message) -> bool {
    message.headers.as_ref().is_some_and(is_copied)
}

/// As [`is_copy`], by the headers of the message.
pub fn is_copied(headers: &HeaderMap) -> bool {
    headers.get(COPY_HEADER).is_some()
}

/// A message that was requested.
pub struct Reply {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its content.
    pub payload: Vec<u8>,
}

impl Connection {
    /// Begins to connect. Returns at once, whether or not the server can be reached.
    ///
    /// # Errors
    /// The endpoint is not usable: a sentence.
    pub async fn open(endpoint: &Endpoint) -> Result<Connection, String> {
        let (options, state) = options(endpoint)?;
        let client =
            options.retry_on_initial_connect().connect(endpoint.url.as_str()).await.map_err(|error| error.to_string())?;
        Ok(Connection { client, state })
    }

    /// Connects, and returns when there is a connection. It is tried once.
    ///
    /// # Errors
    /// There is none.
    pub async fn open_once(endpoint: &Endpoint) -> Result<Connection, ConnectFailure> {
        let (options, mut state) = options(endpoint).map_err(ConnectFailure::Unusable)?;
        let connected = options.connection_timeout(REQUEST_TIMEOUT).connect(endpoint.url.as_str()).await;
        let client = connected.map_err(|error| ConnectFailure::new(&endpoint.url, &error))?;
        // The event may come a little later.
        let is_up = tokio::time::timeout(REQUEST_TIMEOUT, state.wait_for(ConnectionState::is_up))
            .await
            .is_ok_and(|state| state.is_ok());
        if !is_up {
            let reason = "the connection was lost".to_owned();
            return Err(ConnectFailure::Unreachable { url: endpoint.url.clone(), reason });
        }
        Ok(Connection { client, state })
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The state of the connection, and its changes.
    pub fn state(&self) -> watch::Receiver<ConnectionState> {
        self.state.clone()
    }

    /// Returns whether there is a connection now.
    pub fn is_up(&self) -> bool {
        self.state.borrow().is_up()
    }

    /// Returns why this server cannot be used, as a sentence that says what to do; `None`: it can.
    pub fn unusable(&self) -> Option<String> {
        let info = self.client.server_info();
        if Version::parse(&info.version).is_none_or(|version| version < OLDEST) {
            let found = &info.version;
            return Some(format!(
                "the hall's server is nats-server {found}, and {OLDEST} or later is needed: install the package nats-server of Debian \
                 12 or later at the hub"
            ));
        }
        (!info.jetstream).then(|| {
            "the hall's server has no JetStream: start touchmove-nats at the hub, which uses the configuration that \
             `touchmovectl hall init` writes"
                .to_owned()
        })
    }

    /// Sends a request, and waits for its reply.
    ///
    /// # Errors
    /// See [`RequestError`].
    pub async fn request(&self, subject: &str, headers: Option<HeaderMap>, payload: Vec<u8>) -> Result<Reply, RequestError> {
        if !self.is_up() {
            return Err(RequestError::Failed("it is not connected".to_owned()));
        }
        let subject = subject.to_owned();
        let request = async {
            match headers {
                Some(headers) => self.client.request_with_headers(subject.clone(), headers, payload.into()).await,
                None => self.client.request(subject.clone(), payload.into()).await,
            }
        };
        let (state, before) = (self.state.clone(), self.state.borrow().clone());
        let message = tokio::select! {
            message = request => message,
            // The reply to a request does not come over another connection.
            () = wait_for_loss(state, before) => return Err(RequestError::Failed("the connection was lost".to_owned())),
            // The client's own timeout does not cover a connection that does not accept the request.
            () = tokio::time::sleep(REQUEST_TIMEOUT + Duration::from_secs(1)) => {
                return Err(RequestError::Failed("it took too long".to_owned()));
            }
        };
        let message = match message {
            Ok(message) => message,
            Err(error) if error.kind() == async_nats::RequestErrorKind::NoResponders => {
                return Err(RequestError::NoResponders(subject));
            }
            Err(error) => return Err(RequestError::Failed(error.to_string())),
        };
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            return Err(RequestError::NoResponders(subject));
        }
        let is_not_found = message.status == Some(StatusCode::NOT_FOUND);
        let payload = if is_not_found { Vec::new() } else { message.payload.to_vec() };
        let mut headers = message.headers.unwrap_or_default();
        if is_not_found {
            headers = HeaderMap::new();
        }
        Ok(Reply { headers, payload })
    }

    /// Returns the last message of a subject in a stream, with its sequence number; `None`: there is none. The payload is empty if it
    /// is a copy, see [`is_copy`].
    ///
    /// # Errors
    /// See [`RequestError`]; no responders: there is no such stream.
    pub async fn last(&self, stream: &str, subject: &str) -> Result<Option<(u64, Reply)>, RequestError> {
        let mut reply = self.request(&subject::direct_get(stream, subject), None, Vec::new()).await?;
        // One is that of this reply; another one that of the message itself.
        if reply.headers.get_all(COPY_HEADER).count() > 1 {
            reply.payload.clear();
        }
        let sequence = reply.headers.get("Nats-Sequence").and_then(|sequence| sequence.as_str().parse().ok());
        Ok(sequence.map(|sequence| (sequence, reply)))
    }

    /// Publishes a message that need not arrive. Does nothing while there is no connection. Returns whether it was sent.
    pub async fn publish(&self, subject: String, payload: Vec<u8>) -> bool {
        if !self.is_up() {
            return false;
        }
        // A connection that accepts nothing must not delay what comes next; the state of the connection will say so.
        match tokio::time::timeout(Duration::from_secs(1), self.client.publish(subject, payload.into())).await {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => debug!("a message to the hall was not sent: {error}"),
            Err(_) => debug!("a message to the hall was not sent: the connection does not accept it"),
        }
        false
    }
}

/// Returns the options of the client, and the state that it reports.
///
/// # Errors
/// The endpoint is not usable: a sentence.
fn options(endpoint: &Endpoint) -> Result<(ConnectOptions, watch::Receiver<ConnectionState>), String> {
    let (sender, state) = watch::channel(ConnectionState::Down("not connected yet".to_owned()));
    let mut options = ConnectOptions::new()
        .name(format!("touchmove {} {}", endpoint.machine, env!("CARGO_PKG_VERSION")))
        .custom_inbox_prefix(subject::inbox(&endpoint.machine))
        .ignore_discovered_servers()
        .max_reconnects(None)
        .ping_interval(PING_INTERVAL)
        .request_timeout(Some(REQUEST_TIMEOUT))
        .reconnect_delay_callback(pause)
        .event_callback(move |event| {
            let sender = sender.clone();
            async move { note(&sender, &event) }
        });
    if let Some(ca) = &endpoint.ca {
        let unusable = |reason: String| format!("the certificate of its CA, {}, cannot be used ({reason})", ca.display());
        let pem = std::fs::read_to_string(ca).map_err(|error| unusable(error.to_string()))?;
        let certificate = certificates::parse(&pem).map_err(unusable)?;
        let config = client_config(TrustedCa::Certificate(certificate)).map_err(|error| unusable(error.to_string()))?;
        options = options.tls_client_config(config).require_tls(true);
    }
    if let Some(seed) = &endpoint.seed {
        options = options.nkey(seed.clone());
    }
    Ok((options, state))
}

/// Waits until there is another connection, or none.
async fn wait_for_loss(mut state: watch::Receiver<ConnectionState>, before: ConnectionState) {
    // If the sender is gone, so is the client.
    let _ = state.wait_for(|state| *state != before).await;
}

/// Returns the pause before the connection is tried again. It differs between machines, so that a thousand do not come at once.
fn pause(attempt: usize) -> Duration {
    let longest = MAX_PAUSE_MS.min(100_u64.saturating_mul(1 << attempt.min(10)));
    let mut random = [0; 2];
    // Without random bytes all pauses are the longest.
    let share =
        crate::daemon::random::fill(&mut random).map_or(u64::from(u16::MAX), |()| u64::from(u16::from_le_bytes(random)));
    Duration::from_millis(longest / 2 + longest * share / (2 * u64::from(u16::MAX)))
}

/// Notes a change of the connection.
fn note(state: &watch::Sender<ConnectionState>, event: &Event) {
    debug!("the connection to the hall's server: {event}");
    state.send_if_modified(|state| {
        let next = match (event, &*state) {
            // A lost connection may be reported after the next one.
            (Event::Connected, _) => ConnectionState::Up(next_number()),
            (Event::Disconnected | Event::Closed, _) => ConnectionState::Down("the connection was lost".to_owned()),
            (Event::ClientError(error), ConnectionState::Down(_)) => ConnectionState::Down(error.to_string()),
            (Event::ServerError(ServerError::AuthorizationViolation), ConnectionState::Down(_)) => {
                ConnectionState::Down("its server does not accept the key of this machine".to_owned())
            }
            (Event::ServerError(error), ConnectionState::Down(_)) => ConnectionState::Down(error.to_string()),
            _ => return false,
        };
        let is_change = *state != next;
        *state = next;
        is_change
    });
}

/// Returns a number that is larger than those of all earlier connections of this process.
fn next_number() -> u64 {
    static LAST: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    LAST.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ() {
        for attempt in [0, 1, 5, 63] {
            let longest = MAX_PAUSE_MS.min(100 << attempt.min(10));
            let pause = pause(attempt).as_millis() as u64;
            assert!((longest / 2..=longest).contains(&pause), "{attempt}: {pause}");
        }
    }
}
