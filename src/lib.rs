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
pub mod config;
pub mod ctl;
pub mod daemon;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod game;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod infer;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod laws;
pub mod link;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod locale;
pub mod names;
pub mod publish;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod round;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod sense;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod simulate;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod table;
pub mod wire;
