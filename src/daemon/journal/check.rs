//! A complete check of the journal, whether in use or not: each game's chain and the structure of the file.

use super::backup::open_source;
use super::marks::Marks;
use super::read::{Chains, text};
use super::values::id;
use super::{Incarnation, JournalError, chain, desk_chain, incarnation};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A check of a journal or of a part of it.
pub struct Check {
    dir: PathBuf,
    /// Games to skip.
    skip: BTreeSet<u64>,
    /// Whether to compare with the marks beside the journal.
    with_marks: bool,
}

/// A game with missing or changed events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Number of the game.
    pub game: u64,
    /// Board on which it was played; empty if unknown.
    pub board: String,
    /// Number of its last good event; 0: none.
    pub good: u64,
    /// Only what the hub's desk has entered is damaged; the events of the game are good.
    pub is_desk: bool,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Incarnation of the journal; empty for a journal without chains.
    pub incarnation: Incarnation,
    /// Number of games checked.
    pub games: u64,
    /// Number of good events in them.
    pub events: u64,
    /// Whether the events carry chains. The journal of an older version gets them when it is next opened.
    pub has_chains: bool,
    /// Damaged games.
    pub damaged: Vec<Damaged>,
    /// Damage of the file's structure.
    pub torn: Option<String>,
}

impl Findings {
    /// Returns whether no damage was found.
    pub fn is_good(&self) -> bool {
        self.damaged.is_empty() && self.torn.is_none()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = |damaged: &Damaged| incarnation::damaged_game(damaged.game, damaged.good, damaged.is_desk);
        let games: Vec<String> = self.damaged.iter().take(5).map(game).collect();
        let more = self.damaged.len().saturating_sub(games.len());
        match (games.is_empty(), &self.torn) {
            (true, None) => return f.write_str("no damage found"),
            (true, Some(_)) => {}
            (false, _) => write!(f, "stored events are missing or changed in {}", games.join(", "))?,
        }
        if more > 0 {
            write!(f, " and {more} more games")?;
        }
        if let Some(torn) = &self.torn {
            let comma = if games.is_empty() { "" } else { "; " };
            write!(f, "{comma}the file is damaged ({torn})")?;
        }
        Ok(())
    }
}

impl Check {
    pub(super) fn of_the_rest(dir: &Path, skip: BTreeSet<u64>) -> Check {
        Check { dir: dir.to_owned(), skip, with_marks: false }
    }

    /// Creates a check of the whole journal of this state directory, including the marks beside it.
    pub fn whole(dir: &Path) -> Check {
        Check { dir: dir.to_owned(), skip: BTreeSet::new(), with_marks: true }
    }

    /// Runs the check. It changes nothing, and `touchmoved` may continue writing. `progress` is called with the number of games
    /// checked and the total. Once `stop` is set, the check ends early with the findings so far.
    ///
    /// # Errors
    /// The journal cannot be opened or read for reasons other than damage.
    pub fn run(&self, stop: &AtomicBool, mut progress: impl FnMut(u64, u64)) -> Result<Findings, JournalError> {
        // Read the marks before the journal, which is never behind them.
        let marks = if self.with_marks { Marks::load(&self.dir) } else { None }.unwrap_or_default();
        let mut findings = Findings::default();
        match self.chains(&marks, &mut findings, stop, &mut progress) {
            Err(JournalError::Damaged(reason)) => findings.torn = Some(reason),
            outcome => outcome?,
        }
        if findings.torn.is_none() && !stop.load(Ordering::Relaxed) {
            findings.torn = self.structure()?;
        }
        Ok(findings)
    }

    fn chains(
        &self,
        marks: &Marks,
        findings: &mut Findings,
        stop: &AtomicBool,
        progress: &mut impl FnMut(u64, u64),
    ) -> Result<(), JournalError> {
        let failed = || JournalError::sqlite("check the journal");
        let connection = open_source(&self.dir)?;
        super::schema::refuse_newer(&self.dir.join(super::FILE_NAME), &connection)?;
        findings.has_chains = Chains::of(&connection).map_err(failed())? == Chains::Stored;
        let games: Vec<(u64, String)> = connection
            .prepare("SELECT id, board FROM game ORDER BY id")
            .and_then(|mut statement| statement.query_map([], |row| Ok((id(row, 0)?, text(row, 1)?)))?.collect())
            .map_err(failed())?;
        let games: Vec<(u64, String)> = games.into_iter().filter(|(game, _)| !self.skip.contains(game)).collect();
        if !findings.has_chains {
            findings.games = games.len() as u64;
            return Ok(());
        }
        findings.incarnation = Incarnation::read(&connection).map_err(failed())?;
        let closed = incarnation::closed_games(&connection).map_err(failed())?;
        let missing = incarnation::orphans(&connection).map_err(failed())?;
        let unknown = marks.games.keys().filter(|game| !games.iter().any(|(known, _)| known == *game));
        let missing: BTreeSet<u64> =
            missing.into_iter().chain(unknown.copied()).filter(|game| !closed.contains_key(game)).collect();
        findings.damaged.extend(missing.into_iter().map(|game| Damaged {
            game,
            board: String::new(),
            good: 0,
            is_desk: false,
        }));
        // The write-ahead log cannot be reset during a read transaction: end it after each game.
        connection.execute_batch("COMMIT").map_err(failed())?;
        let total = games.len() as u64;
        for (done, (game, board)) in games.into_iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            progress(done as u64, total);
            let mark = marks.games.get(&game);
            let found = chain::check(&connection, game, mark.map(|mark| mark.number)).map_err(failed())?;
            findings.games += 1;
            findings.events += found.last_good;
            let closed = closed.get(&game).copied();
            let own = incarnation::last_good_if_damaged(&found, mark, closed);
            let desk = desk_chain::last_good_if_damaged(&connection, game, closed).map_err(failed())?;
            if let Some(good) = own.into_iter().chain(desk).min() {
                findings.damaged.push(Damaged { game, board, good, is_desk: own.is_none() });
            }
        }
        progress(total, total);
        Ok(())
    }

    /// Returns the damage of the file's structure.
    fn structure(&self) -> Result<Option<String>, JournalError> {
        let connection = open_source(&self.dir)?;
        let result = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
        match result.map_err(JournalError::sqlite("check the journal")) {
            Ok(result) => Ok((result != "ok").then(|| result.replace('\n', " "))),
            Err(JournalError::Damaged(reason)) => Ok(Some(reason)),
            Err(error) => Err(error),
        }
    }
}
