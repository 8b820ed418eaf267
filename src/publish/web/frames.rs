//! Recent changes of squares and clocks, for the arbiter to look back at.

use crate::daemon::hub::feed::Received;
use crate::daemon::hub::{BoardId, Published, Update};
use crate::daemon::{Hub, Stop, wait_for_stop};
use crate::game::Event;
use crate::wire::{Word, sensed_to_word};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of frames kept per board: about forty moves.
const MAX_FRAMES: usize = 512;

/// The frames kept, by board.
#[derive(Default)]
pub(super) struct FrameHistory(Mutex<BTreeMap<BoardId, VecDeque<Frame>>>);

/// One change that a board reported.
struct Frame {
    wall_ms: i64,
    event: Event,
}

impl FrameHistory {
    /// Records frames until `stop`.
    pub(super) async fn run(self: Arc<Self>, hub: Arc<Hub>, mut stop: Stop) {
        let mut updates = hub.subscribe();
        loop {
            let next = tokio::select! {
                next = updates.next() => next,
                () = wait_for_stop(&mut stop) => return,
            };
            match next {
                Some(Received::Update(Update::Event(published))) => self.record(&published),
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Returns this board's frames, oldest first.
    pub(super) fn of(&self, board: &BoardId) -> Value {
        self.lock().get(board).map_or_else(|| json!([]), |frames| frames.iter().map(Frame::value).collect())
    }

    fn record(&self, published: &Published) {
        let event = &published.stamped.event;
        if !matches!(event, Event::Touched { .. } | Event::Clock { .. }) {
            return;
        }
        let mut frames = self.lock();
        let frames = frames.entry(published.board.clone()).or_default();
        // A clock may report every second: of reports between two squares, only the first and the last are kept.
        let is_clock = |event: &Event| matches!(event, Event::Clock { .. });
        if is_clock(event) && frames.iter().rev().take(2).filter(|frame| is_clock(&frame.event)).count() == 2 {
            frames.pop_back();
        }
        frames.push_back(Frame { wall_ms: published.wall_ms, event: event.clone() });
        if frames.len() > MAX_FRAMES {
            frames.pop_front();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<BoardId, VecDeque<Frame>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Frame {
    fn value(&self) -> Value {
        match &self.event {
            Event::Touched { square, before, now } => json!({
                "wall_ms": self.wall_ms,
                "square": square.to_string(),
                "before": sensed_to_word(*before),
                "now": sensed_to_word(*now),
            }),
            Event::Clock { clocks, turn, running, .. } => {
                let ms = |time: Option<crate::game::ClockTime>| time.map(|time| time.ms);
                let (white, black) = (ms(clocks.white), ms(clocks.black));
                let clock = json!({"white_ms": white, "black_ms": black, "turn": turn.word(), "running": running});
                json!({"wall_ms": self.wall_ms, "clock": clock})
            }
            _ => Value::Null,
        }
    }
}
