//! Commands and the answers to them, as D-Bus values.

use super::values::{DetailMap, clamped_milliseconds};
use crate::game::answer::Verdict;
use crate::game::preview::write_moves;
use crate::game::{Answer, Command};
use crate::locale::{self, Locale};
use crate::wire::{Word, command_fields};
use serde_json::Value;
use zbus::Variant;

/// Converts the answer to `Restore`: the allowed moves.
pub(super) fn allowed_value(answer: Answer) -> Vec<String> {
    match answer {
        Answer::AllowedMoves(allowed) => allowed,
        _ => Vec::new(),
    }
}

/// Converts the answer to `Undo`: the name and the argument of the command that was undone.
pub(super) fn undone_value(answer: &Answer) -> (String, String) {
    match answer {
        Answer::Undone(command) => {
            let (command, argument) = command_words(command);
            (command.to_owned(), argument)
        }
        _ => (String::new(), String::new()),
    }
}

/// Returns a command's name and argument, as in signal `Commanded`. The argument is the fields of the command, in words.
pub(crate) fn command_words(command: &Command) -> (&'static str, String) {
    let argument = match command {
        Command::Promotion { ply: Some(ply), piece } => format!("{} at ply {ply}", piece.word()),
        Command::Replace { ply, uci } => format!("{uci} at ply {ply}"),
        Command::Insert { ply, uci } => format!("{uci} before ply {ply}"),
        Command::Strike { player, ply } => format!("{} at ply {ply}", player.word()),
        Command::Tags { tags } => {
            let texts: Vec<String> = tags.iter().map(|(name, value)| format!("{name} {value:?}")).collect();
            texts.join(", ")
        }
        Command::Pause { paused } => if *paused { "on" } else { "off" }.to_owned(),
        Command::Claim { player, claimed, intended: Some(uci) } => format!("{} {} with {uci}", player.word(), claimed.word()),
        _ => {
            let texts = command_fields(command).into_iter().filter_map(|(_, value)| match value {
                Value::Null => None,
                Value::String(text) => Some(text),
                other => Some(other.to_string()),
            });
            texts.collect::<Vec<_>>().join(" ")
        }
    };
    (command.spec().word, argument)
}

/// `(right, sentence, occurrences, quiet, required, articles)`, as returned by `Claim`.
pub(super) type VerdictValue = (bool, String, Vec<u32>, u32, Vec<String>, Vec<String>);

/// Converts the verdict on a claim; returns the default for any other answer.
pub(super) fn verdict_value(answer: &Answer) -> VerdictValue {
    let Answer::Claim(Verdict { is_correct, text, occurrences, plies_without_progress, required, articles }) = answer else {
        return VerdictValue::default();
    };
    let required = required.iter().map(ToString::to_string).collect();
    (
        *is_correct,
        locale::sentence(Locale::English, text),
        occurrences.clone(),
        *plies_without_progress,
        required,
        articles.clone(),
    )
}

/// `(number, lines, action, details)`, as returned by `Preview`.
pub(super) type PreviewValue = (u64, Vec<String>, String, DetailMap);

/// Converts a preview; returns the default for any other answer.
pub(super) fn preview_value(answer: &Answer, locale: Locale) -> PreviewValue {
    let Answer::Preview(preview) = answer else { return PreviewValue::default() };
    let lines = preview.lines().iter().map(|line| locale::sentence(locale, line)).collect();
    let details: [(&str, Variant<'_>); 9] = [
        ("before", preview.before.clone().into()),
        ("after", preview.after.clone().into()),
        ("removed", write_moves(&preview.removed).into()),
        ("added", write_moves(&preview.added).into()),
        ("removes", preview.removes_moves().into()),
        ("asks", preview.asks().into()),
        ("plies_since_alert", preview.plies_since_alert().into()),
        ("white", preview.clocks.white.map_or(-1, clamped_milliseconds).into()),
        ("black", preview.clocks.black.map_or(-1, clamped_milliseconds).into()),
    ];
    let details = details.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.try_into().ok()?)));
    (preview.last_number, lines, locale::sentence(locale, &preview.action()), details.collect())
}
