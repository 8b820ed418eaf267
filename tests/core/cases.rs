//! Cases from the Laws: each performs hand actions at a virtual board whose bytes go into a table session, and checks the
//! outcome.
//!
//! `data/laws/cases.json` holds the project's own cases and explains their form. Cases of other authors are read from
//! `arbiter/cases.json` of the shared data where it is present, together with our interpretation of them. `CASE=K-adrift cargo
//! test cases -- --nocapture` performs one case alone and prints its events.

mod check;
mod form;
mod perform;

use crate::core::editions::shared;
use check::differences;
pub use form::{Case, Deed};
use perform::{Manner, perform};
use serde_json::Value;
use std::collections::BTreeMap;
use touchmove::boards::{Millis, SensorKind};
use touchmove::laws::Position;

/// Milliseconds between two hand actions: a blitz player, a club player, and slow play.
const PACES: [Millis; 3] = [300, 900, 1_600];

/// The project's own file.
fn own_file() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/laws/cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The project's own cases.
fn own_cases() -> Vec<Case> {
    list(&own_file()["cases"]).iter().map(|case| Case::read(case, true)).collect()
}

/// The shared cases, each with our interpretation; `None`, with a message, where the shared data is absent.
pub fn all() -> Option<Vec<Case>> {
    let (file, own_file) = (shared("cases.json")?, own_file());
    let read = |case: &Value| {
        let mut case = case.clone();
        for (key, value) in own_file["shared"][case["id"].as_str().expect("an id")].as_object().into_iter().flatten() {
            case[key] = value.clone();
        }
        Case::read(&case, false)
    };
    Some(list(&file["cases"]).iter().map(read).collect())
}

/// Performs a case in all its variants; returns a description of the failures.
fn failures(case: &Case, seeds: u64) -> Option<String> {
    let selected = std::env::var("CASE").ok();
    if selected.as_ref().is_some_and(|id| *id != case.id) {
        return None;
    }
    let mut manners = Vec::new();
    for &sensing in &case.sensings {
        for pace in PACES {
            manners.extend((0..seeds).map(|seed| Manner { laws: case.laws, sensing, pace, seed }));
        }
    }
    let others = case.rulings.iter().map(|row| row.laws).chain(case.expect.verdicts.iter().map(|verdict| verdict.laws));
    for laws in others {
        if manners.iter().all(|manner| manner.laws != laws) {
            let sensing = if case.model == "dgt" { SensorKind::Identity } else { SensorKind::Occupancy };
            manners.push(Manner { laws, sensing, pace: PACES[2], seed: 0 });
        }
    }
    let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for manner in manners {
        let Manner { laws, sensing, pace, seed } = manner;
        let outcome = perform(case, manner);
        if selected.is_some() {
            eprintln!("{} {laws}, {sensing:?}, {pace} ms, seed {seed}: {outcome:#?}", case.id);
        }
        for line in differences(case, manner, &outcome) {
            lines.entry(line).or_default().push(format!("{laws} {sensing:?} {pace} ms seed {seed}"));
        }
    }
    let lines: Vec<String> = lines.iter().map(|(line, manners)| format!("  {line}\n    {}", manners.join(", "))).collect();
    (!lines.is_empty()).then(|| format!("{}:\n{}", case.id, lines.join("\n")))
}

#[track_caller]
fn check(cases: &[Case], seeds: u64) {
    let failed: Vec<String> = cases.iter().filter_map(|case| failures(case, seeds)).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn shared_cases_have_the_expected_outcome() {
    if let Some(cases) = all() {
        check(&cases, 3);
    }
}

#[test]
fn own_cases_have_the_expected_outcome() {
    check(&own_cases(), 2);
}

#[test]
fn positions_stated_by_the_cases_are_computed() {
    for case in all().into_iter().flatten().chain(own_cases()) {
        let Some(fen) = &case.fen_now else { continue };
        let now = Position::from_fen(fen, case.chess960).expect("a FEN");
        assert_eq!(case.now().key(), now.key(), "{}: {} and {fen}", case.id, case.now().fen());
    }
}

/// Every article that concerns something a board can sense has a case that raises an alert and a case that does not; for every
/// other article the file says why a board cannot sense it.
#[test]
fn every_article_has_a_case_that_raises_and_one_that_is_quiet() {
    let (file, cases) = (own_file(), own_cases());
    let mut wrong = Vec::new();
    let articles: Vec<&str> = list(&file["articles"]).iter().map(|article| article.as_str().expect("a text")).collect();
    for &article in &articles {
        let count = |raises: bool| {
            cases.iter().filter(|case| case.raises() == raises && case.articles.iter().any(|named| named == article)).count()
        };
        let unseen = file["unseen"][article].as_str();
        match (unseen, count(true), count(false)) {
            (None, 0, _) => wrong.push(format!("{article} has no case that raises something")),
            (None, _, 0) => wrong.push(format!("{article} has no quiet case")),
            (Some(_), raising, 1..) if raising > 0 => wrong.push(format!("{article} can be seen after all")),
            _ => {}
        }
    }
    let unknown = |case: &Case| case.articles.iter().find(|named| !articles.contains(&named.as_str())).cloned();
    wrong.extend(cases.iter().filter_map(|case| Some(format!("{} is about {}, which is not listed", case.id, unknown(case)?))));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
