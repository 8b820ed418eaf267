//! The configuration: one TOML file, checked as a whole before anything starts.
//!
//! Every key stands once in [`keys::KEYS`], with its kind, range, default and what it is for: from that table files are
//! checked, and `config/touchmoved.toml` is written from it (a test compares). All that is wrong with a file is said at
//! once, with line, column and what to write instead.

mod check;
pub mod hooks;
pub mod keys;
pub mod lichess;
pub mod livechess;
pub mod own;
pub mod secret;
pub mod url;
mod values;
pub mod web;

use crate::boards::{Address, ControlLines, Model};
use crate::game::event::Rotation;
use crate::game::{Delay, IllegalMoves};
use crate::link::Place;
use crate::table::{Help, Settings};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where journal and recordings of the service are, unless something else is configured.
const DEFAULT_STATE_DIR: &str = "/var/lib/touchmove";

/// A checked configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `auto` (session if there is one, else system), `session`, `system`, or the address of a bus.
    pub bus: String,
    /// Where journal and recordings are kept; `None`: see [`Config::state_dir`].
    state_dir: Option<PathBuf>,
    /// Room for recordings; `None`: nothing is recorded.
    pub recordings: Option<Room>,
    /// What is common to all boards. `sensing`, `rotation`, `clock_side` and `start_fen` are each board's own.
    game: Settings,
    /// What the PGN of every game says about the event.
    pub tags: Tags,
    /// How much later the public learns what happens.
    pub delay: Delay,
    /// What the public learns of moves that are not legal.
    pub illegal_moves: IllegalMoves,
    /// The folder of the games as files; `None`: none are written.
    pub files: Option<PathBuf>,
    /// Which rounds of a broadcast on Lichess have the games; `None`: none.
    pub lichess: Option<lichess::Lichess>,
    /// How somebody is told of alerts who is not looking.
    pub hooks: hooks::Hooks,
    /// Where Prometheus may ask, on a loopback address; `None`: nowhere.
    pub metrics: Option<SocketAddr>,
    /// Programs that know DGT LiveChess.
    pub livechess: livechess::LiveChess,
    /// The page.
    pub web: web::Web,
    /// The configured boards. Empty: every board that its USB id names is served.
    pub boards: Vec<Board>,
}

/// PGN tags that are the same for all games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags {
    /// `?`: not known.
    pub event: String,
    /// `?`: not known.
    pub site: String,
    /// As PGN writes it, `2026.11.21`; `None`: the day on which the game began.
    pub date: Option<String>,
    /// `?`: not known.
    pub round: String,
}

impl Tags {
    /// Name and value of each that is the same for all games.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let always = [("Event", &self.event), ("Site", &self.site), ("Round", &self.round)];
        let dated = self.date.as_ref().map(|date| ("Date", date));
        always.into_iter().chain(dated).map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}

/// One configured board.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// ASCII letters, digits and `_` only.
    pub name: String,
    /// On a chain: names of boards by their addresses, of the same form.
    pub names: BTreeMap<Address, String>,
    /// Which kind.
    pub model: &'static Model,
    /// Where it is plugged in.
    pub place: Place,
    /// DTR and RTS.
    pub control: ControlLines,
    /// How it stands; `None`: found from the position.
    pub rotation: Option<Rotation>,
    /// How its clock stands; `None`: found from the first presses.
    pub clock_side: Option<Rotation>,
    /// What it shows the players by its lights.
    pub lights: Help,
    /// The position its games start from, where that is not found on the board.
    pub start_fen: Option<String>,
}

/// Room on the disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// All recordings together take no more than this.
    pub max: u64,
    /// What the disk must have left for anything to be recorded.
    pub reserve: u64,
}

impl Default for Config {
    fn default() -> Self {
        check::check("").0
    }
}

impl Board {
    /// A board of which nothing but name, model and place is configured.
    pub fn new(name: String, model: &'static Model, place: Place) -> Board {
        Board {
            name,
            names: BTreeMap::new(),
            model,
            place,
            control: model.connection.control_lines(),
            rotation: None,
            clock_side: None,
            lights: Help::default(),
            start_fen: None,
        }
    }
}

impl Config {
    /// Checks the text of a file.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the file.
    pub fn parse(text: &str) -> Result<Config, Vec<Problem>> {
        let (config, problems) = check::check(text);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    /// Reads and checks a file; one that does not exist says nothing, so that the defaults hold.
    ///
    /// # Errors
    /// The file cannot be read, or something is wrong with it.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => return Err(ConfigError::Unreadable { path: path.into(), error }),
        };
        let text = String::from_utf8(bytes).map_err(|_| ConfigError::NotText { path: path.into() })?;
        Config::parse(&text).map_err(|problems| ConfigError::Wrong { path: path.into(), problems })
    }

    /// Where the configuration is looked for when nobody says: the user's own file if there is one, else the machine's.
    pub fn default_path() -> PathBuf {
        let home =
            |name: &str, rest: &str| std::env::var_os(name).filter(|dir| !dir.is_empty()).map(|dir| Path::new(&dir).join(rest));
        home("XDG_CONFIG_HOME", "touchmove/touchmoved.toml")
            .or_else(|| home("HOME", ".config/touchmove/touchmoved.toml"))
            .filter(|path| path.exists())
            .unwrap_or_else(|| PathBuf::from("/etc/touchmove/touchmoved.toml"))
    }

    /// Where journal and recordings are kept: as configured, else what systemd gives the service, else the user's own state
    /// directory, else `/var/lib/touchmove`.
    pub fn state_dir(&self) -> PathBuf {
        let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        self.state_dir
            .clone()
            .or_else(|| from("STATE_DIRECTORY"))
            .or_else(|| from("XDG_STATE_HOME").map(|home| home.join("touchmove")))
            .or_else(|| from("HOME").map(|home| home.join(".local/state/touchmove")))
            .unwrap_or_else(|| PathBuf::from(DEFAULT_STATE_DIR))
    }

    /// Returns why the games cannot be written as files where they are configured to be, if the state is kept in this directory:
    /// the command line and the environment may name another one than the file does.
    pub fn files_conflict(&self, state_dir: &Path) -> Option<String> {
        let dir = self.files.as_deref()?;
        let state_dir = std::path::absolute(state_dir).unwrap_or_else(|_| state_dir.to_owned());
        check::files_conflict(dir, &state_dir)
    }

    /// What is allowed and may not be meant, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.livechess.origins.contains(&livechess::Origin::Null) {
            warnings.push(
                "[livechess] origins has null: pages opened from files may ask, and so may every sandboxed frame of any site; \
                 remove it if only pages of known sites may ask"
                    .to_owned(),
            );
        }
        warnings
    }

    /// The secrets in files that this names and every user of this machine can read, a sentence each.
    pub fn exposed_secrets(&self) -> Vec<String> {
        let token = self.lichess.as_ref().and_then(|lichess| lichess.token_file.as_deref());
        let key = self.web.tls.as_ref().map(|tls| tls.key.as_path());
        [token, key].into_iter().flatten().filter_map(secret::exposed).collect()
    }

    /// What decides how the readings of this board become a game.
    pub fn settings(&self, board: &Board) -> Settings {
        Settings {
            sensing: board.model.sensing,
            rotation: board.rotation,
            clock_side: board.clock_side,
            lights: board.lights,
            start_fen: board.start_fen.clone(),
            ..self.game.clone()
        }
    }
}

/// Something wrong in a configuration file, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counts from 1.
    pub line: usize,
    /// Counts characters from 1.
    pub column: usize,
    /// What is wrong and what to write.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that was named is not there.
    #[error("{} does not exist: give the file that is meant, or leave --config out", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is there, but cannot be read.
    #[error("{} cannot be read ({error}): make it readable for this user, or give another with --config", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a text file in UTF-8: write it anew from config/touchmoved.toml", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// One line for each problem, with file, line and column.
    #[error("{}", problems.iter().map(|problem| format!("{}:{problem}", path.display())).collect::<Vec<_>>().join("\n"))]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, at least one.
        problems: Vec<Problem>,
    },
    /// The public files and the state directory of this start lie in each other.
    #[error("{}: {why}", path.display())]
    FilesConflict {
        /// The file of the configuration.
        path: PathBuf,
        /// [`Config::files_conflict`].
        why: String,
    },
    /// Others can read secrets in files that it names. One line for each.
    #[error("{}", exposed.iter().map(|why| format!("{}: {why}", path.display())).collect::<Vec<_>>().join("\n"))]
    Exposed {
        /// The file of the configuration.
        path: PathBuf,
        /// [`Config::exposed_secrets`], at least one.
        exposed: Vec<String>,
    },
}
