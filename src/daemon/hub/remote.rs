//! Publishes events of other machines' journals.

use super::{BoardId, GameView, Hub, Published, RemoteBatch, RemoteContinuation, TableExchange, Update, lock};
use crate::daemon::journal::{AppendOutcome, RemoteEvents};
use crate::daemon::steady_clock;
use crate::game::{DeskRecord, Event};
use std::sync::{Arc, Mutex};

impl Hub {
    /// Stores events of another machine's journal, applies them to the state and publishes them. Events of older games, which are
    /// in the past, are only stored.
    pub(super) async fn publish_remote(&self, board: &BoardId, batch: RemoteBatch) {
        let RemoteBatch { events, stamped, ages_ms, is_newest, continues, on_done } = batch;
        if !stamped.is_empty() {
            let refused = Mutex::new(None);
            let append = || async {
                match self.journal.append_remote(board.as_str(), events.clone()).await {
                    // The same events would be refused again.
                    Err(error) if error.is_about_remote_events() => {
                        *lock(&refused) = Some(error);
                        Ok(AppendOutcome { games: Vec::new(), uses_reserve: false })
                    }
                    outcome => outcome,
                }
            };
            let games = self.commit(board, append).await;
            on_done(lock(&refused).take().map_or(Ok(()), Err));
            let begins = stamped.first().is_some_and(|stamped| stamped.number == Some(1));
            let continues = match (continues, games.first()) {
                (None, Some(game)) if begins => self.unexpected_continuation(board, *game, &events),
                (continues, _) => continues,
            };
            let is_moved = |continuation: &&RemoteContinuation| {
                begins && !games.is_empty() && continuation.exchange.from != continuation.exchange.to
            };
            if let Some(RemoteContinuation { exchange, .. }) = continues.as_ref().filter(is_moved) {
                // Before the game on the board gets the names of another table.
                self.move_seat(&exchange.from, &exchange.to, &exchange.by).await;
            }
            let recalled = continues.as_ref().map_or(0, |continuation| continuation.recalled);
            let mut updates = Vec::with_capacity(stamped.len() + 2);
            if let Some(game) = games.first().copied() {
                let mut state = self.lock();
                let is_known = state.games.contains_key(&game);
                if is_newest || is_known || continues.is_some() {
                    let now_wall_ms = steady_clock::unix_ms();
                    let mut records = lock(&self.desk_records);
                    let mut nothing = DeskRecord::default();
                    let desk = records.get_mut(game).unwrap_or(&mut nothing);
                    for (stamped, age_ms) in stamped.into_iter().zip(ages_ms) {
                        let stamped = desk.shown(stamped);
                        // Events may come again after the connection was made again.
                        if state.games.get(&game).is_some_and(|view| stamped.number <= Some(view.record.last_number)) {
                            continue;
                        }
                        // A game has the times of its machine; how long ago something was is measured here.
                        let happened = now_wall_ms.saturating_sub_unsigned(age_ms).saturating_sub_unsigned(stamped.at);
                        let is_begin = matches!(stamped.event, Event::GameStarted { .. });
                        let epoch_wall_ms =
                            if is_begin { events.started_wall_ms.saturating_sub_unsigned(stamped.at) } else { happened };
                        state.apply(board, Some(game), epoch_wall_ms, &self.tags, &stamped);
                        let view = state.games.get_mut(&game);
                        let wall_ms = view.map_or(events.started_wall_ms, |view| {
                            view.epoch_steady_ms = steady_clock::from_wall(happened);
                            view.wall_ms(stamped.at)
                        });
                        if stamped.number <= Some(recalled) {
                            continue;
                        }
                        let published = Published { board: board.clone(), game: Some(game), wall_ms, age_ms, stamped };
                        updates.push(Update::Event(Arc::new(published)));
                    }
                    if let Some(RemoteContinuation { exchange, recalled }) = continues {
                        state.note_continuation(game, exchange.game, recalled);
                        // As for a board of this machine, before the events that follow.
                        drop(updates.splice(0..0, [board.clone(), exchange.from].map(Update::Board)));
                    } else if begins {
                        state.mark_continued(game);
                    }
                }
            }
            updates.into_iter().for_each(|update| self.publish(update));
            if let Some(game) = games.first().filter(|_| begins) {
                self.enter_again(board, *game).await;
            }
        }
    }

    /// Returns how a game that its machine has begun continues another one of that machine, although nobody at the hub has asked for
    /// that: the position that had ended it was undone, or the boards were exchanged there. It began at the same moment, and has all
    /// events of that game.
    fn unexpected_continuation(&self, board: &BoardId, game: u64, events: &RemoteEvents) -> Option<RemoteContinuation> {
        let began_then = |other: &&GameView| {
            other.id != game
                && !other.record.plies.is_empty()
                && other.wall_ms(other.record.started_at) == events.started_wall_ms
        };
        let others: Vec<(u64, BoardId)> = self
            .read(|state| state.games.values().rev().filter(began_then).map(|other| (other.id, other.board.clone())).collect());
        others.into_iter().find_map(|(other, from)| {
            let source = self.journal.remote_game(other).ok()??;
            let rows = self.journal.event_rows(other, 0, usize::MAX).ok()?;
            let same = events.events.iter().map(|row| &row.text).take(rows.len());
            let is_same = source.machine == events.source.machine && same.eq(rows.iter().map(|row| &row.text));
            let recalled = rows.len() as u64;
            let exchange = TableExchange { game: Some(other), from, to: board.clone(), by: source.machine };
            is_same.then_some(RemoteContinuation { exchange, recalled })
        })
    }
}
