//! The engine that evaluates positions in spectators' browsers: only where the organiser allows it, it is installed, and there is a delay.

use super::Site;
use std::path::Path;

/// A directory with the files of the engine.
fn engine() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("stockfish.js"), "postMessage('uciok')").unwrap();
    std::fs::write(dir.path().join("stockfish.wasm"), [0, b'a', b's', b'm']).unwrap();
    dir
}

/// The page with this configuration and this engine; returns whether spectators may evaluate, and the policy of the page.
async fn open(engine: &Path, public: &str, delay_s: u32) -> Option<(Site, bool, String)> {
    let keys = format!("[public]\nengine = '{}'\n{public}[broadcast]\ndelay_s = {delay_s}", engine.display());
    let site = Site::open(&keys).await?;
    let allows = site.get("/public/event.json").await["evaluation"] == true;
    let page = site.send_request("GET /", "", "").await;
    let policy = page.head.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).unwrap().to_owned();
    Some((site, allows, policy))
}

#[tokio::test]
async fn spectators_get_the_engine_where_the_organiser_allows_it() {
    let dir = engine();
    let Some((site, allows, policy)) = open(dir.path(), "evaluation = true\n", 60).await else { return };
    assert!(allows && policy.contains("worker-src 'self'"), "{policy}");
    let script = site.send_request("GET /page/engine/stockfish.js", "", "").await;
    assert_eq!((script.status, script.body.as_str()), (200, "postMessage('uciok')"));
    assert!(script.head.contains("content-type: text/javascript"), "{}", script.head);
    assert!(
        script.head.contains("content-security-policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"),
        "{}",
        script.head
    );
    let tag = script.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let again = site.send_request("GET /page/engine/stockfish.js", &format!("If-None-Match: {tag}\r\n"), "").await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let module = site.send_request("GET /page/engine/stockfish.wasm", "", "").await;
    assert!(module.status == 200 && module.head.contains("content-type: application/wasm"), "{}", module.head);
    for name in ["stockfish", "..%2fstockfish.js", "stockfish.js/x"] {
        assert_eq!(site.send_request(&format!("GET /page/engine/{name}"), "", "").await.status, 404, "{name}");
    }
    // The page of those who log in may load no engine, and nothing may be framed.
    let login = site.send_request("GET /login", "", "").await;
    assert!(!login.head.contains("wasm-unsafe-eval") && login.head.contains("frame-ancestors 'none'"), "{}", login.head);
}

#[tokio::test]
async fn there_is_no_engine_without_permission_files_or_delay() {
    let (dir, empty) = (engine(), tempfile::tempdir().unwrap());
    for (engine, public, delay_s) in
        [(dir.path(), "", 60), (dir.path(), "evaluation = true\n", 0), (empty.path(), "evaluation = true\n", 60)]
    {
        let Some((site, allows, policy)) = open(engine, public, delay_s).await else { return };
        assert!(
            !allows && !policy.contains("wasm-unsafe-eval") && !policy.contains("worker-src"),
            "{public} {delay_s}: {policy}"
        );
        let answer = site.send_request("GET /page/engine/stockfish.js", "", "").await;
        assert!(answer.status == 404 && answer.body.contains("touchmove-engine"), "{}", answer.body);
    }
}

#[tokio::test]
async fn a_user_who_is_logged_in_gets_no_engine() {
    let dir = engine();
    let Some((site, allows, _)) = open(dir.path(), "evaluation = true\n", 60).await else { return };
    assert!(allows);
    let cookie = site.log_in("Anna", "arbiter").await;
    let script = site.send_request("GET /page/engine/stockfish.js", &cookie, "").await;
    assert_eq!(script.status, 403, "{}", script.body);
    let standings = site.send_request("GET /standings", &cookie, "").await;
    assert!(standings.status == 200 && !standings.head.contains("wasm-unsafe-eval"), "{}", standings.head);
}
