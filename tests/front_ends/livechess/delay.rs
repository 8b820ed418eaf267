//! The broadcast delay on the LiveChess interface.

use super::{AFTER_E4, START, Site};
use crate::harness::until;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// A busy board may report its serial number only after the start of its game was released.
#[tokio::test]
async fn under_a_delay_a_late_serial_number_is_published() {
    let Some(site) = Site::open("[broadcast]\ndelay_s = 2").await else { return };
    let mut client = site.client().await;
    site.hall.board.send(b"\x91\0\x0800815");
    until("the other serial number", async || {
        let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
        (boards["param"][0]["serialnr"] == "00815").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_delay_applies_to_everything() {
    let Some(mut site) = Site::open("[broadcast]\ndelay_s = 2").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
    site.hall.board.clock(300, 300, true);
    let made_at = site.hall.play("e2", "e4", "e4").await.time.unwrap();
    let message = client.wait_for("e4 on the board", |param| param["board"] == AFTER_E4).await;
    assert!(now() - made_at >= 2_000, "reported after {} ms", now() - made_at);
    // A delayed move is not yet settled.
    assert!(message.get("san").is_none_or(|san| *san == json!([])), "{message}");
    client.wait_for("e4", |param| param["san"] == json!(["e4"]) && param["match"] == true).await;
    assert!(now() - made_at >= 3_000, "reported after {} ms", now() - made_at);
    site.hall.board.clock(299, 300, false);
    let made_at = site.hall.play("e7", "e5", "e5").await.time.unwrap();
    let tournament = site.get("tournaments").await[0]["uuid"].as_str().unwrap().to_owned();
    let pairing = site.get(&format!("round/{tournament}/0")).await["pairings"][0]["uuid"].as_str().unwrap().to_owned();
    until("the reply over HTTP", async || {
        let (game, boards) = (site.get(&format!("game/{pairing}")).await, site.get("eboards").await);
        let seen = game["moves"].as_array().unwrap().len() == 2 || boards[0]["board"] != AFTER_E4;
        assert!(!seen || now() - made_at >= 2_000, "{game} {boards} after {} ms", now() - made_at);
        seen.then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_live_interface_ignores_the_delay() {
    let Some(mut site) = Site::open("live = true\n[broadcast]\ndelay_s = 3600").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
    site.hall.play("e2", "e4", "e4").await;
    client.wait_for("e4", |param| param["san"] == json!(["e4"])).await;
}
