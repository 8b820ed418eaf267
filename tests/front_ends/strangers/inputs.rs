//! Properties that must hold for any bytes given to the parsers of the front-ends, of recordings and of the configuration. The tests
//! run them over small corpora, and the fuzz targets of the same names run them for any time.

use super::core_inputs::{Check, check_round_trip};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use serde_json::Value;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::LazyLock;
use touchmove::boards::{LinkState, Millis, Placement, Reading, SquareState};
use touchmove::config::Config;
use touchmove::config::livechess::{self, Origin, Site};
use touchmove::config::settings::RuntimeSettings;
use touchmove::daemon::hub::Target;
use touchmove::desk::{Desk, DeskAct};
use touchmove::game::pgn::{AfterIllegal, pgn_with};
use touchmove::game::{Command, Event, Order, StampedEvent};
use touchmove::laws::{Changes, Position};
use touchmove::link::recording;
use touchmove::locale::Locale;
use touchmove::publish::dbus::arguments;
use touchmove::publish::desk::{act_to_json, parse_act};
use touchmove::publish::http::{headers, origin};
use touchmove::publish::livechess::message::{self, Call};
use touchmove::publish::web::body::{self, CommandRequest, LoginSecret};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder as TrfOrder;
use touchmove::table::{Input, Settings, Table};
use touchmove::wire;

/// The checks with their names. Where a text is expected, invalid UTF-8 is replaced.
pub const INPUTS: [(&str, Check); 5] = [
    ("configuration", configuration),
    ("recording", recorded),
    ("request", request),
    ("message", livechess_message),
    ("argument", argument),
];

/// A configuration is accepted, or each of its problems is reported with a place in it. Settings are written as they were read.
pub fn configuration(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    if let Ok(settings) = RuntimeSettings::parse(text) {
        let again = RuntimeSettings::parse(&settings.to_toml()).expect("what is written is read");
        assert_eq!(again.to_toml(), settings.to_toml());
        assert!(settings.apply("").map_or_else(|problems| !problems.is_empty(), |config| config.boards.is_empty()));
    }
    match Config::parse(text) {
        Ok(config) => drop(config.warnings()),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            for problem in problems {
                assert!((1..=lines).contains(&problem.line) && problem.column >= 1, "{problem} of {lines} lines");
                assert!(!problem.message.is_empty());
            }
        }
    }
}

/// A recording is read in the order of its times, or the error names its line.
pub fn recorded(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    match recording::parse("x.rec", text) {
        Ok(recording) => assert!(recording.lines.is_sorted_by_key(|line| line.at)),
        Err(error) => assert!(error.to_string().starts_with("x.rec:"), "{error}"),
    }
}

/// The host names of this server besides localhost and addresses, and the origins whose pages may send requests.
static SITES: LazyLock<(Vec<Site>, Vec<Origin>)> = LazyLock::new(|| {
    let sites = livechess::parse_sites("hall.example, chess.example").expect("a list of sites");
    (sites, livechess::parse_origins("lichess.org, http://hall.example, tauri://localhost").expect("a list of origins"))
});

/// A request: a line with method and target, headers, an empty line, a body. Checks what the servers conclude from each part.
pub fn request(bytes: &[u8]) {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let target = String::from_utf8_lossy(lines.next().unwrap_or_default()).split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut sent, mut rest) = (HeaderMap::new(), Vec::new());
    let mut is_head = true;
    for line in lines {
        let text = line.trim_ascii_end();
        if !is_head {
            rest.extend_from_slice(line);
        } else if text.is_empty() {
            is_head = false;
        } else if let Some(colon) = text.iter().position(|byte| *byte == b':') {
            let (name, value) =
                (HeaderName::from_bytes(&text[..colon]), HeaderValue::from_bytes(text[colon + 1..].trim_ascii()));
            // The HTTP library refuses the others.
            if let (Ok(name), Ok(value)) = (name, value) {
                sent.append(name, value);
            }
        }
    }
    header(&sent);
    if let Ok(uri) = target.parse::<Uri>() {
        let names_chinese = uri.query().is_some_and(|query| query.to_ascii_lowercase().contains("lang=zh"));
        assert!(names_chinese || headers::requested_locale(&uri) == Locale::English, "{uri}");
        uri.authority().iter().for_each(|authority| host(authority.as_str()));
    }
    request_body(&rest);
}

/// The host of an authority, as another parser reads it, in lower case and without the dot of the root.
fn host_of(authority: &str) -> String {
    let host = authority.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_ascii_lowercase)).unwrap_or_default();
    host.strip_suffix('.').map(str::to_owned).unwrap_or(host)
}

/// Whether this is one of these sites, or below one.
fn is_below(host: &str, sites: &[&str]) -> bool {
    sites.iter().any(|site| host.strip_suffix(site).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// A host counts as ours only if another parser finds one of our hosts, too.
fn host(authority: &str) {
    if origin::is_own_host(&SITES.0, authority) {
        let host = host_of(authority);
        let is_address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        assert!(is_address || host == "localhost" || is_below(&host, &["hall.example", "chess.example"]), "{authority:?}");
    } else {
        assert!(!origin::is_loopback_host(authority), "{authority:?}");
    }
}

/// A request that is accepted because of a header has the required value in it.
fn header(sent: &HeaderMap) {
    let all = |name: &str| sent.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>();
    let requested = origin::requested_host(sent);
    assert!(requested.is_empty() || all("host") == [requested]);
    host(requested);
    for page in all("origin") {
        if origin::is_allowed_origin(&SITES.1, page) {
            let (scheme, authority) = page.split_once("://").expect("an origin has a scheme");
            let host = host_of(authority);
            let sites: &[&str] = if scheme == "https" { &["lichess.org", "hall.example"] } else { &["hall.example"] };
            assert!(is_below(&host, sites) || (scheme == "tauri" && host == "localhost"), "{page:?}");
        }
        for encrypted in [false, true] {
            if !origin::is_cross_site(sent, encrypted) {
                let (scheme, authority) = page.split_once("://").expect("an origin has a scheme");
                assert!(scheme == "https" || (scheme == "http" && !encrypted), "{page:?}");
                assert!(!requested.is_empty() && authority.eq_ignore_ascii_case(requested), "{page:?} {requested:?}");
            }
        }
    }
    if let Some(secret) = headers::bearer(sent) {
        assert!(all("authorization").iter().any(|value| value.ends_with(secret) || value.trim_end().ends_with(secret)));
    }
    let cookies = headers::cookies(sent, "touchmove");
    assert!(cookies.len() <= 4 && cookies.iter().all(|value| !value.contains(';')), "{cookies:?}");
    forwarded(sent, &all("x-forwarded-for").join(", "));
    if headers::has_version(sent, "\"x\"") {
        assert!(all("if-none-match").iter().any(|value| value.contains(['x', '*'])));
    }
    let kind = sent.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    let parameters = kind.trim().strip_prefix("application/json").map(str::trim_start);
    assert_eq!(
        headers::is_media_type(sent, "application/json"),
        parameters.is_some_and(|rest| rest.is_empty() || rest.starts_with(';')),
        "{kind:?}"
    );
}

/// Whatever a client has written (`written` is the readable part), the address is the one that the proxy has added, in a header of its
/// own or after the client's value.
fn forwarded(sent: &HeaderMap, written: &str) {
    let (mut apart, mut together) = (sent.clone(), sent.clone());
    apart.append("x-forwarded-for", HeaderValue::from_static("203.0.113.7"));
    together.insert("x-forwarded-for", HeaderValue::from_str(&format!("{written}, 203.0.113.7")).expect("a header"));
    for proxied in [apart, together] {
        assert_eq!(headers::forwarded_for(&proxied), Some(IpAddr::from([203, 0, 113, 7])), "{written:?}");
    }
}

/// A body has the meaning that another parser finds in it.
fn request_body(bytes: &[u8]) {
    if let Ok(value @ Value::Object(_)) = serde_json::from_slice(bytes) {
        login_body(bytes, &value);
        command_body(bytes, &value);
    }
    if let Ok(CommandRequest { command, .. }) = body::parse_command(bytes) {
        check_round_trip(&command);
    }
    desk_act(&String::from_utf8_lossy(bytes));
}

/// A login that is accepted has a token or a code, and not both. If the body is rewritten, so that no key is repeated, every one is
/// read.
fn login_body(bytes: &[u8], value: &Value) {
    let secret = match (&value["token"], &value["code"]) {
        (Value::String(token), Value::Null) => Some(LoginSecret::Token(token.trim().to_owned())),
        (Value::Null, Value::String(code)) => Some(LoginSecret::Code(code.clone())),
        _ => None,
    };
    let read = body::parse_login(bytes).ok();
    assert!(read.is_none() || read == secret, "{value}");
    assert!(body::parse_login(value.to_string().as_bytes()).ok() == secret, "{value}");
}

/// A command that is read is the one in the body, and it is for a board or for a game, not for both.
fn command_body(bytes: &[u8], value: &Value) {
    let Ok(CommandRequest { target, command, seen }) = body::parse_command(bytes) else { return };
    assert_eq!(value["n_seen"].as_u64(), seen, "{value}");
    assert_eq!(wire::command_from_value(&value["command"]).ok(), Some(command), "{value}");
    match target {
        Target::Board(_) => assert!(value["board"].is_string() && value["game"].is_null(), "{value}"),
        Target::Game(game) => assert!(value["game"] == game && value["board"].is_null(), "{value}"),
    }
}

/// A message of a LiveChess client is parsed, or refused with an error; its id is returned unchanged.
pub fn livechess_message(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let message::ParsedMessage { id, call } = message::parse_message(text);
    let reply: Value = serde_json::from_str(&message::reply(id.as_ref(), ())).expect("a reply is JSON");
    assert_eq!(reply["id"], id.clone().map_or(Value::Null, Value::Number));
    let call = match call {
        Ok(call) => call,
        Err(error) => {
            let reply: Value = serde_json::from_str(&message::error_reply(id.as_ref(), &error)).expect("an error is JSON");
            assert!(!error.is_empty() && reply["param"]["message"] == *error);
            return;
        }
    };
    let (Call::Subscribe { feed, .. } | Call::Setup { feed, .. } | Call::Flip { feed, .. } | Call::Unsubscribe { feed }) =
        &call
    else {
        return;
    };
    let reply: Value = serde_json::from_str(&message::feed_event(feed, ())).expect("an event is JSON");
    assert_eq!(reply["id"], Value::Number(feed.clone()));
    if let Call::Setup { fen, .. } = &call
        && let Ok(position) = message::parse_position(fen)
    {
        let again = message::parse_position(&position.fen()).expect("what was written is read");
        assert_eq!(again.fen(), position.fen());
        for mv in position.legal_moves() {
            assert_eq!(position.parse_san(&position.san(mv)), Some(mv), "{} in {}", position.san(mv), position.fen());
            drop(position.play(mv));
        }
    }
}

/// The moves of the game in which arguments are tried.
pub const MOVES: [&str; 9] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1"];

/// That game, as its durable events.
static GAME: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
    let (mut table, mut position, mut now) = (Table::new(Settings::default()), Position::start(), 0);
    let mut events = table.handle(now, Input::Link(LinkState::Up)).events;
    events.extend(table.handle(now, Input::Reading(shown(&position))).events);
    for uci in MOVES {
        let mv = position.parse_uci(uci).expect("a legal move");
        for (square, piece) in Changes::of(position.turn(), mv).iter() {
            now += 400;
            let sensed = piece.map_or(SquareState::Empty, SquareState::Piece);
            events.extend(table.handle(now, Input::Reading(Reading::Square(square, sensed))).events);
        }
        now += 3_000;
        events.extend(table.advance(now).events);
        position = position.play(mv);
    }
    events.retain(|stamped| stamped.number.is_some());
    events
});

fn shown(position: &Position) -> Reading {
    let mut placement: Placement = [SquareState::Empty; 64];
    position.board().iter().for_each(|(square, piece)| placement[square as usize] = SquareState::Piece(piece));
    Reading::Placement(Box::new(placement))
}

/// An act at the desk has one JSON form, and leaves a desk whose rounds are valid and whose boards are at one table each.
fn desk_act(text: &str) {
    let Ok(requested) = parse_act(text) else { return };
    let json = act_to_json(&requested.act, requested.seen).expect("it is JSON");
    assert_eq!(parse_act(&json).ok(), Some(requested.clone()));
    let act = requested.act;
    let csv = include_str!("../../data/strangers/round.csv");
    let round = Round::read(csv, Some(1), &TrfOrder::Rank).expect("a round");
    let mut desk = Desk::from_acts([DeskAct::LoadRound { round }].iter()).0;
    let before = desk.clone();
    if desk.apply(&act).is_err() {
        assert_eq!(desk, before);
    }
    assert!(desk.rounds.values().all(|round| round.check().is_empty()));
    assert!(desk.current_round.is_none_or(|number| desk.rounds.contains_key(&number)));
    for (table, seat) in &desk.seats {
        assert_eq!(desk.table_of(&seat.board, seat.serial_number.as_deref()), Some(*table));
    }
}

/// Arguments of D-Bus methods, one per line: each is refused with an error, or gives a command that is executed or refused.
pub fn argument(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    desk_act(text);
    let lines: Vec<&str> = text.lines().collect();
    let line = |index: usize| lines.get(index).copied().unwrap_or_default();
    let (first, second, third) = (line(0), line(1), line(2));
    let number = |text: &str| text.parse::<u32>().unwrap_or(text.len() as u32);
    let tags = lines.chunks(2).map(|pair| (pair[0].to_owned(), pair.get(1).copied().unwrap_or_default().to_owned()));
    let commands = [
        arguments::parse_result(first),
        arguments::parse_player(first).map(|player| Command::Adjust { player }),
        arguments::parse_promotion(number(second), first),
        arguments::parse_count(first, second),
        arguments::parse_laws(first),
        arguments::parse_tags(tags.collect::<HashMap<String, String>>()),
        arguments::parse_claim(first, second, third.to_owned()),
        Ok(Command::ClockNote { white_ms: number(first), black_ms: number(second), note: third.to_owned() }),
        Ok(Command::Replace { ply: number(second), uci: first.to_owned() }),
        Ok(Command::Insert { ply: number(second), uci: first.to_owned() }),
        Ok(Command::Position { fen: first.to_owned() }),
        Ok(Command::TakeBack { plies: number(first) }),
        Ok(Command::Restore { ply: number(first) }),
        Ok(Command::LetStand { alert: number(first) }),
        Ok(Command::Adopt { alert: number(first) }),
        Ok(Command::Acknowledge { alert: number(first) }),
        Ok(Command::Undo {}),
    ];
    let mut table = Table::restore(Settings::default(), &GAME);
    let mut now: Millis = GAME.last().map_or(0, |last| last.at) + 1_000;
    table.handle(now, Input::Link(LinkState::Up));
    let position = table.record().and_then(|record| Position::from_fen(record.fen(), false).ok()).expect("a position");
    table.handle(now, Input::Reading(shown(&position)));
    for command in commands {
        let command = match command {
            Ok(command) => command,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        check_round_trip(&command);
        now += 1_000;
        table.advance(now);
        let output = table.handle(now, Input::Order(Order { command: command.clone(), by: second.to_owned() }));
        for stamped in &output.events {
            assert_eq!(wire::from_json(&wire::to_json(stamped)).ok().as_ref(), Some(stamped));
        }
        let is_done = output.events.iter().any(|stamped| matches!(&stamped.event, Event::Commanded { .. }));
        assert_ne!(output.refusal().is_some(), is_done, "{command:?}");
        assert!(output.refusal().is_none_or(|error| !error.to_string().is_empty()));
        if let Some(record) = table.record() {
            assert!(!pgn_with(record, &[], AfterIllegal::Fen, &|_| None).is_empty());
        }
    }
    table.advance(now + 100_000);
}
