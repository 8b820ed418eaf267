//! From the bytes of boards to moves on D-Bus, through touchmoved and pseudo-terminals, in real time.

use super::games::opera;
use crate::daemon::plugs::umockdev;
use crate::harness::hall::client;
use crate::harness::{Daemon, PATIENCE, PrivateBus, eventually, until};
use shakmaty::Square;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::boards::{BOARDS, Connection, SensorKind, model};
use touchmove::ctl::pty::PseudoTerminal;
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::{Simulation, SimulationSetup, hands};

/// How many times faster than real the games are played. At four times the pace of hands, the pause between two moves is shorter than
/// the delays of a busy machine: two moves would arrive as one, and boards that do not identify pieces could not separate them.
const SPEED: u32 = 2;
/// The same for a board on a line with several boards. It is found by a search and read only when its turn comes, so its hands play at
/// real speed; it is played on for as long as the other boards, which is half of the game.
const SPEED_ON_A_LINE: u32 = 1;

/// Starts a virtual board on which the game begins when its port is opened. Returns the moves and how long they take.
fn board(name: &str, game: &SourceGame, path: &Path) -> (Vec<String>, Duration) {
    let setup =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let is_chain = (model(name).unwrap().protocol)().is_chain();
    let speed = if is_chain { SPEED_ON_A_LINE } else { SPEED };
    let mut game = game.clone();
    if is_chain {
        game.plies.truncate(game.plies.len() * SPEED_ON_A_LINE as usize / SPEED as usize);
        game.result = None;
    }
    let simulation = Simulation::new(name, &game, &setup).unwrap();
    let truth = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let duration = Duration::from_millis(simulation.ends_at() / u64::from(speed));
    let mut port = PseudoTerminal::open().unwrap();
    std::os::unix::fs::symlink(port.path(), path).unwrap();
    std::thread::spawn(move || port.serve(simulation, speed, true));
    (truth, duration)
}

/// Whether these are the same moves in another order, which leads to the same position.
fn is_transposition(truth: &[String], moves: &[String]) -> bool {
    let after = |moves: &[String]| {
        moves.iter().try_fold(Position::start(), |position, uci| Some(position.play(position.parse_uci(uci)?)))
    };
    let sorted = |moves: &[String]| moves.iter().cloned().collect::<BTreeSet<String>>();
    sorted(truth) == sorted(moves) && after(truth).zip(after(moves)).is_some_and(|(one, other)| one.board() == other.board())
}

async fn moves(client: &Client) -> Vec<String> {
    let games = client.snapshot().await.unwrap().games;
    assert!(games.len() <= 1, "it is one game");
    games.into_iter().flat_map(|game| game.moves).map(|played| played.uci).collect()
}

/// Waits for `count` moves, at most for `longest`, and returns the moves.
async fn played(client: &Client, count: usize, longest: Duration) -> Vec<String> {
    let end = Instant::now() + longest;
    loop {
        let moves = moves(client).await;
        if moves.len() >= count || Instant::now() >= end {
            return moves;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The shortest of the shared games with at least 30 plies. If they are missing, prints that and returns another game.
fn game() -> SourceGame {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/games/clubcup2018.pgn");
    let Ok(text) = std::fs::read(&path) else {
        eprintln!("SKIPPED: there is no {}; another game is played", path.display());
        return opera();
    };
    let games = pgn::read(&String::from_utf8_lossy(&text)).games;
    games.into_iter().filter(|game| game.plies.len() >= 30).min_by_key(|game| game.plies.len()).unwrap_or_else(opera)
}

/// One touchmoved with a board of every serial model, one of them on a line for several boards, and the same game on all of them at
/// once.
#[tokio::test]
async fn a_game_on_each_serial_board_is_published() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut config, mut truth, mut duration) = (String::new(), BTreeMap::new(), Duration::ZERO);
    for model in BOARDS.iter().filter(|model| matches!(model.connection, Connection::Serial(_))) {
        let path = dir.path().join(model.name);
        let (played, until) = board(model.name, &game(), &path);
        // A line with several boards has a name, and each board on it has another.
        let (name, more) = match model.name {
            "dgt-bus" => ("line", "names = \"960 = dgt_bus\"\n"),
            name => (name, ""),
        };
        config += &format!("[[board]]\nname = \"{name}\"\nmodel = \"{}\"\nport = \"{}\"\n{more}\n", model.name, path.display());
        truth.insert(model.name.replace('-', "_"), played);
        duration = duration.max(until);
    }
    assert!(truth.len() >= 9, "{truth:?}");
    let file = dir.path().join("touchmoved.toml");
    std::fs::write(&file, config).unwrap();
    let client = client(&bus, Stream::Live).await;
    let (address, state) = (bus.address(), state.path().to_str().unwrap());
    let daemon = Daemon::start(&["--bus", &address, "--state-dir", state, "--config", file.to_str().unwrap()]);
    daemon.ready();
    let end = Instant::now() + duration + PATIENCE;
    let outcome = loop {
        let games = client.snapshot().await.unwrap().games;
        let moves = games.into_iter().map(|game| {
            let moves = game.moves.into_iter().map(|played| played.uci).collect();
            (game.board, (moves, game.id))
        });
        let moves: BTreeMap<String, (Vec<String>, u64)> = moves.collect();
        let is_exact = |(board, truth): (&String, &Vec<String>)| moves.get(board).is_some_and(|(moves, _)| moves == truth);
        if truth.iter().all(is_exact) || Instant::now() >= end {
            break moves;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    // This machine may have been too busy to find a board before play began there, which must be reported.
    let problems = client.snapshot().await.unwrap().health_problems;
    for board in truth.keys().filter(|board| !outcome.contains_key(*board)) {
        let is_reported = problems.iter().any(|(kind, sentence)| kind == "unrecorded" && sentence.contains(board.as_str()));
        assert!(is_reported, "{board} has no game\n{}", daemon.log());
    }
    let mut exact = 0;
    for (board, (moves, game)) in &outcome {
        let events = client.events(*game).await.unwrap();
        let kinds: Vec<_> = events.iter().filter_map(|event| event.fields.get("kind")?.as_str()).collect();
        // Or too busy to read moves one by one, which must be reported to the arbiter.
        let is_reported = kinds.contains(&"moves_uncertain") || kinds.contains(&"position_unexplained");
        let is_exact = truth.get(board) == Some(moves);
        exact += usize::from(is_exact);
        // A board that shows only which squares are occupied cannot tell the order of moves that were read at once.
        let shows_only_occupancy = BOARDS.iter().any(|model| model.name == board && model.sensing == SensorKind::Occupancy);
        let is_transposed = shows_only_occupancy && truth.get(board).is_some_and(|truth| is_transposition(truth, moves));
        assert!(is_exact || is_reported || is_transposed, "{board}: {moves:?}, {kinds:?}\n{}", daemon.log());
    }
    assert!(2 * exact > truth.len(), "{exact} of {} are exact\n{}", truth.len(), daemon.log());
}

/// The calibration is stored: in mid-game there is no start position to learn from.
#[tokio::test]
async fn a_game_on_a_certabo_goes_on_after_a_restart() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("board");
    let (truth, duration) = board("certabo", &opera(), &path);
    let last = truth.iter().fold(Position::start(), |position, uci| position.play(position.parse_uci(uci).unwrap()));
    let last: String =
        Square::ALL.map(|square| last.board().piece_at(square).map_or('.', |piece| piece.char())).iter().collect();
    let client = client(&bus, Stream::Live).await;
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", "certabo"]);
    daemon.ready();
    let before = played(&client, 10, duration + PATIENCE).await;
    assert!(before.len() >= 10, "{before:?}\n{}", daemon.log());
    daemon.kill();
    let calibrations: Vec<_> =
        std::fs::read_dir(state.path().join("calibration")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(calibrations.len(), 1, "{calibrations:?}");
    assert_eq!(std::fs::read_to_string(&calibrations[0]).unwrap().lines().count(), 32);
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", "certabo"]);
    daemon.ready();
    let moves = played(&client, truth.len(), duration + PATIENCE).await;
    let events = client.events(1).await.unwrap();
    // If this machine was too busy to restart touchmoved within a few moves, moves are missing, which must be reported to the arbiter.
    let is_reported = events
        .iter()
        .filter_map(|event| event.fields.get("kind")?.as_str())
        .any(|kind| matches!(kind, "moves_uncertain" | "position_unexplained"));
    assert!(moves == truth || is_reported, "{moves:?}, not {truth:?}\n{}", daemon.log());
    let shown = client.snapshot().await.unwrap().boards.remove(0).placement;
    assert_eq!(shown, last, "the pieces are known by their chips\n{}", daemon.log());
}

/// Plays a simulation in real time by writing lines to the emulated hardware. `line` returns the line that causes these bytes.
async fn play_in_real_time(simulation: &mut Simulation, daemon: &mut Daemon, line: impl Fn(&[u8]) -> Option<String>) {
    let began = Instant::now();
    while let Some(next) = simulation.next_event().filter(|next| *next <= simulation.ends_at()) {
        tokio::time::sleep_until((began + Duration::from_millis(next / u64::from(SPEED))).into()).await;
        let lines = simulation.advance(next).into_iter().filter_map(|chunk| line(&chunk.bytes));
        lines.for_each(|line| daemon.write_line(&line));
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A Chessnut over USB, found without a configuration.
#[tokio::test]
async fn a_game_on_a_chessnut_is_published() {
    let (Some(mut command), Some(bus)) = (umockdev("plugs.py"), PrivateBus::start()) else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let setup =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let mut simulation = Simulation::new("chessnut", &game(), &setup).unwrap();
    let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let client = client(&bus, Stream::Live).await;
    let (address, state) = (bus.address(), state.path().to_str().unwrap());
    command.arg(dir.path().join("log")).args(["hid 1-2 4 SN0001", "--", env!("CARGO_BIN_EXE_touchmoved")]);
    command.stdin(std::process::Stdio::piped()).env("XDG_CONFIG_HOME", dir.path()).env("HOME", dir.path());
    let mut daemon = Daemon::run(command, &["--bus", &address, "--state-dir", state]);
    daemon.ready();
    let is_ready = async || client.snapshot().await.unwrap().boards.into_iter().find(|board| board.state != "unplugged");
    until("the board", is_ready).await;
    // The board reports its placement after this request.
    simulation.receive(0, &[0x21, 1, 0]);
    let squares = |report: &[u8]| (report[0] == 0x01).then(|| format!("squares 1-2 {}", hex(&report[2..34])));
    play_in_real_time(&mut simulation, &mut daemon, squares).await;
    assert_eq!(played(&client, truth.len(), PATIENCE).await, truth, "{}", daemon.log());
}

/// The only board without a serial line and without USB: switches on an expander at the computer's own I²C bus.
#[tokio::test]
async fn a_game_on_a_matrix_is_published() {
    if !cfg!(feature = "gpio") {
        return eprintln!("SKIPPED: built without `--features gpio`");
    }
    let (Some(mut command), Some(bus)) = (umockdev("matrix.py"), PrivateBus::start()) else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let wiring = dir.path().join("matrix.toml");
    std::fs::write(&wiring, "diodes = true\n[mcp23017]\nbus = \"/dev/i2c-1\"\naddress = 0x20\nrows = \"A\"\n").unwrap();
    let setup =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let mut simulation = Simulation::new("matrix", &game(), &setup).unwrap();
    let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let client = client(&bus, Stream::Live).await;
    let (address, state, wiring) = (bus.address(), state.path().to_str().unwrap(), wiring.to_str().unwrap());
    command.args(["--", env!("CARGO_BIN_EXE_touchmoved")]).stdin(std::process::Stdio::piped());
    let args = ["--bus", &address, "--state-dir", state, "--board", "matrix", "--port", wiring];
    let mut daemon = Daemon::run(command, &args);
    daemon.ready();
    // A scan is a byte that says whether there are diodes, then the closed switches.
    play_in_real_time(&mut simulation, &mut daemon, |scan| Some(format!("closed {}", hex(&scan[1..])))).await;
    assert_eq!(played(&client, truth.len(), PATIENCE).await, truth, "{}", daemon.log());

    // Without power the expander loses the setting of its resistors: this is detected and corrected.
    daemon.write_line("power");
    eventually("the loss to be noticed", || daemon.log().contains("lost its settings").then_some(()));
    let is_back = async || client.snapshot().await.unwrap().boards.into_iter().find(|board| board.state == "ready");
    until("the board is back", is_back).await;
    assert_eq!(moves(&client).await, truth);
}
