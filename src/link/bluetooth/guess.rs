//! Which board a device may be, by what it advertises.

use super::objects::Device;
use crate::boards::bluetooth::{Bluetooth, Certainty, NORDIC_UART_SERVICE, NamePattern, candidates};
use crate::boards::{BOARDS, Model};

/// Which board a device may be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The models: none if only the service is known, which many devices have.
    pub models: Vec<&'static Model>,
    /// How sure it is that the device is one of these models.
    pub confidence: Confidence,
    /// The reason, as a continuation of "because".
    pub reason: String,
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
        let reason = format!("it advertises service {service}, as only such boards do");
        return Some(Guess { models, confidence: Confidence::Certain, reason });
    }
    if let Some(first) = named.first() {
        let models = BOARDS.iter().copied().filter(is_named).collect();
        let is_possible = named.iter().all(|row| row.certainty == Certainty::Possible);
        let confidence = if is_possible { Confidence::Possible } else { Confidence::Probable };
        let reason = match first.pattern {
            NamePattern::Exact(name) => format!("its name is {name:?}; names can be changed"),
            NamePattern::Prefix(begin) => format!("its name begins with {begin:?}; names can be changed"),
        };
        return Some(Guess { models, confidence, reason });
    }
    device.services.iter().any(|service| service == NORDIC_UART_SERVICE).then(|| Guess {
        models: Vec::new(),
        confidence: Confidence::Possible,
        reason: "it advertises the Nordic UART service, which boards of several makers have, and many other devices".to_owned(),
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
