//! What the hub reports if something of a machine is not taken.

use super::HALL_GAMES;
use crate::daemon::Hub;
use crate::daemon::hub::MachineView;
use crate::hall::message::MessageError;

/// Returns the sentence about a message of a machine that was not read. `what` it says, with its verb: "… are not taken".
pub(super) fn unread(machine: &str, what: &str, error: &MessageError) -> String {
    match error {
        // The same for all its messages.
        MessageError::Newer { found } => format!(
            "machine {machine} has a later version of touchmove, and this hub cannot read its messages (version {found}); its games \
             stay there meanwhile: install that version here"
        ),
        MessageError::Malformed(_) => format!("{what}: {error}"),
    }
}

/// Reports that something of a machine is not taken. Of a machine that was removed nothing is reported.
pub(super) fn raise(hub: &Hub, machine: Option<&str>, sentence: String) {
    if let Some(machine) = machine {
        let is_known = |view: &MachineView| view.is_removed || view.alarm.as_ref() == Some(&sentence);
        // Others may have been reported since, which must not alternate with it.
        if hub.read(|state| state.machines.get(machine).is_some_and(is_known)) {
            return;
        }
        hub.change_machine(machine, |view| view.alarm = Some(sentence.clone()));
    }
    if hub.set_health_problem(HALL_GAMES, None, Some(sentence.clone())) {
        hub.log_failure("games of a machine of the hall are not taken: see `touchmovectl status`", &sentence);
    }
}

/// Withdraws the report if it is about no machine any more: another one that still has an alarm takes its place.
pub(super) fn withdraw(hub: &Hub) {
    let sentence = hub.read(|state| {
        let reported = state.health_problems.iter().find(|problem| problem.kind == HALL_GAMES).map(|problem| &problem.sentence);
        let alarms = || state.machines.values().filter_map(|view| view.alarm.as_ref());
        reported.filter(|reported| alarms().any(|alarm| alarm == *reported)).or_else(|| alarms().next()).cloned()
    });
    hub.set_health_problem(HALL_GAMES, None, sentence);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::Journal;

    #[test]
    fn no_alarm_of_a_removed_machine_remains() {
        let dir = tempfile::tempdir().unwrap();
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
        let reported = || hub.read(|state| state.health_problems.iter().any(|problem| problem.kind == HALL_GAMES));
        raise(&hub, Some("pi-01"), "a copied card".to_owned());
        assert!(reported());
        hub.change_machine("pi-01", |view| *view = MachineView { is_removed: true, ..MachineView::default() });
        withdraw(&hub);
        assert!(!reported());
        // Messages that it had sent before are read later.
        raise(&hub, Some("pi-01"), "a copied card".to_owned());
        assert!(!reported());
    }
}
