//! A virtual board with faults on its cable.

use super::schedule::{Answer, Fault, FaultKind, Schedule};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use touchmove::simulate::Simulation;
use touchmove::simulate::rng::Rng;

/// The buffer size for a host that does not read; a real cable would have lost all further bytes.
const BUFFERED: usize = 4096;
/// The longest time between two steps of the simulation.
pub const TICK: Duration = Duration::from_millis(4);

/// A gap between two steps after which the board was not there for the daemon: this machine was too busy.
const STALL: Duration = Duration::from_millis(500);

/// The connection between a board and the daemon.
pub trait Cable: Send {
    /// Plugs the board in or unplugs it, if it is not so already. Returns whether anything changed.
    fn set_plugged(&mut self, plugged: bool) -> bool;
    /// Sends bytes to the daemon.
    fn send(&mut self, bytes: &[u8]);
    /// Writes pending bytes and reads received ones, waiting at most one tick.
    fn exchange(&mut self) -> Vec<u8>;
}

/// The board's thread.
pub struct Line {
    began_ms: Arc<AtomicU64>,
    /// When the last stall ended, in milliseconds after `epoch`.
    stalled_until: Arc<AtomicU64>,
    epoch: Instant,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    /// Starts a board that the host opens at `path`. Its time begins with the first byte that a host sends.
    pub fn open(path: &Path, simulation: Simulation, schedule: &Schedule) -> Line {
        let terminal = Terminal { path: path.to_owned(), port: None, outbox: VecDeque::new() };
        let line = Line::start(terminal, simulation, schedule);
        while !path.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        line
    }

    /// Starts a board on this cable. Its time begins with the first byte that a host sends, or with [`Line::begin`].
    pub fn start(cable: impl Cable + 'static, simulation: Simulation, schedule: &Schedule) -> Line {
        let (began_ms, stop, epoch) = (Arc::new(AtomicU64::new(0)), Arc::<AtomicBool>::default(), Instant::now());
        let mut board = Board {
            cable: Box::new(cable),
            simulation,
            speed: schedule.speed.into(),
            faults: schedule.faults.clone(),
            rng: Rng::new(schedule.number, 0x11e),
            is_dgt: schedule.model == "dgt",
            partial: Vec::new(),
            remaining_streamed: 0,
            delayed: VecDeque::new(),
            last_dump: Vec::new(),
        };
        let stalled_until = Arc::new(AtomicU64::new(0));
        let (began, stalled, stopped) = (Arc::clone(&began_ms), Arc::clone(&stalled_until), Arc::clone(&stop));
        let thread = std::thread::spawn(move || board.serve(epoch, &began, &stalled, &stopped));
        Line { began_ms, stalled_until, epoch, stop, thread: Some(thread) }
    }

    /// Begins the board's time now, for a cable that does not pass on the host's bytes.
    pub fn begin(&self) {
        let now = self.epoch.elapsed().as_millis() as u64;
        let _ = self.began_ms.compare_exchange(0, now.max(1), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Real milliseconds since the board's time began; `None` before that.
    pub fn now(&self) -> Option<u64> {
        let began = self.began_ms.load(Ordering::Relaxed);
        (began > 0).then(|| self.epoch.elapsed().as_millis() as u64 - began)
    }

    /// Returns how long the board has run without a stall.
    pub fn steady(&self) -> Duration {
        self.epoch.elapsed().saturating_sub(Duration::from_millis(self.stalled_until.load(Ordering::Relaxed)))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Port {
    host: OwnedFd,
    slave: OwnedFd,
}

impl Port {
    fn open(path: &Path) -> rustix::io::Result<Port> {
        let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&host)?;
        unlockpt(&host)?;
        let name = ptsname(&host, Vec::new())?;
        let slave = open(&*name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        fcntl_setfl(&host, fcntl_getfl(&host)? | OFlags::NONBLOCK)?;
        let _ = std::fs::remove_file(path);
        symlink(name.to_string_lossy().as_ref(), path).expect("a link in a directory of our own");
        Ok(Port { host, slave })
    }
}

/// A pseudo-terminal with a stable path.
struct Terminal {
    path: PathBuf,
    port: Option<Port>,
    outbox: VecDeque<u8>,
}

impl Cable for Terminal {
    fn set_plugged(&mut self, plugged: bool) -> bool {
        if plugged == self.port.is_some() {
            return false;
        }
        if plugged {
            self.port = Port::open(&self.path).ok();
        } else {
            // First the path: the number of a closed port may soon be that of a port of another test.
            let _ = std::fs::remove_file(&self.path);
            self.port = None;
            self.outbox.clear();
        }
        true
    }

    fn send(&mut self, bytes: &[u8]) {
        self.outbox.extend(bytes);
    }

    fn exchange(&mut self) -> Vec<u8> {
        let Some(port) = &self.port else {
            std::thread::sleep(TICK);
            return Vec::new();
        };
        while !self.outbox.is_empty() {
            match rustix::io::write(&port.host, self.outbox.make_contiguous()) {
                Ok(count) => drop(self.outbox.drain(..count)),
                Err(_) => break,
            }
        }
        self.outbox.truncate(BUFFERED);
        let timeout = Timespec { tv_sec: 0, tv_nsec: TICK.as_nanos() as i64 };
        let _ = poll(&mut [PollFd::new(&port.host, PollFlags::IN)], Some(&timeout));
        let mut buffer = [0; 256];
        let Ok(count) = rustix::io::read(&port.host, &mut buffer) else { return Vec::new() };
        let _ = ioctl_tiocnxcl(&port.slave);
        buffer[..count].to_vec()
    }
}

struct Board {
    cable: Box<dyn Cable>,
    simulation: Simulation,
    speed: u64,
    faults: Vec<Fault>,
    rng: Rng,
    is_dgt: bool,
    /// The beginning of a DGT message.
    partial: Vec<u8>,
    /// The number of bytes still to come of a message that is passed on as it arrives.
    remaining_streamed: usize,
    /// Delayed messages, with the times at which they are sent, in real milliseconds.
    delayed: VecDeque<(u64, Vec<u8>)>,
    /// The last dump that was sent.
    last_dump: Vec<u8>,
}

impl Board {
    fn serve(&mut self, epoch: Instant, began: &AtomicU64, stalled_until: &AtomicU64, stop: &AtomicBool) {
        let mut last_step = epoch.elapsed();
        while !stop.load(Ordering::Relaxed) {
            let step = epoch.elapsed();
            let real = step.as_millis() as u64;
            if step - std::mem::replace(&mut last_step, step) > STALL {
                stalled_until.store(real, Ordering::Relaxed);
            }
            let start = began.load(Ordering::Relaxed);
            let now = if start > 0 { real.saturating_sub(start) } else { 0 };
            let is_unplugged = start > 0 && self.active(now).any(|kind| kind == FaultKind::Unplugged);
            if self.cable.set_plugged(!is_unplugged) && is_unplugged {
                self.partial.clear();
                self.remaining_streamed = 0;
            }
            if start > 0 {
                let chunks = self.simulation.advance(now * self.speed);
                for chunk in chunks {
                    self.pass_on(now, &chunk.bytes);
                }
                while let Some((_, bytes)) = self.delayed.pop_front_if(|(due, _)| *due <= now) {
                    self.send(now, &bytes);
                }
            }
            let bytes = self.cable.exchange();
            if !bytes.is_empty() {
                if start == 0 {
                    began.store(real.max(1), Ordering::Relaxed);
                }
                self.simulation.receive(now * self.speed, &bytes);
            }
        }
        self.cable.set_plugged(false);
    }

    fn active(&self, now: u64) -> impl Iterator<Item = FaultKind> {
        self.faults.iter().filter(move |fault| (fault.from..fault.until).contains(&now)).map(|fault| fault.kind)
    }

    /// Passes bytes of the board on: complete messages of a DGT board are changed by the faults. A memory takes seconds, and is
    /// passed on as it arrives if no fault affects it.
    fn pass_on(&mut self, now: u64, bytes: &[u8]) {
        if !self.is_dgt {
            return self.send(now, bytes);
        }
        self.partial.extend_from_slice(bytes);
        // The rest of a message whose beginning was lost while the cable was unplugged.
        let rest = if self.remaining_streamed == 0 { self.partial.iter().take_while(|byte| **byte < 0x80).count() } else { 0 };
        let rest: Vec<u8> = self.partial.drain(..rest).collect();
        self.send(now, &rest);
        if self.remaining_streamed == 0
            && let [0x8f, high, low, ..] = self.partial[..]
            && !self.active(now).any(|kind| matches!(kind, FaultKind::Memory(_)))
        {
            self.remaining_streamed = usize::from(high) << 7 | usize::from(low);
        }
        if self.remaining_streamed > 0 {
            let bytes: Vec<u8> = self.partial.drain(..self.remaining_streamed.min(self.partial.len())).collect();
            self.remaining_streamed -= bytes.len();
            self.send(now, &bytes);
            if self.remaining_streamed > 0 {
                return;
            }
        }
        while let [_, high, low, ..] = self.partial[..] {
            let length = (usize::from(high) << 7 | usize::from(low)).max(3);
            if self.partial.len() < length {
                return;
            }
            let message: Vec<u8> = self.partial.drain(..length).collect();
            self.pass_message(now, message);
        }
    }

    fn pass_message(&mut self, now: u64, mut message: Vec<u8>) {
        let answer = self.active(now).find_map(|kind| match (message[0], kind) {
            (0x86, FaultKind::Dumps(answer)) | (0x8f, FaultKind::Memory(answer)) => Some(answer),
            _ => None,
        });
        let clock_unplugged = self.active(now).any(|kind| kind == FaultKind::ClockUnplugged);
        if message[0] == 0x8d && clock_unplugged {
            message[3..].fill(0);
            if let Some(status) = message.last_mut() {
                *status = 0x20;
            }
        }
        let stale = match message[0] {
            0x86 => Some(std::mem::replace(&mut self.last_dump, message.clone())).filter(|dump| !dump.is_empty()),
            0x8f => Some(older_memory(&message)),
            _ => None,
        };
        match answer {
            None => self.send(now, &message),
            Some(Answer::Missing) => {}
            Some(Answer::Stale) => {
                let stale = stale.unwrap_or(message);
                if stale[0] == 0x86 {
                    self.last_dump = stale.clone();
                }
                self.send(now, &stale);
            }
            Some(Answer::StaleFirst) => {
                if let Some(stale) = stale {
                    self.send(now, &stale);
                }
                self.delayed.push_back((now + 700, message));
            }
            Some(Answer::Late(ms)) => self.delayed.push_back((now + ms, message)),
            Some(Answer::Doubled) => {
                self.send(now, &message);
                self.delayed.push_back((now + 300, message));
            }
        }
    }

    /// Sends bytes over the cable, damaged if there is such a fault.
    fn send(&mut self, now: u64, bytes: &[u8]) {
        let per_mille =
            self.active(now).filter_map(|kind| if let FaultKind::Damaged(rate) = kind { Some(rate) } else { None }).max();
        let Some(rate) = per_mille else { return self.cable.send(bytes) };
        let mut damaged = Vec::new();
        for &byte in bytes {
            match self.rng.chance(rate).then(|| self.rng.below(3)) {
                None => damaged.push(byte),
                Some(0) => {}
                Some(1) => damaged.push(byte ^ (1 << self.rng.below(8))),
                Some(_) => damaged.extend([byte, byte]),
            }
        }
        self.cable.send(&damaged);
    }
}

/// The same memory without its newest entries: about five moves.
fn older_memory(message: &[u8]) -> Vec<u8> {
    const MISSING: usize = 40;
    let (head, log) = message.split_at(3);
    let end = log.len().saturating_sub(MISSING + 1);
    // The ring buffer keeps its size: older entries precede the others.
    let mut older = vec![0x7f; MISSING];
    older.extend_from_slice(&log[..end]);
    older.push(0x6b);
    [head, &older].concat()
}
