//! Error replies, as `org.touchmove1.Error.*`.

use crate::daemon::hub::OrderError;
use crate::daemon::journal::JournalError;
use crate::game::command::Refusal;
use crate::publish::pairings::PairingError;

/// An error reply. Its message is a sentence that says what to do.
#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.touchmove1.Error")]
pub enum Error {
    /// The bus failed.
    #[zbus(error)]
    ZBus(zbus::Error),
    /// There is no game for the command.
    NoGame(String),
    /// The game has fewer plies than should be taken back.
    TooManyPlies(String),
    /// No alert with this id is open.
    NoAlert(String),
    /// There is no such ply.
    NoPly(String),
    /// The alert is not about an irregular move.
    NoIrregularMove(String),
    /// The move cannot be replaced or inserted like this.
    BadMove(String),
    /// There is no command that can be undone, or not any more.
    NothingToUndo(String),
    /// There is no such move.
    NoMove(String),
    /// No irregularity is counted for this player and ply.
    NotCounted(String),
    /// The game already is, or is not, paused.
    Paused(String),
    /// There are no such Laws.
    BadLaws(String),
    /// The tag is not valid in PGN.
    BadTag(String),
    /// No round is loaded.
    NoRound(String),
    /// The round is not valid.
    BadRound(String),
    /// There is no such playing table.
    NoTable(String),
    /// The note is too long.
    LongNote(String),
    /// There is no promotion at this ply, or not to this piece.
    NoPromotion(String),
    /// The game is over.
    GameOver(String),
    /// This version does not support it.
    NotYet(String),
    /// A pawn cannot become this piece.
    BadPiece(String),
    /// This is not an irregularity that can be counted.
    BadIrregularity(String),
    /// This is not a kind of claim.
    BadClaim(String),
    /// The player is neither white nor black.
    BadPlayer(String),
    /// The option is unknown or has an invalid value.
    BadOption(String),
    /// The text is not a valid FEN.
    BadPosition(String),
    /// The text is not a result.
    BadResult(String),
    /// A game is in progress on the other board.
    BoardInUse(String),
    /// The board does not show the required position.
    NotPutUp(String),
    /// A game is being played on the board.
    Playing(String),
    /// The board has no lights or beeper to identify itself with, or is not plugged in.
    Unnoticed(String),
    /// There is no such board.
    NoSuchBoard(String),
    /// The game is unknown or no longer loaded.
    NoSuchGame(String),
    /// Another game is on the board now.
    NotCurrent(String),
    /// polkit does not authorize the caller.
    NotAllowed(String),
    /// The journal cannot store the change now.
    JournalFull(String),
    /// The journal cannot be read.
    JournalUnreadable(String),
    /// The number of an event is from another incarnation of the journal.
    OtherIncarnation(String),
    /// The daemon is shutting down.
    Stopping(String),
}

impl From<OrderError> for Error {
    fn from(error: OrderError) -> Error {
        let sentence = error.to_string();
        match error {
            OrderError::Refused(Refusal::NoGame) => Error::NoGame(sentence),
            OrderError::Refused(Refusal::TooManyPlies(_)) => Error::TooManyPlies(sentence),
            OrderError::Refused(Refusal::NoAlert(_)) => Error::NoAlert(sentence),
            OrderError::Refused(Refusal::NothingStands { .. }) => Error::NoIrregularMove(sentence),
            OrderError::Refused(Refusal::NotLegal { .. } | Refusal::SameMove(_) | Refusal::LaterMove { .. }) => {
                Error::BadMove(sentence)
            }
            OrderError::Refused(Refusal::NothingToUndo | Refusal::MovedSince(_)) => Error::NothingToUndo(sentence),
            OrderError::Refused(Refusal::NoPly { .. } | Refusal::NoSuchPly { .. }) => Error::NoPly(sentence),
            OrderError::Refused(Refusal::NoMove(_)) => Error::NoMove(sentence),
            OrderError::Refused(Refusal::NotCounted { .. }) => Error::NotCounted(sentence),
            OrderError::Refused(Refusal::Paused(_)) => Error::Paused(sentence),
            OrderError::Refused(Refusal::LongNote(_)) => Error::LongNote(sentence),
            OrderError::Refused(Refusal::NoPromotion(_) | Refusal::PromotionUnlike(_)) => Error::NoPromotion(sentence),
            OrderError::Refused(Refusal::Over) => Error::GameOver(sentence),
            OrderError::Refused(Refusal::NotYet(_)) => Error::NotYet(sentence),
            OrderError::Refused(Refusal::BadFen(_)) => Error::BadPosition(sentence),
            OrderError::NoSuchBoard(_) => Error::NoSuchBoard(sentence),
            OrderError::NoSuchGame(_) => Error::NoSuchGame(sentence),
            OrderError::NotCurrent { .. } | OrderError::GameReplaced => Error::NotCurrent(sentence),
            OrderError::NoGameToContinue(_) => Error::NoGame(sentence),
            OrderError::BoardInUse { .. } => Error::BoardInUse(sentence),
            OrderError::PositionNotSetUp { .. } => Error::NotPutUp(sentence),
            OrderError::Playing { .. } => Error::Playing(sentence),
            OrderError::CannotIdentify(_) => Error::Unnoticed(sentence),
            OrderError::Unreadable(_) => Error::JournalUnreadable(sentence),
            OrderError::JournalFull(_) => Error::JournalFull(sentence),
            OrderError::Stopping => Error::Stopping(sentence),
        }
    }
}

impl From<PairingError> for Error {
    fn from(error: PairingError) -> Error {
        let sentence = error.to_string();
        match error {
            PairingError::NoRound => Error::NoRound(sentence),
            PairingError::NoTable(_) => Error::NoTable(sentence),
            PairingError::NoSuchBoard(_) => Error::NoSuchBoard(sentence),
            PairingError::BadRound(_) => Error::BadRound(sentence),
            PairingError::BadResult(_) => Error::BadResult(sentence),
            PairingError::WriteFailed(_) => Error::JournalFull(sentence),
        }
    }
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Error {
        Error::JournalUnreadable(error.to_string())
    }
}
