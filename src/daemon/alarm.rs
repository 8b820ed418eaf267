//! A timer that wakes its task once per deadline.
//!
//! The runtime's own timer splits a sleep of ten seconds into three and wakes once more whenever a nearer deadline is set. These
//! wake-ups would be most of the cost of an idle board.

use rustix::io::read;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A timer for a deadline that changes often.
pub(super) struct Alarm {
    /// `None`: the kernel provides no timer, e.g. when all descriptors are in use; the runtime's timer is used then.
    timer: Option<AsyncFd<OwnedFd>>,
    set: Option<Instant>,
}

impl Alarm {
    /// Creates the timer. Must be called inside a tokio runtime with I/O.
    pub(super) fn new() -> Alarm {
        let create = || -> io::Result<AsyncFd<OwnedFd>> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            // The replacement is `unsafe`: its caller must know that the descriptor stays the same, as it does here.
            #[allow(deprecated)]
            AsyncFd::with_interest(timer, Interest::READABLE)
        };
        Alarm { timer: create().ok(), set: None }
    }

    /// Waits for the deadline; forever if there is none. Cancel safe.
    pub(super) async fn wait_until(&mut self, deadline: Option<Instant>) {
        let Some(deadline) = deadline else { return std::future::pending().await };
        if self.wait_for_timer(deadline).await.is_err() {
            self.timer = None;
            tokio::time::sleep_until(deadline.into()).await;
        }
        self.set = None;
    }

    async fn wait_for_timer(&mut self, deadline: Instant) -> io::Result<()> {
        let Some(timer) = &self.timer else { return Err(io::ErrorKind::Unsupported.into()) };
        if self.set != Some(deadline) {
            let remaining = deadline.saturating_duration_since(Instant::now());
            // A zero value would disarm the timer.
            let value = Timespec { tv_sec: remaining.as_secs() as i64, tv_nsec: i64::from(remaining.subsec_nanos()).max(1) };
            let timer_spec = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
            timerfd_settime(timer, TimerfdTimerFlags::empty(), &timer_spec)?;
            self.set = Some(deadline);
        }
        // If the timer expired before it was set again, there is nothing to read.
        timer.async_io(Interest::READABLE, |timer| Ok(read(timer, &mut [0; 8])?)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn it_fires_at_the_last_deadline_set_and_not_before() {
        let mut alarm = Alarm::new();
        let began = Instant::now();
        let ms = |ms| Some(began + Duration::from_millis(ms));
        assert!(tokio::time::timeout(Duration::from_millis(1), alarm.wait_until(ms(3_600_000))).await.is_err());
        alarm.wait_until(ms(40)).await;
        assert!(began.elapsed() >= Duration::from_millis(40));
        alarm.wait_until(ms(1)).await;
        alarm.wait_until(ms(60)).await;
        assert!(began.elapsed() >= Duration::from_millis(60));
    }

    #[tokio::test]
    async fn it_also_fires_without_a_timerfd() {
        let mut alarm = Alarm { timer: None, set: None };
        let began = Instant::now();
        alarm.wait_until(Some(began + Duration::from_millis(5))).await;
        assert!(began.elapsed() >= Duration::from_millis(5));
    }
}
