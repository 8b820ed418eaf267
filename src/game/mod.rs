//! The record: what was played and published in one game. Moves and their states, clocks, result, revisions, PGN.

pub mod answer;
pub mod caution;
pub mod command;
pub mod delay;
pub mod event;
pub mod pgn;
pub mod record;
pub mod text;

pub use answer::Answer;
pub use caution::SettledPlies;
pub use command::{Command, Order};
pub use delay::{Delay, DelayLine, IllegalMoves, ReleaseState};
pub use event::{
    Alert, AlertKind, ClockTime, CompletedBy, Confidence, CorrectionReason, Event, Fault, GameResult, PlayedMove, ResultReason,
    Sighting, StampedEvent,
};
pub use record::Record;
pub use text::{Arg, Text};
