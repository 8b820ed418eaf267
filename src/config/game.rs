//! How readings of the boards become a game.

use super::key::{ChangeEffect, Key, Kind, Table, key, number};
use super::values::Values;
use crate::boards::SensorKind;
use crate::laws::Laws;
use crate::table::{LightsMode, Publish, Settings};

/// The table `[game]`.
pub(super) static TABLE: Table =
    Table { name: "game", about: "How readings of the boards become a game. The same for all boards.", keys: KEYS };

const KEYS: &[Key] = &[
    key(
        "settle_ms",
        number(20, 5000, "ms"),
        Some("250"),
        "250",
        "Settle time: a move that could still become another one (a rook on its way) is published after this time without a\n\
         change.",
    )
    .changes(ChangeEffect::NextStart),
    key(
        "settle_low_ms",
        number(20, 5000, "ms"),
        Some("120"),
        "120",
        "The settle time when a player is short of time. Not more than settle_ms.",
    )
    .changes(ChangeEffect::NextStart),
    key("low_time_s", number(0, 3600, "s"), Some("120"), "120", "A player with less time than this is short of time.")
        .changes(ChangeEffect::NextStart),
    key(
        "dwell_ms",
        number(200, 600_000, "ms"),
        Some("5000"),
        "5000",
        "Without a clock, a move counts as completed when the board has not changed for this time.",
    )
    .changes(ChangeEffect::NextStart),
    key("chess960", Kind::Flag, Some("false"), "false", "Whether to accept Chess960 start positions.")
        .changes(ChangeEffect::NextStart),
    key(
        "accept_kings_signal",
        Kind::Flag,
        Some("true"),
        "true",
        "Whether kings on the centre squares set the result at once; otherwise the result waits for the arbiter. It always\n\
         waits if the board cannot show which result the kings signal.",
    )
    .changes(ChangeEffect::NextStart),
    key(
        "hypotheses",
        number(8, 4096, "lines of play"),
        Some("64"),
        "64",
        "The maximum number of lines of play that are followed for each board.",
    )
    .changes(ChangeEffect::NextStart),
    key(
        "publish",
        Kind::Word(&["prompt", "sure"]),
        Some("\"prompt\""),
        "\"sure\"",
        "When an uncertain move is published. `prompt`: at once, and corrected if necessary; `sure`: when one line of play is\n\
         clearly ahead of all others, or the move was completed.",
    )
    .changes(ChangeEffect::NextStart),
];

/// Returns the settings common to all boards.
pub(super) fn read(values: Values<'_>, laws: Laws) -> Settings {
    let settings = Settings {
        sensing: SensorKind::Identity,
        settle_ms: values.number("settle_ms"),
        settle_low_ms: values.number("settle_low_ms"),
        low_time_ms: values.number::<u32>("low_time_s") * 1000,
        dwell_ms: values.number("dwell_ms"),
        rotation: None,
        clock_side: None,
        chess960: values.flag("chess960"),
        start_fen: None,
        accept_kings_signal: values.flag("accept_kings_signal"),
        laws,
        hypotheses: values.number("hypotheses"),
        publish: if values.text("publish") == "sure" { Publish::Sure } else { Publish::Prompt },
        lights: LightsMode::Off,
    };
    let (settle, low) = (settings.settle_ms, settings.settle_low_ms);
    let span = values.span_of("settle_low_ms").or_else(|| values.span_of("settle_ms"));
    if let Some(span) = span.filter(|_| low > settle) {
        values.problems.add(
            &span,
            format!("settle_low_ms ({low}) is more than settle_ms ({settle}): the settle time must not be longer when a player is short of time; write at most {settle} for settle_low_ms, or more for settle_ms"),
        );
    }
    settings
}
