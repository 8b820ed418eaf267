//! The events of a game, in the order in which they are published.

use crate::boards::{Battery, LinkState, Millis, SquareState};
use crate::game::{Command, Text};
use crate::laws::{Irregularity, NULL_UCI, RulingAction};
use shakmaty::{ByColor, Color, Square};

/// A probability in thousandths, 0–1000. An integer, so that every machine computes the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(pub u16);

impl Confidence {
    /// No doubt within the resolution.
    pub const CERTAIN: Confidence = Confidence(1000);
}

/// A move as it is published: as text, so that it can be read without a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// UCI: `e2e4`, `e7e8q`; castling `e1g1`, in Chess960 king takes rook; `0000` where moves are missing.
    pub uci: String,
    /// Standard algebraic notation with check and mate signs (FIDE Laws, Appendix C); `Ke1-e3` if the move was illegal; `--` where
    /// moves are missing.
    pub san: String,
    /// The position after the move. The player who made the move is the one not to move here.
    pub fen: String,
    /// The move is illegal in the position before it, or moves are missing: what the board showed. Castling is then written as king
    /// takes rook in `uci`.
    pub irregular: bool,
    /// The evidence for an irregular move, oldest first, at most [`PlayedMove::EVIDENCE`]: the last edges, and how the squares of the
    /// move came to show their current state. Empty for other moves.
    pub evidence: Vec<Sighting>,
}

impl PlayedMove {
    /// Maximum number of edges kept as evidence for a move: the last ones.
    pub const EVIDENCE: usize = 32;

    /// Whether it represents missing moves: they were not seen, and play continued from the position after it.
    pub fn is_missing(&self) -> bool {
        self.uci == NULL_UCI
    }

    /// Returns who made the move: the player not to move in the position after it. `None` if `fen` does not say.
    pub fn mover(&self) -> Option<Color> {
        match self.fen.split(' ').nth(1)? {
            "b" => Some(Color::White),
            "w" => Some(Color::Black),
            _ => None,
        }
    }
}

/// A change of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// When it was seen, in milliseconds since the recording of this board began.
    pub at: Millis,
    /// The square, in the game's coordinates.
    pub square: Square,
    /// What it showed before; if that was not seen, what the record had there.
    pub before: SquareState,
    /// What it showed then.
    pub now: SquareState,
}

/// Another move that would explain what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The move in UCI.
    pub uci: String,
    /// How likely it is.
    pub confidence: Confidence,
}

/// One player's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockTime {
    /// Milliseconds left.
    pub ms: u32,
    /// The finest step it could have, in milliseconds.
    pub resolution_ms: u32,
    /// How long before the event the clock reported it, in milliseconds.
    pub age_ms: u32,
}

/// Both players' times; `None` where no clock is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockTimes {
    /// White's time.
    pub white: Option<ClockTime>,
    /// Black's time.
    pub black: Option<ClockTime>,
}

/// What completed a move (Art. 6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletedBy {
    /// The clock was pressed (6.2.1).
    Clock,
    /// The move ended the game (6.2.1.1).
    GameEnd,
    /// The same player made their next move (6.2.1.2).
    OwnNextMove,
    /// The opponent replied. Our convention where there is no clock.
    Reply,
    /// The board did not change for the dwell time. Our convention where there is no clock.
    Dwell,
    /// The arbiter's decision.
    Arbiter,
}

/// Why published moves changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrectionReason {
    /// Later readings are explained better by another move.
    Evidence,
    /// The players took moves back.
    Takeback,
    /// What looked like a king's move was half of a result signal.
    KingSignal,
    /// The moves were analysis after the game.
    Analysis,
    /// The arbiter corrected the record.
    Arbiter,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// 1-0
    WhiteWins,
    /// 0-1
    BlackWins,
    /// 1/2-1/2
    Draw,
}

impl GameResult {
    /// Returns the result as in PGN.
    pub fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }

    /// Parses `1-0`, `0-1`, `1/2-1/2`; `None` for anything else, `*` included.
    pub fn parse(text: &str) -> Option<GameResult> {
        [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw].into_iter().find(|result| result.as_str() == text)
    }
}

/// Where a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultReason {
    /// 5.1.1
    Checkmate,
    /// 5.2.1
    Stalemate,
    /// Both kings were put on the centre squares.
    KingsSignal,
    /// The arbiter's decision.
    Arbiter,
}

/// The kinds of alert. The list is the same in JSON, on D-Bus and on the web page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertKind {
    /// The board has shown for a while a position that no line of play from the record explains.
    PositionUnexplained,
    /// The game began from something other than the start position (7.2.1).
    WrongStart,
    /// The board is turned the wrong way (7.2.2).
    Orientation,
    /// The kings signal a result that the arbiter must confirm; or the position ends the game, and the result waits for a ruling on
    /// the move that led there.
    ResultSignalled,
    /// Moves were not seen one by one, and other lines would explain the board as well as the one on record.
    MovesUncertain,
    /// The clock is stopped and moves are made as in analysis: play seems to be over, and there is no result.
    ResultWanted,
    /// An illegal move is on the board, and the clock was not pressed on it: its player may still correct it.
    IllegalPending,
    /// An illegal move was completed by the clock (7.5.1, 7.5.2), or play continued after it.
    IllegalMove,
    /// An illegal move remains in force by the Laws for this kind of game (A.5.2).
    IllegalStands,
    /// Both kings are in check, or a pawn is on the last rank, and play goes on (A.5.4).
    IllegalPosition,
    /// The clock was pressed without a move (7.5.3).
    PressWithoutMove,
    /// The clock was pressed with the piece still in the hand (6.2.4).
    PressBeforeRelease,
    /// Pieces were out of place when a player pressed the clock (7.4).
    Displaced,
    /// Pieces were found out of place moves later (7.6).
    DisplacedFound,
    /// A captured piece seems to be beside its square (4.7.1, 7.4).
    CaptureUnclear,
    /// Notice: a move other than the touched pieces allow (4.3, 4.4).
    TouchMove,
    /// Notice: an opponent's piece that can be captured was touched (4.3.2).
    TouchCapture,
    /// Notice: a piece was moved to a neighbouring square and put back, and another one was moved (4.2, 4.3).
    PossibleTouch,
    /// Notice: a move was changed after the piece was released (4.7).
    ReleaseChanged,
    /// Notice: a piece other than the one that touched the square of promotion was used (4.4.4).
    PromotionChanged,
    /// Notice: pieces were handled in the opponent's time (4.2.1, 6.2.5).
    HandledOffTurn,
    /// Neither player can mate any more (5.2.2).
    DeadPosition,
    /// The same position occurred for the fifth time (9.6.1).
    FiveFold,
    /// Seventy-five moves were made without a capture or a pawn move (9.6.2).
    SeventyFive,
    /// Notice: the clock shows that a flag has fallen. This is the clock's report, not a ruling (6.8, 6.9).
    FlagFall,
    /// The board is silent.
    BoardSilent,
    /// The link is lost.
    LinkLost,
    /// The clock is stopped.
    ClockStopped,
    /// Notice: the clock was set; both its times before and after (6.10, 6.14).
    ClockSet,
    /// The clock is disconnected.
    ClockLost,
    /// The clock's battery is low.
    ClockBattery,
    /// The board's battery is low.
    BoardBattery,
    /// The game has a result on record, and play goes on.
    PlayedAfterEnd,
}

/// The category of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertCategory {
    /// What a player did by moving or pressing.
    Play,
    /// What is on the board.
    Board,
    /// What the hands touched.
    Touch,
    /// The end of the game.
    End,
    /// Boards, clocks, cables.
    Device,
}

impl AlertKind {
    /// Returns the category.
    pub fn category(self) -> AlertCategory {
        use AlertKind::{
            BoardBattery, BoardSilent, CaptureUnclear, ClockBattery, ClockLost, ClockSet, ClockStopped, DeadPosition,
            Displaced, DisplacedFound, FiveFold, FlagFall, HandledOffTurn, IllegalMove, IllegalPending, IllegalPosition,
            IllegalStands, LinkLost, MovesUncertain, Orientation, PlayedAfterEnd, PositionUnexplained, PossibleTouch,
            PressBeforeRelease, PressWithoutMove, PromotionChanged, ReleaseChanged, ResultSignalled, ResultWanted, SeventyFive,
            TouchCapture, TouchMove, WrongStart,
        };
        match self {
            IllegalPending | IllegalMove | IllegalStands | IllegalPosition | PressWithoutMove | PressBeforeRelease => {
                AlertCategory::Play
            }
            PositionUnexplained | WrongStart | Orientation | MovesUncertain | Displaced | DisplacedFound | CaptureUnclear => {
                AlertCategory::Board
            }
            TouchMove | TouchCapture | PossibleTouch | ReleaseChanged | PromotionChanged | HandledOffTurn => {
                AlertCategory::Touch
            }
            ResultSignalled | ResultWanted | DeadPosition | FiveFold | SeventyFive | FlagFall | PlayedAfterEnd => {
                AlertCategory::End
            }
            BoardSilent | LinkLost | ClockStopped | ClockSet | ClockLost | ClockBattery | BoardBattery => AlertCategory::Device,
        }
    }

    /// Returns the irregularity that an alert of this kind counts, if it counts.
    pub fn irregularity(self) -> Irregularity {
        match self {
            AlertKind::PressWithoutMove => Irregularity::PressWithoutMove,
            _ => Irregularity::IllegalMove,
        }
    }

    /// Whether the alert is only a notice. What a sensor saw may mean nothing: intent cannot be sensed (4.2.2), and the arbiter
    /// decides whether to look at it.
    pub fn is_notice(self) -> bool {
        use AlertKind::{BoardBattery, ClockBattery, ClockSet, ClockStopped, FlagFall, IllegalPending};
        let notices = [IllegalPending, FlagFall, ClockStopped, ClockSet, ClockBattery, BoardBattery];
        self.category() == AlertCategory::Touch || notices.contains(&self)
    }
}

/// A report of something that the arbiter should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// Counts from 1 in each game.
    pub id: u32,
    /// The kind of alert.
    pub kind: AlertKind,
    /// The ply it concerns; 0 before the first move.
    pub ply: u32,
    /// The player concerned, if known.
    pub by: Option<Color>,
    /// The articles of the edition in force, the most important first; empty if none applies.
    pub articles: Vec<String>,
    /// The squares concerned.
    pub squares: Vec<Square>,
    /// The message.
    pub text: Text,
    /// The position to restore, as FEN: the last one that was certainly right.
    pub position: String,
    /// What both clocks showed when that position was completed.
    pub clocks: ClockTimes,
    /// What the Laws then require, in this order; empty if they leave it open.
    pub required: Vec<RulingAction>,
    /// The moves that the touched pieces allow in that position, in UCI; empty if that does not apply.
    pub allowed: Vec<String>,
    /// Which of this player's counted irregularities in this game it is, from 1 (7.5.5); `None`: it does not count.
    pub count: Option<u32>,
    /// The observed changes, oldest first, at most [`PlayedMove::EVIDENCE`].
    pub evidence: Vec<Sighting>,
}

impl Alert {
    /// Whether it is about what was played or touched, and applies as long as that is on record.
    pub fn is_about_moves(&self) -> bool {
        matches!(self.kind.category(), AlertCategory::Play | AlertCategory::Touch)
            && !matches!(self.kind, AlertKind::IllegalPending | AlertKind::IllegalPosition | AlertKind::PressWithoutMove)
    }
}

/// A fault of a square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It always shows the same.
    Stuck,
    /// It changes without being touched.
    Flickering,
    /// It works again.
    Mended,
}

/// How the board is oriented: on which side its nominal a1 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// As the maker intended (DGT: connector on White's left).
    Upright,
    /// Turned by 180 degrees.
    Turned,
}

impl Rotation {
    /// Returns the opposite orientation.
    pub fn other(self) -> Rotation {
        match self {
            Rotation::Upright => Rotation::Turned,
            Rotation::Turned => Rotation::Upright,
        }
    }

    /// Converts a square of the board to the game's coordinates, and vice versa.
    pub fn apply(self, square: Square) -> Square {
        match self {
            Rotation::Upright => square,
            Rotation::Turned => square.rotate_180(),
        }
    }
}

/// A square that does not show what the record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The square, in the game's coordinates.
    pub square: Square,
    /// What should be there.
    pub expected: Option<shakmaty::Piece>,
    /// What the square shows.
    pub seen: SquareState,
}

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
