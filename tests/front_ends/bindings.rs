//! Tests our interfaces with other implementations of D-Bus: GDBus, Qt and systemd's busctl.

use crate::harness::hall::{Hall, game};
use crate::harness::organiser::Organiser as _;
use crate::harness::{Board, Daemon, PrivateBus, installed, until};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::{Hub, Source};
use touchmove::game::{Event, StampedEvent};
use touchmove::names;
use touchmove::publish::dbus::{self, Bus, NameState, Stream};
use zbus::fdo::ObjectManagerProxy;

/// The types that Qt does not know by itself: the signature, and the C++ type that qdbusxml2cpp writes for it. The client must
/// declare all of them except the first.
const QT_TYPES: [(&str, &str); 15] = [
    ("a{sv}", "QVariantMap"),
    ("a{ss}", "TouchmoveTags"),
    ("a(ss)", "TouchmovePairs"),
    ("a(sss)", "TouchmoveTriples"),
    ("(iuu)", "TouchmoveClockTime"),
    ("a(sd)", "TouchmoveAlternatives"),
    ("a(sssa{sv})", "TouchmoveCorrectedMoves"),
    ("a(sssxiida{sv})", "TouchmoveMoves"),
    ("a(txsa{sv})", "TouchmoveEvents"),
    ("a(ususasasssa{sv})", "TouchmoveAlerts"),
    ("a(suasx)", "TouchmoveIrregularities"),
    ("a(qst)", "TouchmoveTables"),
    ("a(ssssss)", "TouchmoveKeys"),
    ("a(tt)", "TouchmoveNumbers"),
    ("(bsauuasas)", "TouchmoveClaim"),
];

/// The value of an attribute of this line of XML.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(&format!(" {name}=\""))?.1.split_once('"').map(|(value, _)| value)
}

/// A description with the annotations from [`QT_TYPES`]. Arguments of signals have two annotations: Qt 5 calls them Out, newer
/// versions In.
pub fn annotated(xml: &str) -> String {
    let annotation = |suffix: &str, qt_type: &str| {
        format!("      <annotation name=\"org.qtproject.QtDBus.QtTypeName{suffix}\" value=\"{qt_type}\"/>\n")
    };
    let mut text = String::new();
    let (mut pending, mut inputs, mut outputs) = (String::new(), 0, 0);
    for line in xml.lines() {
        let tag = line.trim_start();
        let qt_type = attribute(line, "type").and_then(|known| QT_TYPES.iter().find(|(signature, _)| *signature == known));
        let qt_type = qt_type.map(|(_, qt_type)| *qt_type);
        if tag.starts_with("<method ") || tag.starts_with("<signal ") {
            (inputs, outputs) = (0, 0);
        } else if tag.starts_with("<arg ") {
            let count = if attribute(line, "direction") == Some("in") { &mut inputs } else { &mut outputs };
            let directions: &[&str] = match attribute(line, "direction") {
                Some("in") => &["In"],
                Some(_) => &["Out"],
                None => &["Out", "In"],
            };
            for (direction, qt_type) in directions.iter().zip(qt_type.into_iter().cycle()) {
                pending += &annotation(&format!(".{direction}{count}"), qt_type);
            }
            *count += 1;
        } else if tag.starts_with("</method>") || tag.starts_with("</signal>") {
            text += &std::mem::take(&mut pending);
        }
        match (qt_type, line.strip_suffix("/>")) {
            (Some(qt_type), Some(open)) if tag.starts_with("<property ") => {
                text += &format!("{open}>\n{}    </property>\n", annotation("", qt_type));
                continue;
            }
            (Some(qt_type), None) if tag.starts_with("<property ") => {
                text += &format!("{line}\n{}", annotation("", qt_type));
                continue;
            }
            _ => {}
        }
        text += line;
        text.push('\n');
    }
    text
}

/// The descriptions in `config/generated/dbus`.
fn descriptions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/generated/dbus");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|extension| extension == "xml")).collect();
    files.sort();
    files
}

/// Runs a program, which must succeed; returns its standard output and standard error.
#[track_caller]
fn run(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (lossy(&output.stdout), lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {stdout}{stderr}");
    (stdout, stderr)
}

#[test]
fn qt_and_glib_generate_code_from_every_description() {
    let dir = tempfile::tempdir().unwrap();
    let (qt, glib) = (installed("qdbusxml2cpp"), installed("gdbus-codegen"));
    assert_eq!(descriptions().len(), 8);
    for file in descriptions() {
        if qt {
            let (_, errors) = run(Command::new("qdbusxml2cpp").current_dir(&dir).arg("-p").arg("proxy").arg(&file));
            assert_eq!(errors, "", "{}", file.display());
            let header = std::fs::read_to_string(dir.path().join("proxy.h")).unwrap();
            let xml = std::fs::read_to_string(&file).unwrap();
            let used = QT_TYPES.iter().filter(|(signature, _)| xml.contains(&format!("type=\"{signature}\"")));
            used.for_each(|(_, qt_type)| {
                assert!(header.contains(qt_type), "{qt_type} is not in the code of {}", file.display())
            });
        }
        if glib {
            run(Command::new("gdbus-codegen").current_dir(&dir).args(["--generate-c-code", "proxy"]).arg(&file));
        }
    }
}

/// A GLib proxy caches properties: a property whose new value is not sent must be invalidated.
#[tokio::test]
async fn gdbus_proxies_show_no_stale_values() {
    const SCRIPT: &str = r#"
import sys
from gi.repository import Gio, GLib
address, name, game = sys.argv[1:]
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
reads = Gio.DBusProxyFlags.GET_INVALIDATED_PROPERTIES
game = Gio.DBusProxy.new_sync(bus, reads, None, name, "/org/touchmove1/game/" + game, "org.touchmove1.Game", None)
games = Gio.DBusProxy.new_sync(bus, reads, None, name, "/org/touchmove1/game", "org.touchmove1.List", None)
service = Gio.DBusProxy.new_sync(bus, reads, None, name, "/org/touchmove1", "org.touchmove1.Manager", None)
def show(*_):
    tables = service.get_cached_property("Tables")
    print(len(game.get_cached_property("Moves")), game.get_cached_property("Laws").get_string(),
        len(games.get_cached_property("Objects")), tables[0][2] if tables else "-", flush=True)
for proxy in game, games, service:
    proxy.connect("g-properties-changed", show)
show()
GLib.MainLoop().run()
"#;
    let python = "/usr/bin/python3";
    let has_gi = Command::new(python).args(["-c", "from gi.repository import Gio"]).stderr(Stdio::null()).status();
    if !has_gi.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: python3-gi is not installed");
        return;
    }
    let Some(mut hall) = Hall::open().await else { return };
    let pairings = r#"{"number":1,"pairings":[{"table":1,"white":{"name":"Ada"},"black":{"name":"Bob"},"board":"dgt_board"}]}"#;
    hall.client.load_round(pairings).await.unwrap();
    let (address, number) = (hall.bus.address(), hall.game.to_string());
    let live = crate::front_ends::dbus::Lines::of(python, &["-c", SCRIPT, &address, names::BUS_NAME, &number]);
    live.wait_for("GLib to read", |line| line == "0 fide-2023 1 1");
    hall.spectator().await;
    let public = crate::front_ends::dbus::Lines::of(python, &["-c", SCRIPT, &address, names::BROADCAST_NAME, &number]);
    public.wait_for("GLib to read", |line| line == "0 fide-2023 1 -");
    hall.play("e2", "e4", "e4").await;
    live.wait_for("the move", |line| line == "1 fide-2023 1 1");
    public.wait_for("the move", |line| line == "1 fide-2023 1 -");
    let blitz = touchmove::game::Command::Laws { laws: "fide-2023 blitz limited".parse().unwrap() };
    hall.client.send_command(hall.game, &blitz).await.unwrap();
    live.wait_for("the Laws", |line| line == "1 fide-2023 blitz limited 1 1");
    hall.client.send_command(hall.game, &touchmove::game::Command::TakeBack { plies: 1 }).await.unwrap();
    live.wait_for("the takeback", |line| line.starts_with("0 "));
    public.wait_for("the takeback", |line| line.starts_with("0 "));
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_owned();
    hall.client.send_command(hall.game, &touchmove::game::Command::Position { fen }).await.unwrap();
    live.wait_for("another game", |line| line.ends_with(" 2 2"));
    public.wait_for("another game", |line| line.ends_with(" 2 -"));
}

/// The output of docs/developer.md.
#[tokio::test]
async fn busctl_draws_the_tree_without_a_warning() {
    if !installed("busctl") {
        return;
    }
    let Some(hall) = Hall::open().await else { return };
    hall.spectator().await;
    let address = format!("--address={}", hall.bus.address());
    for (name, has_boards) in [(names::BUS_NAME, true), (names::OPERATOR_NAME, true), (names::BROADCAST_NAME, false)] {
        let (tree, errors) = run(Command::new("busctl").args([address.as_str(), "--list", "tree", name]));
        assert_eq!(errors, "", "{name}");
        let board = names::board_path("dgt_board");
        let mut paths = vec!["/", "/org", names::ROOT_PATH, names::BOARDS_PATH, board.as_str(), names::GAMES_PATH];
        let game = names::game_path(hall.game);
        paths.push(&game);
        paths.retain(|path| has_boards || !path.starts_with(names::BOARDS_PATH));
        assert_eq!(tree.lines().collect::<Vec<_>>(), paths, "{name}");
    }
}

/// The size of the introspection data of each object, in bytes, in a hall of a thousand boards with a game on each.
#[tokio::test]
async fn a_description_does_not_grow_with_the_descendants_of_its_children() {
    const BOARDS: usize = 1_000;
    let Some(bus) = PrivateBus::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let model = touchmove::boards::model("dgt").unwrap();
    let handles: Vec<BoardHandle> = (1..=BOARDS)
        .map(|number| {
            let board = BoardView::new(BoardId::new(&format!("board_{number}")), model, model.sensing);
            let (handle, _) = hub.register_board(board);
            let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into();
            let (laws, rotation) = ("fide-2023".into(), touchmove::game::event::Rotation::Upright);
            let event = Event::GameStarted { fen, chess960: Some(518), laws, rotation };
            handle.publish(1_700_000_000_000, vec![StampedEvent { at: 0, number: Some(1), event }], |_| (), None);
            handle
        })
        .collect();
    until("the games", async || (hub.read(|state| state.games.len()) == BOARDS).then_some(())).await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let (name_sender, mut name_state) = tokio::sync::watch::channel(NameState::NotTried);
    let serving = tokio::spawn(dbus::run(Source::Live(hub), Stream::Live, Bus::Address(bus.address()), name_sender, stopped));
    name_state.wait_for(|state| *state == NameState::Owned).await.unwrap();
    let connection = bus.connect().await;
    let description = async |path: &str| -> String {
        let introspectable = "org.freedesktop.DBus.Introspectable";
        let proxy = zbus::Proxy::new(&connection, names::BUS_NAME, path, introspectable).await.unwrap();
        proxy.call("Introspect", &()).await.unwrap()
    };
    let board = names::board_path("board_1");
    let game = names::game_path(1);
    let mut sizes = std::collections::BTreeMap::new();
    for path in ["/", "/org", names::ROOT_PATH, names::BOARDS_PATH, names::GAMES_PATH, board.as_str(), game.as_str()] {
        let xml = description(path).await;
        println!("{BOARDS} boards: {path} is described in {} bytes", xml.len());
        sizes.insert(path.to_owned(), xml.len());
        // One element for the object itself, and one for each child.
        let children = if [names::BOARDS_PATH, names::GAMES_PATH].contains(&path) { BOARDS } else { 2 };
        assert!(xml.matches("<node").count() <= 1 + children, "{path}: {xml}");
    }
    println!("{BOARDS} boards: all together are described in {} bytes", BOARDS * (sizes[&board] + sizes[&game]));
    assert!(sizes["/"] < 2_000 && sizes["/org"] < 2_000 && sizes[names::ROOT_PATH] < 10_000, "{sizes:?}");
    assert!(sizes[names::BOARDS_PATH] < BOARDS * 50 && sizes[names::GAMES_PATH] < BOARDS * 50, "{sizes:?}");
    drop(handles);
    stop.send_replace(true);
    serving.await.unwrap();
}

#[tokio::test]
async fn every_object_that_is_listed_has_an_interface() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, board) = (tempfile::tempdir().unwrap(), Board::plugged());
    // Includes the objects that are announced when the bus name is acquired.
    let listener = bus.connect().await;
    let rule = "type='signal',interface='org.freedesktop.DBus.ObjectManager'";
    zbus::fdo::DBusProxy::new(&listener).await.unwrap().inner().call::<_, _, ()>("AddMatch", &rule).await.unwrap();
    let mut messages = zbus::MessageStream::from(&listener);
    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    let client = crate::harness::hall::client(&bus, Stream::Live).await;
    let number = game(&client).await;
    let spectators = crate::harness::hall::client(&bus, Stream::Broadcast).await;
    game(&spectators).await;
    let connection = bus.connect().await;
    for name in [names::BUS_NAME, names::BROADCAST_NAME] {
        let manager = ObjectManagerProxy::new(&connection, name, names::ROOT_PATH).await.unwrap();
        let objects = manager.get_managed_objects().await.unwrap();
        assert!(objects.keys().any(|path| path.as_str() == names::game_path(number)), "{objects:?}");
        let empty: Vec<_> = objects.iter().filter(|(_, interfaces)| interfaces.is_empty()).map(|(path, _)| path).collect();
        assert!(empty.is_empty(), "{name}: {empty:?}");
    }
    assert!(daemon.terminate().success());
    let mut added = 0;
    let collect = async {
        while let Some(Ok(message)) = futures_util::StreamExt::next(&mut messages).await {
            let body = message.body();
            let member = message.header().member().map(ToString::to_string);
            if member.as_deref() == Some("InterfacesAdded") {
                type Interfaces = std::collections::HashMap<String, std::collections::HashMap<String, zbus::OwnedVariant>>;
                let (path, interfaces): (zbus::OwnedObjectPath, Interfaces) = body.deserialize().unwrap();
                assert!(!interfaces.is_empty(), "{path} was added without an interface");
                added += 1;
            } else if member.as_deref() == Some("InterfacesRemoved") {
                let (path, removed): (zbus::OwnedObjectPath, Vec<String>) = body.deserialize().unwrap();
                assert!(removed.iter().all(|interface| interface.starts_with("org.touchmove1.")), "{path}: {removed:?}");
            }
        }
    };
    let _ = tokio::time::timeout(std::time::Duration::from_millis(500), collect).await;
    assert!(added >= 4, "{added} objects were added");
}
