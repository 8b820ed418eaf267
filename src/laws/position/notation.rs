//! Positions and moves as text: FEN, UCI notation, SAN.

use super::{Position, PositionRepr};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, FromSetup, Move, Role};

/// The null move in UCI notation. It stands for moves that are missing. `NULL_SAN` is the form that PGN readers use.
pub const NULL_UCI: &str = "0000";
const NULL_SAN: &str = "--";

/// The error for a text that is not a FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadFen(String);

impl Position {
    /// Parses a FEN, X-FEN or Shredder-FEN; accepts any placement. With `chess960`, castling is written as king takes rook. This is
    /// also the case when the FEN gives castling rights to a king or rook on a square that is possible only in Chess960.
    pub fn from_fen(fen: &str, chess960: bool) -> Result<Position, BadFen> {
        let fen: Fen = fen.trim().parse().map_err(|error: shakmaty::fen::ParseFenError| BadFen(error.to_string()))?;
        let setup = fen.into_setup();
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
        Ok(Position::from_setup(setup, mode))
    }

    /// Returns this FEN in a form that programs accept which know only regular positions, without castling or en passant rights
    /// that do not exist. `None` if it is not a FEN, or if such programs refuse it: a missing or additional king, both kings in
    /// check, a pawn on the first or last rank, more pieces than possible, or a check that no move can give.
    pub fn readable_fen(fen: &str, chess960: bool) -> Option<String> {
        let position = Position::from_fen(fen, chess960).ok()?;
        let readable = |setup| Chess::from_setup(setup, position.mode).is_ok();
        let written: Fen = fen.trim().parse().ok()?;
        if readable(written.into_setup()) {
            return Some(fen.trim().to_owned());
        }
        readable(position.to_setup()).then(|| position.fen())
    }

    /// Returns the FEN. It has the en passant square only if the capture is legal; in Chess960 it has rook files where needed
    /// (Shredder-FEN).
    pub fn fen(&self) -> String {
        match Fen::try_from_setup(self.to_setup()) {
            Ok(fen) => fen.to_string(),
            Err(lossy) => lossy.ignore().to_string(),
        }
    }

    /// Parses a legal move in UCI notation; accepts both notations of castling.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let uci: UciMove = text.parse().ok()?;
        match &self.kind {
            PositionRepr::Regular(chess) => uci.to_move(chess).ok(),
            PositionRepr::Irregular(irregular) => uci.to_move(&**irregular).ok(),
        }
    }

    /// Parses a move in UCI notation, legal or not, by either player; castling is king takes rook. `None` if its first square is
    /// empty.
    pub fn any_move(&self, text: &str) -> Option<Move> {
        let UciMove::Normal { from, to, promotion } = text.parse().ok()? else { return None };
        let piece = self.piece_at(from)?;
        let target = self.piece_at(to);
        if piece.role == Role::King && target == Some(Role::Rook.of(piece.color)) {
            return Some(Move::Castle { king: from, rook: to });
        }
        Some(Move::Normal { role: piece.role, from, capture: target.map(|captured| captured.role), to, promotion })
    }

    /// Parses a move as [`Position::any_move`] does, and also the null move. Uses `fen`, the position after the move, to recognise
    /// an illegal en passant capture: in UCI it looks like a diagonal pawn move without a capture.
    pub fn any_move_to(&self, text: &str, fen: &str) -> Option<Move> {
        if text == NULL_UCI {
            return self.null_move();
        }
        let mv = self.any_move(text)?;
        if mv.role() != Role::Pawn || mv.is_capture() || self.play(mv).fen() == fen {
            return Some(mv);
        }
        let en_passant = mv.from().map(|from| Move::EnPassant { from, to: mv.to() });
        Some(en_passant.filter(|&capture| self.play(capture).fen() == fen).unwrap_or(mv))
    }

    /// Returns the position after a move on record. After a null move this is the position in `fen`, the recorded position after
    /// the move.
    pub fn play_recorded(&self, mv: Move, fen: &str) -> Position {
        let found = || Position::from_fen(fen, self.is_chess960()).ok();
        Some(mv).filter(|&mv| Position::is_null_move(mv)).and_then(|_| found()).unwrap_or_else(|| self.play(mv))
    }

    /// Returns a move in UCI notation, `0000` for the null move. Castling is written as king takes rook in Chess960 and where it is
    /// illegal.
    pub fn uci(&self, mv: Move) -> String {
        if Position::is_null_move(mv) {
            return NULL_UCI.to_owned();
        }
        let mode = if mv.is_castle() && !self.is_legal(mv) { CastlingMode::Chess960 } else { self.mode };
        mv.to_uci(mode).to_string()
    }

    /// Parses a legal move in SAN.
    pub fn parse_san(&self, text: &str) -> Option<Move> {
        let san: SanPlus = text.parse().ok()?;
        match &self.kind {
            PositionRepr::Regular(chess) => san.san.to_move(chess).ok(),
            PositionRepr::Irregular(irregular) => san.san.to_move(&**irregular).ok(),
        }
    }

    /// Returns a move in SAN with check and mate signs, `--` for the null move. An illegal move is in long algebraic notation
    /// without signs: `Ke1-e3`, `e7-e8`, `Ra1xd4`.
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

    /// Returns the move in SAN with its number: `21.Nf3`, `21...Qa5`.
    pub fn numbered_san(&self, mv: Move) -> String {
        let dots = if self.mover(mv).is_white() { "." } else { "..." };
        format!("{}{dots}{}", self.fullmoves(), self.san(mv))
    }

    fn legal_san(kind: &PositionRepr, mv: Move) -> String {
        match kind {
            PositionRepr::Regular(chess) => SanPlus::from_move(chess.clone(), mv).to_string(),
            PositionRepr::Irregular(irregular) => SanPlus::from_move((**irregular).clone(), mv).to_string(),
        }
    }
}
