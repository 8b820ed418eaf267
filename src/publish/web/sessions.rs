//! Sessions of logged-in browsers, stored separately from the tokens with which they began.
//!
//! A session has its own secret of 256 random bits, known only to its browser. The state directory has a file with the SHA-256 of
//! the secret and of its token. So sessions survive a restart, an ended session stays ended, and revoking a token ends its
//! sessions.

use super::tokens::{SecretHash, Token, TokenError, generate_secret};
use crate::daemon::atomic_file::replace_secret;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::spawn_blocking;
use tracing::warn;

/// Idle time after which a session expires, in milliseconds.
const IDLE_MS: i64 = 24 * 3_600_000;
/// Maximum age of the last-use time in the file, in milliseconds.
const SAVE_INTERVAL_MS: i64 = 10 * 60_000;
/// Maximum number of sessions per token; a new one evicts the one that was idle longest.
const MAX_SESSIONS_PER_TOKEN: usize = 64;

/// All sessions of a state directory.
#[derive(Clone)]
pub(super) struct Sessions(Arc<Shared>);

struct Shared {
    path: PathBuf,
    sessions: Mutex<Vec<Session>>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

struct Session {
    hash: SecretHash,
    token: SecretHash,
    /// When the session was last used, in steady time (see [`crate::daemon::steady_clock`]), in milliseconds.
    used_ms: i64,
    /// The last-use time in the file.
    saved_used_ms: i64,
}

#[derive(Serialize, Deserialize)]
struct StoredSession {
    sha256: String,
    token_sha256: String,
    used_ms: i64,
}

impl Session {
    /// Returns whether the session has expired. A clock that was set back expires no session.
    fn is_expired(&self, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.used_ms) >= IDLE_MS
    }
}

impl Sessions {
    /// Loads the sessions of this state directory. If their file cannot be read, all users have to log in again.
    pub(super) fn of(state_dir: &Path) -> Sessions {
        let path = state_dir.join("sessions.json");
        let sessions = load(&path).unwrap_or_else(|error| {
            warn!("{} cannot be read ({error}): users of the page must log in again", path.display());
            Vec::new()
        });
        Sessions(Arc::new(Shared { path, sessions: Mutex::new(sessions), writing: Mutex::default() }))
    }

    /// Begins a session with this token and returns the session's secret.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub(super) async fn begin(&self, token: &Token, now_ms: i64) -> Result<String, TokenError> {
        let secret = generate_secret()?;
        {
            let mut sessions = self.sessions();
            sessions.retain(|session| !session.is_expired(now_ms));
            let of_token = sessions.iter().enumerate().filter(|(_, session)| session.token.is(&token.hash()));
            let count = of_token.clone().count();
            if let Some((oldest, _)) =
                of_token.min_by_key(|(_, session)| session.used_ms).filter(|_| count >= MAX_SESSIONS_PER_TOKEN)
            {
                sessions.remove(oldest);
            }
            sessions.push(Session {
                hash: SecretHash::of(&secret),
                token: token.hash(),
                used_ms: now_ms,
                saved_used_ms: now_ms,
            });
        }
        self.save().await;
        Ok(secret)
    }

    /// Marks the session with this secret as used now, and returns the hash of its token.
    pub(super) fn touch(&self, hash: &SecretHash, now_ms: i64) -> Option<SecretHash> {
        let mut sessions = self.sessions();
        let matching = sessions.iter_mut().filter(|session| session.hash.is(hash) && !session.is_expired(now_ms));
        let session = matching.fold(None, |_, found| Some(found))?;
        session.used_ms = now_ms;
        let token = session.token.clone();
        // If the clock was set back, continue from the new time.
        if (session.saved_used_ms - now_ms).abs() >= SAVE_INTERVAL_MS {
            session.saved_used_ms = now_ms;
            let shared = Arc::clone(&self.0);
            drop(spawn_blocking(move || shared.write_file()));
        }
        Some(token)
    }

    /// Returns whether a token with this hash has a session.
    pub(super) fn has_session(&self, token: &SecretHash, now_ms: i64) -> bool {
        self.sessions().iter().any(|session| session.token.is(token) && !session.is_expired(now_ms))
    }

    /// Ends the session with this secret.
    pub(super) async fn end(&self, hash: &SecretHash) {
        self.sessions().retain(|session| !session.hash.is(hash));
        self.save().await;
    }

    /// Writes the file. Only requests that log in or out wait for a slow disk.
    async fn save(&self) {
        let shared = Arc::clone(&self.0);
        // The task does not panic and is never aborted.
        let _ = spawn_blocking(move || shared.write_file()).await;
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<Session>> {
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn write_file(&self) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let stored: Vec<StoredSession> = {
            let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let to_stored = |session: &Session| StoredSession {
                sha256: session.hash.to_string(),
                token_sha256: session.token.to_string(),
                used_ms: session.used_ms,
            };
            sessions.iter().map(to_stored).collect()
        };
        let result = serde_json::to_string(&stored).map_err(io::Error::from).and_then(|text| replace_secret(&self.path, &text));
        if let Err(error) = result {
            let path = self.path.display();
            warn!("{path} cannot be written ({error}): users who logged in recently must log in again after a restart");
        }
    }
}

fn load(path: &Path) -> io::Result<Vec<Session>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let stored: Vec<StoredSession> = serde_json::from_str(&text)?;
    let session = |StoredSession { sha256, token_sha256, used_ms }: StoredSession| {
        let hash = |text: &str| text.parse::<SecretHash>().map_err(io::Error::other);
        Ok(Session { hash: hash(&sha256)?, token: hash(&token_sha256)?, used_ms, saved_used_ms: used_ms })
    };
    stored.into_iter().map(session).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rights::Role;
    use crate::publish::web::tokens::TokenStore;

    const DAY: i64 = 24 * 3_600_000;

    fn token(dir: &Path, name: &str) -> Token {
        let tokens = TokenStore::of(dir);
        let secret = tokens.create(name, Role::Arbiter, 0).expect("a token");
        tokens.load().expect("tokens").into_iter().find(|token| token.is(&SecretHash::of(&secret))).expect("this one")
    }

    #[tokio::test]
    async fn a_session_lasts_as_long_as_it_is_used() {
        let dir = tempfile::tempdir().expect("a directory");
        let token = token(dir.path(), "Anna");
        let sessions = Sessions::of(dir.path());
        let secret = SecretHash::of(&sessions.begin(&token, 0).await.expect("a session"));
        let mut now = 0;
        for _ in 0..5 {
            now += DAY - 1;
            assert!(sessions.touch(&secret, now).is_some_and(|hash| hash.is(&token.hash())));
        }
        assert!(sessions.touch(&SecretHash::of("another"), now).is_none());
        // The system time was set back nine days, and runs on from there.
        assert!(sessions.touch(&secret, now - 9 * DAY).is_some());
        assert!(sessions.touch(&secret, now - 8 * DAY).is_none(), "it is idle for a day");
        assert!(sessions.touch(&secret, now - 8 * DAY).is_none());
    }

    #[tokio::test]
    async fn ended_sessions_stay_ended_after_a_restart_and_others_continue() {
        let dir = tempfile::tempdir().expect("a directory");
        let token = token(dir.path(), "Anna");
        let sessions = Sessions::of(dir.path());
        let [first, second] = [0, 1].map(|_| sessions.begin(&token, 7));
        let (first, second) = (first.await.expect("a session"), second.await.expect("a session"));
        let text = fs::read_to_string(dir.path().join("sessions.json")).expect("the file");
        assert!(!text.contains(&first) && !text.contains(&second), "a secret is stored");
        sessions.end(&SecretHash::of(&first)).await;
        let reopened = Sessions::of(dir.path());
        assert!(reopened.touch(&SecretHash::of(&first), 8).is_none());
        assert!(reopened.touch(&SecretHash::of(&second), 8).is_some());
        assert!(reopened.touch(&SecretHash::of(&second), 8 + DAY).is_none());
        for invalid in ["", "{}", "[{\"sha256\":\"00\",\"token_sha256\":\"00\",\"used_ms\":1}]"] {
            fs::write(dir.path().join("sessions.json"), invalid).expect("written");
            assert!(Sessions::of(dir.path()).touch(&SecretHash::of(&second), 8).is_none());
        }
    }

    #[tokio::test]
    async fn the_session_limit_of_a_token_does_not_end_sessions_of_others() {
        let dir = tempfile::tempdir().expect("a directory");
        let (anna, otto) = (token(dir.path(), "Anna"), token(dir.path(), "Otto"));
        let sessions = Sessions::of(dir.path());
        let of_otto = SecretHash::of(&sessions.begin(&otto, 0).await.expect("a session"));
        let mut of_anna = Vec::new();
        for now in 1..=MAX_SESSIONS_PER_TOKEN as i64 + 3 {
            of_anna.push(SecretHash::of(&sessions.begin(&anna, now).await.expect("a session")));
        }
        assert!(sessions.touch(&of_otto, 100).is_some());
        let active: Vec<bool> = of_anna.iter().map(|hash| sessions.touch(hash, 100).is_some()).collect();
        assert_eq!(active.iter().filter(|active| **active).count(), MAX_SESSIONS_PER_TOKEN);
        assert_eq!(active[..4], [false, false, false, true]);
    }
}
