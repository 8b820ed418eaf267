//! Writes the public page as files, for any web server: documents, pages, and what these load.
//!
//! **Invariants:** Everything is read from the [`DelayedView`], so nothing is written before the publication delay has passed. A file is
//! replaced atomically, and only if its content changes; the file with the event and the first page are written last. A disk or a
//! program that is slow blocks nothing else: this front-end has its own thread.

mod site_dir;
mod stored_games;

use super::program::run_program;
use super::public::{PageForm, PublicOptions, PublicTournament};
use crate::config::Config;
use crate::config::publish_static::PublishStatic;
use crate::daemon::{DelayedView, Stop, wait_for_stop};
use crate::publish::front_end::{Context, FrontEnd, HealthLog, Runtime, StartedFrontEnd};
use site_dir::SiteDir;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Interval before a failed write or a failed program is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(15);
/// How long the program may run when touchmoved is stopped.
const LAST_TIMEOUT: Duration = Duration::from_secs(10);

/// Health kind: the page cannot be written, or the program failed.
const STATIC_FAILED: &str = "publish_static_failed";

/// The front-end that writes the public page.
pub struct StaticSiteFrontEnd;

impl FrontEnd for StaticSiteFrontEnd {
    fn name(&self) -> &'static str {
        "publish_static"
    }

    fn runtime(&self) -> Runtime {
        Runtime::OwnThread
    }

    fn health_kinds(&self) -> &'static [&'static str] {
        &[STATIC_FAILED]
    }

    fn public_health_kinds(&self) -> &'static [&'static str] {
        self.health_kinds()
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        let exported = config.publish_static.clone()?;
        let options = PublicOptions::exported(config, exported.interval.as_secs());
        let health = context.health(HealthLog::Until("the public page is written and passed on again"));
        let report_health = move |sentence| health.report(STATIC_FAILED, None, sentence);
        let delayed_view = Arc::clone(&context.delayed_view);
        Some(StartedFrontEnd::new(run(delayed_view, exported, options, report_health, context.stop.clone())))
    }
}

/// Writes the page until `stop`, and then once more. `report_health` is called after each attempt, with a sentence that says what is
/// wrong and what to do, or with `None`.
async fn run(
    delayed_view: Arc<DelayedView>,
    exported: PublishStatic,
    options: PublicOptions,
    report_health: impl Fn(Option<String>),
    mut stop: Stop,
) {
    let mut updates = delayed_view.subscribe();
    let mut export = Export::new(exported, options);
    // After a start, boards appear one by one with their previous games.
    let (mut due, mut next) = (true, Instant::now() + Duration::from_secs(1));
    let (mut failed, mut ending) = (false, false);
    while !ending || (due && !failed) {
        tokio::select! {
            biased;
            received = updates.next(), if !ending => {
                due = true;
                ending = received.is_none();
            }
            () = wait_for_stop(&mut stop), if !ending => ending = true,
            () = tokio::time::sleep_until(next), if due && !ending => {}
            () = std::future::ready(()), if ending => {}
        }
        if !due || !ending && Instant::now() < next {
            continue;
        }
        // Another hub may have written more since.
        if !delayed_view.may_push() {
            failed = true;
            next = Instant::now() + export.config.interval;
            continue;
        }
        let mut stopping = stop.clone();
        let publish = export.publish(&delayed_view, ending);
        let outcome = tokio::select! {
            outcome = publish => outcome,
            // Everything is written once more, and the program run again.
            () = wait_for_stop(&mut stopping), if !ending => {
                ending = true;
                continue;
            }
        };
        failed = outcome.is_err();
        due = failed;
        next = Instant::now() + if failed { RETRY_INTERVAL } else { export.config.interval };
        report_health(outcome.err());
    }
}

/// The export, and what is not passed on yet.
struct Export {
    config: PublishStatic,
    tournament: PublicTournament,
    address: Option<String>,
    dir: SiteDir,
    /// The files that have changed since the program last succeeded.
    changed: BTreeSet<String>,
}

impl Export {
    fn new(config: PublishStatic, options: PublicOptions) -> Export {
        let address = options.address.clone();
        let form = PageForm { locale: options.language, suffix: ".html", address: None };
        let dir = SiteDir::new(config.dir.clone(), form, options.engine.clone());
        Export { config, tournament: PublicTournament::new(options), address, dir, changed: BTreeSet::new() }
    }

    /// Writes what has changed, and runs the program if anything has.
    ///
    /// # Errors
    /// A file cannot be written, or the program failed. Returns a sentence that says what to do.
    async fn publish(&mut self, delayed_view: &DelayedView, is_last: bool) -> Result<(), String> {
        self.tournament.follow(delayed_view, true);
        let written = self.dir.write(&self.tournament, self.address.as_deref(), &mut self.changed);
        // What could be written is passed on.
        if let Some(program) = self.config.command.first().filter(|_| !self.changed.is_empty()) {
            let variables = [("DIR", self.config.dir.display().to_string())];
            let input: String = self.changed.iter().map(|path| format!("{path}\n")).collect();
            let timeout = if is_last { self.config.timeout.min(LAST_TIMEOUT) } else { self.config.timeout };
            run_program(&self.config.command, &variables, &input, timeout).await.map_err(|error| {
                format!("{program} {error}: run it by hand, and check command in [publish_static]; touchmove runs it again")
            })?;
        }
        self.changed.clear();
        written
    }
}
