//! Which board a device may be, by what it advertises.

use super::objects::Device;
use crate::boards::bluetooth::{Bluetooth, Certainty, NORDIC_UART_SERVICE, NamePattern, candidates, handshake};
use crate::boards::{BOARDS, Model};
use std::fmt;

/// Which board a device may be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The models: none if only the service is known, which many devices have.
    pub models: Vec<&'static Model>,
    /// How sure it is that the device is one of these models.
    pub confidence: Confidence,
    /// What it rests on.
    pub evidence: Evidence,
}

/// What a guess rests on. Displayed as a continuation of "because".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The device advertises this service, which only such boards have.
    OwnService(&'static str),
    /// Its name has this form, but names can be changed.
    Name(NamePattern),
    /// It advertises the Nordic UART service, as boards of several makers and many other devices do.
    SharedService,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::OwnService(service) => write!(f, "it advertises service {service}, as only such boards do"),
            Evidence::Name(NamePattern::Exact(name)) => write!(f, "its name is {name:?}; names can be changed"),
            Evidence::Name(NamePattern::Prefix(begin)) => write!(f, "its name begins with {begin:?}; names can be changed"),
            Evidence::SharedService => f.write_str(
                "it advertises the Nordic UART service, which boards of several makers have, and many other devices",
            ),
        }
    }
}

/// How sure it is that a device is a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Other devices may advertise the same.
    Possible,
    /// Its name is one of such boards, but names can be changed.
    Probable,
    /// Only such boards advertise its service.
    Certain,
}

/// How it is confirmed that a device is the board that it seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// What it advertises is enough.
    NotNeeded,
    /// By a handshake that harms no board: boards of other makers have the same service, and a name is not enough.
    Handshake,
    /// By a user who knows the model: any request could harm the board of another maker.
    User,
    /// Not at all: what it advertises suits no model, or several that no handshake distinguishes.
    Unclear,
}

impl Guess {
    /// Returns how the guess is confirmed.
    pub fn confirmation(&self) -> Confirmation {
        let is_name_enough =
            self.confidence == Confidence::Certain || !self.models.iter().any(|model| is_on_shared_service(model));
        match self.models.as_slice() {
            [_] if is_name_enough => Confirmation::NotNeeded,
            _ if is_name_enough => Confirmation::Unclear,
            models if models.iter().any(|model| handshake(model.name).is_none()) => Confirmation::User,
            _ => Confirmation::Handshake,
        }
    }
}

/// Returns whether boards of other makers have the service of this model.
fn is_on_shared_service(model: &Model) -> bool {
    matches!(model.bluetooth(), Some(Bluetooth::Gatt(gatt)) if gatt.services.contains(&NORDIC_UART_SERVICE))
}

/// Guesses which board a device is; `None`: nothing that it advertises is known of a board. Nothing is sent to it for that.
pub fn guess(device: &Device) -> Option<Guess> {
    let name = device.name.as_deref().unwrap_or_default();
    let named: Vec<_> = candidates(name).collect();
    let is_named = |model: &&'static Model| named.iter().any(|row| row.model == model.name);
    if let Some((service, mut models)) = by_service(device) {
        // Models that share a service are told apart by their names.
        if models.iter().any(is_named) {
            models.retain(is_named);
        }
        return Some(Guess { models, confidence: Confidence::Certain, evidence: Evidence::OwnService(service) });
    }
    if let Some(first) = named.first() {
        let models = BOARDS.iter().copied().filter(is_named).collect();
        let is_possible = named.iter().all(|row| row.certainty == Certainty::Possible);
        let confidence = if is_possible { Confidence::Possible } else { Confidence::Probable };
        return Some(Guess { models, confidence, evidence: Evidence::Name(first.pattern) });
    }
    device.services.iter().any(|service| service == NORDIC_UART_SERVICE).then(|| Guess {
        models: Vec::new(),
        confidence: Confidence::Possible,
        evidence: Evidence::SharedService,
    })
}

/// Returns a service of this device that only boards have, and the models that have it.
fn by_service(device: &Device) -> Option<(&'static str, Vec<&'static Model>)> {
    let own_services = |model: &&'static Model| match model.bluetooth() {
        Some(Bluetooth::Gatt(gatt)) => gatt.own_services().collect(),
        Some(Bluetooth::Rfcomm) | None => Vec::new(),
    };
    let is_advertised = |service: &&'static str| device.services.iter().any(|known| known == service);
    let service = BOARDS.iter().flat_map(own_services).find(is_advertised)?;
    Some((service, BOARDS.iter().copied().filter(|model| own_services(model).contains(&service)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::bluetooth::objects::tests::device;

    #[test]
    fn names_on_a_shared_service_are_confirmed() {
        let check = |name: &str, services: &[&str], expect: Confirmation| {
            let services: Vec<String> = services.iter().map(|service| (*service).to_owned()).collect();
            let device = Device { name: Some(name.to_owned()), services, ..device("/d", "AA:BB:CC:DD:EE:FF") };
            assert_eq!(guess(&device).unwrap().confirmation(), expect, "{name}");
        };
        let own = "1b7e8261-2877-41c3-b46e-cf057c562023";
        check("Chessnut Air", &[own], Confirmation::NotNeeded);
        check("Chessnut Air", &[], Confirmation::NotNeeded);
        check("x", &[own], Confirmation::Unclear);
        check("DGT_Pegasus_1", &[NORDIC_UART_SERVICE], Confirmation::Handshake);
        check("Certabo", &[NORDIC_UART_SERVICE], Confirmation::Handshake);
        check("iChessOne", &[NORDIC_UART_SERVICE], Confirmation::User);
        check("x", &[NORDIC_UART_SERVICE], Confirmation::Unclear);
    }

    #[test]
    fn services_tell_more_than_names() {
        let check = |name: &str, services: &[&str], expect: Option<(&[&str], Confidence)>| {
            let services: Vec<String> = services.iter().map(|service| (*service).to_owned()).collect();
            let device = Device { name: Some(name.to_owned()), services, ..device("/d", "AA:BB:CC:DD:EE:FF") };
            let guess = guess(&device);
            let models = |guess: &Guess| guess.models.iter().map(|model| model.name).collect::<Vec<_>>();
            let found = guess.as_ref().map(|guess| (models(guess), guess.confidence));
            let expect = expect.map(|(models, confidence)| (models.to_vec(), confidence));
            assert_eq!(found, expect, "{name} {:?}", device.services);
        };
        let own = "1b7e8261-2877-41c3-b46e-cf057c562023";
        check("Chessnut Air", &[], Some((&["chessnut"], Confidence::Probable)));
        check("Chessnut Air", &[own], Some((&["chessnut"], Confidence::Certain)));
        check("Chessnut Move", &[own], Some((&["chessnut-move"], Confidence::Certain)));
        check("iChessOne", &[own], Some((&["chessnut", "chessnut-move"], Confidence::Certain)));
        check("iChessOne", &[NORDIC_UART_SERVICE], Some((&["ichessone"], Confidence::Possible)));
        check("Certabo", &[], Some((&["certabo", "cerno", "sentio"], Confidence::Possible)));
        check("DGT_BT_20567", &[], Some((&["dgt"], Confidence::Probable)));
        check("mine", &["f5351050-b2c9-11ec-a0c0-b3bc53b08d33"], Some((&["cpp"], Confidence::Certain)));
        // Many devices have the service of a House of Staunton.
        check("HOSBoard", &["0000ffe0-0000-1000-8000-00805f9b34fb"], Some((&["staunton"], Confidence::Probable)));
        check("a lamp", &["0000ffe0-0000-1000-8000-00805f9b34fb"], None);
        check("a lamp", &[NORDIC_UART_SERVICE], Some((&[], Confidence::Possible)));
        check("a telephone", &["0000110a-0000-1000-8000-00805f9b34fb"], None);
        check("", &[], None);
    }
}
