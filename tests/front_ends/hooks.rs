//! Hooks for alerts: a program is run, a message is posted, and nothing waits for either.

use crate::harness::hall::Hall;
use crate::harness::until;
use serde_json::Value;
use shakmaty::Color;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use touchmove::boards::model;
use touchmove::config::Config;
use touchmove::config::hooks::Hooks;
use touchmove::daemon::Hub;
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::game::event::{Alert, AlertKind, ClockTimes, Rotation};
use touchmove::game::{Command, Event, StampedEvent, Text};
use touchmove::laws::RulingAction;
use touchmove::publish::hooks::{self, NotificationTimeouts};

const PATIENCE: NotificationTimeouts = NotificationTimeouts {
    program_timeout: Duration::from_secs(20),
    post_timeout: Duration::from_secs(20),
    first_backoff: Duration::from_millis(5),
    max_attempts: 4,
};

/// The reported health problems, by kind; `None`: the problem was resolved.
type HealthReports = Arc<Mutex<Vec<(&'static str, Option<String>)>>>;

/// A board with a game, and hooks for its alerts.
struct HooksBench {
    hub: Arc<Hub>,
    handle: BoardHandle,
    number: u64,
    reports: HealthReports,
    hooks_task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    dir: TempDir,
}

impl HooksBench {
    /// Starts the hooks with these lines under `[hooks]`; `keys` receives a directory of the test.
    fn open(keys: impl Fn(&Path) -> String, timeouts: NotificationTimeouts) -> HooksBench {
        let dir = tempfile::tempdir().unwrap();
        let config: Hooks = Config::parse(&format!("[hooks]\n{}", keys(dir.path()))).unwrap().hooks;
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
        let model = model("dgt").unwrap();
        let (handle, _) = hub.register_board(BoardView::new(BoardId::new("board_7"), model, model.sensing));
        let reports = HealthReports::default();
        let (received, (stop, stopped)) = (Arc::clone(&reports), watch::channel(false));
        let report = move |kind, sentence| received.lock().unwrap().push((kind, sentence));
        let hooks_task = tokio::spawn(hooks::run(Arc::clone(&hub), config, timeouts, report, stopped));
        let mut bench = HooksBench { hub, handle, number: 0, reports, hooks_task, stop, dir };
        bench.publish(started());
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let tags = vec![tag("White", "Ada, A"), tag("Black", "王五"), tag("Table", "7")];
        bench.publish(Event::Commanded { command: Command::Tags { tags }, by: "a test".into() });
        bench
    }

    fn publish(&mut self, event: Event) {
        self.number += 1;
        let stamped = StampedEvent { at: self.number, number: Some(self.number), event };
        self.handle.publish(1_700_000_000_000, vec![stamped], |_| (), None);
    }

    fn alert(&mut self, kind: AlertKind) {
        self.publish(raised(self.number as u32, kind));
    }

    /// Waits for a health problem of this kind; returns its last description.
    async fn health_problem(&self, kind: &str) -> String {
        until(kind, async || {
            let reports = self.reports.lock().unwrap();
            reports.iter().rev().find(|(known, _)| *known == kind)?.1.clone()
        })
        .await
    }

    async fn end(self) {
        self.stop.send_replace(true);
        self.hooks_task.await.unwrap();
    }
}

fn started() -> Event {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into();
    Event::GameStarted { fen, chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright }
}

fn raised(id: u32, kind: AlertKind) -> Event {
    Event::AlertRaised(Box::new(Alert {
        id,
        kind,
        ply: 3,
        by: Some(Color::White),
        articles: vec!["7.5.3".into(), "6.2".into()],
        squares: Vec::new(),
        text: Text::new("press_without_move").with("player", Color::White),
        position: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
        clocks: ClockTimes::default(),
        required: vec![RulingAction::Add(120)],
        allowed: Vec::new(),
        count: None,
        evidence: Vec::new(),
        evidence_kind: None,
        touches: Vec::new(),
        put_right: None,
        proposed: Vec::new(),
    }))
}

/// Writes an executable script.
fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("script");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))
}

#[tokio::test]
async fn a_program_receives_the_complete_alert() {
    // Arguments are not interpreted by a shell.
    let keys = |dir: &Path| {
        let text =
            format!("cat > {0}/json; env | grep ^TOUCHMOVE_ | sort > {0}/env; echo \"$1|$2\" > {0}/arguments", dir.display());
        format!("command = ['{}', 'a b', '$HOME;']\nlanguage = 'zh-Hans'", script(dir, &text).display())
    };
    let mut bench = HooksBench::open(keys, PATIENCE);
    bench.alert(AlertKind::PressWithoutMove);
    let path = |name: &str| bench.dir.path().join(name);
    let arguments = until("the program", async || read(&path("arguments"))).await;
    assert_eq!(arguments, "a b|$HOME;\n");
    let expect = "TOUCHMOVE_ARTICLES=7.5.3, 6.2\nTOUCHMOVE_BLACK=王五\nTOUCHMOVE_BOARD=board_7\nTOUCHMOVE_GAME=1\nTOUCHMOVE_HEADING=未走棋就按钟\nTOUCHMOVE_KIND=press_without_move\nTOUCHMOVE_MATTER=play\nTOUCHMOVE_PLAYERS=Ada, A - 王五\nTOUCHMOVE_SENTENCE=白方按了钟，但没有看到走棋\nTOUCHMOVE_TABLE=7\nTOUCHMOVE_WHITE=Ada, A\n";
    assert_eq!(read(&path("env")).unwrap(), expect);
    let json: Value = serde_json::from_str(&read(&path("json")).unwrap()).unwrap();
    assert_eq!((&json["table"], &json["matter"], &json["notice"]), (&7.into(), &"play".into(), &false.into()));
    assert_eq!((&json["alert"]["event"], &json["alert"]["ply"]), (&"alert_raised".into(), &3.into()), "{json}");
    assert_eq!(json["wall_ms"].as_i64(), Some(1_700_000_000_000 + bench.number as i64));
    bench.end().await;
}

#[tokio::test]
async fn only_configured_categories_are_notified() {
    let keys = |dir: &Path| {
        let text = format!("echo $TOUCHMOVE_KIND >> {}/told", dir.display());
        format!("command = ['{}']\nmatters = ['end', 'device']", script(dir, &text).display())
    };
    let mut bench = HooksBench::open(keys, PATIENCE);
    for kind in
        [AlertKind::IllegalMove, AlertKind::TouchMove, AlertKind::ClockLost, AlertKind::Displaced, AlertKind::ResultWanted]
    {
        bench.alert(kind);
    }
    let output_file = bench.dir.path().join("told");
    let all = until("both", async || read(&output_file).filter(|text| text.lines().count() == 2)).await;
    let mut kinds: Vec<&str> = all.lines().collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["clock_lost", "result_wanted"]);
    bench.end().await;
}

#[tokio::test]
async fn a_program_that_times_out_is_killed_with_its_children() {
    let keys = |dir: &Path| {
        let text = format!("sleep 1000 & echo $! > {0}/child; echo $$ > {0}/own; wait", dir.display());
        format!("command = ['{}']", script(dir, &text).display())
    };
    let mut bench = HooksBench::open(keys, NotificationTimeouts { program_timeout: Duration::from_millis(500), ..PATIENCE });
    bench.alert(AlertKind::IllegalMove);
    let problem = bench.health_problem("hook_failed").await;
    assert!(problem.contains("script did not end within 0.5 s and was killed: run it by hand"), "{problem}");
    for name in ["own", "child"] {
        let pid = read(&bench.dir.path().join(name)).unwrap();
        let state = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).ok()?;
            stat.rsplit_once(") ").map(|(_, rest)| rest.starts_with('Z'))
        };
        // The process is gone, or is a zombie.
        until("its end", async || state().unwrap_or(true).then_some(())).await;
    }
    bench.end().await;
}

#[tokio::test]
async fn a_few_programs_run_at_once_and_the_others_wait() {
    let keys = |dir: &Path| {
        // Each program waits until the file `go` exists.
        let text =
            format!("echo x >> {0}/begun; while [ ! -e {0}/go ]; do sleep 0.01; done; echo x >> {0}/ended", dir.display());
        format!("command = ['{}']", script(dir, &text).display())
    };
    let mut bench = HooksBench::open(keys, PATIENCE);
    for _ in 0..10 {
        bench.alert(AlertKind::IllegalMove);
    }
    let count = |name: &str| read(&bench.dir.path().join(name)).map_or(0, |text| text.lines().count());
    until("four", async || (count("begun") == 4).then_some(())).await;
    std::fs::write(bench.dir.path().join("go"), "").unwrap();
    until("all", async || (count("ended") == 10).then_some(())).await;
    bench.end().await;
}

#[tokio::test]
async fn a_failure_is_reported_until_the_program_succeeds() {
    let keys = |dir: &Path| format!("command = ['{}']", script(dir, "exit 3").display());
    let mut bench = HooksBench::open(keys, PATIENCE);
    bench.alert(AlertKind::IllegalMove);
    let problem = bench.health_problem("hook_failed").await;
    assert!(problem.contains("script failed (exit status: 3)"), "{problem}");
    std::fs::remove_file(bench.dir.path().join("script")).unwrap();
    bench.alert(AlertKind::IllegalMove);
    until("another reason", async || bench.health_problem("hook_failed").await.contains("cannot be run").then_some(())).await;
    script(bench.dir.path(), "exit 0");
    bench.alert(AlertKind::IllegalMove);
    until("no health problem", async || (bench.reports.lock().unwrap().last() == Some(&("hook_failed", None))).then_some(()))
        .await;
    bench.end().await;
}

/// The requests that a webhook received: head and body.
type Requests = Arc<Mutex<Vec<(String, String)>>>;

/// Starts a server that answers with these statuses, and with 200 after them.
async fn ntfy(statuses: &[u16]) -> (u16, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, requests) = (listener.local_addr().unwrap().port(), Requests::default());
    let (received, statuses) = (Arc::clone(&requests), statuses.to_owned());
    tokio::spawn(async move {
        let mut statuses = statuses.into_iter();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            stream.read_exact(&mut body).await.unwrap();
            let status = statuses.next().unwrap_or(200);
            received.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
            let _ = stream.write_all(format!("HTTP/1.1 {status} x\r\nContent-Length: 2\r\n\r\n{{}}").as_bytes()).await;
        }
    });
    (port, requests)
}

#[tokio::test]
async fn a_message_is_posted_in_the_format_of_ntfy() {
    let (port, requests) = ntfy(&[500, 429]).await;
    let mut bench = HooksBench::open(|_| format!("webhook = 'http://127.0.0.1:{port}/hall?auth=x'"), PATIENCE);
    bench.alert(AlertKind::PressWithoutMove);
    until("the third try", async || (requests.lock().unwrap().len() == 3).then_some(())).await;
    until("no health problem", async || (bench.reports.lock().unwrap().as_slice() == [("webhook_failed", None)]).then_some(()))
        .await;
    let (head, body) = requests.lock().unwrap()[2].clone();
    assert!(head.starts_with("POST /hall?auth=x HTTP/1.1\r\n"), "{head}");
    for line in [
        "title: =?UTF-8?Q?7=20=C2=B7=20Press=20without=20move?=",
        "priority: high",
        "tags: warning,press_without_move",
        "content-type: text/plain; charset=utf-8",
    ] {
        assert!(head.lines().any(|header| header == line), "{line}: {head}");
    }
    assert_eq!(
        body,
        "Ada, A - 王五\nWhite pressed the clock, and no move was seen (7.5.3, 6.2)\n– add 2 minutes to the opponent's clock"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_webhook_that_refuses_messages_is_reported() {
    let (port, requests) = ntfy(&[403; 9]).await;
    let mut bench = HooksBench::open(|_| format!("webhook = 'http://localhost:{port}/secret-topic'"), PATIENCE);
    bench.alert(AlertKind::PressWithoutMove);
    let problem = bench.health_problem("webhook_failed").await;
    assert!(problem.contains("localhost does not let touchmove post there (status 403)"), "{problem}");
    // The topic is a secret: everyone who knows it can read the messages.
    assert!(!problem.contains("secret-topic"), "{problem}");
    assert_eq!(requests.lock().unwrap().len(), 4);
    bench.end().await;
}

#[tokio::test]
async fn a_webhook_that_never_answers_does_not_delay_programs() {
    let silent_server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent_server.local_addr().unwrap().port();
    let keys = |dir: &Path| {
        let text = format!("echo x >> {}/told", dir.display());
        format!("command = ['{}']\nwebhook = 'http://127.0.0.1:{port}/x'", script(dir, &text).display())
    };
    let mut bench = HooksBench::open(keys, PATIENCE);
    let output_file = bench.dir.path().join("told");
    for count in 1..=8 {
        (0..20).for_each(|_| bench.alert(AlertKind::IllegalMove));
        until("the programs", async || (read(&output_file)?.lines().count() == 20 * count).then_some(())).await;
    }
    assert!(bench.health_problem("webhook_failed").await.contains("more alerts than could be sent"));
    assert!(bench.reports.lock().unwrap().iter().all(|(kind, reason)| *kind != "hook_failed" || reason.is_none()));
    bench.end().await;
}

#[tokio::test]
async fn alerts_of_a_game_whose_start_was_missed_are_notified() {
    let keys = |dir: &Path| {
        let text = format!("echo $TOUCHMOVE_BOARD $TOUCHMOVE_KIND >> {}/told", dir.display());
        format!("command = ['{}']", script(dir, &text).display())
    };
    let mut bench = HooksBench::open(keys, PATIENCE);
    bench.alert(AlertKind::IllegalMove);
    let output_file = bench.dir.path().join("told");
    until("the first", async || read(&output_file)).await;
    // More events happen at once than the listener's buffer holds, and the start of the game is lost.
    let (other, _) =
        bench.hub.register_board(BoardView::new(BoardId::new("board_8"), model("dgt").unwrap(), model("dgt").unwrap().sensing));
    let stamped = |number, event| StampedEvent { at: number, number: Some(number), event };
    let transient =
        std::iter::repeat_n(StampedEvent { at: 3, number: None, event: Event::Displaced { squares: Vec::new() } }, 1_100);
    let events =
        [stamped(1, started()), stamped(2, raised(1, AlertKind::PressWithoutMove))].into_iter().chain(transient).collect();
    other.publish(1_700_000_000_000, events, |_| (), None);
    let all = until("the other", async || read(&output_file).filter(|text| text.lines().count() == 2)).await;
    assert_eq!(all, "board_7 illegal_move\nboard_8 press_without_move\n");
    bench.end().await;
}

#[tokio::test]
async fn touchmoved_runs_the_program_for_an_illegal_move() {
    let dir = tempfile::tempdir().unwrap();
    let output_file = dir.path().join("told");
    // The program receives neither the service manager's socket nor tokens.
    let text = format!("echo \"$TOUCHMOVE_KIND $TOUCHMOVE_ARTICLES ${{NOTIFY_SOCKET-none}}\" >> {}", output_file.display());
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, format!("[hooks]\ncommand = ['{}']\n", script(dir.path(), &text).display())).unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    hall.board.clock(5400, 5400, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(5399, 5400, false);
    hall.board.play("e8", "e6");
    hall.board.clock(5399, 5398, true);
    // On a busy machine other alerts may come first.
    let is_illegal_move = |line: &str| line.starts_with("illegal_move 7.5") && line.ends_with(" none");
    until("the program", async || read(&output_file).filter(|text| text.lines().any(is_illegal_move))).await;
}
