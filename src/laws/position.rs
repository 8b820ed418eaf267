//! A position of play, regular or not.

mod notation;

pub use notation::{BadFen, NULL_UCI};

use crate::laws::{Changes, Irregular};
use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, KnownOutcome, Move, MoveList,
    Outcome, Piece, Position as Rules, PositionError, Role, Setup, Square,
};

/// A position in a game: regular where the rules of chess allow it, irregular where they do not.
///
/// Both kinds support moves, SAN and FEN. A position that can be regular is always stored as regular, so a game that leaves an
/// irregular position through play becomes regular again.
///
/// # Examples
///
/// ```
/// use touchmove::laws::Position;
///
/// let fen = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4";
/// let position = Position::from_fen(fen, false)?;
/// assert!(position.is_regular());
///
/// let capture = position.parse_san("Bxc6").ok_or("an illegal move")?;
/// assert!(position.legal_moves().contains(&capture));
/// assert_eq!((position.san(capture), position.uci(capture)), ("Bxc6".to_owned(), "b5c6".to_owned()));
/// assert_eq!(position.play(capture).fen(), "r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4");
///
/// // The bishop on b5 does not reach d5.
/// assert!(position.parse_san("Bd5").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    kind: PositionRepr,
    mode: CastlingMode,
}

#[derive(Clone, Debug)]
pub(super) enum PositionRepr {
    Regular(Chess),
    Irregular(Box<Irregular>),
}

/// A hash that is equal for positions that are the same in the sense of Art. 9.2.3: same side to move, pieces and possible moves.
pub type PositionKey = u64;

/// An end of the game that follows from the position (Art. 5.1.1, 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is checkmated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
}

impl Position {
    /// Returns the start position of standard chess.
    pub fn start() -> Position {
        Position { kind: PositionRepr::Regular(Chess::default()), mode: CastlingMode::Standard }
    }

    /// Returns the Chess960 start position with this number, 0–959; 518 is that of standard chess. `None` for any other number.
    pub fn chess960(number: u16) -> Option<Position> {
        (number < 960).then(|| {
            let board = Board::chess960(u32::from(number));
            let setup = Setup { castling_rights: board.rooks(), board, ..Setup::empty() };
            Position::from_setup(setup, CastlingMode::Chess960)
        })
    }

    /// Creates a position from any setup. It is regular if shakmaty accepts it, too many promoted pieces and an impossible check
    /// included, and if neither side has more than 16 pieces.
    pub fn from_setup(setup: Setup, mode: CastlingMode) -> Position {
        let regular = Chess::from_setup(setup.clone(), mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square);
        let kind = match regular {
            // With more pieces, a side could have more moves than a `MoveList` holds, and shakmaty would panic.
            Ok(chess) if Color::ALL.into_iter().all(|color| chess.board().by_color(color).count() <= 16) => {
                PositionRepr::Regular(chess)
            }
            _ => PositionRepr::Irregular(Box::new(Irregular::new(&setup, mode))),
        };
        Position { kind, mode }
    }

    /// Creates a position from a placement and the side to move. Castling is possible where king and rook are on their original
    /// squares.
    pub fn from_board(board: Board, turn: Color) -> Position {
        let castling_right = |color: Color, rook: Square, king: Square| {
            let ready =
                board.piece_at(rook) == Some(Role::Rook.of(color)) && board.piece_at(king) == Some(Role::King.of(color));
            if ready { Bitboard::from_square(rook) } else { Bitboard::EMPTY }
        };
        let castling_rights = castling_right(Color::White, Square::A1, Square::E1)
            | castling_right(Color::White, Square::H1, Square::E1)
            | castling_right(Color::Black, Square::A8, Square::E8)
            | castling_right(Color::Black, Square::H8, Square::E8);
        Position::from_setup(Setup { board, turn, castling_rights, ..Setup::empty() }, CastlingMode::Standard)
    }

    /// Returns this position with another placement and the same player to move. Castling rights remain for a king and a rook that
    /// are on the same squares as in this position.
    pub fn with_board(&self, board: Board) -> Position {
        let setup = self.to_setup();
        let ready = |rook: &Square| {
            let piece = self.piece_at(*rook);
            let king = |board: &Board| piece.and_then(|rook| board.king_of(rook.color));
            board.piece_at(*rook) == piece && king(&board) == king(self.board())
        };
        let castling_rights = setup.castling_rights.into_iter().filter(ready).collect();
        let setup = Setup { board, castling_rights, turn: self.turn(), ..Setup::empty() };
        let mode = CastlingMode::detect(&setup);
        Position::from_setup(setup, mode)
    }

    /// Returns a position that was found later in the same game, with this placement and this player to move. Castling rights are
    /// as in [`Position::with_board`]; the move number is that of the next move at which that player is to move.
    pub fn with_found_board(&self, board: Board, turn: Color) -> Position {
        let setup = self.with_board(board).to_setup();
        let same_move = self.turn().is_white() && turn.is_black();
        let fullmoves = self.to_setup().fullmoves.saturating_add(u32::from(!same_move));
        Position::from_setup(Setup { turn, fullmoves, ..setup }, self.mode)
    }

    /// Returns this position in its irregular representation, even if it is regular. Both representations must agree on everything.
    pub fn as_irregular(&self) -> Irregular {
        Irregular::new(&self.to_setup(), self.mode)
    }

    /// Returns the representation that holds the position.
    pub(super) fn kind(&self) -> &PositionRepr {
        &self.kind
    }

    /// Returns whether the rules of chess accept this position.
    pub fn is_regular(&self) -> bool {
        matches!(self.kind, PositionRepr::Regular(_))
    }

    /// Returns whether castling is written as king takes rook.
    pub fn is_chess960(&self) -> bool {
        self.mode == CastlingMode::Chess960
    }

    /// Returns the placement of the pieces.
    pub fn board(&self) -> &Board {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.board(),
            PositionRepr::Irregular(irregular) => irregular.board(),
        }
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.turn(),
            PositionRepr::Irregular(irregular) => irregular.turn(),
        }
    }

    /// Returns the number of plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.halfmoves(),
            PositionRepr::Irregular(irregular) => irregular.halfmoves(),
        }
    }

    /// Returns the number of the next move, from 1.
    pub fn fullmoves(&self) -> u32 {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.fullmoves().get(),
            PositionRepr::Irregular(irregular) => irregular.fullmoves().get(),
        }
    }

    /// Returns the square that a pawn has just passed with a two-square move, whether or not it can be captured there.
    pub fn en_passant(&self) -> Option<Square> {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.maybe_ep_square(),
            PositionRepr::Irregular(irregular) => irregular.maybe_ep_square(),
        }
    }

    /// Returns the rook with which this player still has the right to castle on this side, even if castling is prevented
    /// temporarily (3.8.2.1).
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.castles().rook(color, side)
    }

    /// Returns the squares that must be empty for castling on this side (3.8.2.2.2).
    pub fn castling_path(&self, color: Color, side: CastlingSide) -> Bitboard {
        self.castles().path(color, side)
    }

    fn castles(&self) -> &Castles {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.castles(),
            PositionRepr::Irregular(irregular) => irregular.castles(),
        }
    }

    /// Returns all legal moves.
    pub fn legal_moves(&self) -> MoveList {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.legal_moves(),
            PositionRepr::Irregular(irregular) => irregular.legal_moves(),
        }
    }

    /// Returns whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.is_check(),
            PositionRepr::Irregular(irregular) => irregular.is_check(),
        }
    }

    /// Returns checkmate or stalemate if the position is one. Always `None` for an irregular position: there only an arbiter can
    /// decide.
    pub fn ending(&self) -> Option<Ending> {
        match &self.kind {
            PositionRepr::Regular(chess) if chess.legal_moves().is_empty() => {
                Some(if chess.is_check() { Ending::Checkmate } else { Ending::Stalemate })
            }
            _ => None,
        }
    }

    /// Returns whether `mv` is legal in this position.
    pub fn is_legal(&self, mv: Move) -> bool {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.is_legal(mv),
            PositionRepr::Irregular(irregular) => irregular.is_legal(mv),
        }
    }

    /// Returns the player who makes this move: the owner of the piece, who is not the player to move if the move is out of turn.
    pub fn mover(&self, mv: Move) -> Color {
        mv.from().and_then(|from| self.board().color_at(from)).unwrap_or(self.turn())
    }

    /// Returns the changes that a move makes, also one out of turn.
    pub fn changes(&self, mv: Move) -> Changes {
        Changes::of(self.mover(mv), mv)
    }

    /// Returns the same position with the other player to move.
    pub fn with_turn_passed(&self) -> Position {
        let setup = self.to_setup();
        Position::from_setup(Setup { turn: !setup.turn, ep_square: None, ..setup }, self.mode)
    }

    /// Returns the position after `mv`. An illegal move never panics: the piece is on its target square, and the mover's opponent
    /// is to move, also after a move out of turn.
    pub fn play(&self, mv: Move) -> Position {
        match &self.kind {
            _ if self.mover(mv) != self.turn() => self.with_turn_passed().play(mv),
            PositionRepr::Regular(chess) if chess.is_legal(mv) => self.play_legal(mv),
            _ => self.play_irregular(mv),
        }
    }

    /// Returns the position after one of [`Position::legal_moves`]. Takes half the time of [`Position::play`], because it does not
    /// check legality again. Any other move may give an invalid position.
    pub fn play_legal(&self, mv: Move) -> Position {
        match &self.kind {
            PositionRepr::Regular(chess) => {
                let mut chess = chess.clone();
                chess.play_unchecked(mv);
                Position { kind: PositionRepr::Regular(chess), mode: self.mode }
            }
            PositionRepr::Irregular(_) => self.play_irregular(mv),
        }
    }

    fn play_irregular(&self, mv: Move) -> Position {
        let mut irregular = match &self.kind {
            PositionRepr::Irregular(irregular) => (**irregular).clone(),
            PositionRepr::Regular(_) => self.as_irregular(),
        };
        irregular.play_unchecked(mv);
        Position::from_setup(irregular.to_setup(), self.mode)
    }

    /// Returns the null move (UCI `0000`), which stands for missing moves in a record. `None` if the side to move has no king.
    pub fn null_move(&self) -> Option<Move> {
        let king = self.board().king_of(self.turn())?;
        Some(Move::Normal { role: Role::King, from: king, capture: None, to: king, promotion: None })
    }

    /// Returns whether this is the [null move](Position::null_move).
    pub fn is_null_move(mv: Move) -> bool {
        mv.from() == Some(mv.to())
    }

    pub(super) fn to_setup(&self) -> Setup {
        match &self.kind {
            PositionRepr::Regular(chess) => chess.to_setup(EnPassantMode::Legal),
            PositionRepr::Irregular(irregular) => Rules::to_setup(&**irregular, EnPassantMode::Legal),
        }
    }

    /// Returns a key that is equal for positions that are the same by Art. 9.2.3.
    pub fn key(&self) -> PositionKey {
        let shakmaty::zobrist::Zobrist64(key) = match &self.kind {
            PositionRepr::Regular(chess) => chess.zobrist_hash(EnPassantMode::Legal),
            PositionRepr::Irregular(irregular) => irregular.zobrist_hash(EnPassantMode::Legal),
        };
        key
    }

    /// Returns the piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board().piece_at(square)
    }

    /// Returns the winner by the rules; `None` if there is none, and for an irregular position.
    pub fn winner(&self) -> Option<Color> {
        match &self.kind {
            PositionRepr::Regular(chess) => match chess.outcome() {
                Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner),
                _ => None,
            },
            PositionRepr::Irregular(_) => None,
        }
    }
}
