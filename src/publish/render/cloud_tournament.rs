//! A tournament and its rounds as JSON in the format of LiveChess Cloud, which programs that follow tournaments read.

use super::stable_id::stable_id;
use super::table_files::TableFiles;
use crate::daemon::hub::round_games::tag_value;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns `tournament.json`. `before`: the number of games of the rounds that are no longer followed.
pub(super) fn tournament(
    rounds: &BTreeMap<u16, Vec<TableFiles>>,
    before: &BTreeMap<u16, usize>,
    tags: &[(String, String)],
) -> Value {
    let last = rounds.values().next_back().map_or(&[][..], Vec::as_slice);
    let tags = last.iter().find_map(TableFiles::table).map_or(tags, |table| table.tags.as_slice());
    let text = |name| known_tag(tags, name);
    let number = rounds.keys().chain(before.keys()).max().copied().unwrap_or(0);
    let round = |number: u16| match rounds.get(&number) {
        Some(tables) => {
            json!({"count": tables.len(), "live": tables.iter().filter(|table| table.game["live"] == json!(true)).count()})
        }
        None => json!({"count": before.get(&number).copied().unwrap_or(0), "live": 0}),
    };
    let is_standard = last.iter().all(|table| table.game["chess960"] == json!(518));
    json!({
        "id": stable_id(&["Event", "Site"].map(|name| text(name).unwrap_or_default()), 0),
        "name": text("Event"),
        "location": text("Site"),
        "country": null,
        "website": null,
        "rules": "STANDARD",
        "chess960": if is_standard { "disabled" } else { "enabled" },
        "timecontrol": text("TimeControl"),
        "rounds": (1..=number).map(round).collect::<Vec<_>>(),
        "eboards": last.iter().map(|table| table.game["serialNr"].clone()).collect::<Vec<_>>(),
    })
}

/// Returns `round-N/index.json`.
pub(super) fn index(tables: &[TableFiles]) -> Value {
    let pairing = |table: &TableFiles| {
        let tag = |name: &str| {
            let line = table.pgn.lines().find_map(|line| line.strip_prefix(&format!("[{name} \""))?.strip_suffix("\"]"));
            line.map(|value| value.replace("\\\"", "\"").replace("\\\\", "\\"))
                .filter(|value| !value.is_empty() && value != "?")
        };
        json!({
            "white": player(&tag, "White"),
            "black": player(&tag, "Black"),
            "result": tag("Result"),
            "live": table.game["live"],
        })
    };
    let date = tables.iter().find_map(|files| known_tag(&files.table()?.tags, "Date")).filter(|date| !date.contains('?'));
    json!({"date": date.map(|date| date.replace('.', "-")), "pairings": tables.iter().map(pairing).collect::<Vec<_>>()})
}

/// Returns the number of games in an `index.json`.
pub(crate) fn game_count(index: &str) -> Option<usize> {
    Some(serde_json::from_str::<Value>(index).ok()?["pairings"].as_array()?.len())
}

/// Returns a player, as far as the tags describe them.
fn player(tag: &dyn Fn(&str) -> Option<String>, colour: &str) -> Value {
    let name = tag(colour);
    let (last, first) = match name.as_deref().map(|name| name.split_once(',').unwrap_or((name, ""))) {
        Some((last, first)) => (Some(last.trim()), Some(first.trim()).filter(|first| !first.is_empty())),
        None => (None, None),
    };
    json!({
        "fname": first,
        "mname": null,
        "lname": last,
        "title": tag(&format!("{colour}Title")),
        "federation": tag(&format!("{colour}Federation")),
        "gender": null,
        "fideid": tag(&format!("{colour}FideId")),
    })
}

fn known_tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tag_value(tags, name).filter(|value| !value.is_empty() && *value != "?")
}
