//! The tokens that are admitted now, by their file as it is now.

use super::tokens::{Hash, Stamp, Token, Tokens};
use crate::publish::headers;
use axum::http::HeaderMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tracing::warn;

/// The tokens of a state directory. Their file is read again when it has changed.
pub struct AdmittedTokens {
    tokens: Tokens,
    known: Mutex<Known>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Known {
    stamp: Option<Stamp>,
    tokens: Vec<Token>,
}

impl AdmittedTokens {
    /// Those of this state directory.
    pub fn of(state_dir: &Path) -> AdmittedTokens {
        AdmittedTokens { tokens: Tokens::of(state_dir), known: Mutex::default(), changed: watch::Sender::new(()) }
    }

    /// The token with this secret. Each is compared, whichever it is.
    pub fn find(&self, hash: &Hash) -> Option<Token> {
        let known = self.known();
        known.tokens.iter().filter(|token| token.is(hash)).fold(None, |_, found| Some(found)).cloned()
    }

    /// Notified when the file has changed and was read again.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Notifies those who listen for changes.
    pub fn notify(&self) {
        self.changed.send_replace(());
    }

    /// Reads the file again if it has changed, where somebody listens for changes.
    pub fn look(&self) {
        if self.changed.receiver_count() > 0 {
            drop(self.known());
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.tokens.stamp();
        if known.stamp != stamp {
            // What cannot be read lets nobody in.
            let tokens = self.tokens.load().unwrap_or_else(|why| {
                warn!("nobody can log in: {why}");
                Vec::new()
            });
            *known = Known { stamp, tokens };
            self.notify();
        }
        known
    }
}

/// The token that a program sends with its request (`Authorization: Bearer`), as what is known of its secret; `None` where it sends none.
pub fn bearer(headers: &HeaderMap) -> Option<Hash> {
    headers::bearer(headers).map(Hash::of)
}
