//! Handshakes over the Nordic UART service, each harmless to the boards of all makers that use it.
//!
//! A name can be wrong, and the commands of one maker mean something else to the board of another: `RP` of iChessOne contains `52`,
//! which ends the game on a ChessUp and belongs to the commands of a DGT board that write its memory. Therefore a board that was
//! found by its name, not by a configured address, is sent nothing but the request below until the reply confirms the model.
//!
//! | written | to its own board | to the others |
//! |---|---|---|
//! | nothing | Certabo and Tabutronic send lines all the time | nothing |
//! | 42 | Pegasus: all fields, `7f` each before it has received the key | no command |
//! | 67 | ChessUp: its state | no command |
//! | 34 23 2a | Square Off: its battery | no command; a ChessUp reads `23` as an acknowledgement of nothing |
//!
//! iChessOne has no such request: every request of its protocol contains a byte that is harmful elsewhere. It has to be configured
//! by its address. Before anything is written, lines of a Certabo are waited for: it would take bytes for lights.

use super::super::protocol::Millis;

/// How a model over the Nordic UART service is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// The name of the model ([`crate::boards::Model::name`]).
    pub model: &'static str,
    /// What is written once; empty: nothing, the board sends unrequested.
    pub write: &'static [u8],
    /// The confirming reply begins with one of these, at the beginning of a notification.
    pub replies: &'static [&'static [u8]],
    /// Time within which the reply arrives, in milliseconds.
    pub timeout: Millis,
}

impl Handshake {
    /// Returns whether a notification confirms the model.
    pub fn is_confirmed_by(&self, notification: &[u8]) -> bool {
        self.replies.iter().any(|reply| notification.starts_with(reply))
    }
}

/// The handshakes, in the order in which they are tried if several models are possible.
pub static HANDSHAKES: &[Handshake] = &[
    Handshake { model: "certabo", write: &[], replies: LINE, timeout: 2_000 },
    Handshake { model: "cerno", write: &[], replies: LINE, timeout: 2_000 },
    Handshake { model: "sentio", write: &[], replies: LINE, timeout: 2_000 },
    Handshake { model: "pegasus", write: &[0x42], replies: &[&[0x86, 0x00, 0x43]], timeout: 2_000 },
    Handshake { model: "chessup", write: &[0x67], replies: &[&[0x67]], timeout: 2_000 },
    Handshake { model: "square-off", write: b"4#*", replies: &[b"22#"], timeout: 2_000 },
];

/// The beginning of a line of squares. A notification may be cut anywhere: a line begins within half a second.
const LINE: &[&[u8]] = &[b":"];

/// Returns the handshake of this model; `None` if it has none and must be configured by its address, or needs none.
pub fn handshake(model: &str) -> Option<&'static Handshake> {
    HANDSHAKES.iter().find(|handshake| handshake.model == model)
}
