//! Which machines are there, and how they are.

use super::alarm;
use super::remote_boards::RemoteBoards;
use crate::config::hall::is_name;
use crate::daemon::hub::MachineView;
use crate::daemon::{Hub, steady_clock};
use crate::hall::connection::is_copy;
use crate::hall::message::presence::Presence;
use crate::hall::message::{MessageError, from_json};
use crate::hall::subject::Bucket;
use async_nats::Message;

/// Reads what a machine says of itself.
pub(super) fn read(hub: &Hub, boards: &mut RemoteBoards, message: &Message) {
    if is_copy(message) {
        return;
    }
    let Some(machine) = Bucket::Here.key(&message.subject).filter(|key| is_name(key)).map(str::to_owned) else { return };
    let presence = match from_json::<Presence>(&message.payload) {
        Ok(presence) => presence,
        Err(error @ MessageError::Newer { .. }) => {
            hub.change_machine(&machine, |view| (view.heard_at, view.has_left) = (Some(steady_clock::now_ms()), false));
            return alarm::raise(hub, Some(&machine), alarm::unread(&machine, "its presence is not taken", &error));
        }
        Err(MessageError::Malformed(_)) => return,
    };
    let has_left = presence.boot.is_empty();
    let was_there = hub.read(|state| state.machines.get(&machine).is_some_and(|view| !view.has_left));
    let now = steady_clock::now_ms();
    hub.change_machine(&machine, |view| {
        // What was wrong is over when everything is on disk here.
        let alarm = view.alarm.take().filter(|_| has_left || presence.unsent > 0);
        let boards = std::mem::take(&mut view.boards);
        *view = if has_left {
            MachineView { has_left, heard_at: Some(now), alarm, boards, ..std::mem::take(view) }
        } else {
            MachineView {
                version: presence.version,
                heard_at: Some(now),
                has_left,
                unsent: presence.unsent,
                free_bytes: presence.free_bytes,
                temperature: presence.temperature,
                clock_offset_ms: presence.clock_offset_ms,
                problems: presence.problems,
                alarm,
                copied_at: view.copied_at,
                boards,
            }
        };
    });
    alarm::withdraw(hub);
    if has_left && was_there {
        boards.set_away(&machine, &format!("touchmoved on {machine} was stopped: start it again"));
    }
}

/// Marks the boards of machines that have fallen silent.
pub(super) fn check(hub: &Hub, boards: &mut RemoteBoards) {
    let now = steady_clock::now_ms();
    let silent: Vec<(String, i64)> = hub.read(|state| {
        let is_silent = |view: &MachineView| !view.has_left && !view.is_there(now);
        let machines = state.machines.iter().filter(|(_, view)| is_silent(view));
        machines.filter_map(|(machine, view)| Some((machine.clone(), view.heard_at?))).collect()
    });
    for (machine, _) in silent {
        let reason = format!("machine {machine} does not answer: check its power, then its network; its games go on there");
        boards.set_away(&machine, &reason);
    }
}
