//! Cases from arbiters' books: what hands do, through a virtual board's bytes into a table, and what must come of it.
//!
//! The file is `arbiter/cases.json` of the shared data. `CASE=I10 cargo test cases -- --nocapture` tells what came of one.

use super::rulings::words;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{Color, Piece, Square};
use std::collections::VecDeque;
use touchmove::boards::{LinkState, Millis, Sensing, model};
use touchmove::ctl::run::{self, Cable, Moment, Said};
use touchmove::game::event::Rotation;
use touchmove::game::{AlertKind, Command, Event, Order, ResultReason};
use touchmove::laws::reason::why_illegal;
use touchmove::laws::{Changes, Position};
use touchmove::simulate::dgt::VirtualDgt;
use touchmove::simulate::hands::{Profile, profile};
use touchmove::simulate::script::Act;
use touchmove::simulate::{Scene, VirtualBoard};
use touchmove::table::{Settings, Table};

/// Milliseconds between two things that hands do: as fast as a blitz player, as a club player, and at leisure.
const PACES: [Millis; 3] = [300, 900, 1_600];
/// Alerts that are asked for at leisure only: a piece that is back on its square within a second is adjusted or brushed, one that
/// goes on within a second was never let go, and clock and squares are told up to a second apart.
const NEED_TIME: [&str; 5] = [
    "touch_move_violation",
    "touch_capture_obligation",
    "possible_touch",
    "possible_release_then_change",
    "press_before_release",
];
/// How the board's scan lies against what hands do.
const SEEDS: u64 = 3;
/// The board is looked at so long before anything is done, and left alone so long at the end. Milliseconds.
const LEAD_IN: Millis = 2_500;
const QUIET: Millis = 8_000;

/// What a case asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// The moves on record.
    Moves,
    /// Why the first of them is not legal, or that it is.
    Reason,
    /// The alert.
    Alert,
    /// What the alert says that the Laws of 2023 require, in standard play.
    Required,
    /// No alert.
    Quiet,
}

/// A case.
pub struct Case {
    pub id: String,
    pub fen: String,
    /// The same after the moves played before.
    pub fen_now: String,
    pub chess960: bool,
    /// Played before.
    pub moves: Vec<String>,
    pub deeds: Vec<Deed>,
    /// The moves that are still allowed then, in UCI, sorted; empty where the case does not say.
    pub allowed: Vec<String>,
    /// The first move on record after those played before.
    pub expect: Option<(String, String)>,
    /// What the arbiter must be told.
    pub alert: Option<String>,
    /// What can see it, in the words of the file.
    pub detectable_by: String,
}

/// What somebody does.
#[derive(Debug)]
pub enum Deed {
    /// These squares change at once: what stands there then.
    Frame(Vec<(Square, Option<Piece>)>),
    /// This player presses the clock.
    Press(Color),
    /// The flag falls of the player whose time runs.
    Flag,
    /// Something is said or done that no board sees.
    Say(String),
    /// The clock is paused.
    Wait,
}

impl Case {
    /// Where the deeds begin.
    pub fn now(&self) -> Position {
        let start = Position::from_fen(&self.fen, self.chess960).expect("a FEN");
        self.moves.iter().fold(start, |position, uci| position.play(position.parse_uci(uci).expect("a legal move")))
    }
}

/// All cases; `None`, said so, where the shared data is not at hand.
pub fn all() -> Option<Vec<Case>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/arbiter/cases.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("SKIPPED: there is no {path}");
        return None;
    };
    let file: Value = serde_json::from_str(&text).expect("JSON");
    Some(file["cases"].as_array().expect("cases").iter().map(case).collect())
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|word| word.as_str().unwrap_or_default().to_owned()).collect()
}

fn case(value: &Value) -> Case {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let (mut fen, mut moves) = (text("fen").expect("a FEN"), texts(&value["moves"]));
    if let Some((before, step)) = before_the_step(&fen) {
        fen = before;
        moves.insert(0, step);
    }
    let mut allowed = texts(&value["allowed_uci"]);
    allowed.sort();
    Case {
        id: text("id").expect("an id"),
        fen,
        fen_now: text("fen_now").expect("a FEN"),
        chess960: value["chess960"] == true,
        moves,
        deeds: value["events"].as_array().into_iter().flatten().map(deed).collect(),
        allowed,
        expect: text("expect_uci").zip(text("expect_san")),
        alert: text("alert"),
        detectable_by: text("detectable_by").unwrap_or_default(),
    }
}

/// Where a pawn can be taken en passant its step is played on the board: a square that has never changed may be one that does not
/// work, and the pawn on it may be gone.
fn before_the_step(fen: &str) -> Option<(String, String)> {
    let mut setup = fen.parse::<Fen>().expect("a FEN").into_setup();
    let over = setup.ep_square.take()?;
    setup.swap_turn();
    let ahead = if setup.turn.is_white() { 8 } else { -8 };
    let (from, to) = (over.offset(-ahead)?, over.offset(ahead)?);
    let pawn = setup.board.remove_piece_at(to)?;
    setup.board.set_piece_at(from, pawn);
    Some((Fen::try_from(setup).ok()?.to_string(), format!("{from}{to}")))
}

fn deed(value: &Value) -> Deed {
    if let Some(frame) = value.as_array() {
        return Deed::Frame(frame.iter().map(|word| change(word.as_str().expect("a word"))).collect());
    }
    let word = value.as_str().expect("a word");
    match word {
        "pW" | "pB" => Deed::Press(Color::from_white(word == "pW")),
        "flagW" | "flagB" => Deed::Flag,
        "pause" => Deed::Wait,
        // Two hands look like one.
        "2h" => Deed::Say(word.to_owned()),
        _ if ["say:", "claimW:", "claimB:", "arb:"].iter().any(|by| word.starts_with(by)) => Deed::Say(word.to_owned()),
        _ => Deed::Frame(vec![change(word)]),
    }
}

/// `-e2`, `+Pe4`.
fn change(word: &str) -> (Square, Option<Piece>) {
    let (rest, square) = word.split_at(word.len() - 2);
    let square = square.parse().expect("a square");
    match rest.strip_prefix('+') {
        Some(piece) => (square, Some(piece.chars().next().and_then(Piece::from_char).expect("a piece"))),
        None => (square, None),
    }
}

/// The far end of the cable: a virtual board at which a case is played.
struct Hands {
    board: VirtualDgt,
    to_do: VecDeque<(Millis, Todo)>,
    plugged: bool,
}

enum Todo {
    Act(Act),
    Order(Command),
}

impl Cable for Hands {
    fn next(&self) -> Option<Millis> {
        let due = self.to_do.front().map(|(at, _)| *at);
        if self.plugged { [due, self.board.next_event()].into_iter().flatten().min() } else { Some(0) }
    }

    fn take(&mut self, now: Millis) -> Vec<Said> {
        let mut said = Vec::new();
        if !std::mem::replace(&mut self.plugged, true) {
            said.push(Said::Link(LinkState::Up));
        }
        let bytes = |board: &mut VirtualDgt, now| {
            board.advance(now).into_iter().map(|chunk| Said::Bytes(chunk.bytes, chunk.ply)).collect::<Vec<_>>()
        };
        while let Some((at, todo)) = self.to_do.pop_front_if(|(at, _)| *at <= now) {
            said.extend(bytes(&mut self.board, at));
            match todo {
                Todo::Act(act) => self.board.act(at, act, 0),
                Todo::Order(command) => said.push(Said::Order(Order { command, by: "the arbiter".to_owned() })),
            }
        }
        said.extend(bytes(&mut self.board, now));
        said
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.board.receive(now, bytes);
    }
}

/// What hands do in a case, and when.
struct Plan {
    now: Millis,
    pace: Millis,
    to_do: VecDeque<(Millis, Todo)>,
}

impl Plan {
    fn act(&mut self, act: Act) {
        self.to_do.push_back((self.now, Todo::Act(act)));
    }

    fn change(&mut self, square: Square, piece: Option<Piece>) {
        self.act(piece.map_or(Act::Lift(square), |piece| Act::Put(square, piece)));
    }

    /// A move as a careful hand makes it: what is taken goes first.
    fn play(&mut self, position: &Position, uci: &str) -> Position {
        let mv = position.parse_uci(uci).expect("a legal move");
        let changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        for &(square, _) in changes.iter().rev().filter(|(square, _)| position.piece_at(*square).is_some()) {
            self.act(Act::Lift(square));
            self.now += self.pace;
        }
        for (square, piece) in changes.into_iter().filter(|(_, piece)| piece.is_some()) {
            self.change(square, piece);
            self.now += self.pace;
        }
        self.act(Act::Press(position.turn()));
        self.now += self.pace + 500;
        position.play(mv)
    }
}

/// A start position seen from the side: what should be a file is a rank.
fn turned_by_90(board: &shakmaty::Board) -> shakmaty::Board {
    let turned = |square: Square| {
        Square::from_coords(shakmaty::File::new(square.rank() as u32), shakmaty::Rank::new(7 - square.file() as u32))
    };
    board.iter().map(|(square, piece)| (turned(square), piece)).collect()
}

/// What came of a case.
struct Outcome {
    /// UCI and SAN of what is on record.
    moves: Vec<(String, String)>,
    events: Vec<Event>,
}

fn perform(case: &Case, sensing: Sensing, pace: Millis, seed: u64) -> Outcome {
    let mut position = Position::from_fen(&case.fen, case.chess960).expect("a FEN");
    let board = if case.id == "S03" { turned_by_90(position.board()) } else { position.board().clone() };
    let clean = profile("clean").expect("clean hands");
    let profile = Profile { clock_ms: (300_000, 0), ..*clean };
    let scene = Scene { profile: &profile, clock: true, rotation: Rotation::Upright, clock_turned: false, seed };
    let squares: [Option<Piece>; 64] = std::array::from_fn(|index| board.piece_at(Square::new(index as u32)));
    let mut plan = Plan { now: LEAD_IN - 1_000, pace, to_do: VecDeque::new() };
    // A start position nobody has to give, and a wrong one is not given either.
    if position.fen() != Position::start().fen() && !case.id.starts_with('S') {
        plan.to_do.push_back((plan.now, Todo::Order(Command::Position(case.fen.clone()))));
    }
    if position.turn() == Color::Black {
        plan.act(Act::Press(Color::White));
    }
    plan.now = LEAD_IN;
    plan.act(Act::Start);
    plan.now += 1_000;
    for uci in &case.moves {
        position = plan.play(&position, uci);
    }
    for deed in &case.deeds {
        match deed {
            Deed::Frame(changes) => changes.iter().for_each(|&(square, piece)| plan.change(square, piece)),
            Deed::Press(color) => plan.act(Act::Press(*color)),
            Deed::Flag => plan.now += u64::from(profile.clock_ms.0),
            Deed::Say(_) => {}
            Deed::Wait => plan.now += 5_000,
        }
        plan.now += pace;
    }
    let until = plan.now + QUIET;
    let settings = Settings { sensing, chess960: case.chess960, ..Settings::default() };
    let mut table = Table::new(settings);
    let mut hands = Hands { board: VirtualDgt::new(&scene, &squares, 0), to_do: plan.to_do, plugged: false };
    let mut events = Vec::new();
    let mut protocol = (model("dgt").expect("a DGT board").protocol)();
    run::play(&mut hands, &mut *protocol, &mut table, until, &mut |_, moment| match moment {
        Moment::Event(stamped) => events.push(stamped.event.clone()),
        Moment::Refused(refused) => panic!("{}: {refused}", case.id),
        _ => {}
    });
    let plies = table.record().into_iter().flat_map(|record| record.plies.iter());
    Outcome { moves: plies.map(|ply| (ply.played.uci.clone(), ply.played.san.clone())).collect(), events }
}

/// Why the first move of a case is not legal, as [`Reason::key`](touchmove::laws::reason::Reason::key) calls it.
const REASONS: &[(&str, &str)] = &[
    ("I03", "still_in_check"),
    ("I04", "no_such_move"),
    ("I10", "still_in_check"),
    ("I13", "still_in_check"),
    ("I16", "no_such_move"),
    ("I17", "pawn_left"),
    ("I19", "en_passant_not_removed"),
    ("K05", "castling_through"),
    ("K08", "castling_unfinished"),
    ("K10", "castling_after_move"),
    ("P01", "pawn_left"),
    ("P07", "no_such_move"),
];

/// What the board showed proves these.
const PROVED: &[AlertKind] = &[
    AlertKind::IllegalPending,
    AlertKind::IllegalMove,
    AlertKind::Displaced,
    AlertKind::DisplacedFound,
    AlertKind::CaptureUnclear,
    AlertKind::PositionUnexplained,
    AlertKind::PressBeforeRelease,
];

/// What the alert of a case says that the Laws require, by the newest edition in standard play: as `data/laws/rulings.toml` has it,
/// where the case tells of the whole game. In I04 it is the player's first one on this board, and his second one in the case.
const REQUIRED: &[(&str, AlertKind, &str)] = &[
    ("D01", AlertKind::Displaced, "own_time, may_penalise"),
    ("E03", AlertKind::DeadPosition, "draw"),
    ("I03", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("I04", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("I06", AlertKind::PressWithoutMove, "add 120"),
    ("I07", AlertKind::PressBeforeRelease, "may_penalise"),
    ("I10", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("I16", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("I19", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("I20", AlertKind::CaptureUnclear, "arbiter_decides"),
    ("K05", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("K07", AlertKind::ReleaseChanged, "release_binds"),
    ("K08", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("K10", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("P01", AlertKind::IllegalMove, "queen, add 120"),
    ("P07", AlertKind::IllegalMove, "restore, touch_binds, add 120"),
    ("R05", AlertKind::FiveFold, "draw"),
    ("R07", AlertKind::SeventyFive, "draw"),
    ("S02", AlertKind::WrongStart, "new_game"),
    ("S03", AlertKind::Orientation, "transfer"),
    ("T01", AlertKind::TouchMove, "restore, touch_binds"),
    ("T04", AlertKind::TouchCapture, "touch_binds"),
    ("T17", AlertKind::ReleaseChanged, "release_binds"),
];

/// The key of the reason why the first move of a case is not legal; empty if it is, or there is none.
fn reason(case: &Case, outcome: &Outcome) -> String {
    let position = case.now();
    let played = outcome.moves.get(case.moves.len()).and_then(|(uci, san)| {
        let legal = position.parse_uci(uci).filter(|&mv| position.san(mv) == *san);
        legal.or_else(|| position.any_move(uci))
    });
    let reason = played.and_then(|mv| why_illegal(&position, mv));
    reason.map_or_else(String::new, |reason| reason.key().to_owned())
}

/// What is wrong with an outcome.
fn wrong(case: &Case, outcome: &Outcome) -> Vec<(Asked, String)> {
    let mut wrong = Vec::new();
    let ucis: Vec<&str> = outcome.moves.iter().map(|(uci, _)| uci.as_str()).collect();
    let came = outcome.moves.get(case.moves.len());
    let as_asked = case.expect.as_ref().is_none_or(|expect| came == Some(expect));
    if !ucis.starts_with(&case.moves.iter().map(String::as_str).collect::<Vec<_>>()) || !as_asked {
        wrong.push((Asked::Moves, format!("{:?} came, {:?} must", outcome.moves, case.expect)));
    }
    let expected = REASONS.iter().find(|(id, _)| *id == case.id).map_or("", |(_, key)| *key);
    let reason = reason(case, outcome);
    if reason != expected {
        wrong.push((Asked::Reason, format!("{:?} is not legal: {reason:?}, and must: {expected:?}", outcome.moves)));
    }
    let raised: Vec<AlertKind> = outcome
        .events
        .iter()
        .filter_map(|event| if let Event::AlertRaised(alert) = event { Some(alert.kind) } else { None })
        .collect();
    let required = |kind| {
        let told = outcome.events.iter().find_map(|event| match event {
            Event::AlertRaised(alert) if alert.kind == kind => Some(alert),
            _ => None,
        });
        told.map(|alert| words(&alert.required))
    };
    if let Some((_, kind, acts)) = REQUIRED.iter().find(|(id, ..)| *id == case.id)
        && let Some(told) = required(*kind)
        && told != *acts
    {
        wrong.push((Asked::Required, format!("{told} came, {acts} must")));
    }
    for alert in
        outcome.events.iter().filter_map(|event| if let Event::AlertRaised(alert) = event { Some(alert) } else { None })
    {
        if PROVED.contains(&alert.kind) && alert.evidence.is_empty() {
            wrong.push((Asked::Alert, format!("{:?} came without anything that proves it", alert.kind)));
        }
    }
    match &case.alert {
        Some(alert) if !is_told(alert, &raised, &outcome.events) => {
            wrong.push((Asked::Alert, format!("{raised:?} came, {alert} must")));
        }
        None if raised.iter().any(|kind| !kind.is_notice() && !is_right(&case.id, *kind)) => {
            wrong.push((Asked::Quiet, format!("{raised:?} came")))
        }
        _ => {}
    }
    wrong
}

/// What the file does not ask for, and is right all the same.
fn is_right(id: &str, kind: AlertKind) -> bool {
    match id {
        // A pawn is left on the last rank, and the ruling of the case is a penalty (7.5.2).
        "I17" => kind == AlertKind::IllegalMove,
        // With the knight neither side can mate (5.2.2).
        "P04" => kind == AlertKind::DeadPosition,
        _ => false,
    }
}

/// Whether what the file calls so was told.
fn is_told(alert: &str, raised: &[AlertKind], events: &[Event]) -> bool {
    let result =
        |reason| events.iter().any(|event| matches!(event, Event::Result { result: Some(_), reason: told } if *told == reason));
    let kind = match alert {
        "checkmate" => return result(ResultReason::Checkmate),
        "wrong_initial_position" => AlertKind::WrongStart,
        "pieces_missing_after_press" => AlertKind::Displaced,
        "extra_piece" => AlertKind::CaptureUnclear,
        "dead_position" => AlertKind::DeadPosition,
        "fivefold" => AlertKind::FiveFold,
        "seventyfive" => AlertKind::SeventyFive,
        "illegal_move" | "pawn_not_promoted" => AlertKind::IllegalMove,
        "both_kings_in_check" => AlertKind::IllegalPosition,
        "press_without_move" => AlertKind::PressWithoutMove,
        "press_before_release" => AlertKind::PressBeforeRelease,
        "touch_move_violation" => AlertKind::TouchMove,
        "touch_capture_obligation" => AlertKind::TouchCapture,
        "possible_touch" => AlertKind::PossibleTouch,
        "possible_release_then_change" => AlertKind::ReleaseChanged,
        "board_orientation" => AlertKind::Orientation,
        _ => return false,
    };
    raised.contains(&kind)
}

#[test]
fn cases_come_out_as_they_must() {
    let Some(cases) = all() else { return };
    let mut failed = Vec::new();
    for case in &cases {
        let sensings: &[Sensing] = match case.detectable_by.as_str() {
            "occupancy+clock" => &[Sensing::Identity, Sensing::Occupancy],
            _ => &[Sensing::Identity],
        };
        let mut seen: Vec<(Asked, String)> = Vec::new();
        for (&sensing, pace, seed) in sensings
            .iter()
            .flat_map(|sensing| PACES.iter().flat_map(move |pace| (0..SEEDS).map(move |seed| (sensing, *pace, seed))))
        {
            let outcome = perform(case, sensing, pace, seed);
            if std::env::var("CASE").is_ok_and(|id| id == case.id) {
                eprintln!("{} {sensing:?}, {pace} ms, seed {seed}: {:#?} {:?}", case.id, outcome.events, outcome.moves);
            }
            let told = |(asked, what)| (asked, format!("{sensing:?}, {pace} ms, seed {seed}: {what}"));
            let too_fast = case.alert.as_ref().is_some_and(|alert| NEED_TIME.contains(&alert.as_str())) && pace < PACES[2];
            let wrong = wrong(case, &outcome).into_iter().filter(|(asked, _)| *asked != Asked::Alert || !too_fast);
            seen.extend(wrong.map(told));
        }
        for asked in [Asked::Moves, Asked::Reason, Asked::Alert, Asked::Required, Asked::Quiet] {
            let lines: Vec<&str> = seen.iter().filter(|(what, _)| *what == asked).map(|(_, line)| line.as_str()).collect();
            if !lines.is_empty() {
                failed.push(format!("{} {asked:?}:\n  {}", case.id, lines.join("\n  ")));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn positions_of_the_cases_are_ours() {
    for case in all().into_iter().flatten() {
        let now = Position::from_fen(&case.fen_now, case.chess960).expect("a FEN");
        assert_eq!(case.now().key(), now.key(), "{}: {} and {}", case.id, case.now().fen(), case.fen_now);
    }
}
