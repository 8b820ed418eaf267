//! The arbiter is told who is not looking: a program is run and a message posted for each alert of the matters that are wanted.
//!
//! **Invariant:** nothing waits for either. What they do not take in time is given up, and said to the operator.

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

/// The kind of trouble when the program of `command` fails.
pub const HOOK_FAILED: &str = "hook_failed";
/// The kind of trouble when nobody takes the messages.
pub const WEBHOOK_FAILED: &str = "webhook_failed";

/// So many programs run at once, and so many messages are on their way.
const AT_ONCE: usize = 4;
/// So many more wait for their turn; a hall in which more happens within some seconds has the page.
const WAITING: usize = 64;

/// How long what is told may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// A program is killed then.
    pub program: Duration,
    /// A message is given up then, each time it is tried.
    pub post: Duration,
    /// How long to wait before a message is tried again; twice as long each time.
    pub first: Duration,
    /// How often a message is tried.
    pub tries: u32,
}

impl Default for Patience {
    fn default() -> Patience {
        let seconds = Duration::from_secs;
        Patience { program: seconds(10), post: seconds(10), first: seconds(1), tries: 5 }
    }
}

/// What came of one of them: the kind of trouble, and a sentence, or that all is well.
type Outcome = (&'static str, Option<String>);

/// Tells of alerts from now on, until `stop`. `trouble` hears what is wrong, in a sentence that says what to do, or that all is well.
pub async fn run(
    hub: Arc<Hub>,
    config: Hooks,
    patience: Patience,
    trouble: impl Fn(&'static str, Option<String>),
    mut stop: Stop,
) {
    let mut news = hub.subscribe();
    let mut tellers = Tellers::new(config, patience);
    // The number of the last event that was looked at, by game.
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

/// What was not heard of the games at hand.
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

/// Those who tell it.
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

/// What is done of one kind, a few at a time. The others do not wait for it.
struct Queue {
    turns: Arc<Semaphore>,
    tasks: JoinSet<()>,
}

impl Queue {
    fn new() -> Queue {
        Queue { turns: Arc::new(Semaphore::new(AT_ONCE)), tasks: JoinSet::new() }
    }

    /// Does this when it is its turn, and tells what came of it.
    fn begin(
        &mut self,
        kind: &'static str,
        told: &mpsc::UnboundedSender<Outcome>,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        let (turns, told) = (Arc::clone(&self.turns), told.clone());
        // Whoever listens has gone only when all is over.
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

/// Posts it, and again where that fails.
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
