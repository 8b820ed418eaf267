//! What a person reads when something is wrong, where no other test has read it: programs as they are run.

use crate::hall::client;
use crate::harness::{Board, Daemon, PrivateBus, Pty, eventually, until};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use touchmove::boards::{Connection, ControlLines, SerialSettings};
use touchmove::link::Port;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;

const CTL: &str = env!("CARGO_BIN_EXE_touchmovectl");
const DAEMON: &str = env!("CARGO_BIN_EXE_touchmoved");

/// Runs a program that fails, and checks what it says on standard error.
#[track_caller]
fn check(program: &str, args: &[&str], says: &str) {
    ends(program, args, 1, says);
}

/// The same with this exit code.
#[track_caller]
fn ends(program: &str, args: &[&str], code: i32, says: &str) {
    let output = Command::new(program).args(args).env("NO_COLOR", "1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(says), "{args:?} says\n{said}\nand not\n{says}");
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
}

const HEADER: &str = r#"{"touchmove_recording":1,"board":"dgt"}"#;

/// A recording with this text, and what replay says of it after the file's name.
#[track_caller]
fn check_recording(text: &str, says: &str) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("game.rec");
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    check(CTL, &["replay", file], &format!("touchmovectl: {file}{says}"));
}

#[test]
fn recordings_that_cannot_be_read_say_where_and_what_to_write() {
    let line = |line: &str| format!("{HEADER}\n{line}\n");
    check_recording(
        "",
        ":1: the file is empty: the first line is the header, e.g. {\"touchmove_recording\":1,\"board\":\"dgt\"}",
    );
    check_recording("hello\n", ":1: not a recording's header: ");
    check_recording(
        "{\"touchmove_recording\":9,\"board\":\"dgt\"}\n",
        ":1: \"touchmove_recording\" is 9, and this program reads format 1: replay it with the program that wrote it",
    );
    check_recording("{\"touchmove_recording\":1,\"board\":\"abacus\"}\n", ":1: no board is called \"abacus\": write dgt");
    check_recording(
        "{\"touchmove_recording\":1,\"board\":\"dgt\",\"start_fen\":\"nonsense\"}\n",
        ":1: \"start_fen\" is \"nonsense\": ",
    );
    check_recording(
        "{\"touchmove_recording\":1,\"board\":\"dgt\",\"core\":{\"settle_ms\":1}}\n",
        ":1: not the settings of a table: `settle_ms` is 1, and should be 20 to 5000",
    );
    check_recording(
        &line("{\"t\":0,\"rx\":\"8e0\"}"),
        ":2: \"rx\" is \"8e0\": write bytes as pairs of hex digits, e.g. \"8e003400\"",
    );
    check_recording(&line("{\"t\":0,\"link\":\"loose\"}"), ":2: \"link\" is \"loose\": write \"up\" or \"down\"");
    check_recording(
        &line("{\"t\":5,\"note\":\"a\"}\n{\"t\":4,\"note\":\"b\"}"),
        ":3: \"t\" is 4 after 5: times never decrease",
    );
    check_recording(
        &line("{\"t\":0}"),
        ":2: a line says exactly one thing, and this one says 0; write {\"t\":MILLISECONDS, and one of \"rx\":\"HEX\"",
    );
    check_recording(&line("{\"t\":0,\"xr\":\"42\"}"), ":2: not a line of a recording: unknown field `xr`");
    check_recording(&line("{\"t\":0,\"command\":{\"do\":\"dance\"}}"), ": the command at 0 ms: not a command: ");
    check(CTL, &["replay", "/nowhere/game.rec"], "touchmovectl: /nowhere/game.rec: No such file or directory");
}

#[test]
fn games_and_hands_that_are_not_there_are_named() {
    let pgn = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ctl/demo/opera.pgn");
    let dir = tempfile::tempdir().unwrap();
    let empty = dir.path().join("empty.pgn");
    fs::write(&empty, "").unwrap();
    let empty = empty.to_str().unwrap();
    check(CTL, &["simulate", "/nowhere.pgn", "-o", "/dev/null"], "/nowhere.pgn cannot be read: No such file");
    check(CTL, &["simulate", empty, "-o", "/dev/null"], &format!("{empty} has no game with moves"));
    check(CTL, &["simulate", pgn, "--game", "7", "-o", "/dev/null"], "has no game 7 with moves: its games are numbered from 1");
    check(
        CTL,
        &["simulate", pgn, "--hands", "six", "-o", "/dev/null"],
        "there are no hands \"six\": write one of clean, club, blitz, worn",
    );
    check(CTL, &["simulate", pgn, "--board", "go", "-o", "/dev/null"], "there is no virtual board \"go\": write one of dgt");
    check(CTL, &["simulate", pgn, "-o", "/nowhere/game.rec"], "/nowhere/game.rec cannot be written: No such file");
    check(CTL, &["score", empty], "there is no game with moves in these files");
}

/// touchmoved with this state directory, on no bus and no board.
fn args(state: &Path) -> Vec<&str> {
    vec!["--bus", "unix:path=/nowhere/bus", "--state-dir", state.to_str().unwrap(), "--port", "/dev/ttyNONE7"]
}

#[test]
fn touchmoved_says_what_is_wrong_with_its_arguments() {
    let says = "touchmoved: /nowhere.toml does not exist: give the file that is meant";
    ends(DAEMON, &["--config", "/nowhere.toml"], 78, says);
}

#[test]
fn touchmoved_does_not_touch_a_newer_journal() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().join("journal.sqlite3");
    rusqlite::Connection::open(&path).and_then(|newer| newer.pragma_update(None, "user_version", 99)).unwrap();
    check(DAEMON, &args(state.path()), "has schema 99, and this touchmove knows schemas up to");
}

#[test]
fn touchmoved_sets_a_damaged_journal_aside_and_goes_on() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().join("journal.sqlite3");
    fs::write(&path, "this was a journal once".repeat(100)).unwrap();
    let daemon = Daemon::start(&args(state.path()));
    daemon.ready();
    eventually("the notice", || daemon.log().contains("journal-damaged").then_some(()));
    let aside = |name: &str| name.starts_with("journal-damaged");
    assert!(fs::read_dir(state.path()).unwrap().any(|entry| aside(&entry.unwrap().file_name().to_string_lossy())));
}

#[test]
fn a_second_touchmoved_on_the_same_state_is_told_who_has_it() {
    let state = tempfile::tempdir().unwrap();
    let first = Daemon::start(&args(state.path()));
    first.ready();
    check(DAEMON, &args(state.path()), &format!("is in use by another touchmoved (process {})", first.pid()));
}

/// Why the one board is in this state, once it is.
async fn reason(client: &Client, state: &str) -> String {
    let board = async || client.snapshot().await.unwrap().boards.into_iter().find(|board| board.state == state);
    until(state, board).await.state_reason
}

#[tokio::test]
async fn a_board_says_why_it_is_not_ready() {
    let Some(bus) = PrivateBus::start() else { return };
    let client = client(&bus, Stream::Live).await;
    let state = tempfile::tempdir().unwrap();

    // A port on which nothing answers.
    let mute = Pty::open();
    let daemon = Daemon::serving(&bus, state.path(), &mute.path());
    let silent = reason(&client, "silent").await;
    let seconds = silent.strip_prefix("the board has said nothing for ").and_then(|rest| rest.split_once(" s: "));
    let (seconds, advice) = seconds.unwrap_or_else(|| panic!("{silent}"));
    assert!(seconds.parse::<u32>().unwrap() >= 5 && advice == "check its power, then its cable", "{silent}");
    drop(daemon);

    // A board of another model: its lines are not what is awaited.
    let sentio = Pty::open();
    let daemon = Daemon::on(&bus, state.path(), &sentio.path(), &["--board", "certabo"]);
    daemon.ready();
    let advice = async || {
        sentio.master().write_all(b":255 255 0 0 0 0 255 255 \r\n").unwrap();
        let boards = client.snapshot().await.unwrap().boards;
        boards.into_iter().map(|board| board.state_reason).find(|reason| reason.contains("model"))
    };
    let advice = until("the advice to set another model", advice).await;
    assert!(advice.contains("8 numbers") && advice.contains("model = \"sentio\""), "{advice}");
    drop(daemon);

    // A cable that is pulled, then no port at all.
    let mut board = Board::plugged();
    let path = board.path();
    let daemon = Daemon::serving(&bus, state.path(), &path);
    assert_eq!(reason(&client, "ready").await, "");
    board.unplug();
    let pulled = reason(&client, "unplugged").await;
    let gone =
        format!("{} does not exist: plug the board in, or see `touchmovectl doctor` for the ports there are", path.display());
    assert!(pulled == "the port is gone: plug the board in again" || pulled == gone, "{pulled}");
    drop(daemon);

    // A port that another program has.
    let pty = Pty::open();
    let taken = Port::open(
        &pty.path(),
        Connection::Serial(SerialSettings { baud: 9600, control: ControlLines::Asserted }),
        ControlLines::Asserted,
    )
    .await
    .unwrap();
    let daemon = Daemon::serving(&bus, state.path(), &pty.path());
    let busy = reason(&client, "refused").await;
    assert!(busy.starts_with(&format!("{} is in use by another program; close it", pty.path().display())), "{busy}");
    drop((daemon, taken));
}

/// A program of this name that holds a port.
struct Holder(Child, #[allow(dead_code, reason = "kept as long as the program runs")] tempfile::TempDir);

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn holder(name: &str, port: std::path::PathBuf) -> Holder {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join(name);
    fs::copy("/bin/sleep", &program).unwrap();
    let slave = fs::OpenOptions::new().read(true).write(true).open(port).unwrap();
    let child = Command::new(&program).arg("600").stdin(slave).stdout(Stdio::null()).spawn().unwrap();
    let holder = Holder(child, dir);
    let comm = format!("/proc/{}/comm", holder.0.id());
    eventually("the program has its name", || (fs::read_to_string(&comm).ok()?.trim_end() == name).then_some(()));
    holder
}

#[test]
fn a_port_that_modem_manager_has() {
    let pty = Pty::open();
    let _holder = holder("ModemManager", pty.path());
    let output = Command::new(CTL).args(["doctor", "--port", pty.path().to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let advice =
        "it takes boards for modems: run `sudo systemctl stop ModemManager`, or mark the port with ID_MM_DEVICE_IGNORE";
    assert!(said.contains("is in use by ModemManager (pid ") && said.contains(advice), "{said}");
    assert_eq!(output.status.code(), Some(1));
}
