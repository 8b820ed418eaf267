//! The events of a game, in the order in which they are published.

pub use super::alert::{Alert, AlertCategory, AlertKind};
pub use super::facts::{
    Alternative, ClockTime, ClockTimes, CompletedBy, Confidence, CorrectionReason, Difference, Fault, GameResult, PlayedMove,
    ResultReason, Rotation, Sighting,
};

use crate::boards::{Battery, LinkState, Millis, SquareState};
use crate::game::Command;
use shakmaty::{ByColor, Color, Square};

/// An event of a game. *Durable* events are numbered, journalled and then published; the others are only published.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A game began. Always number 1 of its game.
    GameStarted {
        /// The start position.
        fen: String,
        /// Number of the Chess960 start position (518: the usual one); `None` for any other position.
        chess960: Option<u16>,
        /// Edition of the Laws.
        laws: String,
        /// How the board is oriented.
        rotation: Rotation,
    },
    /// A move was made (Art. 4.7). Revisable by evidence.
    MoveMade {
        /// Counts from 1 at the start position.
        ply: u32,
        /// The move.
        played: PlayedMove,
        /// How likely it is to be right.
        confidence: Confidence,
        /// Other possible moves, most likely first; empty if there are none.
        alternatives: Vec<Alternative>,
    },
    /// A move was completed (Art. 6.2.1).
    MoveCompleted {
        /// The ply of the move.
        ply: u32,
        /// What completed it.
        by: CompletedBy,
        /// Both clocks at that moment; the mover's is the first reading after the press.
        clocks: ClockTimes,
    },
    /// The moves replace the whole record from `from_ply` on.
    MovesCorrected {
        /// First ply that changed.
        from_ply: u32,
        /// The whole line from there on; empty when moves were taken back.
        moves: Vec<PlayedMove>,
        /// The reason.
        reason: CorrectionReason,
    },
    /// The mover's clock changed shortly after the press: an increment that came late.
    ClockRevised {
        /// The completed move.
        ply: u32,
        /// Both clocks as they should have been.
        clocks: ClockTimes,
    },
    /// An alert was raised. If its id is that of an open alert, it replaces that one.
    AlertRaised(Alert),
    /// The reason for an alert is gone.
    AlertCleared {
        /// The id of the alert.
        id: u32,
    },
    /// A square of the board does not work properly, or works again. Until then what it shows is discounted.
    BoardFault {
        /// The square, in the game's coordinates.
        square: Square,
        /// The fault.
        fault: Fault,
        /// A sentence for the arbiter.
        detail: String,
    },
    /// The game has a result; `None`: it was withdrawn.
    Result {
        /// The result.
        result: Option<GameResult>,
        /// Where it comes from.
        reason: ResultReason,
    },
    /// A command was carried out.
    Commanded {
        /// The command.
        command: Command,
        /// Who gave it, as the front-end knows them.
        by: String,
    },
    /// A piece was lifted or put down. Transient.
    Touched {
        /// The square, in the game's coordinates.
        square: Square,
        /// What it showed before.
        before: SquareState,
        /// What it shows now.
        now: SquareState,
    },
    /// These squares have differed from the record for longer than a move takes; empty: they agree again. Transient.
    Displaced {
        /// The squares, a1 … h8.
        squares: Vec<Difference>,
    },
    /// The clock reported a change. Transient.
    Clock {
        /// Both times.
        clocks: ClockTimes,
        /// Whose time it is by the lever.
        turn: Color,
        /// Whether it runs.
        running: bool,
        /// Whose flag it shows as fallen (Art. 6.3): the clock's report, not a ruling.
        flags: ByColor<bool>,
        /// The clock's own battery is low.
        battery_low: bool,
    },
    /// The state of the link. Transient.
    Link(LinkState),
    /// The board's battery. Transient.
    Battery(Battery),
}

impl Event {
    /// Whether it is numbered and journalled.
    pub fn is_durable(&self) -> bool {
        !matches!(
            self,
            Event::Touched { .. } | Event::Displaced { .. } | Event::Clock { .. } | Event::Link(_) | Event::Battery(_)
        )
    }

    /// Whether players and spectators may know of it: only what happened on the board, not what the arbiter is alerted of or does
    /// (Art. 12.6). Public events have their own numbers, so that a gap in them reveals nothing.
    pub fn is_public(&self) -> bool {
        matches!(
            self,
            Event::GameStarted { .. }
                | Event::MoveMade { .. }
                | Event::MoveCompleted { .. }
                | Event::MovesCorrected { .. }
                | Event::ClockRevised { .. }
                | Event::Result { .. }
        )
    }
}

/// An event with its time and, if durable, its number.
#[derive(Clone, Debug, PartialEq)]
pub struct StampedEvent {
    /// When it happened, in milliseconds since the recording of this board began.
    pub at: Millis,
    /// Counts the durable events of a game from 1; `None` for transient ones.
    pub number: Option<u64>,
    /// The event.
    pub event: Event,
}
