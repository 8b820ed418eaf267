//! A hall: machines with boards, their hub, and a real NATS server between them.

mod attacks;
mod campaign;
mod commands;
mod games;

use crate::harness::hall::{client, owned};
use crate::harness::nats::NatsServer;
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, until};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use touchmove::daemon::journal;
use touchmove::hall::setup::paths::HallFiles;
use touchmove::hall::setup::registry::{LockedRegistry, Registry};
use touchmove::publish::client::{Client, GameInfo};
use touchmove::publish::dbus::Stream;

/// The name of the hall.
const HALL: &str = "open-2026";

/// A touchmoved with its bus, its state and its configuration. The fields are in the order in which they must be dropped.
struct Node {
    client: Client,
    daemon: Option<Daemon>,
    bus: PrivateBus,
    state: TempDir,
    config: TempDir,
    /// The port of its board, or a path at which there is none.
    port: std::path::PathBuf,
}

impl Node {
    /// Starts a touchmoved with this configuration and board; returns `None`, with a message, if no bus can be started.
    async fn start(config: &str, port: &Path) -> Option<Node> {
        let bus = PrivateBus::start()?;
        let (state, config_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(config_dir.path().join("touchmoved.toml"), config).unwrap();
        let client = client(&bus, Stream::Live).await;
        Some(Node { client, daemon: None, bus, state, config: config_dir, port: port.to_owned() })
    }

    /// Starts its touchmoved, or starts it again.
    async fn run(&mut self) {
        let config = self.config.path().join("touchmoved.toml");
        let daemon = Daemon::on(&self.bus, self.state.path(), &self.port, &["--config", config.to_str().unwrap()]);
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
    let url = server.url();
    let mut node =
        Node::start(&format!("[hall]\nserve = true\nurl = '{url}'\n{extra}"), Path::new("/nonexistent/board")).await?;
    let files = HallFiles::of(node.state.path());
    files.create_dir().unwrap();
    let registry = Registry::new(HALL, server.port(), 1 << 30, String::new()).unwrap();
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
        let board = Board::plugged();
        let config = format!("[hall]\nhub = 'nats://127.0.0.1:{port}'\nmachine = '{name}'\n");
        let mut node = Node::start(&config, &board.path()).await?;
        node.run().await;
        board.wait_read();
        Some(Machine { node, board, name: name.to_owned() })
    }

    /// The name of its board at the hub.
    fn board_at_hub(&self) -> String {
        format!("{}_dgt_board", self.name.replace('-', "_"))
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
    let end = Instant::now() + PATIENCE;
    let (own, at_hub) = loop {
        let (own, at_hub) = (events(machine.node.state.path(), None), events(hub.state.path(), Some(&machine.name)));
        if own == at_hub && !own.is_empty() {
            return;
        }
        if Instant::now() > end {
            break (own, at_hub);
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let count = |events: &Events| events.iter().map(|(game, events)| (game.clone(), events.len())).collect::<Vec<_>>();
    panic!("{}: the machine has {:?}, the hub {:?}", machine.name, count(&own), count(&at_hub));
}
