//! What all boards have in common that send every square again and again, as lines of text.

use super::lights::Lamps;
use super::watch::Watch;
use crate::boards::{
    Address, Battery, Cue, Identity, LinkState, Millis, Placement, Protocol, Reading, Trouble, Unsupported, Write,
};

/// What kind of lights a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::boards) enum Leds {
    /// One a square, on or off.
    Plain,
    /// 81 at the corners of the squares, in colours.
    Colour,
}

/// What a line said.
pub(in crate::boards) enum Heard {
    /// A whole frame; `None`: of pieces that are not known.
    Frame(Option<Box<Placement>>),
    /// A frame of which some squares were not read, and show what they did before; `None`: as above.
    Filled(Option<Box<Placement>>),
    /// A whole frame that cannot be wrong: it had a checksum.
    Certain(Box<Placement>),
    /// This stood there before that frame, by what has now been learned of the pieces.
    Before(Box<Placement>),
    /// This was learned, to be kept for this board.
    Calibration(String),
    /// The lights are as they were asked for.
    Lit(Leds),
    /// The board says who it is.
    Identity(Identity),
    /// The board's battery.
    Battery(Battery),
    /// Trouble on the line.
    Trouble(Trouble),
}

/// How a family writes its lines.
pub(in crate::boards) trait Dialect: Send {
    /// The link came up: nothing of before belongs to what comes.
    fn forget(&mut self);
    /// One byte, and what was understood by it.
    fn feed(&mut self, now: Millis, byte: u8, heard: &mut Vec<Heard>);
    /// When [`Dialect::quiet`] wants to be called.
    fn deadline(&self) -> Option<Millis>;
    /// Nothing came until the deadline.
    fn quiet(&mut self, heard: &mut Vec<Heard>);
    /// What was once learned of this board's pieces.
    fn restore(&mut self, _calibration: &str) {}
    /// What is sent when the link has come up, or all squares are asked for, where a frame can be asked for.
    fn question(&self) -> Option<&'static [u8]> {
        None
    }
}

/// One board on one link.
pub(in crate::boards) struct Stream<D> {
    up: bool,
    dialect: D,
    watch: Watch,
    /// `None`: the board has no lights.
    lights: Option<Lamps>,
    question: Option<Write>,
    heard: Vec<Heard>,
}

impl<D: Dialect> Stream<D> {
    /// A board whose squares are told by so many votes.
    pub fn new(dialect: D, votes: usize, lights: Option<Lamps>) -> Stream<D> {
        Stream { up: false, dialect, watch: Watch::new(votes), lights, question: None, heard: Vec::new() }
    }

    /// Asks for a frame, where that is possible.
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
