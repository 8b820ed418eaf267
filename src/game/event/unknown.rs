//! Events of kinds that only later versions know.

use super::{Event, StampedEvent};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// A durable event of a kind that this version does not know, such as one of a machine with a later version. Its fields are
/// passed on unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    word: String,
    /// Names, with values as JSON, in their order; without `t`, `n` and `event`.
    fields: Vec<(String, String)>,
}

impl UnknownEvent {
    /// Returns the word in field `event` of its JSON form.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Reads an event; `None`: it is not a durable event, or its kind is known.
    pub(crate) fn read(text: &str) -> Option<StampedEvent> {
        let Fields(all) = serde_json::from_str(text).ok()?;
        let (mut at, mut number, mut word) = (None, None, None);
        let mut fields = Vec::new();
        for (name, value) in all {
            match name.as_str() {
                "t" if at.is_none() => at = Some(serde_json::from_str(value.get()).ok()?),
                "n" if number.is_none() => number = Some(serde_json::from_str(value.get()).ok()?),
                "event" if word.is_none() => word = Some(serde_json::from_str::<String>(value.get()).ok()?),
                "t" | "n" | "event" => return None,
                // Line breaks can only be between the tokens of a value; an event is one line.
                _ => fields.push((name, value.get().replace(['\n', '\r'], " "))),
            }
        }
        let word = word.filter(|word| Event::KINDS.iter().all(|kind| kind.word != *word))?;
        Some(StampedEvent { at: at?, number: Some(number?), event: Event::Unknown(UnknownEvent { word, fields }) })
    }
}

impl Serialize for UnknownEvent {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("event", &self.word)?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, serde_json::from_str::<&RawValue>(value).map_err(S::Error::custom)?)?;
        }
        map.end()
    }
}

/// Writes the fields of any event.
pub(super) fn serialize_event<S: Serializer>(event: &Event, to: S) -> Result<S::Ok, S::Error> {
    match event {
        Event::Unknown(unknown) => unknown.serialize(to),
        known => known.serialize(to),
    }
}

/// The fields of an object in their order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(FieldsVisitor)
    }
}
