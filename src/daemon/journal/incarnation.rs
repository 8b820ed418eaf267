//! The journal's incarnation, and the detection of missing events.
//!
//! **Invariant:** An event that may have been published never gets another content. A game with missing or changed events is
//! closed: no events are added to it, and play continues as a new game.

use super::chain::{self, ChainCheck, Hash};
use super::marks::{Mark, Marks, PublicMark};
use super::read::text;
use super::values::{id, integer};
use super::{JournalError, backup, desk_chain};
use crate::daemon::random;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Number of newest games that are checked when the journal is opened.
pub(super) const CHECKED_NEWEST: u64 = 100;
/// Maximum distance of the counter of games from the last game; beyond it the counter is damaged.
const MAX_COUNTER_GAP: u64 = 1_000_000;
/// Maximum number of games that may have begun after a backup was made. Their numbers are not reused once the backup is restored.
const RESERVED_AFTER_BACKUP: u64 = 10_000;

/// An incarnation of the journal: while its identifier stays the same, each event keeps its game, number and content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incarnation {
    /// UUID. A new one means that events published before may be missing or changed.
    pub id: String,
    /// The incomplete games over all incarnations: the number of each and that of its last good event (0: none). A game with a
    /// number below those in memory that is neither here nor in the journal is lost completely.
    pub last_good: Vec<(u64, u64)>,
}

impl Incarnation {
    /// Reads the incarnation of a journal with chains.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Incarnation> {
        let id = connection
            .query_row("SELECT id FROM incarnation ORDER BY number DESC LIMIT 1", [], |row| row.get(0))
            .optional()?
            .unwrap_or_default();
        Ok(Incarnation { id, last_good: closed_games(connection)?.into_iter().collect() })
    }
}

/// Returns the closed games, with the numbers of their last good events.
pub(super) fn closed_games(connection: &Connection) -> rusqlite::Result<BTreeMap<u64, u64>> {
    connection
        .prepare_cached("SELECT game, min(number) FROM last_good GROUP BY game")?
        .query_map([], |row| Ok((id(row, 0)?, id(row, 1)?)))?
        .collect()
}

/// State of a board's current game.
#[derive(Clone, Debug)]
pub(super) struct GameEnd {
    pub game: u64,
    pub number: u64,
    pub root: Hash,
    pub last: Hash,
}

impl From<&GameEnd> for Mark {
    fn from(end: &GameEnd) -> Mark {
        Mark { number: end.number, chain: end.last, root: end.root }
    }
}

/// What sources other than the journal know about it: docs/journal.md lists other sources and why they are not used.
#[derive(Default)]
pub(super) struct Witnesses {
    pub marks: Option<Marks>,
    pub public: BTreeMap<u64, PublicMark>,
    /// Number of unreadable frames of the write-ahead log, with commits among them.
    pub lost_frames: u64,
}

/// A journal that has been checked and can be written to.
pub(super) struct CheckedJournal {
    pub incarnation: Incarnation,
    /// Current games of this machine's boards.
    pub ends: HashMap<String, GameEnd>,
    /// Number of the last game that may have been published.
    pub last_game: u64,
    /// Games that have been checked.
    pub checked: BTreeSet<u64>,
    /// Findings as a sentence.
    pub damage: Option<String>,
}

/// Returns a random UUID (RFC 9562, version 4).
fn new_id() -> Result<String, JournalError> {
    let mut bytes = [0; 16];
    random::fill(&mut bytes).map_err(JournalError::file("get random bytes for", Path::new(super::FILE_NAME)))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

/// Returns the last game of each board, and whether it is one of another machine.
fn last_games(connection: &Connection) -> rusqlite::Result<BTreeMap<u64, (String, bool)>> {
    const LAST_GAMES: &str = "
        SELECT max(id), board, remote_game.game IS NOT NULL AS is_remote
        FROM game LEFT JOIN remote_game ON remote_game.game = game.id GROUP BY board, is_remote";
    connection.prepare(LAST_GAMES)?.query_map([], |row| Ok((id(row, 0)?, (text(row, 1)?, row.get(2)?))))?.collect()
}

/// Returns games whose row is missing although they have events.
pub(super) fn orphans(connection: &Connection) -> rusqlite::Result<Vec<u64>> {
    const ORPHANS: &str = "
        WITH RECURSIVE known (game) AS (
            SELECT min(game) FROM event
            UNION ALL SELECT (SELECT min(game) FROM event WHERE game > known.game) FROM known WHERE known.game IS NOT NULL)
        SELECT game FROM known WHERE game IS NOT NULL AND game NOT IN (SELECT id FROM game)";
    connection.prepare(ORPHANS)?.query_map([], |row| id(row, 0))?.collect()
}

/// Begins a new incarnation in which these games are closed. `first_game`: the number of its first game.
pub(super) fn begin(
    connection: &Connection,
    reason: &str,
    first_game: u64,
    closed: &BTreeMap<u64, u64>,
) -> Result<(), JournalError> {
    let wall_ms = jiff::Timestamp::now().as_millisecond();
    let failed = || JournalError::sqlite("write to the journal");
    let incarnation: i64 = connection
        .query_row(
            "INSERT INTO incarnation (id, wall_ms, reason, first_game) VALUES (?1, ?2, ?3, ?4) RETURNING number",
            params![new_id()?, wall_ms, reason, integer(first_game)],
            |row| row.get(0),
        )
        .map_err(failed())?;
    for (game, number) in closed {
        connection
            .prepare_cached("INSERT INTO last_good (incarnation, game, number) VALUES (?1, ?2, ?3)")
            .and_then(|mut insert| insert.execute(params![incarnation, integer(*game), integer(*number)]))
            .map_err(failed())?;
        // A game of another machine is received again, as a new game: the streams are read from their beginning.
        let is_remote = connection
            .prepare_cached("UPDATE remote_game SET journal = NULL WHERE game = ?1")
            .and_then(|mut update| update.execute([integer(*game)]))
            .map_err(failed())?
            > 0;
        if is_remote {
            connection.execute("DELETE FROM hall_position", []).map_err(failed())?;
        }
    }
    Ok(())
}

/// Events known from elsewhere that the journal lacks.
#[derive(Default)]
struct MissingEvents {
    /// Number of the last good event of each game that has become incomplete.
    games: BTreeMap<u64, u64>,
    /// Those in which only entries of the hub's desk are missing or changed.
    desk: BTreeSet<u64>,
    /// The marks belong to another journal, or to a later state of this one.
    is_other: bool,
}

/// Checks the games that matter now, compares them with the witnesses, and begins a new incarnation if published events are
/// missing, or may be missing because a backup was restored.
///
/// # Errors
/// SQLite's error, in particular if the file is corrupt.
pub(super) fn check_and_begin(connection: &mut Connection, witnesses: &Witnesses) -> Result<CheckedJournal, JournalError> {
    let failed = || JournalError::sqlite("check the journal");
    let mut marks = witnesses.marks.clone().unwrap_or_default();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let before = Incarnation::read(&transaction).map_err(failed())?;
    let is_backup = backup::is_marked(&transaction).map_err(failed())?;
    let closed = closed_games(&transaction).map_err(failed())?;
    let boards = last_games(&transaction).map_err(failed())?;
    let newest: Vec<u64> = transaction
        .prepare("SELECT id FROM game ORDER BY id DESC LIMIT ?1")
        .and_then(|mut statement| statement.query_map([integer(CHECKED_NEWEST)], |row| id(row, 0))?.collect())
        .map_err(failed())?;
    let is_known = |incarnation: &str| {
        transaction.query_row("SELECT count(*) FROM incarnation WHERE id = ?1", [incarnation], |row| row.get::<_, i64>(0))
    };
    let mut loss = MissingEvents {
        is_other: !marks.incarnation.is_empty() && is_known(&marks.incarnation).map_err(failed())? == 0,
        ..MissingEvents::default()
    };
    let checked: BTreeSet<u64> = boards
        .keys()
        .chain(&newest)
        .chain(marks.games.keys().filter(|game| **game <= newest.first().copied().unwrap_or(0)))
        .copied()
        .collect();
    let mut ends = HashMap::new();
    for game in checked.iter().copied() {
        let mark = marks.games.remove(&game);
        let found = chain::check(&transaction, game, mark.as_ref().map(|mark| mark.number)).map_err(failed())?;
        let known = closed.get(&game).copied();
        let own = last_good_if_damaged(&found, mark.as_ref(), known);
        let desk = desk_chain::last_good_if_damaged(&transaction, game, known).map_err(failed())?;
        if let Some(good) = own.into_iter().chain(desk).min() {
            loss.games.insert(game, good);
            loss.desk.extend(desk.filter(|_| own.is_none()).map(|_| game));
        }
        if let Some((board, false)) = boards.get(&game)
            && !closed.contains_key(&game)
        {
            let ChainCheck { last_good: number, root, last_link: last, .. } = found;
            ends.insert(board.clone(), GameEnd { game, number, root, last });
        }
    }
    // Games of which no event is left.
    loss.games.extend(marks.games.keys().filter(|game| !closed.contains_key(game)).map(|game| (*game, 0)));
    loss.games.extend(
        orphans(&transaction).map_err(failed())?.into_iter().filter(|game| !closed.contains_key(game)).map(|game| (game, 0)),
    );
    for (game, public) in &witnesses.public {
        const LAST_EVENT: &str = "
            SELECT epoch_wall_ms, (SELECT coalesce(max(number), 0) FROM event WHERE game = id),
                   EXISTS (SELECT 1 FROM remote_game WHERE remote_game.game = id)
            FROM game WHERE id = ?1";
        let stored: Option<(i64, i64, bool)> = transaction
            .prepare_cached(LAST_EVENT)
            .and_then(|mut statement| {
                statement.query_row([integer(*game)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
            })
            .map_err(failed())?;
        let last = match stored {
            Some((epoch_wall_ms, last, false)) if epoch_wall_ms == public.epoch_wall_ms => u64::try_from(last).unwrap_or(0),
            // A game of another journal, or of another machine, from which the same events arrive again.
            Some(_) => continue,
            None => 0,
        };
        if last < public.number && !closed.contains_key(game) {
            loss.games.entry(*game).or_insert(last);
        }
    }
    let damage = describe(&loss, witnesses, before.id.is_empty());
    if witnesses.lost_frames > 0 || is_backup {
        // It is unknown which games had events there, or after the backup was made: close the last game of each board.
        ends.values().for_each(|end| _ = loss.games.entry(end.game).or_insert(end.number));
    }
    if is_backup {
        backup::unmark(&transaction).map_err(failed())?;
    }
    ends.retain(|_, end| !loss.games.contains_key(&end.game));
    let counter: Option<u64> = transaction
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'game'", [], |row| Ok(id(row, 0).unwrap_or(u64::MAX)))
        .optional()
        .map_err(failed())?;
    let newest_known = newest.first().copied().unwrap_or(0).max(marks.last_game);
    let known_games = witnesses.public.keys().chain(loss.games.keys()).chain(closed.keys()).copied();
    let last_game = counter
        .filter(|counter| *counter <= newest_known + MAX_COUNTER_GAP)
        .into_iter()
        .chain(known_games)
        .fold(newest_known, u64::max);
    // A commit that begins a game changes several pages, so fewer games than frames are lost.
    let unknown = witnesses.lost_frames.saturating_add(if is_backup { RESERVED_AFTER_BACKUP } else { 0 });
    let last_game = last_game.saturating_add(unknown);
    if counter != Some(last_game) {
        transaction
            .execute("DELETE FROM sqlite_sequence WHERE name = 'game'", [])
            .and_then(|_| {
                transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('game', ?1)", [integer(last_game)])
            })
            .map_err(failed())?;
    }
    if before.id.is_empty() || damage.is_some() || is_backup {
        let reason = if is_backup { "a backup was restored" } else { "created" };
        begin(&transaction, damage.as_deref().unwrap_or(reason), last_game + 1, &loss.games)?;
    }
    let incarnation = Incarnation::read(&transaction).map_err(failed())?;
    transaction.commit().map_err(failed())?;
    Ok(CheckedJournal { incarnation, ends, last_game, checked, damage })
}

/// Returns the number of the last good event of a game that is damaged; `None`: it is not.
pub(super) fn last_good_if_damaged(found: &ChainCheck, mark: Option<&Mark>, closed: Option<u64>) -> Option<u64> {
    if let Some(known) = closed {
        return (found.last_good < known).then_some(found.last_good);
    }
    match mark {
        // Its number belongs to another game.
        Some(mark) if found.last_good > 0 && mark.root != found.root => Some(0),
        Some(mark) if found.last_good < mark.number => Some(found.last_good),
        Some(mark) if found.requested != Some(mark.chain) => Some(0),
        _ => (!found.is_complete).then_some(found.last_good),
    }
}

/// Returns which events of a game are missing or changed, as a part of a sentence. `good`: number of its last good event. `is_desk`:
/// only what the hub's desk has entered is damaged.
pub(super) fn damaged_game(game: u64, good: u64, is_desk: bool) -> String {
    match (is_desk, good) {
        (true, good) => format!("game {game} (what the desk entered after its event {good}: check its names and its result)"),
        (false, 0) => format!("game {game} (all of it)"),
        (false, good) => format!("game {game} (after its event {good})"),
    }
}

/// Returns the findings as a sentence; `None`: nothing is missing.
fn describe(loss: &MissingEvents, witnesses: &Witnesses, is_new: bool) -> Option<String> {
    let game = |(game, good): (&u64, &u64)| damaged_game(*game, *good, loss.desk.contains(game));
    let games: Vec<String> = loss.games.iter().take(5).map(game).collect();
    let more = loss.games.len().saturating_sub(games.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more games") };
    let finding = match (games.as_slice(), loss.is_other, witnesses.lost_frames) {
        ([], false, 0) => return None,
        ([], true, _) => "it is not the journal that was here before, which contained the same or other games".to_owned(),
        ([], false, _) => "the last commits in its write-ahead log are damaged".to_owned(),
        (games, _, _) => format!("published events are missing or changed in {}{more}", games.join(", ")),
    };
    let finding =
        if is_new && witnesses.marks.is_some() { format!("a new journal was created, and {finding}") } else { finding };
    Some(format!(
        "the journal does not contain everything that was published: {finding}. Games in progress continue under new numbers \
         from their last good event; enter the missing moves with `touchmovectl arbiter`, and run `touchmovectl journal verify`"
    ))
}
