//! Limits on the number of lines of play that are followed for clients, and on how often one may be started.

use crate::boards::Millis;
use crate::daemon::hub::Readings;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::warn;

/// Maximum number of lines for all clients together: more than the boards of a hall. Each costs as much as a game.
pub(super) const MAX_LINES: usize = 64;
/// Maximum number of lines for one connection.
const MAX_LINES_OF_CLIENT: usize = 8;
/// Maximum number of lines on one board.
const MAX_LINES_OF_BOARD: usize = 8;
/// Minimum interval between the starts of two lines of one connection, in milliseconds.
const START_INTERVAL: Millis = 500;
/// Interval before a line is retried after a limit was reached, in milliseconds.
const RETRY_INTERVAL: Millis = 1_000;

/// The lines of play that one connection may have.
pub(super) struct Allowance {
    shared_permits: Arc<Semaphore>,
    client_permits: Arc<Semaphore>,
    /// The earliest time at which the next line may be started.
    next: Millis,
    /// Whether the log already says that a limit was reached.
    is_logged: bool,
}

/// A permit for one line of play; dropping it releases it.
pub(super) struct LinePermit {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Allowance {
    /// Creates the allowance of a connection without lines. `all` has one permit for each line of all connections.
    pub(super) fn new(shared_permits: Arc<Semaphore>) -> Allowance {
        Allowance { shared_permits, client_permits: Arc::new(Semaphore::new(MAX_LINES_OF_CLIENT)), next: 0, is_logged: false }
    }

    /// Acquires a permit for a line on this board.
    ///
    /// # Errors
    /// Returns the time at which to retry if no permit is available now.
    pub(super) fn try_acquire(&mut self, now: Millis, board: &Readings) -> Result<LinePermit, Millis> {
        if now < self.next {
            return Err(self.next);
        }
        match self.try_take(board) {
            Ok(permit) => {
                (self.next, self.is_logged) = (now + START_INTERVAL, false);
                Ok(permit)
            }
            Err(reason) => {
                self.next = now + RETRY_INTERVAL;
                if !std::mem::replace(&mut self.is_logged, true) {
                    warn!("a position that a LiveChess client has set up is not followed yet: {reason}");
                }
                Err(self.next)
            }
        }
    }

    fn try_take(&self, board: &Readings) -> Result<LinePermit, String> {
        if board.listeners() >= MAX_LINES_OF_BOARD {
            return Err(format!("{MAX_LINES_OF_BOARD} positions are already followed on this board"));
        }
        let client_permit = Arc::clone(&self.client_permits).try_acquire_owned();
        let client_permit =
            client_permit.map_err(|_| format!("{MAX_LINES_OF_CLIENT} positions are already followed for this client"))?;
        let shared_permit = Arc::clone(&self.shared_permits).try_acquire_owned();
        let shared_permit =
            shared_permit.map_err(|_| format!("{MAX_LINES} positions are already followed for all clients together"))?;
        Ok(LinePermit { _all: shared_permit, _own: client_permit })
    }
}
