//! The games as JSON in the format of LiveChess Cloud, which programs that follow tournaments read.

use super::table::{PlayingTable, TableFiles};
use crate::daemon::hub::GameView;
use crate::daemon::rounds::tag_value;
use crate::game::pgn::times;
use crate::game::record::PlyState;
use crate::game::{GameResult, Record};
use crate::publish::stable_id::stable_id;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns `tournament.json`. `before`: the number of games of the rounds that are no longer followed.
pub fn tournament(rounds: &BTreeMap<u16, Vec<TableFiles>>, before: &BTreeMap<u16, usize>, tags: &[(String, String)]) -> Value {
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
pub fn index(tables: &[TableFiles]) -> Value {
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
pub fn game_count(index: &str) -> Option<usize> {
    Some(serde_json::from_str::<Value>(index).ok()?["pairings"].as_array()?.len())
}

/// Returns `round-N/game-M.json`. The clock shows the times at the last completed move and does not run: a reader that counted on
/// from it would be wrong by the publication delay.
pub fn game(table: &PlayingTable, game: &GameView) -> Value {
    let record = &game.record;
    let result = record.result.map_or("*", |(result, _)| match result {
        GameResult::WhiteWins => "WHITEWIN",
        GameResult::BlackWins => "BLACKWIN",
        GameResult::Draw => "DRAW",
    });
    // Readers would play these moves from the standard start position, so games from other positions are published without moves.
    let readable = record.chess960.is_some();
    let legal = record.plies.iter().take_while(|ply| !ply.played.irregular).count();
    let comment = if !readable {
        Some(format!("started from {}", record.start_fen))
    } else {
        (legal < record.plies.len()).then(|| "the moves end before an illegal move".to_owned())
    };
    json!({
        "live": record.result.is_none(),
        "serialNr": serial(table).unwrap_or_else(|| game.board.to_string()),
        "firstMove": record.plies.first().map(|ply| game.wall_ms(ply.made_at)),
        "chess960": record.chess960,
        "result": result,
        "comment": comment,
        "clock": clock(game),
        "moves": moves(record, if readable { legal } else { 0 }),
    })
}

/// Returns the same for a table without a game.
pub fn no_game(table: &PlayingTable) -> Value {
    json!({
        "live": false,
        "serialNr": serial(table),
        "firstMove": null,
        "chess960": 518,
        "result": if table.forfeit().is_some() { "NOTPLAYED" } else { "*" },
        "comment": null,
        "clock": null,
        "moves": [],
    })
}

/// Returns the serial number of the board at a table, or its name, if the pairings contain it.
fn serial(table: &PlayingTable) -> Option<String> {
    let pairing = table.pairing.as_ref()?;
    pairing.serial.clone().or_else(|| pairing.board.clone())
}

/// Returns the clock times in seconds, with the time of reading in milliseconds since 1970-01-01 UTC.
fn clock(game: &GameView) -> Option<Value> {
    let completed_clocks = |ply: &crate::game::record::Ply| match ply.state {
        PlyState::Completed { at, .. } => Some((ply.clocks.white?, ply.clocks.black?, at)),
        PlyState::Made => None,
    };
    let (white, black, at) = game.record.plies.iter().rev().find_map(completed_clocks)?;
    Some(json!({"white": white.ms / 1000, "black": black.ms / 1000, "run": null, "time": game.wall_ms(at)}))
}

/// Formats the moves as `Nf3 4925+534`: the move, the player's clock time and the time used, in seconds, as far as known.
fn moves(record: &Record, count: usize) -> Vec<String> {
    let texts = record.plies.iter().enumerate().take(count).map(|(index, ply)| {
        // The side to move after this move.
        let white = ply.played.fen.split(' ').nth(1) == Some("b");
        let times = times(record, index, ply, white);
        let clock = times.clock.map_or_else(String::new, |seconds| seconds.to_string());
        let thought = times.thought.map_or_else(String::new, |seconds| format!("+{seconds}"));
        format!("{} {clock}{thought}", ply.played.san).trim_end().to_owned()
    });
    texts.collect()
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
