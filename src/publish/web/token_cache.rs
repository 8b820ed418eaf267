//! The tokens that are valid now, according to the current content of their file.

use super::tokens::{FileStamp, SecretHash, Token, TokenStore};
use crate::publish::http::headers;
use axum::http::HeaderMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tracing::warn;

/// The tokens of a state directory. The file is read again when it has changed.
pub struct TokenCache {
    tokens: TokenStore,
    cache: Mutex<CachedTokens>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct CachedTokens {
    stamp: Option<FileStamp>,
    tokens: Vec<Token>,
}

impl TokenCache {
    /// Creates the set for this state directory.
    pub fn of(state_dir: &Path) -> TokenCache {
        TokenCache { tokens: TokenStore::of(state_dir), cache: Mutex::default(), changed: watch::Sender::new(()) }
    }

    /// Returns the token with this secret. All tokens are compared, so the time does not depend on which one matches.
    pub fn find(&self, hash: &SecretHash) -> Option<Token> {
        let cache = self.cache();
        cache.tokens.iter().filter(|token| token.is(hash)).fold(None, |_, found| Some(found)).cloned()
    }

    /// Returns a receiver that is notified when the file has changed and was read again.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Notifies the receivers of changes.
    pub fn notify(&self) {
        self.changed.send_replace(());
    }

    /// Reads the file again if it has changed and there are receivers of changes.
    pub fn reload_if_changed(&self) {
        if self.changed.receiver_count() > 0 {
            drop(self.cache());
        }
    }

    fn cache(&self) -> MutexGuard<'_, CachedTokens> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.tokens.stamp();
        if cache.stamp != stamp {
            // If the file cannot be read, no token is valid.
            let tokens = self.tokens.load().unwrap_or_else(|error| {
                warn!("nobody can log in: {error}");
                Vec::new()
            });
            *cache = CachedTokens { stamp, tokens };
            self.notify();
        }
        cache
    }
}

/// Returns the hash of the token sent with a request (`Authorization: Bearer`); `None` if there is none.
pub fn bearer_token_hash(headers: &HeaderMap) -> Option<SecretHash> {
    headers::bearer(headers).map(SecretHash::of)
}
