//! A link: one port, the board on it, its protocol and its table, in one task that owns the only clock.
//!
//! **Invariants:** the task wakes for bytes, orders and deadlines, and for nothing else. It never waits for the journal or for a
//! face. A port that goes away is one event, and is tried again for ever.

use crate::boards::{Address, Cue, Identity, LinkState, Millis, Model, Placement, Protocol, Reading, Sensed, Trouble, Write};
use crate::daemon::alarm::Alarm;
use crate::daemon::calibration::Calibrations;
use crate::daemon::hub::{BoardId, BoardView, Contact, Hub, LastGame, Request, Seat};
use crate::daemon::recorder::{Recorder, Recordings};
use crate::daemon::{Stop, stopped};
use crate::game::{Event, Stamped};
use crate::link::recording::{State, What, Written};
use crate::link::watch::{self, Place};
use crate::link::{ControlLines, LineError, OpenError, Port};
use crate::table::{Input, Output, Settings, Table};
use crate::wire::{event_to_value, order_to_value};
use shakmaty::{Board, Square};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tracing::{debug, info, warn};

/// Pauses between attempts to open a port, in milliseconds: the first, and the longest.
const RECONNECT: (Millis, Millis) = (100, 5_000);
/// A board that takes nothing for so long is as good as unplugged.
const STUCK: Duration = Duration::from_secs(2);

/// What a link task has to know.
#[derive(Clone)]
pub struct LinkSpec {
    /// The name of the board.
    pub id: BoardId,
    /// Its family.
    pub model: &'static Model,
    /// Where it is looked for: the places of all boards, and which of them is this board's.
    pub place: (Arc<[Place]>, usize),
    /// How the port's control lines are set.
    pub control: ControlLines,
    /// How its readings become a game.
    pub settings: Settings,
    /// Where everything it says is recorded, if it is.
    pub recordings: Option<Recordings>,
    /// Changes when something was plugged in or out: a board that is away is looked for at once.
    pub plugs: Plugs,
    /// Where what is learned of its pieces is kept, if it is.
    pub calibrations: Option<Calibrations>,
}

/// Counts how often something was plugged in or out.
pub type Plugs = tokio::sync::watch::Receiver<u64>;

impl LinkSpec {
    /// One board at one place, which nobody has named.
    pub fn single(model: &'static Model, place: Place, settings: Settings) -> LinkSpec {
        let control = ControlLines::default();
        let (id, plugs) = (BoardId::at(model, &place), tokio::sync::watch::channel(0).1);
        LinkSpec { id, model, place: ([place].into(), 0), control, settings, recordings: None, calibrations: None, plugs }
    }

    /// The device file to open now.
    fn port(&self) -> Result<PathBuf, String> {
        let (places, index) = &self.place;
        match places.get(*index) {
            Some(Place::Port(path)) => Ok(path.clone()),
            Some(place) => {
                let ports = watch::list().map_err(|why| format!("the ports cannot be listed ({why})"))?;
                let found = watch::assign(places, &ports).into_iter().nth(*index).flatten();
                found.ok_or_else(|| format!("no {place} is plugged in: plug it in, or see `touchmovectl doctor`"))
            }
            None => Err("no place is configured for this board".to_owned()),
        }
    }
}

/// Serves one link until `stop` says so (or its sender is gone).
pub async fn run(spec: LinkSpec, hub: Arc<Hub>, mut stop: Stop) {
    let mut link = Link::start(spec, &hub);
    let mut buffer = [0; 1024];
    let mut alarm = Alarm::new();
    loop {
        let wake = link.next_deadline().map(|at| link.clock.instant(at));
        let step = tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            read = read(&mut link.port, &mut buffer) => Step::Read(read),
            Some(request) = link.seat.requests.recv() => Step::Request(request),
            () = plugged(&mut link.spec.plugs) => Step::Plugged,
            () = alarm.at(wake) => Step::Deadline,
        };
        let now = link.clock.now();
        match step {
            Step::Read(Ok(count)) => link.received(now, buffer.get(..count).unwrap_or_default()),
            Step::Read(Err(why)) => link.unplugged(now, &format!("{why}: plug the board in again")),
            Step::Request(request) => link.request(now, request),
            Step::Plugged => link.look_now(now),
            Step::Deadline => link.deadline(now).await,
        }
        link.send(link.clock.now()).await;
        // What was published goes on its way before the port and the alarm are looked at again.
        tokio::task::yield_now().await;
    }
    debug!(board = %link.spec.id, "link stopped");
}

enum Step {
    Read(Result<usize, LineError>),
    Request(Request),
    Plugged,
    Deadline,
}

/// Returns when something was plugged in or out; never where nobody tells.
async fn plugged(plugs: &mut Plugs) {
    if plugs.changed().await.is_err() {
        std::future::pending().await
    }
}

async fn read(port: &mut Option<Port>, buffer: &mut [u8]) -> Result<usize, LineError> {
    match port {
        Some(port) => port.read(buffer).await,
        None => std::future::pending().await,
    }
}

struct Link {
    spec: LinkSpec,
    seat: Seat,
    clock: Clock,
    port: Option<Port>,
    /// When to open the port next, while there is none; and how long to wait after that.
    retry: (Millis, Millis),
    protocol: Box<dyn Protocol>,
    table: Table,
    writes: VecDeque<Write>,
    recorder: Option<Recorder>,
    /// The durable events of the game that is on, where it is recorded.
    game: Vec<Stamped>,
    /// What is known of the pieces, where the board does not say it itself.
    calibration: Option<String>,
}

impl Link {
    fn start(spec: LinkSpec, hub: &Arc<Hub>) -> Link {
        let view = BoardView::new(spec.id.clone(), spec.model, spec.settings.sensing);
        let (seat, last) = hub.seat(view);
        let (clock, table) = match &last {
            None => (Clock::new(), Table::new(spec.settings.clone())),
            Some(LastGame { epoch_wall_ms, events }) => {
                info!(board = %spec.id, "the last game goes on: {} events", events.len());
                let last = events.last().map_or(0, |event| event.at);
                (Clock::resumed(*epoch_wall_ms, last), Table::restore(spec.settings.clone(), events))
            }
        };
        let mut protocol = (spec.model.protocol)();
        let calibration = spec.calibrations.as_ref().and_then(|kept| kept.load(&spec.id));
        if let Some(calibration) = &calibration {
            protocol.restore(calibration);
        }
        let now = clock.now();
        let recorder = spec
            .recordings
            .clone()
            .map(|recordings| Recorder::new(Arc::clone(hub), recordings, spec.id.clone(), spec.model.name, &spec.settings));
        let retry = (now, RECONNECT.0);
        let game = last.filter(|_| recorder.is_some()).map_or_else(Vec::new, |last| last.events);
        let mut link = Link {
            spec,
            seat,
            clock,
            port: None,
            retry,
            protocol,
            table,
            writes: VecDeque::new(),
            recorder,
            game,
            calibration,
        };
        link.begin_recording(now);
        link
    }

    /// A new recording, with the game so far and what stands on the board, where that is known.
    fn begin_recording(&mut self, now: Millis) {
        let Some(recorder) = &mut self.recorder else { return };
        let placement = self.table.placement().and_then(|placement| pieces(&placement));
        let state = State {
            placement: placement.map(|board| board.to_string()),
            position: self.table.record().map(|record| record.fen().to_owned()),
            events: self.game.iter().map(|stamped| event_to_value(&Stamped { at: 0, ..stamped.clone() })).collect(),
            calibration: self.calibration.clone(),
            ..State::default()
        };
        recorder.begin(now, (state != State::default()).then_some(state));
    }

    /// Keeps the durable events of the game that is on. A game that follows another has a recording of its own.
    fn keep(&mut self, now: Millis, events: &[Stamped]) {
        if self.recorder.is_none() {
            return;
        }
        let mut follows = false;
        for stamped in events.iter().filter(|stamped| stamped.number.is_some()) {
            if matches!(stamped.event, Event::GameStarted { .. }) {
                follows = !self.game.is_empty();
                self.game.clear();
            }
            self.game.push(stamped.clone());
        }
        if follows {
            self.begin_recording(now);
        }
    }

    fn record(&mut self, now: Millis, what: impl FnOnce() -> What) {
        let Some(recorder) = &mut self.recorder else { return };
        let what = what();
        if recorder.write(now, what.clone()) == Written::Full {
            self.begin_recording(now);
            if let Some(recorder) = &mut self.recorder
                && recorder.write(now, what) == Written::Full
            {
                recorder.too_small();
            }
        }
    }

    fn next_deadline(&self) -> Option<Millis> {
        let line = match self.port {
            Some(_) => earlier(self.protocol.next_deadline(), self.writes.front().map(|write| write.at)),
            None => Some(self.retry.0),
        };
        earlier(line, self.table.next_deadline())
    }

    async fn deadline(&mut self, now: Millis) {
        if self.port.is_none() && self.retry.0 <= now {
            self.open(now).await;
        }
        if self.port.is_some() && self.protocol.next_deadline().is_some_and(|at| at <= now) {
            self.protocol.timeout(now);
        }
        let output = self.table.advance(now);
        self.settle(now, output, None);
    }

    /// The port may be there again.
    fn look_now(&mut self, now: Millis) {
        if self.port.is_none() {
            self.retry = (now, RECONNECT.0);
        }
    }

    async fn open(&mut self, now: Millis) {
        let opened = match self.spec.port() {
            Err(reason) => Err((None, Contact::Unplugged, reason)),
            Ok(path) => match Port::open(&path, self.spec.model.connection, self.spec.control).await {
                Ok(port) => Ok((path, port)),
                Err(why @ OpenError::NoSuchDevice { .. }) => Err((Some(path), Contact::Unplugged, why.to_string())),
                Err(why) => Err((Some(path), Contact::Refused, why.to_string())),
            },
        };
        match opened {
            Ok((path, port)) => {
                info!(board = %self.spec.id, port = %path.display(), "port opened");
                self.port = Some(port);
                self.writes.clear();
                self.seat.update(|view| {
                    view.port = path.display().to_string();
                    (view.contact, view.reason) = (Contact::Connecting, String::new());
                });
                self.record(now, || What::Link(LinkState::Up));
                self.protocol.link(now, LinkState::Up);
                let output = self.table.handle(now, Input::Link(LinkState::Up));
                self.settle(now, output, None);
            }
            Err((path, contact, reason)) => {
                self.retry = (now + self.retry.1, (self.retry.1 * 2).min(RECONNECT.1));
                let path = path.map(|path| path.display().to_string()).unwrap_or_default();
                let news = self.seat.update_if(
                    |view| (view.contact, &view.reason) != (contact, &reason),
                    |view| (view.port, view.contact, view.reason) = (path, contact, reason.clone()),
                );
                if news {
                    warn!(board = %self.spec.id, "{reason}");
                }
            }
        }
    }

    fn unplugged(&mut self, now: Millis, reason: &str) {
        warn!(board = %self.spec.id, "{reason}");
        self.port = None;
        self.writes.clear();
        // The pause begins anew once the board is ready, so that a loose plug does not make it restless.
        self.retry = (now + self.retry.1, (self.retry.1 * 2).min(RECONNECT.1));
        self.seat.update(|view| (view.contact, view.reason) = (Contact::Unplugged, reason.to_owned()));
        self.record(now, || What::Link(LinkState::Down));
        self.protocol.link(now, LinkState::Down);
        let output = self.table.handle(now, Input::Link(LinkState::Down));
        self.settle(now, output, None);
    }

    fn received(&mut self, now: Millis, chunk: &[u8]) {
        self.record(now, || What::Rx(chunk.to_vec()));
        self.protocol.receive(now, chunk);
        let output = self.table.advance(now);
        self.settle(now, output, None);
    }

    fn request(&mut self, now: Millis, request: Request) {
        self.record(now, || What::Command(order_to_value(&request.order)));
        let output = self.table.handle(now, Input::Order(request.order));
        self.settle(now, output, Some(request.done));
    }

    /// Takes what the protocol has to say and carries out what the table asks for until both are quiet, then publishes it all.
    fn settle(&mut self, now: Millis, first: Output, done: Option<crate::daemon::hub::Done>) {
        let outcome = first.refused.clone().map_or(Ok(first.answer.clone()), |refused| Err(refused.into()));
        let mut events = Vec::new();
        self.carry_out(now, first, &mut events);
        let mut readings = false;
        while let Some((address, reading)) = self.protocol.poll_reading() {
            if address != Address::ONLY {
                debug!(board = %self.spec.id, ?address, "a reading of a board that is not on this link");
                continue;
            }
            readings = true;
            self.notice(&reading);
            let output = self.table.handle(now, Input::Reading(reading));
            self.carry_out(now, output, &mut events);
        }
        while let Some(write) = self.protocol.poll_write() {
            self.writes.push_back(write);
        }
        if events.is_empty() && done.is_none() && !readings {
            return;
        }
        self.keep(now, &events);
        let (placement, rotation) = (self.table.placement(), self.table.rotation());
        let change = move |view: &mut BoardView| {
            view.placement = placement;
            view.rotation = rotation.or(view.rotation);
        };
        self.seat.publish(self.clock.epoch_wall_ms(), events, change, done.map(|done| (done, outcome)));
    }

    fn carry_out(&mut self, now: Millis, output: Output, events: &mut Vec<Stamped>) {
        events.extend(output.events);
        for cue in output.cues {
            let needs_answer = cue == Cue::Memory;
            if let Err(unsupported) = self.protocol.act(now, Address::ONLY, cue) {
                debug!(board = %self.spec.id, "{unsupported}");
                if needs_answer {
                    let output = self.table.handle(now, Input::Reading(Reading::Memory(Vec::new())));
                    self.carry_out(now, output, events);
                }
            }
        }
    }

    fn calibrated(&mut self, text: &str) {
        if let Some(calibrations) = &self.spec.calibrations {
            calibrations.keep(&self.spec.id, text);
        }
        self.calibration = Some(text.to_owned());
    }

    /// What a reading says of the board rather than of the game.
    fn notice(&mut self, reading: &Reading) {
        let contact = match reading {
            Reading::Trouble(Trouble::Silent(ms)) => {
                let reason = format!("the board has said nothing for {} s: check its power, then its cable", ms / 1000);
                warn!(board = %self.spec.id, "{reason}");
                (Contact::Silent, reason)
            }
            Reading::Trouble(Trouble::Answering) => (Contact::Ready, String::new()),
            Reading::Trouble(Trouble::Ambiguous(squares)) => {
                let names: Vec<String> = squares.iter().map(Square::to_string).collect();
                let reason = match names.as_slice() {
                    [] => String::new(),
                    names => format!("what stands on {} cannot be told: the switches have no diodes", names.join(", ")),
                };
                self.seat.update_if(|view| view.reason != reason, |view| view.reason = reason.clone());
                return;
            }
            Reading::Trouble(Trouble::Uncalibrated) => {
                let reason = "its pieces are not known: put up the start position and leave it so for five seconds".to_owned();
                warn!(board = %self.spec.id, "{reason}");
                (Contact::Connecting, reason)
            }
            Reading::Calibration(text) => return self.calibrated(text),
            Reading::Trouble(trouble) => return debug!(board = %self.spec.id, ?trouble, "trouble on the line"),
            _ => (Contact::Ready, String::new()),
        };
        let identity = match reading {
            Reading::Identity(identity) => Some(identity.clone()),
            _ => None,
        };
        if contact.0 == Contact::Ready {
            self.retry.1 = RECONNECT.0;
        }
        self.seat.update_if(
            |view| view.contact != contact.0 || identity.is_some(),
            |view| {
                (view.contact, view.reason) = contact.clone();
                match &identity {
                    Some(Identity::SerialNumber(number)) => view.serial_number = Some(number.clone()),
                    Some(Identity::Version(version)) => view.firmware = Some(version.clone()),
                    Some(Identity::Text(_)) | None => {}
                }
            },
        );
    }

    /// Sends what is due.
    async fn send(&mut self, now: Millis) {
        while let Some(port) = &mut self.port
            && let Some(write) = self.writes.pop_front_if(|write| write.at <= now)
        {
            let sent = tokio::time::timeout(STUCK, port.write_all(&write.bytes)).await;
            match sent {
                Ok(Ok(())) => self.record(now, || What::Tx(write.bytes)),
                Ok(Err(why)) => self.unplugged(now, &format!("{why}: plug the board in again")),
                Err(_) => self.unplugged(now, "the port takes nothing: unplug the board and plug it in again"),
            }
        }
    }
}

/// The pieces, where every one of them is known.
fn pieces(placement: &Placement) -> Option<Board> {
    let mut board = Board::empty();
    for (square, sensed) in Square::ALL.into_iter().zip(placement) {
        match *sensed {
            Sensed::Empty => {}
            Sensed::Piece(piece) => board.set_piece_at(square, piece),
            Sensed::Side(_) | Sensed::Occupied => return None,
        }
    }
    Some(board)
}

fn earlier(a: Option<Millis>, b: Option<Millis>) -> Option<Millis> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The only clock: monotonic milliseconds since the board's time 0, over restarts too.
struct Clock {
    started: Instant,
    base: Millis,
}

impl Clock {
    fn new() -> Clock {
        Clock { started: Instant::now(), base: 0 }
    }

    /// Goes on from a game whose time 0 was then and whose last event was `last` ms later. It goes on from there if the time
    /// of day went backwards meanwhile.
    fn resumed(epoch_wall_ms: i64, last: Millis) -> Clock {
        let since = unix_ms().saturating_sub(epoch_wall_ms);
        Clock { started: Instant::now(), base: Millis::try_from(since).unwrap_or(0).max(last + 1) }
    }

    fn now(&self) -> Millis {
        self.base + self.started.elapsed().as_millis() as Millis
    }

    /// When it will be this late.
    fn instant(&self, at: Millis) -> Instant {
        self.started + Duration::from_millis(at.saturating_sub(self.base))
    }

    /// The time of day at time 0, as the time of day is known now.
    fn epoch_wall_ms(&self) -> i64 {
        unix_ms().saturating_sub_unsigned(self.now())
    }
}

/// Milliseconds since 1970-01-01 UTC.
fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as i64
}
