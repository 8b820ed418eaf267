//! Opening and closing a link's port, and what boards and front-ends learn of it.

use super::{Link, backoff};
use crate::boards::LinkState;
use crate::daemon::hub::ConnectionState;
use crate::daemon::wait_for_stop;
use crate::link::{Endpoint, OpenError, Port};
use std::pin::Pin;
use std::time::Instant;
use tracing::{info, warn};

/// A port that is being opened.
pub(super) type Opening = Pin<Box<dyn Future<Output = Opened> + Send>>;

/// The outcome of opening a port.
pub(super) struct Opened {
    endpoint: Endpoint,
    /// `Err`: the link stops.
    outcome: Result<Result<Port, OpenError>, ()>,
}

impl Opened {
    /// Closes the port, if it is open.
    pub(super) async fn close(self) {
        if let Ok(Ok(port)) = self.outcome {
            port.close().await;
        }
    }
}

/// Kind of health problem: no board has been heard on a chain.
pub const NO_BOARDS_ON_CHAIN: &str = "no_boards";

impl Link {
    /// Retries at once, because the port may exist again.
    pub(super) fn retry_open(&mut self) {
        if self.port.is_none() {
            self.backoff.retry_now(self.clock.at(Instant::now()));
        }
    }

    /// Begins to open the port; [`Link::finish_opening`] takes it.
    pub(super) fn open(&mut self, now: Instant) {
        // Until the old port is closed, this process itself holds the device.
        if self.closing.as_ref().is_some_and(|closing| !closing.is_finished()) {
            return self.backoff.wait(self.clock.at(now), backoff::FIRST_PAUSE);
        }
        match self.spec.endpoint() {
            Err(reason) => self.report_unopened(now, "", ConnectionState::Unplugged, &reason),
            Ok(endpoint) => {
                let (radio, model, control) = (self.spec.radio.clone(), self.spec.model, self.spec.control);
                let mut stop = self.stop.clone();
                self.opening = Some(Box::pin(async move {
                    let outcome = endpoint.open_unless(&radio, model, control, wait_for_stop(&mut stop)).await;
                    Opened { endpoint, outcome }
                }));
            }
        }
    }

    pub(super) fn finish_opening(&mut self, opened: Opened) {
        let (now, path) = (Instant::now(), opened.endpoint.to_string());
        self.opening = None;
        let Ok(outcome) = opened.outcome else { return };
        match outcome {
            Ok(port) => {
                info!(board = %self.spec.id, port = path, "port opened");
                self.port = Some(port);
                self.path = path;
                self.set_no_boards((self.boards.is_empty()).then(|| {
                    format!("no board has answered on {} yet: check their power and the cables between them", self.path)
                }));
                self.set_connection_state(ConnectionState::Connecting, "", Some(&self.path));
                self.set_link_state(now, LinkState::Up);
            }
            Err(error) => {
                let state = if error.is_absence() { ConnectionState::Unplugged } else { ConnectionState::Refused };
                self.report_unopened(now, &path, state, &error.to_string());
            }
        }
    }

    /// Reports why the port is not open, if that is new, and tries again after a pause.
    fn report_unopened(&mut self, now: Instant, path: &str, state: ConnectionState, reason: &str) {
        self.backoff.failed(self.clock.at(now));
        let mut is_change = self.set_connection_state(state, reason, Some(path));
        if self.boards.is_empty() {
            is_change = self.set_no_boards(Some(reason.to_owned()));
        }
        if is_change {
            warn!(board = %self.spec.id, "{reason}");
        }
    }

    pub(super) fn close_port(&mut self, reason: &str) {
        let now = Instant::now();
        warn!(board = %self.spec.id, "{reason}");
        self.closing = self.port.take().map(|port| tokio::spawn(port.close()));
        // The pause is reset only once the board reports, so that a loose plug does not cause rapid retries.
        self.backoff.failed(self.clock.at(now));
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
