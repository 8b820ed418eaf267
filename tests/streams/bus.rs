//! From the bytes of boards to moves on D-Bus, through touchmoved and pseudo-terminals, in real time.

use super::games::opera;
use crate::hall::client;
use crate::harness::{Daemon, PATIENCE, PrivateBus, eventually, until};
use crate::plugs::umockdev;
use shakmaty::Square;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::boards::{BOARDS, Connection, model};
use touchmove::ctl::pty::PseudoTerminal;
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::{Simulation, SimulationSetup, hands};

/// So many times as fast as real. With four times the pace of hands, what lies between two moves is shorter than a busy machine
/// stutters: two moves arrive as one then, and boards that do not tell pieces apart cannot say which.
const SPEED: u32 = 2;
/// A board on a line of several is found by a search and read only when its turn comes, so its hands are no faster than real; it is
/// played on as long as on the others, which is half of the game.
const SPEED_ON_A_LINE: u32 = 1;

/// A board on which the game begins when somebody opens its port; what is played, and how long that takes.
fn board(name: &str, game: &SourceGame, path: &Path) -> (Vec<String>, Duration) {
    let scene =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let is_chain = (model(name).unwrap().protocol)().is_chain();
    let speed = if is_chain { SPEED_ON_A_LINE } else { SPEED };
    let mut game = game.clone();
    if is_chain {
        game.plies.truncate(game.plies.len() * SPEED_ON_A_LINE as usize / SPEED as usize);
        game.result = None;
    }
    let stage = Simulation::new(name, &game, &scene).unwrap();
    let truth = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let lasts = Duration::from_millis(stage.ends_at() / u64::from(speed));
    let mut port = PseudoTerminal::open().unwrap();
    std::os::unix::fs::symlink(port.path(), path).unwrap();
    std::thread::spawn(move || port.serve(stage, speed, true));
    (truth, lasts)
}

async fn moves(client: &Client) -> Vec<String> {
    let games = client.snapshot().await.unwrap().games;
    assert!(games.len() <= 1, "it is one game");
    games.into_iter().flat_map(|game| game.moves).map(|played| played.uci).collect()
}

/// Waits for so many moves; returns them.
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

/// One of the shared games, where they are: the shortest that has a middle.
fn game() -> SourceGame {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/games/clubcup2018.pgn");
    let Ok(text) = std::fs::read(&path) else {
        eprintln!("SKIPPED: there is no {}; another game is played", path.display());
        return opera();
    };
    let games = pgn::read(&String::from_utf8_lossy(&text)).games;
    games.into_iter().filter(|game| game.plies.len() >= 30).min_by_key(|game| game.plies.len()).unwrap_or_else(opera)
}

/// A hall with a board of every kind that is on a serial line, one of them as many on one line are: one touchmoved, and the same game on all of them at once.
#[tokio::test]
async fn a_game_on_each_board_arrives() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut config, mut truth, mut lasts) = (String::new(), BTreeMap::new(), Duration::ZERO);
    for model in BOARDS.iter().filter(|model| matches!(model.connection, Connection::Serial(_))) {
        let path = dir.path().join(model.name);
        let (played, until) = board(model.name, &game(), &path);
        // A line of many has a name, and each board on it another.
        let (name, more) = match model.name {
            "dgt-bus" => ("line", "names = \"960 = dgt_bus\"\n"),
            name => (name, ""),
        };
        config += &format!("[[board]]\nname = \"{name}\"\nmodel = \"{}\"\nport = \"{}\"\n{more}\n", model.name, path.display());
        truth.insert(model.name.replace('-', "_"), played);
        lasts = lasts.max(until);
    }
    assert!(truth.len() >= 9, "{truth:?}");
    let file = dir.path().join("touchmoved.toml");
    std::fs::write(&file, config).unwrap();
    let client = client(&bus, Stream::Live).await;
    let (address, state) = (bus.address(), state.path().to_str().unwrap());
    let daemon = Daemon::start(&["--bus", &address, "--state-dir", state, "--config", file.to_str().unwrap()]);
    daemon.ready();
    let end = Instant::now() + lasts + PATIENCE;
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
    assert_eq!(outcome.len(), truth.len(), "{outcome:?}\n{}", daemon.log());
    let mut exact = 0;
    for (board, (moves, game)) in &outcome {
        let events = client.events(*game).await.unwrap();
        let kinds: Vec<_> = events.iter().filter_map(|event| event.fields.get("kind")?.as_str()).collect();
        // This machine may have been too busy to read moves one by one; the arbiter has to know then.
        let is_reported = kinds.contains(&"moves_uncertain") || kinds.contains(&"position_unexplained");
        let is_exact = truth.get(board) == Some(moves);
        exact += usize::from(is_exact);
        assert!(is_exact || is_reported, "{board}: {moves:?}, {kinds:?}\n{}", daemon.log());
    }
    assert!(2 * exact > truth.len(), "{exact} of {} are exact\n{}", truth.len(), daemon.log());
}

/// What was learned of the pieces is kept: in mid-game there is no start position to learn from.
#[tokio::test]
async fn a_game_on_a_certabo_goes_on_after_a_restart() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("board");
    let (truth, lasts) = board("certabo", &opera(), &path);
    let last = truth.iter().fold(Position::start(), |position, uci| position.play(position.parse_uci(uci).unwrap()));
    let last: String =
        Square::ALL.map(|square| last.board().piece_at(square).map_or('.', |piece| piece.char())).iter().collect();
    let client = client(&bus, Stream::Live).await;
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", "certabo"]);
    daemon.ready();
    let before = played(&client, 10, lasts + PATIENCE).await;
    assert!(before.len() >= 10, "{before:?}\n{}", daemon.log());
    daemon.kill();
    let kept: Vec<_> = std::fs::read_dir(state.path().join("calibration")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::read_to_string(&kept[0]).unwrap().lines().count(), 32);
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", "certabo"]);
    daemon.ready();
    let moves = played(&client, truth.len(), lasts + PATIENCE).await;
    let events = client.events(1).await.unwrap();
    // Where this machine was too busy to start touchmoved again within a few moves, moves are missing, which the arbiter has to know.
    let is_told = events
        .iter()
        .filter_map(|event| event.fields.get("kind")?.as_str())
        .any(|kind| matches!(kind, "moves_uncertain" | "position_unexplained"));
    assert!(moves == truth || is_told, "{moves:?}, not {truth:?}\n{}", daemon.log());
    let shown = client.snapshot().await.unwrap().boards.remove(0).placement;
    assert_eq!(shown, last, "the pieces are known by their chips\n{}", daemon.log());
}

/// Plays what this board says, in its own time, by lines to whoever is the hardware. `line`: what makes it say these bytes.
async fn act(stage: &mut Simulation, daemon: &mut Daemon, line: impl Fn(&[u8]) -> Option<String>) {
    let began = Instant::now();
    while let Some(next) = stage.next_event().filter(|next| *next <= stage.ends_at()) {
        tokio::time::sleep_until((began + Duration::from_millis(next / u64::from(SPEED))).into()).await;
        let lines = stage.advance(next).into_iter().filter_map(|chunk| line(&chunk.bytes));
        lines.for_each(|line| daemon.tell(&line));
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A Chessnut over USB, found by itself.
#[tokio::test]
async fn a_game_on_a_chessnut_arrives() {
    let (Some(mut command), Some(bus)) = (umockdev("plugs.py"), PrivateBus::start()) else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let scene =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let mut stage = Simulation::new("chessnut", &game(), &scene).unwrap();
    let truth: Vec<String> = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let client = client(&bus, Stream::Live).await;
    let (address, state) = (bus.address(), state.path().to_str().unwrap());
    command.arg(dir.path().join("log")).args(["hid 1-2 4 SN0001", "--", env!("CARGO_BIN_EXE_touchmoved")]);
    command.stdin(std::process::Stdio::piped()).env("XDG_CONFIG_HOME", dir.path()).env("HOME", dir.path());
    let mut daemon = Daemon::run(command, &["--bus", &address, "--state-dir", state]);
    daemon.ready();
    let is_ready = async || client.snapshot().await.unwrap().boards.into_iter().find(|board| board.state != "unplugged");
    until("the board", is_ready).await;
    // It reports what stands there when it is told to.
    stage.receive(0, &[0x21, 1, 0]);
    let squares = |report: &[u8]| (report[0] == 0x01).then(|| format!("squares 1-2 {}", hex(&report[2..34])));
    act(&mut stage, &mut daemon, squares).await;
    assert_eq!(played(&client, truth.len(), PATIENCE).await, truth, "{}", daemon.log());
}

/// The one board that is none of a serial line, and needs no USB either: switches on an expander, by the computer's own I2C.
#[tokio::test]
async fn a_game_on_a_matrix_arrives() {
    if !cfg!(feature = "gpio") {
        return eprintln!("SKIPPED: built without `--features gpio`");
    }
    let (Some(mut command), Some(bus)) = (umockdev("matrix.py"), PrivateBus::start()) else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let wiring = dir.path().join("matrix.toml");
    std::fs::write(&wiring, "diodes = true\n[mcp23017]\nbus = \"/dev/i2c-1\"\naddress = 0x20\nrows = \"A\"\n").unwrap();
    let scene =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let mut stage = Simulation::new("matrix", &game(), &scene).unwrap();
    let truth: Vec<String> = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let client = client(&bus, Stream::Live).await;
    let (address, state, wiring) = (bus.address(), state.path().to_str().unwrap(), wiring.to_str().unwrap());
    command.args(["--", env!("CARGO_BIN_EXE_touchmoved")]).stdin(std::process::Stdio::piped());
    let args = ["--bus", &address, "--state-dir", state, "--board", "matrix", "--port", wiring];
    let mut daemon = Daemon::run(command, &args);
    daemon.ready();
    // What a scan brings, after a byte that says whether there are diodes, is what is closed.
    act(&mut stage, &mut daemon, |scan| Some(format!("closed {}", hex(&scan[1..])))).await;
    assert_eq!(played(&client, truth.len(), PATIENCE).await, truth, "{}", daemon.log());

    // Without power it forgets that its columns have resistors: that is noticed, and put right.
    daemon.tell("power");
    eventually("the loss to be noticed", || daemon.log().contains("lost its settings").then_some(()));
    let is_back = async || client.snapshot().await.unwrap().boards.into_iter().find(|board| board.state == "ready");
    until("the board is back", is_back).await;
    assert_eq!(moves(&client).await, truth);
}
