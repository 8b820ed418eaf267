//! A snapshot of all boards and games.

use super::game_of;
use crate::names;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use zbus::OwnedVariant;
use zbus::fdo::ManagedObjects;

/// All boards and games at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// Problems of the service: kind, and a sentence that says what to do. Empty on the broadcast stream.
    #[serde(rename = "problems")]
    pub health_problems: Vec<(String, String)>,
    /// Devices that are plugged in, may be boards, and are not used: device, and reason. Empty on the broadcast stream.
    pub unused: Vec<(String, String)>,
    /// The incarnation of the journal: while it stays the same, each event keeps its number. Empty on the broadcast stream.
    pub incarnation: String,
    /// Games that are only partly left in the journal: number of the game, and of its last good event. Empty on the broadcast
    /// stream.
    pub last_good: Vec<(u64, u64)>,
    /// Boards by name; empty on the broadcast stream.
    pub boards: Vec<BoardInfo>,
    /// Games by number.
    pub games: Vec<GameInfo>,
}

impl Snapshot {
    /// Builds a snapshot from the objects of the ObjectManager, which do not include the service's problems.
    pub(super) fn of(objects: ManagedObjects) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for (path, interfaces) in objects {
            let mut interfaces: HashMap<String, Properties> =
                interfaces.into_iter().map(|(name, properties)| (name.to_string(), Properties(properties))).collect();
            if let Some(board) = interfaces.remove(names::BOARD_INTERFACE) {
                snapshot.boards.push(board_info(board, interfaces.remove(names::CLOCK_INTERFACE)));
            } else if let (Some(game), Some(id)) = (interfaces.remove(names::GAME_INTERFACE), game_of(path.as_str())) {
                let (operator, arbiter) =
                    (interfaces.remove(names::OPERATOR_INTERFACE), interfaces.remove(names::ARBITER_INTERFACE));
                snapshot.games.push(game_info(id, game, operator, arbiter));
            }
        }
        snapshot.boards.sort_by(|a, b| a.id.cmp(&b.id));
        snapshot.games.sort_by_key(|game| game.id);
        snapshot
    }
}

/// A board; the fields have the names and values of `org.touchmove1.Board`.
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
    /// The board's clock, while one is connected.
    pub clock: Option<ClockInfo>,
}

/// A board's clock; the fields have the names and values of `org.touchmove1.Clock`.
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

/// A game; the fields have the names and values of `org.touchmove1.Game`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct GameInfo {
    /// The game's number.
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
    /// The incarnation of the journal in which `last_number` was read.
    pub incarnation: String,
    pub last_number: u64,
    /// Open alerts; on the operator's stream, those that operators are told of. Empty on the broadcast stream.
    pub alerts: Vec<AlertInfo>,
    /// Faulty squares, each with the fault and a sentence. Empty on the broadcast stream.
    pub faults: Vec<(String, String, String)>,
}

/// An open alert; see property `Alerts` of `org.touchmove1.Arbiter`. As JSON it is its sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct AlertInfo {
    /// Its number in the game.
    pub id: u32,
    /// Its kind, as in AlertRaised.
    pub kind: String,
    /// The ply concerned, 0 before the first move.
    pub ply: u32,
    /// Articles of the Laws, the most important first.
    pub articles: Vec<String>,
    /// What happened, in English.
    pub sentence: String,
}

impl From<AlertInfo> for String {
    fn from(alert: AlertInfo) -> String {
        alert.sentence
    }
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
    /// Whether the move was not legal in the position before it.
    pub irregular: bool,
}

/// Properties by name. Properties that an older service does not have read as default values.
#[derive(Default)]
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

type Alert = (u32, String, u32, String, Vec<String>, Vec<String>, String, String, HashMap<String, OwnedVariant>);

fn game_info(id: u64, mut game: Properties, operator: Option<Properties>, arbiter: Option<Properties>) -> GameInfo {
    let moves: Vec<Ply> = game.take("Moves");
    let tags: HashMap<String, String> = game.take("Tags");
    let (mut operator, mut arbiter) = (operator.unwrap_or_default(), arbiter);
    let alerts: Vec<Alert> = arbiter.as_mut().map_or_else(|| operator.take("ToDo"), |arbiter| arbiter.take("Alerts"));
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
        incarnation: game.take("Incarnation"),
        last_number: game.take("LastNumber"),
        alerts: alerts
            .into_iter()
            .map(|(id, kind, ply, _, articles, _, sentence, ..)| AlertInfo { id, kind, ply, articles, sentence })
            .collect(),
        faults: operator.take("Faults"),
    }
}
