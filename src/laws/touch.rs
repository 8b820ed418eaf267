//! The obligations that follow from touched pieces (Art. 4.2–4.7), in the article numbers of 2023.
//!
//! A board detects that a piece was lifted and where it was put down, but not the player's intent. The caller decides which touches
//! count: it omits or strikes touches that are clearly accidental (4.2.2) or were announced as an adjustment (4.2.1). This module
//! assumes that all other touches were intended.

mod duty;
mod hands;

pub use crate::laws::edition::RookFirst;
pub use duty::{Duty, Freedom, Obligation};
pub use hands::{HandTracker, TouchThresholds, TouchesBeforeMove};

use crate::laws::{Laws, Move, Position, Topic, edition};
use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Rank, Role, Square};
use std::cmp::Ordering;

/// A touch of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The time, in milliseconds.
    pub at: u64,
    /// The square of the piece before the move began.
    pub square: Square,
    /// The piece, of either player.
    pub piece: Piece,
}

/// A release: the player who has the move let go of one of their own pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The time, in milliseconds.
    pub at: u64,
    /// The square of the piece before the move began; after a promotion, that of the pawn.
    pub from: Square,
    /// The square on which it was released.
    pub on: Square,
    /// The released piece; after a promotion, the new piece.
    pub piece: Piece,
}

/// The touches and releases of the player who has the move, since the turn began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    touched: Vec<Touch>,
    released: Vec<Release>,
    /// Promotion pieces that have touched the last rank, released or not.
    promoted: Vec<Release>,
    unclear_ms: u64,
}

/// The rules on touched pieces in which editions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchRules {
    /// Whether touched pieces must be moved or captured.
    pub touched: TouchBinding,
    /// Whether the choice of the promotion piece can be changed.
    pub promotion: Promotion,
    /// The effect on castling of a rook that was touched before the king; `None` if the edition does not say.
    pub rook_first: Option<RookFirst>,
    /// What happens to a pawn that was left on the last rank.
    pub pawn_left: PawnLeft,
}

/// Whether touched pieces must be moved or captured (4.3–4.5, 4.4.1, 4.4.2, 4.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchBinding {
    /// Touched pieces must be moved or captured.
    Bind,
    /// The available text does not say. After castling that is illegal, or was begun with the rook, the king must still move
    /// (1973, Section 6).
    Unsaid,
}

/// Whether the choice of the promotion piece can be changed (4.4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// The choice is final when the new piece has touched the square of promotion.
    Final,
    /// The available text does not say.
    Unsaid,
}

/// What happens to a pawn that was on the last rank when the clock was pressed (7.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PawnLeft {
    /// The pawn is replaced by a queen (since 2014).
    Queen,
    /// The move is retracted, and the pawn is promoted on that square to any piece (2009: 7.4a and 4.6c).
    TakenBack,
}

/// The rules of the Laws of 2023.
impl Default for TouchRules {
    fn default() -> Self {
        TouchRules {
            touched: TouchBinding::Bind,
            promotion: Promotion::Final,
            rook_first: Some(RookFirst::BarsThatSide),
            pawn_left: PawnLeft::Queen,
        }
    }
}

impl TouchRules {
    /// Returns the rules of these Laws.
    pub fn of(laws: &Laws) -> TouchRules {
        let rules = laws.rules();
        TouchRules {
            touched: if laws.article(Topic::TouchOwn).is_some() { TouchBinding::Bind } else { TouchBinding::Unsaid },
            promotion: if laws.article(Topic::PromotionFinal).is_some() { Promotion::Final } else { Promotion::Unsaid },
            rook_first: rules.rook_first,
            pawn_left: if rules.pawn_left == Some(edition::PawnLeft::Queen) { PawnLeft::Queen } else { PawnLeft::TakenBack },
        }
    }
}

impl Touches {
    /// Creates an empty set of touches. Touches at the same time, or less than `unclear_ms` milliseconds apart, are one touch of
    /// several pieces. In such a group the player's own pieces count as touched first (4.3.3), and the king before the rook (2014,
    /// 4.4c: both at once). Among pieces for which no article gives an order, the player chooses.
    pub fn new(unclear_ms: u64) -> Touches {
        Touches { unclear_ms, ..Touches::default() }
    }

    /// Derives the touches from a move, for use when nothing else is known: the moved piece first, then the captured piece; in
    /// castling the king before the rook; then the releases. The move may be legal or not (7.5.1).
    pub fn of_move(position: &Position, mv: Move) -> Touches {
        let mut touches = Touches::default();
        let mover = position.mover(mv);
        let mut touch = |at, square: Option<Square>| {
            if let Some((square, piece)) = square.and_then(|square| Some((square, position.piece_at(square)?))) {
                touches.touch(at, square, piece);
            }
        };
        touch(0, mv.from());
        touch(1, if let Move::Castle { rook, .. } = mv { Some(rook) } else { capture_square(mv) });
        match mv {
            Move::Normal { role, from, to, promotion, .. } => {
                touches.release(2, from, to, promotion.unwrap_or(role).of(mover));
            }
            Move::EnPassant { from, to } => touches.release(2, from, to, Role::Pawn.of(mover)),
            Move::Castle { king, rook } => {
                let [king_to, rook_to] = castled(king, rook);
                touches.release(2, king, king_to, Role::King.of(mover));
                touches.release(3, rook, rook_to, Role::Rook.of(mover));
            }
            Move::Put { .. } => {}
        }
        touches
    }

    /// Records a touch of a piece of either player, by its square before the move began. Further touches of the same piece are
    /// ignored.
    pub fn touch(&mut self, at: u64, square: Square, piece: Piece) {
        if !self.touched.iter().any(|touch| touch.square == square) {
            self.touched.push(Touch { at, square, piece });
        }
    }

    /// Records that the player released a piece on this square. Callers must also report pieces that the player then moved further:
    /// the first release that is a legal move, or a part of one, is binding (4.7).
    pub fn release(&mut self, at: u64, from: Square, on: Square, piece: Piece) {
        self.released.push(Release { at, from, on, piece });
        self.released.sort_by_key(|release| release.at);
    }

    /// Records that a piece that replaces the pawn from `from` touched this square of the last rank. This makes the choice final,
    /// whether or not the piece was released (4.4.4).
    pub fn promote(&mut self, at: u64, from: Square, on: Square, piece: Piece) {
        self.promoted.push(Release { at, from, on, piece });
    }

    /// Removes the touches of the piece that was on this square before the move: it was adjusted, or brushed by accident (4.2).
    pub fn strike(&mut self, square: Square) {
        self.touched.retain(|touch| touch.square != square);
        self.released.retain(|release| release.from != square);
        self.promoted.retain(|contact| contact.from != square);
    }

    /// Returns whether nothing else was touched after, or together with, the piece that was on this square before the move.
    fn is_last(&self, square: Square) -> bool {
        let at = self.touched.iter().find(|touch| touch.square == square).map_or(0, |touch| touch.at);
        let earlier = |touch: &Touch| touch.at < at && at - touch.at >= self.unclear_ms;
        self.touched.iter().all(|touch| touch.square == square || earlier(touch))
    }

    /// Returns the touches in the order in which they count for the player who has the move.
    pub fn touched(&self, turn: Color) -> Vec<Touch> {
        self.groups(turn).concat()
    }

    /// Returns the touches in the same order, grouped: the pieces of one touch are together.
    fn groups(&self, turn: Color) -> Vec<Vec<Touch>> {
        let mut touched = self.touched.clone();
        touched.sort_by_key(|touch| touch.at);
        let rank = |touch: &Touch| match (touch.piece.color == turn, touch.piece.role) {
            (true, Role::King) => 0,
            (true, _) => 1,
            (false, _) => 2,
        };
        let mut groups: Vec<Vec<Touch>> = Vec::new();
        for touch in touched {
            let together = |first: &Touch| touch.at == first.at || touch.at - first.at < self.unclear_ms;
            match groups.last_mut() {
                Some(group) if group.first().is_some_and(together) => group.push(touch),
                _ => groups.push(vec![touch]),
            }
        }
        groups.iter_mut().for_each(|group| group.sort_by_key(rank));
        groups
    }

    /// Returns the releases, ordered by time.
    pub fn released(&self) -> &[Release] {
        &self.released
    }

    /// Returns whether nothing was touched.
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty() && self.released.is_empty() && self.promoted.is_empty()
    }
}

/// Returns which moves the player who has the move may still play. There is always at least one if there are legal moves.
pub fn obligation(position: &Position, touches: &Touches, rules: TouchRules) -> Obligation {
    let legal: Vec<Move> = position.legal_moves().into_iter().collect();
    let us = position.turn();
    let mut context = ObligationContext { touched: touches.groups(us), us, legal: legal.clone(), rook_first: rules.rook_first };
    let bound = match rules.touched {
        TouchBinding::Bind => context.by_touch(),
        TouchBinding::Unsaid => return context.by_castling(touches),
    };
    if let Obligation::Only { moves, .. } = &bound {
        context.legal.clone_from(moves);
    }
    context.by_release(bound, &legal, touches, rules)
}

/// Returns the obligation for the move that replaces an illegal one, after the illegal move was completed by pressing the clock and
/// was retracted (7.5.1, 7.5.2).
pub fn obligation_restored(position: &Position, touches: &Touches, rules: TouchRules) -> Obligation {
    let bound = obligation(position, touches, rules);
    let moves = bound.moves(position);
    let queening = touches.released().iter().find_map(|release| {
        let is_queening = |mv: &Move| {
            release.piece.role == Role::Pawn
                && mv.from() == Some(release.from)
                && mv.to() == release.on
                && mv.promotion() == Some(Role::Queen)
        };
        moves.iter().copied().find(is_queening).map(|mv| (mv, release.on))
    });
    match queening {
        Some((mv, square)) if rules.pawn_left == PawnLeft::Queen => {
            Obligation::Only { moves: vec![mv], by: Duty::PawnBecomesQueen { square } }
        }
        _ => bound,
    }
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
        Obligation::Free(if self.touched.is_empty() { Freedom::NothingTouched } else { Freedom::NoneCan })
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
                Obligation::Free(Freedom::Unsaid)
            }
            // If touching the rook first only bars castling on that side, Art. 4.3.1 decides which piece must move. Its text is not
            // available.
            Some(Obligation::Only { by: Duty::KingAfterRook { .. }, .. })
                if self.rook_first != Some(RookFirst::KingMustBeFirst) =>
            {
                Obligation::Free(Freedom::Unsaid)
            }
            Some(bound) => bound,
        }
    }

    /// Applies Art. 4.7 and 4.4.4: a piece that was released as a legal move, or a part of one, must stay. For a promotion piece,
    /// contact with the square is enough. Later touches have no effect.
    fn by_release(mut self, mut bound: Obligation, legal: &[Move], touches: &Touches, rules: TouchRules) -> Obligation {
        let mut has_release = false;
        let contacts = touches.promoted.iter().filter(|_| rules.promotion == Promotion::Final);
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
                    let chosen = piece.role == Role::Pawn || piece.role == role || rules.promotion == Promotion::Unsaid;
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
        let mut until = touches.clone();
        until.touched.retain(|touch| touch.at <= at);
        let context = ObligationContext {
            touched: until.groups(self.us),
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

/// Returns the square of the piece that a move captures.
pub(crate) fn capture_square(mv: Move) -> Option<Square> {
    match mv {
        Move::Normal { capture: Some(_), to, .. } => Some(to),
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => None,
    }
}

/// Returns whether castling moves the king to the file of this square, and whether it moves the rook there.
fn castling_squares(square: Square) -> [bool; 2] {
    [matches!(square.file(), File::C | File::G), matches!(square.file(), File::D | File::F)]
}

/// Returns the squares of king and rook after castling.
fn castled(king: Square, rook: Square) -> [Square; 2] {
    let side = CastlingSide::from_queen_side(rook.cmp(&king) == Ordering::Less);
    [side.king_to_file(), side.rook_to_file()].map(|file| Square::from_coords(file, king.rank()))
}
