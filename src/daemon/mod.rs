//! I/O around the pure core: link tasks with the only clock, the hub that orders and distributes events, and the journal.

mod alarm;
pub mod atomic_file;
pub mod bluetooth_search;
pub mod calibration;
pub mod delayed_view;
mod desk_file;
pub mod discovery;
pub mod hub;
pub mod journal;
pub mod links;
pub mod live_config;
pub mod random;
pub mod recorder;
pub mod rounds;
pub mod setup_lines;
pub mod source;
pub mod start_backoff;
pub mod steady_clock;
pub mod unused_devices;

pub use delayed_view::DelayedView;
pub use hub::Hub;
pub use live_config::LiveConfig;
pub use source::Source;

/// A task's shutdown signal: `true`, or a closed channel, means that the task must end.
pub type Stop = tokio::sync::watch::Receiver<bool>;

/// Waits until the task must end.
pub async fn wait_for_stop(stop: &mut Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}
