//! Which pieces a hand touched and let go, from squares that are emptied and filled.

use super::{Release, Touches, taken_by};
use crate::laws::{Changes, Move, Position};
use shakmaty::{Color, Piece, Rank, Role, Square};

/// What counts as touched, and as let go. Milliseconds; a board that looks at its squares in turn sees each time longer or
/// shorter than it was, by up to a round of its scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Care {
    /// A piece that is back on its square sooner was brushed or adjusted, and not touched (4.2).
    pub brushed_ms: u64,
    /// A piece that is lifted again sooner was slid over the square, and not let go there (4.7).
    pub passed_ms: u64,
    /// Touches less than this apart came in an order that is not clear: see [`Touches::new`].
    pub unclear_ms: u64,
}

/// The hands of the player who has the move, since it is his.
#[derive(Clone, Debug)]
pub struct Hands {
    us: Color,
    care: Care,
    /// From where to where the legal moves lead.
    legal: Vec<(Square, Square)>,
    /// What stands on each square.
    stands: [Option<Man>; 64],
    /// What is in the air, in the order in which it was lifted.
    held: Vec<Man>,
    touches: Touches,
    /// What would be touched if nothing had been brushed or adjusted.
    contacts: Touches,
    /// Squares of pieces that were truly touched, whatever becomes of them.
    firm: Vec<Square>,
}

/// What a player touched before a move of theirs came on the board.
#[derive(Clone, Debug)]
pub struct Before {
    /// What was touched, and not brushed or adjusted.
    pub touches: Touches,
    /// What was touched if nothing was brushed or adjusted: intent cannot be seen.
    pub contacts: Touches,
}

/// A piece, wherever it is now.
#[derive(Clone, Copy, Debug)]
struct Man {
    piece: Piece,
    /// Where it stood before the move began.
    from: Square,
    /// When it left that square; `None`: it has not.
    left: Option<u64>,
    /// When it came to where it stands.
    came: u64,
    /// It stands in place of a pawn.
    promoted: bool,
}

impl Hands {
    /// Nothing is touched yet.
    pub fn new(position: &Position, care: Care) -> Hands {
        let stands = std::array::from_fn(|index| {
            let from = Square::new(index as u32);
            position.piece_at(from).map(|piece| Man { piece, from, left: None, came: 0, promoted: false })
        });
        let legal = position.legal_moves().iter().filter_map(|mv| Some((mv.from()?, mv.to()))).collect();
        let touches = Touches::new(care.unclear_ms);
        let contacts = touches.clone();
        Hands { us: position.turn(), care, legal, stands, held: Vec::new(), touches, contacts, firm: Vec::new() }
    }

    /// A square was emptied.
    pub fn lifted(&mut self, at: u64, square: Square) {
        if let Some(man) = self.stands[square as usize] {
            self.promote(square, &man);
        }
        self.take_up(at, square);
    }

    /// What stands on a square leaves it.
    fn take_up(&mut self, at: u64, square: Square) {
        let Some(man) = self.stands[square as usize].take() else { return };
        if let Some(release) = self.release(at, square, &man) {
            for touches in [&mut self.touches, &mut self.contacts] {
                touches.release(release.at, release.from, release.on, release.piece);
            }
            self.promote(square, &man);
            self.firm.push(man.from);
        }
        for touches in [&mut self.touches, &mut self.contacts] {
            touches.touch(at, man.from, man.piece);
        }
        self.held.push(Man { left: man.left.or(Some(at)), ..man });
    }

    /// Something stands on a square; `None`: the board does not tell what. What stood there before was lifted unseen.
    pub fn put(&mut self, at: u64, square: Square, piece: Option<Piece>) {
        if let (Some(man), Some(piece)) = (self.stands[square as usize], piece)
            && (man.promoted, man.piece.color) == (true, piece.color)
            && self.release(at, square, &man).is_none()
        {
            // A hand does not exchange pieces that fast: the board had taken it for another one.
            self.stands[square as usize] = Some(Man { piece, came: at, ..man });
            return;
        }
        self.take_up(at, square);
        let taken = self.held.pop_if(|man| man.from == square && piece.is_some_and(|piece| piece != man.piece));
        let index = self.likeliest(square, piece);
        let Some(man) = index.map(|index| self.held.remove(index)).or_else(|| self.promoting(at, square, piece)) else {
            return;
        };
        self.held.extend(taken);
        if man.from != square {
            let promoted = man.promoted || piece.is_some_and(|piece| piece.role != man.piece.role);
            self.stands[square as usize] = Some(Man { piece: piece.unwrap_or(man.piece), came: at, promoted, ..man });
            return;
        }
        // It is back.
        self.stands[square as usize] = Some(Man { left: None, came: at, ..man });
        let away = at.saturating_sub(man.left.unwrap_or(at));
        if away >= self.care.brushed_ms {
            self.firm.push(square);
        } else if !self.firm.contains(&square) {
            self.touches.strike(square);
        }
    }

    /// The pawn that such a piece replaces where none is in the hand yet, if only one can come there (4.6: in any order).
    fn promoting(&self, at: u64, square: Square, piece: Option<Piece>) -> Option<Man> {
        let last = self.us.relative_rank(Rank::Eighth);
        let piece = piece.filter(|piece| piece.color == self.us && piece.role != Role::Pawn && square.rank() == last)?;
        let stands = |from: &Square| {
            let man = self.stands[*from as usize];
            man.is_some_and(|man| man.piece == Role::Pawn.of(piece.color) && man.from == *from)
        };
        let mut pawns = self.legal.iter().filter(|(_, to)| *to == square).map(|(from, _)| *from).filter(stands);
        let from = pawns.next()?;
        // Its four promotions are four legal moves.
        let alone = pawns.all(|other| other == from);
        alone.then_some(Man { piece: Role::Pawn.of(piece.color), from, left: Some(at), came: at, promoted: true })
    }

    /// What stands in place of a pawn has touched the last rank (4.4.4).
    fn promote(&mut self, square: Square, man: &Man) {
        if man.promoted {
            self.touches.promote(man.came, man.from, square, man.piece);
            self.contacts.promote(man.came, man.from, square, man.piece);
            self.firm.push(man.from);
        }
    }

    /// Which of the pieces in the air came down there: the one that stood there, one that can move there, the last one lifted.
    fn likeliest(&self, square: Square, piece: Option<Piece>) -> Option<usize> {
        let fits = |man: &Man| match piece {
            Some(piece) => man.piece == piece,
            None => man.piece.color == self.us || man.from == square,
        };
        let rank = |man: &Man| (man.from == square, self.legal.contains(&(man.from, square)));
        let held = || self.held.iter().enumerate();
        let best = held().filter(|(_, man)| fits(man)).max_by_key(|(index, man)| (rank(man), *index));
        // A pawn that became something else.
        let pawn = || piece.and_then(|piece| held().rfind(|(_, man)| man.piece == Role::Pawn.of(piece.color)));
        let any = || held().next_back().filter(|_| piece.is_none());
        best.or_else(pawn).or_else(any).map(|(index, _)| index)
    }

    /// What this amounts to by now.
    pub fn touches(&self, now: u64) -> Touches {
        self.with_standing(now, &self.touches)
    }

    /// The same if nothing was brushed or adjusted.
    pub fn contacts(&self, now: u64) -> Touches {
        self.with_standing(now, &self.contacts)
    }

    /// These, and where pieces stand now that were let go there.
    fn with_standing(&self, now: u64, touches: &Touches) -> Touches {
        let mut touches = touches.clone();
        for (square, man) in Square::ALL.into_iter().filter_map(|square| Some((square, self.stands[square as usize].as_ref()?)))
        {
            if let Some(release) = self.release(now, square, man) {
                touches.release(release.at, release.from, release.on, release.piece);
            }
            if man.promoted {
                touches.promote(man.came, man.from, square, man.piece);
            }
        }
        touches
    }

    /// What bound the player when he made this move, which was seen by now: what he touched last, and where he let go, only to make
    /// it does not. Nor does what his opponent holds already, or has moved in reply, or a piece bumped on the way that is not back
    /// yet.
    pub fn before(&self, now: u64, mv: Move) -> Before {
        Before {
            touches: self.bound_before(now, mv, self.touches(now)),
            contacts: self.bound_before(now, mv, self.contacts(now)),
        }
    }

    fn bound_before(&self, now: u64, mv: Move, mut touches: Touches) -> Touches {
        let changes = Changes::of(self.us, mv);
        touches.released.retain(|release| !changes.iter().any(|change| change == (release.on, Some(release.piece))));
        let moves = |from: Square| match mv {
            Move::Castle { king, rook } => [king, rook].contains(&from),
            _ => mv.from() == Some(from),
        };
        let standing = self.stands.iter().flatten().filter(|man| man.left.is_some()).map(|man| (man, false));
        for (man, in_hand) in standing.chain(self.held.iter().map(|man| (man, true))) {
            let away = now.saturating_sub(man.left.unwrap_or(now));
            let counts = if man.piece.color != self.us {
                taken_by(mv) == Some(man.from)
            } else if moves(man.from) {
                // In castling it matters which of the two was first.
                mv.is_castle() || !touches.is_last(man.from)
            } else {
                !in_hand || away >= self.care.brushed_ms
            };
            if !counts && !self.firm.contains(&man.from) {
                touches.strike(man.from);
            }
        }
        touches
    }

    /// Where it stands it was let go, if it is not where it stood before and has stood there long enough.
    fn release(&self, now: u64, square: Square, man: &Man) -> Option<Release> {
        let rested = now.saturating_sub(man.came) >= self.care.passed_ms;
        let moved = man.left.is_some() && man.from != square && man.piece.color == self.us;
        (moved && rested).then_some(Release { at: man.came, from: man.from, on: square, piece: man.piece })
    }
}
