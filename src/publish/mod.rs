//! Front-ends: each publishes the hub's events in its own format. A front-end never changes a game.
//!
//! A front-end has its own file or folder here, with a type that implements [`FrontEnd`], and one line in [`FRONT_ENDS`].

pub mod client;
pub mod dbus;
pub mod desk;
mod engine_files;
pub mod files;
pub mod front_end;
pub mod front_end_states;
pub mod hooks;
pub mod http;
pub mod lichess;
pub mod livechess;
pub mod metrics;
mod outcome;
mod program;
mod public;
pub mod render;
pub mod static_site;
mod tags;
pub mod web;

pub use front_end::FrontEnd;

/// The front-ends of a hub that stands by: for those who look after it.
pub const STANDBY_FRONT_ENDS: &[&dyn FrontEnd] = &[&dbus::DbusFrontEnd(dbus::Stream::Live), &metrics::MetricsFrontEnd];

/// All front-ends, in the order in which they are started.
pub const FRONT_ENDS: &[&dyn FrontEnd] = &[
    &dbus::DbusFrontEnd(dbus::Stream::Live),
    &dbus::DbusFrontEnd(dbus::Stream::Operator),
    &dbus::DbusFrontEnd(dbus::Stream::Broadcast),
    &files::FilesFrontEnd,
    &static_site::StaticSiteFrontEnd,
    &metrics::MetricsFrontEnd,
    &lichess::LichessFrontEnd,
    &hooks::HooksFrontEnd,
    &livechess::LiveChessFrontEnd,
    &web::WebFrontEnd,
];
