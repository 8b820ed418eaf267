//! The list of alerts, in a browser: those of one kind are acknowledged together.

use crate::front_ends::rights::{Scene, TWICE, bearer};
use crate::harness::webdriver::{Browser, ENTER};
use serde_json::Value;
use touchmove::game::rights::Role;
use touchmove::wire::Word;

#[tokio::test]
async fn all_alerts_of_one_kind_are_acknowledged_and_no_others() {
    let Some(browser) = Browser::open() else { return };
    let Some(scene) = Scene::open().await else { return };
    let (_, token) = scene.tokens.iter().find(|(role, _)| *role == Role::Arbiter).unwrap();
    browser.size(1280, 800);
    browser.go(&format!("http://127.0.0.1:{}/login", scene.port));
    browser.shows("#login", "Log in");
    browser.click("#login");
    browser.keys(&format!("{token}{ENTER}"));
    browser.shows("#who", "(arbiter)");
    let alerts = async || -> Vec<Value> {
        let (_, state) = scene.get("/api/state", &bearer(token)).await;
        state["boards"][0]["game"]["alerts"].as_array().unwrap().clone()
    };
    let (of_kind, others): (Vec<Value>, Vec<Value>) =
        alerts().await.into_iter().partition(|alert| alert["kind"] == TWICE.word());
    assert!(of_kind.len() == 2 && others.len() > 2, "{of_kind:?} {others:?}");

    // Only that kind has more than one alert, and one button for all.
    let listed = |count: usize| format!("document.querySelectorAll('#alerts li').length === {count}");
    browser.until("all alerts", &listed(2 + others.len()));
    let buttons = "[...document.querySelectorAll('#alerts .acknowledge.all:not([hidden])')].map(one => one.textContent).join()";
    browser.until("one button", &format!("{buttons} === 'Acknowledge all 2'"));
    browser.click("#alerts .acknowledge.all:not([hidden])");
    browser.shows("#command-status", "Alerts acknowledged: 2");
    browser.until("the other alerts", &listed(others.len()));
    let ids = |alerts: &[Value]| alerts.iter().map(|alert| alert["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&alerts().await), ids(&others));
    browser.until("no button for all", &format!("{buttons} === ''"));
}
