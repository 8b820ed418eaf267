//! The service itself: settings, front-ends with their problems, a backup of the journal.

use super::Site;
use crate::harness::{PATIENCE, until};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use touchmove::daemon::journal::Journal;

/// The header line of a session with this role.
async fn session(site: &Site, role: &str) -> String {
    site.log_in(role, role).await
}

/// The key of this name.
fn key(settings: &Value, name: &str) -> Value {
    let keys = settings["keys"].as_array().unwrap();
    keys.iter().find(|key| key["key"] == name).unwrap_or_else(|| panic!("no {name} in {settings}")).clone()
}

#[tokio::test]
async fn a_shorter_delay_must_be_confirmed() {
    let Some(site) = Site::open("[broadcast]\ndelay_s = 900").await else { return };
    let (administrator, operator) = (session(&site, "administrator").await, session(&site, "operator").await);
    let settings = site.get_as(&administrator, "/api/settings").await;
    let delay = key(&settings, "broadcast.delay_s");
    assert_eq!((&delay["value"], &delay["source"], &delay["effect"]), (&json!("900"), &json!("file"), &json!("immediate")));
    assert_eq!(delay["form"], json!({"min": 0, "max": 86_400, "unit": "seconds"}));
    assert_eq!(key(&settings, "web.listen")["effect"], "file_only");

    let change = |value: Value, confirmed: bool| json!({"key": "broadcast.delay_s", "value": value, "confirmed": confirmed});
    let post = async |lang: &str, body: &Value| site.post(&format!("/api/settings?lang={lang}"), &administrator, body).await;
    let refused = post("en", &change(json!("60"), false)).await;
    assert_eq!(refused.status, 428, "{}", refused.body);
    let sentence = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(
        sentence.contains("each move 1 minute later") && sentence.contains("now: each move 15 minutes later"),
        "{sentence}"
    );
    let refused = post("zh-Hans", &change(json!("60"), false)).await;
    assert!(refused.status == 428 && refused.body.contains("观众将更早看到"), "{}", refused.body);
    assert_eq!(key(&site.get_as(&administrator, "/api/settings").await, "broadcast.delay_s"), delay);
    assert_eq!(post("en", &change(json!("60"), true)).await.json(), json!({"effect": "immediate"}));
    let changed = key(&site.get_as(&administrator, "/api/settings").await, "broadcast.delay_s");
    assert_eq!(
        (&changed["value"], &changed["source"], &changed["by"]),
        (&json!("60"), &json!("settings"), &json!("administrator"))
    );
    // The file decides again; a longer delay needs no confirmation.
    assert_eq!(post("en", &change(Value::Null, false)).await.status, 200);
    assert_eq!(key(&site.get_as(&administrator, "/api/settings").await, "broadcast.delay_s"), delay);

    for (body, status, sentence) in [
        (change(Value::Null, false), 409, "was not changed here"),
        (json!({"key": "web.listen", "value": "127.0.0.1:1"}), 400, "cannot be changed while touchmove runs"),
        (json!({"key": "broadcast.delay", "value": "1"}), 404, "there is no key broadcast.delay"),
        (change(json!("soon"), false), 400, "soon is not a value of broadcast.delay_s"),
        (json!({"key": "laws.time_class", "value": "blitz"}), 400, "the configuration would be invalid"),
        (json!({"key": 7}), 400, "the request cannot be read"),
    ] {
        let refused = post("en", &body).await;
        assert!(refused.status == status && refused.body.contains(sentence), "{body}: {} {}", refused.status, refused.body);
    }
    for path in ["/api/settings", "/api/backup"] {
        assert_eq!(site.send_request(&format!("GET {path}"), &operator, "").await.status, 403, "{path}");
        assert_eq!(site.send_request(&format!("GET {path}"), "", "").await.status, 401, "{path}");
    }
    assert_eq!(site.post("/api/settings", &operator, &change(json!("0"), true)).await.status, 403);
}

#[tokio::test]
async fn operators_see_which_front_ends_run_and_what_is_wrong() {
    let files = tempfile::tempdir().unwrap();
    let keys = format!("[files]\ndir = \"{}/missing/games\"", files.path().display());
    std::fs::write(files.path().join("missing"), "a file, not a folder").unwrap();
    let Some(site) = Site::open(&keys).await else { return };
    let operator = session(&site, "operator").await;
    let health = until("the problem", async || {
        let health = site.get_as(&operator, "/api/health").await;
        let of = |name: &str| health["front_ends"].as_array()?.iter().find(|one| one["name"] == name).cloned();
        (!of("files")?["problems"].as_array()?.is_empty()).then_some(health)
    })
    .await;
    let of = |name: &str| health["front_ends"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
    for (name, state) in
        [("web", "running"), ("files", "running"), ("lichess", "off"), ("hooks", "off"), ("org.touchmove1", "running")]
    {
        assert_eq!(of(name)["state"], state, "{name}: {health}");
    }
    assert_eq!(of("files")["problems"][0]["kind"], "files_failed");
    assert_eq!(of("web")["problems"], json!([]));
    assert_eq!(health["problems"], json!([]), "each problem is listed once");
    assert_eq!(health["machines"], json!([]), "it is the hub of no hall");
    assert_eq!(site.send_request("GET /api/health", "", "").await.status, 401);
}

#[tokio::test]
async fn an_administrator_downloads_a_backup() {
    let Some(mut site) = Site::open("").await else { return };
    site.hall.play("e2", "e4", "e4").await;
    let administrator = session(&site, "administrator").await;
    // What an earlier run left behind is removed.
    let left = site.hall.state.path().join("download.sqlite3.part-1");
    std::fs::write(&left, "half").unwrap();
    let request = format!("GET /api/backup HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{administrator}\r\n");
    let mut stream = TcpStream::connect(("127.0.0.1", site.port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 200") && head.contains("attachment; filename=\"journal-"), "{head}");
    let names: Vec<String> = std::fs::read_dir(site.hall.state.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("download"))
        .collect();
    assert!(names.is_empty(), "{names:?}");

    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("journal.sqlite3"), &answer[end..]).unwrap();
    let (journal, _) = Journal::open(dir.path()).unwrap();
    let game = journal.game(site.hall.game).unwrap().expect("the game");
    assert!(format!("{:?}", game.events).contains("e2e4"));
}
