//! Events as D-Bus values: one table for both signals and the reply of `Since`.

use super::answers::command_words;
use super::{SignalSpec, Stream};
use crate::boards::Millis;
use crate::boards::{Placement, SquareState};
use crate::game::event::ClockTime;
use crate::game::record::{Ply, PlyState};
use crate::game::rights::Audience;
use crate::game::{Alert, Event, PlayedMove, Sighting, TouchSighting};
use crate::laws::{CountedAttempt, IrregularityCounts, LawsWord};
use crate::locale::{self, Locale};
use crate::names::{ARBITER_INTERFACE, GAME_INTERFACE, OPERATOR_INTERFACE};
use crate::wire::{Word, sensed_to_word};
use shakmaty::Color;
use std::collections::HashMap;
use zbus::{OwnedVariant, Variant};

/// `(ms, resolution_ms, age_ms)`, with `ms` −1 where no clock is connected.
pub(super) type ClockValue = (i32, u32, u32);
/// Details of a move, by name: `irregular` (b) where it was not legal, and on the live stream `evidence` (a(xsss)).
pub(super) type DetailMap = HashMap<String, OwnedVariant>;
/// `(uci, san, state, time, white, black, confidence, details)`, as in property `Moves` of a game.
pub(super) type MoveValue = (String, String, String, i64, i32, i32, f64, DetailMap);
/// `(uci, san, fen, details)`, as in signal `MovesCorrected`.
pub(super) type CorrectedMoveValue = (String, String, String, DetailMap);

/// `(id, kind, ply, by, articles, squares, detail, position, details)`, as in property `Alerts`. `details` has `notice` (b),
/// `required` (as), `white` and `black` (i, milliseconds, −1 where unknown), and optionally `allowed` (as), `count` (u),
/// `put_right` (s), `proposed` (as), `evidence` (a(xsss)), `evidence_kind` (s) and `touches` (a(xxs)).
pub(super) type AlertValue = (u32, String, u32, String, Vec<String>, Vec<String>, String, String, DetailMap);

/// A durable event in D-Bus terms.
pub(super) struct PastSignal {
    /// The interface that has the signal.
    pub interface: &'static str,
    /// The signal's name.
    pub name: &'static str,
    /// The signal's arguments after `number` and `time`, by name and in order.
    pub fields: Vec<(&'static str, Variant<'static>)>,
}

/// Converts a durable event for this stream; returns `None` for transient events, and for those that its clients may not know of.
/// `wall` converts to the time of day, in milliseconds since 1970-01-01 UTC.
pub(super) fn signal_value(event: &Event, stream: Stream, wall: &dyn Fn(Millis) -> i64) -> Option<PastSignal> {
    if !event.is_durable() || event.audience() > stream.audience() {
        return None;
    }
    let interface = match event.audience() {
        Audience::Public => GAME_INTERFACE,
        Audience::Operator => OPERATOR_INTERFACE,
        Audience::Arbiter => ARBITER_INTERFACE,
    };
    let name = match event {
        Event::Result { .. } => "ResultChanged",
        _ => event.name(),
    };
    let fields = match event {
        Event::GameStarted { fen, chess960, laws, rotation: _ } => vec![
            ("start", fen.clone().into()),
            ("chess960", chess960.map_or(-1, i32::from).into()),
            ("laws", laws.clone().into()),
        ],
        Event::MoveMade { ply, played, confidence, alternatives } => vec![
            ("ply", (*ply).into()),
            ("uci", played.uci.clone().into()),
            ("san", played.san.clone().into()),
            ("fen", played.fen.clone().into()),
            ("confidence", (f64::from(confidence.0) / 1000.0).into()),
            (
                "alternatives",
                alternatives
                    .iter()
                    .map(|other| (other.uci.clone(), f64::from(other.confidence.0) / 1000.0))
                    .collect::<Vec<_>>()
                    .into(),
            ),
            ("details", move_details(played, stream, wall).into()),
        ],
        Event::MoveCompleted { ply, by, clocks } => vec![
            ("ply", (*ply).into()),
            ("by", by.word().into()),
            ("white", clock_value(clocks.white).into()),
            ("black", clock_value(clocks.black).into()),
        ],
        Event::MovesCorrected { from_ply, moves, reason } => vec![
            ("from_ply", (*from_ply).into()),
            ("moves", moves.iter().map(|played| corrected_move_value(played, stream, wall)).collect::<Vec<_>>().into()),
            ("reason", reason.word().into()),
        ],
        Event::ClockRevised { ply, clocks } => vec![
            ("ply", (*ply).into()),
            ("white", clock_value(clocks.white).into()),
            ("black", clock_value(clocks.black).into()),
        ],
        Event::AlertRaised(raised) => {
            let (id, kind, ply, by, articles, squares, detail, position, details) =
                alert_value(raised, stream.audience(), wall);
            vec![
                ("id", id.into()),
                ("kind", kind.into()),
                ("ply", ply.into()),
                ("by", by.into()),
                ("articles", articles.into()),
                ("squares", squares.into()),
                ("detail", detail.into()),
                ("position", position.into()),
                ("details", details.into()),
            ]
        }
        Event::Commanded { command, by } => {
            let (name, argument) = command_words(command);
            vec![("command", name.into()), ("argument", argument.into()), ("by", by.clone().into())]
        }
        other => json_fields(other, SignalSpec::find(name)?),
    };
    Some(PastSignal { interface, name, fields })
}

/// Converts an event whose signal has the fields of its JSON form: texts, numbers and truth values.
fn json_fields(event: &Event, signal: &'static SignalSpec) -> Vec<(&'static str, Variant<'static>)> {
    let form = serde_json::to_value(event).unwrap_or_default();
    let convert = |(name, kind): &(&'static str, &'static str)| {
        let value = form.get(name)?;
        let value: Variant<'static> = match *kind {
            "s" => value.as_str()?.to_owned().into(),
            "u" => u32::try_from(value.as_u64()?).ok()?.into(),
            "b" => value.as_bool()?.into(),
            _ => return None,
        };
        Some((*name, value))
    };
    signal.fields().iter().filter_map(convert).collect()
}

fn corrected_move_value(played: &PlayedMove, stream: Stream, wall: &dyn Fn(Millis) -> i64) -> CorrectedMoveValue {
    (played.uci.clone(), played.san.clone(), played.fen.clone(), move_details(played, stream, wall))
}

/// Returns the details of a move. Only the arbiter's stream has the evidence, because it shows what was touched.
fn move_details(played: &PlayedMove, stream: Stream, wall: &dyn Fn(Millis) -> i64) -> DetailMap {
    let mut details = DetailMap::new();
    if played.irregular {
        details.extend(named_values([("irregular", true.into())]));
        if stream == Stream::Live {
            details.extend(named_values([("evidence", evidence_value(&played.evidence, wall))]));
        }
    }
    details
}

fn named_values(fields: impl IntoIterator<Item = (&'static str, Variant<'static>)>) -> DetailMap {
    // Only a file descriptor can fail to be copied.
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), OwnedVariant::try_from(value).ok()?))).collect()
}

fn evidence_value(evidence: &[Sighting], wall: &dyn Fn(Millis) -> i64) -> Variant<'static> {
    let to_value = |sighting: &Sighting| {
        (wall(sighting.at), sighting.square.to_string(), sensed_value(sighting.before), sensed_value(sighting.now))
    };
    evidence.iter().map(to_value).collect::<Vec<(i64, String, String, String)>>().into()
}

fn touches_value(touches: &[TouchSighting], wall: &dyn Fn(Millis) -> i64) -> Variant<'static> {
    let to_value = |touch: &TouchSighting| (wall(touch.at), wall(touch.until), touch.square.to_string());
    touches.iter().map(to_value).collect::<Vec<(i64, i64, String)>>().into()
}

/// Converts an alert for property `Alerts` or `ToDo`.
pub(super) fn alert_value(alert: &Alert, audience: Audience, wall: &dyn Fn(Millis) -> i64) -> AlertValue {
    let mut details = named_values([
        ("notice", alert.kind.is_notice().into()),
        ("required", alert.required.iter().map(ToString::to_string).collect::<Vec<_>>().into()),
        ("white", alert.clocks.white.map_or(-1, clamped_milliseconds).into()),
        ("black", alert.clocks.black.map_or(-1, clamped_milliseconds).into()),
    ]);
    if !alert.allowed.is_empty() {
        details.extend(named_values([("allowed", alert.allowed.clone().into())]));
    }
    // What the squares showed is what the players touched.
    if !alert.evidence.is_empty() && audience == Audience::Arbiter {
        details.extend(named_values([("evidence", evidence_value(&alert.evidence, wall))]));
    }
    if !alert.touches.is_empty() && audience == Audience::Arbiter {
        details.extend(named_values([("touches", touches_value(&alert.touches, wall))]));
    }
    details.extend(alert.touch_evidence().iter().flat_map(|kind| named_values([("evidence_kind", kind.word().into())])));
    if !alert.proposed.is_empty() {
        details.extend(named_values([("proposed", alert.proposed.clone().into())]));
    }
    details.extend(alert.put_right.iter().flat_map(|san| named_values([("put_right", san.clone().into())])));
    details.extend(alert.count.into_iter().flat_map(|count| named_values([("count", count.into())])));
    (
        alert.id,
        alert.kind.word().to_owned(),
        alert.ply,
        alert.by.map_or("", Color::word).to_owned(),
        alert.articles.clone(),
        alert.squares.iter().map(ToString::to_string).collect(),
        locale::sentence(Locale::English, &alert.text),
        alert.position.clone(),
        details,
    )
}

/// Returns an alert in one language: heading, sentence, and what the Laws then require.
pub(super) fn describe_alert(alert: &Alert, locale: Locale) -> (String, String, Vec<String>) {
    let required = alert.required.iter().map(|act| locale::ruling_act(locale, act)).collect();
    (locale::alert_heading(locale, alert.kind.word()), locale::sentence(locale, &alert.text), required)
}

/// Converts the counted irregularities for property `Irregularities`, in chronological order.
pub(super) fn tally_value(tally: &IrregularityCounts, wall: &dyn Fn(Millis) -> i64) -> Vec<(String, u32, Vec<String>, i64)> {
    let counts_of = |player: Color| tally.of(player).iter().map(move |counted| (player, counted));
    let mut attempts: Vec<(Color, &CountedAttempt)> = Color::ALL.into_iter().flat_map(counts_of).collect();
    attempts.sort_by_key(|(_, counted)| counted.pressed_at);
    let to_value = |(player, counted): (Color, &CountedAttempt)| {
        let what = counted.irregularities.iter().map(|what| what.word().to_owned()).collect();
        (player.word().to_owned(), counted.ply, what, wall(counted.pressed_at))
    };
    attempts.into_iter().map(to_value).collect()
}

fn clock_value(time: Option<ClockTime>) -> ClockValue {
    time.map_or((-1, 0, 0), |time| (clamped_milliseconds(time), time.resolution_ms, time.age_ms))
}

/// Returns the milliseconds left, at most `i32::MAX` (24 days).
pub(super) fn clamped_milliseconds(time: ClockTime) -> i32 {
    i32::try_from(time.ms).unwrap_or(i32::MAX)
}

/// Converts one ply for property `Moves`.
pub(super) fn move_value(ply: &Ply, stream: Stream, wall: &dyn Fn(Millis) -> i64) -> MoveValue {
    let state = match ply.state {
        PlyState::Made => "made",
        PlyState::Completed { by, .. } => by.word(),
    };
    (
        ply.played.uci.clone(),
        ply.played.san.clone(),
        state.to_owned(),
        wall(ply.made_at),
        ply.clocks.white.map_or(-1, clamped_milliseconds),
        ply.clocks.black.map_or(-1, clamped_milliseconds),
        f64::from(ply.confidence.0) / 1000.0,
        move_details(&ply.played, stream, wall),
    )
}

/// Formats a placement as 64 characters, a1 b1 … h8: `.` for empty, a piece's FEN letter, `w` or `o` for a white or black piece of
/// unknown kind, `x` for any piece. Empty before the first complete reading.
pub(super) fn placement_value(placement: Option<&Placement>) -> String {
    placement.map_or_else(String::new, |squares| {
        squares
            .iter()
            .map(|sensed| match sensed {
                SquareState::Empty => '.',
                SquareState::Piece(piece) => piece.char(),
                SquareState::Side(Color::White) => 'w',
                SquareState::Side(Color::Black) => 'o',
                SquareState::Occupied => 'x',
            })
            .collect()
    })
}

/// Formats what a square shows, as in signal `Touched` and property `Displaced`.
pub(super) fn sensed_value(sensed: SquareState) -> String {
    sensed_to_word(sensed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::event::{Alternative, ClockTimes, Durability, Rotation};
    use crate::game::{AlertKind, CompletedBy, Confidence, CorrectionReason, Fault, GameResult, ResultReason, Text};

    fn one_of_each() -> Vec<Event> {
        let played =
            PlayedMove { uci: "e2e4".into(), san: "e4".into(), fen: "fen".into(), irregular: false, evidence: Vec::new() };
        let time = ClockTime { ms: 1, resolution_ms: 2, age_ms: 3 };
        let clocks = ClockTimes { white: Some(time), black: None };
        let alternatives = vec![Alternative { uci: "e2e3".into(), confidence: Confidence(1) }];
        let alert = Alert {
            id: 1,
            kind: AlertKind::WrongStart,
            ply: 0,
            by: None,
            articles: vec!["7.2.1".into()],
            squares: vec![shakmaty::Square::E1],
            text: Text::new("wrong_start"),
            position: "fen".into(),
            clocks,
            required: Vec::new(),
            allowed: Vec::new(),
            count: None,
            evidence: Vec::new(),
            evidence_kind: None,
            touches: Vec::new(),
            put_right: None,
            proposed: Vec::new(),
        };
        vec![
            Event::GameStarted { fen: "fen".into(), chess960: None, laws: "fide-2023".into(), rotation: Rotation::Upright },
            Event::MoveMade { ply: 1, played: played.clone(), confidence: Confidence(999), alternatives },
            Event::MoveCompleted { ply: 1, by: CompletedBy::Clock, clocks },
            Event::MovesCorrected { from_ply: 1, moves: vec![played], reason: CorrectionReason::Evidence },
            Event::ClockRevised { ply: 1, clocks },
            Event::AlertRaised(Box::new(alert)),
            Event::AlertCleared { id: 1 },
            Event::Result { result: Some(GameResult::Draw), reason: ResultReason::Arbiter },
            Event::Commanded { command: crate::game::Command::TakeBack { plies: 1 }, by: "somebody".into() },
            Event::BoardFault { square: shakmaty::Square::E1, fault: Fault::Stuck, detail: "detail".into() },
        ]
    }

    #[test]
    fn every_durable_event_has_the_documented_signal_arguments() {
        let events = one_of_each();
        let words: Vec<&str> = events.iter().map(Event::word).collect();
        for kind in Event::KINDS.iter().filter(|kind| kind.durability == Durability::Durable) {
            assert!(words.contains(&kind.word), "{} is not among the events of this test", kind.word);
        }
        for event in one_of_each() {
            assert!(event.is_durable());
            let signal = signal_value(&event, Stream::Live, &|at| at as i64).unwrap();
            if signal.name == "GameStarted" {
                continue;
            }
            let documented = SignalSpec::find(signal.name).unwrap_or_else(|| panic!("{} is not documented", signal.name));
            assert_eq!(signal.interface, documented.interface, "{}", signal.name);
            assert!(documented.is_numbered(), "{}", signal.name);
            let types: Vec<String> = signal.fields.iter().map(|(_, value)| value.value_signature().to_string()).collect();
            let actual: Vec<(&str, &str)> =
                signal.fields.iter().zip(&types).map(|((name, _), kind)| (*name, kind.as_str())).collect();
            assert_eq!(actual, documented.fields(), "{}", signal.name);
        }
    }
}
