//! What the hub's desk has entered about this machine's games: each entry is put on record here once.

use super::health::read_from_hub;
use crate::daemon::Hub;
use crate::daemon::hub::{OrderError, Target};
use crate::daemon::journal::CommandState;
use crate::daemon::steady_clock;
use crate::game::{Command, Event, Order};
use crate::hall::connection::{Connection, is_copy};
use crate::hall::message::desk::{DeskMessage, GameEntries, ResultEntry};
use crate::hall::subject::Bucket;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tracing::{debug, warn};

/// The outcome of an entry that is on record.
const DONE: &str = "{}";

/// The pause before something is read or stored again that failed.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Puts on record what the desk enters, until it is aborted.
pub(super) async fn run(connection: Connection, hub: Arc<Hub>, machine: String) {
    let subject = Bucket::Desk.subject(&machine);
    let mut messages = match connection.client().subscribe(subject.clone()).await {
        Ok(messages) => messages,
        Err(error) => return warn!("what the hub's desk enters cannot be received: {error}"),
    };
    let mut state = connection.state();
    // What was entered while this machine was away must be read.
    let mut is_read = false;
    let mut open: Option<DeskMessage> = None;
    loop {
        if !is_read && connection.is_up() {
            match connection.last(&Bucket::Desk.stream(), &subject).await {
                Ok(last) => {
                    is_read = true;
                    open = last.and_then(|(_, reply)| read_from_hub(&hub, &reply.payload).ok()).or(open);
                }
                Err(error) => debug!("what the hub's desk has entered cannot be read: {error}"),
            }
        }
        if let Some(message) = open.take()
            && !apply(&hub, &message).await
        {
            open = Some(message);
        }
        let must_retry = open.is_some() || !is_read && connection.is_up();
        tokio::select! {
            message = messages.next() => match message {
                Some(message) if is_copy(&message) => {}
                Some(message) => match read_from_hub(&hub, &message.payload) {
                    Ok(message) => open = Some(message),
                    Err(error) => warn!("what the hub's desk has entered is not put on record here: {error}"),
                },
                None => return,
            },
            changed = state.changed() => {
                if changed.is_err() {
                    return;
                }
                is_read = false;
            }
            () = sleep(RETRY_PAUSE), if must_retry => {}
        }
    }
}

/// Puts all entries on record. Returns whether nothing is left to do; else something could not be stored.
async fn apply(hub: &Hub, message: &DeskMessage) -> bool {
    let mut is_done = true;
    for GameEntries { journal, game, tags, result } in &message.games {
        match hub.journal().birth_journal(*game) {
            Ok(birth) if birth == *journal => {}
            // A game of a journal that this machine has lost.
            _ => continue,
        }
        let tags = tags.as_ref().map(|entry| (&entry.id, Command::Tags { tags: entry.tags.clone() }));
        // A result that was withdrawn gives way to what has happened since.
        let is_valid = |entry: &&ResultEntry| entry.stands || !has_result_since(hub, *game, entry.after);
        let result = result.as_ref().filter(is_valid).map(|entry| (&entry.id, Command::Result { result: entry.result }));
        for (id, command) in tags.into_iter().chain(result) {
            is_done &= put_on_record(hub, *game, id, command).await;
        }
    }
    is_done
}

/// Puts an entry on record, if it is not. Returns whether nothing is left to do.
async fn put_on_record(hub: &Hub, game: u64, id: &str, command: Command) -> bool {
    match hub.journal().begin_command(id, steady_clock::unix_ms()).await {
        Ok(Some(CommandState::Done(_))) => return true,
        // If it was interrupted, it is done again: it is the same then.
        Ok(None | Some(CommandState::Begun)) => {}
        Err(_) => return false,
    }
    if !is_on_record(hub, game, &command) {
        let order = Order { command, by: Order::HUB.to_owned() };
        match hub.execute_after(&Target::Game(game), order, None).await {
            Ok(_) => {}
            Err(
                OrderError::JournalFull(_) | OrderError::Stopping | OrderError::BoardAway { .. } | OrderError::Unreadable(_),
            ) => {
                return false;
            }
            // The names of a game that has left its board are shown at the hub only.
            Err(error) => debug!("what the hub has entered about game {game} is not put on record here: {error}"),
        }
    }
    hub.journal().finish_command(id, DONE).await.is_ok()
}

/// Returns whether the machine has recorded a result of its own after this event.
fn has_result_since(hub: &Hub, game: u64, after: u64) -> bool {
    let Ok(events) = hub.events_after(game, after) else { return true };
    let mut is_by_hub = false;
    events.iter().any(|stamped| {
        is_by_hub |= stamped.event.is_result_by_hub();
        let is_result = matches!(stamped.event, Event::Result { .. });
        let is_own = is_result && !is_by_hub;
        is_by_hub &= !is_result;
        is_own
    })
}

/// Returns whether a game already has these tags or this result.
fn is_on_record(hub: &Hub, game: u64, command: &Command) -> bool {
    let Ok(Some(game)) = hub.game(game) else { return false };
    match command {
        Command::Tags { tags } => game.record.tags == *tags,
        Command::Result { result } => game.record.result.map(|(result, _)| result) == *result,
        _ => false,
    }
}
