//! Commands as arguments of D-Bus methods.

use crate::game::Command;
use crate::game::command::{ArgumentKind, CommandField};
use crate::wire::command_fields;
use serde_json::Value;
use std::collections::HashMap;
use zbus::{Structure, Variant};

/// Returns the arguments of the method of a command: its fields, in the order in which they are declared. `None` if it has none.
pub(super) fn arguments(command: &Command) -> Option<Structure<'static>> {
    let fields = command_fields(command);
    let builder =
        fields.iter().fold(Structure::builder(), |builder, (field, value)| builder.append_field(argument(field, value)));
    builder.build().ok()
}

/// Converts a field. D-Bus has no null: it is 0 or an empty text.
fn argument(field: &CommandField, value: &Value) -> Variant<'static> {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default().into(),
        Value::Array(pairs) => {
            let text = |pair: &Value, index: usize| pair.get(index).and_then(Value::as_str).unwrap_or_default().to_owned();
            pairs.iter().map(|pair| (text(pair, 0), text(pair, 1))).collect::<HashMap<String, String>>().into()
        }
        Value::String(text) => text.clone().into(),
        _ if matches!(field.argument.kind, ArgumentKind::Number(_) | ArgumentKind::Ply(_)) => 0u32.into(),
        _ => String::new().into(),
    }
}
