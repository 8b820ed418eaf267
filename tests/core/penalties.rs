//! The penalties for irregularities and incorrect claims.

use super::editions::{laws, shared};
use super::rulings::words;
use touchmove::laws::{
    Irregularity, IrregularityCounts, Laws, Penalty, Reply, RulingAction, RulingFacts, Situation, Supervision, TimeClass,
};
use touchmove::laws::{penalty, ruling};

/// The seconds that the opponent gets for the first, second, … irregularity, and the penalty after that, with an opponent who can
/// mate and one who cannot.
#[test]
fn penalties_for_repeated_irregularities() {
    use Penalty::{Add, Draw, Loses};
    let check = |names: &[&str], added: &[u32], last: (Penalty, Penalty)| {
        for name in names {
            let laws = laws(name);
            for (nth, seconds) in (1..).zip(added) {
                assert_eq!(penalty(&laws, nth, true), Some(Add(*seconds)), "{name}: {nth}");
                assert_eq!(penalty(&laws, nth, false), Some(Add(*seconds)), "{name}: {nth}");
            }
            let after_added = u32::try_from(added.len()).unwrap() + 1;
            for nth in [after_added, after_added + 1, u32::MAX] {
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
    let mut tally = IrregularityCounts::default();
    assert_eq!(tally.add(White, 60_000, 7, Irregularity::TwoHands), 1);
    assert_eq!(tally.add(White, 60_000, 7, Irregularity::PawnLeft), 1);
    assert_eq!(tally.add(White, 60_000, 7, Irregularity::PawnLeft), 1);
    assert_eq!(tally.of(White)[0].irregularities, [Irregularity::TwoHands, Irregularity::PawnLeft]);
    assert_eq!(tally.add(Black, 61_000, 8, Irregularity::IllegalMove), 1, "each player has a separate count");
    assert_eq!(
        tally.add(White, 70_000, 7, Irregularity::IllegalMove),
        2,
        "the same move, illegal again after it was taken back"
    );
    assert_eq!(tally.add(White, 90_000, 21, Irregularity::PressWithoutMove), 3, "all kinds are one count");
    assert!(tally.remove(White, 60_000), "the arbiter may rule otherwise");
    assert!(!tally.remove(White, 60_000));
    assert_eq!((tally.count(White), tally.count(Black)), (2, 1));
}

/// The increment gained by the press of an illegal move is removed where the edition says so, and where there is one.
#[test]
fn the_increment_of_an_illegal_move() {
    let acts = |name: &str, what, facts: RulingFacts| {
        ruling(&laws(name), Situation::Irregular(what), &facts).map_or_else(String::new, |ruling| words(&ruling.acts))
    };
    let gained = RulingFacts { increment: true, ..RulingFacts::default() };
    let illegal = |name: &str, facts| acts(name, Irregularity::IllegalMove, facts);
    assert_eq!(illegal("fide-2023", gained), "restore, touch_binds, take_increment, add 120");
    assert_eq!(illegal("fide-2023", RulingFacts::default()), "restore, touch_binds, add 120");
    assert_eq!(illegal("fide-2023", RulingFacts { nth: 2, ..gained }), "loses", "then no clock is set any more");
    assert_eq!(illegal("fide-2014", gained), "restore, touch_binds, add 120", "this edition does not say so");
    assert_eq!(acts("fide-2023", Irregularity::PressWithoutMove, gained), "take_increment, add 120");
    assert_eq!(acts("fide-2023", Irregularity::PawnLeft, gained), "queen, take_increment, add 120");
}

#[test]
fn penalties_for_incorrect_claims() {
    let check = |name: &str, expect: &str| {
        let situation = Situation::from_word("wrong_claim").expect("a situation");
        let ruling =
            ruling(&laws(name), situation, &RulingFacts { claimed: true, ..RulingFacts::default() }).expect("a ruling");
        assert_eq!(words(&ruling.acts), expect, "{name}");
    };
    check("fide-2009", "add 180, halve 180 60");
    for name in ["fide-2014", "fide-2017", "fide-2018", "fide-2018 rapid", "fide-2023"] {
        check(name, "add 120");
    }
    for name in ["fide-2018 blitz", "fide-2023 rapid", "fide-2023 blitz", "fide-2023 blitz limited"] {
        check(name, "add 60");
    }
}

/// The same, compared with a table by others. Each of its lines must be one that this test can read.
#[test]
fn penalties_agree_with_a_table_by_others() {
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
            unknown => panic!("{unknown}: this test does not know this edition"),
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
            // With few arbiters, an illegal move stands after the opponent's reply.
            let limited = laws.supervision == Supervision::Limited && laws.class != TimeClass::Standard;
            let facts = RulingFacts { reply: Reply::Made, claimed: true, ..RulingFacts::default() };
            let after = ruling(&laws, Situation::Irregular(Irregularity::IllegalMove), &facts).expect("a ruling");
            assert_eq!(words(&after.acts) == "stands", limited, "{game}");
        }
    }
    for entry in list("what_counts_as_completed_illegal") {
        let year = entry["edition"].as_str().expect("an edition").split(' ').next().unwrap();
        let laws = laws(&format!("fide-{year}"));
        let is_new_rule = matches!(year, "2017" | "2018" | "2023");
        assert!(laws.counts(Irregularity::IllegalMove) && laws.counts(Irregularity::PawnLeft), "{year}");
        assert_eq!(laws.counts(Irregularity::PressWithoutMove), is_new_rule, "{year}");
        assert_eq!(laws.counts(Irregularity::TwoHands), is_new_rule, "{year}");
    }
    for entry in list("incorrect_draw_claim") {
        let name = entry["edition"].as_str().expect("an edition");
        let games = match name {
            "2023 rapid/blitz" => vec!["fide-2023 rapid".to_owned(), "fide-2023 blitz".to_owned()],
            year => vec![format!("fide-{year}")],
        };
        for game in games {
            let situation = Situation::from_word("wrong_claim").expect("a situation");
            let facts = RulingFacts { claimed: true, ..RulingFacts::default() };
            let acts = ruling(&laws(&game), situation, &facts).expect("a ruling").acts;
            let added = u32::try_from(entry["opponent"].as_u64().expect("seconds")).unwrap();
            assert!(acts.contains(&RulingAction::Add(added)), "{game}: {acts:?}");
            // The claimant's remaining time, by the figures of the ruling.
            let time_left = |had: u64| match acts
                .iter()
                .find_map(|act| if let RulingAction::Halve(half) = act { Some(half) } else { None })
            {
                Some(half) => (had - (had / 2).min(u64::from(half.max_s))).max(had.min(u64::from(half.floor_s))),
                None => had,
            };
            for example in entry["claimant_examples"].as_array().into_iter().flatten() {
                let (had, left) = (example["had"].as_u64().unwrap(), example["left"].as_u64().unwrap());
                assert_eq!(time_left(had), left, "{game}: {had}");
            }
        }
    }
}
