//! A telephone logs in with a one-time code, in a browser.

use super::screenshot;
use crate::harness::hall::OpenHall;
use crate::harness::webdriver::{Browser, ENTER};
use std::process::Command;

#[tokio::test]
async fn a_telephone_logs_in_with_the_code_of_the_address() {
    let Some(browser) = Browser::open() else { return };
    let Some(hall) = OpenHall::open().await else { return };
    let mut create = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    let output =
        create.args(["token", "create", "Anna", "--role", "arbiter", "--state-dir"]).arg(hall.hall.state.path()).output();
    let token = String::from_utf8(output.unwrap().stdout).unwrap();
    let page = format!("http://127.0.0.1:{}/login", hall.web);
    browser.size(1280, 800);
    browser.go(&page);
    browser.shows("#login", "Log in");
    browser.hides("#telephone");
    browser.click("#login");
    browser.keys(&format!("{}{ENTER}", token.trim()));
    browser.shows("#who", "Anna (arbiter)");

    browser.click("#telephone");
    browser.shows("#login-form h2", "Log in a telephone");
    browser.keys(&format!("Anna{ENTER}"));
    browser.shows("#login-form .wrong", "there is a token of Anna already");
    browser.keys(&format!("Anna's telephone{ENTER}"));
    browser.shows("#login-form .code", "-");
    browser.until("the QR code is drawn", "document.querySelector('#login-form .qr').naturalWidth > 0");
    screenshot(&browser, "code");
    let code = browser.text("#login-form .code");
    assert_eq!(browser.js("return document.querySelector('#login-form .qr').alt"), format!("{page}#code={code}"));
    browser.click("#login-form button");
    browser.hides("#login-form");
    browser.click("#login");
    browser.hides("#telephone");

    // Whoever only opens the address does not spend the code.
    browser.size(360, 740);
    for _ in 0..2 {
        browser.go("about:blank");
        browser.go(&format!("{page}#code={code}"));
        browser.shows("#login-form .code", &code);
        browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
        assert_eq!(browser.text("#who"), "");
    }
    browser.click("#login-form .main");
    // A narrow page does not show who is logged in.
    browser
        .until("the telephone is logged in", "document.querySelector('#who').textContent === \"Anna's telephone (arbiter)\"");
    browser.hides("#login-form");
    assert_eq!(browser.js("return location.href"), page);
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");

    // The code is for one login.
    browser.click("#login");
    browser.hides("#telephone");
    browser.click("#login");
    browser.keys(&format!("{}{ENTER}", code.to_lowercase()));
    browser.shows("#login-form .wrong", "This code is not valid, or no longer.");
    let refused: Vec<String> = browser.console().into_iter().filter(|line| line.contains("Content Security Policy")).collect();
    assert!(refused.is_empty(), "{refused:?}");
}
