//! An illegal move that its player takes back before it is completed.

use super::Site;
use crate::harness::until;
use serde_json::{Value, json};

/// Waits until this alert of the game is cleared; returns it.
async fn cleared(site: &Site, arbiter: &str, index: usize) -> Value {
    let path = format!("/api/games/{}", site.hall.game);
    until("the alert to be cleared", async || {
        let alert = site.get_as(arbiter, &path).await["alerts"][index].clone();
        (alert["cleared"] == true).then_some(alert)
    })
    .await
}

#[tokio::test]
async fn the_alert_says_that_the_move_was_taken_back() {
    let Some(mut site) = Site::open("").await else { return };
    let arbiter = site.log_in("Anna", "arbiter").await;
    let mut events = site.events("/api/events", &arbiter).await;
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    site.hall.board.clock(5390, 5400, false);
    site.hall.play("e7", "e5", "e5").await;
    site.hall.board.clock(5390, 5390, true);
    // This is not a move of a rook, and the clock is not pressed.
    let pending = |alert: &Value| alert["kind"] == "illegal_pending";
    site.hall.board.play("h1", "h3");
    events.until("the alert", |next| pending(&next.data["game"]["alerts"][0])).await;
    site.hall.board.play("h3", "h1");
    let alert = cleared(&site, &arbiter, 0).await;
    assert!(pending(&alert) && alert["taken_back"] == true, "{alert}");

    // Whoever acknowledges an alert knows what it was about.
    site.hall.board.play("a1", "a3");
    let card = events.until("the second alert", |next| next.data["game"]["alerts"][0]["id"] == 2).await.data;
    let id = &card["game"]["alerts"][0]["id"];
    let command = json!({"game": site.hall.game, "command": {"do": "acknowledge", "alert": id}});
    assert_eq!(site.post("/api/command", &arbiter, &command).await.status, 200);
    let alert = cleared(&site, &arbiter, 1).await;
    assert!(pending(&alert) && alert["taken_back"] == false, "{alert}");
}
