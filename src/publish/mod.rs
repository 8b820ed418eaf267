//! Faces: each tells the outside in its own words what the hub publishes, and none of them touches a game.

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
mod tags;
mod tls;
pub mod web;
