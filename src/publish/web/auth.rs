//! Authentication: anonymous users, and users with a token or with a session that began with one.

use super::codes::{CodeRefusal, LoginCodes};
use super::sessions::Sessions;
use super::token_cache::{TokenCache, bearer_token_hash};
use super::tokens::{SecretHash, Token, TokenError, TokenStore};
use crate::daemon::steady_clock;
use crate::game::rights::{Audience, Role};
use crate::publish::http::headers;
use crate::wire::Word;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Name of the cookie if connections are encrypted: a browser accepts it only from this host, and over TLS (`__Host-`).
const ENCRYPTED_COOKIE: &str = "__Host-touchmove";
/// Name of the cookie if connections are not encrypted, which is allowed only on this machine.
const PLAIN_COOKIE: &str = "touchmove";
/// Maximum age of the cookie, in seconds: longer than any tournament. Idle sessions expire earlier.
pub(super) const COOKIE_AGE: u32 = 30 * 24 * 3600;
/// Interval at which the file of tokens is checked, besides the checks at each request.
const TOKEN_FILE_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A user who has a token.
#[derive(Clone)]
pub(super) struct User {
    /// The user's name, as in the journal.
    pub name: String,
    /// What the user may do.
    pub role: Role,
    credential: Credential,
}

impl User {
    /// Returns the user for the page: their rights, and the roles with which they may let others log in.
    pub(super) fn to_json(&self) -> Value {
        let rights: Vec<&str> = self.role.rights().map(Word::word).collect();
        let grants: Vec<&str> =
            Role::WORDS.iter().rev().filter(|(_, other)| self.role.may_grant(*other)).map(|(word, _)| *word).collect();
        json!({"name": self.name, "role": self.role.word(), "rights": rights, "grants": grants})
    }
}

/// The reason why a login with a code failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CodeError {
    /// The code is not accepted.
    #[error("the code is not accepted")]
    Refused(CodeRefusal),
    /// The login cannot be stored.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The task that stores it has failed.
    #[error("the login failed: ask for another code")]
    Aborted,
}

/// How the user authenticated.
#[derive(Clone)]
enum Credential {
    Token(SecretHash),
    Session(SecretHash),
}

/// Returns the audience of a user; `None` is an anonymous one.
pub(super) fn audience_of(user: Option<&User>) -> Audience {
    user.map_or(Audience::Public, |user| user.role.audience())
}

/// Authenticates users. Tokens are 256 random bits and cannot be guessed, so failed attempts lock out neither the user nor others
/// at the same address.
pub(super) struct Authenticator {
    tokens: TokenCache,
    store: TokenStore,
    sessions: Sessions,
    codes: Arc<LoginCodes>,
    cookie: &'static str,
}

impl Authenticator {
    /// Loads the tokens and sessions of this state directory. `encrypted`: whether connections to browsers are encrypted.
    pub(super) fn new(state_dir: &Path, codes: Arc<LoginCodes>, encrypted: bool) -> Authenticator {
        let cookie = if encrypted { ENCRYPTED_COOKIE } else { PLAIN_COOKIE };
        let (tokens, store) = (TokenCache::of(state_dir), TokenStore::of(state_dir));
        Authenticator { tokens, store, sessions: Sessions::of(state_dir), codes, cookie }
    }

    /// Returns the name of the cookie.
    pub(super) fn cookie_name(&self) -> &'static str {
        self.cookie
    }

    /// Checks the file of tokens for changes at regular intervals, also while there are no requests.
    pub(super) async fn watch(&self) {
        loop {
            tokio::time::sleep(TOKEN_FILE_POLL_INTERVAL).await;
            self.tokens.reload_if_changed();
        }
    }

    /// Returns a receiver that is notified when tokens have changed or a session has ended.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.tokens.changes()
    }

    /// Returns whether the request has an invalid token.
    pub(super) fn has_invalid_token(&self, headers: &HeaderMap) -> bool {
        bearer_token_hash(headers).is_some_and(|hash| self.tokens.find(&hash).is_none())
    }

    /// Returns the user who sent the request: by its token, else by its cookie.
    pub(super) fn user(&self, headers: &HeaderMap) -> Option<User> {
        match bearer_token_hash(headers) {
            Some(hash) => self.find(Credential::Token(hash)),
            None => self.cookies(headers).into_iter().find_map(|hash| self.find(Credential::Session(hash))),
        }
    }

    /// Returns whether the user is still authenticated and still has the same role. This counts as a use of their session.
    pub(super) fn is_still_authorized(&self, user: &User) -> bool {
        self.find(user.credential.clone()).is_some_and(|current| current.role == user.role)
    }

    /// Begins a session with this token. Returns the user and the session's secret; `None` if the token is not valid.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub(super) async fn log_in(&self, secret: &str) -> Result<Option<(User, String)>, TokenError> {
        let Some(token) = self.tokens.find(&SecretHash::of(secret)) else { return Ok(None) };
        let secret = self.sessions.begin(&token, steady_clock::now_ms()).await?;
        Ok(Some((make_user(token, Credential::Session(SecretHash::of(&secret))), secret)))
    }

    /// Begins a session with a one-time code. Returns the user, the session's secret, and who made the code.
    ///
    /// # Errors
    /// The code is not accepted, or the login cannot be stored.
    pub(super) async fn log_in_with_code(&self, code: &str) -> Result<(User, String, String), CodeError> {
        let login = self.codes.redeem(code, Instant::now()).map_err(CodeError::Refused)?;
        if login.maker_token.as_ref().is_some_and(|maker| self.tokens.find(maker).is_none()) {
            return Err(CodeError::Refused(CodeRefusal::Wrong));
        }
        let (maker, store, sessions) = (login.maker.clone(), self.store.clone(), self.sessions.clone());
        let now_ms = steady_clock::now_ms();
        let create =
            move || store.create_for_code(&login, steady_clock::unix_ms(), |token| sessions.has_session(token, now_ms));
        let token = spawn_blocking(create).await.map_err(|_| CodeError::Aborted)??;
        let secret = self.sessions.begin(&token, now_ms).await?;
        Ok((make_user(token, Credential::Session(SecretHash::of(&secret))), secret, maker))
    }

    /// Creates a one-time code for a login with this name and role; `None`: the user is no longer authenticated.
    ///
    /// # Errors
    /// The name is not valid or is in use, or the system provides no random numbers.
    pub(super) fn create_code(&self, user: &User, name: &str, role: Role) -> Result<Option<String>, TokenError> {
        let Some(token) = self.find_token(&user.credential) else { return Ok(None) };
        // Codes that are made on a telephone end with the token of who let it log in.
        let maker = token.maker.as_deref().unwrap_or(&token.name);
        self.codes.create(&self.store, name, role, maker, Some(&token)).map(Some)
    }

    /// Ends the session of the request's cookie.
    pub(super) async fn log_out(&self, headers: &HeaderMap) {
        for hash in self.cookies(headers) {
            let now_ms = steady_clock::now_ms();
            let Some(token) = self.sessions.touch(&hash, now_ms) else { continue };
            self.sessions.end(&hash).await;
            if self.tokens.find(&token).is_some_and(|token| token.maker.is_some()) {
                let (store, sessions) = (self.store.clone(), self.sessions.clone());
                // If it fails, the next login with a code removes the token.
                let _ = spawn_blocking(move || store.remove_ended(|token| sessions.has_session(token, now_ms))).await;
            }
            self.tokens.notify();
        }
    }

    fn cookies(&self, headers: &HeaderMap) -> Vec<SecretHash> {
        headers::cookies(headers, self.cookie).into_iter().map(SecretHash::of).collect()
    }

    fn find(&self, credential: Credential) -> Option<User> {
        self.find_token(&credential).map(|token| make_user(token, credential))
    }

    fn find_token(&self, credential: &Credential) -> Option<Token> {
        match credential {
            Credential::Token(hash) => self.tokens.find(hash),
            Credential::Session(hash) => self.tokens.find(&self.sessions.touch(hash, steady_clock::now_ms())?),
        }
    }
}

fn make_user(token: Token, credential: Credential) -> User {
    User { name: token.name, role: token.role, credential }
}
