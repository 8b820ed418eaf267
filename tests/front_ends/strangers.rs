//! Untrusted inputs, damaged in every way: given to the parsers of the front-ends alone (`inputs.rs`), and to a running touchmoved.

mod inputs;

use crate::core::strangers::inputs as core_inputs;
use crate::core::strangers::{
    WORDS, check_damaged, check_fuzzed, check_valid, damaged, damaged_text, files, lines, read, span,
};
use crate::harness::hall::{Hall, OpenHall, UPGRADE, client, connect, frame};
use crate::harness::{PATIENCE, eventually};
use inputs::INPUTS;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::Instant;
use touchmove::laws::Position;
use touchmove::names;
use touchmove::publish::dbus::Stream;
use touchmove::publish::desk::parse_act;
use touchmove::simulate::rng::Rng;
use zbus::{Structure, Variant};

/// The parts of a file in `tests/data/strangers`, between lines of four hyphens.
fn parts(name: &str) -> Vec<Vec<u8>> {
    read(&format!("tests/data/strangers/{name}")).split("----\n").map(|part| part.as_bytes().to_vec()).collect()
}

/// The initial inputs: whole files of the repository, or each line or part of files that have several.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    match name {
        "configuration" => {
            let uncommented = read("config/touchmoved.toml").replace("\n#", "\n").into_bytes();
            [vec![uncommented], files(&["config/touchmoved.toml", "tests/data/strangers/configuration.toml"])].concat()
        }
        "recording" => files(&["tests/data/strangers/game.rec"]),
        "request" => parts("requests.txt"),
        "message" => lines("tests/data/strangers/messages.jsonl"),
        "argument" => parts("arguments.txt"),
        _ => unreachable!("{name} has no corpus"),
    }
}

#[test]
fn damaged_inputs_are_read_or_refused_with_an_error() {
    check_damaged(INPUTS.into_iter(), corpus);
}

#[test]
fn every_kind_of_input_is_fuzzed() {
    check_fuzzed(INPUTS.into_iter(), "fuzz/front_ends");
}

#[test]
fn the_initial_inputs_are_valid() {
    use touchmove::publish::livechess::message;
    use touchmove::publish::web::body;
    check_valid(
        &[
            ("recording", |text| touchmove::link::recording::parse("x.rec", text).is_ok()),
            ("message", |text| message::parse_message(text).call.is_ok()),
            ("request", |text| {
                let body =
                    text.split_once("\n\n").map(|(_, body)| body.trim().as_bytes()).filter(|body| body.starts_with(b"{"));
                body.is_none_or(|body| {
                    body::parse_login(body).is_ok()
                        || body::parse_command(body).is_ok()
                        || parse_act(&String::from_utf8_lossy(body)).is_ok()
                })
            }),
        ],
        corpus,
    );
    let configuration = read("tests/data/strangers/configuration.toml");
    assert_eq!(touchmove::config::Config::parse(&configuration).err(), None);
}

/// The position before this ply of the game in which arguments are tried.
fn position_before(ply: &str) -> Position {
    let ply: usize = ply.parse().unwrap();
    inputs::MOVES[..ply - 1].iter().fold(Position::start(), |position, uci| position.play(position.parse_uci(uci).unwrap()))
}

/// The initial arguments are valid, too: each is given to its parser, in the order of the file.
#[test]
fn the_initial_arguments_are_valid() {
    use touchmove::publish::dbus::arguments;
    type Accepts = fn(&[&str]) -> bool;
    let is_move: Accepts = |lines| position_before(lines[1]).parse_uci(lines[0]).is_some();
    let is_position: Accepts = |lines| Position::from_fen(lines[0], false).is_ok();
    let parsers: [(&str, Accepts); 15] = [
        ("result", |lines| arguments::parse_result(lines[0]).is_ok()),
        ("result", |lines| arguments::parse_result(lines[0]).is_ok()),
        ("count", |lines| arguments::parse_count(lines[0], lines[1]).is_ok()),
        ("claim", |lines| arguments::parse_claim(lines[0], lines[1], lines[2].to_owned()).is_ok()),
        ("claim", |lines| arguments::parse_claim(lines[0], lines[1], String::new()).is_ok()),
        ("replace", is_move),
        ("insert", is_move),
        ("laws", |lines| arguments::parse_laws(lines[0]).is_ok()),
        ("promotion", |lines| arguments::parse_promotion(lines[1].parse().unwrap(), lines[0]).is_ok()),
        ("tags", |lines| {
            arguments::parse_tags(lines.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()).is_ok()
        }),
        ("position", is_position),
        ("position", is_position),
        ("position", is_position),
        ("take_back", |lines| lines[0].parse::<u32>().is_ok()),
        ("round", |lines| parse_act(&lines.join("\n")).is_ok()),
    ];
    let texts = corpus("argument");
    assert_eq!(texts.len(), parsers.len());
    for (text, (name, accepts)) in texts.into_iter().zip(parsers) {
        let text = String::from_utf8(text).unwrap();
        assert!(accepts(&text.lines().collect::<Vec<_>>()), "{name}: {text}");
    }
}

/// Sends these bytes and nothing more. Returns the answer, until the other end closes the connection.
fn send(port: u16, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(port);
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // A request that is refused before all of it was sent may be cut off.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut answer = Vec::new();
    // A stream of events has no end.
    let mut chunk = [0; 4096];
    while answer.len() < 64 * 1024
        && let Ok(count @ 1..) = stream.read(&mut chunk)
    {
        answer.extend_from_slice(&chunk[..count]);
    }
    answer
}

#[tokio::test]
async fn damaged_requests_and_messages_stop_nothing() {
    let Some(mut open) = OpenHall::open().await else { return };
    let (hall, web, livechess, metrics) = (&mut open.hall, open.web, open.livechess, open.metrics);
    let ports = [web, livechess, metrics];
    let requests: Vec<Vec<u8>> =
        corpus("request").into_iter().map(|text| String::from_utf8(text).unwrap().replace('\n', "\r\n").into_bytes()).collect();
    let messages = corpus("message");
    let (mut rng, began, mut count) = (Rng::new(23, 0), Instant::now(), 0);
    while count < 30 || began.elapsed() < span() {
        let request = if count < requests.len() { requests[count].clone() } else { damaged(&mut rng, &requests) };
        // The service does not close a stream of events, so it is not waited for.
        if !String::from_utf8_lossy(&request).contains("/api/events") {
            send(ports[count % ports.len()], &request);
        }
        count += 1;
    }
    eprintln!("{count} requests");
    let (began, mut count) = (Instant::now(), 0);
    while count < 300 || began.elapsed() < span() {
        // The last frame closes the WebSocket.
        let frames: Vec<u8> =
            (0..30).flat_map(|_| frame(1, damaged_text(&mut rng, &messages).as_bytes())).chain(frame(8, &[])).collect();
        let answer = send(livechess, &[UPGRADE, &frames].concat());
        assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&answer));
        count += 30;
    }
    eprintln!("{count} messages");
    // touchmoved still runs, and all of it works.
    hall.play("e7", "e5", "e5").await;
    eventually("the move on the page", || {
        let mut stream = connect(web);
        stream.write_all(b"GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.contains("\"ply\":2,").then_some(())
    });
    assert!(!hall.daemon.log().contains("panicked"), "{}", hall.daemon.log());
}

/// Every method of our interfaces, with the types of its arguments.
fn methods() -> Vec<(String, String, Vec<String>)> {
    let mut methods = Vec::new();
    for interface in ["Manager", "Administrator", "Board", "Clock", "Game", "Arbiter"] {
        let path = format!("{}/config/generated/dbus/org.touchmove1.{interface}.xml", env!("CARGO_MANIFEST_DIR"));
        for line in fs::read_to_string(path).unwrap().lines() {
            let attribute = |name: &str| Some(line.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.to_owned());
            if line.trim_start().starts_with("<method ") {
                methods.push((interface.to_owned(), attribute("name").unwrap(), Vec::new()));
            } else if attribute("direction").as_deref() == Some("in") {
                methods.last_mut().unwrap().2.push(attribute("type").unwrap());
            }
        }
    }
    methods
}

/// A value of this type that makes no sense.
fn odd_value(rng: &mut Rng, signature: &str) -> Variant<'static> {
    let words = [&WORDS[1..], &["e2e4", "white", "board_1", "fide-2023", "GM", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]].concat();
    let word = |rng: &mut Rng| match rng.below(8) {
        0 => String::new(),
        1 => "x".repeat(10_000),
        _ => (0..=rng.below(3)).map(|_| words[rng.below(words.len() as u64) as usize]).collect(),
    };
    let number = [0, 1, 2, 3, 41, 65_535, u64::from(u32::MAX), u64::MAX][rng.below(8) as usize];
    match signature {
        "b" => (number % 2 == 0).into(),
        "q" => (number as u16).into(),
        "u" => (number as u32).into(),
        "t" => number.into(),
        "s" => word(rng).into(),
        "a{ss}" => (0..rng.below(100)).map(|_| (word(rng), word(rng))).collect::<BTreeMap<String, String>>().into(),
        "a{sv}" => {
            let keys = ["after_illegal", "language", "x"];
            let value = |rng: &mut Rng| if rng.below(2) == 0 { Variant::from(word(rng)) } else { Variant::from(rng.bits()) };
            keys.map(|key| (key.to_owned(), value(rng))).into_iter().collect::<BTreeMap<String, Variant<'static>>>().into()
        }
        other => panic!("there are no odd values of type {other}"),
    }
}

#[tokio::test]
async fn odd_arguments_on_the_bus_are_refused_with_an_error() {
    let Some(mut hall) = Hall::open().await else { return };
    hall.play("e2", "e4", "e4").await;
    let (connection, methods, mut rng) = (hall.bus.connect().await, methods(), Rng::new(29, 0));
    // A client of its own: that of the hall waits until its events are read, and nobody reads them here.
    let client = client(&hall.bus, Stream::Live).await;
    let (began, mut count, mut done) = (Instant::now(), 0, 0);
    let (mut board, mut game) = (String::new(), 0);
    while count < 2 * methods.len() || began.elapsed() < span() {
        if count % 40 == 0 {
            let now = client.snapshot().await.unwrap();
            (board, game) = (now.boards[0].id.clone(), now.games.last().unwrap().id);
        }
        let (interface, method, signatures) = &methods[count % methods.len()];
        let path = match interface.as_str() {
            "Manager" | "Administrator" => "/org/touchmove1".to_owned(),
            "Board" | "Clock" => names::board_path(&board),
            _ => names::game_path(game),
        };
        let arguments: Vec<Variant<'static>> = signatures.iter().map(|signature| odd_value(&mut rng, signature)).collect();
        let call = format!("{interface}.{method}{arguments:.200?}");
        let interface = format!("org.touchmove1.{interface}");
        let outcome = if arguments.is_empty() {
            connection.call_method(Some("org.touchmove1"), path, Some(interface), method.as_str(), &()).await
        } else {
            let body =
                arguments.into_iter().fold(Structure::builder(), |body, value| body.append_field(value)).build().unwrap();
            connection.call_method(Some("org.touchmove1"), path, Some(interface), method.as_str(), &body).await
        };
        match outcome {
            Ok(_) => done += 1,
            Err(zbus::Error::MethodError(name, sentence, _)) => {
                let ours = name.starts_with("org.touchmove1.Error.") || name.starts_with("org.freedesktop.DBus.Error.");
                assert!(ours && sentence.is_some_and(|sentence| !sentence.is_empty()), "{call}: {name}");
            }
            Err(other) => panic!("{call}: {other}"),
        }
        count += 1;
    }
    eprintln!("{count} calls, {done} of them succeeded");
    assert!(!client.snapshot().await.unwrap().boards.is_empty());
    assert!(!hall.daemon.log().contains("panicked"), "{}", hall.daemon.log());
}
