//! Consecutive events of one game, unchanged from the journal of their machine.

use super::{MAX_BYTES, MessageError, VERSION, check_version};
use crate::daemon::journal::EventRow;
use async_nats::HeaderMap;

/// The headers, by name.
const VERSION_HEADER: &str = "Tm-V";
const BOARD_HEADER: &str = "Tm-Board";
const STARTED_HEADER: &str = "Tm-Started";
const EPOCH_HEADER: &str = "Tm-Epoch";
const FIRST_HEADER: &str = "Tm-First";

/// Consecutive events of one game, which its subject names. The payload has one line for each: its wall-clock time, its age or `-`,
/// and its JSON text as it is stored, with a space between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsMessage {
    /// The name of the board at its machine.
    pub board: String,
    /// Start time of the game: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// Wall-clock time of the board's time 0: Unix time in milliseconds.
    pub epoch_wall_ms: i64,
    /// The events, at least one.
    pub lines: Vec<EventLine>,
}

/// An event in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// How long ago it was stored when the message was sent, in milliseconds of a clock that does not go back; `None`: unknown,
    /// because the machine was started since.
    pub age_ms: Option<u64>,
    /// The event.
    pub row: EventRow,
}

impl EventsMessage {
    /// Returns the headers and the payload.
    pub fn encode(&self) -> (HeaderMap, Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(VERSION_HEADER, VERSION.to_string());
        headers.insert(BOARD_HEADER, self.board.as_str());
        headers.insert(STARTED_HEADER, self.started_wall_ms.to_string());
        headers.insert(EPOCH_HEADER, self.epoch_wall_ms.to_string());
        headers.insert(FIRST_HEADER, self.lines.first().map_or(0, |line| line.row.number).to_string());
        let mut payload = Vec::with_capacity(self.lines.iter().map(|line| line.row.text.len() + 24).sum());
        for EventLine { age_ms, row } in &self.lines {
            let age = age_ms.map_or_else(|| "-".to_owned(), |age| age.to_string());
            payload.extend_from_slice(format!("{} {age} {}\n", row.wall_ms, row.text).as_bytes());
        }
        (headers, payload)
    }

    /// Returns whether a message says that it is one of events.
    pub fn is_one(message: &async_nats::Message) -> bool {
        message.headers.as_ref().is_some_and(|headers| headers.get(VERSION_HEADER).is_some())
    }

    /// Reads a message.
    ///
    /// # Errors
    /// It is malformed, or of a later version. The texts of the events are not read here.
    pub fn decode(headers: Option<&HeaderMap>, payload: &[u8]) -> Result<EventsMessage, MessageError> {
        let header = |name: &str| headers.and_then(|headers| headers.get(name)).map(|value| value.as_str());
        fn number<T: std::str::FromStr>(name: &str, text: Option<&str>) -> Result<T, MessageError> {
            let text = text.ok_or_else(|| MessageError::malformed(format!("header {name} is missing")))?;
            text.parse().map_err(|_| MessageError::malformed(format!("header {name} is {text:?}, and should be a number")))
        }
        check_version(number(VERSION_HEADER, header(VERSION_HEADER))?)?;
        let board = header(BOARD_HEADER).filter(|board| !board.is_empty() && board.len() <= 64);
        let board = board.ok_or_else(|| MessageError::malformed(format!("header {BOARD_HEADER} is missing")))?.to_owned();
        let first: u64 = number(FIRST_HEADER, header(FIRST_HEADER))?;
        let text = std::str::from_utf8(payload).map_err(MessageError::malformed)?;
        let text = text.strip_suffix('\n').ok_or_else(|| MessageError::malformed("it does not end with a line break"))?;
        let line = |(line, number): (&str, u64)| -> Result<EventLine, MessageError> {
            let mut parts = line.splitn(3, ' ');
            let mut part = || parts.next().ok_or_else(|| MessageError::malformed("a line has no time, age and text"));
            let (wall_ms, age, text) = (part()?, part()?, part()?);
            let wall_ms = wall_ms.parse().map_err(MessageError::malformed)?;
            let age_ms = if age == "-" { None } else { Some(age.parse().map_err(MessageError::malformed)?) };
            Ok(EventLine { age_ms, row: EventRow { number, wall_ms, text: text.to_owned() } })
        };
        let lines = text.split('\n').zip(first.max(1)..).map(line).collect::<Result<Vec<_>, _>>()?;
        Ok(EventsMessage {
            board,
            started_wall_ms: number(STARTED_HEADER, header(STARTED_HEADER))?,
            epoch_wall_ms: number(EPOCH_HEADER, header(EPOCH_HEADER))?,
            lines,
        })
    }

    /// The number of bytes of rows that surely fit in one message, each with [`EventRow::MORE_BYTES`].
    pub const ROWS_BYTES: usize = MAX_BYTES / 8 * 7;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_they_were_written() {
        let line = |number, age_ms, text: &str| {
            let row = EventRow { number, wall_ms: 1_795_000_000_123 + number as i64, text: text.to_owned() };
            EventLine { age_ms, row }
        };
        let message = EventsMessage {
            board: "dgt_1".to_owned(),
            started_wall_ms: 1_795_000_000_000,
            epoch_wall_ms: 1_794_999_000_000,
            lines: vec![line(4, Some(12), r#"{"t":1,"n":4,"event":"later","é":"\n "}"#), line(5, None, "{}")],
        };
        let (headers, payload) = message.encode();
        assert_eq!(EventsMessage::decode(Some(&headers), &payload), Ok(message.clone()));
        let mut later = headers.clone();
        later.insert(VERSION_HEADER, "2");
        assert_eq!(EventsMessage::decode(Some(&later), &payload), Err(MessageError::Newer { found: 2 }));
        for (headers, payload) in
            [(None, &payload[..]), (Some(&headers), b"x"), (Some(&headers), b""), (Some(&headers), b"x y\n")]
        {
            assert!(matches!(EventsMessage::decode(headers, payload), Err(MessageError::Malformed(_))));
        }
    }
}
