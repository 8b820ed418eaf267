//! Commands of an arbiter or a player.

use super::draft::doubts_moves;
use super::end::is_end;
use super::rewrite::RecordEdit;
use super::{GameContext, TableGame};
use crate::boards::{BoardCommand, Millis, Placement, SensorKind, SquareState};
use crate::game::words::Word;
use crate::game::{AlertKind, Answer, Command, CorrectionReason, Event, GameResult, Order, PlayedMove, Refusal, ResultReason};
use crate::infer::rotated;
use crate::table::Output;
use shakmaty::{Role, Square};

impl TableGame {
    /// Carries out an order.
    pub(crate) fn order(
        &mut self,
        now: Millis,
        order: Order,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) -> Result<Answer, Refusal> {
        let event = Event::Commanded { command: order.command.clone(), by: order.by };
        match order.command {
            Command::Result { result } => self.set_result(now, result, event, placement, context, output),
            Command::TakeBack { plies } => {
                let known = self.record().plies.len() as u32;
                if plies == 0 || plies > known {
                    return Err(Refusal::TooManyPlies { known });
                }
                self.record_event(now, event, output);
                self.truncate_record((known - plies) as usize, now, placement, context, output);
            }
            Command::Promotion { ply, piece: role } => {
                let ply = self.promotion(ply, role)?;
                self.follower.set_promotion(ply, role).map_err(|illegal| {
                    let ply = illegal as u32;
                    let played = self.record().ply(ply).map(|ply| &ply.played);
                    let san = played.map_or_else(String::new, |played| played.san.clone());
                    let later = played.map_or_else(String::new, PlayedMove::numbered_san);
                    Refusal::IllegalAfterPromotion { piece: role, ply, san, later }
                })?;
                self.record_event(now, event, output);
                if let Some(shadow) = self.hold.shadow() {
                    // If the promotion is impossible there, it is withdrawn with the rest of the analysis.
                    let _ = shadow.set_promotion(ply, role);
                }
                self.publish(now, context, output);
                if self.end.is_over() && self.record().result.is_none() {
                    self.read_current_placement(now, placement, context);
                    self.resume(now);
                }
            }
            Command::Adjust { player } => {
                if self.end.is_over() {
                    return Err(Refusal::GameOver);
                }
                self.record_event(now, event, output);
                self.adjust(now, player);
            }
            Command::Acknowledge { alert: id } => {
                if !self.record().alerts.iter().any(|alert| alert.id == id) {
                    return Err(Refusal::NoAlert { alert: id });
                }
                self.record_event(now, event, output);
                let known = self.published.record().alerts.iter().filter(|alert| alert.id == id);
                known.for_each(|alert| self.alert_filter.acknowledge(alert));
                self.clear(now, |alert| alert.id == id, output);
                self.rests.forget();
                self.settle_end(now, context, output);
            }
            Command::Restore { ply } => {
                let known = self.record().plies.len() as u32;
                let plies =
                    ply.checked_sub(1).filter(|plies| *plies <= known).ok_or(Refusal::NoPositionBefore { ply, known })?;
                self.record_event(now, event, output);
                self.truncate_record(plies as usize, now, placement, context, output);
                return Ok(self.apply_restored_position(now, output));
            }
            Command::LetStand { alert: id } => {
                let alert = self.record().alerts.iter().find(|alert| alert.id == id).ok_or(Refusal::NoAlert { alert: id })?;
                let is_illegal =
                    [AlertKind::IllegalMove, AlertKind::IllegalStands, AlertKind::IllegalPosition].contains(&alert.kind);
                let irregular = self.record().ply(alert.ply).is_some_and(|ply| ply.played.irregular);
                if !(is_illegal && irregular) {
                    return Err(Refusal::NoIrregularMove { alert: id });
                }
                self.record_event(now, event, output);
                self.clear(now, |alert| alert.id == id, output);
                // The followed line may already differ from the published one.
                self.follower.rewrite(now, &self.published.known_plies(self.published.len()), CorrectionReason::Arbiter);
                self.fix_settled_plies();
                self.settle_end(now, context, output);
            }
            Command::Replace { ply, ref uci } => {
                let moves = self.published.with_move(RecordEdit::Replace, ply, uci)?;
                self.record_event(now, event, output);
                self.amend(now, &moves, placement, context, output);
            }
            Command::Insert { ply, ref uci } => {
                let moves = self.published.with_move(RecordEdit::Insert, ply, uci)?;
                self.record_event(now, event, output);
                self.amend(now, &moves, placement, context, output);
            }
            Command::Adopt { alert } => {
                let plies = self.proposed_plies(alert)?;
                self.record_event(now, event, output);
                self.amend(now, &plies, placement, context, output);
                self.clear(now, |open| open.id == alert, output);
            }
            Command::Count { .. } => self.record_event(now, event, output),
            Command::Strike { player, ply } => {
                if self.record().counted(player, ply).is_none() {
                    let known = self.record().tally.of(player).iter().map(|counted| counted.ply).collect();
                    return Err(Refusal::NotCounted { player, ply, known });
                }
                self.record_event(now, event, output);
            }
            Command::ClockNote { note, .. } => {
                let length = note.chars().count();
                if length > Command::MAX_NOTE_CHARS {
                    return Err(Refusal::LongNote { length: length as u32, most: Command::MAX_NOTE_CHARS as u32 });
                }
                self.record_event(now, event, output);
            }
            Command::Pause { paused } => {
                if self.end.is_over() {
                    return Err(Refusal::GameOver);
                }
                if self.record().paused == paused {
                    return Err(Refusal::of_pause(paused));
                }
                self.record_event(now, event, output);
                if paused {
                    self.pause(now, context, output);
                } else {
                    self.resume_after_pause(now);
                }
            }
            Command::Laws { laws } => {
                self.record_event(now, event, output);
                self.published.set_laws(laws);
            }
            Command::Tags { .. } => self.record_event(now, event, output),
            Command::Claim { player, claimed, intended } => {
                let verdict = self.claim(now, player, claimed, intended.as_deref(), context)?;
                self.record_event(now, event, output);
                return Ok(Answer::Claim(verdict));
            }
            // The table handles these commands: one begins a new game, the other needs to know what has happened since.
            Command::Position { .. } | Command::Undo {} => {}
        }
        Ok(Answer::Done)
    }

    /// Removes the moves after the first `plies` plies from the record.
    fn truncate_record(
        &mut self,
        plies: usize,
        now: Millis,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        self.read_current_placement(now, placement, context);
        self.follower.rewrite(now, &self.published.known_plies(plies), CorrectionReason::Arbiter);
        self.touches.set_allowed_moves(None);
        self.publish(now, context, output);
        self.fix_settled_plies();
        self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
        self.resume(now);
    }

    fn set_result(
        &mut self,
        now: Millis,
        result: Option<GameResult>,
        event: Event,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        if result.is_some() && !self.end.is_over() && !self.board.is_unknown() && self.follower.mismatch().is_empty() {
            self.follower.decide_last_move(now);
        }
        if result.is_some() {
            self.publish_all(now, context, output);
        }
        self.record_event(now, event, output);
        self.apply_result(now, result.map(|result| (result, ResultReason::Arbiter)), placement, context, output);
    }

    /// Sets or removes the result of the game.
    pub(super) fn apply_result(
        &mut self,
        now: Millis,
        result: Option<(GameResult, ResultReason)>,
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let reason = result.map_or(ResultReason::Arbiter, |(_, reason)| reason);
        let result = result.map(|(result, _)| result);
        self.clear(now, is_end, output);
        self.record_event(now, Event::Result { result, reason }, output);
        output.commands.push(BoardCommand::Placement);
        let resumes = self.end.is_over() && result.is_none();
        self.end.set_over(result.is_some());
        if resumes && self.hold.is_paused() && !self.record().paused {
            // The result had ended the pause, and the board has not been evaluated since.
            self.resume_after_pause(now);
        }
        if self.end.is_over() {
            // Nothing is left to check on this board.
            self.clear(now, |alert| !doubts_moves(alert.kind), output);
        } else if resumes && !self.board.is_unknown() {
            self.kings.withdraw();
            self.handle_first_placement(now, placement, context, output);
        } else {
            self.accept_stopped_play(now, context, output);
        }
    }

    /// Returns the ply of the promotion that is meant, if the board allows that it was to this piece.
    fn promotion(&self, ply: Option<u32>, role: Role) -> Result<usize, Refusal> {
        let promotes = |index: &usize| self.published.moves().get(*index).is_some_and(|mv| mv.promotion().is_some());
        let index = match ply {
            Some(ply) => (ply as usize).checked_sub(1).filter(promotes),
            None => (0..self.published.len()).rev().find(promotes),
        };
        let known = index.filter(|index| self.moves_agree(index + 1) && Role::WORDS.iter().any(|(_, known)| *known == role));
        let index = known.ok_or(Refusal::NoPromotion { ply })?;
        let seen = self.follower.seen();
        let stays = |square: Square| {
            self.published.moves().iter().skip(index + 1).all(|mv| mv.from() != Some(square) && mv.to() != square)
        };
        if let Some(square) = self.published.moves().get(index).map(|mv| mv.to()).filter(|&square| stays(square))
            && seen.sensing() == SensorKind::Identity
            && !(self.board.is_unknown() || self.end.is_over())
            && let SquareState::Piece(piece) = seen.at(square)
            && piece.color == self.mover(index as u32 + 1)
            && piece.role != role
        {
            return Err(Refusal::OtherPieceShown { shown: piece.role, square });
        }
        Ok(index + 1)
    }

    /// Reads the current placement for a game that was over and had stopped following the board.
    pub(super) fn read_current_placement(&mut self, now: Millis, placement: &Placement, context: &GameContext<'_>) {
        self.follower.suspend();
        if self.end.is_over() && !self.board.is_unknown() {
            let placement = rotated(placement, context.rotation);
            self.follower.handle_edges(now, Square::ALL.into_iter().map(|square| (square, placement[square as usize])));
        }
    }

    /// Continues the game after a correction of the record, unless it has a result.
    pub(super) fn resume(&mut self, now: Millis) {
        self.end.reopen_unless(self.record().result.is_some());
        self.restore_board(now);
    }
}
