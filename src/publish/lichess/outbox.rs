//! The games of one round on Lichess: the current state, and what Lichess has accepted. Both are stored in files, one for each
//! game, so that they survive a restart even if the boards do not come back.

use super::reply::GameOutcome;
use crate::daemon::atomic_file::{Durability, replace};
use crate::daemon::hub::round_games::tag_value;
use crate::daemon::hub::{BoardId, GameView};
use crate::publish::render::playing_table::PlayingTable;
use crate::publish::render::table_files::TableFiles;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, io};

/// Maximum number of games of a round that Lichess shows.
pub(super) const MAX_GAMES: usize = 100;

/// A table, with its game if it must be formatted again, and the board of the game.
pub(super) type TableUpdate = (PlayingTable, Option<GameView>, Option<BoardId>);

/// The games of one round on Lichess.
pub(super) struct Outbox {
    folder: PathBuf,
    /// The number of the round; `None`: there are no games yet.
    number: Option<u16>,
    games: Vec<Game>,
    /// The content of the files, by file number.
    written: BTreeMap<u32, (String, Durability)>,
    /// The errors of files that could not be read, by file number. These files are left unchanged.
    unread: BTreeMap<u32, String>,
}

/// A game, identified by its players.
struct Game {
    /// The number of its file.
    file: u32,
    white: String,
    black: String,
    /// The table number, if any.
    table: Option<u16>,
    board: Option<BoardId>,
    files: TableFiles,
    /// The last version that Lichess accepted.
    accepted: Option<Arc<str>>,
    /// The version that Lichess rejected, and the reason.
    refused: Option<(Arc<str>, String)>,
}

/// A game as stored in its file.
#[derive(Serialize, Deserialize)]
struct StoredGame {
    round: u16,
    table: Option<u16>,
    board: Option<String>,
    white: String,
    black: String,
    has_moves: bool,
    /// Whether Lichess has accepted this version.
    taken: bool,
    refused: Option<String>,
    pgn: String,
}

/// A request to be sent.
pub(super) struct PushBody {
    /// All games, concatenated.
    pub text: String,
    games: Vec<(u32, Arc<str>)>,
}

impl Outbox {
    /// Reads the files in this directory. Files that cannot be read are left unchanged; the other games are sent in any case.
    pub(super) fn open(folder: PathBuf) -> Outbox {
        let mut outbox = Outbox { folder, number: None, games: Vec::new(), written: BTreeMap::new(), unread: BTreeMap::new() };
        for entry in fs::read_dir(&outbox.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let number = path.file_stem().and_then(|stem| stem.to_str()?.strip_prefix("game-")?.parse().ok());
            let Some(file) = number else { continue };
            let read = || {
                let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
                Ok((serde_json::from_str::<StoredGame>(&text).map_err(|error| error.to_string())?, text))
            };
            let (stored, text) = match read() {
                Ok(read) => read,
                Err(error) => {
                    let error: String = error;
                    outbox.unread.insert(file, error);
                    continue;
                }
            };
            outbox.number = Some(stored.round);
            // It is unknown whether the file would survive a power cut.
            outbox.written.insert(file, (text, Durability::ProcessExitSafe));
            let files = TableFiles::from_stored(&stored.pgn, stored.has_moves);
            let refused = stored.refused.map(|reason| (Arc::clone(&files.pgn), reason));
            let accepted = stored.taken.then(|| Arc::clone(&files.pgn));
            let board = stored.board.as_deref().map(BoardId::new);
            let (white, black, table) = (stored.white, stored.black, stored.table);
            outbox.games.push(Game { file, white, black, table, board, files, accepted, refused });
        }
        outbox.sort();
        outbox
    }

    /// Returns the number of the round whose games are in the outbox.
    pub(super) fn number(&self) -> Option<u16> {
        self.number
    }

    /// Returns whether a game has moves.
    pub(super) fn has_moves(&self) -> bool {
        self.games.iter().any(|game| game.files.has_moves())
    }

    /// Returns whether the current state of that table is in the outbox.
    pub(super) fn is_current(&self, table: &PlayingTable) -> bool {
        self.find_game(table).is_some_and(|game| game.files.is_current_for(table))
    }

    fn find_game(&self, table: &PlayingTable) -> Option<&Game> {
        let (white, black) = players(table)?;
        self.games.iter().find(|game| game.white == white && game.black == black)
    }

    /// Updates the outbox to the current state of the round with this number. Returns the boards of games without player names:
    /// they are omitted, since Lichess identifies games by their players. `paired`: the round was loaded, so games that are not in
    /// it are removed.
    pub(super) fn update(&mut self, number: u16, tables: Vec<TableUpdate>, paired: bool) -> Vec<BoardId> {
        let (mut unnamed, mut current) = (Vec::new(), Vec::new());
        // Of two games with the same players the later one counts: play may have continued on another board.
        let mut last: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (table, ..) in &tables {
            if let (Some((white, black)), Some((id, _))) = (players(table), table.game) {
                let newest = last.entry((white.to_owned(), black.to_owned())).or_default();
                *newest = id.max(*newest);
            }
        }
        for (table, game, board) in tables {
            let Some((white, black)) = players(&table) else {
                let is_played = game.is_some_and(|game| !game.record.plies.is_empty());
                unnamed.extend(board.filter(|_| is_played));
                continue;
            };
            let (white, black) = (white.to_owned(), black.to_owned());
            if table.game.is_some_and(|(id, _)| last.get(&(white.clone(), black.clone())).is_some_and(|last| id < *last)) {
                continue;
            }
            let number_of_table = tag_value(&table.tags, "Table").and_then(|number| number.parse().ok());
            let known = self.games.iter_mut().find(|game| game.white == white && game.black == black);
            let file = match known {
                Some(known) => {
                    if !known.files.is_current_for(&table) {
                        known.files = TableFiles::new(table, game, Some(&known.files));
                    }
                    known.table = number_of_table;
                    // Keep the last known board if the game currently has none.
                    known.board = board.or(known.board.take());
                    known.file
                }
                None => {
                    let last = self.games.iter().map(|game| game.file).max().unwrap_or(0);
                    let file = (last + 1..).find(|file| !self.unread.contains_key(file)).unwrap_or(last);
                    let files = TableFiles::new(table, game, None);
                    let (accepted, refused) = (None, None);
                    self.games.push(Game { file, white, black, table: number_of_table, board, files, accepted, refused });
                    file
                }
            };
            current.push(file);
        }
        if paired {
            self.games.retain(|game| current.contains(&game.file));
        }
        if !self.games.is_empty() {
            self.number = Some(number);
        }
        self.sort();
        unnamed
    }

    fn sort(&mut self) {
        self.games.sort_by_key(|game| (game.table.is_none(), game.table, game.file));
    }

    /// Returns whether Lichess lacks the current version of a game and has not rejected that version.
    pub(super) fn is_pending(&self) -> bool {
        self.games.iter().take(MAX_GAMES).any(|game| {
            let known = |text: Option<&Arc<str>>| text.is_some_and(|text| *text == game.files.pgn);
            !known(game.accepted.as_ref()) && !known(game.refused.as_ref().map(|(text, _)| text))
        })
    }

    /// Returns whether Lichess has rejected a game.
    pub(super) fn has_refused(&self) -> bool {
        self.games.iter().any(|game| game.refused.is_some())
    }

    /// Returns the number of games beyond the maximum that Lichess shows.
    pub(super) fn excess_count(&self) -> usize {
        self.games.len().saturating_sub(MAX_GAMES)
    }

    /// Returns a request with all games.
    pub(super) fn push_body(&self) -> PushBody {
        let games = self.games.iter().take(MAX_GAMES);
        let text = games.clone().map(|game| &*game.files.pgn).collect();
        PushBody { text, games: games.map(|game| (game.file, Arc::clone(&game.files.pgn))).collect() }
    }

    /// Records Lichess's response about the games that were sent. Results are matched by order if their number is right, else by
    /// players.
    pub(super) fn record_outcomes(&mut self, sent: PushBody, mut outcomes: Vec<GameOutcome>) {
        let in_order = outcomes.len() == sent.games.len();
        for (file, pgn) in sent.games {
            // The game may have been removed in the meantime.
            let Some(game) = self.games.iter_mut().find(|game| game.file == file) else {
                if in_order {
                    outcomes.remove(0);
                }
                continue;
            };
            let named = || outcomes.iter().position(|outcome| outcome.white == game.white && outcome.black == game.black);
            let outcome = (if in_order { Some(0) } else { named() }).map(|at| outcomes.remove(at));
            let missing = "the response does not mention this game".to_owned();
            match outcome.map_or(Some(missing), |outcome| outcome.error) {
                None => (game.accepted, game.refused) = (Some(pgn), None),
                Some(reason) => (game.accepted, game.refused) = (None, Some((pgn, reason))),
            }
        }
    }

    /// Returns a sentence for each game that Lichess rejected, with its board if known.
    pub(super) fn rejection_reports(&self, site: &str) -> Vec<(Option<BoardId>, String)> {
        let sentence = |game: &Game| {
            let (_, reason) = game.refused.as_ref()?;
            let table = game.table.map_or_else(String::new, |table| format!(" at table {table}"));
            let sentence = format!(
                "{site} rejects the game {} - {}{table} ({reason}): look at that game there, and delete its chapter; the complete game is then sent again",
                game.white, game.black
            );
            Some((game.board.clone(), sentence))
        };
        self.games.iter().filter_map(sentence).collect()
    }

    /// Returns a sentence about the files that could not be read, if any.
    pub(super) fn unread(&self) -> Option<String> {
        let file = |(file, error): (&u32, &String)| format!("game-{file}.json ({error})");
        let files: Vec<String> = self.unread.iter().map(file).collect();
        (!files.is_empty()).then(|| {
            format!(
                "stored games for Lichess in {} cannot be read: {}; the other games are sent, and these files stay unchanged: move them away, and send their games by hand",
                self.folder.display(),
                files.join(", ")
            )
        })
    }

    /// Writes the files that have changed. `is_current`: the round is being played. Then the journal restores what a power cut
    /// destroys, except for a finished game, after which other games may be played on the board; finished games are therefore
    /// synced.
    ///
    /// # Errors
    /// Returns a sentence if a write failed.
    pub(super) fn save(&mut self, is_current: bool) -> Result<(), String> {
        let mut first_error = None;
        for game in &self.games {
            let stored = StoredGame {
                round: self.number.unwrap_or(0),
                table: game.table,
                board: game.board.as_ref().map(ToString::to_string),
                white: game.white.clone(),
                black: game.black.clone(),
                has_moves: game.files.has_moves(),
                taken: game.accepted.as_ref() == Some(&game.files.pgn),
                refused: game.refused.as_ref().filter(|(text, _)| *text == game.files.pgn).map(|(_, reason)| reason.clone()),
                pgn: game.files.pgn.to_string(),
            };
            // Serialization cannot fail: the value consists of strings and numbers.
            let text = serde_json::to_string_pretty(&stored).unwrap_or_default();
            let is_over = !game.files.pgn.trim_end().ends_with('*');
            let durability = if is_over || !is_current { Durability::PowerCutSafe } else { Durability::ProcessExitSafe };
            let is_written = |(known, how): &(String, Durability)| {
                *known == text && (*how == durability || durability == Durability::ProcessExitSafe)
            };
            if !self.written.get(&game.file).is_some_and(is_written) {
                let path = self.folder.join(format!("game-{}.json", game.file));
                match replace(&path, &text, durability) {
                    Ok(()) => drop(self.written.insert(game.file, (text, durability))),
                    Err(error) => first_error = first_error.or(Some(error)),
                }
            }
        }
        let removed: Vec<u32> =
            self.written.keys().filter(|file| !self.games.iter().any(|game| game.file == **file)).copied().collect();
        for file in removed {
            match fs::remove_file(self.folder.join(format!("game-{file}.json"))) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => first_error = first_error.or(Some(error)),
                _ => drop(self.written.remove(&file)),
            }
        }
        first_error.map_or(Ok(()), |error| {
            Err(format!(
                "games that Lichess does not have yet cannot be stored in {} ({error}): free disk space, or give touchmoved write access",
                self.folder.display()
            ))
        })
    }
}

/// Returns the players' names if both are known.
fn players(table: &PlayingTable) -> Option<(&str, &str)> {
    let player = |colour| {
        let name = tag_value(&table.tags, colour)?.trim();
        (!name.is_empty() && name != "?" && !name.eq_ignore_ascii_case("bye")).then_some(name)
    };
    Some((player("White")?, player("Black")?))
}
