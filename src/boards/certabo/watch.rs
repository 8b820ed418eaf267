//! What the squares show, by a vote over frames; and whether frames come at all.

use crate::boards::{Millis, Placement, Reading, Sensed, Trouble};
use shakmaty::Square;
use std::collections::VecDeque;

/// Without a frame for so long the board counts as silent: it sends several a second. Milliseconds.
pub const SILENT: Millis = 5_000;
/// Pieces that are not known after so long are said not to be: the start position is learned sooner. Milliseconds.
pub const UNKNOWN: Millis = 4_000;

/// The squares of a board that sends all of them again and again.
pub(in crate::boards) struct Watch {
    /// A square shows what more than half of the last so many frames say of it.
    votes: usize,
    /// The last frame, or else the moment the link came up.
    heard_at: Millis,
    silent: bool,
    /// When frames began to come whose pieces are not known; `Some(None)`: that was said.
    unknown: Option<Option<Millis>>,
    /// The last frames, oldest first.
    recent: VecDeque<Box<Placement>>,
    /// What was passed on; `None`: nothing since the link came up or the board was silent.
    shown: Option<Box<Placement>>,
    /// All squares are asked for.
    wanted: bool,
    readings: VecDeque<Reading>,
}

impl Watch {
    /// Every square by so many votes: an odd number.
    pub fn new(votes: usize) -> Watch {
        Watch {
            votes,
            heard_at: 0,
            silent: false,
            unknown: None,
            recent: VecDeque::new(),
            shown: None,
            wanted: false,
            readings: VecDeque::new(),
        }
    }

    /// The link came up or went down: what is on the squares is no longer known.
    pub fn forget(&mut self, now: Millis) {
        let readings = std::mem::take(&mut self.readings);
        *self = Watch { heard_at: now, readings, ..Watch::new(self.votes) };
    }

    /// A frame came that needs no vote.
    pub fn certain(&mut self, now: Millis, squares: Box<Placement>) {
        self.recent.clear();
        self.recent.extend(std::iter::repeat_n(squares.clone(), self.votes - 1));
        self.frame(now, Some(squares), true);
    }

    /// A frame came; what it says of the squares, where that is known. `whole`: all of them were read.
    pub fn frame(&mut self, now: Millis, squares: Option<Box<Placement>>, whole: bool) {
        self.heard_at = now;
        if std::mem::take(&mut self.silent) {
            self.readings.push_back(Reading::Trouble(Trouble::Answering));
            self.shown = None;
        }
        let Some(squares) = squares else { return self.unknown(now) };
        self.unknown = None;
        if self.recent.len() == self.votes {
            self.recent.pop_front();
        }
        self.recent.push_back(squares);
        if self.recent.len() == self.votes {
            self.tell(whole);
        }
    }

    fn unknown(&mut self, now: Millis) {
        let since = self.unknown.get_or_insert(Some(now));
        if since.is_some_and(|since| since + UNKNOWN <= now) {
            *since = None;
            self.readings.push_back(Reading::Trouble(Trouble::Uncalibrated));
        }
    }

    /// This stood on the board before the frame that came last: what is known of the pieces has changed.
    pub fn restart(&mut self, squares: Box<Placement>) {
        self.recent.clear();
        self.recent.extend(std::iter::repeat_n(squares.clone(), self.votes));
        self.readings.push_back(Reading::Placement(squares.clone()));
        self.shown = Some(squares);
    }

    /// All squares are asked for: they are told with the next frame.
    pub fn want(&mut self) {
        self.wanted = true;
    }

    /// Something besides the squares.
    pub fn say(&mut self, reading: Reading) {
        self.readings.push_back(reading);
    }

    /// What there is to say.
    pub fn poll(&mut self) -> Option<Reading> {
        self.readings.pop_front()
    }

    /// When [`Watch::timeout`] wants to be called.
    pub fn deadline(&self) -> Option<Millis> {
        (!self.silent).then_some(self.heard_at + SILENT)
    }

    /// Says that nothing comes, if so.
    pub fn timeout(&mut self, now: Millis) {
        if self.deadline().is_some_and(|at| at <= now) {
            self.silent = true;
            self.unknown = None;
            self.recent.clear();
            let quiet = u32::try_from(now.saturating_sub(self.heard_at)).unwrap_or(u32::MAX);
            self.readings.push_back(Reading::Trouble(Trouble::Silent(quiet)));
        }
    }

    fn tell(&mut self, whole: bool) {
        let mut voted = Box::new([Sensed::Empty; 64]);
        for (index, square) in voted.iter_mut().enumerate() {
            // Where all frames differ it is what it was.
            *square = self.vote(index).or(self.shown.as_ref().map(|shown| shown[index])).unwrap_or(Sensed::Empty);
        }
        if whole {
            self.carry(&mut voted);
        }
        let wanted = std::mem::take(&mut self.wanted);
        match self.shown.as_mut().filter(|_| !wanted) {
            None => self.readings.push_back(Reading::Placement(voted.clone())),
            Some(shown) => {
                // What one frame tells at once is told in the order in which hands do it: lifted first.
                let changed = || Square::ALL.into_iter().filter(|&square| shown[square as usize] != voted[square as usize]);
                let (lifted, put): (Vec<_>, Vec<_>) = changed().partition(|&square| voted[square as usize] == Sensed::Empty);
                let told = lifted.into_iter().chain(put);
                self.readings.extend(told.map(|square| Reading::Square(square, voted[square as usize])));
            }
        }
        self.shown = Some(voted);
    }

    /// A piece that the last frame shows on another square, and no more where it stood, has been carried there: no vote is needed.
    fn carry(&self, voted: &mut Placement) {
        let (Some(shown), Some(last)) = (&self.shown, self.recent.back()) else { return };
        for to in 0..64 {
            let is_new = matches!(last[to], Sensed::Piece(_)) && last[to] != shown[to];
            if let Some(from) = (0..64).find(|&from| is_new && shown[from] == last[to] && last[from] == Sensed::Empty) {
                (voted[to], voted[from]) = (last[to], Sensed::Empty);
            }
        }
    }

    fn vote(&self, index: usize) -> Option<Sensed> {
        let said = || self.recent.iter().map(|frame| frame[index]);
        said().find(|&one| said().filter(|&other| other == one).count() * 2 > self.votes)
    }
}
