//! Placements at rest after a gap. A board that reports only whether a square is occupied shows the same for many games, so the
//! moves missed in a gap may be reconstructed wrongly. The right game has each placement at rest as a position, or between one
//! position and the next, such as castling before the rook has moved. A record that lacks one is wrong.

use super::TableGame;
use crate::boards::{Millis, SensorKind};
use crate::game::Alert;
use crate::infer::LineNode;
use crate::table::Output;
use shakmaty::Bitboard;
use std::collections::VecDeque;
use std::sync::Arc;

/// A board is at rest when nothing has changed for this long, in milliseconds.
const REST: Millis = 1_500;
/// The number of most recent rests that are kept.
const MAX_RESTS: usize = 6;

/// A rest is searched for in this many positions before the first move after it, and in all later ones.
const LOOKBACK_PLIES: usize = 8;
/// How many plies after a gap may have been reconstructed wrongly because of it.
const PLIES: usize = 12;

/// A time without a change.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// When it ended.
    until: Millis,
    /// The occupied squares.
    occupied: Bitboard,
}

impl Rest {
    /// Whether the rest shows one of two positions with pieces on these squares, or a state between them: up to two pieces may have
    /// been in the hands.
    fn is_between(&self, one: Bitboard, other: Bitboard, hidden: Bitboard) -> bool {
        let rest = self.occupied & !hidden;
        (one | other).is_superset(rest) && (one & other & !hidden & !rest).count() <= 2
    }
}

/// The last rests after a gap.
#[derive(Clone, Debug, Default)]
pub(super) struct Rests {
    /// How many plies were on record at the gap; `None`: there was no gap.
    since: Option<usize>,
    /// When the board was seen again.
    seen_at: Millis,
    /// Oldest first.
    last: VecDeque<Rest>,
}

impl Rests {
    /// Records a rest that ends at `now` because a square changes. `since`: the last change before. `occupied`: the squares
    /// occupied in between.
    fn note(&mut self, now: Millis, since: Millis, occupied: Bitboard) {
        if now <= self.seen_at || now < since + REST || self.last.back().is_some_and(|last| last.occupied == occupied) {
            return;
        }
        if self.last.len() == MAX_RESTS {
            self.last.pop_front();
        }
        self.last.push_back(Rest { until: now, occupied });
    }

    /// Records that the board was seen again after a gap, with this many plies on record.
    pub(super) fn begin(&mut self, now: Millis, plies: usize) {
        self.since = self.since.filter(|since| plies <= since + PLIES).or(Some(plies));
        self.seen_at = now;
    }

    /// Discards earlier rests: the record was changed, or the arbiter knows of them.
    pub(super) fn forget(&mut self) {
        self.last.clear();
    }

    /// Whether there was a gap a few plies before this one.
    fn follow_gap(&self, plies: usize) -> bool {
        self.since.is_some_and(|since| plies <= since + PLIES)
    }

    /// Whether one of these alerts says that moves since the gap are uncertain.
    fn is_gap_alerted(&self, alerts: &[Alert]) -> bool {
        const KEYS: [&str; 3] = ["uncertain_order", "uncertain_rest", "moves_missing"];
        let since = self.since.unwrap_or(0) as u32;
        alerts.iter().any(|alert| alert.ply > since && KEYS.contains(&alert.text.key.as_str()))
    }

    /// Returns the first node of this line after a rest that the line lacks. `hidden`: squares that are not compared.
    fn find_skipped(&self, line: &[Arc<LineNode>], hidden: Bitboard) -> Option<usize> {
        let skipped_by = |rest: &Rest| {
            let next = line.iter().position(|node| node.mv.is_some() && node.made_at > rest.until)?;
            let occupied = |node: &LineNode| node.position.board().occupied();
            let mut pairs = line.get(next.saturating_sub(LOOKBACK_PLIES)..)?.windows(2);
            let is_shown =
                pairs.any(|pair| matches!(pair, [one, other] if rest.is_between(occupied(one), occupied(other), hidden)));
            (!is_shown).then_some(next)
        };
        self.last.iter().find_map(skipped_by)
    }
}

impl TableGame {
    /// Whether there was a gap a few plies ago on a board that does not identify pieces.
    pub(super) fn follows_gap_blindly(&self) -> bool {
        self.rests.follow_gap(self.published.len()) && self.follower.seen().sensing() == SensorKind::Occupancy
    }

    /// Whether the arbiter was alerted that moves since the gap are uncertain.
    pub(super) fn is_gap_alerted(&self) -> bool {
        self.rests.is_gap_alerted(&self.record().alerts)
    }

    /// Records the rest that ends now, before a square changes.
    pub(super) fn note_rest(&mut self, now: Millis) {
        if self.follows_gap_blindly() && !self.hold.is_active() {
            let seen = self.follower.seen();
            self.rests.note(now, seen.last_edge(), seen.occupied());
        }
    }

    /// Alerts the arbiter if the record has moves after a rest but lacks that rest: other moves were played.
    pub(super) fn alert_skipped_placements(&mut self, now: Millis, output: &mut Output) {
        let hidden = self.follower.ignored_squares() | self.follower.seen().excused();
        let line = self.follower.nodes();
        let line = line.get(..=self.published.len()).unwrap_or(line);
        let Some(ply) = self.rests.find_skipped(line, hidden).filter(|_| !self.is_gap_alerted()) else { return };
        self.raise_plies(now, "uncertain_rest", ply.saturating_sub(1), 1, output);
    }
}
