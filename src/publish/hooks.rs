//! Notifies the arbiter outside the page: runs a program and posts a message for each alert of the configured matters.
//!
//! **Invariant:** Nothing waits for either. Work that exceeds its timeout is aborted and reported to the operator.

mod notice;
mod webhook;

use crate::config::Config;
use crate::config::hooks::Hooks;
use crate::config::url::Url;
use crate::daemon::hub::feed::Received;
use crate::daemon::hub::{HOOK_FAILED, Published, Update, WEBHOOK_FAILED};
use crate::daemon::source::EventCursor;
use crate::daemon::{Hub, Source, Stop, wait_for_stop};
use crate::game::Event;
use crate::publish::front_end::{Context, FrontEnd, HealthLog, Restart, Runtime, StartedFrontEnd};
use crate::publish::program::run_program;
use notice::AlertNotification;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

/// Maximum number of programs, and of messages, in progress at once.
const MAX_CONCURRENT: usize = 4;
/// Maximum number of further ones in the queue; in a hall where more happens within seconds, the arbiter uses the page.
const MAX_QUEUED: usize = 64;

/// Timeouts and retries of the notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationTimeouts {
    /// The time after which a program is killed.
    pub program_timeout: Duration,
    /// The timeout of each attempt to post a message.
    pub post_timeout: Duration,
    /// The backoff before the second attempt to post; it doubles with each attempt.
    pub first_backoff: Duration,
    /// Maximum number of attempts to post a message.
    pub max_attempts: u32,
}

impl Default for NotificationTimeouts {
    fn default() -> NotificationTimeouts {
        let seconds = Duration::from_secs;
        NotificationTimeouts {
            program_timeout: seconds(10),
            post_timeout: seconds(10),
            first_backoff: seconds(1),
            max_attempts: 5,
        }
    }
}

/// The outcome of a notification: the health kind, and a sentence, or `None` if all is well.
type Outcome = (&'static str, Option<String>);

/// The front-end that notifies by hooks.
pub struct HooksFrontEnd;

impl FrontEnd for HooksFrontEnd {
    fn name(&self) -> &'static str {
        "hooks"
    }

    fn runtime(&self) -> Runtime {
        Runtime::OwnThread
    }

    fn health_kinds(&self) -> &'static [&'static str] {
        &[HOOK_FAILED, WEBHOOK_FAILED]
    }

    fn restart(&self) -> Option<Restart> {
        Some(Restart { is_changed: |old, new| old.hooks != new.hooks })
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        if config.hooks.is_off() {
            return None;
        }
        // A hook runs when an alert is raised.
        let health = context.health(HealthLog::AboutPlay);
        let report_health = move |kind, sentence| health.report(kind, None, sentence);
        let (hub, timeouts) = (Arc::clone(&context.hub), NotificationTimeouts::default());
        Some(StartedFrontEnd::new(run(hub, config.hooks.clone(), timeouts, report_health, context.stop.clone())))
    }
}

/// Delivers alerts from now on, until `stop`. `report_health` is called with a sentence that says what is wrong and what to do,
/// or with `None` if all is well.
pub async fn run(
    hub: Arc<Hub>,
    config: Hooks,
    timeouts: NotificationTimeouts,
    report_health: impl Fn(&'static str, Option<String>),
    mut stop: Stop,
) {
    let mut updates = hub.subscribe();
    let mut notifiers = Notifiers::new(config, timeouts);
    let (source, mut cursor) = (Source::Live(Arc::clone(&hub)), EventCursor::default());
    loop {
        tokio::select! {
            biased;
            () = wait_for_stop(&mut stop) => return,
            Some((kind, sentence)) = notifiers.outcomes.recv() => report_health(kind, sentence),
            Some(_) = notifiers.programs.tasks.join_next() => {}
            Some(_) = notifiers.posts.tasks.join_next() => {}
            received = updates.next() => match received {
                Some(Received::Update(Update::Event(published))) => {
                    if let (Some(game), Some(number)) = (published.game, published.stamped.number)
                        && cursor.advance(game, number)
                    {
                        notifiers.notify(&hub, &published);
                    }
                }
                Some(Received::Update(_)) => {}
                Some(Received::Missed(_)) => cursor.catch_up(&source).iter().for_each(|published| notifiers.notify(&hub, published)),
                None => return,
            },
        }
    }
}

/// The queues that deliver alerts.
struct Notifiers {
    config: Arc<Hooks>,
    timeouts: NotificationTimeouts,
    programs: Queue,
    posts: Queue,
    outcome_sender: mpsc::UnboundedSender<Outcome>,
    outcomes: mpsc::UnboundedReceiver<Outcome>,
}

impl Notifiers {
    fn new(config: Hooks, timeouts: NotificationTimeouts) -> Notifiers {
        let (outcome_sender, outcomes) = mpsc::unbounded_channel();
        Notifiers { config: Arc::new(config), timeouts, programs: Queue::new(), posts: Queue::new(), outcome_sender, outcomes }
    }

    fn notify(&mut self, hub: &Hub, published: &Published) {
        let Event::AlertRaised(alert) = &published.stamped.event else { return };
        if !self.config.matters.contains(&alert.kind.category()) {
            return;
        }
        let notice =
            hub.read(|state| AlertNotification::new(published, state.games.get(&published.game?)?, self.config.language));
        let Some(notice) = notice.map(Arc::new) else { return };
        if !self.config.command.is_empty() {
            let (config, notice, timeout) = (Arc::clone(&self.config), Arc::clone(&notice), self.timeouts.program_timeout);
            self.programs.spawn(HOOK_FAILED, &self.outcome_sender, async move {
                let result = run_program(&config.command, &notice.variables, &format!("{}\n", notice.json), timeout).await;
                let name = config.command.first().cloned().unwrap_or_default();
                result.map_err(|error| {
                    format!("{name} {error}: run it by hand, and check command in [hooks]; the next alert runs it again")
                })
            });
        }
        if let Some(url) = self.config.webhook.clone() {
            let timeouts = self.timeouts;
            self.posts.spawn(WEBHOOK_FAILED, &self.outcome_sender, async move {
                let result = post_with_retries(&url, &notice, timeouts).await;
                result.map_err(|error| {
                    format!(
                        "an alert did not reach the webhook: {error}; check webhook in [hooks]; the next alert will be posted"
                    )
                })
            });
        }
    }
}

/// The tasks of one kind, of which a few run at once. The two kinds do not wait for each other.
struct Queue {
    slots: Arc<Semaphore>,
    tasks: JoinSet<()>,
}

impl Queue {
    fn new() -> Queue {
        Queue { slots: Arc::new(Semaphore::new(MAX_CONCURRENT)), tasks: JoinSet::new() }
    }

    /// Queues the work and reports its outcome.
    fn spawn(
        &mut self,
        kind: &'static str,
        outcome_sender: &mpsc::UnboundedSender<Outcome>,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        let (slots, outcome_sender) = (Arc::clone(&self.slots), outcome_sender.clone());
        // The receiver is dropped only at shutdown, so a failed send can be ignored.
        if self.tasks.len() >= MAX_CONCURRENT + MAX_QUEUED {
            let message = "there were more alerts than could be sent: look at the boards".to_owned();
            let _ = outcome_sender.send((kind, Some(message)));
            return;
        }
        self.tasks.spawn(async move {
            let Ok(_slot) = slots.acquire().await else { return };
            let _ = outcome_sender.send((kind, work.await.err()));
        });
    }
}

/// Posts the message, with retries.
async fn post_with_retries(url: &Url, notice: &AlertNotification, timeouts: NotificationTimeouts) -> Result<(), String> {
    let mut pause = timeouts.first_backoff;
    let mut attempts = 1;
    loop {
        match webhook::post_once(url, notice, timeouts.post_timeout).await {
            Err(_) if attempts < timeouts.max_attempts => {
                tokio::time::sleep(pause).await;
                (attempts, pause) = (attempts + 1, pause * 2);
            }
            result => return result,
        }
    }
}
