//! Which pieces hands touched, and whether the move made is among those that this allows (Art. 4). Intent cannot be sensed: what
//! is told here are notices.

use super::Game;
use super::alerts::Told;
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{Alert, AlertKind, Sighting, Text};
use crate::laws::reason::{Man, Word};
use crate::laws::touch::{Care, Duty, Hands, Obligation, Touch, TouchRules, obligation};
use crate::laws::{Facts, Irregularity, Occasion, Situation, Topic, Worded};
use crate::table::Output;
use shakmaty::{Role, Square};

/// What counts as touched, and as let go: what simulated and recorded hands do by the way (brush a neighbour, centre a piece, stop
/// on a slide) is over sooner, nearly always.
const CARE: Care = Care { brushed_ms: 1_200, passed_ms: 1_000, unclear_ms: 250 };

impl Game {
    /// A legal move came on record: was it allowed by what its player touched?
    pub(super) fn tell_touched(&mut self, now: Millis, index: usize, output: &mut Output) {
        let ply = index as u32 + 1;
        self.clear(now, |alert| alert.kind == AlertKind::TouchCapture, output);
        let Some(told) = self.touched(index, ply) else { return };
        let known = |kind| self.record.alerts.iter().any(|alert| alert.kind == kind && alert.ply == ply);
        if !known(told.kind) {
            self.raise(now, told, output);
        }
    }

    /// The position was put back, and the move made from it is not among those that the touched pieces allow (7.5.1).
    pub(super) fn tell_unbound(&mut self, now: Millis, index: usize, output: &mut Output) {
        let line = self.follower.line();
        let (Some(bound), Some(before)) = (&self.bound, line.get(index)) else { return };
        let Some(mv) = line.get(index + 1).and_then(|node| node.mv).filter(|mv| !bound.contains(mv)) else { return };
        let position = &before.position;
        if !bound.iter().all(|&mv| position.is_legal(mv)) {
            return; // It was put back to another position.
        }
        let facts = Facts { moves: index as u32 / 2, because: Some(Topic::IllegalMove), ..Facts::default() };
        let told = Told {
            by: Some(position.turn()),
            squares: mv.from().into_iter().chain([mv.to()]).collect(),
            situation: Some((Situation::Irregular(Irregularity::TouchBroken), facts)),
            ply: Some(index as u32 + 1),
            position: Some(position.fen()),
            allowed: bound.iter().map(|&mv| position.uci(mv)).collect(),
            ..Told::new(
                AlertKind::TouchMove,
                Text::new("restored_unbound").with("player", position.turn()).with("san", position.san(mv)),
            )
        };
        self.raise(now, told, output);
    }

    fn touched(&self, index: usize, ply: u32) -> Option<Told> {
        let line = self.follower.line();
        let (before, node) = (line.get(index)?, line.get(index + 1)?);
        let mv = node.mv?;
        let seen = self.follower.seen();
        // What was made out afterwards, or on top of which the reply came at once, was not seen as it was made.
        let unseen = node.is_reconstructed() || line.get(index + 2).is_some_and(|next| next.made_at <= node.made_at);
        if unseen || seen.sensing() != Sensing::Identity || self.touch_unknown(before.made_at) {
            return None;
        }
        let hands = self.hands(index, node.made_at)?;
        let touches = hands.before(node.made_at, mv);
        let bound = obligation(&before.position, &touches, TouchRules::of(&self.laws));
        let Obligation::Only { moves, by: duty } = &bound else { return None };
        let position = &before.position;
        // What a square that does not work hides may have been touched first.
        let blind = self.follower.hidden() | self.follower.line_blind();
        let own = position.changes(mv).iter().any(|(square, _)| blind.contains(square));
        if bound.allows(mv) || own {
            return None;
        }
        let by = position.turn();
        let man = |square: Square| position.piece_at(square).map(|piece| Man { piece, square });
        let men: Vec<Man> = touches.touched(by).iter().map(|touch| Man { piece: touch.piece, square: touch.square }).collect();
        let san = position.san(mv);
        let (kind, what, text) = match *duty {
            Duty::PromotionFinal { square, role } => {
                let is = mv.promotion().unwrap_or(Role::Queen);
                let text = Text::new("promotion_changed").with("player", by).with("square", square);
                let text = text.with("was", Word::Role(role)).with("is", Word::Role(is));
                (AlertKind::PromotionChanged, Irregularity::PromotionChanged, text)
            }
            Duty::Released { from, on } if mv.from() != Some(from) && from.distance(on) == 1 => {
                let text = Text::new("possible_touch").with("player", by).with("man", Word::Man(man(from)?)).with("san", san);
                (AlertKind::PossibleTouch, Irregularity::TouchBroken, text)
            }
            Duty::Released { from, on } => {
                let text = Text::new("release_changed").with("player", by).with("man", Word::Man(man(from)?));
                (AlertKind::ReleaseChanged, Irregularity::ReleaseChanged, text.with("square", on).with("san", san))
            }
            Duty::CastlingBegun { king, .. } => {
                let on = touches.released().iter().find(|release| release.from == king)?.on;
                let text = Text::new("release_changed").with("player", by).with("man", Word::Man(man(king)?));
                (AlertKind::ReleaseChanged, Irregularity::CastlingAbandoned, text.with("square", on).with("san", san))
            }
            _ => {
                let text = Text::new("touch_move").with("player", by).with("men", Word::Men(men)).with("san", san);
                (AlertKind::TouchMove, Irregularity::TouchBroken, text.with("duty", Text::from(duty)))
            }
        };
        let facts = Facts { moves: index as u32 / 2, because: Topic::from_word(duty.key()), ..Facts::default() };
        let mut told = Told {
            by: Some(by),
            squares: duty.squares(),
            situation: Some((Situation::Irregular(what), facts)),
            ply: Some(ply),
            position: Some(position.fen()),
            allowed: moves.iter().map(|&mv| position.uci(mv)).collect(),
            evidence: self.seen_between(before.made_at, node.made_at),
            ..Told::new(kind, text)
        };
        told.squares.extend(mv.from());
        told.squares.dedup();
        Some(told)
    }

    /// The board stands as in the position on record again, and the player to move has touched a piece of his opponent's that he
    /// can take (4.3.2).
    pub(super) fn tell_touched_opponent(&mut self, now: Millis, output: &mut Output) {
        let index = self.published.len();
        let line = self.follower.line();
        let Some(before) = line.get(index).filter(|_| line.len() == index + 1) else { return };
        let quiet = self.follower.mismatch().is_empty() && self.follower.seen().sensing() == Sensing::Identity;
        if !quiet || self.is_raised(AlertKind::TouchCapture) || self.touch_unknown(before.made_at) {
            return;
        }
        let Some(hands) = self.hands(index, now) else { return };
        let touches = hands.touches(now);
        let bound = obligation(&before.position, &touches, TouchRules::of(&self.laws));
        let position = &before.position;
        let Obligation::Only { moves, by: Duty::EnemyPiece { square } | Duty::Both { enemy: square, .. } } = &bound else {
            self.tell_handled(now, index, &touches.touched(position.turn()), output);
            return;
        };
        let Some(piece) = position.piece_at(*square) else { return };
        let by = position.turn();
        let man = Word::Man(Man { piece, square: *square });
        let text = Text::new("touch_capture").with("player", by).with("man", man);
        let facts = Facts { moves: index as u32 / 2, because: Some(Topic::TouchOpponent), ..Facts::default() };
        let told = Told {
            by: Some(by),
            squares: vec![*square],
            situation: Some((Situation::Occasion(Occasion::Touched), facts)),
            allowed: moves.iter().map(|&mv| position.uci(mv)).collect(),
            evidence: self.seen_between(before.made_at, now),
            ..Told::new(AlertKind::TouchCapture, text)
        };
        self.raise(now, told, output);
    }

    /// Pieces of the player who is not to move were lifted and put back, and nobody can take them: he seems to have done it
    /// himself, in the other's time (4.2.1, 6.2.5).
    fn tell_handled(&mut self, now: Millis, index: usize, touched: &[Touch], output: &mut Output) {
        let Some(before) = self.follower.line().get(index) else { return };
        let by = !before.position.turn();
        let theirs = touched.iter().all(|touch| touch.piece.color == by);
        let known = |alert: &Alert| alert.kind == AlertKind::HandledOffTurn && alert.ply as usize == index;
        if touched.is_empty() || !theirs || self.record.alerts.iter().any(known) {
            return;
        }
        let men: Vec<Man> = touched.iter().map(|touch| Man { piece: touch.piece, square: touch.square }).collect();
        let facts = Facts { moves: index as u32 / 2, ..Facts::default() };
        let told = Told {
            by: Some(by),
            squares: men.iter().map(|man| man.square).collect(),
            situation: Some((Situation::Irregular(Irregularity::HandledOffTurn), facts)),
            evidence: self.seen_between(before.made_at, now),
            ..Told::new(AlertKind::HandledOffTurn, Text::new("handled_off_turn").with("player", by).with("men", Word::Men(men)))
        };
        self.raise(now, told, output);
    }

    /// What the hands did that had the move after this many plies, until then.
    fn hands(&self, index: usize, until: Millis) -> Option<Hands> {
        let line = self.follower.line();
        let before = line.get(index)?;
        let us = before.position.turn();
        let since = if index == 0 { self.record.started_at } else { before.made_at };
        let mut hands = Hands::new(&before.position, CARE);
        // What was lifted in the opponent's time and is still in the air is touched now.
        let earlier = line.get(index.wrapping_sub(1)).map_or(0, |node| node.made_at);
        let mut air: Vec<(Millis, Square)> = Vec::new();
        for seen in self.sightings.between(earlier, since) {
            air.retain(|(_, square)| *square != seen.square);
            let own = before.position.piece_at(seen.square).is_some_and(|piece| piece.color == us);
            if seen.now == Sensed::Empty && own {
                air.push((seen.at, seen.square));
            }
        }
        for (at, square) in air {
            hands.lifted(at, square);
        }
        for seen in self.sightings.between(since, until) {
            match seen.now {
                Sensed::Empty => hands.lifted(seen.at, seen.square),
                Sensed::Piece(piece) => hands.put(seen.at, seen.square, Some(piece)),
                Sensed::Side(_) | Sensed::Occupied => hands.put(seen.at, seen.square, None),
            }
        }
        Some(hands)
    }

    pub(super) fn seen_between(&self, after: Millis, until: Millis) -> Vec<Sighting> {
        let between = self.sightings.between(after, until);
        between[between.len().saturating_sub(crate::game::Played::EVIDENCE)..].to_vec()
    }

    /// Somebody adjusted as announced, or the board was not seen, or the clock was stopped, since then.
    fn touch_unknown(&self, since: Millis) -> bool {
        self.hold.is_some() || self.touch_free_until > since
    }
}
