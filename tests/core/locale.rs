//! The texts for people, in each language.

use crate::front_ends::dbus::Lines;
use crate::harness::hall::{Hall, seen};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Message, Pattern, PatternElement};
use shakmaty::{Bitboard, Color, Piece, Rank, Role, Square};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use touchmove::boards::SquareState;
use touchmove::game::event::Difference;
use touchmove::game::{AlertKind, Arg, Text};
use touchmove::laws::draws::Finding;
use touchmove::laws::edition::Halving;
use touchmove::laws::reason::{IllegalReason, MovedBefore, PlacedPiece, ReasonArg};
use touchmove::laws::touch::Duty;
use touchmove::laws::{EDITIONS, RulingAction};
use touchmove::locale::keys::{self, ArgKind};
use touchmove::locale::{Direction, Locale, Scope, alert_heading, page_words, public_words, ruling_act, sentence};
use touchmove::names;
use touchmove::wire::Word as _;
use zbus::Proxy;

const E8: PlacedPiece = PlacedPiece { piece: Piece { color: Color::Black, role: Role::Rook }, square: Square::E8 };
const B4: PlacedPiece = PlacedPiece { piece: Piece { color: Color::Black, role: Role::Bishop }, square: Square::B4 };

/// One value of each variant. A variant that is not in the list does not compile.
macro_rules! one_of_each {
    ($type:ident: $($variant:ident { $($field:tt: $value:expr),* }),+ $(,)?) => {{
        #[allow(dead_code)]
        fn all(value: &$type) {
            match value { $($type::$variant { .. } => (),)+ }
        }
        vec![$($type::$variant { $($field: $value),* }),+]
    }};
}

// It uses the macro above.
mod refusals;

fn reasons() -> Vec<IllegalReason> {
    let a2 = PlacedPiece { piece: Piece { color: Color::White, role: Role::Pawn }, square: Square::A2 };
    one_of_each! { IllegalReason:
        OutOfTurn { moved: E8 },
        EmptySquare { from: Square::E4 },
        NoMove {},
        OwnPiece { moved: E8, on: B4 },
        KingCaptured { king: E8 },
        NoSuchMove { moved: B4, to: Square::B5 },
        Blocked { moved: E8, by: B4 },
        PawnTwoSteps { moved: a2 },
        PawnStraight { moved: a2, on: E8 },
        PawnDiagonal { moved: a2, to: Square::B3 },
        EnPassantTooLate { moved: a2, pawn: Square::D5 },
        EnPassantNotRemoved { pawn: Square::D5 },
        EnPassantWrongPawn { removed: a2, pawn: Square::D5 },
        PawnLeft { pawn: a2 },
        PromotedWrongly { on: Square::A8, role: Role::King },
        PromotedColour { on: E8 },
        PromotedTooEarly { moved: E8, role: Role::Queen },
        IntoCheck { king: Square::E1, by: vec![E8, B4] },
        KingsAdjacent { king: Square::E1, other: Square::E2 },
        Pinned { moved: a2, king: Square::E1, by: E8 },
        Exposed { king: Square::E1, by: E8 },
        StillInCheck { king: Square::E1, by: E8 },
        DoubleCheck { king: Square::E1, by: vec![E8, B4] },
        CastlingNoRook { rook: Square::H1 },
        CastlingAfterMove { moved: MovedBefore::Rook, rook: Square::H1 },
        CastlingBlocked { by: B4 },
        CastlingInCheck { by: E8 },
        CastlingThrough { square: Square::F1, by: E8 },
        CastlingInto { square: Square::G1, by: E8 },
        CastlingUnfinished { rook: Square::H1 },
        CastlingSquares { moved: vec![E8, B4] },
        SeveralMoves { moved: vec![E8, B4, a2] },
        Vanished { pieces: vec![a2] },
        Appeared { pieces: vec![a2] },
        Exchanged { was: E8, is: Piece { color: Color::Black, role: Role::King } },
    }
}

fn duties() -> Vec<Duty> {
    let (a8, e1, h1) = (Square::A8, Square::E1, Square::H1);
    one_of_each! { Duty:
        OwnPiece { square: a8 },
        OwnTogether { squares: Bitboard::from_rank(Rank::First) },
        EnemyPiece { square: a8 },
        EnemyTogether { squares: Bitboard::from_rank(Rank::First) },
        Both { own: e1, enemy: a8 },
        Castle { king: e1, rook: h1 },
        RookBeforeKing { rook: h1, king: e1 },
        KingAfterRook { rook: h1, king: e1 },
        KingAfterCastling { king: e1, rook: h1 },
        PromotionFinal { square: a8, role: Role::Knight },
        Released { from: e1, on: h1 },
        CastlingBegun { king: e1, rook: h1 },
        PawnBecomesQueen { square: a8 },
    }
}

fn findings() -> Vec<Finding> {
    one_of_each! { Finding:
        Repeated { times: 3 },
        Quiet { moves: 50 },
        Lost {},
        TooFewTimes { times: 2 },
        TooFewMoves { missing: 7, required: 100 },
        RuleUnavailable {},
        NotOnMove {},
        IllegalMove {},
        Ended {},
    }
}

fn acts() -> Vec<RulingAction> {
    one_of_each! { RulingAction:
        Restore {}, TouchBinds {}, ReleaseBinds {}, Complete {}, Queen {}, TakeIncrement {}, Add { 0: 120 },
        Halve { 0: Halving { max_s: 180, floor_s: 60 } }, Wins {}, Loses {}, Draw {}, Stands {}, PlayIntended {}, NewGame {},
        Transfer {}, NoCastling {}, OwnTime {}, PutRight {}, MayPenalise {}, GoOn {}, Free {}, OnClaim {}, Wait {},
        ArbiterDecides {}, AskResult {}, AwaitSearch {}, LosesOrDraw {}, NoSignal {}, RuleFirst {}, GoOnOrDraw {},
    }
}

/// Sample values of this kind of argument, one for each variant of a message that it selects.
fn samples(kind: ArgKind) -> Vec<Arg> {
    let word = |word: ReasonArg| vec![Arg::Word(word)];
    let white = |role: Role| Some(role.of(Color::White));
    match kind {
        ArgKind::Square => word(ReasonArg::Square(Square::D6)),
        ArgKind::Role => Role::ALL.map(|role| Arg::Word(ReasonArg::Role(role))).to_vec(),
        ArgKind::Player => Color::ALL.map(|player| Arg::Word(ReasonArg::Player(player))).to_vec(),
        ArgKind::PieceOnSquare => word(ReasonArg::Piece(E8)),
        ArgKind::PiecesOnSquares => {
            [vec![E8], vec![E8, B4], vec![E8, B4, E8]].map(|pieces| Arg::Word(ReasonArg::Pieces(pieces))).to_vec()
        }
        ArgKind::Moved => {
            [MovedBefore::King, MovedBefore::Rook, MovedBefore::Either].map(|moved| Arg::Word(ReasonArg::Moved(moved))).to_vec()
        }
        ArgKind::Number => [0, 1, 2, 1000].map(Arg::Number).to_vec(),
        ArgKind::Plain => vec![Arg::Plain("12 e2e4".to_owned())],
        ArgKind::Differences => {
            let all = [
                (white(Role::Pawn), SquareState::Empty),
                (None, SquareState::Piece(Role::Queen.of(Color::Black))),
                (white(Role::King), SquareState::Side(Color::Black)),
                (white(Role::Rook), SquareState::Side(Color::White)),
                (None, SquareState::Occupied),
            ];
            let all = all.map(|(expected, seen)| Difference { square: Square::E2, expected, seen });
            vec![Arg::Differences(all[..1].to_vec()), Arg::Differences(all.to_vec())]
        }
        ArgKind::Text => {
            let texts = reasons().iter().map(Text::from).chain(duties().iter().map(Text::from)).collect::<Vec<_>>();
            texts.into_iter().map(|text| Arg::Text(Box::new(text))).collect()
        }
    }
}

/// Every message with sample arguments.
fn every_text() -> Vec<Text> {
    let mut texts = Vec::new();
    for (key, args) in keys::all() {
        let choices: Vec<Vec<Arg>> = args.iter().map(|(_, kind)| samples(*kind)).collect();
        for round in 0..choices.iter().map(Vec::len).max().unwrap_or(1) {
            let chosen =
                args.iter().zip(&choices).map(|((name, _), values)| ((*name).to_owned(), values[round % values.len()].clone()));
            texts.push(Text { key: key.to_owned(), args: chosen.collect() });
        }
    }
    texts
}

/// The names of the arguments that a message uses. The parts of a piece count as the piece.
fn used(message: &Message<&str>) -> BTreeSet<String> {
    fn pattern_of(pattern: &Pattern<&str>, used: &mut BTreeSet<String>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { .. } => {}
                PatternElement::Placeable { expression: Expression::Inline(inline) } => variable(inline, used),
                PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                    variable(selector, used);
                    variants.iter().for_each(|variant| pattern_of(&variant.value, used));
                }
            }
        }
    }
    fn variable(expression: &InlineExpression<&str>, used: &mut BTreeSet<String>) {
        let InlineExpression::VariableReference { id } = expression else { panic!("no more than variables: {expression:?}") };
        used.insert(id.name.trim_end_matches("-role").trim_end_matches("-square").to_owned());
    }
    let mut used = BTreeSet::new();
    assert!(message.attributes.is_empty(), "{}", message.id.name);
    pattern_of(message.value.as_ref().expect("a sentence"), &mut used);
    used
}

#[test]
fn every_key_has_a_message_in_each_language_and_no_message_is_without_a_key() {
    let keys: BTreeMap<&str, BTreeSet<String>> =
        keys::all().map(|(key, args)| (key, args.iter().map(|(name, _)| (*name).to_owned()).collect())).collect();
    assert_eq!(keys.len(), keys::all().count(), "a key is listed twice");
    for locale in Locale::PUBLIC {
        let tag = locale.tag();
        let keys: BTreeMap<&str, BTreeSet<String>> = match locale.scope() {
            Scope::Everything => keys.clone(),
            Scope::Public => {
                keys.iter().filter(|(key, _)| key.starts_with("public-")).map(|(key, args)| (*key, args.clone())).collect()
            }
        };
        let file = fluent_syntax::parser::parse(locale.source()).unwrap_or_else(|(_, errors)| panic!("{tag}: {errors:?}"));
        let mut messages = BTreeMap::new();
        for entry in &file.body {
            match entry {
                Entry::Message(message) => {
                    assert_eq!(messages.insert(message.id.name, used(message)), None, "{tag}: {} twice", message.id.name);
                }
                Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
                other => panic!("{tag}: {other:?}"),
            }
        }
        for key in keys.keys() {
            assert_eq!(
                messages.get(key),
                keys.get(key),
                "{tag}: {key} has the arguments on the right, the message those on the left"
            );
        }
        for key in messages.keys() {
            assert!(keys.contains_key(key), "{tag}: no key {key}");
        }
    }
}

/// Panics unless the key of a text is listed, and its arguments are those of the list.
#[track_caller]
fn assert_listed(text: &Text) {
    let Some((_, args)) = keys::all().find(|(key, _)| *key == text.key) else { panic!("{} is not listed", text.key) };
    for (name, kind) in args {
        let given = text.args.iter().find(|(given, _)| given == name).map(|(_, arg)| arg);
        let fits = given.is_some_and(|arg| samples(*kind).iter().any(|sample| argument_kind(arg) == argument_kind(sample)));
        assert!(fits, "{}: {name} is {given:?}", text.key);
    }
}

/// The kind of an argument, for comparison.
fn argument_kind(arg: &Arg) -> String {
    let debug = format!("{arg:?}");
    let parts: Vec<&str> = debug.split('(').collect();
    parts[..parts.len().min(if matches!(arg, Arg::Word(_)) { 2 } else { 1 })].join("(")
}

fn keys_with(prefix: &str) -> BTreeSet<String> {
    keys::all().filter(|(key, _)| key.starts_with(prefix)).map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn every_reason_duty_claim_act_and_alert_has_a_key() {
    let reasons: Vec<Text> = reasons().iter().map(Text::from).collect();
    let duties: Vec<Text> = duties().iter().map(Text::from).collect();
    let findings: Vec<Text> = findings().iter().map(Text::from).collect();
    let acts: Vec<Text> = acts().iter().map(|act| Text::new(&format!("act-{}", first_word(act)))).collect();
    let kinds: Vec<Text> = AlertKind::WORDS.iter().map(|(word, _)| Text::new(&format!("kind-{word}"))).collect();
    for (prefix, texts) in
        [("reason-", &reasons), ("duty-", &duties), ("claim-", &findings), ("act-", &acts), ("kind-", &kinds)]
    {
        assert_eq!(texts.iter().map(|text| text.key.clone()).collect::<BTreeSet<_>>(), keys_with(prefix));
    }
    reasons.iter().chain(&duties).chain(&findings).for_each(assert_listed);
}

/// Every key that the core uses is listed.
#[test]
fn keys_used_in_the_core_are_listed() {
    let mut uses = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/table")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            for after in source.split("Text::new(\"").skip(1) {
                let key = after.split('"').next().unwrap_or_default();
                assert!(keys::all().any(|(known, _)| known == key), "{}: {key} is not listed", path.display());
                uses += 1;
            }
        }
    }
    assert!(uses > 10, "the core uses only {uses} keys");
}

/// The page names each edition of the Laws.
#[test]
fn every_edition_has_a_name() {
    let names: BTreeSet<String> = EDITIONS.iter().map(|edition| format!("page-edition-{edition}")).collect();
    assert_eq!(names, keys_with("page-edition-"));
}

fn first_word(act: &RulingAction) -> String {
    act.to_string().split(' ').next().expect("a word").to_owned()
}

/// Names of formats, which are the same in every language.
const FORMATS: [&str; 15] = [
    "FEN",
    "PGN",
    "CSV",
    "TRF16",
    "UTF",
    "Unicode",
    "Windows",
    "MiB",
    "PDF",
    "FIDE",
    "ID",
    "Excel",
    "LibreOffice",
    "CA",
    "SHA",
];

/// Panics unless the text has the form of a sentence in that language.
#[track_caller]
fn assert_well_formed(locale: Locale, what: &str, text: &str) {
    let context = format!("{} {what}: {text}", locale.tag());
    assert!(!text.is_empty() && !text.ends_with(['.', '。', ' ']) && !text.starts_with(' '), "{context}");
    assert!(!text.contains(['{', '}', '$', '\n', '\u{2068}', '\u{2069}']) && !text.contains("  "), "{context}");
    if locale == Locale::English {
        assert!(text.is_ascii(), "{context}");
    } else {
        let square = |word: &str| word.len() == 2 && word.parse::<Square>().is_ok();
        let letters = text.replace("e2e4", "");
        let words =
            letters.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !square(word) && !FORMATS.contains(word));
        let words: Vec<&str> = words.filter(|word| word.contains(|sign: char| sign.is_ascii_alphabetic())).collect();
        assert!(words.is_empty(), "{context}: {words:?}");
        assert!(!text.contains([',', ';', ':', '(']), "{context}: signs of another script");
    }
}

#[test]
fn every_sentence_is_well_formed_in_each_language() {
    for locale in Locale::ALL {
        for text in every_text() {
            let text_in_language = sentence(locale, &text);
            assert_ne!(text_in_language, text.to_string());
            assert_well_formed(locale, &text.key, &text_in_language);
        }
        for act in acts() {
            assert_well_formed(locale, "act", &ruling_act(locale, &act));
            assert_ne!(ruling_act(locale, &act), act.to_string());
        }
    }
}

/// Moves are counted as in the Laws, never in plies, and there is one word for the arbiter.
#[test]
fn messages_use_the_terms_of_the_laws() {
    for locale in Locale::ALL {
        let tag = locale.tag();
        for text in every_text() {
            let sentence_text = sentence(locale, &text);
            for avoided in ["plies", "ply ", "半回合", "触摸走子", "觸摸走子"] {
                assert!(!sentence_text.contains(avoided), "{tag} {}: {sentence_text}", text.key);
            }
            if tag == "zh-Hans" {
                assert!(
                    sentence_text.split("裁判").skip(1).all(|rest| rest.starts_with('员')),
                    "{}: {sentence_text}",
                    text.key
                );
            }
            if tag == "zh-Hant" {
                assert!(!sentence_text.contains("這一著"), "{}: {sentence_text}", text.key);
            }
        }
    }
}

/// The files of the web page.
fn page() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/publish/web/page");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// The public page, its plain HTML, and what else the program says to spectators.
fn public_sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/publish");
    let (mut folders, mut text) = (vec![root], String::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "js") {
                text += &std::fs::read_to_string(&path).unwrap();
            }
        }
    }
    text
}

/// As for the page of operators and arbiters: whole keys, or their beginnings.
#[test]
fn spectators_see_all_messages_of_the_public_page() {
    let sources = public_sources();
    for key in keys_with("public-") {
        let is_prefix = |(at, _): (usize, char)| {
            sources.contains(&format!("{}${{", &key[..=at])) || sources.contains(&format!("{}{{", &key[..=at]))
        };
        // The first hyphen is that of `public-`.
        let composed = key.char_indices().filter(|(_, sign)| *sign == '-').skip(1).any(is_prefix);
        assert!(sources.contains(&format!("\"{key}\"")) || composed, "nothing uses {key}");
    }
}

#[test]
fn the_public_page_has_twelve_languages() {
    assert!(Locale::PUBLIC.len() >= 12);
    for locale in Locale::PUBLIC {
        let words = public_words(locale);
        assert_eq!(words.keys().map(|key| (*key).to_owned()).collect::<BTreeSet<_>>(), keys_with("public-"));
        for (key, word) in &words {
            let context = format!("{} {key}: {word}", locale.tag());
            assert!(!word.is_empty() && word.trim() == word && !word.contains("  "), "{context}");
            assert!(!word.ends_with(['.', '。']) && !word.contains(['$', '\n', '\u{2068}']), "{context}");
        }
        assert_eq!(Locale::public_from_tag(locale.tag()), Some(locale));
        // Whoever reads a machine-made translation can know.
        assert_eq!(locale.is_public_page_reviewed(), locale == Locale::English, "{}", locale.tag());
        if locale.scope() == Scope::Public {
            assert_eq!(Locale::from_tag(locale.tag()), Locale::English, "{}", locale.tag());
        }
    }
    assert_eq!(Locale::public_from_tag("pt_BR.UTF-8"), Some(Locale::Portuguese));
    assert_eq!(Locale::public_from_tag("fi"), None);
    assert_eq!(Locale::Arabic.direction(), Direction::Rtl);
}

/// The page contains whole keys, or their beginnings where a word from the server follows.
#[test]
fn the_page_uses_exactly_the_keys_of_its_messages() {
    let page = page();
    let used: BTreeSet<&str> = page
        .match_indices("page-")
        .map(|(at, _)| {
            let rest = &page[at..];
            &rest[..rest.find(|sign: char| !sign.is_ascii_alphanumeric() && !"-_".contains(sign)).unwrap_or(rest.len())]
        })
        .collect();
    let keys = keys_with("page-");
    for name in &used {
        let known = if name.ends_with('-') { keys.iter().any(|key| key.starts_with(name)) } else { keys.contains(*name) };
        assert!(known, "the page uses {name}, but there is no such message");
    }
    for key in &keys {
        let is_used = used.iter().any(|name| key == name || (name.ends_with('-') && key.starts_with(name)));
        assert!(is_used, "the page never uses {key}");
    }
}

#[test]
fn the_page_gets_all_its_words_in_each_language() {
    for locale in Locale::ALL {
        let words = page_words(locale);
        assert!(
            keys_with("page-")
                .iter()
                .chain(&keys_with("kind-"))
                .all(|key| words.get(key.as_str()).is_some_and(|word| !word.is_empty()))
        );
        assert!(words["page-round"].contains("{round}") && words["difference"].contains("{square}"), "{words:?}");
        assert!(!words.keys().any(|key| key.starts_with("reason-") || key.starts_with("act-")));
    }
}

#[test]
fn every_kind_of_alert_has_a_distinct_heading() {
    for locale in Locale::ALL {
        let headings: BTreeSet<String> = AlertKind::WORDS.iter().map(|(word, _)| alert_heading(locale, word)).collect();
        assert_eq!(headings.len(), AlertKind::WORDS.len(), "{}", locale.tag());
        headings.iter().for_each(|heading| assert_well_formed(locale, "heading", heading));
        if locale == Locale::English {
            assert!(headings.iter().all(|heading| (2..=4).contains(&heading.split([' ', '-']).count())), "{headings:?}");
        }
    }
}

/// Compares the sentences for the arbiter in English, in simplified and in traditional Chinese.
#[track_caller]
fn check(text: &Text, expect: [&str; 3]) {
    let locales = [Locale::English, Locale::SimplifiedChinese, Locale::TraditionalChinese];
    assert_eq!(locales.map(|locale| sentence(locale, text)), expect);
}

#[test]
fn sentences_contain_sentences() {
    let reason = Text::from(&IllegalReason::DoubleCheck { king: Square::E1, by: vec![B4, E8] });
    let outer = Text::new("illegal_completed").with("player", Color::White).with("san", "Ra1-a4".to_owned());
    check(
        &outer.with("reason", reason),
        [
            "White completed Ra1-a4, which is not legal: the king on e1 is in check from the bishop on b4 and the rook on e8, \
             so only the king can move",
            "白方走出并按钟完成了不合规则的着法Ra1-a4：e1的王同时被b4的象和e8的车将军，只能走王",
            "白方走出並按鐘完成了不合規則的棋步Ra1-a4：e1的王同時被b4的主教和e8的城堡將軍，只能走王",
        ],
    );
}

#[test]
fn differing_squares_are_described() {
    let differences = vec![
        Difference { square: Square::E2, expected: Some(Role::Pawn.of(Color::White)), seen: SquareState::Empty },
        Difference { square: Square::D8, expected: None, seen: SquareState::Piece(Role::Queen.of(Color::Black)) },
        Difference { square: Square::A1, expected: Some(Role::Rook.of(Color::White)), seen: SquareState::Occupied },
    ];
    check(
        &Text::new("displaced_found").with("differences", differences),
        [
            "pieces were found out of place: e2 should hold a white pawn, but holds nothing; d8 should hold nothing, but holds \
             a black queen; a1 should hold a white rook, but holds a piece",
            "发现有棋子错位：e2应为白兵，实为空格；d8应为空格，实为黑后；a1应为白车，实为棋子",
            "發現有棋子放錯格：e2應為白兵，實為空格；d8應為空格，實為黑后；a1應為白城堡，實為棋子",
        ],
    );
}

#[test]
fn claims_and_duties_are_described() {
    let english = |text: Text| sentence(Locale::English, &text);
    let claim = |finding: Finding| english(Text::from(&finding));
    assert_eq!(claim(Finding::TooFewTimes { times: 1 }), "the claim is incorrect: the position occurs once");
    assert_eq!(claim(Finding::TooFewTimes { times: 2 }), "the claim is incorrect: the position occurs 2 times");
    assert_eq!(
        claim(Finding::TooFewMoves { missing: 1, required: 100 }),
        "the claim is incorrect: one of the 100 moves of both players is missing"
    );
    assert_eq!(
        english(Text::from(&Duty::KingAfterRook { rook: Square::H1, king: Square::E1 })),
        "the king on e1 must move, but not castle with the rook on h1, which was touched first"
    );
}

#[test]
fn times_are_in_minutes_where_they_are_whole() {
    let add = |seconds| ruling_act(Locale::English, &RulingAction::Add(seconds));
    assert_eq!(add(120), "add 2 minutes to the opponent's clock");
    assert_eq!(add(60), "add 1 minute to the opponent's clock");
    assert_eq!(add(90), "add 90 seconds to the opponent's clock");
    assert_eq!(ruling_act(Locale::SimplifiedChinese, &RulingAction::Add(120)), "给对方的棋钟加2分钟");
}

/// Only the journal of another version contains such texts.
#[test]
fn texts_with_unknown_keys_are_shown_as_they_are() {
    let unknown = Text::new("brand_new").with("player", Color::Black).with("square", Square::E4);
    let nested = Text::new("illegal_completed").with("player", Color::White).with("san", "Ke3".to_owned());
    for locale in Locale::ALL {
        assert_eq!(sentence(locale, &unknown), "brand_new, player black, square e4");
        assert_eq!(sentence(locale, &nested), "illegal_completed, player white, san Ke3");
        let text = sentence(locale, &nested.clone().with("reason", unknown.clone()));
        assert!(text.contains("brand_new, player black, square e4") && text.contains("Ke3"), "{text}");
        assert_eq!(alert_heading(locale, "brand_new"), "brand new");
        assert_eq!(sentence(locale, &Text::new("")), "");
        assert_eq!(sentence(locale, &Text::new("reason-no_such_move")), "reason-no_such_move");
    }
}

#[test]
fn languages_are_known_by_any_of_their_names() {
    let names = [
        (Locale::English, vec!["en", "en-GB", "en_US.UTF-8", "C", "C.UTF-8", "POSIX", "", "de_DE.UTF-8", "zho", "-", "x-zh"]),
        (
            Locale::SimplifiedChinese,
            vec!["zh", "zh-Hans", "zh_CN.UTF-8", "zh_CN", "ZH-cn", "zh-Hans-TW", "zh_SG.GB2312", "zh-x"],
        ),
        (
            Locale::TraditionalChinese,
            vec!["zh-Hant", "zh-TW", "zh_TW.Big5", "zh-Hant-HK", "zh_HK.UTF-8@x", "zh-MO", "zh-hant-CN"],
        ),
    ];
    for (locale, names) in names {
        assert_eq!(Locale::from_tag(locale.tag()), locale);
        for name in names {
            assert_eq!(Locale::from_tag(name), locale, "{name}");
        }
    }
}

/// The terms are those of the Laws in each script, and terms of one script do not occur in the other.
#[test]
fn each_script_has_its_own_terms() {
    let terms = [("车", "城堡"), ("马", "騎士"), ("象", "主教"), ("钟", "鐘"), ("着法", "棋步"), ("对局", "棋局")];
    let lines = |locale: Locale| locale.source().lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    for (simplified, traditional) in terms {
        assert!(lines(Locale::SimplifiedChinese).contains(simplified), "{simplified}");
        assert!(lines(Locale::TraditionalChinese).contains(traditional), "{traditional}");
        assert!(!lines(Locale::SimplifiedChinese).contains(traditional), "{traditional}");
        assert!(!lines(Locale::TraditionalChinese).contains(simplified), "{simplified}");
    }
}

/// The arbiter reads an alert on the bus by Describe, and on the command line in the language of the environment.
#[tokio::test]
async fn alerts_are_in_the_language_of_the_arbiter() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, "[game]\naccept_kings_signal = false\n").unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    let address = hall.bus.address();
    let touchmovectl = env!("CARGO_BIN_EXE_touchmovectl");
    let monitor = Lines::of("env", &["LC_ALL=zh_CN.UTF-8", touchmovectl, "monitor", "--bus", &address]);
    monitor.wait_for("the monitor to listen", |line| line.contains("game 1, no move yet"));
    hall.play("e2", "e4", "e4").await;
    hall.play("e7", "e5", "e5").await;
    for (square, piece) in [("e1", '.'), ("d4", 'K'), ("e8", '.'), ("d5", 'k')] {
        hall.board.put(square, piece);
    }
    let alert = seen(&mut hall.watch, "the alert", |event| event.event == "AlertRaised").await;
    let english = "the kings on d4 and d5 signal 1/2-1/2: confirm the result, or set another";
    let simplified = "放在d4和d5的两个王表示结果为1/2-1/2：请确认，或者另行设定";
    assert_eq!(alert.fields["detail"], english);
    monitor
        .wait_for("the alert in Chinese", |line| line.ends_with(&format!("  dgt_board  ALERT 1 after 1...e5: {simplified}")));

    let connection = hall.bus.connect().await;
    let arbiter =
        Proxy::new(&connection, names::BUS_NAME, names::game_path(hall.game), names::OPERATOR_INTERFACE).await.unwrap();
    type Described = (String, String, Vec<String>);
    let describe = async |id: u32, language: &str| arbiter.call::<_, _, Described>("Describe", &(id, language)).await;
    for (language, heading, sentence) in
        [("en", "Result signalled", english), ("zh-CN", "棋手示意结果", simplified), ("xx", "Result signalled", english)]
    {
        let description = describe(1, language).await.unwrap();
        assert_eq!(
            (description.0.as_str(), description.1.as_str(), description.2),
            (heading, sentence, Vec::new()),
            "{language}"
        );
    }
    let refused = describe(7, "en").await.unwrap_err().to_string();
    assert!(refused.contains("NoAlert") && refused.contains("no alert 7 was raised"), "{refused}");

    let show = |language: &str| {
        let mut command = std::process::Command::new(touchmovectl);
        let output = command.args(["game", "--bus", &address]).env("LC_ALL", language).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(show("C").contains(&format!("\nalert 1, after 1...e5 (Black's move 1): {english}\n")), "{}", show("C"));
    assert!(show("zh_TW.UTF-8").contains("(Black's move 1): 放在d4和d5的兩個王表示結果為"), "{}", show("zh_TW.UTF-8"));

    // A result is set, so the alert is cleared, and can still be read.
    arbiter.call::<_, _, ()>("SetResult", &"1/2-1/2").await.unwrap();
    seen(&mut hall.watch, "the alert to be cleared", |event| event.event == "AlertCleared").await;
    assert_eq!(describe(1, "zh-Hans").await.unwrap().1, simplified);
}
