//! The end of the game by the position on the board, and what can delay it: the end counts only if the move that led to the
//! position was made according to Articles 3 and 4 (5.1.1, 5.2.1, 5.2.2).

use super::draft::AlertDraft;
use super::published::PublishedGame;
use super::{GameContext, TableGame};
use crate::boards::{BoardCommand, Millis};
use crate::game::{Alert, AlertKind, CompletedBy, Event, GameResult, ResultReason, StampedEvent, Text};
use crate::laws::edition::Completion;
use crate::laws::{Ending, Occasion, RulingAction, RulingFacts, Situation};
use crate::table::Output;
use shakmaty::Color;

/// Quiet during which a game that ended by the rules still accepts corrections, in milliseconds.
pub(super) const CLOSING_QUIET: Millis = 1_000;
/// The longest time that an end of the game waits for a notice about touched pieces, in milliseconds.
const NOTICE_TIMEOUT: Millis = 60_000;
/// The text key of an end that waits.
const WAITS: &str = "end_waits";
/// The text key of a result that is on record although a notice about its move is open.
const UNCONFIRMED: &str = "end_unconfirmed";

/// Whether the game has ended.
#[derive(Clone, Default)]
pub(super) struct GameEnd {
    /// The game has a result, and the board is no longer followed.
    is_over: bool,
    /// The last position ends the game, and the result waits for a ruling on the move that led there.
    is_result_held: bool,
}

impl GameEnd {
    /// Creates the end of a game. `is_over`: it has a result.
    pub(super) fn new(is_over: bool) -> GameEnd {
        GameEnd { is_over, is_result_held: false }
    }

    /// Whether the game has a result and the board is no longer followed.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Sets whether the board is no longer followed.
    pub(super) fn set_over(&mut self, is_over: bool) {
        self.is_over = is_over;
    }

    /// Follows the board again unless the game has a result.
    pub(super) fn reopen_unless(&mut self, has_result: bool) {
        self.is_over = self.is_over && has_result;
    }

    /// Whether a result by the last position waits for a ruling.
    pub(super) fn is_result_held(&self) -> bool {
        self.is_result_held
    }

    /// Holds the result back.
    pub(super) fn hold_result(&mut self) {
        self.is_result_held = true;
    }

    /// Records that no result is held back any more.
    pub(super) fn release_result(&mut self) {
        self.is_result_held = false;
    }
}

impl TableGame {
    /// Checks for the end of the game after the move of this index came on record. Publishes the result, or holds it back.
    pub(super) fn end_if_over(&mut self, now: Millis, index: usize, context: &GameContext<'_>, output: &mut Output) {
        let ply = index as u32 + 1;
        let is_missing = self.record().ply(ply).is_some_and(|ply| ply.played.is_missing());
        if self.record().result.is_some() || is_missing || self.published.end_after(ply).is_none() {
            return;
        }
        match self.waits_for(now, ply) {
            None => self.publish_end(now, ply, context, output),
            Some(reason) if ply as usize == self.record().plies.len() => {
                self.end.hold_result();
                self.raise_end_alert(now, ply, WAITS, reason, output);
            }
            Some(_) => {}
        }
    }

    /// Whether the last move ends the game and no ruling is required first. What is done on the board now belongs to no move.
    pub(super) fn is_over_but_for_notices(&self) -> bool {
        self.end.is_result_held() && self.published.open_ruling(self.record().plies.len() as u32).is_none()
    }

    /// Publishes a held-back end of the game once nothing delays it any more.
    pub(super) fn settle_end(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if !self.end.is_result_held() && !self.record().alerts.iter().any(is_end) {
            return;
        }
        let ply = self.record().plies.len() as u32;
        if self.record().result.is_none() && self.waits_for(now, ply).is_none() {
            let waited = self.record().alerts.iter().any(is_waiting);
            self.clear(now, is_waiting, output);
            if self.end.is_result_held() {
                self.publish_end(now, ply, context, output);
                let made_at = self.record().ply(ply).map_or(now, |ply| ply.made_at);
                if self.record().result.is_some() && now >= made_at + CLOSING_QUIET {
                    self.end.set_over(true);
                }
                if let Some(reason) = self.open_notice(ply) {
                    self.raise_end_alert(now, ply, UNCONFIRMED, reason, output);
                }
            } else if waited {
                self.judge_position(now, output);
                self.judge_dead(now, output);
            }
        }
        if self.record().result.is_some() && self.open_notice(ply).is_none() {
            self.clear(now, |alert| alert.text.key == UNCONFIRMED, output);
        }
    }

    /// Whether the game ended by the position on the board, but the ruling that allowed this was undone.
    pub(super) fn is_unsettled(&self, now: Millis) -> bool {
        let by_position = matches!(self.record().result, Some((_, ResultReason::Checkmate | ResultReason::Stalemate)));
        by_position && self.waits_for(now, self.record().plies.len() as u32).is_some()
    }

    /// Withdraws the result by the position on the board; the end waits again.
    pub(super) fn unsettle_end(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let reason = self.record().result.map_or(ResultReason::Arbiter, |(_, reason)| reason);
        self.clear(now, is_end, output);
        self.record_event(now, Event::Result { result: None, reason }, output);
        self.end.set_over(false);
        self.end_if_over(now, self.record().plies.len().saturating_sub(1), context, output);
    }

    /// Leaves the game because another one begins on the board. An end that waits only for a notice about touched pieces is
    /// published, and searches end.
    pub(crate) fn finish(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let ply = self.record().plies.len() as u32;
        if self.end.is_result_held() && self.published.open_ruling(ply).is_none() {
            self.clear(now, is_waiting, output);
            self.publish_end(now, ply, context, output);
        }
        self.end_searches(now, output);
    }

    /// Leaves the game because the pieces were set up for another one, and alerts the arbiter if it was played and has no result.
    pub(crate) fn report_missing_result(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        self.finish(now, context, output);
        if self.record().result.is_none() && !self.record().plies.is_empty() {
            self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
            self.raise(now, AlertDraft::new(AlertKind::ResultMissing, Text::new("result_missing")), output);
        }
    }

    /// Returns when an end of the game stops waiting for a notice about touched pieces; `None`: no end waits, or it waits for a
    /// ruling.
    pub(super) fn end_deadline(&self) -> Option<Millis> {
        let waits = self.end.is_result_held() || self.record().alerts.iter().any(is_waiting);
        let ply = self.record().plies.len() as u32;
        let waits = waits && self.record().result.is_none() && self.published.open_ruling(ply).is_none();
        self.record().ply(ply).filter(|_| waits).map(|ply| ply.made_at + NOTICE_TIMEOUT)
    }

    /// Returns what an end of the game by the move of this ply waits for; `None`: nothing.
    pub(super) fn waits_for(&self, now: Millis, ply: u32) -> Option<Text> {
        let made_at = self.record().ply(ply)?.made_at;
        self.published.open_ruling(ply).or_else(|| self.open_notice(ply).filter(|_| now < made_at + NOTICE_TIMEOUT))
    }

    /// Returns the open notice that the touched pieces do not allow the move of this ply, while it can still be claimed.
    fn open_notice(&self, ply: u32) -> Option<Text> {
        use AlertKind::{PossibleTouch, PromotionChanged, ReleaseChanged, TouchMove};
        let notices = [TouchMove, PossibleTouch, ReleaseChanged, PromotionChanged];
        let is_open = |alert: &&Alert| {
            alert.ply == ply && notices.contains(&alert.kind) && !alert.required.contains(&RulingAction::Stands)
        };
        let notice = self.record().alerts.iter().find(is_open)?;
        Some(Text::new("waits-notice").with("player", notice.by.unwrap_or_else(|| self.mover(ply))))
    }

    /// Publishes the result of a game that begins in checkmate or stalemate.
    pub(super) fn end_at_start(&mut self, now: Millis, output: &mut Output) {
        if let Some((ending, result)) = self.published.end_after(0) {
            self.publish_result(now, ending, result, output);
        }
    }

    /// Publishes that the game has ended with the move of this ply.
    fn publish_end(&mut self, now: Millis, ply: u32, context: &GameContext<'_>, output: &mut Output) {
        self.end.release_result();
        let Some((ending, result)) = self.published.end_after(ply) else { return };
        if self.published.is_open(ply) && self.published.laws().completes(Completion::EndsGame) {
            self.complete(now, ply, CompletedBy::GameEnd, context.clock.times(now, context.rotation), output);
        }
        self.publish_result(now, ending, result, output);
        output.commands.push(BoardCommand::Placement);
    }

    fn publish_result(&mut self, now: Millis, ending: Ending, result: GameResult, output: &mut Output) {
        let reason = match ending {
            Ending::Checkmate => ResultReason::Checkmate,
            Ending::Stalemate => ResultReason::Stalemate,
        };
        self.record_event(now, Event::Result { result: Some(result), reason }, output);
    }

    fn raise_end_alert(&mut self, now: Millis, ply: u32, key: &str, reason: Text, output: &mut Output) {
        let Some((ending, result)) = self.published.end_after(ply) else { return };
        let (end, occasion) = match ending {
            Ending::Checkmate => ("end-checkmate", Occasion::Mate),
            Ending::Stalemate => ("end-stalemate", Occasion::Stalemate),
        };
        let end = Text::new(end).with("result", result.as_str().to_owned());
        let text = Text::new(key).with("end", end).with("for", reason).with("result", result.as_str().to_owned());
        let facts = RulingFacts { unsettled: true, ..RulingFacts::default() };
        let situation = Some((Situation::Occasion(occasion), facts));
        let by = Some(self.mover(ply));
        self.raise(
            now,
            AlertDraft { by, situation, ply: Some(ply), ..AlertDraft::new(AlertKind::ResultSignalled, text) },
            output,
        );
    }
}

impl PublishedGame {
    /// Returns the checkmate or stalemate after this number of plies.
    pub(super) fn end_after(&self, plies: u32) -> Option<(Ending, GameResult)> {
        // Uses the record: the move that is followed may be about to change.
        let plies = (plies as usize <= self.len()).then_some(plies as usize)?;
        let position = if plies == self.len() { self.history().position().clone() } else { self.position_after(plies) };
        let ending = position.ending()?;
        Some(match (ending, position.turn()) {
            (Ending::Checkmate, Color::Black) => (ending, GameResult::WhiteWins),
            (Ending::Checkmate, Color::White) => (ending, GameResult::BlackWins),
            (Ending::Stalemate, _) => (ending, GameResult::Draw),
        })
    }

    /// Returns the ruling that is open on the move of this ply, if the move is illegal and has not been let stand.
    fn open_ruling(&self, ply: u32) -> Option<Text> {
        let played = &self.record().ply(ply)?.played;
        let is_in_force = |alert: &Alert| alert.kind == AlertKind::IllegalStands && alert.ply == ply;
        let is_settled = self.record().let_stand_plies.contains(&ply) || self.record().alerts.iter().any(is_in_force);
        (played.irregular && !played.is_missing() && !is_settled)
            .then(|| Text::new("waits-ruling").with("san", played.san.clone()))
    }
}

/// Returns the text of an alert about an end of the game, with the reason if the end waits.
pub(super) fn waiting_text(end: Text, reason: Option<&Text>) -> Text {
    match reason {
        Some(reason) => Text::new(WAITS).with("end", end).with("for", reason.clone()),
        None => end,
    }
}

/// Whether this alert is about an end by the position that waits, or that stopped waiting.
pub(super) fn is_end(alert: &Alert) -> bool {
    is_waiting(alert) || alert.text.key == UNCONFIRMED
}

/// Whether this alert is about an end that waits.
pub(super) fn is_waiting(alert: &Alert) -> bool {
    alert.text.key == WAITS
}

/// Whether these events of one game say that a result by the last position is held back.
pub(super) fn is_held(events: &[StampedEvent]) -> bool {
    let last = events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::MoveMade { .. } | Event::MovesCorrected { .. } | Event::Result { .. } => Some(false),
        Event::AlertRaised(alert) if alert.kind == AlertKind::ResultSignalled && is_waiting(alert) => Some(true),
        _ => None,
    });
    last == Some(true)
}
