//! What irregularities and incorrect claims cost, and what that does to the clocks.

use super::editions::{laws, shared};
use super::rulings::words;
use touchmove::laws::{Facts, Irregularity, Laws, Penalty, Reply, Situation, Supervision, Tally, TimeClass, Times, Worded};
use touchmove::laws::{penalty, ruling};

/// What the opponent gets for the first, second, …, and what follows then, with an opponent who can mate and one who cannot.
#[test]
fn ladders() {
    use Penalty::{Add, Draw, Loses};
    let check = |names: &[&str], added: &[u32], last: (Penalty, Penalty)| {
        for name in names {
            let laws = laws(name);
            for (nth, seconds) in (1..).zip(added) {
                assert_eq!(penalty(&laws, nth, true), Some(Add(*seconds)), "{name}: {nth}");
                assert_eq!(penalty(&laws, nth, false), Some(Add(*seconds)), "{name}: {nth}");
            }
            let over = u32::try_from(added.len()).unwrap() + 1;
            for nth in [over, over + 1, u32::MAX] {
                assert_eq!(
                    (penalty(&laws, nth, true), penalty(&laws, nth, false)),
                    (Some(last.0), Some(last.1)),
                    "{name}: {nth}"
                );
            }
        }
    };
    check(&["fide-2009", "fide-2009 rapid", "fide-2009 rapid limited", "fide-2009 blitz"], &[120, 120], (Loses, Loses));
    check(&["fide-2009 blitz limited"], &[], (Loses, Draw));
    let two_minutes = [
        "fide-2014",
        "fide-2014 rapid",
        "fide-2014 blitz",
        "fide-2017",
        "fide-2017 rapid",
        "fide-2017 blitz",
        "fide-2018",
        "fide-2018 rapid",
        "fide-2018 rapid limited",
        "fide-2023",
    ];
    check(&two_minutes, &[120], (Loses, Draw));
    let at_once = ["fide-2014 rapid limited", "fide-2014 blitz limited", "fide-2017 rapid limited", "fide-2017 blitz limited"];
    check(&at_once, &[], (Loses, Draw));
    let one_minute = [
        "fide-2018 blitz",
        "fide-2018 blitz limited",
        "fide-2023 rapid",
        "fide-2023 rapid limited",
        "fide-2023 blitz",
        "fide-2023 blitz limited",
    ];
    check(&one_minute, &[60], (Loses, Draw));
}

#[test]
fn two_irregularities_in_one_move_count_once() {
    use shakmaty::Color::{Black, White};
    let mut tally = Tally::default();
    assert_eq!(tally.add(White, 60_000, 7, Irregularity::TwoHands), 1);
    assert_eq!(tally.add(White, 60_000, 7, Irregularity::PawnLeft), 1);
    assert_eq!(tally.add(White, 60_000, 7, Irregularity::PawnLeft), 1);
    assert_eq!(tally.of(White)[0].what, [Irregularity::TwoHands, Irregularity::PawnLeft]);
    assert_eq!(tally.add(Black, 61_000, 8, Irregularity::IllegalMove), 1, "each player has his own count");
    assert_eq!(tally.add(White, 70_000, 7, Irregularity::IllegalMove), 2, "the same move, wrong again after it was put back");
    assert_eq!(tally.add(White, 90_000, 21, Irregularity::PressWithoutMove), 3, "all kinds are one count");
    assert!(tally.strike(White, 60_000), "the arbiter may rule otherwise");
    assert!(!tally.strike(White, 60_000));
    assert_eq!((tally.count(White), tally.count(Black)), (2, 1));
}

#[test]
fn the_increment_of_an_illegal_move() {
    let times = Times { offender_ms: 95_000, opponent_ms: 60_000 };
    let after = |name| times.penalised(&laws(name), Penalty::Add(120), 30_000);
    assert_eq!(after("fide-2023"), Times { offender_ms: 65_000, opponent_ms: 180_000 });
    assert_eq!(after("fide-2014"), Times { offender_ms: 95_000, opponent_ms: 180_000 }, "no text at hand says so");
    assert_eq!(times.penalised(&laws("fide-2023"), Penalty::Loses, 0), times);
    let most = Times { offender_ms: 0, opponent_ms: u32::MAX };
    assert_eq!(most.penalised(&laws("fide-2023"), Penalty::Add(120), 30_000), most);
}

#[test]
fn incorrect_claims() {
    let check = |name: &str, had_s: u32, left_s: u32, added_s: u32| {
        let after = Times { offender_ms: had_s * 1000, opponent_ms: 5_000 }.after_wrong_claim(&laws(name));
        let expect = Times { offender_ms: left_s * 1000, opponent_ms: 5_000 + added_s * 1000 };
        assert_eq!(after, Some(expect), "{name}: {had_s}");
    };
    for (had, left) in [(600, 420), (360, 180), (240, 120), (150, 75), (120, 60), (100, 60), (60, 60), (50, 50), (0, 0)] {
        check("fide-2009", had, left, 180);
    }
    let odd = Times { offender_ms: 121_001, opponent_ms: 0 }.after_wrong_claim(&laws("fide-2009"));
    assert_eq!(odd, Some(Times { offender_ms: 60_501, opponent_ms: 180_000 }), "the half that is taken is rounded down");
    for name in ["fide-2014", "fide-2017", "fide-2018", "fide-2018 rapid", "fide-2023"] {
        check(name, 100, 100, 120);
    }
    for name in ["fide-2018 blitz", "fide-2023 rapid", "fide-2023 blitz", "fide-2023 blitz limited"] {
        check(name, 100, 100, 60);
    }
}

/// The same, from the table that others worked out. Each of its lines must be one that we know how to read.
#[test]
fn penalties_as_others_worked_them_out() {
    let Some(table) = shared("penalty_arithmetic.json") else { return };
    let list = |key: &str| table[key].as_array().expect(key).clone();
    let ladders = list("illegal_move_ladder");
    for entry in &ladders {
        let name = entry["edition"].as_str().expect("an edition");
        let games: &[&str] = match name {
            "2009 standard" => &["fide-2009"],
            "2014 standard" => &["fide-2014"],
            "2018 standard" => &["fide-2018"],
            "2023 standard" => &["fide-2023"],
            "2009 rapid (inadequate supervision)" => &["fide-2009 rapid limited"],
            "2009 blitz" => &["fide-2009 blitz limited"],
            "2014 & July-2017 rapid+blitz, A.4 (few arbiters)" => {
                &["fide-2014 rapid limited", "fide-2014 blitz limited", "fide-2017 rapid limited", "fide-2017 blitz limited"]
            }
            "2018 rapid" => &["fide-2018 rapid limited", "fide-2018 rapid"],
            "2018 blitz" => &["fide-2018 blitz limited", "fide-2018 blitz"],
            "2023 rapid and blitz" => {
                &["fide-2023 rapid limited", "fide-2023 blitz limited", "fide-2023 rapid", "fide-2023 blitz"]
            }
            unknown => panic!("{unknown}: nobody read this yet"),
        };
        for game in games {
            let laws = laws(game);
            for nth in 1..=3u32 {
                let step = &entry[format!("n{nth}")];
                if let Some(seconds) = step["opponent"].as_u64() {
                    assert_eq!(penalty(&laws, nth, true), Some(Penalty::Add(u32::try_from(seconds).unwrap())), "{game}: {nth}");
                }
                match step["result"].as_str() {
                    None => {}
                    Some(result) if result.starts_with("as standard") => {
                        let standard = Laws { class: TimeClass::Standard, ..laws };
                        assert_eq!(penalty(&laws, nth, true), penalty(&standard, nth, true));
                    }
                    Some(result) => {
                        assert!(result.starts_with("loss"), "{result}");
                        assert_eq!(penalty(&laws, nth, true), Some(Penalty::Loses), "{game}: {nth}");
                        if result.contains("draw") {
                            assert_eq!(penalty(&laws, nth, false), Some(Penalty::Draw), "{game}: {nth}");
                        }
                    }
                }
            }
            // Until when: the opponent's next move, where somebody must see it or claim.
            let limited = laws.supervision == Supervision::Limited && laws.class != TimeClass::Standard;
            let facts = Facts { reply: Reply::Made, claimed: true, ..Facts::default() };
            let after = ruling(&laws, Situation::Irregular(Irregularity::IllegalMove), &facts).expect("a ruling");
            assert_eq!(words(&after.acts) == "stands", limited, "{game}");
        }
    }
    for entry in list("what_counts_as_completed_illegal") {
        let year = entry["edition"].as_str().expect("an edition").split(' ').next().unwrap();
        let laws = laws(&format!("fide-{year}"));
        let late = matches!(year, "2017" | "2018" | "2023");
        assert!(laws.counts(Irregularity::IllegalMove) && laws.counts(Irregularity::PawnLeft), "{year}");
        assert_eq!(laws.counts(Irregularity::PressWithoutMove), late, "{year}");
        assert_eq!(laws.counts(Irregularity::TwoHands), late, "{year}");
    }
    for entry in list("incorrect_draw_claim") {
        let name = entry["edition"].as_str().expect("an edition");
        let games = match name {
            "2023 rapid/blitz" => vec!["fide-2023 rapid".to_owned(), "fide-2023 blitz".to_owned()],
            year => vec![format!("fide-{year}")],
        };
        for game in games {
            let added = u32::try_from(entry["opponent"].as_u64().expect("seconds")).unwrap() * 1000;
            let examples = entry["claimant_examples"].as_array().cloned().unwrap_or_default();
            let pairs = examples.iter().map(|example| (example["had"].as_u64().unwrap(), example["left"].as_u64().unwrap()));
            for (had, left) in pairs.chain((examples.is_empty()).then_some((600, 600))) {
                let ms = |seconds: u64| u32::try_from(seconds * 1000).unwrap();
                let after = Times { offender_ms: ms(had), opponent_ms: 0 }.after_wrong_claim(&laws(&game));
                assert_eq!(after, Some(Times { offender_ms: ms(left), opponent_ms: added }), "{game}: {had}");
            }
        }
    }
    for entry in list("default_time") {
        let laws = laws(&format!("fide-{}", entry["edition"].as_str().expect("an edition")));
        // A text that says both has zero when the event says nothing.
        let zero = entry["seconds"].as_u64() == Some(0) || entry["seconds"].as_str().is_some_and(|text| text.contains("zero"));
        assert_eq!(laws.rules().default_time.map(Worded::word), Some(if zero { "zero" } else { "event" }), "{laws}");
    }
    let assistant = &table["assistant_presses_clock"];
    let seconds = assistant["seconds_off"].as_u64().and_then(|seconds| u32::try_from(seconds).ok());
    assert_eq!(laws("fide-2014").rules().assistant_s, seconds);
}
