//! Which boards have changed, and the messages that say so.

use crate::boards::Millis;
use crate::daemon::Hub;
use crate::daemon::hub::{BoardId, Published};
use crate::daemon::steady_clock;
use crate::game::{Event, StampedEvent};
use crate::hall::message::board::{BoardMessage, BoardState};
use crate::hall::message::to_json;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of transient events in one message: of a board on which more happens, the latest are sent.
const MAX_EVENTS: usize = 64;

/// The boards that have changed since their last message.
#[derive(Default)]
pub(super) struct Boards {
    changed: BTreeSet<BoardId>,
    events: BTreeMap<BoardId, Vec<StampedEvent>>,
    /// The state of each board that was sent last.
    sent: BTreeMap<BoardId, BoardState>,
    /// The next messages repeat everything.
    repeats: bool,
}

impl Boards {
    /// Marks a board as changed.
    pub(super) fn mark(&mut self, board: &BoardId) {
        self.changed.insert(board.clone());
    }

    /// Forgets the transient events that were not sent: they are in the past.
    pub(super) fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Marks all boards. Their next messages repeat everything.
    pub(super) fn mark_all(&mut self, hub: &Hub) {
        self.changed = hub.read(|state| state.boards.keys().cloned().collect());
        self.repeats = true;
    }

    /// Adds a transient event.
    pub(super) fn push_event(&mut self, published: &Published) {
        let events = self.events.entry(published.board.clone()).or_default();
        if events.len() == MAX_EVENTS {
            events.remove(0);
        }
        events.push(published.stamped.clone());
    }

    /// Returns whether a message is due.
    pub(super) fn is_dirty(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Returns the messages that are due.
    pub(super) fn take(&mut self, hub: &Hub) -> Vec<(BoardId, Vec<u8>)> {
        let mut events = std::mem::take(&mut self.events);
        let (changed, repeats) = (std::mem::take(&mut self.changed), std::mem::take(&mut self.repeats));
        let message = |board: BoardId| {
            let events = events.remove(&board).unwrap_or_default();
            let before = self.sent.remove(&board);
            let mut message = message(hub, &board, before.as_ref(), &events, repeats)?;
            self.sent.extend(message.state.clone().map(|state| (board.clone(), state)));
            if !repeats && message.state == before {
                message.state = None;
            }
            // A move that is stored changes no state: it is on the board before it is recognised.
            let is_news = message.state.is_some() || !message.events.is_empty();
            is_news.then(|| (board, to_json(&message)))
        };
        changed.into_iter().filter_map(message).collect()
    }
}

fn transient(at: Millis, event: Event) -> StampedEvent {
    StampedEvent { at, number: None, event }
}

/// Returns the message about a board; `None`: there is no such board any more. `before`: the state that was sent before. `repeats`:
/// the message also has the transient events that describe the board as it is.
fn message(
    hub: &Hub,
    board: &BoardId,
    before: Option<&BoardState>,
    events: &[StampedEvent],
    repeats: bool,
) -> Option<BoardMessage> {
    let (mut message, game) = hub.read(|state| {
        let view = state.boards.get(board)?;
        let game = view.game.and_then(|game| state.games.get(&game));
        let epoch_steady_ms = game.map_or(steady_clock::now_ms(), |game| game.epoch_steady_ms);
        let now = u64::try_from(steady_clock::now_ms().saturating_sub(epoch_steady_ms)).unwrap_or(0);
        let mut message = BoardMessage { state: Some(BoardState::of(view, None)), now, ..BoardMessage::default() };
        if !repeats {
            return Some((message, view.game));
        }
        // For a hub that has not received the events that led to this.
        message.push(&transient(now, Event::Displaced { squares: view.displaced.clone() }));
        if let Some(clock) = &view.clock {
            let age = u64::try_from(steady_clock::now_ms().saturating_sub(clock.read_at)).unwrap_or(0);
            let event = Event::Clock {
                clocks: clock.times,
                turn: clock.turn,
                running: clock.running,
                flags: clock.flags,
                battery_low: clock.battery_low,
            };
            message.push(&transient(now.saturating_sub(age), event));
        }
        if let Some(battery) = view.battery {
            message.push(&transient(now, Event::Battery(battery)));
        }
        Some((message, view.game))
    })?;
    events.iter().for_each(|event| message.push(event));
    // Where a game began never changes.
    let known = before.and_then(|before| before.game.clone()).filter(|(_, known)| Some(*known) == game);
    let game = known.or_else(|| game.and_then(|game| Some((hub.journal().birth_journal(game).ok()?, game))));
    if let Some(state) = &mut message.state {
        state.game = game;
    }
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::{SensorKind, SquareState, model};
    use crate::daemon::hub::BoardView;
    use crate::daemon::journal::Journal;
    use crate::hall::message::from_json;

    #[tokio::test]
    async fn a_state_is_sent_when_it_changes_and_repeated_with_all_boards() {
        let dir = tempfile::tempdir().unwrap();
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
        let board = BoardId::new("b");
        let view = BoardView::new(board.clone(), model("dgt").unwrap(), SensorKind::Identity);
        let (handle, _) = hub.register_board(view);
        let mut boards = Boards::default();
        let take = |boards: &mut Boards| -> Vec<(bool, usize)> {
            let messages = boards.take(&hub).into_iter().map(|(_, payload)| from_json::<BoardMessage>(&payload).unwrap());
            messages.map(|message| (message.state.is_some(), message.events.len())).collect()
        };
        boards.mark_all(&hub);
        assert_eq!(take(&mut boards), [(true, 1)]);
        boards.mark(&board);
        assert!(take(&mut boards).is_empty());
        let stamped = transient(1, Event::Displaced { squares: Vec::new() });
        boards.push_event(&Published { board: board.clone(), game: None, wall_ms: 0, age_ms: 0, stamped });
        boards.mark(&board);
        assert_eq!(take(&mut boards), [(false, 1)]);
        handle.update(|view| view.placement = Some([SquareState::Empty; 64]));
        boards.mark(&board);
        assert_eq!(take(&mut boards), [(true, 0)]);
        boards.mark_all(&hub);
        assert_eq!(take(&mut boards), [(true, 1)]);
    }
}
