//! What the protocols of boards have in common that are only wireless: writes at intervals, requests until they are answered, lights
//! of which only the latest count, and the last placement.
//!
//! A wireless link loses no bytes and damages none, but it may cut messages anywhere.

use super::changes;
use super::silence_watchdog::SilenceWatchdog;
use crate::boards::{
    Address, BoardCommand, LinkState, Millis, Placement, Protocol, ProtocolError, Reading, SquareState, Unsupported, Write,
};
use shakmaty::Square;
use std::collections::VecDeque;

/// Time without a message after which the squares are requested again, in milliseconds.
pub(crate) const LINK_TEST_AFTER: Millis = 10_000;
/// Time after which an unanswered request is repeated, in milliseconds.
pub(crate) const REPLY_TIMEOUT: Millis = 2_000;
/// Time without a byte after which an incomplete message counts as truncated, in milliseconds.
const BYTE_TIMEOUT: Millis = 500;

/// The protocol of one maker.
pub(crate) trait Dialect: Send {
    /// Minimum interval between two writes, in milliseconds.
    const WRITE_INTERVAL: Millis;

    /// Forgets what belongs to the previous link.
    fn reset(&mut self);
    /// Sends what the board needs first, on a link that has come up.
    fn greet(&mut self, session: &mut Session, now: Millis);
    /// Requests all squares. Returns whether a reply is to be expected.
    fn request_squares(&mut self, session: &mut Session, now: Millis) -> bool;
    /// Handles received bytes.
    fn receive(&mut self, session: &mut Session, now: Millis, chunk: &[u8]);
    /// Whether a message is incomplete.
    fn is_inside(&self) -> bool;
    /// Discards an incomplete message and returns the number of its bytes.
    fn discard(&mut self) -> usize;
    /// Returns the commands that light these squares and no others; `None` if the board has no lights.
    fn lights(&self, _squares: &[Square]) -> Option<Vec<Vec<u8>>> {
        None
    }
    /// Handles a deadline of its own.
    fn timeout(&mut self, _session: &mut Session, _now: Millis) {}
    /// Returns the next deadline of its own.
    fn deadline(&self) -> Option<Millis> {
        None
    }
}

/// The state of a link that does not depend on the maker.
#[derive(Default)]
pub(crate) struct Session {
    up: bool,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    write_interval: Millis,
    /// Earliest time for the next write.
    free_at: Millis,
    last_received_at: Millis,
    silence_watchdog: SilenceWatchdog,
    /// Time of the next request for all squares.
    request_at: Millis,
    /// Whether all squares have been requested, or will be, and have not arrived yet: other messages do not postpone the request.
    awaits_squares: bool,
    /// The squares as last reported.
    shown: Option<Box<Placement>>,
    /// Whether all squares have been requested and must be reported even if unchanged.
    placement_requested: bool,
    /// The commands for the latest lights that have not been sent yet.
    lights: VecDeque<Vec<u8>>,
    /// The last command for the lights on this link.
    last_light: Option<Vec<u8>>,
}

impl Session {
    /// Sends a command as soon as the interval allows it.
    pub(crate) fn send(&mut self, now: Millis, bytes: &[u8]) {
        let at = self.free_at.max(now);
        self.free_at = at + self.write_interval;
        self.writes.push_back(Write { at, bytes: bytes.to_vec() });
    }

    /// Passes a reading on.
    pub(crate) fn push(&mut self, reading: Reading) {
        self.readings.push_back(reading);
    }

    /// Reports content that the protocol does not allow.
    pub(crate) fn invalid(&mut self, content: impl Into<String>) {
        self.push(Reading::ProtocolError(ProtocolError::InvalidContent(content.into())));
    }

    /// Reports bytes that belong to no message, and requests the squares again: the bytes may have been a change.
    pub(crate) fn damaged(&mut self, now: Millis, bytes: usize) {
        if bytes > 0 {
            self.push(Reading::ProtocolError(ProtocolError::Garbage(bytes)));
            if !self.silence_watchdog.is_silent() {
                self.request_soon(now + REPLY_TIMEOUT / 2);
            }
        }
    }

    /// Handles a message of any kind: the board is not silent.
    pub(crate) fn heard(&mut self, now: Millis) {
        let recovered = self.silence_watchdog.reply_received(now);
        if recovered.is_some() {
            // It may have lost power, and play may have continued meanwhile.
            self.placement_requested = true;
            self.request_soon(now);
        } else if !self.awaits_squares {
            self.request_at = self.request_at.max(now + LINK_TEST_AFTER);
        }
        self.readings.extend(recovered);
    }

    /// Has all squares requested at this time, unless they arrive before.
    pub(crate) fn request_soon(&mut self, at: Millis) {
        self.request_at = self.request_at.min(at);
        self.awaits_squares = true;
    }

    /// Handles all squares: passes them on if they have changed or were requested. What the board reports by itself are changes.
    pub(crate) fn placement(&mut self, now: Millis, placement: &Placement) {
        self.heard(now);
        let is_reply = std::mem::take(&mut self.awaits_squares);
        self.request_at = now + LINK_TEST_AFTER;
        let is_requested = std::mem::take(&mut self.placement_requested);
        match &mut self.shown {
            Some(shown) if **shown == *placement && !is_requested => {}
            Some(shown) if !is_requested && !is_reply => {
                self.readings.extend(changes(shown, placement));
                **shown = *placement;
            }
            _ => {
                self.shown = Some(Box::new(*placement));
                self.push(Reading::Placement(Box::new(*placement)));
            }
        }
    }

    /// Handles a reply that confirms the known squares.
    pub(crate) fn confirmed(&mut self, now: Millis) {
        if let Some(shown) = self.shown.clone() {
            self.placement(now, &shown);
        }
    }

    /// Handles the change of one square.
    pub(crate) fn square(&mut self, now: Millis, square: Square, state: SquareState) {
        self.heard(now);
        if let Some(shown) = &mut self.shown
            && std::mem::replace(&mut shown[square as usize], state) != state
        {
            self.push(Reading::Square(square, state));
        }
    }

    /// Returns the squares as last reported.
    pub(crate) fn shown(&self) -> Option<&Placement> {
        self.shown.as_deref()
    }

    /// Sends the next command for the lights, if sending is allowed.
    fn light(&mut self, now: Millis) {
        // What was sent last need not be sent again.
        while self.lights.front().is_some_and(|command| self.last_light.as_ref() == Some(command)) {
            self.lights.pop_front();
        }
        if now >= self.free_at
            && let Some(command) = self.lights.pop_front()
        {
            self.send(now, &command);
            self.last_light = Some(command);
        }
    }
}

/// A wireless board on a link.
pub(crate) struct WirelessBoard<D> {
    dialect: D,
    session: Session,
}

impl<D: Dialect> WirelessBoard<D> {
    /// Creates a board that is not connected.
    pub(crate) fn new(dialect: D) -> WirelessBoard<D> {
        WirelessBoard { dialect, session: Session::default() }
    }

    fn request_squares(&mut self, now: Millis) {
        if self.dialect.request_squares(&mut self.session, now) {
            self.session.silence_watchdog.request_sent(now);
            self.session.awaits_squares = true;
        }
        self.session.request_at = self.session.free_at.max(now) + REPLY_TIMEOUT;
    }
}

impl<D: Dialect> Protocol for WirelessBoard<D> {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.session.readings);
        self.session = Session {
            up: state == LinkState::Up,
            readings,
            write_interval: D::WRITE_INTERVAL,
            free_at: now,
            last_received_at: now,
            silence_watchdog: SilenceWatchdog::start(now),
            ..Session::default()
        };
        self.dialect.reset();
        if self.session.up {
            self.dialect.greet(&mut self.session, now);
            self.request_squares(now);
            // Switches off what an earlier program left alight.
            self.session.lights = self.dialect.lights(&[]).unwrap_or_default().into();
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        if !chunk.is_empty() {
            self.session.last_received_at = now;
            self.dialect.receive(&mut self.session, now, chunk);
        }
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => {
                self.session.placement_requested = true;
                self.session.request_soon(now);
                Ok(())
            }
            BoardCommand::Lights(squares) => {
                let commands = self.dialect.lights(&squares).ok_or(Unsupported)?;
                if self.session.up {
                    self.session.lights = commands.into();
                    self.session.light(now);
                }
                Ok(())
            }
            BoardCommand::Clock | BoardCommand::Memory | BoardCommand::ClockText(_) | BoardCommand::Beep => Err(Unsupported),
        }
    }

    fn timeout(&mut self, now: Millis) {
        if !self.session.up {
            return;
        }
        let silent = self.session.silence_watchdog.check(now);
        self.session.readings.extend(silent);
        if self.dialect.is_inside() && now >= self.session.last_received_at + BYTE_TIMEOUT {
            let count = self.dialect.discard();
            self.session.damaged(now, count);
        }
        self.dialect.timeout(&mut self.session, now);
        if now >= self.session.request_at {
            self.request_squares(now);
        }
        self.session.light(now);
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.session.readings.pop_front().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.session.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        let session = &self.session;
        let stall = self.dialect.is_inside().then_some(session.last_received_at + BYTE_TIMEOUT);
        let light = (!session.lights.is_empty()).then_some(session.free_at);
        let deadlines = [stall, light, session.silence_watchdog.deadline(), self.dialect.deadline()];
        deadlines.into_iter().flatten().chain([session.request_at]).min().filter(|_| session.up)
    }
}
