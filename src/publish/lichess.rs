//! Sends games to Lichess: pushes them into the rounds of a broadcast with `POST /api/broadcast/round/{id}/push` of its API.
//!
//! Whenever a game of a round changes, all games of the round are sent in one request, each in full. So Lichess's copy always
//! matches the record, whatever it was before, and corrections need no special treatment. The moves sent end before the first that
//! is not legal, because Lichess stops reading a game at such a move; the rest is described in a comment, and the result is sent.
//!
//! **Invariants:** Everything is read from the [`DelayedView`], so nothing is sent before the publication delay has passed. Games that
//! Lichess has not accepted yet are kept in files until it has. Requests are at least [`RequestPacing::min_interval`] apart, and Lichess's
//! `Retry-After` is respected.

mod outbox;
mod pace;
mod reply;
mod token;

pub use pace::RequestPacing;
pub use reply::{error_message, rejection_advice};
pub use token::token;

use crate::config::Config;
use crate::config::lichess::{Lichess, Rounds};
use crate::daemon::hub::{BoardId, State};
use crate::daemon::{DelayedView, Stop, wait_for_stop};
use crate::publish::front_end::{Context, FrontEnd, HealthLog, Restart, Runtime, StartedFrontEnd};
use crate::publish::http::request::{self, Request, RequestError};
use crate::publish::render::playing_table::{self, PlayingTable};
use crate::round::Round;
use hyper::Method;
use outbox::{MAX_GAMES, Outbox, TableUpdate};
use reply::LichessReply;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Health kind: games do not reach Lichess.
const LICHESS_FAILED: &str = "lichess_failed";
/// Health kind: Lichess rejected a game, or the game cannot be sent.
const LICHESS_REFUSED: &str = "lichess_refused";
/// Maximum number of rounds followed: games of the previous round may still be delayed when the next one is loaded.
const MAX_ROUNDS: usize = 2;
/// Number of consecutive failures from which they are reported; shorter outages are not reported.
const REPORT_AFTER_FAILURES: u32 = 3;
/// Time limit for sending what is left at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// A callback that reports health: the kind, the board concerned, and a sentence that says what to do, or `None` if all is well.
pub type ReportHealth = dyn Fn(&'static str, Option<&BoardId>, Option<String>) + Send;

/// The front-end that sends games to Lichess.
pub struct LichessFrontEnd;

impl FrontEnd for LichessFrontEnd {
    fn name(&self) -> &'static str {
        "lichess"
    }

    fn runtime(&self) -> Runtime {
        Runtime::OwnThread
    }

    fn health_kinds(&self) -> &'static [&'static str] {
        &[LICHESS_FAILED, LICHESS_REFUSED]
    }

    fn public_health_kinds(&self) -> &'static [&'static str] {
        self.health_kinds()
    }

    fn restart(&self) -> Option<Restart> {
        Some(Restart { is_changed: |old, new| old.lichess != new.lichess })
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        let lichess = config.lichess.clone()?;
        let health = context.health(HealthLog::All);
        let report_health: Box<ReportHealth> = Box::new(move |kind, board, sentence| health.report(kind, board, sentence));
        let (delayed_view, dir, tags) =
            (Arc::clone(&context.delayed_view), context.state_dir.join("lichess"), config.tags.pairs());
        let pacing = RequestPacing::default();
        Some(StartedFrontEnd::new(run(delayed_view, lichess, dir, tags, pacing, report_health, context.stop.clone())))
    }
}

/// Sends the public games until `stop`. `dir`: the directory of games that Lichess has not accepted yet; `tags`: the configured
/// tags of every game.
pub async fn run(
    delayed_view: Arc<DelayedView>,
    config: Lichess,
    dir: PathBuf,
    tags: Vec<(String, String)>,
    pace: RequestPacing,
    report_health: Box<ReportHealth>,
    mut stop: Stop,
) {
    let mut updates = delayed_view.subscribe();
    let mut sender = Sender::new(config, &dir, tags, pace, report_health);
    // After a start, boards appear one by one with their previous games.
    let (mut changed, mut next_update) = (true, Instant::now() + pace.min_interval);
    loop {
        let may_push = delayed_view.may_push();
        let due = sender.due().map(|due| if may_push { due } else { due.max(Instant::now() + pace.min_interval) });
        tokio::select! {
            biased;
            () = wait_for_stop(&mut stop) => break,
            received = updates.next() => match received {
                Some(_) => changed = true,
                None => break,
            },
            () = sleep_until(next_update), if changed => {
                changed = false;
                next_update = Instant::now() + pace.min_interval;
                sender.update(&delayed_view);
            }
            // Another hub may have sent more since.
            () = sleep_until(due.unwrap_or(next_update)), if due.is_some() => tokio::select! {
                biased;
                () = delayed_view.wait_until_no_push() => {}
                () = sender.send(pace.timeout) => {}
                () = wait_for_stop(&mut stop) => break,
            },
        }
    }
    sender.update(&delayed_view);
    // The last results are sent before shutdown, not after the next start, unless the last request failed.
    if sender.rounds.iter().all(|round| round.failures == 0) {
        let flush = async {
            while let Some(due) = sender.due().filter(|due| *due <= Instant::now() + pace.min_interval) {
                sleep_until(due).await;
                if !delayed_view.may_push() {
                    break;
                }
                sender.send(SHUTDOWN_TIMEOUT.min(pace.timeout)).await;
            }
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, flush).await;
    }
}

/// The sender of the games of all rounds.
struct Sender {
    config: Lichess,
    site: String,
    tags: Vec<(String, String)>,
    pace: RequestPacing,
    rounds: Vec<RoundSender>,
    /// The rounds that are followed, the latest last; empty if none was loaded.
    followed: VecDeque<Round>,
    /// The earliest time of the next request.
    next_request_at: Instant,
    /// The reason why the games of a round cannot be sent at all.
    unsendable_reason: Option<String>,
    /// Boards whose games have no player names.
    unnamed_boards: Vec<BoardId>,
    /// The reason why games cannot be written to files.
    save_error: Option<String>,
    report_health: Box<ReportHealth>,
    /// The health reports that are in force.
    reported: BTreeMap<(&'static str, Option<BoardId>), String>,
}

/// A round on Lichess.
struct RoundSender {
    id: String,
    outbox: Outbox,
    /// No request for this round before this time.
    not_before: Instant,
    /// The number of consecutive failures.
    failures: u32,
    /// The reason why games do not reach the round.
    error: Option<String>,
    /// When rejected games are sent again, unchanged.
    retry_rejected_at: Option<Instant>,
}

impl Sender {
    fn new(
        config: Lichess,
        dir: &Path,
        tags: Vec<(String, String)>,
        pace: RequestPacing,
        report_health: Box<ReportHealth>,
    ) -> Sender {
        let now = Instant::now();
        let round_sender = |(_, id): (Option<u16>, &str)| {
            let outbox = Outbox::open(dir.join(id));
            let retry_at = outbox.has_refused().then_some(now);
            RoundSender { id: id.to_owned(), outbox, not_before: now, failures: 0, error: None, retry_rejected_at: retry_at }
        };
        let rounds = config.rounds.all().into_iter().map(round_sender).collect();
        Sender {
            site: config.url.to_string(),
            config,
            tags,
            pace,
            rounds,
            followed: VecDeque::new(),
            next_request_at: now,
            unsendable_reason: None,
            unnamed_boards: Vec::new(),
            save_error: None,
            report_health,
            reported: BTreeMap::new(),
        }
    }

    /// Returns when the next request is due; `None`: not before something changes.
    fn due(&self) -> Option<Instant> {
        let due = |round: &RoundSender| round.due().map(|at| at.max(self.next_request_at));
        self.rounds.iter().filter_map(due).min()
    }

    /// Reads the current public games, and stores what must be sent.
    fn update(&mut self, delayed_view: &DelayedView) {
        if let Some(round) = delayed_view.read(|state| state.desk.round().cloned()) {
            self.follow_round(round);
        }
        let rounds: Vec<Option<Round>> = match self.followed.len() {
            0 => vec![None],
            _ => self.followed.iter().cloned().map(Some).collect(),
        };
        (self.unsendable_reason, self.unnamed_boards) = (None, Vec::new());
        for round in &rounds {
            let number = playing_table::round_number(round.as_ref(), &self.tags);
            let round_sender = self.config.rounds.id(number).and_then(|id| self.rounds.iter_mut().find(|known| known.id == id));
            // Only the message about the last round is kept.
            self.unsendable_reason = None;
            let Some(round_sender) = round_sender else {
                self.unsendable_reason = Some(format!(
                    "round {number} is not on Lichess, because its id there is unknown: add it to round under [lichess], such as \"{number} = AbCd1234\""
                ));
                continue;
            };
            let is_only = matches!(self.config.rounds, Rounds::One(_)) && round_sender.outbox.has_moves();
            if let Some(other) = round_sender.outbox.number().filter(|other| is_only && *other != number) {
                self.unsendable_reason = Some(format!(
                    "round {number} is not on Lichess, because {} is round {other} there: add the ids of both to round under [lichess], such as \"{other} = {}, {number} = AbCd1234\"",
                    round_sender.id, round_sender.id
                ));
                continue;
            }
            let tables = delayed_view.read(|state| changed_tables(state, round.as_ref(), &self.tags, &round_sender.outbox));
            self.unnamed_boards.extend(round_sender.outbox.update(number, tables, round.is_some()));
        }
        self.save();
        self.report_problems();
    }

    /// Adds or updates the round that is played now.
    fn follow_round(&mut self, round: Round) {
        match self.followed.iter_mut().find(|known| known.number == round.number) {
            Some(known) => *known = round,
            None => self.followed.push_back(round),
        }
        while self.followed.len() > MAX_ROUNDS {
            self.followed.pop_front();
        }
    }

    /// Sends the round that is due, and records the response.
    async fn send(&mut self, timeout: Duration) {
        let now = Instant::now();
        // `rounds` is in the order of round numbers, so the current round is found first from the end.
        let Some(round) = self.rounds.iter_mut().rev().find(|round| round.due().is_some_and(|due| due <= now)) else { return };
        self.next_request_at = now + self.pace.min_interval;
        let body = round.outbox.push_body();
        let request = |token: String| Request {
            method: Method::POST,
            path: Some(format!("/api/broadcast/round/{}/push", round.id)),
            headers: vec![("Authorization", format!("Bearer {token}"))],
            text: body.text.clone(),
        };
        let reply = match token(&self.config) {
            Ok(token) => match request::send(&self.config.url, request(token), timeout).await {
                Ok(response) => LichessReply::from_response(&response, &self.site, &round.id),
                Err(
                    error @ (RequestError::NoTrustedRoots(_) | RequestError::NotLocal(_) | RequestError::UnverifiedServer(..)),
                ) => LichessReply::Rejected(error.to_string()),
                Err(error) => LichessReply::RetryLater { wait: None, reason: error.to_string() },
            },
            Err(message) => LichessReply::Rejected(message),
        };
        let now = Instant::now();
        round.retry_rejected_at = None;
        match reply {
            LichessReply::Processed(outcomes) => {
                round.outbox.record_outcomes(body, outcomes);
                (round.failures, round.error) = (0, None);
                round.retry_rejected_at = round.outbox.has_refused().then(|| now + self.pace.rejected_retry);
            }
            LichessReply::RetryLater { wait, reason } => {
                round.failures = round.failures.saturating_add(1);
                let wait = wait.map_or_else(|| self.pace.backoff(round.failures), |wait| self.pace.clamp_retry_after(wait));
                round.postpone(now + wait, &reason);
            }
            LichessReply::RateLimited { wait, reason } => {
                round.failures = round.failures.saturating_add(1);
                // All rounds share one address and one token, so the limit applies to all.
                self.next_request_at = now + self.pace.clamp_retry_after(wait);
                round.postpone(self.next_request_at, &reason);
            }
            LichessReply::Rejected(message) => {
                round.failures = round.failures.saturating_add(1);
                round.not_before = now + self.pace.rejected_retry;
                round.error = Some(format!("{message}; touchmove tries again"));
                round.retry_rejected_at = round.outbox.has_refused().then_some(now + self.pace.rejected_retry);
            }
        }
        self.save();
        self.report_problems();
    }

    fn save(&mut self) {
        let number = playing_table::round_number(self.followed.back(), &self.tags);
        let save_round =
            |round: &mut RoundSender| round.outbox.save(round.outbox.number().is_none_or(|stored| stored == number));
        // Every round is written, even if writing another one failed.
        let errors: Vec<String> = self.rounds.iter_mut().filter_map(|round| save_round(round).err()).collect();
        self.save_error = errors.into_iter().next_back();
    }

    /// Reports the current problems where they have changed.
    fn report_problems(&mut self) {
        let mut problems: BTreeMap<(&'static str, Option<BoardId>), String> = BTreeMap::new();
        let mut add_problem = |kind, board: Option<BoardId>, sentence: String| {
            let sentences = problems.entry((kind, board)).or_default();
            if !sentences.is_empty() {
                sentences.push_str("; ");
            }
            sentences.push_str(&sentence);
        };
        for sentence in [&self.unsendable_reason, &self.save_error].into_iter().flatten() {
            add_problem(LICHESS_FAILED, None, sentence.clone());
        }
        for round in &self.rounds {
            if let Some(unreadable) = round.outbox.unread() {
                add_problem(LICHESS_FAILED, None, unreadable);
            }
            if let Some(error) = &round.error {
                add_problem(LICHESS_FAILED, None, error.clone());
            }
            if round.outbox.excess_count() > 0 {
                let sentence = format!(
                    "{} games of round {} are not on Lichess, which shows at most {MAX_GAMES}: split the round into two",
                    round.outbox.excess_count(),
                    round.id
                );
                add_problem(LICHESS_FAILED, None, sentence);
            }
            for (board, sentence) in round.outbox.rejection_reports(&self.site) {
                add_problem(LICHESS_REFUSED, board, sentence);
            }
        }
        for board in &self.unnamed_boards {
            let sentence = format!(
                "the game on board {board} is not on Lichess, because its players are unknown: run `touchmovectl round load FILE`, and the game is sent from its first move on"
            );
            add_problem(LICHESS_REFUSED, Some(board.clone()), sentence);
        }
        for (kind, board) in self.reported.keys().filter(|key| !problems.contains_key(*key)) {
            (self.report_health)(kind, board.as_ref(), None);
        }
        for ((kind, board), sentence) in &problems {
            if self.reported.get(&(*kind, board.clone())) != Some(sentence) {
                (self.report_health)(kind, board.as_ref(), Some(sentence.clone()));
            }
        }
        self.reported = problems;
    }
}

impl RoundSender {
    /// Postpones the round after a temporary failure.
    fn postpone(&mut self, until: Instant, reason: &str) {
        self.not_before = until;
        if self.failures >= REPORT_AFTER_FAILURES {
            self.error = Some(format!("games do not reach Lichess now: {reason}; touchmove tries again, and nothing is lost"));
        }
        self.retry_rejected_at = self.outbox.has_refused().then_some(until);
    }

    fn due(&self) -> Option<Instant> {
        let pending = self.outbox.is_pending().then_some(self.not_before);
        pending.into_iter().chain(self.retry_rejected_at.map(|retry_at| retry_at.max(self.not_before))).min()
    }
}

/// Returns the tables of a round, each with its game if the outbox does not have its current state.
fn changed_tables(state: &State, round: Option<&Round>, tags: &[(String, String)], outbox: &Outbox) -> Vec<TableUpdate> {
    let with_game = |table: PlayingTable| {
        let game = table.game.and_then(|(id, _)| state.games.get(&id));
        let board = game.map(|game| game.board.clone());
        let game = game.filter(|_| !outbox.is_current(&table)).cloned();
        (table, game, board)
    };
    playing_table::tables(state, round, tags).into_iter().map(with_game).collect()
}
