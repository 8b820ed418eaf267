//! The configuration: one TOML file, checked as a whole before anything starts.
//!
//! Every key is defined once, with its kind, range, default and description, in the file of its table; [`keys::TABLES`] lists them.
//! Files are checked against that list, and `config/touchmoved.toml` is generated from it (a test compares). All problems of a
//! file are reported at once, with line, column and what to write instead.

mod board;
pub mod board_table;
mod broadcast;
mod bus;
mod check;
pub mod clients;
mod event;
mod files;
mod game;
pub mod hall;
mod hands;
pub mod hooks;
mod key;
pub mod key_text;
pub mod keys;
mod laws;
pub mod lichess;
pub mod livechess;
mod metrics;
pub mod overrides;
pub mod public;
pub mod publish_static;
pub mod secret;
pub mod settings;
mod storage;
pub mod unit;
pub mod url;
mod values;
pub mod web;
pub mod wiring_change;

pub use board::BoardConfig;
pub use event::EventTags;
pub use storage::DiskLimits;

use crate::game::{Delay, IllegalMoves};
use crate::laws::Laws;
use crate::table::Settings;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// A checked configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `auto` (session if there is one, else system), `session`, `system`, or the address of a bus.
    pub bus: String,
    /// The directory of journal and recordings; `None`: see [`Config::state_dir`].
    state_dir: Option<PathBuf>,
    /// The disk space for recordings; `None`: nothing is recorded.
    pub recordings: Option<DiskLimits>,
    /// The settings common to all boards. `sensing`, `rotation`, `clock_side` and `start_fen` are set for each board.
    common_settings: Settings,
    /// The PGN tags of the event, the same for every game.
    pub tags: EventTags,
    /// The delay after which the public learns of events.
    pub delay: Delay,
    /// Whether moves that are not legal are shown to the public.
    pub illegal_moves: IllegalMoves,
    /// The directory in which the games are written as files; `None`: none are written.
    pub files: Option<PathBuf>,
    /// What the public page shows.
    pub public: public::PublicPage,
    /// Where the public page is written as files; `None`: nowhere.
    pub publish_static: Option<publish_static::PublishStatic>,
    /// The rounds of a Lichess broadcast to which games are sent; `None`: none.
    pub lichess: Option<lichess::Lichess>,
    /// How alerts are delivered to people who do not watch the page.
    pub hooks: hooks::Hooks,
    /// The loopback address on which Prometheus may read metrics; `None`: off.
    pub metrics: Option<SocketAddr>,
    /// The server for programs that speak the DGT LiveChess protocol.
    pub livechess: livechess::LiveChess,
    /// The web page.
    pub web: web::Web,
    /// The part of this machine in a hall.
    pub hall: hall::Hall,
    /// The configured boards. If empty, every board that is identified by its USB id is served.
    pub boards: Vec<BoardConfig>,
}

impl Default for Config {
    fn default() -> Self {
        check::check("").0
    }
}

impl Config {
    /// Checks the text of a file.
    ///
    /// # Errors
    /// Returns all problems, in the order of the file.
    pub fn parse(text: &str) -> Result<Config, Vec<Problem>> {
        let (config, problems) = check::check(text);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    /// Reads and checks a file. A missing file is treated as empty: all defaults apply.
    ///
    /// # Errors
    /// The file cannot be read, or its content is invalid.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        Config::load_with_text(path).map(|(config, _)| config)
    }

    /// As [`Config::load`], with the text of the file, which is empty if the file is missing.
    ///
    /// # Errors
    /// The file cannot be read, or its content is invalid.
    pub fn load_with_text(path: &Path) -> Result<(Config, String), ConfigError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(ConfigError::Unreadable { path: path.into(), error }),
        };
        let text = String::from_utf8(bytes).map_err(|_| ConfigError::NotText { path: path.into() })?;
        let config = Config::parse(&text).map_err(|problems| ConfigError::Invalid { path: path.into(), problems })?;
        Ok((config, text))
    }

    /// Returns the path of the configuration if none is given: the user's own file if it exists, else the system's.
    pub fn default_path() -> PathBuf {
        let home =
            |name: &str, rest: &str| std::env::var_os(name).filter(|dir| !dir.is_empty()).map(|dir| Path::new(&dir).join(rest));
        home("XDG_CONFIG_HOME", "touchmove/touchmoved.toml")
            .or_else(|| home("HOME", ".config/touchmove/touchmoved.toml"))
            .filter(|path| path.exists())
            .unwrap_or_else(|| PathBuf::from("/etc/touchmove/touchmoved.toml"))
    }

    /// Returns the configured directory of journal and recordings.
    pub fn configured_state_dir(&self) -> Option<&Path> {
        self.state_dir.as_deref()
    }

    /// Returns the directory of journal and recordings: the configured one, else the one that systemd sets for the service, else
    /// the user's state directory, else `/var/lib/touchmove`.
    pub fn state_dir(&self) -> PathBuf {
        let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        self.state_dir
            .clone()
            .or_else(|| from("STATE_DIRECTORY"))
            .or_else(|| from("XDG_STATE_HOME").map(|home| home.join("touchmove")))
            .or_else(|| from("HOME").map(|home| home.join(".local/state/touchmove")))
            .unwrap_or_else(|| PathBuf::from(storage::DEFAULT_STATE_DIR))
    }

    /// Returns the reason why a configured directory of public files conflicts with this state directory, or `None`. The
    /// command line and the environment may set another state directory than the file does.
    pub fn files_conflict(&self, state_dir: &Path) -> Option<String> {
        let state_dir = std::path::absolute(state_dir).unwrap_or_else(|_| state_dir.to_owned());
        let exported = self.publish_static.as_ref().map(|exported| exported.dir.as_path());
        [self.files.as_deref(), exported].into_iter().flatten().find_map(|dir| files::conflict(dir, &state_dir))
    }

    /// Returns a warning, one sentence each, for every setting that is allowed but may be unintended.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.livechess.origins.contains(&livechess::Origin::Null) {
            warnings.push(
                "[livechess] origins contains null: pages opened from files may connect, and so may every sandboxed frame of any \
                 site; remove it if only pages of known sites may connect"
                    .to_owned(),
            );
        }
        if let hall::Role::Machine { hub, .. } = &self.hall.role {
            warnings.extend(self.public_tables().into_iter().map(|table| {
                format!(
                    "{table} publishes games on this machine, which also sends them to the hub {hub}: the hub's [broadcast] has no \
                     effect here; remove {table}, or give this machine the same delay"
                )
            }));
        }
        warnings
    }

    /// Returns the tables whose front-ends publish games beyond this machine.
    fn public_tables(&self) -> Vec<&'static str> {
        let web =
            self.web.listen.is_some_and(|address| !address.ip().is_loopback()) || self.web.proxy && self.web.listen.is_some();
        let livechess = self.livechess.listen.is_some() && !self.livechess.live;
        [
            ("[files]", self.files.is_some()),
            ("[publish_static]", self.publish_static.is_some()),
            ("[lichess]", self.lichess.is_some()),
            ("[livechess]", livechess),
            ("[web]", web),
        ]
        .into_iter()
        .filter_map(|(table, is_public)| is_public.then_some(table))
        .collect()
    }

    /// Returns a sentence for each configured file that holds a secret and that every user of this machine can read or replace.
    pub fn exposed_secrets(&self) -> Vec<String> {
        let token = self.lichess.as_ref().and_then(|lichess| lichess.token_file.as_deref());
        let key = self.web.tls.as_ref().map(|tls| tls.key.as_path());
        let hall_key = self.hall.configured_key_file();
        [token, key, hall_key].into_iter().flatten().filter_map(secret::exposure_warning).collect()
    }

    /// Returns the Laws of the event.
    pub fn laws(&self) -> Laws {
        self.common_settings.laws
    }

    /// Returns the settings of a table session for this board.
    pub fn settings(&self, board: &BoardConfig) -> Settings {
        Settings {
            sensing: board.model.sensing,
            rotation: board.rotation,
            clock_side: board.clock_side,
            lights: board.lights,
            start_fen: board.start_fen.clone(),
            ..self.common_settings.clone()
        }
    }
}

/// A problem in a configuration file, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// A sentence that says what is wrong and what to write.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The reason why the configuration could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that was named does not exist.
    #[error("{} does not exist: give an existing file, or omit --config", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file exists but cannot be read.
    #[error("{} cannot be read ({error}): make it readable for this user, or give another with --config", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The file is not UTF-8 text.
    #[error("{} is not a text file in UTF-8: rewrite it from config/touchmoved.toml", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// The content is invalid: one line for each problem, with file, line and column.
    #[error("{}", problems.iter().map(|problem| format!("{}:{problem}", path.display())).collect::<Vec<_>>().join("\n"))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The problems, at least one.
        problems: Vec<Problem>,
    },
    /// Of the directory of the public files and the state directory of this start, one contains the other.
    #[error("{}: {reason}", path.display())]
    FilesConflict {
        /// The configuration file.
        path: PathBuf,
        /// The result of [`Config::files_conflict`].
        reason: String,
    },
    /// Other users can read secrets in files that the configuration names. One line for each.
    #[error("{}", exposed.iter().map(|warning| format!("{}: {warning}", path.display())).collect::<Vec<_>>().join("\n"))]
    Exposed {
        /// The configuration file.
        path: PathBuf,
        /// The result of [`Config::exposed_secrets`], at least one.
        exposed: Vec<String>,
    },
}
