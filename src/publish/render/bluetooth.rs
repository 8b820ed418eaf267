//! The search for boards over Bluetooth, as front-ends report it.

use crate::boards::Model;
use crate::daemon::hub::{BluetoothView, Candidate, Confirmation, NearbyDevice, SignalStrength};
use crate::game::Text;
use crate::locale::{self, Locale};
use crate::wire::Word;
use serde::{Deserialize, Serialize};

/// The search, and what it has found. This is also the transmitted JSON, which docs/web.md describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BluetoothReport {
    /// What it does: `idle`, `scanning`, `identifying`.
    pub state: String,
    /// Who began that, or the last that is over; empty: nobody yet.
    pub by: String,
    /// Why the last scan ended early.
    pub problem: Option<String>,
    /// What is near, boards first.
    pub devices: Vec<DeviceReport>,
    /// The number of devices that are left out.
    pub left_out: usize,
}

/// A device that is near.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// Its address.
    pub address: String,
    /// The name that it advertises.
    pub name: Option<String>,
    /// How strongly it was received, in dBm.
    pub rssi: Option<i16>,
    /// The same as a word: `weak`, `fair`, `strong`.
    pub strength: Option<String>,
    /// Whether it is connected to the machine.
    pub connected: bool,
    /// Whether it is paired with the machine.
    pub paired: bool,
    /// The board as which it is configured.
    pub board: Option<String>,
    /// Which board it may be.
    pub candidate: Option<CandidateReport>,
    /// The commands that add it to the configuration: one of them for each model that it may be.
    pub commands: Vec<String>,
}

/// Which board a device may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateReport {
    /// The names of the models.
    pub models: Vec<String>,
    /// How sure that is: `possible`, `probable`, `certain`.
    pub confidence: String,
    /// The same as a sentence.
    pub sentence: String,
    /// Why.
    pub reason: String,
    /// How it is confirmed: `not_needed`, `handshake`, `user`, `unclear`.
    pub confirmation: String,
    /// What came of asking it.
    pub identification: Option<IdentificationReport>,
}

/// What came of asking a device which board it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentificationReport {
    /// The names of the models that it answers like.
    pub models: Vec<String>,
    /// The same as a sentence, or why it did not answer.
    pub sentence: String,
}

impl BluetoothReport {
    /// Describes the search in a language.
    pub fn new(view: &BluetoothView, locale: Locale) -> BluetoothReport {
        let sentence = |text: &Text| locale::sentence(locale, text);
        BluetoothReport {
            state: view.activity.word().to_owned(),
            by: view.by.clone(),
            problem: view.problem.as_ref().map(sentence),
            devices: view.devices.iter().map(|device| DeviceReport::new(device, &sentence)).collect(),
            left_out: view.left_out,
        }
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl DeviceReport {
    fn new(device: &NearbyDevice, sentence: &impl Fn(&Text) -> String) -> DeviceReport {
        let candidate = device.candidate.as_ref().map(|candidate| CandidateReport {
            models: names(&candidate.models),
            confidence: candidate.confidence.word().to_owned(),
            sentence: sentence(&candidate.text),
            reason: sentence(&candidate.reason),
            confirmation: candidate.confirmation.word().to_owned(),
            identification: candidate.identification.as_ref().map(|identification| IdentificationReport {
                models: names(&identification.models),
                sentence: sentence(&identification.text),
            }),
        });
        let commands = match (&device.board, &device.candidate) {
            (None, Some(candidate)) => commands(device, candidate),
            _ => Vec::new(),
        };
        DeviceReport {
            address: device.address.to_string(),
            name: device.name.clone(),
            rssi: device.rssi,
            strength: device.rssi.map(|rssi| SignalStrength::from_dbm(rssi).word().to_owned()),
            connected: device.is_connected,
            paired: device.is_paired,
            board: device.board.as_ref().map(ToString::to_string),
            candidate,
            commands,
        }
    }
}

fn names(models: &[&'static Model]) -> Vec<String> {
    models.iter().map(|model| model.name.to_owned()).collect()
}

/// Returns the commands that add a device to the configuration. They name the model where `touchmovectl` could not find it out.
fn commands(device: &NearbyDevice, candidate: &Candidate) -> Vec<String> {
    let add = format!("sudo touchmovectl bluetooth add {}", device.address);
    let models = match &candidate.identification {
        Some(identification) if !identification.models.is_empty() => &identification.models,
        // It asks again: the device has just failed to be what its name says.
        Some(_) => return vec![add],
        None => match candidate.confirmation {
            Confirmation::NotNeeded | Confirmation::Handshake => return vec![add],
            Confirmation::User | Confirmation::Unclear => &candidate.models,
        },
    };
    match models.as_slice() {
        [] => vec![format!("{add} --model MODEL")],
        models => models.iter().map(|model| format!("{add} --model {}", model.name)).collect(),
    }
}
