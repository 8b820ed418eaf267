//! What is said over the WebSocket, as LiveChess 2.2 says it: calls, replies, feeds and errors, one JSON object each.
//!
//! | call | param | what it asks for |
//! |---|---|---|
//! | `eboards` | any | all boards |
//! | `sources` | any | where boards are connected |
//! | `subscribe` | `{feed: "eboardevent", id, param: {serialnr}}` | what changes on a board, under this id |
//! | `call` | `{id, method: "setup", param: {fen}}` | moves from this position on |
//! | `call` | `{id, method: "flip", param: {flip}}` | whether the board is read the other way round than its maker meant it |
//! | `call` | `{id, method: "unsubscribe"}` | nothing more under this id |
//!
//! Ids come back as the numbers that they were: clients compare them without changing their kind. livechess-go asks for `setup` with
//! the parameters of `flip`, which is taken as what it means. Anything that is there besides is passed over.

use crate::daemon::steady::unix_ms;
use crate::laws::Position;
use serde::Serialize;
use serde_json::{Number, Value};

/// No FEN is longer, in bytes: the longest of a position of chess has some 90.
const FEN: usize = 128;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// All boards.
    Boards,
    /// Where boards are connected.
    Sources,
    /// What changes on the board with this serial number.
    Subscribe {
        /// The id under which it is told.
        feed: Number,
        /// Of the board.
        serial: String,
    },
    /// Moves from this position on.
    Setup {
        /// Whose.
        feed: Number,
        /// The position.
        fen: String,
    },
    /// How the board is read.
    Flip {
        /// Whose.
        feed: Number,
        /// The other way round than its maker meant it.
        flip: bool,
    },
    /// Nothing more.
    Unsubscribe {
        /// Whose.
        feed: Number,
    },
}

/// A message as it was read: the id that it has, and what it asks for or why that is not understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// To be said again; `None`: there was none.
    pub id: Option<Number>,
    /// What is asked for, or a sentence for whoever wrote it.
    pub call: Result<Call, String>,
}

/// Reads a message.
pub fn read(text: &str) -> Read {
    let message: Value = match serde_json::from_str(text) {
        Ok(message @ Value::Object(_)) => message,
        Ok(_) => return Read { id: None, call: Err("a message is a JSON object with id and call".to_owned()) },
        Err(why) => return Read { id: None, call: Err(format!("this is not JSON: {why}")) },
    };
    Read { id: number(&message["id"]), call: call(&message) }
}

fn call(message: &Value) -> Result<Call, String> {
    let param = &message["param"];
    match message["call"].as_str() {
        Some("eboards") => Ok(Call::Boards),
        Some("sources") => Ok(Call::Sources),
        Some("subscribe") => match param["feed"].as_str() {
            Some("eboardevent") => {
                let serial = match &param["param"]["serialnr"] {
                    Value::String(serial) => serial.clone(),
                    Value::Number(serial) => serial.to_string(),
                    _ => return Err("param.param.serialnr says which board: it is a text".to_owned()),
                };
                Ok(Call::Subscribe { feed: feed(param)?, serial })
            }
            Some(other) => Err(format!("there is no feed {other:?}: subscribe to \"eboardevent\"")),
            None => Err("param.feed says what is subscribed to: \"eboardevent\"".to_owned()),
        },
        Some("call") => method(param),
        Some("unsubscribe") => Ok(Call::Unsubscribe { feed: feed(param)? }),
        Some(other) => {
            Err(format!("there is no call {other:?}: there are \"eboards\", \"sources\", \"subscribe\" and \"call\""))
        }
        None => Err("call says what is asked for: \"eboards\", \"sources\", \"subscribe\" or \"call\"".to_owned()),
    }
}

fn method(param: &Value) -> Result<Call, String> {
    let given = &param["param"];
    let flip = || given["flip"].as_bool();
    match param["method"].as_str() {
        Some("setup") => match (given["fen"].as_str(), flip()) {
            (Some(fen), _) => Ok(Call::Setup { feed: feed(param)?, fen: fen.to_owned() }),
            (None, Some(flip)) => Ok(Call::Flip { feed: feed(param)?, flip }),
            (None, None) => Err("param.param.fen says which position is set up: it is a FEN".to_owned()),
        },
        Some("flip") => match flip() {
            Some(flip) => Ok(Call::Flip { feed: feed(param)?, flip }),
            None => Err("param.param.flip is true or false".to_owned()),
        },
        Some("unsubscribe") => Ok(Call::Unsubscribe { feed: feed(param)? }),
        Some(other) => Err(format!("there is no method {other:?}: there are \"setup\", \"flip\" and \"unsubscribe\"")),
        None => Err("param.method says what is called: \"setup\", \"flip\" or \"unsubscribe\"".to_owned()),
    }
}

/// Parses the FEN of a `setup`.
///
/// # Errors
/// It is none, or too long to be one: a sentence.
pub fn position(fen: &str) -> Result<Position, String> {
    if fen.len() > FEN {
        return Err(format!("a FEN has no more than {FEN} bytes"));
    }
    Position::from_fen(fen, false).map_err(|why| format!("{fen:?}: {why}"))
}

fn feed(param: &Value) -> Result<Number, String> {
    number(&param["id"]).ok_or_else(|| "param.id is the number of a subscription".to_owned())
}

/// A number, also one that was written as a text.
fn number(value: &Value) -> Option<Number> {
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

/// The answer to a call.
pub fn reply(id: Option<&Number>, param: impl Serialize) -> String {
    message("call", id, param)
}

/// News for a subscription.
pub fn feed_of(id: &Number, param: impl Serialize) -> String {
    message("feed", Some(id), param)
}

/// A call that failed, and why. LiveChess tells its stack besides, and clients read that as a text: here it is empty.
pub fn error(id: Option<&Number>, why: &str) -> String {
    #[derive(Serialize)]
    struct Why<'a> {
        message: &'a str,
        stacktrace: &'static str,
    }
    message("error", id, Why { message: why, stacktrace: "" })
}

fn message(response: &'static str, id: Option<&Number>, param: impl Serialize) -> String {
    // What is sent has texts for keys and no numbers that JSON lacks: it can be written.
    serde_json::to_string(&Message { response, id, param, time: unix_ms() }).unwrap_or_default()
}
