//! Publishes what is followed: moves, corrections, and results by the rules.

use super::draft::{doubts_moves, has_position_alert, is_about_position};
use super::end::is_end;
use super::{GameContext, TableGame};
use crate::boards::{Millis, SensorKind};
use crate::game::event::{Alternative, ClockTimes};
use crate::game::record::{Ply, PlyState};
use crate::game::{Alert, CompletedBy, Confidence, CorrectionReason, Event, PlayedMove, ResultReason};
use crate::infer::{Follower, LineNode, model};
use crate::laws::edition::Completion;
use crate::table::{Output, Publish};
use shakmaty::Move;

/// The least confidence of a move for `Publish::Sure`: at most one in ten is wrong.
const SURE: Confidence = Confidence(900);

/// When the arbiter was alerted of what the Laws say about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JudgedWhen {
    /// When the move was first published: it is the same move.
    Before,
    /// Now.
    Now,
}

impl TableGame {
    /// Publishes moves that are decided and sure enough and that were not published yet.
    pub(super) fn publish(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        self.publish_when(Some(context.settings.publish), now, context, output);
    }

    /// Publishes all decided moves, however uncertain: nothing more will be seen of them.
    pub(super) fn publish_all(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        self.published.mark_outdated();
        self.publish_when(None, now, context, output);
    }

    /// Publishes decided moves: those that are sure enough for `when`; `None`: all.
    fn publish_when(&mut self, when: Option<Publish>, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let agrees = self.follower.mismatch().is_empty() && self.follower.displaced_squares().is_empty();
        if agrees {
            let raised = has_position_alert(self.record());
            self.clear(now, |alert| is_about_position(alert.kind), output);
            if self.displaced.withdraw() || raised {
                output.emit(now, Event::Displaced { squares: Vec::new() });
            }
        }
        self.publish_faults(now, output);
        if self.published.is_current(self.follower.changes()) {
            self.forget_displaced(agrees);
            return;
        }
        self.publish_decided(when, agrees, now, context, output);
    }

    /// Publishes moves as [`TableGame::publish_when`] does. `agrees`: the board shows the last position.
    #[inline(never)] // its stack frame is large, and most changes of a square decide no move
    fn publish_decided(
        &mut self,
        when: Option<Publish>,
        agrees: bool,
        now: Millis,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        self.published.mark_current(self.follower.changes());
        let line = self.follower.nodes();
        let same =
            self.published.moves().iter().zip(line.iter().skip(1)).take_while(|(mv, node)| Some(**mv) == node.mv).count();
        let mut decided = self.follower.decided();
        if when == Some(Publish::Sure) {
            decided = (same..decided).find(|index| !self.is_sure(index + 1, now)).unwrap_or(decided);
        }
        let doubtful = (same..decided).filter(|_| when == Some(Publish::Prompt)).find_map(|index| {
            let until = self.doubt_ends(index + 1, now, context)?;
            (until > now).then_some((index, until))
        });
        decided = doubtful.map_or(decided, |(index, _)| index);
        self.published.hold_until(doubtful.map(|(_, until)| until));
        if decided < self.follower.decided() {
            self.published.mark_outdated();
        }
        if same < self.published.len() {
            if self.follower.nodes().len() > same + 1 && decided <= same {
                return; // The move that replaces a published move may still become another one.
            }
            let before = self.published.moves().get(same..).unwrap_or_default().to_vec();
            self.correct(now, same, decided, context, output);
            self.alert_rewritten_order(now, same, &before, output);
        } else {
            for index in same..decided {
                self.publish_move(now, index, context, output);
            }
        }
        if !self.alert_reconstructed_moves(now, same, decided, output) {
            self.alert_uncertain_moves(now, same, decided, output);
        }
        self.alert_skipped_placements(now, output);
        self.forget_displaced(agrees);
        self.alert_illegal_alternative(now, output);
    }

    /// Forgets earlier displaced squares once the board agrees with the record and all moves are published.
    fn forget_displaced(&mut self, agrees: bool) {
        if agrees && self.published.len() + 1 == self.follower.nodes().len() {
            self.displaced.note_agreement();
        }
    }

    /// Whether the move of this ply is clearly ahead of all others, or was completed by the clock or by its player's next move.
    fn is_sure(&self, ply: usize, now: Millis) -> bool {
        let line = self.follower.nodes();
        let pressed =
            line.get(ply).is_some_and(|node| node.pressed_at.is_some()) || self.presses.is_pending(self.mover(ply as u32));
        pressed || line.len() > ply + 2 || self.follower.confidence(ply, now).is_some_and(|(confidence, _)| confidence >= SURE)
    }

    /// Returns when a move of this ply that may be wrong has waited for long enough; `None`: it need not wait. Only boards that detect
    /// occupancy leave lines of play in doubt for long. Illegal moves are reported at once, and nothing that follows soon tells which
    /// piece a pawn became.
    fn doubt_ends(&self, ply: usize, now: Millis, context: &GameContext<'_>) -> Option<Millis> {
        let node = self.follower.nodes().get(ply)?;
        if self.follower.seen().sensing() != SensorKind::Occupancy || node.irregular {
            return None;
        }
        let (confidence, others) = self.follower.confidence(ply, now)?;
        let squares = |mv: Move| (mv.from(), mv.to());
        let same_squares = others.iter().filter(|(other, _)| node.mv.map(squares) == Some(squares(*other)));
        let right: u64 = same_squares.map(|(_, share)| u64::from(share.0)).sum::<u64>() + u64::from(confidence.0);
        let wrong = model::cost_of_share(1000u64.saturating_sub(right), 1000);
        let waits = context.patience.wait(wrong, model::DOUBT_HALF_LIFE).min(model::REST_DOUBTED);
        Some(node.made_at + waits)
    }

    fn correct(&mut self, now: Millis, same: usize, decided: usize, context: &GameContext<'_>, output: &mut Output) {
        let moves: Vec<PlayedMove> = (same..decided).filter_map(|index| self.played_move(index)).collect();
        let before = self.record().plies.get(same..).unwrap_or_default().to_vec();
        self.put_on_record(now, same, moves, &before, context, output);
        self.end_if_over(now, decided.saturating_sub(1), context, output);
    }

    /// Replaces the record after the first `same` plies by `moves`. `before`: how the moves that were there, ply by ply, were
    /// completed.
    pub(super) fn put_on_record(
        &mut self,
        now: Millis,
        same: usize,
        moves: Vec<PlayedMove>,
        before: &[Ply],
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let reason = self.follower.reason();
        let decided = same + moves.len();
        if reason != CorrectionReason::Evidence {
            self.rests.forget();
        }
        // What was reported about the same move in the same position still holds.
        let is_unchanged = |plies: &[Ply], index: usize| {
            let pair = |index: usize| Some((&plies.get(index)?.played, moves.get(index)?));
            let is_same_move = pair(index).is_some_and(|(old, new)| old.uci == new.uci);
            let by_arbiter = reason == CorrectionReason::Arbiter;
            let is_same_start =
                || index.checked_sub(1).is_none_or(|last| pair(last).is_some_and(|(old, new)| old.fen == new.fen));
            reason != CorrectionReason::Takeback && is_same_move && (by_arbiter || is_same_start())
        };
        let judge = |index| if is_unchanged(before, index) { JudgedWhen::Before } else { JudgedWhen::Now };
        let judged: Vec<JudgedWhen> = (0..moves.len()).map(judge).collect();
        let known = self.record().plies.get(same..).unwrap_or_default();
        let unchanged: Vec<u32> =
            (0..moves.len()).filter(|&index| is_unchanged(known, index)).map(|index| (same + index) as u32 + 1).collect();
        let nodes = self.follower.nodes().iter().take(decided + 1).skip(same + 1);
        self.published.replace_moves(same, nodes.filter_map(|node| node.mv));
        self.searches.forget_dead();
        self.end.release_result();
        self.presses.forget_after(same, decided > same);
        self.alert_filter.forget_captures_after(same);
        self.record_event(now, Event::MovesCorrected { from_ply: same as u32 + 1, moves, reason }, output);
        self.published.rebuild_history();
        // Uncertainty about moves that are gone is settled, or is reported again.
        let is_obsolete =
            |alert: &Alert| doubts_moves(alert.kind) && alert.ply > same as u32 && !unchanged.contains(&alert.ply);
        self.clear(now, is_obsolete, output);
        let is_takeback = reason == CorrectionReason::Takeback;
        self.forget_alerts(now, same as u32, &unchanged, is_takeback, output);
        if let Some((_, reason @ (ResultReason::Checkmate | ResultReason::Stalemate))) = self.record().result {
            self.record_event(now, Event::Result { result: None, reason }, output);
        }
        self.complete_again(now, same, before, reason, output);
        for (index, judged) in (same..decided).zip(judged) {
            self.handle_published_move(now, index, judged, context, output);
        }
        if reason != CorrectionReason::Arbiter && decided > same {
            self.touches.set_allowed_moves(None);
        }
    }

    /// Completes the moves that replace `before` again, with the clock times of that time.
    fn complete_again(&mut self, now: Millis, same: usize, before: &[Ply], reason: CorrectionReason, output: &mut Output) {
        if !matches!(reason, CorrectionReason::Evidence | CorrectionReason::Arbiter) {
            return; // A move after a takeback is a new move, even if it is the same.
        }
        let uci = |ply: &Ply| ply.played.uci.clone();
        let recorded: Vec<String> = self.record().plies.iter().skip(same).map(uci).collect();
        // A different move counts as completed, too, if the same moves follow it. If it is the last move, its player may just have
        // made it; and if moves before it were missed, the others have different numbers.
        let aligned = (reason == CorrectionReason::Arbiter && recorded.len() == before.len())
            || before.last().map(uci).as_ref() == recorded.get(before.len().saturating_sub(1));
        for (index, ply) in before.iter().enumerate() {
            let number = (same + index) as u32 + 1;
            if let PlyState::Completed { by, .. } = ply.state
                && by != CompletedBy::GameEnd
                && self.published.is_open(number)
                && (aligned || recorded.get(index) == Some(&ply.played.uci))
            {
                self.complete(now, number, by, ply.clocks, output);
            }
        }
    }

    fn publish_move(&mut self, now: Millis, index: usize, context: &GameContext<'_>, output: &mut Output) {
        let (Some(played), Some(node)) = (self.played_move(index), self.follower.nodes().get(index + 1)) else { return };
        let Some(mv) = node.mv else { return };
        let (confidence, alternatives) = confidence_and_alternatives(&self.follower, now, index, node);
        self.published.append(mv, &played.fen);
        self.searches.forget_dead();
        self.end.release_result();
        let ply = index as u32 + 1;
        self.record_event(now, Event::MoveMade { ply, played, confidence, alternatives }, output);
        self.clear(now, is_end, output);
        self.handle_published_move(now, index, JudgedWhen::Now, context, output);
        self.end_if_over(now, index, context, output);
        self.touches.set_allowed_moves(None);
    }

    /// Processes the consequences of a published move.
    fn handle_published_move(
        &mut self,
        now: Millis,
        index: usize,
        judged: JudgedWhen,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let ply = index as u32 + 1;
        let mover = self.mover(ply);
        let next_completes = self.published.laws().completes(Completion::OwnNextMove);
        for earlier in [ply.saturating_sub(2), ply - 1] {
            if next_completes && self.published.is_open(earlier) && self.mover(earlier) == mover {
                let clocks = context.clock.times(now, context.rotation);
                self.complete(now, earlier, CompletedBy::OwnNextMove, clocks, output);
            }
        }
        if ply > 1 && !context.clock.is_in_use() && self.published.is_open(ply - 1) {
            self.complete(now, ply - 1, CompletedBy::Reply, ClockTimes::default(), output);
        }
        let is_missing = self.record().ply(ply).is_some_and(|ply| ply.played.is_missing());
        if !is_missing
            && let Some(press) = self.presses.take_pending(mover)
            && self.published.is_open(ply)
            && self.published.laws().completes(Completion::Press)
        {
            let clocks = with_age(press.clocks, now.saturating_sub(press.at));
            self.complete(now, ply, CompletedBy::Clock, clocks, output);
            self.presses.note_completed(ply, press.at);
            self.judge_release(now, ply, press.at, output);
        }
        match judged {
            JudgedWhen::Now => self.judge_move(now, index, output),
            JudgedWhen::Before if index + 1 == self.published.len() => self.judge_position(now, output),
            JudgedWhen::Before => {}
        }
    }

    /// Returns the move from node `index` to the next one, as published.
    pub(super) fn played_move(&self, index: usize) -> Option<PlayedMove> {
        let before = &self.follower.nodes().get(index)?.position;
        let node = self.follower.nodes().get(index + 1)?;
        let mv = node.mv?;
        let (uci, irregular) = (before.uci(mv), node.irregular);
        let evidence = if irregular { self.evidence(index, &uci) } else { Vec::new() };
        Some(PlayedMove { uci, san: before.san(mv), fen: node.position.fen(), irregular, evidence })
    }
}

/// Returns the same clock times with their age increased by `by` milliseconds.
fn with_age(clocks: ClockTimes, elapsed: Millis) -> ClockTimes {
    let elapsed = u32::try_from(elapsed).unwrap_or(u32::MAX);
    let age = |time: Option<crate::game::ClockTime>| {
        time.map(|time| crate::game::ClockTime { age_ms: time.age_ms.saturating_add(elapsed), ..time })
    };
    ClockTimes { white: age(clocks.white), black: age(clocks.black) }
}

/// Returns the confidence of a move, and the moves that may have been made instead. `node`: the position after it, whose index in
/// the line is `index + 1`.
fn confidence_and_alternatives(
    follower: &Follower,
    now: Millis,
    index: usize,
    node: &LineNode,
) -> (Confidence, Vec<Alternative>) {
    let (confidence, mut others) = follower.confidence(index + 1, now).unwrap_or((Confidence::CERTAIN, Vec::new()));
    if others.is_empty() && confidence.0 < 990 {
        let share = Confidence((1000 - confidence.0) / (node.growth.moves.len().max(1) as u16));
        others.extend(node.growth.moves.iter().map(|&other| (other, share)));
    }
    let before = follower.nodes().get(index).map(|node| &node.position).filter(|_| !others.is_empty());
    let alternatives = before.map_or_else(Vec::new, |before| {
        // Lines that parted earlier have moves that are not legal here.
        let legal = before.legal_moves();
        let instead = node.illegal_alternative.map(|instead| instead.mv);
        let possible = others.iter().filter(|(other, _)| legal.contains(other) || instead == Some(*other));
        possible.map(|&(other, confidence)| Alternative { uci: before.uci(other), confidence }).collect()
    });
    (confidence, alternatives)
}
