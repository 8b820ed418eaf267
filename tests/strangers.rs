//! What strangers hand in, damaged in every way: read without anything around it (`inputs.rs`), and through a whole touchmoved.

mod inputs;

use crate::hall::{Hall, client};
use crate::harness::{PATIENCE, eventually};
use inputs::INPUTS;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::names;
use touchmove::publish::dbus::Stream;
use touchmove::simulate::rng::Rng;
use zbus::{Structure, Variant};

/// How long each sort of text is damaged; `STRANGERS_MS=60000 cargo test strangers` goes on for longer.
fn span() -> Duration {
    let asked = std::env::var("STRANGERS_MS").ok().and_then(|ms| ms.parse().ok());
    Duration::from_millis(asked.unwrap_or(1_500))
}

/// Words that mean something to one reader or another.
const WORDS: [&str; 40] = [
    "\0",
    "\r\n",
    "\n\n",
    "\t",
    "\u{feff}",
    "\u{202e}",
    "é",
    "♞",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "[board]",
    "[[board]]",
    "=",
    ":",
    ",",
    ";",
    "-1",
    "0",
    "65536",
    "4294967296",
    "18446744073709551616",
    "1e999",
    "null",
    "true",
    "001 ",
    "1.",
    "O-O",
    "e8=Q",
    "*",
    "1-0",
    "FEN",
    "../",
];

/// A text with something wrong in it, or two of them in one.
fn damaged(rng: &mut Rng, texts: &[String]) -> String {
    let mut bytes = texts[rng.below(texts.len() as u64) as usize].clone().into_bytes();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() as u64 + 1) as usize;
        let end = (at + rng.below(24) as usize).min(bytes.len());
        match rng.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let twice = bytes[at..end].to_vec();
                bytes.splice(at..at, twice);
            }
            2 => bytes.truncate(at),
            3 => {
                let other = texts[rng.below(texts.len() as u64) as usize].as_bytes();
                let from = rng.below(other.len() as u64 + 1) as usize;
                bytes.splice(at..end, other[from..].iter().copied().take(200));
            }
            4 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            _ => {
                let word = WORDS[rng.below(WORDS.len() as u64) as usize];
                bytes.splice(at..end, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The texts to begin with: files of the repository, whole, or each line of those of lines.
fn corpus(name: &str) -> Vec<String> {
    let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let lines = |path: &str| read(path).lines().map(str::to_owned).collect::<Vec<_>>();
    match name {
        "configuration" => {
            let uncommented = read("config/touchmoved.toml").replace("\n#", "\n");
            vec![read("config/touchmoved.toml"), uncommented, read("tests/data/strangers/configuration.toml")]
        }
        "event" => lines("tests/data/wire/events.jsonl"),
        "command" => lines("tests/data/strangers/commands.jsonl"),
        "recording" => vec![read("tests/data/strangers/game.rec")],
        "round" => ["csv", "pgn", "trf"].map(|kind| read(&format!("tests/data/strangers/round.{kind}"))).into(),
        "games" => vec![read("tests/data/pgn/examples.pgn"), read("tests/data/pgn/illegal.pgn")],
        _ => unreachable!("{name} has no corpus"),
    }
}

#[test]
fn damaged_texts_are_read_or_refused_in_words() {
    let threads = INPUTS.map(|(name, check)| {
        std::thread::spawn(move || {
            let (texts, mut rng, began) = (corpus(name), Rng::new(17, name.len() as u64), Instant::now());
            texts.iter().for_each(|text| check(text));
            let mut count = 0;
            while count < 200 || began.elapsed() < span() {
                let text = damaged(&mut rng, &texts);
                if std::panic::catch_unwind(|| check(&text)).is_err() {
                    panic!("{name}, number {count}: {text:?}");
                }
                count += 1;
            }
            eprintln!("{name}: {count} texts");
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Each sort of text has a fuzz target of its own, by its name.
#[test]
fn every_sort_of_text_is_fuzzed() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let table = fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    for (name, _) in INPUTS {
        assert!(dir.join(format!("fuzz_targets/{name}.rs")).exists(), "{name}");
        assert!(table.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}

/// What is in the corpora means something: else only refusals would be tried.
#[test]
fn what_the_corpora_begin_with_is_read() {
    use touchmove::round::Round;
    use touchmove::round::trf::Order;
    for (name, sound) in [
        ("event", (|text| touchmove::wire::from_json(text).is_ok()) as fn(&str) -> bool),
        ("command", |text| {
            let value = serde_json::from_str(text).unwrap();
            touchmove::wire::order_from_value(&value).is_ok() || touchmove::wire::settings_from_value(&value).is_ok()
        }),
        ("recording", |text| touchmove::link::recording::parse("x.rec", text).is_ok()),
        ("round", |text| Round::read(text, Some(1), &Order::Rank).is_ok()),
    ] {
        for text in corpus(name) {
            assert!(sound(&text), "{name}: {text}");
        }
    }
    let configuration =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strangers/configuration.toml")).unwrap();
    assert_eq!(touchmove::config::Config::parse(&configuration).err(), None);
}

/// A frame of a client, with a mask of zeros.
fn frame(text: &str) -> Vec<u8> {
    let length = text.len() as u16;
    let head = match length {
        0..126 => vec![0x81, 0x80 | length as u8],
        _ => [&[0x81, 0x80 | 126][..], &length.to_be_bytes()].concat(),
    };
    [&head[..], &[0; 4], text.as_bytes()].concat()
}

/// Says this and nothing more; what is answered, until the other end is done.
fn say(port: u16, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // One that is refused before all of it was sent may be cut off.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut answer = Vec::new();
    // Events have no end.
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
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    let listen = "listen = '127.0.0.1:0'\n";
    fs::write(&config, format!("[web]\n{listen}[livechess]\n{listen}[metrics]\n{listen}")).unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    hall.play("e2", "e4", "e4").await;
    let port = |before: &str| -> u16 {
        eventually(before, || {
            hall.daemon.log().split_once(before)?.1.split_once("127.0.0.1:")?.1.split_once('/')?.0.parse().ok()
        })
    };
    let ports = ["the page is at", "find the boards at", "metrics are told at"].map(port);
    let file =
        |name: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strangers").join(name)).unwrap();
    let requests: Vec<String> = file("requests.txt").split("----\n").map(|text| text.replace('\n', "\r\n")).collect();
    let messages: Vec<String> = file("messages.jsonl").lines().map(str::to_owned).collect();
    let (mut rng, began, mut count) = (Rng::new(23, 0), Instant::now(), 0);
    while count < 30 || began.elapsed() < span() {
        let request = if count < requests.len() { requests[count].clone() } else { damaged(&mut rng, &requests) };
        // A connection that has events to tell is not closed: it is not waited for.
        if !request.contains("/api/events") {
            say(ports[count % ports.len()], request.as_bytes());
        }
        count += 1;
    }
    eprintln!("{count} requests");
    let upgrade = "GET /api/v1.0 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    let (began, mut count) = (Instant::now(), 0);
    while count < 300 || began.elapsed() < span() {
        // With the end of a WebSocket at its end.
        let said: Vec<u8> =
            (0..30).flat_map(|_| frame(&damaged(&mut rng, &messages))).chain([0x88, 0x80, 0, 0, 0, 0]).collect();
        let answer = say(ports[1], &[upgrade.as_bytes(), &said].concat());
        assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&answer));
        count += 30;
    }
    eprintln!("{count} messages");
    // It is the same touchmoved, and all of it works.
    hall.play("e7", "e5", "e5").await;
    let state = say(ports[0], b"GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(
        String::from_utf8_lossy(&state).contains("\"last_sans\":[\"1. e4\",\"1... e5\"]") || state.starts_with(b"HTTP/1.1 200")
    );
    assert!(!hall.daemon.log().contains("panicked"), "{}", hall.daemon.log());
}

/// Every method of our interfaces, with the types of its arguments.
fn methods() -> Vec<(String, String, Vec<String>)> {
    let mut methods = Vec::new();
    for interface in ["Manager", "Board", "Clock", "Game", "Arbiter"] {
        let path = format!("{}/config/dbus/org.touchmove1.{interface}.xml", env!("CARGO_MANIFEST_DIR"));
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

/// Something of this type that nobody means.
fn odd(rng: &mut Rng, signature: &str) -> Variant<'static> {
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
        other => panic!("say what is odd of type {other}"),
    }
}

#[tokio::test]
async fn odd_arguments_on_the_bus_are_refused_in_words() {
    let Some(mut hall) = Hall::open().await else { return };
    hall.play("e2", "e4", "e4").await;
    let (connection, methods, mut rng) = (hall.bus.connect().await, methods(), Rng::new(29, 0));
    // One of its own: the hall's waits for whoever reads what happens, and nobody does here.
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
            "Manager" => "/org/touchmove1".to_owned(),
            "Board" | "Clock" => names::board_path(&board),
            _ => names::game_path(game),
        };
        let arguments: Vec<Variant<'static>> = signatures.iter().map(|signature| odd(&mut rng, signature)).collect();
        let said = format!("{interface}.{method}{arguments:.200?}");
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
                assert!(ours && sentence.is_some_and(|sentence| !sentence.is_empty()), "{said}: {name}");
            }
            Err(other) => panic!("{said}: {other}"),
        }
        count += 1;
    }
    eprintln!("{count} calls, {done} of them done");
    assert!(!client.snapshot().await.unwrap().boards.is_empty());
    assert!(!hall.daemon.log().contains("panicked"), "{}", hall.daemon.log());
}
