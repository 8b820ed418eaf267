//! `org.touchmove1.Administrator`, on the live name only.

use super::{Error, Stream, polkit};
use crate::config::Config;
use crate::config::settings::{KeyValue, ValueSource};
use crate::config::web::Web;
use crate::daemon::LiveConfig;
use crate::game::rights::{Right, Role};
use crate::publish::front_end::Context;
use crate::publish::web::codes::{CODE_LIFETIME, LoginCodes};
use crate::publish::web::tokens::TokenStore;
use crate::wire::Word;
use std::sync::Arc;
use zbus::message::Header;
use zbus::{Connection, interface};

/// The D-Bus interface for the administrator, on the object of the service.
#[derive(Clone)]
pub(super) struct AdministratorObject {
    live_config: Arc<LiveConfig>,
    login_codes: Arc<LoginCodes>,
    tokens: TokenStore,
    web: Web,
}

impl AdministratorObject {
    /// Creates the object.
    pub(super) fn new(config: &Config, context: &Context) -> AdministratorObject {
        AdministratorObject {
            live_config: Arc::clone(&context.live_config),
            login_codes: Arc::clone(&context.login_codes),
            tokens: TokenStore::of(&context.state_dir),
            web: config.web.clone(),
        }
    }
}

/// A key with its value: `(key, value, source, by, at, effect)`, as returned by `Configuration`.
type KeyRow = (String, String, &'static str, String, String, &'static str);

fn key_row(KeyValue { name, value, source, effect }: KeyValue) -> KeyRow {
    let (source, by, at) = match source {
        ValueSource::Default => ("default", String::new(), String::new()),
        ValueSource::File => ("file", String::new(), String::new()),
        ValueSource::Settings { by, at } => ("settings", by, at),
    };
    (name, value, source, by, at, effect.word())
}

/// The configuration while the service runs, and logins to the page. For root and whoever polkit authorizes. Since API version 1.
#[interface(name = "org.touchmove1.Administrator")]
impl AdministratorObject {
    /// The configuration file, and every key as (key, value, source, by, at, effect): its name with its table, such as
    /// broadcast.delay_s; its value as TOML, empty for none; where the value is from: default, file (the configuration file), or
    /// settings (it was changed while the service ran); who changed it, and when (RFC 3339); when a change takes effect: immediate,
    /// new_games (in games that begin from then on), next_start, or file_only (it cannot be changed while the service runs).
    #[zbus(out_args("file", "keys"))]
    async fn configuration(&self) -> (String, Vec<KeyRow>) {
        let (keys, file) = self.live_config.list().await;
        (file.display().to_string(), keys.into_iter().map(key_row).collect())
    }

    /// Sets a key of the configuration to a value, as TOML or as text without quotes, over the configuration file, which is not
    /// changed. The configuration is validated as a whole before anything changes. Returns when the change takes effect: immediate,
    /// new_games or next_start. What the public would then see sooner must be confirmed; events until now keep their delay.
    /// Errors: NoSuchKey, BadSetting, Unconfirmed, NotStored.
    #[zbus(out_args("effect"))]
    async fn set(
        &self,
        key: &str,
        value: &str,
        confirmed: bool,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<&'static str, Error> {
        let by = polkit::authorize(Right::Administer, Stream::Live, &header, connection).await?;
        Ok(self.live_config.set(key, value, &by, confirmed).await?.word())
    }

    /// Removes what Set has set, so that the configuration file decides again. Returns as Set.
    /// Errors: NoSuchKey, BadSetting, Unconfirmed, NotStored.
    #[zbus(out_args("effect"))]
    async fn unset(
        &self,
        key: &str,
        confirmed: bool,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<&'static str, Error> {
        let by = polkit::authorize(Right::Administer, Stream::Live, &header, connection).await?;
        Ok(self.live_config.unset(key, &by, confirmed).await?.word())
    }

    /// Creates a code with which a browser logs in to the page once, under this name and with this role: operator, arbiter or
    /// administrator.
    /// Returns the code, the address of the page (empty if it is not known how browsers address it), and for how many seconds the
    /// code is valid.
    /// Errors: NoPage, BadRole, BadName.
    #[zbus(out_args("code", "address", "seconds"))]
    async fn create_login_code(
        &self,
        name: &str,
        role: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(String, String, u32), Error> {
        let maker = polkit::authorize(Right::Administer, Stream::Live, &header, connection).await?;
        if self.web.listen.is_none() {
            let sentence = "the page is off, so nobody can log in: write listen under [web] in the configuration file";
            return Err(Error::NoPage(sentence.to_owned()));
        }
        let role = Role::from_word(role)
            .ok_or_else(|| Error::BadRole(format!("\"{role}\" is not a role: use operator, arbiter or administrator")))?;
        let code = self.login_codes.create(&self.tokens, name, role, &maker, None)?;
        let seconds = u32::try_from(CODE_LIFETIME.as_secs()).unwrap_or(u32::MAX);
        Ok((code, self.web.address().unwrap_or_default(), seconds))
    }
}
