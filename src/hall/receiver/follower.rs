//! At a hub that stands by: takes the events of all machines into the journal, and tells nobody. Boards, commands and presence are for
//! the hub that serves.

use super::ingest::{Ingest, Taken};
use super::kept::KeptCounts;
use super::position::Position;
use crate::daemon::Hub;
use crate::daemon::hub::RemoteBatch;
use crate::hall::connection::Connection;
use crate::hall::subject;
use async_nats::jetstream;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use futures_util::{FutureExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::warn;

/// Maximum number of messages that are stored together.
const MAX_GROUP: usize = 256;
/// The pause before an event is stored again, e.g. because the disk is full.
const RETRY_PAUSE: Duration = Duration::from_secs(2);

/// Takes the events of an event's stream until the connection is lost. `progress`: the sequence number up to which they are on disk.
///
/// # Errors
/// Always: why it ended, a sentence.
pub(in crate::hall) async fn follow(
    hub: &Arc<Hub>,
    connection: &Connection,
    hall: &str,
    progress: &watch::Sender<u64>,
) -> Result<std::convert::Infallible, String> {
    let failed = |error: String| format!("the hall's events cannot be read: {error}");
    let context = jetstream::new(connection.client().clone());
    let name = subject::events_stream(hall);
    let stream = context.get_stream(&name).await.map_err(|error| failed(error.to_string()))?;
    let kept = KeptCounts::default();
    let known = hub.journal().remote_games().map_err(|error| error.to_string())?;
    let mut ingest = Ingest::new(hall, known, kept.clone());
    let (mut position, mut read) = Position::load(hub, &stream).await?;
    progress.send_replace(read);
    let deliver_policy = DeliverPolicy::ByStartSequence { start_sequence: read + 1 };
    let config = OrderedConfig { deliver_policy, ..OrderedConfig::default() };
    let consumer = stream.create_consumer(config).await.map_err(|error| failed(error.to_string()))?;
    let mut messages: Ordered = consumer.messages().await.map_err(|error| failed(error.to_string()))?;
    let mut state = connection.state();
    state.mark_unchanged();
    loop {
        let mut next = tokio::select! {
            next = messages.next() => next,
            // The server may have lost its last messages: their sequence numbers would be used again.
            _ = state.changed() => return Err("the connection was lost".to_owned()),
        };
        let mut group = Vec::new();
        // Whatever has come already is stored together.
        while let Some(message) = next {
            let message = message.map_err(|error| failed(error.to_string()))?;
            if let Ok(info) = message.info() {
                read = info.stream_sequence;
                position.note(read, info.published.to_string());
            }
            match ingest.take(hub, &message.message, read, |_, _| Ok(false)) {
                Taken::Events(events) => {
                    group.push((super::remote_boards::local_name(&events.subject.machine, &events.board), events.batch))
                }
                Taken::Known => {}
                Taken::Refused(_, sentence) => warn!("{sentence}"),
            }
            next = if group.len() < MAX_GROUP { messages.next().now_or_never().flatten() } else { None };
        }
        // Of a game that lacks events, machines send these again once this hub serves.
        drop(ingest.take_gaps());
        // In their order: each is queued when it is polled first.
        futures_util::future::join_all(group.into_iter().map(|(board, batch)| store(hub, board.to_string(), batch))).await;
        let refused = kept.take_refused();
        if !refused.is_empty() {
            let known = hub.journal().remote_games().unwrap_or_default();
            for (game, reason) in refused {
                warn!("events of {} are not stored: {reason}", game.machine);
                ingest.reset(&game, &known);
            }
        }
        position.store(hub, kept.position(read)).await;
        progress.send_replace(read);
    }
}

/// Stores events, and tries again for as long as there is no space.
async fn store(hub: &Hub, board: String, batch: RemoteBatch) {
    let RemoteBatch { events, stamped, on_done, .. } = batch;
    let events = Arc::new(events);
    loop {
        match hub.journal().append_parsed_remote(&board, Arc::clone(&events), &stamped).await {
            Err(error) if !error.is_about_remote_events() => sleep(RETRY_PAUSE).await,
            outcome => return on_done(outcome.map(drop)),
        }
    }
}
