//! This version reads what earlier versions wrote: state directories, configurations and recordings, in a folder for each version below
//! `tests/data/upgrade`.
//!
//! `expected` in a folder is what its version published of them. Where a published word is changed on purpose,
//! `UPDATE=1 cargo test upgrade` writes `expected` anew; nothing but that word may change. All other files of a folder stay as they are
//! for ever. [`make`] writes the folder of the present version.

mod make;

use crate::front_ends::lichess::fake::{Fake, TOKEN};
use crate::front_ends::lichess::keep_secret;
use crate::front_ends::web::{TLS_DATA, port_of, send_encrypted_request};
use crate::harness::hall::{client, made, owned};
use crate::harness::{Board, Daemon, PrivateBus, Pty, until};
use rustix::fs::{OFlags, fcntl_setfl};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use touchmove::daemon::journal::Archive;
use touchmove::publish::client::{Client, EventWatcher, GameInfo, Snapshot};
use touchmove::publish::dbus::Stream;
use touchmove::wire;

const FOLDERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/upgrade");
/// In a folder: what its version published.
const EXPECTED: &str = "expected";
/// In a folder: the secrets of a token and a session, and how games in progress go on.
const GIVEN: &str = "given.json";
/// The time from one frame of a Certabo to the next.
const FRAME: Duration = Duration::from_millis(100);

/// Texts of files, by their paths below [`EXPECTED`].
type Files = BTreeMap<String, String>;

/// The folders, one for each version.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(FOLDERS).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    folders
}

/// Compares a text with a committed file, or writes the file.
#[track_caller]
fn compare(path: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        write(path, text);
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    let same = committed.lines().zip(text.lines()).take_while(|(committed, now)| committed == now).count();
    assert!(
        committed == text,
        "{} has another content, from line {}:\n{:?}\nnow:\n{:?}\nIf a word was changed on purpose: `UPDATE=1 cargo test upgrade`",
        path.display(),
        same + 1,
        committed.lines().nth(same),
        text.lines().nth(same)
    );
}

/// Writes a file and the directory that it is in.
fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Copies a directory with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &to) } else { _ = fs::copy(&path, to).unwrap() }
    }
}

/// Runs touchmovectl; returns what it printed.
fn ctl(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_touchmovectl")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What touchmoved runs with: a directory for everything that its configuration names, a bus, and a fake Lichess.
struct Installation {
    lichess: Fake,
    bus: PrivateBus,
    dir: TempDir,
}

impl Installation {
    /// Creates one with this configuration. If there can be no bus, prints that and returns `None`.
    async fn new(config: &str) -> Option<Installation> {
        let installation =
            Installation { lichess: Fake::start().await, bus: PrivateBus::start()?, dir: tempfile::tempdir().unwrap() };
        let run_dir = installation.dir.path().to_str().unwrap();
        let config = config.replace("RUN_DIR", run_dir).replace("LICHESS_PORT", &installation.lichess.port.to_string());
        fs::write(installation.path("touchmoved.toml"), config).unwrap();
        symlink(installation.bus.address().strip_prefix("unix:path=").unwrap(), installation.path("bus.sock")).unwrap();
        fs::copy(format!("{TLS_DATA}/one.cert.pem"), installation.path("cert.pem")).unwrap();
        keep_secret(&installation.path("key.pem"), &fs::read_to_string(format!("{TLS_DATA}/one.key.pem")).unwrap());
        keep_secret(&installation.path("lichess.token"), TOKEN);
        Some(installation)
    }

    /// Creates one with the configuration and the state of this folder.
    async fn of(folder: &Path) -> Option<Installation> {
        let installation = Installation::new(&fs::read_to_string(folder.join("touchmoved.toml")).unwrap()).await?;
        copy(&folder.join("state"), &installation.path("state"));
        // Git keeps no other modes.
        let secret = |name: &str| keep_secret(&installation.path(name), &fs::read_to_string(installation.path(name)).unwrap());
        ["state/tokens.json", "state/sessions.json"].into_iter().for_each(secret);
        Some(installation)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Plugs a board in at the port that the configuration names.
    fn plug(&self, name: &str, port: &Path) {
        symlink(port, self.path(name)).unwrap();
    }

    fn start(&self) -> Daemon {
        let daemon = Daemon::start(&["--config", self.path("touchmoved.toml").to_str().unwrap()]);
        daemon.ready();
        daemon
    }
}

/// The names of all squares, from a1, as in property `Placement` of a board.
fn square_names() -> impl Iterator<Item = String> {
    ('1'..='8').flat_map(|rank| ('a'..='h').map(move |file| format!("{file}{rank}")))
}

/// A DGT board on which these pieces are, not plugged in anywhere yet.
fn dgt(placement: &str) -> Board {
    let board = Board::plugged();
    square_names().zip(placement.chars()).for_each(|(name, piece)| board.put_unseen(&name, piece));
    board
}

/// What the antenna of a square reads.
type Chip = [u8; 5];

/// The chips of a set, by the letters of their pieces.
type Chips = BTreeMap<char, Vec<Chip>>;

/// The set that was learned: a line for each chip, its numbers and the letter of its piece.
fn known_set(calibration: &str) -> Chips {
    let mut chips = Chips::new();
    for line in calibration.lines() {
        let (chip, piece) = line.rsplit_once(' ').unwrap();
        let chip: Vec<u8> = chip.split(' ').map(|number| number.parse().unwrap()).collect();
        chips.entry(piece.parse().unwrap()).or_default().push(chip.try_into().unwrap());
    }
    chips
}

/// A Certabo on a pseudo-terminal, which sends a frame again and again.
struct Certabo {
    pty: Pty,
    squares: Arc<Mutex<Vec<Option<Chip>>>>,
    stop: Option<mpsc::Sender<()>>,
    sender: Option<JoinHandle<()>>,
}

impl Certabo {
    /// With pieces of this set.
    fn new(mut set: Chips, placement: &str) -> Certabo {
        let squares: Vec<_> = placement.chars().map(|piece| set.get_mut(&piece)?.pop()).collect();
        let (pty, squares) = (Pty::open(), Arc::new(Mutex::new(squares)));
        let (stop, stopped) = mpsc::channel();
        let (mut master, seen) = (pty.master(), Arc::clone(&squares));
        // Writing must not block while touchmoved does not read the frames yet.
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        let sender = std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(FRAME) {
                let squares = seen.lock().unwrap().clone();
                // From a8 on.
                let chips = squares.chunks(8).rev().flatten().flat_map(|chip| chip.unwrap_or_default());
                let numbers: Vec<String> = chips.map(|number| number.to_string()).collect();
                let _ = master.write(format!(":{} \r\n", numbers.join(" ")).as_bytes());
            }
        });
        Certabo { pty, squares, stop: Some(stop), sender: Some(sender) }
    }

    fn path(&self) -> PathBuf {
        self.pty.path()
    }

    /// Plays a move without a capture.
    fn play(&self, from: &str, to: &str) {
        let at = |square: &str| square_names().position(|name| name == square).unwrap();
        let mut squares = self.squares.lock().unwrap();
        let chip = squares[at(from)].take();
        squares[at(to)] = chip;
    }
}

impl Drop for Certabo {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(sender) = self.sender.take() {
            sender.join().unwrap();
        }
    }
}

/// The games and pairings that a service publishes, without texts for users.
async fn published(client: &Client, public: &Client) -> String {
    let snapshot = client.snapshot().await.unwrap();
    let (round, tables) = client.round().await.unwrap();
    let games: Vec<Value> = snapshot.games.iter().map(game).collect();
    let game = |game: &GameInfo| json!({"id": game.id, "tags": game.tags, "moves": sans(game), "result": game.result});
    let public: Vec<Value> = public.snapshot().await.unwrap().games.iter().map(game).collect();
    let Snapshot { incarnation, last_good, .. } = snapshot;
    let all = json!({
        "incarnation": incarnation,
        "last_good": last_good,
        "games": games,
        "round": round,
        "tables": tables,
        "public": public,
    });
    serde_json::to_string_pretty(&all).unwrap() + "\n"
}

fn game(game: &GameInfo) -> Value {
    let alerts: Vec<_> = game.alerts.iter().map(|alert| (alert.id, &alert.articles)).collect();
    let faults: Vec<_> = game.faults.iter().map(|(square, fault, _)| (square, fault)).collect();
    let mut value = serde_json::to_value(game).unwrap();
    (value["alerts"], value["faults"]) = (json!(alerts), json!(faults));
    value
}

fn sans(game: &GameInfo) -> Vec<&str> {
    game.moves.iter().map(|played| played.san.as_str()).collect()
}

/// The events of all games in a journal, a file for each.
fn journal(state: &Path) -> Files {
    let journal = Archive::open(state).unwrap();
    let events = |game: u64| journal.events(game).unwrap().iter().map(|event| wire::to_json(event) + "\n").collect();
    journal.games().unwrap().iter().map(|game| (format!("journal/{}.jsonl", game.id), events(game.id))).collect()
}

/// The events that the recordings of a folder replay to, a file for each.
fn replays(folder: &Path) -> Files {
    let mut files = Files::new();
    for dir in ["recordings", "state/recordings"] {
        for entry in fs::read_dir(folder.join(dir)).unwrap() {
            let path = entry.unwrap().path();
            let args = ["replay", "--json", path.to_str().unwrap()];
            let output = Command::new(env!("CARGO_BIN_EXE_touchmovectl")).args(args).output().unwrap();
            // Recordings of boards that were never connected have no game, which is an error.
            let events = String::from_utf8(output.stdout).unwrap();
            files.insert(format!("{dir}/{}.jsonl", path.file_stem().unwrap().to_str().unwrap()), events);
        }
    }
    files
}

/// Compares files with all files in this subdirectory of a folder.
fn compare_all(folder: &Path, subdirectory: &str, mut files: Files) {
    files.retain(|name, _| Path::new(name).parent() == Some(Path::new(subdirectory)));
    files.iter().for_each(|(name, text)| compare(&folder.join(EXPECTED).join(name), text));
    let count = fs::read_dir(folder.join(EXPECTED).join(subdirectory)).unwrap().count();
    assert_eq!(files.len(), count, "in {subdirectory} of {}", folder.display());
}

/// Writes the present time for every time in the sessions: they expire when they are not used for a day.
fn renew_sessions(state: &Path) {
    let path = state.join("sessions.json");
    let mut sessions = read_json(&path);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    let fields = sessions.as_array_mut().unwrap().iter_mut().flat_map(|session| session.as_object_mut().unwrap().values_mut());
    fields.filter(|value| value.is_i64()).for_each(|time| *time = now.into());
    fs::write(&path, sessions.to_string()).unwrap();
}

/// What is in [`GIVEN`].
#[derive(Serialize, Deserialize)]
struct Given {
    /// A token, and who has it.
    token: String,
    name: String,
    /// The cookie of a session that began by it.
    cookie: String,
    /// The games on the boards `hall_1`, which is a DGT board with a clock, and `hall_2`, a Certabo.
    dgt: InProgress,
    certabo: InProgress,
}

/// A game in progress: its number, what is on its board, and the next move.
#[derive(Serialize, Deserialize)]
struct InProgress {
    game: u64,
    placement: String,
    from: String,
    to: String,
    san: String,
}

impl InProgress {
    /// Plays the next move, and waits until it is published in this game.
    async fn play_next_move(&self, watch: &mut EventWatcher, play: impl FnOnce(&str, &str)) {
        play(&self.from, &self.to);
        assert_eq!(made(watch, &self.san).await.game, Some(self.game), "{} is a move of another game", self.san);
    }
}

#[tokio::test]
async fn the_state_of_an_earlier_version_is_read() {
    for folder in folders() {
        println!("{}", folder.display());
        let Some(installation) = Installation::of(&folder).await else { return };
        let state = installation.path("state");
        renew_sessions(&state);
        let given: Given = serde_json::from_str(&fs::read_to_string(folder.join(GIVEN)).unwrap()).unwrap();
        let dgt = dgt(&given.dgt.placement);
        let set = known_set(&fs::read_to_string(state.join("calibration/hall_2.chips")).unwrap());
        let certabo = Certabo::new(set, &given.certabo.placement);
        installation.plug("hall_1", &dgt.path());
        installation.plug("hall_2", &certabo.path());
        let daemon = installation.start();
        let (client, public) =
            (client(&installation.bus, Stream::Live).await, client(&installation.bus, Stream::Broadcast).await);
        owned(&public).await;
        let mut watch = client.watch().await.unwrap();

        let path = folder.join(EXPECTED).join("published.json");
        let expected = read_json(&path);
        let [games, public_games] = ["games", "public"].map(|key| expected[key].as_array().unwrap().len());
        until("all games", async || {
            let [live, public] = [client.snapshot().await.unwrap(), public.snapshot().await.unwrap()];
            (live.games.len() >= games && public.games.len() >= public_games).then_some(())
        })
        .await;
        compare_all(&folder, "journal", journal(&state));
        compare(&path, &published(&client, &public).await);

        let port = port_of(&daemon).await;
        let by = [format!("Cookie: {}\r\n", given.cookie), format!("Authorization: Bearer {}\r\n", given.token)];
        for by in by {
            let seen = send_encrypted_request(port, "one", "GET /api/state", &by, "").await.unwrap().json();
            assert_eq!((&seen["who"]["name"], &seen["who"]["role"]), (&json!(given.name), &json!("arbiter")), "{by}");
        }

        // Lichess receives the rest of both rounds: what the public sees, up to moves that are not legal.
        until("the games on Lichess", async || (installation.lichess.games().len() == 7).then_some(())).await;
        let (shown, sent) = (public.snapshot().await.unwrap().games, installation.lichess.games());
        for game in shown.iter().filter(|game| game.tags.contains_key("Table")) {
            let sent = &sent[&(game.tags["White"].clone(), game.tags["Black"].clone())];
            let legal = game.moves.iter().take_while(|played| !played.irregular).map(|played| &played.san);
            assert!(sent.moves.iter().map(|(san, _)| san).eq(legal) && sent.result == game.result, "{game:?}, not {sent:?}");
        }

        // The pieces of the Certabo are known, though no start position has been on it.
        let known = async || {
            let boards = client.snapshot().await.unwrap().boards;
            boards.iter().any(|board| board.placement == given.certabo.placement).then_some(())
        };
        until("the pieces of the Certabo", known).await;
        given.certabo.play_next_move(&mut watch, |from, to| certabo.play(from, to)).await;
        dgt.wait_read();
        let games = client.snapshot().await.unwrap().games;
        let game = games.iter().find(|game| game.id == given.dgt.game).unwrap();
        let (white_moves, last) = (game.fen.contains(" w "), game.moves.last().unwrap());
        let [white, black] = [last.white, last.black].map(|ms| ms as u32 / 1000);
        let play = |from: &str, to: &str| {
            dgt.clock(white, black, white_moves);
            dgt.play(from, to);
            dgt.clock(white, black, !white_moves);
        };
        given.dgt.play_next_move(&mut watch, play).await;

        // The line of boards is not plugged in.
        let nothing_else = async || {
            let problems = client.snapshot().await.unwrap().health_problems;
            problems.iter().all(|(kind, _)| kind == "no_boards").then_some(())
        };
        until("nothing else to be reported", nothing_else).await;
        let log = daemon.log();
        let is_of_state =
            |line: &&str| (line.contains("WARN") || line.contains("ERROR")) && line.contains(state.to_str().unwrap());
        assert_eq!(log.lines().find(is_of_state), None);
        assert!(daemon.terminate().success());
        ctl(&["journal", "verify", "--state-dir", state.to_str().unwrap()]);
    }
}

#[tokio::test]
async fn the_configuration_of_an_earlier_version_is_accepted() {
    for folder in folders() {
        let Some(installation) = Installation::of(&folder).await else { return };
        let config = installation.path("touchmoved.toml");
        let args = ["--check-config", "--config", config.to_str().unwrap()];
        let output = Command::new(env!("CARGO_BIN_EXE_touchmoved")).args(args).output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let is_clean = printed.lines().count() == 1 && !printed.contains("warning");
        assert!(output.status.success() && is_clean, "{printed}");
    }
}

#[test]
fn the_recordings_of_an_earlier_version_replay_alike() {
    for folder in folders() {
        let replays = replays(&folder);
        ["recordings", "state/recordings"].into_iter().for_each(|dir| compare_all(&folder, dir, replays.clone()));
    }
}
