//! The hub of the hall as a process of its own, as in a hall, so that its memory and its processor time can be measured.

use super::common::harness::nats::NatsServer;
use super::{HALL, on_a_thread};
use rustix::time::{ClockId, clock_gettime};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use touchmove::config::Config;
use touchmove::daemon::hub::Update;
use touchmove::daemon::hub::feed::{Received, UpdateFeed};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::live_config::StartConfig;
use touchmove::daemon::{DelayedView, Hub, LiveConfig, Stop};
use touchmove::hall::connection::Endpoint;
use touchmove::hall::receiver::{self, ReceiverContext};
use touchmove::hall::setup::paths::HallFiles;
use touchmove::hall::setup::registry::Registry;
use touchmove::hall::subject::HUB;
use touchmove::publish::FrontEnd;
use touchmove::publish::dbus::Bus;
use touchmove::publish::front_end::{self, start_all};
use touchmove::publish::livechess::LiveChessFrontEnd;
use touchmove::publish::web::WebFrontEnd;

/// The argument with which this program is the hub.
pub const ARGUMENT: &str = "--hub";

const FRONT_ENDS: &[&dyn FrontEnd] = &[&LiveChessFrontEnd, &WebFrontEnd];

/// An event that was published, or that a client has received.
pub struct Seen {
    /// The board, as the hub calls it.
    pub board: String,
    /// The number of the event in its game.
    pub number: u64,
    /// When, as [`now`] counts.
    pub at: Duration,
}

/// Returns the time of a clock that is the same for all processes.
pub fn now() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    Duration::new(now.tv_sec.try_into().expect("not negative"), now.tv_nsec.try_into().expect("less than a second"))
}

/// Passes on the events of a hub until nobody wants them. `prefix`: what precedes the names of its boards.
pub async fn watch_events(mut updates: UpdateFeed, prefix: String, to: impl Fn(Seen) -> bool) {
    while let Some(received) = updates.next().await {
        if let Received::Update(Update::Event(event)) = received
            && let Some(number) = event.stamped.number
            && !to(Seen { board: format!("{prefix}{}", event.board), number, at: now() })
        {
            return;
        }
    }
}

/// What the hub of a hall needs.
pub fn receiver_context(port: u16, hub: Arc<Hub>, dir: &Path, stop: Stop) -> ReceiverContext {
    ReceiverContext {
        hub,
        endpoint: Endpoint { url: format!("nats://127.0.0.1:{port}"), ca: None, seed: None, machine: HUB.to_owned() },
        registry: Registry::new(HALL, port, 2 << 30, String::new()).expect("a valid name"),
        files: HallFiles::of(dir),
        term: Arc::default(),
        stop,
    }
}

/// A running hub, with its page and its LiveChess server. Dropping it kills it.
pub struct HubProcess {
    child: Child,
    dir: TempDir,
    /// The ports of the page and of the LiveChess server.
    pub web: u16,
    pub livechess: u16,
    /// Its events.
    pub events: mpsc::UnboundedReceiver<Seen>,
}

impl HubProcess {
    pub fn start(server: &NatsServer) -> HubProcess {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let [web, livechess] = free.map(|listener| listener.local_addr().expect("an address").port());
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .arg(ARGUMENT)
            .arg(server.port().to_string())
            .arg(dir.path())
            .args([web, livechess].map(|port| port.to_string()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the hub starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (to, events) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let mut parts = line.split(' ');
                let mut part = || parts.next().expect("a line has three parts");
                let (board, number, at) = (part().to_owned(), part(), part());
                let at = Duration::from_nanos(at.parse().expect("a time"));
                let _ = to.send(Seen { board, number: number.parse().expect("a number"), at });
            }
        });
        HubProcess { child, dir, web, livechess, events }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its state directory.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for HubProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the hub in this process. It ends when its input ends.
pub fn run(mut arguments: impl Iterator<Item = String>) {
    let mut argument = || arguments.next().expect("an argument");
    let (server, dir) = (argument().parse().expect("a port"), PathBuf::from(argument()));
    let (web, livechess) = (argument(), argument());
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let text = format!("[web]\nlisten = \"127.0.0.1:{web}\"\n[livechess]\nlisten = \"127.0.0.1:{livechess}\"\n");
        let config = Config::parse(&text).expect("a valid configuration");
        let (journal, _) = Journal::open(&dir).expect("a journal");
        let hub = Hub::new(journal, &[]);
        let delayed_view = DelayedView::new(Arc::clone(&hub), config.delay, config.illegal_moves);
        let start = StartConfig::new(config, &dir.join("touchmoved.toml"), text, &dir);
        let live_config = LiveConfig::new(start, &hub, &delayed_view);
        let (_stop, stopped) = watch::channel(false);
        tokio::spawn(Arc::clone(&delayed_view).run(stopped.clone()));
        let context = front_end::Context {
            hub: Arc::clone(&hub),
            delayed_view,
            live_config,
            front_end_states: Arc::default(),
            login_codes: Arc::default(),
            state_dir: dir.clone(),
            bus: Bus::Session,
            stop: stopped.clone(),
        };
        let _front_ends = start_all(FRONT_ENDS, &context);
        on_a_thread(watch_events(hub.subscribe(), String::new(), |seen| {
            println!("{} {} {}", seen.board, seen.number, seen.at.as_nanos());
            true
        }));
        receiver::run(receiver_context(server, hub, &dir, stopped)).await;
    });
}
