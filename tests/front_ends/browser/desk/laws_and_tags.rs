//! An administrator sets the Laws and the players of a game.

use super::Desk;
use crate::harness::until;

/// Submits the form of the dialog with these fields set.
fn submit(desk: &Desk, command: &str, fields: &[(&str, &str)]) {
    let browser = &desk.browser;
    browser.until("the game", "!document.querySelector('#menu').hidden && document.querySelector('#laws').textContent");
    browser.click("#menu");
    browser.click(&format!("#rule [data-do={command}]"));
    for (name, value) in fields {
        let set = format!(
            "const fields = [...document.querySelectorAll('#rule [name={name}]')];
             const one = fields.find(one => one.type === 'radio' && one.value === '{value}');
             one ? one.click() : (fields[0].value = '{value}');"
        );
        browser.js(&set);
    }
    browser.click("#rule .main");
    browser.hides("#rule");
}

#[tokio::test]
async fn an_administrator_sets_the_laws_and_the_players_of_a_game() {
    let Some(desk) = Desk::open("", "administrator").await else { return };
    desk.play().await;
    let browser = &desk.browser;
    browser.go(&desk.address("/board/board_7"));
    browser.shows("#laws", "from 1 January 2023, standard");
    submit(&desk, "laws", &[("edition", "fide-2018"), ("time_class", "blitz"), ("supervision", "limited")]);
    browser.shows("#laws", "FIDE Laws of Chess, from 1 January 2018, blitz limited");
    // The form begins with what is in force.
    browser.click("#menu");
    browser.click("#rule [data-do=laws]");
    let chosen = "return [...document.querySelectorAll('#rule select, #rule :checked:not(option)')].map(one => one.value)";
    assert_eq!(browser.js(chosen), serde_json::json!(["fide-2018", "blitz", "limited"]));
    browser.click("#rule .quiet");

    // The names of a round are in its pairings.
    browser.click("#menu");
    browser.until("no form for tags", "!document.querySelector('#rule [data-do=tags]')");
    browser.click("#rule [data-do=pairing]");
    browser.shows("#desk-dialog legend", "White");
    browser.js("document.querySelector('#desk-dialog [name=white-rating]').value = '2100'");
    browser.click("#desk-dialog .main");
    browser.shows("#players .white .more", "2100");

    // A game of no round.
    desk.boards[1].play("d2", "d4");
    browser.go(&desk.address("/board/spare"));
    browser.shows("#moves .move", "d4");
    submit(&desk, "tags", &[("White", "Cid, \u{e9}mile"), ("WhiteElo", "1980"), ("Event", "Blitz")]);
    browser.shows("#players .white .name", "Cid, \u{e9}mile");
    submit(&desk, "tags", &[("Black", "Dee")]);
    browser.shows("#players .black .name", "Dee");
    let tags = until("the tags", async || {
        let games = desk.client.snapshot().await.unwrap().games;
        let game = games.into_iter().find(|game| game.board == "spare" && !game.moves.is_empty())?;
        let pgn = desk.client.pgn(game.id).await.ok()?;
        pgn.contains("[Black \"Dee\"]").then_some(pgn)
    })
    .await;
    assert!(tags.contains("[White \"Cid, \u{e9}mile\"]") && tags.contains("[Event \"Blitz\"]"), "{tags}");
    desk.assert_no_refusals();
}
