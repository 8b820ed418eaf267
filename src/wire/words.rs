//! The words that represent values in JSON, on D-Bus and in the configuration.

use crate::boards::{LinkState, SensorKind, SquareState};
use crate::game::event::{AlertCategory, Rotation};
use crate::game::pgn::AfterIllegal;
use crate::game::{AlertKind, CompletedBy, CorrectionReason, Fault, GameResult, ResultReason};
use crate::laws::draws::ClaimKind;
use crate::laws::reason::MovedBefore;
use crate::table::{LightsMode, Publish};
use shakmaty::{Color, Piece, Role};

/// A closed set of words with the same meaning in JSON, on D-Bus and in the configuration.
pub trait Word: Sized + Copy + 'static {
    /// All words that [`from_word`](Word::from_word) accepts, each with its value.
    const WORDS: &'static [(&'static str, Self)];
    /// Returns the word for this value.
    fn word(self) -> &'static str;
    /// Returns the value for a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

/// Defines one table of words for each type; a variant without a word does not compile.
macro_rules! words {
    ($($type:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl Word for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $type::$variant)),+];
            fn word(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }
        }
    )+};
}

words! {
    Color { White = "white", Black = "black" }
    Rotation { Upright = "upright", Turned = "turned" }
    LinkState { Up = "up", Down = "down" }
    SensorKind { Identity = "identity", Colour = "colour", Occupancy = "occupancy" }
    GameResult { WhiteWins = "1-0", BlackWins = "0-1", Draw = "1/2-1/2" }
    CompletedBy {
        Clock = "clock", GameEnd = "game_end", OwnNextMove = "own_next_move", Reply = "reply", Dwell = "dwell",
        Arbiter = "arbiter",
    }
    CorrectionReason {
        Evidence = "evidence", Takeback = "takeback", KingSignal = "king_signal", Analysis = "analysis", Arbiter = "arbiter",
    }
    ResultReason {
        Checkmate = "checkmate", Stalemate = "stalemate", KingsSignal = "kings_signal", Arbiter = "arbiter",
    }
    AfterIllegal { Stop = "stop", Fen = "fen", End = "end" }
    Fault { Stuck = "stuck", Flickering = "flickering", Mended = "mended" }
    AlertCategory { Play = "play", Board = "board", Touch = "touch", End = "end", Device = "device" }
    Publish { Prompt = "prompt", Sure = "sure" }
    LightsMode { Off = "off", Displaced = "displaced", Moves = "moves" }
    AlertKind {
        PositionUnexplained = "position_unexplained", WrongStart = "wrong_start", Orientation = "orientation",
        ResultSignalled = "result_signalled", MovesUncertain = "moves_uncertain", ResultWanted = "result_wanted",
        IllegalPending = "illegal_pending", IllegalMove = "illegal_move", IllegalStands = "illegal_stands",
        IllegalPosition = "illegal_position", PressWithoutMove = "press_without_move",
        PressBeforeRelease = "press_before_release", Displaced = "displaced", DisplacedFound = "displaced_found",
        CaptureUnclear = "capture_unclear", TouchMove = "touch_move", TouchCapture = "touch_capture",
        PossibleTouch = "possible_touch", ReleaseChanged = "release_changed", PromotionChanged = "promotion_changed",
        HandledOffTurn = "handled_off_turn", DeadPosition = "dead_position", FiveFold = "five_fold",
        SeventyFive = "seventy_five", FlagFall = "flag_fall", BoardSilent = "board_silent", LinkLost = "link_lost",
        ClockStopped = "clock_stopped", ClockSet = "clock_set", ClockLost = "clock_lost", ClockBattery = "clock_battery",
        BoardBattery = "board_battery", PlayedAfterEnd = "played_after_end",
    }
    ClaimKind { Repetition = "repetition", FiftyMoves = "fifty_moves" }
    MovedBefore { King = "king", Rook = "rook", Either = "either" }
}

/// The promotion pieces. King and pawn have a word for output, too, but are not accepted as input.
impl Word for Role {
    const WORDS: &'static [(&'static str, Role)] =
        &[("queen", Role::Queen), ("rook", Role::Rook), ("bishop", Role::Bishop), ("knight", Role::Knight)];
    fn word(self) -> &'static str {
        match self {
            Role::Queen => "queen",
            Role::Rook => "rook",
            Role::Bishop => "bishop",
            Role::Knight => "knight",
            Role::King => "king",
            Role::Pawn => "pawn",
        }
    }
}

/// Returns the word for the state of a square: `empty`, a piece as in FEN (`K` … `p`), `white`, `black` or `occupied`.
pub fn sensed_to_word(sensed: SquareState) -> String {
    match sensed {
        SquareState::Empty => "empty".to_owned(),
        SquareState::Piece(piece) => piece.char().to_string(),
        SquareState::Side(color) => color.word().to_owned(),
        SquareState::Occupied => "occupied".to_owned(),
    }
}

/// Parses the output of [`sensed_to_word`].
pub fn sensed_from_word(word: &str) -> Option<SquareState> {
    match word {
        "empty" => Some(SquareState::Empty),
        "occupied" => Some(SquareState::Occupied),
        _ => match Color::from_word(word) {
            Some(color) => Some(SquareState::Side(color)),
            None => {
                let mut letters = word.chars();
                let piece = Piece::from_char(letters.next()?)?;
                letters.next().is_none().then_some(SquareState::Piece(piece))
            }
        },
    }
}
