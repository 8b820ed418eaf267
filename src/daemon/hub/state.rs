//! The state that front-ends read, and how an event changes it.

use super::{BluetoothView, BoardId, BoardView, ClockView, GameSummary, GameView, MachineView};
use crate::boards::{LinkState, Millis};
use crate::daemon::hub::round_games::{RoundGames, pairing_of, tagged_pairing};
use crate::daemon::steady_clock;
use crate::desk::Desk;
use crate::game::rights::Audience;
use crate::game::{Command, Event, Record, StampedEvent};
use crate::link::watch::UnusedDevice;
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::debug;

/// Number of games kept in memory per board: the current one and those before it. Games of the round that is being played are kept
/// in addition. Older ones are in the journal.
pub const GAMES_IN_MEMORY: usize = 4;

/// The state that front-ends read.
#[derive(Default)]
pub struct State {
    /// All boards.
    pub boards: BTreeMap<BoardId, BoardView>,
    /// The games in memory.
    pub games: BTreeMap<u64, GameView>,
    /// Games of the rounds that are no longer in memory.
    pub past_games: BTreeMap<u64, GameSummary>,
    /// The operator's desk: seats and rounds.
    pub desk: Desk,
    /// The number of acts at the desk until now.
    pub desk_number: u64,
    /// Who last changed the desk; empty: nobody yet.
    pub desk_by: String,
    /// Current health problems.
    pub health_problems: Vec<HealthProblem>,
    /// Devices that are plugged in, may be boards, and are not used.
    pub unused: Vec<UnusedDevice>,
    /// The search for boards over Bluetooth, and what it has found.
    pub bluetooth: BluetoothView,
    /// The machines of the hall, by name; empty: this is not the hub of one.
    pub machines: BTreeMap<String, MachineView>,
}

impl State {
    /// Returns whether a game is that of a pairing of the round that is being played.
    fn is_of_round(&self, game: &GameView) -> bool {
        // Most old games are of another round; only for those of this one all games are searched.
        let pairing = self.desk.round().and_then(|round| Some((round, tagged_pairing(round, game)?)));
        let shown = pairing.and_then(|(round, pairing)| RoundGames::new(&self.games).shown(round, pairing));
        shown.is_some_and(|shown| shown.id == game.id)
    }

    /// Marks the games that have gone on as others, on other boards of their machine, if this game is one of them: they began at the
    /// same moment and have its first move. A machine need not say which these are. Where a game continues at another machine, the
    /// hub has ordered it, and its journal says so.
    pub(in crate::daemon) fn mark_continued(&mut self, id: u64) {
        type Begin<'a> = (Option<&'a str>, Millis, &'a str, i64);
        fn begin(game: &GameView) -> Option<Begin<'_>> {
            let first = game.record.plies.first()?;
            let started_wall_ms = game.wall_ms(game.record.started_at);
            Some((game.machine.as_deref(), first.made_at, &first.played.uci, started_wall_ms))
        }
        let Some(begun) = self.games.get(&id).and_then(begin) else { return };
        let same: Vec<&GameView> = self.games.values().filter(|game| begin(game) == Some(begun)).collect();
        let Some((last, earlier)) = same.split_last() else { return };
        let left: Vec<u64> = earlier.iter().filter(|game| game.board != last.board).map(|game| game.id).collect();
        self.games.values_mut().filter(|game| left.contains(&game.id)).for_each(|game| game.is_continued = true);
    }

    /// Hides the names of forgotten players in games, and returns the boards of these. A game that is on its board and has a pairing gets
    /// the other name by an event.
    pub(in crate::daemon) fn hide_names(&mut self) -> Vec<BoardId> {
        let mut changed = Vec::new();
        let on_boards: Vec<u64> = self.boards.values().filter_map(|board| board.game).collect();
        for game in self.games.values_mut() {
            let has_pairing = on_boards.contains(&game.id) && pairing_of(&self.desk, game).is_some();
            let before = game.record.tags.clone();
            if !has_pairing {
                self.desk.hide_tags(&mut game.record.tags);
            }
            if game.record.tags != before {
                changed.push(game.board.clone());
            }
        }
        changed
    }

    /// Notes that a game continues another one (`None`: one that is not here), and that its events up to this number, as far as it
    /// has them, are not published as updates.
    pub(in crate::daemon) fn note_continuation(&mut self, id: u64, continued: Option<u64>, recalled: u64) {
        if let Some(game) = continued.and_then(|game| self.games.get_mut(&game)) {
            game.is_continued = true;
        }
        if let Some(game) = self.games.get_mut(&id) {
            (game.last_recalled_number, game.continued_from) = (game.record.last_number.min(recalled), continued);
        }
    }

    /// Applies one event of a board. `epoch_wall_ms`: wall-clock time of the board's time 0, by the current system clock.
    pub(in crate::daemon) fn apply(
        &mut self,
        board: &BoardId,
        game: Option<u64>,
        epoch_wall_ms: i64,
        tags: &Arc<[(String, String)]>,
        stamped: &StampedEvent,
    ) {
        if let (Event::GameStarted { rotation, .. }, Some(id), Some(record)) = (&stamped.event, game, Record::begin(stamped)) {
            let machine = self.boards.get(board).and_then(|view| view.machine.clone());
            let mut game = GameView::new(id, board.clone(), epoch_wall_ms, record, Arc::clone(tags));
            game.machine = machine;
            self.games.insert(id, game);
            let of_board = self.games.values().rev().filter(|game| game.board == *board);
            let old: Vec<u64> =
                of_board.skip(GAMES_IN_MEMORY).filter(|game| !self.is_of_round(game)).map(|game| game.id).collect();
            for id in old {
                if let Some(game) = self.games.remove(&id)
                    && pairing_of(&self.desk, &game).is_some()
                {
                    self.past_games.insert(id, GameSummary::from(&game));
                }
            }
            if let Some(view) = self.boards.get_mut(board) {
                view.game = Some(id);
                view.games_begun += 1;
                view.displaced.clear();
                view.lost_clock = None;
                view.rotation = Some(*rotation);
            }
            return;
        }
        if let Some(view) = game.and_then(|game| self.games.get_mut(&game)) {
            view.epoch_steady_ms = steady_clock::from_wall(epoch_wall_ms);
            view.apply(stamped);
            if matches!(stamped.event, Event::Commanded { command: Command::Tags { .. }, .. }) {
                self.desk.hide_tags(&mut view.record.tags);
            }
        } else if stamped.number.is_some() {
            debug!(%board, "an event of a game that is not in memory");
        }
        let Some(view) = self.boards.get_mut(board) else { return };
        match &stamped.event {
            Event::Displaced { squares } => view.displaced = squares.clone(),
            Event::Clock { clocks, turn, running, flags, battery_low } => {
                let has_no_times = clocks.white.is_none() && clocks.black.is_none();
                let read_at = steady_clock::from_wall(epoch_wall_ms).saturating_add_unsigned(stamped.at);
                let (times, turn, running, flags, battery_low) = (*clocks, *turn, *running, *flags, *battery_low);
                let clock = ClockView { times, turn, running, flags, battery_low, read_at };
                view.set_clock((!has_no_times).then_some(clock));
            }
            // The clock is connected through the board's cable.
            Event::Link(LinkState::Down) => view.set_clock(None),
            Event::Battery(battery) => view.battery = Some(*battery),
            _ => {}
        }
    }
}

/// A problem that the operator should know and that is not part of a board's own state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthProblem {
    /// What it is about, e.g. `journal_full`, `recordings_stopped`.
    pub kind: &'static str,
    /// Board that has the problem; `None`: the whole daemon.
    pub board: Option<BoardId>,
    /// A sentence that says what to do.
    pub sentence: String,
}

/// Kind of problem: moves are held back until there is disk space.
pub const JOURNAL_FULL: &str = "journal_full";

/// Kind of problem: the disk is full and moves are stored in the space reserved for the last ones.
pub const JOURNAL_LAST_ROOM: &str = "journal_last_room";

/// Kind of problem: moves are held back for any other reason.
pub const JOURNAL_FAILED: &str = "journal_failed";

/// Kind of problem: a stored game is left out.
pub const GAME_UNREADABLE: &str = "game_unreadable";

/// Kind of problem: a program could not be told of an alert.
pub const HOOK_FAILED: &str = "hook_failed";

/// Kind of problem: a message about an alert could not be sent.
pub const WEBHOOK_FAILED: &str = "webhook_failed";

/// Returns whether those who log in may know of a health problem of this kind. That a notification failed reveals that an alert was
/// raised.
pub fn is_health_kind_for(kind: &str, audience: Audience) -> bool {
    audience == Audience::Arbiter || ![HOOK_FAILED, WEBHOOK_FAILED].contains(&kind)
}

/// Kind of problem: published events are missing or changed in the journal.
pub const JOURNAL_DAMAGED: &str = "journal_damaged";
