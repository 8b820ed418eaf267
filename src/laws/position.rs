//! A position of play, regular or not.

use crate::laws::{Changes, Irregular};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, KnownOutcome, Move, MoveList,
    Outcome, Piece, Position as Rules, PositionError, Role, Setup, Square,
};

/// What play has come to: by the rules where they allow it, by hand where they do not.
///
/// Moves, SAN and FEN exist for both. Every regular position is held as such, so a game that leaves an irregular position by
/// play becomes regular again.
#[derive(Clone, Debug)]
pub struct Position {
    kind: Kind,
    mode: CastlingMode,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Regular(Chess),
    Irregular(Box<Irregular>),
}

/// The null move in UCI, and as PGN readers write it: it stands for moves that are missing.
pub const NULL_UCI: &str = "0000";
const NULL_SAN: &str = "--";

/// Two positions with equal keys are the same in the sense of Art. 9.2.3: side to move, pieces, possible moves.
pub type PositionKey = u64;

/// How the rules end a game (Art. 5.1.1, 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
}

/// Not a FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadFen(String);

impl Position {
    /// The start position of chess.
    pub fn start() -> Position {
        Position { kind: Kind::Regular(Chess::default()), mode: CastlingMode::Standard }
    }

    /// The start position of Chess960 with this number, 0–959; 518 is that of chess.
    pub fn chess960(number: u16) -> Option<Position> {
        (number < 960).then(|| {
            let board = Board::chess960(u32::from(number));
            let setup = Setup { castling_rights: board.rooks(), board, ..Setup::empty() };
            Position::from_setup(setup, CastlingMode::Chess960)
        })
    }

    /// Reads a FEN, X-FEN or Shredder-FEN; any placement is accepted. `chess960`: castling is written king takes rook; so it is
    /// whenever the FEN gives the right to castle with a king or rook that stands where it does in Chess960 alone.
    pub fn from_fen(fen: &str, chess960: bool) -> Result<Position, BadFen> {
        let fen: Fen = fen.trim().parse().map_err(|error: shakmaty::fen::ParseFenError| BadFen(error.to_string()))?;
        let setup = fen.into_setup();
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
        Ok(Position::from_setup(setup, mode))
    }

    /// This FEN as programs take it that know positions of chess and no others, without rights to castle or to take en passant
    /// that there are not; `None` where they refuse it, or it is none: a king too few or too many, both in check, a pawn on the
    /// first or last rank, more pieces than there can be, a check that no move can give.
    pub fn readable_fen(fen: &str, chess960: bool) -> Option<String> {
        let position = Position::from_fen(fen, chess960).ok()?;
        let readable = |setup| Chess::from_setup(setup, position.mode).is_ok();
        let written: Fen = fen.trim().parse().ok()?;
        if readable(written.into_setup()) {
            return Some(fen.trim().to_owned());
        }
        readable(position.to_setup()).then(|| position.fen())
    }

    /// Takes any setup; regular where shakmaty accepts it, also with too many promoted pieces or an
    /// impossible check, but with no more than 16 men a side.
    pub fn from_setup(setup: Setup, mode: CastlingMode) -> Position {
        let regular = Chess::from_setup(setup.clone(), mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square);
        let kind = match regular {
            // More men a side could have more moves than a `MoveList` holds, and shakmaty would panic.
            Ok(chess) if Color::ALL.into_iter().all(|color| chess.board().by_color(color).count() <= 16) => {
                Kind::Regular(chess)
            }
            _ => Kind::Irregular(Box::new(Irregular::new(&setup, mode))),
        };
        Position { kind, mode }
    }

    /// This placement with this side to move; castling is possible wherever king and rook stand as at the start.
    pub fn from_board(board: Board, turn: Color) -> Position {
        let home = |color: Color, rook: Square, king: Square| {
            let ready =
                board.piece_at(rook) == Some(Role::Rook.of(color)) && board.piece_at(king) == Some(Role::King.of(color));
            if ready { Bitboard::from_square(rook) } else { Bitboard::EMPTY }
        };
        let castling_rights = home(Color::White, Square::A1, Square::E1)
            | home(Color::White, Square::H1, Square::E1)
            | home(Color::Black, Square::A8, Square::E8)
            | home(Color::Black, Square::H8, Square::E8);
        Position::from_setup(Setup { board, turn, castling_rights, ..Setup::empty() }, CastlingMode::Standard)
    }

    /// These pieces instead, with the same player to move; castling is possible with a king and a rook that stand as here.
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

    /// These pieces and this player to move, found later in the same game: castling as in [`Position::with_board`], and numbered as
    /// the next move at which that player is to move.
    pub fn found(&self, board: Board, turn: Color) -> Position {
        let setup = self.with_board(board).to_setup();
        let same_move = self.turn().is_white() && turn.is_black();
        let fullmoves = self.to_setup().fullmoves.saturating_add(u32::from(!same_move));
        Position::from_setup(Setup { turn, fullmoves, ..setup }, self.mode)
    }

    /// The same position held as irregular, whether it is or not: the two must agree on everything.
    pub fn as_irregular(&self) -> Irregular {
        Irregular::new(&self.to_setup(), self.mode)
    }

    /// Which half holds it.
    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whether the rules of chess could hold this position.
    pub fn is_regular(&self) -> bool {
        matches!(self.kind, Kind::Regular(_))
    }

    /// Whether castling is written king takes rook.
    pub fn is_chess960(&self) -> bool {
        self.mode == CastlingMode::Chess960
    }

    /// The pieces.
    pub fn board(&self) -> &Board {
        match &self.kind {
            Kind::Regular(chess) => chess.board(),
            Kind::Irregular(irregular) => irregular.board(),
        }
    }

    /// Who is to move.
    pub fn turn(&self) -> Color {
        match &self.kind {
            Kind::Regular(chess) => chess.turn(),
            Kind::Irregular(irregular) => irregular.turn(),
        }
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        match &self.kind {
            Kind::Regular(chess) => chess.halfmoves(),
            Kind::Irregular(irregular) => irregular.halfmoves(),
        }
    }

    /// The number of the move to be made, from 1.
    pub fn fullmoves(&self) -> u32 {
        match &self.kind {
            Kind::Regular(chess) => chess.fullmoves().get(),
            Kind::Irregular(irregular) => irregular.fullmoves().get(),
        }
    }

    /// The square that a pawn has just stepped over, whether or not it can be taken there.
    pub fn en_passant(&self) -> Option<Square> {
        match &self.kind {
            Kind::Regular(chess) => chess.maybe_ep_square(),
            Kind::Irregular(irregular) => irregular.maybe_ep_square(),
        }
    }

    /// The rook that this player may still castle with on this side, whatever prevents it for the moment (3.8.2.1).
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.castles().rook(color, side)
    }

    /// The squares that must be empty for it (3.8.2.2.2).
    pub fn castling_path(&self, color: Color, side: CastlingSide) -> Bitboard {
        self.castles().path(color, side)
    }

    fn castles(&self) -> &Castles {
        match &self.kind {
            Kind::Regular(chess) => chess.castles(),
            Kind::Irregular(irregular) => irregular.castles(),
        }
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        match &self.kind {
            Kind::Regular(chess) => chess.legal_moves(),
            Kind::Irregular(irregular) => irregular.legal_moves(),
        }
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        match &self.kind {
            Kind::Regular(chess) => chess.is_check(),
            Kind::Irregular(irregular) => irregular.is_check(),
        }
    }

    /// Mate or stalemate; never in an irregular position, where only an arbiter can say.
    pub fn ending(&self) -> Option<Ending> {
        match &self.kind {
            Kind::Regular(chess) if chess.legal_moves().is_empty() => {
                Some(if chess.is_check() { Ending::Checkmate } else { Ending::Stalemate })
            }
            _ => None,
        }
    }

    /// Whether the rules allow it here.
    pub fn is_legal(&self, mv: Move) -> bool {
        match &self.kind {
            Kind::Regular(chess) => chess.is_legal(mv),
            Kind::Irregular(irregular) => irregular.is_legal(mv),
        }
    }

    /// Who makes this move: the player to move, or, out of turn, the other one, whose piece it is.
    pub fn mover(&self, mv: Move) -> Color {
        mv.from().and_then(|from| self.board().color_at(from)).unwrap_or(self.turn())
    }

    /// What a move changes, also out of turn.
    pub fn changes(&self, mv: Move) -> Changes {
        Changes::of(self.mover(mv), mv)
    }

    /// The same with the other player to move.
    pub fn passed(&self) -> Position {
        let setup = self.to_setup();
        Position::from_setup(Setup { turn: !setup.turn, ep_square: None, ..setup }, self.mode)
    }

    /// The position after a move that is legal here. An illegal one gives some position, never a panic: the piece stands where
    /// it was put, and the other player is to move, also where the mover was not.
    pub fn play(&self, mv: Move) -> Position {
        match &self.kind {
            _ if self.mover(mv) != self.turn() => self.passed().play(mv),
            Kind::Regular(chess) if chess.is_legal(mv) => self.play_legal(mv),
            _ => self.play_irregular(mv),
        }
    }

    /// The same for one of [`Position::legal_moves`], in half the time: whether it is legal is not looked at again. Any other
    /// move may give a position that is none.
    pub fn play_legal(&self, mv: Move) -> Position {
        match &self.kind {
            Kind::Regular(chess) => {
                let mut chess = chess.clone();
                chess.play_unchecked(mv);
                Position { kind: Kind::Regular(chess), mode: self.mode }
            }
            Kind::Irregular(_) => self.play_irregular(mv),
        }
    }

    fn play_irregular(&self, mv: Move) -> Position {
        let mut irregular = match &self.kind {
            Kind::Irregular(irregular) => (**irregular).clone(),
            Kind::Regular(_) => self.as_irregular(),
        };
        irregular.play_unchecked(mv);
        Position::from_setup(irregular.to_setup(), self.mode)
    }

    /// The legal move that this UCI text means here, castling in either notation.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let uci: UciMove = text.parse().ok()?;
        match &self.kind {
            Kind::Regular(chess) => uci.to_move(chess).ok(),
            Kind::Irregular(irregular) => uci.to_move(&**irregular).ok(),
        }
    }

    /// The move that this UCI text means here, legal or not, by either player; castling is king takes rook. `None` where
    /// nothing stands on its first square.
    pub fn any_move(&self, text: &str) -> Option<Move> {
        let UciMove::Normal { from, to, promotion } = text.parse().ok()? else { return None };
        let piece = self.piece_at(from)?;
        let target = self.piece_at(to);
        if piece.role == Role::King && target == Some(Role::Rook.of(piece.color)) {
            return Some(Move::Castle { king: from, rook: to });
        }
        Some(Move::Normal { role: piece.role, from, capture: target.map(|taken| taken.role), to, promotion })
    }

    /// The null move (UCI `0000`), which is no move: in a record it stands for moves that are missing. `None` without a king.
    pub fn null_move(&self) -> Option<Move> {
        let king = self.board().king_of(self.turn())?;
        Some(Move::Normal { role: Role::King, from: king, capture: None, to: king, promotion: None })
    }

    /// Whether this is the [null move](Position::null_move).
    pub fn is_null_move(mv: Move) -> bool {
        mv.from() == Some(mv.to())
    }

    /// The position after a move on record, of which this FEN says where it led: after a null move the position that was found.
    pub fn play_recorded(&self, mv: Move, fen: &str) -> Position {
        let found = || Position::from_fen(fen, self.is_chess960()).ok();
        Some(mv).filter(|&mv| Position::is_null_move(mv)).and_then(|_| found()).unwrap_or_else(|| self.play(mv))
    }

    /// The same, after which the pieces stand as in this FEN: en passant too late is written like a pawn's move to the side. Also
    /// the null move.
    pub fn any_move_to(&self, text: &str, fen: &str) -> Option<Move> {
        if text == NULL_UCI {
            return self.null_move();
        }
        let mv = self.any_move(text)?;
        if mv.role() != Role::Pawn || mv.is_capture() || self.play(mv).fen() == fen {
            return Some(mv);
        }
        let en_passant = mv.from().map(|from| Move::EnPassant { from, to: mv.to() });
        Some(en_passant.filter(|&taken| self.play(taken).fen() == fen).unwrap_or(mv))
    }

    /// The legal move that this SAN text means here.
    pub fn parse_san(&self, text: &str) -> Option<Move> {
        let san: SanPlus = text.parse().ok()?;
        match &self.kind {
            Kind::Regular(chess) => san.san.to_move(chess).ok(),
            Kind::Irregular(irregular) => san.san.to_move(&**irregular).ok(),
        }
    }

    /// UCI of a move, `0000` of the null move; castling king takes rook in Chess960 and where it is not legal.
    pub fn uci(&self, mv: Move) -> String {
        if Position::is_null_move(mv) {
            return NULL_UCI.to_owned();
        }
        let mode = if mv.is_castle() && !self.is_legal(mv) { CastlingMode::Chess960 } else { self.mode };
        mv.to_uci(mode).to_string()
    }

    /// The move with its number, as people read it: `21.Nf3`, `21...Qa5`.
    pub fn numbered_san(&self, mv: Move) -> String {
        let dots = if self.mover(mv).is_white() { "." } else { "..." };
        format!("{}{dots}{}", self.fullmoves(), self.san(mv))
    }

    /// SAN with check and mate signs; `--` of the null move; of a move that is not legal the long form, without signs: `Ke1-e3`, `e7-e8`, `Ra1xd4`.
    pub fn san(&self, mv: Move) -> String {
        match (&self.kind, mv) {
            _ if Position::is_null_move(mv) => NULL_SAN.to_owned(),
            (_, Move::Normal { role, from, capture, to, promotion }) if !self.is_legal(mv) => {
                let letter = if role == Role::Pawn { String::new() } else { role.upper_char().to_string() };
                let sign = if capture.is_some() { 'x' } else { '-' };
                let piece = promotion.map_or_else(String::new, |role| format!("={}", role.upper_char()));
                format!("{letter}{from}{sign}{to}{piece}")
            }
            (_, Move::EnPassant { from, to }) if !self.is_legal(mv) => format!("{from}x{to}"),
            (kind, _) => Self::legal_san(kind, mv),
        }
    }

    fn legal_san(kind: &Kind, mv: Move) -> String {
        match kind {
            Kind::Regular(chess) => SanPlus::from_move(chess.clone(), mv).to_string(),
            Kind::Irregular(irregular) => SanPlus::from_move((**irregular).clone(), mv).to_string(),
        }
    }

    /// FEN; the en passant square only where a capture is legal, in Chess960 with rook files (Shredder-FEN where needed).
    pub fn fen(&self) -> String {
        match Fen::try_from_setup(self.to_setup()) {
            Ok(fen) => fen.to_string(),
            Err(lossy) => lossy.ignore().to_string(),
        }
    }

    pub(super) fn to_setup(&self) -> Setup {
        match &self.kind {
            Kind::Regular(chess) => chess.to_setup(EnPassantMode::Legal),
            Kind::Irregular(irregular) => Rules::to_setup(&**irregular, EnPassantMode::Legal),
        }
    }

    /// The same position, by Art. 9.2.3, has the same key.
    pub fn key(&self) -> PositionKey {
        let shakmaty::zobrist::Zobrist64(key) = match &self.kind {
            Kind::Regular(chess) => chess.zobrist_hash(EnPassantMode::Legal),
            Kind::Irregular(irregular) => irregular.zobrist_hash(EnPassantMode::Legal),
        };
        key
    }

    /// What stands on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board().piece_at(square)
    }

    /// Who won, as the rules say; `None` while they say nothing.
    pub fn winner(&self) -> Option<Color> {
        match &self.kind {
            Kind::Regular(chess) => match chess.outcome() {
                Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner),
                _ => None,
            },
            Kind::Irregular(_) => None,
        }
    }
}
