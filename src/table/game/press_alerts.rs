//! Alerts about presses of the clock: without a move, before the piece was released, after the result.

use super::TableGame;
use super::draft::AlertDraft;
use super::evidence::expected_reading;
use crate::boards::{Millis, SquareState};
use crate::game::record::PlyState;
use crate::game::{AlertKind, CompletedBy, Text};
use crate::infer::LineNode;
use crate::infer::model::{PRESS_OVERTAKE_WINDOW, SCAN_TIME};
use crate::laws::reason::{PlacedPiece, ReasonArg};
use crate::laws::{Irregularity, RulingFacts, Situation};
use crate::table::Output;
use crate::table::clock::Press;
use shakmaty::Square;

/// A piece that arrives on its square this long after the press was in the hand when the clock was pressed, in milliseconds: clock
/// and squares are reported up to 600 ms apart.
const IN_HAND: Millis = 700;
/// Least confidence, in thousandths, at which the arrival time of a move's piece is reported.
const SURE: u16 = 990;

impl TableGame {
    /// Processes a press of a running clock after the result. If both players press, they are playing on.
    pub(super) fn alert_press_after_end(&mut self, now: Millis, press: Press, output: &mut Output) {
        if self.presses.note_after_end(press) && !self.published.is_raised(AlertKind::PlayedAfterEnd) {
            self.raise(now, AlertDraft::new(AlertKind::PlayedAfterEnd, Text::new("played_after_end")), output);
        }
    }

    /// Alerts the arbiter of a press without a move, once everything that belongs to the press has been seen.
    pub(super) fn alert_idle_press(&mut self, now: Millis, output: &mut Output) {
        let Some(press) = self.presses.take_idle(now) else { return };
        let tip = self.follower.tip();
        let is_still = self.follower.mismatch().is_empty() && self.follower.seen().last_edge() < press.at;
        let quiet = is_still || self.follower.seen().changed_since(tip.made_at.max(press.at)).is_empty();
        let damaged = self.follower.seen().was_damaged(now, crate::infer::model::DAMAGE_WINDOW);
        // After an illegal move the opponent may give the clock back.
        let damaged = damaged || tip.irregular;
        // If moves were identified together after the press, the time of each is unknown.
        let line = self.follower.nodes();
        let later = line.iter().skip_while(|node| node.made_at <= press.at);
        let together = later.clone().zip(later.skip(1)).any(|(one, other)| one.made_at == other.made_at);
        let damaged = damaged || (tip.made_at > press.at && (together || tip.is_reconstructed()));
        if !quiet || !self.follower.mismatch().is_empty() || tip.position.turn() != press.by || self.hold.is_active() || damaged
        {
            return;
        }
        // It may be the press of the player's last move, reported late, or of one that is not published yet.
        if line.len() > self.published.len() + 1 || !self.was_pressed_before(press) {
            return;
        }
        // The press does not belong to the next move.
        self.presses.drop_pending(press.at);
        let irregularity = Irregularity::PressWithoutMove;
        let count = self.published.laws().counts(irregularity).then(|| self.record().tally.count(press.by) + 1);
        let nth = count.unwrap_or(1);
        let facts =
            RulingFacts { nth, moves: self.record().plies.len() as u32 / 2, increment: press.gained, ..RulingFacts::default() };
        let text = Text::new("press_without_move").with("player", press.by);
        let draft = AlertDraft {
            by: Some(press.by),
            situation: Some((Situation::Irregular(irregularity), facts)),
            count,
            evidence: self.touches.seen_between(self.follower.tip().made_at, press.at),
            ..AlertDraft::new(AlertKind::PressWithoutMove, text)
        };
        self.raise(now, draft, output);
    }

    /// Whether the player to move has made no move, or an earlier press was seen to belong to the last one.
    fn was_pressed_before(&self, press: Press) -> bool {
        let Some(ply) = self.record().plies.len().checked_sub(1).filter(|ply| *ply > 0) else { return true };
        let completed = self.record().ply(ply as u32).map(|ply| ply.state);
        let is_own = |node: &LineNode, at: Millis| at + PRESS_OVERTAKE_WINDOW >= node.made_at && at < press.at;
        let node = self.follower.nodes().get(ply);
        let pressed = node.is_some_and(|node| node.pressed_at.is_some_and(|at| is_own(node, at)));
        pressed && matches!(completed, Some(PlyState::Completed { by: CompletedBy::Clock, .. }))
    }

    /// Checks whether the piece of a move completed by a press came to its square much later than the press.
    pub(super) fn judge_release(&mut self, now: Millis, ply: u32, pressed_at: Millis, output: &mut Output) {
        let line = self.follower.nodes();
        let (Some(before), Some(mv)) = (line.get(ply as usize - 1), line.get(ply as usize).and_then(|node| node.mv)) else {
            return;
        };
        let by = before.position.mover(mv);
        // The piece may have been straightened since.
        let moved = before.position.changes(mv).iter().find(|(square, _)| *square == mv.to()).and_then(|(_, piece)| piece);
        let shown = expected_reading(moved, self.follower.seen());
        let sightings = self.touches.sightings().between(before.made_at, now);
        let arrival = sightings.iter().find(|seen| seen.square == mv.to() && seen.now == shown);
        // A piece that is still in the hand is looked for again when squares change.
        self.presses.set_unreleased(ply, mv.to(), pressed_at, arrival.is_none());
        // If the players do not wait for each other, a press may belong to the move before.
        let pressed = |ply: u32| match self.record().ply(ply).map(|ply| ply.state) {
            Some(PlyState::Completed { by: CompletedBy::Clock, at }) => at < pressed_at,
            Some(_) => false,
            None => true,
        };
        // Nothing is judged if this move is uncertain or was reconstructed.
        let is_sure = |ply: u32| {
            let known = self.follower.confidence(ply as usize, now);
            let seen = line.get(ply as usize).is_some_and(|node| !node.is_reconstructed() || node.mv.is_none());
            seen && known.is_none_or(|(confidence, _)| confidence.0 >= SURE)
        };
        let clear = line.len() == ply as usize + 1 && [0, 1, 2].into_iter().all(|back| is_sure(ply.saturating_sub(back)));
        let clear = clear && pressed(ply - 1) && pressed(ply.saturating_sub(2));
        // A piece that was lifted only after the press was not pressed for; and where a piece was removed after it, one may have been
        // there that the board did not show to arrive.
        let emptied = |square: Square, at: Millis| {
            sightings.iter().any(|seen| seen.square == square && seen.now == SquareState::Empty && seen.at > at)
        };
        // Or the opponent has a piece in hand, which may be the one that came.
        let is_other = self.follower.mismatch().any()
            || mv.from().is_some_and(|from| emptied(from, pressed_at))
            || emptied(mv.to(), pressed_at + SCAN_TIME);
        let late = arrival.filter(|seen| seen.at >= pressed_at + IN_HAND && !is_other);
        let Some(late) = late.filter(|_| clear && !self.hold.is_active()) else { return };
        let Some(square) = mv.from() else { return };
        let Some(piece) = before.position.piece_at(square) else { return };
        let placed = PlacedPiece { piece, square };
        let text = Text::new("press_before_release").with("player", by).with("man", ReasonArg::Piece(placed));
        let facts = RulingFacts { moves: ply / 2, ..RulingFacts::default() };
        let draft = AlertDraft {
            by: Some(by),
            squares: vec![square, mv.to()],
            situation: Some((Situation::Irregular(Irregularity::PressBeforeRelease), facts)),
            ply: Some(ply),
            evidence: vec![*late],
            ..AlertDraft::new(AlertKind::PressBeforeRelease, text)
        };
        self.raise(now, draft, output);
    }

    /// Checks again, after a change, whether the piece of a completed move has only now come to its square.
    pub(super) fn judge_late_release(&mut self, now: Millis, output: &mut Output) {
        let same = |&(ply, to, _): &(u32, Square, Millis)| {
            self.follower.nodes().get(ply as usize).is_some_and(|node| node.mv.is_some_and(|mv| mv.to() == to))
        };
        if let Some((ply, _, pressed_at)) = self.presses.take_unreleased(now).filter(same) {
            self.judge_release(now, ply, pressed_at, output);
        }
    }
}
