//! Events as text, in which moves have their numbers.

use crate::ctl::diagram::clock;
use crate::ctl::moves::MoveList;
use crate::publish::client::WatchedEvent;
use serde_json::Value;

/// Returns the event as text. `before` and `after`: the moves of the game before and after it.
pub(super) fn sentence(event: &WatchedEvent, before: &MoveList, after: &MoveList) -> String {
    let text = |name: &str| match event.fields.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let number = |name: &str| event.fields.get(name).and_then(Value::as_u64).unwrap_or_default();
    let ply = |name: &str| u32::try_from(number(name)).unwrap_or(u32::MAX);
    let name = |ply: u32| after.name(ply).unwrap_or_else(|| after.place(ply));
    let time = |name: &str| {
        let ms = event.fields.get(name).and_then(|value| value.get(0)?.as_i64()).and_then(|ms| i32::try_from(ms).ok());
        clock(ms.unwrap_or(-1))
    };
    match event.event.as_str() {
        "GameStarted" => format!("game {} begins", event.game.unwrap_or_default()),
        "MoveMade" => {
            let confidence = event.fields.get("confidence").and_then(Value::as_f64).unwrap_or(1.0);
            let doubt = if confidence < 0.99 { format!("  ({:.0} % sure)", confidence * 100.0) } else { String::new() };
            let irregular = event.fields.get("details").and_then(|details| details.get("irregular")).is_some();
            let irregular = if irregular { "  NOT LEGAL" } else { "" };
            format!("{}{irregular}{doubt}", name(ply("ply")))
        }
        "MoveCompleted" => match (time("white"), time("black")) {
            (white, black) if white.starts_with('-') && black.starts_with('-') => {
                format!("{} completed ({})", name(ply("ply")), text("by").replace('_', " "))
            }
            (white, black) => format!("{} completed, {white} {black}", name(ply("ply"))),
        },
        "MovesCorrected" => {
            let (from, reason) = (ply("from_ply"), text("reason").replace('_', " "));
            match (before.text_from(from), after.text_from(from)) {
                (old, new) if new.is_empty() => format!("{old} removed ({reason})"),
                (old, new) if old.is_empty() => format!("added {new} ({reason})"),
                (old, new) => format!("corrected to {new}, was {old} ({reason})"),
            }
        }
        "ClockRevised" => format!("{} clocks revised, {} {}", name(ply("ply")), time("white"), time("black")),
        "ResultChanged" if text("result") == "*" => "the result is withdrawn".to_owned(),
        "ResultChanged" => format!("result {} ({})", text("result"), text("reason").replace('_', " ")),
        "AlertRaised" => {
            let moment = match (ply("ply"), after.name(ply("ply"))) {
                (0, _) => String::new(),
                (_, Some(name)) => format!(" after {name}"),
                (ply, None) => format!(" at {}", after.place(ply)),
            };
            format!("ALERT {}{moment}: {}", number("id"), text("detail"))
        }
        "AlertCleared" => format!("alert {} closed", number("id")),
        "BoardFault" if text("fault") == "mended" => format!("{} works again: {}", text("square"), text("detail")),
        "BoardFault" => format!("FAULT {} is {}: {}", text("square"), text("fault"), text("detail")),
        // The names have a column of their own.
        "Commanded" if text("command") == "tags" => format!("{} set the names and other tags", text("by")),
        "Commanded" => {
            let argument = before.describe_argument(&text("command"), &text("argument"));
            format!("{} commanded {} {argument}", text("by"), text("command").replace('_', " ")).trim_end().to_owned()
        }
        "Touched" => format!("{} {} -> {}", text("square"), text("before"), text("now")),
        _ => {
            let fields = event.fields.iter().filter(|(name, _)| *name != "interface");
            let changed: Vec<String> = fields.map(|(name, value)| format!("{name} {value}")).collect();
            changed.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(name: &str, fields: Value) -> WatchedEvent {
        let fields = fields.as_object().cloned().unwrap();
        WatchedEvent { game: Some(1), board: None, number: None, time: None, event: name.to_owned(), fields }
    }

    #[test]
    fn events_name_their_moves() {
        let mut moves = MoveList::default();
        let mut next = |name: &str, fields: Value| {
            let (event, before) = (event(name, fields), moves.clone());
            moves.apply(&event);
            sentence(&event, &before, &moves)
        };
        assert_eq!(next("GameStarted", json!({"start": "4k3/8/8/8/8/8/8/4K3 b - - 3 40"})), "game 1 begins");
        let made = |ply: u32, san: &str, fen: &str| json!({"ply": ply, "san": san, "fen": fen, "confidence": 0.8});
        let fen = "3k4/8/8/8/8/8/8/4K3 w - - 4 41";
        assert_eq!(next("MoveMade", made(1, "Kd8", fen)), "40...Kd8  (80 % sure)");
        let clocks = json!({"ply": 1, "by": "clock", "white": [60_000, 0, 0], "black": [50_000, 0, 0]});
        assert_eq!(next("MoveCompleted", clocks), "40...Kd8 completed, 0:01:00 0:00:50");
        assert_eq!(next("MoveCompleted", json!({"ply": 1, "by": "own_next_move"})), "40...Kd8 completed (own next move)");
        assert_eq!(
            next("AlertRaised", json!({"id": 3, "ply": 1, "detail": "it is late"})),
            "ALERT 3 after 40...Kd8: it is late"
        );
        let commanded = json!({"by": "ann", "command": "restore", "argument": "1"});
        assert_eq!(next("Commanded", commanded), "ann commanded restore the position before Black's move 40");
        let correction =
            json!({"from_ply": 1, "moves": [["e8f8", "Kf8", "5k2/8/8/8/8/8/8/4K3 w - - 4 41", {}]], "reason": "evidence"});
        assert_eq!(next("MovesCorrected", correction), "corrected to 40...Kf8, was 40...Kd8 (evidence)");
        assert_eq!(
            next("MovesCorrected", json!({"from_ply": 1, "moves": [], "reason": "takeback"})),
            "40...Kf8 removed (takeback)"
        );
    }
}
