//! One WebSocket connection: calls in, replies and feeds out.
//!
//! The session remembers what it last sent about each board, and updates only signal that a board may have changed. So a client that
//! reads slowly misses intermediate states, but then receives the current one. Only this task waits for it.

use super::ServerState;
use super::allowance::Allowance;
use super::boards::{self, ClockReading};
use super::message::{self, Call};
use super::setup::{LineInput, Setup, SetupObservation, StaleSource};
use crate::boards::Millis;
use crate::daemon::hub::feed::Changes;
use crate::daemon::hub::{BoardId, BoardView, State};
use crate::daemon::{Stop, wait_for_stop};
use crate::game::Record;
use crate::game::caution::shows_clock;
use crate::game::event::Rotation;
use crate::publish::http::admission::ServingGuard;
use crate::publish::render::placement::sensed_placement;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use serde::Serialize;
use serde_json::Number;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, interval_at, sleep_until, timeout};

/// Maximum number of subscriptions of one connection: more than any hall has boards.
const MAX_FEEDS: usize = 512;
/// Maximum number of subscriptions of one connection to one board: a client may subscribe in the other orientation before it drops
/// the first subscription.
const MAX_FEEDS_OF_BOARD: usize = 2;
/// Write timeout: a client that accepts nothing for this time is disconnected, and connects again.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle timeout of a client without subscriptions and calls.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Interval of pings, which every WebSocket must answer (RFC 6455, 5.5.2).
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// Timeout after which a client that sends nothing is considered gone without having closed the connection.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(75);

struct Session {
    server: Arc<ServerState>,
    /// The origin of the times in milliseconds that decide when moves are settled.
    started: Instant,
    /// Notified by the lines of play that are followed for this client alone.
    changed: Arc<Notify>,
    /// The limits on those lines.
    allowance: Allowance,
    feeds: Vec<(Number, Feed)>,
}

/// A subscription to a board.
struct Feed {
    /// The board as the client named it.
    serial: String,
    board: BoardId,
    /// The orientation that the client requested; `None`: as detected.
    flip: Option<bool>,
    setup: Option<Setup>,
    sent: Option<SentBoardState>,
}

/// The state of a board as last sent to the client.
#[derive(Clone, Debug, PartialEq)]
struct SentBoardState {
    flipped: bool,
    board: Option<String>,
    clock: Option<ClockReading>,
    rebuilt: Option<SetupResult>,
}

/// The observed state of a board, before games are replayed for `setup`.
struct FeedObservation {
    /// These three fields are as in [`SentBoardState`].
    flipped: bool,
    board: Option<String>,
    clock: Option<ClockReading>,
    /// Whether `board` was read from the squares.
    is_shown: bool,
    /// The input for a line for this client alone; `None` if the public has a delay.
    source: Option<LineInput>,
    /// The source from which the moves since `setup` must be recomputed.
    stale_source: StaleSource,
    /// The record of the game on the board, if the moves must be recomputed from it.
    record: Option<Record>,
}

/// The result of `setup`.
#[derive(Clone, Debug, PartialEq)]
struct SetupResult {
    start: String,
    san: Vec<String>,
    matches: bool,
}

/// A change of a board; omitted fields are unchanged.
#[derive(Serialize)]
struct EBoardEvent<'a> {
    serialnr: &'a str,
    flipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<Option<&'a ClockReading>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<&'a [String]>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matches: Option<bool>,
}

/// Serves one client until it disconnects or has to leave. `busy` is held for as long as the client is served.
pub(super) async fn run(mut socket: WebSocket, server: Arc<ServerState>, guard: ServingGuard, mut stop: Stop) {
    let mut updates = server.source.subscribe();
    let changed = Arc::new(Notify::new());
    let allowance = Allowance::new(Arc::clone(&server.line_permits));
    let mut session = Session { server, started: Instant::now(), changed: Arc::clone(&changed), allowance, feeds: Vec::new() };
    // When the client last sent anything, and when it last sent a call.
    let (mut last_received, mut last_call) = (Instant::now(), Instant::now());
    let mut ping = interval_at(last_received + PING_INTERVAL, PING_INTERVAL);
    loop {
        let deadline = session.next_deadline();
        let out = tokio::select! {
            message = socket.recv() => {
                last_received = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => {
                        last_call = last_received;
                        session.handle_message(&text)
                    }
                    Some(Ok(Message::Binary(_))) => vec![message::error_reply(None, "a message must be text with a JSON object")],
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Vec::new(),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                }
            }
            first = updates.next() => match first.and_then(|first| updates.drain(Some(first))) {
                Some(Changes { boards, missed, .. }) => session.feed_events(|_, feed| missed || boards.contains(&feed.board)),
                None => break,
            },
            () = changed.notified() => session.feed_events(|_, feed| feed.setup.as_ref().is_some_and(Setup::has_client_line)),
            () = sleep_until(deadline.unwrap_or(last_received)), if deadline.is_some() => {
                let now = session.now();
                session.feed_events(|_, feed| feed.next_deadline().is_some_and(|due| due <= now))
            }
            _ = ping.tick() => {
                if !matches!(timeout(WRITE_TIMEOUT, socket.send(Message::Ping(Bytes::new()))).await, Ok(Ok(()))) {
                    return;
                }
                Vec::new()
            }
            () = sleep_until(last_received + SILENCE_TIMEOUT) => return,
            () = guard.evicted() => break,
            () = sleep_until(last_call + IDLE_TIMEOUT), if session.feeds.is_empty() => break,
            () = wait_for_stop(&mut stop) => break,
        };
        for text in out {
            if !matches!(timeout(WRITE_TIMEOUT, socket.send(Message::Text(text.into()))).await, Ok(Ok(()))) {
                return;
            }
        }
    }
    // Close cleanly if the client still listens.
    let _ = timeout(WRITE_TIMEOUT, socket.send(Message::Close(None))).await;
    drop(guard);
}

impl Session {
    fn now(&self) -> Millis {
        self.started.elapsed().as_millis() as Millis
    }

    /// Returns when the next move becomes settled, if nothing changes.
    fn next_deadline(&self) -> Option<Instant> {
        let due = self.feeds.iter().filter_map(|(_, feed)| feed.next_deadline()).min()?;
        Some(self.started + Duration::from_millis(due))
    }

    /// Handles a message; returns the replies to send, the direct reply first.
    fn handle_message(&mut self, text: &str) -> Vec<String> {
        let message::ParsedMessage { id, call } = message::parse_message(text);
        let id = id.as_ref();
        let outcome = call.and_then(|call| self.execute_call(id, call));
        outcome.unwrap_or_else(|error| vec![message::error_reply(id, &error)])
    }

    fn execute_call(&mut self, id: Option<&Number>, call: Call) -> Result<Vec<String>, String> {
        let server = Arc::clone(&self.server);
        let changed = match call {
            Call::Boards => {
                let boards = server.source.read(|state| boards::eboards(&server, state));
                return Ok(vec![message::reply(id, boards)]);
            }
            Call::Sources => {
                let sources = server.source.read(|state| boards::sources(&server, state));
                return Ok(vec![message::reply(id, sources)]);
            }
            Call::Unsubscribe { feed } => {
                self.feed(&feed)?;
                self.feeds.retain(|(known, _)| *known != feed);
                return Ok(vec![message::reply(id, ())]);
            }
            Call::Subscribe { feed, serial } => {
                let board = server.source.read(|state| boards::find_board(state, &serial).map(|board| board.id.clone()));
                let board = board.ok_or_else(|| format!("there is no board {serial:?}: call \"eboards\" lists the boards"))?;
                self.feeds.retain(|(known, _)| *known != feed);
                if self.feeds.len() >= MAX_FEEDS {
                    return Err(format!("there are {MAX_FEEDS} subscriptions already: unsubscribe from some"));
                }
                if self.feeds.iter().filter(|(_, known)| known.board == board).count() >= MAX_FEEDS_OF_BOARD {
                    return Err(format!(
                        "there are {MAX_FEEDS_OF_BOARD} subscriptions to board {serial:?} already: unsubscribe from one"
                    ));
                }
                self.feeds.push((feed.clone(), Feed { serial, board, flip: None, setup: None, sent: None }));
                feed
            }
            Call::Setup { feed, fen } => {
                let setup = Setup::parse(&fen, server.config.publish)
                    .map_err(|error| format!("this is not a valid position: {error}"))?;
                let known = self.feed(&feed)?;
                known.setup = Some(setup);
                // Forces the moves to be sent, even if they are the same.
                if let Some(sent) = &mut known.sent {
                    sent.rebuilt = None;
                }
                feed
            }
            Call::Flip { feed, flip } => {
                self.feed(&feed)?.flip = Some(flip);
                feed
            }
        };
        let mut out = vec![message::reply(id, ())];
        out.extend(self.feed_events(|id, _| *id == changed));
        Ok(out)
    }

    fn feed(&mut self, id: &Number) -> Result<&mut Feed, String> {
        let found = self.feeds.iter_mut().find(|(known, _)| known == id).map(|(_, feed)| feed);
        found.ok_or_else(|| format!("there is no subscription {id}: subscribe first"))
    }

    /// Returns messages for these subscriptions, where the state differs from what was last sent.
    fn feed_events(&mut self, is_wanted: impl Fn(&Number, &Feed) -> bool) -> Vec<String> {
        let server = &self.server;
        let wanted: Vec<&mut (Number, Feed)> = self.feeds.iter_mut().filter(|(id, feed)| is_wanted(id, feed)).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let (now, changed) = (self.started.elapsed().as_millis() as Millis, &self.changed);
        let observe = |state: &State| -> Vec<(&mut (Number, Feed), FeedObservation)> {
            wanted
                .into_iter()
                .filter_map(|entry| entry.1.observe(now, server, state, changed).map(|observation| (entry, observation)))
                .collect()
        };
        // Games are replayed after the lock on the state was released.
        let allowance = &mut self.allowance;
        let all = server.source.read(observe).into_iter();
        all.filter_map(|((id, feed), observation)| feed.next_event(id, now, observation, allowance)).collect()
    }
}

impl Feed {
    fn next_event(
        &mut self,
        id: &Number,
        now: Millis,
        observation: FeedObservation,
        allowance: &mut Allowance,
    ) -> Option<String> {
        let current = self.current_state(now, observation, allowance);
        let before = self.sent.as_ref();
        let clock_is_new = match (before.map(|before| &before.clock), &current.clock) {
            (Some(Some(before)), Some(current)) => !current.shows_same_times(before),
            (Some(before), current) => before != current,
            (None, _) => true,
        };
        let rebuilt = current.rebuilt.as_ref().filter(|_| before.is_none_or(|before| before.rebuilt != current.rebuilt));
        let event = EBoardEvent {
            serialnr: &self.serial,
            flipped: current.flipped,
            board: before.is_none_or(|before| before.board != current.board).then_some(current.board.as_deref()),
            clock: clock_is_new.then_some(current.clock.as_ref()),
            start: rebuilt.map(|rebuilt| rebuilt.start.as_str()),
            san: rebuilt.map(|rebuilt| rebuilt.san.as_slice()),
            matches: rebuilt.map(|rebuilt| rebuilt.matches),
        };
        let is_news = event.board.is_some()
            || event.clock.is_some()
            || rebuilt.is_some()
            || before.is_none_or(|before| before.flipped != current.flipped);
        let text = is_news.then(|| message::feed_event(id, event));
        if is_news {
            self.sent = Some(current);
        }
        text
    }

    /// Returns when the next move becomes settled, if nothing changes.
    fn next_deadline(&self) -> Option<Millis> {
        self.setup.as_ref().and_then(Setup::next_deadline)
    }

    /// Observes the state of the board; `None` if the board is gone.
    fn observe(&mut self, now: Millis, server: &ServerState, state: &State, changed: &Arc<Notify>) -> Option<FeedObservation> {
        let Some(board): Option<&BoardView> = state.boards.get(&self.board) else {
            self.setup.iter_mut().for_each(Setup::clear_observation);
            return None;
        };
        let (flip, is_turned) = (self.flip, boards::is_turned(board));
        let game = boards::game(state, board);
        let flipped = boards::is_flipped(board, flip);
        let clock_runs = if server.is_delayed() {
            game.is_some_and(|game| shows_clock(&game.record))
        } else {
            board.clock.as_ref().is_some_and(|clock| clock.running)
        };
        let observation =
            SetupObservation { game, squares: board.placement.as_ref(), sensing: board.sensing, clock_runs, flipped };
        let stale_source = self.setup.as_mut().map_or(StaleSource::UpToDate, |setup| setup.observe(now, observation));
        let rotation = board.rotation.unwrap_or(Rotation::Upright);
        let source = board.readings.as_ref().filter(|_| !server.is_delayed()).map(|readings| LineInput {
            readings: Arc::clone(readings),
            rotation: if flipped { rotation.other() } else { rotation },
            changed: Arc::clone(changed),
        });
        Some(FeedObservation {
            flipped: flip.unwrap_or(is_turned),
            board: boards::placement(state, board, flip),
            clock: boards::clock(server, state, board),
            is_shown: sensed_placement(board).is_some(),
            source,
            stale_source,
            record: game.filter(|_| stale_source == StaleSource::Record).map(|game| game.record.clone()),
        })
    }

    fn current_state(&mut self, now: Millis, observation: FeedObservation, allowance: &mut Allowance) -> SentBoardState {
        let FeedObservation { flipped, mut board, clock, is_shown, source, stale_source, record } = observation;
        let rebuilt = self.setup.as_mut().map(|setup| {
            match stale_source {
                StaleSource::UpToDate => {}
                StaleSource::Line => setup.update_moves_from_line(),
                StaleSource::Record => setup.update_moves_from_record(record.as_ref()),
            }
            setup.update_client_line(now, source, allowance);
            let moves = setup.moves();
            // If the squares do not identify pieces, the placement is that of the followed line.
            if let Some(line_placement) = moves.line_placement.as_ref().filter(|_| !is_shown) {
                board = Some(line_placement.clone());
            }
            let matches = board.as_ref() == Some(&moves.placement);
            SetupResult { start: setup.start.clone(), san: moves.san.clone(), matches }
        });
        SentBoardState { flipped, board, clock, rebuilt }
    }
}
