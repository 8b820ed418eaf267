//! Sends commands to machines. A machine that cannot be reached is reported at once, and nothing takes effect later.

use super::alarm;
use super::remote_boards::local_name;
use crate::daemon::hub::OrderError;
use crate::daemon::{Hub, random, steady_clock};
use crate::game::Answer;
use crate::hall::connection::{Connection, RequestError};
use crate::hall::message::command::{Action, CommandReply, CommandRequest, ReplyMessage};
use crate::hall::message::{MessageError, from_json, to_json};
use crate::hall::subject::{self, EventsSubject};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a machine may take to begin with a command.
const EXPIRY: Duration = Duration::from_secs(3);

/// A command to a machine.
pub(super) struct RemoteOrder {
    pub machine: String,
    /// The name of the board there.
    pub board: String,
    /// The game that it is for; `None`: whatever game is on the board.
    pub game: Option<EventsSubject>,
    /// The number of the last event that its author has seen.
    pub seen: Option<u64>,
    pub action: Action,
}

/// Sends commands.
pub(super) struct Commander {
    hub: Arc<Hub>,
    connection: Connection,
    /// Identifies this process.
    instance: String,
    /// When this process began.
    began: Instant,
    /// The term of this hub; 0: it shares its role with no other hub.
    term: Arc<AtomicU64>,
}

impl Commander {
    pub(super) fn new(hub: Arc<Hub>, connection: Connection, term: Arc<AtomicU64>) -> Commander {
        Commander { hub, connection, instance: random_id(), began: Instant::now(), term }
    }

    /// Identifies this process for machines.
    pub(super) fn instance(&self) -> &str {
        &self.instance
    }

    /// Returns the term of this hub; `None`: it shares its role with no other hub.
    pub(super) fn term(&self) -> Option<u64> {
        Some(self.term.load(Ordering::Relaxed)).filter(|term| *term > 0)
    }

    /// Returns the time of this process, in milliseconds of a clock that does not go back.
    pub(super) fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Sends a command; returns its answer, and the game that it changed with the number of its last event.
    ///
    /// # Errors
    /// It was not carried out, or it is not known whether it was.
    pub(super) async fn execute(&self, order: RemoteOrder) -> Result<(Answer, Option<(EventsSubject, u64)>), OrderError> {
        let RemoteOrder { machine, board, game, seen, action } = order;
        let silent = |machine: &str| {
            let heard = self.hub.read(|state| state.machines.get(machine).and_then(|view| view.heard_at));
            let seconds = heard.map(|heard| u64::try_from(steady_clock::now_ms().saturating_sub(heard) / 1000).unwrap_or(0));
            OrderError::MachineAway { machine: machine.to_owned(), seconds }
        };
        // It may have waited since it was given.
        self.hub.check_role()?;
        let now = steady_clock::now_ms();
        if !self.hub.read(|state| state.machines.get(&machine).is_some_and(|view| view.is_there(now))) {
            return Err(silent(&machine));
        }
        let request = CommandRequest {
            id: random_id(),
            hub: self.instance.clone(),
            term: self.term(),
            expires_ms: self.now_ms().saturating_add(u64::try_from(EXPIRY.as_millis()).unwrap_or(0)),
            board: board.clone(),
            game: game.map(|game| (game.journal, game.game)),
            seen,
            action,
        };
        let reply = match self.connection.request(&subject::commands(&machine), None, to_json(&request)).await {
            Ok(reply) => reply,
            Err(RequestError::NoResponders(_)) => return Err(silent(&machine)),
            Err(RequestError::Failed(_) | RequestError::LaterVersion(_)) => return Err(OrderError::OutcomeUnknown { machine }),
        };
        match from_json::<ReplyMessage>(&reply.payload) {
            Ok(ReplyMessage { reply: CommandReply::Done { answer, game } }) => {
                let game = game.map(|(journal, game, number)| (EventsSubject { machine, journal, game }, number));
                Ok((answer, game))
            }
            Ok(ReplyMessage { reply: CommandReply::Refused(refused) }) => {
                Err(match (refused.changed_since, &refused.differing) {
                    (Some(seen), _) => OrderError::Changed { seen, news: Vec::new() },
                    (None, Some(differing)) => {
                        let squares = differing.iter().filter_map(|square| square.parse().ok()).collect();
                        OrderError::PositionNotSetUp { board: local_name(&machine, &board), squares }
                    }
                    (None, None) => {
                        let (code, text) = (refused.error_code(), refused.text);
                        OrderError::RefusedByMachine { code, message: refused.message, text }
                    }
                })
            }
            Err(error) => {
                if matches!(error, MessageError::Newer { .. }) {
                    alarm::raise(&self.hub, Some(&machine), alarm::unread(&machine, "its reply is not read", &error));
                }
                Err(OrderError::OutcomeUnknown { machine })
            }
        }
    }
}

/// Returns a random UUID (RFC 9562, version 4). Without random bytes it is that of all zeros, which a machine carries out once.
fn random_id() -> String {
    let mut bytes = [0; 16];
    let _ = random::fill(&mut bytes);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}
