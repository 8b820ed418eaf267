//! Who looks at the page: nobody in particular, or who has a token, or a session that began by one.

use super::admitted::{AdmittedTokens, bearer};
use super::sessions::Sessions;
use super::tokens::{Hash, Role, Token, TokenError};
use crate::daemon::steady;
use crate::publish::headers;
use axum::http::HeaderMap;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;

/// The name of the cookie, where all is encrypted: a browser takes it from this host alone, and over TLS (`__Host-`).
const ENCRYPTED_COOKIE: &str = "__Host-touchmove";
/// The name of the cookie elsewhere, which is on this machine.
const PLAIN_COOKIE: &str = "touchmove";
/// A browser keeps the cookie for so many seconds: longer than any tournament. Sessions that nobody uses are over before.
pub const COOKIE_AGE: u32 = 30 * 24 * 3600;
/// The file of tokens is looked at this often, while nobody asks.
const LOOK: Duration = Duration::from_secs(1);

/// What somebody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// The games, as late as the event has it.
    Public,
    /// Boards, devices, trouble, pairings and games, live; no alerts.
    Operator,
    /// Everything, live.
    Arbiter,
}

impl Audience {
    /// Everybody.
    pub fn is_public(self) -> bool {
        self == Audience::Public
    }
}

/// Somebody who has a token.
#[derive(Clone)]
pub struct Who {
    /// As the journal names him.
    pub name: String,
    /// What he may do.
    pub role: Role,
    proof: Proof,
}

/// By what somebody is known.
#[derive(Clone)]
enum Proof {
    Token(Hash),
    Session(Hash),
}

/// What these may see.
pub fn audience(who: Option<&Who>) -> Audience {
    match who.map(|who| who.role) {
        None => Audience::Public,
        Some(Role::Operator) => Audience::Operator,
        Some(Role::Arbiter) => Audience::Arbiter,
    }
}

/// Who may come in. A token is 256 random bits, which nobody finds by trying: so nobody is locked out who has tried wrong ones, nor any
/// neighbour of his.
pub struct Access {
    tokens: AdmittedTokens,
    sessions: Sessions,
    cookie: &'static str,
}

impl Access {
    /// By the tokens and sessions of this state directory. `encrypted`: what is said to browsers is.
    pub fn new(state_dir: &Path, encrypted: bool) -> Access {
        let cookie = if encrypted { ENCRYPTED_COOKIE } else { PLAIN_COOKIE };
        Access { tokens: AdmittedTokens::of(state_dir), sessions: Sessions::of(state_dir), cookie }
    }

    /// The name of the cookie.
    pub fn cookie_name(&self) -> &'static str {
        self.cookie
    }

    /// Notices when tokens come and go, also while nobody asks.
    pub async fn watch(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            self.tokens.look();
        }
    }

    /// Told when tokens changed, or a session has ended.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.tokens.changes()
    }

    /// Whether it was sent with a token that is none.
    pub fn is_refused(&self, headers: &HeaderMap) -> bool {
        bearer(headers).is_some_and(|hash| self.tokens.find(&hash).is_none())
    }

    /// Who sent this: by the token that is sent with it, else by the cookie.
    pub fn who(&self, headers: &HeaderMap) -> Option<Who> {
        match bearer(headers) {
            Some(hash) => self.find(Proof::Token(hash)),
            None => self.cookies(headers).into_iter().find_map(|hash| self.find(Proof::Session(hash))),
        }
    }

    /// Whether he is let in still, and may do what he did. His session is used by that.
    pub fn still(&self, who: &Who) -> bool {
        self.find(who.proof.clone()).is_some_and(|now| now.role == who.role)
    }

    /// Begins a session for who has this token: who it is, and the secret of the session; `None`: this is no token.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub async fn log_in(&self, secret: &str) -> Result<Option<(Who, String)>, TokenError> {
        let Some(token) = self.tokens.find(&Hash::of(secret)) else { return Ok(None) };
        let secret = self.sessions.begin(&token, steady::now_ms()).await?;
        Ok(Some((who(token, Proof::Session(Hash::of(&secret))), secret)))
    }

    /// Ends the session of whose cookie this is.
    pub async fn log_out(&self, headers: &HeaderMap) {
        for hash in self.cookies(headers) {
            if self.sessions.use_of(&hash, steady::now_ms()).is_some() {
                self.sessions.end(&hash).await;
                self.tokens.notify();
            }
        }
    }

    fn cookies(&self, headers: &HeaderMap) -> Vec<Hash> {
        headers::cookies(headers, self.cookie).into_iter().map(Hash::of).collect()
    }

    fn find(&self, proof: Proof) -> Option<Who> {
        let token = match &proof {
            Proof::Token(hash) => self.tokens.find(hash),
            Proof::Session(hash) => self.tokens.find(&self.sessions.use_of(hash, steady::now_ms())?),
        };
        token.map(|token| who(token, proof))
    }
}

fn who(token: Token, proof: Proof) -> Who {
    Who { name: token.name, role: token.role, proof }
}
