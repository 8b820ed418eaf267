//! Alerts that the board does not show the position of the record, and when they must wait.

use super::disorder::{differences, is_put_away};
use super::draft::{AlertDraft, has_position_alert, is_about_position};
use super::presses::PRESS_SETTLE_TIME;
use super::{GameContext, TableGame};
use crate::boards::Millis;
use crate::game::{AlertKind, Event, Text};
use crate::infer::model::MAX_KING_DELAY;
use crate::laws::reason::IllegalReason;
use crate::laws::{Irregularity, Occasion, RulingFacts, Situation, Stage};
use crate::table::Output;
use crate::table::clock::Press;
use crate::table::unrecorded::POSITION_REST_TIME;
use shakmaty::{Bitboard, Move};

/// Time for which the board may be unexplained before the arbiter is alerted, in milliseconds: longer than a piece is put aside to
/// be adjusted.
pub(crate) const UNEXPLAINED: Millis = 3_000;
/// The same where pieces in the hands of the player to move explain what is seen, in milliseconds.
pub(crate) const UNEXPLAINED_LONG: Millis = 30_000;
/// How long the board may be in disorder while pieces are put away, in milliseconds.
pub(crate) const DISORDER_TIMEOUT: Millis = 60_000;
impl TableGame {
    /// Alerts the arbiter if the board, quiet for `quiet` milliseconds, has not shown the position of the record for too long.
    pub(super) fn alert_unexplained(&mut self, now: Millis, quiet: Millis, context: &GameContext<'_>, output: &mut Output) {
        // Pieces in the hands explain a lot, but only for a limited time, and not after their player has pressed the clock.
        let seen = self.follower.seen();
        let on_move = self.follower.tip().position.turn();
        let is_in_vain = |press: Press| press.by == on_move && press.at > seen.last_edge() && now >= press.at + UNEXPLAINED;
        let pressed = self.presses.last().is_some_and(is_in_vain);
        // Pieces that are missing since a gap or a damaged message may have moved in the meantime.
        let threshold = if self.board.has_agreed() { UNEXPLAINED_LONG } else { POSITION_REST_TIME };
        let wrong = if quiet < threshold && !pressed { self.follower.unexplained() } else { self.follower.mismatch() };
        let wrong = wrong | self.follower.displaced_squares();
        let has_begun = !self.published.is_empty() || context.clock.is_in_use();
        if quiet < UNEXPLAINED
            || wrong.is_empty()
            || !has_begun
            || self.record().result.is_some()
            || self.is_over_but_for_notices()
        {
            return;
        }
        // While the clock is stopped the kings may stay longer, and the board may soon be cleared.
        let kings_wait =
            if self.hold.is_active() && self.follower.kings_unclear().is_some() { UNEXPLAINED } else { MAX_KING_DELAY };
        if self.follower.king_strays() && quiet < kings_wait {
            return;
        }
        let raised = has_position_alert(self.record());
        if self.alert_kings_unclear(now, context, output) || self.hold.is_active() || self.displaced.published() == wrong {
            return;
        }
        if is_put_away(&self.follower, wrong) && quiet < DISORDER_TIMEOUT {
            return;
        }
        let draft = self.position_alert(wrong);
        // The clock may be stopped to fetch the piece for a promotion (6.11.2).
        let promotes = draft.situation.is_some_and(|(situation, _)| situation == Situation::Irregular(Irregularity::PawnLeft));
        if promotes && context.clock.is_stopped() {
            return;
        }
        let squares = differences(&self.follower, wrong);
        self.displaced.publish(wrong);
        output.emit(now, Event::Displaced { squares });
        if raised && self.published.is_raised(draft.kind) {
            return;
        }
        self.clear(now, |alert| is_about_position(alert.kind), output);
        self.raise(now, draft, output);
    }

    /// Builds the alert that the board does not show the position of the record.
    pub(super) fn position_alert(&self, wrong: Bitboard) -> AlertDraft {
        let seen = self.follower.seen();
        let position = &self.follower.tip().position;
        let differences = differences(&self.follower, wrong);
        let squares: Vec<_> = wrong.into_iter().collect();
        let evidence = self.evidence_between(self.follower.tip(), wrong);
        if let Some((mv, reason)) = self.follower.stray_move()
            && position.changes(mv).iter().any(|(square, _)| wrong.contains(square))
        {
            let by = position.mover(mv);
            let reason = self.with_history(self.follower.nodes().len().saturating_sub(1), mv, reason);
            if let IllegalReason::CastlingUnfinished { rook } = reason
                && let Some(king) = mv.from().filter(|&king| position.is_legal(Move::Castle { king, rook }))
            {
                let text = Text::new("castling_begun").with("player", by).with("on", mv.to()).with("rook", rook);
                let facts = RulingFacts { stage: Stage::Pending, ..RulingFacts::default() };
                let situation = Some((Situation::Occasion(Occasion::CastlingBegun), facts));
                let allowed = vec![position.uci(Move::Castle { king, rook })];
                return AlertDraft {
                    by: Some(by),
                    squares,
                    situation,
                    allowed,
                    evidence,
                    ..AlertDraft::new(AlertKind::PositionUnexplained, text)
                };
            }
            let text = Text::new("illegal_pending").with("player", by).with("san", position.san(mv));
            let text = text.with("reason", Text::from(&reason));
            let facts = RulingFacts { stage: Stage::Pending, ..self.facts(self.published.len(), &reason, None) };
            let situation = Some((Situation::Irregular(reason.irregularity()), facts));
            return AlertDraft {
                by: Some(by),
                squares,
                situation,
                evidence,
                ..AlertDraft::new(AlertKind::IllegalPending, text)
            };
        }
        let found = |kind, irregularity, text: Text| AlertDraft {
            squares: squares.clone(),
            situation: Some((Situation::Irregular(irregularity), RulingFacts::default())),
            evidence: evidence.clone(),
            ..AlertDraft::new(kind, text.with("differences", differences.clone()))
        };
        let last_changed = wrong.into_iter().map(|square| seen.changed_at(square)).max().unwrap_or(0);
        if wrong.intersects(self.follower.displaced_squares())
            || last_changed < self.follower.tip().made_at.saturating_sub(PRESS_SETTLE_TIME)
        {
            return found(AlertKind::DisplacedFound, Irregularity::DisplacedFound, Text::new("displaced_found"));
        }
        let captured = self.published.moves().last().and_then(|mv| {
            let before = self.follower.nodes().get(self.published.len().checked_sub(1)?)?;
            let square = if mv.is_en_passant() { return None } else { mv.to() };
            before.position.piece_at(square).filter(|_| mv.is_capture()).map(|piece| (square, piece))
        });
        if let (Some((square, piece)), [one]) = (captured, squares.as_slice())
            && square.distance(*one) == 1
            && position.piece_at(*one).is_none()
            && seen.is_compatible(*one, Some(piece))
        {
            let by = !position.turn();
            let text = Text::new("capture_unclear").with("player", by);
            return AlertDraft { by: Some(by), ..found(AlertKind::CaptureUnclear, Irregularity::CaptureUnclear, text) };
        }
        // A press may be reported before something that was seen before it.
        match self.presses.last().filter(|press| last_changed <= press.at + PRESS_SETTLE_TIME / 2) {
            Some(press) => {
                let text = Text::new("displaced").with("player", press.by);
                AlertDraft { by: Some(press.by), ..found(AlertKind::Displaced, Irregularity::Displaced, text) }
            }
            None => AlertDraft {
                squares: squares.clone(),
                evidence: evidence.clone(),
                ..AlertDraft::new(AlertKind::PositionUnexplained, Text::new("unexplained").with("differences", differences))
            },
        }
    }
}
