//! Parses the JSON bodies of requests, without I/O. An error is a sentence for the sender.

use crate::daemon::hub::{BluetoothOrder, BoardId, Target};
use crate::game::Command;
use crate::publish::tags;
use crate::wire::{Word, command_from_value};
use crate::wiring_test::Step;
use serde::Deserialize;
use serde_json::Value;

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("the request cannot be read: {error}"))
}

/// What a user logs in with, not yet verified.
#[derive(Clone, PartialEq, Eq)]
pub enum LoginSecret {
    /// A token.
    Token(String),
    /// A one-time code.
    Code(String),
}

/// Parses the body of `POST /api/login`.
///
/// # Errors
/// The body is not JSON of this form.
pub fn parse_login(bytes: &[u8]) -> Result<LoginSecret, String> {
    #[derive(Deserialize)]
    struct Login {
        token: Option<String>,
        code: Option<String>,
    }
    match parse(bytes)? {
        Login { token: Some(token), code: None } => Ok(LoginSecret::Token(token.trim().to_owned())),
        Login { token: None, code: Some(code) } => Ok(LoginSecret::Code(code)),
        _ => Err("send one: \"token\" or \"code\"".to_owned()),
    }
}

/// A request for a one-time code.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeRequest {
    /// The name of the login, as in the journal.
    pub name: String,
    /// The word of its role.
    pub role: String,
}

/// Parses the body of `POST /api/code`.
///
/// # Errors
/// The body is not JSON of this form.
pub fn parse_code_request(bytes: &[u8]) -> Result<CodeRequest, String> {
    parse(bytes)
}

/// A request to continue the game of one board on another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeRequest {
    /// The name of the board with the game.
    pub from: String,
    /// The name of the other board.
    pub to: String,
}

/// Parses the body of `POST /api/desk/exchange`.
///
/// # Errors
/// The body is not JSON of this form.
pub fn parse_exchange(bytes: &[u8]) -> Result<ExchangeRequest, String> {
    parse(bytes)
}

/// A change of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingRequest {
    /// The key with its table, such as `broadcast.delay_s`.
    pub key: String,
    /// The value as a user types it; `None`: the configuration file decides again.
    pub value: Option<String>,
    /// Whether the public may see events sooner.
    #[serde(default)]
    pub confirmed: bool,
}

/// Parses the body of `POST /api/settings`.
///
/// # Errors
/// The body is not JSON of this form.
pub fn parse_setting(bytes: &[u8]) -> Result<SettingRequest, String> {
    parse(bytes)
}

/// What a page wants of a wiring test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStep {
    /// Begin a test.
    Begin,
    /// The page is still there, and wants to know where the test is.
    Watch,
    /// The user has decided something.
    Step(Step),
}

/// A request about the wiring test of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WiringTestRequest {
    /// The board.
    pub board: BoardId,
    /// What to do.
    pub step: PageStep,
}

/// Parses the body of `POST /api/wiring-test`.
///
/// # Errors
/// The body is not JSON of this form.
pub fn parse_wiring_test(bytes: &[u8]) -> Result<WiringTestRequest, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        board: String,
        r#do: String,
    }
    let Body { board, r#do: word } = parse(bytes)?;
    let step = match word.as_str() {
        "begin" => PageStep::Begin,
        "watch" => PageStep::Watch,
        word => Step::from_word(word)
            .map(PageStep::Step)
            .ok_or_else(|| format!("{word:?} is not a step: write begin, watch, next, skip, back or stop"))?,
    };
    Ok(WiringTestRequest { board: BoardId::new(&board), step })
}

/// Parses the body of `POST /api/bluetooth`; `None`: the page only wants to know where the search is.
///
/// # Errors
/// The body is not JSON of this form.
pub fn parse_bluetooth(bytes: &[u8]) -> Result<Option<BluetoothOrder>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        r#do: String,
        address: Option<String>,
    }
    let Body { r#do: word, address } = parse(bytes)?;
    match (word.as_str(), address) {
        ("scan", None) => Ok(Some(BluetoothOrder::Scan)),
        ("stop", None) => Ok(Some(BluetoothOrder::Stop)),
        ("watch", None) => Ok(None),
        ("identify", Some(address)) => Ok(Some(BluetoothOrder::Identify(address))),
        ("identify", None) => Err("name the \"address\" of the device".to_owned()),
        ("scan" | "stop" | "watch", Some(_)) => Err(format!("{word:?} is about no device: leave out \"address\"")),
        _ => Err(format!("{word:?} is no order: write scan, stop, watch or identify")),
    }
}

/// The body of `POST /api/command` and `POST /api/preview`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRequest {
    /// The game or the board.
    pub target: Target,
    /// The command.
    pub command: Command,
    /// The number of the last event of the game that the sender has seen; `None`: the command is given whatever has happened.
    pub seen: Option<u64>,
}

/// Parses the body of `POST /api/command`, and of `POST /api/preview`.
///
/// # Errors
/// The body is not JSON of this form, names no game or board or both, or contains no valid command.
pub fn parse_command(bytes: &[u8]) -> Result<CommandRequest, String> {
    #[derive(Deserialize)]
    struct Body {
        board: Option<String>,
        game: Option<u64>,
        command: Value,
        n_seen: Option<u64>,
    }
    let Body { board, game, command, n_seen: seen } = parse(bytes)?;
    let target = match (board, game) {
        (Some(_), None) if seen.is_some() => return Err("\"n_seen\" is about a game: name the \"game\"".to_owned()),
        (Some(board), None) => Target::Board(BoardId::new(&board)),
        (None, Some(game)) => Target::Game(game),
        _ => return Err("name one target: \"board\" or \"game\", and not both".to_owned()),
    };
    let command = command_from_value(&command).map_err(|error| error.to_string())?;
    if let Command::Tags { tags } = &command {
        tags::check_tags(tags)?;
    }
    Ok(CommandRequest { target, command, seen })
}
