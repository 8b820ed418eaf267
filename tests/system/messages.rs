//! Messages of the programs about errors that no other test covers.

use crate::harness::hall::client;
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

/// Runs a program that fails with exit code 1, and checks its standard error.
#[track_caller]
fn check(program: &str, args: &[&str], expected: &str) {
    check_exit(program, args, 1, expected);
}

/// The same with this exit code.
#[track_caller]
fn check_exit(program: &str, args: &[&str], code: i32, expected: &str) {
    let output = Command::new(program).args(args).env("NO_COLOR", "1").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains(expected), "{args:?} says\n{stderr}\nand not\n{expected}");
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

const HEADER: &str = r#"{"touchmove_recording":1,"board":"dgt"}"#;

/// Replays a recording with this text, and checks the message after the file's name.
#[track_caller]
fn check_recording(text: &str, expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("game.rec");
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    check(CTL, &["replay", file], &format!("touchmovectl: {file}{expected}"));
}

#[test]
fn errors_in_recordings_name_the_line_and_the_remedy() {
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
    check_recording("{\"touchmove_recording\":1,\"board\":\"abacus\"}\n", ":1: there is no model \"abacus\": write dgt");
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
        ":3: \"t\" is 4 after 5: times must not decrease",
    );
    check_recording(
        &line("{\"t\":0}"),
        ":2: a line must have exactly one entry, but this one has 0; write {\"t\":MILLISECONDS, and one of \"rx\":\"HEX\"",
    );
    check_recording(&line("{\"t\":0,\"xr\":\"42\"}"), ":2: not a line of a recording: unknown field `xr`");
    check_recording(&line("{\"t\":0,\"command\":{\"do\":\"dance\"}}"), ": the command at 0 ms: not a command: ");
    check(CTL, &["replay", "/nowhere/game.rec"], "touchmovectl: /nowhere/game.rec: No such file or directory");
}

#[test]
fn unknown_games_and_hands_are_named() {
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
        "there is no profile of hands \"six\": write one of clean, club, blitz, worn",
    );
    check(CTL, &["simulate", pgn, "--board", "go", "-o", "/dev/null"], "there is no virtual board \"go\": write one of dgt");
    check(CTL, &["simulate", pgn, "-o", "/nowhere/game.rec"], "/nowhere/game.rec cannot be written: No such file");
    check(CTL, &["score", empty], "there is no game with moves in these files");
}

/// Arguments of touchmoved for this state directory, with neither bus nor board.
fn args(state: &Path) -> Vec<&str> {
    vec!["--bus", "unix:path=/nowhere/bus", "--state-dir", state.to_str().unwrap(), "--port", "/dev/ttyNONE7"]
}

#[test]
fn touchmoved_reports_wrong_arguments() {
    let expected = "touchmoved: /nowhere.toml does not exist: give an existing file";
    check_exit(DAEMON, &["--config", "/nowhere.toml"], 78, expected);
}

#[test]
fn touchmoved_refuses_a_newer_journal() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().join("journal.sqlite3");
    rusqlite::Connection::open(&path).and_then(|newer| newer.pragma_update(None, "user_version", 99)).unwrap();
    check(DAEMON, &args(state.path()), "has schema 99, but this touchmove knows schemas only up to");
}

#[test]
fn touchmoved_sets_a_damaged_journal_aside_and_starts() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().join("journal.sqlite3");
    fs::write(&path, "this was a journal once".repeat(100)).unwrap();
    let daemon = Daemon::start(&args(state.path()));
    daemon.ready();
    eventually("the notice", || daemon.log().contains("journal-damaged").then_some(()));
    let is_set_aside = |name: &str| name.starts_with("journal-damaged");
    assert!(fs::read_dir(state.path()).unwrap().any(|entry| is_set_aside(&entry.unwrap().file_name().to_string_lossy())));
}

#[test]
fn the_error_of_a_second_touchmoved_names_the_first_process() {
    let state = tempfile::tempdir().unwrap();
    let first = Daemon::start(&args(state.path()));
    first.ready();
    check(DAEMON, &args(state.path()), &format!("is in use by another touchmoved (process {})", first.pid()));
}

/// Waits until a board is in this state; returns the reason for it.
async fn reason(client: &Client, state: &str) -> String {
    let board = async || client.snapshot().await.unwrap().boards.into_iter().find(|board| board.state == state);
    until(state, board).await.state_reason
}

#[tokio::test]
async fn boards_that_are_not_ready_have_a_reason() {
    let Some(bus) = PrivateBus::start() else { return };
    let client = client(&bus, Stream::Live).await;
    let state = tempfile::tempdir().unwrap();

    // A port on which nothing answers.
    let silent_port = Pty::open();
    let daemon = Daemon::serving(&bus, state.path(), &silent_port.path());
    let silent = reason(&client, "silent").await;
    let seconds = silent.strip_prefix("the board has sent nothing for ").and_then(|rest| rest.split_once(" s: "));
    let (seconds, advice) = seconds.unwrap_or_else(|| panic!("{silent}"));
    assert!(seconds.parse::<u32>().unwrap() >= 5 && advice == "check its power, then its cable", "{silent}");
    drop(daemon);

    // A board of another model: its lines have another format.
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
    let unplugged = reason(&client, "unplugged").await;
    let missing =
        format!("{} does not exist: plug the board in, or run `touchmovectl doctor` to list the ports", path.display());
    assert!(unplugged == "the port is gone: plug the board in again" || unplugged == missing, "{unplugged}");
    drop(daemon);

    // A port that another program has.
    let pty = Pty::open();
    let held = Port::open(
        &pty.path(),
        Connection::Serial(SerialSettings { baud: 9600, control: ControlLines::Asserted }),
        ControlLines::Asserted,
    )
    .await
    .unwrap();
    let daemon = Daemon::serving(&bus, state.path(), &pty.path());
    let busy = reason(&client, "refused").await;
    assert!(busy.starts_with(&format!("{} is in use by another program; close it", pty.path().display())), "{busy}");
    drop((daemon, held));
}

/// A program that holds a port open.
struct Holder(Child, #[allow(dead_code, reason = "kept as long as the program runs")] tempfile::TempDir);

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn hold_port(name: &str, port: std::path::PathBuf) -> Holder {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join(name);
    fs::copy("/bin/sleep", &program).unwrap();
    let slave = fs::OpenOptions::new().read(true).write(true).open(port).unwrap();
    // A process that another test is just starting still has the file open for writing.
    let start = || Command::new(&program).arg("600").stdin(slave.try_clone().ok()?).stdout(Stdio::null()).spawn().ok();
    let child = eventually("the program starts", start);
    let holder = Holder(child, dir);
    let comm = format!("/proc/{}/comm", holder.0.id());
    eventually("the program has its name", || (fs::read_to_string(&comm).ok()?.trim_end() == name).then_some(()));
    holder
}

#[test]
fn a_port_held_by_modem_manager_is_reported() {
    let pty = Pty::open();
    let _holder = hold_port("ModemManager", pty.path());
    let output = Command::new(CTL).args(["doctor", "--port", pty.path().to_str().unwrap()]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let advice =
        "it probes boards as modems: run `sudo systemctl stop ModemManager`, or mark the port with ID_MM_DEVICE_IGNORE";
    assert!(stdout.contains("is in use by ModemManager (pid ") && stdout.contains(advice), "{stdout}");
    assert_eq!(output.status.code(), Some(1));
}
