//! The streams and buckets of a hall, which the hub creates.

use crate::hall::connection::Connection;
use crate::hall::subject::{self, Bucket};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use std::time::Duration;

/// How long the events of a hall stay on its server.
const EVENTS_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long the presence of a machine is known.
const PRESENCE_AGE: Duration = Duration::from_secs(15);

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

/// Creates the buckets, and the stream of events, if they are missing. Returns the latter.
///
/// # Errors
/// The server refuses; a sentence.
pub(super) async fn create(connection: &Connection, hall: &str, max_bytes: i64) -> Result<(Context, Stream), String> {
    let context = jetstream::new(connection.client().clone());
    for bucket in Bucket::ALL {
        let created = context.get_or_create_stream(bucket_config(bucket)).await;
        created.map_err(|error| format!("the hall's server cannot store {}: {error}", bucket.stream()))?;
    }
    let stream = context.get_or_create_stream(events_config(hall, max_bytes)).await;
    let stream = stream.map_err(|error| format!("the hall's server cannot store the events of \"{hall}\": {error}"))?;
    Ok((context, stream))
}
