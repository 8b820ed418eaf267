//! The JSON form: values are read back as they were written, and errors give their reasons.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use shakmaty::{ByColor, Color, Piece, Role, Square};
use touchmove::boards::{Battery, LinkState, SensorKind, SquareState};
use touchmove::game::event::{Alternative, ClockTimes, Difference, Rotation};
use touchmove::game::rights::Audience;
use touchmove::game::{Alert, AlertKind, Arg, ClockTime, Command, CompletedBy, Confidence, CorrectionReason, Event, Fault};
use touchmove::game::{
    GameResult, Order, PlayedMove, ResultReason, Sighting, StampedEvent, Text, TouchEvidence, TouchSighting,
};
use touchmove::laws::edition::Halving;
use touchmove::laws::reason::{PlacedPiece, ReasonArg as Chess};
use touchmove::laws::{Edition, Irregularity, Laws, LawsWord, RulingAction, Supervision, TimeClass};
use touchmove::table::{HandCosts, HandEvent, Publish, Settings};
use touchmove::wire::{self, Word};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

fn played(uci: &str, san: &str, fen: &str) -> PlayedMove {
    PlayedMove { uci: uci.into(), san: san.into(), fen: fen.into(), irregular: false, evidence: Vec::new() }
}

/// A black king that jumps.
fn irregular() -> PlayedMove {
    let king = SquareState::Piece(Piece { color: Color::Black, role: Role::King });
    let evidence = vec![
        Sighting { at: 2010, square: Square::E8, before: king, now: SquareState::Empty },
        Sighting { at: 2050, square: Square::E6, before: SquareState::Empty, now: king },
    ];
    let fen = "rnbq1bnr/pppppppp/4k3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 1 2";
    PlayedMove { irregular: true, evidence, ..played("e8e6", "Ke8-e6", fen) }
}

fn seconds(white: u32, black: u32) -> ClockTimes {
    let time = |seconds: u32, age_ms| Some(ClockTime { ms: seconds * 1000, resolution_ms: 1000, age_ms });
    ClockTimes { white: time(white, 40), black: time(black, 940) }
}

/// One of each event, as in `docs/events.md` and in the snapshot.
fn one_of_each() -> Vec<StampedEvent> {
    let pawn = Piece { color: Color::White, role: Role::Pawn };
    let durable = [
        Event::GameStarted { fen: START.into(), chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright },
        Event::MoveMade {
            ply: 1,
            played: played("e2e4", "e4", AFTER_E4),
            confidence: Confidence(998),
            alternatives: vec![Alternative { uci: "e2e3".into(), confidence: Confidence(1) }],
        },
        Event::MoveCompleted { ply: 1, by: CompletedBy::Clock, clocks: ClockTimes { black: None, ..seconds(179, 180) } },
        Event::ClockRevised { ply: 1, clocks: seconds(181, 180) },
        Event::MovesCorrected { from_ply: 1, moves: vec![played("e2e4", "e4", AFTER_E4)], reason: CorrectionReason::Evidence },
        Event::AlertRaised(Box::new(Alert {
            id: 1,
            kind: AlertKind::PositionUnexplained,
            ply: 1,
            by: Some(Color::Black),
            articles: vec!["7.4".into()],
            squares: vec![Square::C4, Square::F7],
            text: Text::new("displaced").with("player", Color::Black).with(
                "differences",
                vec![Difference { square: Square::C4, expected: Piece::from_char('B'), seen: SquareState::Empty }],
            ),
            position: AFTER_E4.into(),
            clocks: ClockTimes { black: None, ..seconds(179, 180) },
            required: vec![RulingAction::OwnTime, RulingAction::Add(120)],
            allowed: vec!["g8f6".into()],
            count: Some(1),
            evidence: vec![Sighting { at: 1650, square: Square::C4, before: SquareState::Occupied, now: SquareState::Empty }],
            evidence_kind: None,
            touches: Vec::new(),
            put_right: None,
            proposed: Vec::new(),
        })),
        Event::AlertCleared { id: 1 },
        Event::Commanded { command: Command::TakeBack { plies: 1 }, by: "uid 1000".into() },
        Event::Commanded { command: Command::Position { fen: START.into() }, by: ":1.42".into() },
        Event::Commanded { command: Command::Result { result: Some(GameResult::Draw) }, by: "configuration".into() },
        Event::Result { result: Some(GameResult::WhiteWins), reason: ResultReason::KingsSignal },
        Event::Result { result: None, reason: ResultReason::Arbiter },
        Event::Commanded { command: Command::Promotion { ply: None, piece: Role::Rook }, by: "uid 1000".into() },
        Event::Commanded { command: Command::Promotion { ply: Some(61), piece: Role::Knight }, by: "uid 1000".into() },
        Event::Commanded { command: Command::Adjust { player: Color::White }, by: "uid 1000".into() },
        Event::BoardFault {
            square: Square::D5,
            fault: Fault::Flickering,
            detail: "d5 is sometimes read as empty although a piece is on it: short gaps are ignored".into(),
        },
        Event::MoveMade { ply: 2, played: irregular(), confidence: Confidence(970), alternatives: Vec::new() },
        Event::MovesCorrected { from_ply: 2, moves: vec![irregular()], reason: CorrectionReason::Evidence },
    ];
    let transient = [
        Event::Touched { square: Square::E2, before: SquareState::Piece(pawn), now: SquareState::Empty },
        Event::Displaced {
            squares: vec![
                Difference { square: Square::E2, expected: Some(pawn), seen: SquareState::Side(Color::Black) },
                Difference { square: Square::E5, expected: None, seen: SquareState::Occupied },
            ],
        },
        Event::Clock {
            clocks: seconds(179, 180),
            turn: Color::Black,
            running: true,
            flags: ByColor { white: false, black: true },
            battery_low: false,
        },
        Event::Link(LinkState::Down),
        Event::Battery(Battery { percent: 84, charging: None }),
    ];
    let numbered = durable.into_iter().enumerate().map(|(index, event)| (Some(index as u64 + 1), event));
    let all = numbered.chain(transient.into_iter().map(|event| (None, event)));
    all.enumerate().map(|(index, (number, event))| StampedEvent { at: 1460 + 40 * index as u64, number, event }).collect()
}

#[test]
fn one_of_each_event_is_written_as_committed() {
    let events = one_of_each();
    let written: String = events.iter().map(|event| wire::to_json(event) + "\n").collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wire/events.jsonl");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == committed,
        "the public form of events changed. If that is intended, write this to {path} and document it in docs/events.md:\n{written}"
    );
    let read: Vec<StampedEvent> = committed.lines().map(|line| wire::from_json(line).expect("what was written")).collect();
    assert_eq!(read, events);
}

#[test]
fn every_event_has_its_section_in_the_document() {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/events.md")).expect("docs/events.md");
    for event in one_of_each() {
        let kind = wire::event_kind(&event.event);
        assert!(document.contains(&format!("### `{kind}`")), "docs/events.md has no section `{kind}`");
        assert!(document.contains(&wire::to_json(&event)), "docs/events.md lacks the example {}", wire::to_json(&event));
    }
    let all = [
        words::<CompletedBy>(),
        words::<CorrectionReason>(),
        words::<ResultReason>(),
        words::<AlertKind>(),
        words::<Fault>(),
        words::<Publish>(),
        words::<Role>(),
    ];
    for word in all.concat() {
        assert!(document.contains(&format!("`{word}`")), "docs/events.md does not explain `{word}`");
    }
}

fn words<T: Word>() -> Vec<&'static str> {
    T::WORDS.iter().map(|(word, _)| *word).collect()
}

#[test]
fn bad_events_are_refused_with_a_reason() {
    let check = |text: &str, expect: &str| {
        let message = wire::from_json(text).expect_err(text).to_string();
        assert!(message.starts_with("not an event: ") && message.contains(expect), "{text}\ngives: {message}");
    };
    check("", "EOF");
    check("[]", "");
    check(r#"{"t":1,"n":2}"#, "missing field `event`");
    check(r#"{"t":1,"event":"move_unmade"}"#, "unknown variant `move_unmade`");
    check(r#"{"t":"soon","n":2,"event":"move_unmade"}"#, "invalid type: string \"soon\"");
    check(r#"{"t":1,"event":"alert_cleared","id":3}"#, "field `n` is missing");
    check(r#"{"t":1,"n":2,"event":"link","state":"up"}"#, "event has no number");
    check(r#"{"t":1,"event":"link","state":"loose"}"#, "`loose` is not one of up, down");
    check(r#"{"t":-1,"event":"link","state":"up"}"#, "-1");
    check(
        r#"{"t":1,"n":2,"event":"moves_corrected","from_ply":1,"moves":["e2e4"],"sans":[],"fens":[],"reason":"evidence"}"#,
        "1, 0 and 0 elements",
    );
    check(
        r#"{"t":1,"n":2,"event":"move_made","ply":1,"uci":"e2e4","san":"e4","fen":"","confidence":1.2,"alternatives":[]}"#,
        "0.000 to 1.000, not 1.2",
    );
    check(r#"{"t":1,"event":"touched","square":"i9","before":"P","now":"empty"}"#, "`i9` is not a square");
    check(r#"{"t":1,"event":"touched","square":"e2","before":"PP","now":"empty"}"#, "`PP` is not the state of a square");
}

#[test]
fn a_durable_event_of_a_later_version_is_passed_on_unchanged() {
    let text = r#"{"t":1,"n":2,"event":"move_unmade","ply":7,"share":0.12345,"until":18446744073709551615,"more":{"b":[1e2,null],"a":"é"}}"#;
    let stamped = wire::from_json(text).expect("an event");
    assert_eq!((stamped.at, stamped.number, wire::event_kind(&stamped.event)), (1, Some(2), "move_unmade"));
    assert!(stamped.event.is_durable() && !stamped.event.is_for(Audience::Operator) && stamped.event.is_for(Audience::Arbiter));
    assert_eq!(wire::to_json(&stamped), text);
    assert_eq!(wire::event_to_value(&stamped)["more"]["a"], "é");
    assert!(Event::KINDS.iter().all(|kind| kind.name != stamped.event.name()));
    let error = wire::known_from_json(text).expect_err("an unknown event").to_string();
    assert!(error.contains("unknown variant `move_unmade`"), "{error}");
}

#[test]
fn a_clock_event_of_an_older_version_has_no_flags() {
    let text = r#"{"t":1,"event":"clock","clock_white":null,"clock_black":null,"turn":"white","running":true}"#;
    let Event::Clock { flags, battery_low, .. } = wire::from_json(text).expect("an event").event else { panic!("not a clock") };
    assert_eq!((flags, battery_low), (ByColor::default(), false));
}

#[test]
fn an_alert_of_an_older_version_is_about_lifted_pieces() {
    let old = r#"{"t":9,"n":2,"event":"alert_raised","id":1,"kind":"touch_move","by":"white","articles":[],"ply":1,"squares":["g1"],"text":{"key":"touch_move"},"position":"","clock_white":null,"clock_black":null,"evidence":[{"t":5,"square":"g1","before":"N","now":"empty"}]}"#;
    let stamped = wire::from_json(old).expect("an event");
    assert_eq!(wire::to_json(&stamped), old, "it is passed on unchanged");
    let Event::AlertRaised(alert) = stamped.event else { panic!("not an alert") };
    assert_eq!((alert.evidence_kind, alert.touch_evidence()), (None, Some(TouchEvidence::Lift)));
    let touches = vec![TouchSighting { at: 5, until: 1900, square: Square::G1 }];
    let new = Alert { evidence_kind: Some(TouchEvidence::Touch), touches, evidence: Vec::new(), ..*alert };
    let event = Event::AlertRaised(Box::new(new));
    let text = wire::to_json(&StampedEvent { at: 9, number: Some(2), event: event.clone() });
    assert!(text.ends_with(r#""evidence_kind":"touch","touches":[{"t":5,"until":1900,"square":"g1"}]}"#), "{text}");
    assert_eq!(wire::from_json(&text).expect("an event").event, event);
}

#[test]
fn commands_are_read_and_bad_ones_refused_with_a_reason() {
    let order = Order { command: Command::Result { result: None }, by: ":1.42".into() };
    assert_eq!(wire::order_to_value(&order), json!({"do": "result", "result": "*", "by": ":1.42"}));
    assert_eq!(wire::order_from_value(&wire::order_to_value(&order)).ok(), Some(order));
    let unsigned = wire::order_from_value(&json!({"do": "take_back", "plies": 2})).expect("an order");
    assert_eq!(unsigned, Order { command: Command::TakeBack { plies: 2 }, by: "recording".into() });
    let last = wire::order_from_value(&json!({"do": "promotion", "piece": "rook"})).expect("an order");
    assert_eq!(last.command, Command::Promotion { ply: None, piece: Role::Rook });

    let check = |value: serde_json::Value, expect: &str| {
        let message = wire::order_from_value(&value).expect_err("refused").to_string();
        assert!(message.starts_with("not a command: ") && message.contains(expect), "{value}\ngives: {message}");
    };
    check(json!({"do": "undo", "plies": 1}), "unknown field `plies`");
    check(json!({"do": "redo"}), "unknown variant `redo`, expected one of `result`, `position`, `take_back`");
    check(json!({"do": "take_back", "plies": 1, "moves": 1}), "unknown field `moves`");
    check(json!({"do": "take_back"}), "missing field `plies`");
    check(json!({"do": "result"}), "missing field `result`");
    check(json!({"do": "result", "result": "2-0"}), "`2-0` is not one of 1-0, 0-1, 1/2-1/2, *");
    check(json!({"do": "take_back", "plies": 1, "by": 7}), "`by` is 7");
    check(json!({"do": "promotion", "piece": "king"}), "`king` is not one of queen, rook, bishop, knight");
    check(json!({"do": "adjust", "player": "both"}), "`both` is not one of white, black");
    check(json!("take_back"), "");
}

#[test]
fn settings_are_read_and_bad_ones_refused_with_a_reason() {
    assert_eq!(wire::settings_from_value(&json!({})).ok(), Some(Settings::default()));
    let check = |value: serde_json::Value, expect: &str| {
        let message = wire::settings_from_value(&value).expect_err("refused").to_string();
        assert!(message.starts_with("not the settings of a table: ") && message.contains(expect), "{value}\ngives: {message}");
    };
    check(json!({"settle": 250}), "unknown field `settle`, expected one of");
    check(json!({"sensing": "color"}), "`color` is not one of identity, colour, occupancy");
    check(json!({"hands": {"put_back": 401}}), "`hands.put_back` is 401, and should be 0 to 400");
    check(json!({"hands": {"put_back": -1}}), "`hands.put_back` is -1, and should be 0 to 400");
    check(json!({"hands": {"hold": 1}}), "unknown field `hold`");
    check(json!({"settle_ms": 5, "hypotheses": 5000}), "`settle_ms` is 5, and should be 20 to 5000; `hypotheses` is 5000");
    check(json!({"publish": "late"}), "`late` is not one of prompt, sure");
    check(json!({"rotation": "left"}), "`left` is not one of upright, turned");
    check(json!({"laws": "fide"}), "unknown edition \"fide\" of the Laws; write china-1973 or ");
}

fn word<T: Word + std::fmt::Debug>() -> impl Strategy<Value = T> {
    select(T::WORDS).prop_map(|(_, value)| value)
}

fn square() -> impl Strategy<Value = Square> {
    (0u32..64).prop_map(Square::new)
}

fn piece() -> impl Strategy<Value = Piece> {
    (any::<bool>(), select(&Role::ALL[..])).prop_map(|(white, role)| role.of(Color::from_white(white)))
}

fn sensed() -> impl Strategy<Value = SquareState> {
    prop_oneof![
        Just(SquareState::Empty),
        piece().prop_map(SquareState::Piece),
        word().prop_map(SquareState::Side),
        Just(SquareState::Occupied)
    ]
}

fn confidence() -> impl Strategy<Value = Confidence> {
    (0u16..=1000).prop_map(Confidence)
}

fn evidence() -> impl Strategy<Value = Vec<Sighting>> {
    let sighting =
        (any::<u64>(), square(), sensed(), sensed()).prop_map(|(at, square, before, now)| Sighting { at, square, before, now });
    vec(sighting, 0..4)
}

fn any_played() -> impl Strategy<Value = PlayedMove> {
    let proof = of(evidence());
    (any::<String>(), any::<String>(), any::<String>(), proof).prop_map(|(uci, san, fen, proof)| PlayedMove {
        uci,
        san,
        fen,
        irregular: proof.is_some(),
        evidence: proof.unwrap_or_default(),
    })
}

fn clock_times() -> impl Strategy<Value = ClockTimes> {
    let time = || {
        of((any::<u32>(), any::<u32>(), any::<u32>()))
            .prop_map(|time| time.map(|(ms, resolution_ms, age_ms)| ClockTime { ms, resolution_ms, age_ms }))
    };
    (time(), time()).prop_map(|(white, black)| ClockTimes { white, black })
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        of(word()).prop_map(|result| Command::Result { result }),
        any::<String>().prop_map(|fen| Command::Position { fen }),
        any::<u32>().prop_map(|plies| Command::TakeBack { plies }),
        (of(any::<u32>()), word()).prop_map(|(ply, role)| Command::Promotion { ply, piece: role }),
        word().prop_map(|player| Command::Adjust { player }),
        any::<u32>().prop_map(|alert| Command::Acknowledge { alert }),
        any::<u32>().prop_map(|ply| Command::Restore { ply }),
        any::<u32>().prop_map(|alert| Command::LetStand { alert }),
        any::<u32>().prop_map(|alert| Command::Adopt { alert }),
        any::<(u32, String)>().prop_map(|(ply, uci)| Command::Replace { ply, uci }),
        any::<(u32, String)>().prop_map(|(ply, uci)| Command::Insert { ply, uci }),
        Just(Command::Undo {}),
        (word(), select(Irregularity::ALL)).prop_map(|(player, what)| Command::Count { player, irregularity: what }),
        (word(), any::<u32>()).prop_map(|(player, ply)| Command::Strike { player, ply }),
        any::<(u32, u32, String)>().prop_map(|(white_ms, black_ms, note)| Command::ClockNote { white_ms, black_ms, note }),
        any::<bool>().prop_map(|paused| Command::Pause { paused }),
        laws().prop_map(|laws| Command::Laws { laws }),
        vec(any::<(String, String)>(), 0..3).prop_map(|tags| Command::Tags { tags }),
        (word(), word(), of(any::<String>())).prop_map(|(player, claimed, intended)| Command::Claim {
            player,
            claimed,
            intended
        }),
    ]
}

fn placed_piece() -> impl Strategy<Value = PlacedPiece> {
    (piece(), square()).prop_map(|(piece, square)| PlacedPiece { piece, square })
}

/// Any text, also with another one as an argument.
fn text() -> impl Strategy<Value = Text> {
    let difference =
        (square(), of(piece()), sensed()).prop_map(|(square, expected, seen)| Difference { square, expected, seen });
    let arg = prop_oneof![
        any::<u32>().prop_map(Arg::Number),
        any::<String>().prop_map(Arg::Plain),
        vec(difference, 0..3).prop_map(Arg::Differences),
        square().prop_map(|square| Arg::Word(Chess::Square(square))),
        word().prop_map(|player| Arg::Word(Chess::Player(player))),
        word().prop_map(|role| Arg::Word(Chess::Role(role))),
        word().prop_map(|moved| Arg::Word(Chess::Moved(moved))),
        placed_piece().prop_map(|placed_piece| Arg::Word(Chess::Piece(placed_piece))),
        vec(placed_piece(), 0..3).prop_map(|pieces| Arg::Word(Chess::Pieces(pieces))),
    ];
    let one = |args| (any::<String>(), args).prop_map(|(key, args)| Text { key, args });
    let inner = one(vec((any::<String>(), arg.clone()), 0..3).boxed());
    let outer = prop_oneof![arg, inner.prop_map(Arg::from)];
    one(vec((any::<String>(), outer), 0..4).boxed())
}

fn ruling_action() -> impl Strategy<Value = RulingAction> {
    prop_oneof![
        Just(RulingAction::Restore),
        any::<u32>().prop_map(RulingAction::Add),
        any::<(u32, u32)>().prop_map(|(max_s, floor_s)| RulingAction::Halve(Halving { max_s, floor_s })),
    ]
}

fn touches() -> impl Strategy<Value = Vec<TouchSighting>> {
    let touch = (any::<u64>(), any::<u64>(), square()).prop_map(|(at, until, square)| TouchSighting { at, until, square });
    vec(touch, 0..3)
}

fn alert() -> impl Strategy<Value = Alert> {
    let texts = || vec(any::<String>(), 0..3);
    let texts = (texts(), text(), any::<String>(), texts(), texts());
    let proof =
        (clock_times(), vec(ruling_action(), 0..3), of(any::<u32>()), evidence(), (of(word()), touches()), of(any::<String>()));
    (any::<(u32, u32)>(), word(), of(word()), vec(square(), 0..5), texts, proof).prop_map(
        |(
            (id, ply),
            kind,
            by,
            squares,
            (articles, text, position, allowed, proposed),
            (clocks, required, count, evidence, (evidence_kind, touches), put_right),
        )| Alert {
            id,
            kind,
            ply,
            by,
            articles,
            squares,
            text,
            position,
            clocks,
            required,
            allowed,
            count,
            evidence,
            evidence_kind,
            touches,
            put_right,
            proposed,
        },
    )
}

/// Any event at all, sensible or not.
pub fn event() -> impl Strategy<Value = Event> {
    let alternative = (any::<String>(), confidence()).prop_map(|(uci, confidence)| Alternative { uci, confidence });
    let difference =
        (square(), of(piece()), sensed()).prop_map(|(square, expected, seen)| Difference { square, expected, seen });
    prop_oneof![
        (any::<String>(), of(any::<u16>()), any::<String>(), word())
            .prop_map(|(fen, chess960, laws, rotation)| { Event::GameStarted { fen, chess960, laws, rotation } }),
        (any::<u32>(), any_played(), confidence(), vec(alternative, 0..4))
            .prop_map(|(ply, played, confidence, alternatives)| Event::MoveMade { ply, played, confidence, alternatives }),
        (any::<u32>(), word(), clock_times()).prop_map(|(ply, by, clocks)| Event::MoveCompleted { ply, by, clocks }),
        (any::<u32>(), vec(any_played(), 0..4), word()).prop_map(|(from_ply, moves, reason)| Event::MovesCorrected {
            from_ply,
            moves,
            reason
        }),
        (any::<u32>(), clock_times()).prop_map(|(ply, clocks)| Event::ClockRevised { ply, clocks }),
        alert().prop_map(|alert| Event::AlertRaised(Box::new(alert))),
        any::<u32>().prop_map(|id| Event::AlertCleared { id }),
        (square(), word(), any::<String>()).prop_map(|(square, fault, detail)| Event::BoardFault { square, fault, detail }),
        (of(word()), word()).prop_map(|(result, reason)| Event::Result { result, reason }),
        (command(), any::<String>()).prop_map(|(command, by)| Event::Commanded { command, by }),
        (square(), sensed(), sensed()).prop_map(|(square, before, now)| Event::Touched { square, before, now }),
        vec(difference, 0..4).prop_map(|squares| Event::Displaced { squares }),
        (clock_times(), word(), any::<[bool; 4]>()).prop_map(|(clocks, turn, [running, white, black, battery_low])| {
            Event::Clock { clocks, turn, running, flags: ByColor { white, black }, battery_low }
        }),
        word().prop_map(Event::Link),
        (any::<u8>(), of(any::<bool>())).prop_map(|(percent, charging)| Event::Battery(Battery { percent, charging })),
    ]
}

fn laws() -> impl Strategy<Value = Laws> {
    let kind = |(edition, (class, supervision))| Laws { edition, class, supervision };
    // Supervision makes no difference in a standard game, and is not written.
    let kinds = vec![
        (TimeClass::Standard, Supervision::Full),
        (TimeClass::Rapid, Supervision::Full),
        (TimeClass::Blitz, Supervision::Limited),
    ];
    (select(Edition::all().collect::<Vec<_>>()), select(kinds)).prop_map(kind)
}

/// Returns costs that depend on this number.
fn hand_costs(number: u16) -> HandCosts {
    let mut costs = HandCosts::default();
    for (index, &event) in HandEvent::ALL.iter().enumerate() {
        costs.set(event, (i32::from(number) + index as i32) % (HandCosts::MAX + 1));
    }
    costs
}

fn settings() -> impl Strategy<Value = Settings> {
    let times = (20u32..=5000, 20u32..=5000, any::<u32>(), any::<u32>());
    let flags = (of(word()), any::<bool>(), any::<bool>(), word(), word());
    let costs = (1u32..=1_000_000, 1u32..=1_000_000);
    (word::<SensorKind>(), times, costs, of(word()), flags, of(any::<String>()), laws(), 8u16..=4096).prop_map(
        |(sensing, times, (wrong_move_cost, delay_cost), rotation, flags, start_fen, laws, hypotheses)| {
            let (settle_ms, settle_low_ms, low_time_ms, dwell_ms) = times;
            let (clock_side, chess960, accept_kings_signal, publish, lights) = flags;
            Settings {
                sensing,
                settle_ms,
                settle_low_ms,
                low_time_ms,
                dwell_ms,
                rotation,
                clock_side,
                chess960,
                start_fen,
                accept_kings_signal,
                laws,
                hypotheses,
                wrong_move_cost,
                delay_cost,
                publish,
                lights,
                hands: hand_costs(hypotheses),
            }
        },
    )
}

proptest! {
    #[test]
    fn every_event_is_read_back(at in any::<u64>(), number in any::<u64>(), event in event()) {
        let number = event.is_durable().then_some(number);
        let stamped = StampedEvent { at, number, event };
        let line = wire::to_json(&stamped);
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(wire::from_json(&line).map_err(|error| error.to_string()), Ok(stamped));
    }

    #[test]
    fn every_order_is_read_back(command in command(), by in any::<String>()) {
        let order = Order { command, by };
        prop_assert_eq!(wire::order_from_value(&wire::order_to_value(&order)).ok(), Some(order));
    }

    #[test]
    fn all_settings_are_read_back(settings in settings()) {
        prop_assert_eq!(wire::settings_from_value(&wire::settings_to_value(&settings)).ok(), Some(settings));
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = wire::from_json(&text);
    }
}
