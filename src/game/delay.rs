//! What of a game is published to the public, and when: everything with a delay, and no illegal move before it is certain to stay
//! on record.

use super::{AlertKind, Command, Confidence, Event, PlayedMove, StampedEvent};
use shakmaty::Color;
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

impl IllegalMoves {
    /// Number of completed moves of the opponent after which play has accepted the move, so that a game without an arbiter does not
    /// stay hidden.
    pub const REPLIES: usize = 2;
}

/// How many events of a game were released to the public, and in which order with its corrections. With this, [`DelayLine::replay`]
/// releases exactly the same events again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseState {
    /// The number of events released.
    pub count: u64,
    /// Corrections and results that came while events were queued: the number of each, and the count released before it.
    pub checkpoints: Vec<(u64, u64)>,
}

/// The queue of public events of one game.
///
/// **Invariants:** no event, neither a result nor a move, is released before it is as old as the delay; if something is corrected
/// before its release, only the correction is released, once it is old enough; and no move that [`IllegalMoves::Hold`] holds is
/// released, nor anything that happened after it.
#[derive(Clone, Debug, Default)]
pub struct DelayLine {
    delay: Delay,
    illegal_moves: IllegalMoves,
    /// Queued events with the time when each happened, oldest first.
    waiting: VecDeque<(i64, StampedEvent)>,
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

impl DelayLine {
    /// Creates an empty queue.
    pub fn new(delay: Delay, illegal_moves: IllegalMoves) -> DelayLine {
        DelayLine { delay, illegal_moves, ..DelayLine::default() }
    }

    /// Creates the queue of a game that was partly released before a restart. Its events must be pushed again from the first on,
    /// with [`DelayLine::pop`] called before each until it returns `None`. Until [`DelayLine::end_replay`], exactly the events that
    /// were released are released again, whatever the delay and the policy are now.
    pub fn replay(delay: Delay, illegal_moves: IllegalMoves, released: ReleaseState) -> DelayLine {
        DelayLine { replayed: Some(released), ..DelayLine::new(delay, illegal_moves) }
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
    pub fn released(&self) -> &ReleaseState {
        &self.released
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
        match &stamped.event {
            Event::MovesCorrected { .. } => return self.correct(at, &stamped),
            Event::Result { result, .. } => {
                // Only the final result is released.
                self.waiting.retain(|(_, waits)| !matches!(waits.event, Event::Result { .. }));
                if result.is_none() && !self.is_result_released {
                    return;
                }
            }
            _ => {}
        }
        self.waiting.push_back((at, stamped));
    }

    /// Applies a correction of the moves to the queued events.
    fn correct(&mut self, at: i64, stamped: &StampedEvent) {
        let Event::MovesCorrected { from_ply, moves, .. } = &stamped.event else { return };
        let from = *from_ply;
        self.waiting.retain_mut(|(_, waits)| match &mut waits.event {
            Event::MoveMade { ply, .. } | Event::MoveCompleted { ply, .. } | Event::ClockRevised { ply, .. } => *ply < from,
            Event::MovesCorrected { from_ply, moves, .. } => {
                moves.truncate(from.saturating_sub(*from_ply) as usize);
                *from_ply < from
            }
            _ => true,
        });
        let known =
            self.waiting.iter().fold(self.released_plies, |plies, (_, waits)| plies_after(&waits.event).unwrap_or(plies));
        // Moves that were not released need no correction.
        let corrected = if from <= known { moves.iter().take_while(|played| !played.irregular).count() } else { 0 };
        if from <= known {
            let mut correction = stamped.clone();
            if let Event::MovesCorrected { moves, .. } = &mut correction.event {
                moves.truncate(corrected);
            }
            self.waiting.push_back((at, correction));
        }
        // Moves that may be held are queued separately.
        for (ply, played) in (from..).zip(moves).skip(corrected) {
            let event =
                Event::MoveMade { ply, played: played.clone(), confidence: Confidence::CERTAIN, alternatives: Vec::new() };
            self.waiting.push_back((at, StampedEvent { event, ..stamped.clone() }));
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
        let (_, stamped) = self.waiting.pop_front()?;
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
        let (at, _) = self.waiting.front()?;
        Some(at.saturating_add_unsigned(self.delay.ms))
    }

    /// Whether enough plies have followed the first queued event and it is not a held move.
    fn may_release(&self) -> bool {
        let front = self.waiting.front().map(|(_, stamped)| &stamped.event);
        if let Some(Event::MoveMade { ply, .. }) = front
            && self.is_held(*ply)
        {
            return false;
        }
        let ply = match front {
            Some(Event::MoveCompleted { ply, .. } | Event::ClockRevised { ply, .. }) => *ply,
            event => event.and_then(plies_after).unwrap_or(0),
        };
        self.is_over() || ply == 0 || ply.saturating_add(self.delay.plies) <= self.game.plies.len() as u32
    }

    fn is_held(&self, ply: u32) -> bool {
        self.illegal_moves == IllegalMoves::Hold && !self.is_over() && self.game.is_unruled(ply)
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

/// The state that decides whether a move is held.
#[derive(Clone, Debug, Default)]
struct GameProgress {
    plies: Vec<DelayedPly>,
    /// The alerts that the arbiter may let stand: the id, the kind and the ply of each.
    alerts: Vec<(u32, AlertKind, u32)>,
    /// The last event was a command to undo.
    undoing: bool,
    /// The game has a result.
    over: bool,
}

#[derive(Clone, Debug)]
struct DelayedPly {
    uci: String,
    mover: Color,
    illegal: bool,
    /// It remains in force by the edition of the Laws.
    by_laws: bool,
    /// The kind of the alert on which the arbiter let it stand.
    ruled: Option<AlertKind>,
    completed: bool,
}

impl DelayedPly {
    fn new(number: u32, played: &PlayedMove) -> DelayedPly {
        let mover = played.mover().unwrap_or(Color::from_white(number % 2 == 1));
        DelayedPly {
            uci: played.uci.clone(),
            mover,
            illegal: played.irregular && !played.is_missing(),
            by_laws: false,
            ruled: None,
            completed: false,
        }
    }
}

impl GameProgress {
    fn apply(&mut self, event: &Event) {
        let undoing = std::mem::take(&mut self.undoing);
        match event {
            Event::MoveMade { ply, played, .. } => self.replace(*ply, std::slice::from_ref(played)),
            Event::MovesCorrected { from_ply, moves, .. } => self.replace(*from_ply, moves),
            Event::MoveCompleted { ply, .. } => {
                if let Some(ply) = self.ply_mut(*ply) {
                    ply.completed = true;
                }
            }
            Event::AlertRaised(alert) => {
                self.alerts.push((alert.id, alert.kind, alert.ply));
                if let Some(ply) = self.ply_mut(alert.ply) {
                    ply.by_laws |= ply.illegal && alert.kind == AlertKind::IllegalStands;
                    // If letting a move stand is undone, its alert is raised again.
                    ply.ruled.take_if(|kind| undoing && *kind == alert.kind);
                }
                self.undoing = undoing;
            }
            Event::Commanded { command: Command::LetStand { alert: id }, .. } => {
                if let Some((_, kind, ply)) = self.alerts.iter().find(|(known, ..)| known == id).copied()
                    && let Some(ply) = self.ply_mut(ply)
                {
                    ply.ruled = ply.illegal.then_some(kind);
                }
            }
            Event::Commanded { command, .. } => self.undoing = *command == Command::Undo {},
            Event::Result { result, .. } => self.over = result.is_some(),
            _ => {}
        }
    }

    /// Replaces the plies from `from` on.
    fn replace(&mut self, from: u32, moves: &[PlayedMove]) {
        let unchanged = from.saturating_sub(1) as usize;
        let before = self.plies.split_off(unchanged.min(self.plies.len()));
        self.plies.extend((from..).zip(moves).enumerate().map(|(index, (number, played))| {
            let ply = DelayedPly::new(number, played);
            // A ruling on another move does not apply to this one.
            match before.get(index).filter(|old| old.uci == ply.uci && ply.illegal) {
                Some(old) => DelayedPly { by_laws: old.by_laws, ruled: old.ruled, ..ply },
                None => ply,
            }
        }));
    }

    fn ply_mut(&mut self, number: u32) -> Option<&mut DelayedPly> {
        self.plies.get_mut((number as usize).checked_sub(1)?)
    }

    /// Whether this ply is illegal and may still be taken back.
    fn is_unruled(&self, number: u32) -> bool {
        let index = (number as usize).wrapping_sub(1);
        let Some(ply) = self.plies.get(index).filter(|ply| ply.illegal && !ply.by_laws && ply.ruled.is_none()) else {
            return false;
        };
        let replies = self.plies.iter().skip(index).filter(|reply| reply.mover != ply.mover && reply.completed);
        replies.count() < IllegalMoves::REPLIES
    }
}
