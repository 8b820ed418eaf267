//! Compares the outcome of a case with the expected outcome.

use super::form::{Case, Row};
use super::perform::{Manner, Outcome};
use crate::core::rulings::words;
use touchmove::boards::Millis;
use touchmove::game::event::AlertCategory;
use touchmove::game::{Alert, AlertKind, Arg, Event};
use touchmove::laws::reason::why_illegal;
use touchmove::wire::Word;

/// At a pace below this, in milliseconds, the following alerts may be missing, but no other alert may be raised in their place:
/// a piece that is back on its square within a second is adjusted or brushed, one that moves on within a second was not
/// released, and clock and squares are reported up to a second apart.
const SLOW_PACE: Millis = 1_600;
const NEED_TIME: [AlertKind; 5] = [
    AlertKind::TouchMove,
    AlertKind::TouchCapture,
    AlertKind::PossibleTouch,
    AlertKind::ReleaseChanged,
    AlertKind::PressBeforeRelease,
];

/// Alerts that are never raised without evidence from the board.
const NEED_EVIDENCE: [AlertKind; 7] = [
    AlertKind::IllegalPending,
    AlertKind::IllegalMove,
    AlertKind::Displaced,
    AlertKind::DisplacedFound,
    AlertKind::CaptureUnclear,
    AlertKind::PositionUnexplained,
    AlertKind::PressBeforeRelease,
];

/// All differences between an outcome and the expected one.
pub fn differences(case: &Case, manner: Manner, outcome: &Outcome) -> Vec<String> {
    let mut differences = moves(case, outcome);
    differences.extend(alerts(case, manner, outcome));
    differences.extend(result(case, outcome));
    differences.extend(verdicts(case, manner, outcome));
    differences.extend(completed(case, outcome));
    differences.extend(outcome.refused.iter().map(|refused| format!("a command was refused: {refused}")));
    differences
}

fn raised(outcome: &Outcome) -> impl Iterator<Item = &Alert> {
    outcome.events.iter().filter_map(|event| if let Event::AlertRaised(alert) = event { Some(&**alert) } else { None })
}

fn moves(case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut differences = Vec::new();
    let played: Vec<&str> = outcome.moves.iter().map(|(uci, _)| uci.as_str()).collect();
    let expected: Vec<&str> = case.moves.iter().chain(&case.expect.moves).map(String::as_str).collect();
    let san = outcome.moves.get(case.moves.len()).map(|(_, san)| san);
    let right_san = case.expect.san.as_ref().is_none_or(|expect| san == Some(expect));
    if !played.starts_with(&expected) || !right_san || (case.expect.exact && played.len() > expected.len()) {
        differences.push(format!("moves are {:?}, expected {expected:?}, {:?}", outcome.moves, case.expect.san));
    }
    let mut position = case.now();
    let mut reason = String::new();
    for (uci, san) in outcome.moves.iter().skip(case.moves.len()) {
        let legal = position.parse_uci(uci).filter(|&mv| position.san(mv) == *san);
        let Some(mv) = legal.or_else(|| position.any_move(uci)) else { break };
        if let Some(why) = why_illegal(&position, mv) {
            why.key().clone_into(&mut reason);
            break;
        }
        position = position.play(mv);
    }
    // An alert may state the reason more precisely than the move.
    let stated = raised(outcome).filter(|alert| alert.kind == AlertKind::IllegalMove).find_map(|alert| {
        alert.text.args.iter().find_map(|(name, arg)| match arg {
            Arg::Text(text) if name == "reason" => text.key.strip_prefix("reason-"),
            _ => None,
        })
    });
    if let Some(stated) = stated {
        stated.clone_into(&mut reason);
    }
    if reason != case.expect.reason {
        differences.push(format!("{:?}: illegal because of {reason:?}, expected {:?}", outcome.moves, case.expect.reason));
    }
    differences
}

fn alerts(case: &Case, manner: Manner, outcome: &Outcome) -> Vec<String> {
    let mut differences = Vec::new();
    let expect = &case.expect;
    let rows: Vec<&Row> = case.rulings.iter().filter(|row| row.laws == manner.laws).collect();
    // The alert that an edition requires replaces the first expected alert.
    let mut expected: Vec<AlertKind> = expect.alerts.iter().skip(usize::from(!rows.is_empty())).copied().collect();
    expected.extend(rows.iter().filter_map(|row| row.alert));
    let kinds: Vec<AlertKind> = raised(outcome).map(|alert| alert.kind).collect();
    let raised_kinds: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    for kind in &expected {
        let too_fast = manner.pace < SLOW_PACE && NEED_TIME.contains(kind);
        if !kinds.contains(kind) && !too_fast {
            differences.push(format!("alerts are {raised_kinds:?}, {} is missing", kind.word()));
        }
    }
    // A case that expects an alert may raise others, unless it is exact.
    let counts = |kind: &AlertKind| match expect.exact {
        true => kind.category() != AlertCategory::Device,
        false => expected.is_empty() && !kind.is_notice(),
    };
    let surplus = |kind: &&AlertKind| counts(kind) && !expected.contains(kind) && !expect.tolerated.contains(kind);
    if let Some(kind) = kinds.iter().find(surplus) {
        differences.push(format!("alerts are {raised_kinds:?}, {} is not allowed", kind.word()));
    }
    if let Some(kind) = kinds.iter().find(|kind| expect.quiet.contains(kind)) {
        differences.push(format!("alerts are {raised_kinds:?}, {} is not allowed", kind.word()));
    }
    let first = raised(outcome).find(|alert| expect.alerts.first() == Some(&alert.kind));
    if let Some(alert) = first.filter(|_| !expect.evidence.is_empty()) {
        let actual = alert.touch_evidence().map_or("nothing", Word::word);
        if actual != expect.evidence {
            differences.push(format!("{} rests on {actual}, expected {}", alert.kind.word(), expect.evidence));
        }
        if alert.touches.is_empty() {
            differences.push(format!("{} has no touches", alert.kind.word()));
        }
    }
    for alert in raised(outcome) {
        if NEED_EVIDENCE.contains(&alert.kind) && alert.evidence.is_empty() {
            differences.push(format!("{} was raised without evidence", alert.kind.word()));
        }
    }
    for row in rows {
        let alert = row.alert.and_then(|kind| raised(outcome).filter(|alert| alert.kind == kind).last());
        differences.extend(alert.into_iter().flat_map(|alert| ruling(case, row, alert)));
    }
    differences
}

/// Compares an alert with the row of an edition.
fn ruling(case: &Case, row: &Row, alert: &Alert) -> Vec<String> {
    let mut differences = cited(&alert.articles, &row.articles, &row.never);
    let acts = words(&alert.required);
    if let Some(expected) = row.acts.as_ref().filter(|expected| **expected != acts) {
        differences.push(format!("\"{acts}\" is required, expected \"{expected}\""));
    }
    let restores = &case.expect.restores;
    if !restores.is_empty() && alert.position != *restores {
        differences.push(format!("the position to restore is {}, expected {restores}", alert.position));
    }
    let mut allowed = alert.allowed.clone();
    allowed.sort();
    let is_first = row.laws == case.laws && case.expect.alerts.first() == Some(&alert.kind);
    let expected = if case.expect.exact && is_first { &case.allowed } else { &row.allowed };
    if !expected.is_empty() && allowed != *expected {
        differences.push(format!("{allowed:?} are allowed, expected {expected:?}"));
    }
    differences.into_iter().map(|line| format!("{} by {}: {line}", alert.kind.word(), row.laws)).collect()
}

fn cited(articles: &[String], expected: &[String], never: &[String]) -> Vec<String> {
    let missing = expected.iter().filter(|article| !articles.contains(article)).map(|article| format!("{article} is missing"));
    let surplus = never.iter().filter(|article| articles.contains(article)).map(|article| format!("{article} is not allowed"));
    missing.chain(surplus).map(|line| format!("{articles:?} are cited, {line}")).collect()
}

fn result(case: &Case, outcome: &Outcome) -> Option<String> {
    let actual = outcome.events.iter().rev().find_map(|event| match event {
        Event::Result { result, reason } => {
            Some(result.map_or_else(String::new, |result| format!("{} {}", result.as_str(), reason.word())))
        }
        _ => None,
    });
    let actual = actual.unwrap_or_default();
    let is_checked = case.expect.exact || !case.expect.result.is_empty();
    (is_checked && actual != case.expect.result).then(|| format!("the result is {actual:?}, expected {:?}", case.expect.result))
}

fn completed(case: &Case, outcome: &Outcome) -> Option<String> {
    let first = case.moves.len() as u32;
    let completed_by = |ply: u32| {
        outcome.events.iter().find_map(|event| match event {
            Event::MoveCompleted { ply: completed_ply, by, .. } if *completed_ply == ply => Some(by.word()),
            _ => None,
        })
    };
    let expected = &case.expect.completed;
    let actual: Vec<&str> = (1..=expected.len() as u32).map(|index| completed_by(first + index).unwrap_or("nothing")).collect();
    (actual != *expected).then(|| format!("moves were completed by {actual:?}, expected {expected:?}"))
}

fn verdicts(case: &Case, manner: Manner, outcome: &Outcome) -> Vec<String> {
    let expected: Vec<_> = case.expect.verdicts.iter().filter(|verdict| verdict.laws == manner.laws).collect();
    if expected.is_empty() {
        return Vec::new();
    }
    if expected.len() != outcome.verdicts.len() {
        return vec![format!("verdicts are {:?}, expected {}", outcome.verdicts, expected.len())];
    }
    let mut differences = Vec::new();
    for (verdict, expected) in outcome.verdicts.iter().zip(expected) {
        let mut lines = cited(&verdict.articles, &expected.articles, &expected.never);
        let acts = words(&verdict.required);
        if verdict.is_correct != expected.right || expected.acts.as_ref().is_some_and(|expected| *expected != acts) {
            lines
                .push(format!("correct: {}, \"{acts}\"; expected {}, {:?}", verdict.is_correct, expected.right, expected.acts));
        }
        differences.extend(lines.into_iter().map(|line| format!("claim by {} ({}): {line}", manner.laws, verdict.text)));
    }
    differences
}
