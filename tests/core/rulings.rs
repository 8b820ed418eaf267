//! The rulings that the Laws require in a situation, compared with our reading of worked cases.

use super::editions::{all_laws, laws, shared};
use serde_json::Value;
use std::collections::BTreeSet;
use toml::Table;
use touchmove::laws::{
    Irregularity, Laws, LawsWord, Position, Reply, RulingAction, RulingFacts, Situation, Stage, TimeClass, Topic, Winnable,
    ruling,
};

/// The rulings that we expect in every case.
const RULINGS: &str = include_str!("../data/laws/rulings.toml");

/// Formats actions as the table of rulings does.
pub fn words(acts: &[RulingAction]) -> String {
    acts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Replaces facts by those that an entry of the table gives.
#[track_caller]
fn facts(table: Option<&toml::Value>, mut facts: RulingFacts) -> RulingFacts {
    for (key, value) in table.and_then(toml::Value::as_table).into_iter().flatten() {
        let text = || value.as_str().unwrap_or_else(|| panic!("{key} is a word"));
        let flag = || value.as_bool().unwrap_or_else(|| panic!("{key} is true or false"));
        let number = || value.as_integer().and_then(|number| u32::try_from(number).ok()).expect("a number");
        match key.as_str() {
            "stage" => facts.stage = Stage::from_word(text()).expect("a stage"),
            "reply" => facts.reply = Reply::from_word(text()).expect("a reply"),
            "because" => facts.because = Some(Topic::from_word(text()).expect("a topic")),
            "nth" => facts.nth = number(),
            "moves" => facts.moves = number(),
            "opponent_can_mate" => {
                facts.opponent_can_mate = Some(if flag() { Winnable::CanMate } else { Winnable::CannotMate })
            }
            "unsettled" => facts.unsettled = flag(),
            "claimed" => facts.claimed = flag(),
            "signed" => facts.signed = flag(),
            "consecutive" => facts.consecutive = flag(),
            "still_there" => facts.still_there = flag(),
            unknown => panic!("there is no fact {unknown}"),
        }
    }
    facts
}

#[test]
fn rulings_are_those_of_the_reviewed_table() {
    let table: Table = RULINGS.parse().expect("TOML");
    for (id, case) in &table {
        if let Some(fens) = case.get("same_position").and_then(toml::Value::as_array) {
            let keys: BTreeSet<u64> =
                fens.iter().map(|fen| Position::from_fen(fen.as_str().unwrap(), false).expect("a FEN").key()).collect();
            assert_eq!(keys.len(), 1, "{id}");
            continue;
        }
        let situation = Situation::from_word(case["situation"].as_str().expect("a word")).expect("a situation");
        let common = facts(case.get("facts"), RulingFacts::default());
        for row in case["rulings"].as_array().expect("a list") {
            let laws = laws(row["laws"].as_str().expect("a text"));
            let ruling = ruling(&laws, situation, &facts(row.get("facts"), common));
            let acts = ruling.as_ref().map_or_else(|| "none".to_owned(), |ruling| words(&ruling.acts));
            assert_eq!(acts, row["acts"].as_str().expect("a text"), "{id} by {laws}: {row}");
            let cited = ruling.map(|ruling| ruling.articles).unwrap_or_default();
            for article in row["articles"].as_str().expect("a text").split(", ").filter(|article| !article.is_empty()) {
                assert!(cited.contains(&article), "{id} by {laws}: {article} is not in {cited:?}");
            }
        }
    }
}

/// The editions that a case means by this key.
fn editions_named(key: &str) -> &'static [&'static str] {
    match key {
        "1973" => &["china-1973"],
        "1997-era" => &["fide-1997"],
        "2009" => &["fide-2009"],
        "2014" => &["fide-2014"],
        "2017-18" => &["fide-2017", "fide-2018"],
        "2018" => &["fide-2018"],
        "same" => &["fide-1997", "fide-2009", "fide-2014"],
        unknown => panic!("{unknown}: no editions are known for this key"),
    }
}

/// The table has exactly the shared cases, each with every edition that it names.
#[test]
fn every_worked_case_is_in_the_table() {
    let Some(shared) = shared("cases.json") else { return };
    let table: Table = RULINGS.parse().expect("TOML");
    let cases = shared["cases"].as_array().expect("cases");
    let ids: BTreeSet<&str> = cases.iter().map(|case| case["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, table.keys().map(String::as_str).collect());
    for case in cases {
        let ours = &table[case["id"].as_str().unwrap()];
        let Some(rows) = ours.get("rulings").and_then(toml::Value::as_array) else {
            assert!(ours.get("same_position").is_some() && case.get("editions").is_none(), "{case}");
            continue;
        };
        let row_laws: Vec<Laws> = rows.iter().map(|row| laws(row["laws"].as_str().expect("a text"))).collect();
        let has = |name: &str| row_laws.iter().any(|laws| laws.edition.name == name);
        assert!(has("fide-2023"), "{case}");
        for key in case.get("editions").and_then(Value::as_object).into_iter().flat_map(|editions| editions.keys()) {
            assert!(editions_named(key).iter().all(|name| has(name)), "{key} of {case}");
        }
        if case.get("rapid_blitz").is_some() {
            assert!(row_laws.iter().any(|laws| laws.class != TimeClass::Standard), "rapid and blitz of {case}");
        }
        // A penalty of 2023 is given in words; the table has its figure.
        if let Some(penalty) = case.get("penalty_2023").and_then(Value::as_str) {
            let acts =
                rows.iter().find(|row| row["laws"].as_str() == Some("fide-2023")).and_then(|row| row["acts"].as_str()).unwrap();
            let expect = match penalty {
                "draw" => "draw",
                penalty if penalty.starts_with("opponent +2 min") || penalty == "one penalty" => "add 120",
                unknown => panic!("{unknown}: no figure is known for this penalty"),
            };
            assert!(acts.split(", ").any(|act| act == expect), "{case}");
        }
    }
}

/// For any facts nothing panics and no ruling lacks an article, and every situation has a ruling by the newest edition.
#[test]
fn every_ruling_cites_an_article() {
    let signs = ["kings_in_centre", "swept"];
    let mut words = BTreeSet::new();
    for situation in Situation::all() {
        assert!(words.insert(situation.word()), "two situations are called {}", situation.word());
        assert_eq!(Situation::from_word(situation.word()), Some(situation));
        for laws in all_laws() {
            for &stage in Stage::ALL {
                for &reply in Reply::ALL {
                    for nth in [0, 1, 2, 3, u32::MAX] {
                        for flag in [false, true] {
                            let facts = RulingFacts {
                                stage,
                                reply,
                                nth,
                                moves: nth,
                                opponent_can_mate: flag.then_some(Winnable::CanMate),
                                unsettled: flag,
                                claimed: flag,
                                signed: false,
                                consecutive: flag,
                                still_there: flag,
                                ..RulingFacts::default()
                            };
                            if let Some(ruling) = ruling(&laws, situation, &facts) {
                                assert!(!ruling.acts.is_empty());
                                assert!(
                                    !ruling.articles.is_empty() || signs.contains(&situation.word()),
                                    "{laws}: {situation:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
        // A draw can be agreed only after both players have moved, and only the edition of 2009 has quickplay finishes.
        let laws = if situation.word().starts_with("quickplay") { laws("fide-2009") } else { Laws::default() };
        let facts = RulingFacts { moves: 1, ..RulingFacts::default() };
        assert!(ruling(&laws, situation, &facts).is_some(), "{situation:?}");
    }
}

/// The conditions of each edition for a draw by agreement, a claim in a quickplay finish and reversed colours.
#[test]
fn conditions_of_agreement_quickplay_and_reversed_colours() {
    let acts = |name: &str, situation: &str, facts: RulingFacts| {
        let situation = Situation::from_word(situation).expect("a situation");
        ruling(&laws(name), situation, &facts).map_or_else(String::new, |ruling| words(&ruling.acts))
    };
    let usual = RulingFacts::default;
    for name in ["fide-1997", "fide-2009", "fide-2014"] {
        assert_eq!(acts(name, "agreed", usual()), "draw", "{name} requires no move");
    }
    for name in ["fide-2017", "fide-2018", "fide-2023"] {
        assert_eq!(acts(name, "agreed", usual()), "", "{name}: both players must have moved");
        assert_eq!(acts(name, "agreed", RulingFacts { moves: 1, ..usual() }), "draw", "{name}");
    }
    assert_eq!(acts("china-1973", "agreed", usual()), "", "the text is not available");
    let seconds_left = |left_s| RulingFacts { left_s, ..usual() };
    assert_eq!(acts("fide-2009", "quickplay", seconds_left(119)), "arbiter_decides");
    assert_eq!(acts("fide-2009", "quickplay_refused", seconds_left(119)), "add 120");
    assert_eq!(acts("fide-2009", "quickplay", seconds_left(120)), "");
    assert_eq!(acts("fide-2023", "quickplay", seconds_left(60)), "", "only where it was announced");
    let early = RulingFacts { lasted_s: 300, exchanged: false, moves: 4, ..usual() };
    assert_eq!(acts("fide-2014", "reversed", early), "arbiter_decides");
    for later in [RulingFacts { lasted_s: 301, ..early }, RulingFacts { exchanged: true, ..early }] {
        assert_eq!(acts("fide-2014", "reversed", later), "go_on, arbiter_decides");
    }
    assert_eq!(acts("fide-2009", "reversed", early), "go_on, arbiter_decides");
}

/// Nothing is corrected after both players have signed (8.7).
#[test]
fn nothing_is_corrected_after_signing() {
    for name in ["fide-2009", "fide-2014", "fide-2023"] {
        let facts = RulingFacts { signed: true, ..RulingFacts::default() };
        let ruling = ruling(&laws(name), Situation::Irregular(Irregularity::IllegalMove), &facts).expect("a ruling");
        assert_eq!((words(&ruling.acts).as_str(), ruling.articles), ("stands", vec!["8.7"]));
    }
}

/// Castling that was begun with the rook cites the article about it, if the edition has one.
#[test]
fn castling_with_the_rook_first_cites_its_article() {
    for (name, article) in [
        ("china-1973", "Section 6"),
        ("fide-1997", "4.4(2)"),
        ("fide-2009", "4.4(b)"),
        ("fide-2014", "4.4(b)"),
        ("fide-2017", "4.4.2"),
        ("fide-2018", "4.4.2"),
        ("fide-2023", "4.4.2"),
    ] {
        let facts = RulingFacts { because: Some(Topic::RookFirst), ..RulingFacts::default() };
        let ruling = ruling(&laws(name), Situation::Irregular(Irregularity::TouchBroken), &facts).expect("a ruling");
        assert_eq!(words(&ruling.acts), "restore, touch_binds", "{name}");
        assert!(ruling.articles.contains(&article), "{name}: {:?}", ruling.articles);
    }
    // Another touched piece of the player's own cites other articles.
    let facts = RulingFacts { because: Some(Topic::TouchOwn), ..RulingFacts::default() };
    let touched = ruling(&laws("fide-1997"), Situation::Irregular(Irregularity::TouchBroken), &facts).expect("a ruling");
    assert_eq!(touched.articles, ["4.3", "4.3(1)", "4.6"]);
}

/// The right to claim ends when the opponent touches a piece (4.8). By the edition of 2014 an arbiter who saw the breach intervenes
/// even then.
#[test]
fn a_claim_about_touched_pieces_ends_with_the_opponents_touch() {
    let breaches = [
        Irregularity::TouchBroken,
        Irregularity::ReleaseChanged,
        Irregularity::CastlingAbandoned,
        Irregularity::PromotionChanged,
    ];
    for (name, acts) in
        [("fide-1997", "stands"), ("fide-2009", "stands"), ("fide-2014", "arbiter_decides"), ("fide-2023", "stands")]
    {
        for breach in breaches {
            for &reply in Reply::ALL {
                let ruling =
                    ruling(&laws(name), Situation::Irregular(breach), &RulingFacts { reply, ..RulingFacts::default() });
                let found = ruling.as_ref().map_or_else(String::new, |ruling| words(&ruling.acts));
                let is_lost = reply != Reply::Nothing;
                assert_eq!(found == acts, is_lost, "{name}, {breach:?}, {reply:?}: {found}");
            }
        }
    }
}
