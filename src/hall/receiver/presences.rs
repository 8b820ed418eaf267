//! Which machines are there, and how they are.

use super::alarm;
use super::remote_boards::RemoteBoards;
use crate::config::hall::is_name;
use crate::daemon::hub::{MachineView, State};
use crate::daemon::{Hub, steady_clock};
use crate::hall::connection::is_copy;
use crate::hall::message::presence::Presence;
use crate::hall::message::{MessageError, from_json};
use crate::hall::subject::Bucket;
use async_nats::Message;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use futures_util::StreamExt;
use std::time::Duration;
use tracing::debug;

/// How long it may take to read the last presences of all machines.
const STORED_PATIENCE: Duration = Duration::from_secs(3);

/// Reads what a machine says of itself.
pub(super) fn read(hub: &Hub, boards: &mut RemoteBoards, message: &Message) {
    if is_copy(message) {
        return;
    }
    let Some(machine) = Bucket::Here.key(&message.subject).filter(|key| is_name(key)).map(str::to_owned) else { return };
    // It may have sent this before it was removed.
    if hub.read(|state| state.machines.get(&machine).is_some_and(|view| view.is_removed)) {
        return;
    }
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
                is_removed: false,
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

/// Reads the last presence of each machine that was not heard lately, because touchmoved was just started here or had no connection to
/// the server, so that no machine is reported as away until its next one.
pub(super) async fn read_stored(hub: &Hub, boards: &mut RemoteBoards, context: &Context) {
    let stored = async {
        let stream = context.get_stream(Bucket::Here.stream()).await.map_err(|error| error.to_string())?;
        let consumer = stream.create_consumer(OrderedConfig::default()).await.map_err(|error| error.to_string())?;
        let mut pending = consumer.cached_info().num_pending;
        let mut messages = consumer.messages().await.map_err(|error| error.to_string())?;
        while pending > 0 {
            let Some(message) = messages.next().await else { break };
            let message = message.map_err(|error| error.to_string())?;
            pending = message.info().map_or(0, |info| info.pending);
            let machine = Bucket::Here.key(&message.subject).unwrap_or_default();
            let now = steady_clock::now_ms();
            let was_heard = |state: &State| state.machines.get(machine).is_some_and(|view| view.is_there(now));
            if !hub.read(was_heard) {
                read(hub, boards, &message.message);
            }
        }
        Ok::<(), String>(())
    };
    let reason = match tokio::time::timeout(STORED_PATIENCE, stored).await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error,
        Err(_) => "the server takes too long".to_owned(),
    };
    // The next ones come within seconds.
    debug!("the last presences of the hall's machines cannot be read: {reason}");
}

/// Notes which machines were removed from the hall, and which have joined again.
pub(super) fn note_removed(hub: &Hub, boards: &mut RemoteBoards, removed: &[String]) {
    let known: Vec<String> = hub.read(|state| state.machines.keys().cloned().collect());
    for machine in known.iter().filter(|machine| !removed.contains(machine)) {
        hub.change_machine(machine, |view| view.is_removed = false);
    }
    for machine in removed {
        hub.change_machine(machine, |view| {
            let boards = std::mem::take(&mut view.boards);
            *view = MachineView { is_removed: true, boards, ..MachineView::default() };
        });
        boards.set_away(machine, &format!("machine {machine} was removed from the hall"));
    }
    if !removed.is_empty() {
        alarm::withdraw(hub);
    }
}

/// Marks the boards of silent machines as away. `opened_at`: when the streams were last opened, on the steady clock, in milliseconds. No
/// machine could be heard before, so none counts as silent for longer.
pub(super) fn check(hub: &Hub, boards: &mut RemoteBoards, opened_at: Option<i64>) {
    let now = steady_clock::now_ms();
    let silent: Vec<String> = hub.read(|state| {
        let has_been_silent = |since: i64| now.saturating_sub(since) >= MachineView::MAX_SILENCE_MS;
        let is_silent = |view: &MachineView| {
            !view.has_left && !view.is_removed && view.heard_at.max(opened_at).is_some_and(has_been_silent)
        };
        state.machines.iter().filter(|(_, view)| is_silent(view)).map(|(machine, _)| machine.clone()).collect()
    });
    for machine in silent {
        let reason = format!("machine {machine} does not answer: check its power, then its network; its games go on there");
        boards.set_away(&machine, &reason);
    }
    boards.check_reported(now);
}
