//! Application of the Laws to what was played: illegal moves, draws that need no claim, and positions that cannot arise in play.

use super::TableGame;
use super::draft::AlertDraft;
use super::end::{is_end, waiting_text};
use super::evidence::changed_by;
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Event, Text};
use crate::laws::draws::{AutomaticDraw, DrawRules};
use crate::laws::edition::{FiveFold, IllegalPosition as IllegalPositionRule};
use crate::laws::reason::{IllegalReason, PlacedPiece, ReasonArg, why_illegal};
use crate::laws::touch::{TouchRules, Touches, obligation_restored};
use crate::laws::{Irregularity, Occasion, Position, Reply, RulingAction, RulingFacts, Situation, Stage, ruling};
use crate::table::Output;
use shakmaty::{Bitboard, Color, Move, Rank, Role};

impl TableGame {
    /// Judges the start position of a game: the game may already be over, or need the arbiter.
    pub(crate) fn judge_start(&mut self, now: Millis, output: &mut Output) {
        self.judge_position(now, output);
        self.end_at_start(now, output);
    }

    /// Judges a move that came on record.
    pub(super) fn judge_move(&mut self, now: Millis, index: usize, output: &mut Output) {
        if !self.alert_filter.is_judged() {
            return;
        }
        self.alert_illegal_in_force(now, index, output);
        if self.published.moves().get(index).is_some_and(|&mv| Position::is_null_move(mv)) {
            // While moves are missing, it is unknown who played what.
        } else if self.follower.nodes().get(index + 1).is_some_and(|node| node.irregular) {
            self.alert_illegal(now, index, output);
        } else {
            self.alert_restored_move(now, index, output);
            self.alert_touched(now, index, output);
        }
        // This move may be the reply to one that broke Article 4.
        self.judge_claims(now, output);
        if index + 1 == self.published.len() {
            self.judge_position(now, output);
        }
    }

    /// Clears alerts about moves after the first `plies` plies, which are no longer on record, except those in `unchanged`.
    pub(super) fn forget_alerts(&mut self, now: Millis, plies: u32, unchanged: &[u32], is_takeback: bool, output: &mut Output) {
        use AlertKind::{
            DeadPosition, FiveFold, IllegalMove, IllegalPosition, IllegalStands, PossibleTouch, PressBeforeRelease,
            PromotionChanged, ReleaseChanged, SeventyFive, TouchMove,
        };
        let of_position = [DeadPosition, FiveFold, SeventyFive, IllegalPosition];
        // What the players corrected themselves (`is_takeback`) was still done.
        let of_move =
            [IllegalMove, IllegalStands, TouchMove, PossibleTouch, ReleaseChanged, PromotionChanged, PressBeforeRelease];
        let is_obsolete = |alert: &Alert| {
            let of_move = !is_takeback && of_move.contains(&alert.kind) && !unchanged.contains(&alert.ply);
            alert.ply > plies && (of_position.contains(&alert.kind) || of_move || is_end(alert))
        };
        self.clear(now, is_obsolete, output);
        self.alert_filter.forget(|_, _, ply| ply > plies);
    }

    /// After the opponent's reply, alerts the arbiter if the illegal move before it now remains in force.
    fn alert_illegal_in_force(&mut self, now: Millis, index: usize, output: &mut Output) {
        let ply = index as u32;
        let is_of_kind = |kind| move |alert: &&Alert| alert.kind == kind && alert.ply == ply;
        let alert = self.record().alerts.iter().find(is_of_kind(AlertKind::IllegalMove)).cloned();
        // The arbiter may have acknowledged the alert and taken no action.
        let is_in_force = self.record().alerts.iter().any(|alert| is_of_kind(AlertKind::IllegalStands)(&alert));
        let acknowledged = |kind| self.alert_filter.is_ply_acknowledged(kind, ply);
        let was_alerted = alert.is_some() || (acknowledged(AlertKind::IllegalMove) && !acknowledged(AlertKind::IllegalStands));
        let irregular = self.follower.nodes().get(index).is_some_and(|node| node.irregular);
        if !was_alerted || is_in_force || !irregular || self.record().let_stand_plies.contains(&ply) {
            return;
        }
        let counted = || Some(self.record().tally.count(self.mover(ply)));
        let count = alert.as_ref().map_or_else(counted, |alert| alert.count);
        let Some(mut draft) = self.illegal_move_alert(index.saturating_sub(1), Reply::Made, count) else { return };
        let find_ruling = |(situation, facts): &(Situation, RulingFacts)| ruling(self.published.laws(), *situation, facts);
        if !draft.situation.as_ref().and_then(find_ruling).is_some_and(|ruling| ruling.acts.contains(&RulingAction::Stands)) {
            return;
        }
        if let Some(alert) = alert {
            self.record_event(now, Event::AlertCleared { id: alert.id }, output);
            // The alert was raised once, and its details may be lost after a restart.
            draft = AlertDraft { text: alert.text, squares: alert.squares, evidence: alert.evidence, ..draft };
        }
        let key = if draft.text.key == "illegal_completed" { "illegal_standing".to_owned() } else { draft.text.key };
        let text = Text { key, ..draft.text };
        self.raise(now, AlertDraft { kind: AlertKind::IllegalStands, text, allowed: Vec::new(), count: None, ..draft }, output);
    }

    /// Says in the alert about an illegal move of this ply that its player has taken it back and completed a legal one instead, if
    /// that is so. A move that the touched pieces do not allow puts nothing right.
    pub(super) fn note_put_right(&mut self, now: Millis, ply: u32, output: &mut Output) {
        let Some(played) = self.record().ply(ply).map(|ply| &ply.played).filter(|played| !played.irregular) else { return };
        let by = self.mover(ply);
        let is_about_ply = |alert: &&Alert| {
            (alert.kind, alert.ply, alert.by) == (AlertKind::IllegalMove, ply, Some(by))
                && alert.put_right.is_none()
                && (alert.allowed.is_empty() || alert.allowed.contains(&played.uci))
        };
        if let Some(alert) = self.record().alerts.iter().find(is_about_ply) {
            let amended = alert.clone().put_right_by(&played.san);
            self.record_event(now, Event::AlertRaised(Box::new(amended)), output);
        }
    }

    /// Returns why the move of this index is illegal.
    fn illegal_reason(&self, index: usize) -> Option<IllegalReason> {
        let line = self.follower.nodes();
        let node = line.get(index + 1)?;
        let mv = node.mv?;
        let slip = node.slip.as_ref().map(|slip| slip.reason.clone());
        Some(self.with_history(index, mv, slip.or_else(|| why_illegal(&line.get(index)?.position, mv))?))
    }

    /// Completes a reason why this move is illegal after `index` plies with what the record knows of the king and rooks.
    pub(super) fn with_history(&self, index: usize, mv: Move, reason: IllegalReason) -> IllegalReason {
        let line = self.follower.nodes();
        let played = line.iter().zip(line.iter().skip(1)).take(index);
        let played = played.filter_map(|(before, after)| Some((before.position.mover(after.mv?), after.mv?)));
        let Some(by) = line.get(index).map(|node| node.position.mover(mv)) else { return reason };
        reason.refine_with_moves(by, played)
    }

    /// Returns the facts for a ruling on the move of this index.
    pub(super) fn facts(&self, index: usize, reason: &IllegalReason, count: Option<u32>) -> RulingFacts {
        let nth = count.unwrap_or(1);
        let opponent = !self.mover(index as u32 + 1);
        let increment = self.presses.last().is_some_and(|press| press.by != opponent && press.gained);
        RulingFacts { nth, moves: index as u32 / 2, increment, because: Some(reason.topic()), ..RulingFacts::default() }
    }

    /// Alerts the arbiter that the move of this index is illegal and was completed.
    fn alert_illegal(&mut self, now: Millis, index: usize, output: &mut Output) {
        let ply = index as u32 + 1;
        let known = |alert: &Alert| alert.ply == ply && matches!(alert.kind, AlertKind::IllegalMove | AlertKind::IllegalStands);
        if self.record().alerts.iter().any(known) {
            return;
        }
        let Some(reason) = self.illegal_reason(index) else { return };
        let count = self.published.laws().counts(reason.irregularity()).then(|| self.record().tally.count(self.mover(ply)) + 1);
        let Some(draft) = self.illegal_move_alert(index, Reply::Nothing, count) else { return };
        self.clear(now, |alert| alert.kind == AlertKind::IllegalPending, output);
        self.raise(now, draft, output);
    }

    /// Builds the alert about the illegal move of this index.
    fn illegal_move_alert(&self, index: usize, reply: Reply, count: Option<u32>) -> Option<AlertDraft> {
        let reason = self.illegal_reason(index)?;
        let line = self.follower.nodes();
        let position = &line.get(index)?.position;
        let played = &self.record().plies.get(index)?.played;
        let mv = line.get(index + 1)?.mv?;
        let by = position.mover(mv);
        let text = match &reason {
            IllegalReason::PawnLeft { pawn } => Text::new("pawn_left").with("player", by).with("pawn", ReasonArg::Piece(*pawn)),
            _ => {
                let text = Text::new("illegal_completed").with("player", by).with("san", played.san.clone());
                text.with("reason", Text::from(&reason))
            }
        };
        let obligation = obligation_restored(position, &Touches::of_move(position, mv), TouchRules::of(self.published.laws()));
        let facts = RulingFacts { reply, ..self.facts(index, &reason, count) };
        Some(AlertDraft {
            by: Some(by),
            squares: changed_by(line, index),
            situation: Some((Situation::Irregular(reason.irregularity()), facts)),
            ply: Some(index as u32 + 1),
            position: Some(position.fen()),
            allowed: obligation.moves(position).into_iter().map(|mv| position.uci(mv)).collect(),
            count,
            evidence: played.evidence.clone(),
            ..AlertDraft::new(AlertKind::IllegalMove, text)
        })
    }

    /// Judges the last position on record: draws that need no claim, and positions that cannot arise in play.
    pub(super) fn judge_position(&mut self, now: Millis, output: &mut Output) {
        if !self.alert_filter.is_judged() || self.record().result.is_some() {
            return;
        }
        self.searches.set_dead_check(false);
        // What is published below changes the game, but not the moves.
        let history = self.published.history();
        let position = history.position().clone();
        let rules = DrawRules::of(self.published.laws());
        let drawn = history.drawn(&rules);
        self.judge_irregular_position(now, &position, output);
        let waits = self.waits_for(now, self.record().plies.len() as u32);
        match drawn.map(|drawn| draw_alert(&drawn, &rules, waits.as_ref())) {
            Some(draft) if !self.published.is_raised(draft.kind) => self.raise(now, draft, output),
            Some(_) => {}
            None => self.searches.set_dead_check(true),
        }
    }

    /// Judges whether the last position on record cannot arise in play.
    fn judge_irregular_position(&mut self, now: Millis, position: &Position, output: &mut Output) {
        if let Some(text) = irregular_position(position) {
            // Some editions let the arbiter wait for one more move (A.5.4). The required act then changes once.
            let nodes = self.follower.nodes().iter().take(self.published.len() + 1).rev();
            let plies_lasted = nodes.take_while(|node| irregular_position(&node.position).is_some()).take(3).count();
            let plies_lasted = if self.published.is_open(self.record().plies.len() as u32) {
                plies_lasted.saturating_sub(1)
            } else {
                plies_lasted
            };
            let waits = self.published.laws().rules().illegal_position == Some(IllegalPositionRule::WaitThenDraw);
            if waits && plies_lasted == 2 {
                self.alert_filter.forget(|kind, _, _| kind == AlertKind::IllegalPosition);
                let waited =
                    |alert: &Alert| alert.kind == AlertKind::IllegalPosition && alert.required.contains(&RulingAction::Wait);
                self.clear(now, waited, output);
            }
            // An illegal move that led there, or a wrong start, was already reported.
            let is_alerted = |alert: &Alert| {
                [AlertKind::IllegalPosition, AlertKind::IllegalMove, AlertKind::WrongStart].contains(&alert.kind)
            };
            if !self.record().alerts.iter().any(is_alerted) {
                let stage = if plies_lasted < 2 { Stage::Pending } else { Stage::Completed };
                let facts = RulingFacts { stage, moves: self.record().plies.len() as u32 / 2, ..RulingFacts::default() };
                let situation = Some((Situation::Irregular(Irregularity::IllegalPosition), facts));
                self.raise(now, AlertDraft { situation, ..AlertDraft::new(AlertKind::IllegalPosition, text) }, output);
            }
        } else {
            self.alert_filter.forget(|kind, _, _| kind == AlertKind::IllegalPosition);
            self.clear(now, |alert| alert.kind == AlertKind::IllegalPosition, output);
        }
    }
}

/// Builds the alert about a draw that needs no claim. `waits`: what the end of the game waits for.
fn draw_alert(drawn: &AutomaticDraw, rules: &DrawRules, waits: Option<&Text>) -> AlertDraft {
    let (kind, text, occasion, consecutive) = match drawn {
        AutomaticDraw::FiveTimes { occurrences } => {
            let plies: Vec<String> = occurrences.iter().map(ToString::to_string).collect();
            let (times, kind) = rules.five_fold.unwrap_or((5, FiveFold::Any));
            let text = if times == 5 { Text::new("five_fold") } else { Text::new("repeated").with("times", times) };
            let text = text.with("plies", plies.join(", "));
            (AlertKind::FiveFold, text, Occasion::FiveFold, kind == FiveFold::Consecutive)
        }
        AutomaticDraw::SeventyFiveMoves { moves } => {
            let is_usual = *moves == 75;
            let text = if is_usual { Text::new("seventy_five") } else { Text::new("quiet_moves").with("moves", *moves) };
            (AlertKind::SeventyFive, text, Occasion::SeventyFive, true)
        }
    };
    let facts = RulingFacts { consecutive, unsettled: waits.is_some(), ..RulingFacts::default() };
    let situation = Some((Situation::Occasion(occasion), facts));
    AlertDraft { situation, ..AlertDraft::new(kind, waiting_text(text, waits)) }
}

/// Returns a text if both kings are in check, or a pawn is on the last rank (A.5.4).
fn irregular_position(position: &Position) -> Option<Text> {
    let board = position.board();
    let pawn = (board.pawns() & (Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth))).first();
    if let Some(placed) = pawn.and_then(|square| Some(PlacedPiece { piece: board.piece_at(square)?, square })) {
        return Some(Text::new("illegal_position_pawn").with("pawn", ReasonArg::Piece(placed)));
    }
    let kings = Color::ALL.into_iter().all(|color| board.by_piece(Role::King.of(color)).count() == 1);
    let both = kings && position.is_check() && position.with_turn_passed().is_check();
    both.then(|| Text::new("illegal_position_kings"))
}
