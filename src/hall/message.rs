//! The messages of a hall.
//!
//! Every message has a version. Fields and headers that a reader does not know are ignored; a message of a later version is not
//! read at all, see [`MessageError::Newer`].

pub mod board;
pub mod command;
pub mod continuation;
pub mod desk;
pub mod events;
pub mod presence;
pub mod question;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of all messages.
pub const VERSION: u32 = 1;

/// Largest message, in bytes. The server refuses larger ones.
pub const MAX_BYTES: usize = 256 * 1024;

/// The reason why a message was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It has a version that this touchmove does not know.
    #[error(
        "it has version {found} of the messages, and this touchmove knows only version {VERSION}: install a later one here"
    )]
    Newer {
        /// Its version.
        found: u32,
    },
    /// It is malformed.
    #[error("it cannot be read ({0})")]
    Malformed(String),
}

impl MessageError {
    fn malformed(reason: impl ToString) -> MessageError {
        MessageError::Malformed(reason.to_string())
    }
}

fn check_version(found: u32) -> Result<(), MessageError> {
    if found > VERSION { Err(MessageError::Newer { found }) } else { Ok(()) }
}

/// The version of a JSON message, which is read before its other fields.
#[derive(serde::Deserialize)]
struct Versioned {
    v: u32,
}

/// Writes a message as JSON, with its version.
pub fn to_json(message: &impl Serialize) -> Vec<u8> {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("v".to_owned(), VERSION.into());
    }
    value.to_string().into_bytes()
}

/// Reads a message that [`to_json`] has written.
///
/// # Errors
/// It is malformed, or of a later version.
pub fn from_json<T: DeserializeOwned>(payload: &[u8]) -> Result<T, MessageError> {
    let versioned: Versioned = serde_json::from_slice(payload).map_err(MessageError::malformed)?;
    check_version(versioned.v)?;
    serde_json::from_slice(payload).map_err(MessageError::malformed)
}
