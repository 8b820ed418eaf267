//! The recorded run: a game with everything that a daemon stores in files besides its journal.

use super::disk::Disk;
use super::trace::{self, Operation};
use crate::boards::streams::Set;
use crate::front_ends::lichess::fake::{Fake, TOKEN};
use crate::front_ends::lichess::keep_secret;
use crate::front_ends::web::{self, Answer};
use crate::harness::hall::client;
use crate::harness::organiser::Organiser as _;
use crate::harness::{Board, Daemon, PrivateBus, Pty, eventually, installed, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use shakmaty::Square;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use touchmove::boards::certabo::LEARNING_FRAMES;
use touchmove::daemon::journal::Journal;
use touchmove::game::{Command as Order, GameResult, StampedEvent};
use touchmove::publish::client::{Client, WatchItem};
use touchmove::publish::dbus::Stream;
use touchmove::publish::web::tokens::SecretHash;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder as TrfOrder;

/// Below the root: the daemon's state directory, and the games as files.
pub const STATE: &str = "state";
pub const PUBLIC: &str = "public";
/// The board of the game, and one that learns its pieces.
pub const GAME_BOARD: &str = "board_1";
const CHIPS_BOARD: &str = "chips";
/// The players of the game.
pub const PLAYERS: (&str, &str) = ("Ada", "Bob");

/// The time at which each event was published, in seconds since 1970, by game and number.
pub type PublicationTimes = BTreeMap<(u64, u64), f64>;

/// A successful reply of the daemon, which must hold after a power cut.
#[derive(Clone)]
pub enum Promise {
    /// This round is loaded.
    Round(Box<Round>),
    /// There is a token with this secret.
    Token(SecretHash),
    /// The session with this secret is valid, or was ended.
    Session(SecretHash),
    LoggedOut(SecretHash),
}

/// A promise, with the times of its request and its reply.
#[derive(Clone)]
pub struct TimedPromise {
    pub promise: Promise,
    pub requested: f64,
    pub granted: f64,
}

/// The operations of the daemon, and what it published and promised.
pub struct RecordedRun {
    pub disk: Disk,
    pub published: PublicationTimes,
    pub promises: Vec<TimedPromise>,
    /// All games at the end.
    pub games: BTreeMap<u64, Vec<StampedEvent>>,
    /// The contents by which files were atomically replaced, by path below the root, with the index of the operation.
    pub replacements: BTreeMap<PathBuf, Vec<(usize, Vec<u8>)>>,
}

/// Whether a process may be traced here; prints a message if not.
pub fn may_trace() -> bool {
    let can_trace = installed("strace")
        && Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success());
    if !can_trace {
        eprintln!("SKIPPED: no process can be traced here");
    }
    can_trace
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// Writes a configuration with all front-ends that store files, and these boards: name, model and port.
pub fn configure(dir: &Path, root: &Path, fake: &Fake, boards: &[(&str, &str, PathBuf)]) -> PathBuf {
    let (path, token) = (dir.join("touchmoved.toml"), dir.join("token"));
    keep_secret(&token, TOKEN);
    let (port, token, public) = (fake.port, token.display(), root.join(PUBLIC));
    let mut text = format!(
        "[recordings]\non = false\n[web]\nlisten = '127.0.0.1:0'\n[files]\ndir = '{}'\n\
         [lichess]\nround = '1 = AbCd1234, 2 = EfGh5678'\nurl = 'http://localhost:{port}'\ntoken_file = '{token}'\n",
        public.display()
    );
    for (name, model, port) in boards {
        text += &format!("[[board]]\nname = '{name}'\nmodel = '{model}'\nport = '{}'\n", port.display());
    }
    fs::write(&path, text).unwrap();
    path
}

/// The boards, wherever they are plugged in.
pub fn boards(played: PathBuf, learning: PathBuf) -> [(&'static str, &'static str, PathBuf); 2] {
    [(GAME_BOARD, "dgt", played), (CHIPS_BOARD, "certabo", learning)]
}

/// A program under strace.
fn traced(program: &str, log: &Path) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-xx", "-ttt", "-s", "1000000", "-e", &format!("trace={}", trace::CALLS), "-o"]);
    command.arg(log).arg(program);
    command
}

/// Sends a signal to the daemon itself, not to strace, and waits until the trace has ended.
fn end(daemon: Daemon, state: &Path, signal: Signal) {
    let text = fs::read_to_string(state.join("journal.lock")).expect("the lock");
    let pid = text.trim().parse().ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, signal).expect("it runs");
    eventually("the end of the trace", || {
        (!Path::new("/proc").join(daemon.pid().to_string()).join("exe").exists()).then_some(())
    });
}

/// Pawn moves, which cannot be reversed: at this speed, reversed moves look like adjusted pieces.
fn moves(rounds: usize) -> Vec<(&'static str, &'static str)> {
    let steps = "e2e4 e7e5 d2d3 d7d6 a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 a3a4 a6a5 h3h4 h6h5 \
                 b3b4 b6b5 c3c4 c6c5 g3g4 g6g5 f3f4 f6f5 d3d4 d6d5";
    steps.split(' ').map(|step| step.split_at(2)).take(6 + 8 * rounds).collect()
}

/// A board that identifies pieces by their chips.
struct Chips {
    pty: Pty,
    /// The bytes that it sends when it is initialised.
    greeting: Arc<Mutex<Vec<u8>>>,
}

impl Chips {
    fn plugged() -> Chips {
        let (pty, greeting) = (Pty::open(), Arc::<Mutex<Vec<u8>>>::default());
        let (mut master, shared) = (pty.master(), Arc::clone(&greeting));
        // The thread ends with the test's process: nobody may read what it writes.
        std::thread::spawn(move || {
            let mut chunk = [0; 64];
            while let Ok(1..) = master.read(&mut chunk) {
                let bytes = std::mem::take(&mut *shared.lock().unwrap());
                if master.write_all(&bytes).is_err() {
                    return;
                }
            }
        });
        Chips { pty, greeting }
    }

    /// Sets up another set of pieces; White's first move shows the orientation.
    fn put_up(&self, set: u8) {
        let mut set = Set::start(set);
        let start = set.frame().repeat(LEARNING_FRAMES + 1);
        set.carry(Square::E2, Square::E4);
        *self.greeting.lock().unwrap() = [start, set.frame().repeat(LEARNING_FRAMES)].concat();
    }
}

/// The round with this number.
fn round(number: u16) -> Round {
    let (white, black) = PLAYERS;
    let csv = format!("table,white,black,board\n1,{white},{black},{GAME_BOARD}\n2,Cid,Dan,{CHIPS_BOARD}\n3,Eve,Fay,\n");
    Round::read(&csv, Some(number), &TrfOrder::Unknown).unwrap()
}

/// Records the promises.
struct PromiseLog(Vec<TimedPromise>);

impl PromiseLog {
    fn note(&mut self, requested: f64, promise: Promise) {
        self.0.push(TimedPromise { promise, requested, granted: now() });
    }

    async fn load(&mut self, client: &Client, number: u16) {
        let requested = now();
        client.load_round(&serde_json::to_string(&round(number)).unwrap()).await.unwrap();
        self.round(client, requested).await;
    }

    async fn forfeit(&mut self, client: &Client, winner: &str) {
        let requested = now();
        client.set_forfeit(3, winner).await.unwrap();
        self.round(client, requested).await;
    }

    async fn round(&mut self, client: &Client, requested: f64) {
        let round = client.round().await.unwrap().0.expect("it is loaded");
        self.note(requested, Promise::Round(Box::new(round)));
    }

    /// Makes a token while no daemon runs; returns it.
    fn token(&mut self, state: &Path, log: &Path, name: &str) -> String {
        let requested = now();
        let mut command = traced(env!("CARGO_BIN_EXE_touchmovectl"), log);
        let output = command.args(["token", "create", name, "--role", "arbiter", "--state-dir"]).arg(state).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let token = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        self.note(requested, Promise::Token(SecretHash::of(&token)));
        token
    }

    /// Logs in; returns the header line with the cookie.
    async fn log_in(&mut self, port: u16, token: &str) -> String {
        let requested = now();
        let answer = web::post(port, "/api/login", "", &json!({ "token": token })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        self.note(requested, Promise::Session(session(&answer)));
        answer.cookie()
    }

    async fn log_out(&mut self, port: u16, cookie: &str) {
        let requested = now();
        assert_eq!(web::post(port, "/api/logout", cookie, &json!({})).await.status, 200);
        let secret = cookie.trim().rsplit('=').next().unwrap();
        self.note(requested, Promise::LoggedOut(SecretHash::of(secret)));
    }
}

/// The hash of the session that began with this reply.
fn session(answer: &Answer) -> SecretHash {
    SecretHash::of(answer.cookie().trim().rsplit('=').next().unwrap())
}

/// Plays a game in several runs, each of which one of these signals ends.
pub async fn record(bus: &PrivateBus, rounds: usize, ends: &[Signal]) -> RecordedRun {
    let (dir, logs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    let root = root.canonicalize().unwrap();
    let state = root.join(STATE);
    let (board, chips, fake) = (Board::plugged(), Chips::plugged(), Fake::start().await);
    let config = configure(dir.path(), &root, &fake, &boards(board.path(), chips.pty.path()));
    let client = client(bus, Stream::Live).await;
    let published = Arc::new(Mutex::new(PublicationTimes::new()));
    let mut watch = client.watch().await.unwrap();
    let shared = Arc::clone(&published);
    let watcher = tokio::spawn(async move {
        while let Some(item) = watch.next().await {
            if let WatchItem::Happened(event) = item
                && let (Some(game), Some(number)) = (event.game, event.number)
            {
                shared.lock().unwrap().entry((game, number)).or_insert(now());
            }
        }
    });
    let mut promises = PromiseLog(Vec::new());
    let mut reader = trace::Reader::new(&root);
    let mut token = None;
    let mut played = 0;
    let moves = moves(rounds);
    for (run, signal) in ends.iter().enumerate() {
        if run == 1 {
            let log = logs.path().join("token");
            token = Some(promises.token(&state, &log, "Anna"));
            reader.read(&fs::read_to_string(log).expect("a trace"));
        }
        chips.put_up(run as u8 + 1);
        let args = ["--bus", &bus.address(), "--state-dir", state.to_str().unwrap(), "--config", config.to_str().unwrap()];
        let log = logs.path().join(run.to_string());
        let daemon = Daemon::run(traced(env!("CARGO_BIN_EXE_touchmoved"), &log), &args);
        daemon.ready();
        board.wait_read();
        let on_board = async || client.snapshot().await.unwrap().games.into_iter().rfind(|game| game.board == GAME_BOARD);
        let game = until("a game", on_board).await.id;
        if run == 0 {
            promises.load(&client, 1).await;
        }
        let mut cookies = Vec::new();
        if let Some(token) = &token {
            let port = web::port_of(&daemon).await;
            for _ in 0..2 {
                cookies.push((port, promises.log_in(port, token).await));
            }
        }
        let run_moves = &moves[run * moves.len() / ends.len()..(run + 1) * moves.len() / ends.len()];
        for (index, (from, to)) in run_moves.iter().enumerate() {
            board.play(from, to);
            played += 1;
            let moves = async || on_board().await.is_some_and(|game| game.moves.len() == played).then_some(());
            until("the move", moves).await;
            if index == run_moves.len() / 2 {
                promises.forfeit(&client, ["white", "black"][run % 2]).await;
                if let Some((port, cookie)) = cookies.pop() {
                    promises.log_out(port, &cookie).await;
                }
            }
        }
        let chips_file = state.join("calibration").join(format!("{CHIPS_BOARD}.chips"));
        let sets = || fs::read_to_string(&chips_file).ok().filter(|text| text.lines().count() >= 32 * (run + 1));
        until("the set to be known", async || sets()).await;
        let players = (PLAYERS.0.to_owned(), PLAYERS.1.to_owned());
        let sent = || fake.games().get(&players).is_some_and(|game| game.moves.len() == played);
        until("the moves on Lichess", async || sent().then_some(())).await;
        if run + 1 == ends.len() {
            client.send_command(game, &Order::Result { result: Some(GameResult::Draw) }).await.unwrap();
            promises.load(&client, 2).await;
        }
        // The fake Lichess and the bus must keep running meanwhile.
        let (state_dir, signal) = (state.clone(), *signal);
        tokio::task::spawn_blocking(move || end(daemon, &state_dir, signal)).await.unwrap();
        reader.read(&fs::read_to_string(log).expect("a trace"));
    }
    watcher.abort();
    fake.assert_no_errors();
    let disk = Disk::new(&root, reader.operations);
    // The model of the disk agrees with the real files.
    let tree = disk.after(disk.operations.len(), super::disk::Fate::Kept);
    for (path, bytes) in &tree.files {
        let content = fs::read(root.join(path));
        assert!(content.is_ok_and(|content| content == *bytes), "{} differs from the trace", path.display());
    }
    let expected =
        ["public.json", "desk.json", "tokens.json", "sessions.json", "journal.marks.json"].map(|name| name.to_owned());
    for name in
        expected.into_iter().chain([format!("calibration/{CHIPS_BOARD}.chips"), "lichess/AbCd1234/game-1.json".to_owned()])
    {
        assert!(tree.files.contains_key(&Path::new(STATE).join(&name)), "{name} was never written");
    }
    let journal = Journal::open(&state).unwrap().0;
    let games = journal.games().unwrap().into_iter().map(|game| (game.id, journal.events(game.id, 0).unwrap())).collect();
    let (published, replacements) = (published.lock().unwrap().clone(), disk.replacements());
    RecordedRun { disk, published, promises: promises.0, games, replacements }
}

impl RecordedRun {
    /// The same on a disk that ignores syncs.
    pub fn without_syncs(&self) -> RecordedRun {
        let operations = self.disk.operations.iter().cloned().map(|mut timed| {
            if let Operation::Sync(_, before) | Operation::SyncNames(_, before) = &mut timed.operation {
                *before = 0;
            }
            timed
        });
        let disk = Disk::new(self.disk.root(), operations.collect());
        let (published, promises, games) = (self.published.clone(), self.promises.clone(), self.games.clone());
        RecordedRun { disk, published, promises, games, replacements: self.replacements.clone() }
    }
}
