//! The hall: many machines with boards, whose games one of them, the hub, shows. They exchange messages through a NATS server at the
//! hub.
//!
//! The journal of each machine is its outbox: [`machine`] sends what the stream of the hall lacks, and [`receiver`] takes it into the
//! hub's journal and state, where a board of another machine is a board like any other. docs/hall-protocol.md describes the messages.

pub mod connection;
pub mod finding;
pub mod machine;
pub mod message;
pub mod outbox;
pub mod receiver;
pub mod role;
pub mod service;
pub mod setup;
pub mod subject;
