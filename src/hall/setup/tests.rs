//! The registry, and joining a hall on a real nats-server: that of TOUCHMOVE_NATS_SERVER, else the installed one. Without
//! one, the latter tests are skipped.

use super::admission::{self, ALL_REQUESTS, Outcome};
use super::code::{JoinCode, VALIDITY_MS};
use super::join::{JoinError, Joined, join};
use super::paths::HallFiles;
use super::registry::{LockedRegistry, Refusal, Registry};
use super::trust::{TrustedCa, client_config};
use super::{certificates, key, server};
use crate::config::hall::ServerUrl;
use crate::hall::subject::{self, Bucket};
use async_nats::{Client, ConnectOptions, Event};
use futures_util::StreamExt;
use nkeys::KeyPair;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

/// Maximum time for anything that must happen.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many ports are tried: another program may take one before the server does.
const PORTS: usize = 5;
/// The line that nats-server logs when it has read its configuration again.
const RELOADED: &str = "Reloaded server configuration";
const NOW: i64 = 1_800_000_000_000;

fn public_key(seed: u8) -> String {
    key::from_raw_seed([seed; 32]).unwrap().public_key()
}

fn registry_with_code() -> Registry {
    let mut registry = Registry::new("open-2026", 4222, 1 << 30, public_key(0)).unwrap();
    registry.add_code("pi-07", public_key(1), NOW).unwrap();
    registry
}

#[test]
fn a_code_admits_one_machine() {
    let mut registry = registry_with_code();
    assert_eq!(registry.admit(&public_key(1), &public_key(2), NOW + VALIDITY_MS), Ok("pi-07".to_owned()));
    let after = registry.clone();
    // The reply may be lost.
    assert_eq!(registry.admit(&public_key(1), &public_key(2), NOW + 2 * VALIDITY_MS), Ok("pi-07".to_owned()));
    assert_eq!(registry.admit(&public_key(1), &public_key(3), NOW), Err(Refusal::Used));
    assert_eq!(registry.admit(&public_key(9), &public_key(3), NOW), Err(Refusal::Unknown));
    assert_eq!(registry, after);
    assert_eq!(registry.open_codes(NOW).count(), 0);
    // A card that was written anew has another key.
    registry.add_code("pi-07", public_key(4), NOW).unwrap();
    assert_eq!(registry.admit(&public_key(4), &public_key(5), NOW), Ok("pi-07".to_owned()));
    let keys: Vec<&str> = registry.machines.iter().map(|machine| machine.key.as_str()).collect();
    assert_eq!(keys, [public_key(5)]);
    assert!(registry.removed.is_empty());
    registry.remove("pi-07").unwrap();
    assert_eq!(registry.removed, ["pi-07"]);
    assert!(registry.machines.is_empty() && registry.pending.is_empty() && registry.remove("pi-07").is_err());
    // It joins again.
    registry.add_code("pi-07", public_key(6), NOW).unwrap();
    assert_eq!(registry.removed, ["pi-07"]);
    registry.admit(&public_key(6), &public_key(7), NOW).unwrap();
    assert!(registry.removed.is_empty());
}

#[test]
fn codes_expire() {
    // Also if the clock was set back.
    for now in [NOW + VALIDITY_MS + 1, NOW - 1] {
        let mut registry = registry_with_code();
        assert_eq!(registry.admit(&public_key(1), &public_key(2), now), Err(Refusal::Expired));
        assert_eq!(registry, registry_with_code());
    }
}

#[test]
fn keys_of_others_are_refused() {
    let mut registry = registry_with_code();
    let account = KeyPair::new_from_raw(nkeys::KeyPairType::Account, [7; 32]).unwrap().public_key();
    for key in ["", "U", "\"", &public_key(0), &public_key(1), &account, &public_key(2).to_lowercase()] {
        assert_eq!(registry.admit(&public_key(1), key, NOW), Err(Refusal::BadKey), "{key}");
    }
    assert_eq!(registry, registry_with_code());
}

#[test]
fn a_damaged_registry_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let files = HallFiles::of(dir.path());
    files.create_dir().unwrap();
    let locked = LockedRegistry::lock(&files).unwrap();
    assert_eq!(locked.load().unwrap(), None);
    let registry = registry_with_code();
    locked.save(&registry).unwrap();
    assert_eq!(locked.load().unwrap(), Some(registry));
    let text = std::fs::read_to_string(files.registry()).unwrap();
    for damaged in [text.replace("pi-07", "pi.*"), text.replace("\"v\": 1", "\"v\": 2"), text.replace('}', "")] {
        assert_ne!(damaged, text);
        std::fs::write(files.registry(), damaged).unwrap();
        assert!(locked.load().is_err());
    }
}

#[tokio::test]
async fn nothing_is_sent_to_others_in_the_name_of_the_hub() {
    let files = HallFiles::of(std::path::Path::new("/nowhere"));
    let code = public_key(1);
    for reply in [None, Some("tm.v1.cmd.pi-08".to_owned()), Some(format!("_INBOX_join_{}.x", public_key(2)))] {
        let subject = format!("tm.v1.join.{code}");
        let answer = admission::answer(files.clone(), &subject, reply.as_deref(), b"{}".to_vec(), NOW).await;
        assert!(answer.reply.is_none() && matches!(answer.outcome, Outcome::ReplyElsewhere), "{reply:?}");
    }
}

/// A hub with its server.
struct TestHub {
    dir: TempDir,
    files: HallFiles,
    url: ServerUrl,
    server: Child,
    log: Receiver<String>,
}

impl TestHub {
    /// Sets up a hall and starts its server; `None`: there is no server.
    fn start() -> Option<TestHub> {
        let given = std::env::var_os("TOUCHMOVE_NATS_SERVER").map(PathBuf::from);
        let Some(program) = given.or_else(|| server::find().ok()) else {
            eprintln!("SKIPPED: nats-server is not installed, and TOUCHMOVE_NATS_SERVER is not set");
            return None;
        };
        server::check_version(&program).unwrap();
        (0..PORTS).find_map(|_| TestHub::at_some_port(&program)).map_or_else(|| panic!("no port is free"), Some)
    }

    /// As [`TestHub::start`]; `None`: another program has taken the port in the meantime.
    fn at_some_port(program: &Path) -> Option<TestHub> {
        let dir = tempfile::tempdir().unwrap();
        let files = HallFiles::of(dir.path());
        files.create_dir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let hub = key::load_or_create(&files).unwrap().public_key();
        let registry = Registry::new("open-2026", port, 64 << 20, hub).unwrap();
        certificates::create(&files, "open-2026", &["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        LockedRegistry::lock(&files).unwrap().save(&registry).unwrap();
        server::check_config(program, &files).unwrap();
        let mut server = Command::new(program).arg("-c").arg(files.server_config()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(server.stderr.take().unwrap()).lines();
        let (sender, log) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| drop(sender.send(line))));
        let url = format!("tls://127.0.0.1:{port}").parse().unwrap();
        let hub = TestHub { dir, files, url, server, log };
        hub.has_said("Server is ready").then_some(hub)
    }

    /// Waits for a line in the log of the server.
    fn wait_for(&self, text: &str) {
        assert!(self.has_said(text), "the server ended before \"{text}\"");
    }

    /// As [`TestHub::wait_for`], but returns whether the line came before the server ended.
    fn has_said(&self, text: &str) -> bool {
        loop {
            match self.log.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("the server has not said \"{text}\""),
            }
        }
    }

    /// Changes the registry as `touchmovectl hall` does.
    fn change(&self, act: impl FnOnce(&mut Registry)) {
        let locked = LockedRegistry::lock(&self.files).unwrap();
        let mut registry = locked.load().unwrap().unwrap();
        act(&mut registry);
        locked.save(&registry).unwrap();
        assert!(server::reload(&self.files).unwrap());
        self.wait_for(RELOADED);
    }

    /// Adds a code.
    fn add(&self, name: &str) -> JoinCode {
        let code = JoinCode::generate(&certificates::ca(&self.files).unwrap()).unwrap();
        self.change(|registry| registry.add_code(name, code.key().unwrap().public_key(), NOW).unwrap());
        code
    }

    /// Connects with this key, and receives what the server reports.
    async fn connect(&self, key: &KeyPair, inbox: &str) -> (Client, UnboundedReceiver<Event>) {
        let ca = TrustedCa::Certificate(certificates::ca(&self.files).unwrap());
        let (sender, events) = unbounded_channel();
        let options = ConnectOptions::with_nkey(key.seed().unwrap())
            .require_tls(true)
            .tls_client_config(client_config(ca).unwrap())
            .custom_inbox_prefix(inbox)
            .event_callback(move |event| {
                let _ = sender.send(event);
                async {}
            });
        (options.connect(self.url.to_string()).await.unwrap(), events)
    }

    /// Connects as the hub, and answers requests to join.
    async fn serve(&self) -> Client {
        let (client, _) = self.connect(&key::load(&self.files.key()).unwrap().unwrap(), "_INBOX_hub").await;
        let mut requests = client.subscribe(ALL_REQUESTS).await.unwrap();
        synchronise(&client).await;
        let (replies, files) = (client.clone(), self.files.clone());
        tokio::spawn(async move {
            while let Some(request) = requests.next().await {
                let reply = request.reply.unwrap();
                let answer =
                    admission::answer(files.clone(), &request.subject, Some(&reply), request.payload.to_vec(), NOW).await;
                assert!(matches!(answer.outcome, Outcome::Joined { .. } | Outcome::Refused(_)), "{:?}", answer.outcome);
                replies.publish(reply, answer.reply.unwrap().into()).await.unwrap();
            }
        });
        client
    }

    /// Joins as another machine; `name`: of its state directory.
    async fn join(&self, name: &str, code: &JoinCode) -> Result<Joined, JoinError> {
        let joined = join(&self.machine(name), &self.url, code).await;
        if joined.is_ok() {
            self.wait_for(RELOADED);
        }
        joined
    }

    fn machine(&self, name: &str) -> HallFiles {
        let state_dir = self.dir.path().join(name);
        std::fs::create_dir_all(&state_dir).unwrap();
        HallFiles::of(&state_dir)
    }
}

impl Drop for TestHub {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Waits until the server has handled all that the hub's client has sent.
async fn synchronise(hub_client: &Client) {
    let mut own = hub_client.subscribe("_INBOX_hub.own").await.unwrap();
    hub_client.publish("_INBOX_hub.own", "".into()).await.unwrap();
    timeout(PATIENCE, own.next()).await.unwrap().unwrap();
}

/// Waits for the next error that the server reports.
async fn next_error(events: &mut UnboundedReceiver<Event>) -> String {
    loop {
        let event = timeout(PATIENCE, events.recv()).await.expect("an error").expect("a connection");
        if let Event::ServerError(error) = event {
            return error.to_string();
        }
    }
}

#[tokio::test]
async fn machines_join_with_their_codes() {
    let Some(hub) = TestHub::start() else { return };
    let code = hub.add("pi-07");
    // Nobody answers before touchmoved runs.
    assert!(matches!(hub.join("pi-07", &code).await, Err(JoinError::NoHub(_))));
    let _client = hub.serve().await;
    let joined = Joined { hall: "open-2026".to_owned(), machine: "pi-07".to_owned(), is_accepted: true };
    assert_eq!(hub.join("pi-07", &code).await.unwrap(), joined);
    assert_eq!(hub.join("pi-07", &code).await.unwrap(), joined);
    let ca = |files: &HallFiles| std::fs::read_to_string(files.ca()).unwrap();
    assert_eq!(ca(&hub.machine("pi-07")), ca(&hub.files));
    // Another machine with the same code, an unknown code, and a server that is not that of the code.
    assert!(matches!(hub.join("other", &code).await, Err(JoinError::Refused(reason)) if reason == Refusal::Used.to_string()));
    let unknown = JoinCode::generate(&certificates::ca(&hub.files).unwrap()).unwrap();
    assert!(matches!(hub.join("other", &unknown).await, Err(JoinError::CodeRefused(_))));
    let elsewhere = JoinCode::generate(b"another CA").unwrap();
    let wrong = hub.join("other", &elsewhere).await;
    assert!(matches!(wrong, Err(JoinError::WrongServer { .. })), "{wrong:?}");
    assert!(matches!(join(&hub.files, &hub.url, &code).await, Err(JoinError::IsHub(_))));
}

#[tokio::test]
async fn a_machine_is_limited_to_its_own_subjects() {
    let Some(hub) = TestHub::start() else { return };
    let hub_client = hub.serve().await;
    for name in ["pi-07", "pi-08"] {
        assert!(hub.join(name, &hub.add(name)).await.unwrap().is_accepted);
    }
    let key = key::load(&hub.machine("pi-07").key()).unwrap().unwrap();
    let (client, mut events) = hub.connect(&key, &subject::inbox("pi-07")).await;

    // What it may do.
    let mut received = hub_client.subscribe("tm.v1.>").await.unwrap();
    synchronise(&hub_client).await;
    let mut commands = client.subscribe(subject::commands("pi-07")).await.unwrap();
    for own in [
        subject::events("open-2026", "pi-07", "0b5e", 17),
        subject::board("open-2026", "pi-07", "dgt_1"),
        subject::question("pi-07"),
    ] {
        client.publish(own.clone(), "x".into()).await.unwrap();
        let message = timeout(PATIENCE, received.next()).await.unwrap().unwrap();
        assert_eq!(message.subject.as_str(), own);
    }
    let machine = client.clone();
    tokio::spawn(async move {
        let command = commands.next().await.unwrap();
        machine.publish(command.reply.unwrap(), "done".into()).await.unwrap();
    });
    let reply = timeout(PATIENCE, hub_client.request(subject::commands("pi-07"), "?".into())).await.unwrap().unwrap();
    assert_eq!(&reply.payload[..], b"done");

    // What it may not do.
    for forbidden in [
        subject::events("open-2026", "pi-08", "0b5e", 17),
        subject::board("open-2026", "pi-08", "dgt_1"),
        subject::question("pi-08"),
        subject::commands("pi-08"),
        subject::commands("pi-07"),
        Bucket::Here.subject("pi-08"),
        Bucket::Kept.subject("pi-07"),
        Bucket::Hall.subject("event"),
        "$KV.TM_DESK.pi-07".to_owned(),
        subject::direct_get("TM_EV_open-2026", &subject::events("open-2026", "pi-08", "0b5e", 17)),
        subject::direct_get("KV_TM_HAVE", "$KV.TM_HAVE.pi-08"),
        "$JS.API.DIRECT.GET.TM_DESK".to_owned(),
        "$JS.API.INFO".to_owned(),
        "$JS.API.STREAM.CREATE.X".to_owned(),
        "$JS.API.STREAM.PURGE.TM_EV_open-2026".to_owned(),
        "$JS.API.CONSUMER.CREATE.TM_EV_open-2026".to_owned(),
        "$SYS.REQ.SERVER.PING".to_owned(),
        // What hubs alone share.
        subject::LEASE.to_owned(),
        subject::STANDBY.to_owned(),
        subject::direct_get(subject::HUB_STREAM, subject::LEASE),
        format!("$JS.API.STREAM.MSG.GET.{}", subject::HUB_STREAM),
        format!("{}.x", subject::inbox("pi-08")),
        format!("tm.v1.join.{}", key.public_key()),
    ] {
        client.publish(forbidden.clone(), "x".into()).await.unwrap();
        let error = next_error(&mut events).await.to_lowercase();
        assert!(error.contains("permissions violation for publish"), "{forbidden}: {error}");
    }
    for forbidden in [
        ">".to_owned(),
        "tm.v1.ev.>".to_owned(),
        "tm.v1.cmd.*".to_owned(),
        subject::commands("pi-08"),
        format!("{}.>", subject::inbox("pi-08")),
        "_INBOX.>".to_owned(),
        "_INBOX_join_*.>".to_owned(),
        ALL_REQUESTS.to_owned(),
        subject::ALL_OF_HUB.to_owned(),
        Bucket::Kept.all_subjects(),
        Bucket::Here.all_subjects(),
    ] {
        let _subscription = client.subscribe(forbidden.clone()).await.unwrap();
        let error = next_error(&mut events).await.to_lowercase();
        assert!(error.contains("permissions violation for subscription"), "{forbidden}: {error}");
    }
    assert_eq!(client.server_info().max_payload, 256 * 1024);

    // Others stay connected when a machine is removed.
    hub.change(|registry| registry.remove("pi-07").unwrap());
    let is_end = |event: &Event| matches!(event, Event::Disconnected | Event::Closed);
    while !is_end(&timeout(PATIENCE, events.recv()).await.expect("it is disconnected").unwrap()) {}
    let statistics = hub_client.statistics();
    synchronise(&hub_client).await;
    assert_eq!(statistics.connects.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn the_holder_of_a_code_may_only_join() {
    let Some(hub) = TestHub::start() else { return };
    let code = hub.add("pi-07");
    let other = hub.add("pi-08").key().unwrap().public_key();
    let key = code.key().unwrap();
    let (client, mut events) = hub.connect(&key, &format!("_INBOX_join_{}", key.public_key())).await;
    for forbidden in [
        subject::events("open-2026", "pi-07", "0b5e", 17),
        subject::question("pi-07"),
        format!("tm.v1.join.{other}"),
        "$JS.API.INFO".to_owned(),
    ] {
        client.publish(forbidden.clone(), "x".into()).await.unwrap();
        let error = next_error(&mut events).await.to_lowercase();
        assert!(error.contains("permissions violation for publish"), "{forbidden}: {error}");
    }
}
