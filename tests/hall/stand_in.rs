//! A machine of another version: it follows docs/hall-protocol.md and docs/events.md, and shares no code with touchmove.
//!
//! A later one sends events of unknown kinds among known ones, and fields and headers that nobody knows yet; an earlier one nothing that
//! may be missing. Both send their events whatever fails in between, and carry out each command once.

mod journal;

use super::*;
use async_nats::{Client, ConnectOptions, HeaderMap, Message, StatusCode, Subscriber};
use futures_util::StreamExt;
use journal::{Journal, Recorded};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use tokio::sync::{Notify, oneshot};
use touchmove::hall::setup::key;
use touchmove::simulate::rng::Rng;

pub use journal::later_texts;

/// The journal of all machines of this kind: they differ by their names.
const JOURNAL: &str = "6f1d0b52-8a57-4a0e-9f0e-0c4c1d2e3f40";
/// The number of their game.
const GAME: u64 = 7;
/// Their board.
const BOARD: &str = "glass_1";
/// Largest number of events in one message.
const MAX_LINES: usize = 3;
/// How long the hub may have less on disk than was sent.
const LACKING_PATIENCE: Duration = Duration::from_secs(10);
/// The pause after something failed.
const RETRY_PAUSE: Duration = Duration::from_millis(200);
/// The interval at which it says that it is there.
const PRESENCE_INTERVAL: Duration = Duration::from_secs(2);

/// The version of a machine, beside that of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    Earlier,
    Later,
}

/// The hub's clock.
struct HubClock {
    instance: String,
    now_ms: u64,
    asked: Instant,
}

/// What the tasks of a running machine share with it.
struct Shared {
    name: String,
    age: Age,
    journal: Mutex<Journal>,
    recorded: Notify,
    clock: Mutex<Option<HubClock>>,
}

/// A machine that seems to have another version of touchmove.
pub struct StandIn {
    shared: Arc<Shared>,
    seed: String,
    /// The public half of its key.
    key: String,
    running: Option<Running>,
}

/// The program of a machine, on a thread of its own: tests wait without a runtime, too.
struct Running {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl StandIn {
    /// Makes a machine, which does not run yet, with a key of its own.
    pub fn new(name: &str, age: Age) -> StandIn {
        let dir = tempfile::tempdir().unwrap();
        let files = HallFiles::of(dir.path());
        files.create_dir().unwrap();
        let key = key::load_or_create(&files).unwrap();
        let (seed, key) = (key.seed().unwrap(), key.public_key());
        let shared = Shared {
            name: name.to_owned(),
            age,
            journal: Mutex::new(Journal::new(age)),
            recorded: Notify::new(),
            clock: Mutex::new(None),
        };
        StandIn { shared: Arc::new(shared), seed, key, running: None }
    }

    /// The configuration of a server on which these machines have the permissions of docs/hall-protocol.md, and others may do everything.
    pub fn server_config<'a>(machines: impl Iterator<Item = &'a StandIn>) -> String {
        let mut users = vec![json!({"user": "everybody", "password": "everybody"})];
        for StandIn { shared, key, .. } in machines {
            let name = &shared.name;
            let direct_get = |stream: &str, subject: &str| format!("$JS.API.DIRECT.GET.{stream}.{subject}");
            let publish = [
                format!("tm.v1.ev.*.{name}.>"),
                format!("tm.v1.tr.*.{name}.>"),
                format!("tm.v1.ask.{name}"),
                format!("$KV.TM_HERE.{name}"),
                direct_get("*", &format!("tm.v1.ev.*.{name}.>")),
                direct_get("KV_TM_HERE", &format!("$KV.TM_HERE.{name}")),
                direct_get("KV_TM_HALL", "$KV.TM_HALL.>"),
            ];
            let subscribe = [
                format!("_INBOX_{name}.>"),
                format!("tm.v1.cmd.{name}"),
                format!("$KV.TM_HAVE.{name}"),
                "$KV.TM_HALL.>".to_owned(),
            ];
            users.push(json!({
                "nkey": key,
                "permissions": {
                    "publish": {"allow": publish},
                    "subscribe": {"allow": subscribe},
                    "allow_responses": {"max": 1, "expires": "10s"},
                },
            }));
        }
        format!("authorization: {}\nno_auth_user: everybody\n", json!({ "users": users }))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The name of its board at the hub.
    pub fn board_at_hub(&self) -> String {
        format!("{}_{BOARD}", self.shared.name.replace('-', "_"))
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Starts it, or starts it again. It connects to this port of this computer.
    pub fn start(&mut self, port: u16) {
        let (stop, stopped) = oneshot::channel();
        let (shared, seed) = (Arc::clone(&self.shared), self.seed.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    () = run(&shared, seed, port) => {}
                    _ = stopped => {}
                }
            });
        });
        self.running = Some(Running { stop, thread });
    }

    /// Ends it at once, whatever it is doing. What it has recorded stays.
    pub fn kill(&mut self) {
        if let Some(Running { stop, thread }) = self.running.take() {
            drop(stop);
            thread.join().unwrap();
        }
    }

    /// Plays a move, and records it.
    pub fn play(&self, rng: &mut Rng) -> bool {
        let is_played = self.shared.journal().play(rng);
        self.shared.recorded.notify_one();
        is_played
    }

    /// The number of moves.
    pub fn moves(&self) -> usize {
        self.shared.journal().moves
    }

    /// Everything that it has recorded.
    pub fn events(&self) -> Events {
        let journal = self.shared.journal();
        let events = journal.events.iter().zip(1..).map(|(event, number)| (number, event.wall_ms, event.text.clone()));
        Events::from([((JOURNAL.to_owned(), GAME as i64), events.collect())])
    }
}

impl Shared {
    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap()
    }

    /// Asks the hub; `None`: it does not answer.
    async fn ask(&self, client: &Client, ask: &str) -> Option<Value> {
        let question = match self.age {
            Age::Earlier => json!({"v": 1, "ask": ask}),
            Age::Later => json!({"v": 1, "ask": ask, "why": ["curiosity"]}),
        };
        let reply = client.request(format!("tm.v1.ask.{}", self.name), question.to_string().into()).await.ok()?;
        let answer: Value = serde_json::from_slice(&reply.payload).ok()?;
        assert_eq!(answer["v"], 1);
        Some(answer)
    }

    /// The time of this process of the hub, at the latest that it can be; `None`: not known.
    async fn hub_now_ms(&self, client: &Client, instance: &str) -> Option<u64> {
        let known = |clock: &Option<HubClock>| {
            let clock = clock.as_ref().filter(|clock| clock.instance == instance)?;
            Some(clock.now_ms + clock.asked.elapsed().as_millis() as u64)
        };
        if let Some(now_ms) = known(&self.clock.lock().unwrap()) {
            return Some(now_ms);
        }
        let asked = Instant::now();
        let answer = self.ask(client, "time").await?;
        let (instance, now_ms) = (answer["instance"].as_str()?.to_owned(), answer["now_ms"].as_u64()?);
        let mut clock = self.clock.lock().unwrap();
        *clock = Some(HubClock { instance, now_ms, asked });
        known(&clock)
    }
}

/// Waits for a moment before something is tried again.
async fn pause() {
    tokio::time::sleep(RETRY_PAUSE).await;
}

/// Connects, and does everything that a machine does.
async fn run(shared: &Shared, seed: String, port: u16) {
    let client = ConnectOptions::new()
        .nkey(seed)
        .custom_inbox_prefix(format!("_INBOX_{}", shared.name))
        .retry_on_initial_connect()
        .max_reconnects(None)
        .ignore_discovered_servers()
        .reconnect_delay_callback(|_| RETRY_PAUSE)
        .request_timeout(Some(Duration::from_secs(2)))
        .connect(format!("nats://127.0.0.1:{port}"))
        .await
        .unwrap();
    let commands = client.subscribe(format!("tm.v1.cmd.{}", shared.name)).await.unwrap();
    let kept = client.subscribe(format!("$KV.TM_HAVE.{}", shared.name)).await.unwrap();
    tokio::join!(serve_commands(shared, &client, commands), send_presence(shared, &client), send_events(shared, &client, kept));
}

async fn serve_commands(shared: &Shared, client: &Client, mut commands: Subscriber) {
    while let Some(message) = commands.next().await {
        let Some(reply_to) = message.reply else { continue };
        let request: Value = serde_json::from_slice(&message.payload).unwrap();
        assert_eq!(request["v"], 1);
        let now_ms = shared.hub_now_ms(client, request["hub"].as_str().unwrap()).await;
        let is_expired = now_ms.is_none_or(|now_ms| now_ms > request["expires_ms"].as_u64().unwrap());
        let reply = shared.journal().carry_out(&request, is_expired);
        shared.recorded.notify_one();
        // The hub may wait no more.
        let _ = client.publish(reply_to, reply.into()).await;
    }
}

/// Returns the last message of a subject with its sequence number, 0 if there is none; `None`: the server does not answer.
async fn last(client: &Client, stream: &str, subject: &str) -> Option<(u64, Message)> {
    let message = client.request(format!("$JS.API.DIRECT.GET.{stream}.{subject}"), "".into()).await.ok()?;
    if message.status == Some(StatusCode::NOT_FOUND) {
        return Some((0, message));
    }
    let sequence = message.headers.as_ref()?.get("Nats-Sequence")?.as_str().parse().ok()?;
    Some((sequence, message))
}

/// Sends a message that must follow the one of this sequence number on its subject; returns its own, and `None` if it was not stored.
async fn store(client: &Client, subject: &str, mut headers: HeaderMap, payload: Vec<u8>, follows: u64) -> Option<u64> {
    headers.insert("Nats-Expected-Last-Subject-Sequence", follows.to_string());
    let reply = client.request_with_headers(subject.to_owned(), headers, payload.into()).await.ok()?;
    let answer: Value = serde_json::from_slice(&reply.payload).ok()?;
    if answer["error"].is_null() { answer["seq"].as_u64() } else { None }
}

async fn send_presence(shared: &Shared, client: &Client) {
    let key = format!("$KV.TM_HERE.{}", shared.name);
    let boot = format!("boot of {}", shared.name);
    let mut sequence = None;
    loop {
        let now = shared.journal().epoch.elapsed().as_millis() as u64;
        let (presence, board) = match shared.age {
            Age::Earlier => (json!({"v": 1, "boot": boot}), json!({"v": 1, "state": {"connection": "ready"}})),
            Age::Later => (
                json!({"v": 1, "boot": boot, "instance": "1", "version": "9.0.0", "unsent": 0, "free_bytes": 1, "temperature": 412,
                    "clock_offset_ms": 0, "problems": [], "battery": {"percent": 80}, "fans": [1, 2.5]}),
                json!({"v": 1, "now": now, "smell": "wood", "events": [{"t": now, "event": "piece_hovered", "square": "e4"}],
                    "state": {"model": "glass", "sensing": "thought", "connection": "levitating", "game": [JOURNAL, GAME],
                        "rotation": "sideways", "placement": "?", "warmth": [3]}}),
            ),
        };
        let follows = match sequence {
            Some(sequence) => Some(sequence),
            None => last(client, "KV_TM_HERE", &key).await.map(|(sequence, _)| sequence),
        };
        sequence = match follows {
            Some(follows) => store(client, &key, HeaderMap::new(), presence.to_string().into_bytes(), follows).await,
            None => None,
        };
        let subject = format!("tm.v1.tr.{HALL}.{}.{BOARD}", shared.name);
        let _ = client.publish(subject, board.to_string().into()).await;
        tokio::time::sleep(if sequence.is_some() { PRESENCE_INTERVAL } else { RETRY_PAUSE }).await;
    }
}

/// Sends events for ever.
async fn send_events(shared: &Shared, client: &Client, mut kept: Subscriber) {
    let mut is_resent = false;
    loop {
        is_resent = send_game(shared, client, &mut kept, is_resent).await.unwrap_or(false);
        pause().await;
    }
}

/// Sends the game until something must be read again; returns whether the hub lacks what was sent. `is_resent`: it does.
async fn send_game(shared: &Shared, client: &Client, kept: &mut Subscriber, is_resent: bool) -> Option<bool> {
    let (named, name) = last(client, "KV_TM_HALL", "$KV.TM_HALL.event").await?;
    if named == 0 {
        return None;
    }
    let hall = String::from_utf8(name.payload.to_vec()).unwrap();
    let answer = shared.ask(client, "kept").await?;
    let games = answer["games"][JOURNAL].as_array().cloned().unwrap_or_default();
    let on_disk = games.iter().find(|game| game[0] == GAME).map_or(0, |game| game[1].as_u64().unwrap());
    let subject = format!("tm.v1.ev.{hall}.{}.{JOURNAL}.{GAME}", shared.name);
    let (mut sequence, message) = last(client, &format!("TM_EV_{hall}"), &subject).await?;
    let mut number = on_disk;
    if sequence > 0 {
        let sent = last_number(shared, &message);
        number = if is_resent { sent.min(on_disk) } else { sent };
    }
    let (mut at_hub, mut lacking_since) = (on_disk, None);
    loop {
        let Some((last, headers, payload)) = next_message(shared, number) else {
            if at_hub >= number {
                lacking_since = None;
            } else if lacking_since.get_or_insert_with(Instant::now).elapsed() > LACKING_PATIENCE {
                return Some(true);
            }
            tokio::select! {
                () = shared.recorded.notified() => {}
                message = kept.next() => {
                    let message: Value = serde_json::from_slice(&message?.payload).unwrap();
                    assert_eq!(message["v"], 1);
                    at_hub = message["events"][JOURNAL].as_u64().unwrap_or(0);
                }
                () = tokio::time::sleep(PRESENCE_INTERVAL) => {}
            }
            continue;
        };
        sequence = store(client, &subject, headers, payload, sequence).await?;
        number = last;
    }
}

/// Returns the number of the last event of a message that this machine has sent.
fn last_number(shared: &Shared, message: &Message) -> u64 {
    let payload = std::str::from_utf8(&message.payload).unwrap();
    let first: u64 = message.headers.as_ref().unwrap().get("Tm-First").unwrap().as_str().parse().unwrap();
    let lines: Vec<&str> = payload.lines().collect();
    let number = first + lines.len() as u64 - 1;
    let text = lines.last().unwrap().splitn(3, ' ').nth(2).unwrap();
    assert_eq!(text, shared.journal().events[number as usize - 1].text, "the last event of {}", shared.name);
    number
}

/// Returns the message with the events after this one, and the number of its last one; `None`: there are none.
fn next_message(shared: &Shared, after: u64) -> Option<(u64, HeaderMap, Vec<u8>)> {
    let journal = shared.journal();
    let rest = &journal.events[after as usize..];
    let events = &rest[..rest.len().min(MAX_LINES)];
    if events.is_empty() {
        return None;
    }
    let mut headers = HeaderMap::new();
    headers.insert("Tm-V", "1");
    headers.insert("Tm-Board", BOARD);
    headers.insert("Tm-Started", journal.events[0].wall_ms.to_string());
    headers.insert("Tm-Epoch", journal.epoch_wall_ms.to_string());
    headers.insert("Tm-First", (after + 1).to_string());
    if journal.age == Age::Later {
        headers.insert("Tm-Signature", "bm9ib2R5");
    }
    let line = |event: &Recorded| match journal.age {
        Age::Earlier => format!("{} - {}\n", event.wall_ms, event.text),
        Age::Later => format!("{} {} {}\n", event.wall_ms, event.at.elapsed().as_millis(), event.text),
    };
    let payload: String = events.iter().map(line).collect();
    Some((after + events.len() as u64, headers, payload.into_bytes()))
}
