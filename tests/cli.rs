//! The two programs as a person meets them: help, exit codes, the demonstration.

use crate::harness::{Daemon, PrivateBus, User, eventually, installed};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use touchmove::publish::client::{Client, IfNotRunning};
use touchmove::publish::dbus::{Bus, Stream};

const CTL: &str = env!("CARGO_BIN_EXE_touchmovectl");
const DAEMON: &str = env!("CARGO_BIN_EXE_touchmoved");

fn run(program: &str, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = Command::new(program).args(args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn every_subcommand_has_help_with_examples() {
    let (code, help, _) = run(CTL, &["--help"]);
    assert_eq!(code, 0);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for name in
        ["list", "monitor", "board", "game", "pgn", "arbiter", "replay", "simulate", "score", "doctor", "demo", "backup"]
    {
        assert!(names.contains(&name), "{name} is not in\n{help}");
    }
    for name in names.into_iter().filter(|name| *name != "help") {
        let (code, help, _) = run(CTL, &[name, "--help"]);
        assert_eq!(code, 0);
        assert!(help.contains("Example"), "{name} has no examples:\n{help}");
    }
    for order in ["result", "position", "take-back", "promotion", "adjust"] {
        let (code, help, _) = run(CTL, &["arbiter", order, "--help"]);
        assert_eq!(code, 0);
        assert!(help.contains("Examples:"), "{order} has no examples:\n{help}");
    }
    let (_, help, _) = run(CTL, &["arbiter", "--help"]);
    let orders = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // What does not fit in a line goes on further in.
    let names = orders.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for order in names.filter(|name| !name.is_empty() && *name != "help") {
        assert!(help.contains(&format!("touchmovectl arbiter {order}")), "{order} has no example:\n{help}");
    }
    let (_, help, _) = run(CTL, &["arbiter", "position", "--help"]);
    assert!(help.contains("The game on the board until now ends there"), "{help}");
    let (code, help, _) = run(DAEMON, &["--help"]);
    assert_eq!(code, 0);
    assert!(help.contains("Examples:"), "{help}");
}

#[test]
fn exit_codes() {
    let nowhere = ["--bus", "unix:path=/nowhere/bus"];
    assert_eq!(run(CTL, &["lits"]).0, 2);
    assert_eq!(run(CTL, &["board", "--colour"]).0, 2);
    let (code, _, said) = run(CTL, &[&["list"][..], &nowhere].concat());
    assert_eq!(code, 3);
    assert!(said.starts_with("touchmovectl: cannot reach the bus at unix:path=/nowhere/bus"), "{said}");
    assert_eq!(run(CTL, &["simulate", "/nowhere.pgn", "--pty"]).0, 1);
}

/// A command for touchmovectl where these are the buses of the session and of the machine, and nothing is configured.
fn between(session: &PrivateBus, system: &PrivateBus, home: &Path, command: &str) -> (i32, String) {
    let mut program = Command::new(CTL);
    program.arg(command).env("HOME", home).env("XDG_CONFIG_HOME", home);
    program.env("DBUS_SESSION_BUS_ADDRESS", session.address()).env("DBUS_SYSTEM_BUS_ADDRESS", system.address());
    let Output { status, stdout, stderr } = program.output().unwrap();
    (status.code().unwrap(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn without_a_bus_named_touchmoved_is_found_on_either() {
    let (Some(session), Some(system)) = (PrivateBus::start(), PrivateBus::start()) else { return };
    let dir = tempfile::tempdir().unwrap();
    let ask = |command| between(&session, &system, dir.path(), command);
    let nowhere = "touchmoved is running neither on the session bus nor on the system bus";
    let (code, said) = ask("list");
    assert!(code == 3 && said.starts_with(&format!("touchmovectl: {nowhere}: start it with `")), "{said}");
    let (code, said) = ask("doctor");
    assert!(code == 1 && said.contains(&format!("✗ {nowhere}\n  → start it with `")), "{said}");

    let serving = |bus, state: &str| Daemon::serving(bus, &dir.path().join(state), &dir.path().join("nothing"));
    let service = serving(&system, "service");
    let (code, said) = ask("list");
    assert!(code == 0 && said.starts_with("board "), "{said}");
    assert!(ask("doctor").1.contains("✓ touchmoved runs on the system bus\n"));
    // Who runs one of his own means that one.
    let own = serving(&session, "own");
    assert!(ask("doctor").1.contains("✓ touchmoved runs on the session bus\n"));
    assert!(own.terminate().success());
    assert!(ask("doctor").1.contains("✓ touchmoved runs on the system bus\n"));
    assert!(service.terminate().success());
}

#[test]
fn whoever_asks_starts_what_the_bus_can_start() {
    let dir = tempfile::tempdir().unwrap();
    let called = dir.path().join("called");
    let command = format!("/usr/bin/touch {}", called.display());
    let (Some(session), Some(system)) = (PrivateBus::start(), PrivateBus::starting(&command)) else { return };
    let nowhere = "touchmoved is running neither on the session bus nor on the system bus";
    let (code, said) = between(&session, &system, dir.path(), "doctor");
    assert!(code == 1 && said.contains(nowhere) && !called.exists(), "it only looks: {said}");
    // It ends at once: that is as if it were not there.
    let (code, said) = between(&session, &system, dir.path(), "list");
    assert!(code == 3 && said.contains(nowhere) && called.exists(), "{said}");
}

#[test]
fn who_is_in_no_group_is_told_which_to_join() {
    let Some(nobody) = User::named("nobody") else { return };
    let Some(bus) = PrivateBus::system(&[]) else { return };
    let dir = tempfile::tempdir().unwrap();
    let _daemon = Daemon::serving(&bus, dir.path(), &dir.path().join("nothing"));
    let address = bus.address();
    let asked = nobody.run(async move || {
        for (stream, group) in [(Stream::Live, "touchmove-arbiter"), (Stream::Broadcast, "touchmove-broadcast")] {
            let client = Client::connect(&[Bus::Address(address.clone())], stream, IfNotRunning::Activate).await.unwrap();
            let why = client.snapshot().await.unwrap_err().to_string();
            assert!(why.contains(&format!("join the group {group} (`sudo adduser $USER {group}`")), "{why}");
        }
    });
    asked.join().unwrap();
}

#[test]
fn a_misspelt_bus_is_refused_with_the_words_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let says = "there is no bus \"sesion\": write session, system, or an address such as unix:path=/run/bus";
    for (program, args) in [
        (CTL, &["list", "--bus", "sesion"][..]),
        (DAEMON, &["--bus", "sesion", "--state-dir", state.to_str().unwrap(), "--port", "/nowhere"]),
    ] {
        let (code, _, said) = run(program, args);
        assert_eq!(code, 2);
        assert!(said.contains(says), "{said}");
    }
    assert!(!state.exists(), "the journal was opened");
}

#[test]
fn check_config() {
    let (code, said, _) =
        run(DAEMON, &["--check-config", "--config", concat!(env!("CARGO_MANIFEST_DIR"), "/config/touchmoved.toml")]);
    assert_eq!(code, 0);
    assert!(said.ends_with("config/touchmoved.toml: no problem found\n"), "{said}");

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("touchmoved.toml");
    fs::write(&path, "[game]\nsettle_ms = 1\nhypothesis = 64\n").unwrap();
    let path = path.to_str().unwrap();
    let (code, _, said) = run(DAEMON, &["--check-config", "--config", path]);
    assert_eq!(code, 78);
    for line in ["2:13: settle_ms is 1; write", "3:1: there is no key hypothesis in [game]; did you mean hypotheses?"] {
        assert!(said.contains(&format!("{path}:{line}")), "{said}");
    }
}

#[test]
fn a_secret_that_every_user_can_read_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (path, token, key) = (dir.path().join("touchmoved.toml"), dir.path().join("token"), dir.path().join("key.pem"));
    let text = format!(
        "[lichess]\nround = 'AbCd1234'\ntoken_file = '{}'\n[web]\ntls_cert = '/cert.pem'\ntls_key = '{}'\n",
        token.display(),
        key.display()
    );
    fs::write(&path, text).unwrap();
    let check = || run(DAEMON, &["--check-config", "--config", path.to_str().unwrap()]);
    assert_eq!(check().0, 0, "files that are not there give nothing away");
    for (file, mode, code) in [(&token, 0o644, 78), (&token, 0o640, 0), (&key, 0o604, 78), (&key, 0o602, 78), (&key, 0o600, 0)]
    {
        fs::write(file, "secret").unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        let (found, _, said) = check();
        assert_eq!(found, code, "{mode:o} {said}");
        let advice = format!(
            "{}: every user of this machine can use {file}, which holds a secret: run `sudo chmod o-rwx {file}`",
            path.display(),
            file = file.display()
        );
        assert_eq!(said.contains(&advice), code != 0, "{said}");
    }
}

#[test]
fn files_for_everybody_are_refused_in_the_state_directory_of_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let (path, state) = (dir.path().join("touchmoved.toml"), dir.path().join("state"));
    fs::write(&path, format!("[files]\ndir = '{}'\n", state.join("games").display())).unwrap();
    let (path, state) = (path.to_str().unwrap(), state.to_str().unwrap());
    let args = ["--config", path, "--state-dir", state, "--bus", "unix:path=/nowhere", "--port", "/nowhere"];
    for more in [&["--check-config"][..], &[]] {
        let (code, _, said) = run(DAEMON, &[&args[..], more].concat());
        assert_eq!(code, 78, "{said}");
        assert!(said.starts_with(&format!("{path}: {state}/games lies in the state directory, which holds tokens")), "{said}");
    }
    assert!(!Path::new(state).exists(), "the journal was opened");
    let elsewhere = dir.path().join("elsewhere");
    let (code, _, said) = run(DAEMON, &["--check-config", "--config", path, "--state-dir", elsewhere.to_str().unwrap()]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn check_config_without_a_file_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let check = |name: &str, value: &Path| {
        let mut command = Command::new(DAEMON);
        command.arg("--check-config").env("HOME", dir.path()).env("XDG_CONFIG_HOME", "").env(name, value);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    if !Path::new("/etc/touchmove/touchmoved.toml").exists() {
        let said = check("HOME", &dir.path().join("nobody"));
        assert!(said.contains("there is no such file, so the defaults hold"), "{said}");
    }
    // An empty XDG_CONFIG_HOME is none.
    fs::create_dir_all(dir.path().join(".config/touchmove")).unwrap();
    fs::write(dir.path().join(".config/touchmove/touchmoved.toml"), "").unwrap();
    let said = check("HOME", dir.path());
    assert!(said.contains(".config/touchmove/touchmoved.toml: no problem found"), "{said}");
}

/// The service manager restarts at once, whatever it was: starts that fail wait by themselves, one longer than the other.
#[test]
fn starts_that_fail_wait_and_a_crash_does_not() {
    let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let runtime = dir.path().join("run");
    fs::create_dir(&runtime).unwrap();
    let count = || fs::read_to_string(runtime.join("failed-starts")).unwrap_or_default();
    let daemon = || {
        let mut command = Command::new(DAEMON);
        command.env("RUNTIME_DIRECTORY", &runtime);
        command
    };
    let no_dir = dir.path().join("file");
    fs::write(&no_dir, "").unwrap();
    let fails = ["--bus", "unix:path=/nowhere", "--port", "/nowhere", "--state-dir", no_dir.to_str().unwrap()];
    for failed in 0..3 {
        let output = daemon().args(fails).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), count()), (Some(1), (failed + 1).to_string()), "{said}");
        let waits = said.contains("2 starts in a row have failed: the next is in 0.4 s");
        assert_eq!(waits, failed == 2, "{said}");
    }

    // Who stops it waits for nothing, and starts it at once.
    fs::write(runtime.join("failed-starts"), "200").unwrap();
    let waiting = Daemon::run(daemon(), &fails);
    waiting.tells("STATUS=200 starts in a row have failed: the next is in 30.0 s");
    assert!(waiting.terminate().success());
    assert_eq!(count(), "");

    // What ends a service that was ready is no failed start: it goes on at once.
    let Some(bus) = PrivateBus::start() else { return };
    let address = bus.address();
    let works = ["--bus", &address, "--port", "/nowhere", "--state-dir", state.path().to_str().unwrap()];
    for _ in 0..2 {
        let serving = Daemon::run(daemon(), &works);
        serving.ready();
        assert!(!serving.log().contains("have failed"), "{}", serving.log());
        serving.kill();
    }
    let serving = Daemon::run(daemon(), &works);
    serving.ready();
    assert!(serving.terminate().success());
    assert_eq!(count(), "");
}

#[test]
fn an_unknown_model_is_refused_before_anything_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let (code, _, said) = run(
        DAEMON,
        &["--bus", "unix:path=/nowhere", "--state-dir", state.to_str().unwrap(), "--port", "/nowhere", "--board", "dtg"],
    );
    assert_eq!(code, 2);
    assert!(said.contains("there is no model dtg: write dgt"), "{said}");
    assert!(!state.exists(), "the journal was opened");
}

/// The demonstration, with a directory of its own for what it leaves behind.
fn demo(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(CTL);
    command.arg("demo").args(args).env("TMPDIR", dir).env_remove("DBUS_SESSION_BUS_ADDRESS");
    command
}

#[track_caller]
fn nothing_is_left(dir: &Path) {
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0, "files are left");
    let dir = dir.to_str().unwrap();
    let left = fs::read_dir("/proc").unwrap().flatten().find_map(|process| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(dir).then_some(line)
    });
    assert_eq!(left, None, "a process is left");
}

#[test]
fn demo_shows_the_game() {
    if !installed("dbus-daemon") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = demo(dir.path(), &["--speed", "10"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "made       1. e4\n",
        "completed  1. e4 ",
        "completed  12. O-O-O",
        "result     1-0\n",
        "8   ♞   ♖ ♚ ♝   ♜\n",
        "[Result \"1-0\"]",
        "17. Rd8# ",
        "All 33 moves and the result (1-0) arrived over D-Bus as they were played.\n",
    ] {
        assert!(text.contains(part), "missing: {part}\nin\n{text}");
    }
    nothing_is_left(dir.path());
}

#[test]
fn demo_puts_everything_away_when_interrupted() {
    if !installed("dbus-daemon") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut child = demo(dir.path(), &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(output.any(|line| line.unwrap().starts_with("made ")), "it never began");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = eventually("it ends", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(1));
    nothing_is_left(dir.path());
}

#[test]
fn demo_without_a_bus_program_says_what_to_install() {
    let dir = tempfile::tempdir().unwrap();
    let output = demo(dir.path(), &[]).env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("if dbus-daemon is missing, run `sudo apt install dbus`"), "{said}");
    nothing_is_left(dir.path());
}
