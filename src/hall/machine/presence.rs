//! That this machine is there: what it says of itself, and the lease that only one machine of its name can hold.

use crate::daemon::hub::is_health_kind_for;
use crate::daemon::{Hub, random};
use crate::game::rights::Audience;
use crate::hall::connection::Connection;
use crate::hall::connection::store::{Stored, store};
use crate::hall::message::presence::Presence;
use crate::hall::message::{from_json, to_json};
use crate::hall::subject::Bucket;
use async_nats::HeaderMap;
use data_encoding::HEXLOWER;
use std::path::{Path, PathBuf};

/// Identifies a boot of this machine.
const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";
/// The environment variable in which the unit gives the same identifier: the service does not see that file.
const BOOT_ID_VARIABLE: &str = "TOUCHMOVE_BOOT_ID";
/// The temperature of the processor, in thousandths of a degree.
const TEMPERATURE_FILE: &str = "/sys/class/thermal/thermal_zone0/temp";

/// How often the name is claimed at once.
const RENEWALS: usize = 3;

/// Returns what identifies this boot of the machine: 32 hexadecimal digits. `None`: unknown.
pub(super) fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string(BOOT_ID_FILE).or_else(|_| std::env::var(BOOT_ID_VARIABLE));
    // The service manager writes it without hyphens.
    id.ok().map(|id| id.trim().replace('-', "")).filter(|id| !id.is_empty())
}

/// Reads what this machine says of itself.
pub(super) struct PresenceSource {
    boot: String,
    instance: String,
    state_dir: PathBuf,
}

impl PresenceSource {
    /// `state_dir`: the directory whose disk is reported.
    pub(super) fn new(state_dir: &Path) -> PresenceSource {
        let mut bytes = [0; 8];
        // Without random bytes all processes of one boot look the same, which only a copy on the same computer would notice.
        let _ = random::fill(&mut bytes);
        let instance = HEXLOWER.encode(&bytes);
        // An empty one would say that the machine leaves.
        let boot = boot_id().unwrap_or_else(|| format!("process {instance}"));
        PresenceSource { boot, instance, state_dir: state_dir.to_owned() }
    }

    /// Reads the state of this moment.
    pub(super) fn read(&self, hub: &Hub, unsent: u64, clock_offset_ms: Option<i64>) -> Presence {
        let disk = rustix::fs::statvfs(&self.state_dir).ok();
        let temperature = std::fs::read_to_string(TEMPERATURE_FILE).ok().and_then(|text| text.trim().parse::<i64>().ok());
        Presence {
            boot: self.boot.clone(),
            instance: self.instance.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            unsent,
            free_bytes: disk.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
            temperature: temperature.map(|thousandths| thousandths / 100),
            clock_offset_ms,
            // The hub shows them to operators.
            problems: hub.read(|state| {
                let told = state.health_problems.iter().filter(|problem| is_health_kind_for(problem.kind, Audience::Operator));
                told.map(|problem| problem.sentence.clone()).collect()
            }),
        }
    }
}

/// Returns what to say if another machine has the name of this one.
pub(super) fn copy(machine: &str) -> String {
    format!(
        "another machine is connected to the hall as \"{machine}\": if its card is a copy of this one's, remove hall/machine.nk in the \
         state directory of one of them, and let it join with a name of its own; after a power cut this ends by itself in 15 seconds"
    )
}

/// The lease of this machine's name: the key of its presence, which is written again before it expires.
#[derive(Default)]
pub(super) struct Lease {
    /// The sequence number of our last message; `None`: we have none.
    sequence: Option<u64>,
}

impl Lease {
    /// Returns whether this machine has its name for itself.
    pub(super) fn is_held(&self) -> bool {
        self.sequence.is_some()
    }

    /// Forgets our last message: the server may have lost it.
    pub(super) fn forget(&mut self) {
        self.sequence = None;
    }

    /// Says that this machine is there. Returns a sentence if another one has its name.
    pub(super) async fn renew(&mut self, connection: &Connection, machine: &str, presence: &Presence) -> Option<String> {
        let (bucket, key) = (Bucket::Here, Bucket::Here.subject(machine));
        // The server may have put something else there, in reply to a request of somebody else.
        for _ in 0..RENEWALS {
            let follows = match self.sequence {
                Some(sequence) => sequence,
                None => match connection.last(&bucket.stream(), &key).await {
                    Ok(None) => 0,
                    Ok(Some((sequence, reply))) => {
                        let other: Presence = from_json(&reply.payload).unwrap_or_default();
                        // The same computer, or one that has left.
                        if other.boot != presence.boot && !other.boot.is_empty() {
                            return Some(copy(machine));
                        }
                        sequence
                    }
                    Err(_) => return None,
                },
            };
            match store(connection, &key, HeaderMap::new(), to_json(presence), follows).await {
                Ok(Stored::At(sequence)) => {
                    self.sequence = Some(sequence);
                    return None;
                }
                // Somebody else wrote it, or it has expired.
                Ok(Stored::NotNext) => self.sequence = None,
                Ok(Stored::Refused(..)) | Err(_) => return None,
            }
        }
        None
    }

    /// Says that this machine leaves.
    pub(super) async fn release(&mut self, connection: &Connection, machine: &str) {
        if let Some(sequence) = self.sequence.take() {
            let left = to_json(&Presence::default());
            let key = Bucket::Here.subject(machine);
            let stored = store(connection, &key, HeaderMap::new(), left, sequence);
            // If this fails, the name is free in 15 seconds.
            let _ = tokio::time::timeout(std::time::Duration::from_secs(1), stored).await;
        }
    }
}
