//! A virtual board, with faults on its line.

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

/// Bytes that wait for a host that does not read; a real line would have lost what is over.
const BUFFERED: usize = 4096;
/// The simulation is looked at no less often than this.
pub const TICK: Duration = Duration::from_millis(4);

/// What connects a board to the daemon.
pub trait Cable: Send {
    /// Plugs the board in or pulls it out, or leaves it so. Returns whether anything changed.
    fn set_plugged(&mut self, plugged: bool) -> bool;
    /// Sends bytes to the daemon.
    fn send(&mut self, bytes: &[u8]);
    /// Writes what waits and reads what came, waiting at most a tick.
    fn exchange(&mut self) -> Vec<u8>;
}

/// The thread that is the board.
pub struct Line {
    began_ms: Arc<AtomicU64>,
    epoch: Instant,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    /// A board that the host opens at `path`. Its time begins with the first byte that a host sends.
    pub fn open(path: &Path, stage: Simulation, schedule: &Schedule) -> Line {
        let terminal = Terminal { path: path.to_owned(), port: None, outbox: VecDeque::new() };
        let line = Line::start(terminal, stage, schedule);
        while !path.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        line
    }

    /// A board on this cable. Its time begins with the first byte that a host sends, or with [`Line::begin`].
    pub fn start(cable: impl Cable + 'static, stage: Simulation, schedule: &Schedule) -> Line {
        let (began_ms, stop, epoch) = (Arc::new(AtomicU64::new(0)), Arc::<AtomicBool>::default(), Instant::now());
        let mut board = Board {
            cable: Box::new(cable),
            stage,
            speed: schedule.speed.into(),
            faults: schedule.faults.clone(),
            rng: Rng::new(schedule.number, 0x11e),
            is_dgt: schedule.model == "dgt",
            partial: Vec::new(),
            streamed: 0,
            late: VecDeque::new(),
            last_dump: Vec::new(),
        };
        let (began, stopped) = (Arc::clone(&began_ms), Arc::clone(&stop));
        let thread = std::thread::spawn(move || board.serve(epoch, &began, &stopped));
        Line { began_ms, epoch, stop, thread: Some(thread) }
    }

    /// Begins the board's time now, where the cable does not pass on what a host sends.
    pub fn begin(&self) {
        let now = self.epoch.elapsed().as_millis() as u64;
        let _ = self.began_ms.compare_exchange(0, now.max(1), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Real milliseconds since the board's time began; `None` before that.
    pub fn now(&self) -> Option<u64> {
        let began = self.began_ms.load(Ordering::Relaxed);
        (began > 0).then(|| self.epoch.elapsed().as_millis() as u64 - began)
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

/// A pseudo-terminal under a name that stays.
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
            self.port = None;
            let _ = std::fs::remove_file(&self.path);
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
    stage: Simulation,
    speed: u64,
    faults: Vec<Fault>,
    rng: Rng,
    is_dgt: bool,
    /// The beginning of a DGT message.
    partial: Vec<u8>,
    /// So many bytes of a message that goes out as it comes are still to come.
    streamed: usize,
    /// Messages that are held until later, in real milliseconds.
    late: VecDeque<(u64, Vec<u8>)>,
    /// The last whole-board message that was on the line.
    last_dump: Vec<u8>,
}

impl Board {
    fn serve(&mut self, epoch: Instant, began: &AtomicU64, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let real = epoch.elapsed().as_millis() as u64;
            let start = began.load(Ordering::Relaxed);
            let now = if start > 0 { real.saturating_sub(start) } else { 0 };
            let out = start > 0 && self.active(now).any(|kind| kind == FaultKind::Unplugged);
            if self.cable.set_plugged(!out) && out {
                self.partial.clear();
                self.streamed = 0;
            }
            if start > 0 {
                let chunks = self.stage.advance(now * self.speed);
                for chunk in chunks {
                    self.pass(now, &chunk.bytes);
                }
                while let Some((_, bytes)) = self.late.pop_front_if(|(due, _)| *due <= now) {
                    self.send(now, &bytes);
                }
            }
            let bytes = self.cable.exchange();
            if !bytes.is_empty() {
                if start == 0 {
                    began.store(real.max(1), Ordering::Relaxed);
                }
                self.stage.receive(now * self.speed, &bytes);
            }
        }
        self.cable.set_plugged(false);
    }

    fn active(&self, now: u64) -> impl Iterator<Item = FaultKind> {
        self.faults.iter().filter(move |fault| (fault.from..fault.until).contains(&now)).map(|fault| fault.kind)
    }

    /// Bytes leave the board: whole messages of a DGT board are changed as the faults say. A memory takes seconds on the line, and
    /// goes out as it comes where nothing is wrong with it.
    fn pass(&mut self, now: u64, bytes: &[u8]) {
        if !self.is_dgt {
            return self.send(now, bytes);
        }
        self.partial.extend_from_slice(bytes);
        // The rest of a message whose beginning went nowhere, when the cable was out.
        let rest = if self.streamed == 0 { self.partial.iter().take_while(|byte| **byte < 0x80).count() } else { 0 };
        let rest: Vec<u8> = self.partial.drain(..rest).collect();
        self.send(now, &rest);
        if self.streamed == 0
            && let [0x8f, high, low, ..] = self.partial[..]
            && !self.active(now).any(|kind| matches!(kind, FaultKind::Memory(_)))
        {
            self.streamed = usize::from(high) << 7 | usize::from(low);
        }
        if self.streamed > 0 {
            let bytes: Vec<u8> = self.partial.drain(..self.streamed.min(self.partial.len())).collect();
            self.streamed -= bytes.len();
            self.send(now, &bytes);
            if self.streamed > 0 {
                return;
            }
        }
        while let [_, high, low, ..] = self.partial[..] {
            let length = (usize::from(high) << 7 | usize::from(low)).max(3);
            if self.partial.len() < length {
                return;
            }
            let message: Vec<u8> = self.partial.drain(..length).collect();
            self.message(now, message);
        }
    }

    fn message(&mut self, now: u64, mut message: Vec<u8>) {
        let answer = self.active(now).find_map(|kind| match (message[0], kind) {
            (0x86, FaultKind::Dumps(answer)) | (0x8f, FaultKind::Memory(answer)) => Some(answer),
            _ => None,
        });
        let unplugged = self.active(now).any(|kind| kind == FaultKind::ClockUnplugged);
        if message[0] == 0x8d && unplugged {
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
                self.late.push_back((now + 700, message));
            }
            Some(Answer::Late(ms)) => self.late.push_back((now + ms, message)),
            Some(Answer::Doubled) => {
                self.send(now, &message);
                self.late.push_back((now + 300, message));
            }
        }
    }

    /// Bytes enter the cable.
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

/// The same memory without what was noted last: about five moves.
fn older_memory(message: &[u8]) -> Vec<u8> {
    const MISSING: usize = 40;
    let (head, log) = message.split_at(3);
    let end = log.len().saturating_sub(MISSING + 1);
    // The ring keeps its size: older entries come before.
    let mut older = vec![0x7f; MISSING];
    older.extend_from_slice(&log[..end]);
    older.push(0x6b);
    [head, &older].concat()
}
