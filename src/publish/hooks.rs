//! Notifies the arbiter outside the page: runs a program and posts a message for each alert of the configured matters.
//!
//! **Invariant:** Nothing waits for either. Work that exceeds its timeout is aborted and reported to the operator.

mod notice;
mod program;
mod webhook;

use crate::config::hooks::Hooks;
use crate::config::url::Url;
use crate::daemon::hub::{GameView, News, Published};
use crate::daemon::{Hub, Stop, wait_for_stop};
use crate::game::Event;
use notice::AlertNotification;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

/// Health kind: the program of `command` fails.
pub const HOOK_FAILED: &str = "hook_failed";
/// Health kind: messages cannot be delivered to the webhook.
pub const WEBHOOK_FAILED: &str = "webhook_failed";

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

/// Delivers alerts from now on, until `stop`. `trouble` is called with a sentence that says what is wrong and what to do, or with
/// `None` if all is well.
pub async fn run(
    hub: Arc<Hub>,
    config: Hooks,
    patience: NotificationTimeouts,
    trouble: impl Fn(&'static str, Option<String>),
    mut stop: Stop,
) {
    let mut news = hub.subscribe();
    let mut tellers = Notifiers::new(config, patience);
    // The number of the last event that was processed, by game.
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    loop {
        tokio::select! {
            biased;
            () = wait_for_stop(&mut stop) => return,
            Some((kind, sentence)) = tellers.outcomes.recv() => trouble(kind, sentence),
            Some(_) = tellers.programs.tasks.join_next() => {}
            Some(_) = tellers.posts.tasks.join_next() => {}
            heard = news.recv() => match heard {
                Ok(News::Event(published)) => {
                    if let (Some(game), Some(number)) = (published.game, published.stamped.number)
                        && last.get(&game).is_none_or(|seen| *seen < number)
                    {
                        last.insert(game, number);
                        tellers.notify(&hub, &published);
                    }
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => missed_events(&hub, &mut last).iter().for_each(|published| tellers.notify(&hub, published)),
                Err(RecvError::Closed) => return,
            },
        }
    }
}

/// Returns the missed events of the games at hand.
fn missed_events(hub: &Hub, last: &mut BTreeMap<u64, u64>) -> Vec<Published> {
    let about = |game: &GameView| (game.id, game.board.clone(), game.epoch_wall_ms, game.last_recalled_number);
    let at_hand: Vec<_> = hub.read(|state| state.games.values().map(about).collect());
    last.retain(|game, _| at_hand.iter().any(|(known, ..)| known == game));
    let mut missed = Vec::new();
    for (game, board, epoch, recalled) in at_hand {
        let number = last.entry(game).or_insert(recalled);
        for stamped in hub.events_after(game, *number).unwrap_or_default() {
            *number = stamped.number.unwrap_or(*number);
            let wall_ms = epoch.saturating_add_unsigned(stamped.at);
            missed.push(Published { board: board.clone(), game: Some(game), wall_ms, stamped });
        }
    }
    missed
}

/// The queues that deliver alerts.
struct Notifiers {
    config: Arc<Hooks>,
    patience: NotificationTimeouts,
    programs: Queue,
    posts: Queue,
    outcome_sender: mpsc::UnboundedSender<Outcome>,
    outcomes: mpsc::UnboundedReceiver<Outcome>,
}

impl Notifiers {
    fn new(config: Hooks, patience: NotificationTimeouts) -> Notifiers {
        let (told, outcomes) = mpsc::unbounded_channel();
        Notifiers {
            config: Arc::new(config),
            patience,
            programs: Queue::new(),
            posts: Queue::new(),
            outcome_sender: told,
            outcomes,
        }
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
            let (config, notice, within) = (Arc::clone(&self.config), Arc::clone(&notice), self.patience.program_timeout);
            self.programs.spawn(HOOK_FAILED, &self.outcome_sender, async move {
                let ended = program::run_program(&config.command, &notice, within).await;
                let name = config.command.first().cloned().unwrap_or_default();
                ended.map_err(|why| {
                    format!("{name} {why}: try it by hand, and see command in [hooks]; it is run again for the next alert")
                })
            });
        }
        if let Some(url) = self.config.webhook.clone() {
            let patience = self.patience;
            self.posts.spawn(WEBHOOK_FAILED, &self.outcome_sender, async move {
                let posted = post_with_retries(&url, &notice, patience).await;
                posted.map_err(|why| {
                    format!("an alert did not reach the webhook: {why}; see webhook in [hooks]; the next alert is posted again")
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
        told: &mpsc::UnboundedSender<Outcome>,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        let (turns, told) = (Arc::clone(&self.slots), told.clone());
        // The receiver is dropped only at shutdown, so a failed send can be ignored.
        if self.tasks.len() >= MAX_CONCURRENT + MAX_QUEUED {
            let many = "more alerts came than could be told: look at the boards".to_owned();
            let _ = told.send((kind, Some(many)));
            return;
        }
        self.tasks.spawn(async move {
            let Ok(_turn) = turns.acquire().await else { return };
            let _ = told.send((kind, work.await.err()));
        });
    }
}

/// Posts the message, with retries.
async fn post_with_retries(url: &Url, notice: &AlertNotification, patience: NotificationTimeouts) -> Result<(), String> {
    let mut pause = patience.first_backoff;
    let mut tries = 1;
    loop {
        match webhook::post_once(url, notice, patience.post_timeout).await {
            Err(_) if tries < patience.max_attempts => {
                tokio::time::sleep(pause).await;
                (tries, pause) = (tries + 1, pause * 2);
            }
            posted => return posted,
        }
    }
}
