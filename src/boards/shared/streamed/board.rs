//! The common part of all boards that continuously send all squares as lines of text.

use super::lights::{Leds, LightController};
use super::voter::FrameVoter;
use crate::boards::{
    Address, Battery, BoardCommand, Identity, LinkState, Millis, Placement, Protocol, ProtocolError, Reading, Unsupported,
    Write,
};

/// An item decoded from the stream.
pub(in crate::boards) enum StreamItem {
    /// A complete frame; `None` if its pieces are not known.
    Frame(Option<Box<Placement>>),
    /// A frame in which some squares could not be read and keep their earlier state; `None` as above.
    PartialFrame(Option<Box<Placement>>),
    /// A complete frame that is certainly correct: it had a checksum.
    VerifiedFrame(Box<Placement>),
    /// The placement before that frame, according to what has now been learned of the pieces.
    CorrectedPlacement(Box<Placement>),
    /// The new calibration, to be stored for this board.
    Calibration(String),
    /// The acknowledgement of a light pattern.
    LightsAcknowledged(Leds),
    /// Information about the board itself.
    Identity(Identity),
    /// The state of the board's battery.
    Battery(Battery),
    /// A protocol error.
    ProtocolError(ProtocolError),
}

/// The line format of a family of boards.
pub(in crate::boards) trait Dialect: Send {
    /// Discards all unfinished input because the link came up or went down.
    fn forget(&mut self);
    /// Decodes one byte and appends the completed items.
    fn feed(&mut self, now: Millis, byte: u8, items: &mut Vec<StreamItem>);
    /// Returns the time at which [`Dialect::handle_timeout`] must be called.
    fn deadline(&self) -> Option<Millis>;
    /// Handles the deadline: no byte arrived before it.
    fn handle_timeout(&mut self, items: &mut Vec<StreamItem>);
    /// Restores the calibration of this board's pieces.
    fn restore(&mut self, _calibration: &str) {}
    /// Returns the request for a frame, if the board has one. It is sent when the link comes up and when all squares are requested.
    fn frame_request(&self) -> Option<&'static [u8]> {
        None
    }
}

/// A single board on a link.
pub(in crate::boards) struct StreamingBoard<D> {
    up: bool,
    dialect: D,
    voter: FrameVoter,
    /// `None` if the board has no lights.
    lights: Option<LightController>,
    pending_request: Option<Write>,
    items: Vec<StreamItem>,
}

impl<D: Dialect> StreamingBoard<D> {
    /// Creates a board whose squares are decided by a vote over this number of frames.
    pub(crate) fn new(dialect: D, votes: usize, lights: Option<LightController>) -> StreamingBoard<D> {
        StreamingBoard { up: false, dialect, voter: FrameVoter::new(votes), lights, pending_request: None, items: Vec::new() }
    }

    /// Requests a frame, if the board supports it.
    fn request_frame(&mut self, now: Millis) {
        self.pending_request =
            self.dialect.frame_request().filter(|_| self.up).map(|bytes| Write { at: now, bytes: bytes.to_vec() });
    }

    fn process_items(&mut self, now: Millis) {
        for item in std::mem::take(&mut self.items) {
            match item {
                StreamItem::Frame(squares) => self.voter.frame(now, squares, true),
                StreamItem::PartialFrame(squares) => self.voter.frame(now, squares, false),
                StreamItem::VerifiedFrame(squares) => self.voter.accept_frame(now, squares),
                StreamItem::CorrectedPlacement(squares) => self.voter.restart(squares),
                StreamItem::Calibration(text) => self.voter.push_reading(Reading::Calibration(text)),
                StreamItem::LightsAcknowledged(leds) => {
                    if let Some(lights) = &mut self.lights {
                        lights.acknowledged(leds);
                    }
                }
                StreamItem::Identity(identity) => self.voter.push_reading(Reading::Identity(identity)),
                StreamItem::Battery(battery) => self.voter.push_reading(Reading::Battery(battery)),
                StreamItem::ProtocolError(error) => self.voter.push_reading(Reading::ProtocolError(error)),
            }
        }
    }
}

impl<D: Dialect> Protocol for StreamingBoard<D> {
    fn link(&mut self, now: Millis, state: LinkState) {
        self.up = state == LinkState::Up;
        self.dialect.forget();
        self.voter.forget(now);
        self.request_frame(now);
        if let Some(lights) = &mut self.lights {
            if self.up { lights.greet(now) } else { lights.forget() }
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.dialect.feed(now, byte, &mut self.items);
            self.process_items(now);
        }
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match (command, &mut self.lights) {
            (BoardCommand::Placement, _) => {
                self.voter.request_placement();
                self.request_frame(now);
            }
            (BoardCommand::Lights(squares), Some(lights)) if self.up => lights.light(now, squares),
            (BoardCommand::Lights(_), Some(_)) => {}
            (
                BoardCommand::Clock
                | BoardCommand::Memory
                | BoardCommand::Lights(_)
                | BoardCommand::ClockText(_)
                | BoardCommand::Beep,
                _,
            ) => return Err(Unsupported),
        }
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        if self.dialect.deadline().is_some_and(|at| at <= now) {
            self.dialect.handle_timeout(&mut self.items);
            self.process_items(now);
        }
        self.voter.timeout(now);
        if let Some(lights) = &mut self.lights {
            lights.timeout(now);
        }
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.voter.poll().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.pending_request.take().or_else(|| self.lights.as_mut()?.poll())
    }

    fn next_deadline(&self) -> Option<Millis> {
        let lights = self.lights.as_ref().and_then(LightController::deadline);
        [self.dialect.deadline(), self.voter.deadline(), lights].into_iter().flatten().min().filter(|_| self.up)
    }

    fn restore(&mut self, calibration: &str) {
        self.dialect.restore(calibration);
    }
}
