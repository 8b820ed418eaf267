//! Sends games to Lichess: pushes them into the rounds of a broadcast with `POST /api/broadcast/round/{id}/push` of its API.
//!
//! Whenever a game of a round changes, all games of the round are sent in one request, each in full. So Lichess's copy always
//! matches the record, whatever it was before, and corrections need no special treatment. The moves sent end before the first that
//! is not legal, because Lichess stops reading a game at such a move; the rest is described in a comment, and the result is sent.
//!
//! **Invariants:** Everything is read from the [`Gallery`], so nothing is sent before the publication delay has passed. Games that
//! Lichess has not accepted yet are kept in files until it has. Requests are at least [`Pace::every`] apart, and Lichess's
//! `Retry-After` is respected.

mod outbox;
mod pace;
mod said;
mod token;

pub use pace::Pace;
pub use said::{refused, words};
pub use token::token;

use crate::config::lichess::{Lichess, Rounds};
use crate::daemon::hub::{BoardId, State};
use crate::daemon::{Gallery, Stop, stopped};
use crate::publish::files::table;
use crate::publish::request::{self, Request, RequestError};
use crate::round::Round;
use hyper::Method;
use outbox::{GAMES, Outbox, Shown};
use said::Said;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

/// Health kind: games do not reach Lichess.
pub const LICHESS_FAILED: &str = "lichess_failed";
/// Health kind: Lichess rejected a game, or the game cannot be sent.
pub const LICHESS_REFUSED: &str = "lichess_refused";
/// Maximum number of rounds followed: games of the previous round may still be delayed when the next one is loaded.
const ROUNDS: usize = 2;
/// Number of consecutive failures from which they are reported; shorter outages are not reported.
const SAID_FROM: u32 = 3;
/// Time limit for sending what is left at shutdown.
const LAST: Duration = Duration::from_secs(5);

/// A callback that reports health: the kind, the board concerned, and a sentence that says what to do, or `None` if all is well.
pub type Trouble = dyn Fn(&'static str, Option<&BoardId>, Option<String>) + Send;

/// Sends the public games until `stop`. `dir`: the directory of games that Lichess has not accepted yet; `tags`: the configured
/// tags of every game.
pub async fn run(
    gallery: Arc<Gallery>,
    config: Lichess,
    dir: PathBuf,
    tags: Vec<(String, String)>,
    pace: Pace,
    trouble: Box<Trouble>,
    mut stop: Stop,
) {
    let mut news = gallery.subscribe();
    let mut sender = Sender::new(config, &dir, tags, pace, trouble);
    // After a start, boards appear one by one with their previous games.
    let (mut changed, mut look_at) = (true, Instant::now() + pace.every);
    loop {
        let due = sender.due();
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            heard = news.recv() => match heard {
                Err(RecvError::Closed) => break,
                _ => changed = true,
            },
            () = sleep_until(look_at), if changed => {
                changed = false;
                look_at = Instant::now() + pace.every;
                sender.look(&gallery);
            }
            () = sleep_until(due.unwrap_or(look_at)), if due.is_some() => tokio::select! {
                () = sender.send(pace.within) => {}
                () = stopped(&mut stop) => break,
            },
        }
    }
    sender.look(&gallery);
    // The last results are sent before shutdown, not after the next start, unless the last request failed.
    if sender.rounds.iter().all(|round| round.failures == 0) {
        let rest = async {
            while let Some(due) = sender.due().filter(|due| *due <= Instant::now() + pace.every) {
                sleep_until(due).await;
                sender.send(LAST.min(pace.within)).await;
            }
        };
        let _ = tokio::time::timeout(LAST, rest).await;
    }
}

/// The sender of the games of all rounds.
struct Sender {
    config: Lichess,
    site: String,
    tags: Vec<(String, String)>,
    pace: Pace,
    rounds: Vec<Sending>,
    /// The rounds that are followed, the latest last; empty if none was loaded.
    followed: VecDeque<Round>,
    /// The earliest time of the next request.
    free_at: Instant,
    /// The reason why the games of a round cannot be sent at all.
    nowhere: Option<String>,
    /// Boards whose games have no player names.
    unnamed: Vec<BoardId>,
    /// The reason why games cannot be written to files.
    unkept: Option<String>,
    trouble: Box<Trouble>,
    /// The health reports that are in force.
    told: BTreeMap<(&'static str, Option<BoardId>), String>,
}

/// A round on Lichess.
struct Sending {
    id: String,
    outbox: Outbox,
    /// No request for this round before this time.
    not_before: Instant,
    /// The number of consecutive failures.
    failures: u32,
    /// The reason why games do not reach the round.
    wrong: Option<String>,
    /// When rejected games are sent again, unchanged.
    again: Option<Instant>,
}

impl Sender {
    fn new(config: Lichess, dir: &Path, tags: Vec<(String, String)>, pace: Pace, trouble: Box<Trouble>) -> Sender {
        let now = Instant::now();
        let sending = |(_, id): (Option<u16>, &str)| {
            let outbox = Outbox::open(dir.join(id));
            let again = outbox.has_refused().then_some(now);
            Sending { id: id.to_owned(), outbox, not_before: now, failures: 0, wrong: None, again }
        };
        let rounds = config.rounds.all().into_iter().map(sending).collect();
        Sender {
            site: config.url.to_string(),
            config,
            tags,
            pace,
            rounds,
            followed: VecDeque::new(),
            free_at: now,
            nowhere: None,
            unnamed: Vec::new(),
            unkept: None,
            trouble,
            told: BTreeMap::new(),
        }
    }

    /// Returns when the next request is due; `None`: not before something changes.
    fn due(&self) -> Option<Instant> {
        let due = |round: &Sending| round.due().map(|at| at.max(self.free_at));
        self.rounds.iter().filter_map(due).min()
    }

    /// Reads the current public games, and stores what must be sent.
    fn look(&mut self, gallery: &Gallery) {
        if let Some(round) = gallery.read(|state| state.round.clone()) {
            self.follow(round);
        }
        let rounds: Vec<Option<Round>> = match self.followed.len() {
            0 => vec![None],
            _ => self.followed.iter().cloned().map(Some).collect(),
        };
        (self.nowhere, self.unnamed) = (None, Vec::new());
        for round in &rounds {
            let number = table::number(round.as_ref(), &self.tags);
            let sending = self.config.rounds.id(number).and_then(|id| self.rounds.iter_mut().find(|known| known.id == id));
            // Only the message about the last round is kept.
            self.nowhere = None;
            let Some(sending) = sending else {
                self.nowhere = Some(format!(
                    "round {number} is not on Lichess, because nobody says which round it is there: write its id into round under [lichess], such as \"{number} = AbCd1234\""
                ));
                continue;
            };
            let is_only = matches!(self.config.rounds, Rounds::One(_)) && sending.outbox.has_moves();
            if let Some(other) = sending.outbox.number().filter(|other| is_only && *other != number) {
                self.nowhere = Some(format!(
                    "round {number} is not on Lichess, because {} there is round {other}: write the ids of both into round under [lichess], such as \"{other} = {}, {number} = AbCd1234\"",
                    sending.id, sending.id
                ));
                continue;
            }
            let shown = gallery.read(|state| shown(state, round.as_ref(), &self.tags, &sending.outbox));
            self.unnamed.extend(sending.outbox.take(number, shown, round.is_some()));
        }
        self.keep();
        self.tell();
    }

    /// Adds or updates the round that is played now.
    fn follow(&mut self, round: Round) {
        match self.followed.iter_mut().find(|known| known.number == round.number) {
            Some(known) => *known = round,
            None => self.followed.push_back(round),
        }
        while self.followed.len() > ROUNDS {
            self.followed.pop_front();
        }
    }

    /// Sends the round that is due, and records the response.
    async fn send(&mut self, within: Duration) {
        let now = Instant::now();
        // `rounds` is in the order of round numbers, so the current round is found first from the end.
        let Some(round) = self.rounds.iter_mut().rev().find(|round| round.due().is_some_and(|due| due <= now)) else { return };
        self.free_at = now + self.pace.every;
        let sent = round.outbox.whole();
        let request = |token: String| Request {
            method: Method::POST,
            path: Some(format!("/api/broadcast/round/{}/push", round.id)),
            headers: vec![("Authorization", format!("Bearer {token}"))],
            text: sent.text.clone(),
        };
        let said = match token(&self.config) {
            Ok(token) => match request::send(&self.config.url, request(token), within).await {
                Ok(answer) => Said::read(&answer, &self.site, &round.id),
                Err(why @ (RequestError::Trust(_) | RequestError::Far(_) | RequestError::Proof(..))) => {
                    Said::Refused(why.to_string())
                }
                Err(why) => Said::Later { wait: None, why: why.to_string() },
            },
            Err(why) => Said::Refused(why),
        };
        let now = Instant::now();
        round.again = None;
        match said {
            Said::Heard(heard) => {
                round.outbox.heard(sent, heard);
                (round.failures, round.wrong) = (0, None);
                round.again = round.outbox.has_refused().then(|| now + self.pace.refused);
            }
            Said::Later { wait, why } => {
                round.failures = round.failures.saturating_add(1);
                let wait = wait.map_or_else(|| self.pace.pause(round.failures), |wait| self.pace.asked(wait));
                round.put_off(now + wait, &why);
            }
            Said::TooMany { wait, why } => {
                round.failures = round.failures.saturating_add(1);
                // All rounds share one address and one token, so the limit applies to all.
                self.free_at = now + self.pace.asked(wait);
                round.put_off(self.free_at, &why);
            }
            Said::Refused(why) => {
                round.failures = round.failures.saturating_add(1);
                round.not_before = now + self.pace.refused;
                round.wrong = Some(format!("{why}; it is tried again"));
                round.again = round.outbox.has_refused().then_some(now + self.pace.refused);
            }
        }
        self.keep();
        self.tell();
    }

    fn keep(&mut self) {
        let number = table::number(self.followed.back(), &self.tags);
        let keep = |round: &mut Sending| round.outbox.keep(round.outbox.number().is_none_or(|own| own == number));
        // Every round is written, even if writing another one failed.
        let wrong: Vec<String> = self.rounds.iter_mut().filter_map(|round| keep(round).err()).collect();
        self.unkept = wrong.into_iter().next_back();
    }

    /// Reports the current problems where they have changed.
    fn tell(&mut self) {
        let mut now: BTreeMap<(&'static str, Option<BoardId>), String> = BTreeMap::new();
        let mut say = |kind, board: Option<BoardId>, sentence: String| {
            let all = now.entry((kind, board)).or_default();
            if !all.is_empty() {
                all.push_str("; ");
            }
            all.push_str(&sentence);
        };
        for sentence in [&self.nowhere, &self.unkept].into_iter().flatten() {
            say(LICHESS_FAILED, None, sentence.clone());
        }
        for round in &self.rounds {
            if let Some(unread) = round.outbox.unread() {
                say(LICHESS_FAILED, None, unread);
            }
            if let Some(wrong) = &round.wrong {
                say(LICHESS_FAILED, None, wrong.clone());
            }
            if round.outbox.beyond() > 0 {
                let sentence = format!(
                    "{} games of round {} are not on Lichess, which shows {GAMES}: make two rounds of it",
                    round.outbox.beyond(),
                    round.id
                );
                say(LICHESS_FAILED, None, sentence);
            }
            for (board, sentence) in round.outbox.refused(&self.site) {
                say(LICHESS_REFUSED, board, sentence);
            }
        }
        for board in &self.unnamed {
            let sentence = format!(
                "the game on board {board} is not on Lichess, because nobody says who plays: `touchmovectl round load FILE`, and it is sent from its first move on"
            );
            say(LICHESS_REFUSED, Some(board.clone()), sentence);
        }
        for (kind, board) in self.told.keys().filter(|key| !now.contains_key(*key)) {
            (self.trouble)(kind, board.as_ref(), None);
        }
        for ((kind, board), sentence) in &now {
            if self.told.get(&(*kind, board.clone())) != Some(sentence) {
                (self.trouble)(kind, board.as_ref(), Some(sentence.clone()));
            }
        }
        self.told = now;
    }
}

impl Sending {
    /// Postpones the round after a temporary failure.
    fn put_off(&mut self, until: Instant, why: &str) {
        self.not_before = until;
        if self.failures >= SAID_FROM {
            self.wrong = Some(format!("games do not reach Lichess now: {why}; it is tried again, and nothing is lost"));
        }
        self.again = self.outbox.has_refused().then_some(until);
    }

    fn due(&self) -> Option<Instant> {
        let pending = self.outbox.is_pending().then_some(self.not_before);
        pending.into_iter().chain(self.again.map(|again| again.max(self.not_before))).min()
    }
}

/// Returns the tables of a round, each with its game if the outbox does not have its current state.
fn shown(state: &State, round: Option<&Round>, tags: &[(String, String)], outbox: &Outbox) -> Vec<Shown> {
    let with_game = |table: table::Table| {
        let game = table.game.and_then(|(id, _)| state.games.get(&id));
        let board = game.map(|game| game.board.clone());
        let game = game.filter(|_| !outbox.tells(&table)).cloned();
        (table, game, board)
    };
    table::tables(state, round, tags).into_iter().map(with_game).collect()
}
