//! The streams and buckets of a hall, which the hub creates.

use crate::hall::connection::Connection;
use crate::hall::setup::registry::Registry;
use crate::hall::subject::{self, Bucket};
use async_nats::jetstream::context::CreateStreamError;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use std::time::Duration;
use tracing::{info, warn};

/// How long the events of a hall stay on its server.
const EVENTS_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long the presence of a machine is known.
const PRESENCE_AGE: Duration = Duration::from_secs(15);

/// Returns the limit of a stream of events on disk, in bytes. The server reserves it. It keeps the streams of two events, the
/// last one and the one before, and the buckets need some space, too. `store_bytes`: what the server may use.
pub(super) fn events_limit(store_bytes: u64) -> i64 {
    i64::try_from(store_bytes / 20 * 9).unwrap_or(i64::MAX)
}

/// Returns the configuration of the stream of events. `max_bytes`: its limit on disk.
fn events_config(hall: &str, max_bytes: i64) -> Config {
    Config {
        name: subject::events_stream(hall),
        subjects: vec![subject::all_events(hall)],
        storage: StorageType::File,
        discard: DiscardPolicy::New,
        max_age: EVENTS_AGE,
        max_bytes,
        deny_delete: true,
        deny_purge: true,
        allow_direct: true,
        num_replicas: 1,
        ..Config::default()
    }
}

fn bucket_config(bucket: Bucket) -> Config {
    let is_presence = bucket == Bucket::Here;
    Config {
        name: bucket.stream(),
        subjects: vec![bucket.all_subjects()],
        storage: if is_presence { StorageType::Memory } else { StorageType::File },
        discard: DiscardPolicy::New,
        max_messages_per_subject: 1,
        max_age: if is_presence { PRESENCE_AGE } else { Duration::ZERO },
        deny_delete: true,
        allow_direct: true,
        num_replicas: 1,
        ..Config::default()
    }
}

/// Creates the buckets, and the stream of events, if they are missing. Returns the latter. Before that, deletes the streams of
/// obsolete events, whose space it may need.
///
/// # Errors
/// The server refuses; a sentence.
pub(super) async fn create(connection: &Connection, registry: &Registry) -> Result<(Context, Stream), String> {
    let context = jetstream::new(connection.client().clone());
    for event in registry.obsolete_events() {
        delete(&context, event).await;
    }
    for bucket in Bucket::ALL {
        let created = context.get_or_create_stream(bucket_config(bucket)).await;
        created.map_err(|error| refused(&bucket.stream(), &error))?;
    }
    let (hall, max_bytes) = (&registry.hall, events_limit(registry.store_bytes));
    let stream = context.get_or_create_stream(events_config(hall, max_bytes)).await;
    let stream = stream.map_err(|error| refused(&format!("the events of \"{hall}\""), &error))?;
    Ok((context, stream))
}

fn refused(what: &str, error: &CreateStreamError) -> String {
    format!("the hall's server cannot store {what} ({error}): see `journalctl -u touchmove-nats`, and whether its disk is full")
}

/// Deletes the stream of an event, if there is one. What was in it is in the journals of the hub and the machines.
async fn delete(context: &Context, event: &str) {
    let stream = subject::events_stream(event);
    // Most often it was deleted before.
    if context.get_stream(&stream).await.is_err() {
        return;
    }
    match context.delete_stream(&stream).await {
        Ok(_) => info!("the stream of the earlier event \"{event}\" is deleted from the hall's server"),
        Err(error) => warn!("the stream of the earlier event \"{event}\" cannot be deleted from the hall's server: {error}"),
    }
}
