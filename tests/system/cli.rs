//! The two programs on the command line: help, exit codes, the demonstration.

use crate::harness::{Daemon, PrivateBus, User, eventually, installed};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use touchmove::config::Config;
use touchmove::infer::prior::{FeatureGroup, Weights};
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
    for name in [
        "status", "list", "monitor", "board", "game", "pgn", "arbiter", "replay", "simulate", "score", "doctor", "demo",
        "backup",
    ] {
        assert!(names.contains(&name), "{name} is not in\n{help}");
    }
    for name in names.into_iter().filter(|name| *name != "help") {
        let (code, help, _) = run(CTL, &[name, "--help"]);
        assert_eq!(code, 0);
        assert!(help.contains("Example"), "{name} has no examples:\n{help}");
    }
    for subcommand in ["result", "position", "take-back", "promotion", "adjust"] {
        let (code, help, _) = run(CTL, &["arbiter", subcommand, "--help"]);
        assert_eq!(code, 0);
        assert!(help.contains("Examples:"), "{subcommand} has no examples:\n{help}");
    }
    let (_, help, _) = run(CTL, &["arbiter", "--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // Wrapped lines are indented further.
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for subcommand in names.filter(|name| !name.is_empty() && *name != "help") {
        assert!(help.contains(&format!("touchmovectl arbiter {subcommand}")), "{subcommand} has no example:\n{help}");
    }
    let (_, help, _) = run(CTL, &["arbiter", "position", "--help"]);
    assert!(help.contains("The current game on the board ends"), "{help}");
    let (code, help, _) = run(DAEMON, &["--help"]);
    assert_eq!(code, 0);
    assert!(help.contains("Examples:"), "{help}");
}

#[test]
fn a_prior_is_fitted_to_the_games_of_one_half() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let games: String = (1..=8)
        .map(|day| {
            format!(
                "[White \"A{day}\"]\n[Black \"B\"]\n[Date \"2025.11.0{day}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 *\n\n"
            )
        })
        .collect();
    fs::write(path("games.pgn"), games).unwrap();
    let (code, figures, errors) = run(CTL, &["fit-prior", "-o", &path("moves.toml"), &path("games.pgn")]);
    assert_eq!(code, 0, "{errors}");
    assert!(figures.contains("games.pgn"), "{figures}");
    let file = fs::read_to_string(path("moves.toml")).unwrap();
    let weights = Weights::parse(&file).unwrap();
    // A pawn moves from e2, in the opening.
    assert!(weights.get(FeatureGroup::From.range().start + 12) > 0, "{file}");
    let (code, _, _) = run(CTL, &["fit-prior", "-o", &path("again.toml"), &path("games.pgn")]);
    assert_eq!((code, fs::read_to_string(path("again.toml")).unwrap()), (0, file));
}

#[test]
fn the_costs_of_habits_are_fitted_to_recordings() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("game.pgn"), "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 *\n\n")
        .unwrap();
    let (code, _, errors) = run(CTL, &["simulate", &path("game.pgn"), "--clock", "-o", &path("game.rec")]);
    assert_eq!(code, 0, "{errors}");
    let (code, table, errors) = run(CTL, &["fit-hands", &path("game.rec"), "-o", &path("hands.toml")]);
    assert_eq!(code, 0, "{errors}");
    assert!(table.contains("of 10 moves could be aligned") && table.contains("put_back"), "{table}");
    // What is written is a configuration.
    let file = fs::read_to_string(path("hands.toml")).unwrap();
    let config = Config::parse(&format!("{file}\n[[board]]\nname = 'hall_1'\nserial = 'A1'\n")).unwrap();
    let hands = config.settings(&config.boards[0]).hands;
    let first_cost = table.lines().find(|line| line.contains("silent_capture")).and_then(|line| line.split_whitespace().nth(4));
    assert_eq!(first_cost, Some(hands.silent_capture.to_string().as_str()), "{table}\n{file}");
    fs::write(path("empty.rec"), file_with_header_only(&path("game.rec"))).unwrap();
    let (code, _, errors) = run(CTL, &["fit-hands", &path("empty.rec")]);
    assert!(code == 1 && errors.contains("no moves were found in these recordings"), "{errors}");
}

/// Returns the first line of a recording.
fn file_with_header_only(recording: &str) -> String {
    let text = fs::read_to_string(recording).unwrap();
    text.lines().next().map(|header| format!("{header}\n")).unwrap()
}

#[test]
fn exit_codes_are_documented() {
    let nowhere = ["--bus", "unix:path=/nowhere/bus"];
    assert_eq!(run(CTL, &["lits"]).0, 2);
    assert_eq!(run(CTL, &["board", "--colour"]).0, 2);
    let (code, _, stderr) = run(CTL, &[&["list"][..], &nowhere].concat());
    assert_eq!(code, 3);
    assert!(stderr.starts_with("touchmovectl: cannot reach the bus at unix:path=/nowhere/bus"), "{stderr}");
    assert_eq!(run(CTL, &["simulate", "/nowhere.pgn", "--pty"]).0, 1);
}

/// Runs a command of touchmovectl with these as the session and system buses, and without a configuration.
fn run_with_buses(session: &PrivateBus, system: &PrivateBus, home: &Path, command: &str) -> (i32, String) {
    let mut program = Command::new(CTL);
    program.args(command.split(' ')).env("HOME", home).env("XDG_CONFIG_HOME", home);
    program.env("DBUS_SESSION_BUS_ADDRESS", session.address()).env("DBUS_SYSTEM_BUS_ADDRESS", system.address());
    let Output { status, stdout, stderr } = program.output().unwrap();
    (status.code().unwrap(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn without_a_bus_option_touchmoved_is_found_on_either_bus() {
    let (Some(session), Some(system)) = (PrivateBus::start(), PrivateBus::start()) else { return };
    let dir = tempfile::tempdir().unwrap();
    let ctl = |command| run_with_buses(&session, &system, dir.path(), command);
    let not_running = "touchmoved is running neither on the session bus nor on the system bus";
    let (code, message) = ctl("list");
    assert!(code == 3 && message.starts_with(&format!("touchmovectl: {not_running}: start it with `")), "{message}");
    let (code, message) = ctl("doctor");
    assert!(code == 1 && message.contains(&format!("✗ {not_running}\n  → start it with `")), "{message}");

    let serving = |bus, state: &str| Daemon::serving(bus, &dir.path().join(state), &dir.path().join("nothing"));
    let system_daemon = serving(&system, "service");
    let (code, message) = ctl("list");
    assert!(code == 0 && message.starts_with("board "), "{message}");
    assert!(ctl("doctor --all").1.contains("✓ touchmoved runs on the system bus\n"));
    // A daemon on the session bus takes precedence.
    let session_daemon = serving(&session, "own");
    assert!(ctl("doctor --all").1.contains("✓ touchmoved runs on the session bus\n"));
    assert!(session_daemon.terminate().success());
    assert!(ctl("doctor --all").1.contains("✓ touchmoved runs on the system bus\n"));
    assert!(system_daemon.terminate().success());
}

#[test]
fn a_client_activates_the_service_through_the_bus() {
    let dir = tempfile::tempdir().unwrap();
    let activated = dir.path().join("called");
    let command = format!("/usr/bin/touch {}", activated.display());
    let (Some(session), Some(system)) = (PrivateBus::start(), PrivateBus::activating(&command)) else { return };
    let not_running = "touchmoved is running neither on the session bus nor on the system bus";
    let (code, message) = run_with_buses(&session, &system, dir.path(), "doctor");
    assert!(code == 1 && message.contains(not_running) && !activated.exists(), "doctor does not activate it: {message}");
    // The activated program exits at once, which counts as not running.
    let (code, message) = run_with_buses(&session, &system, dir.path(), "list");
    assert!(code == 3 && message.contains(not_running) && activated.exists(), "{message}");
}

#[test]
fn a_user_without_a_group_is_told_which_group_to_join() {
    let Some(nobody) = User::named("nobody") else { return };
    let Some(bus) = PrivateBus::system(&[]) else { return };
    let dir = tempfile::tempdir().unwrap();
    let _daemon = Daemon::serving(&bus, dir.path(), &dir.path().join("nothing"));
    let address = bus.address();
    let client_thread = nobody.run(async move || {
        for (stream, group) in [(Stream::Live, "touchmove-arbiter"), (Stream::Broadcast, "touchmove-broadcast")] {
            let client = Client::connect(&[Bus::Address(address.clone())], stream, IfNotRunning::Activate).await.unwrap();
            let error = client.snapshot().await.unwrap_err().to_string();
            assert!(error.contains(&format!("join the group {group} (`sudo adduser $USER {group}`")), "{error}");
        }
    });
    client_thread.join().unwrap();
}

#[test]
fn a_misspelt_bus_is_refused_with_the_valid_words() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let expected = "there is no bus \"sesion\": write session, system, or an address such as unix:path=/run/bus";
    for (program, args) in [
        (CTL, &["list", "--bus", "sesion"][..]),
        (DAEMON, &["--bus", "sesion", "--state-dir", state.to_str().unwrap(), "--port", "/nowhere"]),
    ] {
        let (code, _, message) = run(program, args);
        assert_eq!(code, 2);
        assert!(message.contains(expected), "{message}");
    }
    assert!(!state.exists(), "the journal was opened");
}

#[test]
fn check_config_reports_problems() {
    let (code, message, _) =
        run(DAEMON, &["--check-config", "--config", concat!(env!("CARGO_MANIFEST_DIR"), "/config/touchmoved.toml")]);
    assert_eq!(code, 0);
    assert!(message.ends_with("config/touchmoved.toml: no problem found\n"), "{message}");

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("touchmoved.toml");
    fs::write(&path, "[game]\nsettle_ms = 1\nhypothesis = 64\n").unwrap();
    let path = path.to_str().unwrap();
    let (code, _, message) = run(DAEMON, &["--check-config", "--config", path]);
    assert_eq!(code, 78);
    for line in ["2:13: settle_ms is 1; write", "3:1: there is no key hypothesis in [game]; did you mean hypotheses?"] {
        assert!(message.contains(&format!("{path}:{line}")), "{message}");
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
    assert_eq!(check().0, 0, "files that do not exist disclose nothing");
    for (file, mode, code) in [(&token, 0o644, 78), (&token, 0o640, 0), (&key, 0o604, 78), (&key, 0o602, 78), (&key, 0o600, 0)]
    {
        fs::write(file, "secret").unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        let (exit_code, _, message) = check();
        assert_eq!(exit_code, code, "{mode:o} {message}");
        let advice = format!(
            "{}: every user of this machine can use {file}, which holds a secret: run `sudo chmod o-rwx {file}`",
            path.display(),
            file = file.display()
        );
        assert_eq!(message.contains(&advice), code != 0, "{message}");
    }
}

#[test]
fn public_files_are_refused_in_the_state_directory_option() {
    let dir = tempfile::tempdir().unwrap();
    let (path, state) = (dir.path().join("touchmoved.toml"), dir.path().join("state"));
    fs::write(&path, format!("[files]\ndir = '{}'\n", state.join("games").display())).unwrap();
    let (path, state) = (path.to_str().unwrap(), state.to_str().unwrap());
    let args = ["--config", path, "--state-dir", state, "--bus", "unix:path=/nowhere", "--port", "/nowhere"];
    for extra_args in [&["--check-config"][..], &[]] {
        let (code, _, message) = run(DAEMON, &[&args[..], extra_args].concat());
        assert_eq!(code, 78, "{message}");
        assert!(
            message.starts_with(&format!("{path}: {state}/games lies in the state directory, which holds tokens")),
            "{message}"
        );
    }
    assert!(!Path::new(state).exists(), "the journal was opened");
    let elsewhere = dir.path().join("elsewhere");
    let (code, _, message) = run(DAEMON, &["--check-config", "--config", path, "--state-dir", elsewhere.to_str().unwrap()]);
    assert_eq!(code, 0, "{message}");
}

#[test]
fn check_config_reports_a_missing_file() {
    let dir = tempfile::tempdir().unwrap();
    let check = |name: &str, value: &Path| {
        let mut command = Command::new(DAEMON);
        command.arg("--check-config").env("HOME", dir.path()).env("XDG_CONFIG_HOME", "").env(name, value);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    if !Path::new("/etc/touchmove/touchmoved.toml").exists() {
        let message = check("HOME", &dir.path().join("nobody"));
        assert!(message.contains("the file does not exist, so the defaults apply"), "{message}");
    }
    // An empty XDG_CONFIG_HOME is ignored.
    fs::create_dir_all(dir.path().join(".config/touchmove")).unwrap();
    fs::write(dir.path().join(".config/touchmove/touchmoved.toml"), "").unwrap();
    let message = check("HOME", dir.path());
    assert!(message.contains(".config/touchmove/touchmoved.toml: no problem found"), "{message}");
}

/// The service manager restarts the daemon at once in any case: after failed starts the daemon itself waits, longer each time.
#[test]
fn failed_starts_back_off_and_a_crash_does_not() {
    let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let runtime = dir.path().join("run");
    fs::create_dir(&runtime).unwrap();
    let count = || fs::read_to_string(runtime.join("failed-starts")).unwrap_or_default();
    let daemon = || {
        let mut command = Command::new(DAEMON);
        command.env("RUNTIME_DIRECTORY", &runtime);
        command
    };
    let not_a_dir = dir.path().join("file");
    fs::write(&not_a_dir, "").unwrap();
    let failing_args = ["--bus", "unix:path=/nowhere", "--port", "/nowhere", "--state-dir", not_a_dir.to_str().unwrap()];
    for failed in 0..3 {
        let output = daemon().args(failing_args).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), count()), (Some(1), (failed + 1).to_string()), "{message}");
        let waits = message.contains("2 starts in a row have failed: the next is in 0.4 s");
        assert_eq!(waits, failed == 2, "{message}");
    }

    // A stop ends the wait, and resets the backoff.
    fs::write(runtime.join("failed-starts"), "200").unwrap();
    let waiting = Daemon::run(daemon(), &failing_args);
    waiting.wait_for_notify("STATUS=200 starts in a row have failed: the next is in 30.0 s");
    assert!(waiting.terminate().success());
    assert_eq!(count(), "");

    // A crash after the daemon was ready is not a failed start: it is started again at once.
    let Some(bus) = PrivateBus::start() else { return };
    let address = bus.address();
    let working_args = ["--bus", &address, "--port", "/nowhere", "--state-dir", state.path().to_str().unwrap()];
    for _ in 0..2 {
        let serving = Daemon::run(daemon(), &working_args);
        serving.ready();
        assert!(!serving.log().contains("have failed"), "{}", serving.log());
        serving.kill();
    }
    let serving = Daemon::run(daemon(), &working_args);
    serving.ready();
    assert!(serving.terminate().success());
    assert_eq!(count(), "");
}

#[test]
fn an_unknown_model_is_refused_before_anything_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let (code, _, message) = run(
        DAEMON,
        &["--bus", "unix:path=/nowhere", "--state-dir", state.to_str().unwrap(), "--port", "/nowhere", "--board", "dtg"],
    );
    assert_eq!(code, 2);
    assert!(message.contains("there is no model dtg: write dgt"), "{message}");
    assert!(!state.exists(), "the journal was opened");
}

/// The demonstration, with a separate directory for its temporary files.
pub(super) fn demo(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(CTL);
    command.arg("demo").args(args).env("TMPDIR", dir).env_remove("DBUS_SESSION_BUS_ADDRESS");
    command
}

/// Checks that a demonstration with this directory has left no files and no processes.
#[track_caller]
pub(super) fn nothing_is_left(dir: &Path) {
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0, "files are left");
    let dir = dir.to_str().unwrap();
    let process = fs::read_dir("/proc").unwrap().flatten().find_map(|process| {
        let cmdline = fs::read(process.path().join("cmdline")).ok()?;
        let cmdline = String::from_utf8_lossy(&cmdline).replace('\0', " ");
        cmdline.contains(dir).then_some(cmdline)
    });
    assert_eq!(process, None, "a process is left");
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
        "  touchmovectl demo --boards 12 ",
    ] {
        assert!(text.contains(part), "missing: {part}\nin\n{text}");
    }
    nothing_is_left(dir.path());
}

#[test]
fn demo_cleans_up_when_interrupted() {
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
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("if dbus-daemon is missing, run `sudo apt install dbus`"), "{message}");
    nothing_is_left(dir.path());
}
