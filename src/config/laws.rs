//! The Laws of Chess by which the event is played.

use super::key::{ChangeEffect, Key, Kind, Table, key};
use super::values::Values;
use crate::laws::{Edition, Laws, LawsWord, Supervision, TimeClass};

/// The table `[laws]`.
pub(super) static TABLE: Table = Table {
    name: "laws",
    about: "The Laws of Chess by which the event is played. `touchmovectl laws` shows what an edition says, and which parts of its\n\
            text were not available.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key("edition", Kind::Word(&crate::laws::EDITIONS), Some("\"fide-2023\""), "\"fide-2023\"", "The edition in force.").changes(ChangeEffect::NewGames),
    key(
        "time_class",
        Kind::Word(&["standard", "rapid", "blitz"]),
        Some("\"standard\""),
        "\"standard\"",
        "The time class. By the newest edition: each player's time for all moves, plus 60 times the increment; up to 10 minutes\n\
         is `blitz`, below 60 minutes `rapid` (A.1, B.1).",
    ).changes(ChangeEffect::NewGames),
    key(
        "supervision",
        Kind::Word(&["full", "limited"]),
        None,
        "\"full\"",
        "Whether the competition rules apply to rapid or blitz in full (A.4, B.2): an arbiter supervises at most three rapid\n\
         games, or one blitz game, and each game is recorded. `full`: they do; `limited`: they do not, and illegal moves stand\n\
         once the opponent has moved. With time_class = \"rapid\" or \"blitz\" this must be given, as the regulations of the event\n\
         say.",
    ).changes(ChangeEffect::NewGames),
];

/// Returns the Laws by which the event is played.
pub(super) fn read(values: Values<'_>) -> Laws {
    let class = TimeClass::from_word(&values.text("time_class")).unwrap_or(TimeClass::Standard);
    let given = values.given_text("supervision").and_then(|word| Supervision::from_word(&word));
    let supervision = given.unwrap_or(Supervision::Full);
    // Problems with either value have been reported already.
    let both_valid = !values.refused.iter().any(|key| ["time_class", "supervision"].contains(key));
    if class != TimeClass::Standard && given.is_none() && both_valid {
        let at = values.span_of("time_class").unwrap_or(values.span.clone());
        let message = format!(
            "a {} event must state how its games are supervised: write supervision = \"full\" if each is watched and recorded, otherwise supervision = \"limited\"",
            class.word()
        );
        values.problems.add(&at, message);
    }
    if class == TimeClass::Standard && supervision == Supervision::Limited && both_valid {
        let at = values.span_of("supervision").unwrap_or(values.span.clone());
        values
            .problems
            .add(&at, "standard games cannot have limited supervision: omit it, or write time_class = \"rapid\" or \"blitz\"");
    }
    let edition = Edition::named(&values.text("edition")).unwrap_or(Laws::default().edition);
    Laws { edition, class, supervision }
}
