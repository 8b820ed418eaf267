//! Commands of an arbiter or a player.

use super::end::is_end;
use super::hold::Hold;
use super::rewrite::Amend;
use super::{Around, Game};
use crate::boards::{Cue, Millis, Placement, Sensed, Sensing};
use crate::game::command::{Command, Refused};
use crate::game::{AlertKind, Answer, CorrectionReason, Event, GameResult, Order, ResultReason};
use crate::infer::turned;
use crate::table::Output;
use shakmaty::{Role, Square};

/// The pieces that a pawn can become.
const PROMOTIONS: [(Role, &str); 4] =
    [(Role::Queen, "queen"), (Role::Rook, "rook"), (Role::Bishop, "bishop"), (Role::Knight, "knight")];

impl Game {
    /// Carries out an order.
    pub fn order(
        &mut self,
        now: Millis,
        order: Order,
        placement: &Placement,
        around: &mut Around<'_>,
        output: &mut Output,
    ) -> Result<Answer, Refused> {
        let done = Event::Commanded { command: order.command.clone(), by: order.by };
        match order.command {
            Command::Result(result) => self.set_result(now, result, done, placement, around, output),
            Command::TakeBack(plies) => {
                let known = self.record.plies.len() as u32;
                if plies == 0 || plies > known {
                    return Err(Refused::TooManyPlies(known));
                }
                self.tell(now, done, output);
                self.back_to((known - plies) as usize, now, placement, around, output);
            }
            Command::Promotion { ply, role } => {
                let ply = self.promotion(ply, role)?;
                self.follower.promote(ply, role).map_err(|illegal| {
                    let san = self.record.ply(illegal as u32).map_or("", |ply| ply.played.san.as_str());
                    let piece = PROMOTIONS.iter().find(|(known, _)| *known == role).map_or("", |(_, word)| word);
                    Refused::PromotionUnlike(format!(
                        "after a promotion to a {piece} the move of ply {illegal}, {san}, is not legal: take back to before it first"
                    ))
                })?;
                self.tell(now, done, output);
                if let Some(shadow) = self.shadow() {
                    // If the promotion is impossible there, it is withdrawn with the rest of the analysis.
                    let _ = shadow.promote(ply, role);
                }
                self.publish(now, around, output);
                if self.over && self.record.result.is_none() {
                    self.look_at_the_board(now, placement, around);
                    self.resume(now);
                }
            }
            Command::Adjust(player) => {
                if self.over {
                    return Err(Refused::Over);
                }
                self.tell(now, done, output);
                self.adjust(now, player);
            }
            Command::Acknowledge(id) => {
                if !self.record.alerts.iter().any(|alert| alert.id == id) {
                    return Err(Refused::NoAlert(id));
                }
                self.tell(now, done, output);
                let known = self.record.alerts.iter().filter(|alert| alert.id == id);
                self.acknowledged.extend(known.map(|alert| (alert.kind, alert.by, alert.ply)));
                self.clear(now, |alert| alert.id == id, output);
                self.rests.forget();
                self.settle_end(now, around, output);
            }
            Command::Restore { ply } => {
                let known = self.record.plies.len() as u32;
                let kept = ply.checked_sub(1).filter(|kept| *kept <= known).ok_or(Refused::NoPly { ply, known })?;
                self.tell(now, done, output);
                self.back_to(kept as usize, now, placement, around, output);
                return Ok(self.bind(now, output));
            }
            Command::LetStand(id) => {
                let alert = self.record.alerts.iter().find(|alert| alert.id == id).ok_or(Refused::NoAlert(id))?;
                let told = [AlertKind::IllegalMove, AlertKind::IllegalStands, AlertKind::IllegalPosition].contains(&alert.kind);
                let irregular = self.record.ply(alert.ply).is_some_and(|ply| ply.played.irregular);
                if !(told && irregular) {
                    return Err(Refused::NothingStands { alert: id });
                }
                self.tell(now, done, output);
                self.clear(now, |alert| alert.id == id, output);
                // The followed line may already differ from the published one.
                self.follower.rewrite(now, &self.known(self.published.len()), CorrectionReason::Arbiter);
                self.fix();
                self.settle_end(now, around, output);
            }
            Command::Replace { ply, ref uci } => {
                let moves = self.with_move(Amend::Replace, ply, uci)?;
                self.tell(now, done, output);
                self.amend(now, &moves, placement, around, output);
            }
            Command::Insert { ply, ref uci } => {
                let moves = self.with_move(Amend::Insert, ply, uci)?;
                self.tell(now, done, output);
                self.amend(now, &moves, placement, around, output);
            }
            Command::Undo => return self.undo(now, done, placement, around, output),
            Command::Count { .. } => self.tell(now, done, output),
            Command::Strike { player, ply } => {
                if self.record.counted(player, ply).is_none() {
                    let known = self.record.tally.of(player).iter().map(|counted| counted.ply).collect();
                    return Err(Refused::NotCounted { player, ply, known });
                }
                self.tell(now, done, output);
            }
            Command::ClockNote { note, .. } => {
                let length = note.chars().count();
                if length > Command::NOTE {
                    return Err(Refused::LongNote(length));
                }
                self.tell(now, done, output);
            }
            Command::Pause(paused) => {
                if self.over {
                    return Err(Refused::Over);
                }
                if self.record.paused == paused {
                    return Err(Refused::Paused(paused));
                }
                self.tell(now, done, output);
                if paused {
                    self.pause(now, around, output);
                } else {
                    self.go_on(now);
                }
            }
            Command::Laws(laws) => {
                self.tell(now, done, output);
                self.laws = laws;
            }
            Command::Tags(_) => self.tell(now, done, output),
            Command::Claim { player, claimed, intended } => {
                let verdict = self.claim(now, player, claimed, intended.as_deref(), around)?;
                self.tell(now, done, output);
                return Ok(Answer::Claim(verdict));
            }
            // The table handles this command: it begins a new game.
            Command::Position(_) => {}
        }
        Ok(Answer::Done)
    }

    /// Removes the moves after the first `kept` plies from the record.
    fn back_to(&mut self, kept: usize, now: Millis, placement: &Placement, around: &mut Around<'_>, output: &mut Output) {
        self.look_at_the_board(now, placement, around);
        self.follower.rewrite(now, &self.known(kept), CorrectionReason::Arbiter);
        self.bound = None;
        self.publish(now, around, output);
        self.fix();
        self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
        self.resume(now);
    }

    fn set_result(
        &mut self,
        now: Millis,
        result: Option<GameResult>,
        done: Event,
        placement: &Placement,
        around: &mut Around<'_>,
        output: &mut Output,
    ) {
        if result.is_some() && !self.over && !self.blind && self.follower.mismatch().is_empty() {
            self.follower.decide(now);
        }
        if result.is_some() {
            self.publish_all(now, around, output);
        }
        self.tell(now, done, output);
        self.put_result(now, result.map(|result| (result, ResultReason::Arbiter)), placement, around, output);
    }

    /// Sets or removes the result of the game.
    pub(super) fn put_result(
        &mut self,
        now: Millis,
        result: Option<(GameResult, ResultReason)>,
        placement: &Placement,
        around: &mut Around<'_>,
        output: &mut Output,
    ) {
        let reason = result.map_or(ResultReason::Arbiter, |(_, reason)| reason);
        let result = result.map(|(result, _)| result);
        self.clear(now, is_end, output);
        self.tell(now, Event::Result { result, reason }, output);
        output.cues.push(Cue::Placement);
        let resumes = self.over && result.is_none();
        self.over = result.is_some();
        if resumes && matches!(self.hold, Some(Hold::Paused)) && !self.record.paused {
            // The result had ended the pause, and the board has not been evaluated since.
            self.go_on(now);
        }
        if self.over {
            // Nothing is left to check on this board.
            self.clear(now, |alert| alert.kind != AlertKind::MovesUncertain, output);
        } else if resumes && !self.blind {
            self.kings_meant_nothing = true;
            self.see(now, placement, around, output);
        } else {
            self.play_on(now, around, output);
        }
    }

    /// Returns the ply of the promotion that is meant, if the board allows that it was to this piece.
    fn promotion(&self, ply: Option<u32>, role: Role) -> Result<usize, Refused> {
        let promotes = |index: &usize| self.published.get(*index).is_some_and(|mv| mv.promotion().is_some());
        let index = match ply {
            Some(ply) => (ply as usize).checked_sub(1).filter(promotes),
            None => (0..self.published.len()).rev().find(promotes),
        };
        let known = index.filter(|index| self.moves_agree(index + 1) && PROMOTIONS.iter().any(|(known, _)| *known == role));
        let index = known.ok_or(Refused::NoPromotion(ply))?;
        let seen = self.follower.seen();
        let stays =
            |square: Square| self.published.iter().skip(index + 1).all(|mv| mv.from() != Some(square) && mv.to() != square);
        if let Some(square) = self.published.get(index).map(|mv| mv.to()).filter(|&square| stays(square))
            && seen.sensing() == Sensing::Identity
            && !(self.blind || self.over)
            && let Sensed::Piece(piece) = seen.at(square)
            && piece.color == self.mover(index as u32 + 1)
            && piece.role != role
        {
            let shown = PROMOTIONS.iter().find(|(known, _)| *known == piece.role).map_or("pawn", |(_, word)| word);
            return Err(Refused::PromotionUnlike(format!(
                "the board shows a {shown} on {square}: put the right piece there, and the record follows by itself"
            )));
        }
        Ok(index + 1)
    }

    /// Reads the current placement for a game that was over and had stopped following the board.
    pub(super) fn look_at_the_board(&mut self, now: Millis, placement: &Placement, around: &Around<'_>) {
        self.follower.hold();
        if self.over && !self.blind {
            let placement = turned(placement, around.rotation);
            self.follower.edges(now, Square::ALL.into_iter().map(|square| (square, placement[square as usize])));
        }
    }

    /// Continues the game after a correction of the record, unless it has a result.
    pub(super) fn resume(&mut self, now: Millis) {
        self.over = self.over && self.record.result.is_some();
        self.restore_board(now);
    }
}
