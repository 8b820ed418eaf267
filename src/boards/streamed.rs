//! Shared parts of the boards that send all their squares again and again as lines of text: Certabo, Tabutronic and self-built reed
//! boards.

pub(super) mod board;
mod damaged_line;
pub(super) mod lights;
pub(super) mod line;
pub(super) mod voter;
