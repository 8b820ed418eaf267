//! Computes the squares that pieces can ever reach, with the pawn walls of the position.
//!
//! The result is an over-approximation: pieces pass through each other, return after a capture, and both players help. Only a piece
//! that can never move nor be captured blocks others, and only such a piece keeps a king off the squares it attacks. The result
//! contains everything that play can reach, by induction over the moves of a line: the first move outside it would need an earlier
//! move outside it. If even this leaves no mate, there is none.

use shakmaty::{Bitboard, Board, Color, Position as Rules, Rank, Role, Square};

/// Squares, one bit each, a1 the lowest.
pub(super) type Squares = u64;

const FILE_A: Squares = 0x0101_0101_0101_0101;
const FILE_H: Squares = FILE_A << 7;

/// A step in one direction: by how many bits, and from which squares it would leave the board sideways.
pub(super) type Direction = (i32, Squares);
/// The eight directions: those of a rook first, then the two captures of a white pawn, then those of a black one.
pub(super) static DIRECTIONS: [Direction; 8] =
    [(8, 0), (-8, 0), (1, FILE_H), (-1, FILE_A), (9, FILE_H), (7, FILE_A), (-7, FILE_H), (-9, FILE_A)];

/// Returns the squares one step away from these squares in one direction.
#[inline]
pub(super) fn step(from: Squares, (by, edge): Direction) -> Squares {
    let from = from & !edge;
    if by > 0 { from << by } else { from >> -by }
}

/// Returns the squares adjacent to these.
#[inline]
pub(super) fn adjacent(from: Squares) -> Squares {
    let beside = (from & !FILE_H) << 1 | (from & !FILE_A) >> 1;
    let row = from | beside;
    beside | row << 8 | row >> 8
}

/// Iterates over the squares one by one.
pub(super) fn iter_squares(mut squares: Squares) -> impl Iterator<Item = Squares> {
    std::iter::from_fn(move || {
        let lowest = squares & squares.wrapping_neg();
        squares &= !lowest;
        (lowest != 0).then_some(lowest)
    })
}

fn bit(square: Square) -> Squares {
    Bitboard::from_square(square).0
}

fn knight(from: Squares) -> Squares {
    let [.., right, left, _, _, _, _] = DIRECTIONS;
    let (one, two) = (step(from, right) | step(from, left), step(step(from, right), right) | step(step(from, left), left));
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// Returns the attacks of a piece from these squares, on lines only the next square: a piece that moves along a line is on each of
/// its squares in turn.
pub(super) fn attack_squares(role: Role, color: Color, from: Squares) -> Squares {
    let steps = |ways: &[Direction]| ways.iter().fold(0, |all, &way| all | step(from, way));
    let (rook, bishop) = DIRECTIONS.split_at(4);
    match (role, color) {
        (Role::Pawn, Color::White) => steps(bishop.split_at(2).0),
        (Role::Pawn, Color::Black) => steps(bishop.split_at(2).1),
        (Role::Knight, _) => knight(from),
        (Role::Bishop, _) => steps(bishop),
        (Role::Rook, _) => steps(rook),
        (Role::Queen | Role::King, _) => adjacent(from),
    }
}

fn forward(color: Color, from: Squares) -> Squares {
    if color.is_white() { from << 8 } else { from >> 8 }
}

fn rank(color: Color, rank: Rank) -> Squares {
    Bitboard::from_rank(color.relative_rank(rank)).0
}

/// A piece of the position, identified by its current square.
#[derive(Clone, Copy)]
pub(super) struct ReachPiece {
    /// Its colour.
    pub color: Color,
    /// Its current type.
    pub role: Role,
    /// Its current square.
    pub home: Squares,
    /// The squares it may reach.
    pub reach: Squares,
    /// The squares it may reach after promotion.
    pub promoted: Squares,
    /// Whether it may have moved or been captured.
    pub may_have_left: bool,
    /// Whether it may have been captured.
    captured: bool,
    /// Whether it is a pawn that may have captured and so left its file.
    may_have_left_file: bool,
    /// The squares where a king's step leaves the opponent without a move: the game ends there, drawn unless the step uncovers a
    /// mate.
    pub stalemating_steps: Squares,
}

impl ReachPiece {
    /// Returns the squares it may reach, promoted or not.
    pub(super) fn all_squares(&self) -> Squares {
        self.reach | self.promoted
    }

    /// Returns the squares it may attack.
    pub(super) fn attacks(&self) -> Squares {
        attack_squares(self.role, self.color, self.reach) | adjacent(self.promoted) | knight(self.promoted)
    }

    fn capture_squares(&self) -> Squares {
        if self.role == Role::Pawn { attack_squares(Role::Pawn, self.color, self.reach) | self.promoted } else { self.reach }
    }

    fn is(&self, color: Color, role: Role) -> bool {
        self.color == color && self.role == role
    }
}

/// The state of a position besides its placement.
pub(super) struct Rights {
    /// Kings and rooks that may castle.
    castling: Bitboard,
    /// The square passed over by a pawn that may be captured en passant.
    en_passant: Option<Square>,
}

impl Rights {
    /// Returns the rights in this position.
    pub(super) fn of<P: Rules>(position: &P) -> Rights {
        let rooks = position.castles().castling_rights();
        let castling =
            Color::ALL.into_iter().map(|color| position.board().by_color(color)).filter(|&pieces| (pieces & rooks).any());
        let kings = castling.fold(Bitboard::EMPTY, |all, pieces| all | pieces & position.board().kings());
        Rights { castling: rooks | kings, en_passant: position.maybe_ep_square() }
    }
}

/// The squares that every piece of a position may reach.
pub(super) struct Reach {
    /// The pieces.
    pub pieces: Vec<ReachPiece>,
}

/// The pieces of one colour that cannot move, and what follows from them.
#[derive(Clone, Copy, Default)]
struct FixedPieces {
    homes: Squares,
    attacked: Squares,
    kings: Squares,
    /// Pawns that block opposing pawns on their file.
    blocking_pawns: Squares,
    /// The squares of pieces that may be captured.
    capturable: Squares,
    /// Whether a piece other than the king has a move.
    moves: bool,
    /// The squares that the king may reach.
    king: Squares,
    /// The targets of the king's next step.
    steps: Squares,
    /// The same when the other king has just gone elsewhere, ignoring what it blocked or guarded.
    replies: Squares,
    /// The squares that the other immovable pieces attack. `pushes`: the squares to which immovable pawns could advance if they
    /// were empty.
    guarded: Squares,
    pushes: Squares,
}

impl Reach {
    /// Computes the squares that each piece can ever reach from this position, whichever player moves first.
    pub(super) fn of(board: &Board, rights: &Rights) -> Reach {
        let pieces = board.iter().map(|(square, piece)| {
            let home = bit(square);
            let passed = rights.en_passant.map_or(0, bit);
            let passes = piece.role == Role::Pawn && forward(piece.color, passed) == home;
            let castles = rights.castling.contains(square);
            // Castling: any square of the first rank, to be conservative.
            let extra = if castles { rank(piece.color, Rank::First) } else { 0 } | if passes { passed } else { 0 };
            ReachPiece {
                color: piece.color,
                role: piece.role,
                home,
                reach: home | extra,
                promoted: 0,
                may_have_left: extra != 0,
                captured: false,
                may_have_left_file: false,
                stalemating_steps: 0,
            }
        });
        let mut reach = Reach { pieces: pieces.collect() };
        while reach.extend() {}
        reach
    }

    fn fixed_pieces(&self, color: Color) -> FixedPieces {
        let mut fixed = FixedPieces::default();
        for piece in self.pieces.iter().filter(|piece| piece.color == color) {
            if !piece.may_have_left {
                fixed.homes |= piece.home;
                fixed.attacked |= attack_squares(piece.role, piece.color, piece.home);
                if piece.role != Role::King {
                    fixed.guarded |= attack_squares(piece.role, piece.color, piece.home);
                    fixed.pushes |= if piece.role == Role::Pawn { forward(piece.color, piece.home) } else { 0 };
                }
            }
            if piece.role == Role::King {
                fixed.kings |= piece.home;
                fixed.king |= piece.reach;
            } else {
                fixed.capturable |= piece.all_squares();
                fixed.moves |= piece.all_squares() != piece.home;
            }
            if piece.role == Role::Pawn && !piece.may_have_left_file && !piece.captured {
                fixed.blocking_pawns |= piece.home;
            }
        }
        fixed
    }

    /// Adds one more move of every piece; returns whether anything changed.
    fn extend(&mut self) -> bool {
        let (mut white, mut black) = (self.fixed_pieces(Color::White), self.fixed_pieces(Color::Black));
        white.set_king_steps(&black);
        black.set_king_steps(&white);
        let (white, black) = (white, black);
        // The squares on which White's pieces may capture, and those on which Black's may.
        let mut captures: [Squares; 2] = [0; 2];
        let mut changed = false;
        for piece in &mut self.pieces {
            let (own, other) = if piece.color.is_white() { (&white, &black) } else { (&black, &white) };
            let before = *piece;
            // A king that never moves is never captured either.
            let open = !(own.homes | other.homes & other.kings);
            match piece.role {
                Role::Pawn => piece.extend_pawn(open, !(own.homes | other.homes), other),
                Role::King => {
                    let steps = own.steps;
                    piece.stalemating_steps =
                        iter_squares(steps & !piece.reach).filter(|&to| !other.can_reply(to)).fold(0, |all, to| all | to);
                    piece.reach |= steps & !piece.stalemating_steps;
                }
                role => piece.reach |= attack_squares(role, piece.color, piece.reach) & open,
            }
            piece.may_have_left |= piece.all_squares() != piece.home;
            changed |= piece.all_squares() != before.all_squares() || piece.may_have_left_file != before.may_have_left_file;
            if let Some(captures) = captures.get_mut(usize::from(piece.color.is_black())) {
                *captures |= piece.capture_squares();
            }
        }
        let [by_white, by_black] = captures;
        for piece in self.pieces.iter_mut().filter(|piece| piece.role != Role::King) {
            let captures = if piece.color.is_white() { by_black } else { by_white };
            let (captured, home_captured) = (captures & piece.all_squares() != 0, captures & piece.home != 0);
            changed |= captured && !piece.captured || home_captured && !piece.may_have_left;
            piece.captured |= captured;
            piece.may_have_left |= home_captured;
        }
        changed
    }

    /// Returns the king of this colour.
    pub(super) fn king(&self, color: Color) -> Option<&ReachPiece> {
        self.pieces.iter().find(|piece| piece.is(color, Role::King))
    }
}

impl ReachPiece {
    fn extend_pawn(&mut self, open: Squares, empty: Squares, other: &FixedPieces) {
        let captures = attack_squares(Role::Pawn, self.color, self.reach) & other.capturable & open;
        let once = forward(self.color, self.reach) & empty;
        let twice = forward(self.color, once & rank(self.color, Rank::Third)) & empty;
        // Pawns that face each other on a file cannot pass: neither reaches the square where the other is now, nor any beyond.
        let blocked = if self.may_have_left_file { 0 } else { self.blocked_squares(other.blocking_pawns) };
        self.may_have_left_file |= captures != 0;
        let new = (once | twice) & !blocked | captures;
        let last = rank(self.color, Rank::Eighth);
        self.reach |= new & !last;
        self.promoted |= new & last;
        self.promoted |= (adjacent(self.promoted) | knight(self.promoted)) & open;
    }

    /// Returns the squares of its file from the nearest of these walls ahead of it onwards.
    fn blocked_squares(&self, walls: Squares) -> Squares {
        let (mut ahead, mut found) = (forward(self.color, self.home), 0);
        while ahead != 0 {
            if walls & ahead != 0 || found != 0 {
                found |= ahead;
            }
            ahead = forward(self.color, ahead);
        }
        found
    }
}

impl FixedPieces {
    fn set_king_steps(&mut self, other: &FixedPieces) {
        let next = adjacent(self.king) & !self.homes;
        self.steps = next & !(other.homes & other.kings | other.attacked);
        self.replies = next & !other.guarded;
        // A piece that the other king blocks has a move as soon as that king is gone.
        self.moves |= (self.guarded | self.pushes) & other.homes & other.kings != 0;
    }

    /// Returns whether this side may have a move left when the other king has gone to `to`.
    fn can_reply(&self, to: Squares) -> bool {
        let covered = to | adjacent(to);
        self.moves || iter_squares(self.king & !covered).any(|king| adjacent(king) & (self.king | self.replies) & !covered != 0)
    }
}
