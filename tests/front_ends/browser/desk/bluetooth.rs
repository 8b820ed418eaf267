//! An operator looks for boards over Bluetooth in the page.

use super::Desk;
use crate::harness::bluez::{Bluez, RadioBoard};

const A: &str = "AA:BB:CC:DD:EE:01";
const B: &str = "AA:BB:CC:DD:EE:02";
const C: &str = "AA:BB:CC:DD:EE:03";

#[tokio::test]
async fn an_operator_looks_for_boards_and_asks_one_which_it_is() {
    let Some(desk) = Desk::open("", "operator").await else { return };
    let bluez = Bluez::stopped(&desk.bus);
    let [chessnut, pegasus, other] =
        [("chessnut", A), ("pegasus", B), ("ichessone", C)].map(|(model, address)| bluez.add(RadioBoard::new(model, address)));
    let browser = &desk.browser;
    browser.click("#views [href='/health']");
    browser.shows("#bluetooth-open", "Boards over Bluetooth");
    browser.click("#bluetooth-open");
    // Why nothing can be found, and what to do.
    browser.click("#bluetooth-scan");
    browser.shows(
        "#bluetooth > .wrong",
        "bluetoothd does not run: install bluez, and run `sudo systemctl enable --now bluetooth`",
    );
    bluez.run_daemon();
    bluez.set_power(false, false);
    browser.click("#bluetooth-scan");
    browser.shows("#bluetooth > .wrong", "the Bluetooth adapter hci0 is off: run `bluetoothctl power on`");
    bluez.set_power(true, false);
    browser.click("#bluetooth-scan");
    browser.shows("#bluetooth-state", "Searching");
    let entry = |address: &str| format!("#bluetooth-boards [data-address='{address}']");
    for (address, model, reason) in [
        (A, "Chessnut Air, Air+, Pro, Go: ", "it advertises service 1b7e8261-"),
        (B, "probably DGT Pegasus: ", "its name begins with \"DGT_Pegasus\"; names can be changed"),
        (C, "perhaps iChessOne: ", "its name begins with \"iChessOne\""),
    ] {
        let entry = entry(address);
        browser.shows(&entry, "strong signal (-58 dBm)");
        browser.shows(&format!("{entry} .candidate"), model);
        browser.shows(&format!("{entry} .candidate"), reason);
        browser.shows(&format!("{entry} pre"), &format!("sudo touchmovectl bluetooth add {address}"));
    }
    browser.shows(&format!("{} pre", entry(C)), "--model ichessone");
    // Only where that is of use, and harms nobody.
    browser.hides(&format!("{} .identify", entry(A)));
    browser.hides(&format!("{} .identify", entry(C)));
    assert!([&chessnut, &pegasus, &other].iter().all(|board| !board.is_connected() && board.received().is_empty()));
    browser.size(360, 740);
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
    browser.click(&format!("{} .identify", entry(B)));
    browser.shows(&format!("{} .identification", entry(B)), "it answers like a DGT Pegasus");
    browser.shows(&format!("{} pre", entry(B)), "--model pegasus");
    browser.hides(&format!("{} .identify", entry(B)));
    assert_eq!(pegasus.received(), [[0x42]]);
    browser.until("the search is over", "document.querySelector('#bluetooth-state').textContent === ''");
    // Closing the dialog ends a search.
    browser.click("#bluetooth-scan");
    browser.shows("#bluetooth-state", "Searching");
    assert!(bluez.is_discovering());
    browser.js("document.querySelector('#bluetooth').close()");
    crate::harness::eventually("the end of the scan", || (!bluez.is_discovering()).then_some(()));
    assert!([&chessnut, &other].iter().all(|board| board.received().is_empty()));
    desk.assert_no_refusals();
}
