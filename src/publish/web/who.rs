//! Who looks at the page: nobody in particular, or who has a token.

use super::admitted::AdmittedTokens;
use super::tokens::{Hash, Role};
use crate::publish::guests::home;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The name of the cookie.
pub const COOKIE_NAME: &str = "touchmove";
/// A browser is logged in for so many seconds: longer than any tournament.
pub const COOKIE_AGE: u32 = 30 * 24 * 3600;
/// A browser that sends more cookies of that name is not one that we gave them to.
const COOKIES: usize = 4;
/// The file of tokens is looked at this often, while nobody asks.
const LOOK: Duration = Duration::from_secs(1);

/// In this span...
const SPAN: Duration = Duration::from_secs(60);
/// ...so many wrong tokens may come from one address...
const TRIES: u32 = 10;
/// ...and so many from all; beyond that, those who gave a wrong one wait, and others have one try.
const ALL_TRIES: u32 = 100;
/// So many addresses are remembered.
const REMEMBERED: usize = 4_096;

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
    /// Of his token.
    hash: Hash,
}

/// What these may see.
pub fn audience(who: Option<&Who>) -> Audience {
    match who.map(|who| who.role) {
        None => Audience::Public,
        Some(Role::Operator) => Audience::Operator,
        Some(Role::Arbiter) => Audience::Arbiter,
    }
}

/// Why somebody may not come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotIn {
    /// This is no token.
    Wrong,
    /// There were too many wrong ones: not before so long.
    Wait(Duration),
}

/// Who may come in.
pub struct Access {
    tokens: AdmittedTokens,
    tries: Mutex<Tries>,
}

/// Wrong tokens of late.
#[derive(Default)]
struct Tries {
    all: Count,
    by_home: BTreeMap<IpAddr, Count>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    since: Option<Instant>,
    count: u32,
}

impl Count {
    /// How many in this span.
    fn now(&self) -> u32 {
        if self.since.is_some_and(|since| since.elapsed() < SPAN) { self.count } else { 0 }
    }

    fn add(&mut self) {
        if self.now() == 0 {
            *self = Count { since: Some(Instant::now()), count: 0 };
        }
        self.count += 1;
    }

    /// How long until the span is over.
    fn rest(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| SPAN.saturating_sub(since.elapsed()))
    }
}

impl Access {
    /// By the tokens of this state directory.
    pub fn new(state_dir: &Path) -> Access {
        Access { tokens: AdmittedTokens::of(state_dir), tries: Mutex::default() }
    }

    /// Notices when tokens come and go, also while nobody asks.
    pub async fn watch(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            self.tokens.look();
        }
    }

    /// Told when tokens changed.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.tokens.changes()
    }

    /// Who sent this, by his cookie.
    pub fn who(&self, headers: &HeaderMap) -> Option<Who> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let secrets = cookies.flat_map(|value| value.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == COOKIE_NAME).then_some(value)
        });
        let hashes: Vec<Hash> = secrets.take(COOKIES).map(Hash::of).collect();
        hashes.iter().find_map(|hash| self.find(hash))
    }

    /// Whether his token is still one, and lets him do what it did.
    pub fn still(&self, who: &Who) -> bool {
        self.find(&who.hash).is_some_and(|now| now.role == who.role)
    }

    /// Who has this token. `from`: where it comes from.
    ///
    /// # Errors
    /// See [`NotIn`].
    pub fn login(&self, secret: &str, from: IpAddr) -> Result<Who, NotIn> {
        let home = home(from);
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        let own = tries.by_home.get(&home).copied().unwrap_or_default();
        let most = if tries.all.now() >= ALL_TRIES { 1 } else { TRIES };
        if own.now() >= most {
            return Err(NotIn::Wait(own.rest()));
        }
        match self.find(&Hash::of(secret)) {
            Some(who) => Ok(who),
            None => {
                if tries.by_home.len() >= REMEMBERED {
                    tries.by_home.retain(|_, count| count.now() > 0);
                }
                if tries.by_home.len() >= REMEMBERED {
                    tries.by_home.pop_first();
                }
                tries.by_home.entry(home).or_default().add();
                tries.all.add();
                Err(NotIn::Wrong)
            }
        }
    }

    fn find(&self, hash: &Hash) -> Option<Who> {
        let found = self.tokens.find(hash)?;
        Some(Who { name: found.name, role: found.role, hash: hash.clone() })
    }
}
