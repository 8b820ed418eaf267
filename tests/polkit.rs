//! Where polkit runs, it is asked before a command is carried out; here it is one of the test's own.

use crate::hall::Hall;
use crate::harness::PrivateBus;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use touchmove::names;
use zbus::{OwnedVariant, interface};

/// A polkit that lets everybody do these actions, and notes who asks for which.
struct Authority {
    yes: &'static [&'static str],
    asked: Arc<Mutex<Vec<(String, String)>>>,
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
        let yes = self.yes.contains(&action.as_str());
        self.asked.lock().unwrap().push((name, action));
        ((yes, false, HashMap::new()),)
    }
}

#[tokio::test]
async fn polkit_has_a_say_in_commands() {
    let Some(bus) = PrivateBus::start() else { return };
    let asked = Arc::new(Mutex::new(Vec::new()));
    let authority = Authority { yes: &[names::ACTION_ACKNOWLEDGE], asked: Arc::clone(&asked) };
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

    let (name, sentence) = error(arbiter.call_method(to.0, to.1, to.2, "SetResult", &"1-0").await);
    assert_eq!(name, "org.touchmove1.Error.NotAllowed");
    assert_eq!(sentence, "polkit does not allow this: see `pkaction --verbose --action-id org.touchmove1.command` for who may");
    // He may do this; there is nothing to do it to.
    let (name, _) = error(arbiter.call_method(to.0, to.1, to.2, "Acknowledge", &7u32).await);
    assert_eq!(name, "org.touchmove1.Error.NoAlert");
    let caller = arbiter.unique_name().unwrap().to_string();
    let expect = [names::ACTION_COMMAND, names::ACTION_ACKNOWLEDGE].map(|action| (caller.clone(), action.to_owned()));
    assert_eq!(*asked.lock().unwrap(), expect);
}
