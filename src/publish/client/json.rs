//! Converts D-Bus values to JSON.

use serde_json::{Map, Value};
use zbus::Variant;

/// Converts a D-Bus value to JSON. Numbers that JSON readers cannot represent exactly do not occur here.
pub(super) fn variant_to_json(value: &Variant<'_>) -> Value {
    match value {
        Variant::Bool(value) => (*value).into(),
        Variant::U8(value) => (*value).into(),
        Variant::I16(value) => (*value).into(),
        Variant::U16(value) => (*value).into(),
        Variant::I32(value) => (*value).into(),
        Variant::U32(value) => (*value).into(),
        Variant::I64(value) => (*value).into(),
        Variant::U64(value) => (*value).into(),
        Variant::F64(value) => (*value).into(),
        Variant::Str(value) => value.as_str().into(),
        Variant::ObjectPath(value) => value.as_str().into(),
        Variant::Variant(value) => variant_to_json(value),
        Variant::Array(values) => values.iter().map(variant_to_json).collect(),
        Variant::Structure(values) => values.fields().iter().map(variant_to_json).collect(),
        Variant::Dict(values) => {
            values.iter().map(|(name, value)| (text(name), variant_to_json(value))).collect::<Map<_, _>>().into()
        }
        _ => Value::Null,
    }
}

fn text(value: &Variant<'_>) -> String {
    match variant_to_json(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
