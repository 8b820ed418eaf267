//! A timer that wakes its task once.
//!
//! The runtime's own cuts a sleep of ten seconds into three, and wakes once more whenever a nearer deadline is set: most of what
//! an idle board would cost.

use rustix::io::read;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Tells when a deadline has come that moves all the time.
pub(super) struct Alarm {
    /// `None`: the kernel gives no timer, as when all descriptors are in use; then the runtime's has to do.
    timer: Option<AsyncFd<OwnedFd>>,
    set: Option<Instant>,
}

impl Alarm {
    /// Must be called inside a tokio runtime with I/O.
    pub fn new() -> Alarm {
        let create = || -> io::Result<AsyncFd<OwnedFd>> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            // Its successor is `unsafe`: whoever calls it must know that the descriptor stays, as this one does.
            #[allow(deprecated)]
            AsyncFd::with_interest(timer, Interest::READABLE)
        };
        Alarm { timer: create().ok(), set: None }
    }

    /// Returns when it is so late; never, if there is no such time. Loses nothing when cancelled.
    pub async fn at(&mut self, deadline: Option<Instant>) {
        let Some(deadline) = deadline else { return std::future::pending().await };
        if self.ring(deadline).await.is_err() {
            self.timer = None;
            tokio::time::sleep_until(deadline.into()).await;
        }
        self.set = None;
    }

    async fn ring(&mut self, deadline: Instant) -> io::Result<()> {
        let Some(timer) = &self.timer else { return Err(io::ErrorKind::Unsupported.into()) };
        if self.set != Some(deadline) {
            let left = deadline.saturating_duration_since(Instant::now());
            // Nothing left would mean: no alarm.
            let value = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()).max(1) };
            let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
            timerfd_settime(timer, TimerfdTimerFlags::empty(), &once)?;
            self.set = Some(deadline);
        }
        // An alarm that rang before it was set anew leaves nothing to read.
        timer.async_io(Interest::READABLE, |timer| Ok(read(timer, &mut [0; 8])?)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn it_rings_at_the_last_deadline_set_and_not_before() {
        let mut alarm = Alarm::new();
        let began = Instant::now();
        let ms = |ms| Some(began + Duration::from_millis(ms));
        assert!(tokio::time::timeout(Duration::from_millis(1), alarm.at(ms(3_600_000))).await.is_err());
        alarm.at(ms(40)).await;
        assert!(began.elapsed() >= Duration::from_millis(40));
        alarm.at(ms(1)).await;
        alarm.at(ms(60)).await;
        assert!(began.elapsed() >= Duration::from_millis(60));
    }

    #[tokio::test]
    async fn without_the_kernels_timer_it_rings_too() {
        let mut alarm = Alarm { timer: None, set: None };
        let began = Instant::now();
        alarm.at(Some(began + Duration::from_millis(5))).await;
        assert!(began.elapsed() >= Duration::from_millis(5));
    }
}
