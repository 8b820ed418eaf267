//! Error replies, as `org.touchmove1.Error.*`.

use crate::config::settings::SettingError;
use crate::daemon::hub::{DeskChangeError, OrderError};
use crate::daemon::journal::JournalError;
use crate::daemon::live_config::ChangeError;
use crate::desk::DeskError;
use crate::locale::Locale;
use crate::names;
use crate::publish::desk::ActError;
use crate::publish::outcome::order_error;
use zbus::DBusError;
use zbus::message::{Header, Message};
use zbus::names::ErrorName;

/// Declares the errors that are no refusals of a command, by the last part of their names.
macro_rules! errors {
    ($($(#[$about:meta])+ $name:ident,)+) => {
        /// An error reply. Its message is a sentence that says what to do.
        #[derive(Debug, thiserror::Error)]
        pub enum Error {
            /// The bus failed.
            #[error("{0}")]
            ZBus(zbus::Error),
            /// The command was refused.
            #[error("{sentence}")]
            Refused {
                /// The last part of the error's name.
                name: &'static str,
                /// The message.
                sentence: String,
            },
            $($(#[$about])+ #[error("{0}")] $name(String),)+
        }

        impl Error {
            /// Returns the last part of the error's name, and its message. `None` if the bus failed.
            fn parts(&self) -> Option<(&'static str, &str)> {
                match self {
                    Error::ZBus(_) => None,
                    Error::Refused { name, sentence } => Some((name, sentence)),
                    $(Error::$name(sentence) => Some((stringify!($name), sentence)),)+
                }
            }
        }
    };
}

errors! {
    /// There is no game for the command.
    NoGame,
    /// No alert with this id is open.
    NoAlert,
    /// There are no such Laws.
    BadLaws,
    /// The text is not a command.
    BadCommand,
    /// The tag is not valid in PGN.
    BadTag,
    /// The text is no act of the desk.
    BadAct,
    /// The round is not loaded.
    NoRound,
    /// The round would not be valid.
    BadRound,
    /// There is no such playing table.
    NoTable,
    /// A pawn cannot become this piece.
    BadPiece,
    /// This is not an irregularity that can be counted.
    BadIrregularity,
    /// This is not a kind of claim.
    BadClaim,
    /// The player is neither white nor black.
    BadPlayer,
    /// The option is unknown or has an invalid value.
    BadOption,
    /// The text is not a result.
    BadResult,
    /// A game is in progress on the other board.
    BoardInUse,
    /// The board does not show the required position.
    NotPutUp,
    /// A game is being played on the board.
    Playing,
    /// The board has no lights or beeper to identify itself with, or is not plugged in.
    Unnoticed,
    /// There is no such board.
    NoSuchBoard,
    /// The game is unknown or no longer loaded.
    NoSuchGame,
    /// Another game is on the board now.
    NotCurrent,
    /// The game has changed in a way that the caller has not seen.
    Changed,
    /// polkit does not authorize the caller.
    NotAllowed,
    /// There is no such key of the configuration.
    NoSuchKey,
    /// The key is not a setting that can be changed at run time, or not to this value.
    BadSetting,
    /// The change must be confirmed.
    Unconfirmed,
    /// The name of a login is not valid, or is in use.
    BadName,
    /// There is no such role.
    BadRole,
    /// The page is not served.
    NoPage,
    /// The change cannot be stored.
    NotStored,
    /// The journal cannot store the change now.
    JournalFull,
    /// The journal cannot be read.
    JournalUnreadable,
    /// The number of an event is from another incarnation of the journal.
    OtherIncarnation,
    /// The daemon is shutting down.
    Stopping,
}

impl DBusError for Error {
    fn create_reply(&self, call: &Header<'_>) -> zbus::Result<Message> {
        Message::error(call, self.name()).build(&self.to_string())
    }

    fn name(&self) -> ErrorName<'_> {
        let bus_failed = ErrorName::from_static_str_unchecked("org.freedesktop.zbus.Error");
        let name = self.parts().map(|(name, _)| ErrorName::try_from(format!("{}.{name}", names::ERROR_PREFIX)));
        name.and_then(Result::ok).unwrap_or(bus_failed)
    }

    fn description(&self) -> Option<&str> {
        self.parts().map(|(_, sentence)| sentence)
    }
}

impl From<OrderError> for Error {
    fn from(error: OrderError) -> Error {
        let sentence = order_error(Locale::English, &error);
        match error {
            OrderError::Refused(refusal) => Error::Refused { name: refusal.error_name(), sentence },
            OrderError::NoSuchBoard(_) => Error::NoSuchBoard(sentence),
            OrderError::NoSuchGame(_) | OrderError::BoardAway { .. } => Error::NoSuchGame(sentence),
            OrderError::NotCurrent { .. } | OrderError::GameReplaced => Error::NotCurrent(sentence),
            OrderError::Changed { .. } => Error::Changed(sentence),
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

impl From<ActError> for Error {
    fn from(error: ActError) -> Error {
        let sentence = error.to_string();
        match error {
            ActError::NotAnAct(_) | ActError::Internal => Error::BadAct(sentence),
            ActError::HasMoves(_) => Error::BadResult(sentence),
            ActError::Game(error) => Error::from(error),
            ActError::Desk(DeskChangeError::NoSuchBoard(_)) => Error::NoSuchBoard(sentence),
            ActError::Desk(DeskChangeError::NotStored(_)) => Error::JournalFull(sentence),
            ActError::Desk(DeskChangeError::Impossible(error)) => match error {
                DeskError::NoRound(_) => Error::NoRound(sentence),
                DeskError::NoPairing { .. } | DeskError::NoSeat(_) | DeskError::TableZero => Error::NoTable(sentence),
                DeskError::SeatedTwice { .. } | DeskError::RoundInPlay(_) | DeskError::BadRound(_) => Error::BadRound(sentence),
            },
        }
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Error {
        let sentence = error.to_string();
        match error {
            ChangeError::Setting(SettingError::UnknownKey { .. }) => Error::NoSuchKey(sentence),
            ChangeError::Setting(_) => Error::BadSetting(sentence),
            ChangeError::Unconfirmed(reason) => Error::Unconfirmed(reason.to_string()),
            ChangeError::WriteFailed { .. } => Error::NotStored(sentence),
        }
    }
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Error {
        Error::JournalUnreadable(error.to_string())
    }
}
