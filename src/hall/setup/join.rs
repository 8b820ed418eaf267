//! The machine's half of joining: it sends the public half of its key to the hub, which it verifies by the code.

use super::admission::{JoinReply, JoinRequest, VERSION};
use super::code::JoinCode;
use super::paths::{FOR_ARBITERS, HallFiles};
use super::server_config::{join_inbox, join_subject};
use super::trust::{TrustedCa, client_config};
use super::{SetupError, certificates, key, registry};
use crate::config::hall::{ServerUrl, is_name};
use crate::hall::connection::refused_certificate;
use crate::hall::subject;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Request, RequestErrorKind};
use nkeys::KeyPair;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Maximum time for a connection, and for the reply of the hub.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time until the server knows the new key.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the new key is tried.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// A hall that this machine has joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The name of the hall.
    pub hall: String,
    /// The name of this machine in it.
    pub machine: String,
    /// Whether the server accepts the key of this machine already.
    pub is_accepted: bool,
}

/// The reason why a machine could not join; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The files of this machine.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// This machine is a hub itself.
    #[error("this machine is the hub of the hall {0}, and sends its games to no other: join from another machine")]
    IsHub(String),
    /// The server cannot be reached.
    #[error(
        "{hub} cannot be reached ({reason}): check the address and the cable, and that `systemctl status touchmove-nats` at the hub \
         says running"
    )]
    Unreachable {
        /// The address.
        hub: String,
        /// The error of the system.
        reason: String,
    },
    /// The server is not the one of the code.
    #[error(
        "{hub} is not the hub of this code ({reason}): compare the address and the code with the line that `touchmovectl \
         hall add` printed"
    )]
    WrongServer {
        /// The address.
        hub: String,
        /// What is wrong with its certificate.
        reason: String,
    },
    /// The server does not accept the code.
    #[error("{0} does not accept this code: codes are valid for 15 minutes, so run `touchmovectl hall add` at the hub again")]
    CodeRefused(String),
    /// Nobody answers at the hub.
    #[error(
        "the server at {0} runs, but no touchmoved answers there: set serve = true under [hall] at the hub, and start touchmoved"
    )]
    NoHub(String),
    /// The hub has refused.
    #[error("the hub refuses: {0}")]
    Refused(String),
    /// The reply makes no sense.
    #[error("the reply of the hub cannot be used ({0}): install the same version of touchmove on both")]
    BadReply(String),
}

/// Joins the hall of this code: makes the key of this machine, sends its public half, and stores the certificate of the hall's
/// CA.
///
/// # Errors
/// The hub cannot be reached or verified, or refuses the code; or a file cannot be written.
pub async fn join(files: &HallFiles, hub: &ServerUrl, code: &JoinCode) -> Result<Joined, JoinError> {
    if let Some(registry) = registry::load(files)? {
        return Err(JoinError::IsHub(registry.hall));
    }
    files.create_dir()?;
    let key = key::load_or_create(files)?;
    let code_key = code.key()?;
    let public = code_key.public_key();
    let client = connect(hub, &code_key, TrustedCa::Fingerprint(code.fingerprint()), &join_inbox(&public)).await?;
    let request = JoinRequest { v: VERSION, key: key.public_key() };
    let payload = serde_json::to_vec(&request).map_err(|error| JoinError::BadReply(error.to_string()))?;
    let request = Request::new().payload(payload.into()).timeout(Some(TIMEOUT));
    let reply = client.send_request(join_subject(&public), request).await.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders | RequestErrorKind::TimedOut => JoinError::NoHub(hub.to_string()),
        _ => JoinError::Unreachable { hub: hub.to_string(), reason: error.to_string() },
    })?;
    let (hall, machine, ca) = parse_reply(&reply.payload, code)?;
    files.write(&files.ca(), &ca, FOR_ARBITERS)?;
    let is_accepted = is_accepted(hub, &key, &ca, &machine).await;
    Ok(Joined { hall, machine, is_accepted })
}

/// Returns hall, machine and CA of a reply, whose CA must be that of the code.
fn parse_reply(payload: &[u8], code: &JoinCode) -> Result<(String, String, String), JoinError> {
    let bad = |reason: &str| JoinError::BadReply(reason.to_owned());
    match serde_json::from_slice(payload).map_err(|error| bad(&error.to_string()))? {
        JoinReply::Refused { error, .. } => Err(JoinError::Refused(error)),
        JoinReply::Joined { v, .. } if v != VERSION => Err(bad(&format!("it has version {v}"))),
        JoinReply::Joined { hall, machine, ca, .. } => {
            if !is_name(&hall) || !is_name(&machine) {
                return Err(bad("it names no hall or no machine"));
            }
            if certificates::fingerprint(&ca) != Some(code.fingerprint()) {
                return Err(bad("its CA is not that of the code"));
            }
            Ok((hall, machine, ca))
        }
    }
}

/// Tries the key of this machine until the server accepts it.
async fn is_accepted(hub: &ServerUrl, key: &KeyPair, ca: &str, machine: &str) -> bool {
    let Ok(ca) = certificates::parse(ca) else { return false };
    let deadline = Instant::now() + RELOAD_TIMEOUT;
    loop {
        match connect(hub, key, TrustedCa::Certificate(ca.clone()), &subject::inbox(machine)).await {
            Ok(_) => return true,
            Err(JoinError::CodeRefused(_)) if Instant::now() < deadline => sleep(RETRY_INTERVAL).await,
            Err(_) => return false,
        }
    }
}

async fn connect(hub: &ServerUrl, key: &KeyPair, ca: TrustedCa, inbox: &str) -> Result<Client, JoinError> {
    let wrong = |reason: String| JoinError::WrongServer { hub: hub.to_string(), reason };
    let seed = key.seed().map_err(|error| JoinError::BadReply(error.to_string()))?;
    let tls = client_config(ca).map_err(|error| wrong(error.to_string()))?;
    let options = ConnectOptions::with_nkey(seed)
        .require_tls(hub.uses_tls())
        .tls_client_config(tls)
        .custom_inbox_prefix(inbox)
        .connection_timeout(TIMEOUT)
        .max_reconnects(1);
    options.connect(hub.to_string()).await.map_err(|error| match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => JoinError::CodeRefused(hub.to_string()),
        ConnectErrorKind::Tls => wrong(error.to_string()),
        _ if refused_certificate(&error).is_some() => wrong("its certificate is not from the CA of that hall".to_owned()),
        _ => JoinError::Unreachable { hub: hub.to_string(), reason: error.to_string() },
    })
}
