//! Opening and closing a link's port, and what boards and front-ends learn of it.

use super::Link;
use crate::boards::{LinkState, Millis};
use crate::daemon::hub::ConnectionState;
use crate::link::{OpenError, Port};
use std::time::Instant;
use tracing::{info, warn};

/// First and longest pause between attempts to open a port, in milliseconds.
pub(super) const RECONNECT_BACKOFF: (Millis, Millis) = (100, 5_000);
/// Kind of health problem: no board has been heard on a chain.
pub const NO_BOARDS_ON_CHAIN: &str = "no_boards";

impl Link {
    /// Retries at once, because the port may exist again.
    pub(super) fn retry_open(&mut self) {
        if self.port.is_none() {
            self.retry = (self.clock.at(Instant::now()), RECONNECT_BACKOFF.0);
        }
    }

    pub(super) async fn open(&mut self, now: Instant) {
        // Until the old port is closed, this process itself holds the device.
        if self.closing.as_ref().is_some_and(|closing| !closing.is_finished()) {
            self.retry.0 = self.clock.at(now) + RECONNECT_BACKOFF.0;
            return;
        }
        let opened = match self.spec.port() {
            Err(reason) => Err((None, ConnectionState::Unplugged, reason)),
            Ok(path) => match Port::open(&path, self.spec.model.connection, self.spec.control).await {
                Ok(port) => Ok((path, port)),
                Err(error @ OpenError::NoSuchDevice { .. }) => Err((Some(path), ConnectionState::Unplugged, error.to_string())),
                Err(error) => Err((Some(path), ConnectionState::Refused, error.to_string())),
            },
        };
        match opened {
            Ok((path, port)) => {
                info!(board = %self.spec.id, port = %path.display(), "port opened");
                self.port = Some(port);
                self.path = path.display().to_string();
                self.set_no_boards((self.boards.is_empty()).then(|| {
                    format!("no board has answered on {} yet: check their power and the cables between them", self.path)
                }));
                self.set_connection_state(ConnectionState::Connecting, "", Some(&self.path));
                self.set_link_state(now, LinkState::Up);
            }
            Err((path, state, reason)) => {
                self.retry = (self.clock.at(now) + self.retry.1, (self.retry.1 * 2).min(RECONNECT_BACKOFF.1));
                let path = path.map(|path| path.display().to_string()).unwrap_or_default();
                let mut is_change = self.set_connection_state(state, &reason, Some(&path));
                if self.boards.is_empty() {
                    is_change = self.set_no_boards(Some(reason.clone()));
                }
                if is_change {
                    warn!(board = %self.spec.id, "{reason}");
                }
            }
        }
    }

    pub(super) fn close_port(&mut self, reason: &str) {
        let now = Instant::now();
        warn!(board = %self.spec.id, "{reason}");
        self.closing = self.port.take().map(|port| tokio::task::spawn_blocking(move || drop(port)));
        // The pause is reset only once the board reports, so that a loose plug does not cause rapid retries.
        self.retry = (self.clock.at(now) + self.retry.1, (self.retry.1 * 2).min(RECONNECT_BACKOFF.1));
        self.set_connection_state(ConnectionState::Unplugged, reason, None);
        self.set_link_state(now, LinkState::Down);
    }

    pub(super) fn set_link_state(&mut self, now: Instant, state: LinkState) {
        self.writes.clear();
        self.identifying = None;
        self.exchange = (Vec::new(), Vec::new());
        self.protocol.link(self.clock.at(now), state);
        self.for_each_board(now, |board| board.handle_link_state(now, state));
        self.process_pending(now);
    }

    /// Sets the connection state of all boards; returns whether any changed.
    pub(super) fn set_connection_state(&self, state: ConnectionState, reason: &str, port: Option<&str>) -> bool {
        let changed = self.boards.values().filter(|board| board.set_connection_state(state, reason, port));
        changed.count() > 0
    }

    /// Sets or clears the reason why a chain has no boards; returns whether it changed.
    pub(super) fn set_no_boards(&self, reason: Option<String>) -> bool {
        let sentence = reason.map(|reason| format!("chain {}: {reason}", self.spec.id));
        self.protocol.is_chain() && self.hub.set_health_problem(NO_BOARDS_ON_CHAIN, Some(&self.spec.id), sentence)
    }
}
