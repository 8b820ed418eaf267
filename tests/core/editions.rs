//! Editions of the Laws: their files, topics without an article, and the selection of a game's Laws.

use serde_json::Value;
use std::fs;
use touchmove::game::Record;
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::laws::edition::{Gap, Rules};
use touchmove::laws::{BadLaws, EDITIONS, Edition, Laws, LawsWord, RulingFacts, Situation, Supervision, TimeClass, Topic};
use touchmove::laws::{articles, penalty, ruling};

#[track_caller]
pub fn laws(text: &str) -> Laws {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Worked cases of other authors, from the shared data; `None`, with a message, where they are absent.
pub fn shared(name: &str) -> Option<Value> {
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/arbiter/{}"), name);
    match fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("JSON")),
        Err(_) => {
            eprintln!("SKIPPED: {path} is not here");
            None
        }
    }
}

/// Every kind of game of every edition.
pub fn all_laws() -> Vec<Laws> {
    let mut all = Vec::new();
    for edition in Edition::all() {
        for &class in TimeClass::ALL {
            all.extend(Supervision::ALL.iter().map(|&supervision| Laws { edition, class, supervision }));
        }
    }
    all
}

#[test]
fn every_file_is_an_edition() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/config/data/laws");
    let mut files: Vec<String> = fs::read_dir(dir)
        .expect("config/data/laws")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a readable name"))
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| name != "rulings")
        .collect();
    files.sort();
    assert_eq!(files, EDITIONS, "src/laws/edition.rs lists the files of config/data/laws");
    for name in EDITIONS {
        let text = fs::read_to_string(format!("{dir}/{name}.toml")).expect("the file");
        let (edition, warnings) =
            Edition::parse_with_warnings(name, &text).unwrap_or_else(|problems| panic!("{name}:\n{}", problems.join("\n")));
        assert_eq!(warnings, Vec::<String>::new(), "{name}");
        assert_eq!(Some(&edition), Edition::named(name));
    }
    for pair in Edition::all().collect::<Vec<_>>().windows(2) {
        assert!(pair[0].from < pair[1].from && pair[0].until >= Some(pair[0].from), "{} before {}", pair[0].name, pair[1].name);
    }
    assert_eq!(Edition::all().next_back().and_then(|edition| edition.until), None);
}

/// All problems of a file are reported together.
#[test]
fn a_wrong_file_is_refused_with_all_problems() {
    let text = "name = 'fide'\ntitle = ''\nfrom = 2023\nuntil = 1066\ncolour = 3\nsilent = ['touch', 'adjust']\nnot_at_hand = ['adjust', 'x']\n\
                [standard]\npawn_left = 'king'\nfifty = '50'\npenalty = { opponent_s = [-1] }\nx = 1\nset_up_moves = 10\n\
                [standard.articles]\ntouch = '4.3'\nnonsense = '1'\n";
    let problems = Edition::parse("fide-1900", text).expect_err("much is wrong");
    let expected = [
        "name: is \"fide\"; write \"fide-1900\", the name of the file",
        "title: is \"\"; write a string",
        "until: is 1066; write a year",
        "text: is missing",
        "standard.pawn_left: is \"king\"; write \"queen\" or \"restore\" or \"complete\"",
        "standard.fifty: is \"50\"; write a whole number from 2 to 99999",
        "standard.penalty.opponent_s: is [-1]; write a list of whole numbers",
        "standard.penalty.no_mate: is missing",
        "standard.x: unknown key",
        "standard.articles.nonsense: unknown key",
        "not_at_hand: unknown word \"x\"",
        "adjust: is listed more than once in silent and not_at_hand",
        "touch: has an article and is listed in silent or not_at_hand",
        "mate: has no article; add one, or list the topic in silent or not_at_hand",
        "set_up_moves: has no article (set_up_limit) in standard games with full supervision",
        "colour: unknown key",
    ];
    for expected in expected {
        assert!(problems.iter().any(|problem| problem == expected), "{expected}\nis not in\n{}", problems.join("\n"));
    }
    assert_eq!(Edition::parse("x", "[[").expect_err("no TOML").len(), 1);
}

/// An edition without a known text for a topic yields nothing for it: no article, no figure, no penalty, no ruling that depends
/// on it.
#[test]
fn topics_without_a_known_text_yield_nothing() {
    for laws in all_laws() {
        for &topic in Topic::ALL {
            if laws.edition.gap(topic).is_some() {
                assert_eq!(laws.article(topic), None, "{laws}: {}", topic.word());
            }
        }
    }
    for name in ["china-1973", "fide-1997"] {
        let laws = laws(name);
        assert_eq!(laws.edition.gap(Topic::Penalty), Some(&Gap::Unavailable));
        for nth in 1..5 {
            assert_eq!(penalty(&laws, nth, true), None);
        }
        for word in [
            "illegal_move",
            "press_without_move",
            "two_hands",
            "displaced",
            "wrong_start",
            "reversed",
            "flag_fall",
            "wrong_claim",
        ] {
            let situation = Situation::from_word(word).expect(word);
            assert_eq!(ruling(&laws, situation, &RulingFacts::default()), None, "{name}: {word}");
        }
        assert_eq!((laws.rules().penalty.as_ref(), laws.rules().flag), (None, None));
    }
}

/// Article numbers as the known texts print them, where they were once wrong.
#[test]
fn articles_are_those_of_the_texts() {
    let check = |name: &str, topic: Topic, expect: &[&str]| {
        assert_eq!(laws(name).articles(topic).collect::<Vec<_>>(), expect, "{name}: {}", topic.word());
    };
    check("fide-2014", Topic::Chess960, &["Appendix F"]);
    check("fide-2014", Topic::FlagCalled, &["6.8"]);
    check("fide-1997", Topic::RightClaim, &[]);
    check("fide-1997", Topic::RepetitionIntended, &["5.2(4)"]);
    check("fide-1997", Topic::Agreement, &["5.2(3)"]);
    check("china-1973", Topic::KingSafety, &["Section 3", "Section 4"]);
    for topic in [Topic::Completed, Topic::CaptureMade, Topic::CastlingMade] {
        check("china-1973", topic, &["Section 2"]);
    }
    check("china-1973", Topic::PromotionFinal, &[]);
    for (topic, article) in [
        (Topic::EnPassant, "3.7(4)"),
        (Topic::Promotion, "3.7(5)"),
        (Topic::Castling, "3.8(1)"),
        (Topic::CastlingLost, "3.8(1)"),
        (Topic::Quickplay, "10.2"),
    ] {
        check("fide-2009", topic, &[article]);
    }
    check("fide-2009", Topic::Agreement, &["5.2(c)", "9.1"]);
    check("fide-2023", Topic::Agreement, &["5.2.3", "9.1"]);
    let fifty = ruling(&laws("fide-1997"), Situation::from_word("fifty").expect("a situation"), &RulingFacts::default());
    assert_eq!(fifty.expect("a ruling").articles, ["5.2(5)"], "5.2(4) is only about repetition");
    let abandoned = Situation::from_word("castling_abandoned").expect("a situation");
    assert_eq!(ruling(&laws("china-1973"), abandoned, &RulingFacts::default()), None, "Section 2 binds no player");
}

/// Where only the rule that was broken is known, and not the consequences, an alert cites the rule.
#[test]
fn an_illegal_move_cites_its_rule() {
    let illegal = Situation::from_word("illegal_move").expect("a situation");
    let cited =
        |name: &str, because| articles(&laws(name), illegal, &RulingFacts { because: Some(because), ..RulingFacts::default() });
    assert_eq!(cited("fide-1997", Topic::KingSafety), ["3.9"]);
    assert_eq!(cited("fide-1997", Topic::KingCapture), ["3"], "there is no article on that topic alone");
    assert_eq!(cited("china-1973", Topic::Legality), ["Section 3"]);
    assert_eq!(cited("china-1973", Topic::TouchOwn), Vec::<&str>::new());
    let two_hands = Situation::from_word("two_hands").expect("a situation");
    assert_eq!(articles(&laws("fide-1997"), two_hands, &RulingFacts::default()), ["4.1"]);
    for name in ["fide-1997", "china-1973"] {
        assert_eq!(ruling(&laws(name), illegal, &RulingFacts::default()), None, "the consequences are not known");
    }
}

/// A file that was written for an earlier version is accepted: unknown keys are reported and ignored.
#[test]
fn keys_of_earlier_versions_raise_warnings() {
    let source = Edition::source("fide-2009").expect("a file");
    let older = source
        .replace("[standard]\n", "[standard]\nintent = \"deliberate\"\ndefault_time = \"zero\"\n")
        .replace("[standard.articles]\n", "[standard.articles]\nscreens = \"6.14\"\n")
        .replace("not_at_hand = [", "not_at_hand = [\"once_a_move\", ")
        .lines()
        .filter(|line| !line.starts_with("agreement = "))
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let (edition, warnings) = Edition::parse_with_warnings("fide-2009", &older).expect("the file is accepted");
    let expected = [
        "standard.intent: is no longer supported; remove it",
        "standard.default_time: is no longer supported; remove it",
        "standard.articles.screens: is no longer supported; remove it",
        "not_at_hand: \"once_a_move\" is no longer supported; remove it",
        "agreement: has no article; add one, or list the topic in silent or not_at_hand (until then it is treated as not_at_hand)",
    ];
    for expected in expected {
        assert!(warnings.iter().any(|warning| warning == expected), "{expected}\nis not in\n{}", warnings.join("\n"));
    }
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    assert_eq!(edition.gap(Topic::Agreement), Some(&Gap::Unavailable));
}

/// The class of a game by its time control.
#[test]
fn time_controls_determine_the_class() {
    let other = |name: &str, control: &str| laws(name).other_class(control).map(|other| other.to_string());
    assert_eq!(other("fide-2023", "5400+30"), None);
    assert_eq!(other("fide-2023", "40/5400+30:1800+30"), None);
    assert_eq!(other("fide-2023", "900+10").as_deref(), Some("fide-2023 rapid"));
    assert_eq!(other("fide-2023 rapid limited", "180+2").as_deref(), Some("fide-2023 blitz limited"));
    assert_eq!(other("fide-2009", "840").as_deref(), Some("fide-2009 blitz"));
    let record = Record::new(0, Position::start().fen(), None, "fide-2023".to_owned(), Rotation::Upright);
    let unlike = "its time control 180+2 is blitz by fide-2023 (B.1), but its Laws are those for standard games";
    assert_eq!(record.unlike_time_control("180+2").as_deref(), Some(unlike));
    assert_eq!(record.unlike_time_control("5400+30"), None);
    for (name, control) in [("fide-1997", "300"), ("fide-2023", "?"), ("fide-2023", "-"), ("fide-2023", "*180")] {
        assert_eq!(other(name, control), None, "{name} {control}");
    }
}

#[test]
fn laws_are_written_and_parsed_as_text() {
    for text in ["fide-2023", "china-1973", "fide-2018 rapid", "fide-2009 blitz limited"] {
        assert_eq!(laws(text).to_string(), text);
    }
    assert_eq!(laws("fide-2023 standard full").to_string(), "fide-2023");
    assert_eq!(laws("fide-2023 standard limited").article(Topic::IllegalStands), None, "supervision changes nothing there");
    assert_eq!(Laws::default().to_string(), "fide-2023");
    let wrong = |text: &str| text.parse::<Laws>().expect_err(text).to_string();
    assert!(wrong("fide-2020").starts_with("unknown edition \"fide-2020\" of the Laws; write china-1973 or fide-1997 or "));
    assert_eq!("fide-2023 fast".parse::<Laws>(), Err(BadLaws::Kind("fast".into())));
    for text in ["", "fide-2023 rapid half", "fide-2023 rapid full x", "fide-2023 limited"] {
        assert!(text.parse::<Laws>().is_err(), "{text}");
    }
}

/// The definitions of rapid and blitz: the total time for 60 moves.
#[test]
fn time_classes() {
    use TimeClass::{Blitz, Rapid, Standard};
    let check = |edition: &str, minutes: u32, increment_s: u32, expect: Option<TimeClass>| {
        let edition = Edition::named(edition).expect("an edition");
        assert_eq!(edition.time_class(minutes * 60, increment_s), expect, "{} {minutes}+{increment_s}", edition.name);
    };
    for edition in ["fide-2014", "fide-2017", "fide-2018", "fide-2023"] {
        check(edition, 10, 0, Some(Blitz));
        check(edition, 3, 2, Some(Blitz));
        check(edition, 8, 2, Some(Blitz));
        check(edition, 10, 1, Some(Rapid));
        check(edition, 15, 10, Some(Rapid));
        check(edition, 30, 29, Some(Rapid));
        check(edition, 59, 0, Some(Rapid));
        check(edition, 60, 0, Some(Standard));
        check(edition, 30, 30, Some(Standard));
        check(edition, 90, 30, Some(Standard));
    }
    check("fide-2009", 14, 0, Some(Blitz));
    check("fide-2009", 15, 0, Some(Rapid));
    check("fide-2009", 60, 0, Some(Standard));
    check("fide-2023", u32::MAX / 60, u32::MAX, Some(Standard));
    check("fide-1997", 5, 0, None);
    check("china-1973", 5, 0, None);
}

/// The output of `touchmovectl laws` has every article, and no penalty that is not known.
#[test]
fn every_edition_is_described() {
    for laws in all_laws() {
        let text = touchmove::ctl::laws::describe(&laws);
        assert!(text.starts_with(&format!("{laws}: {}", laws.edition.title)), "{text}");
        for topic in Topic::ALL {
            for article in laws.articles(*topic) {
                assert!(text.contains(article), "{laws}: {article}");
            }
        }
        assert_eq!(text.contains("  illegal moves  "), penalty(&laws, 1, true).is_some(), "{laws}");
    }
}

/// The draw rules that the record of a game uses.
#[test]
fn draw_rules_of_the_editions() {
    let rules = |name: &str| -> &'static Rules { laws(name).rules() };
    let figures = |name| {
        let rules = rules(name);
        (rules.repetition, rules.fifty, rules.five_fold, rules.seventy_five)
    };
    for name in ["fide-2014", "fide-2017", "fide-2018", "fide-2023", "fide-2023 blitz limited"] {
        assert_eq!(figures(name), (Some(3), Some(50), Some(5), Some(75)), "{name}");
    }
    assert_eq!(figures("fide-2009"), (Some(3), Some(50), None, None));
    assert_eq!(figures("fide-1997"), (Some(3), Some(50), None, None));
    assert_eq!(figures("china-1973"), (None, None, None, None));
}
