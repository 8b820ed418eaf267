//! Tests of what touchmoved publishes, as clients receive it: D-Bus, web pages, LiveChess, Lichess, files, hooks, metrics.

pub(crate) mod bindings;
pub(crate) mod browser;
pub(crate) mod dbus;
pub(crate) mod delay;
pub(crate) mod files;
pub(crate) mod hooks;
pub(crate) mod isolation;
pub(crate) mod lichess;
pub(crate) mod livechess;
pub(crate) mod metrics;
pub(crate) mod polkit;
pub(crate) mod resources;
pub(crate) mod rights;
pub(crate) mod round_day;
pub(crate) mod settings;
pub(crate) mod static_site;
pub(crate) mod strangers;
pub(crate) mod web;
