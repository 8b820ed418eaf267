//! Being told without looking: a program is run, a message posted, and nothing waits for either.

use crate::hall::Hall;
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

/// What was told to be wrong, by kind, or to be well.
type Told = Arc<Mutex<Vec<(&'static str, Option<String>)>>>;

/// A board with a game, and hooks on what the arbiter is told of it.
struct Desk {
    hub: Arc<Hub>,
    seat: BoardHandle,
    number: u64,
    told: Told,
    hooked: JoinHandle<()>,
    stop: watch::Sender<bool>,
    dir: TempDir,
}

impl Desk {
    /// With these lines under `[hooks]`; `DIR` stands for a folder of the test's own.
    fn open(keys: impl Fn(&Path) -> String, patience: NotificationTimeouts) -> Desk {
        let dir = tempfile::tempdir().unwrap();
        let config: Hooks = Config::parse(&format!("[hooks]\n{}", keys(dir.path()))).unwrap().hooks;
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
        let model = model("dgt").unwrap();
        let (seat, _) = hub.register_board(BoardView::new(BoardId::new("board_7"), model, model.sensing));
        let told = Told::default();
        let (hear, (stop, stopped)) = (Arc::clone(&told), watch::channel(false));
        let trouble = move |kind, sentence| hear.lock().unwrap().push((kind, sentence));
        let hooked = tokio::spawn(hooks::run(Arc::clone(&hub), config, patience, trouble, stopped));
        let mut desk = Desk { hub, seat, number: 0, told, hooked, stop, dir };
        desk.say(started());
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let tags = vec![tag("White", "Ada, A"), tag("Black", "王五"), tag("Table", "7")];
        desk.say(Event::Commanded { command: Command::Tags(tags), by: "a test".into() });
        desk
    }

    fn say(&mut self, event: Event) {
        self.number += 1;
        let stamped = StampedEvent { at: self.number, number: Some(self.number), event };
        self.seat.publish(1_700_000_000_000, vec![stamped], |_| (), None);
    }

    fn alert(&mut self, kind: AlertKind) {
        self.say(raised(self.number as u32, kind));
    }

    /// What was said to be wrong last.
    async fn wrong(&self, kind: &str) -> String {
        until(kind, async || {
            let told = self.told.lock().unwrap();
            told.iter().rev().find(|(known, _)| *known == kind)?.1.clone()
        })
        .await
    }

    async fn end(self) {
        self.stop.send_replace(true);
        self.hooked.await.unwrap();
    }
}

fn started() -> Event {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into();
    Event::GameStarted { fen, chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright }
}

fn raised(id: u32, kind: AlertKind) -> Event {
    Event::AlertRaised(Alert {
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
    })
}

/// A script that can be run.
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
async fn a_program_has_all_of_it() {
    // What an argument says is no shell's.
    let keys = |dir: &Path| {
        let text =
            format!("cat > {0}/json; env | grep ^TOUCHMOVE_ | sort > {0}/env; echo \"$1|$2\" > {0}/arguments", dir.display());
        format!("command = ['{}', 'a b', '$HOME;']\nlanguage = 'zh-Hans'", script(dir, &text).display())
    };
    let mut desk = Desk::open(keys, PATIENCE);
    desk.alert(AlertKind::PressWithoutMove);
    let path = |name: &str| desk.dir.path().join(name);
    let arguments = until("the program", async || read(&path("arguments"))).await;
    assert_eq!(arguments, "a b|$HOME;\n");
    let expect = "TOUCHMOVE_ARTICLES=7.5.3, 6.2\nTOUCHMOVE_BLACK=王五\nTOUCHMOVE_BOARD=board_7\nTOUCHMOVE_GAME=1\nTOUCHMOVE_HEADING=未走棋就按钟\nTOUCHMOVE_KIND=press_without_move\nTOUCHMOVE_MATTER=play\nTOUCHMOVE_PLAYERS=Ada, A - 王五\nTOUCHMOVE_SENTENCE=白方按了钟，但没有看到走棋\nTOUCHMOVE_TABLE=7\nTOUCHMOVE_WHITE=Ada, A\n";
    assert_eq!(read(&path("env")).unwrap(), expect);
    let json: Value = serde_json::from_str(&read(&path("json")).unwrap()).unwrap();
    assert_eq!((&json["table"], &json["matter"], &json["notice"]), (&7.into(), &"play".into(), &false.into()));
    assert_eq!((&json["alert"]["event"], &json["alert"]["ply"]), (&"alert_raised".into(), &3.into()), "{json}");
    assert_eq!(json["wall_ms"].as_i64(), Some(1_700_000_000_000 + desk.number as i64));
    desk.end().await;
}

#[tokio::test]
async fn only_of_what_is_wanted() {
    let keys = |dir: &Path| {
        let text = format!("echo $TOUCHMOVE_KIND >> {}/told", dir.display());
        format!("command = ['{}']\nmatters = ['end', 'device']", script(dir, &text).display())
    };
    let mut desk = Desk::open(keys, PATIENCE);
    for kind in
        [AlertKind::IllegalMove, AlertKind::TouchMove, AlertKind::ClockLost, AlertKind::Displaced, AlertKind::ResultWanted]
    {
        desk.alert(kind);
    }
    let told = desk.dir.path().join("told");
    let all = until("both", async || read(&told).filter(|text| text.lines().count() == 2)).await;
    let mut kinds: Vec<&str> = all.lines().collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["clock_lost", "result_wanted"]);
    desk.end().await;
}

#[tokio::test]
async fn a_program_that_does_not_end_is_killed_with_all_that_it_began() {
    let keys = |dir: &Path| {
        let text = format!("sleep 1000 & echo $! > {0}/child; echo $$ > {0}/own; wait", dir.display());
        format!("command = ['{}']", script(dir, &text).display())
    };
    let mut desk = Desk::open(keys, NotificationTimeouts { program_timeout: Duration::from_millis(500), ..PATIENCE });
    desk.alert(AlertKind::IllegalMove);
    let wrong = desk.wrong("hook_failed").await;
    assert!(wrong.contains("script did not end within 0.5 s and was killed: try it by hand"), "{wrong}");
    for name in ["own", "child"] {
        let pid = read(&desk.dir.path().join(name)).unwrap();
        let state = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).ok()?;
            stat.rsplit_once(") ").map(|(_, rest)| rest.starts_with('Z'))
        };
        // Gone, or nobody has asked yet how it ended.
        until("its end", async || state().unwrap_or(true).then_some(())).await;
    }
    desk.end().await;
}

#[tokio::test]
async fn a_few_programs_run_at_once_and_the_others_wait() {
    let keys = |dir: &Path| {
        // Each waits until somebody makes the file `go`.
        let text =
            format!("echo x >> {0}/begun; while [ ! -e {0}/go ]; do sleep 0.01; done; echo x >> {0}/ended", dir.display());
        format!("command = ['{}']", script(dir, &text).display())
    };
    let mut desk = Desk::open(keys, PATIENCE);
    for _ in 0..10 {
        desk.alert(AlertKind::IllegalMove);
    }
    let count = |name: &str| read(&desk.dir.path().join(name)).map_or(0, |text| text.lines().count());
    until("four", async || (count("begun") == 4).then_some(())).await;
    std::fs::write(desk.dir.path().join("go"), "").unwrap();
    until("all", async || (count("ended") == 10).then_some(())).await;
    desk.end().await;
}

#[tokio::test]
async fn what_fails_is_said_until_it_does_not() {
    let keys = |dir: &Path| format!("command = ['{}']", script(dir, "exit 3").display());
    let mut desk = Desk::open(keys, PATIENCE);
    desk.alert(AlertKind::IllegalMove);
    let wrong = desk.wrong("hook_failed").await;
    assert!(wrong.contains("script failed (exit status: 3)"), "{wrong}");
    std::fs::remove_file(desk.dir.path().join("script")).unwrap();
    desk.alert(AlertKind::IllegalMove);
    until("another reason", async || desk.wrong("hook_failed").await.contains("cannot be run").then_some(())).await;
    script(desk.dir.path(), "exit 0");
    desk.alert(AlertKind::IllegalMove);
    until("no trouble", async || (desk.told.lock().unwrap().last() == Some(&("hook_failed", None))).then_some(())).await;
    desk.end().await;
}

/// What a webhook heard: head and body.
type Heard = Arc<Mutex<Vec<(String, String)>>>;

/// A server that answers with these statuses, and with 200 then.
async fn ntfy(statuses: &[u16]) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, heard) = (listener.local_addr().unwrap().port(), Heard::default());
    let (into, statuses) = (Arc::clone(&heard), statuses.to_owned());
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
            into.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
            let _ = stream.write_all(format!("HTTP/1.1 {status} x\r\nContent-Length: 2\r\n\r\n{{}}").as_bytes()).await;
        }
    });
    (port, heard)
}

#[tokio::test]
async fn a_message_is_posted_as_ntfy_reads_it() {
    let (port, heard) = ntfy(&[500, 429]).await;
    let mut desk = Desk::open(|_| format!("webhook = 'http://127.0.0.1:{port}/hall?auth=x'"), PATIENCE);
    desk.alert(AlertKind::PressWithoutMove);
    until("the third try", async || (heard.lock().unwrap().len() == 3).then_some(())).await;
    until("no trouble", async || (desk.told.lock().unwrap().as_slice() == [("webhook_failed", None)]).then_some(())).await;
    let (head, body) = heard.lock().unwrap()[2].clone();
    assert!(head.starts_with("POST /hall?auth=x HTTP/1.1\r\n"), "{head}");
    for line in [
        "title: =?UTF-8?Q?7=20=C2=B7=20Press=20without=20move?=",
        "priority: high",
        "tags: warning,press_without_move",
        "content-type: text/plain; charset=utf-8",
    ] {
        assert!(head.lines().any(|said| said == line), "{line}: {head}");
    }
    assert_eq!(
        body,
        "Ada, A - 王五\nWhite pressed the clock, and no move was seen (7.5.3, 6.2)\n– add 2 minutes to the opponent's clock"
    );
    desk.end().await;
}

#[tokio::test]
async fn a_webhook_that_takes_nothing_is_said() {
    let (port, heard) = ntfy(&[403; 9]).await;
    let mut desk = Desk::open(|_| format!("webhook = 'http://localhost:{port}/secret-topic'"), PATIENCE);
    desk.alert(AlertKind::PressWithoutMove);
    let wrong = desk.wrong("webhook_failed").await;
    assert!(wrong.contains("localhost does not let touchmove post there (status 403)"), "{wrong}");
    // Whoever knows the topic can read it.
    assert!(!wrong.contains("secret-topic"), "{wrong}");
    assert_eq!(heard.lock().unwrap().len(), 4);
    desk.end().await;
}

#[tokio::test]
async fn a_webhook_that_answers_nobody_keeps_no_program_from_being_run() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = nobody.local_addr().unwrap().port();
    let keys = |dir: &Path| {
        let text = format!("echo x >> {}/told", dir.display());
        format!("command = ['{}']\nwebhook = 'http://127.0.0.1:{port}/x'", script(dir, &text).display())
    };
    let mut desk = Desk::open(keys, PATIENCE);
    let told = desk.dir.path().join("told");
    for count in 1..=8 {
        (0..20).for_each(|_| desk.alert(AlertKind::IllegalMove));
        until("the programs", async || (read(&told)?.lines().count() == 20 * count).then_some(())).await;
    }
    assert!(desk.wrong("webhook_failed").await.contains("more alerts came than could be told"));
    assert!(desk.told.lock().unwrap().iter().all(|(kind, why)| *kind != "hook_failed" || why.is_none()));
    desk.end().await;
}

#[tokio::test]
async fn alerts_of_a_game_of_which_nothing_was_heard_are_told_too() {
    let keys = |dir: &Path| {
        let text = format!("echo $TOUCHMOVE_BOARD $TOUCHMOVE_KIND >> {}/told", dir.display());
        format!("command = ['{}']", script(dir, &text).display())
    };
    let mut desk = Desk::open(keys, PATIENCE);
    desk.alert(AlertKind::IllegalMove);
    let told = desk.dir.path().join("told");
    until("the first", async || read(&told)).await;
    // More happens at once than is held for who listens, and its beginning is lost.
    let (other, _) =
        desk.hub.register_board(BoardView::new(BoardId::new("board_8"), model("dgt").unwrap(), model("dgt").unwrap().sensing));
    let stamped = |number, event| StampedEvent { at: number, number: Some(number), event };
    let passing =
        std::iter::repeat_n(StampedEvent { at: 3, number: None, event: Event::Displaced { squares: Vec::new() } }, 1_100);
    let events =
        [stamped(1, started()), stamped(2, raised(1, AlertKind::PressWithoutMove))].into_iter().chain(passing).collect();
    other.publish(1_700_000_000_000, events, |_| (), None);
    let all = until("the other", async || read(&told).filter(|text| text.lines().count() == 2)).await;
    assert_eq!(all, "board_7 illegal_move\nboard_8 press_without_move\n");
    desk.end().await;
}

#[tokio::test]
async fn touchmoved_runs_the_program_when_a_move_is_not_legal() {
    let dir = tempfile::tempdir().unwrap();
    let told = dir.path().join("told");
    // Neither where to tell the service manager nor tokens are a program's.
    let text = format!("echo \"$TOUCHMOVE_KIND $TOUCHMOVE_ARTICLES ${{NOTIFY_SOCKET-none}}\" > {}", told.display());
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, format!("[hooks]\ncommand = ['{}']\n", script(dir.path(), &text).display())).unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    hall.board.clock(5400, 5400, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(5399, 5400, false);
    hall.board.play("e8", "e6");
    hall.board.clock(5399, 5398, true);
    let said = until("the program", async || read(&told)).await;
    assert!(said.starts_with("illegal_move 7.5") && said.ends_with(" none\n"), "{said}");
}
