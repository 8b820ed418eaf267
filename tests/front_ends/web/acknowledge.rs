//! Several alerts of one kind, which are acknowledged one after the other.

use super::Site;
use crate::front_ends::dbus::touchmovectl;
use serde_json::{Value, json};
use touchmove::game::Command;
use touchmove::laws::Irregularity;

#[tokio::test]
async fn own_acknowledgements_are_no_news() {
    let Some(mut site) = Site::open("").await else { return };
    let arbiter = site.log_in("Anna", "arbiter").await;
    let mut events = site.events("/api/events", &arbiter).await;
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    site.hall.board.clock(5390, 5400, false);
    site.hall.play("e7", "e5", "e5").await;
    site.hall.board.clock(5390, 5390, true);
    let illegal = |card: &Value| -> Vec<Value> {
        let alerts = card["game"]["alerts"].as_array().cloned().unwrap_or_default();
        alerts.into_iter().filter(|alert| alert["kind"] == "illegal_move").map(|alert| alert["id"].clone()).collect()
    };
    // No rook can move there. Each move is seen before the next.
    let mut card = Value::Null;
    for (number, (from, to, is_white_to_move)) in (1..).zip([("h1", "h3", false), ("h8", "h6", true), ("a1", "a3", false)]) {
        site.hall.board.play(from, to);
        site.hall.board.clock(5380, 5380, is_white_to_move);
        card = events.until("an alert", |next| illegal(&next.data).len() == number).await.data;
    }
    let (seen, alerts) = (&card["game"]["last_number"], illegal(&card));
    let acknowledge =
        |alert: &Value| json!({"game": site.hall.game, "n_seen": seen, "command": {"do": "acknowledge", "alert": alert}});
    for alert in &alerts[..2] {
        assert_eq!(site.post("/api/command", &arbiter, &acknowledge(alert)).await.status, 200);
    }
    // What somebody else has done is news.
    let count = Command::Count { player: shakmaty::Color::Black, irregularity: Irregularity::TwoHands };
    site.hall.client.send_command(site.hall.game, &count).await.unwrap();
    assert_eq!(site.post("/api/command", &arbiter, &acknowledge(&alerts[2])).await.status, 412);

    let id = alerts[2].to_string();
    let (status, output, errors) = touchmovectl(&site.hall.bus.address(), &["arbiter", "acknowledge", &id, "--all"]);
    assert!(status == Some(0) && output.contains(&format!("these alerts are closed: {id}")), "{output}{errors}");
    events.until("no alert", |next| illegal(&next.data).is_empty()).await;
}
