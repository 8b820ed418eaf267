//! The stream that the hubs share: the lease of the role, and the copy of the hub that has it.
//!
//! **Invariant:** each message must follow the last one of the whole stream. So the server refuses whatever a hub sends after another one
//! has taken the role, however late it arrives.
//!
//! A machine may name any subject for the replies of the server to its own messages, also one of this stream. So a message counts only
//! with the header of a hub, and if it is no copy that the server has sent.

use super::lease::Lease;
use crate::hall::connection::store::{Stored, store_last};
use crate::hall::connection::{Connection, is_copied};
use crate::hall::message::{MAX_BYTES, from_json};
use crate::hall::subject::{ALL_OF_HUB, HUB_STREAM, LEASE};
use async_nats::HeaderMap;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, StorageType, Stream};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::time::Duration;
use tokio::time::timeout;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The header of every message of a hub: its version. The server's acknowledgements have none.
const VERSION_HEADER: (&str, &str) = ("Tm-V", "1");
/// The header of a compressed message.
const ENCODING: &str = "Content-Encoding";
/// The length from which on messages are compressed, in bytes.
const COMPRESS_FROM: usize = 16 * 1024;
/// Largest length of a message before it was compressed, in bytes.
const MAX_PLAIN_BYTES: u64 = 64 << 20;
/// Largest length of the headers of a message, in bytes.
const MAX_HEADER_BYTES: usize = 1024;

/// The reason why something was not stored.
#[derive(Debug)]
pub(super) enum LogError {
    /// Another hub has the role.
    Lost(Lease),
    /// It is too large.
    TooLarge,
    /// The server does not answer, or refuses it; a sentence.
    Failed(String),
}

/// The state of the stream.
pub(super) struct StreamState {
    /// The sequence number of its last message; 0: there was none.
    pub(super) last: u64,
    /// The lease, with its sequence number; `None`: there is none, or the server has stored something else in its place.
    pub(super) lease: Option<(u64, Lease)>,
}

/// Creates the stream if it is missing, and returns it with its state.
///
/// # Errors
/// The server does not answer, or refuses it; a sentence.
async fn open(connection: &Connection) -> Result<Stream, String> {
    let config = Config {
        name: HUB_STREAM.to_owned(),
        subjects: vec![ALL_OF_HUB.to_owned()],
        storage: StorageType::File,
        discard: DiscardPolicy::New,
        max_messages_per_subject: 1,
        deny_delete: true,
        num_replicas: 1,
        ..Config::default()
    };
    let mut context = async_nats::jetstream::new(connection.client().clone());
    context.set_timeout(PATIENCE);
    let created = timeout(PATIENCE, context.get_or_create_stream(config)).await;
    let created = created.map_err(|_| "the hall's server does not answer".to_owned())?;
    created.map_err(|error| format!("the hall's server cannot store the copy of the hub ({error})"))
}

/// Reads the lease, if other hubs have created the stream.
///
/// # Errors
/// As [`read_state`].
pub(super) async fn read_lease(connection: &Connection) -> Result<Option<Lease>, String> {
    let mut context = async_nats::jetstream::new(connection.client().clone());
    context.set_timeout(PATIENCE);
    match context.get_stream(HUB_STREAM).await {
        Ok(_) => Ok(read_state(connection).await?.lease.map(|(_, lease)| lease)),
        Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND) => {
            Ok(None)
        }
        Err(error) => Err(format!("the hall's server does not say whether it has a copy of another hub ({error})")),
    }
}

/// Reads the state of the stream.
///
/// # Errors
/// The server does not answer, or the lease is that of a later version; a sentence.
pub(super) async fn read_state(connection: &Connection) -> Result<StreamState, String> {
    // If the lease changes after the number was read, the next message is refused.
    let stream = open(connection).await?;
    let last = stream.cached_info().state.last_sequence;
    // Answered by the leader of a cluster, other than a direct get.
    let read = timeout(PATIENCE, stream.get_last_raw_message_by_subject(LEASE)).await;
    let lease = match read.map_err(|_| "the hall's server does not answer".to_owned())? {
        Ok(message) if !is_of_hub(Some(&message.headers)) => None,
        Ok(message) => {
            let lease = from_json(&message.payload).map_err(|error| format!("the lease of the hub's role: {error}"))?;
            Some((message.sequence, lease))
        }
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => None,
        Err(error) => return Err(format!("the lease of the hub's role cannot be read: {error}")),
    };
    Ok(StreamState { last, lease })
}

/// Reads the last message of each subject, with its content as it was before it was compressed.
///
/// # Errors
/// The server does not answer; a sentence.
pub(super) async fn read_all(connection: &Connection) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |error: String| format!("the copy of the hub cannot be read: {error}");
    let stream = open(connection).await?;
    let mut found = BTreeMap::new();
    if stream.cached_info().state.messages == 0 {
        return Ok(found);
    }
    let config = OrderedConfig { deliver_policy: DeliverPolicy::All, ..OrderedConfig::default() };
    let consumer = stream.create_consumer(config).await.map_err(|error| failed(error.to_string()))?;
    let mut messages = consumer.messages().await.map_err(|error| failed(error.to_string()))?;
    loop {
        let next = timeout(PATIENCE, messages.next()).await.map_err(|_| failed("it takes too long".to_owned()))?;
        let message = next.ok_or_else(|| failed("it ended".to_owned()))?.map_err(|error| failed(error.to_string()))?;
        let pending = message.info().map_err(|error| failed(error.to_string()))?.pending;
        if is_of_hub(message.headers.as_ref()) {
            let payload = plain(message.headers.as_ref(), &message.payload).map_err(|error| failed(error.to_string()))?;
            found.insert(message.subject.to_string(), payload);
        }
        if pending == 0 {
            return Ok(found);
        }
    }
}

/// Reads the last message of a subject; `None`: there is none.
///
/// # Errors
/// The server does not answer; a sentence.
pub(super) async fn read_one(connection: &Connection, subject: &str) -> Result<Option<Vec<u8>>, String> {
    let stream = open(connection).await?;
    let read = timeout(PATIENCE, stream.get_last_raw_message_by_subject(subject)).await;
    match read.map_err(|_| "the hall's server does not answer".to_owned())? {
        Ok(message) if !is_of_hub(Some(&message.headers)) => Ok(None),
        Ok(message) => plain(Some(&message.headers), &message.payload).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(format!("the copy of the hub cannot be read: {error}")),
    }
}

/// Returns whether a hub has sent the message with these headers.
fn is_of_hub(headers: Option<&HeaderMap>) -> bool {
    headers.is_some_and(|headers| headers.get(VERSION_HEADER.0).is_some() && !is_copied(headers))
}

/// Returns the content of a message as it was before it was compressed.
fn plain(headers: Option<&HeaderMap>, payload: &[u8]) -> std::io::Result<Vec<u8>> {
    if headers.is_none_or(|headers| headers.get(ENCODING).is_none()) {
        return Ok(payload.to_vec());
    }
    let mut plain = Vec::new();
    GzDecoder::new(payload).take(MAX_PLAIN_BYTES).read_to_end(&mut plain)?;
    Ok(plain)
}

/// Compresses the content of a large message. Returns it with its headers.
fn encoded(payload: Vec<u8>) -> (HeaderMap, Vec<u8>) {
    let mut headers = HeaderMap::new();
    headers.insert(VERSION_HEADER.0, VERSION_HEADER.1);
    if payload.len() < COMPRESS_FROM {
        return (headers, payload);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    match encoder.write_all(&payload).and_then(|()| encoder.finish()) {
        Ok(compressed) => {
            headers.insert(ENCODING, "gzip");
            (headers, compressed)
        }
        // Writing to memory does not fail.
        Err(_) => (headers, payload),
    }
}

/// The end of the stream, for the hub that has the role.
pub(super) struct SharedLog {
    connection: Connection,
    /// The lease of this hub.
    pub(super) lease: Lease,
    /// The sequence number of the last message.
    last: u64,
}

impl SharedLog {
    /// `last`: the sequence number of the last message of the stream when `lease` could be taken or was read.
    pub(super) fn new(connection: Connection, lease: Lease, last: u64) -> SharedLog {
        SharedLog { connection, lease, last }
    }

    /// Stores a message.
    ///
    /// # Errors
    /// See [`LogError`]. After [`LogError::Failed`] it may have been stored, and the stream must be read again.
    pub(super) async fn append(&mut self, subject: &str, payload: Vec<u8>) -> Result<(), LogError> {
        let (headers, payload) = encoded(payload);
        if payload.len() > MAX_BYTES - MAX_HEADER_BYTES {
            return Err(LogError::TooLarge);
        }
        match store_last(&self.connection, subject, headers, payload, self.last).await {
            Ok(Stored::At(sequence)) => {
                self.last = sequence;
                Ok(())
            }
            Ok(Stored::NotNext) => Err(self.find_reason().await),
            Ok(Stored::Refused(_, reason)) => Err(LogError::Failed(reason)),
            Err(error) => Err(LogError::Failed(error.to_string())),
        }
    }

    /// Returns why a message does not follow the last one of the stream.
    async fn find_reason(&self) -> LogError {
        match read_state(&self.connection).await {
            Ok(StreamState { lease: Some((_, lease)), .. })
                if (&lease.hub, lease.term) != (&self.lease.hub, self.lease.term) =>
            {
                LogError::Lost(lease)
            }
            // The answer to an earlier message was lost, or the server has stored a reply to a machine: everything is read again.
            Ok(_) => LogError::Failed("the hub's stream has other messages than expected".to_owned()),
            Err(reason) => LogError::Failed(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_messages_are_compressed() {
        for length in [0, 10, COMPRESS_FROM, 1 << 20] {
            let payload = b"pairing ".repeat(length / 8);
            let (headers, sent) = encoded(payload.clone());
            assert!(sent.len() <= COMPRESS_FROM);
            assert!(is_of_hub(Some(&headers)));
            assert_eq!(plain(Some(&headers), &sent).ok(), Some(payload));
        }
    }

    #[test]
    fn what_the_server_has_sent_to_a_machine_does_not_count() {
        let acknowledgement = HeaderMap::new();
        let (mut copy, _) = encoded(Vec::new());
        copy.insert("Nats-Stream", "KV_TM_HERE");
        assert!(!is_of_hub(None) && !is_of_hub(Some(&acknowledgement)) && !is_of_hub(Some(&copy)));
    }
}
