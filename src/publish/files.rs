//! Writes the games as files in the layout of DGT LiveChess, so that programs that watch such a directory work unchanged.
//!
//! `round-N/game-M.pgn` for each table, `round-N/games.pgn` with all games, and beside them the JSON of LiveChess Cloud:
//! `tournament.json`, `round-N/index.json`, `round-N/game-M.json`. M numbers the tables of the round in their order, from 1.
//!
//! **Invariants:** Everything is read from the [`DelayedView`], so nothing is written before the publication delay has passed. A file
//! is replaced atomically, at most once a second and only if its content changes, and is readable for everybody. A disk that is
//! slow or unavailable blocks nothing else: writes run on a thread of their own.

use crate::config::Config;
use crate::daemon::atomic_file::replace_public;
use crate::daemon::{DelayedView, Stop, wait_for_stop};
use crate::publish::front_end::{Context, FrontEnd, HealthLog, StartedFrontEnd};
use crate::publish::render::table_files::TableFiles;
use crate::publish::render::{TournamentFiles, game_count};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, io, thread};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Minimum interval between two writes of a file.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Interval before a failed write is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Health kind: files cannot be written.
const FILES_FAILED: &str = "files_failed";

/// The front-end that writes files.
pub struct FilesFrontEnd;

impl FrontEnd for FilesFrontEnd {
    fn name(&self) -> &'static str {
        "files"
    }

    fn health_kinds(&self) -> &'static [&'static str] {
        &[FILES_FAILED]
    }

    fn public_health_kinds(&self) -> &'static [&'static str] {
        self.health_kinds()
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        let dir = config.files.clone()?;
        let health = context.health(HealthLog::Until("the files of the games are written again"));
        let report_health = move |sentence| health.report(FILES_FAILED, None, sentence);
        let (delayed_view, tags) = (Arc::clone(&context.delayed_view), config.tags.pairs());
        Some(StartedFrontEnd::new(run(delayed_view, dir, tags, report_health, context.stop.clone())))
    }
}

/// Writes the public games to `dir` until `stop`. `tags`: the configured tags of every game. `report_health` is called after
/// each attempt, with a sentence that says what is wrong and what to do, or with `None`.
pub async fn run(
    delayed_view: Arc<DelayedView>,
    dir: PathBuf,
    tags: Vec<(String, String)>,
    report_health: impl Fn(Option<String>),
    mut stop: Stop,
) {
    let mut updates = delayed_view.subscribe();
    let mut folder = PublicDir::new(dir, tags);
    // After a start, boards appear one by one with their previous games.
    let (mut due, mut next) = (true, Instant::now() + MIN_INTERVAL);
    let (mut failed, mut ending) = (false, false);
    while !ending || (due && !failed) {
        tokio::select! {
            biased;
            received = updates.next(), if !ending => {
                due = true;
                ending = received.is_none();
            }
            () = wait_for_stop(&mut stop), if !ending => ending = true,
            () = tokio::time::sleep_until(next), if due => {
                // Another hub may have written more since.
                if !delayed_view.may_push() {
                    failed = true;
                    next = Instant::now() + MIN_INTERVAL;
                    continue;
                }
                let outcome = folder.write(&delayed_view).await;
                failed = outcome.is_err();
                due = failed;
                next = Instant::now() + if failed { RETRY_INTERVAL } else { MIN_INTERVAL };
                report_health(outcome.err());
            }
        }
    }
}

/// The directory, and what is known of its content.
struct PublicDir {
    dir: PathBuf,
    disk: WriterThread,
    tournament: TournamentFiles,
    /// The content written by this process, by path relative to the directory.
    written: BTreeMap<String, String>,
    /// Files of tables that existed before this process started, by path relative to the directory.
    existing: BTreeSet<String>,
}

impl PublicDir {
    fn new(dir: PathBuf, tags: Vec<(String, String)>) -> PublicDir {
        PublicDir {
            dir,
            disk: WriterThread::start(),
            tournament: TournamentFiles::new(tags),
            written: BTreeMap::new(),
            existing: BTreeSet::new(),
        }
    }

    /// Writes the files that have changed.
    async fn write(&mut self, delayed_view: &DelayedView) -> Result<(), String> {
        for dropped in self.tournament.follow(delayed_view) {
            // The files of a round that is no longer followed stay unchanged.
            let prefix = format!("round-{dropped}/");
            self.written.retain(|path, _| !path.starts_with(&prefix));
            self.existing.retain(|path| !path.starts_with(&prefix));
        }
        for number in self.tournament.rounds_to_restore() {
            self.restore_round(number).await;
        }
        let files = self.tournament.format_files(delayed_view);
        self.write_changed(files).await
    }

    /// Reads the files from before this process started: the games of this round, and the number of games of earlier rounds.
    async fn restore_round(&mut self, number: u16) {
        let dir = self.dir.clone();
        let recalled = self.disk.run(move || {
            let round = |number: u16| dir.join(format!("round-{number}"));
            let read_table = |place: u32| TableFiles::read_files(&round(number).join(format!("game-{place}")));
            let count = |number: u16| Some((number, game_count(&fs::read_to_string(round(number).join("index.json")).ok()?)?));
            let files: Vec<TableFiles> = (1..).map_while(read_table).collect();
            (files, (1..number).filter_map(count).collect::<Vec<_>>(), table_files(&dir, number))
        });
        let (files, before, found) = recalled.await.unwrap_or_default();
        self.tournament.restore_round(number, files, before);
        self.existing.extend(found);
    }

    /// Writes the files whose content has changed, and removes those that no longer belong to a table.
    async fn write_changed(&mut self, files: BTreeMap<String, String>) -> Result<(), String> {
        self.existing.retain(|path| !files.contains_key(path));
        let mut removed: BTreeSet<String> = self.written.keys().filter(|path| !files.contains_key(*path)).cloned().collect();
        // Without a round, each board is a table. Boards that have not appeared yet may still have games, so nothing is removed
        // then.
        removed.extend(self.existing.iter().filter(|path| self.tournament.follows_round_of(path)).cloned());
        let new: Vec<(String, String)> =
            files.into_iter().filter(|(path, text)| self.written.get(path) != Some(text)).collect();
        if new.is_empty() && removed.is_empty() {
            return Ok(());
        }
        let dir = self.dir.clone();
        let work = move || {
            let mut first_error = None;
            let mut done = Vec::new();
            for (path, text) in new {
                match replace_if_changed(&dir.join(&path), &text) {
                    Ok(()) => done.push((path, Some(text))),
                    Err(error) => first_error = first_error.or(Some((path, error))),
                }
            }
            for path in removed {
                match fs::remove_file(dir.join(&path)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => first_error = first_error.or(Some((path, error))),
                    _ => done.push((path, None)),
                }
            }
            (done, first_error)
        };
        let (done, first_error) =
            self.disk.run(work).await.ok_or("the thread that writes files has ended: restart touchmoved")?;
        for (path, text) in done {
            match text {
                Some(text) => drop(self.written.insert(path, text)),
                None => {
                    self.written.remove(&path);
                    self.existing.remove(&path);
                }
            }
        }
        first_error.map_or(Ok(()), |(path, error)| {
            Err(format!(
                "{} cannot be written ({error}): give touchmoved write access to that folder, or set another one as dir in [files]; touchmove tries again",
                self.dir.join(path).display()
            ))
        })
    }
}

/// Returns the files of tables that exist in the directory of this round.
fn table_files(dir: &Path, number: u16) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir.join(format!("round-{number}"))) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_of_table = |name: &String| {
        let place = name.strip_prefix("game-").and_then(|rest| rest.strip_suffix(".pgn").or(rest.strip_suffix(".json")));
        place.is_some_and(|place| place.parse::<u32>().is_ok())
    };
    names.filter(is_of_table).map(|name| format!("round-{number}/{name}")).collect()
}

/// Replaces a file atomically if its content differs. Programs that watch `*.pgn` never see a partial file.
fn replace_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|existing| existing == text.as_bytes()) {
        return Ok(());
    }
    replace_public(path, text)
}

/// A thread for slow work, which runs in sequence. It ends with its owner or with the process; nothing waits for an unavailable
/// disk.
struct WriterThread(mpsc::Sender<Box<dyn FnOnce() + Send>>);

impl WriterThread {
    fn start() -> WriterThread {
        let (sender, work) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        thread::spawn(move || work.into_iter().for_each(|work| work()));
        WriterThread(sender)
    }

    /// Runs the work and returns its result; `None`: the thread has ended.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        let work = move || drop(done.send(work()));
        self.0.send(Box::new(work)).ok()?;
        outcome.await.ok()
    }
}
