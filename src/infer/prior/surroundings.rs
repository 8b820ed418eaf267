//! What all moves of one position have in common: which squares are attacked, what is threatened, which pawns are passed.

use super::RecentMoves;
use crate::laws::Position;
use shakmaty::{Bitboard, Board, Color, File, Move, Rank, Role, Square, attacks};
use std::cmp::Reverse;

/// The value of each role in pawns, in the order of [`Role`]. A king is worth more than anything that could be won for it.
pub(super) const VALUES: [i32; 6] = [1, 3, 3, 5, 9, 99];

/// The value of a role in pawns.
pub(super) fn value(role: Role) -> i32 {
    VALUES[role as usize - 1]
}

/// A stage of the game, by the material and by the undeveloped pieces of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Opening,
    Middlegame,
    Endgame,
}

/// The squares that one side attacks.
#[derive(Clone, Copy, Default)]
pub(super) struct Attacks {
    /// Attacked at least once.
    pub any: Bitboard,
    /// Attacked at least twice.
    pub twice: Bitboard,
    /// The three bits of the least valuable attacker's number, see [`Attacks::least`].
    least: [Bitboard; 3],
}

impl Attacks {
    /// Adds the attacks of one piece. Pieces come from the least valuable to the most valuable.
    fn add(&mut self, role: Role, attacked: Bitboard) {
        let fresh = attacked & !self.any;
        for (bit, plane) in self.least.iter_mut().enumerate() {
            if role as usize >> bit & 1 == 1 {
                *plane |= fresh;
            }
        }
        self.twice |= self.any & attacked;
        self.any |= attacked;
    }

    /// Returns the number of the least valuable attacker of a square: 1 for a pawn … 6 for a king, 0 for none.
    pub(super) fn least(&self, square: Square) -> usize {
        let bit = |plane: Bitboard| usize::from(plane.contains(square));
        bit(self.least[0]) | bit(self.least[1]) << 1 | bit(self.least[2]) << 2
    }
}

/// A piece of the player to move that the opponent could win.
#[derive(Clone, Copy)]
pub(super) struct ThreatenedPiece {
    pub square: Square,
    pub role: Role,
    /// How much the opponent would win, in pawns.
    pub loss: i32,
}

/// A position, seen by the player to move.
pub(super) struct Surroundings<'a> {
    pub board: &'a Board,
    pub us: Color,
    pub ours: Bitboard,
    pub theirs: Bitboard,
    pub phase: Phase,
    pub is_check: bool,
    pub our_attacks: Attacks,
    pub their_attacks: Attacks,
    /// The squares that each piece of the player to move attacks.
    pub attacked_from: [Bitboard; 64],
    pub their_king: Option<Square>,
    pub our_king: Option<Square>,
    /// The kings and the squares next to them.
    pub their_king_zone: Bitboard,
    pub our_king_zone: Bitboard,
    /// Pieces of the player to move whose move opens a line to the opponent's king.
    pub discoverers: Bitboard,
    /// The two pieces that would lose most.
    pub threatened: [Option<ThreatenedPiece>; 2],
    /// Attacked pieces of the player to move that are defended once.
    pub defended_once: Bitboard,
    /// The squares that the opponent's pawns attack after one of them has advanced by one square.
    pub pushed_attacks: Bitboard,
    /// Whether the player to move may still castle.
    pub may_castle: bool,
    /// Material, more of the player to move: 0 less, 1 equal, 2 more.
    pub balance: usize,
    pub last: Option<Move>,
    pub recent: &'a RecentMoves,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(position: &'a Position, recent: &'a RecentMoves) -> Surroundings<'a> {
        let (board, us) = (position.board(), position.turn());
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let mut attacked_from = [Bitboard::EMPTY; 64];
        let mut our_attacks = Attacks::default();
        let mut their_attacks = Attacks::default();
        for role in Role::ALL {
            for square in board.by_role(role) {
                let is_ours = ours.contains(square);
                let piece = role.of(if is_ours { us } else { !us });
                let attacked = attacks::attacks(square, piece, board.occupied());
                if is_ours {
                    attacked_from[square.to_usize()] = attacked;
                    our_attacks.add(role, attacked);
                } else {
                    their_attacks.add(role, attacked);
                }
            }
        }
        let (their_king, our_king) = (board.king_of(!us), board.king_of(us));
        let zone = |king: Option<Square>| king.map_or(Bitboard::EMPTY, |king| attacks::king_attacks(king).with(king));
        let valued = |side: Bitboard| {
            let count = |role: Role| (board.by_role(role) & side).count() as i32;
            Role::ALL.into_iter().filter(|role| *role != Role::King).map(|role| value(role) * count(role)).sum::<i32>()
        };
        let balance = valued(ours) - valued(theirs);
        let mut surroundings = Surroundings {
            board,
            us,
            ours,
            theirs,
            phase: phase(board, us),
            is_check: our_king.is_some_and(|king| their_attacks.any.contains(king)),
            our_attacks,
            their_attacks,
            attacked_from,
            their_king,
            our_king,
            their_king_zone: zone(their_king),
            our_king_zone: zone(our_king),
            discoverers: their_king.map_or(Bitboard::EMPTY, |king| discoverers(board, us, king)),
            threatened: [None; 2],
            defended_once: ours & their_attacks.any & our_attacks.any & !our_attacks.twice & !board.kings(),
            pushed_attacks: pushed_attacks(board, !us),
            may_castle: [shakmaty::CastlingSide::KingSide, shakmaty::CastlingSide::QueenSide]
                .into_iter()
                .any(|side| position.castling_rook(us, side).is_some()),
            balance: if balance < 0 { 0 } else { 1 + usize::from(balance > 0) },
            last: recent.last(),
            recent,
        };
        surroundings.find_threats();
        surroundings
    }

    /// Returns whether a piece of this value is safe on a square. Only the first exchange is considered.
    pub(super) fn is_safe(&self, role: Role, least: usize, defended: bool) -> bool {
        match least.checked_sub(1).and_then(|index| VALUES.get(index)) {
            None => true,
            Some(attacker) => defended && *attacker >= value(role),
        }
    }

    fn find_threats(&mut self) {
        for square in self.ours & self.their_attacks.any & !self.board.kings() {
            let Some(role) = self.board.role_at(square) else { continue };
            let attacker = self.their_attacks.least(square).checked_sub(1).and_then(|index| VALUES.get(index));
            let defended = self.our_attacks.any.contains(square);
            let loss = value(role) - attacker.copied().filter(|_| defended).unwrap_or(0);
            if loss <= 0 {
                continue;
            }
            let piece = ThreatenedPiece { square, role, loss };
            // Of equal ones the first as the player sees the board, so that both colours have the same features.
            let rank = |piece: ThreatenedPiece| (piece.loss, value(piece.role), Reverse(self.relative(piece.square)));
            let is_worse = |other: Option<ThreatenedPiece>| other.is_none_or(|other| rank(piece) > rank(other));
            if is_worse(self.threatened[0]) {
                self.threatened = [Some(piece), self.threatened[0]];
            } else if is_worse(self.threatened[1]) {
                self.threatened[1] = Some(piece);
            }
        }
    }

    /// Returns the square as the player to move sees it: White's first rank is 0.
    pub(super) fn relative(&self, square: Square) -> usize {
        if self.us.is_white() { square.to_usize() } else { square.to_usize() ^ 56 }
    }

    /// Returns the pawns of a side.
    pub(super) fn pawns(&self, side: Bitboard) -> Bitboard {
        self.board.pawns() & side
    }

    /// Returns whether no pawn of the opponent is in front of a pawn of the player to move on this square, or beside its way.
    pub(super) fn is_passed(&self, square: Square) -> bool {
        (ahead(self.us, square) & files_around(square.file()) & self.pawns(self.theirs)).is_empty()
    }

    /// Returns whether a pawn of the opponent could attack this square if it advanced.
    pub(super) fn is_attackable_by_pawns(&self, square: Square) -> bool {
        let beside = files_around(square.file()) & !Bitboard::from_file(square.file());
        (ahead(self.us, square) & beside & self.pawns(self.theirs)).any()
    }
}

/// Returns the ranks in front of a square, as a player sees it.
fn ahead(us: Color, square: Square) -> Bitboard {
    let rank = square.rank() as u32;
    match us {
        Color::White if rank == 7 => Bitboard::EMPTY,
        Color::White => Bitboard(u64::MAX << (8 * (rank + 1))),
        Color::Black => Bitboard((1u64 << (8 * rank)) - 1),
    }
}

/// Returns this file and those beside it.
pub(super) fn files_around(file: File) -> Bitboard {
    let one = Bitboard::from_file(file);
    let files = [file.offset(-1), file.offset(1)];
    files.into_iter().flatten().fold(one, |all, file| all | Bitboard::from_file(file))
}

fn pushed_attacks(board: &Board, side: Color) -> Bitboard {
    let push = side.fold_wb(8, -8);
    let pushed = (board.pawns() & board.by_color(side)).shift(push) & !board.occupied();
    let (left, right) = (pushed & !Bitboard::from_file(File::A), pushed & !Bitboard::from_file(File::H));
    left.shift(push - 1) | right.shift(push + 1)
}

fn phase(board: &Board, us: Color) -> Phase {
    let count = |pieces: Bitboard| pieces.count();
    let minor = board.knights() | board.bishops();
    let material = count(minor) + 2 * count(board.rooks()) + 4 * count(board.queens());
    let home = Bitboard::from_rank(if us.is_white() { Rank::First } else { Rank::Eighth });
    if material <= 12 {
        Phase::Endgame
    } else if material >= 20 && count(minor & board.by_color(us) & home) >= 2 {
        Phase::Opening
    } else {
        Phase::Middlegame
    }
}

/// Returns the pieces of `us` that are alone between one of their own line pieces and the opponent's king.
fn discoverers(board: &Board, us: Color, king: Square) -> Bitboard {
    let ours = board.by_color(us);
    let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    ((straight | diagonal) & ours).into_iter().fold(Bitboard::EMPTY, |all, sniper| {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.single_square().is_some() { all | (between & ours) } else { all }
    })
}
