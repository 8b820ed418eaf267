//! Which board a device may be, by what it advertises.

use super::objects::Device;
use super::profiles::{NORDIC_UART, PROFILES, Profile};
use crate::boards::{self, Model};

/// Which board a device may be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The models: none if only the service is known, which many devices have.
    pub models: Vec<&'static Model>,
    /// Whether only such boards advertise that.
    pub is_certain: bool,
    /// The reason, as a continuation of "because".
    pub reason: String,
}

/// Guesses which board a device is; `None`: nothing that it advertises is known of a board. Nothing is sent to it for that.
pub fn guess(device: &Device) -> Option<Guess> {
    let models = |profiles: &[&Profile]| profiles.iter().filter_map(|profile| boards::model(profile.model)).collect::<Vec<_>>();
    let advertised = |profile: &&Profile| {
        profile.own_services().into_iter().find(|service| device.services.iter().any(|known| known == service))
    };
    let by_service: Vec<&Profile> = PROFILES.iter().filter(|profile| advertised(profile).is_some()).collect();
    if let Some(service) = by_service.first().and_then(advertised) {
        let reason = format!("it advertises service {service}, as only such boards do");
        return Some(Guess { models: models(&by_service), is_certain: true, reason });
    }
    let begins = |profile: &&Profile| {
        let name = device.name.as_deref().unwrap_or_default();
        profile.names.iter().copied().find(|begin| name.starts_with(begin))
    };
    let by_name: Vec<&Profile> = PROFILES.iter().filter(|profile| begins(profile).is_some()).collect();
    if let Some(begin) = by_name.first().and_then(begins) {
        let reason = format!("its name begins with {begin:?}; names can be changed");
        return Some(Guess { models: models(&by_name), is_certain: false, reason });
    }
    device.services.iter().any(|service| service == NORDIC_UART).then(|| Guess {
        models: Vec::new(),
        is_certain: false,
        reason: "it advertises the Nordic UART service, which boards of several makers have, and many other devices".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::bluetooth::objects::tests::device;

    #[test]
    fn services_tell_more_than_names() {
        let check = |name: &str, services: &[&str], expect: Option<(&[&str], bool)>| {
            let services = services.iter().map(|service| (*service).to_owned()).collect();
            let device = Device { name: Some(name.to_owned()), services, ..device("/d", "AA:BB:CC:DD:EE:FF") };
            let guess = guess(&device);
            let found =
                guess.as_ref().map(|guess| (guess.models.iter().map(|model| model.name).collect::<Vec<_>>(), guess.is_certain));
            assert_eq!(
                found,
                expect.map(|(models, is_certain)| (models.to_vec(), is_certain)),
                "{name} {services:?}",
                services = device.services
            );
        };
        let own = "1b7e8261-2877-41c3-b46e-cf057c562023";
        check("Chessnut Air", &[], Some((&["chessnut"], false)));
        check("iChessOne", &[own], Some((&["chessnut"], true)));
        check("iChessOne", &[NORDIC_UART], Some((&["ichessone"], false)));
        check("a lamp", &[NORDIC_UART], Some((&[], false)));
        check("a telephone", &["0000110a-0000-1000-8000-00805f9b34fb"], None);
        check("", &[], None);
    }
}
