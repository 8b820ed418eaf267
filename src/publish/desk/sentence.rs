//! Errors of the desk and of files of pairings, in the reader's language.

use super::{ActError, ExportError};
use crate::daemon::hub::DeskChangeError;
use crate::desk::{DeskError, DeskPart};
use crate::game::Text;
use crate::locale::{self, Locale};
use crate::publish::outcome::{inactive_text, order_error};
use crate::round::{Pairing, Problem, RoundPreview};
use crate::wire::Word;
use serde_json::{Value, json};

fn text(name: &str) -> Text {
    Text::new(&format!("desk-{name}"))
}

/// Returns why an act was not carried out.
pub fn act_error(locale: Locale, error: &ActError) -> String {
    let text = match error {
        ActError::NotAnAct(error) => text("bad_act").with("error", error.clone()),
        ActError::Internal => text("internal"),
        ActError::HasMoves(table) => text("has_moves").with("table", u32::from(*table)),
        ActError::Desk(DeskChangeError::NoSuchBoard(board)) => Text::new("order-no_such_board").with("board", board.clone()),
        ActError::Desk(DeskChangeError::Inactive(inactive)) => inactive_text(inactive),
        ActError::Desk(DeskChangeError::NotCopied) => Text::new("order-not_copied"),
        ActError::Desk(DeskChangeError::NotStored(error)) => Text::new("order-not_stored").with("error", error.to_string()),
        ActError::Desk(DeskChangeError::Impossible(error)) => desk_error(locale, error),
        ActError::Game(error) => text("result_not_in_game").with("error", order_error(locale, error)),
    };
    locale::sentence(locale, &text)
}

fn desk_error(locale: Locale, error: &DeskError) -> Text {
    match error {
        DeskError::NoRound(round) => text("no_round").with("round", u32::from(*round)),
        DeskError::NoPairing { round, table } => {
            text("no_pairing").with("round", u32::from(*round)).with("table", u32::from(*table))
        }
        DeskError::HasPairing { round, table } => {
            text("has_pairing").with("round", u32::from(*round)).with("table", u32::from(*table))
        }
        DeskError::NoSeat(table) => text("no_seat").with("table", u32::from(*table)),
        DeskError::TableZero => text("table_zero"),
        DeskError::SeatedTwice { board, one, other } => {
            text("seated_twice").with("board", board.clone()).with("one", u32::from(*one)).with("other", u32::from(*other))
        }
        DeskError::Overtaken { by, part } => {
            text("overtaken").with("by", by.clone()).with("part", locale::sentence(locale, &part_name(part)))
        }
        DeskError::RoundInPlay(round) => text("round_in_play").with("round", u32::from(*round)),
        DeskError::BadRound(bad) => {
            let problems: Vec<Text> = bad.0.iter().map(|problem| Text::from(&problem.kind)).collect();
            text("bad_round").with("problems", locale::sentences(locale, &problems))
        }
    }
}

/// Returns what somebody else has changed.
fn part_name(part: &DeskPart) -> Text {
    match part {
        DeskPart::Desk => text("part_desk"),
        DeskPart::Seats => text("part_seats"),
        DeskPart::SeatOfTable(table) => text("part_seat_of_table").with("table", u32::from(*table)),
        DeskPart::SeatOfBoard(board) => text("part_seat_of_board").with("board", board.clone()),
        DeskPart::CurrentRound => text("part_current_round"),
        DeskPart::Round(round) => text("part_round").with("round", u32::from(*round)),
        DeskPart::Pairing { round, table } => {
            text("part_pairing").with("round", u32::from(*round)).with("table", u32::from(*table))
        }
        DeskPart::Byes(round) => text("part_byes").with("round", u32::from(*round)),
        DeskPart::Player { round, name, .. } => text("part_player").with("round", u32::from(*round)).with("name", name.clone()),
    }
}

/// Returns why there is nothing to export.
pub fn export_error(locale: Locale, error: &ExportError) -> String {
    match error {
        ExportError::NoRound(Some(round)) => locale::sentence(locale, &text("no_round").with("round", u32::from(*round))),
        ExportError::NoRound(None) => locale::sentence(locale, &text("no_round_loaded")),
        ExportError::Unreadable(error) => error.to_string(),
    }
}

/// Returns what a round that is loaded without this pairing would lose: its result, or its game.
pub fn lost_pairing(pairing: &Pairing) -> Text {
    text(if pairing.result.is_some() { "lost_result" } else { "lost_game" })
        .with("table", u32::from(pairing.table))
        .with("white", pairing.white.titled_name())
        .with("black", pairing.black.titled_name())
        .with("result", pairing.result.map_or("*", Word::word).to_owned())
}

/// Converts what a file of pairings contains to JSON; its problems are sentences in this language. `lost`: the pairings whose results
/// are lost when it is loaded.
pub fn preview_to_json(locale: Locale, preview: &RoundPreview, lost: &[Pairing]) -> Value {
    let sentence = |problem: &Problem| {
        let message = locale::sentence(locale, &Text::from(&problem.kind));
        json!({"line": problem.line, "cell": problem.cell, "message": message})
    };
    let list = |problems: &[Problem]| -> Value { problems.iter().map(sentence).collect() };
    let mut json = json!(preview);
    if let Some(fields) = json.as_object_mut() {
        fields.insert("errors".to_owned(), list(&preview.errors));
        let lost = lost.iter().map(|pairing| locale::sentence(locale, &lost_pairing(pairing)));
        let lost = lost.map(|message| json!({"line": null, "cell": null, "message": message}));
        let warnings = preview.warnings.iter().map(sentence).chain(lost).collect();
        fields.insert("warnings".to_owned(), warnings);
    }
    json
}
