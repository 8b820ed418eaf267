//! touchmove: turns the bytes of an electronic chessboard into a published game; each step knows only the steps before it.
//!
//! ```text
//!                  ┌─────────────────── table (pure: one board, one game) ───────────────────┐
//! udev ─▶ link ─bytes▶ boards ─Reading▶ sense ─Edge▶ infer ◀─asks─▶ laws   game ─Event▶ │─▶ hub ─▶ journal ─▶ publish/*
//!           ▲          │                                                                 │
//!           └─ bytes ◀─┘◀── board command ◀──────────────────────────────────────────────┘◀── Command: arbiter, player
//! ```
//!
//! The modules in reading order:
#![forbid(unsafe_code)]
#![warn(missing_docs)]

// The modules with `deny` are pure: no I/O, no clock, no order that differs between runs. clippy.toml lists what they may not use.
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod boards;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod game;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod infer;
pub mod lab;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod laws;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod locale;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod round;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod sense;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod simulate;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod table;
pub mod wire;

pub use shakmaty;

// The daemon and touchmovectl.
#[cfg(feature = "daemon")]
pub mod config;
#[cfg(feature = "daemon")]
pub mod ctl;
#[cfg(feature = "daemon")]
pub mod daemon;
#[cfg(feature = "daemon")]
pub mod link;
#[cfg(feature = "daemon")]
pub mod names;
#[cfg(feature = "daemon")]
pub mod publish;
