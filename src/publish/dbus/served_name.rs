//! One name on one connection: its registered objects and its signals.

use super::administrator::AdministratorObject;
use super::arbiter::ArbiterObject;
use super::board::{BoardObject, ClockObject};
use super::controlled_game::ControlledGame;
use super::game::GameObject;
use super::manager::ManagerObject;
use super::operator::OperatorObject;
use super::registered_interfaces::{BLUETOOTH, MOVES, RegisteredInterfaces};
use super::tree::{IntrospectableObject, ListObject, ParentObject};
use super::{Stream, game, values};
use crate::daemon::Source;
use crate::daemon::hub::feed::{Received, UpdateFeed};
use crate::daemon::hub::{BoardId, GameView, Published, Update};
use crate::game::{Event, StampedEvent};
use crate::names;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tracing::{debug, warn};
use zbus::Connection;
use zbus::fdo::{ObjectManager, RequestNameFlags};
use zbus::names::BusName;
use zbus::object_server::Interface;

/// One name on one connection.
pub(super) struct ServedName {
    source: Source,
    administrator: Option<AdministratorObject>,
    stream: Stream,
    connection: Connection,
    /// The registered objects. The value is the number of the last published event for a game, and 1 for a board that has a clock.
    objects: BTreeMap<Object, u64>,
    interfaces: RegisteredInterfaces,
    /// Objects whose property changes have not been published yet.
    dirty_objects: BTreeSet<Object>,
    /// Games whose change of `Moves` has not been published yet.
    games_with_new_moves: BTreeSet<u64>,
    /// The incarnation of the journal, which is a property of every game.
    incarnation: String,
}

impl ServedName {
    /// Creates a name without registered objects.
    pub(super) fn new(
        source: Source,
        stream: Stream,
        administrator: Option<AdministratorObject>,
        connection: Connection,
    ) -> ServedName {
        let incarnation = source.incarnation();
        let (objects, interfaces) = (BTreeMap::new(), RegisteredInterfaces::new(connection.clone()));
        ServedName {
            source,
            administrator,
            stream,
            connection,
            objects,
            interfaces,
            dirty_objects: BTreeSet::new(),
            games_with_new_moves: BTreeSet::new(),
            incarnation,
        }
    }

    /// Registers the objects and requests the name; only then are the objects announced. A bus policy that matches on the name
    /// would not restrict signals sent earlier. No call sees a partial set of objects.
    ///
    /// When the ObjectManager is added, zbus reads the properties of all objects, announces them, and answers no call meanwhile. So
    /// the list of games, which always exists, is kept locked until the name is ours.
    pub(super) async fn register_and_request_name(&mut self) -> zbus::Result<()> {
        if let Source::Live(hub) = &self.source {
            let manager = ManagerObject { hub: Arc::clone(hub), stream: self.stream };
            self.interfaces.add(names::ROOT_PATH, manager).await?;
        }
        if let Some(administrator) = self.administrator.clone() {
            self.interfaces.add(names::ROOT_PATH, administrator).await?;
        }
        self.sync_objects(SignalStart::Now).await?;
        self.register_branches().await?;
        let server = self.connection.object_server();
        let name = async {
            self.connection.request_name_with_flags(self.stream.name(), RequestNameFlags::DO_NOT_QUEUE).await.map(drop)
        };
        let manager = async { server.at(names::ROOT_PATH, ObjectManager).await.map(drop) };
        let games = server.interface::<_, ListObject>(names::GAMES_PATH).await?;
        let games_guard = games.get_mut().await;
        tokio::try_join!(manager, async { name.await.map(|()| drop(games_guard)) })?;
        Ok(())
    }

    /// Sends the signals of `first` and of all updates queued behind it, and records which properties may have changed. Properties are
    /// read live, so a client that reads them after a signal sees them as the event left them.
    pub(super) async fn publish_updates(&mut self, first: Received, updates: &mut UpdateFeed) -> zbus::Result<SignalSource> {
        let mut signal_source = SignalSource::Properties;
        let mut next = Some(first);
        while let Some(received) = next {
            match received {
                Received::Update(Update::Event(published)) => {
                    self.publish_event(&published).await?;
                    if published.stamped.number.is_some() {
                        signal_source = SignalSource::Signals;
                    }
                }
                Received::Update(Update::Board(board)) if self.stream.is_live() => {
                    // A game that moved here from another board is announced together with its board.
                    let game = self.source.read(|state| state.boards.get(&board).and_then(|view| view.game));
                    let is_new = |object| !self.objects.contains_key(&object);
                    if is_new(Object::Board(board.clone())) || game.is_some_and(|game| is_new(Object::Game(game))) {
                        self.sync_objects(SignalStart::AtTheStart).await?;
                        self.dirty_objects.insert(Object::Manager);
                    }
                    self.dirty_objects.insert(Object::Board(board));
                }
                Received::Update(Update::Health | Update::Desk) => {
                    self.dirty_objects.insert(Object::Manager);
                    let incarnation = self.source.incarnation();
                    if self.incarnation != incarnation {
                        self.incarnation = incarnation;
                        self.dirty_objects
                            .extend(self.objects.keys().filter(|object| matches!(object, Object::Game(_))).cloned());
                    }
                }
                Received::Update(Update::Bluetooth) => {
                    self.dirty_objects.insert(Object::BluetoothSearch);
                }
                // They are read by a method.
                Received::Update(Update::Machines) => {}
                Received::Update(Update::Board(_)) => self.sync_objects(SignalStart::Now).await?,
                Received::Missed(missed) => {
                    debug!("{} missed {missed} messages", self.stream.name());
                    self.replay_missed_signals().await?;
                    self.dirty_objects.extend(self.objects.keys().cloned().chain([Object::Manager, Object::BluetoothSearch]));
                    self.games_with_new_moves.extend(self.objects.keys().filter_map(Object::game));
                    signal_source = SignalSource::Signals;
                }
            }
            next = updates.try_next();
        }
        Ok(signal_source)
    }

    async fn publish_event(&mut self, published: &Published) -> zbus::Result<()> {
        let event = &published.stamped.event;
        match event {
            Event::GameStarted { .. } => {
                // The previous game is finished now.
                self.dirty_objects.extend(self.objects.keys().filter(|object| matches!(object, Object::Game(_))).cloned());
                self.dirty_objects.extend([Object::Board(published.board.clone()), Object::Manager]);
                self.sync_objects(SignalStart::AtTheStart).await?;
            }
            Event::Touched { square, before, now } if self.stream == Stream::Live => {
                let body = (square.to_string(), values::sensed_value(*before), values::sensed_value(*now), published.wall_ms);
                let path = names::board_path(published.board.as_str());
                self.connection.emit_signal(None::<BusName>, path, names::BOARD_INTERFACE, "Touched", &body).await?;
            }
            Event::Clock { .. } | Event::Displaced { .. } | Event::Battery(_) | Event::Link(_) => {
                self.sync_clocks().await?;
                self.dirty_objects.insert(Object::Board(published.board.clone()));
            }
            _ => {}
        }
        if let (Some(game), Some(number)) = (published.game, published.stamped.number) {
            self.emit_durable(game, number, published.wall_ms, &published.stamped).await?;
            self.dirty_objects.insert(Object::Game(game));
            if changes_moves(event) {
                self.games_with_new_moves.insert(game);
            }
        }
        Ok(())
    }

    /// Publishes all property changes since the last call, once per object.
    pub(super) async fn announce_changes(&mut self) -> zbus::Result<()> {
        for object in std::mem::take(&mut self.dirty_objects) {
            self.announce_object(object).await?;
        }
        Ok(())
    }

    /// Sends the signal of a durable event, unless it was already sent.
    async fn emit_durable(&mut self, game: u64, number: u64, time: i64, stamped: &StampedEvent) -> zbus::Result<()> {
        let Some(last) = self.objects.get_mut(&Object::Game(game)) else { return Ok(()) };
        if number <= *last {
            return Ok(());
        }
        *last = number;
        let wall_ms = |at| time.saturating_sub_unsigned(stamped.at.saturating_sub(at));
        let is_start = matches!(stamped.event, Event::GameStarted { .. });
        let Some(signal) = values::signal_value(&stamped.event, self.stream, &wall_ms).filter(|_| !is_start) else {
            return Ok(());
        };
        let body = game::signal_arguments(number, time, signal.fields)?;
        self.connection.emit_signal(None::<BusName>, names::game_path(game), signal.interface, signal.name, &body).await
    }

    /// Sends the signals that were missed.
    async fn replay_missed_signals(&mut self) -> zbus::Result<()> {
        self.sync_objects(SignalStart::AtTheStart).await?;
        let games: Vec<(u64, u64)> = self.objects.iter().filter_map(|(object, last)| Some((object.game()?, *last))).collect();
        for (id, last) in games {
            let events = match self.source.since(id, last) {
                Ok(events) => events,
                Err(error) => {
                    // The log is not delayed, but the public must not yet learn which game this is.
                    debug!("game {id}: {error}");
                    warn!("events that D-Bus clients missed could not be read: the clients must call Since");
                    continue;
                }
            };
            for stamped in events {
                let Some(number) = stamped.number else { continue };
                let time = self.source.read(|state| state.games.get(&id).map_or(0, |game| game.wall_ms(stamped.at)));
                self.emit_durable(id, number, time, &stamped).await?;
            }
        }
        Ok(())
    }

    /// Registers and removes objects until the bus matches the state. Signals of new games start at `begin`.
    async fn sync_objects(&mut self, start: SignalStart) -> zbus::Result<()> {
        let (boards, games) = self.source.read(|state| {
            let boards: Vec<BoardId> = state.boards.keys().cloned().collect();
            let last = |game: &GameView| match start {
                SignalStart::Now => game.record.last_number,
                SignalStart::AtTheStart => 0,
            };
            let games: BTreeMap<u64, u64> = state.games.values().map(|game| (game.id, last(game))).collect();
            (boards, games)
        });
        let stream = self.stream;
        if let Source::Live(hub) = self.source.clone() {
            for id in boards {
                if self.objects.contains_key(&Object::Board(id.clone())) {
                    continue;
                }
                self.interfaces
                    .add(&names::board_path(id.as_str()), BoardObject { hub: Arc::clone(&hub), id: id.clone(), stream })
                    .await?;
                self.objects.insert(Object::Board(id), 0);
                self.dirty_objects.extend([Object::List(ParentObject::Boards), Object::Manager]);
            }
            self.sync_clocks().await?;
        }
        let removed: Vec<u64> = self.objects.keys().filter_map(Object::game).filter(|id| !games.contains_key(id)).collect();
        for id in removed {
            self.dirty_objects.insert(Object::List(ParentObject::Games));
            self.objects.remove(&Object::Game(id));
            let path = names::game_path(id);
            if self.stream == Stream::Live {
                self.interfaces.remove::<ArbiterObject>(&path).await?;
            }
            if self.stream.is_live() {
                self.interfaces.remove::<OperatorObject>(&path).await?;
            }
            self.interfaces.remove::<GameObject>(&path).await?;
        }
        for (id, last) in games {
            if self.objects.contains_key(&Object::Game(id)) {
                continue;
            }
            let path = names::game_path(id);
            if let Source::Live(hub) = &self.source {
                let game = ControlledGame { hub: Arc::clone(hub), game: id, stream };
                if stream == Stream::Live {
                    self.interfaces.add(&path, ArbiterObject(game.clone())).await?;
                }
                self.interfaces.add(&path, OperatorObject(game)).await?;
            }
            self.interfaces.add(&path, GameObject { source: self.source.clone(), id, stream: self.stream }).await?;
            self.objects.insert(Object::Game(id), last);
            self.dirty_objects.insert(Object::List(ParentObject::Games));
        }
        Ok(())
    }

    /// Registers the objects that have child objects: those that list their children get an interface for it, and each gets our own
    /// introspection instead of zbus's. This must happen before the ObjectManager is added, because that would announce the removal
    /// of an interface.
    async fn register_branches(&mut self) -> zbus::Result<()> {
        for &branch in ParentObject::of(self.stream) {
            let path = branch.path();
            if matches!(branch, ParentObject::Boards | ParentObject::Games) {
                self.interfaces.add(path, ListObject { branch, source: self.source.clone(), stream: self.stream }).await?;
            }
        }
        let server = self.connection.object_server();
        for &branch in ParentObject::of(self.stream) {
            // zbus gives every object an Introspectable interface.
            server.remove_named(branch.path(), IntrospectableObject::name()).await?;
            let (source, stream, administrator) = (self.source.clone(), self.stream, self.administrator.clone());
            server.at(branch.path(), IntrospectableObject { branch, source, stream, administrator }).await?;
        }
        Ok(())
    }

    /// Adds the Clock interface to boards that have a clock, and removes it from those that do not.
    async fn sync_clocks(&mut self) -> zbus::Result<()> {
        let Source::Live(hub) = self.source.clone() else { return Ok(()) };
        let clocks: Vec<(BoardId, bool)> =
            hub.read(|state| state.boards.values().map(|board| (board.id.clone(), board.clock.is_some())).collect());
        for (id, present) in clocks {
            let object = Object::Board(id.clone());
            let path = names::board_path(id.as_str());
            match (self.objects.get(&object), present) {
                (Some(0), true) => self.interfaces.add(&path, ClockObject { hub: Arc::clone(&hub), id }).await?,
                (Some(1), false) => self.interfaces.remove::<ClockObject>(&path).await?,
                _ => continue,
            }
            self.objects.insert(object, u64::from(present));
        }
        Ok(())
    }

    /// Publishes the property changes of an object.
    async fn announce_object(&mut self, object: Object) -> zbus::Result<()> {
        match (&object, self.objects.get(&object).copied(), self.stream) {
            (Object::Manager, _, stream) if stream.is_live() => {
                self.interfaces.announce::<ManagerObject>(names::ROOT_PATH, &[]).await
            }
            (Object::BluetoothSearch, _, stream) if stream.is_live() => {
                self.interfaces.invalidate::<ManagerObject>(names::ROOT_PATH, BLUETOOTH).await
            }
            (Object::List(branch), _, _) if ParentObject::of(self.stream).contains(branch) => {
                self.interfaces.announce::<ListObject>(branch.path(), &[]).await
            }
            (Object::Board(id), Some(clock), _) => {
                let path = names::board_path(id.as_str());
                self.interfaces.announce::<BoardObject>(&path, &[]).await?;
                if clock == 1 { self.interfaces.announce::<ClockObject>(&path, &[]).await } else { Ok(()) }
            }
            (Object::Game(id), Some(_), stream) => {
                let path = names::game_path(*id);
                let moves: &[&str] = if self.games_with_new_moves.remove(id) { &[MOVES] } else { &[] };
                self.interfaces.announce::<GameObject>(&path, moves).await?;
                if stream == Stream::Live {
                    self.interfaces.announce::<ArbiterObject>(&path, &[]).await?;
                }
                if stream.is_live() { self.interfaces.announce::<OperatorObject>(&path, &[]).await } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}

/// An object whose properties may have changed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Manager,
    /// One property of the manager.
    BluetoothSearch,
    List(ParentObject),
    Board(BoardId),
    Game(u64),
}

impl Object {
    /// Returns the game's number, if the object is a game.
    fn game(&self) -> Option<u64> {
        if let Object::Game(id) = self { Some(*id) } else { None }
    }
}

/// Returns whether this event changes the property `Moves`.
fn changes_moves(event: &Event) -> bool {
    matches!(
        event,
        Event::MoveMade { .. } | Event::MoveCompleted { .. } | Event::MovesCorrected { .. } | Event::ClockRevised { .. }
    )
}

/// The event from which signals of a newly registered game start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignalStart {
    /// After the events that the game has when the name is acquired: new clients read those as properties.
    Now,
    /// At its first event: the game began while clients were listening, and may be moves ahead of the signals.
    AtTheStart,
}

/// How updates were published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignalSource {
    /// By a signal that clients wait for.
    Signals,
    /// By property changes at most.
    Properties,
}
