//! The messages of the WebSocket, compatible with LiveChess 2.2: calls, replies, feeds and errors, one JSON object each.
//!
//! | call | param | meaning |
//! |---|---|---|
//! | `eboards` | any | returns all boards |
//! | `sources` | any | returns the devices to which boards are connected |
//! | `subscribe` | `{feed: "eboardevent", id, param: {serialnr}}` | subscribes to the changes of a board, under this id |
//! | `call` | `{id, method: "setup", param: {fen}}` | requests the moves from this position on |
//! | `call` | `{id, method: "flip", param: {flip}}` | sets whether the board is read rotated by 180° |
//! | `call` | `{id, method: "unsubscribe"}` | ends the subscription with this id |
//! | `unsubscribe` | `{id}` | the same |
//!
//! Ids are returned as numbers, as they were sent: clients compare them without conversion. livechess-go calls `setup` with the
//! parameters of `flip`; this is accepted as `flip`. Other fields are ignored.

use crate::daemon::steady_clock::unix_ms;
use crate::laws::Position;
use serde::Serialize;
use serde_json::{Number, Value};

/// Maximum length of a FEN, in bytes: the longest of a chess position has some 90.
const MAX_FEN_BYTES: usize = 128;

/// A call of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Returns all boards.
    Boards,
    /// Returns the devices to which boards are connected.
    Sources,
    /// Subscribes to the changes of the board with this serial number.
    Subscribe {
        /// The id of the new subscription.
        feed: Number,
        /// The serial number or name of the board.
        serial: String,
    },
    /// Requests the moves from this position on.
    Setup {
        /// The id of the subscription.
        feed: Number,
        /// The position.
        fen: String,
    },
    /// Sets how the board is read.
    Flip {
        /// The id of the subscription.
        feed: Number,
        /// Whether it is read rotated by 180° relative to its maker's orientation.
        flip: bool,
    },
    /// Ends a subscription.
    Unsubscribe {
        /// The id of the subscription.
        feed: Number,
    },
}

/// A parsed message: its id, and the call or the reason why it is invalid.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedMessage {
    /// The id, to be repeated in the reply; `None` if there was none.
    pub id: Option<Number>,
    /// The call, or a sentence for the author of the client.
    pub call: Result<Call, String>,
}

/// Parses a message.
pub fn parse_message(text: &str) -> ParsedMessage {
    let message: Value = match serde_json::from_str(text) {
        Ok(message @ Value::Object(_)) => message,
        Ok(_) => return ParsedMessage { id: None, call: Err("a message must be a JSON object with id and call".to_owned()) },
        Err(error) => return ParsedMessage { id: None, call: Err(format!("this is not JSON: {error}")) },
    };
    ParsedMessage { id: parse_number(&message["id"]), call: parse_call(&message) }
}

fn parse_call(message: &Value) -> Result<Call, String> {
    let param = &message["param"];
    match message["call"].as_str() {
        Some("eboards") => Ok(Call::Boards),
        Some("sources") => Ok(Call::Sources),
        Some("subscribe") => match param["feed"].as_str() {
            Some("eboardevent") => {
                let serial = match &param["param"]["serialnr"] {
                    Value::String(serial) => serial.clone(),
                    Value::Number(serial) => serial.to_string(),
                    _ => return Err("param.param.serialnr must be the serial number of a board".to_owned()),
                };
                Ok(Call::Subscribe { feed: parse_feed_id(param)?, serial })
            }
            Some(other) => Err(format!("there is no feed {other:?}: subscribe to \"eboardevent\"")),
            None => Err("param.feed must be \"eboardevent\"".to_owned()),
        },
        Some("call") => parse_method(param),
        Some("unsubscribe") => Ok(Call::Unsubscribe { feed: parse_feed_id(param)? }),
        Some(other) => Err(format!("there is no call {other:?}: use \"eboards\", \"sources\", \"subscribe\" or \"call\"")),
        None => Err("call must be \"eboards\", \"sources\", \"subscribe\" or \"call\"".to_owned()),
    }
}

fn parse_method(param: &Value) -> Result<Call, String> {
    let arguments = &param["param"];
    let flip = || arguments["flip"].as_bool();
    match param["method"].as_str() {
        Some("setup") => match (arguments["fen"].as_str(), flip()) {
            (Some(fen), _) => Ok(Call::Setup { feed: parse_feed_id(param)?, fen: fen.to_owned() }),
            (None, Some(flip)) => Ok(Call::Flip { feed: parse_feed_id(param)?, flip }),
            (None, None) => Err("param.param.fen must be the position as a FEN".to_owned()),
        },
        Some("flip") => match flip() {
            Some(flip) => Ok(Call::Flip { feed: parse_feed_id(param)?, flip }),
            None => Err("param.param.flip must be true or false".to_owned()),
        },
        Some("unsubscribe") => Ok(Call::Unsubscribe { feed: parse_feed_id(param)? }),
        Some(other) => Err(format!("there is no method {other:?}: use \"setup\", \"flip\" or \"unsubscribe\"")),
        None => Err("param.method must be \"setup\", \"flip\" or \"unsubscribe\"".to_owned()),
    }
}

/// Parses the FEN of a `setup`.
///
/// # Errors
/// Returns a sentence if the text is not a FEN, or too long to be one.
pub fn parse_position(fen: &str) -> Result<Position, String> {
    if fen.len() > MAX_FEN_BYTES {
        return Err(format!("a FEN must not exceed {MAX_FEN_BYTES} bytes"));
    }
    Position::from_fen(fen, false).map_err(|error| format!("{fen:?}: {error}"))
}

fn parse_feed_id(param: &Value) -> Result<Number, String> {
    parse_number(&param["id"]).ok_or_else(|| "param.id must be the number of a subscription".to_owned())
}

/// Reads a number, also one that is written as a string.
fn parse_number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => text.trim().parse::<i64>().ok().map(Number::from),
        _ => None,
    }
}

#[derive(Serialize)]
struct Message<'a, T> {
    response: &'static str,
    id: Option<&'a Number>,
    param: T,
    time: i64,
}

/// Formats the reply to a call.
pub fn reply(id: Option<&Number>, param: impl Serialize) -> String {
    message("call", id, param)
}

/// Formats an event of a subscription.
pub fn feed_event(id: &Number, param: impl Serialize) -> String {
    message("feed", Some(id), param)
}

/// Formats the error of a call that failed. LiveChess also sends its stack trace, which clients read as a string: here it is empty.
pub fn error_reply(id: Option<&Number>, text: &str) -> String {
    #[derive(Serialize)]
    struct ErrorParam<'a> {
        message: &'a str,
        stacktrace: &'static str,
    }
    message("error", id, ErrorParam { message: text, stacktrace: "" })
}

fn message(response: &'static str, id: Option<&Number>, param: impl Serialize) -> String {
    // Serialization cannot fail: all keys are strings, and no number is NaN or infinite.
    serde_json::to_string(&Message { response, id, param, time: unix_ms() }).unwrap_or_default()
}
