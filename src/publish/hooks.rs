//! Notifies the arbiter outside the page: runs a program and posts a message for each alert of the configured matters.
//!
//! **Invariant:** Nothing waits for either. Work that exceeds its timeout is aborted and reported to the operator.

mod notice;
mod program;
mod webhook;

use crate::config::hooks::Hooks;
use crate::config::url::Url;
use crate::daemon::hub::{GameView, News, Published};
use crate::daemon::{Hub, Stop, stopped};
use crate::game::Event;
use notice::Notice;
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
const AT_ONCE: usize = 4;
/// Maximum number of further ones in the queue; in a hall where more happens within seconds, the arbiter uses the page.
const WAITING: usize = 64;

/// Timeouts and retries of the notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The time after which a program is killed.
    pub program: Duration,
    /// The timeout of each attempt to post a message.
    pub post: Duration,
    /// The backoff before the second attempt to post; it doubles with each attempt.
    pub first: Duration,
    /// Maximum number of attempts to post a message.
    pub tries: u32,
}

impl Default for Patience {
    fn default() -> Patience {
        let seconds = Duration::from_secs;
        Patience { program: seconds(10), post: seconds(10), first: seconds(1), tries: 5 }
    }
}

/// The outcome of a notification: the health kind, and a sentence, or `None` if all is well.
type Outcome = (&'static str, Option<String>);

/// Delivers alerts from now on, until `stop`. `trouble` is called with a sentence that says what is wrong and what to do, or with
/// `None` if all is well.
pub async fn run(
    hub: Arc<Hub>,
    config: Hooks,
    patience: Patience,
    trouble: impl Fn(&'static str, Option<String>),
    mut stop: Stop,
) {
    let mut news = hub.subscribe();
    let mut tellers = Tellers::new(config, patience);
    // The number of the last event that was processed, by game.
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => return,
            Some((kind, sentence)) = tellers.outcomes.recv() => trouble(kind, sentence),
            Some(_) = tellers.programs.tasks.join_next() => {}
            Some(_) = tellers.posts.tasks.join_next() => {}
            heard = news.recv() => match heard {
                Ok(News::Event(published)) => {
                    if let (Some(game), Some(number)) = (published.game, published.stamped.number)
                        && last.get(&game).is_none_or(|seen| *seen < number)
                    {
                        last.insert(game, number);
                        tellers.tell(&hub, &published);
                    }
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => missed(&hub, &mut last).iter().for_each(|published| tellers.tell(&hub, published)),
                Err(RecvError::Closed) => return,
            },
        }
    }
}

/// Returns the missed events of the games at hand.
fn missed(hub: &Hub, last: &mut BTreeMap<u64, u64>) -> Vec<Published> {
    let about = |game: &GameView| (game.id, game.board.clone(), game.epoch_wall_ms, game.recalled);
    let at_hand: Vec<_> = hub.read(|state| state.games.values().map(about).collect());
    last.retain(|game, _| at_hand.iter().any(|(known, ..)| known == game));
    let mut missed = Vec::new();
    for (game, board, epoch, recalled) in at_hand {
        let number = last.entry(game).or_insert(recalled);
        for stamped in hub.since(game, *number).unwrap_or_default() {
            *number = stamped.number.unwrap_or(*number);
            let wall_ms = epoch.saturating_add_unsigned(stamped.at);
            missed.push(Published { board: board.clone(), game: Some(game), wall_ms, stamped });
        }
    }
    missed
}

/// The queues that deliver alerts.
struct Tellers {
    config: Arc<Hooks>,
    patience: Patience,
    programs: Queue,
    posts: Queue,
    told: mpsc::UnboundedSender<Outcome>,
    outcomes: mpsc::UnboundedReceiver<Outcome>,
}

impl Tellers {
    fn new(config: Hooks, patience: Patience) -> Tellers {
        let (told, outcomes) = mpsc::unbounded_channel();
        Tellers { config: Arc::new(config), patience, programs: Queue::new(), posts: Queue::new(), told, outcomes }
    }

    fn tell(&mut self, hub: &Hub, published: &Published) {
        let Event::AlertRaised(alert) = &published.stamped.event else { return };
        if !self.config.matters.contains(&alert.kind.matter()) {
            return;
        }
        let notice = hub.read(|state| Notice::new(published, state.games.get(&published.game?)?, self.config.language));
        let Some(notice) = notice.map(Arc::new) else { return };
        if !self.config.command.is_empty() {
            let (config, notice, within) = (Arc::clone(&self.config), Arc::clone(&notice), self.patience.program);
            self.programs.begin(HOOK_FAILED, &self.told, async move {
                let ended = program::run(&config.command, &notice, within).await;
                let name = config.command.first().cloned().unwrap_or_default();
                ended.map_err(|why| {
                    format!("{name} {why}: try it by hand, and see command in [hooks]; it is run again for the next alert")
                })
            });
        }
        if let Some(url) = self.config.webhook.clone() {
            let patience = self.patience;
            self.posts.begin(WEBHOOK_FAILED, &self.told, async move {
                let posted = post(&url, &notice, patience).await;
                posted.map_err(|why| {
                    format!("an alert did not reach the webhook: {why}; see webhook in [hooks]; the next alert is posted again")
                })
            });
        }
    }
}

/// The tasks of one kind, of which a few run at once. The two kinds do not wait for each other.
struct Queue {
    turns: Arc<Semaphore>,
    tasks: JoinSet<()>,
}

impl Queue {
    fn new() -> Queue {
        Queue { turns: Arc::new(Semaphore::new(AT_ONCE)), tasks: JoinSet::new() }
    }

    /// Queues the work and reports its outcome.
    fn begin(
        &mut self,
        kind: &'static str,
        told: &mpsc::UnboundedSender<Outcome>,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        let (turns, told) = (Arc::clone(&self.turns), told.clone());
        // The receiver is dropped only at shutdown, so a failed send can be ignored.
        if self.tasks.len() >= AT_ONCE + WAITING {
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
async fn post(url: &Url, notice: &Notice, patience: Patience) -> Result<(), String> {
    let mut pause = patience.first;
    let mut tries = 1;
    loop {
        match webhook::post(url, notice, patience.post).await {
            Err(_) if tries < patience.tries => {
                tokio::time::sleep(pause).await;
                (tries, pause) = (tries + 1, pause * 2);
            }
            posted => return posted,
        }
    }
}
