//! The state of the squares, by a vote over frames, and the detection of silent boards.

use super::super::changes;
use crate::boards::{Millis, Placement, ProtocolError, Reading, SquareState};
use std::collections::VecDeque;

/// Time without a frame after which the board counts as silent, in milliseconds: boards send several frames a second.
pub const SILENCE_TIMEOUT: Millis = 5_000;
/// Time after which unknown pieces are reported, in milliseconds: learning the start position takes less.
pub(crate) const UNCALIBRATED_TIMEOUT: Millis = 4_000;

/// The squares of a board that sends all of them continuously.
pub(in crate::boards) struct FrameVoter {
    /// Number of recent frames that vote. A square shows what more than half of them say.
    votes: usize,
    /// Time of the last frame, or of the link coming up.
    last_frame_at: Millis,
    silent: bool,
    /// Time of the first frame with unknown pieces; `Some(None)` once that has been reported.
    unknown: Option<Option<Millis>>,
    /// The last frames, oldest first.
    recent: VecDeque<Box<Placement>>,
    /// The placement passed on last; `None` if nothing was passed on since the link came up or the board was silent.
    shown: Option<Box<Placement>>,
    /// Whether all squares have been requested.
    placement_requested: bool,
    readings: VecDeque<Reading>,
}

impl FrameVoter {
    /// Creates the state with this number of votes per square, which must be odd.
    pub(crate) fn new(votes: usize) -> FrameVoter {
        FrameVoter {
            votes,
            last_frame_at: 0,
            silent: false,
            unknown: None,
            recent: VecDeque::new(),
            shown: None,
            placement_requested: false,
            readings: VecDeque::new(),
        }
    }

    /// Discards the state of the squares because the link came up or went down.
    pub(crate) fn forget(&mut self, now: Millis) {
        let readings = std::mem::take(&mut self.readings);
        *self = FrameVoter { last_frame_at: now, readings, ..FrameVoter::new(self.votes) };
    }

    /// Processes a frame that needs no vote.
    pub(crate) fn accept_frame(&mut self, now: Millis, squares: Box<Placement>) {
        self.recent.clear();
        self.recent.extend(std::iter::repeat_n(squares.clone(), self.votes - 1));
        self.frame(now, Some(squares), true);
    }

    /// Processes a frame with the placement that it shows, if that is known. `is_complete`: all squares were read.
    pub(crate) fn frame(&mut self, now: Millis, squares: Option<Box<Placement>>, is_complete: bool) {
        self.last_frame_at = now;
        if std::mem::take(&mut self.silent) {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Recovered));
            self.shown = None;
        }
        let Some(squares) = squares else { return self.unknown(now) };
        self.unknown = None;
        if self.recent.len() == self.votes {
            self.recent.pop_front();
        }
        self.recent.push_back(squares);
        if self.recent.len() == self.votes {
            self.report_changes(is_complete);
        }
    }

    fn unknown(&mut self, now: Millis) {
        let since = self.unknown.get_or_insert(Some(now));
        if since.is_some_and(|since| since + UNCALIBRATED_TIMEOUT <= now) {
            *since = None;
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Uncalibrated));
        }
    }

    /// Replaces the state with the placement before the last frame, because the pieces are now known differently.
    pub(crate) fn restart(&mut self, squares: Box<Placement>) {
        self.recent.clear();
        self.recent.extend(std::iter::repeat_n(squares.clone(), self.votes));
        self.readings.push_back(Reading::Placement(squares.clone()));
        self.shown = Some(squares);
    }

    /// Requests all squares: they are reported with the next frame.
    pub(crate) fn request_placement(&mut self) {
        self.placement_requested = true;
    }

    /// Queues a reading about anything other than the squares.
    pub(crate) fn push_reading(&mut self, reading: Reading) {
        self.readings.push_back(reading);
    }

    /// Returns the next reading.
    pub(crate) fn poll(&mut self) -> Option<Reading> {
        self.readings.pop_front()
    }

    /// Returns the time at which [`FrameVoter::timeout`] must be called.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        (!self.silent).then_some(self.last_frame_at + SILENCE_TIMEOUT)
    }

    /// Reports a silent board when the deadline has passed.
    pub(crate) fn timeout(&mut self, now: Millis) {
        if self.deadline().is_some_and(|at| at <= now) {
            self.silent = true;
            self.unknown = None;
            self.recent.clear();
            let silent_ms = u32::try_from(now.saturating_sub(self.last_frame_at)).unwrap_or(u32::MAX);
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Silent(silent_ms)));
        }
    }

    fn report_changes(&mut self, is_complete: bool) {
        let mut voted = Box::new([SquareState::Empty; 64]);
        for (index, square) in voted.iter_mut().enumerate() {
            // If all frames differ, the square keeps its state.
            *square = self.vote(index).or(self.shown.as_ref().map(|shown| shown[index])).unwrap_or(SquareState::Empty);
        }
        if is_complete {
            self.apply_carried_pieces(&mut voted);
        }
        let placement_requested = std::mem::take(&mut self.placement_requested);
        match self.shown.as_ref().filter(|_| !placement_requested) {
            None => self.readings.push_back(Reading::Placement(voted.clone())),
            Some(shown) => {
                self.readings.extend(changes(shown, &voted));
            }
        }
        self.shown = Some(voted);
    }

    /// Accepts, without a vote, the move of a piece that the last frame shows on another square and no longer on its own.
    fn apply_carried_pieces(&self, voted: &mut Placement) {
        let (Some(shown), Some(last)) = (&self.shown, self.recent.back()) else { return };
        for to in 0..64 {
            let is_new = matches!(last[to], SquareState::Piece(_)) && last[to] != shown[to];
            if let Some(from) = (0..64).find(|&from| is_new && shown[from] == last[to] && last[from] == SquareState::Empty) {
                (voted[to], voted[from]) = (last[to], SquareState::Empty);
            }
        }
    }

    fn vote(&self, index: usize) -> Option<SquareState> {
        let states = || self.recent.iter().map(|frame| frame[index]);
        states().find(|&one| states().filter(|&other| other == one).count() * 2 > self.votes)
    }
}
