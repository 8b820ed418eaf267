//! The web page and its API: the delayed games for the public, and everything live for logged-in users. docs/web.md describes every
//! response.
//!
//! | | |
//! |---|---|
//! | `GET /`, `/board/{id}`, `/page/{file}` | the page |
//! | `GET /api/state`, `/api/events` | all boards; changes, as server-sent events |
//! | `GET /api/games/{id}`, `/api/games/{id}/pgn` | one game |
//! | `GET /cloud/…` | the tournament, in the format of LiveChess Cloud |
//! | `POST /api/login`, `/api/logout` | a browser session, begun with a token |
//! | `POST /api/command`, `/api/round` | the arbiter's commands; changes of the pairings |
//!
//! **Invariants:** users who are not logged in read only the delayed view. No task but a browser's own waits for that browser.
//! Every change requires a token, and the journal records it with the token's name.

pub mod admitted;
mod alert;
pub mod body;
mod card;
mod cloud;
mod etag;
mod frames;
mod game;
mod http;
mod page;
mod pending;
mod post;
mod sessions;
mod stage;
mod stream;
pub mod tokens;
mod who;

use crate::config::{self, Config, Tags};
use crate::daemon::{Gallery, Hub, Source, Stop, steady, stopped};
use crate::locale::Locale;
use crate::publish::guests::{House, Room, refused};
use crate::publish::tls::Certificate;
use card::View;
use cloud::Cloud;
use frames::Frames;
use pending::PendingLogins;
use stage::Stage;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::{error, info};
use who::{Access, Audience};

/// Connection limits. A whole playing hall may share one address.
const ROOM: Room = Room { all: 2_048, each: 512 };

/// Pause before a certificate that could not be read is read again.
const AGAIN: Duration = Duration::from_secs(5);

/// The health problem reported when the address cannot be bound.
pub const WEB_FAILED: &str = "web_failed";

/// The state shared by all requests.
pub struct Web {
    hub: Arc<Hub>,
    gallery: Arc<Gallery>,
    config: config::web::Web,
    tags: Tags,
    access: Access,
    pending: PendingLogins,
    cloud: Cloud,
    frames: Arc<Frames>,
    stages: Mutex<BTreeMap<(Audience, &'static str), Arc<Stage>>>,
    /// Identifies this run of the program.
    boot: String,
    stop: Stop,
}

impl Web {
    /// Creates the state from the configuration; its tasks run until `stop`. Tokens and sessions are stored in `state_dir`.
    pub fn new(hub: &Arc<Hub>, gallery: &Arc<Gallery>, config: &Config, state_dir: &Path, stop: Stop) -> Arc<Web> {
        let boot = format!("{:x}", steady::unix_ms());
        Arc::new(Web {
            hub: Arc::clone(hub),
            gallery: Arc::clone(gallery),
            config: config.web.clone(),
            tags: config.tags.clone(),
            access: Access::new(state_dir, config.web.is_encrypted()),
            pending: PendingLogins::default(),
            cloud: Cloud::new(gallery, config.tags.pairs()),
            frames: Arc::default(),
            stages: Mutex::default(),
            boot,
            stop,
        })
    }

    /// Returns the source that this audience may read.
    fn source(&self, audience: Audience) -> Source {
        match audience {
            Audience::Public => Source::Public(Arc::clone(&self.gallery)),
            Audience::Operator | Audience::Arbiter => Source::Live(Arc::clone(&self.hub)),
        }
    }

    /// Returns the stage for this audience and language.
    fn stage(&self, audience: Audience, locale: Locale) -> Arc<Stage> {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = stages.entry((audience, locale.tag())).or_insert_with(|| {
            let view = View { audience, locale, delay: self.gallery.delay() };
            // Sequence numbers of one stage are not valid for another.
            let boot = format!("{}{}{}", self.boot, audience as u8, locale as u8);
            Stage::start(view, self.source(audience), boot, self.stop.clone())
        });
        Arc::clone(stage)
    }
}

/// Serves browsers until `stop`; returns at once if the page is disabled. Binding is retried if it fails; `trouble` is called with
/// the error, and with `None` on success.
pub async fn run(web: Arc<Web>, trouble: impl Fn(Option<String>)) {
    let Some(address) = web.config.listen else { return };
    let mut stop = web.stop.clone();
    let frames = Arc::clone(&web.frames).run(Arc::clone(&web.hub), stop.clone());
    let scheme = if web.config.tls.is_some() { "https" } else { "http" };
    let opened = |outcome: Result<_, _>| match outcome {
        Ok(bound) => {
            info!("the page is at {scheme}://{bound}/");
            trouble(None);
        }
        Err(why) => {
            let sentence = format!(
                "the page cannot be served at {address} ({why}): {}; it is tried again",
                refused(&why, "end the program that listens there, or give another address as listen in [web]")
            );
            error!("{sentence}");
            trouble(Some(sentence));
        }
    };
    let serve = async {
        let certificate = match &web.config.tls {
            Some(files) => Some(certificate(files, &trouble).await),
            None => None,
        };
        // Behind a proxy all browsers have the same address.
        let room = if web.config.proxy { Room { each: ROOM.all, ..ROOM } } else { ROOM };
        let house = House { address, room, guests: "browsers", certificate };
        house.open(http::router(&web), opened).await;
    };
    tokio::select! {
        () = serve => {}
        () = frames => {}
        () = web.access.watch() => {}
        () = stopped(&mut stop) => {}
    }
}

/// Loads the certificate, retrying until it can be read.
async fn certificate(files: &config::web::Tls, trouble: &impl Fn(Option<String>)) -> Certificate {
    loop {
        match Certificate::load(files) {
            Ok(certificate) => return certificate,
            Err(why) => {
                let sentence = format!("the page is not served: {why}; it is tried again");
                error!("{sentence}");
                trouble(Some(sentence));
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}
