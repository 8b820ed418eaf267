//! Undoing the arbiter's last command.

use super::end::is_end;
use super::published::PublishedGame;
use super::published::known_from;
use super::{GameContext, TableGame};
use crate::boards::{Millis, Placement};
use crate::game::record::{Change, Ply, PlyState, PriorState};
use crate::game::{Alert, Answer, Event, GameResult, Order, Record, Refusal, ResultReason};
use crate::infer::KnownPly;
use crate::table::Output;

impl TableGame {
    /// Restores what the last command changed, and everything played since. `replayed`: the record as it would be now without that
    /// command, if play has gone on since and that is known.
    pub(crate) fn undo(
        &mut self,
        now: Millis,
        order: Order,
        replayed: Option<&Record>,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) -> Result<Answer, Refusal> {
        let event = Event::Commanded { command: order.command, by: order.by };
        let Change { command, before, moved, .. } = self.record().changes.last().cloned().ok_or(Refusal::NothingToUndo)?;
        let ensure_unmoved = |change| if moved { Err(Refusal::MovedSince { change }) } else { Ok(()) };
        match before {
            PriorState::Moves { .. } | PriorState::Result { .. } | PriorState::Adjusting if replayed.is_some() => {
                self.restore_replayed(now, event, replayed, placement, context, output)?;
            }
            PriorState::Moves { kept, plies, result, alerts, .. } => {
                ensure_unmoved("the record was corrected")?;
                let moves = self
                    .published
                    .followed_by(kept as usize, &plies)
                    .ok_or(Refusal::MovedSince { change: "the record was corrected" })?;
                let plies = self.published.completed_since(kept as usize, plies);
                self.record_event(now, event, output);
                self.read_current_placement(now, placement, context);
                self.restore_moves(now, &moves, &plies, result, context, output);
                self.raise_missing_alerts(now, alerts, output);
                self.settle_restored(now, context, output);
                self.resume(now);
            }
            PriorState::Result { result, alerts, .. } => {
                ensure_unmoved("the result was set")?;
                self.record_event(now, event, output);
                if self.record().paused {
                    self.hold_paused();
                }
                if result.is_some() {
                    self.apply_result(now, result, placement, context, output);
                    self.raise_missing_alerts(now, alerts, output);
                } else {
                    let was_held = alerts.iter().any(is_end);
                    let alerts = alerts.into_iter().filter(|alert| !is_end(alert)).collect();
                    // This must run before the board is re-evaluated, which clears alerts that no longer apply.
                    self.raise_missing_alerts(now, alerts, output);
                    self.apply_result(now, result, placement, context, output);
                    if was_held {
                        self.end_if_over(now, self.record().plies.len().saturating_sub(1), context, output);
                    }
                }
            }
            PriorState::Alert(alert) => {
                if alert.ply as usize > self.record().plies.len() {
                    return Err(Refusal::MovedSince { change: "the alert was raised" });
                }
                self.record_event(now, event, output);
                self.fix_settled_plies();
                if !is_end(&alert) || self.end.is_result_held() {
                    self.raise_again(now, *alert, output);
                }
                if self.is_unsettled(now) {
                    self.read_current_placement(now, placement, context);
                    self.unsettle_end(now, context, output);
                    self.restore_board(now);
                }
            }
            PriorState::Less | PriorState::Counted(_) => self.record_event(now, event, output),
            PriorState::Adjusting => {
                ensure_unmoved("a player announced to adjust pieces")?;
                self.record_event(now, event, output);
                self.end_adjustment(now);
            }
            PriorState::Laws(laws) => {
                self.record_event(now, event, output);
                let laws = laws.parse().unwrap_or(*self.published.laws());
                self.published.set_laws(laws);
            }
            PriorState::Paused(paused) => {
                if self.record().paused == paused {
                    return Err(Refusal::of_pause(paused));
                }
                if paused {
                    ensure_unmoved("the game was resumed")?;
                }
                self.record_event(now, event, output);
                if paused {
                    self.pause(now, context, output);
                } else {
                    self.resume_after_pause(now);
                }
            }
        }
        Ok(Answer::Undone(command))
    }

    /// Puts on record what it would have without the last command: the moves played since, their clock times, and the alerts about
    /// them. What the arbiter has decided since stays.
    fn restore_replayed(
        &mut self,
        now: Millis,
        event: Event,
        replayed: Option<&Record>,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) -> Result<(), Refusal> {
        let unknown = Refusal::MovedSince { change: "the last command" };
        let Some(Record { plies, result, alerts, .. }) = replayed else { return Err(unknown) };
        let is_same = |(now, then): &(&Ply, &Ply)| now.played.uci == then.played.uci && now.played.fen == then.played.fen;
        let same = self.record().plies.iter().zip(plies).take_while(is_same).count();
        let changed = plies.get(same..).unwrap_or_default();
        let moves = self.published.followed_by(same, changed).ok_or(unknown)?;
        let about_moves = alerts.iter().filter(|alert| alert.is_about_moves()).cloned().collect();
        self.record_event(now, event, output);
        self.end_adjustment(now);
        if self.record().paused {
            self.hold_paused();
        }
        self.read_current_placement(now, placement, context);
        self.restore_moves(now, &moves, changed, *result, context, output);
        self.raise_missing_alerts(now, about_moves, output);
        self.settle_restored(now, context, output);
        self.resume_amended(now);
        if !self.end.is_over() {
            self.publish(now, context, output);
        }
        Ok(())
    }

    /// Makes these moves the record, the last of them completed as in `plies`, with this result.
    fn restore_moves(
        &mut self,
        now: Millis,
        moves: &[KnownPly],
        plies: &[Ply],
        result: Option<(GameResult, ResultReason)>,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        if moves.len() != self.published.len() || self.published.common_plies(moves) < moves.len() {
            self.set_moves(now, moves, Some(plies), context, output);
        }
        if self.record().result != result {
            let reason = result.map_or(ResultReason::Arbiter, |(_, reason)| reason);
            self.record_event(now, Event::Result { result: result.map(|(result, _)| result), reason }, output);
        }
    }

    /// Follows up restored moves: an end of the game that waits for a ruling, and what the player to move may play.
    fn settle_restored(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let last = self.record().plies.len() as u32;
        if self.record().result.is_none() && self.waits_for(now, last).is_some() {
            self.end_if_over(now, last.saturating_sub(1) as usize, context, output);
        }
        self.end.set_over(self.record().result.is_some());
        self.touches.set_allowed_moves(self.published.moves_after_restore());
    }

    /// Raises those of these alerts again that are not open any more.
    fn raise_missing_alerts(&mut self, now: Millis, alerts: Vec<Alert>, output: &mut Output) {
        let is_raised =
            |alert: &Alert| self.record().alerts.iter().any(|known| (known.kind, known.ply) == (alert.kind, alert.ply));
        let missing: Vec<Alert> = alerts.into_iter().filter(|alert| !is_raised(alert)).collect();
        missing.into_iter().for_each(|alert| self.raise_again(now, alert, output));
    }

    /// Raises an alert again. What it counted before is still counted, so it counts nothing.
    fn raise_again(&mut self, now: Millis, alert: Alert, output: &mut Output) {
        let alert = Alert { id: self.record().alerts_raised + 1, count: None, ..alert };
        self.search_again(now, &alert);
        self.record_event(now, Event::AlertRaised(Box::new(alert)), output);
    }
}

impl PublishedGame {
    /// Returns the first `unchanged` plies of the record followed by `plies`.
    fn followed_by(&self, unchanged: usize, plies: &[Ply]) -> Option<Vec<KnownPly>> {
        let mut known = self.known_plies(unchanged);
        known.extend(known_from(&self.position_after(unchanged), plies)?);
        Some(known)
    }

    /// Returns the same plies, marked as completed where the record has completed them since.
    fn completed_since(&self, unchanged: usize, mut plies: Vec<Ply>) -> Vec<Ply> {
        for (ply, current) in plies.iter_mut().zip(self.record().plies.iter().skip(unchanged)) {
            if ply.played.uci == current.played.uci && ply.state == PlyState::Made {
                (ply.state, ply.clocks) = (current.state, current.clocks);
            }
        }
        plies
    }
}
