//! The common part of all boards that continuously send all squares as lines of text.

use super::lights::Lamps;
use super::watch::Watch;
use crate::boards::{
    Address, Battery, Cue, Identity, LinkState, Millis, Placement, Protocol, Reading, Trouble, Unsupported, Write,
};

/// The kind of lights that a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::boards) enum Leds {
    /// One per square, on or off.
    Plain,
    /// 81 at the corners of the squares, in colours.
    Colour,
}

/// An item decoded from the stream.
pub(in crate::boards) enum Heard {
    /// A complete frame; `None` if its pieces are not known.
    Frame(Option<Box<Placement>>),
    /// A frame in which some squares could not be read and keep their earlier state; `None` as above.
    Filled(Option<Box<Placement>>),
    /// A complete frame that is certainly correct: it had a checksum.
    Certain(Box<Placement>),
    /// The placement before that frame, according to what has now been learned of the pieces.
    Before(Box<Placement>),
    /// The new calibration, to be stored for this board.
    Calibration(String),
    /// The acknowledgement of a light pattern.
    Lit(Leds),
    /// Information about the board itself.
    Identity(Identity),
    /// The state of the board's battery.
    Battery(Battery),
    /// A protocol error.
    Trouble(Trouble),
}

/// The line format of a family of boards.
pub(in crate::boards) trait Dialect: Send {
    /// Discards all unfinished input because the link came up or went down.
    fn forget(&mut self);
    /// Decodes one byte and appends the completed items.
    fn feed(&mut self, now: Millis, byte: u8, heard: &mut Vec<Heard>);
    /// Returns the time at which [`Dialect::quiet`] must be called.
    fn deadline(&self) -> Option<Millis>;
    /// Handles the deadline: no byte arrived before it.
    fn quiet(&mut self, heard: &mut Vec<Heard>);
    /// Restores the calibration of this board's pieces.
    fn restore(&mut self, _calibration: &str) {}
    /// Returns the request for a frame, if the board has one. It is sent when the link comes up and when all squares are requested.
    fn question(&self) -> Option<&'static [u8]> {
        None
    }
}

/// A single board on a link.
pub(in crate::boards) struct Stream<D> {
    up: bool,
    dialect: D,
    watch: Watch,
    /// `None` if the board has no lights.
    lights: Option<Lamps>,
    question: Option<Write>,
    heard: Vec<Heard>,
}

impl<D: Dialect> Stream<D> {
    /// Creates a board whose squares are decided by a vote over this number of frames.
    pub fn new(dialect: D, votes: usize, lights: Option<Lamps>) -> Stream<D> {
        Stream { up: false, dialect, watch: Watch::new(votes), lights, question: None, heard: Vec::new() }
    }

    /// Requests a frame, if the board supports it.
    fn ask(&mut self, now: Millis) {
        self.question = self.dialect.question().filter(|_| self.up).map(|bytes| Write { at: now, bytes: bytes.to_vec() });
    }

    fn take(&mut self, now: Millis) {
        for heard in std::mem::take(&mut self.heard) {
            match heard {
                Heard::Frame(squares) => self.watch.frame(now, squares, true),
                Heard::Filled(squares) => self.watch.frame(now, squares, false),
                Heard::Certain(squares) => self.watch.certain(now, squares),
                Heard::Before(squares) => self.watch.restart(squares),
                Heard::Calibration(text) => self.watch.say(Reading::Calibration(text)),
                Heard::Lit(leds) => {
                    if let Some(lights) = &mut self.lights {
                        lights.acknowledged(leds);
                    }
                }
                Heard::Identity(identity) => self.watch.say(Reading::Identity(identity)),
                Heard::Battery(battery) => self.watch.say(Reading::Battery(battery)),
                Heard::Trouble(trouble) => self.watch.say(Reading::Trouble(trouble)),
            }
        }
    }
}

impl<D: Dialect> Protocol for Stream<D> {
    fn link(&mut self, now: Millis, state: LinkState) {
        self.up = state == LinkState::Up;
        self.dialect.forget();
        self.watch.forget(now);
        self.ask(now);
        if let Some(lights) = &mut self.lights {
            if self.up { lights.greet(now) } else { lights.forget() }
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.dialect.feed(now, byte, &mut self.heard);
            self.take(now);
        }
    }

    fn act(&mut self, now: Millis, _board: Address, cue: Cue) -> Result<(), Unsupported> {
        match (cue, &mut self.lights) {
            (Cue::Placement, _) => {
                self.watch.want();
                self.ask(now);
            }
            (Cue::Lights(squares), Some(lights)) if self.up => lights.light(now, squares),
            (Cue::Lights(_), Some(_)) => {}
            (Cue::Clock | Cue::Memory | Cue::Lights(_) | Cue::ClockText(_) | Cue::Beep, _) => return Err(Unsupported),
        }
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        if self.dialect.deadline().is_some_and(|at| at <= now) {
            self.dialect.quiet(&mut self.heard);
            self.take(now);
        }
        self.watch.timeout(now);
        if let Some(lights) = &mut self.lights {
            lights.timeout(now);
        }
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.watch.poll().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.question.take().or_else(|| self.lights.as_mut()?.poll())
    }

    fn next_deadline(&self) -> Option<Millis> {
        let lights = self.lights.as_ref().and_then(Lamps::deadline);
        [self.dialect.deadline(), self.watch.deadline(), lights].into_iter().flatten().min().filter(|_| self.up)
    }

    fn restore(&mut self, calibration: &str) {
        self.dialect.restore(calibration);
    }
}
