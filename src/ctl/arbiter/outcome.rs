//! What a command did to a game, in words: which move of whom.

use crate::ctl::moves::{MoveList, player_name};
use crate::game::Command;
use crate::laws::LawsWord;
use crate::publish::client::{AlertInfo, ClaimVerdict, GameInfo, Reply};

/// Returns what the command did. `before` and `after`: the moves of the game; `alerts`: those that were open before.
pub(super) fn describe(
    command: &Command,
    reply: &Reply,
    game: &GameInfo,
    alerts: &[AlertInfo],
    before: &MoveList,
    after: &MoveList,
) -> String {
    let alert_name = |id: u32| match alerts.iter().find(|alert| alert.id == id) {
        Some(alert) => format!("alert {id}, {},", before.moment(alert.ply)),
        None => format!("alert {id}"),
    };
    let outcome = match command {
        Command::Result { result: None } => "the result is withdrawn: the game continues".to_owned(),
        Command::Result { .. } => format!("the result is {}", game.result),
        Command::TakeBack { .. } => {
            let last = after
                .name(after.len())
                .map_or_else(|| "no move is left".to_owned(), |last| format!("the last move is now {last}"));
            format!("{}{last}", removed(before, after.len() + 1))
        }
        Command::Restore { ply } => {
            let restored = match before.name(*ply) {
                Some(name) => format!("the position before {name} ({}) is restored", before.place(*ply)),
                None => "the last position on record is restored".to_owned(),
            };
            format!("{}{restored}", removed(before, *ply))
        }
        Command::Replace { ply, .. } => {
            let (old, new) = (before.san(*ply).unwrap_or("?"), after.san(*ply).unwrap_or("?"));
            format!("{} is now {new}; it was {old}", after.place(*ply))
        }
        Command::Insert { ply, .. } => format!("{} is inserted: {}", after.place(*ply), after.text_from(*ply)),
        Command::Promotion { ply, .. } => match ply.or_else(|| after.last_promotion()) {
            Some(ply) => format!("{} is now {}", after.place(ply), after.san(ply).unwrap_or("?")),
            None => "the promotion is set".to_owned(),
        },
        Command::Adjust { player } => format!("{} adjusts pieces", player_name(*player)),
        Command::Acknowledge { alert } => format!("{} is closed", alert_name(*alert)),
        Command::Adopt { alert } => format!("the moves that {} proposes are on record", alert_name(*alert)),
        Command::LetStand { alert } => format!("{} is closed, and its move stands", alert_name(*alert)),
        Command::Count { player, irregularity } => {
            format!("{} was counted for {} {}", irregularity.word(), player_name(*player), after.moment(after.len()))
        }
        Command::Strike { player, ply } => {
            format!("{}'s last irregularity counted {} was removed", player_name(*player), after.moment(*ply))
        }
        Command::ClockNote { .. } => "the times were recorded".to_owned(),
        Command::Laws { laws } => format!("the Laws are now {laws}"),
        Command::Tags { tags } if tags.is_empty() => "all tags of the game were removed".to_owned(),
        Command::Tags { tags } => {
            let names: Vec<&str> = tags.iter().map(|(name, _)| name.as_str()).collect();
            format!("tags were set: {}", names.join(", "))
        }
        Command::Pause { paused: true } => "paused".to_owned(),
        Command::Pause { paused: false } => "resumed".to_owned(),
        // The reply says it.
        Command::Undo {} | Command::Claim { .. } => String::new(),
        _ => "done".to_owned(),
    };
    let reply = match reply {
        Reply::AllowedMoves(allowed) => {
            let ply = after.len() + 1;
            let sans: Vec<String> = allowed.iter().map(|uci| after.san_of(ply, uci).unwrap_or_else(|| uci.clone())).collect();
            let binding =
                if sans.is_empty() { String::new() } else { format!("\nthe touched pieces allow: {}", sans.join(" ")) };
            format!("\nthe position is {}{binding}", game.fen)
        }
        Reply::Claim(verdict) => describe_claim(verdict, before),
        Reply::Undone { command, argument } => {
            let argument = after.describe_argument(command, argument);
            format!("undone: {} {argument}", command.replace('_', " ")).trim_end().to_owned()
        }
        Reply::Done => match command {
            Command::Replace { .. } | Command::Insert { .. } | Command::Promotion { .. } => {
                format!("\nthe position is {}", game.fen)
            }
            _ => String::new(),
        },
    };
    outcome + &reply
}

/// Returns the moves that are no longer on record, from this ply on; empty if there are none.
fn removed(before: &MoveList, ply: u32) -> String {
    match before.text_from(ply) {
        moves if moves.is_empty() => moves,
        moves => format!("removed {moves}; "),
    }
}

fn describe_claim(verdict: &ClaimVerdict, moves: &MoveList) -> String {
    let occurrences: Vec<String> = verdict
        .occurrences
        .iter()
        .map(|ply| match moves.name(*ply) {
            Some(name) => format!("after {name}"),
            None if *ply == 0 => "at the start".to_owned(),
            None => "after the intended move".to_owned(),
        })
        .collect();
    let mut text = format!("{}\nthe position occurred {}", verdict.sentence, occurrences.join(", "));
    text.push_str(&format!("\nmoves of both players without a capture or a pawn move: {}", verdict.plies_without_progress));
    if !verdict.required.is_empty() {
        text.push_str(&format!("\nthe Laws require: {} ({})", verdict.required.join(", "), verdict.articles.join(", ")));
    }
    text
}
