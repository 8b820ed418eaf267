//! The other end of D-Bus: reads boards and games from a running touchmoved and follows what happens. For `touchmovectl`.

use crate::game::Command;
use crate::names;
use crate::publish::dbus::{Bus, Stream};
use crate::wire::Word;
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use zbus::fdo::{DBusProxy, ManagedObjects, ObjectManagerProxy};
use zbus::message::Type;
use zbus::names::BusName;
use zbus::{Connection, MatchRule, Message, MessageStream, OwnedVariant, Proxy, Variant};

/// Why nothing can be shown; says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The bus cannot be reached.
    #[error(
        "cannot reach {bus} ({why}): check that it runs, or name another with --bus session, --bus system or --bus ADDRESS"
    )]
    NoBus {
        /// Which.
        bus: Bus,
        /// What it said.
        why: zbus::Error,
    },
    /// Nobody owns the name.
    #[error("touchmoved is not running on {bus}: start it with `touchmoved --bus {option}`")]
    NotRunning {
        /// Where it was looked for.
        bus: Bus,
        /// That bus as an argument.
        option: String,
    },
    /// The bus does not let us.
    #[error(
        "not allowed to read {name} on the system bus: join the group {group} (`sudo adduser $USER {group}`, then log in anew)"
    )]
    Denied {
        /// The name.
        name: &'static str,
        /// Who may.
        group: &'static str,
    },
    /// What was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// The service refused; its own words.
    #[error("{0}")]
    Refused(String),
    /// The connection broke.
    #[error("the connection to touchmoved broke ({0}): try again")]
    Broken(zbus::Error),
}

impl ClientError {
    /// The program's exit code: 3 where what was asked for (or the daemon) is not there, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            ClientError::NoBus { .. } | ClientError::NotRunning { .. } | ClientError::NotFound(_) => 3,
            ClientError::Denied { .. } | ClientError::Refused(_) | ClientError::Broken(_) => 1,
        }
    }
}

/// A board as touchmoved tells of it; the words are those of `org.touchmove1.Board`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)] // each field is the property of the same name
pub struct BoardInfo {
    pub id: String,
    pub model: String,
    pub model_title: String,
    pub serial_number: String,
    pub firmware: String,
    pub port: String,
    pub state: String,
    pub state_reason: String,
    pub sensing: String,
    pub orientation: String,
    pub placement: String,
    pub displaced: Vec<(String, String, String)>,
    pub battery: i32,
    pub battery_state: String,
    pub cannot: Vec<String>,
    /// Number of the game on it, or of the last one.
    pub game: Option<u64>,
    /// Its clock, while one is connected.
    pub clock: Option<ClockInfo>,
}

/// A board's clock; the words are those of `org.touchmove1.Clock`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct ClockInfo {
    pub white: i32,
    pub black: i32,
    pub turn: String,
    pub running: bool,
    pub white_flag: bool,
    pub black_flag: bool,
    pub battery_low: bool,
    pub resolution: u32,
}

/// A game; the words are those of `org.touchmove1.Game`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct GameInfo {
    /// Its number.
    pub id: u64,
    pub board: String,
    pub started: i64,
    pub tags: BTreeMap<String, String>,
    pub start: String,
    pub chess960: i32,
    pub laws: String,
    pub fen: String,
    pub moves: Vec<MoveInfo>,
    pub revision: u32,
    pub state: String,
    pub result: String,
    pub result_reason: String,
    pub last_number: u64,
    /// Alerts that stand: what each says. Empty on the broadcast stream.
    pub alerts: Vec<String>,
    /// Squares that do not work as they should, each with the fault and a sentence. None on the broadcast stream.
    pub faults: Vec<(String, String, String)>,
}

/// One ply of a game; see property `Moves` of `org.touchmove1.Game`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct MoveInfo {
    pub uci: String,
    pub san: String,
    pub state: String,
    pub time: i64,
    pub white: i32,
    pub black: i32,
    pub confidence: f64,
    /// Not legal in the position before it.
    pub irregular: bool,
}

/// All there is at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// What is wrong with the service: kind, and a sentence that says what to do. None on the broadcast stream.
    pub trouble: Vec<(String, String)>,
    /// Boards by name; none on the broadcast stream.
    pub boards: Vec<BoardInfo>,
    /// Games by number.
    pub games: Vec<GameInfo>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Happened {
    /// The game, for what belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<u64>,
    /// The board, for what does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Its number in the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Milliseconds since 1970-01-01 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Name of the signal, or `GameStarted`, or `Changed`: properties have new values.
    pub event: String,
    /// Its arguments by name.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// What the stream of a [`Watch`] gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Something happened.
    Happened(Happened),
    /// This game is new.
    NewGame(u64),
    /// touchmoved came (again): read everything anew and catch up.
    Came,
    /// touchmoved went away.
    Went,
}

/// Names of the signals' arguments, in order, after `number` and `time` where `numbered`.
pub static SIGNALS: &[Signal] = &[
    Signal { name: "MoveMade", numbered: true, fields: &["ply", "uci", "san", "fen", "confidence", "alternatives", "details"] },
    Signal { name: "MoveCompleted", numbered: true, fields: &["ply", "by", "white", "black"] },
    Signal { name: "MovesCorrected", numbered: true, fields: &["from_ply", "moves", "reason"] },
    Signal { name: "ClockRevised", numbered: true, fields: &["ply", "white", "black"] },
    Signal { name: "ResultChanged", numbered: true, fields: &["result", "reason"] },
    Signal {
        name: "AlertRaised",
        numbered: true,
        fields: &["id", "kind", "ply", "by", "article", "squares", "detail", "position"],
    },
    Signal { name: "AlertCleared", numbered: true, fields: &["id"] },
    Signal { name: "BoardFault", numbered: true, fields: &["square", "fault", "detail"] },
    Signal { name: "Commanded", numbered: true, fields: &["command", "argument", "by"] },
    Signal { name: "Touched", numbered: false, fields: &["square", "before", "now", "time"] },
];

/// One signal of ours.
pub struct Signal {
    /// Its name.
    pub name: &'static str,
    /// Whether `number` and `time` come first.
    pub numbered: bool,
    /// Its arguments.
    pub fields: &'static [&'static str],
}

/// A connection to a running touchmoved.
pub struct Client {
    connection: Connection,
    stream: Stream,
}

impl Client {
    /// Connects, and makes sure that touchmoved is there.
    pub async fn connect(bus: &Bus, stream: Stream) -> Result<Client, ClientError> {
        let client = Client::wait(bus, stream).await?;
        let owned = client.owned().await.map_err(ClientError::Broken)?;
        let option = match bus {
            Bus::Session => "session",
            Bus::System => "system",
            Bus::Address(address) => address,
        };
        if owned { Ok(client) } else { Err(ClientError::NotRunning { bus: bus.clone(), option: option.to_owned() }) }
    }

    /// Connects to the bus, whether touchmoved is there or not.
    pub async fn wait(bus: &Bus, stream: Stream) -> Result<Client, ClientError> {
        match bus.builder().build().await {
            Ok(connection) => Ok(Client { connection, stream }),
            Err(why) => Err(ClientError::NoBus { bus: bus.clone(), why }),
        }
    }

    /// Whether touchmoved is there.
    pub async fn owned(&self) -> zbus::Result<bool> {
        let name = BusName::try_from(self.stream.name())?;
        Ok(DBusProxy::new(&self.connection).await?.name_has_owner(name).await?)
    }

    /// Returns when the bus is gone.
    pub async fn closed(&self) {
        self.connection.closed().await;
    }

    /// All boards and games.
    pub async fn snapshot(&self) -> Result<Snapshot, ClientError> {
        let manager = ObjectManagerProxy::new(&self.connection, self.stream.name(), names::ROOT_PATH);
        let objects = manager.await.map_err(|why| self.error(why))?.get_managed_objects().await;
        let mut snapshot = snapshot(objects.map_err(|why| self.error(why.into()))?);
        if self.stream == Stream::Live {
            let manager = Proxy::new(&self.connection, self.stream.name(), names::ROOT_PATH, names::MANAGER_INTERFACE);
            let manager = manager.await.map_err(|why| self.error(why))?;
            snapshot.trouble = manager.get_property("Trouble").await.map_err(|why| self.error(why))?;
        }
        Ok(snapshot)
    }

    /// A game as PGN.
    pub async fn pgn(&self, game: u64) -> Result<String, ClientError> {
        self.call(names::game_path(game), names::GAME_INTERFACE, "Pgn", &()).await
    }

    /// The events of a game after this number.
    pub async fn since(&self, game: u64, number: u64) -> Result<Vec<Happened>, ClientError> {
        let events: Vec<(u64, i64, String, HashMap<String, OwnedVariant>)> =
            self.call(names::game_path(game), names::GAME_INTERFACE, "Since", &number).await?;
        Ok(events
            .into_iter()
            .map(|(number, time, event, fields)| Happened {
                game: Some(game),
                board: None,
                number: Some(number),
                time: Some(time),
                event,
                fields: fields.iter().map(|(name, value)| (name.clone(), json(value))).collect(),
            })
            .collect())
    }

    /// Gives an order about the game on its board. Returns when it is in the journal.
    pub async fn order(&self, game: u64, order: &Command) -> Result<(), ClientError> {
        let path = names::game_path(game);
        let to = names::ARBITER_INTERFACE;
        match order {
            Command::Result(result) => self.call(path, to, "SetResult", &result.map_or("*", |result| result.as_str())).await,
            Command::Position(fen) => self.call(path, to, "SetPosition", fen).await,
            Command::TakeBack(plies) => self.call(path, to, "TakeBack", plies).await,
            Command::Promotion { ply, role } => {
                self.call(path, to, "SetPromotion", &(ply.unwrap_or_default(), role.word())).await
            }
            Command::Adjust(player) => self.call(path, to, "Adjust", &player.word()).await,
        }
    }

    /// A new game begins on this board, from this position. Returns when it is in the journal.
    pub async fn set_position(&self, board: &str, fen: &str) -> Result<(), ClientError> {
        self.call(names::board_path(board), names::BOARD_INTERFACE, "SetPosition", &fen).await
    }

    async fn call<B, R>(&self, path: String, interface: &'static str, method: &'static str, body: &B) -> Result<R, ClientError>
    where
        B: serde::Serialize + zbus::wire::DynamicType,
        R: for<'d> zbus::wire::DynamicDeserialize<'d>,
    {
        let proxy = Proxy::new(&self.connection, self.stream.name(), path, interface).await;
        proxy.map_err(|why| self.error(why))?.call(method, body).await.map_err(|why| self.error(why))
    }

    /// Follows everything from now on. To miss nothing, watch first and read the snapshot then.
    pub async fn watch(&self) -> Result<Watch, ClientError> {
        let ours = MatchRule::builder().msg_type(Type::Signal).sender(self.stream.name()).path_namespace(names::ROOT_PATH);
        let owner = MatchRule::builder()
            .msg_type(Type::Signal)
            .sender("org.freedesktop.DBus")
            .member("NameOwnerChanged")
            .add_arg(self.stream.name());
        let (ours, owner) = ours.build().and_then(|ours| Ok((ours, owner.build()?))).map_err(ClientError::Broken)?;
        let ours = MessageStream::for_match_rule(ours, &self.connection, NonZeroUsize::new(4096))
            .await
            .map_err(ClientError::Broken)?;
        let owner = MessageStream::for_match_rule(owner, &self.connection, None).await.map_err(ClientError::Broken)?;
        Ok(Watch { ours, owner })
    }

    fn error(&self, why: zbus::Error) -> ClientError {
        let zbus::Error::MethodError(name, sentence, _) = &why else { return ClientError::Broken(why) };
        match name.as_str() {
            "org.freedesktop.DBus.Error.AccessDenied" => ClientError::Denied {
                name: self.stream.name(),
                group: match self.stream {
                    Stream::Live => names::ARBITER_GROUP,
                    Stream::Broadcast => names::BROADCAST_GROUP,
                },
            },
            "org.freedesktop.DBus.Error.UnknownObject" | "org.freedesktop.DBus.Error.UnknownMethod" => {
                ClientError::NotFound("there is no such game: `touchmovectl list` shows the games at hand".to_owned())
            }
            name if name.starts_with(names::ERROR_PREFIX) => ClientError::Refused(sentence.clone().unwrap_or_default()),
            _ => ClientError::Broken(why),
        }
    }
}

/// What happens, as it happens.
pub struct Watch {
    ours: MessageStream,
    owner: MessageStream,
}

impl Watch {
    /// The next thing; `None` when the bus is gone.
    pub async fn next(&mut self) -> Option<Seen> {
        loop {
            let seen = tokio::select! {
                biased;
                message = self.ours.next() => seen(&message?.ok()?),
                message = self.owner.next() => came_or_went(&message?.ok()?),
            };
            if seen.is_some() {
                return seen;
            }
        }
    }
}

fn came_or_went(message: &Message) -> Option<Seen> {
    let (_, _, new): (String, String, String) = message.body().deserialize().ok()?;
    Some(if new.is_empty() { Seen::Went } else { Seen::Came })
}

fn seen(message: &Message) -> Option<Seen> {
    let header = message.header();
    let (path, member) = (header.path()?.to_string(), header.member()?.to_string());
    let body = message.body();
    if member == "InterfacesAdded" {
        let (path, interfaces): (zbus::OwnedObjectPath, HashMap<String, HashMap<String, OwnedVariant>>) =
            body.deserialize().ok()?;
        if let Some(game) = game_of(path.as_str()) {
            return interfaces.contains_key(names::GAME_INTERFACE).then_some(Seen::NewGame(game));
        }
        // A clock has all its values from the moment it is there, and none of them need ever change.
        let clock = interfaces.get(names::CLOCK_INTERFACE)?;
        return Some(changed(path.as_str(), names::CLOCK_INTERFACE, clock));
    }
    if member == "PropertiesChanged" {
        let (interface, values, _): (String, HashMap<String, OwnedVariant>, Vec<String>) = body.deserialize().ok()?;
        return Some(changed(&path, &interface, &values));
    }
    let (game, board) = (game_of(&path), board_of(&path));
    let signal = SIGNALS.iter().find(|signal| signal.name == member)?;
    let arguments: zbus::Structure<'_> = body.deserialize().ok()?;
    let mut values = arguments.fields().iter();
    let mut happened = Happened { game, board, number: None, time: None, event: member, fields: Map::new() };
    if signal.numbered {
        happened.number = u64::try_from(values.next()?).ok();
        happened.time = i64::try_from(values.next()?).ok();
    }
    for (name, value) in signal.fields.iter().zip(values) {
        if *name == "time" {
            happened.time = i64::try_from(value).ok();
        } else {
            happened.fields.insert((*name).to_owned(), json(value));
        }
    }
    Some(Seen::Happened(happened))
}

/// Properties of an interface have these values now.
fn changed(path: &str, interface: &str, values: &HashMap<String, OwnedVariant>) -> Seen {
    let mut fields = Map::new();
    fields.insert("interface".to_owned(), interface.into());
    fields.extend(values.iter().map(|(name, value)| (name.clone(), json(value))));
    let (game, board) = (game_of(path), board_of(path));
    Seen::Happened(Happened { game, board, number: None, time: None, event: "Changed".to_owned(), fields })
}

fn game_of(path: &str) -> Option<u64> {
    path.strip_prefix(names::ROOT_PATH)?.strip_prefix("/game/")?.parse().ok()
}

fn board_of(path: &str) -> Option<String> {
    path.strip_prefix(names::ROOT_PATH)?.strip_prefix("/board/").map(str::to_owned)
}

fn snapshot(objects: ManagedObjects) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for (path, interfaces) in objects {
        let mut interfaces: HashMap<String, Properties> =
            interfaces.into_iter().map(|(name, properties)| (name.to_string(), Properties(properties))).collect();
        if let Some(board) = interfaces.remove(names::BOARD_INTERFACE) {
            snapshot.boards.push(board_info(board, interfaces.remove(names::CLOCK_INTERFACE)));
        } else if let (Some(game), Some(id)) = (interfaces.remove(names::GAME_INTERFACE), game_of(path.as_str())) {
            snapshot.games.push(game_info(id, game, interfaces.remove(names::ARBITER_INTERFACE)));
        }
    }
    snapshot.boards.sort_by(|a, b| a.id.cmp(&b.id));
    snapshot.games.sort_by_key(|game| game.id);
    snapshot
}

/// Properties by name. What an older service does not have reads as nothing.
struct Properties(HashMap<String, OwnedVariant>);

impl Properties {
    fn take<T: TryFrom<OwnedVariant> + Default>(&mut self, name: &str) -> T {
        self.0.remove(name).and_then(|value| T::try_from(value).ok()).unwrap_or_default()
    }
}

fn board_info(mut board: Properties, clock: Option<Properties>) -> BoardInfo {
    let game: zbus::OwnedObjectPath = board.take("Game");
    BoardInfo {
        id: board.take("Id"),
        model: board.take("Model"),
        model_title: board.take("ModelTitle"),
        serial_number: board.take("SerialNumber"),
        firmware: board.take("Firmware"),
        port: board.take("Port"),
        state: board.take("State"),
        state_reason: board.take("StateReason"),
        sensing: board.take("Sensing"),
        orientation: board.take("Orientation"),
        placement: board.take("Placement"),
        displaced: board.take("Displaced"),
        battery: board.take("Battery"),
        battery_state: board.take("BatteryState"),
        cannot: board.take("Cannot"),
        game: game_of(game.as_str()),
        clock: clock.map(|mut clock| ClockInfo {
            white: clock.take("White"),
            black: clock.take("Black"),
            turn: clock.take("Turn"),
            running: clock.take("Running"),
            white_flag: clock.take("WhiteFlag"),
            black_flag: clock.take("BlackFlag"),
            battery_low: clock.take("BatteryLow"),
            resolution: clock.take("Resolution"),
        }),
    }
}

type Ply = (String, String, String, i64, i32, i32, f64, HashMap<String, OwnedVariant>);
type Alert = (u32, String, u32, String, String, Vec<String>, String, String);

fn game_info(id: u64, mut game: Properties, arbiter: Option<Properties>) -> GameInfo {
    let moves: Vec<Ply> = game.take("Moves");
    let tags: HashMap<String, String> = game.take("Tags");
    let (alerts, faults): (Vec<Alert>, _) =
        arbiter.map(|mut arbiter| (arbiter.take("Alerts"), arbiter.take("Faults"))).unwrap_or_default();
    GameInfo {
        id,
        board: game.take("Board"),
        started: game.take("Started"),
        tags: tags.into_iter().collect(),
        start: game.take("Start"),
        chess960: game.take("Chess960"),
        laws: game.take("Laws"),
        fen: game.take("FEN"),
        moves: moves
            .into_iter()
            .map(|(uci, san, state, time, white, black, confidence, details)| MoveInfo {
                uci,
                san,
                state,
                time,
                white,
                black,
                confidence,
                irregular: details.contains_key("irregular"),
            })
            .collect(),
        revision: game.take("Revision"),
        state: game.take("State"),
        result: game.take("Result"),
        result_reason: game.take("ResultReason"),
        last_number: game.take("LastNumber"),
        alerts: alerts.into_iter().map(|alert| alert.6).collect(),
        faults,
    }
}

/// A D-Bus value as JSON; numbers beyond what JSON's readers take exactly do not occur here.
fn json(value: &Variant<'_>) -> Value {
    match value {
        Variant::Bool(value) => (*value).into(),
        Variant::U8(value) => (*value).into(),
        Variant::I16(value) => (*value).into(),
        Variant::U16(value) => (*value).into(),
        Variant::I32(value) => (*value).into(),
        Variant::U32(value) => (*value).into(),
        Variant::I64(value) => (*value).into(),
        Variant::U64(value) => (*value).into(),
        Variant::F64(value) => (*value).into(),
        Variant::Str(value) => value.as_str().into(),
        Variant::ObjectPath(value) => value.as_str().into(),
        Variant::Variant(value) => json(value),
        Variant::Array(values) => values.iter().map(json).collect(),
        Variant::Structure(values) => values.fields().iter().map(json).collect(),
        Variant::Dict(values) => values.iter().map(|(name, value)| (text(name), json(value))).collect::<Map<_, _>>().into(),
        _ => Value::Null,
    }
}

fn text(value: &Variant<'_>) -> String {
    match json(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
