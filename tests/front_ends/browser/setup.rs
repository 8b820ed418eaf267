//! The page goes on where `touchmovectl setup` has ended: the administrator comes by its code, and nobody else sees anything.

use super::screenshot;
use crate::harness::hall::OpenHall;
use crate::harness::webdriver::Browser;
use std::process::Command;

#[tokio::test]
async fn the_administrator_goes_on_with_the_code_of_setup() {
    let Some(browser) = Browser::open() else { return };
    let Some(hall) = OpenHall::open().await else { return };
    let address = format!("http://127.0.0.1:{}/setup", hall.web);
    browser.size(1280, 800);
    // This machine is nobody.
    browser.go(&address);
    browser.shows("#login", "Log in");
    browser.hides("#setup, #views");

    let bus = hall.hall.bus.address();
    let mut create = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    let code = tokio::task::spawn_blocking(move || {
        create
            .args(["token", "code", "Anna", "--role", "administrator", "--page", "https://hall.local:8064", "--bus", &bus])
            .output()
    });
    let output = String::from_utf8(code.await.unwrap().unwrap().stdout).unwrap();
    let code = output.lines().last().unwrap();
    browser.go("about:blank");
    browser.go(&format!("{address}#code={code}"));
    browser.click("#login-form .main");
    browser.shows("#who", "Anna (administrator)");
    browser.shows("#setup h2", "Boards");
    assert_eq!(browser.js("return location.href"), address);
    // The board that is plugged in, and what to do for telephones.
    browser.shows("#setup-boards li", "is read");
    browser.hides("#setup-no-boards, #setup-unused");
    browser.shows("#setup-address", &format!("http://127.0.0.1:{}/", hall.web));
    browser.shows("#setup-trust", "Only this machine reaches the page");
    browser.shows("#setup-trust code", "sudo touchmovectl setup --listen 0.0.0.0:8064");

    // Event and Laws, with the forms of the settings.
    browser.shows("#setup-keys th", "Name of the event");
    browser.click("#setup-keys [data-key='laws.edition']");
    browser.set("#setting select", "fide-2018");
    browser.click("#setting .main");
    browser.hides("#desk-dialog");
    browser.shows("#setup-keys tr:has([data-key='laws.edition']) .value", "2018");
    browser.click("#setup-telephone");
    browser.shows("#login-form h2", "Log in a telephone");
    browser.click("#login-form .quiet");
    screenshot(&browser, "setup");
    browser.size(360, 740);
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");

    browser.size(1280, 800);
    browser.click("#views [href='/settings']");
    browser.hides("#setup");
    browser.click("#views [href='/setup']");
    browser.shows("#setup-boards li", "is read");
    browser.click("#login");
    browser.hides("#setup");
    let refused: Vec<String> = browser.console().into_iter().filter(|line| line.contains("Content Security Policy")).collect();
    assert!(refused.is_empty(), "{refused:?}");
}
