//! A link: one port with its boards, their protocol and their tables, in one task, which alone reads the time.
//!
//! Most links have one board, which is registered before the port is opened. On a chain (a bus) a board is registered when it is
//! first heard, and continues the last game of the board with that serial number.
//!
//! **Invariants:** The task wakes for bytes, requests, deadlines and plug events, and for nothing else. It never waits for the
//! journal or for a front-end. A port that disappears is one event; the task then tries to open it again without limit.

mod backoff;
mod clock;
mod connection;
mod linked_board;
mod spec;
mod unrecorded_play;

pub use connection::NO_BOARDS_ON_CHAIN;
pub use spec::{LawsChanges, LinkSpec, PlugEvents, PortSelector};

use crate::boards::{Address, BoardCommand, LinkState, Millis, Protocol, Reading, Write};
use crate::daemon::alarm::Alarm;
use crate::daemon::hub::{ConnectionState, Hub, OrderError, Request, RequestKind, TestOrder, TrafficCounters};
use crate::daemon::{Stop, wait_for_stop};
use crate::game::Answer;
use crate::link::recording::Entry;
use crate::link::{LineError, Port};
use backoff::Backoff;
use clock::Clock;
use connection::{Opened, Opening};
use linked_board::LinkBoard;
use shakmaty::Square;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tracing::{debug, info};

/// How long a board identifies itself, in milliseconds.
const IDENTIFY_DURATION: Millis = 3_000;
/// Maximum size of the recorded reply to one request on a chain, in bytes.
const MAX_RECORDED_REPLY: usize = 64 * 1024;
/// Write timeout: a board that does not accept a write within this time counts as unplugged.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves one link until `stop` is set or its sender is dropped.
pub async fn run(spec: LinkSpec, hub: Arc<Hub>, mut stop: Stop) {
    let mut link = Link::start(spec, hub, stop.clone());
    let mut buffer = [0; 1024];
    let mut alarm = Alarm::new();
    loop {
        let wake = link.next_deadline();
        let step = tokio::select! {
            biased;
            () = wait_for_stop(&mut stop) => break,
            opened = opened(&mut link.opening) => Step::Opened(opened),
            read = read(&mut link.port, &mut buffer) => Step::Read(read),
            (board, request) = request(&mut link.boards) => Step::Request(board, request),
            () = wait_for_change(&mut link.spec.plugs) => Step::Plugged,
            () = wait_for_change(&mut link.spec.laws) => Step::NewLaws,
            () = alarm.wait_until(wake) => Step::Deadline,
        };
        match step {
            Step::Read(Ok(count)) => link.receive(buffer.get(..count).unwrap_or_default()),
            Step::Read(Err(error)) => link.close_port(&error.advice()),
            Step::Opened(opened) => link.finish_opening(opened),
            Step::Request(board, request) => link.request(board, request),
            Step::Plugged => link.retry_open(),
            Step::NewLaws => link.set_laws(),
            Step::Deadline => link.run_deadlines(),
        }
        link.send().await;
        // Let published events proceed before the port and the alarm are polled again.
        tokio::task::yield_now().await;
    }
    if let Some(opening) = link.opening.take() {
        opening.await.close().await;
    }
    if let Some(port) = link.port.take() {
        port.close().await;
    }
    debug!(board = %link.spec.id, "link stopped");
}

enum Step {
    Opened(Opened),
    Read(Result<usize, LineError>),
    Request(Address, Request),
    Plugged,
    NewLaws,
    Deadline,
}

/// Waits for a change, such as a plug event; forever if there is no source of them.
async fn wait_for_change<T>(changes: &mut watch::Receiver<T>) {
    if changes.changed().await.is_err() {
        std::future::pending().await
    }
}

async fn read(port: &mut Option<Port>, buffer: &mut [u8]) -> Result<usize, LineError> {
    match port {
        Some(port) => port.read(buffer).await,
        None => std::future::pending().await,
    }
}

/// Waits until the port is open, or cannot be opened.
async fn opened(opening: &mut Option<Opening>) -> Opened {
    match opening {
        Some(opening) => opening.await,
        None => std::future::pending().await,
    }
}

/// Waits for the next request for one of the boards.
async fn request(boards: &mut BTreeMap<Address, Box<LinkBoard>>) -> (Address, Request) {
    std::future::poll_fn(|context| {
        for (address, board) in &mut *boards {
            if let Poll::Ready(Some(request)) = board.handle.requests.poll_recv(context) {
                return Poll::Ready((*address, request));
            }
        }
        Poll::Pending
    })
    .await
}

struct Link {
    spec: LinkSpec,
    hub: Arc<Hub>,
    /// Ends the opening of a port.
    stop: Stop,
    clock: Clock,
    port: Option<Port>,
    /// A port that is being opened, which may take long: the task goes on meanwhile.
    opening: Option<Opening>,
    /// A port that is being closed: closing a device that accepts no data can take half a minute.
    closing: Option<tokio::task::JoinHandle<()>>,
    /// Path of the port while it is open.
    path: String,
    /// While there is no port: when to open it next.
    backoff: Backoff,
    protocol: Box<dyn Protocol>,
    /// Boxed, because each node of a `BTreeMap` has room for eleven values, and nearly all links have one board.
    boards: BTreeMap<Address, Box<LinkBoard>>,
    writes: VecDeque<Write>,
    /// A board that is identifying itself, and until when.
    identifying: Option<(Address, Millis)>,
    /// On a chain: the last bytes sent, and the bytes received since. They are recorded for the boards that they concern.
    exchange: (Vec<u8>, Vec<u8>),
}

impl Link {
    fn start(mut spec: LinkSpec, hub: Arc<Hub>, stop: Stop) -> Link {
        spec.settings.laws = *spec.laws.borrow_and_update();
        let mut protocol = (spec.model.protocol)();
        let mut boards = BTreeMap::new();
        if !protocol.is_chain() {
            let board = LinkBoard::register(&spec, Address::ONLY, &hub);
            if let Some(calibration) = board.calibration() {
                protocol.restore(calibration);
            }
            boards.insert(Address::ONLY, Box::new(board));
        }
        let (path, writes, exchange) = (String::new(), VecDeque::new(), (Vec::new(), Vec::new()));
        Link {
            spec,
            hub,
            stop,
            clock: Clock::new(),
            port: None,
            opening: None,
            closing: None,
            path,
            backoff: Backoff::new(),
            protocol,
            boards,
            writes,
            identifying: None,
            exchange,
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let link = match self.port {
            Some(_) => {
                let write = self.writes.front().map(|write| write.at);
                let lights_off = self.identifying.map(|(_, until)| until);
                [self.protocol.next_deadline(), write, lights_off].into_iter().flatten().min()
            }
            None if self.opening.is_some() => None,
            None => Some(self.backoff.next_at()),
        };
        let tables = self.boards.values().filter_map(|board| board.next_deadline()).min();
        earlier(link.map(|at| self.clock.instant(at)), tables)
    }

    fn run_deadlines(&mut self) {
        let now = Instant::now();
        if self.port.is_none() && self.opening.is_none() && self.backoff.next_at() <= self.clock.at(now) {
            self.open(now);
        }
        if self.port.is_some() && self.protocol.next_deadline().is_some_and(|at| at <= self.clock.at(now)) {
            self.protocol.timeout(self.clock.at(now));
        }
        if let Some((board, _)) = self.identifying.take_if(|(_, until)| *until <= self.clock.at(now)) {
            self.execute(now, board, vec![BoardCommand::Lights(Vec::new())]);
        }
        self.advance(now);
        self.process_pending(now);
    }

    /// Makes a board identify itself with its lights and its beeper. Fails if it has neither.
    fn identify(&mut self, now: Instant, board: Address) -> Result<Answer, OrderError> {
        let at = self.clock.at(now);
        let is_open = self.port.is_some();
        let has_lights = is_open && self.protocol.execute(at, board, BoardCommand::Lights(Square::ALL.to_vec())).is_ok();
        let has_beeped = is_open && self.protocol.execute(at, board, BoardCommand::Beep).is_ok();
        self.identifying = has_lights.then_some((board, at + IDENTIFY_DURATION)).or(self.identifying);
        match has_lights || has_beeped {
            true => Ok(Answer::Done),
            false => Err(OrderError::CannotIdentify(self.spec.board_id(board))),
        }
    }

    fn receive(&mut self, chunk: &[u8]) {
        let now = Instant::now();
        if self.protocol.is_chain() {
            // Do not record a reply that never ends.
            if self.exchange.1.len() + chunk.len() <= MAX_RECORDED_REPLY {
                self.exchange.1.extend_from_slice(chunk);
            }
        } else {
            self.for_each_board(now, |board| {
                TrafficCounters::add(&board.traffic.bytes_read, chunk.len());
                board.record(now, || Entry::Rx(chunk.to_vec()));
                Vec::new()
            });
        }
        self.protocol.receive(self.clock.at(now), chunk);
        self.advance(now);
        self.process_pending(now);
    }

    fn request(&mut self, board: Address, request: Request) {
        let now = Instant::now();
        match request.kind {
            RequestKind::Identify => {
                // The requester may be gone.
                let _ = request.done.send(self.identify(now, board));
            }
            RequestKind::WiringTest(TestOrder::Begin { .. }) if self.port.is_none() => {
                let _ = request.done.send(Err(OrderError::NotConnected(self.spec.board_id(board))));
            }
            _ => {
                let commands = self.boards.get_mut(&board).map(|link_board| link_board.handle_request(now, request));
                self.execute(now, board, commands.unwrap_or_default());
            }
        }
        self.process_pending(now);
    }

    /// Applies the Laws of the event to the games that begin from now on.
    fn set_laws(&mut self) {
        let now = Instant::now();
        // A game may be due to begin.
        self.advance(now);
        self.spec.settings.laws = *self.spec.laws.borrow_and_update();
        self.boards.values_mut().for_each(|board| board.set_laws(now, &self.spec.settings));
        self.process_pending(now);
    }

    /// Runs the due deadlines of all tables.
    fn advance(&mut self, now: Instant) {
        self.for_each_board(now, |board| board.advance(now));
    }

    /// Calls `act` for every board and executes the resulting commands.
    fn for_each_board(&mut self, now: Instant, mut act: impl FnMut(&mut LinkBoard) -> Vec<BoardCommand>) {
        let mut commands = Vec::new();
        for (address, board) in &mut self.boards {
            commands.extend(act(board).into_iter().map(|command| (*address, command)));
        }
        for (address, command) in commands {
            self.execute(now, address, vec![command]);
        }
    }

    /// Processes readings and executes board commands until there are none left, then publishes the results.
    fn process_pending(&mut self, now: Instant) {
        while let Some((address, reading)) = self.protocol.poll_reading() {
            if !self.boards.contains_key(&address) && !self.register_board(now, address) {
                continue;
            }
            if !matches!(reading, Reading::ProtocolError(_)) {
                self.backoff.reset();
            }
            self.record_exchange(now, address);
            let commands = self.boards.get_mut(&address).map(|board| board.handle_reading(now, reading));
            self.execute(now, address, commands.unwrap_or_default());
        }
        while let Some(write) = self.protocol.poll_write() {
            self.writes.push_back(write);
        }
        self.boards.values_mut().for_each(|board| board.publish(now));
    }

    /// Registers a board of a chain that is heard for the first time.
    fn register_board(&mut self, now: Instant, address: Address) -> bool {
        if !self.protocol.is_chain() {
            debug!(board = %self.spec.id, ?address, "ignored a reading of a board that is not on this link");
            return false;
        }
        let mut board = LinkBoard::register(&self.spec, address, &self.hub);
        info!(board = %self.spec.board_id(address), chain = %self.spec.id, "found a board on the chain");
        board.set_connection_state(ConnectionState::Connecting, "", Some(&self.path));
        board.handle_link_state(now, LinkState::Up);
        self.boards.insert(address, Box::new(board));
        self.set_no_boards(None);
        true
    }

    /// Records the last request and its reply for this board.
    fn record_exchange(&mut self, now: Instant, address: Address) {
        if !self.protocol.is_chain() {
            return;
        }
        let Some(board) = self.boards.get_mut(&address) else { return };
        let (sent, received) = std::mem::take(&mut self.exchange);
        TrafficCounters::add(&board.traffic.bytes_written, sent.len());
        TrafficCounters::add(&board.traffic.bytes_read, received.len());
        for entry in [Entry::Tx(sent), Entry::Rx(received)] {
            if !matches!(&entry, Entry::Tx(bytes) | Entry::Rx(bytes) if bytes.is_empty()) {
                board.record(now, || entry);
            }
        }
    }

    fn execute(&mut self, now: Instant, board: Address, commands: Vec<BoardCommand>) {
        for command in commands {
            let needs_answer = command == BoardCommand::Memory;
            if let Err(unsupported) = self.protocol.execute(self.clock.at(now), board, command) {
                debug!(board = %self.spec.id, "{unsupported}");
                if needs_answer {
                    let commands = self.boards.get_mut(&board).map(|link_board| link_board.report_no_memory(now));
                    self.execute(now, board, commands.unwrap_or_default());
                }
            }
        }
    }

    /// Sends the writes that are due.
    async fn send(&mut self) {
        let now = Instant::now();
        while let Some(port) = &mut self.port
            && let Some(write) = self.writes.pop_front_if(|write| write.at <= self.clock.at(now))
        {
            let sent = tokio::time::timeout(WRITE_TIMEOUT, port.write_all(&write.bytes)).await;
            match sent {
                Ok(Ok(())) if self.protocol.is_chain() => self.exchange = (write.bytes, Vec::new()),
                Ok(Ok(())) => self.boards.values_mut().for_each(|board| {
                    TrafficCounters::add(&board.traffic.bytes_written, write.bytes.len());
                    board.record(now, || Entry::Tx(write.bytes.clone()));
                }),
                Ok(Err(error)) => self.close_port(&error.advice()),
                Err(_) => self.close_port("the port accepts no data: unplug the board and plug it in again"),
            }
        }
    }
}

fn earlier<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
