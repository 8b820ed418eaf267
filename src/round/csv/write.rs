//! The results of a tournament as a table of values.

use super::columns::{Column, Field, OWN};
use super::is_formula;
use crate::game::words::Word;
use crate::round::{ByeKind, Pairing, PairingResult, Player, Round};

/// Writes the pairings and results of these rounds as a table, in the columns that [`Round::read_bytes`] reads: RFC 4180, with commas. A
/// player without an opponent is in the column of White, and `bye` in that of Black.
///
/// An apostrophe precedes a value that a spreadsheet would compute: otherwise a player whose name begins with `=` could make it run a
/// formula.
pub fn write(rounds: &[Round]) -> String {
    let mut rounds: Vec<&Round> = rounds.iter().collect();
    rounds.sort_by_key(|round| round.number);
    let mut text = String::new();
    push_row(&mut text, OWN.iter().map(|(_, name, _)| (*name).to_owned()));
    for round in rounds {
        let mut pairings: Vec<&Pairing> = round.pairings.iter().collect();
        pairings.sort_by_key(|pairing| pairing.table);
        for pairing in pairings {
            push_row(&mut text, OWN.iter().map(|(column, ..)| value(round, pairing, *column)));
        }
        for bye in &round.byes {
            let value = |column| match column {
                Column::Round => round.number.to_string(),
                Column::White(field) => player_value(&bye.player, field),
                Column::Black(Field::Name) => if bye.kind == ByeKind::ZeroPoint { "not paired" } else { "bye" }.to_owned(),
                Column::Result => bye_points(bye.kind).to_owned(),
                Column::Table | Column::Black(_) | Column::Board | Column::Serial | Column::Section => String::new(),
            };
            push_row(&mut text, OWN.iter().map(|(column, ..)| value(*column)));
        }
    }
    text
}

/// Appends a line.
fn push_row(text: &mut String, values: impl Iterator<Item = String>) {
    let escaped: Vec<String> = values.map(escaped).collect();
    text.push_str(&escaped.join(","));
    text.push_str("\r\n");
}

fn escaped(value: String) -> String {
    let value = if is_formula(&value) { format!("'{value}") } else { value };
    let needs_quotes = value.contains(['"', ',', ';', '\r', '\n', '\t']) || value.trim() != value;
    if needs_quotes { format!("\"{}\"", value.replace('"', "\"\"")) } else { value }
}

fn value(round: &Round, pairing: &Pairing, column: Column) -> String {
    match column {
        Column::Round => round.number.to_string(),
        Column::Table => pairing.table.to_string(),
        Column::White(field) => player_value(&pairing.white, field),
        Column::Black(field) => player_value(&pairing.black, field),
        Column::Board => pairing.board.clone().unwrap_or_default(),
        Column::Section => pairing.section.clone().unwrap_or_default(),
        Column::Serial => pairing.serial.clone().unwrap_or_default(),
        Column::Result => pairing.result.map_or("", result).to_owned(),
    }
}

/// Returns the result in a spelling that needs no apostrophe.
fn result(result: PairingResult) -> &'static str {
    match result {
        PairingResult::WhiteWinsByForfeit => "1-0F",
        PairingResult::BlackWinsByForfeit => "0-1F",
        PairingResult::BothForfeit => "0-0F",
        other => other.word(),
    }
}

fn bye_points(kind: ByeKind) -> &'static str {
    match kind {
        ByeKind::PairingAllocated | ByeKind::FullPoint => "1",
        ByeKind::HalfPoint => "1/2",
        ByeKind::ZeroPoint => "0",
    }
}

fn player_value(player: &Player, field: Field) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    match field {
        Field::Name => player.name.clone(),
        Field::Title => text(&player.title),
        Field::Rating => number(player.rating.map(u32::from)),
        Field::FideId => number(player.fide_id),
        Field::Federation => text(&player.federation),
        Field::Team => text(&player.team),
        Field::StartNumber => number(player.start_number.map(u32::from)),
    }
}
