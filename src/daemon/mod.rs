//! I/O around the pure core: link tasks with the only clock, the hub that orders and distributes events, and the journal.

mod alarm;
pub mod calibration;
pub mod discovery;
pub mod gallery;
pub mod hub;
pub mod journal;
pub mod lines;
pub mod links;
pub mod random;
pub mod recorder;
pub mod rounds;
pub mod start_backoff;
pub mod steady;
pub mod unused;
pub mod whole_file;

pub use gallery::{Gallery, Source};
pub use hub::Hub;

/// A task's shutdown signal: `true`, or a closed channel, means that the task must end.
pub type Stop = tokio::sync::watch::Receiver<bool>;

/// Waits until the task must end.
pub async fn stopped(stop: &mut Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}
