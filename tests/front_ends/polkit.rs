//! Where polkit runs, it authorises each command; here the test provides it.

use crate::harness::PrivateBus;
use crate::harness::hall::Hall;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use touchmove::game::rights::Right;
use touchmove::names;
use zbus::{OwnedVariant, interface};

/// A polkit that allows these actions for every caller, and records the requests.
struct Authority {
    allowed: Vec<&'static str>,
    requests: Arc<Mutex<Vec<(String, String)>>>,
}

#[interface(name = "org.freedesktop.PolicyKit1.Authority")]
impl Authority {
    fn check_authorization(
        &self,
        subject: (String, HashMap<String, OwnedVariant>),
        action: String,
        _details: HashMap<String, String>,
        _flags: u32,
        _cancellation: String,
    ) -> ((bool, bool, HashMap<String, String>),) {
        assert_eq!(subject.0, "system-bus-name");
        let name = String::try_from(subject.1["name"].try_clone().unwrap()).unwrap();
        let is_allowed = self.allowed.contains(&action.as_str());
        self.requests.lock().unwrap().push((name, action));
        ((is_allowed, false, HashMap::new()),)
    }
}

#[tokio::test]
async fn polkit_authorises_commands() {
    let Some(bus) = PrivateBus::start() else { return };
    let requests = Arc::new(Mutex::new(Vec::new()));
    let authority = Authority { allowed: vec![Right::Acknowledge.polkit_action()], requests: Arc::clone(&requests) };
    let polkit = bus.connect().await;
    polkit.object_server().at("/org/freedesktop/PolicyKit1/Authority", authority).await.unwrap();
    polkit.request_name("org.freedesktop.PolicyKit1").await.unwrap();
    let hall = Hall::on(bus, &[]).await;
    let arbiter = hall.bus.connect().await;
    let path = names::game_path(hall.game);
    let to = (Some(names::BUS_NAME), path.as_str(), Some(names::ARBITER_INTERFACE));
    let error = |outcome: zbus::Result<zbus::Message>| match outcome {
        Err(zbus::Error::MethodError(name, sentence, _)) => (name.to_string(), sentence.unwrap_or_default()),
        other => panic!("{other:?}"),
    };

    let (name, sentence) = error(arbiter.call_method(to.0, to.1, Some(names::OPERATOR_INTERFACE), "SetResult", &"1-0").await);
    assert_eq!(name, "org.touchmove1.Error.NotAllowed");
    assert_eq!(
        sentence,
        "polkit does not allow this: `pkaction --verbose --action-id org.touchmove1.desk` shows who may do this"
    );
    // This action is allowed, but there is no such alert.
    let (name, _) = error(arbiter.call_method(to.0, to.1, to.2, "Acknowledge", &7u32).await);
    assert_eq!(name, "org.touchmove1.Error.NoAlert");
    // Neither may this arbiter do anything about boards.
    let board = hall.client.snapshot().await.unwrap().boards.remove(0).id;
    for (path, interface, method) in [
        (names::board_path(&board), names::BOARD_INTERFACE, "Identify"),
        (names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "ScanBluetooth"),
    ] {
        let (name, sentence) = error(arbiter.call_method(to.0, path, Some(interface), method, &()).await);
        assert_eq!(name, "org.touchmove1.Error.NotAllowed", "{method}");
        assert!(sentence.contains("--action-id org.touchmove1.boards`"), "{sentence}");
    }
    // The arbiter is not the administrator.
    let to = (to.0, names::ROOT_PATH, Some(names::ADMINISTRATOR_INTERFACE));
    for (method, outcome) in [
        ("Set", arbiter.call_method(to.0, to.1, to.2, "Set", &("broadcast.delay_s", "0", true)).await),
        ("Unset", arbiter.call_method(to.0, to.1, to.2, "Unset", &("broadcast.delay_s", true)).await),
        ("CreateLoginCode", arbiter.call_method(to.0, to.1, to.2, "CreateLoginCode", &("x", "operator")).await),
    ] {
        assert_eq!(error(outcome).0, "org.touchmove1.Error.NotAllowed", "{method}");
    }
    let caller = arbiter.unique_name().unwrap().to_string();
    let administer = Right::Administer.polkit_action();
    let boards = Right::Boards.polkit_action();
    let acknowledge = Right::Acknowledge.polkit_action();
    let expect = [Right::Desk.polkit_action(), acknowledge, boards, boards, administer, administer, administer]
        .map(|action| (caller.clone(), action.to_owned()));
    assert_eq!(*requests.lock().unwrap(), expect);
}
