//! The events of a game. Each is declared once, with everything that depends on it.

mod form;
mod unknown;

pub use super::alert::{Alert, AlertCategory, AlertKind};
pub use super::facts::{
    Alternative, ClockTime, ClockTimes, CompletedBy, Confidence, CorrectionReason, Difference, Fault, GameResult, PlayedMove,
    ResultReason, Rotation, Sighting,
};
pub use unknown::UnknownEvent;

use super::json::squares::{sensed, square};
use super::json::{result_or_star, word};
use crate::boards::{Battery, LinkState, Millis, SquareState};
use crate::game::Command;
use crate::game::rights::Audience;
use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Color, Square};

/// Whether an event is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// It is numbered, journalled and then published.
    Durable,
    /// It is only published.
    Transient,
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventKind {
    /// The word in field `event` of its JSON form.
    pub word: &'static str,
    /// The name of its variant.
    pub name: &'static str,
    /// Whether it is stored.
    pub durability: Durability,
    /// Who may know of it; of alerts and commands, see [`Event::is_for`].
    pub audience: Audience,
    /// What it reports, in one or more sentences.
    pub about: &'static str,
}

/// Declares the events. Each has its description, which is also in `docs/events.md`, its word, its durability, its audience,
/// and its fields with their form in JSON. For example, `["alert_cleared", Durable, Arbiter] AlertCleared { id: u32 }` becomes
/// the variant `AlertCleared { id: u32 }`, written as `{"event":"alert_cleared","id":1}`, and a row of [`Event::KINDS`].
macro_rules! events {
    ($(
        $(#[doc = $about:literal])+
        $(#[serde $form:tt])? // how the whole event is written, where its fields say too little
        [$word:literal, $durability:ident, $audience:ident]
        $event:ident $fields:tt // the fields in braces
    )+) => {
        /// An event of a game.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "event")]
        pub enum Event {
            $($(#[doc = $about])+ $(#[serde $form])? #[serde(rename = $word)] $event $fields,)+
            /// An event of a kind that this version does not know, and which therefore changes nothing. It is serialized only as
            /// part of a [`StampedEvent`], and read only by `wire::from_json`.
            #[serde(skip)]
            Unknown(UnknownEvent),
        }

        impl Event {
            /// All known kinds, in the order in which they are declared.
            pub const KINDS: &'static [EventKind] = &[$(EventKind {
                word: $word,
                name: stringify!($event),
                durability: Durability::$durability,
                audience: Audience::$audience,
                about: concat!($($about),+),
            }),+];

            /// Returns the word in field `event` of its JSON form.
            pub fn word(&self) -> &str {
                match self {
                    $(Event::$event { .. } => $word,)+
                    Event::Unknown(unknown) => unknown.word(),
                }
            }

            /// Returns the name of its variant.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Event::$event { .. } => stringify!($event),)+
                    Event::Unknown(_) => "Unknown",
                }
            }

            /// Returns whether it is stored.
            pub fn durability(&self) -> Durability {
                match self {
                    $(Event::$event { .. } => Durability::$durability,)+
                    Event::Unknown(_) => Durability::Durable,
                }
            }

            /// Returns who may know of every event of its kind.
            pub fn audience(&self) -> Audience {
                match self {
                    $(Event::$event { .. } => Audience::$audience,)+
                    // It is unknown who else may see it.
                    Event::Unknown(_) => Audience::Arbiter,
                }
            }
        }
    };
}

events! {
    /// A game began. Always number 1 of its game.
    ["game_started", Durable, Public] GameStarted {
        /// The start position.
        fen: String,
        /// Number of the Chess960 start position (518: the usual one); `None` for any other position.
        chess960: Option<u16>,
        /// Edition of the Laws.
        laws: String,
        /// How the board is oriented.
        #[serde(with = "word")]
        rotation: Rotation,
    }
    /// A move was made (Art. 4.7). Revisable by evidence.
    #[serde(with = "form::move_made")]
    ["move_made", Durable, Public] MoveMade {
        /// Counts from 1 at the start position.
        ply: u32,
        /// The move.
        played: PlayedMove,
        /// How likely it is to be right.
        confidence: Confidence,
        /// Other possible moves, most likely first; empty if there are none.
        alternatives: Vec<Alternative>,
    }
    /// A move was completed (Art. 6.2.1).
    ["move_completed", Durable, Public] MoveCompleted {
        /// The ply of the move.
        ply: u32,
        /// What completed it.
        #[serde(with = "word")]
        by: CompletedBy,
        /// Both clocks at that moment; the mover's is the first reading after the press.
        #[serde(flatten)]
        clocks: ClockTimes,
    }
    /// The moves replace the whole record from `from_ply` on.
    #[serde(with = "form::moves_corrected")]
    ["moves_corrected", Durable, Public] MovesCorrected {
        /// First ply that changed.
        from_ply: u32,
        /// The whole line from there on; empty when moves were taken back.
        moves: Vec<PlayedMove>,
        /// The reason.
        reason: CorrectionReason,
    }
    /// The mover's clock changed shortly after the press: an increment that came late.
    ["clock_revised", Durable, Public] ClockRevised {
        /// The completed move.
        ply: u32,
        /// Both clocks as they should have been.
        #[serde(flatten)]
        clocks: ClockTimes,
    }
    /// An alert was raised. If its id is that of an open alert, it replaces that one.
    ["alert_raised", Durable, Arbiter] AlertRaised (Box<Alert>)
    /// The reason for an alert is gone.
    ["alert_cleared", Durable, Arbiter] AlertCleared {
        /// The id of the alert.
        id: u32,
    }
    /// A square of the board does not work properly, or works again. Until then what it shows is discounted.
    ["board_fault", Durable, Operator] BoardFault {
        /// The square, in the game's coordinates.
        #[serde(with = "square")]
        square: Square,
        /// The fault.
        #[serde(with = "word")]
        fault: Fault,
        /// A sentence for the arbiter.
        detail: String,
    }
    /// The game has a result, or its result was withdrawn.
    ["result", Durable, Public] Result {
        /// The result; `None`: it was withdrawn.
        #[serde(with = "result_or_star")]
        result: Option<GameResult>,
        /// Where it comes from.
        #[serde(with = "word")]
        reason: ResultReason,
    }
    /// A command was carried out.
    ["command", Durable, Arbiter] Commanded {
        /// The command.
        command: Command,
        /// Who gave it, as the front-end knows them.
        by: String,
    }
    /// A piece was lifted or put down.
    ["touched", Transient, Arbiter] Touched {
        /// The square, in the game's coordinates.
        #[serde(with = "square")]
        square: Square,
        /// What it showed before.
        #[serde(with = "sensed")]
        before: SquareState,
        /// What it shows now.
        #[serde(with = "sensed")]
        now: SquareState,
    }
    /// These squares have differed from the record for longer than a move takes; empty: they agree again.
    ["displaced", Transient, Operator] Displaced {
        /// The squares, a1 … h8.
        squares: Vec<Difference>,
    }
    /// The clock reported a change.
    ["clock", Transient, Operator] Clock {
        /// Both times.
        #[serde(flatten)]
        clocks: ClockTimes,
        /// Whose time it is by the lever.
        #[serde(with = "word")]
        turn: Color,
        /// Whether it runs.
        running: bool,
        /// Whose flag it shows as fallen (Art. 6.3): the clock's report, not a ruling.
        #[serde(flatten, with = "form::flags")]
        flags: ByColor<bool>,
        /// The clock's own battery is low.
        // Older journals lack it.
        #[serde(default)]
        battery_low: bool,
    }
    /// The state of the link.
    #[serde(with = "form::link")]
    ["link", Transient, Operator] Link (LinkState)
    /// The board's battery.
    ["battery", Transient, Operator] Battery (Battery)
}

impl Event {
    /// Whether it is numbered and journalled.
    pub fn is_durable(&self) -> bool {
        self.durability() == Durability::Durable
    }

    /// Whether this audience may know of it. Operators know of some alerts, and of the commands that they could have given
    /// themselves; everything else that the arbiter is told or does is for the arbiter alone (Art. 12.6).
    pub fn is_for(&self, audience: Audience) -> bool {
        let least = match self {
            Event::AlertRaised(alert) => alert.audience(),
            Event::Commanded { command, .. } => command.spec().right.role().audience(),
            other => other.audience(),
        };
        least <= audience
    }

    /// Whether players and spectators may know of it. Public events have their own numbers, so that a gap in them reveals nothing.
    pub fn is_public(&self) -> bool {
        self.audience() == Audience::Public
    }
}

/// An event with its time and, if durable, its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StampedEvent {
    /// When it happened, in milliseconds since the recording of this board began.
    #[serde(rename = "t")]
    pub at: Millis,
    /// Counts the durable events of a game from 1; `None` for transient ones.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The event.
    #[serde(flatten, serialize_with = "unknown::serialize_event")]
    pub event: Event,
}
