//! When a DGT board is requested to send what: greeting, link test, dumps, the memory and the serial number.

use super::commands::{COMMAND_PAUSE, Command, GREETING};
use super::{BYTE_TIMEOUT, Dgt, MIN_REPAIR_INTERVAL, REPLY_TIMEOUT};
use crate::boards::{Millis, Reading};

/// Time after which a dump that came before the first request was sent is accepted, if no other has arrived, in milliseconds. A
/// dump takes 70 ms.
const EARLY_DUMP_TIMEOUT: Millis = 300;
/// Maximum number of requests for the memory, until it arrives complete.
pub(super) const MEMORY_ATTEMPTS: u32 = 2;
/// Interval at which an unanswered request for the serial number is repeated, in milliseconds, and maximum number of repetitions:
/// some old boards choke on the request.
pub(super) const SERIAL_NUMBER_RETRY: (Millis, u32) = (5_000, 2);

/// A download of the memory that is in progress.
#[derive(Clone, Copy)]
pub(super) struct MemoryDownload {
    /// Number of requests so far.
    pub tries: u32,
    /// Number of bytes received so far.
    pub bytes: usize,
    /// Time of the last progress, or else of the request.
    pub progress_at: Millis,
    /// Whether a memory was already arriving when this one was requested: that one answers another program's request.
    pub is_foreign: bool,
}

/// The state of the request for a dump.
#[derive(Clone, Copy, Default)]
pub(super) enum DumpRequest {
    #[default]
    Idle,
    /// A dump is needed. It is to be requested when the line is idle, but not before this time.
    Scheduled(Millis),
    /// A dump was requested at this time.
    Requested(Millis),
}

impl Dgt {
    /// Returns the time until which a dump that came before the first request was sent waits for a requested one.
    pub(super) fn early_until(&self) -> Option<Millis> {
        self.dump_requested_at
            .filter(|_| !self.has_dump && self.squares.unconfirmed.is_some())
            .map(|at| at + EARLY_DUMP_TIMEOUT)
    }

    /// Accepts the early dump once this time has passed.
    pub(super) fn accept_early_dump(&mut self, now: Millis) {
        if self.early_until().is_some_and(|until| until <= now) {
            (self.has_dump, self.squares.shown) = (true, self.squares.unconfirmed.take());
            self.readings.extend(self.squares.shown.clone().map(Reading::Placement));
        }
    }

    /// Returns the time until which an arriving message keeps the line busy: no request is due and no reply is overdue until then.
    pub(super) fn busy_until(&self) -> Option<Millis> {
        match self.download {
            Some(download) => Some(download.progress_at + REPLY_TIMEOUT),
            None if self.decoder.memory() > 0 => Some(self.last_received_at + REPLY_TIMEOUT),
            None => self.decoder.is_inside().then_some(self.last_received_at + BYTE_TIMEOUT),
        }
    }

    /// Whether nothing is awaited, unfinished or due.
    pub(super) fn is_idle(&self, now: Millis) -> bool {
        let is_awaited = self.unanswered_since.is_some() || self.download.is_some() || self.squares.unconfirmed.is_some();
        let is_retry_due = self.serial_number_retry.is_some_and(|(at, left)| left > 0 && at <= now);
        let is_due = is_retry_due || self.battery_at.is_some_and(|at| at <= now);
        let is_requested = !matches!(self.dump, DumpRequest::Idle);
        self.up && self.has_dump && !is_requested && !is_awaited && !is_due && !self.decoder.is_inside()
    }

    pub(super) fn request_memory(&mut self, now: Millis, tries: u32) {
        let progress_at = self.send(now, Command::Memory);
        let bytes = self.decoder.memory();
        self.download = Some(MemoryDownload { tries, bytes, progress_at, is_foreign: bytes > 0 });
    }

    /// Repeats the request for the serial number when due: the reply to the first one may have been lost.
    pub(super) fn retry_serial_number(&mut self, now: Millis) {
        if let Some((at, remaining @ 1..)) = self.serial_number_retry
            && self.up
            && self.has_dump
            && self.busy_until().is_none()
            && at <= now
        {
            self.serial_number_retry = Some((now + SERIAL_NUMBER_RETRY.0, remaining - 1));
            self.send(now, Command::SerialNumber);
        }
    }

    pub(super) fn send(&mut self, now: Millis, command: Command) -> Millis {
        self.commands.push(now, command, COMMAND_PAUSE)
    }

    pub(super) fn greet(&mut self, now: Millis, pause: Millis) {
        for command in GREETING {
            match command {
                Command::Reset | Command::UpdateNice => _ = self.commands.push(now, command, pause),
                Command::Board => self.request_dump(now),
                _ => _ = self.send(now, command),
            }
        }
    }

    /// Tests whether the board responds, and renews everything that it could have lost since it was last heard.
    pub(super) fn test_link(&mut self, now: Millis) {
        self.send(now, Command::UpdateNice);
        self.request_dump(now);
    }

    pub(super) fn request_dump(&mut self, now: Millis) {
        let at = self.send(now, Command::Board);
        self.dump = DumpRequest::Requested(at);
        self.dump_requested_at = Some(at);
        self.unanswered_since.get_or_insert(now);
    }

    /// Schedules a dump after damage to the stream: the state of the board is no longer certain.
    pub(super) fn schedule_dump(&mut self, now: Millis) {
        self.dump = match self.dump {
            DumpRequest::Idle => {
                DumpRequest::Scheduled(self.dump_requested_at.map_or(now, |at| now.max(at + MIN_REPAIR_INTERVAL)))
            }
            pending => pending,
        };
    }

    pub(super) fn request_scheduled_dump(&mut self, now: Millis) {
        if let DumpRequest::Scheduled(at) = self.dump
            && self.up
            && at <= now
            && self.busy_until().is_none_or(|until| until <= now)
        {
            self.request_dump(now);
        }
    }
}
