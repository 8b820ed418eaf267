//! Error replies, as `org.touchmove1.Error.*`.

use crate::daemon::hub::{BluetoothError, OrderError};
use crate::daemon::journal::JournalError;
use crate::daemon::live_config::ChangeError;
use crate::locale::{self, Locale};
use crate::names;
use crate::publish::desk::{ActError, ExportError};
use crate::publish::outcome::order_error;
use crate::publish::web::tokens::TokenError;
use zbus::DBusError;
use zbus::message::{Header, Message};
use zbus::names::ErrorName;

/// Declares the errors of the interfaces themselves, by the last part of their names. All others have a code
/// ([`ErrorCode`](crate::game::ErrorCode)).
macro_rules! errors {
    ($($(#[$about:meta])+ $name:ident,)+) => {
        /// An error reply. Its message is a sentence that says what to do.
        #[derive(Debug, thiserror::Error)]
        pub enum Error {
            /// The bus failed.
            #[error("{0}")]
            ZBus(zbus::Error),
            /// The request was refused, or cannot be carried out.
            #[error("{sentence}")]
            Coded {
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
                    Error::Coded { name, sentence } => Some((name, sentence)),
                    $(Error::$name(sentence) => Some((stringify!($name), sentence)),)+
                }
            }
        }
    };
}

errors! {
    /// No alert with this id is open.
    NoAlert,
    /// There are no such Laws.
    BadLaws,
    /// The text is not a command.
    BadCommand,
    /// The tag is not valid in PGN.
    BadTag,
    /// The round is not loaded.
    NoRound,
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
    /// The game is unknown or no longer loaded.
    NoSuchGame,
    /// polkit does not authorize the caller.
    NotAllowed,
    /// The name of a login is not valid, or is in use.
    BadName,
    /// There is no such role.
    BadRole,
    /// The page is not served.
    NoPage,
    /// The change cannot be stored.
    NotStored,
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
        let sentence = match &error {
            // Callers count plies.
            OrderError::Refused(refusal) => refusal.to_string(),
            other => order_error(Locale::English, other),
        };
        Error::Coded { name: error.code().name(), sentence }
    }
}

impl From<BluetoothError> for Error {
    fn from(error: BluetoothError) -> Error {
        Error::Coded { name: error.code().name(), sentence: locale::sentence(Locale::English, &error.text()) }
    }
}

/// Converts errors with a code whose text is the message.
macro_rules! from_coded_errors {
    ($($error:ty),+) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::Coded { name: error.code().name(), sentence: error.to_string() }
            }
        })+
    };
}

from_coded_errors!(ActError, ExportError, JournalError, TokenError);

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Error {
        let sentence = match &error {
            ChangeError::Unconfirmed(reason) => reason.to_string(),
            other => other.to_string(),
        };
        Error::Coded { name: error.code().name(), sentence }
    }
}
