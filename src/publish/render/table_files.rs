//! The game of one playing table as PGN and as JSON, as files have it.

use super::cloud_game;
use super::pgn::all_tags;
use super::playing_table::{PlayingTable, set_tag};
use crate::daemon::hub::GameView;
use crate::daemon::hub::round_games::tag_value;
use crate::game::event::Rotation;
use crate::game::pgn::pgn;
use crate::game::{GameResult, Record, ResultReason};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The formatted content of one table.
#[derive(Clone, Debug)]
pub(crate) struct TableFiles {
    /// The table from which it was formatted; `None`: it was read from disk.
    source: Option<PlayingTable>,
    /// The id of its game.
    id: Option<u64>,
    /// Whether the game has moves or a result.
    has_moves: bool,
    /// The game as PGN.
    pub pgn: Arc<str>,
    /// The game as JSON in the format of LiveChess Cloud.
    pub game: Arc<Value>,
}

impl TableFiles {
    /// Formats a table with its `game`. The content from `before` with the same players is kept until the new game has a move or
    /// result: after a start not every board is connected yet, and pieces are set up again after a game.
    pub(crate) fn new(table: PlayingTable, game: Option<GameView>, before: Option<&TableFiles>) -> TableFiles {
        let has_moves = game.as_ref().is_some_and(|game| !game.record.plies.is_empty() || game.record.result.is_some());
        let id = game.as_ref().map(|game| game.id);
        let (pgn, cloud) = match game {
            Some(game) => with_game(&table, game),
            None => without_game(&table),
        };
        let is_kept = |before: &&TableFiles| {
            let same = before.id.is_some() && before.id == id;
            before.has_moves && !has_moves && !same && identity_tags(&before.pgn) == identity_tags(&pgn)
        };
        match before.filter(is_kept).filter(|_| table.pairing.is_some() && table.forfeit().is_none()) {
            Some(before) => TableFiles { source: Some(table), ..before.clone() },
            None => TableFiles { source: Some(table), id, has_moves, pgn: pgn.into(), game: cloud.into() },
        }
    }

    /// Reads the content from this path with `.pgn` and `.json`. If a power cut damaged a file, the content is empty. `None`: the
    /// PGN file does not exist.
    pub(crate) fn read_files(path: &Path) -> Option<TableFiles> {
        let pgn = fs::read(path.with_extension("pgn")).ok()?;
        let read_complete = || {
            let pgn = String::from_utf8(pgn).ok().filter(|pgn| is_complete_pgn(pgn))?;
            Some((pgn, serde_json::from_slice(&fs::read(path.with_extension("json")).ok()?).ok()?))
        };
        let (pgn, game): (String, Value) = read_complete().unwrap_or_default();
        let has_moves = game["moves"].as_array().is_some_and(|moves| !moves.is_empty());
        Some(TableFiles { source: None, id: None, has_moves, pgn: pgn.into(), game: game.into() })
    }

    /// Creates content that was stored before this process started, without JSON.
    pub(crate) fn from_stored(pgn: &str, has_moves: bool) -> TableFiles {
        TableFiles { source: None, id: None, has_moves, pgn: pgn.into(), game: Value::Null.into() }
    }

    /// Returns whether the game has moves or a result.
    pub(crate) fn has_moves(&self) -> bool {
        self.has_moves
    }

    /// Returns whether this is the current content of that table.
    pub(crate) fn is_current_for(&self, table: &PlayingTable) -> bool {
        self.source.as_ref() == Some(table)
    }

    /// Returns the table from which the content was formatted; `None`: it was read from disk.
    pub(crate) fn table(&self) -> Option<&PlayingTable> {
        self.source.as_ref()
    }
}

fn with_game(table: &PlayingTable, mut game: GameView) -> (String, Value) {
    game.record.tags.clone_from(&table.tags);
    let mut tags = all_tags(&game);
    match tag_value(&table.tags, "Table") {
        // Programs that read such files expect the table number in `Board`.
        Some(number) => set_tag(&mut tags, "Board", number.to_owned()),
        None => tags.retain(|(name, _)| name != "Board"),
    }
    (pgn(&game.record, &tags), cloud_game::game(table, &game))
}

/// Formats a table without a game: the game has not begun, or was forfeited.
fn without_game(table: &PlayingTable) -> (String, Value) {
    let mut record = Record::new(0, START.to_owned(), Some(518), String::new(), Rotation::Upright);
    let mut tags = table.tags.clone();
    if let Some(number) = tag_value(&table.tags, "Table") {
        set_tag(&mut tags, "Board", number.to_owned());
    }
    if let Some(forfeit) = table.forfeit() {
        record.result = forfeit.game_result().map(|result| (result, ResultReason::Arbiter));
        set_tag(&mut tags, "Termination", "unplayed".to_owned());
    }
    (pgn(&record, &tags), cloud_game::no_game(table))
}

/// Returns whether a PGN file ends with a result token. A file system may leave zero bytes where data was not written.
fn is_complete_pgn(pgn: &str) -> bool {
    let last = pgn.split_whitespace().next_back().unwrap_or_default();
    !pgn.contains('\0') && (last == "*" || GameResult::parse(last).is_some())
}

/// Returns the tags that identify a game in a PGN: event, round and players.
fn identity_tags(pgn: &str) -> Vec<&str> {
    let is_name = |line: &&str| ["Event", "Round", "White", "Black"].iter().any(|name| line.starts_with(&format!("[{name} ")));
    pgn.lines().take_while(|line| line.starts_with('[')).filter(is_name).collect()
}
