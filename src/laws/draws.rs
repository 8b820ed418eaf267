//! Draws by repetition of a position (Art. 9.2, 9.6.1) and by moves without a capture or a pawn move (Art. 9.3, 9.6.2).
//!
//! A player must claim a draw by threefold repetition or fifty moves. Fivefold repetition and seventy-five moves end the game
//! without a claim in the editions that have these rules. The figures are those of the edition.

use crate::laws::edition::{ClaimLost, FiveFold};
use crate::laws::{Ending, Laws, Move, Position, PositionKey, Topic};
use shakmaty::{Bitboard, CastlingMode, Color, Setup};

/// The criterion for equal positions, besides the pieces, the side to move and a legal en passant capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEquality {
    /// The castling rights are the same, whether or not castling is prevented at the moment (Art. 9.2.3.2). The edition of 2009
    /// says "temporarily or permanently". With the pieces on the same squares, temporary prevention is the same too, so this
    /// criterion applies there as well.
    #[default]
    Rights,
    /// The moves that are possible at this moment are the same, for an edition that says no more. A castling right does not count
    /// if castling is prevented, or would be if it were that player's move.
    Moves,
}

impl PositionEquality {
    /// Returns the criterion of these Laws. An edition whose text on this is not available requires only "the same possible moves".
    pub fn of(laws: &Laws) -> PositionEquality {
        if laws.article(Topic::SamePosition).is_some() { PositionEquality::Rights } else { PositionEquality::Moves }
    }
}

/// The figures of an edition; `None` if it has no such draw, or if its text is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRules {
    /// The number of occurrences of a position for a claim (Art. 9.2.2).
    pub repetition: Option<u32>,
    /// The number of occurrences for a claim with an intended move (Art. 9.2.1).
    pub repetition_intended: Option<u32>,
    /// The number of moves of each player without a capture or a pawn move for a claim (Art. 9.3.2).
    pub fifty: Option<u32>,
    /// The number of such moves for a claim with an intended move (Art. 9.3.1).
    pub fifty_intended: Option<u32>,
    /// The number of occurrences of a position that ends the game, and which occurrences count (Art. 9.6.1).
    pub five_fold: Option<(u32, FiveFold)>,
    /// The number of moves of each player without a capture or a pawn move that ends the game (Art. 9.6.2).
    pub seventy_five: Option<u32>,
    /// The action that loses the right to claim on this move (Art. 9.4).
    pub claim_lost: Option<ClaimLost>,
}

/// The rules of the Laws of 2023.
impl Default for DrawRules {
    fn default() -> DrawRules {
        DrawRules {
            repetition: Some(3),
            repetition_intended: Some(3),
            fifty: Some(50),
            fifty_intended: Some(50),
            five_fold: Some((5, FiveFold::Any)),
            seventy_five: Some(75),
            claim_lost: Some(ClaimLost::Touch),
        }
    }
}

impl DrawRules {
    /// Returns the rules of these Laws.
    pub fn of(laws: &Laws) -> DrawRules {
        let rules = laws.rules();
        let settled = |figure: Option<u32>, topic| figure.filter(|_| laws.article(topic).is_some());
        DrawRules {
            repetition: settled(rules.repetition, Topic::Repetition),
            repetition_intended: settled(rules.repetition, Topic::RepetitionIntended),
            fifty: settled(rules.fifty, Topic::Fifty),
            fifty_intended: settled(rules.fifty, Topic::FiftyIntended),
            five_fold: rules.five_fold.map(|times| (times, rules.five_fold_kind.unwrap_or(FiveFold::Any))),
            seventy_five: rules.seventy_five,
            claim_lost: rules.claim_lost,
        }
    }

    /// Returns whether the player can no longer claim on this move; `touched` says whether they touched a piece (Art. 9.4).
    pub fn is_claim_lost(&self, touched: bool) -> bool {
        touched && self.claim_lost == Some(ClaimLost::Touch)
    }

    /// Returns whether a claim is judged as if the move had not been made; `made` says whether the player made a move without
    /// completing it (2009, Art. 9.4).
    pub fn is_claimed_before_the_move(&self, made: bool) -> bool {
        made && self.claim_lost == Some(ClaimLost::CompletedMove)
    }

    /// Returns what such a claim requires: the number of occurrences of the position, or the number of moves of each player.
    fn claim(&self, claimed: ClaimKind, basis: ClaimBasis) -> Option<u32> {
        match (claimed, basis) {
            (ClaimKind::Repetition, ClaimBasis::OnBoard) => self.repetition,
            (ClaimKind::Repetition, ClaimBasis::OnIntended(_)) => self.repetition_intended,
            (ClaimKind::FiftyMoves, ClaimBasis::OnBoard) => self.fifty,
            (ClaimKind::FiftyMoves, ClaimBasis::OnIntended(_)) => self.fifty_intended,
        }
    }
}

/// The type of a draw claim by the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// Threefold repetition (Art. 9.2).
    Repetition,
    /// Fifty moves of each player without a capture or a pawn move (Art. 9.3).
    FiftyMoves,
}

/// The position on which a claim is based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimBasis {
    /// The position on the board (Art. 9.2.2, 9.3.2).
    OnBoard,
    /// The position after this move, which was written down but not played (Art. 9.2.1, 9.3.1).
    OnIntended(Move),
}

/// The evaluation of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whether the claim is correct, and why.
    pub finding: Finding,
    /// The plies after which the position was on the board, 0 for the start; the ply of an intended move is the last.
    pub occurrences: Vec<u32>,
    /// The number of plies without a capture or a pawn move, including the intended move.
    pub quiet: u32,
}

impl Claim {
    /// Returns whether the claim is correct and the game is drawn.
    pub fn is_right(&self) -> bool {
        matches!(self.finding, Finding::Repeated { .. } | Finding::Quiet { .. })
    }
}

/// The reason why a claim is correct or incorrect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Correct: the position occurred often enough, at least three times by most editions.
    Repeated {
        /// The number of occurrences.
        times: usize,
    },
    /// Correct: enough moves, at least fifty by most editions.
    Quiet {
        /// The number of moves of each player.
        moves: u32,
    },
    /// Incorrect: the position did not occur often enough.
    TooFewTimes {
        /// The number of occurrences.
        times: usize,
    },
    /// Incorrect: plies are missing.
    TooFewMoves {
        /// The number of missing plies.
        missing: u32,
        /// The required number of plies of both players: 100 by most editions.
        required: u32,
    },
    /// The player can no longer claim on this move (Art. 9.4).
    Lost,
    /// Undecided: the text of these Laws on such claims is not available or does not exist.
    RuleUnavailable,
    /// Incorrect: only the player to move may claim.
    NotOnMove,
    /// Incorrect: the intended move is illegal; another move with that piece must be made (Art. 9.5.3, 4.3).
    IllegalMove,
    /// No claim is possible: the game has ended by checkmate or stalemate.
    Ended,
}

/// The reason why the game is drawn without a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutomaticDraw {
    /// The position occurred five times, or the number of times of the edition (Art. 9.6.1).
    FiveTimes {
        /// The plies after which it was on the board, 0 for the start.
        occurrences: Vec<u32>,
    },
    /// 75 moves of each player without a capture or a pawn move, or the number of the edition (Art. 9.6.2).
    SeventyFiveMoves {
        /// The number of moves of each player.
        moves: u32,
    },
}

/// The positions of one game, from the start to the one on the board.
#[derive(Clone, Debug)]
pub struct PositionHistory {
    same: PositionEquality,
    /// The keys of all positions, that of the start first.
    keys: Vec<PositionKey>,
    now: Position,
}

impl PositionHistory {
    /// Creates the history before the first move. The half-move clock of the start position counts towards the fifty moves.
    pub fn new(start: &Position, equality: PositionEquality) -> PositionHistory {
        PositionHistory { same: equality, keys: vec![key(start, equality)], now: start.clone() }
    }

    /// Creates the history after these moves. Illegal moves are played as they were made.
    pub fn of(start: &Position, moves: impl IntoIterator<Item = Move>, equality: PositionEquality) -> PositionHistory {
        let mut history = PositionHistory::new(start, equality);
        moves.into_iter().for_each(|mv| history.play(mv));
        history
    }

    /// Adds a move.
    pub fn play(&mut self, mv: Move) {
        self.now = self.now.play(mv);
        self.keys.push(key(&self.now, self.same));
    }

    /// Adds a ply of a record, with the FEN of the position after it. Also accepts missing moves; see [`Position::play_recorded`].
    pub fn play_recorded(&mut self, mv: Move, fen: &str) {
        self.now = self.now.play_recorded(mv, fen);
        self.keys.push(key(&self.now, self.same));
    }

    /// Returns the position on the board.
    pub fn position(&self) -> &Position {
        &self.now
    }

    /// Returns the plies after which the current position was on the board, including now; 0 is the start.
    pub fn occurrences(&self) -> Vec<u32> {
        let now = self.keys.last();
        (0..).zip(&self.keys).filter(|(_, key)| Some(*key) == now).map(|(ply, _)| ply).collect()
    }

    /// Evaluates a claim by this player.
    pub fn claim(&self, by: Color, claimed: ClaimKind, basis: ClaimBasis, rules: &DrawRules) -> Claim {
        let refused = |finding| Claim { finding, occurrences: self.occurrences(), quiet: self.now.halfmoves() };
        if self.now.ending().is_some() {
            return refused(Finding::Ended);
        }
        let Some(required) = rules.claim(claimed, basis) else { return refused(Finding::RuleUnavailable) };
        if by != self.now.turn() {
            return refused(Finding::NotOnMove);
        }
        let after = match basis {
            ClaimBasis::OnBoard => self.clone(),
            ClaimBasis::OnIntended(mv) if !self.now.is_legal(mv) => return refused(Finding::IllegalMove),
            ClaimBasis::OnIntended(mv) => {
                let mut after = self.clone();
                after.play(mv);
                after
            }
        };
        let (occurrences, quiet) = (after.occurrences(), after.now.halfmoves());
        let times = occurrences.len();
        let finding = match claimed {
            ClaimKind::Repetition if times >= required as usize => Finding::Repeated { times },
            ClaimKind::Repetition => Finding::TooFewTimes { times },
            ClaimKind::FiftyMoves => match required.saturating_mul(2) {
                plies if quiet >= plies => Finding::Quiet { moves: quiet / 2 },
                plies => Finding::TooFewMoves { missing: plies - quiet, required: plies },
            },
        };
        Claim { finding, occurrences, quiet }
    }

    /// Returns whether the game is drawn now without a claim. Checkmate and stalemate take precedence.
    pub fn drawn(&self, rules: &DrawRules) -> Option<AutomaticDraw> {
        if self.now.ending().is_some() || self.is_mate() {
            return None;
        }
        let occurrences = self.occurrences();
        // Alternate moves of the same player are four plies apart.
        let in_a_row =
            || occurrences.iter().rev().zip(occurrences.iter().rev().skip(1)).take_while(|(a, b)| *a - *b == 4).count() + 1;
        if let Some((times, kind)) = rules.five_fold {
            let times = times as usize;
            if occurrences.len() >= times && (kind == FiveFold::Any || in_a_row() >= times) {
                return Some(AutomaticDraw::FiveTimes { occurrences });
            }
        }
        let moves = rules.seventy_five.filter(|moves| self.now.halfmoves() >= moves.saturating_mul(2))?;
        Some(AutomaticDraw::SeventyFiveMoves { moves })
    }

    /// Returns whether the position is checkmate, also for an irregular position, for which [`Position::ending`] returns `None`.
    fn is_mate(&self) -> bool {
        self.now.ending() == Some(Ending::Checkmate) || self.now.is_check() && self.now.legal_moves().is_empty()
    }
}

fn key(position: &Position, equality: PositionEquality) -> PositionKey {
    match equality {
        PositionEquality::Rights => position.key(),
        PositionEquality::Moves => without_barred_castling(position).key(),
    }
}

/// Returns the position with only those castling rights that could be used if it were that player's move.
fn without_barred_castling(position: &Position) -> Position {
    let setup = position.to_setup();
    if setup.castling_rights.is_empty() {
        return position.clone();
    }
    let mode = if position.is_chess960() { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let open = [position.clone(), position.with_turn_passed()].into_iter().flat_map(|position| {
        position.legal_moves().into_iter().filter_map(|mv| match mv {
            Move::Castle { rook, .. } => Some(rook),
            _ => None,
        })
    });
    let castling_rights = open.fold(Bitboard::EMPTY, |all, rook| all | Bitboard::from_square(rook));
    Position::from_setup(Setup { castling_rights, ..setup }, mode)
}
