//! Which front-ends run, for those who look after the service.

use super::dbus::NameState;
use crate::game::words::words;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// The state of a front-end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontEndState {
    /// The configuration does not enable it.
    Off,
    /// It runs.
    Running,
    /// It runs, and does not own the bus name that it serves.
    NameNotOwned,
    /// It has ended.
    Ended,
}

words! {
    FrontEndState { Off = "off", Running = "running", NameNotOwned = "name_not_owned", Ended = "ended" }
}

/// The states of all front-ends, by name.
#[derive(Default)]
pub struct FrontEndStates(Mutex<BTreeMap<&'static str, Entry>>);

/// What is known of a front-end.
enum Entry {
    Off,
    /// It runs; with the state of its bus name, if it serves one.
    Running(Option<watch::Receiver<NameState>>),
    Ended,
}

impl FrontEndStates {
    /// Returns the state of a front-end, and why it does not own its bus name.
    pub fn of(&self, name: &str) -> (FrontEndState, Option<String>) {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match entries.get(name) {
            None | Some(Entry::Off) => (FrontEndState::Off, None),
            Some(Entry::Ended) => (FrontEndState::Ended, None),
            Some(Entry::Running(name_state)) => match name_state.as_ref().map(|state| state.borrow().clone()) {
                Some(NameState::NotOwned(reason)) => (FrontEndState::NameNotOwned, Some(reason)),
                _ => (FrontEndState::Running, None),
            },
        }
    }

    /// Notes that the configuration does not enable a front-end.
    pub(super) fn set_off(&self, name: &'static str) {
        self.set(name, Entry::Off);
    }

    /// Notes that a front-end was started; with the state of its bus name, if it serves one.
    pub(super) fn set_running(&self, name: &'static str, name_state: Option<watch::Receiver<NameState>>) {
        self.set(name, Entry::Running(name_state));
    }

    /// Notes that a front-end has ended.
    pub(super) fn set_ended(&self, name: &'static str) {
        self.set(name, Entry::Ended);
    }

    fn set(&self, name: &'static str, entry: Entry) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, entry);
    }
}
