//! The game of a broken board continues on another one.

use super::Desk;

#[tokio::test]
async fn the_game_of_a_broken_board_continues_on_a_spare_one() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    desk.play().await;
    let browser = &desk.browser;
    browser.click("#views [href='/round']");
    browser.shows("#pairings .state", "in play");
    browser.click("#pairings th button");
    browser.click("#pairing-exchange");
    let choice = "[...document.querySelectorAll('#exchange option')].map(one => one.value).join()";
    browser.until("the free board", &format!("{choice} === 'spare'"));
    browser.click("#exchange .main");
    // The board shows the start position.
    browser.shows("#exchange .wrong", "the position of the game is not on board spare yet (see e2 e4 e5 e7): set it up there");
    let spare = &desk.boards[1];
    spare.play("e2", "e4");
    spare.play("e7", "e5");
    let until_done = "(document.querySelector('#exchange .main')?.click(), !document.querySelector('#desk-dialog').open)";
    browser.until("the exchange", until_done);
    browser.shows("#command-status", "The game continues on spare");
    browser.shows("#pairings .board", "spare");
    let games = desk.client.snapshot().await.unwrap().games;
    let sans = |board: &str| -> Vec<String> {
        let game = games.iter().filter(|game| game.board == board).max_by_key(|game| game.id).unwrap();
        game.moves.iter().map(|ply| ply.san.clone()).collect()
    };
    assert_eq!(sans("spare"), ["e4", "e5"]);

    // The menu of a board offers the same; the first board is free, although its game is known there still, also for a seat.
    browser.go(&desk.address("/board/spare"));
    browser.shows("#place", "Table 1");
    browser.click("#menu");
    browser.click("#rule [data-do=exchange]");
    browser.until("the board that was left", &format!("{choice} === 'board_7'"));
    browser.click("#exchange .quiet");
    browser.click("#views [href='/seats']");
    browser.shows("#unseated", "board_7");
    browser.js("document.querySelector('#seats select').focus()");
    let seats = "[...document.querySelectorAll('#seats option')].map(one => one.value)";
    browser.until("it can be seated", &format!("{seats}.includes('board_7')"));
    desk.assert_no_refusals();
}
