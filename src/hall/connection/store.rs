//! Storing a message in a stream, if it follows the one that the sender knows.

use super::{Connection, RequestError};
use async_nats::HeaderMap;
use serde::Deserialize;

/// The error codes of the server if a message does not follow the last one (wrong last sequence). Clusters since 2.12 have the
/// second, too.
const WRONG_LAST_SEQUENCE: [u64; 2] = [10_071, 10_164];

/// The header with the sequence number of the last message that the subject must have.
const EXPECTED_OF_SUBJECT: &str = "Nats-Expected-Last-Subject-Sequence";
/// The header with the sequence number of the last message that the stream must have.
const EXPECTED_OF_STREAM: &str = "Nats-Expected-Last-Sequence";

/// The server's answer to a message for a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Acknowledgement {
    seq: u64,
    error: Option<StreamError>,
}

/// Why the server did not store a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StreamError {
    err_code: u64,
    description: String,
}

/// What became of a message for a stream.
#[derive(Debug)]
pub enum Stored {
    /// It was stored with this sequence number.
    At(u64),
    /// It does not follow the last message of its subject or stream.
    NotNext,
    /// It was not stored: the error code of the server, and the reason.
    Refused(u64, String),
}

/// Sends a message for a stream, which must follow the message of this sequence number on its subject (0: none).
///
/// # Errors
/// See [`RequestError`]; it may have been stored.
pub async fn store(
    connection: &Connection,
    subject: &str,
    headers: HeaderMap,
    payload: Vec<u8>,
    follows: u64,
) -> Result<Stored, RequestError> {
    send(connection, subject, headers, payload, (EXPECTED_OF_SUBJECT, follows)).await
}

/// Sends a message for a stream whose last message must have this sequence number (0: none).
///
/// # Errors
/// See [`RequestError`]; it may have been stored.
pub async fn store_last(
    connection: &Connection,
    subject: &str,
    headers: HeaderMap,
    payload: Vec<u8>,
    follows: u64,
) -> Result<Stored, RequestError> {
    send(connection, subject, headers, payload, (EXPECTED_OF_STREAM, follows)).await
}

async fn send(
    connection: &Connection,
    subject: &str,
    mut headers: HeaderMap,
    payload: Vec<u8>,
    (expectation, follows): (&str, u64),
) -> Result<Stored, RequestError> {
    headers.insert(expectation, follows.to_string());
    let reply = connection.request(subject, Some(headers), payload).await?;
    let acknowledgement: Acknowledgement =
        serde_json::from_slice(&reply.payload).map_err(|error| RequestError::Failed(error.to_string()))?;
    Ok(match acknowledgement.error {
        None => Stored::At(acknowledgement.seq),
        Some(error) if WRONG_LAST_SEQUENCE.contains(&error.err_code) => Stored::NotNext,
        Some(error) => Stored::Refused(error.err_code, error.description),
    })
}
