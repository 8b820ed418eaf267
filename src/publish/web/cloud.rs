//! The tournament as LiveChess Cloud tells it, and as PGN, for programs that ask again and again: from memory, as late as the public is.

use super::etag;
use crate::daemon::Gallery;
use crate::daemon::hub::News;
use crate::publish::files::Book;
use axum::body::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::time::Instant;

/// It is put together anew this often at most, as files are written.
const EVERY: Duration = Duration::from_secs(1);

/// What is told.
pub struct Cloud {
    gallery: Arc<Gallery>,
    told: Mutex<Told>,
}

struct Told {
    news: Receiver<News>,
    book: Book,
    /// By path. Those of rounds that are not followed any more stay.
    files: BTreeMap<String, (String, Bytes)>,
    /// There may be something else to tell.
    due: bool,
    at: Option<Instant>,
}

impl Cloud {
    /// What this gallery shows. `tags`: what the configuration says of every game.
    pub fn new(gallery: &Arc<Gallery>, tags: Vec<(String, String)>) -> Cloud {
        let (news, book) = (gallery.subscribe(), Book::new(tags));
        let told = Told { news, book, files: BTreeMap::new(), due: true, at: None };
        Cloud { gallery: Arc::clone(gallery), told: Mutex::new(told) }
    }

    /// What is at this path, with its tag; `None`: nothing.
    pub fn get(&self, path: &str) -> Option<(String, Bytes)> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.listen();
        if told.due && told.at.is_none_or(|at| at.elapsed() >= EVERY) {
            told.update(&self.gallery);
        }
        told.files.get(path).cloned()
    }
}

impl Told {
    fn listen(&mut self) {
        loop {
            match self.news.try_recv() {
                Ok(_) | Err(TryRecvError::Lagged(_)) => self.due = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn update(&mut self, gallery: &Gallery) {
        (self.due, self.at) = (false, Some(Instant::now()));
        self.book.follow(gallery);
        let now = self.book.tell(gallery);
        // A table that is no more has no game there; a round that is not followed any more stays as it was.
        let rounds: Vec<String> = now.keys().filter_map(|path| Some(format!("{}/", path.split_once('/')?.0))).collect();
        self.files.retain(|path, _| now.contains_key(path) || !rounds.iter().any(|round| path.starts_with(round)));
        for (path, text) in now {
            if self.files.get(&path).is_none_or(|(_, known)| known != text.as_bytes()) {
                let tag = etag::of(text.as_bytes());
                self.files.insert(path, (tag, text.into()));
            }
        }
    }
}
