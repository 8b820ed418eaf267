//! The D-Bus interface as clients see it: bytes on a pseudo-terminal in, signals on a private bus out.

mod bus;
mod ctl;

use crate::harness::hall::{Hall, client, made, seen};
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, installed, until};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use touchmove::game::event::Rotation;
use touchmove::game::{Command as GameCommand, Event, StampedEvent};
use touchmove::locale::Locale;
use touchmove::names;
use touchmove::publish::client::{Client, ClientError, GameInfo, WatchedEvent};
use touchmove::publish::dbus::Stream;
use zbus::{Connection, Proxy};

async fn arbiter<'a>(connection: &'a Connection, game: u64) -> Proxy<'a> {
    Proxy::new(connection, names::BUS_NAME, names::game_path(game), names::ARBITER_INTERFACE).await.unwrap()
}

async fn operator<'a>(connection: &'a Connection, game: u64) -> Proxy<'a> {
    Proxy::new(connection, names::BUS_NAME, names::game_path(game), names::OPERATOR_INTERFACE).await.unwrap()
}

async fn introspect(connection: &Connection, name: &'static str, path: &str) -> String {
    let proxy = Proxy::new(connection, name, path, "org.freedesktop.DBus.Introspectable").await.unwrap();
    proxy.call("Introspect", &()).await.unwrap()
}

/// A running program whose output lines a test waits for.
pub struct Lines {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Lines {
    /// Starts the program.
    pub fn of(program: &str, args: &[&str]) -> Lines {
        let mut child = Command::new(program).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = mpsc::channel();
        let (output, errors, send_errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap(), send.clone());
        std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let errors = BufReader::new(errors).lines().map_while(Result::ok);
        std::thread::spawn(move || errors.into_iter().try_for_each(|line| send_errors.send(line)));
        Lines { child, lines }
    }

    /// The next line, if it is printed within this time.
    pub fn next(&self, timeout: Duration) -> Option<String> {
        self.lines.recv_timeout(timeout).ok()
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str, is_expected: impl Fn(&str) -> bool) {
        loop {
            let line = self.next(PATIENCE).unwrap_or_else(|| panic!("waited in vain for {what}"));
            if is_expected(&line) {
                return;
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn bytes_become_signals_for_all_clients() {
    let Some(mut hall) = Hall::open().await else { return };

    // Clients of other projects.
    let address = hall.bus.address();
    let gdbus = installed("gdbus").then(|| {
        let lines = Lines::of("gdbus", &["monitor", "--address", &address, "--dest", names::BUS_NAME]);
        lines.wait_for("gdbus to listen", |line| line.contains("is owned by"));
        lines
    });
    let busctl = installed("busctl").then(|| {
        let address = format!("--address={address}");
        let lines = Lines::of("busctl", &[&address, "--json=short", "monitor", names::BUS_NAME]);
        lines.wait_for("busctl to listen", |line| line.contains("Monitoring"));
        lines
    });

    let first = hall.play("e2", "e4", "e4").await;
    assert_eq!(first.game, Some(hall.game));
    assert_eq!(first.fields["uci"], "e2e4");
    assert_eq!(first.fields["ply"], 1);
    assert_eq!(first.fields["fen"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    hall.play("e7", "e5", "e5").await;
    let third = hall.play("g1", "f3", "Nf3").await;

    let is_serial = |number: &str| number == "23946";
    if !hall.client.snapshot().await.unwrap().boards.iter().any(|board| is_serial(&board.serial_number)) {
        let is_reported =
            |event: &WatchedEvent| event.fields.get("SerialNumber").and_then(|value| value.as_str()).is_some_and(is_serial);
        seen(&mut hall.watch, "the serial number", is_reported).await;
    }

    if let Some(gdbus) = gdbus {
        gdbus.wait_for("gdbus to show Nf3", |line| line.contains("org.touchmove1.Game.MoveMade") && line.contains("'Nf3'"));
    }
    if let Some(busctl) = busctl {
        busctl.wait_for("busctl to show Nf3", |line| line.contains("\"MoveMade\"") && line.contains("\"Nf3\""));
    }

    let snapshot = hall.client.snapshot().await.unwrap();
    let board = &snapshot.boards[0];
    assert_eq!((board.model.as_str(), board.state.as_str(), board.game), ("dgt", "ready", Some(hall.game)));
    assert_eq!(board.placement.len(), 64);
    let sans: Vec<&str> = snapshot.games[0].moves.iter().map(|ply| ply.san.as_str()).collect();
    assert_eq!(sans, ["e4", "e5", "Nf3"]);
    assert!(hall.client.pgn(hall.game).await.unwrap().contains("1. e4"));

    let history = hall.client.events(hall.game).await.unwrap();
    let numbers: Vec<u64> = history.iter().filter_map(|event| event.number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "numbers have no gap");
    assert_eq!(history[0].event, "GameStarted");
    let stored = history.iter().find(|event| event.number == third.number).unwrap();
    assert_eq!(*stored, third, "Since returns the event of the signal");

    let (incarnation, last) = (&snapshot.games[0].incarnation, third.number.unwrap());
    assert_eq!((incarnation.len(), incarnation), (36, &snapshot.incarnation));
    assert!(hall.client.events_since(hall.game, last, incarnation).await.is_ok());
    // A number of another incarnation is refused.
    for (number, other) in [(last, ""), (last, "another"), (0, "another")] {
        let refused = hall.client.events_since(hall.game, number, other).await;
        assert!(matches!(refused, Err(ClientError::OtherIncarnation(_))), "{number} {other:?}: {refused:?}");
    }
}

#[tokio::test]
async fn an_unplugged_board_reconnects_with_the_moves_played_meanwhile() {
    let Some(Hall { client, mut watch, game, daemon: _daemon, mut board, state: _state, bus: _bus }) = Hall::open().await
    else {
        return;
    };
    board.play("e2", "e4");
    let number = made(&mut watch, "e4").await.number;
    // Property changes are sent after that, and those of boards before those of games: now all clients know that the board is
    // ready.
    let is_current = |event: &WatchedEvent| event.fields.get("LastNumber").is_some_and(|last| last.as_u64() >= number);
    seen(&mut watch, "properties after e4", is_current).await;

    board.unplug();
    let state_is = |event: &WatchedEvent, word: &str| event.fields.get("State").is_some_and(|state| state == word);
    let unplugged = seen(&mut watch, "unplugged", |event| state_is(event, "unplugged")).await;
    assert_eq!(unplugged.board.as_deref(), Some(client.snapshot().await.unwrap().boards[0].id.as_str()));
    board.put_unseen("c7", '.');
    board.put_unseen("c5", 'p');
    board.plug();
    let (mut ready, mut made) = (false, false);
    seen(&mut watch, "the board to be ready, and c5, in any order", |event| {
        ready |= state_is(event, "ready");
        made |= event.event == "MoveMade" && event.fields["san"] == "c5";
        ready && made
    })
    .await;
    assert_eq!(client.snapshot().await.unwrap().games.last().unwrap().id, game, "it is the same game");
}

#[tokio::test]
async fn a_restarted_daemon_continues_the_game() {
    let Some(Hall { client, mut watch, game, daemon, board, state, bus }) = Hall::after_e4().await else { return };
    let before = client.snapshot().await.unwrap().games;
    daemon.kill();

    let _daemon = Daemon::serving(&bus, state.path(), &board.path());
    let after = client.snapshot().await.unwrap().games;
    // The states of the moves may have changed meanwhile.
    let moves = |games: &[GameInfo]| games[0].moves.iter().map(|ply| (ply.uci.clone(), ply.time)).collect::<Vec<_>>();
    assert_eq!(moves(&after), moves(&before));
    board.play("e7", "e5");
    assert_eq!(made(&mut watch, "e5").await.game, Some(game));
}

/// The state directory is emptied while touchmoved is down, so that numbers start again and no event of the old journal is
/// left.
#[tokio::test]
async fn a_number_of_an_old_journal_is_refused() {
    let Some(mut hall) = Hall::open().await else { return };
    let monitor = Lines::of(env!("CARGO_BIN_EXE_touchmovectl"), &["monitor", "--bus", &hall.bus.address()]);
    monitor.wait_for("the monitor to listen", |line| line.contains("game 1, no move yet"));
    hall.play("e2", "e4", "e4").await;
    monitor.wait_for("the monitor to show e4", |line| line.ends_with("  dgt_board  1.e4"));
    let known = hall.client.snapshot().await.unwrap().games.remove(0);
    let Hall { client, game: id, daemon, board, state, bus, .. } = hall;
    assert!(daemon.terminate().success());
    for entry in std::fs::read_dir(state.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::remove_file(path).unwrap();
        }
    }
    board.put_unseen("e4", '.');
    board.put_unseen("e2", 'P');

    let _daemon = Daemon::serving(&bus, state.path(), &board.path());
    monitor.wait_for("the message about the journal", |line| line.contains("the journal was replaced or has lost events"));
    monitor.wait_for("the other game", |line| line.ends_with("  dgt_board  game 1 begins"));
    let other = client.snapshot().await.unwrap().games.remove(0);
    assert_eq!((known.id, other.id), (id, id));
    assert_ne!(other.incarnation, known.incarnation);
    let refused = client.events_since(id, known.last_number, &known.incarnation).await;
    assert!(matches!(refused, Err(ClientError::OtherIncarnation(_))), "{refused:?}");
}

#[tokio::test]
async fn spectators_see_results_but_no_commands() {
    let Some(mut hall) = Hall::open().await else { return };
    let broadcast = client(&hall.bus, Stream::Broadcast).await;
    let mut spectators = broadcast.watch().await.unwrap();
    hall.play("e2", "e4", "e4").await;
    made(&mut spectators, "e4").await;

    let connection = hall.bus.connect().await;
    let (commands, corrections) = (arbiter(&connection, hall.game).await, operator(&connection, hall.game).await);
    let fails = async |method: &'static str, body: &str, error: &str, expected: &str| {
        let outcome: zbus::Result<()> = match body.parse::<u32>() {
            Ok(number) => commands.call(method, &number).await,
            Err(_) if method == "SetResult" => corrections.call(method, &body).await,
            Err(_) => commands.call(method, &body).await,
        };
        let Err(zbus::Error::MethodError(name, Some(sentence), _)) = outcome else { panic!("{method}: {outcome:?}") };
        assert_eq!(name.as_str(), format!("{}.{error}", names::ERROR_PREFIX));
        assert!(sentence.contains(expected), "{sentence}");
    };
    fails("SetResult", "2-0", "BadResult", "use 1-0, 0-1, 1/2-1/2, or *").await;
    fails("SetPosition", "nonsense", "BadPosition", "give a FEN such as").await;
    fails("TakeBack", "7", "TooManyPlies", "take back at most that many").await;

    fails("Adjust", "both", "BadPlayer", "use white or black").await;
    let refused = corrections.call::<_, _, ()>("SetPromotion", &(0u32, "king")).await.unwrap_err().to_string();
    assert!(refused.contains("use queen, rook, bishop or knight"), "{refused}");
    let faults: Vec<(String, String, String)> = corrections.get_property("Faults").await.unwrap();
    assert_eq!(faults, []);

    corrections.call::<_, _, ()>("SetResult", &"1/2-1/2").await.unwrap();
    let commanded = seen(&mut hall.watch, "Commanded", |event| event.event == "Commanded").await;
    assert_eq!(commanded.fields["argument"], "1/2-1/2");
    assert!(commanded.fields["by"].as_str().unwrap().starts_with("user "), "{commanded:?}");
    let result_event = seen(&mut spectators, "the result", |event| event.event == "ResultChanged").await;
    assert_eq!(result_event.fields["result"], "1/2-1/2");

    let history = broadcast.events(hall.game).await.unwrap();
    assert!(history.iter().all(|event| !event.event.starts_with("Alert") && event.event != "Commanded"), "{history:?}");
    let numbers: Vec<u64> = history.iter().filter_map(|event| event.number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "numbers have no gap where events are omitted");
    assert_eq!(result_event.number, numbers.last().copied());
    let snapshot = broadcast.snapshot().await.unwrap();
    assert_eq!((snapshot.boards.len(), snapshot.games[0].last_number), (0, numbers.len() as u64));
}

/// Each error that the description of a method names is one that touchmoved can return.
#[test]
fn documented_errors_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    // As the code of an error, as a refusal of a command, as an error of the interfaces.
    let is_declared = |name: &str| {
        let forms = [format!("(\"{name}\")"), format!("= \"{name}\","), format!("\n    {name},\n")];
        sources.iter().any(|source| forms.iter().any(|form| source.contains(form)))
    };
    let mut count = 0;
    for file in std::fs::read_dir(root.join("config/generated/dbus")).unwrap() {
        let xml = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for errors in xml.lines().filter_map(|line| line.trim().strip_prefix("Errors: ")) {
            let names = errors.split([' ', ',', '.', '(', ')']).filter(|word| word.chars().skip(1).any(char::is_uppercase));
            for name in names {
                assert!(is_declared(name), "{name} in: {errors}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// The committed XML of each interface is the introspection data of the service, except for the annotations for Qt. `UPDATE=1`
/// writes the files.
#[tokio::test]
async fn the_committed_interfaces_match_the_introspection() {
    let Some(hall) = Hall::open().await else { return };
    hall.spectator().await;
    let game = names::game_path(hall.game);
    hall.board.clock(180, 180, true);
    let board_path = until("the clock", async || {
        let board = hall.client.snapshot().await.unwrap().boards.into_iter().find(|board| board.clock.is_some())?;
        Some(names::board_path(&board.id))
    })
    .await;

    let connection = hall.bus.connect().await;
    let interface = async |name: &'static str, path: &str, interface: &str| {
        let xml = introspect(&connection, name, path).await;
        let begin =
            xml.find(&format!("  <interface name=\"{interface}\">")).unwrap_or_else(|| panic!("{interface} is not at {path}"));
        let end = xml[begin..].find("  </interface>\n").unwrap() + "  </interface>\n".len();
        xml[begin..begin + end].to_owned()
    };
    let mut wrong = Vec::new();
    for (path, name) in [
        (names::ROOT_PATH, names::MANAGER_INTERFACE),
        (names::ROOT_PATH, names::ADMINISTRATOR_INTERFACE),
        (names::GAMES_PATH, names::LIST_INTERFACE),
        (&board_path, names::BOARD_INTERFACE),
        (&board_path, names::CLOCK_INTERFACE),
        (&game, names::GAME_INTERFACE),
        (&game, names::OPERATOR_INTERFACE),
        (&game, names::ARBITER_INTERFACE),
    ] {
        let real = interface(names::BUS_NAME, path, name).await;
        // The part of the file before the interface is written by hand.
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("config/generated/dbus/{name}.xml"));
        let committed = std::fs::read_to_string(&file).unwrap();
        let begin = committed.find("  <interface ").unwrap();
        let expected = format!("{}{}</node>\n", &committed[..begin], crate::front_ends::bindings::annotated(&real));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &expected).unwrap();
        } else if committed != expected {
            wrong.push(file);
        }
    }
    assert!(wrong.is_empty(), "different from the introspection data (UPDATE=1 updates them): {wrong:?}");

    let public = interface(names::BROADCAST_NAME, &game, names::GAME_INTERFACE).await;
    assert_eq!(public, interface(names::BUS_NAME, &game, names::GAME_INTERFACE).await);
    let all = introspect(&connection, names::BROADCAST_NAME, &game).await;
    assert!(!all.contains(names::ARBITER_INTERFACE), "spectators see no arbiter's interface");
    let root = introspect(&connection, names::BROADCAST_NAME, names::ROOT_PATH).await;
    assert!(root.contains("\"game\"") && !root.contains("\"board\""), "spectators see no boards: {root}");
}

pub(super) fn touchmovectl(bus: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_touchmovectl")).args(args).args(["--bus", bus]).env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

type ClaimReply = (bool, String, Vec<u32>, u32, Vec<String>, Vec<String>);

#[tokio::test]
async fn the_arbiter_restores_a_position_evaluates_a_claim_and_undoes() {
    let Some(mut hall) = Hall::after_e4().await else { return };
    hall.play("e7", "e5", "e5").await;
    let connection = hall.bus.connect().await;
    let (commands, corrections) = (arbiter(&connection, hall.game).await, operator(&connection, hall.game).await);
    let (is_correct, sentence, occurrences, quiet, required, articles): ClaimReply =
        commands.call("Claim", &("white", "repetition", "g1f3")).await.unwrap();
    assert_eq!(
        (is_correct, sentence.as_str(), occurrences, quiet),
        (false, "the claim is incorrect: the position occurs once", vec![3], 1)
    );
    assert_eq!((required, articles), (words(&["play_intended", "add 120"]), words(&["9.5.3", "9.2.1"])));

    let allowed: Vec<String> = commands.call("Restore", &2u32).await.unwrap();
    assert_eq!(allowed, [""; 0], "the move was legal");
    let corrected = seen(&mut hall.watch, "the correction", |event| event.event == "MovesCorrected").await;
    assert_eq!((&corrected.fields["from_ply"], &corrected.fields["reason"]), (&2.into(), &"arbiter".into()));
    let differing_squares = async || {
        let snapshot = hall.client.snapshot().await.unwrap();
        snapshot.boards[0].displaced.iter().map(|(square, ..)| square.clone()).collect::<Vec<_>>()
    };
    until("the squares that differ", async || (differing_squares().await == ["e5", "e7"]).then_some(())).await;

    let undone: (String, String) = commands.call("Undo", &()).await.unwrap();
    assert_eq!(undone, ("restore".to_owned(), "2".to_owned()));
    until("the board to agree", async || differing_squares().await.is_empty().then_some(())).await;
    hall.play("g1", "f3", "Nf3").await;

    let address = hall.bus.address();
    let arbiter_command = |args: &[&str]| touchmovectl(&address, &[&["arbiter"], args].concat());
    let accepted = |args: &[&str], expected: &str| {
        assert_eq!(arbiter_command(args), (Some(0), format!("game 1 on dgt_board: {expected}\n"), String::new()), "{args:?}");
    };
    let refused = |args: &[&str], code: i32, expected: &str| {
        let (actual, output, errors) = arbiter_command(args);
        assert_eq!((actual, output.as_str()), (Some(code), ""), "{args:?}: {errors}");
        assert!(errors.contains(expected), "{args:?}: {errors}");
    };
    accepted(&["count", "black", "two_hands"], "two_hands was counted for Black after 2.Nf3 (White's move 2)");
    let counted: Vec<(String, u32, Vec<String>, i64)> = commands.get_property("Irregularities").await.unwrap();
    assert_eq!((counted.len(), counted[0].0.as_str(), counted[0].1), (1, "black", 3));
    assert_eq!(counted[0].2, ["two_hands"]);
    accepted(&["strike", "black", "3"], "Black's last irregularity counted after 2.Nf3 (White's move 2) was removed");
    accepted(&["undo"], "undone: strike black at White's move 2");
    accepted(&["note-clocks", "1:23:45", "7:10", "two minutes"], "the times were recorded");
    accepted(&["pause"], "paused");
    let paused = async || commands.get_property::<bool>("Paused").await.unwrap().then_some(());
    until("the property to be true", paused).await;
    accepted(&["resume"], "resumed");
    let replaced =
        "Black's move 1 is now e6; it was e5\nthe position is rnbqkbnr/pppp1ppp/4p3/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    accepted(&["replace", "2", "e7e6"], replaced);
    accepted(&["undo"], "undone: replace e6 at Black's move 1");
    let restore = r#"{"do":"restore","ply":2}"#;
    let preview = hall.client.preview(hall.game, &GameCommand::Restore { ply: 2 }, Locale::English).await.unwrap();
    assert_eq!(preview.lines[0], "removes 2 moves (both players'), from Black's move 1 on, 1...e5");
    assert_eq!((preview.action.as_str(), preview.removed.as_str()), ("Remove 2 moves", "1...e5 2.Nf3"));
    assert!(preview.removes && preview.asks && preview.plies_since_alert == 0, "{preview:?}");
    accepted(&["count", "black", "two_hands"], "two_hands was counted for Black after 2.Nf3 (White's move 2)");
    let stale = corrections.call::<_, _, String>("Execute", &(restore, preview.number)).await.unwrap_err().to_string();
    assert!(stale.contains("org.touchmove1.Error.Changed") && stale.contains("count an irregularity"), "{stale}");
    let wrong = corrections.call::<_, _, String>("Execute", &("{}", 0u64)).await.unwrap_err().to_string();
    assert!(wrong.contains("org.touchmove1.Error.BadCommand"), "{wrong}");
    let answer: String = corrections.call("Execute", &(r#"{"do":"undo"}"#, 0u64)).await.unwrap();
    assert_eq!(answer, r#"{"undone":{"do":"count","player":"black","what":"two_hands"}}"#);
    let claim = "the claim is incorrect: 99 of the 100 moves of both players are missing\nthe position occurred after 2.Nf3\n\
                 moves of both players without a capture or a pawn move: 1\n\
                 the Laws require: add 120 (9.5.3)";
    accepted(&["claim", "black", "fifty_moves"], claim);
    refused(&["undo", "--broadcast"], 1, "leave --broadcast out");
    refused(&["acknowledge", "7"], 1, "alert 7 is not in force");
    refused(&["let-stand", "7"], 1, "alert 7 is not in force");
    refused(&["restore", "9"], 1, "there is no ply 9: the last move is 2.Nf3");
    refused(&["insert", "9", "e2e4"], 1, "there is no ply 9");
    refused(&["replace", "1", "e2e5"], 1, "\"e2e5\" is not legal as White's move 1: the legal moves are Na3");
    refused(&["count", "black", "sneezing"], 2, "write one of illegal_move");
    refused(&["strike", "white", "3"], 1, "no irregularity of White is counted at White's move 2");
    refused(&["note-clocks", "1:2:3:4", "7:10"], 2, "write hours:minutes:seconds");
    refused(&["note-clocks", "99999999:00:00", "7:10"], 2, "write hours:minutes:seconds");
}

#[tokio::test]
async fn the_flags_and_the_battery_of_a_clock_are_published() {
    let Some(mut hall) = Hall::open().await else { return };
    // The flag of Black's half, on the right, has fallen; the battery is low.
    hall.board.send(&[0x8d, 0, 10, 0x10, 0, 0, 0, 0x03, 0, 0x14]);
    let is_clock_event =
        |event: &WatchedEvent| event.fields.get("interface").is_some_and(|name| name == names::CLOCK_INTERFACE);
    let fields = seen(&mut hall.watch, "the clock", is_clock_event).await.fields;
    assert_eq!(
        (&fields["WhiteFlag"], &fields["BlackFlag"], &fields["BatteryLow"]),
        (&false.into(), &true.into(), &true.into())
    );
    let clock = hall.client.snapshot().await.unwrap().boards[0].clock.clone().unwrap();
    assert_eq!((clock.white_flag, clock.black_flag, clock.battery_low), (false, true, true), "{clock:?}");
    let (_, shown, _) = touchmovectl(&hall.bus.address(), &["board"]);
    assert!(shown.contains("the clock shows that Black's flag has fallen\nthe clock's battery is low"), "{shown}");
}

/// Waits until the board has a clock, or has none.
async fn wait_for_clock(client: &Client, present: bool) {
    let clocks = async || client.snapshot().await.unwrap().boards.iter().any(|board| board.clock.is_some());
    until(if present { "a clock" } else { "no clock" }, async || (clocks().await == present).then_some(())).await;
}

#[tokio::test]
async fn a_clock_is_an_object_only_while_it_is_plugged_in() {
    let Some(Hall { client, daemon: _daemon, mut board, state: _state, bus: _bus, .. }) = Hall::open().await else { return };
    board.clock(300, 300, true);
    wait_for_clock(&client, true).await;
    // The board reports that there is no clock.
    board.send(&[0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0x20]);
    wait_for_clock(&client, false).await;
    board.clock(300, 300, true);
    wait_for_clock(&client, true).await;
    board.unplug();
    wait_for_clock(&client, false).await;
    board.plug();
    board.wait_read();
    board.clock(299, 300, true);
    wait_for_clock(&client, true).await;
}

#[tokio::test]
async fn games_no_longer_in_memory_are_read_from_the_journal() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, board) = (tempfile::tempdir().unwrap(), Board::plugged());
    let (journal, _) = touchmove::daemon::journal::Journal::open(&state.path().join("touchmove")).unwrap();
    for number in 1..=6 {
        let fen = format!("4k3/8/8/8/8/8/8/4K3 w - - 0 {number}");
        let event = Event::GameStarted { fen, chess960: None, laws: "fide-2023".to_owned(), rotation: Rotation::Upright };
        let started = StampedEvent { at: 1, number: Some(1), event };
        journal.append("dgt_board", 1_000_000 * number, vec![started]).await.unwrap();
    }
    drop(journal);
    let dir = state.path().join("touchmove");
    let address = bus.address();
    let pgn = |args: &[&str], home: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_touchmovectl"))
            .args(["pgn", "--bus", &address])
            .args(args)
            .env("XDG_STATE_HOME", home)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let fens = |text: &str| text.matches("[FEN ").count();

    // Without touchmoved.
    let stored = ["--state-dir", dir.to_str().unwrap()];
    let (code, text, _) = pgn(&[&stored[..], &["--all"]].concat(), state.path());
    assert_eq!((code, fens(&text)), (Some(0), 6), "{text}");
    let (_, text, _) = pgn(&[&stored[..], &["--game", "2"]].concat(), state.path());
    assert!(text.contains("[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 2\"]") && text.contains("[Board \"dgt_board\"]"), "{text}");
    let (code, _, errors) = pgn(&[&stored[..], &["7"]].concat(), state.path());
    assert_eq!(code, Some(3));
    assert!(errors.contains("there is no game 7 in") && errors.contains("it has 1 to 6"), "{errors}");

    // With touchmoved, a seventh game begins on the board, and four games are in memory.
    let _daemon = Daemon::serving(&bus, &dir, &board.path());
    let client = client(&bus, Stream::Live).await;
    until("the seventh game", async || client.snapshot().await.unwrap().games.iter().find(|game| game.id == 7).map(drop)).await;
    if Path::new("/var/lib/touchmove").is_dir() {
        eprintln!("SKIPPED: the journal of this machine goes before the one of this test");
        return;
    }
    let (code, text, errors) = pgn(&["--all"], state.path());
    assert_eq!((code, fens(&text), errors.as_str()), (Some(0), 6, ""), "{text}");
    assert_eq!(text.matches("[Event ").count(), 7);
    let (code, text, _) = pgn(&["2"], state.path());
    assert_eq!((code, fens(&text)), (Some(0), 1), "{text}");
    // Without access to the journal, only the games in memory are printed.
    let nowhere = tempfile::tempdir().unwrap();
    let (code, text, errors) = pgn(&["--all"], nowhere.path());
    assert_eq!((code, text.matches("[Event ").count()), (Some(0), 4), "{text}");
    assert!(errors.contains("only the games in memory"), "{errors}");
    let (code, _, errors) = pgn(&["2"], nowhere.path());
    assert_eq!(code, Some(3));
    assert!(errors.contains("there is no game 2"), "{errors}");
}

#[tokio::test]
async fn the_bytes_of_a_board_are_recorded() {
    let Some(Hall { daemon, board: _board, state, bus: _bus, .. }) = Hall::after_e4().await else { return };
    assert!(daemon.terminate().success());
    let files: Vec<_> = std::fs::read_dir(state.path().join("recordings")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    let recording = touchmove::link::recording::read(&files[0]).unwrap();
    assert_eq!(recording.header.board, "dgt");
    let received: Vec<u8> = recording
        .lines
        .iter()
        .filter_map(
            |line| if let touchmove::link::recording::Entry::Rx(bytes) = &line.entry { Some(bytes.clone()) } else { None },
        )
        .flatten()
        .collect();
    let e4 = [0x8e, 0, 5, 0x34, 0, 0x8e, 0, 5, 0x24, 1];
    assert!(received.windows(e4.len()).any(|bytes| bytes == e4), "{received:x?}");
}
