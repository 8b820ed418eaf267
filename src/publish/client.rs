//! The client side of D-Bus, for `touchmovectl`: reads boards and games from a running touchmoved and follows its events.

mod administrator;
mod arguments;
mod error;
mod json;
mod reply;
mod snapshot;
mod watch;
mod wiring_test;

pub use administrator::{ConfigKey, LoginCode};
pub use error::{ClientError, is_service_installed};
pub use reply::{ClaimVerdict, CommandPreview, Reply};
pub use snapshot::{AlertInfo, BoardInfo, ClockInfo, GameInfo, MoveInfo, Snapshot};
pub use watch::{EventWatcher, WatchItem, WatchedEvent};

use crate::desk::DeskAct;
use crate::game::Command;
use crate::game::pgn::AfterIllegal;
use crate::game::rights::Role;
use crate::locale::Locale;
use crate::names;
use crate::publish::dbus::{Bus, Stream};
use crate::publish::desk::{DeskReport, ExportFormat, act_to_json};
use crate::publish::render::machines::MachineReport;
use crate::round::Round;
use crate::wire::{Word, command_to_value};
use arguments::arguments;
use json::variant_to_json;
use std::collections::HashMap;
use zbus::fdo::{self, DBusProxy, ObjectManagerProxy, PeerProxy};
use zbus::names::BusName;
use zbus::{Connection, OwnedVariant, Proxy, Variant};

/// A connection to a running touchmoved.
pub struct Client {
    connection: Connection,
    stream: Stream,
    bus: Bus,
}

/// What a client does if touchmoved is not running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfNotRunning {
    /// Calls the name, so that a bus that can activate touchmoved starts it.
    Activate,
    /// Does not start it.
    Fail,
}

impl Client {
    /// Connects to the first of these buses on which touchmoved runs.
    ///
    /// # Errors
    /// No bus can be reached, touchmoved runs on none of those that can, or this user may not call it.
    pub async fn connect(buses: &[Bus], stream: Stream, if_not_running: IfNotRunning) -> Result<Client, ClientError> {
        let (mut looked, mut first_error) = (Vec::new(), None);
        for bus in buses {
            match Client::connect_to_bus(bus, stream).await {
                Ok(client) if client.ensure_running(if_not_running).await? => return Ok(client),
                Ok(_) => looked.push(bus.clone()),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.filter(|_| looked.is_empty()).unwrap_or(ClientError::NotRunning { looked }))
    }

    /// Connects to the bus, whether or not touchmoved runs on it.
    pub async fn connect_to_bus(bus: &Bus, stream: Stream) -> Result<Client, ClientError> {
        match bus.builder().build().await {
            Ok(connection) => Ok(Client { connection, stream, bus: bus.clone() }),
            Err(error) => Err(ClientError::NoBus { bus: bus.clone(), error }),
        }
    }

    /// Returns the bus that the client is connected to.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Returns the stream that the client reads.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Returns whether touchmoved runs, that is, whether its name has an owner.
    pub async fn is_running(&self) -> zbus::Result<bool> {
        let name = BusName::try_from(self.stream.name())?;
        Ok(DBusProxy::new(&self.connection).await?.name_has_owner(name).await?)
    }

    /// Checks that this user may call touchmoved.
    ///
    /// # Errors
    /// [`ClientError::Denied`], or the connection is broken.
    pub async fn check_access(&self) -> Result<(), ClientError> {
        let peer = PeerProxy::new(&self.connection, self.stream.name(), names::ROOT_PATH).await;
        peer.map_err(ClientError::Broken)?.ping().await.map_err(|error| self.error(error))
    }

    /// Returns whether touchmoved runs, after starting it if `if_not_running` allows that and the bus can activate it.
    async fn ensure_running(&self, if_not_running: IfNotRunning) -> Result<bool, ClientError> {
        if self.is_running().await.map_err(ClientError::Broken)? {
            return Ok(true);
        }
        if if_not_running == IfNotRunning::Fail || !self.is_activatable().await.map_err(ClientError::Broken)? {
            return Ok(false);
        }
        match self.check_access().await {
            Ok(()) => Ok(true),
            Err(error @ ClientError::Denied { .. }) => Err(error),
            // It is disabled, or exited at once: the client treats it as not running.
            Err(_) => Ok(false),
        }
    }

    /// Returns whether the bus activates touchmoved when it is called.
    async fn is_activatable(&self) -> zbus::Result<bool> {
        let names = DBusProxy::new(&self.connection).await?.list_activatable_names().await?;
        Ok(names.iter().any(|name| name.as_str() == self.stream.name()))
    }

    /// Waits until the connection to the bus is closed.
    pub async fn closed(&self) {
        self.connection.closed().await;
    }

    /// Returns all boards and games.
    pub async fn snapshot(&self) -> Result<Snapshot, ClientError> {
        let manager = ObjectManagerProxy::new(&self.connection, self.stream.name(), names::ROOT_PATH);
        let objects = manager.await.map_err(|error| self.error(error))?.get_managed_objects().await;
        let mut snapshot = Snapshot::of(objects.map_err(|error| self.error(error.into()))?);
        if self.stream.is_live() {
            let manager = Proxy::new(&self.connection, self.stream.name(), names::ROOT_PATH, names::MANAGER_INTERFACE);
            let manager = manager.await.map_err(|error| self.error(error))?;
            snapshot.health_problems = manager.get_property("Problems").await.map_err(|error| self.error(error))?;
            // Older versions of touchmoved do not have these properties; the defaults are correct for them.
            snapshot.unused = manager.get_property("Unused").await.unwrap_or_default();
            snapshot.incarnation = manager.get_property("Incarnation").await.unwrap_or_default();
            snapshot.last_good = manager.get_property("LastGood").await.unwrap_or_default();
        }
        Ok(snapshot)
    }

    /// Returns a game as PGN; its moves end before the first illegal one.
    pub async fn pgn(&self, game: u64) -> Result<String, ClientError> {
        self.call(names::game_path(game), names::GAME_INTERFACE, "Pgn", &()).await
    }

    /// Returns a game as PGN, possibly as several PGN games, as `after` says.
    pub async fn pgn_with(&self, game: u64, after: AfterIllegal) -> Result<String, ClientError> {
        let options = HashMap::from([("irregular", Variant::from(after.word()))]);
        self.call(names::game_path(game), names::GAME_INTERFACE, "PgnWith", &options).await
    }

    /// Returns all events of a game, in the present incarnation of the journal.
    pub async fn events(&self, game: u64) -> Result<Vec<WatchedEvent>, ClientError> {
        self.events_since(game, 0, "").await
    }

    /// Returns the events of a game after `number`, which was read in this incarnation of the journal ([`GameInfo::incarnation`]).
    ///
    /// # Errors
    /// [`ClientError::OtherIncarnation`] if it is not the present incarnation. Read the snapshot again, and the game from number 0
    /// on.
    pub async fn events_since(&self, game: u64, number: u64, incarnation: &str) -> Result<Vec<WatchedEvent>, ClientError> {
        let events: Vec<(u64, i64, String, HashMap<String, OwnedVariant>)> =
            self.call(names::game_path(game), names::GAME_INTERFACE, "Since", &(number, incarnation)).await?;
        Ok(events
            .into_iter()
            .map(|(number, time, event, fields)| WatchedEvent {
                game: Some(game),
                board: None,
                number: Some(number),
                time: Some(time),
                event,
                fields: fields.iter().map(|(name, value)| (name.clone(), variant_to_json(value))).collect(),
            })
            .collect())
    }

    /// Returns an alert of a game in a language: heading, sentence, and what the Laws then require.
    pub async fn describe(&self, game: u64, id: u32, locale: Locale) -> Result<(String, String, Vec<String>), ClientError> {
        self.call(names::game_path(game), names::OPERATOR_INTERFACE, "Describe", &(id, locale.tag())).await
    }

    /// Sends a command for the game on its board. Returns the reply once the command is in the journal.
    pub async fn send_command(&self, game: u64, command: &Command) -> Result<Reply, ClientError> {
        let interface = match command.spec().right.role() {
            Role::Operator => names::OPERATOR_INTERFACE,
            Role::Arbiter | Role::Administrator => names::ARBITER_INTERFACE,
        };
        let proxy = Proxy::new(&self.connection, self.stream.name(), names::game_path(game), interface).await;
        if self.stream == Stream::Operator && !Role::Operator.has(command.spec().right) {
            return Err(ClientError::Refused("operators may not give this command: ask an arbiter".to_owned()));
        }
        let (proxy, method) = (proxy.map_err(|error| self.error(error))?, command.spec().method);
        let reply = match arguments(command) {
            Some(arguments) => proxy.call_method(method, &arguments).await,
            None => proxy.call_method(method, &()).await,
        };
        reply.and_then(|message| Reply::parse(command, &message)).map_err(|error| self.error(error))
    }

    /// Returns what a command would do to a game now. Nothing changes.
    pub async fn preview(&self, game: u64, command: &Command, locale: Locale) -> Result<CommandPreview, ClientError> {
        let command = command_to_value(command).to_string();
        let body = &(command, locale.tag());
        let reply = self.call(names::game_path(game), names::OPERATOR_INTERFACE, "Preview", body).await?;
        Ok(CommandPreview::new(reply))
    }

    /// As [`Client::send_command`], but only if nothing has happened in the game after its event `seen` that a person must know.
    pub async fn send_command_seen(&self, game: u64, command: &Command, seen: u64) -> Result<Reply, ClientError> {
        let body = &(command_to_value(command).to_string(), seen);
        let answer: String = self.call(names::game_path(game), names::OPERATOR_INTERFACE, "Execute", body).await?;
        Ok(Reply::from_json(&answer))
    }

    /// Begins a new game on this board from this position. Returns once that is in the journal.
    pub async fn set_position(&self, board: &str, fen: &str) -> Result<(), ClientError> {
        self.call(names::board_path(board), names::BOARD_INTERFACE, "SetPosition", &fen).await
    }

    /// Makes this board identify itself.
    pub async fn identify(&self, board: &str) -> Result<(), ClientError> {
        self.call(names::board_path(board), names::BOARD_INTERFACE, "Identify", &()).await
    }

    /// Returns the current round, and board and game at each playing table (empty and 0 where there is none).
    pub async fn round(&self) -> Result<(Option<Round>, Vec<(u16, String, u64)>), ClientError> {
        let proxy = Proxy::new(&self.connection, self.stream.name(), names::ROOT_PATH, names::MANAGER_INTERFACE).await;
        let proxy = proxy.map_err(|error| self.error(error))?;
        let round: String = proxy.get_property("Round").await.map_err(|error| self.error(error))?;
        let tables = proxy.get_property("Tables").await.map_err(|error| self.error(error))?;
        Ok((serde_json::from_str(&round).ok(), tables))
    }

    /// Returns the desk and what is known of this round; `None`: of the one that is played.
    pub async fn desk(&self, round: Option<u16>) -> Result<DeskReport, ClientError> {
        let report: String =
            self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "Desk", &round.unwrap_or(0)).await?;
        parse(&report)
    }

    /// Returns the machines of the hall, late ones first; empty unless touchmoved is the hub of a hall.
    pub async fn machines(&self) -> Result<Vec<MachineReport>, ClientError> {
        match self.call::<_, String>(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "Machines", &()).await {
            Ok(machines) => parse(&machines),
            // Older versions of touchmoved have no halls.
            Err(ClientError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Exports a round, in this format; `None`: the one that is played.
    pub async fn export(&self, format: ExportFormat, round: Option<u16>) -> Result<String, ClientError> {
        let arguments = (format.word(), round.unwrap_or(0));
        self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "Export", &arguments).await
    }

    /// Carries out an act at the desk.
    pub async fn change_desk(&self, act: &DeskAct) -> Result<(), ClientError> {
        self.change_seen_desk(act, None).await
    }

    /// Carries out an act that was decided on a report with this [`DeskReport::n`]; it is refused if others have changed the same
    /// since then.
    pub async fn change_seen_desk(&self, act: &DeskAct, seen: Option<u64>) -> Result<(), ClientError> {
        let act = act_to_json(act, seen).map_err(|error| ClientError::Refused(error.to_string()))?;
        self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "ChangeDesk", &act).await
    }

    /// Moves the game on a board to another one that shows its position.
    pub async fn exchange_board(&self, from: &str, to: &str) -> Result<(), ClientError> {
        self.call(names::ROOT_PATH.to_owned(), names::MANAGER_INTERFACE, "ExchangeBoard", &(from, to)).await
    }

    async fn call<B, R>(&self, path: String, interface: &'static str, method: &'static str, body: &B) -> Result<R, ClientError>
    where
        B: serde::Serialize + zbus::wire::DynamicType,
        R: for<'d> zbus::wire::DynamicDeserialize<'d>,
    {
        let proxy = Proxy::new(&self.connection, self.stream.name(), path, interface).await;
        proxy.map_err(|error| self.error(error))?.call(method, body).await.map_err(|error| self.error(error))
    }

    /// Follows all events from now on. To miss nothing, call this before reading the snapshot.
    pub async fn watch(&self) -> Result<EventWatcher, ClientError> {
        EventWatcher::begin(&self.connection, self.stream).await.map_err(ClientError::Broken)
    }

    fn error(&self, error: zbus::Error) -> ClientError {
        match &error {
            // Standard errors of the bus, for which zbus has a type.
            zbus::Error::FDO(known) => match **known {
                fdo::Error::AccessDenied(_) => ClientError::Denied { stream: self.stream },
                fdo::Error::UnknownObject(_) | fdo::Error::UnknownMethod(_) => {
                    ClientError::NotFound("there is no such game: `touchmovectl list` shows the games".to_owned())
                }
                _ => ClientError::Broken(error),
            },
            zbus::Error::MethodError(name, sentence, _) if name.as_str().starts_with(names::ERROR_PREFIX) => {
                let sentence = sentence.clone().unwrap_or_default();
                match name.as_str().strip_prefix(names::ERROR_PREFIX) {
                    Some(".OtherIncarnation") => ClientError::OtherIncarnation(sentence),
                    Some(".Unconfirmed") => ClientError::Unconfirmed(sentence),
                    _ => ClientError::Refused(sentence),
                }
            }
            _ => ClientError::Broken(error),
        }
    }
}

/// Parses JSON of touchmoved.
fn parse<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, ClientError> {
    serde_json::from_str(json)
        .map_err(|error| ClientError::Refused(format!("touchmoved and touchmovectl are of different versions ({error})")))
}

fn game_of(path: &str) -> Option<u64> {
    path.strip_prefix(names::ROOT_PATH)?.strip_prefix("/game/")?.parse().ok()
}

fn board_of(path: &str) -> Option<String> {
    path.strip_prefix(names::ROOT_PATH)?.strip_prefix("/board/").map(str::to_owned)
}
