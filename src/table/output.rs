//! What a call of the table returns, and the numbers of its events.

use crate::boards::{BoardCommand, Millis};
use crate::game::event::Event;
use crate::game::{Answer, Refusal, StampedEvent};

/// The output of one call.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The events, in order. A `GameStarted` begins a new game, whose numbers start from 1 again.
    pub events: Vec<StampedEvent>,
    /// The commands for the board.
    pub commands: Vec<BoardCommand>,
    /// The reply to an order: its answer, or why it was not carried out. `None` for other inputs. Boxed because orders are rare.
    pub reply: Option<Box<Result<Answer, Refusal>>>,
    /// The earliest publication timestamp: moves from a board's memory are published when the memory is read.
    pub(super) earliest_timestamp: Millis,
}

impl Output {
    /// Adds an event. It is numbered when all events are complete.
    pub(super) fn emit(&mut self, at: Millis, event: Event) {
        let at = self.timestamp(at);
        self.push_event(StampedEvent { at, number: None, event });
    }

    /// Adds an event with its publication timestamp.
    pub(super) fn push_event(&mut self, event: StampedEvent) {
        if self.events.is_empty() {
            // Most edges produce one or two events.
            self.events = Vec::with_capacity(2);
        }
        self.events.push(event);
    }

    /// Returns why the order was not carried out, if it was refused.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.reply.as_deref()?.as_ref().err()
    }

    /// Returns the answer to the order, if it was carried out.
    pub fn answer(&self) -> Option<&Answer> {
        self.reply.as_deref()?.as_ref().ok()
    }

    /// Returns the publication timestamp of an event that happened at `at`.
    pub(super) fn timestamp(&self, at: Millis) -> Millis {
        at.max(self.earliest_timestamp)
    }
}

/// The numbers of the events of a game, and the time of the last event.
#[derive(Clone, Default)]
pub(super) struct EventNumbers {
    last: u64,
    /// The number of the last event that is news.
    last_news: u64,
    last_at: Millis,
}

impl EventNumbers {
    /// Continues after these events of a game, the last of which has this number.
    pub(super) fn resume(last: u64, events: &[StampedEvent]) -> EventNumbers {
        let last_news = events.iter().rev().find(|stamped| stamped.event.is_news()).and_then(|stamped| stamped.number);
        EventNumbers { last, last_news: last_news.unwrap_or(0), last_at: 0 }
    }

    /// Returns the number of the last event that is news.
    pub(super) fn last_news(&self) -> u64 {
        self.last_news
    }

    /// Returns the number of the last durable event.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Returns the time of the last event.
    pub(super) fn last_at(&self) -> Millis {
        self.last_at
    }

    /// Numbers the durable events among these, which are complete. Each game begins with number 1.
    pub(super) fn number(&mut self, events: &mut [StampedEvent]) {
        self.last_at = events.last().map_or(self.last_at, |last| last.at);
        // What the desk of the hub has entered is known there.
        let mut is_of_desk = false;
        for stamped in events {
            is_of_desk |= stamped.event.is_result_by_hub();
            if stamped.number.is_some() || !stamped.event.is_durable() {
                continue;
            }
            if matches!(stamped.event, Event::GameStarted { .. }) {
                self.last = 0;
            }
            self.last += 1;
            stamped.number = Some(self.last);
            let is_known = is_of_desk && matches!(stamped.event, Event::Result { .. });
            is_of_desk &= !is_known;
            if stamped.event.is_news() && !is_known {
                self.last_news = self.last;
            }
        }
    }
}
