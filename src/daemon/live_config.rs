//! The configuration in force: the configuration file as it was at the start, and over it the settings that were changed since.
//!
//! **Invariants:** A change is stored before it takes effect, as part of a configuration that is valid as a whole. The configuration
//! file is never written. A file of settings that cannot be used prevents no start.

use super::atomic_file::{Durability, replace};
use super::{DelayedView, Hub};
use crate::config::Config;
use crate::config::keys::ChangeEffect;
use crate::config::settings::{
    EarlierPublication, KeyValue, RuntimeSettings, SETTINGS_FILE, SettingError, earlier_publication,
};
use crate::game::{DelayPolicy, ErrorCode};
use jiff::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard, watch};
use tokio::task::spawn_blocking;
use tracing::{info, warn};

/// Health kind: the file of settings is not used.
pub const SETTINGS_IGNORED: &str = "settings_ignored";

/// The configuration that a start uses.
pub struct StartConfig {
    /// The configuration in force.
    pub config: Config,
    /// The reason why the file of settings is not used, with what to do; `None`: it is used, or there is none.
    pub ignored: Option<String>,
    file: ConfigFile,
    settings: RuntimeSettings,
}

/// The configuration file, and the directory of the settings.
#[derive(Clone)]
struct ConfigFile {
    path: PathBuf,
    text: String,
    state_dir: PathBuf,
}

impl ConfigFile {
    /// Returns the path of the file of settings.
    fn settings_path(&self) -> PathBuf {
        self.state_dir.join(SETTINGS_FILE)
    }

    /// Returns the configuration with these settings.
    fn with_settings(&self, settings: &RuntimeSettings) -> Result<Config, Vec<String>> {
        let config = settings.apply(&self.text)?;
        config.files_conflict(&self.state_dir).map_or(Ok(config), |conflict| Err(vec![conflict]))
    }
}

impl StartConfig {
    /// Adds the settings in this state directory to a configuration. `text`: the text of the configuration file.
    pub fn new(config: Config, path: &Path, text: String, state_dir: &Path) -> StartConfig {
        let file = ConfigFile { path: path.to_owned(), text, state_dir: state_dir.to_owned() };
        let settings_path = file.settings_path();
        let used = match fs::read_to_string(&settings_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((config.clone(), RuntimeSettings::default())),
            Err(error) => Err(format!("it cannot be read ({error})")),
            Ok(text) => RuntimeSettings::parse(&text).map_err(|error| error.to_string()).and_then(|settings| {
                let config = file.with_settings(&settings).map_err(|problems| problems.join("; "))?;
                Ok((config, settings))
            }),
        };
        match used {
            Ok((config, settings)) => StartConfig { config, ignored: None, file, settings },
            Err(reason) => {
                let sentence = format!(
                    "{} is not used, so {} alone decides, also about the delay of the public: {reason}; `touchmovectl config` \
                     shows all keys, and `touchmovectl config set KEY VALUE` begins a new file",
                    settings_path.display(),
                    file.path.display()
                );
                StartConfig { config, ignored: Some(sentence), file, settings: RuntimeSettings::default() }
            }
        }
    }
}

/// The configuration in force, which can be changed.
pub struct LiveConfig {
    hub: Arc<Hub>,
    delayed_view: Arc<DelayedView>,
    file: ConfigFile,
    settings: Mutex<StoredSettings>,
    current: watch::Sender<Arc<Config>>,
}

struct StoredSettings {
    settings: RuntimeSettings,
    /// The file on disk is not the settings: it is kept under another name before it is replaced.
    is_ignored: bool,
}

/// The reason why a change is refused; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The setting is not valid.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The change must be confirmed.
    #[error("{0}: confirm it")]
    Unconfirmed(EarlierPublication),
    /// The change cannot be stored.
    #[error("{} cannot be written ({error}), so nothing was changed: free some space, or let touchmoved write there", path.display())]
    WriteFailed {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl ChangeError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            ChangeError::Setting(SettingError::UnknownKey { .. }) => ErrorCode::Unknown("NoSuchKey"),
            ChangeError::Setting(SettingError::NotSet(_)) => ErrorCode::Conflict("BadSetting"),
            ChangeError::Setting(_) => ErrorCode::Invalid("BadSetting"),
            ChangeError::Unconfirmed(_) => ErrorCode::Unconfirmed("Unconfirmed"),
            ChangeError::WriteFailed { .. } => ErrorCode::Unavailable("NotStored"),
        }
    }
}

impl LiveConfig {
    /// Takes over the configuration of the start. If its file of settings is not used, that is a health problem.
    pub fn new(start: StartConfig, hub: &Arc<Hub>, delayed_view: &Arc<DelayedView>) -> Arc<LiveConfig> {
        let StartConfig { config, ignored, file, settings } = start;
        let is_ignored = ignored.is_some();
        if let Some(sentence) = &ignored {
            warn!("{sentence}");
        }
        hub.set_health_problem(SETTINGS_IGNORED, None, ignored);
        Arc::new(LiveConfig {
            hub: Arc::clone(hub),
            delayed_view: Arc::clone(delayed_view),
            file,
            settings: Mutex::new(StoredSettings { settings, is_ignored }),
            current: watch::Sender::new(Arc::new(config)),
        })
    }

    /// Returns the configuration in force, and its changes.
    pub fn subscribe(&self) -> watch::Receiver<Arc<Config>> {
        self.current.subscribe()
    }

    /// Returns every key with its value and its source, and the path of the configuration file.
    pub async fn list(&self) -> (Vec<KeyValue>, &Path) {
        (self.settings.lock().await.settings.list(&self.file.text), &self.file.path)
    }

    /// Sets a key to this value, see [`RuntimeSettings::set`]. `is_confirmed`: the change is made even if the public then sees events
    /// sooner.
    ///
    /// # Errors
    /// The change is not valid, not confirmed, or cannot be stored.
    pub async fn set(&self, key: &str, value: &str, by: &str, is_confirmed: bool) -> Result<ChangeEffect, ChangeError> {
        let stored = self.settings.lock().await;
        let mut settings = stored.settings.clone();
        let effect = settings.set(key, value, by, &Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string())?;
        self.change(stored, settings, is_confirmed).await?;
        // Not the value, which may be a secret.
        info!("{by} set {key}");
        Ok(effect)
    }

    /// Removes a setting, so that the configuration file decides again. `is_confirmed` as in [`LiveConfig::set`].
    ///
    /// # Errors
    /// The change is not valid, not confirmed, or cannot be stored.
    pub async fn unset(&self, key: &str, by: &str, is_confirmed: bool) -> Result<ChangeEffect, ChangeError> {
        let stored = self.settings.lock().await;
        let mut settings = stored.settings.clone();
        let effect = settings.unset(key)?;
        self.change(stored, settings, is_confirmed).await?;
        info!("{by} unset {key}");
        Ok(effect)
    }

    /// Checks, stores and applies new settings.
    async fn change(
        &self,
        mut stored: MutexGuard<'_, StoredSettings>,
        settings: RuntimeSettings,
        is_confirmed: bool,
    ) -> Result<(), ChangeError> {
        let config = self.file.with_settings(&settings).map_err(SettingError::Invalid)?;
        let before = Arc::clone(&self.current.borrow());
        if let Some(reason) = earlier_publication(&before, &config).filter(|_| !is_confirmed) {
            return Err(ChangeError::Unconfirmed(reason));
        }
        self.hub.set_public_delay(config.delay);
        // First the policy: while it is changed, it is stored which events the earlier one hides.
        self.set_policy(&config).await?;
        let (path, text, keep) = (self.file.settings_path(), settings.to_toml(), stored.is_ignored);
        let written =
            spawn_blocking(move || write(&path, &text, keep)).await.unwrap_or_else(|error| Err(io::Error::other(error)));
        if let Err(error) = written {
            self.set_policy(&before).await?;
            return Err(ChangeError::WriteFailed { path: self.file.settings_path(), error });
        }
        *stored = StoredSettings { settings, is_ignored: false };
        self.hub.set_health_problem(SETTINGS_IGNORED, None, None);
        self.current.send_replace(Arc::new(config));
        Ok(())
    }

    /// Sets the policy of the delayed view, if it is another.
    async fn set_policy(&self, config: &Config) -> Result<(), ChangeError> {
        let policy = DelayPolicy { delay: config.delay, illegal_moves: config.illegal_moves };
        if *self.delayed_view.policy().borrow() == policy {
            return Ok(());
        }
        let changed = self.delayed_view.set_policy(policy).await;
        changed.map_err(|error| ChangeError::WriteFailed { path: self.file.state_dir.clone(), error })
    }
}

/// Writes the file of settings. `keep`: a file that could not be used is kept under another name.
fn write(path: &Path, text: &str, keep: bool) -> io::Result<()> {
    if keep {
        match fs::rename(path, path.with_extension("toml.unused")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    replace(path, text, Durability::PowerCutSafe)
}
