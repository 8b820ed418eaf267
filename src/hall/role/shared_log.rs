//! The stream that the hubs share: the lease of the role, and the copy of the hub that has it.
//!
//! **Invariant:** each message must follow the last one of the whole stream. So the server refuses whatever a hub sends after another one
//! has taken the role, however late it arrives.

use super::lease::Lease;
use crate::hall::connection::Connection;
use crate::hall::connection::store::{Stored, store_last};
use crate::hall::message::{MAX_BYTES, from_json};
use crate::hall::subject::{ALL_OF_HUB, HUB_STREAM, LEASE};
use async_nats::HeaderMap;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
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
    /// The lease, with its sequence number.
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
        let payload = plain(message.headers.as_ref(), &message.payload).map_err(|error| failed(error.to_string()))?;
        found.insert(message.subject.to_string(), payload);
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
        Ok(message) => plain(Some(&message.headers), &message.payload).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(format!("the copy of the hub cannot be read: {error}")),
    }
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
    /// The sequence number of the last message; `None`: it must be read again.
    last: Option<u64>,
}

impl SharedLog {
    /// `last`: the sequence number of the last message of the stream when `lease` could be taken or was read.
    pub(super) fn new(connection: Connection, lease: Lease, last: u64) -> SharedLog {
        SharedLog { connection, lease, last: Some(last) }
    }

    /// Stores a message.
    ///
    /// # Errors
    /// See [`LogError`]. After [`LogError::Failed`] it may have been stored.
    pub(super) async fn append(&mut self, subject: &str, payload: Vec<u8>) -> Result<(), LogError> {
        let (headers, payload) = encoded(payload);
        if payload.len() > MAX_BYTES - MAX_HEADER_BYTES {
            return Err(LogError::TooLarge);
        }
        for _ in 0..2 {
            let last = match self.last {
                Some(last) => last,
                None => self.find_end().await?,
            };
            self.last = None;
            match store_last(&self.connection, subject, headers.clone(), payload.clone(), last).await {
                Ok(Stored::At(sequence)) => {
                    self.last = Some(sequence);
                    return Ok(());
                }
                // The answer to an earlier message was lost, or another hub has taken the role.
                Ok(Stored::NotNext) => {}
                Ok(Stored::Refused(_, reason)) => return Err(LogError::Failed(reason)),
                Err(error) => return Err(LogError::Failed(error.to_string())),
            }
        }
        Err(LogError::Failed("somebody else writes to the hub's stream".to_owned()))
    }

    /// Returns the sequence number of the last message, if this hub still has the role.
    async fn find_end(&self) -> Result<u64, LogError> {
        let StreamState { last, lease } = read_state(&self.connection).await.map_err(LogError::Failed)?;
        match lease {
            Some((_, lease)) if (&lease.hub, lease.term) == (&self.lease.hub, self.lease.term) => Ok(last),
            Some((_, lease)) => Err(LogError::Lost(lease)),
            None => Err(LogError::Failed("the hall's server has lost the lease of the hub's role".to_owned())),
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
            assert_eq!(plain(Some(&headers), &sent).ok(), Some(payload));
        }
    }
}
