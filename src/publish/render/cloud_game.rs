//! One game as JSON in the format of LiveChess Cloud.

use super::playing_table::PlayingTable;
use crate::daemon::hub::GameView;
use crate::game::pgn::times;
use crate::game::record::PlyState;
use crate::game::{GameResult, Record};
use serde_json::{Value, json};

/// Returns `round-N/game-M.json`. The clock shows the times at the last completed move and does not run: a reader that counted on
/// from it would be wrong by the publication delay.
pub(super) fn game(table: &PlayingTable, game: &GameView) -> Value {
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
pub(super) fn no_game(table: &PlayingTable) -> Value {
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
