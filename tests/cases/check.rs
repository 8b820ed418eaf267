//! What came of a case, compared with what must come.

use super::form::{Case, Row};
use super::perform::{Manner, Outcome};
use crate::rulings::words;
use touchmove::boards::Millis;
use touchmove::game::event::AlertCategory;
use touchmove::game::{Alert, AlertKind, Arg, Event};
use touchmove::laws::reason::why_illegal;
use touchmove::wire::Word;

/// Below this pace, in milliseconds, the following alerts may be missing, but nothing else may come in their place: a piece that is
/// back on its square within a second is adjusted or brushed, one that goes on within a second was never let go, and clock and
/// squares are reported up to a second apart.
const LEISURE: Millis = 1_600;
const NEED_TIME: [AlertKind; 5] = [
    AlertKind::TouchMove,
    AlertKind::TouchCapture,
    AlertKind::PossibleTouch,
    AlertKind::ReleaseChanged,
    AlertKind::PressBeforeRelease,
];

/// These are never raised without what the board showed.
const PROVED: [AlertKind; 7] = [
    AlertKind::IllegalPending,
    AlertKind::IllegalMove,
    AlertKind::Displaced,
    AlertKind::DisplacedFound,
    AlertKind::CaptureUnclear,
    AlertKind::PositionUnexplained,
    AlertKind::PressBeforeRelease,
];

/// Everything that is wrong with an outcome.
pub fn wrong(case: &Case, manner: Manner, outcome: &Outcome) -> Vec<String> {
    let mut wrong = moves(case, outcome);
    wrong.extend(alerts(case, manner, outcome));
    wrong.extend(result(case, outcome));
    wrong.extend(verdicts(case, manner, outcome));
    wrong.extend(completed(case, outcome));
    wrong.extend(outcome.refused.iter().map(|refused| format!("a command was refused: {refused}")));
    wrong
}

fn raised(outcome: &Outcome) -> impl Iterator<Item = &Alert> {
    outcome.events.iter().filter_map(|event| if let Event::AlertRaised(alert) = event { Some(alert) } else { None })
}

fn moves(case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    let ucis: Vec<&str> = outcome.moves.iter().map(|(uci, _)| uci.as_str()).collect();
    let must: Vec<&str> = case.moves.iter().chain(&case.expect.moves).map(String::as_str).collect();
    let san = outcome.moves.get(case.moves.len()).map(|(_, san)| san);
    let right_san = case.expect.san.as_ref().is_none_or(|expect| san == Some(expect));
    if !ucis.starts_with(&must) || !right_san || (case.expect.exact && ucis.len() > must.len()) {
        wrong.push(format!("moves {:?} came, {must:?} must, {:?}", outcome.moves, case.expect.san));
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
    // An alert may know more of what was done than the move tells.
    let told = raised(outcome).filter(|alert| alert.kind == AlertKind::IllegalMove).find_map(|alert| {
        alert.text.args.iter().find_map(|(name, arg)| match arg {
            Arg::Text(text) if name == "reason" => text.key.strip_prefix("reason-"),
            _ => None,
        })
    });
    if let Some(told) = told {
        told.clone_into(&mut reason);
    }
    if reason != case.expect.reason {
        wrong.push(format!("{:?}: illegal because of {reason:?}, {:?} must", outcome.moves, case.expect.reason));
    }
    wrong
}

fn alerts(case: &Case, manner: Manner, outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    let expect = &case.expect;
    let rows: Vec<&Row> = case.rulings.iter().filter(|row| row.laws == manner.laws).collect();
    // What an edition says takes the place of the first alert.
    let mut must: Vec<AlertKind> = expect.alerts.iter().skip(usize::from(!rows.is_empty())).copied().collect();
    must.extend(rows.iter().filter_map(|row| row.alert));
    let kinds: Vec<AlertKind> = raised(outcome).map(|alert| alert.kind).collect();
    let came: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    for kind in &must {
        let too_fast = manner.pace < LEISURE && NEED_TIME.contains(kind);
        if !kinds.contains(kind) && !too_fast {
            wrong.push(format!("alerts {came:?} came, {} must", kind.word()));
        }
    }
    // A case that expects an alert may raise others, unless it says all.
    let counts = |kind: &AlertKind| match expect.exact {
        true => kind.category() != AlertCategory::Device,
        false => must.is_empty() && !kind.is_notice(),
    };
    let surplus = |kind: &&AlertKind| counts(kind) && !must.contains(kind) && !expect.tolerated.contains(kind);
    if let Some(kind) = kinds.iter().find(surplus) {
        wrong.push(format!("alerts {came:?} came, {} must not", kind.word()));
    }
    if let Some(kind) = kinds.iter().find(|kind| expect.quiet.contains(kind)) {
        wrong.push(format!("alerts {came:?} came, {} must not", kind.word()));
    }
    for alert in raised(outcome) {
        if PROVED.contains(&alert.kind) && alert.evidence.is_empty() {
            wrong.push(format!("{} came without anything that proves it", alert.kind.word()));
        }
    }
    for row in rows {
        let alert = row.alert.and_then(|kind| raised(outcome).filter(|alert| alert.kind == kind).last());
        wrong.extend(alert.into_iter().flat_map(|alert| ruling(case, row, alert)));
    }
    wrong
}

/// What an alert says that an edition requires.
fn ruling(case: &Case, row: &Row, alert: &Alert) -> Vec<String> {
    let mut wrong = cited(&alert.articles, &row.articles, &row.never);
    let acts = words(&alert.required);
    if let Some(must) = row.acts.as_ref().filter(|must| **must != acts) {
        wrong.push(format!("\"{acts}\" is required, \"{must}\" must be"));
    }
    let restores = &case.expect.restores;
    if !restores.is_empty() && alert.position != *restores {
        wrong.push(format!("{} is to be restored, {restores} must be", alert.position));
    }
    let mut allowed = alert.allowed.clone();
    allowed.sort();
    let is_first = row.laws == case.laws && case.expect.alerts.first() == Some(&alert.kind);
    let must = if case.expect.exact && is_first { &case.allowed } else { &row.allowed };
    if !must.is_empty() && allowed != *must {
        wrong.push(format!("{allowed:?} are allowed, {must:?} must be"));
    }
    wrong.into_iter().map(|line| format!("{} by {}: {line}", alert.kind.word(), row.laws)).collect()
}

fn cited(articles: &[String], must: &[String], never: &[String]) -> Vec<String> {
    let missing = must.iter().filter(|article| !articles.contains(article)).map(|article| format!("{article} must"));
    let surplus = never.iter().filter(|article| articles.contains(article)).map(|article| format!("{article} must not"));
    missing.chain(surplus).map(|line| format!("{articles:?} are cited, {line}")).collect()
}

fn result(case: &Case, outcome: &Outcome) -> Option<String> {
    let told = outcome.events.iter().rev().find_map(|event| match event {
        Event::Result { result, reason } => {
            Some(result.map_or_else(String::new, |result| format!("{} {}", result.as_str(), reason.word())))
        }
        _ => None,
    });
    let told = told.unwrap_or_default();
    let asked = case.expect.exact || !case.expect.result.is_empty();
    (asked && told != case.expect.result).then(|| format!("result {told:?} came, {:?} must", case.expect.result))
}

fn completed(case: &Case, outcome: &Outcome) -> Option<String> {
    let first = case.moves.len() as u32;
    let by = |ply: u32| {
        outcome.events.iter().find_map(|event| match event {
            Event::MoveCompleted { ply: told, by, .. } if *told == ply => Some(by.word()),
            _ => None,
        })
    };
    let must = &case.expect.completed;
    let came: Vec<&str> = (1..=must.len() as u32).map(|nth| by(first + nth).unwrap_or("nothing")).collect();
    (came != *must).then(|| format!("moves were completed by {came:?}, {must:?} must"))
}

fn verdicts(case: &Case, manner: Manner, outcome: &Outcome) -> Vec<String> {
    let must: Vec<_> = case.expect.verdicts.iter().filter(|verdict| verdict.laws == manner.laws).collect();
    if must.is_empty() {
        return Vec::new();
    }
    if must.len() != outcome.verdicts.len() {
        return vec![format!("verdicts {:?} came, {} must", outcome.verdicts, must.len())];
    }
    let mut wrong = Vec::new();
    for (verdict, must) in outcome.verdicts.iter().zip(must) {
        let mut lines = cited(&verdict.articles, &must.articles, &must.never);
        let acts = words(&verdict.required);
        if verdict.is_correct != must.right || must.acts.as_ref().is_some_and(|must| *must != acts) {
            lines.push(format!("right: {}, \"{acts}\" came; right: {}, {:?} must", verdict.is_correct, must.right, must.acts));
        }
        wrong.extend(lines.into_iter().map(|line| format!("claim by {} ({}): {line}", manner.laws, verdict.text)));
    }
    wrong
}
