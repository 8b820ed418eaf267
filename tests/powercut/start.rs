//! What a start finds after a cut: the journal first, then the files beside it.

use super::disk::{Fate, Tree};
use super::recording::{PLAYED, PLAYERS, PUBLIC, Promise, Recorded, STATE, boards, configure};
use crate::hall::client;
use crate::harness::{Daemon, PrivateBus, until};
use crate::lichess::fake::{self, Fake};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use touchmove::daemon::journal::{Check, Journal};
use touchmove::daemon::rounds::RoundFile;
use touchmove::game::{Event, StampedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::publish::web::tokens::TokenStore;
use touchmove::round::Round;

/// Files of which the one before the last is there at least: nothing else says what is in them.
const LASTING: [&str; 5] = ["round.json", "tokens.json", "sessions.json", "public.json", "calibration/chips.chips"];

type Games = BTreeMap<u64, Vec<StampedEvent>>;

impl Recorded {
    /// What was heard before the next call began happened before the cut.
    fn cut_at(&self, cut: usize) -> f64 {
        self.disk.operations.get(cut).map_or(f64::MAX, |next| next.at)
    }

    /// What is wrong after this cut, if anything; `dir`: an empty directory.
    pub fn check(&self, cut: usize, fate: Fate, dir: &Path) -> Result<(), String> {
        let tree = self.disk.after(cut, fate);
        tree.write(dir);
        self.check_whole(cut, &tree)?;
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
            let (journal, notices) = Journal::open(state).map_err(|why| format!("start {start}: {why}"))?;
            if let Some(notice) = notices.first() {
                return Err(format!("start {start} says: {notice}"));
            }
            found.clear();
            for game in journal.games().map_err(|why| why.to_string())? {
                let events = journal.events(game.id, 0).map_err(|why| format!("start {start}: {why}"))?;
                if !self.games.get(&game.id).is_some_and(|known| known.starts_with(&events)) {
                    return Err(format!("start {start}: game {} is another one", game.id));
                }
                found.insert(game.id, events);
            }
            for ((game, number), at) in &self.heard {
                let last = found.get(game).map_or(0, |events| events.len() as u64);
                if *at < cut_at && last < *number {
                    return Err(format!("start {start}: event {number} of game {game} had been published and is not there"));
                }
            }
            if !journal.incarnation().last_good.is_empty() {
                return Err(format!("start {start}: a game is closed"));
            }
        }
        let findings = Check::whole(state).run(&false.into(), |_, _| {}).map_err(|why| why.to_string())?;
        if findings.is_good() { Ok(found) } else { Err(findings.to_string()) }
    }

    /// What is put in the place of a file is there whole, or what was there before is.
    fn check_whole(&self, cut: usize, tree: &Tree) -> Result<(), String> {
        for (path, contents) in &self.replacements {
            let Ok(name) = path.strip_prefix(STATE) else { continue };
            if name.starts_with("journal.sqlite3") {
                continue;
            }
            let until = contents.iter().take_while(|(index, _)| *index < cut).count();
            let there = tree.files.get(path);
            let known = there.map(|there| contents[..until].iter().rposition(|(_, bytes)| bytes == there));
            let least = if LASTING.iter().any(|lasting| name == Path::new(lasting)) { until.saturating_sub(1) } else { 0 };
            match known {
                Some(None) => return Err(format!("{} is torn", name.display())),
                None if least > 0 => return Err(format!("{} is gone", name.display())),
                Some(Some(version)) if version + 1 < least => {
                    return Err(format!("{} is number {version} of {until}", name.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_promises(&self, cut: usize, state: &Path) -> Result<(), String> {
        let cut_at = self.cut_at(cut);
        let given = || self.given.iter().filter(|given| given.answered < cut_at);
        let rounds: Vec<&Round> = self.given.iter().filter_map(|given| round(&given.promise)).collect();
        let last = given().filter(|given| round(&given.promise).is_some()).count();
        let loaded = RoundFile(state.join("round.json")).load();
        let found = loaded.as_ref().and_then(|loaded| rounds.iter().rposition(|round| *round == loaded));
        if found.map_or(0, |found| found + 1) < last {
            return Err(format!("round {last} of those that were loaded was promised, and number {found:?} is there"));
        }
        let tokens = TokenStore::of(state).load().map_err(|why| why.to_string())?;
        let sessions = sessions(state)?;
        for promise in given().map(|given| &given.promise) {
            match promise {
                Promise::Token(hash) if !tokens.iter().any(|token| token.is(hash)) => return Err("a token is gone".to_owned()),
                Promise::LoggedOut(hash) if sessions.contains(&hash.to_string()) => {
                    return Err("who logged out is logged in".to_owned());
                }
                Promise::Session(hash) if !sessions.contains(&hash.to_string()) => {
                    let ended = self.given.iter().any(|given| {
                        matches!(&given.promise, Promise::LoggedOut(other) if other == hash) && given.asked <= cut_at
                    });
                    if !ended {
                        return Err("a session is gone".to_owned());
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

/// A file of JSON beside the journal; `None`: there is none.
fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|why| format!("{}: {why}", path.display()))
}

/// The hashes of the secrets of who is logged in.
fn sessions(state: &Path) -> Result<Vec<String>, String> {
    #[derive(Deserialize)]
    struct Session {
        sha256: String,
    }
    let sessions: Vec<Session> = read(&state.join("sessions.json"))?.unwrap_or_default();
    Ok(sessions.into_iter().map(|session| session.sha256).collect())
}

/// What the public was told is in the journal.
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

/// What is to be sent is in the journal, and in order.
fn check_outboxes(state: &Path, games: &Games) -> Result<(), String> {
    let played: Vec<Vec<String>> = games.values().map(|events| moves(events)).collect();
    for kept in outboxes(state)? {
        let moves = moves_of(&kept.pgn)?;
        if !played.iter().any(|played| played.starts_with(&moves)) {
            return Err(format!("that of {} has {moves:?}, and the journal {played:?}", kept.white));
        }
    }
    Ok(())
}

/// What is kept of a game that is to be sent.
#[derive(Deserialize)]
struct Kept {
    white: String,
    pgn: String,
    taken: bool,
}

fn outboxes(state: &Path) -> Result<Vec<Kept>, String> {
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

/// Starts a daemon on what is there after a cut; no board is plugged in. What is wrong with it, if anything.
pub async fn serve(tree: &Tree) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    std::fs::create_dir(&root).unwrap();
    tree.write(&root);
    let (state, nowhere) = (root.join(STATE), dir.path().join("nowhere"));
    let unplugged = boards(nowhere.join("1"), nowhere.join("2"));
    let expected = {
        let journal = Journal::open(&state).map_err(|why| why.to_string())?.0;
        let game = journal.last_game(PLAYED).map_err(|why| why.to_string())?;
        game.map(|game| moves(&game.events))
    };
    let round = RoundFile(state.join("round.json")).load();
    let (bus, fake) = (PrivateBus::start().expect("there was one before"), Fake::start().await);
    let config = configure(dir.path(), &root, &fake, &unplugged);
    let args = ["--bus", &bus.address(), "--state-dir", state.to_str().unwrap(), "--config", config.to_str().unwrap()];
    let daemon = Daemon::quietly(Command::new(env!("CARGO_BIN_EXE_touchmoved")), &args);
    daemon.ready();
    let client = client(&bus, Stream::Live).await;
    if let Some(expected) = expected.filter(|_| round.is_some_and(|round| round.number == 1)) {
        let players = (PLAYERS.0.to_owned(), PLAYERS.1.to_owned());
        let sent = || {
            let games = fake.games();
            let sent = games.get(&players).is_some_and(|game| game.moves.iter().map(|(san, _)| san).eq(&expected));
            let is_taken = |kept: &Kept| kept.taken && kept.white == PLAYERS.0 && moves_of(&kept.pgn).as_ref() == Ok(&expected);
            sent || outboxes(&state).is_ok_and(|kept| kept.iter().any(is_taken))
        };
        until("the moves on Lichess", async || sent().then_some(())).await;
        let file = root.join(PUBLIC).join("round-1/game-1.pgn");
        let written =
            || std::fs::read_to_string(&file).ok().and_then(|pgn| moves_of(&pgn).ok()).is_some_and(|is| is == expected);
        until("the moves in the file", async || written().then_some(())).await;
    }
    let trouble = client.snapshot().await.map_err(|why| why.to_string())?.trouble;
    let log = daemon.log();
    if !fake.requests().is_empty() {
        fake.was_content();
    }
    let is_odd =
        |line: &&str| (line.contains("WARN") || line.contains("ERROR")) && !line.contains("does not exist: plug the board in");
    match (trouble.first(), log.lines().find(is_odd)) {
        (None, None) => Ok(()),
        (Some((_, sentence)), _) => Err(format!("the daemon says: {sentence}")),
        (_, Some(line)) => Err(format!("the daemon logs: {line}")),
    }
}
