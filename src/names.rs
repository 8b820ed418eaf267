//! Every name that is visible outside: bus names, object paths, interfaces, groups, files.

/// Bus name of the live service, for the arbiter.
pub const BUS_NAME: &str = "org.touchmove1";
/// Bus name of the live service for the operator, without what is for the arbiter alone.
pub const OPERATOR_NAME: &str = "org.touchmove1.Operator";
/// Bus name of the stream for broadcasts, which lags by the delay of the event.
pub const BROADCAST_NAME: &str = "org.touchmove1.Broadcast";
/// Object path of the ObjectManager of each bus name.
pub const ROOT_PATH: &str = "/org/touchmove1";
/// Parent path of the boards.
pub const BOARDS_PATH: &str = "/org/touchmove1/board";
/// Parent path of the games.
pub const GAMES_PATH: &str = "/org/touchmove1/game";
/// Interface for the version, the API version and the health of the service.
pub const MANAGER_INTERFACE: &str = "org.touchmove1.Manager";
/// Interface of the parent objects of the boards and of the games, which lists their children.
pub const LIST_INTERFACE: &str = "org.touchmove1.List";
/// Interface of a board.
pub const BOARD_INTERFACE: &str = "org.touchmove1.Board";
/// Interface of a board's clock.
pub const CLOCK_INTERFACE: &str = "org.touchmove1.Clock";
/// Interface of a game.
pub const GAME_INTERFACE: &str = "org.touchmove1.Game";
/// Interface on a game's object for what the operator may see and do.
pub const OPERATOR_INTERFACE: &str = "org.touchmove1.Operator";
/// Interface on a game's object for what the arbiter may see and do.
pub const ARBITER_INTERFACE: &str = "org.touchmove1.Arbiter";
/// Interface on the object of the service for what the administrator may see and do.
pub const ADMINISTRATOR_INTERFACE: &str = "org.touchmove1.Administrator";
/// Object path at which BlueZ hands over serial ports of classic Bluetooth.
pub const SERIAL_PORT_PATH: &str = "/org/touchmove1/serial_port";
/// Prefix of error names: errors are `org.touchmove1.Error.*`.
pub const ERROR_PREFIX: &str = "org.touchmove1.Error";
/// Version of the D-Bus interfaces, incremented with each incompatible change.
pub const API_VERSION: u32 = 1;

/// Group whose members may see and do everything.
pub const ARBITER_GROUP: &str = "touchmove-arbiter";
/// Group whose members may see boards and games, and change seats, pairings and results.
pub const OPERATOR_GROUP: &str = "touchmove-operator";
/// Group whose members may see the broadcast stream.
pub const BROADCAST_GROUP: &str = "touchmove-broadcast";

/// The configuration file of the service, from which follows what systemd allows it.
pub const SERVICE_CONFIG: &str = "/etc/touchmove/touchmoved.toml";

/// Returns the object path of a board; `id` as in `BoardId`.
pub fn board_path(id: &str) -> String {
    format!("{BOARDS_PATH}/{id}")
}

/// Returns the object path of a game.
pub fn game_path(game: u64) -> String {
    format!("{GAMES_PATH}/{game}")
}
