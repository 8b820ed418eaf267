//! Shared parts of the boards that send all their squares again and again as lines of text: Certabo, Tabutronic and self-built reed
//! boards.

pub(in crate::boards) mod board;
mod damaged_line;
pub(in crate::boards) mod lights;
pub(in crate::boards) mod line;
pub(in crate::boards) mod voter;
