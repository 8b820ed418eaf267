//! How far the stream was read, so that reading continues there: but only in the same stream, with the same messages.
//!
//! A server that loses power may lose its last messages, and gives their numbers to others. The time of the last message that was read
//! tells whether it is still the same one.

use crate::daemon::Hub;
use async_nats::jetstream::stream::Stream;
use std::collections::BTreeMap;

/// The position in a stream.
#[derive(Default)]
pub(super) struct Position {
    /// The name of the stream, and when it was created.
    stream: String,
    created: String,
    /// When the server received the messages that may not be on disk yet, by sequence number.
    times: BTreeMap<u64, String>,
    /// The sequence number that is stored.
    stored: u64,
}

impl Position {
    /// Reads the stored position of this stream; returns it with the sequence number of the last message that was read, 0: none.
    ///
    /// # Errors
    /// The server does not answer; a sentence.
    pub(super) async fn load(hub: &Hub, stream: &Stream) -> Result<(Position, u64), String> {
        let info = stream.get_info().await.map_err(|error| format!("the hall's server does not answer: {error}"))?;
        let (name, created) = (info.config.name.clone(), info.created.to_string());
        let new = Position { stream: name.clone(), created: created.clone(), ..Position::default() };
        let stored = hub.journal().hall_position(&name).unwrap_or_default();
        let Some((identity, sequence)) = stored.filter(|(_, sequence)| *sequence > 0 && *sequence <= info.state.last_sequence)
        else {
            return Ok((new, 0));
        };
        let is_same = match stream.direct_get(sequence).await {
            Ok(message) => identity == Position::identity(&created, &message.time.to_string()),
            // It has expired, so it was not among the last.
            Err(_) => identity.starts_with(&format!("{created} ")) && sequence < info.state.first_sequence,
        };
        if !is_same {
            return Ok((new, 0));
        }
        Ok((Position { stored: sequence, ..new }, sequence))
    }

    /// Notes a message that was read. `time`: when the server received it.
    pub(super) fn note(&mut self, sequence: u64, time: String) {
        self.times.insert(sequence, time);
    }

    /// Stores the position, up to which everything is on disk, if it has changed.
    pub(super) async fn store(&mut self, hub: &Hub, position: u64) {
        let Some(time) = self.times.get(&position).filter(|_| position != self.stored) else { return };
        let identity = Position::identity(&self.created, time);
        // If this fails, messages are read again, of which nothing is new.
        if hub.journal().store_hall_position(&self.stream, &identity, position).await.is_ok() {
            self.stored = position;
            self.times.retain(|sequence, _| *sequence >= position);
        }
    }

    fn identity(created: &str, time: &str) -> String {
        format!("{created} {time}")
    }
}
