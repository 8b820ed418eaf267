//! What a machine says and asks every few seconds.

use super::presence::Lease;
use super::time::HubClock;
use crate::hall::connection::{Connection, RequestError};
use crate::hall::message::presence::Presence;
use crate::hall::message::question::{KeptAnswer, Question};
use crate::hall::message::{from_json, to_json};
use crate::hall::subject::{self, Bucket, HALL_KEY};
use std::sync::Arc;

/// What a machine says and asks every few seconds.
pub(super) struct BeatRequest {
    pub(super) connection: Connection,
    pub(super) machine: String,
    pub(super) clock: Arc<HubClock>,
    pub(super) presence: Presence,
    pub(super) lease: Lease,
    pub(super) asks_hall: bool,
    pub(super) asks_kept: bool,
    pub(super) is_lacking: bool,
}

/// What came of it.
pub(super) struct Beat {
    pub(super) lease: Lease,
    /// A sentence if another machine has the same name.
    pub(super) copy: Option<String>,
    /// The name of the hall, if it was asked and is known.
    pub(super) hall: Option<Vec<u8>>,
    /// What the hub has on disk, if it was asked.
    pub(super) kept: Option<Result<KeptAnswer, RequestError>>,
    pub(super) is_lacking: bool,
}

pub(super) async fn beat(request: BeatRequest) -> Beat {
    let BeatRequest { connection, machine, clock, presence, mut lease, asks_hall, asks_kept, is_lacking } = request;
    let copy = lease.renew(&connection, &machine, &presence).await;
    if copy.is_some() {
        // Somebody at the hub can find out which of the two is the copy. An older hub does not answer.
        let _ = connection.request(&subject::question(&machine), None, to_json(&Question::Copy)).await;
    }
    let hall = match asks_hall {
        true => connection.last(&Bucket::Hall.stream(), &Bucket::Hall.subject(HALL_KEY)).await.ok().flatten(),
        false => None,
    };
    let kept = match asks_kept {
        true => Some(ask_kept(&connection, &machine).await),
        false => None,
    };
    // Without an answer, the reading before stays.
    let _ = clock.ask(&connection, &machine).await;
    Beat { lease, copy, hall: hall.map(|(_, reply)| reply.payload), kept, is_lacking }
}

/// Asks the hub what it has on disk.
async fn ask_kept(connection: &Connection, machine: &str) -> Result<KeptAnswer, RequestError> {
    let reply = connection.request(&subject::question(machine), None, to_json(&Question::Kept)).await?;
    Ok(from_json(&reply.payload)?)
}
