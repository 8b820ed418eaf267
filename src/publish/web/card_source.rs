//! The state from which cards are built, with what all cards of one update share.

use crate::daemon::hub::round_games::{GamePairings, RoundGames};
use crate::daemon::hub::{BoardId, GameView, State};
use crate::game::AlertKind;
use crate::round::{Pairing, Round};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The state from which the cards of one update are built. Its indexes replace a search through all games for each card; those that
/// few cards need are made when the first one does.
pub(super) struct CardSource<'a> {
    /// The state.
    pub state: &'a State,
    /// The pairings of the round that is played, by table.
    pairings: BTreeMap<u16, (&'a Round, &'a Pairing)>,
    /// The games with an alert that their result is missing, by board.
    without_result: BTreeMap<&'a BoardId, Vec<&'a GameView>>,
    round_games: OnceCell<RoundGames<'a>>,
    game_pairings: OnceCell<GamePairings<'a>>,
}

impl<'a> CardSource<'a> {
    /// Indexes the state.
    pub(super) fn new(state: &'a State) -> CardSource<'a> {
        let round = state.desk.round();
        let pairings = round.into_iter().flat_map(|round| round.pairings.iter().map(move |one| (one.table, (round, one))));
        let is_missing = |game: &&GameView| game.record.alerts.iter().any(|alert| alert.kind == AlertKind::ResultMissing);
        let mut without_result: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for game in state.games.values().filter(is_missing) {
            without_result.entry(&game.board).or_default().push(game);
        }
        let (round_games, game_pairings) = (OnceCell::new(), OnceCell::new());
        CardSource { state, pairings: pairings.collect(), without_result, round_games, game_pairings }
    }

    /// Returns the pairing of a table in the round that is played.
    pub(super) fn pairing(&self, table: u16) -> Option<(&'a Round, &'a Pairing)> {
        self.pairings.get(&table).copied()
    }

    /// Returns the game of a pairing, as [`RoundGames::shown`] does.
    pub(super) fn shown_game(&self, round: &Round, pairing: &Pairing) -> Option<&'a GameView> {
        self.round_games.get_or_init(|| RoundGames::new(&self.state.games)).shown(round, pairing)
    }

    /// Returns round and table of the pairing to which a game belongs.
    pub(super) fn pairing_of(&self, game: &GameView) -> Option<(u16, u16)> {
        self.game_pairings.get_or_init(|| GamePairings::new(&self.state.desk)).of(game)
    }

    /// Returns the games of a board with an alert that their result is missing, the last one first.
    pub(super) fn games_without_result(&self, board: &BoardId) -> impl Iterator<Item = &'a GameView> {
        self.without_result.get(board).into_iter().flatten().rev().copied()
    }
}
