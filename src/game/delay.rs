//! What of a game is published to the public, and when: everything with a delay, and no illegal move before it is certain to stay
//! on record.

mod progress;

use super::words::words;
use super::{Confidence, Event, StampedEvent};
use progress::GameProgress;
use std::collections::VecDeque;

/// The delay of public events. Both conditions apply at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// Milliseconds.
    pub ms: u64,
    /// Number of plies that must follow a move while the game is in progress.
    pub plies: u32,
}

/// How an illegal move is published to the public while there is no ruling on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IllegalMoves {
    /// The public record ends before it, until one of these holds: the arbiter lets it stand; it remains in force by the edition of
    /// the Laws; its opponent has completed [`IllegalMoves::REPLIES`] further moves; the game is over. A move that is taken back or
    /// replaced before that is never published.
    #[default]
    Hold,
    /// It is published like any other move.
    Show,
}

words! { IllegalMoves { Hold = "hold", Show = "show" } }

impl IllegalMoves {
    /// Number of completed moves of the opponent after which play has accepted the move, so that a game without an arbiter does not
    /// stay hidden.
    pub const REPLIES: usize = 2;
}

/// The delay and the policy on illegal moves. Of two policies, the [strictest](DelayPolicy::strictest) holds for an event for which
/// either held while it was hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayPolicy {
    /// The delay.
    pub delay: Delay,
    /// How illegal moves are published.
    pub illegal_moves: IllegalMoves,
}

impl DelayPolicy {
    /// Returns the policy under which nothing is released that either of the two holds back.
    #[must_use]
    pub fn strictest(self, other: DelayPolicy) -> DelayPolicy {
        let delay = Delay { ms: self.delay.ms.max(other.delay.ms), plies: self.delay.plies.max(other.delay.plies) };
        let is_held = [self, other].iter().any(|policy| policy.illegal_moves == IllegalMoves::Hold);
        DelayPolicy { delay, illegal_moves: if is_held { IllegalMoves::Hold } else { IllegalMoves::Show } }
    }
}

/// How many events of a game were released to the public, and in which order with its corrections. With this, [`DelayLine::replay`]
/// releases exactly the same events again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseState {
    /// The number of events released.
    pub count: u64,
    /// Corrections and results that came while events were queued: the number of each, and the count released before it.
    pub checkpoints: Vec<(u64, u64)>,
    /// The number of the last event that is queued under an earlier, stricter policy, and that policy; `None`: none is.
    pub stricter: Option<(u64, DelayPolicy)>,
}

/// The queue of public events of one game.
///
/// **Invariants:** no event, neither a result nor a move, is released before it is as old as the delay; if something is corrected
/// before its release, only the correction is released, once it is old enough; and no move that [`IllegalMoves::Hold`] holds is
/// released, nor anything that happened after it. If the policy changes, nothing that was hidden is released earlier than by the
/// policy under which it was hidden.
#[derive(Clone, Debug, Default)]
pub struct DelayLine {
    policy: DelayPolicy,
    /// The stricter policy of the events up to this number, from before a restart.
    stricter: Option<(u64, DelayPolicy)>,
    /// Queued events, oldest first.
    waiting: VecDeque<QueuedEvent>,
    /// The current game, independent of what the public knows.
    game: GameProgress,
    /// The number of released plies. `is_result_released`: whether a result has been released.
    released_plies: u32,
    is_result_released: bool,
    /// Another game is on its board.
    ended: bool,
    released: ReleaseState,
    /// The number of the last event that was pushed.
    last: u64,
    /// What had been released before a restart, while the game's events are pushed again.
    replayed: Option<ReleaseState>,
}

/// An event that is not released yet.
#[derive(Clone, Debug)]
struct QueuedEvent {
    /// When it happened.
    at: i64,
    /// The earliest time of its release.
    not_before: i64,
    /// The strictest of the policies that were in force since, and of those of the events that it replaced.
    policy: DelayPolicy,
    stamped: StampedEvent,
}

impl QueuedEvent {
    fn new(at: i64, policy: DelayPolicy, stamped: StampedEvent) -> QueuedEvent {
        QueuedEvent { at, not_before: at.saturating_add_unsigned(policy.delay.ms), policy, stamped }
    }

    /// Lets the event reveal no earlier what `hidden`, which it replaces, was hiding.
    fn replacing(self, hidden: Option<&Hidden>) -> QueuedEvent {
        let Some(hidden) = hidden else { return self };
        let not_before = self.not_before.max(hidden.until);
        QueuedEvent { not_before, policy: self.policy.strictest(hidden.policy), ..self }
    }
}

/// How long queued events that were replaced would have been hidden.
struct Hidden {
    until: i64,
    policy: DelayPolicy,
}

impl Hidden {
    /// Adds an event that is replaced.
    fn add(hidden: &mut Option<Hidden>, event: &QueuedEvent) {
        let (until, policy) = (event.not_before, event.policy);
        *hidden = Some(match hidden.take() {
            Some(other) => Hidden { until: other.until.max(until), policy: other.policy.strictest(policy) },
            None => Hidden { until, policy },
        });
    }
}

impl DelayLine {
    /// Creates an empty queue.
    pub fn new(delay: Delay, illegal_moves: IllegalMoves) -> DelayLine {
        DelayLine { policy: DelayPolicy { delay, illegal_moves }, ..DelayLine::default() }
    }

    /// Creates the queue of a game that was partly released before a restart. Its events must be pushed again from the first on,
    /// with [`DelayLine::pop`] called before each until it returns `None`. Until [`DelayLine::end_replay`], exactly the events that
    /// were released are released again, whatever the delay and the policy are now.
    pub fn replay(delay: Delay, illegal_moves: IllegalMoves, released: ReleaseState) -> DelayLine {
        DelayLine { stricter: released.stricter, replayed: Some(released), ..DelayLine::new(delay, illegal_moves) }
    }

    /// Hides the events up to this number, which are still to be pushed, by this policy too: they were hidden by it before.
    pub fn keep_stricter(&mut self, up_to: u64, policy: DelayPolicy) {
        let (known, earlier) = self.stricter.unwrap_or((up_to, policy));
        self.stricter = Some((up_to.max(known), policy.strictest(earlier)));
    }

    /// Changes the policy. What is stricter in it holds at once, also for queued events; what is less strict, for events that
    /// happen from now on.
    pub fn set_policy(&mut self, policy: DelayPolicy) {
        self.policy = policy;
        for queued in &mut self.waiting {
            queued.policy = queued.policy.strictest(policy);
            queued.not_before = queued.not_before.max(queued.at.saturating_add_unsigned(policy.delay.ms));
        }
    }

    /// Ends the replay of the game's known events: from now on the delay and the policy decide.
    pub fn end_replay(&mut self) {
        self.replayed = None;
    }

    /// Releases everything that is queued, because it is already public.
    pub fn release_all(&mut self) -> Vec<StampedEvent> {
        std::iter::from_fn(|| self.release()).collect()
    }

    /// Returns how much has been released.
    pub fn released(&self) -> ReleaseState {
        let stricter = self.waiting.iter().filter(|queued| queued.policy != self.policy);
        let stricter = stricter.fold(None, |strictest: Option<(u64, DelayPolicy)>, queued| {
            let (number, policy) = strictest.unwrap_or((0, queued.policy));
            Some((queued.stamped.number.unwrap_or(0).max(number), policy.strictest(queued.policy)))
        });
        ReleaseState { stricter, ..self.released.clone() }
    }

    /// Adds a durable event as it happens. `at` is in milliseconds of any clock that does not go back. What is due by then must
    /// have been popped first. Events that are not public are only evaluated for held moves.
    pub fn push(&mut self, at: i64, stamped: StampedEvent) {
        self.last = stamped.number.unwrap_or(self.last);
        self.game.apply(&stamped.event);
        if !stamped.event.is_public() {
            return;
        }
        if matches!(stamped.event, Event::MovesCorrected { .. } | Event::Result { .. }) && !self.waiting.is_empty() {
            self.released.checkpoints.push((self.last, self.released.count));
        }
        let mut hidden = None;
        match &stamped.event {
            Event::MovesCorrected { .. } => return self.correct(at, &stamped),
            Event::Result { result, .. } => {
                // Only the final result is released.
                self.waiting.retain(|queued| {
                    let is_result = matches!(queued.stamped.event, Event::Result { .. });
                    if is_result {
                        Hidden::add(&mut hidden, queued);
                    }
                    !is_result
                });
                if result.is_none() && !self.is_result_released {
                    return;
                }
            }
            _ => {}
        }
        self.queue(at, stamped, hidden.as_ref());
    }

    /// Appends an event to the queue, which replaced those that `hidden` describes.
    fn queue(&mut self, at: i64, stamped: StampedEvent, hidden: Option<&Hidden>) {
        let stricter = self.stricter.filter(|(last, _)| stamped.number.is_some_and(|number| number <= *last));
        let policy = stricter.map_or(self.policy, |(_, policy)| policy.strictest(self.policy));
        self.waiting.push_back(QueuedEvent::new(at, policy, stamped).replacing(hidden));
    }

    /// Applies a correction of the moves to the queued events.
    fn correct(&mut self, at: i64, stamped: &StampedEvent) {
        let Event::MovesCorrected { from_ply, moves, .. } = &stamped.event else { return };
        let from = *from_ply;
        let mut hidden = None;
        self.waiting.retain_mut(|queued| {
            if last_ply(&queued.stamped.event).is_some_and(|ply| ply >= from) {
                Hidden::add(&mut hidden, queued);
            }
            match &mut queued.stamped.event {
                Event::MoveMade { ply, .. } | Event::MoveCompleted { ply, .. } | Event::ClockRevised { ply, .. } => *ply < from,
                Event::MovesCorrected { from_ply, moves, .. } => {
                    moves.truncate(from.saturating_sub(*from_ply) as usize);
                    *from_ply < from
                }
                _ => true,
            }
        });
        let hidden = hidden.as_ref();
        let known =
            self.waiting.iter().fold(self.released_plies, |plies, queued| plies_after(&queued.stamped.event).unwrap_or(plies));
        // Moves that were not released need no correction.
        let corrected = if from <= known { moves.iter().take_while(|played| !played.irregular).count() } else { 0 };
        if from <= known {
            let mut correction = stamped.clone();
            if let Event::MovesCorrected { moves, .. } = &mut correction.event {
                moves.truncate(corrected);
            }
            self.queue(at, correction, hidden);
        }
        // Moves that may be held are queued separately.
        for (ply, played) in (from..).zip(moves).skip(corrected) {
            let event =
                Event::MoveMade { ply, played: played.clone(), confidence: Confidence::CERTAIN, alternatives: Vec::new() };
            self.queue(at, StampedEvent { event, ..stamped.clone() }, hidden);
        }
    }

    /// Whether events are still queued.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Records that the game ended without a result because another one is on its board.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Returns the next event that may be released at `now`.
    pub fn pop(&mut self, now: i64) -> Option<StampedEvent> {
        if let Some(released) = &self.replayed {
            let ahead = released.checkpoints.iter().find(|(number, _)| *number > self.last);
            let count = ahead.map_or(released.count, |(_, count)| *count);
            return if self.released.count < count { self.release() } else { None };
        }
        if !self.may_release() || self.due()? > now {
            return None;
        }
        self.release()
    }

    fn release(&mut self) -> Option<StampedEvent> {
        let QueuedEvent { stamped, .. } = self.waiting.pop_front()?;
        self.released_plies = plies_after(&stamped.event).unwrap_or(self.released_plies);
        if let Event::Result { result, .. } = &stamped.event {
            self.is_result_released = result.is_some();
        }
        self.released.count += 1;
        Some(stamped)
    }

    /// Returns when the next event is released if nothing else happens; `None`: not before another event.
    pub fn next_deadline(&self) -> Option<i64> {
        self.due().filter(|_| self.may_release())
    }

    fn due(&self) -> Option<i64> {
        self.waiting.front().map(|queued| queued.not_before)
    }

    /// Whether enough plies have followed the first queued event and it is not a held move.
    fn may_release(&self) -> bool {
        let Some(QueuedEvent { policy, stamped, .. }) = self.waiting.front() else { return false };
        if let Event::MoveMade { ply, .. } = &stamped.event
            && policy.illegal_moves == IllegalMoves::Hold
            && !self.is_over()
            && self.game.is_unruled(*ply)
        {
            return false;
        }
        let ply = last_ply(&stamped.event).unwrap_or(0);
        self.is_over() || ply == 0 || ply.saturating_add(policy.delay.plies) <= self.game.plies.len() as u32
    }

    fn is_over(&self) -> bool {
        self.ended || self.game.over
    }
}

/// Returns the number of plies in the game after this event; `None`: unchanged.
fn plies_after(event: &Event) -> Option<u32> {
    match event {
        Event::MoveMade { ply, .. } => Some(*ply),
        Event::MovesCorrected { from_ply, moves, .. } => Some(from_ply.saturating_sub(1) + moves.len() as u32),
        _ => None,
    }
}

/// Returns the last ply that this event is about.
fn last_ply(event: &Event) -> Option<u32> {
    match event {
        Event::MoveCompleted { ply, .. } | Event::ClockRevised { ply, .. } => Some(*ply),
        event => plies_after(event),
    }
}
