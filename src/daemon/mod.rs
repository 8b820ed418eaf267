//! The shell around the core: links with the only clock, order, the journal.

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

/// Where a task hears that it has to end: `true`, or the other end is gone.
pub type Stop = tokio::sync::watch::Receiver<bool>;

/// Returns when the task has to end.
pub async fn stopped(stop: &mut Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}
