//! What truly happened on the board at one ply.

use super::Case;
use crate::boards::{Millis, Reading, SquareState};
use crate::game::words::words;
use crate::infer::model::SCAN_TIME;
use crate::lab::bound;
use crate::laws::{Changes, Position};
use crate::simulate::act::Act;
use serde::Serialize;
use shakmaty::{Bitboard, Square};

/// Number of times that a square reads empty without having been lifted from which it counts as flickering.
const MIN_GAPS: usize = 3;

/// What truly happened on the board at one ply. Where several apply, the first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Circumstance {
    /// The game was over.
    AfterTheEnd,
    /// The move, or the reply, came from or to a stuck or flickering square.
    FaultySquare,
    /// A promotion.
    Promotion,
    /// Castling.
    Castling,
    /// The mover, or the replier, touched a piece before the other's was on its square.
    Overlap,
    /// The ply before or after was done within one scan of the board.
    SameScan,
    /// The mover or the replier touched a piece before the other pressed the clock.
    EarlyReply,
    /// The piece stopped on its way.
    Stop,
    /// A capture whose victim's square was never seen empty.
    SilentCapture,
    /// Another capture.
    Capture,
    /// Another piece was touched, or another square brushed.
    StrayTouch,
    /// None of these.
    Plain,
}

words! { Circumstance {
    AfterTheEnd = "after_the_end", FaultySquare = "faulty_square", Promotion = "promotion", Castling = "castling",
    Overlap = "overlap", SameScan = "same_scan", EarlyReply = "early_reply", Stop = "stop",
    SilentCapture = "silent_capture", Capture = "capture", StrayTouch = "stray_touch", Plain = "plain",
} }

impl Case<'_> {
    /// Returns what truly happened at this ply, counted from 1.
    pub(super) fn circumstance(&self, ply: usize) -> Circumstance {
        let truth = &self.script.truth;
        let Some(index) = ply.checked_sub(1) else { return Circumstance::Plain };
        let (Some(this), Some(&mv)) = (truth.plies.get(index), self.moves.get(index)) else { return Circumstance::Plain };
        let before = index.checked_sub(1).and_then(|before| truth.plies.get(before));
        let after = truth.plies.get(index + 1);
        let pairs = || before.map(|before| (before, this)).into_iter().chain(after.map(|after| (this, after)));
        let squares = self.changed_squares();
        let changed_at = |index: usize| squares.get(index).copied().unwrap_or_default();
        let seen_empty = || bound::seen_empty(&self.game.start, self.moves, self.script, self.readings, self.options.rotation);
        let is_silent = || seen_empty().get(index).is_some_and(|seen| !seen.contains(mv.to()));
        let is_stray = |act: Act| match act {
            Act::Lift(square) | Act::Put(square, _) => !(changed_at(index) | changed_at(index + 1)).contains(square),
            _ => false,
        };
        let near = this.touched_at.saturating_sub(SCAN_TIME)..=this.done_at + SCAN_TIME;
        match () {
            () if ((changed_at(index) | changed_at(index + 1)) & self.faulty_squares()).any() => Circumstance::FaultySquare,
            () if mv.is_promotion() => Circumstance::Promotion,
            () if mv.is_castle() => Circumstance::Castling,
            () if pairs().any(|(one, other)| other.touched_at <= one.done_at) => Circumstance::Overlap,
            () if pairs().any(|(one, other)| other.done_at.saturating_sub(one.done_at) <= SCAN_TIME) => Circumstance::SameScan,
            () if pairs().any(|(one, other)| one.pressed_at.is_some_and(|at| other.touched_at <= at)) => {
                Circumstance::EarlyReply
            }
            () if this.stop_ms > 0 => Circumstance::Stop,
            () if mv.is_capture() && is_silent() => Circumstance::SilentCapture,
            () if mv.is_capture() => Circumstance::Capture,
            () if self.script.actions.iter().any(|action| near.contains(&action.at) && is_stray(action.act)) => {
                Circumstance::StrayTouch
            }
            () => Circumstance::Plain,
        }
    }

    /// Returns the squares that each ply changes.
    fn changed_squares(&self) -> Vec<Bitboard> {
        let mut position: Position = self.game.start.clone();
        let changed = self.moves.iter().map(|&mv| {
            let squares = Changes::of(position.turn(), mv).iter().map(|(square, _)| square).collect();
            position = position.play(mv);
            squares
        });
        changed.collect()
    }

    /// Returns the squares that flickered or never changed, although pieces were moved from or to them.
    fn faulty_squares(&self) -> Bitboard {
        let over_at = self.script.truth.over_at;
        let is_faulty = |square: &Square| {
            let lifted = self.script.actions.iter().filter(|action| action.at <= over_at && action.act == Act::Lift(*square));
            let is_put = |act: Act| matches!(act, Act::Put(to, _) if to == *square);
            let handled = self.script.actions.iter().any(|action| action.at <= over_at && is_put(action.act));
            let reports = |state: fn(&SquareState) -> bool| {
                let is_report = |(at, reading): &&(Millis, Reading)| {
                    *at <= over_at
                        && matches!(reading, Reading::Square(known, found)
                            if self.options.rotation.apply(*known) == *square && state(found))
                };
                self.readings.iter().filter(is_report).count()
            };
            let lifts = lifted.count();
            reports(|found| *found == SquareState::Empty) >= lifts + MIN_GAPS
                || ((handled || lifts > 0) && reports(|_| true) == 0)
        };
        Square::ALL.into_iter().filter(is_faulty).collect()
    }
}
