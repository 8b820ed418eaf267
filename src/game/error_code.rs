//! What programs read of an error that is reported to clients: front-ends derive their errors from it, D-Bus from the name, HTTP
//! from the class.

/// The class of an error, with its name for programs, such as `NoGame`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The request is not valid, whatever the state.
    Invalid(&'static str),
    /// The request is for an object that does not exist.
    Unknown(&'static str),
    /// The request cannot be carried out in the present state.
    Conflict(&'static str),
    /// The request is carried out once somebody confirms it.
    Unconfirmed(&'static str),
    /// The state has changed since the client read it.
    Stale(&'static str),
    /// touchmoved cannot carry out the request now.
    Unavailable(&'static str),
}

impl ErrorCode {
    /// Returns the name for programs.
    pub fn name(self) -> &'static str {
        match self {
            ErrorCode::Invalid(name)
            | ErrorCode::Unknown(name)
            | ErrorCode::Conflict(name)
            | ErrorCode::Unconfirmed(name)
            | ErrorCode::Stale(name)
            | ErrorCode::Unavailable(name) => name,
        }
    }
}
