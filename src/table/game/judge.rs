//! Application of the Laws to what was played: illegal moves, clock presses without a move or too early, ends of the game.

use super::TableGame;
use super::draft::AlertDraft;
use super::end::{is_end, waiting_text};
use super::presses::PRESS_SETTLE_TIME;
use crate::boards::Millis;
use crate::game::record::PlyState;
use crate::game::{Alert, AlertKind, CompletedBy, Event, Record, Text};
use crate::laws::draws::{AutomaticDraw, DrawRules};
use crate::laws::edition::{FiveFold, IllegalPosition as IllegalPositionRule};
use crate::laws::reason::{IllegalReason, PlacedPiece, ReasonArg, why_illegal};
use crate::laws::touch::{TouchRules, Touches, obligation_restored};
use crate::laws::{Irregularity, Move, Occasion, Position, Reply, RulingAction, RulingFacts, Situation, Stage, ruling};
use crate::table::Output;
use crate::table::clock::Press;
use shakmaty::{Bitboard, ByColor, Color, Rank, Role};

/// A piece that arrives on its square this long after the press was in the hand when the clock was pressed, in milliseconds: clock
/// and squares are reported up to 600 ms apart.
const IN_HAND: Millis = 700;
/// The text keys for "both flags have fallen" and, where it is known, which one fell first.
const BOTH_FLAGS: &str = "both_flags";
const BOTH_FLAGS_FIRST: &str = "both_flags_first";
/// Least confidence, in thousandths, at which the arrival time of a move's piece is reported.
const SURE: u16 = 990;

impl TableGame {
    /// Judges the start position of a game: the game may already be over, or need the arbiter.
    pub fn judge_start(&mut self, now: Millis, output: &mut Output) {
        self.judge_position(now, output);
        self.end_at_start(now, output);
    }

    /// Judges a move that came on record.
    pub(super) fn judge(&mut self, now: Millis, index: usize, output: &mut Output) {
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
        let Some(mut draft) = self.illegal(index.saturating_sub(1), Reply::Made, count) else { return };
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

    /// Returns why the move of this index is illegal.
    fn reason(&self, index: usize) -> Option<IllegalReason> {
        let line = self.follower.nodes();
        let node = line.get(index + 1)?;
        let mv = node.mv?;
        let slip = node.slip.as_ref().map(|slip| slip.reason.clone());
        Some(self.with_history(index, mv, slip.or_else(|| why_illegal(&line.get(index)?.position, mv))?))
    }

    /// Completes a reason why this move is illegal after `index` plies with what the record knows of the king and rooks.
    fn with_history(&self, index: usize, mv: Move, reason: IllegalReason) -> IllegalReason {
        let line = self.follower.nodes();
        let played = line.iter().zip(line.iter().skip(1)).take(index);
        let played = played.filter_map(|(before, after)| Some((before.position.mover(after.mv?), after.mv?)));
        let Some(by) = line.get(index).map(|node| node.position.mover(mv)) else { return reason };
        reason.refine_with_moves(by, played)
    }

    /// Returns the facts for a ruling on the move of this index.
    fn facts(&self, index: usize, reason: &IllegalReason, count: Option<u32>) -> RulingFacts {
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
        let Some(reason) = self.reason(index) else { return };
        let count = self.published.laws().counts(reason.irregularity()).then(|| self.record().tally.count(self.mover(ply)) + 1);
        let Some(draft) = self.illegal(index, Reply::Nothing, count) else { return };
        self.clear(now, |alert| alert.kind == AlertKind::IllegalPending, output);
        self.raise(now, draft, output);
    }

    /// Builds the alert about the illegal move of this index.
    fn illegal(&self, index: usize, reply: Reply, count: Option<u32>) -> Option<AlertDraft> {
        let reason = self.reason(index)?;
        let line = self.follower.nodes();
        let position = &line.get(index)?.position;
        let played = &self.record().plies.get(index)?.played;
        let mv = line.get(index + 1)?.mv?;
        let by = position.mover(mv);
        let text = match &reason {
            IllegalReason::PawnLeft { pawn } => Text::new("pawn_left").with("player", by).with("pawn", ReasonArg::Man(*pawn)),
            _ => {
                let text = Text::new("illegal_completed").with("player", by).with("san", played.san.clone());
                text.with("reason", Text::from(&reason))
            }
        };
        let obligation = obligation_restored(position, &Touches::of_move(position, mv), TouchRules::of(self.published.laws()));
        let facts = RulingFacts { reply, ..self.facts(index, &reason, count) };
        Some(AlertDraft {
            by: Some(by),
            squares: self.changed_by(index),
            situation: Some((Situation::Irregular(reason.irregularity()), facts)),
            ply: Some(index as u32 + 1),
            position: Some(position.fen()),
            allowed: obligation.moves(position).into_iter().map(|mv| position.uci(mv)).collect(),
            count,
            evidence: played.evidence.clone(),
            ..AlertDraft::new(AlertKind::IllegalMove, text)
        })
    }

    /// Processes a press of a running clock after the result. If both players press, they are playing on.
    pub(super) fn pressed_after_end(&mut self, now: Millis, press: Press, output: &mut Output) {
        if self.presses.note_after_end(press) && !self.published.is_raised(AlertKind::PlayedAfterEnd) {
            self.raise(now, AlertDraft::new(AlertKind::PlayedAfterEnd, Text::new("played_after_end")), output);
        }
    }

    /// Alerts the arbiter of a press without a move, once everything that belongs to the press has been seen.
    pub(super) fn press_is_due(&mut self, now: Millis, output: &mut Output) {
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

    /// Checks whether the piece of a move completed by a press came to its square much later than the press.
    pub(super) fn judge_release(&mut self, now: Millis, ply: u32, pressed_at: Millis, output: &mut Output) {
        let line = self.follower.nodes();
        let (Some(before), Some(mv)) = (line.get(ply as usize - 1), line.get(ply as usize).and_then(|node| node.mv)) else {
            return;
        };
        let by = before.position.mover(mv);
        // The piece may have been straightened since.
        let moved = before.position.changes(mv).iter().find(|(square, _)| *square == mv.to()).and_then(|(_, piece)| piece);
        let shown = super::expected_reading(moved, self.follower.seen());
        let arrival = self.touches.sightings().between(before.made_at, now);
        let arrival = arrival.iter().find(|seen| seen.square == mv.to() && seen.now == shown);
        // A piece that is still in the hand is looked for again when squares change.
        self.presses.set_unreleased(ply, pressed_at, arrival.is_none());
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
        let late = arrival.filter(|seen| seen.at >= pressed_at + IN_HAND);
        let Some(late) = late.filter(|_| clear && !self.hold.is_active()) else { return };
        let Some(square) = mv.from() else { return };
        let Some(piece) = before.position.piece_at(square) else { return };
        let placed = PlacedPiece { piece, square };
        let text = Text::new("press_before_release").with("player", by).with("man", ReasonArg::Man(placed));
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
        if let Some((ply, pressed_at)) = self.presses.take_unreleased(now) {
            self.judge_release(now, ply, pressed_at, output);
        }
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
        if let Some(text) = irregular_position(&position) {
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
        let waits = self.waits_for(now, self.record().plies.len() as u32);
        let unsettled = waits.is_some();
        let situation_of = |occasion, consecutive| {
            Some((Situation::Occasion(occasion), RulingFacts { consecutive, unsettled, ..RulingFacts::default() }))
        };
        let (kind, text, situation) = match drawn {
            Some(AutomaticDraw::FiveTimes { occurrences }) => {
                let plies: Vec<String> = occurrences.iter().map(ToString::to_string).collect();
                let (times, kind) = rules.five_fold.unwrap_or((5, FiveFold::Any));
                let text = if times == 5 { Text::new("five_fold") } else { Text::new("repeated").with("times", times) };
                let text = text.with("plies", plies.join(", "));
                (AlertKind::FiveFold, text, situation_of(Occasion::FiveFold, kind == FiveFold::Consecutive))
            }
            Some(AutomaticDraw::SeventyFiveMoves { moves }) => {
                let text = if moves == 75 { Text::new("seventy_five") } else { Text::new("quiet_moves").with("moves", moves) };
                (AlertKind::SeventyFive, text, situation_of(Occasion::SeventyFive, true))
            }
            None => {
                self.searches.set_dead_check(true);
                return;
            }
        };
        if !self.published.is_raised(kind) {
            self.raise(now, AlertDraft { situation, ..AlertDraft::new(kind, waiting_text(text, waits.as_ref())) }, output);
        }
    }

    /// Updates the alerts about flags that have fallen.
    pub fn flags(&mut self, now: Millis, flags: ByColor<bool>, output: &mut Output) {
        if self.end.is_over() || self.record().result.is_some() {
            return;
        }
        let both = flags.white && flags.black;
        let is_alerted = |record: &Record, by| record.alerts.iter().any(|alert| is_flag(alert, by));
        if both && !is_alerted(self.record(), None) {
            let known =
                |by| is_alerted(self.record(), Some(by)) || self.alert_filter.is_player_acknowledged(AlertKind::FlagFall, by);
            let first = match (known(Color::White), known(Color::Black)) {
                (true, false) => Some(Color::White),
                (false, true) => Some(Color::Black),
                _ => None,
            };
            self.clear(now, |alert| alert.kind == AlertKind::FlagFall, output);
            let text = first.map_or_else(|| Text::new(BOTH_FLAGS), |first| Text::new(BOTH_FLAGS_FIRST).with("player", first));
            // If it is known which flag fell first, the other one does not matter.
            let occasion = if first.is_some() { Occasion::FlagFall } else { Occasion::BothFlags };
            let situation = Some((Situation::Occasion(occasion), RulingFacts::default()));
            self.raise(now, AlertDraft { by: first, situation, ..AlertDraft::new(AlertKind::FlagFall, text) }, output);
        }
        if !both {
            self.forget_flag(now, None, output);
        }
        for by in Color::ALL {
            if !flags[by] {
                self.forget_flag(now, Some(by), output);
            } else if !both && !is_alerted(self.record(), Some(by)) {
                let text = Text::new("flag_fall").with("player", by);
                let situation = Some((Situation::Occasion(Occasion::FlagFall), RulingFacts::default()));
                self.raise(now, AlertDraft { by: Some(by), situation, ..AlertDraft::new(AlertKind::FlagFall, text) }, output);
            }
        }
    }

    /// Clears the alert about this flag, or with `None` about both flags: it is no longer down.
    fn forget_flag(&mut self, now: Millis, by: Option<Color>, output: &mut Output) {
        self.alert_filter.forget(|kind, known, _| (kind, known) == (AlertKind::FlagFall, by));
        self.clear(now, |alert| is_flag(alert, by), output);
    }

    /// Builds the alert that the board does not show the position of the record.
    pub(super) fn position_alert(&self, wrong: Bitboard) -> AlertDraft {
        let seen = self.follower.seen();
        let position = &self.follower.tip().position;
        let differences: Vec<_> = wrong.into_iter().map(|square| self.difference(square)).collect();
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

/// Whether this alert is about this player's flag, or with `None` about both.
fn is_flag(alert: &Alert, by: Option<Color>) -> bool {
    let both = [BOTH_FLAGS, BOTH_FLAGS_FIRST].contains(&alert.text.key.as_str());
    alert.kind == AlertKind::FlagFall && both == by.is_none() && (both || alert.by == by)
}

/// Returns a text if both kings are in check, or a pawn is on the last rank (A.5.4).
fn irregular_position(position: &Position) -> Option<Text> {
    let board = position.board();
    let pawn = (board.pawns() & (Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth))).first();
    if let Some(placed) = pawn.and_then(|square| Some(PlacedPiece { piece: board.piece_at(square)?, square })) {
        return Some(Text::new("illegal_position_pawn").with("pawn", ReasonArg::Man(placed)));
    }
    let kings = Color::ALL.into_iter().all(|color| board.by_piece(Role::King.of(color)).count() == 1);
    let both = kings && position.is_check() && position.with_turn_passed().is_check();
    both.then(|| Text::new("illegal_position_kings"))
}
