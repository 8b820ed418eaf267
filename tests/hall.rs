//! A hall: machines with boards, their hub, and a real NATS server between them.

mod attacks;
mod campaign;
mod commands;
mod continuation;
mod desk;
mod doctor;
mod events;
mod games;
mod presence;
mod simulate;
mod stand_in;
mod takeover;
mod versions;

use crate::daemon::disk::SmallDisk;
use crate::daemon::time_of_day::TimeOfDay;
use crate::harness::hall::{client, owned};
use crate::harness::nats::NatsServer;
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, until};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use touchmove::daemon::journal;
use touchmove::hall::setup::paths::HallFiles;
use touchmove::hall::setup::registry::{LockedRegistry, Registry};
use touchmove::hall::subject::Bucket;
use touchmove::publish::client::{Client, GameInfo, Snapshot};
use touchmove::publish::dbus::Stream;

/// The name of the hall.
const HALL: &str = "open-2026";

/// A state directory: one of this machine's disk, or a small disk of its own.
enum State {
    Directory(TempDir),
    Disk(SmallDisk),
}

impl State {
    fn path(&self) -> &Path {
        match self {
            State::Directory(dir) => dir.path(),
            State::Disk(disk) => disk.path(),
        }
    }
}

/// A touchmoved with its bus, its state and its configuration. The fields are in the order in which they must be dropped.
struct Node {
    client: Client,
    daemon: Option<Daemon>,
    bus: PrivateBus,
    state: State,
    config: TempDir,
    /// Its time of day, if that can be set.
    time: Option<TimeOfDay>,
    /// The port of its board, or a path at which there is none; `None`: the configuration names its boards.
    port: Option<std::path::PathBuf>,
}

impl Node {
    /// Starts a touchmoved with this configuration and board; returns `None`, with a message, if no bus can be started.
    async fn start(config: &str, port: Option<&Path>) -> Option<Node> {
        Node::start_in(State::Directory(tempfile::tempdir().unwrap()), config, port).await
    }

    /// As [`Node::start`], with this state directory.
    async fn start_in(state: State, config: &str, port: Option<&Path>) -> Option<Node> {
        let bus = PrivateBus::start()?;
        let config_dir = tempfile::tempdir().unwrap();
        std::fs::write(config_dir.path().join("touchmoved.toml"), config).unwrap();
        let client = client(&bus, Stream::Live).await;
        Some(Node { client, daemon: None, bus, state, config: config_dir, time: None, port: port.map(Path::to_owned) })
    }

    /// Starts its touchmoved, or starts it again.
    async fn run(&mut self) {
        let config = self.config.path().join("touchmoved.toml");
        let config = config.to_str().unwrap();
        let command = match &mut self.time {
            None => Command::new(env!("CARGO_BIN_EXE_touchmoved")),
            Some(time) => {
                time.tidy_up();
                time.touchmoved()
            }
        };
        let daemon = match &self.port {
            Some(port) => Daemon::on_with(command, &self.bus, self.state.path(), port, &["--config", config]),
            None => {
                let state = self.state.path().to_str().unwrap();
                Daemon::run(command, &["--bus", &self.bus.address(), "--state-dir", state, "--config", config])
            }
        };
        if let Some(time) = &mut self.time {
            time.note(&daemon);
        }
        daemon.ready();
        self.daemon = Some(daemon);
        owned(&self.client).await;
    }

    /// Kills its touchmoved, as `kill -9` does.
    fn kill(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            daemon.kill();
        }
    }

    /// Stops its touchmoved in order.
    fn stop(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            assert!(daemon.terminate().success());
        }
    }
}

/// The hub of the hall.
async fn hub(server: &NatsServer, extra: &str) -> Option<Node> {
    hub_at(server.port(), extra, 1 << 30).await
}

/// The hub of the hall, whose server is at this port and may store this number of bytes.
async fn hub_at(port: u16, extra: &str, store_bytes: u64) -> Option<Node> {
    hub_in(State::Directory(tempfile::tempdir().unwrap()), port, extra, store_bytes).await
}

/// As [`hub_at`], with this state directory.
async fn hub_in(state: State, port: u16, extra: &str, store_bytes: u64) -> Option<Node> {
    hub_with(state, port, &format!("serve = true\n{extra}"), store_bytes).await
}

/// As [`hub_in`], with these keys of the hall.
async fn hub_with(state: State, port: u16, keys: &str, store_bytes: u64) -> Option<Node> {
    let config = format!("[hall]\nurl = 'nats://127.0.0.1:{port}'\n{keys}");
    let mut node = Node::start_in(state, &config, Some(Path::new("/nonexistent/board"))).await?;
    let files = HallFiles::of(node.state.path());
    files.create_dir().unwrap();
    let registry = Registry::new(HALL, port, store_bytes, String::new()).unwrap();
    LockedRegistry::lock(&files).unwrap().save(&registry).unwrap();
    node.run().await;
    Some(node)
}

/// A machine of the hall with one board.
struct Machine {
    node: Node,
    board: Board,
    name: String,
}

impl Machine {
    /// Starts a machine that connects to this port of this computer.
    async fn start(name: &str, port: u16) -> Option<Machine> {
        Machine::start_in(State::Directory(tempfile::tempdir().unwrap()), name, port).await
    }

    /// As [`Machine::start`], with this state directory.
    async fn start_in(state: State, name: &str, port: u16) -> Option<Machine> {
        let board = Board::plugged();
        let config = format!("[hall]\nhub = 'nats://127.0.0.1:{port}'\nmachine = '{name}'\n");
        let mut node = Node::start_in(state, &config, Some(&board.path())).await?;
        node.run().await;
        board.wait_read();
        Some(Machine { node, board, name: name.to_owned() })
    }

    /// The name of its board at the hub.
    fn board_at_hub(&self) -> String {
        format!("{}_dgt_board", self.name.replace('-', "_"))
    }

    /// Starts a copy of its card in another machine, waits until one of the two says so, and stops the copy.
    async fn copy_card(&self, server: &NatsServer) {
        // Of two that are new to the server, either may be the first, and send what only it has recorded.
        until(&format!("{} has its name", self.name), async || {
            let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.ok()?);
            let stream = context.get_stream(Bucket::Here.stream()).await.ok()?;
            let here = stream.get_last_raw_message_by_subject(&Bucket::Here.subject(&self.name)).await.ok()?;
            let here: serde_json::Value = serde_json::from_slice(&here.payload).ok()?;
            here["boot"].as_str().is_some_and(|boot| !boot.is_empty()).then_some(())
        })
        .await;
        let config = std::fs::read_to_string(self.node.config.path().join("touchmoved.toml")).unwrap();
        let nowhere = Path::new("/nonexistent/board");
        let Some(copy) = Node::start(&config, Some(nowhere)).await else { return };
        let journal =
            Connection::open_with_flags(self.node.state.path().join(journal::FILE_NAME), OpenFlags::SQLITE_OPEN_READ_ONLY);
        let to = copy.state.path().join(journal::FILE_NAME);
        journal.unwrap().execute("VACUUM INTO ?1", [to.to_str().unwrap()]).unwrap();
        let boot = copy.config.path().join("boot_id");
        std::fs::write(&boot, "11111111-2222-3333-4444-555555555555\n").unwrap();
        let config = copy.config.path().join("touchmoved.toml");
        let arguments = ["--config", config.to_str().unwrap()];
        let daemon = Daemon::on_with(with_boot_id(&boot), &copy.bus, copy.state.path(), nowhere, &arguments);
        daemon.ready();
        owned(&copy.client).await;
        until(&format!("the copy of {} says so", self.name), async || {
            // Either may be the first after the server has forgotten them.
            let has_said = |snapshot: &Snapshot| snapshot.health_problems.iter().any(|(kind, _)| kind == "hall_copy");
            let (one, other) = (copy.client.snapshot().await.ok()?, self.node.client.snapshot().await.ok()?);
            (has_said(&one) || has_said(&other)).then_some(())
        })
        .await;
        assert!(daemon.terminate().success());
    }

    /// Waits until its game has this number of moves.
    async fn made(&self, moves: usize) {
        until(&format!("{moves} moves at {}", self.name), async || {
            let snapshot = self.node.client.snapshot().await.ok()?;
            (snapshot.games.last()?.moves.len() == moves).then_some(())
        })
        .await;
    }
}

/// The file by which Linux identifies a boot.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Returns the command of touchmoved on a machine that seems to have booted at another time. `file`: has the identifier.
fn with_boot_id(file: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &format!("mount --bind \"$0\" {BOOT_ID} && exec \"$@\"")]);
    command.arg(file).arg(env!("CARGO_BIN_EXE_touchmoved"));
    command
}

/// Whether a program can be made to see another boot, which only root may.
static CAN_SEEM_ANOTHER: LazyLock<bool> = LazyLock::new(|| {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("mount --bind \"$0\" {BOOT_ID}");
    let status = Command::new("unshare").args(["--mount", "sh", "-c", &script]).arg(file.path()).output();
    status.is_ok_and(|output| output.status.success())
});

/// Waits until a touchmoved has a health problem of this kind whose sentence contains a text, or none of this kind (`None`).
async fn problem(node: &Node, kind: &str, text: Option<&str>) {
    until(&format!("health problem {kind}: {text:?}"), async || {
        let problems = node.client.snapshot().await.ok()?.health_problems;
        let sentence = problems.iter().find(|(found, _)| found == kind).map(|(_, sentence)| sentence);
        let is_reached = match (sentence, text) {
            (Some(sentence), Some(text)) => sentence.contains(text),
            (None, None) => true,
            _ => false,
        };
        is_reached.then_some(())
    })
    .await;
}

/// Waits until the game on a board has this number of moves at the hub; returns it.
async fn shown(hub: &Node, board: &str, moves: usize) -> GameInfo {
    until(&format!("{moves} moves on {board} at the hub"), async || {
        let snapshot = hub.client.snapshot().await.ok()?;
        let id = snapshot.boards.iter().find(|info| info.id == board)?.game?;
        snapshot.games.into_iter().find(|game| game.id == id && game.moves.len() == moves)
    })
    .await
}

/// The events of games, by the journal in which each game began and its number there: number, time of day and text of each.
type Events = BTreeMap<(String, i64), Vec<(i64, i64, String)>>;

/// Reads the events of a journal: those of its own games, or those of another machine.
fn events(state: &Path, machine: Option<&str>) -> Events {
    const OWN: &str = "
        SELECT (SELECT id FROM incarnation WHERE first_game <= event.game ORDER BY number DESC LIMIT 1), event.game,
               event.number, event.wall_ms, event.event
        FROM event WHERE event.game NOT IN (SELECT game FROM remote_game) AND ?1 IS NULL ORDER BY event.game, event.number";
    const REMOTE: &str = "
        SELECT journal, remote_game.remote_game, event.number, event.wall_ms, event.event
        FROM event JOIN remote_game USING (game) WHERE machine = ?1 ORDER BY event.game, event.number";
    let file = state.join(journal::FILE_NAME);
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    let mut statement = connection.prepare(if machine.is_some() { REMOTE } else { OWN }).unwrap();
    let mut rows = statement.query([machine]).unwrap();
    let mut events = Events::new();
    while let Some(row) = rows.next().unwrap() {
        let game = (row.get(0).unwrap(), row.get(1).unwrap());
        events.entry(game).or_default().push((row.get(2).unwrap(), row.get(3).unwrap(), row.get(4).unwrap()));
    }
    events
}

/// Waits until every event of a machine is in the journal of the hub: equal, once and in order.
fn wait_equal(hub: &Node, machine: &Machine) {
    wait_equal_to(hub, &machine.name, || events(machine.node.state.path(), None));
}

/// As [`wait_equal`], for a machine of this name whose events `own` reads.
fn wait_equal_to(hub: &Node, name: &str, own: impl Fn() -> Events) {
    let end = Instant::now() + PATIENCE;
    let (own, at_hub) = loop {
        let (own, at_hub) = (own(), events(hub.state.path(), Some(name)));
        if own == at_hub && !own.is_empty() {
            return;
        }
        if Instant::now() > end {
            break (own, at_hub);
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let count = |events: &Events| events.iter().map(|(game, events)| (game.clone(), events.len())).collect::<Vec<_>>();
    panic!("{name}: the machine has {:?}, the hub {:?}", count(&own), count(&at_hub));
}
