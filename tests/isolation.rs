//! Nothing of what the arbiter is told, and nothing of what hands did beside the moves, reaches anybody else (Art. 12.6): a game
//! with all of it is played through a real touchmoved, and others on the bus read and hear everything that they can.

use crate::hall::{Hall, game, seen};
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
/// What the test itself says on the bus when all is told.
const OVER: &str = "org.touchmove.test.Over";

/// The signals of a game that are told on the name for broadcast.
const SIGNALS: [&str; 5] = ["MoveMade", "MoveCompleted", "MovesCorrected", "ClockRevised", "ResultChanged"];
/// Parts of words that stand for something else than the moves.
const NOT_MOVES: [&str; 13] = [
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

/// A message as somebody got it.
#[derive(Clone, Debug)]
struct Heard {
    kind: Type,
    sender: String,
    interface: String,
    member: String,
    /// What it says, with everything in it.
    body: String,
}

/// Interface and name of every signal that the files in `config/dbus` describe.
fn signals() -> BTreeSet<(String, String)> {
    let mut signals = BTreeSet::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/config/dbus")).unwrap() {
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

/// Listens to everything that this connection is sent, in as many ways as there are, until the game is over.
async fn listen(bus: String, ready: oneshot::Sender<()>) -> Vec<Heard> {
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
    // A system bus refuses this to most.
    let _ = bus.inner().call::<_, _, ()>("AddMatch", &"eavesdrop='true'").await;
    ready.send(()).unwrap();
    let mut all = Vec::new();
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        let header = message.header();
        let text = |part: Option<String>| part.unwrap_or_default();
        let heard = Heard {
            kind: header.message_type(),
            sender: text(header.sender().map(ToString::to_string)),
            interface: text(header.interface().map(ToString::to_string)),
            member: text(header.member().map(ToString::to_string)),
            body: message.body().deserialize::<zbus::Structure>().map(|body| format!("{body:?}")).unwrap_or_default(),
        };
        if heard.interface == OVER {
            return all;
        }
        all.push(heard);
    }
    panic!("the bus went away");
}

/// Somebody who listens in a thread of his own, from now on.
async fn listener(bus: &PrivateBus, user: Option<User>) -> JoinHandle<Vec<Heard>> {
    let (ready, listening) = oneshot::channel();
    let address = bus.address();
    let work = async move || listen(address, ready).await;
    let thread = match user {
        Some(user) => user.run(work),
        None => {
            std::thread::spawn(|| tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work()))
        }
    };
    tokio::time::timeout(PATIENCE, listening).await.expect("waited in vain for somebody to listen").unwrap();
    thread
}

/// Plays a game with everything in it that is not for others, and ends it. Returns when all of it was told on both names.
async fn play(hall: &mut Hall) {
    let spectator = crate::hall::client(&hall.bus, Stream::Broadcast).await;
    let mut spectators = spectator.watch().await.unwrap();
    game(&spectator).await;
    let (mut white, mut black) = (3600, 3600);
    // Each move with a press; the time that runs loses a second.
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
    // A piece is lifted and put back, another moved.
    hall.board.put("g1", '.');
    seen(&mut hall.watch, "a touch", |event| event.event == "Touched").await;
    hall.board.put("g1", 'N');
    hall.board.play("e1", "e3");
    press(hall, false);
    let illegal = crate::hall::made(&mut hall.watch, "Ke1-e3").await;
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
    // A press without a move, by Black, and another back.
    press(hall, true);
    press(hall, false);
    // A square loses its piece again and again.
    for _ in 0..12 {
        hall.board.put("a8", '.');
        hall.board.put("a8", 'r');
    }
    // White's bishop stands where it should not, until the arbiter is told of that, and not only of the press.
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
        let to = (Some(names::BUS_NAME), path.as_str(), Some(names::ARBITER_INTERFACE));
        arbiter.call_method(to.0, to.1, to.2, method, &argument).await.unwrap();
    };
    order("Adjust", "black").await;
    order("SetResult", "1/2-1/2").await;
    seen(&mut hall.watch, "the order", |event| event.event == "Commanded").await;
    let result = |event: &WatchedEvent| event.fields.get("Result").is_some_and(|result| result == "1/2-1/2");
    seen(&mut hall.watch, "the result", result).await;
    seen(&mut spectators, "the result on the name for broadcast", result).await;
    arbiter.emit_signal(None::<zbus::names::BusName>, "/", OVER, "Over", &()).await.unwrap();
}

/// Somebody who may see games only: nothing in this is for others than him.
#[track_caller]
fn only_moves(what: &str, text: &str) {
    let text = text.replace("touchmove", "").to_lowercase();
    let kinds = AlertKind::WORDS.iter().map(|(word, _)| *word);
    for word in NOT_MOVES.into_iter().chain(kinds) {
        assert!(!text.contains(word), "{what} tells of {word}: {text}");
    }
}

/// What touchmoved writes for the log of the machine, which is read without any delay, has no move in it, nor a square.
#[track_caller]
fn log_has_no_move(log: &str) {
    assert!(log.contains("port opened"), "there is no log at this level:\n{log}");
    let words = log.split(|sign: char| !sign.is_ascii_alphanumeric() && !['-', '+', '='].contains(&sign));
    for word in words {
        let square = |part: Option<&str>| part.is_some_and(|part| part.parse::<shakmaty::Square>().is_ok());
        let uci = word.len() == 4 && square(word.get(..2)) && square(word.get(2..));
        let san = square(Some(word)) || word.parse::<shakmaty::san::San>().is_ok_and(|_| word.len() > 1);
        assert!(!uci && !san && word != "Ke1-e3", "{word} is in the log:\n{log}");
    }
}

/// The unique name of who owns a name.
async fn owner(connection: &Connection, name: &'static str) -> String {
    DBusProxy::new(connection).await.unwrap().get_name_owner(name.try_into().unwrap()).await.unwrap().to_string()
}

/// What somebody heard of the name for broadcast: games, and of them what happened on the board.
fn heard_only_moves(all: &[Heard], broadcast: &str) {
    let mut seen = BTreeSet::new();
    for heard in all.iter().filter(|heard| heard.sender == broadcast && heard.kind == Type::Signal) {
        match (heard.interface.as_str(), heard.member.as_str()) {
            (names::GAME_INTERFACE, member) if SIGNALS.contains(&member) => {}
            (PROPERTIES, "PropertiesChanged") => {
                let known = [names::GAME_INTERFACE, names::LIST_INTERFACE];
                assert!(known.iter().any(|interface| heard.body.contains(interface)), "{heard:?}");
            }
            (OBJECT_MANAGER, "InterfacesAdded" | "InterfacesRemoved") => {}
            _ => panic!("{heard:?} is not for others"),
        }
        only_moves(&heard.member, &heard.body);
        seen.insert(heard.member.as_str());
    }
    for expect in ["MoveMade", "MoveCompleted", "ResultChanged", "PropertiesChanged"] {
        assert!(seen.contains(expect), "{expect} was not heard: {seen:?}");
    }
}

/// What somebody can read on the name for broadcast: the same.
async fn reads_only_moves(connection: &Connection) {
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
    let ours = |path: &zbus::OwnedObjectPath| -> Vec<String> {
        let all = objects[path].keys().map(ToString::to_string);
        all.filter(|name| !name.starts_with("org.freedesktop.DBus.")).collect()
    };
    // What stands above the games lists them.
    let (lists, games): (Vec<_>, Vec<_>) = objects.keys().partition(|path| path.as_str() == names::GAMES_PATH);
    assert_eq!((lists.len(), games.len()), (1, 1), "{objects:?}");
    assert_eq!(ours(lists[0]), [names::LIST_INTERFACE]);
    for (path, interfaces) in games.into_iter().map(|path| (path, &objects[path])) {
        assert_eq!((ours(path), path.starts_with("/org/touchmove1/game/")), (vec![names::GAME_INTERFACE.to_owned()], true));
        only_moves("GetManagedObjects", &format!("{interfaces:?}"));
        only_moves("GetAll", &body(call(path, PROPERTIES, "GetAll", names::GAME_INTERFACE).await.unwrap()));
        let history = body(call(path, names::GAME_INTERFACE, "Since", "").await.unwrap());
        assert!(history.contains("Ke1-e3") && history.contains("irregular"), "{history}");
        only_moves("Since", &history);
        only_moves("Pgn", &body(call(path, names::GAME_INTERFACE, "Pgn", "").await.unwrap()));
        for how in ["stop", "fen", "end"] {
            only_moves("PgnWith", &body(call(path, names::GAME_INTERFACE, "PgnWith", how).await.unwrap()));
        }
        // What is for others is not even there.
        for (interface, method) in [
            (names::ARBITER_INTERFACE, "TakeBack"),
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
    // All objects there are, and what they can do.
    let named = |xml: &str, tag: &str| -> BTreeSet<String> {
        let begin = format!("<{tag} name=\"");
        xml.split(&begin).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let (mut paths, mut interfaces) = (vec![String::from("/")], BTreeSet::new());
    while let Some(path) = paths.pop() {
        let xml: String = call(&path, INTROSPECTABLE, "Introspect", "").await.unwrap().body().deserialize().unwrap();
        interfaces.extend(named(&xml, "interface"));
        let children = named(&xml, "node");
        assert!(!children.contains("board"), "{path}: {xml}");
        paths.extend(children.iter().map(|child| format!("{}/{child}", path.trim_end_matches('/'))));
    }
    assert!(interfaces.contains(names::GAME_INTERFACE), "{interfaces:?}");
    let known = [names::GAME_INTERFACE, names::LIST_INTERFACE];
    let harmless = |name: &String| known.contains(&name.as_str()) || name.starts_with("org.freedesktop.DBus.");
    assert!(interfaces.iter().all(harmless), "{interfaces:?}");
}

#[tokio::test]
async fn who_reads_the_name_for_broadcast_learns_of_moves_alone() {
    let Some(mut hall) = Hall::open().await else { return };
    let outsider = listener(&hall.bus, None).await;
    play(&mut hall).await;
    let heard = outsider.join().unwrap();
    let connection = hall.bus.connect().await;
    let [live, broadcast] = [owner(&connection, names::BUS_NAME).await, owner(&connection, names::BROADCAST_NAME).await];
    log_has_no_move(&hall.daemon.log());
    // There was something to hear of, and it was heard elsewhere.
    let of_live: BTreeSet<&str> =
        heard.iter().filter(|heard| heard.sender == live).map(|heard| heard.member.as_str()).collect();
    for expect in ["AlertRaised", "AlertCleared", "Touched", "Commanded"] {
        assert!(of_live.contains(expect), "{expect}: {of_live:?}");
    }
    heard_only_moves(&heard, &broadcast);
    reads_only_moves(&connection).await;
}

/// A short game is over, and the pieces are put up for the next one.
async fn next_game(hall: &mut Hall, from: &str, to: &str, san: &str) {
    let last = hall.game;
    hall.play(from, to, san).await;
    hall.client.send_command(last, &Command::Result(Some(GameResult::Draw))).await.unwrap();
    hall.board.play(to, from);
    let next =
        until("the next game", async || hall.client.snapshot().await.unwrap().boards[0].game.filter(|game| *game != last));
    hall.game = next.await;
}

/// All that was logged up to now: the board is unplugged for it, which is logged as well.
pub fn log_so_far(daemon: &Daemon, board: &mut Board) -> String {
    let opened = || daemon.log().matches("port opened").count();
    let before = eventually("the port to be opened", || Some(opened()).filter(|opened| *opened > 0));
    board.unplug();
    board.plug();
    eventually("the port to be opened again", || (opened() > before).then(|| daemon.log()))
}

#[tokio::test]
async fn the_log_does_not_tell_when_a_game_begins() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    fs::write(&config, "[recordings]\nmax_mb = 1\nreserve_mb = 0\n").unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    // There is no room for the recording of the next game until an old one goes.
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
    assert!(!log.contains("makes room for the next"), "{log}");
    assert_eq!(log.matches("nothing is recorded (").count(), 1, "{log}");

    assert!(daemon.terminate().success());
    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    game(&client).await;
    let log = log_so_far(&daemon, &mut board);
    assert!(!log.contains("game goes on"), "{log}");
}

/// A call is refused by the bus.
async fn is_refused(connection: &Connection, to: &str, path: &str, interface: &str, method: &str) {
    let outcome = connection.call_method(Some(to), path, Some(interface), method, &()).await;
    let denied = match &outcome {
        Err(zbus::Error::FDO(why)) => matches!(**why, zbus::fdo::Error::AccessDenied(_)),
        Err(zbus::Error::MethodError(name, ..)) => name.as_str() == "org.freedesktop.DBus.Error.AccessDenied",
        _ => false,
    };
    assert!(denied, "{interface}.{method} of {to}: {outcome:?}");
}

/// Neither by this name nor by the one that the bus gave its owner.
async fn may_not_call(connection: &Connection, name: &'static str, game: &str) {
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
            is_refused(connection, to, path, interface, method).await;
        }
    }
}

#[tokio::test]
async fn on_a_system_bus_who_is_in_no_group_learns_nothing() {
    // Each is in the group of his own name, which stands for ours.
    let (Some(nobody), Some(spectator), Some(arbiter)) = (User::named("nobody"), User::named("daemon"), User::named("bin"))
    else {
        return;
    };
    let stand_ins = [(names::BROADCAST_GROUP, "daemon"), (names::ARBITER_GROUP, "bin")];
    let Some(bus) = PrivateBus::system(&stand_ins) else { return };
    let outside = listener(&bus, Some(nobody)).await;
    let mut hall = Hall::on(bus, &[]).await;
    let (late, public, inside) = (
        listener(&hall.bus, Some(nobody)).await,
        listener(&hall.bus, Some(spectator)).await,
        listener(&hall.bus, Some(arbiter)).await,
    );
    play(&mut hall).await;
    let [outside, late, public, inside] = [outside, late, public, inside].map(|thread| thread.join().unwrap());

    let connection = hall.bus.connect().await;
    let [live, broadcast] = [owner(&connection, names::BUS_NAME).await, owner(&connection, names::BROADCAST_NAME).await];
    let of =
        |all: &[Heard], sender: &str| -> Vec<Heard> { all.iter().filter(|heard| heard.sender == sender).cloned().collect() };
    // Whoever is in no group hears nothing, from before touchmoved was there, or later.
    for all in [&outside, &late] {
        let heard = all.iter().find(|heard| heard.sender != "org.freedesktop.DBus");
        assert!(heard.is_none(), "{heard:?} reached somebody in no group");
    }
    assert!(outside.iter().any(|heard| heard.member == "NameOwnerChanged"), "he hears what he may: {outside:?}");
    // Spectators hear games, the arbiter all of it.
    assert!(of(&public, &live).is_empty(), "{:?}", of(&public, &live));
    heard_only_moves(&public, &broadcast);
    for expect in ["AlertRaised", "AlertCleared", "Touched", "Commanded"] {
        assert!(of(&inside, &live).iter().any(|heard| heard.member == expect), "{expect} did not reach the arbiter");
    }

    let game = names::game_path(hall.game);
    let address = hall.bus.address();
    let calls = |user: User, refused: &'static [&'static str], reads: bool| {
        let (address, game) = (address.clone(), game.clone());
        user.run(async move || {
            let connection = zbus::connection::Builder::address(address.as_str()).build().await.unwrap();
            for name in refused {
                may_not_call(&connection, name, &game).await;
            }
            if reads {
                reads_only_moves(&connection).await;
            }
            // Nor does the bus show him what it carries to others.
            let rules: (Vec<&str>, u32) = (Vec::new(), 0);
            let to = (Some("org.freedesktop.DBus"), "/org/freedesktop/DBus", Some("org.freedesktop.DBus.Monitoring"));
            let outcome = connection.call_method(to.0, to.1, to.2, "BecomeMonitor", &rules).await;
            assert!(outcome.is_err(), "{outcome:?}");
        })
    };
    let asked = [
        calls(nobody, &[names::BUS_NAME, names::BROADCAST_NAME], false),
        calls(spectator, &[names::BUS_NAME], true),
        calls(arbiter, &[], true),
    ];
    // This thread has nothing to do meanwhile: touchmoved is a process of its own.
    asked.into_iter().for_each(|thread| thread.join().unwrap());
}
