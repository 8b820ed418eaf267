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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Reads a message with fields that nobody knows, and writes it again: without them, it is the same.
    #[track_caller]
    fn check<T: Serialize + DeserializeOwned>(message: Value) {
        let read = |message: &Value| from_json::<T>(message.to_string().as_bytes()).map(|message| to_json(&message));
        let known = read(&message).expect("a message");
        assert_eq!(read(&with_unknown(message.clone())), Ok(known), "{message}");
    }

    /// Adds a field to every object that has fields.
    fn with_unknown(value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut fields: serde_json::Map<String, Value> =
                    fields.into_iter().map(|(name, value)| (name, with_unknown(value))).collect();
                fields.insert("of_a_later_version".to_owned(), json!([1, {"x": null}]));
                Value::Object(fields)
            }
            Value::Array(values) => Value::Array(values.into_iter().map(with_unknown).collect()),
            other => other,
        }
    }

    #[test]
    fn unknown_fields_are_ignored() {
        check::<board::BoardMessage>(json!({"v": 1, "now": 7, "state": {"model": "dgt", "game": ["j", 1]}}));
        check::<presence::Presence>(json!({"v": 1, "boot": "b", "unsent": 3, "problems": ["a problem"]}));
        check::<question::Question>(json!({"v": 1, "ask": "kept"}));
        check::<question::TimeAnswer>(json!({"v": 1, "instance": "i", "now_ms": 1, "wall_ms": 2}));
        check::<command::CommandRequest>(
            json!({"v": 1, "id": "i", "hub": "h", "expires_ms": 1, "board": "b", "game": ["j", 1], "seen": 2, "action": "identify"}),
        );
        let reply =
            |reply: Value| Value::Object([("v".to_owned(), json!(1)), ("reply".to_owned(), reply)].into_iter().collect());
        for fields in [json!({"answer": "done", "game": ["j", 1, 2]}), json!({"answer": "done"})] {
            let known = from_json::<command::ReplyMessage>(reply(json!({"done": fields})).to_string().as_bytes());
            let later = from_json::<command::ReplyMessage>(reply(json!({"done": with_unknown(fields)})).to_string().as_bytes());
            assert!(known.is_ok() && known == later, "{known:?} {later:?}");
        }
        check::<desk::DeskMessage>(
            json!({"v": 1, "games": [{"journal": "j", "game": 1, "tags": {"id": "i", "tags": [["White", "A"]]},
            "result": {"id": "i", "result": "1-0"}}]}),
        );
    }

    #[test]
    fn a_message_of_a_later_version_is_not_read() {
        let later = from_json::<presence::Presence>(br#"{"v":2,"boot":{"of":"another kind"}}"#);
        assert_eq!(later, Err(MessageError::Newer { found: 2 }));
    }
}
