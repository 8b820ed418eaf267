//! The evaluation of the articles on touched pieces, one by one.

use super::duty::{Duty, Freedom, Obligation};
use super::geometry::{capture_square, castled, castling_squares};
use super::rules::{Promotion, TouchBinding, TouchRules};
use super::touches::{Release, Touch, Touches};
use crate::laws::edition::RookFirst;
use crate::laws::{Move, Position};
use shakmaty::{Bitboard, Color, Rank, Role, Square};

/// Returns which moves the player who has the move may still play. There is always at least one if there are legal moves.
pub fn obligation(position: &Position, touches: &Touches, rules: TouchRules) -> Obligation {
    let legal: Vec<Move> = position.legal_moves().into_iter().collect();
    let us = position.turn();
    let mut context = ObligationContext { touched: touches.groups(us), us, legal: legal.clone(), rook_first: rules.rook_first };
    let bound = match rules.touched {
        TouchBinding::Bind => context.by_touch(),
        TouchBinding::Unspecified => return context.by_castling(touches),
    };
    if let Obligation::Only { moves, .. } = &bound {
        context.legal.clone_from(moves);
    }
    context.by_release(bound, &legal, touches, rules)
}

/// The state of one evaluation of [`obligation`].
struct ObligationContext {
    /// The touches in order. The pieces of one touch are together; the player's king comes first among them.
    touched: Vec<Vec<Touch>>,
    us: Color,
    /// The legal moves that are still allowed.
    legal: Vec<Move>,
    /// The effect of a rook that was touched before the king.
    rook_first: Option<RookFirst>,
}

impl ObligationContext {
    fn own(&self) -> impl Iterator<Item = &Touch> {
        self.touched.iter().flatten().filter(|touch| touch.piece.color == self.us)
    }

    fn only(&self, by: Duty, which: impl Fn(&Move) -> bool) -> Option<Obligation> {
        let moves: Vec<Move> = self.legal.iter().copied().filter(which).collect();
        (!moves.is_empty()).then_some(Obligation::Only { moves, by })
    }

    /// Applies Art. 4.3 and 4.5.
    fn by_touch(&self) -> Obligation {
        let first = |own: bool| {
            let mut groups = self.touched.iter().map(|group| squares(group, |touch| (touch.piece.color == self.us) == own));
            groups.find(|squares| squares.any()).unwrap_or(Bitboard::EMPTY)
        };
        let (own, enemy) = (first(true), first(false));
        let both = |mv: &Move| {
            mv.from().is_some_and(|from| own.contains(from))
                && capture_square(*mv).is_some_and(|captured| enemy.contains(captured))
        };
        if let Some(mv) = self.legal.iter().find(|mv| both(mv))
            && let Some((own, enemy)) = mv.from().zip(capture_square(*mv))
            && let Some(bound) = self.only(Duty::Both { own, enemy }, both)
        {
            return bound;
        }
        if self.rook_first == Some(RookFirst::KingMustBeFirst)
            && let Some(king) = self.own().find(|touch| touch.piece.role == Role::King)
            && let Some(bound @ Obligation::Only { by: Duty::KingAfterRook { .. }, .. }) = self.by_king(king.square)
        {
            return bound;
        }
        for group in &self.touched {
            let (own, enemy): (Vec<Touch>, Vec<Touch>) = group.iter().partition(|touch| touch.piece.color == self.us);
            if let Some(bound) = self.by_own(&own).or_else(|| self.by_enemy(&enemy)) {
                return bound;
            }
        }
        Obligation::Free(if self.touched.is_empty() { Freedom::NothingTouched } else { Freedom::NoLegalMove })
    }

    /// Applies Art. 4.3.1 and 4.4 to one touch of the player's own pieces.
    fn by_own(&self, own: &[Touch]) -> Option<Obligation> {
        let (first, rest) = own.split_first()?;
        let by_king = (first.piece.role == Role::King).then(|| self.by_king(first.square)).flatten();
        let castles = matches!(
            by_king,
            Some(Obligation::Free(_) | Obligation::Only { by: Duty::Castle { .. } | Duty::KingAfterCastling { .. }, .. })
        );
        if castles || (first.piece.role == Role::King && rest.is_empty()) {
            return by_king;
        }
        let kings = if let Some(Obligation::Only { moves, .. }) = by_king { moves } else { Vec::new() };
        let others = squares(own, |touch| touch.piece.role != Role::King);
        let is_allowed = |mv: &Move| kings.contains(mv) || mv.from().is_some_and(|from| others.contains(from));
        let movable: Bitboard = self.legal.iter().filter(|mv| is_allowed(mv)).filter_map(|mv| mv.from()).collect();
        let by = match movable.single_square() {
            Some(square) => self.by_rook_first(square).unwrap_or(Duty::OwnPiece { square }),
            None => Duty::OwnTogether { squares: movable },
        };
        self.only(by, is_allowed)
    }

    /// Applies Art. 4.4.2: returns why the rook on this square must move, if the king was touched after it and could castle with
    /// it.
    fn by_rook_first(&self, rook: Square) -> Option<Duty> {
        self.rook_first?;
        let mut after =
            self.touched.iter().skip_while(|group| !group.iter().any(|touch| touch.square == rook)).skip(1).flatten();
        let king = after.find(|touch| touch.piece == Role::King.of(self.us))?.square;
        self.legal.contains(&Move::Castle { king, rook }).then_some(Duty::RookBeforeKing { rook, king })
    }

    /// Applies Art. 4.3.2 to one touch of the opponent's pieces.
    fn by_enemy(&self, enemy: &[Touch]) -> Option<Obligation> {
        let touched = squares(enemy, |_| true);
        let captures = |mv: &Move| capture_square(*mv).is_some_and(|captured| touched.contains(captured));
        let capturable: Bitboard = self.legal.iter().filter(|mv| captures(mv)).filter_map(|mv| capture_square(*mv)).collect();
        let by = match capturable.single_square() {
            Some(square) => Duty::EnemyPiece { square },
            None => Duty::EnemyTogether { squares: capturable },
        };
        self.only(by, captures)
    }

    /// Applies Art. 4.3.1 and 4.4.1–4.4.3 to the king and the rooks that were touched before and after it.
    fn by_king(&self, king: Square) -> Option<Obligation> {
        let own: Vec<&Touch> = self.own().collect();
        let index = own.iter().position(|touch| touch.square == king).unwrap_or(own.len());
        let (before, after) = own.split_at(index);
        let first = self.us.relative_rank(Rank::First);
        // Castling can be intended only if the king and the rook are on the player's first rank.
        let rooks = |touched: &[&Touch]| -> Vec<Square> {
            let is_castling_rook =
                |touch: &&&Touch| touch.piece.role == Role::Rook && touch.square.rank() == first && king.rank() == first;
            touched.iter().filter(is_castling_rook).map(|touch| touch.square).collect()
        };
        let before = if self.rook_first.is_some() { rooks(before) } else { Vec::new() };
        let after = rooks(after);
        let castles = |rook: Square| move |mv: &Move| *mv == Move::Castle { king, rook };
        for &rook in &after {
            if let Some(bound) = self.only(Duty::Castle { king, rook }, castles(rook)) {
                return Some(bound);
            }
        }
        let barred = |mv: &Move| before.iter().any(|&rook| castles(rook)(mv));
        let rook_first = before.iter().copied().find(|&rook| self.legal.iter().any(castles(rook)));
        let by = match (after.first(), rook_first) {
            (Some(&rook), _) => Duty::KingAfterCastling { king, rook },
            (None, Some(rook)) => Duty::KingAfterRook { rook, king },
            (None, None) => Duty::OwnPiece { square: king },
        };
        let bound = self.only(by, |mv| mv.from() == Some(king) && !barred(mv));
        // If the king cannot move, the rook need not move either.
        let free = || after.first().map(|_| Obligation::Free(Freedom::KingCannot));
        bound.or_else(free)
    }

    /// Handles editions that do not say anything about touched pieces: castling that was made and is not allowed, also because it
    /// was not begun with the king (1973, Section 6).
    fn by_castling(&self, touches: &Touches) -> Obligation {
        let castled = |touch: &&Touch, role: Role, index: usize| {
            let released = touches.released().iter().find(|release| release.from == touch.square);
            touch.piece.role == role && released.is_some_and(|release| castling_squares(release.on)[index])
        };
        let king = self.own().find(|touch| castled(touch, Role::King, 0));
        let rook = self.own().find(|touch| castled(touch, Role::Rook, 1));
        match king.zip(rook).and_then(|(king, _)| self.by_king(king.square)) {
            Some(Obligation::Only { by: Duty::Castle { .. } | Duty::OwnPiece { .. }, .. }) | None => {
                Obligation::Free(Freedom::Unspecified)
            }
            // If touching the rook first only bars castling on that side, Art. 4.3.1 decides which piece must move. Its text is not
            // available.
            Some(Obligation::Only { by: Duty::KingAfterRook { .. }, .. })
                if self.rook_first != Some(RookFirst::KingMustBeFirst) =>
            {
                Obligation::Free(Freedom::Unspecified)
            }
            Some(bound) => bound,
        }
    }

    /// Applies Art. 4.7 and 4.4.4: a piece that was released as a legal move, or a part of one, must stay. For a promotion piece,
    /// contact with the square is enough. Later touches have no effect.
    fn by_release(mut self, mut bound: Obligation, legal: &[Move], touches: &Touches, rules: TouchRules) -> Obligation {
        let mut has_release = false;
        let contacts = touches.promoted().iter().filter(|_| rules.promotion == Promotion::Final);
        let mut releases: Vec<&Release> = touches.released().iter().chain(contacts).collect();
        releases.sort_by_key(|release| release.at);
        for release in releases {
            let Release { from, on, piece, .. } = *release;
            let of_move = |mv: &Move| match *mv {
                Move::Castle { king, rook } => [(king, Role::King), (rook, Role::Rook)]
                    .iter()
                    .zip(castled(king, rook))
                    .any(|(&(start, role), target)| (start, role, target) == (from, piece.role, on)),
                Move::Normal { promotion: Some(role), .. } => {
                    let chosen = piece.role == Role::Pawn || piece.role == role || rules.promotion == Promotion::Unspecified;
                    mv.from() == Some(from) && mv.to() == on && chosen
                }
                _ => mv.from() == Some(from) && mv.to() == on && mv.role() == piece.role,
            };
            let allowed = if has_release { self.legal.clone() } else { self.by_touch_until(release.at, legal, touches) };
            let remaining: Vec<Move> = allowed.into_iter().filter(of_move).collect();
            // The release is not part of any move that is still allowed, so it creates no obligation.
            if remaining.is_empty() || remaining == self.legal || piece.color != self.us {
                continue;
            }
            let by = match remaining.as_slice() {
                [Move::Castle { king, rook }] => Duty::CastlingBegun { king: *king, rook: *rook },
                [Move::Normal { promotion: Some(role), .. }] if piece.role == *role => {
                    Duty::PromotionFinal { square: on, role: *role }
                }
                _ => Duty::Released { from, on },
            };
            self.legal.clone_from(&remaining);
            has_release = true;
            bound = Obligation::Only { moves: remaining, by };
        }
        bound
    }

    /// Returns the legal moves that the touches up to this time allow.
    fn by_touch_until(&self, at: u64, legal: &[Move], touches: &Touches) -> Vec<Move> {
        let context = ObligationContext {
            touched: touches.until(at).groups(self.us),
            us: self.us,
            legal: legal.to_vec(),
            rook_first: self.rook_first,
        };
        match context.by_touch() {
            Obligation::Only { moves, .. } => moves,
            Obligation::Free(_) => context.legal,
        }
    }
}

/// Returns the squares of the touches that satisfy `which`.
fn squares(touches: &[Touch], which: impl Fn(&Touch) -> bool) -> Bitboard {
    touches.iter().filter(|touch| which(touch)).map(|touch| touch.square).collect()
}
