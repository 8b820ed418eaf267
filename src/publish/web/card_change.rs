//! The difference between two versions of a card.

use serde_json::{Map, Value};

/// Returns the fields of `after` that differ from `before`, objects recursively; `None` if a field of `before` is missing in
/// `after`, which cannot be expressed.
///
/// A client sets these fields in its version: an object is merged into an object, and any other value replaces the previous one, also
/// `null` and lists.
pub(super) fn changed_fields(before: &Map<String, Value>, after: &Map<String, Value>) -> Option<Map<String, Value>> {
    if before.keys().any(|name| !after.contains_key(name)) {
        return None;
    }
    let mut changed = Map::new();
    for (name, now) in after {
        match (before.get(name), now) {
            (Some(then), now) if then == now => {}
            (Some(Value::Object(then)), Value::Object(now)) => {
                changed.insert(name.clone(), changed_fields(then, now)?.into());
            }
            (_, now) => drop(changed.insert(name.clone(), now.clone())),
        }
    }
    Some(changed)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// Merges changed fields into a card, as a client does.
    pub(in crate::publish::web) fn merge(card: &mut Map<String, Value>, changed: &Map<String, Value>) {
        for (name, now) in changed {
            match (card.get_mut(name), now) {
                (Some(Value::Object(then)), Value::Object(now)) => merge(then, now),
                (_, now) => drop(card.insert(name.clone(), now.clone())),
            }
        }
    }

    #[test]
    fn merged_into_the_earlier_version_the_changed_fields_give_the_later_one() {
        let object = |value: &Value| value.as_object().expect("an object").clone();
        let versions = [
            json!({"board": "b", "game": null, "clock": null, "displaced": []}),
            json!({"board": "b", "game": {"ply": 1, "last_sans": ["1. e4"], "white": {"name": "Ada"}}, "clock": null, "displaced": []}),
            json!({"board": "b", "game": {"ply": 2, "last_sans": ["1. e4", "1… e5"], "white": {"name": "Ada"}}, "clock": {"turn": "white"}, "displaced": [{"square": "e4"}]}),
            json!({"board": "b", "game": {"ply": 0, "last_sans": [], "white": {"name": "Bo"}}, "clock": null, "displaced": []}),
        ];
        for before in &versions {
            for after in &versions {
                let changed = changed_fields(&object(before), &object(after)).expect("no field is missing");
                let mut card = object(before);
                merge(&mut card, &changed);
                assert_eq!(&Value::Object(card), after);
            }
        }
        let changed = changed_fields(&object(&versions[1]), &object(&versions[2])).expect("no field is missing");
        let expected = json!({"game": {"ply": 2, "last_sans": ["1. e4", "1… e5"]}, "clock": {"turn": "white"}, "displaced": [{"square": "e4"}]});
        assert_eq!(Value::Object(changed), expected);
        assert_eq!(changed_fields(&object(&json!({"a": {"b": 1}})), &object(&json!({"a": {}}))), None);
    }
}
