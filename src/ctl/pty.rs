//! A virtual board on a pseudo-terminal, in real time.

use crate::boards::Millis;
use crate::simulate::Stage;
use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::io::{Errno, ioctl_fionread, read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};
use std::collections::VecDeque;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Prints the path of a serial port and is a board on it, `speed` times as fast as real. Time begins with the first byte that
/// a host sends. Returns when the game is over and the host has read all, unless it is to stay.
pub fn serve(stage: Stage, speed: u32, stay: bool) -> anyhow::Result<()> {
    let mut port = Port::open().context("no pseudo-terminal can be had")?;
    println!("{}", port.path());
    std::io::stdout().flush()?;
    port.serve(stage, speed, stay).context("the pseudo-terminal broke")
}

/// A pseudo-terminal: the host opens [`Port::path`] as it would a serial port.
pub struct Port {
    host: OwnedFd,
    /// Held open, so that a host may come and go.
    slave: OwnedFd,
    path: String,
    /// What the host has not taken yet.
    outbox: VecDeque<u8>,
}

impl Port {
    /// A fresh one, raw.
    pub fn open() -> rustix::io::Result<Port> {
        let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&host)?;
        unlockpt(&host)?;
        let path = ptsname(&host, Vec::new())?;
        let slave = open(&*path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        fcntl_setfl(&host, fcntl_getfl(&host)? | OFlags::NONBLOCK)?;
        Ok(Port { host, slave, path: path.to_string_lossy().into_owned(), outbox: VecDeque::new() })
    }

    /// What the host opens.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Is a board until the game is over and the host has read all, or for ever.
    pub fn serve(&mut self, stage: Stage, speed: u32, stay: bool) -> rustix::io::Result<()> {
        Board { stage, speed: speed.max(1), began: None }.serve(self, stay)
    }

    /// Waits for the host to send, or to take what it was sent, but not longer than this.
    fn wait(&self, longest: Option<Duration>) -> rustix::io::Result<()> {
        let events = if self.outbox.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let timeout =
            longest.map(|longest| Timespec { tv_sec: longest.as_secs() as i64, tv_nsec: i64::from(longest.subsec_nanos()) });
        match poll(&mut [PollFd::new(&self.host, events)], timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn receive(&self) -> rustix::io::Result<Vec<u8>> {
        let mut buffer = [0; 256];
        match read(&self.host, &mut buffer) {
            Ok(count) => {
                // A host wants its port for itself (TIOCEXCL); a real one forgets that with its last close, this one stays open.
                ioctl_tiocnxcl(&self.slave)?;
                Ok(buffer[..count].to_vec())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self) -> rustix::io::Result<()> {
        while !self.outbox.is_empty() {
            match write(&self.host, self.outbox.make_contiguous()) {
                Ok(count) => drop(self.outbox.drain(..count)),
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether the host has read everything.
    fn is_read(&self) -> rustix::io::Result<bool> {
        Ok(self.outbox.is_empty() && ioctl_fionread(&self.slave)? == 0)
    }
}

struct Board {
    stage: Stage,
    speed: u32,
    began: Option<Instant>,
}

/// How often to look whether the host has read the rest.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// So often nothing was left to read: the kernel hands bytes over by and by, and a busy machine takes its time.
const LOOKS: u32 = 10;

impl Board {
    fn serve(mut self, port: &mut Port, stay: bool) -> rustix::io::Result<()> {
        let mut looks = 0;
        loop {
            let now = self.now();
            port.outbox.extend(self.stage.advance(now).into_iter().flat_map(|chunk| chunk.bytes));
            port.send()?;
            let over = !stay && now >= self.stage.ends_at();
            looks = if over && port.is_read()? { looks + 1 } else { 0 };
            if looks >= LOOKS {
                return Ok(());
            }
            port.wait(if over { Some(LOOK_AGAIN) } else { self.sleep() })?;
            let bytes = port.receive()?;
            if !bytes.is_empty() {
                self.began.get_or_insert_with(Instant::now);
                let now = self.now();
                port.outbox.extend(self.stage.advance(now).into_iter().flat_map(|chunk| chunk.bytes));
                self.stage.receive(now, &bytes);
            }
        }
    }

    /// The board's own time.
    fn now(&self) -> Millis {
        self.began.map_or(0, |began| began.elapsed().as_millis() as Millis * Millis::from(self.speed))
    }

    /// Until the board does something by itself; `None`: not before the host says something.
    fn sleep(&self) -> Option<Duration> {
        let began = self.began?;
        let next = self.stage.next_event()?.min(self.stage.ends_at());
        let at = began + Duration::from_micros(next * 1000 / u64::from(self.speed) + 1000);
        Some(at.saturating_duration_since(Instant::now()))
    }
}
