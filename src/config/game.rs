//! How readings of the boards become a game.

use super::key::{ChangeEffect, Key, Kind, Table, key, number};
use super::values::Values;
use crate::boards::SensorKind;
use crate::game::words::Word;
use crate::laws::Laws;
use crate::table::{HandCosts, LightsMode, Publish, PublishPurpose, Settings};

/// The table `[game]`.
pub(super) static TABLE: Table =
    Table { name: "game", about: "How readings of the boards become a game. The same for all boards.", keys: KEYS };

const KEYS: &[Key] = &[
    key(
        "settle_ms",
        number(20, 5000, "ms"),
        Some("250"),
        "250",
        "Settle time: a board that no move explains is evaluated after this time without a change.",
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
    key(
        "purpose",
        Kind::Word(&["broadcast", "play", "arbiter"]),
        Some("\"broadcast\""),
        "\"play\"",
        "Whom moves are published for. A move that may still turn out to be another one (a rook on its way, one of two captures\n\
         that look the same) waits for as long as that costs less than publishing it wrongly. A wrong move costs as much as this\n\
         many seconds of delay: `broadcast` 100, `play` (on a server, which cannot take a move back) 400, `arbiter` 20. While a\n\
         player is short of time, a delay costs twice as much.",
    )
    .changes(ChangeEffect::NextStart),
    key("wrong_move_cost", number(1, 1_000_000, "the unit of delay_cost"), None, "100", "What a wrong move costs, instead of what purpose says.")
        .changes(ChangeEffect::NextStart),
    key("delay_cost", number(1, 1_000_000, "for each second"), None, "1", "What a second of delay costs, instead of what purpose says.")
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
        "When an uncertain move is published. `prompt`: see purpose, and corrected if necessary; `sure`: when one line of play is\n\
         clearly ahead of all others, or the move was completed.",
    )
    .changes(ChangeEffect::NextStart),
];

/// Returns the settings common to all boards.
pub(super) fn read(values: Values<'_>, laws: Laws) -> Settings {
    let purpose = PublishPurpose::from_word(&values.text("purpose")).unwrap_or(PublishPurpose::Broadcast);
    let (wrong_move_cost, delay_cost) = purpose.costs();
    let cost = |name: &str, default: u32| if values.find(name).is_some() { values.number(name) } else { default };
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
        wrong_move_cost: cost("wrong_move_cost", wrong_move_cost),
        delay_cost: cost("delay_cost", delay_cost),
        publish: if values.text("publish") == "sure" { Publish::Sure } else { Publish::Prompt },
        lights: LightsMode::Off,
        hands: HandCosts::default(),
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
