//! The state of one board on the line, and its next request.

use super::{IDENTITY_INTERVAL, REPLY_TIMEOUT, SILENCE_TIMEOUT};
use crate::boards::dgt::{clock, memory, message};
use crate::boards::{Address, Identity, MemoryEntry, Millis, Placement, ProtocolError, Reading};
use std::collections::VecDeque;

/// Interval between requests for changes, in milliseconds: about the interval at which a board scans its squares.
const CHANGES_INTERVAL: Millis = 200;
/// Number of changes in one late reply from which on they count as delayed: two moves make at least as many.
const DELAYED_CHANGES: usize = 3;
/// Interval between requests for the clock, with a clock and without one, in milliseconds.
const CLOCK_INTERVALS: (Millis, Millis) = (1_000, 10_000);
/// Interval at which the squares are compared, in milliseconds.
const CHECK_INTERVAL: Millis = 30_000;
/// The same after an unexpected placement, and on a line that loses messages: one damaged message in 128 has a correct checksum. In
/// milliseconds.
const SHORT_CHECK_INTERVAL: Millis = 5_000;
/// Time for which a line counts as bad after a lost message, in milliseconds.
const BAD_LINE_TIME: Millis = 60_000;
/// Interval between requests to a silent board, in milliseconds.
const SILENT_BOARD_INTERVAL: Millis = 10_000;
/// Number of consecutive attempts before the other boards have their turn, and maximum number of attempts for optional requests.
const MAX_ATTEMPTS: u32 = 3;
/// Number of unanswered requests after which a newly found board counts as nonexistent.
const NONEXISTENT_AFTER: u32 = 6;

/// The entry that marks the start of a game.
const GAME_START: u8 = 0x7b;

/// A request to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardRequest {
    Clock,
    Board,
    Changes,
    Repeat,
    Start,
    FromStart,
    Version,
}

impl BoardRequest {
    /// Returns the command byte of the request.
    pub(super) fn command(self) -> u8 {
        match self {
            BoardRequest::Clock => 0x81,
            BoardRequest::Board => 0x82,
            BoardRequest::Changes => 0x83,
            BoardRequest::Repeat => 0x84,
            BoardRequest::Start => 0x85,
            BoardRequest::FromStart => 0x86,
            BoardRequest::Version => 0x8b,
        }
    }

    /// Returns the id of the reply.
    pub(super) fn reply(self) -> u8 {
        match self {
            BoardRequest::Clock => 0x84,
            BoardRequest::Board => 0x83,
            BoardRequest::Changes | BoardRequest::Repeat => 0x85,
            BoardRequest::Start => 0x88,
            BoardRequest::FromStart => 0x86,
            BoardRequest::Version => 0x89,
        }
    }

    /// Returns the time to wait for the beginning of the reply. Noting a start takes about 70 ms.
    pub(super) fn reply_timeout(self) -> Millis {
        if self == BoardRequest::Start { 3 * REPLY_TIMEOUT } else { REPLY_TIMEOUT }
    }
}

/// The state of one board.
pub(super) struct Board {
    readings: VecDeque<Reading>,
    /// Whether the board has answered a request of its own.
    is_confirmed: bool,
    last_received_at: Millis,
    /// Time at which its identity was last reported.
    identity_reported_at: Option<Millis>,
    /// Whether [`ProtocolError::Silent`] has been reported.
    silent: bool,
    /// Number of consecutive unanswered requests, and time of the last one ever.
    failures: u32,
    failed_at: Option<Millis>,
    /// Earliest time for the next request.
    rest_until: Millis,
    /// Whether changes were requested and have not arrived: the board must repeat them.
    must_repeat: bool,
    /// Whether changes must be requested before anything else.
    must_read_changes: bool,
    changes_at: Millis,
    clock_at: Millis,
    check_at: Millis,
    /// Whether the placement must be reported, not only compared.
    placement_requested: bool,
    /// State of the squares according to all readings passed on; `None` before the first dump.
    shown: Option<Box<Placement>>,
    /// A dump that differs from it.
    unconfirmed: Option<Box<Placement>>,
    /// The last changes that arrived, and whether their repetition was requested.
    last: (Vec<u8>, bool),
    /// The changes that arrived before the first dump.
    changes_before_dump: Vec<u8>,
    clock: Option<Reading>,
    /// Remaining attempts for requests that the board need not answer.
    memory_attempts: u32,
    start_attempts: u32,
}

impl Board {
    /// Creates the state of a newly found board, which may turn out not to exist.
    pub(super) fn new(now: Millis) -> Board {
        let mut board = Board {
            readings: VecDeque::new(),
            is_confirmed: false,
            last_received_at: now,
            identity_reported_at: None,
            silent: false,
            failures: 0,
            failed_at: None,
            rest_until: 0,
            must_repeat: false,
            must_read_changes: false,
            changes_at: 0,
            clock_at: 0,
            check_at: 0,
            placement_requested: false,
            shown: None,
            unconfirmed: None,
            last: (Vec::new(), false),
            changes_before_dump: Vec::new(),
            clock: None,
            memory_attempts: 0,
            start_attempts: 0,
        };
        board.reset(now);
        board
    }

    /// Discards the known state: everything is read again. Changes that an earlier request of any program lost are requested again.
    pub(super) fn reset(&mut self, now: Millis) {
        self.abort_memory_request();
        (self.must_repeat, self.must_read_changes) = (true, true);
        (self.shown, self.unconfirmed, self.clock) = (None, None, None);
        (self.identity_reported_at, self.silent, self.failures, self.rest_until) = (None, false, 0, 0);
        (self.last_received_at, self.changes_at, self.clock_at, self.check_at) = (now, now, now, now);
        self.changes_before_dump.clear();
    }

    /// Removes and returns the readings, in order.
    pub(super) fn take_readings(&mut self) -> impl Iterator<Item = Reading> {
        std::mem::take(&mut self.readings).into_iter()
    }

    /// Whether the board certainly exists.
    pub(super) fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// Whether the board was found by mistake.
    pub(super) fn is_nonexistent(&self) -> bool {
        !self.is_confirmed && self.failures >= NONEXISTENT_AFTER
    }

    /// Whether the board exists and answers.
    pub(super) fn answers(&self) -> bool {
        self.is_confirmed && !self.silent
    }

    /// Whether the board was found but not read yet, and can be polled now.
    pub(super) fn is_new(&self, now: Millis) -> bool {
        self.shown.is_none() && !self.silent && self.rest_until <= now
    }

    /// Returns the time at which the board counts as silent unless it replies.
    pub(super) fn silent_at(&self) -> Option<Millis> {
        self.answers().then_some(self.last_received_at + SILENCE_TIMEOUT)
    }

    /// Reports a board as silent, once, when that time has passed.
    pub(super) fn check_silence(&mut self, now: Millis) {
        if self.silent_at().is_some_and(|at| at <= now) {
            let silent_ms = u32::try_from(now.saturating_sub(self.last_received_at)).unwrap_or(u32::MAX);
            let last_received_at = self.last_received_at;
            self.reset(last_received_at);
            (self.silent, self.rest_until) = (true, now + SILENT_BOARD_INTERVAL);
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Silent(silent_ms)));
        }
    }

    /// Restarts the silence timeout, because the board could not be polled until now.
    pub(super) fn restart_silence_timeout(&mut self, now: Millis) {
        if !self.silent {
            self.last_received_at = now;
        }
    }

    /// Returns the next request and its time.
    pub(super) fn next(&self) -> (Millis, BoardRequest) {
        let (at, request) = if !self.is_confirmed {
            (0, BoardRequest::Version)
        } else if self.must_repeat {
            (0, BoardRequest::Repeat)
        } else if self.must_read_changes {
            (0, BoardRequest::Changes)
        } else if self.shown.is_none() || self.placement_requested || self.unconfirmed.is_some() {
            (0, BoardRequest::Board)
        } else if self.start_attempts > 0 {
            (0, BoardRequest::Start)
        } else if self.memory_attempts > 0 {
            (0, BoardRequest::FromStart)
        } else {
            let schedule = [
                (self.changes_at, BoardRequest::Changes),
                (self.clock_at, BoardRequest::Clock),
                (self.check_at, BoardRequest::Board),
            ];
            schedule.into_iter().fold(schedule[0], |first, other| if other.0 < first.0 { other } else { first })
        };
        (at.max(self.rest_until), request)
    }

    /// Requests all squares.
    pub(super) fn request_placement(&mut self) {
        self.placement_requested = true;
    }

    /// Requests the state of the clock, even if it has not changed.
    pub(super) fn request_clock(&mut self, now: Millis) {
        (self.clock, self.clock_at) = (None, now);
    }

    /// Requests the changes since the start of the game; `up`: the link is up.
    pub(super) fn request_memory(&mut self, up: bool) {
        self.memory_attempts = MAX_ATTEMPTS;
        if !up || self.silent {
            self.abort_memory_request();
        }
    }

    /// Handles the arrival of a complete reply.
    pub(super) fn reply_received(&mut self, now: Millis) {
        (self.is_confirmed, self.last_received_at, self.failures, self.rest_until) = (true, now, 0, 0);
        if std::mem::take(&mut self.silent) {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Recovered));
        }
    }

    /// Reports the identity of the board if that is due.
    pub(super) fn report_identity(&mut self, now: Millis, address: Address) {
        let is_due = self.identity_reported_at.is_none_or(|at| now >= at + IDENTITY_INTERVAL);
        if self.answers() && is_due && self.failures == 0 && self.last_received_at == now {
            self.identity_reported_at = Some(now);
            self.readings.push_front(Reading::Identity(Identity::SerialNumber(format!("{:05}", address.0))));
        }
    }

    /// Handles a request without a reply, or with only a damaged one.
    pub(super) fn unanswered(&mut self, now: Millis, request: BoardRequest) {
        self.failures += 1;
        (self.failed_at, self.check_at) = (Some(now), self.check_at.min(now + SHORT_CHECK_INTERVAL));
        if self.silent {
            self.rest_until = now + SILENT_BOARD_INTERVAL;
        } else if self.failures.is_multiple_of(MAX_ATTEMPTS) {
            self.rest_until = now + CHANGES_INTERVAL;
        }
        match request {
            BoardRequest::Changes => self.must_repeat = true,
            BoardRequest::Start => self.start_attempts = self.start_attempts.saturating_sub(1),
            BoardRequest::FromStart if self.memory_attempts == 1 => self.abort_memory_request(),
            BoardRequest::FromStart => self.memory_attempts = self.memory_attempts.saturating_sub(1),
            _ => {}
        }
    }

    /// Processes a reply, and the request that it answers.
    pub(super) fn answer(&mut self, now: Millis, id: u8, data: &[u8], request: Option<BoardRequest>) {
        match (id, data) {
            (0x83, _) => match message::read(0x86, data) {
                Some(Reading::Placement(placement)) => self.dump(now, placement),
                other => self.readings.extend(other),
            },
            (0x84, _) => self.clock(now, data),
            (0x85, _) => self.handle_changes(now, data, request),
            (0x86, _) => {
                let mut entries = memory::read(data);
                // All pieces follow, as after power-up.
                if data.first() == Some(&GAME_START) {
                    entries.insert(0, MemoryEntry::PowerUp);
                }
                let has_changes = entries.iter().any(|entry| matches!(entry, MemoryEntry::Square { .. }));
                if has_changes && std::mem::take(&mut self.memory_attempts) > 0 || request.is_none() {
                    self.readings.push_back(Reading::Memory(entries));
                } else {
                    self.abort_memory_request();
                }
            }
            (0x88, _) => self.start_attempts = 0,
            (0x89, [major, minor]) => {
                self.readings.push_back(Reading::Identity(Identity::Version(format!("{major}.{minor}"))));
            }
            _ => {}
        }
    }

    fn clock(&mut self, now: Millis, data: &[u8]) {
        let reading =
            clock::read(data).unwrap_or_else(|error| Some(Reading::ProtocolError(ProtocolError::InvalidContent(error))));
        self.clock_at = now + if reading == Some(Reading::Clock(None)) { CLOCK_INTERVALS.1 } else { CLOCK_INTERVALS.0 };
        if reading.is_some() && reading != self.clock {
            self.clock.clone_from(&reading);
            self.readings.extend(reading);
        }
    }

    fn handle_changes(&mut self, now: Millis, data: &[u8], request: Option<BoardRequest>) {
        let due = self.changes_at;
        let is_known = !data.is_empty() && self.last.0 == data;
        // Repeated changes may arrive twice; and if the request was lost, the repetition is older than that.
        let is_echo = is_known && (self.last.1 || request == Some(BoardRequest::Repeat));
        match request {
            Some(BoardRequest::Repeat) => {
                self.must_repeat = false;
                self.last.1 = true;
                if is_known {
                    self.must_read_changes = true;
                }
            }
            Some(_) => (self.must_read_changes, self.last.1, self.changes_at) = (false, false, now + CHANGES_INTERVAL),
            None => {}
        }
        if is_echo {
            return;
        }
        if !data.is_empty() {
            self.last.0 = data.to_vec();
        }
        if self.shown.is_none() && request.is_some() {
            self.changes_before_dump.extend(data);
        }
        let entries = memory::read(data);
        let changes = entries.iter().filter(|entry| matches!(entry, MemoryEntry::Square { .. })).count();
        if self.shown.is_some() && changes >= DELAYED_CHANGES && now >= due + 2 * CHANGES_INTERVAL {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::ChangesDelayed));
        }
        for entry in entries {
            match entry {
                MemoryEntry::Square { square, sensed, .. } => {
                    if let Some(shown) = &mut self.shown {
                        shown[square as usize] = sensed;
                    }
                    // Changes before the first dump belong to the past.
                    if self.shown.is_some() || request.is_none() {
                        self.readings.push_back(Reading::Square(square, sensed));
                    }
                }
                MemoryEntry::ClockPressed { .. } => self.clock_at = now,
                MemoryEntry::StartPosition => self.start_attempts = MAX_ATTEMPTS,
                MemoryEntry::PowerUp => self.placement_requested = true,
                MemoryEntry::Cleared => {}
            }
        }
    }

    fn dump(&mut self, now: Millis, placement: Box<Placement>) {
        let is_known = self.shown.as_ref() == Some(&placement);
        if self.shown.is_some() && !is_known && self.unconfirmed.as_ref() != Some(&placement) {
            (self.unconfirmed, self.must_read_changes) = (Some(placement), true);
            return;
        }
        let is_bad = self.failed_at.is_some_and(|at| now < at + BAD_LINE_TIME);
        self.check_at = now + if is_known && !is_bad { CHECK_INTERVAL } else { SHORT_CHECK_INTERVAL };
        self.unconfirmed = None;
        if std::mem::take(&mut self.placement_requested) || !is_known {
            self.shown = Some(placement.clone());
            self.readings.push_back(Reading::Placement(placement));
        }
    }

    /// Reports the changes that came before the first dump instead of the memory, which will not arrive.
    fn abort_memory_request(&mut self) {
        if std::mem::take(&mut self.memory_attempts) > 0 {
            self.readings.push_back(Reading::Memory(memory::read(&self.changes_before_dump)));
        }
    }
}
