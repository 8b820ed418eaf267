//! Logins, tokens and the requests of other pages.

use super::{Answer, CTL, Site, exchange, may_open};
use crate::harness::PATIENCE;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

#[tokio::test]
async fn a_login_survives_a_restart_and_a_logout_does_too() {
    let Some(mut site) = Site::open("").await else { return };
    let cookie = site.log_in("Anna", "arbiter").await;
    let other = {
        let answer =
            site.post("/api/login", "", &json!({"token": site.token(&["create", "Otto", "--role", "operator"])})).await;
        answer.cookie()
    };
    site = site.restart().await;
    assert_eq!(site.get_as(&cookie, "/api/state").await["who"]["name"], "Anna");
    let mut events = site.events("/api/events", &cookie).await;
    events.next().await.unwrap();
    let answer = site.post("/api/logout", &cookie, &json!({})).await;
    assert!(answer.head.contains("set-cookie: touchmove=; ") && answer.head.contains("max-age=0"), "{}", answer.head);
    // A copy of the cookie is invalid, too, at once and for ever.
    assert_eq!(site.get_as(&cookie, "/api/state").await["who"], Value::Null);
    while events.next().await.is_some() {}
    site = site.restart().await;
    assert_eq!(site.get_as(&cookie, "/api/state").await["who"], Value::Null);
    assert_eq!(site.get_as(&other, "/api/state").await["who"]["name"], "Otto");
    site.token(&["revoke", "Otto"]);
    assert_eq!(site.get_as(&other, "/api/state").await["who"], Value::Null);
}

#[tokio::test]
async fn a_script_sends_its_token() {
    let Some(site) = Site::open("").await else { return };
    let token = site.token(&["create", "clock room", "--role", "operator"]);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(site.get_as(&bearer, "/api/state").await["who"], super::who("clock room", "operator"));
    let swap = json!({"do": "swap", "round": 1, "one": 1, "other": 2});
    let answer = site.post("/api/desk", &bearer, &swap).await;
    assert_eq!(answer.status, 404, "there is no round: {}", answer.body);
    assert_eq!(site.post("/api/desk", "", &swap).await.status, 401);
    let mut events = site.events("/api/events", &bearer).await;
    events.next().await.unwrap();
    // A token is not accepted as a session, nor a session as a token.
    let cookie = format!("Cookie: touchmove={token}\r\n");
    assert_eq!(site.get_as(&cookie, "/api/state").await["who"], Value::Null);
    let answer = site.post("/api/login", "", &json!({ "token": token })).await;
    let session = answer.cookie().trim().rsplit('=').next().unwrap().to_owned();
    for wrong in ["", "0", &session] {
        let answer = site.send_request("GET /api/state", &format!("Authorization: Bearer {wrong}\r\n"), "").await;
        assert!(answer.status == 401 && answer.head.contains("www-authenticate: bearer"), "{wrong}: {}", answer.head);
    }
    assert_eq!(site.send_request("GET /api/state", "Authorization: Basic eDp5\r\n", "").await.status, 200);
    site.token(&["revoke", "clock room"]);
    assert_eq!(site.send_request("GET /api/state", &bearer, "").await.status, 401);
    while events.next().await.is_some() {}
}

#[tokio::test]
async fn requests_of_other_pages_are_refused() {
    let Some(site) = Site::open("hosts = \"hall.example.org\"").await else { return };
    let cookie = site.log_in("Anna", "arbiter").await;
    let undo = json!({"game": site.hall.game, "command": {"do": "acknowledge", "alert": 77}}).to_string();
    let own = format!("Origin: http://localhost:{}\r\n", site.port);
    let json = "Content-Type: application/json\r\n";
    for (lines, status) in [
        // The request is accepted, and there is no such alert.
        (format!("{json}{own}Sec-Fetch-Site: same-origin\r\n"), 409),
        (format!("{json}Sec-Fetch-Site: none\r\n"), 409),
        ("Content-Type: application/json; charset=utf-8\r\n".to_owned(), 409),
        (format!("{json}Origin: https://evil.example\r\n"), 403),
        (format!("{json}Origin: null\r\n"), 403),
        (format!("{json}Origin: http://localhost\r\n"), 403),
        (format!("{json}Origin: http://localhost:{}.evil.example\r\n", site.port), 403),
        (format!("{json}{own}Sec-Fetch-Site: same-site\r\n"), 403),
        (format!("{json}{own}Sec-Fetch-Site: cross-site\r\n"), 403),
        ("Content-Type: text/plain\r\n".to_owned(), 415),
        ("Content-Type: application/x-www-form-urlencoded\r\n".to_owned(), 415),
        (String::new(), 415),
    ] {
        let lines = format!("{lines}Content-Length: {}\r\n{cookie}", undo.len());
        let answer = site.send_request("POST /api/command", &lines, &undo).await;
        assert_eq!(answer.status, status, "{lines}: {}", answer.body);
    }
    for request in ["GET /api/command", "PUT /api/command", "DELETE /api/login", "POST /api/state"] {
        assert_eq!(site.send_request(request, &cookie, "").await.status, 405, "{request}");
    }
    for (host, status) in [
        ("hall.example.org", 200),
        ("www.hall.example.org:80", 200),
        ("127.0.0.1", 200),
        ("[::1]:8064", 200),
        ("evil.example", 403),
        ("hall.example.org.evil.example", 403),
        ("", 403),
    ] {
        let answer = send_request_to(site.port, "GET /api/state", host).await;
        assert_eq!(answer.status, status, "{host}");
    }
    let big = "x".repeat(70_000);
    let lines = format!("{json}Content-Length: {}\r\n{cookie}", big.len());
    assert_eq!(site.send_request("POST /api/command", &lines, &big).await.status, 413);
    for wrong in ["", "{", "[]", "7", "\"x\"", &"[".repeat(9_000)] {
        let lines = format!("{json}Content-Length: {}\r\n{cookie}", wrong.len());
        assert_eq!(site.send_request("POST /api/command", &lines, wrong).await.status, 400, "{wrong}");
    }
    // The site answers as before.
    assert_eq!(site.get_as(&cookie, "/api/state").await["who"]["name"], "Anna");
}

#[tokio::test]
async fn wrong_tokens_do_not_lock_out_the_right_one() {
    let Some(site) = Site::open("proxy = true\nhsts = true").await else { return };
    let token = site.token(&["create", "Anna", "--role", "arbiter"]);
    let (wrong, right) = (json!({"token": "0".repeat(64)}), json!({ "token": token }));
    for from in ["192.0.2.1", "198.51.100.7, 192.0.2.1", "2001:db8:0:5:ffff::9"] {
        let from = format!("X-Forwarded-For: {from}\r\n");
        for _ in 0..50 {
            assert_eq!(site.post("/api/login", &from, &wrong).await.status, 401);
        }
        let answer = site.post("/api/login", &from, &right).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        assert!(cookie.starts_with("__host-touchmove=") && cookie.ends_with("; secure"), "{cookie}");
        assert!(cookie.contains("; path=/;") && !cookie.contains("domain"), "{cookie}");
        assert!(answer.head.contains("strict-transport-security: max-age=31536000"), "{}", answer.head);
        let session = answer.cookie().replace("__host-", "__Host-");
        assert_eq!(site.get_as(&session, "/api/state").await["who"]["name"], "Anna");
        // A cookie name that any other page of this machine could set is not accepted.
        let plain = session.replace("__Host-", "");
        assert_eq!(site.get_as(&plain, "/api/state").await["who"], Value::Null);
    }
}

#[tokio::test]
async fn slow_logins_do_not_block_other_clients() {
    if !may_open(4_000) {
        return;
    }
    let Some(site) = Site::open("").await else { return };
    let token = json!({"token": site.token(&["create", "Anna", "--role", "arbiter"])});
    let mut slow = Vec::new();
    for _ in 0..600 {
        let mut stream = TcpStream::connect(("127.0.0.1", site.port)).await.unwrap();
        let head =
            "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{";
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    // The first of them was evicted, long before its timeout.
    let mut answer = String::new();
    timeout(PATIENCE, slow[0].read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    // A request from the same address is served.
    assert_eq!(site.post("/api/login", "", &token).await.status, 200);
    assert_eq!(site.send_request("GET /", "", "").await.status, 200);
    // A body that is too long for a token is not read to its end.
    let long = json!({"token": "0".repeat(2_000)});
    assert_eq!(site.post("/api/login", "", &long).await.status, 413);
}

#[test]
fn errors_with_tokens_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str], state: &str| {
        let output = std::process::Command::new(CTL).arg("token").args(args).args(["--state-dir", state]).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let state = dir.path().to_str().unwrap();
    let check = |args: &[&str], state: &str, expected: &str| {
        let (code, stderr) = run(args, state);
        assert_eq!(code, 1, "{args:?}: {stderr}");
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
    };
    check(&["revoke", "Anna"], state, "there is no token of Anna: `touchmovectl token list`");
    assert_eq!(run(&["create", "Anna", "--role", "arbiter"], state).0, 0);
    check(&["create", "Anna", "--role", "operator"], state, "there is a token of Anna already");
    for name in ["", " ", "clock", "a\nb", &"x".repeat(41)] {
        check(&["create", name, "--role", "operator"], state, "is not a name for a token");
    }
    let nowhere = dir.path().join("nowhere");
    check(&["create", "Bob", "--role", "operator"], nowhere.to_str().unwrap(), "start touchmoved once");
    assert_eq!(run(&["create", "Bob", "--role", "king"], state).0, 2);
    std::fs::write(dir.path().join("tokens.json"), "[{}]").unwrap();
    check(&["list"], state, "is not a list of tokens");
}

async fn send_request_to(port: u16, request: &str, host: &str) -> Answer {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    exchange(stream, &format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await
}
