//! A start after a cut: checks the journal first, then the other files.

use super::disk::{Fate, Tree};
use super::recording::{GAME_BOARD, PLAYERS, PUBLIC, Promise, RecordedRun, STATE, boards, configure};
use crate::front_ends::lichess::fake::{self, Fake};
use crate::harness::hall::client;
use crate::harness::{Daemon, PrivateBus, until};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use touchmove::daemon::journal::{Check, Journal};
use touchmove::desk::Desk;
use touchmove::game::{Event, StampedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::publish::web::tokens::TokenStore;
use touchmove::round::Round;

/// Files of which at least the previous content must be there: nothing else contains their data.
const DURABLE_FILES: [&str; 5] = ["desk.json", "tokens.json", "sessions.json", "public.json", "calibration/chips.chips"];

type Games = BTreeMap<u64, Vec<StampedEvent>>;

impl RecordedRun {
    /// The time of the cut: the start of the next call.
    fn cut_at(&self, cut: usize) -> f64 {
        self.disk.operations.get(cut).map_or(f64::MAX, |next| next.at)
    }

    /// Checks the state after this cut, in the empty directory `dir`; an error describes the first fault.
    pub fn check(&self, cut: usize, fate: Fate, dir: &Path) -> Result<(), String> {
        let tree = self.disk.after(cut, fate);
        tree.write(dir);
        self.check_replaced_files(cut, &tree)?;
        let state = dir.join(STATE);
        let games = self.check_journal(cut, &state)?;
        self.check_promises(cut, &state)?;
        check_public(&state, &games)?;
        check_outboxes(&state, &games)
    }

    fn check_journal(&self, cut: usize, state: &Path) -> Result<Games, String> {
        let cut_at = self.cut_at(cut);
        let mut found = Games::new();
        for start in 1..=2 {
            let (journal, notices) = Journal::open(state).map_err(|error| format!("start {start}: {error}"))?;
            if let Some(notice) = notices.first() {
                return Err(format!("start {start} says: {notice}"));
            }
            found.clear();
            for game in journal.games().map_err(|error| error.to_string())? {
                let events = journal.events(game.id, 0).map_err(|error| format!("start {start}: {error}"))?;
                if !self.games.get(&game.id).is_some_and(|known| known.starts_with(&events)) {
                    return Err(format!("start {start}: game {} has other events", game.id));
                }
                found.insert(game.id, events);
            }
            for ((game, number), at) in &self.published {
                let last = found.get(game).map_or(0, |events| events.len() as u64);
                if *at < cut_at && last < *number {
                    return Err(format!("start {start}: event {number} of game {game} had been published and is not there"));
                }
            }
            if !journal.incarnation().last_good.is_empty() {
                return Err(format!("start {start}: a game is closed"));
            }
        }
        let findings = Check::whole(state).run(&false.into(), |_, _| {}).map_err(|error| error.to_string())?;
        if findings.is_good() { Ok(found) } else { Err(findings.to_string()) }
    }

    /// Atomically replaced files have their new or their previous content, complete.
    fn check_replaced_files(&self, cut: usize, tree: &Tree) -> Result<(), String> {
        for (path, contents) in &self.replacements {
            let Ok(name) = path.strip_prefix(STATE) else { continue };
            if name.starts_with("journal.sqlite3") {
                continue;
            }
            let until = contents.iter().take_while(|(index, _)| *index < cut).count();
            let content = tree.files.get(path);
            let known = content.map(|content| contents[..until].iter().rposition(|(_, bytes)| bytes == content));
            let min_count = if DURABLE_FILES.iter().any(|file| name == Path::new(file)) { until.saturating_sub(1) } else { 0 };
            match known {
                Some(None) => return Err(format!("{} is torn", name.display())),
                None if min_count > 0 => return Err(format!("{} is missing", name.display())),
                Some(Some(version)) if version + 1 < min_count => {
                    return Err(format!("{} has content {version} of {until}", name.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_promises(&self, cut: usize, state: &Path) -> Result<(), String> {
        let cut_at = self.cut_at(cut);
        let granted_promises = || self.promises.iter().filter(|timed| timed.granted < cut_at);
        let rounds: Vec<&Round> = self.promises.iter().filter_map(|timed| round(&timed.promise)).collect();
        let last = granted_promises().filter(|timed| round(&timed.promise).is_some()).count();
        let desk = stored_desk(state)?;
        let found = desk.round().and_then(|loaded| rounds.iter().rposition(|round| *round == loaded));
        if found.map_or(0, |found| found + 1) < last {
            return Err(format!("round {last} of the loaded ones was promised, but the desk has number {found:?}"));
        }
        let tokens = TokenStore::of(state).load().map_err(|error| error.to_string())?;
        let sessions = sessions(state)?;
        for promise in granted_promises().map(|timed| &timed.promise) {
            match promise {
                Promise::Token(hash) if !tokens.iter().any(|token| token.is(hash)) => {
                    return Err("a token is missing".to_owned());
                }
                Promise::LoggedOut(hash) if sessions.contains(&hash.to_string()) => {
                    return Err("a session that was ended is valid".to_owned());
                }
                Promise::Session(hash) if !sessions.contains(&hash.to_string()) => {
                    let ended = self.promises.iter().any(|timed| {
                        matches!(&timed.promise, Promise::LoggedOut(other) if other == hash) && timed.requested <= cut_at
                    });
                    if !ended {
                        return Err("a session is missing".to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn round(promise: &Promise) -> Option<&Round> {
    if let Promise::Round(round) = promise { Some(round) } else { None }
}

/// Reads a JSON file; `None` if it does not exist.
fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

/// The hashes of the secrets of valid sessions.
fn sessions(state: &Path) -> Result<Vec<String>, String> {
    #[derive(Deserialize)]
    struct Session {
        sha256: String,
    }
    let sessions: Vec<Session> = read(&state.join("sessions.json"))?.unwrap_or_default();
    Ok(sessions.into_iter().map(|session| session.sha256).collect())
}

/// Checks that all public events are in the journal.
fn check_public(state: &Path, games: &Games) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Public {
        number: u64,
    }
    let public: BTreeMap<u64, Public> = read(&state.join("public.json"))?.unwrap_or_default();
    for (game, Public { number }) in public {
        let last = games.get(&game).map_or(0, |events| events.len() as u64);
        if last < number {
            return Err(format!("event {number} of game {game} is public, and the journal has {last}"));
        }
    }
    Ok(())
}

/// Checks that games in the outbox agree with the journal.
fn check_outboxes(state: &Path, games: &Games) -> Result<(), String> {
    let played: Vec<Vec<String>> = games.values().map(|events| moves(events)).collect();
    for stored in outboxes(state)? {
        let moves = moves_of(&stored.pgn)?;
        if !played.iter().any(|played| played.starts_with(&moves)) {
            return Err(format!("the outbox of {} has {moves:?}, but the journal has {played:?}", stored.white));
        }
    }
    Ok(())
}

/// A game in the outbox.
#[derive(Deserialize)]
struct OutboxGame {
    white: String,
    pgn: String,
    taken: bool,
}

fn outboxes(state: &Path) -> Result<Vec<OutboxGame>, String> {
    let entries = |dir: &Path| std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_game = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("game-"));
    let files = entries(&state.join("lichess")).flat_map(|round| entries(&round).collect::<Vec<_>>()).filter(is_game);
    files.filter_map(|path| read(&path).transpose()).collect()
}

/// The moves of a game as PGN.
fn moves_of(pgn: &str) -> Result<Vec<String>, String> {
    let moves = pgn.split_once("\n\n").map_or("", |(_, moves)| moves);
    Ok(fake::read(moves, "")?.into_iter().map(|(san, _)| san).collect())
}

/// The moves of a game in which nothing is corrected.
fn moves(events: &[StampedEvent]) -> Vec<String> {
    let made = |stamped: &StampedEvent| match &stamped.event {
        Event::MoveMade { played, .. } => Some(played.san.clone()),
        _ => None,
    };
    events.iter().filter_map(made).collect()
}

/// Starts a daemon on the files after a cut, with no board plugged in; an error describes the first fault.
pub async fn serve(tree: &Tree) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    std::fs::create_dir(&root).unwrap();
    tree.write(&root);
    let (state, nowhere) = (root.join(STATE), dir.path().join("nowhere"));
    let unplugged = boards(nowhere.join("1"), nowhere.join("2"));
    let expected = {
        let journal = Journal::open(&state).map_err(|error| error.to_string())?.0;
        let game = journal.last_game(GAME_BOARD).map_err(|error| error.to_string())?;
        game.map(|game| moves(&game.events))
    };
    let round = stored_desk(&state)?.round().cloned();
    let (bus, fake) = (PrivateBus::start().expect("there was one before"), Fake::start().await);
    let config = configure(dir.path(), &root, &fake, &unplugged);
    let args = ["--bus", &bus.address(), "--state-dir", state.to_str().unwrap(), "--config", config.to_str().unwrap()];
    let daemon = Daemon::run_quiet(Command::new(env!("CARGO_BIN_EXE_touchmoved")), &args);
    daemon.ready();
    let client = client(&bus, Stream::Live).await;
    if let Some(expected) = expected.filter(|_| round.is_some_and(|round| round.number == 1)) {
        let players = (PLAYERS.0.to_owned(), PLAYERS.1.to_owned());
        let sent = || {
            let games = fake.games();
            let sent = games.get(&players).is_some_and(|game| game.moves.iter().map(|(san, _)| san).eq(&expected));
            let is_taken = |stored: &OutboxGame| {
                stored.taken && stored.white == PLAYERS.0 && moves_of(&stored.pgn).as_ref() == Ok(&expected)
            };
            sent || outboxes(&state).is_ok_and(|stored| stored.iter().any(is_taken))
        };
        until("the moves on Lichess", async || sent().then_some(())).await;
        let file = root.join(PUBLIC).join("round-1/game-1.pgn");
        let written =
            || std::fs::read_to_string(&file).ok().and_then(|pgn| moves_of(&pgn).ok()).is_some_and(|moves| moves == expected);
        until("the moves in the file", async || written().then_some(())).await;
    }
    let problems = client.snapshot().await.map_err(|error| error.to_string())?.health_problems;
    let log = daemon.log();
    if !fake.requests().is_empty() {
        fake.assert_no_errors();
    }
    let is_unexpected =
        |line: &&str| (line.contains("WARN") || line.contains("ERROR")) && !line.contains("does not exist: plug the board in");
    match (problems.first(), log.lines().find(is_unexpected)) {
        (None, None) => Ok(()),
        (Some((_, sentence)), _) => Err(format!("the daemon says: {sentence}")),
        (_, Some(line)) => Err(format!("the daemon logs: {line}")),
    }
}

/// The operator's desk, as the journal in this state directory has it.
fn stored_desk(state: &Path) -> Result<Desk, String> {
    let journal = Journal::open(state).map_err(|error| error.to_string())?.0;
    let (entries, unreadable) = journal.desk().map_err(|error| error.to_string())?;
    match unreadable.first() {
        Some(sentence) => Err(sentence.clone()),
        None => Ok(Desk::from_acts(entries.iter().map(|entry| &entry.act)).0),
    }
}
