//! touchmove turns the bytes of an electronic chessboard into a published game.
//!
//! ```text
//!                  ┌─────────────────── table (pure: one board, one game) ───────────────────┐
//! udev ─▶ link ─bytes▶ boards ─Reading▶ sense ─Edge▶ infer ◀──────▶ laws   game ─Event▶ │─▶ hub ─▶ journal ─▶ publish/*
//!           ▲          │                                                                 │
//!           └─ bytes ◀─┘◀─── BoardCommand ◀──────────────────────────────────────────────┘◀── Command: arbiter, player
//! ```
//!
//! # The core
//!
//! [`boards`], [`sense`], [`laws`], [`infer`], [`game`], [`table`], [`simulate`], [`round`], [`locale`], [`wire`] and [`lab`] do no
//! I/O and read no clock: bytes and the time in milliseconds go in; events, bytes to send and the next deadline come out. They build
//! alone with `default-features = false`, without C code or system packages. Everything else belongs to the daemon and touchmovectl
//! (feature `daemon`, on by default; `gpio`: reed switches on the computer's own lines).
//!
//! Two examples show the core at work: `examples/follow.rs` follows a board on a port, and `examples/laws.rs` applies the Laws to a
//! move.
//!
//! A board is a [`boards::Model`] with a [`boards::Protocol`]; a [`table::Table`] turns its readings into moves:
//!
//! ```
//! use touchmove::boards::{self, LinkState, Reading, SquareState};
//! use touchmove::game::Event;
//! use touchmove::laws::{Changes, Position};
//! use touchmove::table::{Input, Settings, Table};
//!
//! let mut table = Table::new(Settings::default());
//! let mut events = table.handle(0, Input::Link(LinkState::Up)).events;
//! // The start position is on the board …
//! let start = Position::start();
//! let mut placement = [SquareState::Empty; 64];
//! for (square, piece) in start.board().iter() {
//!     placement[square as usize] = SquareState::Piece(piece);
//! }
//! events.extend(table.handle(0, Input::Reading(Reading::Placement(Box::new(placement)))).events);
//! // … and White plays 1. e4.
//! let mv = start.parse_uci("e2e4").unwrap();
//! for (square, piece) in Changes::of(start.turn(), mv).iter() {
//!     let state = piece.map_or(SquareState::Empty, SquareState::Piece);
//!     events.extend(table.handle(5_000, Input::Reading(Reading::Square(square, state))).events);
//! }
//! events.extend(table.advance(6_000).events);
//! assert!(events.iter().any(|stamped| matches!(&stamped.event, Event::MoveMade { played, .. } if played.san == "e4")));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

// The modules with `deny` are pure: no I/O, no clock, no order that differs between runs. clippy.toml lists what they may not use.
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod boards;
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod desk;
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
#[deny(clippy::disallowed_methods, clippy::disallowed_types)]
pub mod wiring_test;

pub use shakmaty;

// The daemon and touchmovectl.
#[cfg(feature = "daemon")]
pub mod config;
#[cfg(feature = "daemon")]
pub mod ctl;
#[cfg(feature = "daemon")]
pub mod daemon;
#[cfg(feature = "daemon")]
pub mod hall;
#[cfg(feature = "daemon")]
pub mod link;
#[cfg(feature = "daemon")]
pub mod names;
#[cfg(feature = "daemon")]
pub mod publish;
