//! The administrator changes the delay; everybody who works in the hall sees which front-ends run.

use super::Desk;

#[tokio::test]
async fn an_administrator_changes_the_delay_and_sees_the_front_ends() {
    let Some(desk) = Desk::open("[broadcast]\ndelay_s = 900\n[metrics]\nlisten = '127.0.0.1:0'", "administrator").await else {
        return;
    };
    let browser = &desk.browser;
    browser.click("#views [href='/settings']");
    browser.shows("#settings-now th", "Delay of the public, in seconds");
    let row = "#settings-now tr:has([data-key='broadcast.delay_s'])";
    browser.shows(&format!("{row} .value"), "900");
    browser.shows(&format!("{row} .source"), "configuration file");
    let enter = |value: &str| {
        browser.click("[data-key='broadcast.delay_s']");
        browser.js(&format!("document.querySelector('#setting input').value = '{value}'"));
        browser.click("#setting .main");
    };
    // A longer delay holds at once; a shorter one reveals something.
    enter("1800");
    browser.shows("#command-status", "Changed: Delay of the public, in seconds. It takes effect at once");
    browser.shows(&format!("{row} .source"), "Anna");
    enter("300");
    browser.shows("#settings-question", "each move 5 minutes later");
    browser.shows("#settings-question", "now: each move 30 minutes later");
    browser.click("#desk-dialog .main");
    browser.hides("#desk-dialog");
    browser.shows(&format!("{row} .value"), "1800");
    enter("300");
    browser.shows("#settings-question", "each move 5 minutes later");
    browser.click("#desk-dialog .danger");
    browser.shows(&format!("{row} .value"), "300");
    // Back to the file.
    browser.click("[data-key='broadcast.delay_s']");
    browser.click("#setting-unset");
    browser.shows(&format!("{row} .value"), "900");
    browser.shows(&format!("{row} .source"), "configuration file");
    // A choice is in words.
    browser.click("[data-key='laws.edition']");
    browser.until("its name", "document.querySelector('#setting').textContent.includes('FIDE Laws of Chess of 1997')");
    browser.click("#setting .quiet");

    browser.click("#views [href='/health']");
    browser.shows("#health-summary", "Everything is in order");
    for (name, state) in [("This page", "runs"), ("Metrics", "runs"), ("Games as files", "is off"), ("org.touchmove1", "runs")]
    {
        let shown = format!(
            "[...document.querySelectorAll('#front-ends tr')].some(row => row.textContent.startsWith('{name}{state}'))"
        );
        browser.until(name, &shown);
    }
    browser.shows("#backup", "Download a backup of all games");
    browser.size(360, 740);
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
    desk.assert_no_refusals();
}
