//! Derives which pieces a hand touched and released from squares that become empty and occupied.

use super::geometry::capture_square;
use super::touches::{Release, Touches};
use crate::laws::{Changes, Move, Position};
use shakmaty::{Color, Piece, Rank, Role, Square};

/// Thresholds for touches and releases, in milliseconds. A board that scans its squares in turn measures each interval too long or
/// too short by up to one scan period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchThresholds {
    /// A piece that returns to its square in less time was brushed or adjusted, not touched (4.2).
    pub brushed_ms: u64,
    /// A piece that leaves a square again in less time was slid over it, not released there (4.7).
    pub passed_ms: u64,
    /// The order of touches that are less than this apart is not clear; see [`Touches::new`].
    pub unclear_ms: u64,
}

/// Tracks what the player who has the move touched and released since the turn began.
#[derive(Clone, Debug)]
pub struct HandTracker {
    us: Color,
    thresholds: TouchThresholds,
    /// The start and target squares of the legal moves.
    legal: Vec<(Square, Square)>,
    /// The piece on each square.
    board: [Option<TrackedPiece>; 64],
    /// The pieces in the air, in the order in which they were lifted.
    held: Vec<TrackedPiece>,
    touches: Touches,
    /// The touches under the assumption that nothing was brushed or adjusted.
    contacts: Touches,
    /// Original squares of pieces that were definitely touched: these touches are never removed.
    confirmed: Vec<Square>,
}

/// The touches of a player before their move appeared on the board.
#[derive(Clone, Debug)]
pub struct TouchesBeforeMove {
    /// The touches without pieces that were brushed or adjusted.
    pub touches: Touches,
    /// The touches under the assumption that nothing was brushed or adjusted: intent cannot be detected.
    pub contacts: Touches,
}

/// A piece, on the board or in the air.
#[derive(Clone, Copy, Debug)]
struct TrackedPiece {
    piece: Piece,
    /// Its square before the move began.
    from: Square,
    /// The time at which it left that square; `None` if it has not.
    lifted_at: Option<u64>,
    /// The time at which it came to its current square.
    placed_at: u64,
    /// Whether it replaces a pawn.
    promoted: bool,
}

impl HandTracker {
    /// Creates a tracker for a turn in which nothing has been touched yet.
    pub fn new(position: &Position, thresholds: TouchThresholds) -> HandTracker {
        let on_board = std::array::from_fn(|index| {
            let from = Square::new(index as u32);
            position.piece_at(from).map(|piece| TrackedPiece { piece, from, lifted_at: None, placed_at: 0, promoted: false })
        });
        let legal = position.legal_moves().iter().filter_map(|mv| Some((mv.from()?, mv.to()))).collect();
        let touches = Touches::new(thresholds.unclear_ms);
        let contacts = touches.clone();
        HandTracker {
            us: position.turn(),
            thresholds,
            legal,
            board: on_board,
            held: Vec::new(),
            touches,
            contacts,
            confirmed: Vec::new(),
        }
    }

    /// Handles a square that became empty.
    pub fn lifted(&mut self, at: u64, square: Square) {
        if let Some(tracked) = self.board[square as usize] {
            self.promote(square, &tracked);
        }
        self.take_up(at, square);
    }

    /// Moves the piece on a square into the hand.
    fn take_up(&mut self, at: u64, square: Square) {
        let Some(tracked) = self.board[square as usize].take() else { return };
        if let Some(release) = self.release(at, square, &tracked) {
            for touches in [&mut self.touches, &mut self.contacts] {
                touches.release(release.at, release.from, release.on, release.piece);
            }
            self.promote(square, &tracked);
            self.confirmed.push(tracked.from);
        }
        for touches in [&mut self.touches, &mut self.contacts] {
            touches.touch(at, tracked.from, tracked.piece);
        }
        self.held.push(TrackedPiece { lifted_at: tracked.lifted_at.or(Some(at)), ..tracked });
    }

    /// Handles a square that became occupied; `piece` is `None` if the board does not identify it. A piece that was there before
    /// was lifted without an edge.
    pub fn put(&mut self, at: u64, square: Square, piece: Option<Piece>) {
        if let (Some(tracked), Some(piece)) = (self.board[square as usize], piece)
            && (tracked.promoted, tracked.piece.color) == (true, piece.color)
            && self.release(at, square, &tracked).is_none()
        {
            // A hand cannot exchange pieces that fast: the board had identified the piece incorrectly.
            self.board[square as usize] = Some(TrackedPiece { piece, placed_at: at, ..tracked });
            return;
        }
        self.take_up(at, square);
        let captured = self.held.pop_if(|tracked| tracked.from == square && piece.is_some_and(|piece| piece != tracked.piece));
        let index = self.likeliest(square, piece);
        let Some(tracked) = index.map(|index| self.held.remove(index)).or_else(|| self.promoting(at, square, piece)) else {
            return;
        };
        self.held.extend(captured);
        if tracked.from != square {
            let promoted = tracked.promoted || piece.is_some_and(|piece| piece.role != tracked.piece.role);
            self.board[square as usize] =
                Some(TrackedPiece { piece: piece.unwrap_or(tracked.piece), placed_at: at, promoted, ..tracked });
            return;
        }
        // The piece is back on its square.
        self.board[square as usize] = Some(TrackedPiece { lifted_at: None, placed_at: at, ..tracked });
        let away = at.saturating_sub(tracked.lifted_at.unwrap_or(at));
        if away >= self.thresholds.brushed_ms {
            self.confirmed.push(square);
        } else if !self.confirmed.contains(&square) {
            self.touches.remove(square);
        }
    }

    /// Returns the pawn that this promotion piece replaces, if no pawn is in the hand yet and only one pawn can reach the square
    /// (4.6: in any order).
    fn promoting(&self, at: u64, square: Square, piece: Option<Piece>) -> Option<TrackedPiece> {
        let last = self.us.relative_rank(Rank::Eighth);
        let piece = piece.filter(|piece| piece.color == self.us && piece.role != Role::Pawn && square.rank() == last)?;
        let is_home_pawn = |from: &Square| {
            let tracked = self.board[*from as usize];
            tracked.is_some_and(|tracked| tracked.piece == Role::Pawn.of(piece.color) && tracked.from == *from)
        };
        let mut pawns = self.legal.iter().filter(|(_, to)| *to == square).map(|(from, _)| *from).filter(is_home_pawn);
        let from = pawns.next()?;
        // The four promotions of one pawn are four legal moves.
        let is_only_pawn = pawns.all(|other| other == from);
        is_only_pawn.then_some(TrackedPiece {
            piece: Role::Pawn.of(piece.color),
            from,
            lifted_at: Some(at),
            placed_at: at,
            promoted: true,
        })
    }

    /// Records that a promotion piece has touched the last rank (4.4.4).
    fn promote(&mut self, square: Square, tracked: &TrackedPiece) {
        if tracked.promoted {
            self.touches.promote(tracked.placed_at, tracked.from, square, tracked.piece);
            self.contacts.promote(tracked.placed_at, tracked.from, square, tracked.piece);
            self.confirmed.push(tracked.from);
        }
    }

    /// Returns the index in `held` of the piece that was most likely put down there: first the piece that came from this square,
    /// then a piece that can move there, then the one lifted last.
    fn likeliest(&self, square: Square, piece: Option<Piece>) -> Option<usize> {
        let fits = |tracked: &TrackedPiece| match piece {
            Some(piece) => tracked.piece == piece,
            None => tracked.piece.color == self.us || tracked.from == square,
        };
        let rank = |tracked: &TrackedPiece| (tracked.from == square, self.legal.contains(&(tracked.from, square)));
        let held = || self.held.iter().enumerate();
        let best = held().filter(|(_, tracked)| fits(tracked)).max_by_key(|(index, tracked)| (rank(tracked), *index));
        // A pawn that was promoted.
        let pawn = || piece.and_then(|piece| held().rfind(|(_, tracked)| tracked.piece == Role::Pawn.of(piece.color)));
        let any = || held().next_back().filter(|_| piece.is_none());
        best.or_else(pawn).or_else(any).map(|(index, _)| index)
    }

    /// Returns the touches up to `now`.
    pub fn touches(&self, now: u64) -> Touches {
        self.with_standing(now, &self.touches)
    }

    /// Returns the touches up to `now`, under the assumption that nothing was brushed or adjusted.
    pub fn contacts(&self, now: u64) -> Touches {
        self.with_standing(now, &self.contacts)
    }

    /// Adds the releases of the pieces that are on the board now.
    fn with_standing(&self, now: u64, touches: &Touches) -> Touches {
        let mut touches = touches.clone();
        for (square, tracked) in
            Square::ALL.into_iter().filter_map(|square| Some((square, self.board[square as usize].as_ref()?)))
        {
            if let Some(release) = self.release(now, square, tracked) {
                touches.release(release.at, release.from, release.on, release.piece);
            }
            if tracked.promoted {
                touches.promote(tracked.placed_at, tracked.from, square, tracked.piece);
            }
        }
        touches
    }

    /// Returns the touches that bound the player when they made this move, which was complete by `now`. Excludes the last touch and
    /// the releases that only made the move, pieces that the opponent already holds or has moved in reply, and a piece that was
    /// bumped on the way and is not back yet.
    pub fn touches_before_move(&self, now: u64, mv: Move) -> TouchesBeforeMove {
        TouchesBeforeMove {
            touches: self.bound_before(now, mv, self.touches(now)),
            contacts: self.bound_before(now, mv, self.contacts(now)),
        }
    }

    fn bound_before(&self, now: u64, mv: Move, mut touches: Touches) -> Touches {
        let changes = Changes::of(self.us, mv);
        touches.retain_releases(|release| !changes.iter().any(|change| change == (release.on, Some(release.piece))));
        let is_moved = |from: Square| match mv {
            Move::Castle { king, rook } => [king, rook].contains(&from),
            _ => mv.from() == Some(from),
        };
        let on_board =
            self.board.iter().flatten().filter(|tracked| tracked.lifted_at.is_some()).map(|tracked| (tracked, false));
        for (tracked, in_hand) in on_board.chain(self.held.iter().map(|tracked| (tracked, true))) {
            let away = now.saturating_sub(tracked.lifted_at.unwrap_or(now));
            let counts = if tracked.piece.color != self.us {
                capture_square(mv) == Some(tracked.from)
            } else if is_moved(tracked.from) {
                // In castling, the order of king and rook matters.
                mv.is_castle() || !touches.is_last(tracked.from)
            } else {
                !in_hand || away >= self.thresholds.brushed_ms
            };
            if !counts && !self.confirmed.contains(&tracked.from) {
                touches.remove(tracked.from);
            }
        }
        touches
    }

    /// Returns the release of a piece on its current square, if it has moved there and has rested for at least `passed_ms`.
    fn release(&self, now: u64, square: Square, tracked: &TrackedPiece) -> Option<Release> {
        let rested = now.saturating_sub(tracked.placed_at) >= self.thresholds.passed_ms;
        let moved = tracked.lifted_at.is_some() && tracked.from != square && tracked.piece.color == self.us;
        (moved && rested).then_some(Release { at: tracked.placed_at, from: tracked.from, on: square, piece: tracked.piece })
    }
}
