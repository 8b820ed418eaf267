//! One-time codes with which telephones log in.

use super::{Answer, Site};
use crate::front_ends::dbus::touchmovectl;
use serde_json::{Value, json};

impl Site {
    /// Asks for a code, as the page does.
    async fn code(&self, who: &str, name: &str, role: &str) -> Answer {
        self.post("/api/code", who, &json!({"name": name, "role": role})).await
    }

    async fn log_in_with(&self, code: &str) -> Answer {
        self.post("/api/login", "", &json!({ "code": code })).await
    }
}

#[tokio::test]
async fn a_telephone_logs_in_under_its_own_name() {
    let Some(mut site) = Site::open("hosts = \"hall.example.org\"").await else { return };
    let anna = site.log_in("Anna", "arbiter").await;
    let made = site.code(&anna, "Anna's telephone", "arbiter").await.json();
    let code = made["code"].as_str().unwrap();
    // The telephone cannot reach this machine as localhost.
    assert_eq!(made["address"], format!("http://hall.example.org:{}/login#code={code}", site.port));
    assert_eq!(made["expires_s"], 600);
    assert!(made["image"].as_str().unwrap().contains("<svg"), "{made}");
    let answer = site.log_in_with(&code.to_lowercase().replace('-', "")).await;
    assert_eq!(answer.json(), super::who("Anna's telephone", "arbiter"));
    let telephone = answer.cookie();
    assert_eq!(site.log_in_with(code).await.status, 401, "a code is for one login");
    // The journal has its name.
    let pause = json!({"game": site.hall.game, "command": {"do": "pause", "paused": true}});
    assert_eq!(site.post("/api/command", &telephone, &pause).await.status, 200);
    let events = site.hall.client.events(site.hall.game).await.unwrap();
    let commanded = events.iter().find(|event| event.event == "Commanded").unwrap();
    assert_eq!(commanded.fields["by"], "Anna's telephone");
    let list: Value = serde_json::from_str(&site.token(&["list", "--json"])).unwrap();
    assert_eq!((&list[1]["name"], &list[1]["maker"]), (&json!("Anna's telephone"), &json!("Anna")));
    // It stays logged in, until the token of who let it log in is revoked.
    site = site.restart().await;
    assert_eq!(site.get_as(&telephone, "/api/state").await["who"]["name"], "Anna's telephone");
    site.token(&["revoke", "Anna"]);
    assert_eq!(site.get_as(&telephone, "/api/state").await["who"], Value::Null);
}

#[tokio::test]
async fn a_login_with_a_code_ends_with_its_session() {
    let Some(site) = Site::open("").await else { return };
    let anna = site.log_in("Anna", "arbiter").await;
    let log_in = async |name: &str| {
        let code = site.code(&anna, name, "operator").await.json()["code"].as_str().unwrap().to_owned();
        site.log_in_with(&code).await.cookie()
    };
    let first = log_in("one").await;
    // Another login of that name replaces it.
    let second = log_in("one").await;
    assert_eq!(site.get_as(&first, "/api/state").await["who"], Value::Null);
    assert_eq!(site.get_as(&second, "/api/state").await["who"]["role"], "operator");
    assert_eq!(site.post("/api/logout", &second, &json!({})).await.status, 200);
    assert!(!site.token(&["list"]).contains("one"), "{}", site.token(&["list"]));
    let third = log_in("two").await;
    site.token(&["revoke", "two"]);
    assert_eq!(site.get_as(&third, "/api/state").await["who"], Value::Null);
}

#[tokio::test]
async fn nobody_makes_a_code_for_more_than_they_may() {
    let Some(site) = Site::open("").await else { return };
    let (anna, otto) = (site.log_in("Anna", "arbiter").await, site.log_in("Otto", "operator").await);
    for (who, name, role, status) in [
        ("", "x", "operator", 401),
        (&otto, "x", "arbiter", 403),
        (&otto, "x", "operator", 200),
        (&anna, "x", "operator", 200),
        (&anna, "x", "king", 400),
        (&anna, "", "arbiter", 400),
        (&anna, "clock", "arbiter", 400),
        // That would be confused with the user.
        (&anna, "Otto", "arbiter", 409),
    ] {
        let answer = site.code(who, name, role).await;
        assert_eq!(answer.status, status, "{name} {role}: {}", answer.body);
    }
    // A telephone may let others log in, and they are logged out with it.
    let code = site.code(&otto, "Otto's telephone", "operator").await.json()["code"].as_str().unwrap().to_owned();
    let telephone = site.log_in_with(&code).await.cookie();
    let code = site.code(&telephone, "his tablet", "operator").await.json()["code"].as_str().unwrap().to_owned();
    let unused = site.code(&otto, "unused", "operator").await.json()["code"].as_str().unwrap().to_owned();
    let tablet = site.log_in_with(&code).await.cookie();
    assert_eq!(site.get_as(&tablet, "/api/state").await["who"]["name"], "his tablet");
    site.token(&["revoke", "Otto"]);
    assert_eq!(site.get_as(&tablet, "/api/state").await["who"], Value::Null);
    assert_eq!(site.log_in_with(&unused).await.status, 401, "the codes of a revoked token end with it");
}

#[tokio::test]
async fn wrong_codes_end_codes_but_lock_out_no_token() {
    let Some(site) = Site::open("").await else { return };
    let anna = site.log_in("Anna", "arbiter").await;
    let code = site.code(&anna, "one", "operator").await.json()["code"].as_str().unwrap().to_owned();
    for _ in 0..5 {
        assert_eq!(site.log_in_with("0000-0000").await.status, 401);
    }
    assert_eq!(site.log_in_with(&code).await.status, 401, "five wrong tries end a code");
    for _ in 0..4 {
        assert_eq!(site.log_in_with("0000-0000").await.status, 401);
    }
    let code = site.code(&anna, "one", "operator").await.json()["code"].as_str().unwrap().to_owned();
    let refused = site.log_in_with(&code).await;
    assert!(refused.status == 429 && refused.body.contains("log in with a token"), "{}", refused.body);
    // Tokens and sessions are unaffected.
    site.log_in("Otto", "operator").await;
    assert_eq!(site.get_as(&anna, "/api/state").await["who"]["name"], "Anna");
}

#[tokio::test]
async fn the_command_line_shows_a_code_as_a_qr_code() {
    let Some(site) = Site::open("hosts = \"hall.example.org\"\nproxy = true").await else { return };
    let ctl = |args: &[&str]| touchmovectl(&site.hall.bus.address(), args);
    let (status, output, errors) = ctl(&["token", "code", "Anna's telephone", "--role", "arbiter"]);
    assert_eq!(status, Some(0), "{errors}");
    let code = output.lines().last().unwrap();
    assert!(output.contains(&format!("\nhttps://hall.example.org/login#code={code}\n")) && output.contains('█'), "{output}");
    assert_eq!(errors, "This code logs Anna's telephone (arbiter) in once, within 10 minutes.\n");
    let (_, output, _) = ctl(&["token", "code", "Anna's telephone", "--role", "arbiter", "--page", "https://192.0.2.7:8064"]);
    assert!(output.contains("\nhttps://192.0.2.7:8064/login#code="), "{output}");
    assert_eq!(site.log_in_with(code).await.status, 401, "the second code replaces the first");
    let (status, _, errors) = ctl(&["token", "code", " ", "--role", "arbiter"]);
    assert!(status == Some(1) && errors.contains("is not a name for a token"), "{errors}");
    let code = output.lines().last().unwrap();
    let answer = site.post("/api/login", "", &json!({ "code": code })).await;
    assert_eq!(answer.json(), super::who("Anna's telephone", "arbiter"));
}
