//! Which pieces the hands touched, and whether the move made is one that this allows (Art. 4). Intent cannot be sensed, so these
//! alerts are only notices.

use super::draft::AlertDraft;
use super::touch_findings::TouchFindings;
use super::{GameContext, TableGame};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::{Alert, AlertKind, Arg, Event, Fault, Text, TouchEvidence};
use crate::laws::reason::{PlacedPiece, ReasonArg};
use crate::laws::touch::{Duty, HandTracker, Obligation, TouchRules, obligation};
use crate::laws::{Irregularity, Laws, Occasion, Reply, RulingFacts, Situation, Topic, articles, ruling};
use crate::table::Output;
use shakmaty::{Color, Role, Square};
use std::cmp::Ordering;

impl TableGame {
    /// Checks whether the pieces touched by the player allow a legal move that came on record.
    pub(super) fn alert_touched(&mut self, now: Millis, index: usize, output: &mut Output) {
        let ply = index as u32 + 1;
        self.clear(now, |alert| alert.kind == AlertKind::TouchCapture, output);
        let Some(draft) = self.touch_alert(now, index, ply) else { return };
        let known = |kind| self.record().alerts.iter().any(|alert| alert.kind == kind && alert.ply == ply);
        if !known(draft.kind) {
            self.raise(now, draft, output);
        }
    }

    /// Alerts the arbiter if the move made from a restored position is not one that the touched pieces allow (7.5.1).
    pub(super) fn alert_restored_move(&mut self, now: Millis, index: usize, output: &mut Output) {
        let line = self.follower.nodes();
        let (Some(allowed), Some(before)) = (self.touches.allowed_moves(), line.get(index)) else { return };
        let Some(mv) = line.get(index + 1).and_then(|node| node.mv).filter(|mv| !allowed.contains(mv)) else { return };
        let position = &before.position;
        if !allowed.iter().all(|&mv| position.is_legal(mv)) {
            return; // A different position was restored.
        }
        let facts = RulingFacts { moves: index as u32 / 2, because: Some(Topic::IllegalMove), ..RulingFacts::default() };
        let draft = AlertDraft {
            by: Some(position.turn()),
            squares: mv.from().into_iter().chain([mv.to()]).collect(),
            situation: Some((Situation::Irregular(Irregularity::TouchBroken), facts)),
            ply: Some(index as u32 + 1),
            position: Some(position.fen()),
            allowed: allowed.iter().map(|&mv| position.uci(mv)).collect(),
            ..AlertDraft::new(
                AlertKind::TouchMove,
                Text::new("restored_unbound").with("player", position.turn()).with("san", position.san(mv)),
            )
        };
        self.raise(now, draft, output);
    }

    fn touch_alert(&self, now: Millis, index: usize, ply: u32) -> Option<AlertDraft> {
        let line = self.follower.nodes();
        let (before, node) = (line.get(index)?, line.get(index + 1)?);
        let mv = node.mv?;
        // A move that was reconstructed, or whose reply followed at once, was not seen as it was made. If more than a move was
        // done, who touched what is unknown.
        let unseen = node.is_reconstructed()
            || before.slip.is_some()
            || line.get(index + 2).is_some_and(|next| next.made_at <= node.made_at);
        if unseen || self.touch_unknown(before.made_at) {
            return None;
        }
        let position = &before.position;
        let rules = TouchRules::of(self.published.laws());
        let findings = self.touch_findings(index, node.made_at, Some(mv), rules)?;
        let TouchFindings { touches, contacts, .. } = &findings;
        let binding = obligation(position, touches, rules);
        let Obligation::Only { moves, by: duty } = &binding else { return None };
        if obligation(position, contacts, rules).allows(mv) {
            return None; // A brushed piece may have been touched first.
        }
        // A piece hidden by a square that does not work may have been touched first.
        let faulty = self.follower.ignored_squares() | self.follower.stuck_squares();
        let is_unreliable = position.changes(mv).iter().any(|(square, _)| faulty.contains(square));
        if binding.allows(mv) || is_unreliable {
            return None;
        }
        let by = position.turn();
        let placed_piece = |square: Square| position.piece_at(square).map(|piece| PlacedPiece { piece, square });
        let touched_pieces: Vec<PlacedPiece> =
            touches.touched(by).iter().map(|touch| PlacedPiece { piece: touch.piece, square: touch.square }).collect();
        let san = position.san(mv);
        let evidence_kind = findings.evidence_kind(*duty);
        let (kind, irregularity, text) = match *duty {
            Duty::PromotionFinal { square, role } => {
                let promoted_to = mv.promotion().unwrap_or(Role::Queen);
                let text = Text::new("promotion_changed").with("player", by).with("square", square);
                let text = text.with("was", ReasonArg::Role(role)).with("is", ReasonArg::Role(promoted_to));
                (AlertKind::PromotionChanged, Irregularity::PromotionChanged, text)
            }
            Duty::Released { from, on } if mv.from() != Some(from) && from.distance(on) == 1 => {
                let text = Text::new("possible_touch")
                    .with("player", by)
                    .with("man", ReasonArg::Piece(placed_piece(from)?))
                    .with("san", san);
                (AlertKind::PossibleTouch, Irregularity::TouchBroken, text)
            }
            Duty::Released { from, on } => {
                let text = Text::new("release_changed").with("player", by).with("man", ReasonArg::Piece(placed_piece(from)?));
                (AlertKind::ReleaseChanged, Irregularity::ReleaseChanged, text.with("square", on).with("san", san))
            }
            Duty::CastlingBegun { king, .. } => {
                let on = touches.released().iter().find(|release| release.from == king)?.on;
                let text = Text::new("release_changed").with("player", by).with("man", ReasonArg::Piece(placed_piece(king)?));
                (AlertKind::ReleaseChanged, Irregularity::CastlingAbandoned, text.with("square", on).with("san", san))
            }
            _ => {
                let key = if evidence_kind == TouchEvidence::Touch { "touch_move_sensed" } else { "touch_move" };
                let text = Text::new(key).with("player", by).with("men", ReasonArg::Pieces(touched_pieces)).with("san", san);
                (AlertKind::TouchMove, Irregularity::TouchBroken, text.with("duty", Text::from(duty)))
            }
        };
        let reply = self.reply(ply, now).unwrap_or(Reply::Nothing);
        let touched = touches.touched(by);
        let both = touched.iter().any(|touch| touch.piece.color != by) && touched.iter().any(|touch| touch.piece.color == by);
        let because = match duty.topic() {
            // Pieces of both players were touched, and the one cannot capture the other (4.3.3).
            Some(Topic::TouchOwn | Topic::TouchOpponent) if both => Some(Topic::TouchBoth),
            topic => topic,
        };
        let facts = RulingFacts { moves: index as u32 / 2, reply, because, ..RulingFacts::default() };
        let mut draft = AlertDraft {
            by: Some(by),
            squares: duty.squares(),
            situation: Some((Situation::Irregular(irregularity), facts)),
            ply: Some(ply),
            position: Some(position.fen()),
            allowed: moves.iter().map(|&mv| position.uci(mv)).collect(),
            evidence: self.touches.seen_between(before.made_at, node.made_at),
            evidence_kind: Some(evidence_kind),
            touches: self.touches.touched_between(before.made_at, node.made_at),
            ..AlertDraft::new(kind, text)
        };
        draft.squares.extend(mv.from());
        draft.squares.dedup();
        Some(draft)
    }

    /// Alerts the arbiter if the board shows the position on record again after the player to move has touched an opponent's piece
    /// that they can capture (4.3.2).
    pub(super) fn alert_touched_opponent(&mut self, now: Millis, output: &mut Output) {
        let index = self.published.len();
        let line = self.follower.nodes();
        let Some(before) = line.get(index).filter(|_| line.len() == index + 1) else { return };
        let is_raised = self.published.is_raised(AlertKind::TouchCapture);
        if !self.follower.mismatch().is_empty() || is_raised || self.touch_unknown(before.made_at) {
            return;
        }
        let position = &before.position;
        let rules = TouchRules::of(self.published.laws());
        let Some(findings) = self.touch_findings(index, now, None, rules) else { return };
        let binding = obligation(position, &findings.touches, rules);
        let Obligation::Only { moves, by: duty @ (Duty::EnemyPiece { square } | Duty::Both { enemy: square, .. }) } = &binding
        else {
            return;
        };
        // A brushed piece may have been touched first: then that one may bind, and not this one.
        let contacts = obligation(position, &findings.contacts, rules);
        if !contacts.moves(position).iter().all(|mv| moves.contains(mv)) {
            return;
        }
        let Some(piece) = position.piece_at(*square) else { return };
        let by = position.turn();
        let placed = ReasonArg::Piece(PlacedPiece { piece, square: *square });
        let evidence_kind = findings.evidence_kind(*duty);
        let key = if evidence_kind == TouchEvidence::Touch { "touch_capture_sensed" } else { "touch_capture" };
        let text = Text::new(key).with("player", by).with("man", placed);
        let facts = RulingFacts { moves: index as u32 / 2, because: Some(Topic::TouchOpponent), ..RulingFacts::default() };
        let draft = AlertDraft {
            by: Some(by),
            squares: vec![*square],
            situation: Some((Situation::Occasion(Occasion::Touched), facts)),
            allowed: moves.iter().map(|&mv| position.uci(mv)).collect(),
            evidence: self.touches.seen_between(before.made_at, now),
            evidence_kind: Some(evidence_kind),
            touches: self.touches.touched_between(before.made_at, now),
            ..AlertDraft::new(AlertKind::TouchCapture, text)
        };
        self.raise(now, draft, output);
    }

    /// Records that a piece of the player who is not to move is on its square again. It is judged once it is known that no other
    /// hand was near.
    pub(super) fn note_handled(&mut self, at: Millis, square: Square, now: SquareState) {
        let position = &self.follower.tip().position;
        if let SquareState::Piece(piece) = now
            && piece.color != position.turn()
            && position.piece_at(square) == Some(piece)
        {
            self.touches.note_put_back(at);
        }
    }

    /// Alerts the arbiter if pieces of the player who is not to move were lifted and put back and cannot be captured: they seem to
    /// have been adjusted in the opponent's time (4.2.1, 6.2.5), however short it was.
    pub(super) fn alert_handled_off_turn(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if !self.touches.take_due(now) {
            return;
        }
        let index = self.published.len();
        let line = self.follower.nodes();
        let Some(before) = line.get(index).filter(|_| line.len() == index + 1) else { return };
        let quiet = self.follower.mismatch().is_empty() && self.follower.seen().sensing() == SensorKind::Identity;
        let known = |alert: &Alert| alert.kind == AlertKind::HandledOffTurn && alert.ply as usize == index;
        if !quiet || self.touch_unknown(before.made_at) || self.record().alerts.iter().any(known) {
            return;
        }
        // Before the first move anyone may straighten the pieces, unless the clock runs.
        let has_begun = index > 0 || context.clock.is_in_use();
        if !has_begun {
            return;
        }
        let faults = self.follower.faults();
        let faulty = self.follower.ignored_squares() | faults.squares_with(Fault::Flickering) | faults.suspected_squares();
        let pieces = self.touches.put_back(before, self.record().started_at, faulty, now);
        if pieces.is_empty() {
            return;
        }
        let by = !before.position.turn();
        let facts = RulingFacts { moves: index as u32 / 2, ..RulingFacts::default() };
        let draft = AlertDraft {
            by: Some(by),
            squares: pieces.iter().map(|placed| placed.square).collect(),
            situation: Some((Situation::Irregular(Irregularity::HandledOffTurn), facts)),
            evidence: self.touches.seen_between(before.made_at, now),
            evidence_kind: Some(TouchEvidence::Lift),
            ..AlertDraft::new(
                AlertKind::HandledOffTurn,
                Text::new("handled_off_turn").with("player", by).with("men", ReasonArg::Pieces(pieces)),
            )
        };
        self.raise(now, draft, output);
    }

    /// Returns what the opponent has done since the move of this ply; `None`: it was not seen. A piece counts if it is in the hand,
    /// was held for long, or is on another square: a brushed piece does not end the right to claim (4.8).
    fn reply(&self, ply: u32, now: Millis) -> Option<Reply> {
        let index = ply as usize;
        match self.record().plies.len().cmp(&index) {
            Ordering::Greater => return Some(Reply::Made),
            // It was taken back.
            Ordering::Less => return None,
            Ordering::Equal => {}
        }
        let after = self.follower.nodes().get(index).filter(|after| !self.touch_unknown(after.made_at))?;
        let player = after.position.turn();
        let touched = self.hands(index, now)?.touches(now).touched(player);
        let touched_own = touched.iter().any(|touch| touch.piece.color == player);
        Some(if touched_own || self.must_capture(player) { Reply::Touched } else { Reply::Nothing })
    }

    /// Updates the notices about touched pieces after the opponent has touched or put back a piece: what can be claimed may have
    /// changed (4.8).
    pub(super) fn judge_claims(&mut self, now: Millis, output: &mut Output) {
        if self.record().alerts.is_empty() {
            return; // Nearly always.
        }
        let alerts = self.record().alerts.iter();
        let breaches = alerts.filter_map(|alert| breach(self.published.laws(), alert).map(|breach| (alert.clone(), breach)));
        for (alert, (irregularity, because)) in breaches.collect::<Vec<_>>() {
            let san = self.record().ply(alert.ply).map(|ply| Arg::Plain(ply.played.san.clone()));
            let replaced = alert.text.args.iter().any(|(name, arg)| name == "san" && Some(arg) != san.as_ref());
            let Some(reply) = self.reply(alert.ply, now).filter(|_| !replaced) else { continue };
            let facts = RulingFacts { moves: alert.ply.saturating_sub(1) / 2, reply, because, ..RulingFacts::default() };
            let situation = Situation::Irregular(irregularity);
            let ruling = ruling(self.published.laws(), situation, &facts);
            let required = ruling.as_ref().map_or_else(Vec::new, |ruling| ruling.acts.clone());
            if required == alert.required {
                continue;
            }
            let articles = ruling
                .as_ref()
                .map_or_else(|| articles(self.published.laws(), situation, &facts), |ruling| ruling.articles.clone());
            let articles = articles.into_iter().map(str::to_owned).collect();
            self.record_event(now, Event::AlertRaised(Box::new(Alert { required, articles, ..alert })), output);
        }
    }

    /// Whether this player, while to move and before the clock was stopped, has touched a piece to move or to capture it (9.4).
    pub(super) fn has_touched(&self, now: Millis, by: Color) -> bool {
        let index = self.published.len();
        let Some(before) = self.follower.nodes().get(index) else { return false };
        let is_exempt = self.hold.is_adjusting_or_restoring() || self.touches.is_exempt(before.made_at);
        let until = self.hold.stopped_at().map_or(now, |at| at.min(now));
        let touched = || Some(self.hands(index, until)?.touches(until).touched(by));
        let touched_own = || touched().is_some_and(|touched| touched.iter().any(|touch| touch.piece.color == by));
        !is_exempt && before.position.turn() == by && (touched_own() || self.must_capture(by))
    }

    /// Whether a notice says that this player has lifted an opponent's piece. In other cases the opponent may have touched it; a hand
    /// that was only sensed may be the opponent's.
    fn must_capture(&self, by: Color) -> bool {
        let is_lift = |alert: &Alert| alert.evidence_kind != Some(TouchEvidence::Touch);
        let mut alerts = self.record().alerts.iter();
        alerts.any(|alert| alert.kind == AlertKind::TouchCapture && alert.by == Some(by) && is_lift(alert))
    }

    /// Returns what the hands of the player to move after `index` plies did until `until`.
    pub(super) fn hands(&self, index: usize, until: Millis) -> Option<HandTracker> {
        let line = self.follower.nodes();
        let before = line.get(index)?;
        let since = if index == 0 { self.record().started_at } else { before.made_at };
        let earlier = line.get(index.wrapping_sub(1)).map_or(0, |node| node.made_at);
        Some(self.touches.hands(&before.position, earlier, since, until))
    }

    /// Whether touches since `since` cannot be judged: a player adjusted pieces as announced, the board was not seen, or the clock
    /// was stopped.
    fn touch_unknown(&self, since: Millis) -> bool {
        self.hold.is_active() || self.touches.is_exempt(since)
    }
}

/// Returns the irregularity and the topic of the article for a notice about a move that broke Article 4; `None`: another kind
/// of alert.
fn breach(laws: &Laws, alert: &Alert) -> Option<(Irregularity, Option<Topic>)> {
    let cites = |topic| laws.article(topic).is_some_and(|article| alert.articles.iter().any(|cited| cited == article));
    Some(match alert.kind {
        AlertKind::TouchMove => {
            let duty = alert.text.args.iter().find_map(|(_, arg)| match arg {
                Arg::Text(duty) => duty.key.strip_prefix("duty-"),
                _ => None,
            });
            let topic = duty.map_or(Some(Topic::IllegalMove), Duty::topic_of);
            (Irregularity::TouchBroken, if cites(Topic::TouchBoth) { Some(Topic::TouchBoth) } else { topic })
        }
        AlertKind::PossibleTouch => (Irregularity::TouchBroken, Some(Topic::Released)),
        AlertKind::ReleaseChanged if cites(Topic::CastlingMade) => (Irregularity::CastlingAbandoned, Some(Topic::CastlingMade)),
        AlertKind::ReleaseChanged => (Irregularity::ReleaseChanged, Some(Topic::Released)),
        AlertKind::PromotionChanged => (Irregularity::PromotionChanged, Some(Topic::PromotionFinal)),
        _ => return None,
    })
}
