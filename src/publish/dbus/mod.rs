//! D-Bus: two names on two connections, see `config/dbus/*.xml` for what they offer.
//!
//! **Invariants:** zbus is named here and in [`super::client`] only. Objects are registered before a name is requested. The bus
//! may go away at any moment and come back at any other: games go on meanwhile, and everything is registered again.

mod arbiter;
mod board;
mod error;
mod game;
mod manager;
pub mod pgn;
mod values;

use self::arbiter::Arbiter;
use self::board::{Board, Clock};
pub use self::error::Error;
use self::game::Game;
use self::manager::Manager;
use crate::daemon::hub::{BoardId, GameView, News, Published, is_public};
use crate::daemon::journal::JournalError;
use crate::daemon::{Hub, Stop, stopped};
use crate::game::{Event, Stamped};
use crate::names;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tracing::{debug, info, warn};
use zbus::fdo::{DBusProxy, ObjectManager, RequestNameFlags};
use zbus::message::Header;
use zbus::names::BusName;
use zbus::object_server::{Interface, SignalEmitter};
use zbus::{Connection, OwnedVariant, connection};

/// Pauses between attempts to reach the bus.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// So long the stream for broadcast waits with its signals, and both with what changed in properties: a bus takes one message
/// after the other, and the arbiter's signals go first.
const GIVE_WAY: Duration = Duration::from_millis(1);

/// The property of a game that grows with it. What changes in it, signals tell.
const TOLD_BY_SIGNALS: &str = "Moves";

/// Which bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bus {
    /// The one of the user's session.
    Session,
    /// The one of the machine.
    System,
    /// The one that listens here, e.g. `unix:path=/run/bus`.
    Address(String),
}

impl Default for Bus {
    /// The session bus where there is one, else that of the machine.
    fn default() -> Bus {
        if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() { Bus::Session } else { Bus::System }
    }
}

/// Not a bus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no bus {0:?}: write session, system, or an address such as unix:path=/run/bus")]
pub struct NoSuchBus(String);

impl FromStr for Bus {
    type Err = NoSuchBus;

    /// `session`, `system`, or an address: a transport, a colon, and its keys (D-Bus specification, Server Addresses). Whether
    /// somebody listens there shows when it is connected to.
    fn from_str(text: &str) -> Result<Bus, NoSuchBus> {
        match text {
            "session" => Ok(Bus::Session),
            "system" => Ok(Bus::System),
            address if is_address(address) => Ok(Bus::Address(address.to_owned())),
            _ => Err(NoSuchBus(text.to_owned())),
        }
    }
}

/// Whether this may be the address of a bus, such as `unix:path=/run/bus`.
fn is_address(text: &str) -> bool {
    text.split_once(':').is_some_and(|(transport, keys)| !transport.is_empty() && (keys.is_empty() || keys.contains('=')))
}

impl fmt::Display for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bus::Session => f.write_str("the session bus"),
            Bus::System => f.write_str("the system bus"),
            Bus::Address(address) => write!(f, "the bus at {address}"),
        }
    }
}

impl Bus {
    pub(super) fn builder(&self) -> connection::Builder<'static> {
        match self {
            Bus::Session => connection::Builder::session(),
            Bus::System => connection::Builder::system(),
            Bus::Address(address) => connection::Builder::address(address.clone().as_str()),
        }
    }
}

/// Which of the two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// [`names::BUS_NAME`]: everything, for the arbiter and the operator.
    Live,
    /// [`names::BROADCAST_NAME`]: games, without what is for the arbiter alone.
    Broadcast,
}

impl Stream {
    /// The bus name.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Live => names::BUS_NAME,
            Stream::Broadcast => names::BROADCAST_NAME,
        }
    }

    /// The number of the last event that this stream tells.
    fn last_number(self, game: &GameView) -> u64 {
        match self {
            Stream::Live => game.record.last_number,
            Stream::Broadcast => game.public,
        }
    }

    /// Whether it is a durable event of this stream.
    fn told_by_signal(self, news: &News) -> bool {
        matches!(news, News::Event(published) if self.number(published).is_some())
    }

    /// The number under which this stream tells an event; `None`: it does not.
    fn number(self, published: &Published) -> Option<u64> {
        match self {
            Stream::Live => published.stamped.number,
            Stream::Broadcast => published.public,
        }
    }

    /// The events of a game after this number, with the numbers of this stream, as far as its properties have come: what is in
    /// the journal already and in them not yet is news still to be told.
    fn history(self, hub: &Hub, game: u64, after: u64) -> Result<Vec<(u64, Stamped)>, JournalError> {
        let first = match self {
            Stream::Live => after,
            Stream::Broadcast => 0,
        };
        let last = hub.read(|state| state.games.get(&game).map_or(0, |game| self.last_number(game)));
        let events = hub.since(game, first)?.into_iter();
        let mut numbered: Vec<(u64, Stamped)> = match self {
            Stream::Live => events.filter_map(|event| Some((event.number?, event))).collect(),
            Stream::Broadcast => (1..).zip(events.filter(|event| is_public(&event.event))).collect(),
        };
        numbered.retain(|(number, _)| after < *number && *number <= last);
        Ok(numbered)
    }
}

/// How it stands between us and the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Not tried yet.
    Unknown,
    /// The name is held.
    Held,
    /// It is not, and this is why.
    Away(String),
}

/// Serves one name for ever, whatever becomes of the bus; ends after `stop`, once everything published before has been told.
pub async fn run(hub: Arc<Hub>, bus: Bus, stream: Stream, presence: watch::Sender<Presence>, mut stop: Stop) {
    let mut pause = RETRY.0;
    loop {
        let outcome = serve(&hub, &bus, stream, &presence, &mut stop).await;
        if presence.send_replace(Presence::Unknown) == Presence::Held {
            pause = RETRY.0;
        }
        let why = match outcome {
            Ok(()) => return,
            Err(zbus::Error::NameTaken) => {
                format!("{} is owned by another process on {bus}: stop that one, or use another bus with --bus", stream.name())
            }
            Err(why) => format!("{bus} is not there ({why}): games go on, and it is tried again"),
        };
        if pause == RETRY.0 {
            warn!("{why}");
        } else {
            debug!("{why}");
        }
        presence.send_replace(Presence::Away(why));
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(RETRY.1);
    }
}

/// From connecting until the connection is lost (an error) or `stop` (Ok).
async fn serve(
    hub: &Arc<Hub>,
    bus: &Bus,
    stream: Stream,
    presence: &watch::Sender<Presence>,
    stop: &mut Stop,
) -> zbus::Result<()> {
    let connection = bus.builder().build().await?;
    // Subscribed before the state is read: nothing is missed between the two.
    let mut news = hub.subscribe();
    let mut face = Face {
        hub: Arc::clone(hub),
        stream,
        connection: connection.clone(),
        objects: BTreeMap::new(),
        known: HashMap::new(),
        changed: BTreeSet::new(),
    };
    if stream == Stream::Live {
        face.add(names::ROOT_PATH, Manager { hub: Arc::clone(hub) }).await?;
    }
    face.register(Begin::Now).await?;
    face.appear().await?;
    info!("{} is served on {bus}", stream.name());
    presence.send_replace(Presence::Held);
    let mut announcing = None;
    loop {
        let later = async {
            match announcing {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            first = news.recv() => {
                if stream == Stream::Broadcast && first.as_ref().is_ok_and(|news| stream.told_by_signal(news)) {
                    tokio::time::sleep(GIVE_WAY).await;
                }
                if face.tell(first, &mut news).await? == Told::Signals {
                    announcing.get_or_insert_with(|| Instant::now() + GIVE_WAY);
                } else if announcing.is_none() {
                    face.announce_changes().await?;
                }
            }
            () = later => {
                announcing = None;
                face.announce_changes().await?;
            }
            () = connection.closed() => return Err(zbus::Error::InputOutput(Arc::new(std::io::ErrorKind::ConnectionReset.into()))),
            () = stopped(stop) => break,
        }
    }
    face.announce_changes().await?;
    connection.close().await
}

/// What a piece of news was told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// A signal that clients wait for.
    Signals,
    /// At most by what changed in properties.
    Properties,
}

/// From where on signals tell of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// From what it has when the name is taken: whoever comes reads what was before.
    Now,
    /// From its first event: it began while clients listen, and may be moves ahead of what they were told.
    AtTheStart,
}

/// An object that may have changed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Manager,
    Board(BoardId),
    Game(u64),
}

/// One name on one connection.
struct Face {
    hub: Arc<Hub>,
    stream: Stream,
    connection: Connection,
    /// What is registered, and of a game the number of the last event told, of a board 1 if it has a clock.
    objects: BTreeMap<Object, u64>,
    /// The properties as they were told last, by path and interface.
    known: HashMap<(String, String), HashMap<String, OwnedVariant>>,
    /// Objects of which clients have not been told yet what changed in their properties.
    changed: BTreeSet<Object>,
}

impl Face {
    /// Takes the name, and tells of the objects only then: what is sent before is not held back by a bus policy that goes by
    /// the name. Nor does a call find them half told.
    ///
    /// zbus tells of all objects when the ObjectManager is added, after it has read their properties, and answers no call
    /// meanwhile. So one of them is held until the name is ours.
    async fn appear(&self) -> zbus::Result<()> {
        let server = self.connection.object_server();
        let name = async {
            self.connection.request_name_with_flags(self.stream.name(), RequestNameFlags::DO_NOT_QUEUE).await.map(drop)
        };
        let manager = async { server.at(names::ROOT_PATH, ObjectManager).await.map(drop) };
        match self.objects.keys().next() {
            Some(Object::Board(id)) => {
                let board = server.interface::<_, Board>(names::board_path(id.as_str())).await?;
                let held = board.get_mut().await;
                tokio::try_join!(manager, async { name.await.map(|()| drop(held)) })?;
            }
            Some(Object::Game(id)) => {
                let game = server.interface::<_, Game>(names::game_path(*id)).await?;
                let held = game.get_mut().await;
                tokio::try_join!(manager, async { name.await.map(|()| drop(held)) })?;
            }
            // There is nothing to tell.
            Some(Object::Manager) | None => {
                manager.await?;
                name.await?;
            }
        }
        Ok(())
    }

    /// Sends the signals of one piece of news and of all that wait behind it, and notes of what the properties may have
    /// changed. Properties are read live, so whoever reads them after a signal finds them as the event left them.
    async fn tell(
        &mut self,
        first: Result<News, broadcast::error::RecvError>,
        news: &mut broadcast::Receiver<News>,
    ) -> zbus::Result<Told> {
        let mut told = Told::Properties;
        let mut next = first;
        loop {
            match next {
                Ok(News::Event(published)) => {
                    self.event(&published).await?;
                    if self.stream.number(&published).is_some() {
                        told = Told::Signals;
                    }
                }
                Ok(News::Board(board)) if self.stream == Stream::Live => {
                    if !self.objects.contains_key(&Object::Board(board.clone())) {
                        self.register(Begin::AtTheStart).await?;
                    }
                    self.changed.insert(Object::Board(board));
                }
                Ok(News::Trouble) => drop(self.changed.insert(Object::Manager)),
                Ok(News::Board(_)) => {}
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    debug!("{} fell {missed} news behind", self.stream.name());
                    self.catch_up().await?;
                    self.changed.extend(self.objects.keys().cloned());
                    told = Told::Signals;
                }
                Err(broadcast::error::RecvError::Closed) => return std::future::pending().await,
            }
            next = match news.try_recv() {
                Ok(news) => Ok(news),
                Err(broadcast::error::TryRecvError::Lagged(missed)) => Err(broadcast::error::RecvError::Lagged(missed)),
                Err(_) => break,
            };
        }
        Ok(told)
    }

    async fn event(&mut self, published: &Published) -> zbus::Result<()> {
        let event = &published.stamped.event;
        match event {
            Event::GameStarted { .. } => {
                // The game before it is finished now.
                self.changed.extend(self.objects.keys().filter(|object| matches!(object, Object::Game(_))).cloned());
                self.changed.insert(Object::Board(published.board.clone()));
                self.register(Begin::AtTheStart).await?;
            }
            Event::Touched { square, before, now } if self.stream == Stream::Live => {
                let body = (square.to_string(), values::sensed(*before), values::sensed(*now), published.wall_ms);
                let path = names::board_path(published.board.as_str());
                self.connection.emit_signal(None::<BusName>, path, names::BOARD_INTERFACE, "Touched", &body).await?;
            }
            Event::Clock { .. } | Event::Displaced { .. } | Event::Battery(_) | Event::Link(_) => {
                self.register_clocks().await?;
                self.changed.insert(Object::Board(published.board.clone()));
            }
            _ => {}
        }
        if let (Some(game), Some(number)) = (published.game, self.stream.number(published)) {
            self.signal(game, number, published.wall_ms, &published.stamped).await?;
            self.changed.insert(Object::Game(game));
        }
        Ok(())
    }

    /// Tells what changed in properties, once for all that happened since it was told last.
    async fn announce_changes(&mut self) -> zbus::Result<()> {
        for object in std::mem::take(&mut self.changed) {
            self.properties(object).await?;
        }
        Ok(())
    }

    /// Sends the signal of a durable event, unless it was sent before.
    async fn signal(&mut self, game: u64, number: u64, time: i64, stamped: &Stamped) -> zbus::Result<()> {
        let Some(last) = self.objects.get_mut(&Object::Game(game)) else { return Ok(()) };
        if number <= *last {
            return Ok(());
        }
        *last = number;
        let wall = |at| time.saturating_sub_unsigned(stamped.at.saturating_sub(at));
        let begins = matches!(stamped.event, Event::GameStarted { .. });
        let Some(told) = values::told(&stamped.event, &wall).filter(|_| !begins) else { return Ok(()) };
        let body = game::arguments(number, time, told.fields)?;
        self.connection.emit_signal(None::<BusName>, names::game_path(game), told.interface, told.name, &body).await
    }

    /// Tells the signals that were missed.
    async fn catch_up(&mut self) -> zbus::Result<()> {
        self.register(Begin::AtTheStart).await?;
        let games: Vec<(u64, u64)> = self
            .objects
            .iter()
            .filter_map(|(object, last)| if let Object::Game(id) = object { Some((*id, *last)) } else { None })
            .collect();
        for (id, last) in games {
            let events = match self.stream.history(&self.hub, id, last) {
                Ok(events) => events,
                Err(why) => {
                    warn!("what D-Bus clients missed of game {id} could not be read ({why}): they have to call Since");
                    continue;
                }
            };
            for (number, stamped) in events {
                let time = self.hub.read(|state| state.games.get(&id).map_or(0, |game| game.wall_ms(stamped.at)));
                self.signal(id, number, time, &stamped).await?;
            }
        }
        Ok(())
    }

    /// Makes the objects on the bus those of the state, games with signals from `begin` on.
    async fn register(&mut self, begin: Begin) -> zbus::Result<()> {
        let (boards, games) = self.hub.read(|state| {
            let boards: Vec<BoardId> = state.boards.keys().cloned().collect();
            let last = |game: &GameView| match begin {
                Begin::Now => self.stream.last_number(game),
                Begin::AtTheStart => 0,
            };
            let games: BTreeMap<u64, u64> = state.games.values().map(|game| (game.id, last(game))).collect();
            (boards, games)
        });
        if self.stream == Stream::Live {
            for id in boards {
                if self.objects.contains_key(&Object::Board(id.clone())) {
                    continue;
                }
                self.add(&names::board_path(id.as_str()), Board { hub: Arc::clone(&self.hub), id: id.clone() }).await?;
                self.objects.insert(Object::Board(id), 0);
            }
            self.register_clocks().await?;
        }
        let gone: Vec<u64> = self
            .objects
            .keys()
            .filter_map(|object| if let Object::Game(id) = object { Some(*id) } else { None })
            .filter(|id| !games.contains_key(id))
            .collect();
        for id in gone {
            self.objects.remove(&Object::Game(id));
            let path = names::game_path(id);
            if self.stream == Stream::Live {
                self.remove::<Arbiter>(&path).await?;
            }
            self.remove::<Game>(&path).await?;
        }
        for (id, last) in games {
            if self.objects.contains_key(&Object::Game(id)) {
                continue;
            }
            let path = names::game_path(id);
            if self.stream == Stream::Live {
                self.add(&path, Arbiter { hub: Arc::clone(&self.hub), game: id }).await?;
            }
            self.add(&path, Game { hub: Arc::clone(&self.hub), id, stream: self.stream }).await?;
            self.objects.insert(Object::Game(id), last);
        }
        Ok(())
    }

    /// A board has the Clock interface while it has a clock.
    async fn register_clocks(&mut self) -> zbus::Result<()> {
        if self.stream != Stream::Live {
            return Ok(());
        }
        let clocks: Vec<(BoardId, bool)> =
            self.hub.read(|state| state.boards.values().map(|board| (board.id.clone(), board.clock.is_some())).collect());
        for (id, present) in clocks {
            let object = Object::Board(id.clone());
            let path = names::board_path(id.as_str());
            match (self.objects.get(&object), present) {
                (Some(0), true) => self.add(&path, Clock { hub: Arc::clone(&self.hub), id }).await?,
                (Some(1), false) => self.remove::<Clock>(&path).await?,
                _ => continue,
            }
            self.objects.insert(object, u64::from(present));
        }
        Ok(())
    }

    /// Registers an interface. What is known of its properties is from before clients are told of them: what changes while they
    /// are told is told again rather than never.
    async fn add<I: Interface>(&mut self, path: &str, interface: I) -> zbus::Result<()> {
        let server = self.connection.object_server();
        let emitter = SignalEmitter::new(&self.connection, path.to_owned())?;
        let mut properties = interface.get_all(server, &self.connection, None, &emitter).await?;
        properties.remove(TOLD_BY_SIGNALS);
        self.known.insert((path.to_owned(), interface_name::<I>()), properties);
        server.at(path, interface).await.map(drop)
    }

    async fn remove<I: Interface>(&mut self, path: &str) -> zbus::Result<()> {
        self.known.remove(&(path.to_owned(), interface_name::<I>()));
        self.connection.object_server().remove::<I, _>(path).await.map(drop)
    }

    /// Tells what changed in the properties of an object.
    async fn properties(&mut self, object: Object) -> zbus::Result<()> {
        match (&object, self.objects.get(&object).copied(), self.stream) {
            (Object::Manager, _, Stream::Live) => self.announce::<Manager>(names::ROOT_PATH).await,
            (Object::Board(id), Some(clock), _) => {
                let path = names::board_path(id.as_str());
                self.announce::<Board>(&path).await?;
                if clock == 1 { self.announce::<Clock>(&path).await } else { Ok(()) }
            }
            (Object::Game(id), Some(_), stream) => {
                let path = names::game_path(*id);
                self.announce::<Game>(&path).await?;
                if stream == Stream::Live { self.announce::<Arbiter>(&path).await } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    async fn announce<I: Interface>(&mut self, path: &str) -> zbus::Result<()> {
        let changes = self.changes::<I>(path).await?;
        if changes.is_empty() {
            return Ok(());
        }
        let body = (interface_name::<I>(), changes, Vec::<String>::new());
        let properties = "org.freedesktop.DBus.Properties";
        self.connection.emit_signal(None::<BusName>, path, properties, "PropertiesChanged", &body).await
    }

    /// The properties whose values are not what was told last.
    async fn changes<I: Interface>(&mut self, path: &str) -> zbus::Result<HashMap<String, OwnedVariant>> {
        let server = self.connection.object_server();
        let interface = server.interface::<_, I>(path).await?;
        let (properties, emitter) = (interface.get().await, interface.signal_emitter());
        let mut changes = HashMap::new();
        // One by one: all of them would take the longer the longer a game is.
        for (name, known) in self.known.get_mut(&(path.to_owned(), interface_name::<I>())).into_iter().flatten() {
            if let Some(Ok(now)) = properties.get(name, server, &self.connection, None, emitter).await
                && *known != now
            {
                changes.insert(name.clone(), now.try_clone()?);
                *known = now;
            }
        }
        Ok(changes)
    }
}

fn interface_name<I: Interface>() -> String {
    I::name().to_string()
}

/// Who called, as far as the bus knows: `user 1000 over D-Bus`.
async fn caller(header: &Header<'_>, connection: &Connection) -> String {
    let user = async {
        let sender = header.sender()?.to_owned();
        DBusProxy::new(connection).await.ok()?.get_connection_unix_user(sender.into()).await.ok()
    };
    user.await.map_or_else(|| "somebody over D-Bus".to_owned(), |user| format!("user {user} over D-Bus"))
}
