//! An operator tests the squares of a board in the page.

use super::Desk;
use crate::harness::until;
use shakmaty::Square;
use touchmove::locale::Locale;

#[tokio::test]
async fn an_operator_tests_the_squares_of_a_spare_board() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    let (browser, board) = (&desk.browser, &desk.boards[1]);
    browser.go(&desk.address("/board/spare"));
    browser.click("#test");
    browser.click("#wiring-begin");
    browser.shows("#wiring-instruction", "take all pieces off the board");
    browser.shows("#wiring-hint", "these squares show a piece: a1");
    let names: Vec<String> = Square::ALL.iter().map(Square::to_string).collect();
    board.put_all(&names.iter().map(|name| (name.as_str(), '.')).collect::<Vec<_>>());
    browser.shows("#wiring-instruction", "put one piece on a1");
    board.put("a1", 'R');
    browser.shows("#wiring-instruction", "move the piece to h1");
    browser.shows("#wiring-last", "a1 shows as a1, with the piece R");
    browser.until("the target", "document.querySelector('#wiring-squares .target')?.dataset.square === 'h1'");
    // The user repeats a square, and says that another one shows nothing.
    board.play("a1", "h1");
    browser.shows("#wiring-instruction", "move the piece to a8");
    browser.click("#wiring-back");
    browser.shows("#wiring-instruction", "move the piece to h1");
    browser.click("#wiring-next");
    browser.shows("#wiring-instruction", "move the piece to a8");
    browser.shows("#wiring-last", "h1 shows nothing");
    browser.size(360, 740);
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
    browser.click("#wiring-stop");
    browser.shows("#wiring-instruction", "the test was stopped");
    browser.shows("#wiring-found .findings", "h1 never shows a piece");
    browser.shows("#wiring-found .advice", "repair these squares");
    browser.click("#wiring-close");
    browser.hides("#wiring");
    desk.assert_no_refusals();

    // Closing the dialog ends the test.
    board.put("h1", '.');
    browser.size(1280, 800);
    browser.click("#test");
    browser.click("#wiring-begin");
    browser.shows("#wiring-instruction", "put one piece on a1");
    browser.js("document.querySelector('#wiring').close()");
    let report = async || desk.client.wiring_test("spare", Locale::English).await.unwrap().unwrap();
    until("the end of the test", async || (report().await.end.as_deref() == Some("stopped")).then_some(())).await;

    // Not during a game.
    desk.play().await;
    browser.go(&desk.address("/board/board_7"));
    browser.click("#test");
    browser.click("#wiring-begin");
    browser.shows("#wiring > .wrong", "is being played on board board_7");
}
