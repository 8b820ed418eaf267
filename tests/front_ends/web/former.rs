//! A game that has no result when the pieces are set up again.

use super::Site;
use serde_json::{Value, json};

#[tokio::test]
async fn it_stays_on_the_card_until_its_result_is_entered() {
    let Some(mut site) = Site::open("").await else { return };
    let operator = site.log_in("Olga", "operator").await;
    let mut events = site.events("/api/events", &operator).await;
    let game = site.hall.game;
    site.hall.play("e2", "e4", "e4").await;
    site.hall.play("e7", "e5", "e5").await;
    site.hall.play("f1", "c4", "Bc4").await;
    site.hall.play("f8", "c5", "Bc5").await;
    // Not in the order in which moves are taken back; and no other legal moves lead to the placements in between, as knights' would.
    for (from, to) in [("e4", "e2"), ("e5", "e7"), ("c4", "f1"), ("c5", "f8")] {
        site.hall.board.play(from, to);
    }
    let missing = |card: &Value| card["former"]["alerts"][0]["kind"] == "result_missing";
    let card = events.until("the game without a result", |next| missing(&next.data)).await.data;
    assert_eq!((&card["former"]["id"], &card["attention"]), (&json!(game), &json!(3)));
    // It is of no round.
    assert_eq!((&card["former"]["round"], &card["former"]["table"]), (&Value::Null, &Value::Null));
    assert_ne!(card["game"]["id"], json!(game));
    let command = json!({"game": game, "command": {"do": "result", "result": "1/2-1/2"}});
    assert_eq!(site.post("/api/command", &operator, &command).await.status, 200);
    let card = events.until("the result", |next| next.data["former"].is_null()).await.data;
    assert_ne!(card["attention"], json!(3), "{card}");
}
