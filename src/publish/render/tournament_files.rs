//! The public files of a tournament, as DGT LiveChess and LiveChess Cloud write them: which content at which path.

use super::cloud_tournament;
use super::playing_table::{self, PlayingTable};
use super::table_files::TableFiles;
use crate::daemon::DelayedView;
use crate::daemon::hub::GameView;
use crate::publish::tags::is_public_tag;
use crate::round::Round;
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of rounds followed: games of the previous round may still be delayed when the next one is loaded.
const MAX_ROUNDS: usize = 2;

/// The content of the public files. Only what has changed is formatted again.
pub(crate) struct TournamentFiles {
    tags: Vec<(String, String)>,
    /// Whether a tag with this name is published.
    publishes_tag: fn(&str) -> bool,
    /// The rounds that are followed, the latest last; empty if none was loaded.
    rounds: VecDeque<Round>,
    /// The formatted tables by round, in the order of the tables.
    tables: BTreeMap<u16, Vec<TableFiles>>,
    /// The number of games of each round before the first one that is followed.
    earlier_game_counts: BTreeMap<u16, usize>,
}

impl TournamentFiles {
    /// Creates the files of a tournament without games. `tags`: the configured tags of every game.
    pub(crate) fn new(tags: Vec<(String, String)>) -> TournamentFiles {
        TournamentFiles {
            tags,
            publishes_tag: |_| true,
            rounds: VecDeque::new(),
            tables: BTreeMap::new(),
            earlier_game_counts: BTreeMap::new(),
        }
    }

    /// Publishes only the tags that everybody may read. `fide_ids`: whether FIDE IDs are among them.
    pub(in crate::publish) fn with_public_tags(self, fide_ids: bool) -> TournamentFiles {
        let publishes_tag: fn(&str) -> bool =
            if fide_ids { |name| is_public_tag(name, true) } else { |name| is_public_tag(name, false) };
        TournamentFiles { publishes_tag, ..self }
    }

    /// Follows the current round, and the players of those before it. Returns the numbers of the rounds that are no longer followed.
    pub(crate) fn follow(&mut self, delayed_view: &DelayedView) -> Vec<u16> {
        let mut dropped = Vec::new();
        let round = delayed_view.read(|state| {
            // Players of earlier rounds may have another name now.
            for known in &mut self.rounds {
                if let Some(round) = state.desk.rounds.get(&known.number) {
                    known.clone_from(round);
                }
            }
            state.desk.round().cloned()
        });
        let Some(round) = round else { return dropped };
        match self.rounds.iter_mut().find(|known| known.number == round.number) {
            Some(known) => *known = round,
            None => self.rounds.push_back(round),
        }
        while self.rounds.len() > MAX_ROUNDS
            && let Some(old) = self.rounds.pop_front()
        {
            let files = self.tables.remove(&old.number).unwrap_or_default();
            self.earlier_game_counts.insert(old.number, files.len());
            dropped.push(old.number);
        }
        dropped
    }

    /// Returns the followed rounds for which nothing was formatted or recalled yet.
    pub(crate) fn rounds_to_restore(&self) -> Vec<u16> {
        let numbers = self.followed_rounds().into_iter().map(|round| playing_table::round_number(round.as_ref(), &self.tags));
        numbers.filter(|number| !self.tables.contains_key(number)).collect()
    }

    /// Restores what was published of a round before, and the numbers of games of earlier rounds.
    pub(in crate::publish) fn restore_round(&mut self, number: u16, files: Vec<TableFiles>, before: Vec<(u16, usize)>) {
        self.tables.insert(number, files);
        for (number, games) in before {
            self.earlier_game_counts.entry(number).or_insert(games);
        }
    }

    /// Returns whether this path belongs to a round that was loaded and is followed.
    pub(in crate::publish) fn follows_round_of(&self, path: &str) -> bool {
        self.rounds.iter().any(|round| path.starts_with(&format!("round-{}/", round.number)))
    }

    /// Returns all current files by path; empty if there is no game yet.
    pub(crate) fn format_files(&mut self, delayed_view: &DelayedView) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for round in &self.followed_rounds() {
            let number = playing_table::round_number(round.as_ref(), &self.tags);
            let known_tables = self.tables.entry(number).or_default();
            let shown_tables: Vec<(PlayingTable, Option<GameView>)> = delayed_view.read(|state| {
                let tables = playing_table::tables(state, round.as_ref(), &self.tags);
                let with_game = |(place, mut table): (usize, PlayingTable)| {
                    table.tags.retain(|(name, _)| (self.publishes_tag)(name));
                    let known = known_tables.get(place).is_some_and(|files| files.is_current_for(&table));
                    let game = table.game.filter(|_| !known).and_then(|(id, _)| state.games.get(&id).cloned());
                    (table, game)
                };
                tables.into_iter().enumerate().map(with_game).collect()
            });
            let format_table = |(place, (table, game)): (usize, (PlayingTable, Option<GameView>))| match known_tables.get(place)
            {
                Some(known) if known.is_current_for(&table) => known.clone(),
                before => TableFiles::new(table, game, before),
            };
            *known_tables = shown_tables.into_iter().enumerate().map(format_table).collect();
            files.extend(round_files(number, known_tables));
        }
        if !files.is_empty() {
            let tournament = cloud_tournament::tournament(&self.tables, &self.earlier_game_counts, &self.tags);
            files.insert("tournament.json".to_owned(), tournament.to_string());
        }
        files
    }

    fn followed_rounds(&self) -> Vec<Option<Round>> {
        match self.rounds.len() {
            0 => vec![None],
            _ => self.rounds.iter().cloned().map(Some).collect(),
        }
    }
}

/// Returns the files of a round by path.
fn round_files(number: u16, tables: &[TableFiles]) -> Vec<(String, String)> {
    if tables.is_empty() {
        return Vec::new();
    }
    let path = |name: &str| format!("round-{number}/{name}");
    let mut files = Vec::with_capacity(tables.len() * 2 + 2);
    for (place, table) in (1..).zip(tables) {
        files.push((path(&format!("game-{place}.pgn")), table.pgn.to_string()));
        files.push((path(&format!("game-{place}.json")), table.game.to_string()));
    }
    files.push((path("games.pgn"), tables.iter().map(|table| &*table.pgn).collect()));
    files.push((path("index.json"), cloud_tournament::index(tables).to_string()));
    files
}
