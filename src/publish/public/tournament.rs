//! The tournament as the public sees it: rounds, tables and standings, each with the number of its last change.

use super::event::{EventDocument, RoundSummary};
use super::game::PublicGame;
use super::player::PublicPlayer;
use super::round::{PublicBye, RoundHeading};
use super::standings::StandingsDocument;
use super::table::{PublicTable, TableState};
use super::{PublicOptions, pgn};
use crate::daemon::DelayedView;
use crate::daemon::hub::GameView;
use crate::game::Delay;
use crate::publish::render::playing_table::{self, PlayingTable};
use crate::round::{PairingResult, Round};
use crate::wire::Word;
use std::collections::BTreeMap;

/// A value with the number of the change that led to it.
#[derive(Clone, Debug)]
pub(super) struct Numbered<T> {
    /// The number.
    pub seq: u64,
    /// The value.
    pub value: T,
}

/// The tournament. [`PublicTournament::follow`] brings it up to date.
pub(in crate::publish) struct PublicTournament {
    /// What the organiser has decided.
    pub(super) options: PublicOptions,
    /// The number of the last change.
    seq: u64,
    /// The rounds as they were loaded.
    pub(super) loaded: Vec<Round>,
    pub(super) event: Numbered<EventDocument>,
    pub(super) standings: Numbered<StandingsDocument>,
    /// Whether there are no standings, because results that were public before a restart are not yet.
    pub(super) lacks_results: bool,
    pub(super) rounds: BTreeMap<u16, PublicRound>,
}

/// A round.
pub(super) struct PublicRound {
    /// What it is, and who has no opponent, with the number of the last change of that, or of its tables and players.
    pub heading: Numbered<(RoundHeading, Vec<PublicBye>)>,
    /// The tables, by number.
    pub tables: BTreeMap<u16, TableEntry>,
}

/// A table.
pub(super) struct TableEntry {
    /// The number of its last change.
    pub seq: u64,
    /// From which it was made, and under which delay.
    source: (PlayingTable, Delay),
    /// The table.
    pub table: PublicTable,
    /// Its game.
    pub game: Option<PublicGame>,
    /// Its game as PGN.
    pub pgn: String,
}

/// A table of the delayed view, with the game if it has changed.
type Source = (u16, PlayingTable, Option<GameView>);

impl PublicTournament {
    /// Creates a tournament without rounds.
    pub(in crate::publish) fn new(options: PublicOptions) -> PublicTournament {
        let event = EventDocument::new(&options, Delay::default(), None, Vec::new(), false);
        let standings = StandingsDocument::new(&[], &options);
        PublicTournament {
            seq: 1,
            loaded: Vec::new(),
            event: Numbered { seq: 1, value: event },
            standings: Numbered { seq: 1, value: standings },
            lacks_results: false,
            rounds: BTreeMap::new(),
            options,
        }
    }

    /// Returns the number of the last change.
    pub(in crate::publish) fn seq(&self) -> u64 {
        self.seq
    }

    /// Brings everything up to date. `all`: rounds or policy may have changed, not only games.
    pub(in crate::publish) fn follow(&mut self, delayed_view: &DelayedView, all: bool) {
        let delay = delayed_view.delay();
        if all {
            self.loaded = delayed_view.read(|state| state.desk.rounds.values().cloned().collect());
        }
        self.lacks_results = delayed_view.lacks_results();
        let current = self.loaded.last().map(|round| round.number);
        let followed: Vec<Option<Round>> = match &self.loaded[..] {
            [] => vec![None],
            // A game of the last round may still be delayed when the next one is played.
            rounds if !all => rounds.iter().rev().take(2).rev().cloned().map(Some).collect(),
            rounds => rounds.iter().cloned().map(Some).collect(),
        };
        let mut results_changed = false;
        for round in &followed {
            results_changed |= self.follow_round(delayed_view, round.as_ref(), delay, current);
        }
        let numbers: Vec<u16> =
            followed.iter().map(|round| playing_table::round_number(round.as_ref(), &self.options.tags)).collect();
        let count = self.rounds.len();
        self.rounds.retain(|number, _| !all || numbers.contains(number));
        if all || results_changed || self.rounds.len() != count {
            self.update_standings();
            self.update_event(delay);
        }
    }

    /// Returns whether a result, a player or a table has changed.
    fn follow_round(&mut self, delayed_view: &DelayedView, round: Option<&Round>, delay: Delay, current: Option<u16>) -> bool {
        let number = playing_table::round_number(round, &self.options.tags);
        let known = self.rounds.get(&number).map(|round| &round.tables);
        let sources: Vec<Source> = delayed_view.read(|state| {
            let tables = playing_table::tables(state, round, &self.options.tags);
            let source = |(place, table): (u16, PlayingTable)| {
                let number = table.pairing.as_ref().map_or(place, |pairing| pairing.table);
                let before = known.and_then(|tables| tables.get(&number));
                let is_known = before.is_some_and(|before| before.source == (table.clone(), delay));
                let game = table.game.filter(|_| !is_known).and_then(|(id, _)| state.games.get(&id).cloned());
                (number, table, game)
            };
            (1..).zip(tables).map(source).collect()
        });
        if sources.is_empty() && round.is_none() {
            return false;
        }
        let mut seq = self.seq;
        let mut next_seq = || {
            seq += 1;
            seq
        };
        let heading = RoundHeading::new(number, round);
        let byes = round.map_or(&[][..], |round| &round.byes);
        let byes: Vec<PublicBye> = byes.iter().map(|bye| PublicBye::new(bye, &self.options)).collect();
        let public = self.rounds.entry(number).or_insert_with(|| PublicRound {
            heading: Numbered { seq: next_seq(), value: (heading.clone(), byes.clone()) },
            tables: BTreeMap::new(),
        });
        let mut is_changed = public.heading.value != (heading.clone(), byes.clone());
        let mut results_changed = false;
        let before_count = public.tables.len();
        public.tables.retain(|number, _| sources.iter().any(|(of_source, ..)| of_source == number));
        is_changed |= public.tables.len() != before_count;
        for (table, source, game) in sources {
            let source = (source, delay);
            let before = public.tables.get(&table);
            if before.is_some_and(|before| before.source == source) {
                continue;
            }
            let is_past = current.is_some_and(|current| number < current);
            let mut entry = TableEntry::new(number, table, source, game, before.filter(|_| is_past), &self.options);
            is_changed |= before.is_none_or(|before| !before.table.has_same_players(&entry.table));
            results_changed |= before.is_none_or(|before| before.table.state.result != entry.table.state.result);
            if let Some(before) = before.filter(|before| before.has_same_content(&entry)) {
                entry.seq = before.seq;
            } else {
                entry.seq = next_seq();
            }
            public.tables.insert(table, entry);
        }
        if is_changed {
            public.heading = Numbered { seq: next_seq(), value: (heading, byes) };
        }
        self.seq = seq;
        is_changed || results_changed
    }

    fn update_standings(&mut self) {
        let mut rounds = if self.lacks_results { Vec::new() } else { self.loaded.clone() };
        for round in &mut rounds {
            let Some(public) = self.rounds.get(&round.number) else { continue };
            for pairing in &mut round.pairings {
                let entry = public.tables.get(&pairing.table);
                pairing.result = entry.and_then(|entry| PairingResult::from_word(entry.table.state.result));
            }
        }
        let value = StandingsDocument::new(&rounds, &self.options);
        if value != self.standings.value {
            self.seq += 1;
            self.standings = Numbered { seq: self.seq, value };
        }
    }

    fn update_event(&mut self, delay: Delay) {
        let summary = |(number, round): (&u16, &PublicRound)| RoundSummary {
            number: *number,
            date: round.heading.value.0.date.clone(),
            tables: round.tables.len(),
            finished: round.tables.values().filter(|entry| entry.table.state.is_over()).count(),
            address: format!("round/{number}.json"),
        };
        let rounds = self.rounds.iter().map(summary).collect();
        let has_standings = !self.standings.value.sections.is_empty();
        let value = EventDocument::new(&self.options, delay, self.loaded.last(), rounds, has_standings);
        if value != self.event.value {
            self.seq += 1;
            self.event = Numbered { seq: self.seq, value };
        }
    }
}

impl PublicRound {
    /// Returns the number of the last change of anything in it.
    pub(super) fn seq(&self) -> u64 {
        self.tables.values().map(|entry| entry.seq).chain([self.heading.seq]).max().unwrap_or(0)
    }
}

impl PublicTable {
    fn has_same_players(&self, other: &PublicTable) -> bool {
        (&self.section, &self.white, &self.black) == (&other.section, &other.white, &other.black)
            && self.game.is_some() == other.game.is_some()
    }
}

impl TableEntry {
    /// Makes a table of a round. `before`: the same table, if the round is over: then its game is kept when its board has other ones.
    fn new(
        round: u16,
        table: u16,
        source: (PlayingTable, Delay),
        game: Option<GameView>,
        before: Option<&TableEntry>,
        options: &PublicOptions,
    ) -> TableEntry {
        let (playing, delay) = &source;
        let player = |colour: &str| match &playing.pairing {
            Some(pairing) => PublicPlayer::new(if colour == "White" { &pairing.white } else { &pairing.black }, options),
            None => PublicPlayer::from_tags(&playing.tags, colour, options),
        };
        let pairing = playing.pairing.as_ref();
        let result = pairing.and_then(|pairing| pairing.result);
        let mut public = PublicTable {
            table,
            section: pairing.and_then(|pairing| pairing.section.clone()),
            white: player("White"),
            black: player("Black"),
            game: game.as_ref().map(|_| format!("round/{round}/table/{table}.json")),
            state: TableState::new(result, game.as_ref(), *delay),
        };
        let is_kept = |before: &&TableEntry| {
            let is_same = before.table.white == public.white && before.table.black == public.black;
            is_same && game.is_none() && before.game.as_ref().is_some_and(|game| !game.moves.is_empty())
        };
        if let Some(before) = before.filter(is_kept) {
            public.game.clone_from(&before.table.game);
            let known = result.map_or(before.table.state.result, Word::word);
            let reason = before.table.state.reason.filter(|_| known == before.table.state.result);
            let state = TableState::new(result, None, *delay);
            let progress = if result.is_some() { state.state } else { before.table.state.state };
            public.state = TableState { state: progress, result: known, reason, ..before.table.state.clone() };
            let game = before.game.clone().map(|game| PublicGame { state: public.state.clone(), ..game });
            return TableEntry { seq: 0, source, table: public, game, pgn: before.pgn.clone() };
        }
        let document = game.as_ref().map(|game| PublicGame::new(round, &public, game));
        let opening = document.as_ref().and_then(|document| document.opening.as_ref());
        let pgn = pgn::game_to_pgn(playing, game.as_ref(), opening, options);
        TableEntry { seq: 0, source, table: public, game: document, pgn }
    }

    /// Returns whether everything that is published is the same.
    fn has_same_content(&self, other: &TableEntry) -> bool {
        (&self.table, &self.game, &self.pgn) == (&other.table, &other.game, &other.pgn)
    }
}
