//! What the public may know of a game, and when: everything so much later.

use super::{Confidence, Event, Stamped};
use std::collections::VecDeque;

/// How much later the public learns what happened. Both hold at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// Milliseconds.
    pub ms: u64,
    /// So many plies have to follow a move, as long as the game is on.
    pub plies: u32,
}

/// The public events of one game on their way out.
///
/// **Invariant:** nothing leaves before it is as old as the delay, a result no more than a move; and of what is corrected before it
/// has left only the correction leaves, when that is old enough.
#[derive(Clone, Debug, Default)]
pub struct DelayLine {
    delay: Delay,
    /// With the time when each happened, oldest first.
    waiting: VecDeque<(i64, Stamped)>,
    /// Plies of the game as it is.
    plies: u32,
    /// Plies that have left, and what had left of the result.
    left: u32,
    result_left: bool,
    /// The game has a result.
    over: bool,
}

impl DelayLine {
    /// One on which nothing waits.
    pub fn new(delay: Delay) -> DelayLine {
        DelayLine { delay, ..DelayLine::default() }
    }

    /// A public event (`daemon::hub::is_public`), as it happens: `at` in milliseconds of any clock that does not go back. What is
    /// due by then must have been taken first.
    pub fn push(&mut self, at: i64, stamped: Stamped) {
        self.plies = plies_after(&stamped.event).unwrap_or(self.plies);
        match &stamped.event {
            Event::MovesCorrected { .. } => return self.correct(at, &stamped),
            Event::Result { result, .. } => {
                self.over = result.is_some();
                // Only what it came to leaves.
                self.waiting.retain(|(_, waits)| !matches!(waits.event, Event::Result { .. }));
                if result.is_none() && !self.result_left {
                    return;
                }
            }
            _ => {}
        }
        self.waiting.push_back((at, stamped));
    }

    /// Moves from this ply on were others.
    fn correct(&mut self, at: i64, stamped: &Stamped) {
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
        if from <= self.waiting.iter().fold(self.left, |plies, (_, waits)| plies_after(&waits.event).unwrap_or(plies)) {
            self.waiting.push_back((at, stamped.clone()));
            return;
        }
        // Nobody has seen what was corrected.
        for (ply, played) in (from..).zip(moves) {
            let event =
                Event::MoveMade { ply, played: played.clone(), confidence: Confidence::CERTAIN, alternatives: Vec::new() };
            self.waiting.push_back((at, Stamped { event, ..stamped.clone() }));
        }
    }

    /// Whether something has not left yet.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The game ended without a result: another one is on its board.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// The next event that may leave by this time.
    pub fn pop(&mut self, now: i64) -> Option<Stamped> {
        if !self.may_leave() || self.due()? > now {
            return None;
        }
        let (_, stamped) = self.waiting.pop_front()?;
        self.left = plies_after(&stamped.event).unwrap_or(self.left);
        if let Event::Result { result, .. } = &stamped.event {
            self.result_left = result.is_some();
        }
        Some(stamped)
    }

    /// When the next event leaves, if nothing else happens; `None`: not before something does.
    pub fn next_deadline(&self) -> Option<i64> {
        self.due().filter(|_| self.may_leave())
    }

    fn due(&self) -> Option<i64> {
        let (at, _) = self.waiting.front()?;
        Some(at.saturating_add_unsigned(self.delay.ms))
    }

    /// Enough plies have followed the first one that waits.
    fn may_leave(&self) -> bool {
        let ply = match self.waiting.front().map(|(_, stamped)| &stamped.event) {
            Some(Event::MoveCompleted { ply, .. } | Event::ClockRevised { ply, .. }) => *ply,
            event => event.and_then(plies_after).unwrap_or(0),
        };
        self.over || ply == 0 || ply.saturating_add(self.delay.plies) <= self.plies
    }
}

/// How many plies a game has after this event; `None`: as many as before.
fn plies_after(event: &Event) -> Option<u32> {
    match event {
        Event::MoveMade { ply, .. } => Some(*ply),
        Event::MovesCorrected { from_ply, moves, .. } => Some(from_ply.saturating_sub(1) + moves.len() as u32),
        _ => None,
    }
}
