//! Outcomes of orders, for front-ends: answers as JSON, and errors in the reader's language.

use crate::daemon::hub::{Inactive, OrderError};
use crate::game::answer::Verdict;
use crate::game::preview::write_moves;
use crate::game::{Answer, ClockTime, Preview, Text};
use crate::locale::{self, Locale};
use crate::wire::command_to_value;
use serde_json::{Value, json};

/// Returns why an order was not executed, as a sentence.
pub(super) fn order_error(locale: Locale, error: &OrderError) -> String {
    let text = |name: &str| Text::new(&format!("order-{name}"));
    let text = match error {
        OrderError::Changed { news, .. } if !news.is_empty() => {
            Text::new("news-since").with("news", locale::sentences(locale, news))
        }
        OrderError::Changed { .. } => text("changed"),
        OrderError::Refused(refusal) => Text::from(refusal),
        OrderError::NoSuchBoard(board) => text("no_such_board").with("board", board.clone()),
        OrderError::NoSuchGame(game) => text("no_such_game").with("game", game.to_string()),
        OrderError::BoardAway { game, board } => {
            text("board_away").with("game", game.to_string()).with("board", board.to_string())
        }
        OrderError::NotCurrent { requested, board, current } => text("not_current")
            .with("requested", requested.to_string())
            .with("board", board.to_string())
            .with("current", current.to_string()),
        OrderError::GameReplaced => text("game_replaced"),
        OrderError::NoGameToContinue(board) => text("no_game_to_continue").with("board", board.to_string()),
        OrderError::BoardInUse { board, game } => {
            text("board_in_use").with("board", board.to_string()).with("game", game.to_string())
        }
        OrderError::Playing { board, game } => text("playing").with("board", board.to_string()).with("game", game.to_string()),
        OrderError::CannotIdentify(board) => text("cannot_identify").with("board", board.to_string()),
        OrderError::NotConnected(board) => text("not_connected").with("board", board.to_string()),
        OrderError::Testing(board) => text("testing").with("board", board.to_string()),
        OrderError::NotTesting(board) => text("not_testing").with("board", board.to_string()),
        OrderError::TestElsewhere(board) => text("test_elsewhere").with("board", board.to_string()),
        OrderError::PositionNotSetUp { board, squares } if squares.is_empty() => {
            text("squares_unknown").with("board", board.to_string())
        }
        OrderError::PositionNotSetUp { board, squares } => {
            let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
            text("not_set_up").with("board", board.to_string()).with("squares", squares.join(" "))
        }
        OrderError::GameTooLong(board) => text("game_too_long").with("board", board.to_string()),
        OrderError::MachineAway { machine, seconds: Some(seconds) } => {
            text("machine_away").with("machine", machine.clone()).with("seconds", seconds.to_string())
        }
        OrderError::MachineAway { machine, seconds: None } => text("machine_unheard").with("machine", machine.clone()),
        OrderError::OutcomeUnknown { machine } => text("outcome_unknown").with("machine", machine.clone()),
        OrderError::RefusedByMachine { text: Some(text), .. } => text.clone(),
        OrderError::RefusedByMachine { message, text: None, .. } => return message.clone(),
        OrderError::Unreadable(error) => text("unreadable").with("error", error.clone()),
        OrderError::JournalFull(error) => text("not_stored").with("error", error.clone()),
        OrderError::Inactive(inactive) => inactive_text(inactive),
        OrderError::NotCopied => text("not_copied"),
        OrderError::Stopping => text("stopping"),
    };
    locale::sentence(locale, &text)
}

/// Returns why this hub does nothing.
pub(super) fn inactive_text(inactive: &Inactive) -> Text {
    match inactive {
        Inactive::OtherHub { host } => Text::new("order-other_hub").with("host", host.clone()),
        Inactive::Unreachable => Text::new("order-hub_unreachable"),
    }
}

/// Converts the answer to a command to JSON, and to a sentence where there is one.
pub(super) fn answer_to_json(locale: Locale, answer: &Answer) -> (Value, String) {
    match answer {
        Answer::Done => ("done".into(), String::new()),
        Answer::AllowedMoves(allowed) => (json!({"allowed": allowed}), String::new()),
        Answer::Undone(command) => (json!({"undone": command_to_value(command)}), String::new()),
        Answer::Claim(Verdict { is_correct, text, occurrences, plies_without_progress, required, articles }) => {
            let required: Vec<String> = required.iter().map(|act| locale::ruling_act(locale, act)).collect();
            let verdict = json!({
                "correct": is_correct,
                "occurrences": occurrences,
                "plies_without_progress": plies_without_progress,
                "required": required,
                "articles": articles,
            });
            (json!({"claim": verdict}), locale::sentence(locale, text))
        }
        Answer::Preview(preview) => (json!({"preview": preview_to_json(locale, preview)}), String::new()),
    }
}

/// Converts a preview to JSON; its lines and the words of its button are in this language.
pub(super) fn preview_to_json(locale: Locale, preview: &Preview) -> Value {
    let ms = |time: Option<ClockTime>| time.map(|time| time.ms);
    let lines: Vec<String> = preview.lines().iter().map(|line| locale::sentence(locale, line)).collect();
    json!({
        "n": preview.last_number,
        "lines": lines,
        "action": locale::sentence(locale, &preview.action()),
        "first_ply": preview.first_ply,
        "removed": preview.removed.len(),
        "removed_moves": write_moves(&preview.removed),
        "added": preview.added.len(),
        "added_moves": write_moves(&preview.added),
        "before": preview.before,
        "after": preview.after,
        "clock_white_ms": ms(preview.clocks.white),
        "clock_black_ms": ms(preview.clocks.black),
        "removes": preview.removes_moves(),
        "asks": preview.asks(),
        "alert": preview.alert.map(|(id, _)| id),
        "plies_since_alert": preview.plies_since_alert(),
    })
}
