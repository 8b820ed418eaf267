//! Every key of every edition matters: changing it changes an outcome.

use crate::core::rulings::words;
use shakmaty::{Color, Piece, Role, Square};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use toml::{Table, Value};
use touchmove::laws::draws::{ClaimBasis, ClaimKind, DrawRules, PositionEquality, PositionHistory};
use touchmove::laws::edition::Completion;
use touchmove::laws::reason::why_illegal;
use touchmove::laws::touch::{Obligation, TouchRules, Touches, obligation, obligation_restored};
use touchmove::laws::{
    EDITIONS, Edition, Irregularity, Laws, LawsWord, Position, Reply, RulingFacts, Situation, Stage, Supervision, TimeClass,
    Topic, Winnable, articles, penalty, ruling,
};

/// All outcomes of an edition, one line each, in a fixed order.
fn outcomes(edition: &'static Edition) -> impl Iterator<Item = String> {
    let games = TimeClass::ALL
        .iter()
        .flat_map(move |&class| Supervision::ALL.iter().map(move |&supervision| Laws { edition, class, supervision }));
    let time = (0..600).map(move |minutes| {
        let class = |increment| edition.time_class(minutes * 20, increment).map(LawsWord::word);
        format!("{minutes}: {:?} {:?}", class(0), class(30))
    });
    time.chain(games.flat_map(|laws| {
        let lines = penalties(laws)
            .chain(counted(laws))
            .chain(completions(laws))
            .chain(draws(laws))
            .chain(claims(laws))
            .chain(touches(laws));
        lines.chain(illegal_moves(laws)).chain(rulings(laws)).chain(other_classes(laws))
    }))
}

fn outcome(laws: &Laws, situation: Situation, facts: &RulingFacts) -> String {
    let cited = || articles(laws, situation, facts).join(", ");
    let ruling = ruling(laws, situation, facts);
    ruling.map_or_else(cited, |ruling| format!("{}: {}", words(&ruling.acts), ruling.articles.join(", ")))
}

/// The results of a search for a mate by the opponent.
const WINNABLE: [Winnable; 2] = [Winnable::CanMate, Winnable::CannotMate];

/// Facts of all kinds, a few of which differ from the default each time.
fn facts() -> &'static [RulingFacts] {
    static FACTS: LazyLock<Vec<RulingFacts>> = LazyLock::new(|| {
        let usual = RulingFacts::default;
        let mut all = Vec::new();
        for &stage in Stage::ALL {
            for &reply in Reply::ALL {
                for (claimed, winnable) in
                    [false, true].into_iter().flat_map(|claimed| WINNABLE.map(|winnable| (claimed, winnable)))
                {
                    let opponent_can_mate = Some(winnable);
                    all.extend((1..=4).map(|nth| RulingFacts { stage, reply, claimed, opponent_can_mate, nth, ..usual() }));
                }
            }
            all.push(RulingFacts { stage, still_there: false, ..usual() });
        }
        all.extend((0..=24).map(|moves| RulingFacts { moves, ..usual() }));
        all.extend([0, 299, 300, 301, 450].map(|lasted_s| RulingFacts { lasted_s, exchanged: false, moves: 2, ..usual() }));
        all.extend([0, 119, 120, 150].map(|left_s| RulingFacts { left_s, ..usual() }));
        all.push(RulingFacts { signed: true, ..usual() });
        all.push(RulingFacts { unsettled: true, ..usual() });
        all.push(RulingFacts { consecutive: false, ..usual() });
        all.push(RulingFacts { increment: true, ..usual() });
        all
    });
    &FACTS
}

fn rulings(laws: Laws) -> impl Iterator<Item = String> {
    Situation::all().flat_map(move |situation| facts().iter().map(move |facts| outcome(&laws, situation, facts)))
}

fn penalties(laws: Laws) -> impl Iterator<Item = String> {
    (1..=5).flat_map(move |nth| [true, false].map(|mates| format!("{nth} {mates} {:?}", penalty(&laws, nth, mates))))
}

fn counted(laws: Laws) -> impl Iterator<Item = String> {
    Irregularity::ALL.iter().map(move |&what| format!("{} {}", what.word(), laws.counts(what)))
}

fn completions(laws: Laws) -> impl Iterator<Item = String> {
    Completion::ALL.iter().map(move |&by| format!("{} {}", by.word(), laws.completes(by)))
}

fn other_classes(laws: Laws) -> impl Iterator<Item = String> {
    ["300+3", "900+10", "40/5400+30:1800+30"].into_iter().map(move |control| {
        let other = laws.other_class(control);
        other.map_or_else(String::new, |other| format!("{other}: {:?}", other.articles(Topic::TimeClass).collect::<Vec<_>>()))
    })
}

/// A game in which the first position occurs `times` times, including now.
fn repeated(times: usize) -> (Position, String) {
    (Position::start(), "g1f3 g8f6 f3g1 f6g8 ".repeat(times - 1))
}

/// Like [`repeated`], but not in consecutive moves.
fn repeated_not_consecutively(times: usize) -> (Position, String) {
    (Position::start(), "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 g1f3 g8f6 c3b1 c6b8 f3g1 f6g8 ".repeat(times / 2 + 1))
}

/// The castling right is lost while a rook prevents castling.
fn castling_prevented() -> (Position, String) {
    let start = Position::from_fen("4k1r1/8/8/8/8/8/7N/4K2R w K - 0 1", false).expect("a FEN");
    (start, "h1g1 e8d8 g1h1 d8e8 ".repeat(2))
}

fn quiet(halfmoves: u32) -> (Position, String) {
    let fen = format!("8/8/4k3/8/8/4K3/R7/8 w - - {halfmoves} 199");
    (Position::from_fen(&fen, false).expect("a FEN"), String::new())
}

fn histories(laws: Laws) -> impl Iterator<Item = PositionHistory> {
    let repeated = (1..=7).map(repeated).chain((2..=7).map(repeated_not_consecutively)).chain([castling_prevented()]);
    let quiet = [98, 99, 100, 101, 120, 148, 149, 150, 160, 210, 310].map(quiet);
    repeated.chain(quiet).map(move |(start, moves)| {
        let mut history = PositionHistory::new(&start, PositionEquality::of(&laws));
        for uci in moves.split_whitespace() {
            let mv = history.position().parse_uci(uci).expect("a legal move");
            history.play(mv);
        }
        history
    })
}

fn draws(laws: Laws) -> impl Iterator<Item = String> {
    histories(laws).map(move |history| format!("{:?}", history.drawn(&DrawRules::of(&laws))))
}

fn claims(laws: Laws) -> impl Iterator<Item = String> {
    let rules = DrawRules::of(&laws);
    let late = format!("{} {}", rules.is_claim_lost(true), rules.is_claimed_before_the_move(true));
    let claims = histories(laws).flat_map(move |history| {
        let mv = history.position().legal_moves()[0];
        let rules = DrawRules::of(&laws);
        let finding = |claimed, basis| format!("{:?}", history.claim(history.position().turn(), claimed, basis, &rules));
        let kinds = [ClaimKind::Repetition, ClaimKind::FiftyMoves];
        kinds.map(|claimed| finding(claimed, ClaimBasis::OnBoard) + &finding(claimed, ClaimBasis::OnIntended(mv)))
    });
    std::iter::once(late).chain(claims)
}

/// Moves against each part of Article 3 that has its own articles.
const ILLEGAL: [(&str, &str); 8] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "a1a4"),
    ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e3"),
    ("4k3/8/8/8/8/8/8/4KR1r w - - 0 1", "f1f5"),
    ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e8"),
    ("4k3/8/8/pP6/8/8/8/4K3 w - - 0 1", "b5a6"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k"),
    ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"),
    ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1h1"),
];

fn illegal_moves(laws: Laws) -> impl Iterator<Item = String> {
    ILLEGAL.into_iter().map(move |(fen, uci)| {
        let position = Position::from_fen(fen, false).expect("a FEN");
        let mv = position.any_move(uci).expect("a move");
        let reason = why_illegal(&position, mv).expect("it is not legal");
        let facts = RulingFacts { because: Some(reason.topic()), ..RulingFacts::default() };
        outcome(&laws, Situation::Irregular(reason.irregularity()), &facts)
    })
}

/// Pieces touched in this order, and released where a word has two squares: `e1 h1`, `a7a8q`.
const TOUCHED: [(&str, &str); 12] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5 e4"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1 h1"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1 e1"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1 e1 h1f1 e1g1"),
    ("4k3/8/8/8/8/8/5PPP/5KR1 w - - 0 1", "f1 g1"),
    ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "e1 h1 e1g1 h1f1"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1 e1g1"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7 a7a8n"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7 a7a8p"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1 g1f3"),
];

fn touches(laws: Laws) -> impl Iterator<Item = String> {
    TOUCHED.into_iter().flat_map(move |(fen, words)| {
        let position = Position::from_fen(fen, false).expect("a FEN");
        let mut touches = Touches::new(0);
        for (at, word) in (0..).zip(words.split(' ')) {
            let square = |at: usize| word.get(at..at + 2).and_then(|text| text.parse::<Square>().ok());
            let from = square(0).expect("a square");
            let piece = position.piece_at(from).expect("a piece");
            match square(2) {
                None => touches.touch(at, from, piece),
                Some(to) => {
                    let role = word.chars().nth(4).and_then(Role::from_char).unwrap_or(piece.role);
                    touches.release(at, from, to, Piece { role, color: Color::White });
                }
            }
        }
        let rules = TouchRules::of(&laws);
        [obligation(&position, &touches, rules), obligation_restored(&position, &touches, rules)].map(|bound| {
            let because = match &bound {
                Obligation::Only { by, .. } => by.topic(),
                Obligation::Free(freedom) => freedom.topic().and_then(Topic::from_word),
            };
            let facts = RulingFacts { because, ..RulingFacts::default() };
            format!("{bound:?} {}", outcome(&laws, Situation::Irregular(Irregularity::TouchBroken), &facts))
        })
    })
}

/// One step of a path in a file: a key, or an index in a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    At(usize),
}

/// Collects the paths of all values that are neither tables nor lists.
fn leaves(value: &Value, path: &[Step], paths: &mut Vec<Vec<Step>>) {
    let child_path = |step: Step| [path, &[step]].concat();
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| leaves(value, &child_path(Step::Key(key.clone())), paths)),
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| leaves(value, &child_path(Step::At(at)), paths)),
        _ => paths.push(path.to_vec()),
    }
}

fn at<'a>(value: &'a mut Value, path: &[Step]) -> &'a mut Value {
    path.iter().fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()).expect("a key"),
        Step::At(at) => value.get_mut(*at).expect("a place"),
    })
}

fn dotted(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => key.clone(),
        Step::At(at) => at.to_string(),
    };
    path.iter().map(step).collect::<Vec<_>>().join(".")
}

fn parse(name: &str, file: &Value) -> Result<Edition, Vec<String>> {
    Edition::parse(name, &toml::to_string(file).expect("TOML"))
}

/// The other words that a key may have, taken from the error message for an invalid word. `None`: any text.
fn other_words(name: &str, file: &Value, path: &[Step], word: &str) -> Option<Vec<String>> {
    let mut file = file.clone();
    *at(&mut file, path) = Value::String("?".to_owned());
    let problems = parse(name, &file).err()?;
    let known = problems.iter().find_map(|problem| problem.split_once("is \"?\"; write ").map(|(_, words)| words.to_owned()));
    let words: Vec<String> = known.iter().flat_map(|words| words.split('"').skip(1).step_by(2)).map(str::to_owned).collect();
    Some(words.into_iter().filter(|other| other != word).collect())
}

/// The file with one value changed, in every way that has another meaning.
fn changed(name: &str, file: &Value, path: &[Step]) -> Vec<(String, Value)> {
    let with = |value: Value| {
        let mut file = file.clone();
        *at(&mut file, path) = value.clone();
        (value.to_string(), file)
    };
    let without = || {
        let (mut file, (last, list)) = (file.clone(), path.split_last().expect("a place"));
        if let (Step::At(place), Value::Array(values)) = (last, at(&mut file, list)) {
            values.remove(*place);
        }
        ("removed".to_owned(), file)
    };
    let without_key = || {
        let (mut file, (last, table)) = (file.clone(), path.split_last().expect("a place"));
        if let (Step::Key(key), Value::Table(table)) = (last, at(&mut file, table)) {
            table.remove(key);
        }
        ("removed".to_owned(), file)
    };
    let in_a_list = matches!(path.last(), Some(Step::At(_)));
    match at(&mut file.clone(), path).clone() {
        // Years: an edition does not end before it began.
        Value::Integer(number) if path.len() == 1 => {
            vec![with(Value::Integer(if dotted(path) == "from" { number - 1 } else { number + 1 }))]
        }
        Value::Integer(number) => vec![with(Value::Integer(2 * number + 1))],
        Value::String(_) if in_a_list => vec![without()],
        Value::String(text) => {
            match other_words(name, file, path, &text) {
                None => vec![with(Value::String(format!("{text} x")))],
                // The key has only one word, so it is removed.
                Some(words) if words.is_empty() => vec![without_key()],
                Some(words) => words.into_iter().map(|word| with(Value::String(word))).collect(),
            }
        }
        other => panic!("{name}: there is no rule how to change {other}"),
    }
}

fn leaked(edition: Edition) -> &'static Edition {
    Box::leak(Box::new(edition))
}

/// Whether the value describes the edition, and affects no outcome.
fn is_description(path: &[Step]) -> bool {
    let [Step::Key(key), ..] = path else { return false };
    ["title", "from", "until", "text", "silent", "not_at_hand"].contains(&key.as_str())
}

/// The file with a topic moved to the other list: every topic without an article must be in one list.
fn moved(file: &Value, path: &[Step]) -> Option<Value> {
    let [Step::Key(list), Step::At(place)] = path else { return None };
    let other = if list == "silent" { "not_at_hand" } else { "silent" };
    let mut file = file.clone();
    let topic = file.get_mut(list.as_str())?.as_array_mut()?.remove(*place);
    file.get_mut(other)?.as_array_mut()?.push(topic);
    Some(file)
}

#[test]
fn every_key_of_every_edition_changes_an_outcome() {
    let mut without_effect = BTreeSet::new();
    let mut tried = 0;
    for name in EDITIONS {
        let source = Edition::source(name).expect("a file");
        let file = Value::Table(source.parse::<Table>().expect("TOML"));
        let before = leaked(parse(name, &file).expect("an edition"));
        let known_outcomes: Vec<String> = outcomes(before).collect();
        let described = touchmove::ctl::laws::describe(&Laws { edition: before, ..Laws::default() });
        let mut all = Vec::new();
        leaves(&file, &[], &mut all);
        for path in all.iter().filter(|path| dotted(path) != "name") {
            let variants = match moved(&file, path).filter(|_| is_description(path)) {
                Some(file) => vec![("moved to the other list".to_owned(), file)],
                None => changed(name, &file, path),
            };
            assert!(!variants.is_empty());
            for (change, file) in variants {
                let edition =
                    parse(name, &file).unwrap_or_else(|problems| panic!("{name} {} {change}: {problems:?}", dotted(path)));
                assert_ne!(&edition, before, "{name} {} {change}", dotted(path));
                let after = leaked(edition);
                let differs = if is_description(path) {
                    touchmove::ctl::laws::describe(&Laws { edition: after, ..Laws::default() }) != described
                } else {
                    !outcomes(after).eq(known_outcomes.iter().cloned())
                };
                if !differs {
                    without_effect.insert(format!("{name} {}: {change}", dotted(path)));
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "only {tried} changes were tried");
    assert!(
        without_effect.is_empty(),
        "these changes have no effect:\n{}",
        without_effect.into_iter().collect::<Vec<_>>().join("\n")
    );
}

/// The name must be that of the file.
#[test]
fn an_edition_with_another_name_is_refused() {
    for name in EDITIONS {
        let source = Edition::source(name).expect("a file");
        assert!(Edition::parse("another", source).is_err(), "{name}");
    }
}
