//! What the hub's desk enters about games of other machines: it is stored and shown here at once, wherever the machine is, and the
//! machine is told the latest.
//!
//! Orders of the desk go through the publisher of the board, so that all see them and the machine's events in one order.

use super::handle::DeskOrder;
use super::role::{DeskEntryKind, is_copied};
use super::{BoardId, GameGuard, GameView, Hub, OrderError, OrderGuard, Published, State, Update, lock};
use crate::boards::Millis;
use crate::daemon::journal::{ContinuationOrder, JournalError};
use crate::daemon::steady_clock;
use crate::game::{Answer, Command, DeskEvent, DeskRecord, Order, Preview, Refusal, StampedEvent, desk_events, is_for_desk};
use crate::wire;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the desk has entered.
#[derive(Default)]
pub(super) struct DeskRecords {
    /// By the number of the game.
    records: BTreeMap<u64, DeskRecord>,
    /// The games whose machines have not been told the latest.
    untold: BTreeSet<u64>,
}

impl DeskRecords {
    /// Returns what is stored: no machine has been told any of it by this process.
    pub(super) fn of(records: BTreeMap<u64, DeskRecord>) -> DeskRecords {
        let untold = records.keys().copied().collect();
        DeskRecords { records, untold }
    }

    /// Returns what was entered about a game.
    fn get(&self, game: u64) -> Option<&DeskRecord> {
        self.records.get(&game)
    }

    /// As [`DeskRecords::get`], to show the machine's next events.
    pub(super) fn get_mut(&mut self, game: u64) -> Option<&mut DeskRecord> {
        self.records.get_mut(&game)
    }
}

/// The game that an order is for.
enum DeskTarget {
    /// The one on the board.
    OnBoard(OrderGuard),
    /// One that has left the board.
    Past(u64),
}

impl Hub {
    /// Whether the desk carries out this order about a game of another machine. `game`: one that has left the board; `None`: the
    /// one that is there.
    pub fn is_for_desk(&self, board: &BoardId, game: Option<u64>, order: &Order) -> bool {
        self.read(|state| {
            let game = game.or_else(|| state.boards.get(board)?.game);
            let game = game.and_then(|game| state.games.get(&game));
            // Without a game the order is refused.
            game.is_none_or(|game| is_for_desk(&game.record, &order.command))
        })
    }

    /// Carries out an order of the desk, and answers.
    pub(super) async fn publish_desk_order(&self, board: &BoardId, order: DeskOrder) {
        let DeskOrder { game, guard, order, done } = order;
        // Nothing takes effect after its author has given up, e.g. because the disk was full.
        if done.is_closed() {
            return;
        }
        let target = game.map_or(DeskTarget::OnBoard(guard), DeskTarget::Past);
        let entered = self.enter(board, &target, &order).await;
        let copied = entered.as_ref().ok().and_then(|(game, _)| self.request_copy(DeskEntryKind::Game(*game)));
        let outcome = entered.map(|(_, answer)| answer);
        match copied {
            // The board's next events do not wait for the copy.
            Some(copied) => drop(tokio::spawn(async move {
                let outcome = if is_copied(copied).await { outcome } else { Err(OrderError::NotCopied) };
                let _ = done.send(outcome);
            })),
            // The requester may be gone.
            None => _ = done.send(outcome),
        }
    }

    /// Enters again what the desk had entered about a game that was damaged here and is received anew, as this game.
    pub(super) async fn enter_again(&self, board: &BoardId, game: u64) {
        let Ok(Some(damaged)) = self.journal.damaged_before(game) else { return };
        let Some(desk) = self.desk_record(damaged) else { return };
        let tags = desk.tags().map(|(_, tags)| Command::Tags { tags: tags.clone() });
        let result = desk.standing().map(|result| Command::Result { result: Some(result) });
        for command in tags.into_iter().chain(result) {
            let order = Order { command, by: "touchmoved, as before the game was damaged".to_owned() };
            if let Err(error) = self.enter(board, &DeskTarget::Past(game), &order).await {
                let message = "what was entered about a damaged game is not entered again";
                self.log_failure(message, &format!("{message}, game {game}: {error}"));
            }
            let _ = self.request_copy(DeskEntryKind::Game(game));
        }
    }

    /// Enters the tags of the game that this one continues, so that it belongs to the same pairing: if they are those of the desk, or of
    /// a game of this machine. The tags that another machine gives do not count.
    pub(super) async fn enter_names_of(&self, board: &BoardId, continuation: &ContinuationOrder, game: u64) {
        let ContinuationOrder { continued, by, .. } = continuation;
        let has_names = |game: u64| self.desk_record(game).is_some_and(|desk| desk.tags().is_some());
        let is_of_desk = has_names(*continued) || self.journal.remote_game(*continued).is_ok_and(|source| source.is_none());
        if has_names(game) || !is_of_desk {
            return;
        }
        let continued_game = self.game(*continued).ok().flatten();
        let Some(tags) = continued_game.map(|game| game.record.tags).filter(|tags| !tags.is_empty()) else { return };
        let order = Order { command: Command::Tags { tags }, by: format!("{by}, continuing game {continued}") };
        if let Err(error) = self.enter(board, &DeskTarget::Past(game), &order).await {
            let message = "a game that continues on another board does not get its names";
            self.log_failure(message, &format!("{message}, game {game}: {error}"));
        }
        let _ = self.request_copy(DeskEntryKind::Game(game));
    }

    /// Enters what an order says. Returns the game and the answer.
    async fn enter(&self, board: &BoardId, target: &DeskTarget, order: &Order) -> Result<(u64, Answer), OrderError> {
        let game = self.target_game(board, target)?;
        let (id, record) = (game.id, &game.record);
        let now_ms = steady_clock::now_ms().saturating_sub(game.epoch_steady_ms);
        let (answer, events) = self.desk_events(&game, order, Millis::try_from(now_ms).unwrap_or(0))?;
        let wall_ms = steady_clock::unix_ms();
        let stored = self.journal.append_desk_events(id, wall_ms, events.clone()).await;
        let after = stored.map_err(|error| OrderError::JournalFull(error.to_string()))?;
        {
            let mut records = lock(&self.desk_records);
            let desk = records.records.entry(id).or_default();
            events.iter().for_each(|stamped| desk.add(&DeskEvent { after, stamped: stamped.clone() }));
            records.untold.insert(id);
        }
        {
            let mut state = self.lock();
            if let Some(game) = state.games.get_mut(&id) {
                events.iter().for_each(|stamped| game.apply_entered(stamped));
            }
            let mut after = record.clone();
            events.iter().for_each(|stamped| after.apply_entered(stamped));
            if let Some(past) = state.past_games.get_mut(&id) {
                past.result = after.result.map(|(result, _)| result);
            }
        }
        for stamped in events {
            let published = Published { board: board.clone(), game: Some(id), wall_ms, age_ms: 0, stamped };
            self.publish(Update::Event(Arc::new(published)));
        }
        Ok((id, answer))
    }

    /// Returns what an order of the desk would do. Nothing changes.
    ///
    /// # Errors
    /// The reason why the order would not be carried out.
    pub fn preview_desk_order(&self, board: &BoardId, guard: GameGuard, order: &Order) -> Result<Answer, OrderError> {
        let game = self.target_game(board, &DeskTarget::OnBoard(OrderGuard { game: guard, seen: None }))?;
        let (answer, events) = self.desk_events(&game, order, 0)?;
        let mut after = game.record.clone();
        events.iter().for_each(|stamped| after.apply_entered(stamped));
        let undone = if let Answer::Undone(command) = answer { Some(command) } else { None };
        let preview = Preview::new(&order.command, undone, Some(&game.record), &after, &events);
        Ok(Answer::Preview(Box::new(preview)))
    }

    /// Returns the answer to an order of the desk, and the events with which it is carried out.
    fn desk_events(&self, game: &GameView, order: &Order, at: Millis) -> Result<(Answer, Vec<StampedEvent>), OrderError> {
        let own = match order.command {
            Command::Undo {} => self.machine_events(game.id).map_err(|error| OrderError::Unreadable(error.to_string()))?,
            _ => Vec::new(),
        };
        Ok(desk_events(&game.record, self.desk_record(game.id).as_ref(), &own, order, at)?)
    }

    /// Returns the events of a game of another machine, as that machine has sent them.
    fn machine_events(&self, game: u64) -> Result<Vec<StampedEvent>, JournalError> {
        let rows = self.journal.event_rows(game, 0, usize::MAX)?;
        // What cannot be read says nothing of results.
        Ok(rows.iter().filter_map(|row| wire::from_json(&row.text).ok()).collect())
    }

    fn target_game(&self, board: &BoardId, target: &DeskTarget) -> Result<GameView, OrderError> {
        match target {
            DeskTarget::OnBoard(guard) => self.read(|state| game_on_board(state, board, *guard).cloned()),
            DeskTarget::Past(game) => {
                let game_view = self.game(*game).map_err(|error| OrderError::Unreadable(error.to_string()))?;
                game_view.ok_or(OrderError::NoSuchGame(*game))
            }
        }
    }

    /// Returns the number at its machine of the last event up to this one of a game, as it is shown here.
    pub fn own_number(&self, game: u64, shown: u64) -> u64 {
        lock(&self.desk_records).get(game).map_or(shown, |desk| desk.own_number(shown))
    }

    /// Returns the number as it is shown here of an event of another machine.
    pub fn shown_number(&self, game: u64, own: u64) -> u64 {
        lock(&self.desk_records).get(game).map_or(own, |desk| desk.shown_number(own))
    }

    /// Returns what was entered about a game.
    pub fn desk_record(&self, game: u64) -> Option<DeskRecord> {
        lock(&self.desk_records).get(game).cloned()
    }

    /// Returns the games about which something was entered since this was last asked, or since touchmoved was started.
    pub fn take_untold(&self) -> BTreeSet<u64> {
        std::mem::take(&mut lock(&self.desk_records).untold)
    }

    /// Notes that the machine of a game may not know the latest.
    pub fn mark_untold(&self, game: u64) {
        lock(&self.desk_records).untold.insert(game);
    }

    /// Returns the games about which something was entered.
    pub fn entered_games(&self) -> BTreeSet<u64> {
        lock(&self.desk_records).records.keys().copied().collect()
    }

    /// Notes that the machines of all games may not know the latest.
    pub fn mark_all_untold(&self) {
        let mut records = lock(&self.desk_records);
        records.untold = records.records.keys().copied().collect();
    }
}

/// Returns the game that is on a board, if it is as the author of an order knows it.
fn game_on_board<'a>(state: &'a State, board: &BoardId, guard: OrderGuard) -> Result<&'a GameView, OrderError> {
    let OrderGuard { game, seen } = guard;
    let view = state.boards.get(board).ok_or_else(|| OrderError::NoSuchBoard(board.to_string()))?;
    if let GameGuard::After(begun) = game
        && view.games_begun != begun
    {
        return Err(OrderError::GameReplaced);
    }
    let game = view.game.and_then(|game| state.games.get(&game)).ok_or(Refusal::NoGame)?;
    match seen {
        Some(seen) if game.record.last_number > seen => Err(OrderError::Changed { seen, news: Vec::new() }),
        _ => Ok(game),
    }
}
