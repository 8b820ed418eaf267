//! What the administrator reads and changes.

use super::{Client, ClientError};
use crate::names;
use crate::publish::dbus::Stream;
use serde::{Deserialize, Serialize};
use zbus::wire::Type;

/// A key of the configuration with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ConfigKey {
    /// The name with its table: `broadcast.delay_s`.
    pub key: String,
    /// The value as TOML; empty: none.
    pub value: String,
    /// `default`, `file`, or `settings`: it was changed while touchmoved ran.
    pub source: String,
    /// Who changed it.
    pub by: String,
    /// When, in RFC 3339.
    pub at: String,
    /// When a change takes effect: `immediate`, `new_games`, `next_start`, or `file_only`.
    pub effect: String,
}

/// A one-time code for logging in to the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginCode {
    /// The code.
    pub code: String,
    /// The address of the page; empty: not known.
    pub address: String,
    /// How long the code is valid, in seconds.
    pub seconds: u32,
}

impl Client {
    /// Returns the path of the configuration file, and every key with its value.
    pub async fn configuration(&self) -> Result<(String, Vec<ConfigKey>), ClientError> {
        self.administer("Configuration", &()).await
    }

    /// Sets a key of the configuration. Returns when that takes effect, as in [`ConfigKey::effect`].
    ///
    /// # Errors
    /// [`ClientError::Unconfirmed`] if the change must be confirmed.
    pub async fn set_key(&self, key: &str, value: &str, confirmed: bool) -> Result<String, ClientError> {
        self.administer("Set", &(key, value, confirmed)).await
    }

    /// Removes what [`Client::set_key`] has set. Returns when that takes effect.
    ///
    /// # Errors
    /// [`ClientError::Unconfirmed`] if the change must be confirmed.
    pub async fn unset_key(&self, key: &str, confirmed: bool) -> Result<String, ClientError> {
        self.administer("Unset", &(key, confirmed)).await
    }

    /// Creates a code for one login to the page with this name and role.
    pub async fn create_login_code(&self, name: &str, role: &str) -> Result<LoginCode, ClientError> {
        let (code, address, seconds) = self.administer("CreateLoginCode", &(name, role)).await?;
        Ok(LoginCode { code, address, seconds })
    }

    async fn administer<B, R>(&self, method: &'static str, body: &B) -> Result<R, ClientError>
    where
        B: Serialize + zbus::wire::DynamicType,
        R: for<'d> zbus::wire::DynamicDeserialize<'d>,
    {
        if self.stream != Stream::Live {
            return Err(ClientError::Denied { stream: Stream::Live });
        }
        self.call(names::ROOT_PATH.to_owned(), names::ADMINISTRATOR_INTERFACE, method, body).await
    }
}
