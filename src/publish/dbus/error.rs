//! What goes wrong, as `org.touchmove1.Error.*`.

use crate::daemon::hub::OrderError;
use crate::daemon::journal::JournalError;
use crate::game::command::Refused;
use crate::publish::pairings::PairingError;

/// An error reply. Its message is a sentence that says what to do.
#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.touchmove1.Error")]
pub enum Error {
    /// The bus failed.
    #[zbus(error)]
    ZBus(zbus::Error),
    /// There is no game to command.
    NoGame(String),
    /// Not that many moves can be taken back.
    TooManyPlies(String),
    /// No such alert stands.
    NoAlert(String),
    /// There is no such ply.
    NoPly(String),
    /// The alert is about no irregular move.
    NothingStands(String),
    /// That cannot be set right so.
    BadMove(String),
    /// Nothing can be taken back, or not any more.
    NothingToUndo(String),
    /// No such move.
    NoMove(String),
    /// Nothing is counted there.
    NotCounted(String),
    /// The game is paused already, or is not.
    Paused(String),
    /// No such Laws.
    BadLaws(String),
    /// Nothing that can stand in PGN.
    BadTag(String),
    /// No round is loaded.
    NoRound(String),
    /// Something is wrong with a round.
    BadRound(String),
    /// No such table.
    NoTable(String),
    /// A note that is too long.
    LongNote(String),
    /// No promotion there, or not to that piece.
    NoPromotion(String),
    /// The game is over.
    GameOver(String),
    /// This version cannot do it.
    NotYet(String),
    /// Nothing that a pawn becomes.
    BadPiece(String),
    /// Nothing that can be counted.
    BadIrregularity(String),
    /// Nothing that can be claimed.
    BadClaim(String),
    /// Neither white nor black.
    BadPlayer(String),
    /// No option, or not one that it can be.
    BadOption(String),
    /// Not a FEN.
    BadPosition(String),
    /// Not a result.
    BadResult(String),
    /// Somebody plays on that board.
    BoardTaken(String),
    /// Something else stands on that board.
    NotPutUp(String),
    /// A game is played on that board.
    Playing(String),
    /// The board has nothing to show itself with.
    Unnoticed(String),
    /// There is no such board.
    NoSuchBoard(String),
    /// There is no such game at hand.
    NoSuchGame(String),
    /// Another game is on the board by now.
    NotCurrent(String),
    /// polkit does not let the caller do that.
    NotAllowed(String),
    /// The journal cannot take what would happen.
    JournalFull(String),
    /// The journal cannot be read.
    JournalUnreadable(String),
    /// The number of an event is from another incarnation of the journal.
    OtherIncarnation(String),
    /// The daemon is going down.
    Stopping(String),
}

impl From<OrderError> for Error {
    fn from(error: OrderError) -> Error {
        let sentence = error.to_string();
        match error {
            OrderError::Refused(Refused::NoGame) => Error::NoGame(sentence),
            OrderError::Refused(Refused::TooManyPlies(_)) => Error::TooManyPlies(sentence),
            OrderError::Refused(Refused::NoAlert(_)) => Error::NoAlert(sentence),
            OrderError::Refused(Refused::NothingStands { .. }) => Error::NothingStands(sentence),
            OrderError::Refused(Refused::NotLegal { .. } | Refused::SameMove(_) | Refused::LaterMove { .. }) => {
                Error::BadMove(sentence)
            }
            OrderError::Refused(Refused::NothingToUndo | Refused::MovedSince(_)) => Error::NothingToUndo(sentence),
            OrderError::Refused(Refused::NoPly { .. } | Refused::NoSuchPly { .. }) => Error::NoPly(sentence),
            OrderError::Refused(Refused::NoMove(_)) => Error::NoMove(sentence),
            OrderError::Refused(Refused::NotCounted { .. }) => Error::NotCounted(sentence),
            OrderError::Refused(Refused::Paused(_)) => Error::Paused(sentence),
            OrderError::Refused(Refused::LongNote(_)) => Error::LongNote(sentence),
            OrderError::Refused(Refused::NoPromotion(_) | Refused::PromotionUnlike(_)) => Error::NoPromotion(sentence),
            OrderError::Refused(Refused::Over) => Error::GameOver(sentence),
            OrderError::Refused(Refused::NotYet(_)) => Error::NotYet(sentence),
            OrderError::Refused(Refused::BadFen(_)) => Error::BadPosition(sentence),
            OrderError::NoSuchBoard(_) => Error::NoSuchBoard(sentence),
            OrderError::NoSuchGame(_) => Error::NoSuchGame(sentence),
            OrderError::NotCurrent { .. } | OrderError::Overtaken => Error::NotCurrent(sentence),
            OrderError::NothingPlayed(_) => Error::NoGame(sentence),
            OrderError::Taken { .. } => Error::BoardTaken(sentence),
            OrderError::NotPutUp { .. } => Error::NotPutUp(sentence),
            OrderError::Playing { .. } => Error::Playing(sentence),
            OrderError::Unnoticed(_) => Error::Unnoticed(sentence),
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
            PairingError::NotKept(_) => Error::JournalFull(sentence),
        }
    }
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Error {
        Error::JournalUnreadable(error.to_string())
    }
}
