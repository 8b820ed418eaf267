//! Alerts to the arbiter, and what hands did besides the moves, reach nobody else (Article 12.6): a game with all of it is
//! played through a real touchmoved, while other clients of the bus read and receive everything that they can.

use crate::harness::hall::{Hall, game, seen};
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, User, eventually, until};
use futures_util::StreamExt;
use std::collections::BTreeSet;
use std::fs;
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use touchmove::game::{AlertKind, Command, GameResult};
use touchmove::names;
use touchmove::publish::client::WatchedEvent;
use touchmove::publish::dbus::Stream;
use touchmove::wire::Word;
use zbus::fdo::{DBusProxy, ObjectManagerProxy};
use zbus::message::Type;
use zbus::{Connection, MessageStream};

const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
const OBJECT_MANAGER: &str = "org.freedesktop.DBus.ObjectManager";
const INTROSPECTABLE: &str = "org.freedesktop.DBus.Introspectable";
/// The interface of the test's own signal, which marks the end of the game.
const GAME_OVER: &str = "org.touchmove.test.Over";

/// The signals of a game that are published on the broadcast name.
const SIGNALS: [&str; 5] = ["MoveMade", "MoveCompleted", "MovesCorrected", "ClockRevised", "ResultChanged"];
/// Parts of words that name anything but moves.
const FORBIDDEN_WORDS: [&str; 13] = [
    "alert",
    "evidence",
    "displac",
    "touch",
    "fault",
    "stuck",
    "flicker",
    "mended",
    "notice",
    ".arbiter",
    "adjust",
    "square",
    "placement",
];

/// A message as a client received it.
#[derive(Clone, Debug)]
struct ReceivedMessage {
    kind: Type,
    sender: String,
    interface: String,
    member: String,
    /// All values, in debug format.
    body: String,
}

/// Interface and name of every signal that the files in `config/generated/dbus` describe.
fn signals() -> BTreeSet<(String, String)> {
    let mut signals = BTreeSet::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/config/generated/dbus")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "xml") {
            let interface = path.file_stem().unwrap().to_str().unwrap();
            let xml = std::fs::read_to_string(&path).unwrap();
            let names = xml.split("<signal name=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
            signals.extend(names.map(|name| (interface.to_owned(), name.to_owned())));
        }
    }
    assert!(signals.contains(&(names::ARBITER_INTERFACE.to_owned(), "AlertRaised".to_owned())), "{signals:?}");
    signals
}

/// Receives everything that the bus sends to this connection, with match rules of every kind, until the game is over.
async fn listen(bus: String, ready: oneshot::Sender<()>) -> Vec<ReceivedMessage> {
    let connection = zbus::connection::Builder::address(bus.as_str()).build().await.unwrap();
    let mut messages = MessageStream::from(&connection);
    let bus = DBusProxy::new(&connection).await.unwrap();
    for rule in ["type='signal'", "", "sender='org.touchmove1'", "path_namespace='/org/touchmove1'"] {
        bus.inner().call::<_, _, ()>("AddMatch", &rule).await.unwrap();
    }
    for (interface, signal) in signals() {
        let rule = format!("type='signal',interface='{interface}',member='{signal}'");
        bus.inner().call::<_, _, ()>("AddMatch", &rule).await.unwrap();
    }
    // A system bus refuses this to most users.
    let _ = bus.inner().call::<_, _, ()>("AddMatch", &"eavesdrop='true'").await;
    ready.send(()).unwrap();
    let mut messages_received = Vec::new();
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        let header = message.header();
        let text = |part: Option<String>| part.unwrap_or_default();
        let received = ReceivedMessage {
            kind: header.message_type(),
            sender: text(header.sender().map(ToString::to_string)),
            interface: text(header.interface().map(ToString::to_string)),
            member: text(header.member().map(ToString::to_string)),
            body: message.body().deserialize::<zbus::Structure>().map(|body| format!("{body:?}")).unwrap_or_default(),
        };
        if received.interface == GAME_OVER {
            return messages_received;
        }
        messages_received.push(received);
    }
    panic!("the bus went away");
}

/// Starts a client that listens in its own thread; returns when it listens.
async fn listener(bus: &PrivateBus, user: Option<User>) -> JoinHandle<Vec<ReceivedMessage>> {
    let (ready, listening) = oneshot::channel();
    let address = bus.address();
    let work = async move || listen(address, ready).await;
    let thread = match user {
        Some(user) => user.run(work),
        None => {
            std::thread::spawn(|| tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work()))
        }
    };
    tokio::time::timeout(PATIENCE, listening).await.expect("waited in vain for the client to listen").unwrap();
    thread
}

/// Plays a game with everything that is only for the arbiter, and ends it. Returns when both names have published all of it.
async fn play(hall: &mut Hall) {
    let spectator = crate::harness::hall::client(&hall.bus, Stream::Broadcast).await;
    let mut spectators = spectator.watch().await.unwrap();
    game(&spectator).await;
    let (mut white, mut black) = (3600, 3600);
    // A press with each move; the running time loses a second.
    let mut press = |hall: &Hall, white_runs: bool| {
        if white_runs {
            white -= 1
        } else {
            black -= 1
        }
        hall.board.clock(white, black, white_runs);
    };

    press(hall, true);
    hall.play("e2", "e4", "e4").await;
    press(hall, false);
    hall.play("e7", "e5", "e5").await;
    press(hall, true);
    // A piece is lifted and put down again, and another is moved.
    hall.board.put("g1", '.');
    seen(&mut hall.watch, "a touch", |event| event.event == "Touched").await;
    hall.board.put("g1", 'N');
    hall.board.play("e1", "e3");
    press(hall, false);
    let illegal = crate::harness::hall::made(&mut hall.watch, "Ke1-e3").await;
    assert_eq!(illegal.fields["details"]["irregular"], true);
    assert!(illegal.fields["details"]["evidence"].as_array().is_some_and(|evidence| !evidence.is_empty()), "{illegal:?}");

    // The same position three times.
    for _ in 0..2 {
        for (from, to, san, white) in
            [("b8", "c6", "Nc6", false), ("g1", "f3", "Nf3", true), ("c6", "b8", "Nb8", false), ("f3", "g1", "Ng1", true)]
        {
            hall.play(from, to, san).await;
            press(hall, !white);
        }
    }
    // Black presses without a move, then White presses.
    press(hall, true);
    press(hall, false);
    // A square loses its piece again and again.
    for _ in 0..12 {
        hall.board.put("a8", '.');
        hall.board.put("a8", 'r');
    }
    // White's bishop is out of place until an alert reports that, and not only the press.
    hall.board.put("f1", '.');
    hall.board.put("c5", 'B');
    let names_c5 = |alert: &WatchedEvent| {
        let squares = alert.fields.get("squares").and_then(|squares| squares.as_array());
        squares.is_some_and(|squares| squares.iter().any(|square| square == "c5"))
    };
    seen(&mut hall.watch, "an alert", |event| event.event == "AlertRaised" && names_c5(event)).await;
    hall.board.put("c5", '.');
    hall.board.put("f1", 'B');
    seen(&mut hall.watch, "the alert to be cleared", |event| event.event == "AlertCleared").await;

    let arbiter = hall.bus.connect().await;
    let path = names::game_path(hall.game);
    let order = async |method: &str, argument: &str| {
        let interface = if method == "SetResult" { names::OPERATOR_INTERFACE } else { names::ARBITER_INTERFACE };
        arbiter.call_method(Some(names::BUS_NAME), path.as_str(), Some(interface), method, &argument).await.unwrap();
    };
    order("Adjust", "black").await;
    order("SetResult", "1/2-1/2").await;
    seen(&mut hall.watch, "the order", |event| event.event == "Commanded").await;
    let result = |event: &WatchedEvent| event.fields.get("Result").is_some_and(|result| result == "1/2-1/2");
    seen(&mut hall.watch, "the result", result).await;
    seen(&mut spectators, "the result on the broadcast name", result).await;
    arbiter.emit_signal(None::<zbus::names::BusName>, "/", GAME_OVER, "Over", &()).await.unwrap();
}

/// Panics if a text for spectators contains anything but moves.
#[track_caller]
fn assert_only_moves(what: &str, text: &str) {
    let text = text.replace("touchmove", "").to_lowercase();
    let kinds = AlertKind::WORDS.iter().map(|(word, _)| *word);
    for word in FORBIDDEN_WORDS.into_iter().chain(kinds) {
        assert!(!text.contains(word), "{what} contains {word}: {text}");
    }
}

/// Panics if the log, which can be read without delay, contains a move or a square.
#[track_caller]
fn assert_log_has_no_move(log: &str) {
    assert!(log.contains("port opened"), "there is no log at this level:\n{log}");
    let words = log.split(|sign: char| !sign.is_ascii_alphanumeric() && !['-', '+', '='].contains(&sign));
    for word in words {
        let square = |part: Option<&str>| part.is_some_and(|part| part.parse::<shakmaty::Square>().is_ok());
        let uci = word.len() == 4 && square(word.get(..2)) && square(word.get(2..));
        let san = square(Some(word)) || word.parse::<shakmaty::san::San>().is_ok_and(|_| word.len() > 1);
        assert!(!uci && !san && word != "Ke1-e3", "{word} is in the log:\n{log}");
    }
}

/// The unique name of the owner of a name.
async fn owner(connection: &Connection, name: &'static str) -> String {
    DBusProxy::new(connection).await.unwrap().get_name_owner(name.try_into().unwrap()).await.unwrap().to_string()
}

/// Panics if a client received anything from the broadcast name but games and their moves.
fn assert_received_only_moves(messages: &[ReceivedMessage], broadcast: &str) {
    let mut seen = BTreeSet::new();
    for message in messages.iter().filter(|message| message.sender == broadcast && message.kind == Type::Signal) {
        match (message.interface.as_str(), message.member.as_str()) {
            (names::GAME_INTERFACE, member) if SIGNALS.contains(&member) => {}
            (PROPERTIES, "PropertiesChanged") => {
                let known = [names::GAME_INTERFACE, names::LIST_INTERFACE];
                assert!(known.iter().any(|interface| message.body.contains(interface)), "{message:?}");
            }
            (OBJECT_MANAGER, "InterfacesAdded" | "InterfacesRemoved") => {}
            _ => panic!("{message:?} must not be published there"),
        }
        assert_only_moves(&message.member, &message.body);
        seen.insert(message.member.as_str());
    }
    for expect in ["MoveMade", "MoveCompleted", "ResultChanged", "PropertiesChanged"] {
        assert!(seen.contains(expect), "{expect} was not received: {seen:?}");
    }
}

/// Panics if a client can read anything on the broadcast name but games and their moves.
async fn assert_reads_only_moves(connection: &Connection) {
    let call = async |path: &str, interface: &str, method: &str, body: &str| {
        let to = (Some(names::BROADCAST_NAME), path, Some(interface));
        match method {
            "GetAll" | "Introspect" if body.is_empty() => connection.call_method(to.0, to.1, to.2, method, &()).await,
            "Since" => connection.call_method(to.0, to.1, to.2, method, &(0u64, "")).await,
            "PgnWith" => {
                let options = std::collections::HashMap::from([("irregular", zbus::Variant::from(body))]);
                connection.call_method(to.0, to.1, to.2, method, &options).await
            }
            "Pgn" => connection.call_method(to.0, to.1, to.2, method, &()).await,
            _ => connection.call_method(to.0, to.1, to.2, method, &body).await,
        }
    };
    let body = |message: zbus::Message| format!("{:?}", message.body().deserialize::<zbus::Structure>().unwrap());

    let manager = ObjectManagerProxy::new(connection, names::BROADCAST_NAME, names::ROOT_PATH).await.unwrap();
    let objects = manager.get_managed_objects().await.unwrap();
    let our_interfaces = |path: &zbus::OwnedObjectPath| -> Vec<String> {
        let all = objects[path].keys().map(ToString::to_string);
        all.filter(|name| !name.starts_with("org.freedesktop.DBus.")).collect()
    };
    // The parent object lists the games.
    let (lists, games): (Vec<_>, Vec<_>) = objects.keys().partition(|path| path.as_str() == names::GAMES_PATH);
    assert_eq!((lists.len(), games.len()), (1, 1), "{objects:?}");
    assert_eq!(our_interfaces(lists[0]), [names::LIST_INTERFACE]);
    for (path, interfaces) in games.into_iter().map(|path| (path, &objects[path])) {
        assert_eq!(
            (our_interfaces(path), path.starts_with("/org/touchmove1/game/")),
            (vec![names::GAME_INTERFACE.to_owned()], true)
        );
        assert_only_moves("GetManagedObjects", &format!("{interfaces:?}"));
        assert_only_moves("GetAll", &body(call(path, PROPERTIES, "GetAll", names::GAME_INTERFACE).await.unwrap()));
        let history = body(call(path, names::GAME_INTERFACE, "Since", "").await.unwrap());
        assert!(history.contains("Ke1-e3") && history.contains("irregular"), "{history}");
        assert_only_moves("Since", &history);
        assert_only_moves("Pgn", &body(call(path, names::GAME_INTERFACE, "Pgn", "").await.unwrap()));
        for option in ["stop", "fen", "end"] {
            assert_only_moves("PgnWith", &body(call(path, names::GAME_INTERFACE, "PgnWith", option).await.unwrap()));
        }
        // Interfaces for the arbiter do not exist there.
        for (interface, method) in [
            (names::ARBITER_INTERFACE, "TakeBack"),
            (names::OPERATOR_INTERFACE, "SetResult"),
            (names::BOARD_INTERFACE, "SetPosition"),
            (PROPERTIES, "GetAll of the arbiter"),
        ] {
            let refused = match method {
                "GetAll of the arbiter" => call(path, interface, "GetAll", names::ARBITER_INTERFACE).await,
                _ => call(path, interface, method, "x").await,
            };
            assert!(refused.is_err(), "{interface} {method}");
        }
    }
    // All objects and their interfaces.
    let element_names = |xml: &str, tag: &str| -> BTreeSet<String> {
        let begin = format!("<{tag} name=\"");
        xml.split(&begin).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let (mut paths, mut interfaces) = (vec![String::from("/")], BTreeSet::new());
    while let Some(path) = paths.pop() {
        let xml: String = call(&path, INTROSPECTABLE, "Introspect", "").await.unwrap().body().deserialize().unwrap();
        interfaces.extend(element_names(&xml, "interface"));
        let children = element_names(&xml, "node");
        assert!(!children.contains("board"), "{path}: {xml}");
        paths.extend(children.iter().map(|child| format!("{}/{child}", path.trim_end_matches('/'))));
    }
    assert!(interfaces.contains(names::GAME_INTERFACE), "{interfaces:?}");
    let known = [names::GAME_INTERFACE, names::LIST_INTERFACE];
    let harmless = |name: &String| known.contains(&name.as_str()) || name.starts_with("org.freedesktop.DBus.");
    assert!(interfaces.iter().all(harmless), "{interfaces:?}");
}

#[tokio::test]
async fn the_broadcast_name_publishes_only_moves() {
    let Some(mut hall) = Hall::open().await else { return };
    let outsider = listener(&hall.bus, None).await;
    play(&mut hall).await;
    let messages = outsider.join().unwrap();
    let connection = hall.bus.connect().await;
    let [live, broadcast] = [owner(&connection, names::BUS_NAME).await, owner(&connection, names::BROADCAST_NAME).await];
    assert_log_has_no_move(&hall.daemon.log());
    // The live name did publish alerts and touches.
    let live_members: BTreeSet<&str> =
        messages.iter().filter(|message| message.sender == live).map(|message| message.member.as_str()).collect();
    for expect in ["AlertRaised", "AlertCleared", "Touched", "Commanded"] {
        assert!(live_members.contains(expect), "{expect}: {live_members:?}");
    }
    assert_received_only_moves(&messages, &broadcast);
    assert_reads_only_moves(&connection).await;
}

/// Ends the game after one move, and sets up the pieces for the next one.
async fn next_game(hall: &mut Hall, from: &str, to: &str, san: &str) {
    let last = hall.game;
    hall.play(from, to, san).await;
    hall.client.send_command(last, &Command::Result { result: Some(GameResult::Draw) }).await.unwrap();
    hall.board.play(to, from);
    let next =
        until("the next game", async || hall.client.snapshot().await.unwrap().boards[0].game.filter(|game| *game != last));
    hall.game = next.await;
}

/// Everything logged so far. To know that the log is complete, it unplugs the board, which is logged too.
pub fn log_so_far(daemon: &Daemon, board: &mut Board) -> String {
    let opened = || daemon.log().matches("port opened").count();
    let before = eventually("the port to be opened", || Some(opened()).filter(|opened| *opened > 0));
    board.unplug();
    board.plug();
    eventually("the port to be opened again", || (opened() > before).then(|| daemon.log()))
}

#[tokio::test]
async fn the_log_does_not_reveal_when_a_game_begins() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    fs::write(&config, "[recordings]\nmax_mb = 1\nreserve_mb = 0\n").unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    // The recording of the next game has no space until an old one is deleted.
    let recordings = hall.state.path().join("recordings");
    let old = recordings.join("old-20261121T100000000Z.rec");
    fs::File::create(&old).unwrap().set_len(2_000_000).unwrap();
    next_game(&mut hall, "e2", "e4", "e4").await;
    assert!(!old.exists());
    // The games after it cannot be recorded.
    fs::rename(&recordings, hall.state.path().join("recorded")).unwrap();
    fs::write(&recordings, "").unwrap();
    next_game(&mut hall, "d2", "d4", "d4").await;
    next_game(&mut hall, "c2", "c4", "c4").await;
    let Hall { client, daemon, mut board, state, bus, .. } = hall;
    let log = log_so_far(&daemon, &mut board);
    assert!(!log.contains("to make room for the next"), "{log}");
    assert_eq!(log.matches("nothing is recorded (").count(), 1, "{log}");

    assert!(daemon.terminate().success());
    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    game(&client).await;
    let log = log_so_far(&daemon, &mut board);
    assert!(!log.contains("game goes on"), "{log}");
}

/// Panics unless the bus denies this call.
async fn assert_denied(connection: &Connection, to: &str, path: &str, interface: &str, method: &str) {
    let outcome = connection.call_method(Some(to), path, Some(interface), method, &()).await;
    let denied = match &outcome {
        Err(zbus::Error::FDO(error)) => matches!(**error, zbus::fdo::Error::AccessDenied(_)),
        Err(zbus::Error::MethodError(name, ..)) => name.as_str() == "org.freedesktop.DBus.Error.AccessDenied",
        _ => false,
    };
    assert!(denied, "{interface}.{method} of {to}: {outcome:?}");
}

/// Panics unless the bus denies all calls to a name, by the name itself and by the unique name of its owner.
async fn assert_no_access(connection: &Connection, name: &'static str, game: &str) {
    for to in [name, owner(connection, name).await.as_str()] {
        for (path, interface, method) in [
            (names::ROOT_PATH, OBJECT_MANAGER, "GetManagedObjects"),
            (names::ROOT_PATH, INTROSPECTABLE, "Introspect"),
            (game, PROPERTIES, "Get"),
            (game, PROPERTIES, "GetAll"),
            (game, PROPERTIES, "Set"),
            (game, names::GAME_INTERFACE, "Pgn"),
            (game, names::GAME_INTERFACE, "PgnWith"),
            (game, names::GAME_INTERFACE, "Since"),
            (game, names::ARBITER_INTERFACE, "TakeBack"),
            (game, "org.freedesktop.DBus.Peer", "Ping"),
        ] {
            assert_denied(connection, to, path, interface, method).await;
        }
    }
}

#[tokio::test]
async fn on_a_system_bus_users_in_no_group_receive_nothing() {
    // Each user is in the group of the same name, which replaces ours.
    let (Some(nobody), Some(spectator), Some(operator), Some(arbiter)) =
        (User::named("nobody"), User::named("daemon"), User::named("sys"), User::named("bin"))
    else {
        return;
    };
    let stand_ins = [(names::BROADCAST_GROUP, "daemon"), (names::OPERATOR_GROUP, "sys"), (names::ARBITER_GROUP, "bin")];
    let Some(bus) = PrivateBus::system(&stand_ins) else { return };
    let outsider = listener(&bus, Some(nobody)).await;
    let mut hall = Hall::on(bus, &[]).await;
    let (late_outsider, for_spectator, for_operator, for_arbiter) = (
        listener(&hall.bus, Some(nobody)).await,
        listener(&hall.bus, Some(spectator)).await,
        listener(&hall.bus, Some(operator)).await,
        listener(&hall.bus, Some(arbiter)).await,
    );
    play(&mut hall).await;
    let [outsider, late_outsider, for_spectator, for_operator, for_arbiter] =
        [outsider, late_outsider, for_spectator, for_operator, for_arbiter].map(|thread| thread.join().unwrap());

    let connection = hall.bus.connect().await;
    let [live, broadcast] = [owner(&connection, names::BUS_NAME).await, owner(&connection, names::BROADCAST_NAME).await];
    let from_sender = |messages: &[ReceivedMessage], sender: &str| -> Vec<ReceivedMessage> {
        messages.iter().filter(|message| message.sender == sender).cloned().collect()
    };
    // A user in no group receives nothing, whether connected before touchmoved started or later.
    for messages in [&outsider, &late_outsider] {
        let message = messages.iter().find(|message| message.sender != "org.freedesktop.DBus");
        assert!(message.is_none(), "{message:?} reached a user in no group");
    }
    assert!(
        outsider.iter().any(|message| message.member == "NameOwnerChanged"),
        "the client receives nothing at all: {outsider:?}"
    );
    // Spectators receive games, the arbiter receives everything.
    assert!(from_sender(&for_spectator, &live).is_empty(), "{:?}", from_sender(&for_spectator, &live));
    assert_received_only_moves(&for_spectator, &broadcast);
    // Operators receive games and boards, and nothing that is for the arbiter alone.
    let operators = owner(&connection, names::OPERATOR_NAME).await;
    assert!(from_sender(&for_operator, &live).is_empty(), "{:?}", from_sender(&for_operator, &live));
    let received = from_sender(&for_operator, &operators);
    assert!(received.iter().any(|message| message.member == "MoveMade"), "{received:?}");
    for unexpected in ["AlertRaised", "AlertCleared", "Touched", "Commanded"] {
        assert!(received.iter().all(|message| message.member != unexpected), "{unexpected} reached the operator");
    }
    for expect in ["AlertRaised", "AlertCleared", "Touched", "Commanded"] {
        assert!(
            from_sender(&for_arbiter, &live).iter().any(|message| message.member == expect),
            "{expect} did not reach the arbiter"
        );
    }

    let game = names::game_path(hall.game);
    let address = hall.bus.address();
    let calls = |user: User, refused: &'static [&'static str], reads: bool| {
        let (address, game) = (address.clone(), game.clone());
        user.run(async move || {
            let connection = zbus::connection::Builder::address(address.as_str()).build().await.unwrap();
            for name in refused {
                assert_no_access(&connection, name, &game).await;
            }
            if reads {
                assert_reads_only_moves(&connection).await;
            }
            // Nor may the user monitor the messages to others.
            let rules: (Vec<&str>, u32) = (Vec::new(), 0);
            let to = (Some("org.freedesktop.DBus"), "/org/freedesktop/DBus", Some("org.freedesktop.DBus.Monitoring"));
            let outcome = connection.call_method(to.0, to.1, to.2, "BecomeMonitor", &rules).await;
            assert!(outcome.is_err(), "{outcome:?}");
        })
    };
    let threads = [
        calls(nobody, &[names::BUS_NAME, names::OPERATOR_NAME, names::BROADCAST_NAME], false),
        calls(spectator, &[names::BUS_NAME, names::OPERATOR_NAME], true),
        calls(operator, &[names::BUS_NAME], true),
        calls(arbiter, &[], true),
    ];
    // This thread has nothing to do meanwhile: touchmoved is a process of its own.
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
