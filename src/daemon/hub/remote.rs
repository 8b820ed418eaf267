//! Publishes events of other machines' journals.

use super::{BoardId, Hub, Published, RemoteBatch, RemoteContinuation, Update, lock};
use crate::daemon::journal::AppendOutcome;
use crate::daemon::steady_clock;
use crate::game::{DeskRecord, Event};
use std::sync::{Arc, Mutex};

impl Hub {
    /// Stores events of another machine's journal, applies them to the state and publishes them. Events of older games, which are
    /// in the past, are only stored.
    pub(super) async fn publish_remote(&self, board: &BoardId, batch: RemoteBatch) {
        let RemoteBatch { events, stamped, ages_ms, is_newest, continues, on_done } = batch;
        let events = Arc::new(events);
        if !stamped.is_empty() {
            let refused = Mutex::new(None);
            let append = || async {
                match self.journal.append_parsed_remote(board.as_str(), Arc::clone(&events), &stamped).await {
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
            let is_ordered = continues.is_some();
            let continues = match (continues, games.first()) {
                (None, Some(game)) if begins => self.unexpected_continuation(board, *game, &events),
                (continues, _) => continues,
            };
            let order = continues.as_ref().filter(|_| begins).and_then(|continuation| continuation.order(&events));
            let order = order.zip(games.first().copied());
            // A machine may move a seat to a free board of its own, and takes none from another table.
            if let Some((order, _)) = &order
                && (is_ordered || !self.is_seated(board))
            {
                // Before the game on the board gets the names of another table.
                self.move_seat_of(order).await;
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
            if let Some((order, game)) = order {
                self.finish_continuation(board, order, game).await;
            }
        }
    }
}
