//! A virtual board on a pseudo-terminal, in real time.
//!
//! The bytes of a board with a cable are a stream. A board over Bluetooth may send packets instead: its host gets each of them with one
//! read.

use crate::boards::Millis;
use crate::simulate::Simulation;
use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::io::{Errno, ioctl_fionread, read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};
use std::collections::VecDeque;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Prints the path of a pseudo-terminal and serves a board on it, `speed` times as fast as real time. Time begins with the first
/// byte from the host. Returns when the game is over and the host has read everything, unless `stay` is set.
pub fn serve(simulation: Simulation, delivery: Delivery, speed: u32, stay: bool) -> anyhow::Result<()> {
    let mut port = PseudoTerminal::open().context("no pseudo-terminal can be opened")?.with_delivery(delivery);
    println!("{}", port.path());
    std::io::stdout().flush()?;
    port.serve(simulation, speed, stay).context("the pseudo-terminal failed")
}

/// How bytes reach the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// As a stream, as on a cable.
    #[default]
    Stream,
    /// As a stream. The board's time stands still while nobody reads it.
    PatientStream,
    /// One packet with each read. The board's time stands still while a packet is not read.
    Packets,
}

/// A pseudo-terminal: the host opens [`PseudoTerminal::path`] as it would a serial port.
pub struct PseudoTerminal {
    host: OwnedFd,
    /// Held open, so that a host may close and reopen the port.
    slave: OwnedFd,
    path: String,
    delivery: Delivery,
    /// Chunks that the host has not accepted yet.
    outbox: VecDeque<Vec<u8>>,
    /// When the last chunk was sent; `None`: the host has read it.
    unread: Option<Instant>,
    /// When the host had read everything last.
    read_at: Instant,
}

/// The time within which the kernel delivers a chunk: only afterwards is it known whether the host has read it.
const DELIVERY_TIME: Duration = Duration::from_millis(10);
/// How long bytes may stay unread before the board's time stands still.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(1);

impl PseudoTerminal {
    /// Opens a new pseudo-terminal in raw mode.
    pub fn open() -> rustix::io::Result<PseudoTerminal> {
        let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&host)?;
        unlockpt(&host)?;
        let path = ptsname(&host, Vec::new())?;
        let slave = open(&*path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        fcntl_setfl(&host, fcntl_getfl(&host)? | OFlags::NONBLOCK)?;
        let path = path.to_string_lossy().into_owned();
        let (delivery, outbox) = (Delivery::Stream, VecDeque::new());
        Ok(PseudoTerminal { host, slave, path, delivery, outbox, unread: None, read_at: Instant::now() })
    }

    /// Sets how bytes reach the host.
    pub fn with_delivery(self, delivery: Delivery) -> PseudoTerminal {
        PseudoTerminal { delivery, ..self }
    }

    /// Returns the path that the host opens.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Serves a board until the game is over and the host has read everything, or forever if `stay` is set.
    pub fn serve(&mut self, simulation: Simulation, speed: u32, stay: bool) -> rustix::io::Result<()> {
        PtyBoard::new(simulation, speed).serve(self, stay, None, None)
    }

    /// Serves a board until the game is over and the host has read everything, or until `stop` is set.
    pub fn serve_until(&mut self, simulation: Simulation, speed: u32, stop: &AtomicBool) -> rustix::io::Result<()> {
        PtyBoard::new(simulation, speed).serve(self, false, Some(stop), None)
    }

    /// Serves a board until it is unplugged, also after the end of its game.
    pub fn serve_controlled(&mut self, simulation: Simulation, speed: u32, control: &BoardControl) -> rustix::io::Result<()> {
        PtyBoard::new(simulation, speed).serve(self, true, Some(&control.unplug), Some(control))
    }

    /// Waits until the host sends or accepts bytes, but not longer than `longest`.
    fn wait(&self, longest: Option<Duration>) -> rustix::io::Result<()> {
        let must_poll = self.delivery != Delivery::Stream && self.unread.is_some();
        // The kernel does not say when bytes have been read.
        let longest = [longest, must_poll.then_some(DELIVERY_TIME)].into_iter().flatten().min();
        let sends_nothing = self.outbox.is_empty() || self.delivery == Delivery::Packets && self.unread.is_some();
        let events = if sends_nothing { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
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
                // A host opens its port exclusively (TIOCEXCL). A real port forgets that with its last close; this one stays open.
                ioctl_tiocnxcl(&self.slave)?;
                Ok(buffer[..count].to_vec())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self) -> rustix::io::Result<()> {
        while let Some(chunk) = self.outbox.front_mut() {
            if self.delivery == Delivery::Packets && self.unread.is_some() {
                break;
            }
            match write(&self.host, &*chunk) {
                Ok(count) if count < chunk.len() => drop(chunk.drain(..count)),
                Ok(_) => {
                    self.outbox.pop_front();
                    self.unread = Some(Instant::now());
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Looks whether the host has read what was sent.
    fn note_reading(&mut self) -> rustix::io::Result<()> {
        if self.unread.is_some_and(|sent_at| sent_at.elapsed() >= DELIVERY_TIME) && ioctl_fionread(&self.slave)? == 0 {
            self.unread = None;
        }
        if self.unread.is_none() {
            self.read_at = Instant::now();
        }
        Ok(())
    }

    /// Returns whether the host has read everything.
    fn is_read(&self) -> rustix::io::Result<bool> {
        Ok(self.outbox.is_empty() && ioctl_fionread(&self.slave)? == 0)
    }

    /// Returns whether the players wait for a reader.
    fn is_unattended(&self) -> bool {
        self.delivery != Delivery::Stream && self.read_at.elapsed() > UNREAD_TIMEOUT
    }
}

/// What another thread knows of a board that is served, and what it can do to it.
#[derive(Debug, Default)]
pub struct BoardControl {
    unplug: AtomicBool,
    resume: AtomicBool,
    /// One of the constants below.
    state: AtomicU8,
}

/// The game goes on.
const PLAYING: u8 = 0;
/// The players wait for the arbiter.
const WAITING: u8 = 1;
/// The game is over.
const OVER: u8 = 2;

impl BoardControl {
    /// Begins to unplug the board.
    pub fn unplug(&self) {
        self.unplug.store(true, Ordering::Relaxed);
    }

    /// Lets players who wait for the arbiter go on.
    pub fn resume(&self) {
        self.resume.store(true, Ordering::Relaxed);
    }

    /// Returns whether the players wait for the arbiter.
    pub fn is_waiting(&self) -> bool {
        self.state.load(Ordering::Relaxed) == WAITING
    }

    /// Returns whether the game is over.
    pub fn is_over(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OVER
    }

    fn update(&self, simulation: &mut Simulation, now: Millis) {
        if simulation.is_waiting(now) && self.resume.swap(false, Ordering::Relaxed) {
            simulation.resume(now);
        }
        let state = match simulation.is_waiting(now) {
            true => WAITING,
            false if now >= simulation.ends_at() => OVER,
            false => PLAYING,
        };
        self.state.store(state, Ordering::Relaxed);
    }
}

/// Length of the first part of a board's time, which runs at real speed: a host on a busy machine has read the squares before a
/// hand moves the first piece.
const GREETING: Duration = Duration::from_secs(2);

struct PtyBoard {
    simulation: Simulation,
    speed: u32,
    began: Option<Instant>,
    /// How long the players have waited so far, and since when they wait now.
    waited: Duration,
    waits_since: Option<Instant>,
}

/// Interval at which the end polls whether the host has read the rest.
const DRAIN_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Interval at which it is checked whether the board is to be stopped.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Number of polls in a row that must find nothing left to read: the kernel delivers bytes gradually, and a busy machine is slow.
const DRAIN_POLLS: u32 = 10;

impl PtyBoard {
    fn new(simulation: Simulation, speed: u32) -> PtyBoard {
        PtyBoard { simulation, speed: speed.max(1), began: None, waited: Duration::ZERO, waits_since: None }
    }

    fn serve(
        mut self,
        port: &mut PseudoTerminal,
        stay: bool,
        stop: Option<&AtomicBool>,
        control: Option<&BoardControl>,
    ) -> rustix::io::Result<()> {
        let mut idle_polls = 0;
        let longest = stop.map(|_| STOP_POLL_INTERVAL);
        loop {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(());
            }
            port.note_reading()?;
            self.set_waiting(port.is_unattended());
            let now = self.now();
            if let Some(control) = control {
                control.update(&mut self.simulation, now);
            }
            port.outbox.extend(self.simulation.advance(now).into_iter().map(|chunk| chunk.bytes));
            port.send()?;
            let over = !stay && now >= self.simulation.ends_at();
            idle_polls = if over && port.is_read()? { idle_polls + 1 } else { 0 };
            if idle_polls >= DRAIN_POLLS {
                return Ok(());
            }
            let sleep = if over { Some(DRAIN_POLL_INTERVAL) } else { self.sleep() };
            port.wait([sleep, longest].into_iter().flatten().min())?;
            let bytes = port.receive()?;
            if !bytes.is_empty() {
                self.began.get_or_insert_with(Instant::now);
                let now = self.now();
                port.outbox.extend(self.simulation.advance(now).into_iter().map(|chunk| chunk.bytes));
                self.simulation.receive(now, &bytes);
            }
        }
    }

    /// Lets the players wait, or play on.
    fn set_waiting(&mut self, is_waiting: bool) {
        match self.waits_since {
            None if is_waiting => self.waits_since = Some(Instant::now()),
            Some(since) if !is_waiting => {
                self.waited += since.elapsed();
                self.waits_since = None;
            }
            None | Some(_) => {}
        }
    }

    /// Returns the board's own time.
    fn now(&self) -> Millis {
        let elapsed = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        let waits = self.waits_since.map_or(Duration::ZERO, |since| since.elapsed());
        let elapsed = elapsed.saturating_sub(self.waited + waits);
        let greeting = elapsed.min(GREETING);
        (greeting + (elapsed - greeting) * self.speed).as_millis() as Millis
    }

    /// Returns the time until the board acts by itself; `None`: not before the host sends something.
    fn sleep(&self) -> Option<Duration> {
        let began = self.began.filter(|_| self.waits_since.is_none())? + self.waited;
        // A board that stays after the end of its game no longer waits for that end.
        let end = Some(self.simulation.ends_at()).filter(|end| *end > self.now());
        let next = Duration::from_millis(self.simulation.next_event().into_iter().chain(end).min()?);
        let greeting = next.min(GREETING);
        let at = began + greeting + (next - greeting) / self.speed + Duration::from_millis(1);
        Some(at.saturating_duration_since(Instant::now()))
    }
}
