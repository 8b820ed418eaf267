//! The hub's half of joining: it answers the requests of machines that hold a code.

use super::paths::HallFiles;
use super::registry::{LockedRegistry, Refusal};
use super::server_config::{join_inbox, join_subject};
use super::{SetupError, certificates, server};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

/// The subjects of all requests to join. The last part is the public half of the key that follows from the code.
pub const ALL_REQUESTS: &str = "tm.v1.join.*";
/// The version of request and reply.
pub(super) const VERSION: u32 = 1;

/// What a machine sends.
#[derive(Serialize, Deserialize)]
pub(super) struct JoinRequest {
    pub(super) v: u32,
    /// The public half of its key.
    pub(super) key: String,
}

/// What it receives.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum JoinReply {
    /// It is in the hall.
    Joined {
        v: u32,
        /// The name of the hall.
        hall: String,
        /// The name of the machine.
        machine: String,
        /// The certificate of the CA, as PEM.
        ca: String,
    },
    /// It is not.
    Refused {
        v: u32,
        /// The reason, a sentence for the person at the machine.
        error: String,
    },
}

/// The answer to a request.
#[derive(Debug)]
pub struct Answer {
    /// What to send to the subject for replies; `None`: nothing may be sent there.
    pub reply: Option<Vec<u8>>,
    /// What happened.
    pub outcome: Outcome,
}

/// What happened with a request.
#[derive(Debug)]
pub enum Outcome {
    /// The machine of this name has joined. `not_reloaded`: the reason why the server does not know its key yet.
    Joined {
        /// Its name.
        machine: String,
        /// The reason why the server does not know its key yet; `None`: it does.
        not_reloaded: Option<String>,
    },
    /// The machine was refused.
    Refused(Refusal),
    /// The request is of another form: of a newer version, or not from a touchmove.
    Malformed,
    /// The reply would go to somebody else: the server lets a client name any subject for replies, and the hub may publish to
    /// all.
    ReplyElsewhere,
    /// The hub cannot do it.
    Failed(SetupError),
}

/// Answers a request to join, which was received on `subject` and asks for a reply on `reply_subject`. A machine with a valid
/// code gets into the registry, and the server reads its configuration again. `now_ms`: the current time, in milliseconds since
/// 1970-01-01 UTC.
pub async fn answer(files: HallFiles, subject: &str, reply_subject: Option<&str>, request: Vec<u8>, now_ms: i64) -> Answer {
    let Some(code_key) = subject.strip_prefix(&join_subject("")).map(str::to_owned) else {
        return Answer { reply: None, outcome: Outcome::Malformed };
    };
    let inbox = format!("{}.", join_inbox(&code_key));
    if !reply_subject.is_some_and(|reply| reply.starts_with(&inbox)) {
        return Answer { reply: None, outcome: Outcome::ReplyElsewhere };
    }
    let path = files.registry();
    // It may wait for the disk, and for the lock of touchmovectl.
    let outcome = spawn_blocking(move || {
        let outcome = admit(&files, &code_key, &request, now_ms);
        (reply_to(&files, &outcome), outcome)
    });
    match outcome.await {
        Ok((reply, outcome)) => Answer { reply: serde_json::to_vec(&reply).ok(), outcome },
        Err(error) => {
            let error = SetupError::io(&path, "written")(error.into());
            Answer { reply: None, outcome: Outcome::Failed(error) }
        }
    }
}

fn admit(files: &HallFiles, code_key: &str, request: &[u8], now_ms: i64) -> Outcome {
    let request: Option<JoinRequest> = serde_json::from_slice(request).ok();
    let Some(request) = request.filter(|request| request.v == VERSION) else { return Outcome::Malformed };
    let admitted = || -> Result<Result<String, Refusal>, SetupError> {
        let locked = LockedRegistry::lock(files)?;
        let mut registry = locked.load()?.ok_or(SetupError::NoHall)?;
        let admitted = registry.admit(code_key, &request.key, now_ms);
        if admitted.is_ok() {
            locked.save(&registry)?;
        }
        Ok(admitted)
    };
    match admitted() {
        Ok(Ok(machine)) => Outcome::Joined { machine, not_reloaded: reload(files) },
        Ok(Err(refusal)) => Outcome::Refused(refusal),
        Err(error) => Outcome::Failed(error),
    }
}

/// Returns the reason why the server did not read its configuration again.
fn reload(files: &HallFiles) -> Option<String> {
    match server::reload(files) {
        Ok(true) => None,
        Ok(false) => Some(format!("nats-server was not found: run `sudo systemctl reload {}`", server::UNIT)),
        Err(error) => Some(error.to_string()),
    }
}

fn reply_to(files: &HallFiles, outcome: &Outcome) -> JoinReply {
    let refused = |error: String| JoinReply::Refused { v: VERSION, error };
    let joined = |machine: &str| -> Result<JoinReply, SetupError> {
        let registry = super::registry::load(files)?.ok_or(SetupError::NoHall)?;
        let ca = certificates::read(files)?.ok_or(SetupError::NoHall)?;
        Ok(JoinReply::Joined { v: VERSION, hall: registry.hall, machine: machine.to_owned(), ca })
    };
    match outcome {
        Outcome::Joined { machine, .. } => joined(machine).unwrap_or_else(|error| refused(error.to_string())),
        Outcome::Refused(refusal) => refused(refusal.to_string()),
        Outcome::Malformed | Outcome::ReplyElsewhere => {
            refused("the hub does not understand this request: install the same version of touchmove on both".to_owned())
        }
        Outcome::Failed(error) => refused(format!("the hub has a problem: {error}")),
    }
}
