//! Every name that others see: bus names, object paths, interfaces, groups, files.

/// The live service, for the arbiter and the operator.
pub const BUS_NAME: &str = "org.touchmove1";
/// The stream for broadcast, as old as the event's delay says.
pub const BROADCAST_NAME: &str = "org.touchmove1.Broadcast";
/// Where the ObjectManager of either name is.
pub const ROOT_PATH: &str = "/org/touchmove1";
/// Below it are the boards.
pub const BOARDS_PATH: &str = "/org/touchmove1/board";
/// Below it are the games.
pub const GAMES_PATH: &str = "/org/touchmove1/game";
/// Version, API version, trouble.
pub const MANAGER_INTERFACE: &str = "org.touchmove1.Manager";
/// What is below the object that leads to the boards, or to the games.
pub const LIST_INTERFACE: &str = "org.touchmove1.List";
/// One board.
pub const BOARD_INTERFACE: &str = "org.touchmove1.Board";
/// The clock of a board.
pub const CLOCK_INTERFACE: &str = "org.touchmove1.Clock";
/// One game.
pub const GAME_INTERFACE: &str = "org.touchmove1.Game";
/// What the arbiter sees and does, on a game's object.
pub const ARBITER_INTERFACE: &str = "org.touchmove1.Arbiter";
/// Errors are `org.touchmove1.Error.*`.
pub const ERROR_PREFIX: &str = "org.touchmove1.Error";
/// Counts up with each incompatible change of the D-Bus interfaces.
pub const API_VERSION: u32 = 1;

/// Who may see and do everything.
pub const ARBITER_GROUP: &str = "touchmove-arbiter";
/// Who may see the broadcast stream.
pub const BROADCAST_GROUP: &str = "touchmove-broadcast";

/// What the service manager is given before the service may listen (config/systemd/listen.conf).
pub const LISTEN_FILE: &str = "/usr/share/touchmove/systemd/listen.conf";

/// What polkit is asked before an alert is acknowledged, or the worth of a claim told.
pub const ACTION_ACKNOWLEDGE: &str = "org.touchmove1.acknowledge";
/// What polkit is asked before any other command.
pub const ACTION_COMMAND: &str = "org.touchmove1.command";

/// Object path of a board, `id` as in `BoardId`.
pub fn board_path(id: &str) -> String {
    format!("{BOARDS_PATH}/{id}")
}

/// Object path of a game.
pub fn game_path(game: u64) -> String {
    format!("{GAMES_PATH}/{game}")
}
