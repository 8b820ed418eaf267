//! The JSON form of events, commands and settings, shared by the journal, `replay --json`, recordings and every front-end that
//! speaks JSON.
//!
//! `docs/events.md` lists every field with its unit. The form is declared with the types themselves. It is public and changes only
//! deliberately: the tests compare it with a committed snapshot.

pub use crate::game::words::{Word, sensed_from_word, sensed_to_word};

use crate::game::command::CommandField;
use crate::game::event::UnknownEvent;
use crate::game::{Command, Confidence, Event, Order, StampedEvent};
use crate::table::{HandCosts, Settings};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// The reason why a JSON text was rejected; the message says what is wrong and what is expected.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The text is not an event.
    #[error("not an event: {0}")]
    Event(String),
    /// The text is not a command.
    #[error("not a command: {0}; write for instance {{\"do\":\"take_back\",\"plies\":1}}")]
    Command(String),
    /// The text is not the settings of a table session.
    #[error("not the settings of a table: {0}")]
    Settings(String),
}

/// Writes an event as one line of JSON without the line break: `t`, then `n` if the event is durable, then `event` and its fields,
/// always in the same order.
pub fn to_json(stamped: &StampedEvent) -> String {
    let mut bytes = Vec::with_capacity(256);
    // Serialization cannot fail: every key is a string, and a `Vec` accepts every write.
    let written = stamped.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Thousandths));
    debug_assert!(written.is_ok());
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the output of [`to_json`] as a value, to be embedded in other JSON.
pub fn event_to_value(stamped: &StampedEvent) -> Value {
    // The text was just written as JSON.
    serde_json::from_str(&to_json(stamped)).unwrap_or_default()
}

/// Parses the output of [`to_json`]. Unknown fields are ignored, and a durable event of an unknown kind is an
/// [`Event::Unknown`], so that an older program can read a newer machine's events. A durable event must have its number.
///
/// # Errors
/// It is not an event, or an event of a known kind that cannot be read.
pub fn from_json(text: &str) -> Result<StampedEvent, WireError> {
    match serde_json::from_str(text) {
        Ok(stamped) => check_number(stamped),
        Err(error) => {
            // The text is well-formed JSON then, and not nested too deeply.
            let unknown = if error.is_data() { UnknownEvent::read(text) } else { None };
            unknown.ok_or_else(|| WireError::Event(error.to_string()))
        }
    }
}

/// As [`from_json`], for events of this program's own: an event of an unknown kind is an error.
///
/// # Errors
/// It is not an event of a known kind.
pub fn known_from_json(text: &str) -> Result<StampedEvent, WireError> {
    serde_json::from_str(text).map_err(|error| WireError::Event(error.to_string())).and_then(check_number)
}

fn check_number(stamped: StampedEvent) -> Result<StampedEvent, WireError> {
    let kind = stamped.event.word();
    match (stamped.event.is_durable(), stamped.number) {
        (true, None) => Err(WireError::Event(format!("a \"{kind}\" event has a number, but field `n` is missing"))),
        (false, Some(_)) => Err(WireError::Event(format!("a \"{kind}\" event has no number, but field `n` is present"))),
        _ => Ok(stamped),
    }
}

/// Returns the word in field `event`.
pub fn event_kind(event: &Event) -> &str {
    event.word()
}

/// Converts a command to a JSON object: `{"do":"take_back","plies":1}`.
pub fn command_to_value(command: &Command) -> Value {
    serde_json::to_value(command).unwrap_or_default()
}

/// Returns the fields of a command, in the order in which they are declared, with their values in JSON.
pub fn command_fields(command: &Command) -> Vec<(&'static CommandField, Value)> {
    let mut value = command_to_value(command);
    let fields = command.spec().fields.iter();
    fields.map(|field| (field, value.get_mut(field.name).map(Value::take).unwrap_or_default())).collect()
}

/// Parses the output of [`command_to_value`]. Unknown fields are rejected.
pub fn command_from_value(value: &Value) -> Result<Command, WireError> {
    Command::deserialize(value).map_err(|error| WireError::Command(error.to_string()))
}

/// Converts a command and its issuer to the form used in a recording: the command's object with `by` added.
pub fn order_to_value(order: &Order) -> Value {
    let mut value = command_to_value(&order.command);
    if let Value::Object(fields) = &mut value {
        fields.insert("by".to_owned(), Value::String(order.by.clone()));
    }
    value
}

/// Parses the output of [`order_to_value`]. If `by` is missing, the issuer is `recording`. Unknown fields are rejected.
pub fn order_from_value(value: &Value) -> Result<Order, WireError> {
    let mut value = value.clone();
    let by = match value.as_object_mut().and_then(|fields| fields.remove("by")) {
        None => "recording".to_owned(),
        Some(Value::String(by)) => by,
        Some(other) => return Err(WireError::Command(format!("`by` is {other}, and should be a string"))),
    };
    Ok(Order { command: command_from_value(&value)?, by })
}

/// Converts the settings of a table session to a JSON object: the `core` of a recording.
pub fn settings_to_value(settings: &Settings) -> Value {
    serde_json::to_value(settings).unwrap_or_default()
}

/// Parses the output of [`settings_to_value`]. Missing fields have their defaults. Unknown fields, unknown words and values out of
/// range are rejected.
pub fn settings_from_value(value: &Value) -> Result<Settings, WireError> {
    let settings = Settings::deserialize(value).map_err(|error| WireError::Settings(error.to_string()))?;
    let ranges = [
        ("settle_ms", settings.settle_ms, 20, 5000),
        ("settle_low_ms", settings.settle_low_ms, 20, 5000),
        ("wrong_move_cost", settings.wrong_move_cost, 1, 1_000_000),
        ("delay_cost", settings.delay_cost, 1, 1_000_000),
        ("hypotheses", u32::from(settings.hypotheses), 8, 4096),
    ];
    let hands = settings
        .hands
        .out_of_range()
        .map(|(event, cost)| format!("`hands.{}` is {cost}, and should be 0 to {}", event.name(), HandCosts::MAX));
    let errors: Vec<String> = ranges
        .iter()
        .filter(|(_, value, low, high)| value < low || value > high)
        .map(|(name, value, low, high)| format!("`{name}` is {value}, and should be {low} to {high}"))
        .chain(hands)
        .collect();
    if errors.is_empty() { Ok(settings) } else { Err(WireError::Settings(errors.join("; "))) }
}

/// A JSON formatter that writes floating-point numbers with three decimals, so that the output is the same on every machine. Only
/// confidences, which are stored in thousandths, are such numbers.
struct Thousandths;

impl serde_json::ser::Formatter for Thousandths {
    fn write_f64<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: f64) -> std::io::Result<()> {
        write!(writer, "{value:.3}")
    }
}

/// Serializes it as a number from 0 to 1.
impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(f64::from(self.0) / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Confidence, D::Error> {
        let value = f64::deserialize(from)?;
        if (0.0..=1.0).contains(&value) {
            Ok(Confidence((value * 1000.0).round() as u16))
        } else {
            Err(de::Error::custom(format!("a confidence is 0.000 to 1.000, not {value}")))
        }
    }
}
