//! Parts that several board families share.

pub(super) mod silence_watchdog;
pub(super) mod streamed;
pub(super) mod wireless;
