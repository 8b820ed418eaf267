//! What the Laws require in a situation: as worked cases have it, in our reading of them.

use super::editions::{all_laws, laws, shared};
use serde_json::Value;
use std::collections::BTreeSet;
use toml::Table;
use touchmove::laws::{
    Irregularity, Laws, Position, Reply, RulingAction, RulingFacts, Situation, Stage, TimeClass, Topic, Winnable, Worded,
    ruling,
};

/// Our reading of every case.
const RULINGS: &str = include_str!("data/laws/rulings.toml");

/// Acts as our table has them.
pub fn words(acts: &[RulingAction]) -> String {
    acts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Facts from our table, laid over others.
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

/// Which editions of ours a case speaks of where it says this.
fn editions_named(key: &str) -> &'static [&'static str] {
    match key {
        "1973" => &["china-1973"],
        "1997-era" => &["fide-1997"],
        "2009" => &["fide-2009"],
        "2014" => &["fide-2014"],
        "2017-18" => &["fide-2017", "fide-2018"],
        "2018" => &["fide-2018"],
        "same" => &["fide-1997", "fide-2009", "fide-2014"],
        unknown => panic!("{unknown}: nobody read this yet"),
    }
}

/// Every case is in our table, with every edition that it names, and nothing else is.
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
        let games: Vec<Laws> = rows.iter().map(|row| laws(row["laws"].as_str().expect("a text"))).collect();
        let has = |name: &str| games.iter().any(|game| game.edition.name == name);
        assert!(has("fide-2023"), "{case}");
        for key in case.get("editions").and_then(Value::as_object).into_iter().flat_map(|editions| editions.keys()) {
            assert!(editions_named(key).iter().all(|name| has(name)), "{key} of {case}");
        }
        if case.get("rapid_blitz").is_some() {
            assert!(games.iter().any(|game| game.class != TimeClass::Standard), "rapid and blitz of {case}");
        }
        // What a penalty of 2023 says in words is the figure in our table.
        if let Some(said) = case.get("penalty_2023").and_then(Value::as_str) {
            let acts =
                rows.iter().find(|row| row["laws"].as_str() == Some("fide-2023")).and_then(|row| row["acts"].as_str()).unwrap();
            let expect = match said {
                "draw" => "draw",
                said if said.starts_with("opponent +2 min") || said == "one penalty" => "add 120",
                unknown => panic!("{unknown}: nobody read this yet"),
            };
            assert!(acts.split(", ").any(|act| act == expect), "{case}");
        }
    }
}

/// Whatever the facts, nothing is suggested without an article, and nothing panics; and every situation leads somewhere by the
/// newest edition.
#[test]
fn every_ruling_rests_on_an_article() {
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
        // Nobody agrees to a draw before both have moved, and quickplay finishes are in the text of 2009 alone.
        let laws = if situation.word().starts_with("quickplay") { laws("fide-2009") } else { Laws::default() };
        let facts = RulingFacts { moves: 1, ..RulingFacts::default() };
        assert!(ruling(&laws, situation, &facts).is_some(), "{situation:?}");
    }
}

/// A draw by agreement, a claim in a quickplay finish and reversed colours: each as far as its edition has a condition.
#[test]
fn conditions_of_agreement_quickplay_and_reversed_colours() {
    let acts = |name: &str, situation: &str, facts: RulingFacts| {
        let situation = Situation::from_word(situation).expect("a situation");
        ruling(&laws(name), situation, &facts).map_or_else(String::new, |ruling| words(&ruling.acts))
    };
    let usual = RulingFacts::default;
    for name in ["fide-1997", "fide-2009", "fide-2014"] {
        assert_eq!(acts(name, "agreed", usual()), "draw", "{name} asks for no move");
    }
    for name in ["fide-2017", "fide-2018", "fide-2023"] {
        assert_eq!(acts(name, "agreed", usual()), "", "{name}: both have to have moved");
        assert_eq!(acts(name, "agreed", RulingFacts { moves: 1, ..usual() }), "draw", "{name}");
    }
    assert_eq!(acts("china-1973", "agreed", usual()), "", "not at hand");
    let left = |left_s| RulingFacts { left_s, ..usual() };
    assert_eq!(acts("fide-2009", "quickplay", left(119)), "arbiter_decides");
    assert_eq!(acts("fide-2009", "quickplay_refused", left(119)), "add 120");
    assert_eq!(acts("fide-2009", "quickplay", left(120)), "");
    assert_eq!(acts("fide-2023", "quickplay", left(60)), "", "only where it was announced");
    let young = RulingFacts { lasted_s: 300, exchanged: false, moves: 4, ..usual() };
    assert_eq!(acts("fide-2014", "reversed", young), "arbiter_decides");
    for later in [RulingFacts { lasted_s: 301, ..young }, RulingFacts { exchanged: true, ..young }] {
        assert_eq!(acts("fide-2014", "reversed", later), "go_on, arbiter_decides");
    }
    assert_eq!(acts("fide-2009", "reversed", young), "go_on, arbiter_decides");
}

/// After both have signed nothing is corrected (8.7).
#[test]
fn what_is_signed_stands() {
    for name in ["fide-2009", "fide-2014", "fide-2023"] {
        let facts = RulingFacts { signed: true, ..RulingFacts::default() };
        let ruling = ruling(&laws(name), Situation::Irregular(Irregularity::IllegalMove), &facts).expect("a ruling");
        assert_eq!((words(&ruling.acts).as_str(), ruling.articles), ("stands", vec!["8.7"]));
    }
}

/// Castling that was begun with the rook rests on the article about it, where there is one.
#[test]
fn the_rook_first_rests_on_its_own_article() {
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
    // Nothing else is known of touched pieces in 1973.
    let facts = RulingFacts { because: Some(Topic::TouchOwn), ..RulingFacts::default() };
    let touched = ruling(&laws("fide-1997"), Situation::Irregular(Irregularity::TouchBroken), &facts).expect("a ruling");
    assert_eq!(touched.articles, ["4.3", "4.3(1)", "4.6"]);
}

/// The right to claim ends with a touched piece (4.8); the arbiter of 2014 who has seen it intervenes whoever may claim.
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
        for what in breaches {
            for &reply in Reply::ALL {
                let ruling = ruling(&laws(name), Situation::Irregular(what), &RulingFacts { reply, ..RulingFacts::default() });
                let told = ruling.as_ref().map_or_else(String::new, |ruling| words(&ruling.acts));
                let lost = reply != Reply::Nothing;
                assert_eq!(told == acts, lost, "{name}, {what:?}, {reply:?}: {told}");
            }
        }
    }
}
