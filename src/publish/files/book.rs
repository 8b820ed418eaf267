//! The public files of a tournament, as DGT LiveChess and LiveChess Cloud write them: which content at which path.

use super::cloud;
use super::table::{self, PlayingTable, TableFiles};
use crate::daemon::DelayedView;
use crate::daemon::hub::GameView;
use crate::round::Round;
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of rounds followed: games of the previous round may still be delayed when the next one is loaded.
const MAX_ROUNDS: usize = 2;

/// The content of the public files. Only what has changed is formatted again.
pub struct TournamentFiles {
    tags: Vec<(String, String)>,
    /// The rounds that are followed, the latest last; empty if none was loaded.
    rounds: VecDeque<Round>,
    /// The formatted tables by round, in the order of the tables.
    tables: BTreeMap<u16, Vec<TableFiles>>,
    /// The number of games of each round before the first one that is followed.
    earlier_game_counts: BTreeMap<u16, usize>,
}

impl TournamentFiles {
    /// Creates an empty book. `tags`: the configured tags of every game.
    pub fn new(tags: Vec<(String, String)>) -> TournamentFiles {
        TournamentFiles { tags, rounds: VecDeque::new(), tables: BTreeMap::new(), earlier_game_counts: BTreeMap::new() }
    }

    /// Follows the current round. Returns the numbers of the rounds that are no longer followed.
    pub fn follow(&mut self, gallery: &DelayedView) -> Vec<u16> {
        let mut gone = Vec::new();
        let Some(round) = gallery.read(|state| state.round.clone()) else { return gone };
        match self.rounds.iter_mut().find(|known| known.number == round.number) {
            Some(known) => *known = round,
            None => self.rounds.push_back(round),
        }
        while self.rounds.len() > MAX_ROUNDS
            && let Some(old) = self.rounds.pop_front()
        {
            let told = self.tables.remove(&old.number).unwrap_or_default();
            self.earlier_game_counts.insert(old.number, told.len());
            gone.push(old.number);
        }
        gone
    }

    /// Returns the followed rounds for which nothing was formatted or recalled yet.
    pub fn rounds_to_restore(&self) -> Vec<u16> {
        let numbers = self.followed_rounds().into_iter().map(|round| table::round_number(round.as_ref(), &self.tags));
        numbers.filter(|number| !self.tables.contains_key(number)).collect()
    }

    /// Restores what was published of a round before, and the numbers of games of earlier rounds.
    pub(super) fn restore_round(&mut self, number: u16, told: Vec<TableFiles>, before: Vec<(u16, usize)>) {
        self.tables.insert(number, told);
        for (number, games) in before {
            self.earlier_game_counts.entry(number).or_insert(games);
        }
    }

    /// Returns whether this path belongs to a round that was loaded and is followed.
    pub(super) fn follows_round_of(&self, path: &str) -> bool {
        self.rounds.iter().any(|round| path.starts_with(&format!("round-{}/", round.number)))
    }

    /// Returns all current files by path; empty if there is no game yet.
    pub fn format_files(&mut self, gallery: &DelayedView) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for round in &self.followed_rounds() {
            let number = table::round_number(round.as_ref(), &self.tags);
            let told = self.tables.entry(number).or_default();
            let shown: Vec<(PlayingTable, Option<GameView>)> = gallery.read(|state| {
                let tables = table::tables(state, round.as_ref(), &self.tags);
                let with_game = |(place, table): (usize, PlayingTable)| {
                    let known = told.get(place).is_some_and(|told| told.is_current_for(&table));
                    let game = table.game.filter(|_| !known).and_then(|(id, _)| state.games.get(&id).cloned());
                    (table, game)
                };
                tables.into_iter().enumerate().map(with_game).collect()
            });
            let tell = |(place, (table, game)): (usize, (PlayingTable, Option<GameView>))| match told.get(place) {
                Some(known) if known.is_current_for(&table) => known.clone(),
                before => TableFiles::new(table, game, before),
            };
            *told = shown.into_iter().enumerate().map(tell).collect();
            files.extend(round_files(number, told));
        }
        if !files.is_empty() {
            let tournament = cloud::tournament(&self.tables, &self.earlier_game_counts, &self.tags);
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
fn round_files(number: u16, told: &[TableFiles]) -> Vec<(String, String)> {
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
