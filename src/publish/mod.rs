//! Front-ends: each publishes the hub's events in its own format. A front-end never changes a game.

pub mod client;
pub mod dbus;
pub mod files;
mod guests;
pub mod headers;
pub mod hooks;
pub mod lichess;
pub mod livechess;
pub mod metrics;
pub mod origin;
mod pairings;
pub mod request;
mod stable_id;
mod tags;
mod tls;
pub mod web;
