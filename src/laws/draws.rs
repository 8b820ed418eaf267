//! Draws by what was played: the same position again (Art. 9.2, 9.6.1), moves without a capture or a pawn's move (Art. 9.3, 9.6.2).
//!
//! Three times and fifty moves are for a player to claim and are answered when asked; five times and seventy-five moves end the
//! game by themselves in the editions that know them.

use crate::laws::edition::FiveFold;
use crate::laws::{Ending, Laws, Move, Position, PositionKey};
use shakmaty::{Bitboard, CastlingMode, Color, Setup};

/// When two positions are the same, beside the pieces, the side to move and a legal capture en passant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Same {
    /// The rights to castle are the same, whether or not castling is barred at the moment (Art. 9.2.3.2). The edition of 2009 says
    /// "temporarily or permanently": with the pieces on the same squares a bar that passes is the same bar, so it is this as well.
    #[default]
    Rights,
    /// The possible moves are the same at this moment: an edition that says no more. A right to castle that is barred, or would be
    /// if it were that player's move, does not count.
    Moves,
}

/// Draws that need no claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Automatic {
    /// None: until 2014.
    None,
    /// Five times on alternate moves of each player, one after the other (2014, Art. 9.6a), or 75 moves.
    Consecutive,
    /// Five times at all (2017 and later, Art. 9.6.1), or 75 moves.
    #[default]
    Any,
}

impl Automatic {
    /// As these Laws have it.
    pub fn of(laws: &Laws) -> Automatic {
        let rules = laws.rules();
        match (rules.five_fold, rules.five_fold_kind) {
            (None, _) => Automatic::None,
            (Some(_), Some(FiveFold::Consecutive)) => Automatic::Consecutive,
            (Some(_), _) => Automatic::Any,
        }
    }
}

/// What is claimed, by the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The same position for the third time (Art. 9.2).
    Repetition,
    /// Fifty moves of each player without a capture or a pawn's move (Art. 9.3).
    FiftyMoves,
}

/// On which position a claim rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rests {
    /// That on the board (Art. 9.2.2, 9.3.2).
    OnBoard,
    /// That which this move will bring about, written down and not played (Art. 9.2.1, 9.3.1).
    OnIntended(Move),
}

/// What a claim is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whether it is right, and why.
    pub finding: Finding,
    /// Plies after which the position stood on the board, 0 for the start; an intended move's own ply is the last.
    pub occurrences: Vec<u32>,
    /// Plies without a capture or a pawn's move, the intended one included.
    pub quiet: u32,
}

impl Claim {
    /// Whether the game is drawn.
    pub fn is_right(&self) -> bool {
        matches!(self.finding, Finding::Repeated { .. } | Finding::Quiet { .. })
    }
}

/// Why a claim is right or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Right: so many times, three at least.
    Repeated {
        /// How many.
        times: usize,
    },
    /// Right: so many whole moves, fifty at least.
    Quiet {
        /// How many.
        moves: u32,
    },
    /// Wrong: so many times only.
    TooFewTimes {
        /// How many.
        times: usize,
    },
    /// Wrong: plies are missing.
    TooFewMoves {
        /// How many plies are missing from a hundred.
        missing: u32,
    },
    /// The player can no longer claim on this move (Art. 9.4).
    Lost,
    /// Wrong: only the player to move may claim.
    NotOnMove,
    /// Wrong: the intended move is not legal; another move of that piece must be made (Art. 9.5.3, 4.3).
    IllegalMove,
    /// Nothing to claim: the game has ended by mate or stalemate.
    Ended,
}

/// Why the game is drawn without a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// The position stood on the board for the fifth time (Art. 9.6.1).
    FiveTimes {
        /// Plies after which it stood there, 0 for the start.
        occurrences: Vec<u32>,
    },
    /// 75 moves of each player without a capture or a pawn's move (Art. 9.6.2).
    SeventyFiveMoves,
}

/// One game's positions, from its start to the one on the board.
#[derive(Clone, Debug)]
pub struct History {
    same: Same,
    /// Of every position, the start's first.
    keys: Vec<PositionKey>,
    now: Position,
}

impl History {
    /// Before the first move. Plies that the start already counts towards the fifty moves count here.
    pub fn new(start: &Position, same: Same) -> History {
        History { same, keys: vec![key(start, same)], now: start.clone() }
    }

    /// After these moves; illegal ones are taken as they were made.
    pub fn of(start: &Position, moves: impl IntoIterator<Item = Move>, same: Same) -> History {
        let mut history = History::new(start, same);
        moves.into_iter().for_each(|mv| history.play(mv));
        history
    }

    /// One more move.
    pub fn play(&mut self, mv: Move) {
        self.now = self.now.play(mv);
        self.keys.push(key(&self.now, self.same));
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.now
    }

    /// Plies after which the position on the board stood there, now included; 0 is the start.
    pub fn occurrences(&self) -> Vec<u32> {
        let now = self.keys.last();
        (0..).zip(&self.keys).filter(|(_, key)| Some(*key) == now).map(|(ply, _)| ply).collect()
    }

    /// What a claim by this player would be worth.
    pub fn claim(&self, by: Color, claimed: Claimed, rests: Rests) -> Claim {
        let refused = |finding| Claim { finding, occurrences: self.occurrences(), quiet: self.now.halfmoves() };
        if self.now.ending().is_some() {
            return refused(Finding::Ended);
        }
        if by != self.now.turn() {
            return refused(Finding::NotOnMove);
        }
        let after = match rests {
            Rests::OnBoard => self.clone(),
            Rests::OnIntended(mv) if !self.now.is_legal(mv) => return refused(Finding::IllegalMove),
            Rests::OnIntended(mv) => {
                let mut after = self.clone();
                after.play(mv);
                after
            }
        };
        let (occurrences, quiet) = (after.occurrences(), after.now.halfmoves());
        let finding = match claimed {
            Claimed::Repetition if occurrences.len() >= 3 => Finding::Repeated { times: occurrences.len() },
            Claimed::Repetition => Finding::TooFewTimes { times: occurrences.len() },
            Claimed::FiftyMoves if quiet >= 100 => Finding::Quiet { moves: quiet / 2 },
            Claimed::FiftyMoves => Finding::TooFewMoves { missing: 100 - quiet },
        };
        Claim { finding, occurrences, quiet }
    }

    /// Whether the game is drawn as it stands, without a claim. Mate and stalemate come first.
    pub fn drawn(&self, rule: Automatic) -> Option<Drawn> {
        if rule == Automatic::None || self.now.ending().is_some() || self.is_mate() {
            return None;
        }
        let occurrences = self.occurrences();
        // The same player's alternate moves: every fourth ply.
        let in_a_row =
            || occurrences.iter().rev().zip(occurrences.iter().rev().skip(1)).take_while(|(a, b)| *a - *b == 4).count() + 1;
        if occurrences.len() >= 5 && (rule == Automatic::Any || in_a_row() >= 5) {
            return Some(Drawn::FiveTimes { occurrences });
        }
        (self.now.halfmoves() >= 150).then_some(Drawn::SeventyFiveMoves)
    }

    /// Also in an irregular position, of which [`Position::ending`] says nothing.
    fn is_mate(&self) -> bool {
        self.now.ending() == Some(Ending::Checkmate) || self.now.is_check() && self.now.legal_moves().is_empty()
    }
}

fn key(position: &Position, same: Same) -> PositionKey {
    match same {
        Same::Rights => position.key(),
        Same::Moves => without_barred_castling(position).key(),
    }
}

/// The position with only those rights to castle that could be used if it were that player's move.
fn without_barred_castling(position: &Position) -> Position {
    let setup = position.to_setup();
    if setup.castling_rights.is_empty() {
        return position.clone();
    }
    let mode = if position.is_chess960() { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let open = [position.clone(), position.passed()].into_iter().flat_map(|position| {
        position.legal_moves().into_iter().filter_map(|mv| match mv {
            Move::Castle { rook, .. } => Some(rook),
            _ => None,
        })
    });
    let castling_rights = open.fold(Bitboard::EMPTY, |all, rook| all | Bitboard::from_square(rook));
    Position::from_setup(Setup { castling_rights, ..setup }, mode)
}
