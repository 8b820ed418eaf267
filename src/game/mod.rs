//! The record: what was played and published in one game. Moves and their states, clocks, result, revisions, PGN.

pub mod alert;
pub mod answer;
pub mod caution;
pub mod command;
pub mod delay;
mod desk_record;
pub mod error_code;
pub mod event;
pub mod facts;
pub(crate) mod json;
mod late_result;
pub mod news;
pub mod pgn;
pub mod preview;
pub mod record;
pub mod refusal;
pub mod rights;
mod taken_back;
pub mod text;
pub mod words;

pub use alert::{Alert, AlertKind};
pub use answer::Answer;
pub use caution::SettledPlies;
pub use command::{Command, Order};
pub use delay::{Delay, DelayLine, DelayPolicy, IllegalMoves, ReleaseState};
pub use desk_record::{DeskEvent, DeskRecord, Entered, desk_events, is_for_desk, shown_game};
pub use error_code::ErrorCode;
pub use event::{Event, StampedEvent};
pub use facts::{
    ClockTime, CompletedBy, Confidence, CorrectionReason, Fault, GameResult, PlayedMove, ResultReason, Sighting, TouchEvidence,
    TouchSighting,
};
pub use late_result::late_result;
pub use preview::Preview;
pub use record::Record;
pub use refusal::Refusal;
pub use taken_back::taken_back;
pub use text::{Arg, Text};
