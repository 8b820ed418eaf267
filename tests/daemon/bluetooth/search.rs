//! The search for boards that an operator orders while touchmoved runs.

use super::{A, Air, B, table};
use crate::harness::bluez::{Bluez, RadioBoard};
use crate::harness::{PrivateBus, until};
use serde::Serialize;
use std::sync::Arc;
use touchmove::daemon::hub::unavailable_text;
use touchmove::link::bluetooth::Unavailable;
use touchmove::locale::{self, Locale};
use touchmove::names;
use touchmove::publish::dbus::Stream;
use touchmove::publish::render::bluetooth::{BluetoothReport, DeviceReport};
use zbus::Message;
use zbus::wire::DynamicType;

const C: &str = "AA:BB:CC:DD:EE:03";
const D: &str = "AA:BB:CC:DD:EE:04";

impl Air {
    /// touchmoved with one configured board, and others in the air.
    async fn with_others(models: &[(&str, &str)]) -> Option<(Air, Vec<Arc<RadioBoard>>)> {
        let bus = PrivateBus::start()?;
        let bluez = Bluez::start(&bus);
        bluez.add(RadioBoard::new("chessnut", A));
        let others = models.iter().map(|(model, address)| bluez.add(RadioBoard::new(model, address))).collect();
        let air = Air::serving(bus, bluez, &table("radio", "chessnut", A)).await;
        air.board("radio", "ready").await;
        Some((air, others))
    }

    /// Calls a method of touchmoved; an error is the sentence with which it refused.
    async fn call<B: Serialize + DynamicType>(&self, method: &str, body: &B) -> Result<Message, String> {
        let connection = self.bus.connect().await;
        let (name, interface) = (Stream::Live.name(), Some(names::MANAGER_INTERFACE));
        match connection.call_method(Some(name), names::ROOT_PATH, interface, method, body).await {
            Err(zbus::Error::MethodError(_, sentence, _)) => Err(sentence.unwrap_or_default()),
            reply => Ok(reply.unwrap()),
        }
    }

    async fn scan(&self) -> Result<(), String> {
        self.call("ScanBluetooth", &()).await.map(drop)
    }

    async fn stop_scan(&self) -> Result<(), String> {
        self.call("StopBluetoothScan", &()).await.map(drop)
    }

    async fn identify(&self, address: &str) -> Result<(), String> {
        self.call("IdentifyBluetooth", &address).await.map(drop)
    }

    async fn search_in(&self, locale: Locale) -> BluetoothReport {
        let reply = self.call("DescribeBluetooth", &locale.tag()).await.unwrap();
        serde_json::from_str(&reply.body().deserialize::<String>().unwrap()).unwrap()
    }

    async fn search(&self) -> BluetoothReport {
        self.search_in(Locale::English).await
    }

    /// The device with this address, once the search has found it.
    async fn device(&self, address: &str) -> DeviceReport {
        until(address, async || self.search().await.devices.into_iter().find(|device| device.address == address)).await
    }

    /// The device with this address, once it was asked.
    async fn identified(&self, address: &str) -> DeviceReport {
        let is_over = async || (self.search().await.state == "idle").then_some(());
        until("the end of the handshake", is_over).await;
        let device = self.device(address).await;
        assert!(device.candidate.as_ref().unwrap().identification.is_some(), "{device:?}");
        device
    }
}

/// Returns the sentence with which an order was refused.
fn refusal(outcome: Result<(), String>) -> String {
    outcome.expect_err("a refusal")
}

#[tokio::test]
async fn a_search_shows_what_is_near_and_touches_nothing() {
    let Some((air, others)) = Air::with_others(&[("pegasus", B), ("ichessone", C), ("chessnut", D)]).await else { return };
    others[1].rename("table 7");
    let idle = air.search().await;
    assert_eq!((idle.state.as_str(), idle.devices.len()), ("idle", 0));
    air.scan().await.unwrap();
    assert_eq!(air.search().await.state, "scanning");
    let own = air.device(A).await;
    assert_eq!((own.board.as_deref(), own.connected, own.commands.len()), (Some("radio"), true, 0));
    let pegasus = air.device(B).await;
    assert_eq!((pegasus.rssi, pegasus.strength.as_deref()), (Some(-58), Some("strong")));
    assert_eq!(pegasus.commands, [format!("sudo touchmovectl bluetooth add {B}")]);
    let candidate = pegasus.candidate.unwrap();
    assert_eq!((candidate.confidence.as_str(), candidate.confirmation.as_str()), ("probable", "handshake"));
    assert_eq!(candidate.sentence, "probably DGT Pegasus");
    assert!(candidate.reason.starts_with("its name begins with \"DGT_Pegasus\""), "{}", candidate.reason);
    let unclear = air.device(C).await;
    assert_eq!(unclear.commands, [format!("sudo touchmovectl bluetooth add {C} --model MODEL")]);
    let candidate = unclear.candidate.unwrap();
    assert_eq!((candidate.sentence.as_str(), candidate.confirmation.as_str()), ("may be a board", "unclear"));
    let certain = air.device(D).await.candidate.unwrap();
    assert_eq!((certain.confidence.as_str(), certain.confirmation.as_str()), ("certain", "not_needed"));
    // A search that goes on can be ordered again.
    air.scan().await.unwrap();
    air.stop_scan().await.unwrap();
    assert_eq!(air.search().await.state, "idle");
    assert!(!air.bluez.is_discovering());
    // What was found stays.
    assert_eq!(air.search().await.devices.len(), 4);
    assert!(others.iter().all(|board| !board.is_connected() && board.received().is_empty()));
    assert!(air.find("radio").await.is_some_and(|board| board.state == "ready"));
    let chinese = air.search_in(Locale::SimplifiedChinese).await;
    assert!(
        chinese.devices.iter().any(|device| device.candidate.as_ref().is_some_and(|one| one.sentence.contains("很可能是")))
    );
}

#[tokio::test]
async fn one_device_is_asked_which_board_it_is() {
    let models = [("pegasus", B), ("ichessone", C), ("certabo", D)];
    let Some((air, others)) = Air::with_others(&models).await else { return };
    assert!(refusal(air.identify(B).await).contains("was not found by the last search"));
    assert!(refusal(air.identify("table 7").await).contains("is not an address"));
    air.scan().await.unwrap();
    for address in [A, B, C, D] {
        air.device(address).await;
    }
    assert!(refusal(air.identify(A).await).contains("in the configuration already, as radio"));
    let sentence = refusal(air.identify(C).await);
    assert!(sentence.starts_with("no request confirms that AA:BB:CC:DD:EE:03 is a iChessOne"), "{sentence}");
    assert_eq!(air.search().await.state, "scanning");
    air.identify(B).await.unwrap();
    // The scan is over before the device is connected.
    assert!(!air.bluez.is_discovering());
    assert!(refusal(air.scan().await).contains("is being asked"));
    assert!(refusal(air.identify(D).await).contains("AA:BB:CC:DD:EE:02 is being asked"));
    let device = air.identified(B).await;
    assert_eq!(device.commands, [format!("sudo touchmovectl bluetooth add {B} --model pegasus")]);
    let identification = device.candidate.unwrap().identification.unwrap();
    assert_eq!(
        (identification.models, identification.sentence.as_str()),
        (vec!["pegasus".to_owned()], "it answers like a DGT Pegasus")
    );
    assert_eq!(others[0].received(), [[0x42]]);
    until("the end of the connection", async || (!others[0].is_connected()).then_some(())).await;
    // Boards that send by themselves are sent nothing, and three models send the same.
    air.identify(D).await.unwrap();
    let device = air.identified(D).await;
    assert_eq!(device.commands.len(), 3, "{device:?}");
    assert_eq!(device.candidate.unwrap().identification.unwrap().models, ["certabo", "cerno", "sentio"]);
    assert!(others[1..].iter().all(|board| board.received().is_empty()));
    assert!(!others[1].is_connected());
}

#[tokio::test]
async fn a_device_that_does_not_answer_like_its_name() {
    let Some((air, others)) = Air::with_others(&[("chessup", B), ("pegasus", C)]).await else { return };
    others[0].rename("DGT_Pegasus_12345");
    air.scan().await.unwrap();
    air.device(B).await;
    air.device(C).await;
    air.identify(B).await.unwrap();
    let device = air.identified(B).await;
    assert_eq!(device.commands, [format!("sudo touchmovectl bluetooth add {B}")]);
    let identification = device.candidate.unwrap().identification.unwrap();
    assert!(identification.models.is_empty(), "{identification:?}");
    assert!(identification.sentence.starts_with("it does not answer like a DGT Pegasus: "), "{identification:?}");
    assert_eq!(others[0].received(), [[0x42]]);
    // One that is gone.
    air.bluez.set_in_range(&others[1], false);
    air.identify(C).await.unwrap();
    let identification = air.identified(C).await.candidate.unwrap().identification.unwrap();
    assert!(
        identification.sentence.starts_with("AA:BB:CC:DD:EE:03 is not in range: switch the board on"),
        "{identification:?}"
    );
}

/// Its program would be disturbed by the request, and lose the connection.
#[tokio::test]
async fn a_device_that_another_program_holds_is_left_alone() {
    let Some((air, others)) = Air::with_others(&[("pegasus", B)]).await else { return };
    air.scan().await.unwrap();
    air.device(B).await;
    others[0].connect_elsewhere();
    air.identify(B).await.unwrap();
    let identification = air.identified(B).await.candidate.unwrap().identification.unwrap();
    assert!(identification.sentence.starts_with("AA:BB:CC:DD:EE:02 is in use by another program"), "{identification:?}");
    assert!(others[0].is_connected());
    assert!(others[0].received().is_empty());
}

/// Otherwise the device would stay connected, and nobody could use it.
#[tokio::test]
async fn a_handshake_ends_with_touchmoved() {
    let Some((air, others)) = Air::with_others(&[("chessup", B)]).await else { return };
    // It does not answer like its name, so that the handshake takes long.
    others[0].rename("DGT_Pegasus_12345");
    air.scan().await.unwrap();
    air.device(B).await;
    air.identify(B).await.unwrap();
    until("the connection", async || others[0].is_connected().then_some(())).await;
    let Air { daemon, bluez, .. } = air;
    assert!(daemon.terminate().success());
    assert!(!others[0].is_connected());
    drop(bluez);
}

#[tokio::test]
async fn a_search_that_is_not_possible_says_what_to_do() {
    let Some((air, _)) = Air::with_others(&[]).await else { return };
    air.scan().await.unwrap();
    air.device(A).await;
    air.bluez.set_power(false, false);
    let off = "the Bluetooth adapter hci0 is off: run `bluetoothctl power on`";
    let problem = until("the end of the search", async || air.search().await.problem).await;
    assert_eq!((problem.as_str(), air.search().await.state.as_str()), (off, "idle"));
    assert_eq!(refusal(air.scan().await), off);
    air.bluez.set_power(false, true);
    let blocked =
        "Bluetooth is blocked (rfkill): run `sudo rfkill unblock bluetooth`, or move the radio switch of this machine";
    assert_eq!(refusal(air.scan().await), blocked);
    air.bluez.unplug_adapter();
    assert!(refusal(air.scan().await).starts_with("this machine has no Bluetooth adapter: "));
    air.bluez.kill_daemon();
    let missing = "bluetoothd does not run: install bluez, and run `sudo systemctl enable --now bluetooth`";
    assert_eq!(refusal(air.scan().await), missing);
}

/// The links look for boards that BlueZ does not know, with the same adapter.
#[tokio::test]
async fn the_search_and_the_links_do_not_end_each_others_scans() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let boards = [bluez.add(RadioBoard::new("chessnut", A)), bluez.add(RadioBoard::new("chessnut", B))];
    boards.iter().for_each(|board| bluez.set_in_range(board, false));
    let air = Air::serving(bus, bluez, &(table("one", "chessnut", A) + &table("two", "chessnut", B))).await;
    until("the links to scan", async || air.bluez.is_discovering().then_some(())).await;
    for _ in 0..10 {
        air.scan().await.unwrap();
        air.stop_scan().await.unwrap();
        assert!(air.bluez.is_discovering(), "the links still scan");
    }
    air.scan().await.unwrap();
    for (board, name) in boards.iter().zip(["one", "two"]) {
        air.bluez.set_in_range(board, true);
        air.board(name, "ready").await;
        assert!(air.bluez.is_discovering(), "the search goes on");
    }
    air.stop_scan().await.unwrap();
    until("the scans to end", async || (!air.bluez.is_discovering()).then_some(())).await;
}

/// A search must not hold up anything else.
#[tokio::test]
async fn a_search_ends_with_touchmoved() {
    let Some((air, _)) = Air::with_others(&[]).await else { return };
    air.scan().await.unwrap();
    assert!(air.bluez.is_discovering());
    let Air { daemon, bluez, .. } = air;
    assert!(daemon.terminate().success());
    assert!(!bluez.is_discovering());
    drop(bluez);
}

/// `touchmovectl` and the page use the same sentences: the problem and, after a colon, the remedy.
#[test]
fn sentences_are_those_of_the_doctor_and_say_what_to_do() {
    let address = A.parse().unwrap();
    for reason in [
        Unavailable::NoBus("x".to_owned()),
        Unavailable::NoDaemon,
        Unavailable::NoAnswer,
        Unavailable::Denied,
        Unavailable::NoAdapter,
        Unavailable::AdapterOff("hci0".to_owned()),
        Unavailable::AdapterFull("hci0".to_owned()),
        Unavailable::Blocked,
        Unavailable::OutOfRange(address),
        Unavailable::Weak { address, rssi: -91 },
        Unavailable::Lost(address),
        Unavailable::DeviceBlocked(address),
        Unavailable::NotPaired(address),
        Unavailable::InUse(address),
        Unavailable::OtherDevice { address, title: "board", missing: "service x".to_owned() },
        Unavailable::SmallMtu { address, needed: 38, carried: 20 },
        Unavailable::NoProfile("board"),
        Unavailable::Failed { address, reason: "x".to_owned() },
    ] {
        let text = reason.to_string();
        assert_eq!(locale::sentence(Locale::English, &unavailable_text(&reason)), text);
        // An address has colons, too, but no blank after them.
        assert!(text.split_once(": ").is_some_and(|(_, advice)| !advice.is_empty()), "{text}");
    }
}
