//! The web page and its API: the delayed games for the public, and everything live for logged-in users. docs/web.md describes every
//! response.
//!
//! | | |
//! |---|---|
//! | `GET /`, `/round/{n}`, `/round/{n}/table/{t}`, `/standings`, `/embed/…` | the public page |
//! | `GET /public/…`, `/public/stream` | the same as documents; their changes, as server-sent events |
//! | `GET /login`, `/board/{id}`, `/page/{file}` | the page of those who log in, which `/` is once they have; its files |
//! | `GET /api/state`, `/api/events` | all boards; changes, as server-sent events |
//! | `GET /api/games/{id}`, `/api/games/{id}/pgn` | one game |
//! | `GET /cloud/…` | the tournament, in the format of LiveChess Cloud |
//! | `POST /api/login`, `/api/logout` | a browser session, begun with a token or a one-time code |
//! | `POST /api/code` | a one-time code for another browser |
//! | `POST /api/command`, `/api/preview` | the arbiter's commands, and what they would do |
//! | `GET /api/desk`, `POST /api/desk` | the operator's desk; acts there |
//! | `POST /api/desk/exchange` | continues a game on another board |
//! | `GET /api/settings`, `POST /api/settings` | the configuration; changes of it |
//! | `POST /api/wiring-test`, `/api/bluetooth` | the wiring test of a board; the search for boards over Bluetooth |
//! | `GET /api/setup`, `/ca.crt` | what remains after `touchmovectl setup`; the CA of this machine |
//! | `GET /api/health`, `/api/backup` | the front-ends, problems and machines; a copy of the journal |
//!
//! **Invariants:** users who are not logged in read only the delayed view. No task but a browser's own waits for that browser.
//! Every change requires a token, and the journal records it with the token's name.

mod alert;
mod audience_state;
mod auth;
mod backup;
mod bluetooth;
pub mod body;
mod card;
mod card_change;
mod card_source;
mod cloud;
pub mod codes;
mod desk;
mod engine;
mod etag;
mod event_batch;
mod file_body;
mod frames;
mod game;
mod gzip;
mod health;
mod http;
pub(super) mod page;
mod pending;
mod post;
mod public;
mod public_site;
pub mod qr;
mod refusal;
mod sessions;
mod settings;
mod setup;
mod stream;
pub mod token_cache;
pub mod tokens;
mod wiring_test;

use crate::config::{self, Config, EventTags};
use crate::daemon::{DelayedView, Hub, LiveConfig, Source, Stop, steady_clock, wait_for_stop};
use crate::game::rights::Audience;
use crate::locale::Locale;
use crate::publish::front_end::{Context, FrontEnd, HealthLog, StartedFrontEnd};
use crate::publish::front_end_states::FrontEndStates;
use crate::publish::http::admission::ConnectionLimits;
use crate::publish::http::listener::{Listener, bind_failure_hint};
use crate::publish::http::tls::Certificate;
use crate::publish::public::PublicOptions;
use audience_state::AudienceState;
use auth::Authenticator;
use card::AudienceView;
use cloud::CloudFiles;
use engine::EngineFiles;
use frames::FrameHistory;
use pending::PendingLogins;
use public_site::PublicSite;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tracing::{error, info, warn};

/// Connection limits. A whole playing hall may share one address.
const CONNECTION_LIMITS: ConnectionLimits = ConnectionLimits { total: 2_048, per_address: 512 };

/// Pause before a certificate that could not be read is read again.
const CERTIFICATE_RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// The health problem reported when the address cannot be bound.
const WEB_FAILED: &str = "web_failed";

/// The page as a front-end.
pub struct WebFrontEnd;

impl FrontEnd for WebFrontEnd {
    fn name(&self) -> &'static str {
        "web"
    }

    fn health_kinds(&self) -> &'static [&'static str] {
        &[WEB_FAILED]
    }

    fn public_health_kinds(&self) -> &'static [&'static str] {
        self.health_kinds()
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        config.web.listen?;
        let health = context.health(HealthLog::Nothing);
        let report_health = move |sentence| health.report(WEB_FAILED, None, sentence);
        let web = WebState::new(context, config);
        Some(StartedFrontEnd::new(run(web, report_health)))
    }
}

/// The state shared by all requests.
pub struct WebState {
    hub: Arc<Hub>,
    delayed_view: Arc<DelayedView>,
    live_config: Arc<LiveConfig>,
    front_end_states: Arc<FrontEndStates>,
    state_dir: PathBuf,
    /// Held while a backup is downloaded.
    backup_turn: Arc<tokio::sync::Mutex<()>>,
    config: config::web::Web,
    tags: EventTags,
    access: Authenticator,
    pending: PendingLogins,
    cloud: CloudFiles,
    engine: Arc<EngineFiles>,
    public_options: PublicOptions,
    public_site: OnceLock<Arc<PublicSite>>,
    frames: Arc<FrameHistory>,
    audience_states: Mutex<BTreeMap<(Audience, &'static str), Arc<AudienceState>>>,
    /// Identifies this run of the program.
    run_id: String,
    stop: Stop,
}

impl WebState {
    /// Creates the state from the configuration; its tasks run until [`Context::stop`]. Tokens and sessions are stored in
    /// [`Context::state_dir`].
    pub fn new(context: &Context, config: &Config) -> Arc<WebState> {
        let Context { hub, delayed_view, live_config, login_codes, front_end_states, state_dir, stop, .. } = context.clone();
        let run_id = format!("{:x}", steady_clock::unix_ms());
        let public_options = PublicOptions::served(config);
        if config.public.evaluation && !public_options.evaluation {
            let dir = config.public.engine.display();
            warn!(
                "no engine is in {dir}, so spectators see no evaluation: install the package touchmove-engine, and restart touchmoved"
            );
        }
        Arc::new(WebState {
            cloud: CloudFiles::new(&delayed_view, config.tags.pairs(), config.public.fide_ids),
            engine: Arc::default(),
            public_options,
            public_site: OnceLock::new(),
            hub,
            delayed_view,
            live_config,
            front_end_states,
            config: config.web.clone(),
            tags: config.tags.clone(),
            access: Authenticator::new(&state_dir, login_codes, config.web.is_encrypted()),
            state_dir,
            backup_turn: Arc::default(),
            pending: PendingLogins::default(),
            frames: Arc::default(),
            audience_states: Mutex::default(),
            run_id,
            stop,
        })
    }

    /// Returns the source that this audience may read.
    fn source(&self, audience: Audience) -> Source {
        match audience {
            Audience::Public => Source::Public(Arc::clone(&self.delayed_view)),
            Audience::Operator | Audience::Arbiter => Source::Live(Arc::clone(&self.hub)),
        }
    }

    /// Returns the public page; it is started when somebody requests it.
    fn public_site(&self) -> Arc<PublicSite> {
        let start = || {
            let run_id = format!("{}p", self.run_id);
            PublicSite::start(&self.delayed_view, self.public_options.clone(), run_id, self.stop.clone())
        };
        Arc::clone(self.public_site.get_or_init(start))
    }

    /// Returns the state for this audience and language.
    fn audience_state(&self, audience: Audience, locale: Locale) -> Arc<AudienceState> {
        let mut audience_states = self.audience_states.lock().unwrap_or_else(PoisonError::into_inner);
        let audience_state = audience_states.entry((audience, locale.tag())).or_insert_with(|| {
            let fide_ids = !audience.is_public() || self.public_options.fide_ids;
            let view = AudienceView { audience, locale, policy: self.delayed_view.policy(), fide_ids };
            // Sequence numbers of one state are not valid for another.
            let run_id = format!("{}{}{}", self.run_id, audience as u8, locale as u8);
            AudienceState::start(view, self.source(audience), run_id, self.stop.clone())
        });
        Arc::clone(audience_state)
    }
}

/// Serves browsers until `stop`; returns at once if the page is disabled. Binding is retried if it fails; `report_health` is called
/// with the error, and with `None` on success.
pub async fn run(web: Arc<WebState>, report_health: impl Fn(Option<String>)) {
    let Some(address) = web.config.listen else { return };
    let mut stop = web.stop.clone();
    let frames = Arc::clone(&web.frames).run(Arc::clone(&web.hub), stop.clone());
    let scheme = if web.config.tls.is_some() { "https" } else { "http" };
    let report_outcome = |outcome: Result<_, _>| match outcome {
        Ok(bound) => {
            info!("the page is at {scheme}://{bound}/");
            report_health(None);
        }
        Err(error) => {
            let sentence = format!(
                "the page cannot be served at {address} ({error}): {}; touchmove tries again",
                bind_failure_hint(&error, "stop the program that listens there, or set another address as listen in [web]")
            );
            error!("{sentence}");
            report_health(Some(sentence));
        }
    };
    let serve = async {
        let certificate = match &web.config.tls {
            Some(files) => Some(load_certificate(files, &report_health).await),
            None => None,
        };
        // Behind a proxy all browsers have the same address.
        let limits = if web.config.proxy {
            ConnectionLimits { per_address: CONNECTION_LIMITS.total, ..CONNECTION_LIMITS }
        } else {
            CONNECTION_LIMITS
        };
        let clients = web.config.clients.clone();
        let listener = Listener { address, clients, limits, client_noun: "browsers", certificate };
        listener.serve(http::router(&web), report_outcome).await;
    };
    tokio::select! {
        () = serve => {}
        () = frames => {}
        () = web.access.watch() => {}
        () = wait_for_stop(&mut stop) => {}
    }
}

/// Loads the certificate, retrying until it can be read.
async fn load_certificate(files: &config::web::Tls, report_health: &impl Fn(Option<String>)) -> Certificate {
    loop {
        match Certificate::load(files) {
            Ok(certificate) => return certificate,
            Err(error) => {
                let sentence = format!("the page is not served: {error}; touchmove tries again");
                error!("{sentence}");
                report_health(Some(sentence));
            }
        }
        tokio::time::sleep(CERTIFICATE_RETRY_INTERVAL).await;
    }
}
