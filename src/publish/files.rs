//! The games as files, as DGT LiveChess writes them: what watches such a folder needs to know nothing of us.
//!
//! `round-N/game-M.pgn` for each table, `round-N/games.pgn` with all of them, and beside them what LiveChess Cloud would answer:
//! `tournament.json`, `round-N/index.json`, `round-N/game-M.json`. M counts the tables of the round in their order.
//!
//! **Invariants:** everything is read from the [`Gallery`], so that nothing is in a file before it is as old as the delay. A file
//! changes as a whole, at most once a second, and only if it says something else. A disk that is slow or away holds up nothing
//! else: one thread of its own writes.

mod cloud;
pub(super) mod table;

use self::table::{Table, Told};
use crate::daemon::hub::GameView;
use crate::daemon::whole_file::{Lasting, replace};
use crate::daemon::{Gallery, Stop, stopped};
use crate::round::Round;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, io, thread};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// No file is written more often.
const EVERY: Duration = Duration::from_secs(1);
/// When it is tried again, if something could not be written.
const RETRY: Duration = Duration::from_secs(5);
/// So many rounds are followed: games of the one before may still be on their way when the next one is loaded.
const ROUNDS: usize = 2;

/// The kind of trouble when files cannot be written.
pub const FILES_FAILED: &str = "files_failed";

/// Writes what the public may see into `dir` until `stop`. `tags`: what the configuration says of every game. `trouble` hears what
/// is wrong, in a sentence that says what to do, or that all is well, after each attempt.
pub async fn run(
    gallery: Arc<Gallery>,
    dir: PathBuf,
    tags: Vec<(String, String)>,
    trouble: impl Fn(Option<String>),
    mut stop: Stop,
) {
    let mut news = gallery.subscribe();
    let mut folder = Folder::new(dir, tags);
    // After a start boards come one by one with the games that they had.
    let (mut due, mut next) = (true, Instant::now() + EVERY);
    let (mut failed, mut ending) = (false, false);
    while !ending || (due && !failed) {
        tokio::select! {
            biased;
            heard = news.recv(), if !ending => {
                due = true;
                ending = matches!(heard, Err(RecvError::Closed));
            }
            () = stopped(&mut stop), if !ending => ending = true,
            () = tokio::time::sleep_until(next), if due => {
                let outcome = folder.write(&gallery).await;
                failed = outcome.is_err();
                due = failed;
                next = Instant::now() + if failed { RETRY } else { EVERY };
                trouble(outcome.err());
            }
        }
    }
}

/// The folder, and what is known of what stands in it.
struct Folder {
    dir: PathBuf,
    tags: Vec<(String, String)>,
    disk: Disk,
    /// The rounds that are followed, the last one last; none where none was loaded.
    rounds: VecDeque<Round>,
    /// What is told of each table, by round and place.
    told: BTreeMap<u16, Vec<Told>>,
    /// How many games the rounds before the first one that is followed have.
    before: BTreeMap<u16, usize>,
    /// What was written, by path below the folder.
    written: BTreeMap<String, String>,
}

impl Folder {
    fn new(dir: PathBuf, tags: Vec<(String, String)>) -> Folder {
        let (rounds, told, before, written) = (VecDeque::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Folder { dir, tags, disk: Disk::start(), rounds, told, before, written }
    }

    /// Writes what has changed.
    async fn write(&mut self, gallery: &Gallery) -> Result<(), String> {
        if let Some(round) = gallery.read(|state| state.round.clone()) {
            self.follow(round);
        }
        let rounds: Vec<Option<Round>> = match self.rounds.len() {
            0 => vec![None],
            _ => self.rounds.iter().cloned().map(Some).collect(),
        };
        let mut files = BTreeMap::new();
        for round in &rounds {
            let number = table::number(round.as_ref(), &self.tags);
            if !self.told.contains_key(&number) {
                self.recall(number).await;
            }
            let told = self.told.entry(number).or_default();
            let shown: Vec<(Table, Option<GameView>)> = gallery.read(|state| {
                let tables = table::tables(state, round.as_ref(), &self.tags);
                let with_game = |(place, table): (usize, Table)| {
                    let known = told.get(place).is_some_and(|told| told.tells(&table));
                    let game = table.game.filter(|_| !known).and_then(|(id, _)| state.games.get(&id).cloned());
                    (table, game)
                };
                tables.into_iter().enumerate().map(with_game).collect()
            });
            let tell = |(place, (table, game)): (usize, (Table, Option<GameView>))| match told.get(place) {
                Some(known) if known.tells(&table) => known.clone(),
                before => Told::new(table, game, before),
            };
            *told = shown.into_iter().enumerate().map(tell).collect();
            files.extend(round_files(number, told));
        }
        if files.is_empty() {
            return Ok(());
        }
        let tournament = cloud::tournament(&self.told, &self.before, &self.tags);
        files.insert("tournament.json".to_owned(), tournament.to_string());
        self.put(files).await
    }

    /// This round is played now.
    fn follow(&mut self, round: Round) {
        match self.rounds.iter_mut().find(|known| known.number == round.number) {
            Some(known) => *known = round,
            None => self.rounds.push_back(round),
        }
        while self.rounds.len() > ROUNDS
            && let Some(old) = self.rounds.pop_front()
        {
            // Its files stay as they are.
            let told = self.told.remove(&old.number).unwrap_or_default();
            self.before.insert(old.number, told.len());
            let within = format!("round-{}/", old.number);
            self.written.retain(|path, _| !path.starts_with(&within));
        }
    }

    /// What stands there since before this program was started: of this round, and how many games those before it have.
    async fn recall(&mut self, number: u16) {
        let dir = self.dir.clone();
        let recalled = self.disk.run(move || {
            let round = |number: u16| dir.join(format!("round-{number}"));
            let told = |place: u32| Told::recall(&round(number).join(format!("game-{place}")));
            let count =
                |number: u16| Some((number, cloud::games(&fs::read_to_string(round(number).join("index.json")).ok()?)?));
            ((1..).map_while(told).collect::<Vec<_>>(), (1..number).filter_map(count).collect::<Vec<_>>())
        });
        let (told, before) = recalled.await.unwrap_or_default();
        self.told.insert(number, told);
        for (number, games) in before {
            self.before.entry(number).or_insert(games);
        }
    }

    /// Writes those that say something else than before, and takes away those that are no more.
    async fn put(&mut self, files: BTreeMap<String, String>) -> Result<(), String> {
        let gone: BTreeSet<String> = self.written.keys().filter(|path| !files.contains_key(*path)).cloned().collect();
        let new: Vec<(String, String)> =
            files.into_iter().filter(|(path, text)| self.written.get(path) != Some(text)).collect();
        if new.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let dir = self.dir.clone();
        let work = move || {
            let mut wrong = None;
            let mut done = Vec::new();
            for (path, text) in new {
                match put(&dir.join(&path), &text) {
                    Ok(()) => done.push((path, Some(text))),
                    Err(why) => wrong = wrong.or(Some((path, why))),
                }
            }
            for path in gone {
                match fs::remove_file(dir.join(&path)) {
                    Err(why) if why.kind() != io::ErrorKind::NotFound => wrong = wrong.or(Some((path, why))),
                    _ => done.push((path, None)),
                }
            }
            (done, wrong)
        };
        let (done, wrong) = self.disk.run(work).await.ok_or("the thread that writes files is gone: restart touchmoved")?;
        for (path, text) in done {
            match text {
                Some(text) => drop(self.written.insert(path, text)),
                None => drop(self.written.remove(&path)),
            }
        }
        wrong.map_or(Ok(()), |(path, why)| {
            Err(format!(
                "{} cannot be written ({why}): let touchmoved write into that folder, or give another one as dir in [files]; it is tried again",
                self.dir.join(path).display()
            ))
        })
    }
}

/// The files of a round, by path below the folder.
fn round_files(number: u16, told: &[Told]) -> Vec<(String, String)> {
    if told.is_empty() {
        return Vec::new();
    }
    let path = |name: &str| format!("round-{number}/{name}");
    let mut files = Vec::with_capacity(told.len() * 2 + 2);
    for (place, told) in (1..).zip(told) {
        files.push((path(&format!("game-{place}.pgn")), told.pgn.to_string()));
        files.push((path(&format!("game-{place}.json")), told.game.to_string()));
    }
    files.push((path("games.pgn"), told.iter().map(|told| &*told.pgn).collect()));
    files.push((path("index.json"), cloud::index(told).to_string()));
    files
}

/// Writes a file whole, or leaves what was there. What watches for `*.pgn` never sees the unfinished one.
fn put(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    replace(path, text, Lasting::WhilePowered)
}

/// A thread for what may take long, one thing after another. It ends with its owner, or with the program: nobody waits for a disk
/// that is away.
struct Disk(mpsc::Sender<Box<dyn FnOnce() + Send>>);

impl Disk {
    fn start() -> Disk {
        let (sender, work) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        thread::spawn(move || work.into_iter().for_each(|work| work()));
        Disk(sender)
    }

    /// What comes of it; `None`: the thread is gone.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        let work = move || drop(done.send(work()));
        self.0.send(Box::new(work)).ok()?;
        outcome.await.ok()
    }
}
